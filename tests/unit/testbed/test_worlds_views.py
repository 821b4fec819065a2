"""Views of one object: a poster seen from elsewhere, in other light, amid more or less mess."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.testbed.worlds import Drawn, poster, view_of, views


def inliers(first: Drawn, second: Drawn) -> int:
    """Local features that agree on one homography, after the ratio test."""
    finder = cv2.SIFT_create(500)
    (points, words), (others, other_words) = (
        finder.detectAndCompute(cv2.cvtColor(one.pixels, cv2.COLOR_RGB2GRAY), None)
        for one in (first, second)
    )
    pairs = cv2.BFMatcher().knnMatch(words, other_words, k=2)
    good = [pair[0] for pair in pairs if pair[0].distance < 0.75 * pair[1].distance]
    if len(good) < 4:
        return 0
    source = np.float32([points[match.queryIdx].pt for match in good])
    target = np.float32([others[match.trainIdx].pt for match in good])
    cv2.setRNGSeed(0)
    _, kept = cv2.findHomography(source, target, cv2.RANSAC, 4.0)
    return 0 if kept is None else int(kept.sum())


def test_views_come_object_by_object() -> None:
    """Every object has its views, numbered from the frontal one."""
    seen = [(one.object_id, one.view) for one in views(2, 3, size=(96, 72))]
    assert seen == [(f"poster-{number:04d}", view) for number in range(2) for view in range(3)]


def test_the_poster_is_where_its_mask_says() -> None:
    """The mask covers a good part of the picture and the same poster looks alike inside it."""
    for one in views(3, 2, size=(96, 72)):
        assert one.class_name == "poster"
        assert 0.1 < one.mask.mean() < 0.95


def test_local_features_recognise_a_poster_in_another_view() -> None:
    """Views of one poster share many features in one geometry; views of two share few."""
    seen = list(views(3, 2, 4, clutter=0.3))
    same = [inliers(seen[2 * i], seen[2 * i + 1]) for i in range(3)]
    different = [inliers(seen[2 * i], seen[2 * ((i + 1) % 3) + 1]) for i in range(3)]
    assert min(same) > 2 * max(different)
    assert min(same) >= 15


def test_views_are_the_same_for_the_same_seed() -> None:
    """Also when fewer are asked for: a view depends on seed, object and view alone."""
    few = list(views(2, 1, 9, size=(96, 72)))
    many = [one for one in views(3, 2, 9, size=(96, 72)) if one.view == 0]
    for one, other in zip(few, many, strict=False):
        np.testing.assert_array_equal(one.pixels, other.pixels)
    changed = next(iter(views(1, 1, 10, size=(96, 72))))
    assert not np.array_equal(few[0].pixels, changed.pixels)


def test_clutter_is_graded() -> None:
    """The same view with more mess hides more of the poster and has more detail around it."""
    none, much = (next(iter(views(1, 1, 3, clutter=strength))) for strength in (0.0, 1.0))
    assert none.attributes["clutter"] == 0.0
    assert much.attributes["clutter"] == 1.0
    outside = [
        cv2.Laplacian(cv2.cvtColor(one.pixels, cv2.COLOR_RGB2GRAY), cv2.CV_64F)[~one.mask].std()
        for one in (none, much)
    ]
    assert outside[1] > 1.2 * outside[0]


def test_posters_differ() -> None:
    """Two numbers, two prints; the same number, the same print."""
    assert np.array_equal(poster(1), poster(1))
    assert not np.array_equal(poster(1), poster(2))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"count": -1, "per_object": 1}, "cannot be negative"),
        ({"count": 1, "per_object": 1, "clutter": 2.0}, "clutter 2.0"),
        ({"count": 1, "per_object": 1, "seed": -3}, "seed -3"),
        ({"count": 1, "per_object": 1, "size": (4, 4)}, "size 4x4"),
    ],
)
def test_views_that_cannot_be_are_refused(arguments, complaint: str) -> None:
    """Bad numbers are named before anything is drawn."""
    with pytest.raises(InvalidInput, match=complaint):
        next(views(**arguments))


def test_one_view_alone_is_the_same():
    """A single view of a poster is the one that comes among the others."""
    among = list(views(3, 2, 9, size=(96, 72)))[5]
    alone = view_of(2, 1, 9, size=(96, 72))
    assert (alone.pixels == among.pixels).all()
    assert (alone.object_id, alone.view) == (among.object_id, among.view)
