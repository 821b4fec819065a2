from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from attribute_labels import problem
from hybrid_program import optimum
from saccade import rankers
from saccade.errors import InvalidInput
from saccade.rankers.label_pool import Pool, mixed, worth_products
from saccade.rankers.labels import Balance
from saccade.rankers.labels import labels as checked_labels

FORMS = [
    pytest.param({"bias": 0.0}, id="as the paper has it"),
    pytest.param({"bias": 1.0}, id="with a threshold"),
    pytest.param({"bias": 0.0, "C": 0.3, "c1": 0.5, "c2": 2.0, "rho": 0.4}, id="other weights"),
    pytest.param({"bias": 0.0, "start": np.linspace(-1, 1, 6)}, id="from a start"),
]


@pytest.mark.parametrize("settings", FORMS)
@pytest.mark.parametrize("seed", range(3))
def test_reaches_the_programs_optimum(settings, seed):
    """F is within 1% of the optimum that a QP solver finds in the primal, the weights are its."""
    labels = problem(seed)
    model = rankers.make("hybrid-online", tolerance=1e-4, **settings)
    model.fit_labels(**labels)
    reference = {"C": 1.0, "c1": 1.0, "c2": 3.0, "rho": 4.0} | settings
    w, _, value = optimum(**labels, **reference)
    assert value <= model.objective * (1 + 1e-6)
    assert model.objective <= 1.01 * value
    assert np.linalg.norm(model.weights - w) < 0.1 * np.linalg.norm(w)


def test_grades_reach_the_programs_optimum():
    """With four grades, three thresholds: the same within 1%, thresholds in order."""
    labels = problem(5, points=24, grades=4)
    model = rankers.make("hybrid-online")
    model.fit_labels(**labels)
    _, _, value = optimum(**labels, c2=3.0, rho=4.0, bias=1.0)
    assert len(model.thresholds) == 3
    assert value * (1 - 1e-6) <= model.objective <= 1.01 * value


@pytest.mark.parametrize("kind", ["points", "ordered", "similar"])
def test_each_kind_alone_reaches_its_optimum(kind):
    """Points alone, ordered pairs alone and alike pairs alone are minimised as well."""
    labels = {kind: problem(7)[kind]}
    start = np.linspace(1.0, -0.5, 6)
    model = rankers.make("hybrid-online", bias=0.0, start=start)
    model.fit_labels(**labels)
    _, _, value = optimum(**labels, c2=3.0, rho=4.0, bias=0.0, start=start)
    assert value * (1 - 1e-6) <= model.objective <= 1.01 * value + 1e-3


@pytest.mark.parametrize("C", [1.0, 4.0, 16.0, 64.0])
def test_the_optimum_is_reached_whatever_the_labels_weigh(C):
    """At every size a stream passes through, F is within 1% of the batch program's, never w = 0."""
    labels = problem(8, columns=64, points=30, pairs=30, alike=8)
    model = rankers.make("hybrid-online", C=C)
    given: dict[str, list] = {"points": [], "ordered": [], "similar": []}
    for kind, pair in labels.items():
        for place in range(len(pair[0])):
            one = (pair[0][place : place + 1], pair[1][place : place + 1])
            model.learn_labels(**{kind: one})
            given[kind].append(one)
            if len(model) % 9:
                continue
            so_far = {
                name: tuple(np.concatenate(side) for side in zip(*some, strict=True))
                for name, some in given.items() if some
            }  # fmt: skip
            exact = rankers.make("hybrid", C=C, bias=1.0).fit_labels(**so_far)
            assert exact.objective * (1 - 1e-6) <= model.objective <= 1.01 * exact.objective
            assert model.weights.any()


@pytest.mark.parametrize("C", [1.0, 4.0, 16.0])
def test_no_answer_is_without_effect(C):
    """Every answer that the present order does not already give by its margin moves the weights."""
    for seed in range(4):
        A, B = problem(20 + seed, columns=32, points=0, pairs=40, alike=0)["ordered"]
        model = rankers.make("hybrid-online", C=C)
        model.learn_labels(ordered=(A[:1], B[:1]))
        for place in range(1, len(A)):
            before = model.weights
            gap = float(model.score(A[place : place + 1])[0] - model.score(B[place : place + 1])[0])
            model.learn_labels(ordered=(A[place : place + 1], B[place : place + 1]))
            settled = gap >= model.balance.rho
            assert settled or not np.array_equal(before, model.weights), (seed, place)


