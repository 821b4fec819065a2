from __future__ import annotations

import numpy as np

from saccade.features.standout import FLOOR, QUIET, REACH, heights, standout


def chance(count: int = 400) -> np.ndarray:
    """Cosines as strangers have them."""
    return np.random.default_rng(0).gamma(1.0, 0.01, count).astype(np.float32)


def test_heights_are_deviations_from_the_lower_anchors() -> None:
    """Mean and deviation leave the highest twentieth out."""
    known = chance()
    kept = np.sort(known)[:380].astype(np.float64)
    expected = (np.array([0.0, 0.3]) - kept.mean()) / kept.std()
    found = heights(np.array([0.0, 0.3], np.float32), known)
    np.testing.assert_allclose(found, expected, rtol=1e-4)


def test_pictures_of_the_same_thing_among_the_anchors_do_not_hide_it() -> None:
    """Ten strong matches among 400 anchors lower nobody's height by much."""
    scores = np.array([0.5], np.float32)
    alone, among = chance(), chance()
    among[:10] = 0.6
    assert heights(scores, among) > 0.85 * heights(scores, alone)


def test_few_words_make_no_height() -> None:
    """Where strangers share nothing at all, a chance word in common is no discovery."""
    found = heights(np.array([0.5 * FLOOR], np.float32), np.zeros(100, np.float32))
    assert found[0] == 0.5


def test_only_what_stands_out_is_heard() -> None:
    """0 up to the quiet height, then growing, half at QUIET + REACH, below 1."""
    known = np.zeros(50, np.float32)
    z = np.array([0.0, QUIET, QUIET + 1, QUIET + REACH, 1000.0], np.float32)
    found = standout(z * np.float32(FLOOR), known)
    assert found[:2].tolist() == [0.0, 0.0]
    assert (np.diff(found[1:]) > 0).all()
    np.testing.assert_allclose(found[3], 0.5, atol=1e-5)
    assert found[4] < 1.0


def test_without_anchors_nothing_stands_out() -> None:
    """A collection of one picture has nothing to measure against."""
    assert standout(np.array([0.9], np.float32), np.zeros(0, np.float32)).tolist() == [0.0]
