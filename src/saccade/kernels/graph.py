"""The loops that make the neighbour graph: centre, choose the nearest, make links mutual, check.

No fast-math anywhere: sums run in one fixed order (eight lanes where a product is long), so that
the same input gives the same bits on every machine and in any company.
"""

from __future__ import annotations

import numpy as np
from numba import njit

# What a matrix product of unit vectors may be off by, whatever order it sums in.
_DOUBT = np.float32(4e-6)


@njit(cache=True, nogil=True)
def _product(a, b):  # type: ignore[no-untyped-def]
    """The inner product of two vectors, in eight partial sums."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = np.float32(0.0)
    whole = a.shape[0] // 8 * 8
    for j in range(0, whole, 8):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
        s4 += a[j + 4] * b[j + 4]
        s5 += a[j + 5] * b[j + 5]
        s6 += a[j + 6] * b[j + 6]
        s7 += a[j + 7] * b[j + 7]
    total = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7))
    for j in range(whole, a.shape[0]):
        total += a[j] * b[j]
    return total


@njit(cache=True, nogil=True)
def centre_rows(vectors, centre, faint):  # type: ignore[no-untyped-def]
    """Make each row unit, take the centre away, make it unit again, in place.

    A row that is zero stays so; one shorter than `faint` without the centre becomes zero.
    """
    for i in range(vectors.shape[0]):
        row = vectors[i]
        size = np.sqrt(_product(row, row))
        if size > 0.0:
            for j in range(row.shape[0]):
                row[j] = row[j] / size - centre[j]
            size = np.sqrt(_product(row, row))
            if not size > faint:
                row[:] = 0.0
            else:
                for j in range(row.shape[0]):
                    row[j] /= size


@njit(cache=True, nogil=True)
def unit_rows(vectors):  # type: ignore[no-untyped-def]
    """Give each row the length 1, in place; a zero row stays."""
    for i in range(vectors.shape[0]):
        row = vectors[i]
        size = np.sqrt(_product(row, row))
        if size > 0.0:
            for j in range(row.shape[0]):
                row[j] /= size


@njit(cache=True, nogil=True)
def _insert(value, row, here, near, similarities):  # type: ignore[no-untyped-def]
    """Put a row into the list of another where it belongs: best first, ties to the lower row."""
    at = k = near.shape[1]
    while at > 0 and (
        near[here, at - 1] < 0
        or value > similarities[here, at - 1]
        or (value == similarities[here, at - 1] and row < near[here, at - 1])
    ):
        at -= 1
    if at == k:
        return
    for m in range(k - 1, at, -1):
        near[here, m] = near[here, m - 1]
        similarities[here, m] = similarities[here, m - 1]
    near[here, at] = row
    similarities[here, at] = value


@njit(cache=True, nogil=True)
def offer(products, asked, queries, rows, vectors, near, similarities):  # type: ignore[no-untyped-def]
    """Let candidates take a place among the k nearest of the rows asked for.

    Lists are `near[asked[i]]`, -1 at the end where there are fewer. `products` [q, c], from a
    matrix product, only say which candidates are worth an exact one. A row is no neighbour of its
    own, and a product not above 0 is none.
    """
    k = near.shape[1]
    for i in range(products.shape[0]):
        here = asked[i]
        last = np.float32(0.0)
        if near[here, k - 1] >= 0:
            last = similarities[here, k - 1] - _DOUBT
        for c in range(products.shape[1]):
            if products[i, c] < last or rows[c] == here:
                continue
            value = min(_product(queries[i], vectors[c]), np.float32(1.0))
            if value > 0.0:
                _insert(value, rows[c], here, near, similarities)
                if near[here, k - 1] >= 0:
                    last = similarities[here, k - 1] - _DOUBT


@njit(cache=True, nogil=True)
def shortlist(products, length):  # type: ignore[no-untyped-def]
    """The columns of the `length` highest products of each row, [q, length], in any order."""
    out = np.empty((products.shape[0], length), np.int64)
    for i in range(products.shape[0]):
        line = products[i]
        least = np.float32(np.inf)
        place = 0
        for c in range(line.shape[0]):
            if c < length:
                out[i, c] = c
            elif line[c] > least:
                out[i, place] = c
            else:
                continue
            if c >= length - 1:
                place = 0
                least = line[out[i, 0]]
                for m in range(1, length):
                    if line[out[i, m]] < least:
                        least = line[out[i, m]]
                        place = m
    return out


@njit(cache=True, nogil=True)
def offer_listed(lists, asked, rows, vectors, near, similarities):  # type: ignore[no-untyped-def]
    """As `offer`, with the candidates of each asked row listed: `lists` [q, c] of places in `rows`.

    `vectors` are those of `rows`, which is ascending and holds the asked rows as well.
    """
    for i in range(lists.shape[0]):
        here = asked[i]
        query = vectors[np.searchsorted(rows, here)]
        for c in range(lists.shape[1]):
            row = rows[lists[i, c]]
            if row != here:
                value = min(_product(query, vectors[lists[i, c]]), np.float32(1.0))
                if value > 0.0:
                    _insert(value, row, here, near, similarities)


@njit(cache=True, nogil=True)
def mutual(near, similarities):  # type: ignore[no-untyped-def]
    """Links of lists [n, k] (-1 for none) made mutual: offsets, neighbours, similarities.

    Each row's neighbours come best first, ties to the lower row; so its own k nearest come first.
    """
    n, k = near.shape
    incoming = np.zeros(n + 1, np.int64)
    for i in range(n):
        for j in range(k):
            if near[i, j] >= 0:
                incoming[near[i, j] + 1] += 1
    for i in range(n):
        incoming[i + 1] += incoming[i]
    sources = np.empty(incoming[n], np.int32)
    values = np.empty(incoming[n], np.float32)
    filled = incoming[:-1].copy()
    for i in range(n):
        for j in range(k):
            to = near[i, j]
            if to >= 0:
                sources[filled[to]] = i
                values[filled[to]] = similarities[i, j]
                filled[to] += 1
    offsets = np.zeros(n + 1, np.int64)
    neighbours = np.empty(2 * incoming[n], np.int32)
    links = np.empty(2 * incoming[n], np.float32)
    size = 0
    for i in range(n):
        start = size
        for j in range(k):
            if near[i, j] >= 0:
                neighbours[size], links[size] = near[i, j], similarities[i, j]
                size += 1
        own = size
        for s in range(incoming[i], incoming[i + 1]):
            listed = False
            for j in range(start, own):
                if neighbours[j] == sources[s]:
                    listed = True
                    break
            if not listed:
                neighbours[size], links[size] = sources[s], values[s]
                size += 1
        by_row = np.argsort(neighbours[start:size], kind="mergesort")
        rows, strength = neighbours[start:size][by_row], links[start:size][by_row]
        best = np.argsort(-strength, kind="mergesort")
        neighbours[start:size] = rows[best]
        links[start:size] = strength[best]
        offsets[i + 1] = size
    return offsets, neighbours[:size].copy(), links[:size].copy()


@njit(cache=True, nogil=True)
def merged(offsets, neighbours, links, other_offsets, others, other_links):  # type: ignore[no-untyped-def]
    """Two sets of mutual links as one; the higher similarity where both have a link."""
    n = offsets.shape[0] - 1
    out_offsets = np.zeros(n + 1, np.int64)
    room = neighbours.shape[0] + others.shape[0]
    out, strengths = np.empty(room, np.int32), np.empty(room, np.float32)
    size = 0
    for i in range(n):
        start = size
        for e in range(offsets[i], offsets[i + 1]):
            out[size], strengths[size] = neighbours[e], links[e]
            size += 1
        own = size
        for e in range(other_offsets[i], other_offsets[i + 1]):
            at = start
            while at < own and out[at] != others[e]:
                at += 1
            if at < own:
                strengths[at] = max(strengths[at], other_links[e])
            else:
                out[size], strengths[size] = others[e], other_links[e]
                size += 1
        by_row = np.argsort(out[start:size], kind="mergesort")
        rows, strength = out[start:size][by_row], strengths[start:size][by_row]
        best = np.argsort(-strength, kind="mergesort")
        out[start:size] = rows[best]
        strengths[start:size] = strength[best]
        out_offsets[i + 1] = size
    return out_offsets, out[:size].copy(), strengths[:size].copy()


@njit(cache=True, nogil=True)
def roots(offsets, weights):  # type: ignore[no-untyped-def]
    """The root of the sum of each row's weights, added in order; 1 where there are none."""
    out = np.ones(offsets.shape[0] - 1, np.float64)
    for i in range(out.shape[0]):
        total = 0.0
        for e in range(offsets[i], offsets[i + 1]):
            total += np.float64(weights[e])
        if total > 0.0:
            out[i] = np.sqrt(total)
    return out


