"""coordinate-ascent, adarank, prank and lambdamart: what each promises beyond the common suite."""

from __future__ import annotations

import lightgbm
import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.kernels.prank import pass_over
from saccade.rankers import load, make
from saccade.rankers.checked import queries
from saccade.rankers.objective import Measure


def graded(seed: int, *, count: int = 25) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    phi = rng.standard_normal((count * 12, 5)).astype(np.float32)
    hidden = phi @ [1.0, -1.0, 0.5, 0, 0] + 0.5 * rng.standard_normal(len(phi))
    return phi, np.digitize(hidden, [0.5, 1.5]), np.repeat(np.arange(count), 12)


def value(name: str, scores: np.ndarray, rows: tuple[np.ndarray, np.ndarray, np.ndarray]) -> float:
    checked = queries(*rows)
    return Measure.parse(name).judge(checked.grades, checked.starts).mean(scores)


@pytest.mark.parametrize("name", ["coordinate-ascent", "adarank"])
def test_the_measure_named_is_the_one_raised(name: str) -> None:
    """On the training rows the learned order beats every single feature in the named measure."""
    rows = graded(0)
    for measure in ("map", "ndcg@5", "rr"):
        model = make(name, measure=measure)
        model.fit(*rows)
        single = max(
            value(measure, sign * rows[0][:, column], rows)
            for column in range(5)
            for sign in (1, -1)
        )
        assert value(measure, model.score(rows[0]), rows) > single


def test_coordinate_ascent_takes_the_best_step_of_its_line() -> None:
    """The kernel's values along a line are those of each step alone."""
    rows = queries(*graded(3, count=6))
    judge = Measure.parse("ndcg@10").judge(rows.grades, rows.starts)
    columns = rows.phi.T.astype(np.float64).copy()
    steps = np.array([-1.0, 0.0, 0.3, 4.0])
    along = judge.along(columns[0], columns[1], steps)
    assert along.tolist() == [judge.mean(columns[0] + step * columns[1]) for step in steps]


def test_coordinate_ascent_turns_a_weight_round() -> None:
    """From equal weights, a feature that must count against gets a weight below 0."""
    phi = np.random.default_rng(0).standard_normal((60, 2)).astype(np.float32)
    grades = np.digitize(phi[:, 0] - phi[:, 1], [0.0, 1.0])
    rows = phi, grades, np.repeat(np.arange(5), 12)
    model = make("coordinate-ascent", measure="ndcg", starts=1).fit(*rows)
    assert model.weights[0] > 0 > model.weights[1]
    assert value("ndcg", model.score(phi), rows) > 0.99


def test_coordinate_ascent_can_drop_a_feature() -> None:
    """A loud feature that speaks for both sides is silenced wholly: no step but that one does."""
    quiet = np.array([0.0, 1e-6, 2e-6, 3e-6, -1.0, 1.0])
    loud = np.array([1.0, -1.0, -1.0, 1.0, 0.0, 0.0])
    rows = np.stack([quiet, loud], axis=1), np.array([1, 2, 3, 4, 0, 5]), np.zeros(6, int)
    model = make("coordinate-ascent", measure="ndcg", starts=1).fit(*rows)
    assert model.weights[1] == 0.0
    assert value("ndcg", model.score(rows[0]), rows) == 1.0


def test_coordinate_ascent_with_more_starts_climbs_higher() -> None:
    """Here the hill above the uniform start is not the highest, and another start finds one."""
    rows = graded(6, count=8)
    reached = []
    for starts in (1, 4):
        model = make("coordinate-ascent", measure="map", starts=starts)
        model.fit(*rows)
        reached.append(value("map", model.score(rows[0]), rows))
    assert reached[1] > reached[0] + 0.01


def test_adarank_looks_again_at_queries_that_rank_badly() -> None:
    """Two kinds of queries, each ordered by another feature: both features get weight."""
    rng = np.random.default_rng(0)
    phi = rng.random((200, 3)).astype(np.float32)
    groups = np.repeat(np.arange(20), 10)
    grades = (phi[np.arange(200), np.where(groups < 12, 0, 1)] > 0.7).astype(int)
    model = make("adarank", measure="map")
    model.fit(phi, grades, groups)
    assert model.weights[0] > 0
    assert model.weights[1] > 0