def test_answers_in_a_circle_cancel_out():
    """Their optimum is nought, and what rounding leaves of it is no direction."""
    rows = problem(30, columns=64)["points"][0][:3]
    model = rankers.make("hybrid-online", C=4.0)
    for more, less in ((0, 1), (1, 2), (2, 0)):
        assert model.width is None or model.weights.any()
        model.learn_labels(ordered=(rows[[more]], rows[[less]]))
    assert not model.weights.any()


def test_passes_end_when_the_gap_is_small_enough():
    """A smaller tolerance takes more passes and ends lower; a limit on passes is kept."""
    labels = problem(8)
    loose, tight = (
        rankers.make("hybrid-online", tolerance=share).fit_labels(**labels) for share in (0.2, 1e-4)
    )
    assert len(loose.history) < len(tight.history)
    assert tight.history[-1] == pytest.approx(tight.objective)
    assert tight.objective < loose.objective
    assert len(rankers.make("hybrid-online", passes=2).fit_labels(**labels).history) == 2


def _hard():
    """Standard scores of few true columns and a large C: moves of single labels undo each other."""
    rng = np.random.default_rng(3)
    base = rng.normal(size=(63, 20)) @ rng.normal(size=(20, 200))
    rows = ((base - base.mean(axis=0)) / base.std(axis=0)).astype(np.float32)
    grades = np.round(base[:, 0] / 3)
    one, two = np.array([pair for pair in rng.integers(63, size=(100, 2)) if pair[0] != pair[1]]).T
    more, less = np.where(grades[one] < grades[two], (two, one), (one, two))
    alike = grades[more] == grades[less]
    return {
        "points": (rows, np.where(grades > 0, 1, -1)),
        "ordered": (rows[more[~alike]], rows[less[~alike]]),
        "similar": (rows[more[alike]], rows[less[alike]]),
    }


@pytest.mark.parametrize("by_products", [False, True])
def test_what_passes_leave_is_said_and_leaps_leave_less(monkeypatch, by_products):
    """F is within `gap` of the optimum; with the leaps it is far nearer after as many passes."""
    if by_products:
        monkeypatch.setattr("saccade.rankers.hybrid_online.worth_products", lambda *sizes: True)
    labels, settings = _hard(), {"C": 16.0, "passes": 400}
    best = rankers.make("hybrid", C=16.0, bias=1.0).fit_labels(**labels).objective
    short = rankers.make("hybrid-online", **{**settings, "passes": 40}).fit_labels(**labels)
    model = rankers.make("hybrid-online", **settings).fit_labels(**labels)
    for one in (short, model):
        assert best <= one.objective * (1 + 1e-6)
        assert one.objective <= best * (1 + one.gap)
    assert model.gap < 0.5 * short.gap
    easy = rankers.make("hybrid-online").fit_labels(**problem(8))
    assert easy.gap <= easy.tolerance
    assert np.isnan(rankers.make("hybrid-online", schedule="pegasos").fit_labels(**labels).gap)


def test_the_papers_steps_go_down_to_the_optimum():
    """Many true passes of 1/t steps end within 2% of it; few with a large C above where w is 0."""
    labels = problem(9, points=40, pairs=40)
    many = rankers.make("hybrid-online", schedule="pegasos", passes=400).fit_labels(**labels)
    _, _, value = optimum(**labels, c2=3.0, rho=4.0, bias=1.0)
    assert value * (1 - 1e-6) <= many.objective <= 1.02 * value
    one = rankers.make("hybrid-online", schedule="pegasos", passes=1, C=64.0).fit_labels(**labels)
    assert one.weights.any()


