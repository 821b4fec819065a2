"""Losses of scored lists, with their gradients by the scores.

    ranknet   sum over pairs r_i > r_j of  log(1 + exp(s_j - s_i)), a mean over the query's pairs
    listnet   - sum_i p_i log q_i   with p, q the chance of each document to come first (or of each
              pair to come first and second) by Luce's model on the targets and on the scores
    listmle   - log chance of a given order (its first `top` places) by Luce's model on the scores

Luce's model draws documents without replacement with chance proportional to exp(score). Every loss
is a mean over queries and at least 0. Query i is rows `starts[i]:starts[i + 1]`; `gradient` is
filled.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def ranknet(scores, grades, starts, gradient):  # type: ignore[no-untyped-def]
    """Burges et al. 2005: cross-entropy of each pair's order, chance 1 / (1 + exp(s_j - s_i))."""
    gradient[:] = 0.0
    total = 0.0
    queries = starts.shape[0] - 1
    for query in range(queries):
        begin, end = starts[query], starts[query + 1]
        loss = 0.0
        product = 1.0  # one logarithm of many factors costs less than many logarithms
        pairs = 0
        lowest = grades[begin:end].min()
        for i in range(begin, end):
            if grades[i] == lowest:
                continue
            for j in range(begin, end):
                if grades[i] > grades[j]:
                    pairs += 1
                    gap = scores[i] - scores[j]
                    small = np.exp(-abs(gap))
                    product *= 1.0 + small
                    loss += max(0.0, -gap)
                    force = (small if gap >= 0.0 else 1.0) / (1.0 + small)
                    gradient[i] -= force
                    gradient[j] += force
                    if product > 1e250:
                        loss += np.log(product)
                        product = 1.0
        loss += np.log(product)
        if pairs > 0:
            share = 1.0 / (pairs * queries)
            total += loss * share
            for i in range(begin, end):
                gradient[i] *= share
    return total


@njit(cache=True, nogil=True)
def _first(values):  # type: ignore[no-untyped-def]
    """(softmax, log of its normaliser)."""
    top = values.max()
    chances = np.exp(values - top)
    mass = chances.sum()
    return chances / mass, top + np.log(mass)


@njit(cache=True, nogil=True)
def listnet(scores, targets, starts, gradient):  # type: ignore[no-untyped-def]
    """Cao et al. 2007 with top-1 chances; `targets` are the true scores."""
    total = 0.0
    queries = starts.shape[0] - 1
    for query in range(queries):
        begin, end = starts[query], starts[query + 1]
        wanted, _ = _first(targets[begin:end])
        given, mass = _first(scores[begin:end])
        for i in range(begin, end):
            total += wanted[i - begin] * (mass - scores[i])
            gradient[i] = (given[i - begin] - wanted[i - begin]) / queries
    return total / queries


@njit(cache=True, nogil=True)
def listnet_pairs(scores, targets, starts, gradient):  # type: ignore[no-untyped-def]
    """Cao et al. 2007 with top-2 chances, exact in time linear in the documents.

    The second place given the first i is a softmax over all but i, so its sums are the whole sums
    less one term.
    """
    total = 0.0
    queries = starts.shape[0] - 1
    for query in range(queries):
        begin, end = starts[query], starts[query + 1]
        wanted, _ = _first(targets[begin:end])
        given, mass = _first(scores[begin:end])
        n = end - begin
        mean = 0.0
        for i in range(n):
            mean += wanted[i] * scores[begin + i]
        spread_wanted = 0.0  # sum_i p_i / (1 - p_i)
        spread_given = 0.0  # sum_i p_i / (1 - q_i)
        for i in range(n):
            rest_wanted = max(1.0 - wanted[i], 1e-12)
            rest_given = max(1.0 - given[i], 1e-12)
            total += wanted[i] * (mass - scores[begin + i])
            second = (mean - wanted[i] * scores[begin + i]) / rest_wanted
            total += wanted[i] * (mass + np.log(rest_given) - second)
            spread_wanted += wanted[i] / rest_wanted
            spread_given += wanted[i] / rest_given
        for i in range(n):
            rest_wanted = max(1.0 - wanted[i], 1e-12)
            rest_given = max(1.0 - given[i], 1e-12)
            first = given[i] - wanted[i]
            second_given = given[i] * (spread_given - wanted[i] / rest_given)
            second_wanted = wanted[i] * (spread_wanted - wanted[i] / rest_wanted)
            gradient[begin + i] = (first + second_given - second_wanted) / queries
    return total / queries


@njit(cache=True, nogil=True)
def listmle(scores, orders, top, shares, starts, gradient):  # type: ignore[no-untyped-def]
    """Xia et al. 2008: likelihood of the first `top` places of each order, mean over orders.

    `orders[o, starts[i] + j]` is the row that order o of query i has at place j. `top` 0 is all.
    `shares[i]` is the weight of query i.
    """
    gradient[:] = 0.0
    total = 0.0
    queries = starts.shape[0] - 1
    repeats = orders.shape[0]
    for query in range(queries):
        begin, end = starts[query], starts[query + 1]
        n = end - begin
        depth = n if top <= 0 else min(top, n)
        share = shares[query] / repeats
        rest = np.empty(n, np.float64)  # log of the mass not yet drawn before each place
        for repeat in range(repeats):
            order = orders[repeat, begin:end]
            running = -np.inf
            for place in range(n - 1, -1, -1):
                score = scores[order[place]]
                high = max(running, score)
                running = high + np.log(np.exp(running - high) + np.exp(score - high))
                rest[place] = running
            drawn = -np.inf  # log of the sum of 1 / mass over the places so far
            for place in range(n):
                row = order[place]
                if place < depth:
                    total += share * (rest[place] - scores[row])
                    gradient[row] -= share
                    high = max(drawn, -rest[place])
                    drawn = high + np.log(np.exp(drawn - high) + np.exp(-rest[place] - high))
                gradient[row] += share * np.exp(scores[row] + drawn)
    return total