def boosted(phi, grades, groups, *, measure, rounds, repeats, tolerance):
    """Xu & Li's algorithm, as its figure has it, on standard scores; weights on those."""
    rows = queries(phi, grades, groups)
    judge = Measure.parse(measure).judge(rows.grades, rows.starts)
    x = (rows.phi - rows.phi.mean(0, dtype=float)) / rows.phi.std(0, dtype=float)
    weak = [(c, sign) for sign in (1.0, -1.0) for c in range(x.shape[1])]
    alone = np.array([judge.values(sign * x[:, c]) for c, sign in weak])
    share, weights, before, taken = np.full(len(rows), 1 / len(rows)), np.zeros(x.shape[1]), 0, []
    for _ in range(rounds):
        worth = alone @ share
        if taken[-repeats:] == [taken[-1]] * repeats if taken else False:
            worth[taken[-1]] = -1.0
        taken.append(int(worth.argmax()))
        column, sign = weak[taken[-1]]
        gained, lost = (
            (share * (1 + alone[taken[-1]])).sum(),
            (share * (1 - alone[taken[-1]])).sum(),
        )
        moved = weights.copy()
        moved[column] += sign * 0.5 * np.log(gained / lost)
        reached = judge.values(x @ moved)
        if reached.mean() < before - tolerance:
            break
        weights, before = moved, reached.mean()
        share = np.exp(-reached) / np.exp(-reached).sum()
    return weights, len(taken)


@pytest.mark.parametrize(("tolerance", "stopped"), [(0.0, True), (1.0, False)])
@pytest.mark.parametrize("repeats", [1, 3])
def test_adarank_follows_xu_and_li_step_by_step(repeats, tolerance, stopped) -> None:
    """Weights are those of a transcription: shares of queries, strengths, rests and the stop."""
    rows = graded(4)
    settings = {"measure": "map", "rounds": 12, "repeats": repeats, "tolerance": tolerance}
    expected, rounds = boosted(*rows, **settings)
    assert (rounds < 12) == stopped
    model = make("adarank", **settings).fit(*rows)
    np.testing.assert_allclose(model.weights * rows[0].std(0, dtype=float), expected, rtol=1e-5)


def test_prank_ranks_by_the_mean_of_its_states_unless_told_not_to() -> None:
    """One pass: the mean over its steps, or the last state."""
    phi, grades, groups = graded(5)
    rows = queries(phi, grades, groups)
    spread = rows.phi.std(0, dtype=float)
    x = (rows.phi - rows.phi.mean(0, dtype=float)) / spread
    last, mean = np.zeros(5), np.zeros(5)
    order = np.random.default_rng(0).permutation(len(x))
    pass_over(x, rows.grades, order, last, np.zeros(2), mean, np.zeros(2))
    for average, expected in ((False, last), (True, mean / len(x))):
        model = make("prank", passes=1, average=average).fit(phi, grades, groups)
        np.testing.assert_allclose(model.weights * spread, expected, rtol=1e-9)


def test_prank_follows_crammer_and_singer_step_by_step() -> None:
    """The kernel equals a transcription of the algorithm's figure, mistakes included."""
    rng = np.random.default_rng(0)
    rows, levels = rng.standard_normal((60, 3)), rng.integers(0, 4, 60)
    weights, thresholds = np.zeros(3), np.zeros(3)
    w, b = np.zeros(3), np.zeros(3)
    mistakes = 0
    for x, y in zip(rows, levels, strict=True):
        sides = np.where(y > np.arange(3), 1.0, -1.0)
        moved = np.where((w @ x - b) * sides <= 0, sides, 0.0)
        mistakes += bool(moved.any() and moved.sum())
        w, b = w + moved.sum() * x, b - moved
    found = pass_over(rows, levels, np.arange(60), weights, thresholds, np.zeros(3), np.zeros(3))
    np.testing.assert_allclose(weights, w)
    np.testing.assert_allclose(thresholds, b)
    assert found == mistakes


