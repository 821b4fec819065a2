"""A batch fit of a concept: mi-softmax with its exact kernel, its settings by cross-validation.

It takes seconds where the online form takes milliseconds and is made when a person asks for it;
nothing is kept of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saccade import rankers
from saccade.engine.learning.concepts import Taught
from saccade.errors import InvalidInput
from saccade.rankers.bag_tuning import SHARPNESS, tune_bags
from saccade.types import Phi, Scores

MOST_PAIRS = 4000


def refitted(taught: Taught, bags: Sequence[Phi]) -> Scores:
    """Scores of some pictures by a model fitted to everything said."""
    learned, pairs = taught.lesson(MOST_PAIRS)
    return np.asarray(
        rankers.make("mi-softmax", **settings(taught)).fit_bags(learned, pairs).score_bags(bags)
    )


def settings(taught: Taught) -> dict[str, float]:
    """C, gamma and eta by two folds of the graded pictures; the ranker's own where too few are."""
    graded = [image for image in taught.bags if image in taught.grades]
    bags = [np.asarray(taught.bags[image], np.float32) for image in graded]
    try:
        grades = [taught.grades[image] for image in graded]
        return dict(tune_bags("mi-softmax", bags, grades, etas=SHARPNESS).best)
    except InvalidInput:
        return {}