def test_an_alike_pair_is_drawn_together():
    """Learning that two pictures are alike brings their scores nearer, and lowers the objective."""
    pair = np.eye(2, dtype=np.float32)
    model = rankers.make("hybrid-online", start=[2.0, -1.0])
    before = np.diff(model.score(pair))
    model.learn_labels(similar=(pair[:1], pair[1:]))
    assert abs(np.diff(model.score(pair))) < 0.2 * abs(before)
    assert model.objective < 0.7 * 3.0 * abs(before)  # what c₂·|before| cost at the start


def test_the_letter_of_algorithm_one_does_not_minimise_its_objective():
    """Steps of 1/(violators·t) with shares of the violators end far above the minimum."""
    labels = problem(9, points=40, pairs=40)
    letter = rankers.make("hybrid-online", schedule="printed", bias=0.0, passes=50)
    letter.fit_labels(**labels)
    _, _, value = optimum(**labels, c2=3.0, rho=4.0, bias=0.0)
    assert letter.objective > 1.1 * value


def test_one_printed_step_is_the_papers():
    """w₁ = η (c₁ τ₁ Σ y x + c₂ τ₂ Σ x), η = 1/violators, with τ the shares of the violators."""
    labels = problem(10, alike=0)
    labels["similar"] = None
    model = rankers.make(
        "hybrid-online", schedule="printed", bias=0.0, passes=1, batch=99, c1=0.2, c2=3.0, rho=0.1
    )
    model.fit_labels(**labels)
    X, y = labels["points"]
    A, B = labels["ordered"]
    w = (0.2 * 0.5 * (y[:, None] * X).sum(0) + 3.0 * 0.5 * (A - B).sum(0)) / 24
    np.testing.assert_allclose(model.weights, w, rtol=1e-5)


def test_without_labels_it_stays_at_its_start():
    """A start is what it scores by, and what it keeps where labels agree with it."""
    model = rankers.make("hybrid-online", start=[3.0, 0.0])
    assert model.score(np.eye(2)).tolist() == [3.0, 0.0]
    model.learn_labels(ordered=([[2.0, 0.0]], [[0.0, 0.0]]))  # by 6 already, ρ is 4
    assert model.weights.tolist() == [3.0, 0.0]


def test_each_answer_is_heard_at_once():
    """A pair answered against the present order is put right by that one answer."""
    rng = np.random.default_rng(4)
    labels = problem(11, columns=64, points=0, pairs=80, alike=0)
    model = rankers.make("hybrid-online")
    model.learn_labels(ordered=labels["ordered"])
    new = rng.normal(size=(2, 64))
    new = (new / np.linalg.norm(new, axis=1, keepdims=True)).astype(np.float32)
    low, high = new[np.argsort(model.score(new))]
    gap = float(np.diff(model.score(np.array([low, high])))[0])
    model.learn_labels(ordered=(low[None], high[None]))
    assert float(np.diff(model.score(np.array([low, high])))[0]) < 0.5 * gap


@pytest.mark.parametrize(
    ("grade", "thresholds"), [(1, [1.5, 1.5, 4.0]), (7, [1.5, 4.0, 4.0]), (-3, [1.5, 1.5, 4.0])]
)
def test_a_new_grade_splits_a_threshold(grade, thresholds):
    """A grade between, above or below those known starts with the threshold nearest to it."""
    rows = np.eye(4, dtype=np.float32)
    pool = Pool.of(checked_labels((rows, [0, 2, 5, 5])), None).levelled()
    known = replace(pool, thresholds=np.array([1.5, 4.0]))
    new = Pool.of(checked_labels((rows[:1], [grade])), None)
    assert known.joined(new).levelled().thresholds.tolist() == thresholds


def test_chance_comes_from_the_seed():
    """Another seed meets the labels in other orders; the same one in the same."""
    labels = problem(12, points=60)
    scores = []
    for seed in (1, 1, 2):
        model = rankers.make("hybrid-online", seed=seed, passes=1)
        model.fit_labels(**labels)
        scores.append(model.score(np.eye(6)).tolist())
    assert scores[0] == scores[1] != scores[2]