@njit(cache=True, nogil=True)
def flaw(offsets, neighbours, similarities):  # type: ignore[no-untyped-def]
    """What is wrong with links that were read back: 0 nothing, or the number of a flaw.

    1 offsets, 2 a neighbour, 3 a similarity, 4 the order of a row, 5 a link that is not mutual. The
    last is told by the exclusive or of a hash of both ends and the similarity: 0 when each link is
    there from both sides.
    """
    n = offsets.shape[0] - 1
    if n < 0 or offsets[0] != 0 or offsets[n] != neighbours.shape[0]:
        return 1
    for i in range(n):
        if offsets[i + 1] < offsets[i]:
            return 1
    bits = similarities.view(np.uint32)
    balance = np.uint64(0)
    for i in range(n):
        for e in range(offsets[i], offsets[i + 1]):
            to = neighbours[e]
            if to < 0 or to >= n or to == i:
                return 2
            if not (similarities[e] > 0.0 and similarities[e] <= 1.0):
                return 3
            if e > offsets[i] and not (
                similarities[e - 1] > similarities[e]
                or (similarities[e - 1] == similarities[e] and neighbours[e - 1] < to)
            ):
                return 4
            mixed = np.uint64(min(i, to)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= np.uint64(max(i, to)) * np.uint64(0xC2B2AE3D27D4EB4F) + np.uint64(bits[e])
            mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            balance ^= mixed ^ (mixed >> np.uint64(32))
    return 5 if balance != 0 else 0
