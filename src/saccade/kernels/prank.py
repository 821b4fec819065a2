"""PRank's pass over graded rows: a direction and ordered thresholds, moved at each mistake."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def pass_over(rows, levels, order, weights, thresholds, weight_sum, threshold_sum):  # type: ignore[no-untyped-def]
    """One pass in the given order; sums take the state after each row, for averaging.

    Level l is said where l thresholds lie at or below the score. Returns the number of mistakes.
    """
    mistakes = 0
    width = rows.shape[1]
    cuts = thresholds.shape[0]
    for at in range(order.shape[0]):
        row = order[at]
        score = 0.0
        for column in range(width):
            score += weights[column] * rows[row, column]
        shift = 0.0
        for cut in range(cuts):
            side = 1.0 if levels[row] > cut else -1.0
            # A threshold that the row lies on the wrong side of moves towards the score.
            if (score - thresholds[cut]) * side <= 0.0:
                shift += side
                thresholds[cut] -= side
        if shift != 0.0:
            mistakes += 1
            for column in range(width):
                weights[column] += shift * rows[row, column]
        for column in range(width):
            weight_sum[column] += weights[column]
        for cut in range(cuts):
            threshold_sum[cut] += thresholds[cut]
    return mistakes
