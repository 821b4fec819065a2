from __future__ import annotations

from math import log

import numpy as np
import pytest

from saccade.errors import InvalidInput, UnknownName
from saccade.words.inverted import InvertedFile
from saccade.words.retrieval import BM25, AbsoluteDiscount, Dirichlet, JelinekMercer, make


@pytest.fixture
def file() -> InvertedFile:
    """Row 0 holds word 1 twice and word 2 once; row 2 holds word 2 once; eight occurrences in all.

    Row 3 holds word 0 four times. There is no row 1.
    """
    built = InvertedFile(vocabulary=4)
    built.add([0, 2, 3], [0, 2, 3, 4], [1, 2, 2, 0], [2, 1, 1, 4])
    return built


def test_bm25_by_hand(file):
    """Word 1 twice among 3, mean length 8/3: idf ln(4/1.5) times 2 / (2 + 1.2·(1/4 + 27/32))."""
    score = file.scores_all([1], [1], BM25(k1=1.2, b=0.75))[0]
    assert score == pytest.approx(log(4 / 1.5) * 2 / (2 + 1.2 * (0.25 + 27 / 32)))


def test_jelinek_mercer_by_hand(file):
    """Word 1 is 2/3 of row 0 and 2/8 of the collection."""
    scores = file.scores_all([1], [1], JelinekMercer(0.5))
    assert scores[0] == pytest.approx(log((0.5 * 2 / 3 + 0.5 * 0.25) / 0.25))
    assert scores[2] == pytest.approx(log(0.5))


def test_dirichlet_by_hand(file):
    """With a mass of 4 the image's 2 of 3 become 3 of 7."""
    scores = file.scores_all([1], [1], Dirichlet(4.0))
    assert scores[0] == pytest.approx(log((2 + 1) / 7 / 0.25))
    assert scores[2] == pytest.approx(log(1 / 5 / 0.25))


def test_absolute_discount_by_hand(file):
    """Half an occurrence is taken from each of two words, and 1/3 is shared out."""
    scores = file.scores_all([1], [1], AbsoluteDiscount(0.5))
    assert scores[0] == pytest.approx(log((1.5 / 3 + 0.5 * 2 / 3 * 0.25) / 0.25))


def test_a_row_without_an_image_comes_last(file):
    """A language model's scores may be negative, so the missing row gets -inf and not 0."""
    assert file.scores_all([1], [1], JelinekMercer())[1] == -np.inf
    assert file.scores_all([1], [1], BM25())[1] == 0.0


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("bm25", {"b": 2.0}, "b is 2.0"),
        ("bm25", {"k1": float("nan")}, "k1 is nan"),
        ("jelinek-mercer", {"weight": 1.0}, "between 0 and 1"),
        ("dirichlet", {"mass": 0.0}, "above 0"),
        ("absolute-discount", {"discount": 0.0}, "between 0 and 1"),
    ],
)
def test_impossible_parameters_are_refused(name, options, message):
    """The error names the model, the parameter and its range."""
    with pytest.raises(InvalidInput, match=message):
        make(name, **options)


def test_an_unknown_model_is_named():
    """The nearest name is offered."""
    with pytest.raises(UnknownName, match="did you mean 'dirichlet'"):
        make("dirichlett")
