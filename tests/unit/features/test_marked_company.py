"""A line by company: it finds which of two kinds around a query is meant, and says so late."""

from __future__ import annotations

import numpy as np

from saccade.features.marked_company import evenly, kept_company, line, loudness


def kinds(count: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Pictures of three kinds by the company they keep, and which kind each is of."""
    rng = np.random.default_rng(7)
    kind = np.repeat(np.arange(3), count)
    points = np.eye(3)[kind] + rng.normal(0.0, 0.3, (3 * count, 3))
    return points.astype(np.float32), kind


def test_the_line_finds_the_kind_that_is_meant() -> None:
    """Between two kinds that the query is as near to, the marks decide; turned round, the other."""
    points, kind = kinds()
    query = np.array([[0.5, 0.5, 0.0]], np.float32)
    first, second, far = (points[kind == k] for k in range(3))
    for right, wrong, meant in ((first, second, 0), (second, first, 1)):
        direction = line(np.vstack([query, right[:20]]), wrong[:5], far)
        scores = points @ direction
        rest = np.setdiff1d(np.arange(len(points)), np.flatnonzero(kind == meant)[:20])
        best = rest[np.argsort(-scores[rest], kind="stable")][:40]
        assert (kind[best] == meant).mean() > 0.9


def test_a_dislike_weighs_more_than_a_background_picture() -> None:
    """Called wrong, a kind sinks below one that nothing was said of."""
    points, kind = kinds()
    first, second, far = (points[kind == k] for k in range(3))
    said = line(first[:10], second[:5], far[:30])
    unsaid = line(first[:10], second[:0], far[:30])
    gap = [float((far @ way).mean() - (second @ way).mean()) for way in (said, unsaid)]
    assert gap[0] > gap[1]
    assert gap[1] < 0.0


def test_company_is_averaged_over_the_query_and_the_likes() -> None:
    """A like counts half of what the query does; a dislike takes away by its share and belief."""
    asked = np.array([1.0, 0.0, 0.0], np.float32)
    liked = np.array([[0.0], [1.0], [0.0]], np.float32)
    disliked = np.array([[0.0], [0.0], [1.0]], np.float32)
    none, one, half = disliked[:, :0], np.ones(1), np.array([1.0, 0.5])
    np.testing.assert_allclose(kept_company(asked, liked, none, one), [2 / 3, 1 / 3, 0])
    np.testing.assert_allclose(
        kept_company(asked, liked, disliked, half), [2 / 3, 1 / 3, -0.2 * 0.5 / 3], rtol=1e-6
    )
    np.testing.assert_array_equal(kept_company(asked, liked[:, :0], none, one[:0]), asked)


def test_a_like_that_is_not_believed_is_not_averaged() -> None:
    """It leaves the query's company as it was."""
    asked, liked = np.array([1.0, 0.0], np.float32), np.array([[0.0], [1.0]], np.float32)
    np.testing.assert_array_equal(kept_company(asked, liked, liked[:, :0], np.zeros(1)), asked)


def test_it_speaks_up_with_the_likes() -> None:
    """Nothing before the first, and ever more."""
    loud = [loudness(likes) for likes in range(100)]
    assert loud[0] == 0.0
    assert np.all(np.diff(loud) > 0.0)
    assert loud[3] < 0.02
    assert loud[-1] < 1.0


def test_a_few_stand_in_for_all() -> None:
    """The first and the last are among them, and none twice."""
    rows = np.arange(5, 1000, 3)
    few = evenly(rows, 128)
    assert len(set(few.tolist())) == 128
    assert (few[0], few[-1]) == (rows[0], rows[-1])
    assert set(few.tolist()) <= set(rows.tolist())
