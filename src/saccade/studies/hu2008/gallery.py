"""Figure 4 as pictures: the picture, its regions, and what counts in it by softmax.

Two good pictures and a middling one of each concept, drawn by chance from the half that was not
learned from, with the settings that Table 1 chose.
"""

from __future__ import annotations

from collections.abc import Iterator

import cv2
import numpy as np

from saccade import rankers
from saccade.images.regions import regions_of, segment
from saccade.images.relevance import triptych
from saccade.rankers.bags import graded_pairs
from saccade.studies.declaration import Data, Options, Plate
from saccade.studies.hu2008.pictures import GOOD, OK, halves, render
from saccade.studies.hu2008.regions import DescribedPicture, load
from saccade.studies.results import Results
from saccade.types import Pixels

SYSTEM = "mi-softmax"
SHOWN = {GOOD: 2, OK: 1}
_CAPTION = "two good pictures and a middling one, their regions, and what counts in them"
_HEIGHT, _GAP = 160, 24


def plates(data: Data, options: Options, results: Results) -> Iterator[Plate]:
    """A strip of pictures for each concept."""
    settings = results.notes("table-1", SYSTEM, data=data.name)[0]["settings"]
    for concept, pictures in load(data, options).items():
        grades = np.array([one.plan.grade for one in pictures])
        train, test = halves(grades.tolist(), options.seed)
        model = rankers.as_bag_ranker(rankers.make(SYSTEM, **settings[concept]))
        model.fit_bags([pictures[i].rows for i in train], graded_pairs(grades[train]))
        rng = np.random.default_rng(options.seed)
        chosen = [
            int(i)
            for grade, most in SHOWN.items()
            for i in rng.permutation(test[grades[test] == grade])[:most]
        ]
        strips = [_strip(pictures[i], model.relevance(pictures[i].rows)) for i in chosen]
        yield Plate(concept, f"{concept}: {_CAPTION}", joined(strips))


def _strip(one: DescribedPicture, relevance: np.ndarray) -> Pixels:
    picture, _ = render(one.plan)
    labels = segment(picture)
    masks = np.array([labels == region.label for region in regions_of(labels)])
    return triptych(picture, masks, relevance)


def joined(strips: list[Pixels]) -> Pixels:
    """Strips of one height beside each other, on white."""
    scaled = []
    for strip in strips:
        width = round(strip.shape[1] * _HEIGHT / strip.shape[0])
        small = cv2.resize(strip, (width, _HEIGHT), interpolation=cv2.INTER_AREA)
        scaled += [small, np.full((_HEIGHT, _GAP, 3), 255, np.uint8)]
    return np.concatenate(scaled[:-1], axis=1)
