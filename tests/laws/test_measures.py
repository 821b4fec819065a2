"""What holds of every measure, whatever the scores and grades."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.testbed import measures

NAMES = (
    "map", "map@3", "ndcg", "ndcg@4", "ndcg-letor@4", "p@3", "recall@3", "rr", "err@5", "pairs",
    "recognition@2",
)  # fmt: skip
lists = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=30)


@settings(max_examples=60)
@given(lists)
def test_every_value_lies_between_0_and_1(rows: list[tuple[int, int]]) -> None:
    """No measure leaves [0, 1]; only `pairs` may have no value."""
    scores, grades = np.array([r[0] for r in rows], float), np.array([r[1] for r in rows])
    for name in NAMES:
        value = measures.value(name, scores, grades)
        assert 0.0 <= value <= 1.0 + 1e-12 or (name == "pairs" and np.isnan(value))


@settings(max_examples=60)
@given(lists)
def test_the_best_order_has_value_1_where_a_measure_can_reach_it(
    rows: list[tuple[int, int]],
) -> None:
    """Scores equal to the grades give 1 for a normalised measure if something is relevant."""
    grades = np.array([r[1] for r in rows])
    if not grades.any():
        grades[0] = 1
    for name in ("map", "ndcg", "ndcg@4", "ndcg-letor@4", "rr", "recognition"):
        assert measures.value(name, grades.astype(float), grades) == pytest.approx(1.0)


@settings(max_examples=60)
@given(lists, st.floats(0.1, 10), st.floats(-5, 5))
def test_only_the_order_of_scores_counts(
    rows: list[tuple[int, int]], slope: float, shift: float
) -> None:
    """A rising map of the scores changes no value."""
    scores, grades = np.array([r[0] for r in rows], float), np.array([r[1] for r in rows])
    for name in NAMES:
        one, two = (measures.value(name, s, grades) for s in (scores, slope * scores + shift))
        assert one == two or (np.isnan(one) and np.isnan(two))


@settings(max_examples=40)
@given(st.lists(lists, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_many_queries_at_once_equal_each_alone(
    queries: list[list[tuple[int, int]]], random: object
) -> None:
    """The value of a query depends on its own rows alone, however the rows of queries are mixed."""
    rows = [(q, *row) for q, one in enumerate(queries) for row in one]
    at = {q: iter(one) for q, one in enumerate(queries)}
    order = [row[0] for row in rows]
    random.shuffle(order)  # type: ignore[attr-defined]
    mixed = np.array([(q, *next(at[q])) for q in order])
    found = measures.evaluate(NAMES[:-2], mixed[:, 1], mixed[:, 2], mixed[:, 0])
    top = max(1, mixed[:, 2].max())
    for position, query in enumerate(found.queries.tolist()):
        scores = np.array([r[0] for r in queries[query]], float)
        grades = np.array([r[1] for r in queries[query]])
        for name in NAMES[:-2]:
            alone = (
                measures.err(scores, grades, k=5, top=int(top))
                if name == "err@5"
                else measures.value(name, scores, grades)
            )
            assert found.per_query[name][position] == pytest.approx(alone, abs=1e-12)


@settings(max_examples=60)
@given(lists)
def test_raising_the_score_of_a_relevant_document_never_hurts(rows: list[tuple[int, int]]) -> None:
    """The best document moved to the front leaves no normalised measure lower."""
    scores, grades = np.array([r[0] for r in rows], float), np.array([r[1] for r in rows])
    raised = scores.copy()
    raised[np.argmax(grades)] = 10.0
    for name in ("map", "ndcg", "ndcg@4", "p@3", "recall@3", "rr", "recognition@2"):
        before, after = (measures.value(name, s, grades) for s in (scores, raised))
        assert after >= before - 1e-12
