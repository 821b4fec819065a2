"""Bounds on cumulative loss and on MAP for the online learners (Wan et al. 2015, theorems 1 to 3).

For any fixed w with losses ℓ_t(w), w₁ the start, X the largest |z|² and U the number of updates:

    opr     Σ ℓ_t(w_t) ≤ ½|w − w₁|² + Σ ℓ_t(w) + ½ X U                    over mistaken pairs
    opar1   Σ ℓ_t(w_t) ≤ {½|w − w₁|² + C Σ ℓ_t(w) + ½ C² X U} / λ*        λ* the smallest step
    opar2   Σ ℓ_t(w_t) ≤ (X + 1/(2C)) {|w − w₁|² + 2C Σ ℓ_t(w)²} / ℓ*     ℓ* the smallest loss > 0
    ogdr    Σ ℓ_t(w_t) ≤ |w − w₁|² / (2·rate) + ½·rate·X U + Σ ℓ_t(w)

    1 − AP ≤ (number of wrongly ordered pairs) / m ≤ Σ ℓ / m               m relevant images

What the printed text needs to be true:

* The proofs of theorems 1 and 2 bound Δ_t = |w_t − w|² − |w_{t+1} − w|² from above; the argument
  needs, and convexity gives, the same expression as a bound from *below*.
* Theorem 1 sums the loss over all pairs. The perceptron stands still where 0 < w·z < 1, so the loss
  there is not bounded: take z = (ε, 0) for ever, and it stays at 1 − ε² a pair while the printed
  bound grows by ε²/2. Over the mistaken pairs alone it holds, and those are all MAP needs.
* Lemma 1 divides the loss of one query's pairs by their number T. One relevant image at rank 2 of
  101 has AP ½, and the printed bound says 0.99. The sum over a query's pairs must not be divided:
  T has to be the number of ranked lists. With each pair a list of its own (its default here) T is
  the number of pairs, as printed.
* Theorem 2 has C²X/λ* where its proof has ½C²X/λ*: the proof's is used. Rounds without an update
  add nothing to the third term, so U takes the place of T. A start w₁ other than 0 enters in
  w − w₁.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.kernels.online import LARGEST, SMALLEST_LOSS, SMALLEST_STEP, UPDATES


def loss_bound(
    name: str,
    rate: float,
    statistics: NDArray[np.float64],
    distance: float,
    losses: NDArray[np.float64],
) -> float:
    """Upper bound on a learner's cumulative loss (`opr`: over its mistaken pairs alone).

    `distance` is |w − w₁|², `losses` are those of w on the same pairs.
    """
    updates, largest = float(statistics[UPDATES]), float(statistics[LARGEST])
    if updates == 0:
        return 0.0
    total = float(losses.sum())
    if name == "opr":
        return 0.5 * distance + total + 0.5 * largest * updates
    if name == "opar1":
        inner = 0.5 * distance + rate * total + 0.5 * rate**2 * largest * updates
        return inner / float(statistics[SMALLEST_STEP])
    if name == "opar2":
        inner = distance + 2.0 * rate * float((losses**2).sum())
        return (largest + 0.5 / rate) * inner / float(statistics[SMALLEST_LOSS])
    return 0.5 * distance / rate + 0.5 * rate * largest * updates + total
