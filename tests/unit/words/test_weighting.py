from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from saccade.errors import InvalidInput, UnknownName
from saccade.kernels import inverted as kernels
from saccade.words import weighting
from saccade.words.weighting import DISTANCES, NORMALISATIONS, WEIGHTINGS, Comparison


@pytest.mark.parametrize("parts", list(product(WEIGHTINGS, NORMALISATIONS, DISTANCES)))
def test_a_comparison_prints_as_it_parses(parts):
    """Text and record say the same."""
    assert str(Comparison.parse(",".join(parts))) == ",".join(parts)


@pytest.mark.parametrize("text", ["tf-idf", "tf-idf,l2", "a,b,c,d", ""])
def test_a_comparison_has_three_parts(text):
    """Anything else is refused with an example."""
    with pytest.raises(InvalidInput, match="for instance 'tf-idf,l2,cos'"):
        Comparison.parse(text)


def test_an_unknown_part_is_named_with_its_nearest():
    """The error says which of the three parts is unknown."""
    with pytest.raises(UnknownName, match="no weighting 'tfidf'; did you mean 'tf-idf'"):
        Comparison.parse("tfidf,l2,cos")
    with pytest.raises(UnknownName, match="no distance 'l3'"):
        Comparison.parse("none,l2,l3")


def test_idf_is_positive_and_falls_with_frequency():
    """Also for a word that every image has and for one that none has."""
    idf = weighting.inverse_frequency(np.arange(6), 5)
    assert (np.diff(idf) < 0).all()
    assert idf[-1] > 0
    assert np.isfinite(idf).all()


def test_the_numbers_of_terms_and_finishes_are_those_of_the_kernels():
    """The two lists, kept apart so that numba loads late, agree."""
    names = ("PRODUCT", "MINIMUM", "HARMONIC", "SATURATED", "LOGARITHM")
    for name in (*names, "SCALED", "RATIO", "DISTANCE", "PRIOR"):
        assert getattr(weighting, name) == getattr(kernels, name)