def test_prank_thresholds_rise_and_cut_the_score_into_grades() -> None:
    """Rising thresholds cut the score into grades; one that never occurs is never said."""
    rng = np.random.default_rng(1)
    phi = rng.uniform(0, 3, (300, 1)).astype(np.float32)
    grades = np.array([0, 2, 5])[np.floor(phi[:, 0]).astype(int)]
    model = make("prank", passes=40)
    model.fit(phi, grades, np.repeat(np.arange(10), 30))
    assert (np.diff(model.thresholds) >= 0).all()
    assert set(model.predict(phi).tolist()) == {0, 2, 5}
    assert (model.predict(phi) == grades).mean() > 0.9
    again = load(model.dump())
    assert np.array_equal(again.predict(phi), model.predict(phi))


def test_lambdamart_is_lightgbms_own_result() -> None:
    """Its scores are those of LightGBM called directly with the parameters it names."""
    phi, grades, groups = graded(0)
    model = make("lambdamart", trees=30)
    model.fit(phi, grades, groups)
    rows = queries(phi, grades, groups)
    parameters = model.parameters(most=2)
    data = lightgbm.Dataset(rows.phi, label=rows.grades, group=np.diff(rows.starts))
    direct = lightgbm.train(parameters, data, num_boost_round=30)
    assert np.array_equal(model.score(phi), direct.predict(phi).astype(np.float32))


def test_lambdamart_trains_and_judges_by_its_cut() -> None:
    """Trees and their number are LightGBM's with that truncation, spelt out here; 1 differs."""
    train, seen = graded(2), graded(3)
    scores = {}
    for cut in (1, 3):
        model = make("lambdamart", trees=60, patience=8, cut=cut, rate=0.2)
        scores[cut] = model.fit(*train, validation=seen).score(train[0])
        parameters = {
            "objective": "lambdarank", "metric": "ndcg", "eval_at": [cut],
            "lambdarank_truncation_level": cut, "label_gain": [0.0, 1.0, 3.0],
            "num_leaves": 4, "learning_rate": 0.2, "min_data_in_leaf": 20, "lambda_l2": 1.0,
            "seed": 0, "deterministic": True, "force_row_wise": True, "num_threads": 1,
            "verbosity": -1,
        }  # fmt: skip
        data = lightgbm.Dataset(train[0], label=train[1], group=[12] * 25)
        valid = lightgbm.Dataset(seen[0], label=seen[1], group=[12] * 25, reference=data)
        direct = lightgbm.train(
            parameters, data, num_boost_round=60, valid_sets=[valid],
            callbacks=[lightgbm.early_stopping(8, verbose=False)],
        )  # fmt: skip
        assert np.array_equal(scores[cut], direct.predict(train[0]).astype(np.float32))
    assert not np.array_equal(scores[1], scores[3])


@pytest.mark.parametrize("share", ["rows", "columns"])
def test_lambdamart_shows_each_tree_a_share(share: str) -> None:
    """A tree on half of the rows or columns is another tree, and depends on the seed."""
    phi, grades, groups = graded(0)
    whole, half, again, other = (
        make("lambdamart", trees=5, seed=seed, **{share: part}).fit(phi, grades, groups).score(phi)
        for part, seed in ((1.0, 0), (0.5, 0), (0.5, 0), (0.5, 1))
    )
    assert np.array_equal(half, again)
    assert not np.array_equal(half, whole)
    assert not np.array_equal(half, other)


def test_lambdamart_stops_where_validation_rows_rank_best() -> None:
    """With patience it keeps fewer trees than it was allowed."""
    model = make("lambdamart", trees=400, patience=10)
    model.fit(*graded(0), validation=graded(1))
    kept = model.dump().arrays["lightgbm"].tobytes().decode().count("\nTree=")
    assert 1 <= kept < 400


def test_lambdamart_refuses_bytes_that_are_no_trees() -> None:
    """A damaged state is an error with a sentence, not a crash."""
    model = make("lambdamart", trees=3)
    model.fit(*graded(0))
    state = model.dump()
    state.arrays["lightgbm"][:] = ord("x")  # type: ignore[index]
    with pytest.raises(InvalidInput, match="no trees"):
        load(state)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("lambdamart", {"trees": 0}), ("lambdamart", {"columns": 0.0}), ("prank", {"passes": 0}),
        ("adarank", {"rounds": 0}), ("coordinate-ascent", {"starts": 0}),
        ("coordinate-ascent", {"measure": "mpa"}),
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused_by_name(name: str, settings: dict[str, object]) -> None:
    """The message names the ranker or the measure."""
    with pytest.raises(InvalidInput, match=f"{name}|measure"):
        make(name, **settings)
