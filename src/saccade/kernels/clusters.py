"""Loops of k-means over byte descriptors: add up members, split the nodes of a tree, walk down it.

Descriptors and centroids are bytes, so a squared distance is a whole number of at most
128 · 255² < 2²⁴, and float32 holds every partial sum of it without rounding. The order of the
additions therefore cannot change a bit: the same centroids come out of any number of threads and of
any machine, and letting the compiler reorder the sums is safe here.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_ANY_ORDER = {"contract", "reassoc", "nsz", "arcp"}


@njit(cache=True, nogil=True)
def add_members(
    descriptors: NDArray[np.uint8],
    labels: NDArray[np.int64],
    sums: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> None:
    """Add each descriptor [n, d] to the sum [k, d] and count [k] of its label."""
    for i in range(descriptors.shape[0]):
        label = labels[i]
        counts[label] += 1
        for j in range(descriptors.shape[1]):
            sums[label, j] += descriptors[i, j]


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
def _distance(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> np.float32:
    total = np.float32(0.0)
    for j in range(one.shape[0]):
        gap = np.float32(one[j]) - np.float32(other[j])
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _nearest(
    descriptor: NDArray[np.uint8], centroids: NDArray[np.uint8], start: int, stop: int
) -> int:
    """Which of the centroids `start` to `stop` is nearest; ties go to the first."""
    best, least = start, _distance(descriptor, centroids[start])
    for c in range(start + 1, stop):
        distance = _distance(descriptor, centroids[c])
        if distance < least:
            best, least = c, distance
    return best


@njit(cache=True, nogil=True)
def _mixed(state: np.uint64) -> np.uint64:
    """The next state of a small generator (xorshift64*'s shifts); never 0 for a state above 0."""
    state ^= state >> np.uint64(12)
    state ^= state << np.uint64(25)
    state ^= state >> np.uint64(27)
    return state


@njit(cache=True, nogil=True)
def split_nodes(
    descriptors: NDArray[np.uint8],
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    first: int,
    last: int,
    rounds: int,
    seed: int,
    centroids: NDArray[np.uint8],
    child_counts: NDArray[np.int32],
    labels: NDArray[np.int32],
) -> None:
    """k-means within each of the nodes `first` to `last` of one level of a tree.

    Node i owns the descriptors `order[starts[i]:starts[i + 1]]`. Its children go to
    `centroids[i, :child_counts[i]]`, and `labels` [n] gets each member's child. A node with fewer
    members than children, or with members all alike, is not split: `child_counts[i]` is 0.
    """
    branching = centroids.shape[1]
    sums = np.zeros((branching, descriptors.shape[1]), np.int64)
    counts = np.zeros(branching, np.int64)
    renumber = np.zeros(branching, np.int64)
    for node in range(first, last):
        members = order[starts[node] : starts[node + 1]]
        child_counts[node] = 0
        if members.shape[0] < branching:
            continue
        children = centroids[node]
        _choose(descriptors, members, children, np.uint64(seed + 1) * np.uint64(node + 1))
        for _ in range(rounds):
            _relabel(descriptors, members, children, labels, sums, counts)
            for c in range(branching):
                if counts[c] > 0:
                    for j in range(children.shape[1]):
                        children[c, j] = (2 * sums[c, j] + counts[c]) // (2 * counts[c])
        _relabel(descriptors, members, children, labels, sums, counts)
        used = 0
        for c in range(branching):
            renumber[c] = used
            if counts[c] > 0:
                children[used] = children[c]
                used += 1
        if used < 2:
            continue
        child_counts[node] = used
        for i in members:
            labels[i] = renumber[labels[i]]


@njit(cache=True, nogil=True)
def _choose(
    descriptors: NDArray[np.uint8],
    members: NDArray[np.int64],
    children: NDArray[np.int32],
    state: np.uint64,
) -> None:
    """Start the children at members drawn without replacement."""
    n = members.shape[0]
    drawn = members.copy()
    for c in range(children.shape[0]):
        state = _mixed(state)
        other = c + np.int64((state >> np.uint64(11)) % np.uint64(n - c))
        drawn[c], drawn[other] = drawn[other], drawn[c]
        children[c] = descriptors[drawn[c]]


@njit(cache=True, nogil=True)
def _relabel(
    descriptors: NDArray[np.uint8],
    members: NDArray[np.int64],
    children: NDArray[np.int32],
    labels: NDArray[np.int32],
    sums: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> None:
    sums[:] = 0
    counts[:] = 0
    for i in members:
        label = _nearest(descriptors[i], children, 0, children.shape[0])
        labels[i] = label
        counts[label] += 1
        for j in range(descriptors.shape[1]):
            sums[label, j] += descriptors[i, j]


@njit(cache=True, nogil=True)
def descend(
    descriptors: NDArray[np.uint8],
    centroids: NDArray[np.uint8],
    child: NDArray[np.int32],
    children: NDArray[np.int32],
    roots: int,
    leaves: NDArray[np.int64],
) -> None:
    """The leaf each descriptor [n, d] falls to.

    The children of node i are the nodes `child[i]` to `child[i] + children[i]`, none for a leaf;
    the walk starts among the first `roots` nodes.
    """
    for i in range(descriptors.shape[0]):
        node = _nearest(descriptors[i], centroids, 0, roots)
        while children[node] > 0:
            node = _nearest(descriptors[i], centroids, child[node], child[node] + children[node])
        leaves[i] = node
