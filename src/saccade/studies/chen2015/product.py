"""The product's own form: the online learner, on plain or on smoothed vectors, whichever pays.

Which of the two is told by the labels themselves: each is taught by four fifths of them and asked
about the last fifth, five times; the plain one keeps ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from saccade import rankers
from saccade.studies.chen2015.pictures import Pictures
from saccade.studies.chen2015.rounds import Labelled
from saccade.types import Scores, Vectors

FOLDS = 5


def scored(labelled: Labelled, pictures: Pictures) -> tuple[Scores, str]:
    """Scores of all pictures, and which vectors they came from."""
    right = {
        "plain": held_out(labelled, pictures.plain),
        "smooth": held_out(labelled, pictures.smooth),
    }
    name = "smooth" if right["smooth"] > right["plain"] else "plain"
    vectors = pictures.smooth if name == "smooth" else pictures.plain
    model = rankers.make("hybrid-online").fit_labels(**labelled.given(vectors))
    return model.score(vectors), name


def held_out(labelled: Labelled, vectors: Vectors) -> float:
    """Share of points and ordered pairs told rightly by a learner that has not met them."""
    right: list[bool] = []
    for fold in range(FOLDS):
        kept = {kind: _part(pair, fold, False) for kind, pair in labelled.given(vectors).items()}
        left = {kind: _part(pair, fold, True) for kind, pair in labelled.given(vectors).items()}
        model = rankers.make("hybrid-online").fit_labels(**kept)
        if "ordered" in left:
            more, less = left["ordered"]
            right += (model.score(more) > model.score(less)).tolist()
        if "points" in left and len(model.thresholds):
            rows, signs = left["points"]
            right += (np.sign(model.score(rows) - model.thresholds[0]) == signs).tolist()
    return float(np.mean(right)) if right else 0.0


def _part(pair: tuple[Any, Any], fold: int, inside: bool) -> tuple[Any, Any]:
    mine = (np.arange(len(pair[0])) % FOLDS == fold) == inside
    return pair[0][mine], pair[1][mine]