@pytest.mark.parametrize(
    "settings",
    [{"C": 0.0}, {"rho": -1.0}, {"c1": np.nan}, {"bias": -1.0}, {"batch": 0}, {"passes": 0},
     {"tolerance": 0.0}, {"schedule": "x"},
     {"start": [np.inf]}, {"start": 3.0}],
)  # fmt: skip
def test_senseless_settings_are_refused(settings):
    """A weight, margin, size or start that means nothing is named in the error."""
    with pytest.raises(InvalidInput, match=next(iter(settings))):
        rankers.make("hybrid-online", **settings)


def test_differences_beyond_float32_are_refused():
    """Rows that are finite but whose difference is not are refused, and nothing is learned."""
    huge = np.full((1, 2), 3e38, np.float32)
    model = rankers.make("hybrid-online")
    with pytest.raises(InvalidInput, match="too large"), np.errstate(over="ignore"):
        model.learn_labels(ordered=(huge, -huge))
    assert len(model) == 0


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize(("first", "batch"), [(1, 8), (40, 1)])
def test_steps_by_products_and_by_vectors_are_the_same(printed, first, batch):
    """Both ways take the same steps and mean the same iterates, up to rounding."""
    balance = Balance(1.0, 1.0, 3.0, 2.0)
    pool = _pool(first)
    found = [
        one.descended(
            balance, 1.0, first=first, passes=3, batch=batch, printed=printed, seed=mixed(0, 1)
        )
        for one in (pool, pool.with_products())
    ]
    _same(*found, balance)


def test_moves_by_products_and_by_vectors_are_the_same():
    """In the dual as well; and F is what the history says."""
    balance = Balance(4.0, 1.0, 3.0, 2.0)
    pool = _pool(40)
    settings = {"passes": 80, "tolerance": 1e-9, "seed": mixed(0, 1)}
    found = [one.ascended(balance, 1.0, **settings) for one in (pool, pool.with_products())]
    _same(found[0][0], found[1][0], balance)
    for after, history in found:
        assert history[-1, 0] == pytest.approx(after.objective(balance, 1.0), rel=1e-9)
        assert history[-1, 1] <= history[-1, 0]


def _pool(first):
    """Labels of three grades and pairs; after some steps where `first` is not the first."""
    given = problem(15, columns=21, points=30, grades=3)
    pool = Pool.of(checked_labels(**given), np.linspace(-1.0, 1.0, 21)).levelled()
    if first == 1:
        return pool
    return pool.descended(
        Balance(1.0, 1.0, 3.0, 2.0), 1.0, first=1, passes=1, batch=4, printed=False,
        seed=mixed(1, 2),
    )  # fmt: skip


def _same(by_vectors, by_products, balance):
    np.testing.assert_allclose(by_vectors.coefficients, by_products.coefficients, atol=1e-9)
    np.testing.assert_allclose(by_vectors.thresholds, by_products.thresholds, atol=1e-9)
    values = [one.objective(balance, 1.0) for one in (by_vectors, by_products)]
    assert values[0] == pytest.approx(values[1], rel=1e-9)


def test_many_labels_reach_the_programs_optimum_without_their_products():
    """With more labels than products are worth, F is still within 1% of the optimum."""
    labels = problem(16, columns=5, points=150, pairs=150, alike=20)
    model = rankers.make("hybrid-online", bias=0.0, rho=1.0)
    assert not worth_products(320, 5, 20 * 320)
    model.fit_labels(**labels)
    exact = rankers.make("hybrid", C=1.0, bias=0.0, rho=1.0).fit_labels(**labels)
    assert exact.objective * (1 - 1e-6) <= model.objective <= 1.01 * exact.objective


def test_a_stream_that_outgrows_its_products_goes_on(monkeypatch):
    """One by one equals many, and a loaded learner goes on, across the limit of products."""
    monkeypatch.setattr("saccade.rankers.hybrid_online.MOST", 9)
    A, B = problem(17, pairs=24)["ordered"]
    whole, single = rankers.make("hybrid-online"), rankers.make("hybrid-online")
    whole.learn_labels(ordered=(A, B))
    for i in range(24):
        single.learn_labels(ordered=(A[i : i + 1], B[i : i + 1]))
        single = rankers.load(single.dump())
    assert np.array_equal(whole.weights, single.weights)
    assert len(whole) == 24
