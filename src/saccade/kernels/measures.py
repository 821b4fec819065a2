"""Ranking measures on arrays: scores and grades in, one value per query out.

A query's documents are ordered by falling score, equal scores by lower row. Grade r_j at rank j:

    average precision   sum_j [r_j > 0] * P@j / R        R relevant documents, in [0, 1]
    ndcg@k              sum_{j<=k} (2^r_j - 1) / log2(1 + j) / ideal            in [0, 1]
    ndcg-letor@k        the same with discount 1 at rank 1 and log2(j) after    in [0, 1]
    p@k, recall@k       relevant documents in the first k, over k, over R       in [0, 1]
    rr                  1 / rank of the first relevant document                 in [0, 1]
    err@k               sum_{j<=k} g_j / j * prod_{i<j} (1 - g_i),  g = (2^r - 1) / 2^top
    pairs               share of pairs of unequal grade ordered rightly, a tie in score counts 1/2
    recognition@k       1 when one of the first k is relevant

A query without relevant documents has value 0; a query without pairs has NaN for `pairs`.
The rows of one query lie together: query i is `starts[i]:starts[i + 1]`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

AP, NDCG, NDCG_LETOR, PRECISION, RECALL, RR, ERR, PAIRS, RECOGNITION = range(9)


@njit(cache=True, nogil=True)
def _discount(kind, rank):  # type: ignore[no-untyped-def]
    """What the gain at `rank` (from 1) is divided by."""
    if kind == NDCG_LETOR:
        return 1.0 if rank == 1 else np.log2(rank)
    return np.log2(1.0 + rank)


@njit(cache=True, nogil=True)
def _order(scores, depth):  # type: ignore[no-untyped-def]
    """Positions of the `depth` best scores, best first, ties by lower position."""
    n = scores.shape[0]
    if depth * 4 > n:
        return np.argsort(-scores, kind="mergesort")[:depth]
    # A short list kept sorted by insertion: most documents fail the first comparison.
    best = np.empty(depth, np.int64)
    held = 0
    for i in range(n):
        score = scores[i]
        if held == depth and score <= scores[best[held - 1]]:
            continue
        at = held if held < depth else depth - 1
        while at > 0 and scores[best[at - 1]] < score:
            best[at] = best[at - 1]
            at -= 1
        best[at] = i
        if held < depth:
            held += 1
    return best


@njit(cache=True, nogil=True)
def _ideal(kind, cut, grades):  # type: ignore[no-untyped-def]
    """The normaliser of one query: best possible gain, or the number of relevant documents."""
    n = grades.shape[0]
    if kind in (NDCG, NDCG_LETOR):
        ordered = np.sort(grades)
        total = 0.0
        depth = n if cut <= 0 else min(cut, n)
        for j in range(depth):
            gain = 2.0 ** ordered[n - 1 - j] - 1.0
            total += gain / _discount(kind, j + 1)
        return total
    relevant = 0.0
    for i in range(n):
        if grades[i] > 0:
            relevant += 1.0
    return relevant


@njit(cache=True, nogil=True)
def _of_ranking(kind, cut, top, ranked, ideal):  # type: ignore[no-untyped-def]
    """Value of grades already in ranked order; `ranked` may stop at the cut."""
    depth = ranked.shape[0] if cut <= 0 else min(cut, ranked.shape[0])
    if ideal <= 0.0:
        return 0.0
    total = 0.0
    if kind in (NDCG, NDCG_LETOR):
        for j in range(depth):
            if ranked[j] > 0:
                total += (2.0 ** ranked[j] - 1.0) / _discount(kind, j + 1)
        return total / ideal
    if kind == ERR:
        going_on = 1.0
        for j in range(depth):
            stop = (2.0 ** ranked[j] - 1.0) / 2.0**top
            total += going_on * stop / (j + 1)
            going_on *= 1.0 - stop
        return total
    hits = 0.0
    for j in range(depth):
        if ranked[j] > 0:
            hits += 1.0
            if kind == RR:
                return 1.0 / (j + 1)
            if kind == RECOGNITION:
                return 1.0
            total += hits / (j + 1)
    if kind == AP:
        return total / ideal
    if kind == PRECISION:
        return hits / (cut if cut > 0 else ranked.shape[0])
    if kind == RECALL:
        return hits / ideal
    return 0.0


@njit(cache=True, nogil=True)
def _average_precision(scores, grades, relevant):  # type: ignore[no-untyped-def]
    """Average precision over all ranks without ordering the irrelevant documents.

    Only the relevant ones are sorted; each irrelevant one is placed among them by halving.
    """
    n = scores.shape[0]
    rows = np.empty(relevant, np.int64)
    held = 0
    for i in range(n):
        if grades[i] > 0:
            rows[held] = i
            held += 1
    rows = rows[np.argsort(-scores[rows], kind="mergesort")]
    best = scores[rows]
    ahead = np.zeros(relevant + 1, np.int64)  # irrelevant documents just before each relevant one
    for i in range(n):
        if grades[i] > 0:
            continue
        score = scores[i]
        place, left = 0, relevant
        while left > 0:
            half = (left + 1) // 2
            # Without a branch: which way a search goes cannot be foreseen.
            place += half * (best[place + half - 1] > score)
            left -= half
        while place < relevant and best[place] == score and rows[place] < i:
            place += 1
        ahead[place] += 1
    total = 0.0
    passed = 0
    for j in range(relevant):
        passed += ahead[j]
        total += (j + 1.0) / (j + 1.0 + passed)
    return total / relevant


@njit(cache=True, nogil=True)
def _pairs(scores, grades):  # type: ignore[no-untyped-def]
    """Share of pairs of unequal grade that the scores order rightly; NaN without such a pair."""
    levels = np.unique(grades)
    above = np.zeros(levels.shape[0], np.int64)
    tied = np.zeros(levels.shape[0], np.int64)
    order = np.argsort(-scores, kind="mergesort")
    right = 0.0
    every = 0.0
    n = order.shape[0]
    first = 0
    while first < n:
        last = first
        while last < n and scores[order[last]] == scores[order[first]]:
            last += 1
        tied[:] = 0
        for position in range(first, last):
            level = np.searchsorted(levels, grades[order[position]])
            for other in range(levels.shape[0]):
                if other != level:
                    every += above[other] + tied[other]
                    right += 0.5 * tied[other]
                    if other > level:
                        right += above[other]
            tied[level] += 1
        above += tied
        first = last
    return right / every if every > 0.0 else np.nan


@njit(cache=True, nogil=True)
def ideals(kind, cut, grades, starts):  # type: ignore[no-untyped-def]
    """Normaliser of each query, [q]; it does not depend on scores, so compute it once."""
    out = np.empty(starts.shape[0] - 1, np.float64)
    for query in range(out.shape[0]):
        out[query] = _ideal(kind, cut, grades[starts[query] : starts[query + 1]])
    return out


@njit(cache=True, nogil=True)
def values(kind, cut, top, scores, grades, starts, ideal):  # type: ignore[no-untyped-def]
    """Value of each query, [q]."""
    out = np.empty(starts.shape[0] - 1, np.float64)
    for query in range(out.shape[0]):
        begin, end = starts[query], starts[query + 1]
        if kind == PAIRS:
            out[query] = _pairs(scores[begin:end], grades[begin:end])
            continue
        if kind == AP and cut <= 0:
            relevant = np.int64(ideal[query])
            out[query] = 0.0
            if relevant > 0:
                out[query] = _average_precision(scores[begin:end], grades[begin:end], relevant)
            continue
        depth = end - begin if cut <= 0 else min(cut, end - begin)
        order = _order(scores[begin:end], depth)
        ranked = grades[begin:end][order]
        out[query] = _of_ranking(kind, cut, top, ranked, ideal[query])
    return out


@njit(cache=True, nogil=True)
def along(kind, cut, top, scores, column, steps, grades, starts, ideal):  # type: ignore[no-untyped-def]
    """Mean value with scores + step * column, for each step, [steps]."""
    out = np.empty(steps.shape[0], np.float64)
    for at in range(steps.shape[0]):
        moved = scores + steps[at] * column
        # Queries without a value (NaN) count neither above nor below the line.
        out[at] = np.nanmean(values(kind, cut, top, moved, grades, starts, ideal))
    return out


@njit(cache=True, nogil=True)
def of_ranking(kind, cut, top, ranked):  # type: ignore[no-untyped-def]
    """Value of one whole list of grades in ranked order."""
    if kind == PAIRS:
        return _pairs(-np.arange(ranked.shape[0]).astype(np.float64), ranked)
    return _of_ranking(kind, cut, top, ranked, _ideal(kind, cut, ranked))
