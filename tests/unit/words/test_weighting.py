from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from saccade.errors import InvalidInput, UnknownName
from saccade.kernels import inverted as kernels
from saccade.words import weighting
from saccade.words.inverted import InvertedFile
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


# Three images; words 0 and 1 are in two of them, word 2 in one: idf ln(4/2.5) and ln(4/1.5).
COMMON, RARE = np.log(4 / 2.5), np.log(4 / 1.5)
QUERY = np.array([COMMON, 0.0, 3 * RARE])
IMAGE = np.array([COMMON, 3 * COMMON, 0.0])


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [
        ("l1", np.minimum(QUERY / QUERY.sum(), IMAGE / IMAGE.sum()).sum()),
        (
            "l2",
            1 - np.linalg.norm(QUERY / np.linalg.norm(QUERY) - IMAGE / np.linalg.norm(IMAGE)) / 2,
        ),
        ("cosine", QUERY @ IMAGE / np.linalg.norm(QUERY) / np.linalg.norm(IMAGE)),
        ("chi2", 2 * 0.25 * QUERY[0] / QUERY.sum() / (0.25 + QUERY[0] / QUERY.sum())),
    ],
)
def test_the_four_schemes_of_words_weigh_counts_by_rarity(scheme, expected):
    """words:l1, l2, cosine and chi2 on two bags that share one word, worked by hand."""
    file = InvertedFile(3)
    file.add([0, 1, 2], [0, 2, 3, 5], [0, 1, 1, 0, 2], [1, 3, 5, 4, 1])
    assert file.scores_all([0, 2], [1, 3], scheme)[0] == pytest.approx(expected, abs=1e-6)


def test_the_numbers_of_terms_and_finishes_are_those_of_the_kernels():
    """The two lists, kept apart so that numba loads late, agree."""
    names = ("PRODUCT", "MINIMUM", "HARMONIC")
    for name in (*names, "SCALED", "RATIO", "DISTANCE"):
        assert getattr(weighting, name) == getattr(kernels, name)
