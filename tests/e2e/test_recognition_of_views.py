"""Posters photographed on cluttered tables are found again among their frontal views, by words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade.images.picture import ArrayPicture
from saccade.testbed.worlds import views
from saccade.words import akm
from saccade.words.geometry import Placed, reorder, verify
from saccade.words.inverted import InvertedFile
from saccade.words.local_features import extract
from saccade.words.vocabulary import bag

POSTERS, VIEWS, WORDS = 16, 4, 800


@dataclass(frozen=True)
class Shelf:
    """The frontal views in an inverted file, row r being poster r, and the views to recognise."""

    inverted: InvertedFile
    models: list[Placed]
    probes: list[tuple[int, Placed]]  # the poster's number and what is seen of it


@pytest.fixture(scope="module")
def shelf() -> Shelf:
    """A vocabulary trained on the frontal views alone, and all views in its words."""
    seen = list(views(POSTERS, VIEWS, seed=2))
    features = [extract(ArrayPicture(one.pixels)) for one in seen]
    frontal = [i for i, one in enumerate(seen) if one.view == 0]
    vocabulary = akm.train(np.vstack([features[i].descriptors for i in frontal]), WORDS, seed=0)
    placed = [Placed(one, vocabulary.assign(one.descriptors)) for one in features]
    bags = [_bag(placed[i]) for i in frontal]
    offsets = np.cumsum([0, *(len(words) for words, _ in bags)])
    inverted = InvertedFile(vocabulary.size)
    words, counts = (np.concatenate(part) for part in zip(*bags, strict=True))
    inverted.add(np.arange(POSTERS), offsets, words, counts)
    probes = [(i // VIEWS, placed[i]) for i, one in enumerate(seen) if one.view > 0]
    return Shelf(inverted, [placed[i] for i in frontal], probes)


def _bag(placed: Placed) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    assert placed.words is not None
    return bag(placed.words)


def test_words_put_the_right_poster_first_most_times(shelf: Shelf) -> None:
    """By tf-idf cosine alone, three quarters of the views find their poster at rank one."""
    right = [
        shelf.inverted.search(*_bag(view), k=5)[0][0] == poster for poster, view in shelf.probes
    ]
    assert np.mean(right) > 0.75


def test_geometry_settles_nearly_all_of_them(shelf: Shelf) -> None:
    """Checking the arrangement of the ten best candidates brings rank one above nine in ten."""
    right = []
    for poster, view in shelf.probes:
        rows, _ = shelf.inverted.search(*_bag(view), k=10)
        inliers = verify(view, [shelf.models[row] for row in rows])
        right.append(reorder(rows, inliers)[0] == poster)
    assert np.mean(right) > 0.9
