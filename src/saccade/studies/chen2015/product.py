"""The product's own form: the online learner, with whatever vectors and weights pay.

Plain or smoothed vectors, few settings: which of them is told by the labels themselves. Each is
taught by four fifths of them and asked about the last fifth, five times; ties go to the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from saccade import rankers
from saccade.studies.chen2015.pictures import Pictures
from saccade.studies.chen2015.rounds import RoundLabels
from saccade.types import Array, Scores, Vectors

FOLDS = 5
SETTINGS = (
    {"C": 4.0, "c2": 3.0, "rho": 4.0},
    {"C": 4.0, "c2": 1.0, "rho": 2.0},
    {"C": 16.0, "c2": 1.0, "rho": 4.0},
    {"C": 0.5, "c2": 3.0, "rho": 4.0},  # for labels that are often wrong
)


def scored(
    labelled: RoundLabels, pictures: Pictures, names: Sequence[str] = ("plain", "smooth")
) -> tuple[Scores, str]:
    """Scores of all pictures, and which of the vectors named they came from."""
    every = {"plain": pictures.plain, "smooth": pictures.smooth}
    spaces = {name: every[name] for name in names}
    forms = [(name, settings) for name in spaces for settings in SETTINGS]
    right = [held_out(labelled, spaces[name], settings) for name, settings in forms]
    name, settings = forms[int(np.argmax(right))]
    model = rankers.make("hybrid-online", **settings)
    model.fit_labels(**labelled.by_kind(spaces[name]))
    return model.score(spaces[name]), name


def held_out(labelled: RoundLabels, vectors: Vectors, settings: Mapping[str, float]) -> float:
    """Share of points and ordered pairs told rightly by a learner that has not met them."""
    right: list[bool] = []
    labels = labelled.by_kind(vectors)
    for fold in range(FOLDS):
        lessons = {kind: _part(pair, fold, False) for kind, pair in labels.items()}
        left = {kind: _part(pair, fold, True) for kind, pair in labels.items()}
        model = rankers.make("hybrid-online", **settings).fit_labels(**lessons)
        if "ordered" in left:
            more, less = left["ordered"]
            right += (model.score(more) > model.score(less)).tolist()
        if "points" in left and len(model.thresholds):
            rows, signs = left["points"]
            right += (np.sign(model.score(rows) - model.thresholds[0]) == signs).tolist()
    return float(np.mean(right)) if right else 0.0


def _part(pair: tuple[Array, Array], fold: int, inside: bool) -> tuple[Array, Array]:
    mine = (np.arange(len(pair[0])) % FOLDS == fold) == inside
    return pair[0][mine], pair[1][mine]
