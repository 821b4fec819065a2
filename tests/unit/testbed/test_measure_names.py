from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput, UnknownName
from saccade.testbed import measures
from saccade.testbed.measures import Measure


@pytest.mark.parametrize(
    "text",
    ["map", "map@5", "ndcg@10", "ndcg-letor@10", "p@20", "recall@3", "rr", "err@10", "pairs",
     "recognition"],
)  # fmt: skip
def test_a_measure_prints_as_it_parses(text: str) -> None:
    """Text in, the same text out."""
    assert str(Measure.parse(text)) == text


def test_an_unknown_measure_gets_the_nearest_name() -> None:
    """A slip of the finger is answered with the name that was meant."""
    with pytest.raises(UnknownName, match="did you mean 'ndcg'"):
        Measure.parse("ncdg@10")


@pytest.mark.parametrize("text", ["ndcg@0", "ndcg@ten", "ndcg@", "p", "pairs@3"])
def test_a_wrong_cut_is_refused_with_the_text(text: str) -> None:
    """A cut is a whole number from 1, where the measure takes one."""
    with pytest.raises(InvalidInput, match=text.split("@")[0]):
        Measure.parse(text)


def test_ties_go_to_the_lower_row() -> None:
    """With equal scores the rows rank as they lie."""
    assert measures.reciprocal_rank(np.zeros(3), np.array([0, 1, 0])) == 0.5


def test_queries_without_relevant_documents_count_as_zero_and_are_counted() -> None:
    """The mean takes them in, and the evaluation says how many there were."""
    scores, grades, groups = np.arange(4.0), np.array([0, 1, 0, 0]), np.array([1, 1, 2, 2])
    found = measures.evaluate(["map", "ndcg@10"], scores, grades, groups)
    assert found.mean == {"map": 0.5, "ndcg@10": 0.5}
    assert found.without_relevant == 1
    alike = measures.evaluate(["map"], [1.0, 0.0], [1, 1], [5, 5])
    assert (alike.without_relevant, alike.without_pairs) == (0, 1)


def test_queries_without_pairs_are_left_out_of_pairwise_accuracy() -> None:
    """They have no value, and the mean is over the others."""
    scores, grades, groups = np.arange(4.0), np.array([0, 1, 2, 2]), np.array([1, 1, 2, 2])
    found = measures.evaluate(["pairs"], scores, grades, groups)
    assert found.mean == {"pairs": 1.0}
    assert found.without_pairs == 1
    assert np.isnan(found.per_query["pairs"][1])


@pytest.mark.parametrize(
    ("scores", "grades", "groups", "words"),
    [
        ([1.0, np.nan], [0, 1], [1, 1], "row 1"),
        ([1.0, 2.0], [0, -1], [1, 1], "grade -1"),
        ([1.0, 2.0], [0, 0.5], [1, 1], "grade 0.5"),
        ([1.0, 2.0], [0], [1, 1], "grades"),
        ([1.0, 2.0], [0, 1], [1], "groups"),
        ([], [], [], "scores"),
    ],
)
def test_what_cannot_be_judged_is_refused_by_name(
    scores: list[float], grades: list[float], groups: list[int], words: str
) -> None:
    """The message names the row or the array."""
    with pytest.raises(InvalidInput, match=words):
        measures.evaluate(["map"], np.array(scores), np.array(grades), np.array(groups))
