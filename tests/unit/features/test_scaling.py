from __future__ import annotations

import numpy as np

from saccade.features.scaling import ANCHORS, SHIFT, SPREAD, bend, choose_anchors, standard
from saccade.features.similarities import SIMILARITIES
from saccade.types import Scheme

SCHEMES = (Scheme("lbp", "l1"), Scheme("lbp", "chi2"), Scheme("gist", "cosine"))


def test_anchors_are_living_rows_and_always_the_same() -> None:
    """All of a small collection, a fixed sample of a large one."""
    alive = np.random.default_rng(0).random(3000) < 0.7
    chosen = choose_anchors(alive)
    assert len(chosen) == ANCHORS == len(set(chosen.tolist()))
    assert alive[chosen].all()
    assert np.array_equal(chosen, np.sort(chosen))
    assert np.array_equal(chosen, choose_anchors(alive))
    # A sample of the whole collection, and not its first rows.
    assert abs(chosen.mean() - 1500) < 150
    few = np.array([True, False, True])
    assert choose_anchors(few).tolist() == [0, 2]
    assert choose_anchors(np.zeros(4, bool)).tolist() == []


def test_the_standard_is_mean_and_spread_of_the_anchors() -> None:
    """An average image has φ of z = 0; one spread above it, of z = 1."""
    raw = np.random.default_rng(1).random((200, 3)).astype(np.float32)
    scale = standard(raw, SCHEMES)
    assert scale.keys() == {"lbp", "gist"}
    for column, scheme in enumerate(SCHEMES):
        factors = scale[scheme.descriptor][SIMILARITIES.index(scheme.similarity)]
        mean, spread = raw[:, column].mean(), raw[:, column].std()
        for z in (-2.0, 0.0, 1.0, 4.0):
            t = (z - SHIFT) / SPREAD
            expected = 0.5 + 0.5 * t / np.sqrt(1 + t * t)
            value = np.array([mean + z * spread], np.float32)
            np.testing.assert_allclose(bend(value, factors), expected, atol=1e-5)


def test_what_is_typical_and_what_stands_out() -> None:
    """φ is .243 for an average image, 1/2 three spreads above it, .854 at eight."""
    raw = np.array([[0.4], [0.6]], np.float32)
    factors = standard(raw, SCHEMES[:1])["lbp"][SIMILARITIES.index("l1")]
    found = bend(np.array([0.5, 0.8, 1.3], np.float32), factors)
    np.testing.assert_allclose(found, [0.24275, 0.5, 0.85355], atol=1e-4)


def test_the_bend_is_monotone_and_stays_inside() -> None:
    """More similar is never less φ, however far out."""
    raw = np.random.default_rng(2).normal(0.9, 0.01, (100, 3)).astype(np.float32)
    factors = standard(raw, SCHEMES)["lbp"][SIMILARITIES.index("l1")]
    values = np.linspace(0, 1, 20_001, dtype=np.float32)
    found = bend(values, factors)
    assert (np.diff(found) >= 0).all()
    assert found.min() > 0.0
    assert found.max() < 1.0
    near = bend(np.linspace(0.8, 1.0, 501, dtype=np.float32), factors)
    assert (np.diff(near) > 0).all()


def test_a_scheme_that_says_the_same_of_all_says_nothing() -> None:
    """A flat scheme has one φ for every image, and it is finite."""
    raw = np.full((50, 3), 0.73, np.float32)
    factors = standard(raw, SCHEMES)["gist"][SIMILARITIES.index("cosine")]
    assert factors[1] == 0.0
    assert len(set(bend(np.array([0.0, 0.5, 1.0], np.float32), factors).tolist())) == 1


def test_no_anchors_are_no_error() -> None:
    """A query that is the only image there is has nothing to be measured against."""
    scale = standard(np.zeros((0, 3), np.float32), SCHEMES)
    assert all(np.isfinite(factors).all() for factors in scale.values())
