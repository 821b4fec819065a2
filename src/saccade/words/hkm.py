"""Hierarchical k-means: a vocabulary tree (Nistér & Stewénius, CVPR 2006).

    split the descriptors into b groups by k-means, each group into b again, ..., depth times;
    the leaves are the words: at most b^depth of them.

A group with fewer than b members, or with members all alike, is a leaf already. A descriptor walks
down from the root, b comparisons a level, so its word costs b · depth comparisons instead of the
number of words; in exchange a wrong turn near the top is never made good.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.types import Array, Spec
from saccade.words.akm import MAXIMUM, PER_WORD
from saccade.words.training import Checkpoint, Meter, Report, checked, digest, sample
from saccade.words.vocabulary import Vocabulary

ITERATIONS = 8

# Between levels a training is its nodes so far and where each descriptor of the sample stands.
# Nodes are numbered level by level; `child` and `children` say where the children of a node are.
_State = dict[str, Array]


def train(
    descriptors: Array,
    *,
    branching: int,
    depth: int,
    iterations: int = ITERATIONS,
    limit: int | None = None,
    seed: int = 0,
    work: Path | None = None,
    report: Report | None = None,
    threads: int | None = None,
) -> Vocabulary:
    """A tree of at most `branching` ** `depth` words from at most `limit` of the descriptors.

    With a folder `work` the state is kept there after every level: the same call goes on where a
    killed one was, and gives the same words. The number of threads changes nothing but the time.
    """
    descriptors = checked(descriptors)
    if branching < 2 or depth < 1 or branching**depth > MAXIMUM:
        raise InvalidInput(
            f"a tree of branching {branching} and depth {depth}: branching is 2 or more, depth 1 "
            f"or more, and there are at most {MAXIMUM:,} leaves"
        )
    if len(descriptors) < branching:
        raise InvalidInput(
            f"{len(descriptors):,} descriptors are too few for a tree of branching {branching}",
            hint="index more images first",
        )
    chosen = sample(descriptors, limit or PER_WORD * branching**depth, seed=seed)
    spec = {
        "kind": "hkm",
        "branching": branching,
        "depth": depth,
        "iterations": iterations,
        "seed": seed,
    }
    checkpoint = Checkpoint(work, digest(spec, {"sample": chosen}))
    meter = Meter(report)
    level, state = checkpoint.load() or (0, _root(len(chosen)))
    with ThreadPoolExecutor(threads or os.cpu_count() or 1) as pool:
        for below in range(level, depth):
            meter.at(below / depth, f"level {below + 1} of {depth}")
            state = _grow(chosen, state, branching, iterations, seed + below, pool)
            checkpoint.save(below + 1, state)
    vocabulary = _finished(state, {**spec, "trained_on": len(chosen)})
    meter.at(1.0, "done")
    checkpoint.clear()
    return vocabulary


def _root(members: int) -> _State:
    """One node, number 0, that owns everything."""
    return {
        "centroids": np.zeros((1, 128), np.uint8),
        "child": np.zeros(1, np.int32),
        "children": np.zeros(1, np.int32),
        "level": np.array([0, 1], np.int64),  # the first node of the lowest level, and its end
        "node": np.zeros(members, np.int32),  # where each descriptor stands
    }


def _grow(
    chosen: NDArray[np.uint8],
    state: _State,
    branching: int,
    iterations: int,
    seed: int,
    pool: ThreadPoolExecutor,
) -> _State:
    """Split every node of the lowest level."""
    from saccade.kernels import clusters

    first, end = (int(node) for node in state["level"])
    nodes = end - first
    if nodes == 0:
        return state
    order = np.argsort(state["node"], kind="stable")
    # Descriptors that came to rest in a leaf further up stand before `first`.
    starts = np.searchsorted(state["node"][order], np.arange(first, end + 1))
    fresh = np.zeros((nodes, branching, chosen.shape[1]), np.uint8)
    groups = np.zeros(nodes, np.int32)
    labels = np.zeros(len(chosen), np.int32)

    def split(part: NDArray[np.int64]) -> None:
        clusters.split_nodes(
            chosen, order, starts, part[0], part[-1] + 1, iterations, seed, fresh, groups, labels
        )

    # Small parts, because nodes differ in size and a thread must not wait for another.
    parts = np.array_split(np.arange(nodes), min(nodes, 64))
    list(pool.map(split, parts))

    child = (np.cumsum(groups) - groups + end).astype(np.int32)
    standing = state["node"] - first
    moving = np.flatnonzero((standing >= 0) & (groups[np.maximum(standing, 0)] > 0))
    node = state["node"].copy()
    node[moving] = child[standing[moving]] + labels[moving]
    added = int(groups.sum())
    none = np.zeros(added, np.int32)
    used = np.arange(branching) < groups[:, None]
    return {
        "centroids": np.concatenate([state["centroids"], fresh[used]]),
        "child": np.concatenate([state["child"][:first], np.where(groups > 0, child, 0), none]),
        "children": np.concatenate([state["children"][:first], groups, none]),
        "level": np.array([end, end + added], np.int64),
        "node": node,
    }


def _finished(state: _State, spec: Spec) -> Vocabulary:
    # The root compares with nothing: the tree begins with its children.
    if state["children"][0] == 0:
        raise InvalidInput(
            "every descriptor is the same: there is nothing to tell apart",
            hint="train on images that show something",
        )
    return Vocabulary.tree(
        state["centroids"][1:],
        np.maximum(state["child"][1:] - 1, 0),
        state["children"][1:],
        int(state["children"][0]),
        spec,
    )
