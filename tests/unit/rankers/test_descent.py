from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.rankers import load, make
from saccade.rankers.batch import Standard
from saccade.rankers.checked import queries
from saccade.rankers.objective import Measure

NAMES = ("ranknet", "listnet", "listmle")


def graded(
    seed: int, *, noise: float = 1.0, count: int = 30
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Queries of twelve rows; the grade follows a hidden direction, blurred by noise."""
    rng = np.random.default_rng(seed)
    phi = rng.standard_normal((count * 12, 6)).astype(np.float32) * [1, 10, 0.1, 1, 1, 1]
    hidden = phi @ [1.0, -0.1, -10.0, 0, 0, 0] + noise * rng.standard_normal(len(phi))
    grades = np.digitize(hidden, [0.5, 2.0])
    return phi.astype(np.float32), grades, np.repeat(np.arange(count), 12)


def ndcg(model: object, rows: tuple[np.ndarray, np.ndarray, np.ndarray]) -> float:
    checked = queries(*rows)
    judge = Measure.parse("ndcg@10").judge(checked.grades, checked.starts)
    return judge.mean(model.score(checked.phi))  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_fitting_lowers_the_objective(name: str) -> None:
    """More iterations never end higher, and the end is far below the start."""
    rows = queries(*graded(0))
    features = Standard.of(rows.phi).apply(rows.phi)
    reached = []
    for iterations in (1, 3, 50):
        model = make(name, l2=0.0, iterations=iterations)
        model.fit(*graded(0))
        scores = rows.phi.astype(np.float64) @ model.weights
        reached.append(model.loss(rows)(scores, np.zeros(len(scores))))
    at_start = make(name).loss(rows)(np.zeros(len(features)), np.zeros(len(features)))
    assert at_start > reached[0] > reached[1] > reached[2]


@pytest.mark.parametrize("hidden", [0, 5])
@pytest.mark.parametrize("name", NAMES)
def test_what_is_learned_carries_over_to_new_queries(name: str, hidden: int) -> None:
    """On fresh queries the learned order is near the true direction's, and far above the mean's."""
    model = make(name, hidden=hidden)
    before = ndcg(model, graded(1))
    model.fit(*graded(0))
    after = ndcg(model, graded(1))
    assert after > 0.85 > before + 0.15


@pytest.mark.parametrize("hidden", [0, 5])
def test_scale_of_features_does_not_matter(hidden: int) -> None:
    """A feature in other units gives the same scores: learning is on standard scores."""
    phi, grades, groups = graded(0)
    one, two = make("listnet", hidden=hidden), make("listnet", hidden=hidden)
    one.fit(phi, grades, groups)
    two.fit(phi * np.float32(64) + np.float32(8), grades, groups)
    scaled = two.score(phi * np.float32(64) + np.float32(8))
    gap = (one.score(phi) - one.score(phi).mean()) - (scaled - scaled.mean())
    assert np.abs(gap).max() < 1e-3


def test_validation_rows_stop_learning_where_they_rank_best() -> None:
    """With an early stop the validation measure is no worse than after all iterations."""
    training, validation = graded(0, noise=4.0, count=8), graded(1, noise=4.0)
    long, stopped = make("ranknet", l2=0.0), make("ranknet", l2=0.0)
    long.fit(*training)
    stopped.fit(*training, validation=validation)
    assert ndcg(stopped, validation) >= ndcg(long, validation)
    assert not np.allclose(stopped.weights, long.weights)


def test_a_hidden_layer_survives_dump_and_load() -> None:
    """The loaded network scores bit for bit as the dumped one."""
    model = make("ranknet", hidden=3, seed=5)
    model.fit(*graded(0))
    again = load(model.dump())
    assert np.array_equal(again.score(graded(2)[0]), model.score(graded(2)[0]))
    with pytest.raises(InvalidInput, match="no weights"):
        _ = model.weights


def test_a_hidden_layer_learns_what_no_line_can() -> None:
    """The grade is high at both ends of one feature."""
    rng = np.random.default_rng(0)
    phi = rng.uniform(-1, 1, (400, 2)).astype(np.float32)
    grades, groups = (np.abs(phi[:, 0]) > 0.5).astype(int), np.repeat(np.arange(20), 20)
    line, bent = make("ranknet"), make("ranknet", hidden=8)
    line.fit(phi, grades, groups)
    bent.fit(phi, grades, groups)
    assert ndcg(bent, (phi, grades, groups)) > 0.97 > ndcg(line, (phi, grades, groups)) + 0.1


def test_skipped_queries_are_counted() -> None:
    """A query with one row and a query of equal grades say nothing."""
    model = make("listnet")
    model.fit(np.eye(5), [0, 1, 1, 2, 2], [1, 1, 2, 3, 3])
    assert model.skipped == 2


@pytest.mark.parametrize("settings", [{"l2": -1}, {"hidden": -1}, {"iterations": 0}])
def test_settings_out_of_range_are_refused(settings: dict[str, int]) -> None:
    """The message names the ranker and the range."""
    with pytest.raises(InvalidInput, match="listmle"):
        make("listmle", **settings)


@pytest.mark.parametrize("name", ["listnet", "listmle"])
def test_lists_of_no_places_are_refused(name: str) -> None:
    """There is no top -1, and a draw needs samples."""
    with pytest.raises(InvalidInput, match=name):
        make(name, k=-1)
    with pytest.raises(InvalidInput, match="samples"):
        make(name, samples=0)
