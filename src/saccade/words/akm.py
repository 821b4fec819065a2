"""Approximate k-means: a flat vocabulary of up to a million words (Philbin et al., CVPR 2007).

    repeat:  label(d) = the nearest centroid to d, nearly always    (`cells`: the approximation)
             c_k      = round(mean of the d labelled k)

A centroid without members moves to a descriptor drawn at random. Philbin searches with randomised
kd-trees; an inverted file over the centroids finds more of the true neighbours in the same time.
Sums and distances are whole numbers, so seed and sample give the vocabulary, bit for bit, whatever
the number of threads.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from saccade.errors import InvalidInput
from saccade.types import Array
from saccade.words.cells import Cells, means
from saccade.words.local_features import Descriptors
from saccade.words.training import Checkpoint, Meter, Report, checked, digest, sample
from saccade.words.vocabulary import Vocabulary

ITERATIONS = 6
PER_WORD = 20
"""Descriptors a word in the training sample, where there are as many."""
MAXIMUM = 1_000_000
_PROBES = 8
_STEP = 262_144  # descriptors labelled between two reports of progress


def train(
    descriptors: Array,
    size: int,
    *,
    iterations: int = ITERATIONS,
    limit: int | None = None,
    seed: int = 0,
    work: Path | None = None,
    report: Report | None = None,
) -> Vocabulary:
    """A vocabulary of `size` words from at most `limit` of the descriptors [n, 128].

    With a folder `work` the state is kept there after every iteration: the same call goes on where
    a killed one was, and gives the same words.
    """
    descriptors = checked(descriptors)
    if not 1 <= size <= MAXIMUM:
        raise InvalidInput(f"a vocabulary of {size} words: it takes 1 to {MAXIMUM:,}")
    if iterations < 0:
        raise InvalidInput(f"{iterations} iterations: it takes 0 or more")
    if len(descriptors) < size:
        raise InvalidInput(
            f"{len(descriptors):,} descriptors are too few for {size:,} words",
            hint=f"ask for at most {len(descriptors):,} words, or index more images first",
        )
    chosen = sample(descriptors, max(size, limit or PER_WORD * size), seed=seed)
    spec = {"kind": "akm", "size": size, "iterations": iterations, "seed": seed}
    checkpoint = Checkpoint(work, digest(spec, {"sample": chosen}))
    meter = Meter(report)
    centroids, begun = _start(chosen, size, seed, checkpoint)
    for iteration in range(begun, iterations):
        centroids = _improve(chosen, centroids, iteration, iterations, seed, meter)
        checkpoint.save(iteration + 1, {"centroids": centroids})
    vocabulary = Vocabulary.flat(centroids, {**spec, "trained_on": len(chosen)})
    meter.at(1.0, "done")
    checkpoint.clear()
    return vocabulary


def _start(
    chosen: Descriptors, size: int, seed: int, checkpoint: Checkpoint
) -> tuple[Descriptors, int]:
    resumed = checkpoint.load()
    if resumed is not None:
        return resumed[1]["centroids"], resumed[0]
    rows = np.random.default_rng(seed).permutation(len(chosen))[:size]
    return chosen[rows], 0


def _improve(
    chosen: Descriptors,
    centroids: Descriptors,
    iteration: int,
    iterations: int,
    seed: int,
    meter: Meter,
) -> Descriptors:
    note = f"iteration {iteration + 1} of {iterations}"
    meter.at(iteration / iterations, note)
    cells = Cells.build(centroids)
    labels = np.empty(len(chosen), np.int64)
    for start in range(0, len(chosen), _STEP):
        block = chosen[start : start + _STEP]
        labels[start : start + _STEP] = cells.nearest(block, probes=_PROBES)[0][:, 0]
        meter.at((iteration + (start + len(block)) / len(chosen)) / iterations, note)
    moved, counts = means(chosen, labels, centroids)
    empty = np.flatnonzero(counts == 0)
    # Drawn from (seed, iteration) alone, so that a training that was interrupted draws the same.
    drawn = np.random.default_rng([seed, iteration]).choice(len(chosen), len(empty), replace=False)
    moved[empty] = chosen[drawn]
    return moved
