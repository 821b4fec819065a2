"""A batch fit of a concept: mi-softmax with its exact kernel, C and width by cross-validation.

It takes seconds where the online form takes milliseconds and is made when a person asks for it;
nothing is kept of it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saccade import rankers
from saccade.engine.learning.concepts import Taught
from saccade.errors import InvalidInput
from saccade.rankers.bag_tuning import tune_bags
from saccade.types import Phi, Scores

MOST_PAIRS = 4000


def refitted(taught: Taught, bags: Sequence[Phi]) -> Scores:
    """Scores of some pictures by a model fitted to everything said."""
    learned, pairs = taught.lesson(MOST_PAIRS)
    return np.asarray(
        rankers.make("mi-softmax", **settings(taught)).fit_bags(learned, pairs).score_bags(bags)
    )


def settings(taught: Taught) -> dict[str, float]:
    """C and gamma by two folds of the graded pictures; the ranker's own where those are too few."""
    graded = [image for image in taught.bags if image in taught.grades]
    bags = [np.asarray(taught.bags[image], np.float32) for image in graded]
    try:
        return dict(tune_bags("mi-softmax", bags, [taught.grades[image] for image in graded]).best)
    except InvalidInput:
        return {}
