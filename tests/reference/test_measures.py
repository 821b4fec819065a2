"""The measures against trec_eval (by pytrec_eval and ir-measures) and against plain definitions."""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest
from ir_measures import AP, RR, P, R, Success, nDCG

from saccade.testbed import measures


def _random_run(seed: int, *, ties: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Forty queries of up to sixty documents, the first five without a relevant one."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 60, 40)
    groups = np.repeat(np.arange(40), sizes)
    grades = rng.choice(4, len(groups), p=[0.7, 0.15, 0.1, 0.05])
    grades[groups < 5] = 0
    scores = rng.integers(0, 6, len(groups)) if ties else rng.standard_normal(len(groups))
    return scores.astype(np.float32), grades, groups


def _as_trec(
    scores: np.ndarray, grades: np.ndarray, groups: np.ndarray
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Judgements and run as trec_eval reads them.

    It puts the greater document name first among equal scores, so a lower row gets a greater name.
    """
    judged: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for row, (score, grade, group) in enumerate(zip(scores, grades, groups, strict=True)):
        name = f"{len(scores) - row:06d}"
        judged.setdefault(str(group), {})[name] = int(grade)
        run.setdefault(str(group), {})[name] = float(score)
    return judged, run


def _theirs(measure: object, judged: dict, run: dict, queries: np.ndarray) -> np.ndarray:
    found = {one.query_id: one.value for one in ir_measures.iter_calc([measure], judged, run)}
    return np.array([found[str(query)] for query in queries])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("map", AP), ("map@7", AP @ 7), ("p@5", P @ 5), ("p@20", P @ 20), ("recall@10", R @ 10),
        ("rr", RR), ("recognition", Success @ 1), ("recognition@3", Success @ 3),
    ],
)  # fmt: skip
def test_binary_measures_equal_trec_eval_on_every_query(
    ours: str, theirs: object, ties: bool
) -> None:
    """With and without ties, and without relevant documents, every value is trec_eval's."""
    for seed in range(3):
        scores, grades, groups = _random_run(seed, ties=ties)
        found = measures.evaluate([ours], scores, grades, groups)
        judged, run = _as_trec(scores, grades, groups)
        expected = _theirs(theirs, judged, run, found.queries)
        np.testing.assert_allclose(found.per_query[ours], expected, atol=1e-9)
        assert found.mean[ours] == pytest.approx(expected.mean(), abs=1e-9)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("cut", [0, 1, 5, 10, 100])
def test_ndcg_equals_trec_eval_with_exponential_gains(cut: int, ties: bool) -> None:
    """trec_eval takes the gain from the judgement itself: given 2^grade - 1 it computes ours."""
    for seed in range(3):
        scores, grades, groups = _random_run(seed, ties=ties)
        name = f"ndcg@{cut}" if cut else "ndcg"
        found = measures.evaluate([name], scores, grades, groups)
        judged, run = _as_trec(scores, 2**grades - 1, groups)
        expected = _theirs(nDCG @ cut if cut else nDCG, judged, run, found.queries)
        np.testing.assert_allclose(found.per_query[name], expected, atol=1e-9)


def test_letor_ndcg_discounts_as_its_tool_does() -> None:
    """Ranks 1 and 2 are not discounted, rank j is by log2(j)."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        ranked = rng.integers(0, 3, 15)
        discounts = np.array([1.0, *np.log2(np.arange(2, 16))])
        gains = 2.0**ranked - 1
        best = np.sort(gains)[::-1]
        expected = (gains / discounts)[:10].sum() / (best / discounts)[:10].sum()
        assert measures.ndcg_of_ranking(ranked, 10, letor=True) == pytest.approx(expected)


def test_err_follows_its_definition() -> None:
    """A reader stops at each rank with chance (2^grade - 1) / 2^top; ERR is the mean 1 / rank."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        ranked = rng.integers(0, 4, 12)
        stops = (2.0**ranked - 1) / 2**3
        reach = np.concatenate([[1.0], np.cumprod(1 - stops)[:-1]])
        terms = reach * stops / np.arange(1, 13)
        scores = -np.arange(12.0)
        assert measures.err(scores, ranked, top=3) == pytest.approx(terms.sum())
        assert measures.err(scores, ranked, k=4, top=3) == pytest.approx(terms[:4].sum())


def test_pairwise_accuracy_equals_a_double_loop() -> None:
    """Every pair of unequal grade counts 1, 1/2 or 0."""
    rng = np.random.default_rng(6)
    for _ in range(20):
        scores, grades = rng.integers(0, 5, 25).astype(float), rng.integers(0, 4, 25)
        right = every = 0.0
        for i in range(25):
            for j in range(25):
                if grades[i] > grades[j]:
                    every += 1
                    right += 1.0 if scores[i] > scores[j] else 0.5 * (scores[i] == scores[j])
        assert measures.pairwise_accuracy(scores, grades) == pytest.approx(right / every)
