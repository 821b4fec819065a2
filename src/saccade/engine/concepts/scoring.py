"""Scores of pictures by what they are made of: online, or by a batch fit.

Positions are scored by one direction, straight from their bytes; the mean of a picture's scores is
the linear score of its embedding, and the better ones count more. Regions are scored by random
features, which do not depend on what was said and are kept. The batch fit, mi-softmax with its
exact kernel and settings by cross-validation, takes seconds, is made when a person asks for it, and
nothing is kept of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.descriptors.embedding import parts as codec
from saccade.engine.cache import Cache
from saccade.engine.concepts.bags import BagView
from saccade.engine.concepts.fold import ConceptLessons
from saccade.engine.opened import OpenStore
from saccade.engine.sources.parts import PartView
from saccade.errors import InvalidInput
from saccade.kernels.ragged import offsets_of
from saccade.rankers.bag_online import MIOnline
from saccade.rankers.bag_tuning import SHARPNESS, tune_bags
from saccade.types import Phi, Scores, Vectors

BUDGET = 1 << 28
"""Bytes of features kept: those of some ten thousand pictures, and one concept's beyond."""
_AT_ONCE = 256
MOST_PAIRS = 4000
"""That a batch fit learns from."""

FeatureKey = tuple[str, float, int]  # kind of features, width of the kernel, row
JoinedKey = tuple[str, float, tuple[int, ...]]
Offsets = NDArray[np.int64]


class BagScores:
    """Scores of pictures by their bags; safe to use from many threads."""

    def __init__(self, opened: OpenStore) -> None:
        # A row keeps its regions while the collection grows.
        self._features: Cache[FeatureKey, Phi] = opened.keep(
            Cache(BUDGET, lambda phi: phi.nbytes), of_collection=False
        )
        self._joined: Cache[JoinedKey, tuple[Phi, Offsets]] = opened.keep(Cache(1))

    def of(self, model: MIOnline, view: BagView, rows: Sequence[int]) -> Scores:
        """The score of each of these rows, which must have a bag."""
        if not rows:
            return np.zeros(0, np.float32)
        if isinstance(view, PartView):
            return pooled(model, view, rows)
        return model.score_embedded(*self._of(model, view, tuple(rows)))

    def _of(self, model: MIOnline, view: BagView, rows: tuple[int, ...]) -> tuple[Phi, Offsets]:
        # Two rankings of one concept in a row are the common case: keep its features in one piece.
        def join() -> tuple[Phi, Offsets]:
            bags = self._filled(model, view, rows)
            return np.concatenate(bags), offsets_of([len(bag) for bag in bags])

        return self._joined.made((view.kind, model.gamma, rows), join)

    def _filled(self, model: MIOnline, view: BagView, rows: tuple[int, ...]) -> list[Phi]:
        """The features of each row's bag; what is not at hand is computed, many at once."""
        at_hand = {row: self._features.get((view.kind, model.gamma, row)) for row in rows}
        lacking = [row for row, features in at_hand.items() if features is None]
        for first in range(0, len(lacking), _AT_ONCE):
            some = lacking[first : first + _AT_ONCE]
            bags = [view.bag(row) for row in some]
            block = model.embedded(np.concatenate(bags), exact=False)
            starts = offsets_of([len(bag) for bag in bags]).tolist()
            for row, start, end in zip(some, starts, starts[1:], strict=False):
                at_hand[row] = block[start:end]
                self._features.put((view.kind, model.gamma, row), block[start:end])
        return [features for features in (at_hand[row] for row in rows) if features is not None]


def pooled(model: MIOnline, view: PartView, rows: Sequence[int]) -> Scores:
    """Scores of pictures whose positions are scored by one direction, log(mean e^(ηf)) / η."""
    scores = view.scored_rows(np.asarray(rows, np.int64), direction_of(model)).astype(np.float64)
    scores -= codec.centre().astype(np.float64) @ direction_of(model)
    peaks = scores.max(axis=1, keepdims=True)
    means = np.log(np.exp(model.eta * (scores - peaks)).mean(axis=1)) / model.eta
    return np.asarray(peaks[:, 0] + means, np.float32)


def direction_of(model: MIOnline) -> Vectors:
    """What a ranker of positions has learned, as a direction in the embedding's space."""
    return codec.direction_of(model.weights.astype(np.float32))


def refitted(lessons: ConceptLessons, bags: Sequence[Phi]) -> Scores:
    """Scores of some pictures by a model fitted to everything said."""
    learned, pairs = lessons.lesson(MOST_PAIRS)
    return np.asarray(
        rankers.make("mi-softmax", **settings(lessons)).fit_bags(learned, pairs).score_bags(bags)
    )


def settings(lessons: ConceptLessons) -> dict[str, float]:
    """C, gamma and eta by two folds of the graded pictures; the ranker's own where too few are."""
    graded = [image for image in lessons.bags if image in lessons.grades]
    bags = [np.asarray(lessons.bags[image], np.float32) for image in graded]
    try:
        grades = [lessons.grades[image] for image in graded]
        return dict(tune_bags("mi-softmax", bags, grades, etas=SHARPNESS).best)
    except InvalidInput:
        return {}
