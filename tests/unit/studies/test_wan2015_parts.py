"""Each experiment of Wan et al. on images that are nothing but classes and φ."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from saccade import rankers
from saccade.rankers.baselines import Uniform
from saccade.rankers.online import OPR, pair_losses
from saccade.studies import collection, load
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.edges import ChosenSettings
from saccade.studies.protocol import Sizes
from saccade.studies.results import Part, Results
from saccade.studies.wan2015 import (
    bounds,
    distractors,
    live,
    orders,
    scale,
    stream,
    table2,
    timing,
    trees,
)
from saccade.studies.wan2015.claims import _why_trees
from toy_images import toy_images

QUICK = Options(quick=True)
MODULES = (bounds, distractors, stream, table2, trees)


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> Task:
    """A part on toy images; what workers keep is forgotten before and after."""
    images = toy_images()
    monkeypatch.setattr(collection, "_images", lambda data, options: images)
    kept = (stream.rows, stream.instances, bounds.hindsight, table2._split, distractors._split,
            trees._split)  # fmt: skip
    for cache in kept:
        cache.cache_clear()
    yield Task("wan2015", "x", "", "opar1", Data("toy", "", ""), 0, "fold 1", ("map",), QUICK)
    for cache in kept:
        cache.cache_clear()


def series(outcome: Any) -> dict[str, Any]:
    return {one.measure: one for one in outcome.series}


def test_learners_beat_the_heuristics_where_a_scheme_misleads(task: Task) -> None:
    """The loud scheme hurts the uniform mean, the two good ones each know half: learning pays."""
    means = {}
    for system in ("best-scheme", "uniform", "ranksvm", "opar1", "opar1*", "ogdr", "ranksvm*"):
        found = series(table2.measure(replace(task, system=system)))["map"]
        assert len(found.values) == len(found.queries) == 12
        means[system] = np.mean(found.values)
    bar = max(means.pop("best-scheme"), means.pop("uniform"))
    assert min(means.values()) > bar


def test_orders_are_of_the_same_instances(task: Task) -> None:
    """Each seed another order and other last weights; heuristics and the queries are the same."""
    seeds = [replace(task, system="opr", seed=seed) for seed in range(3)]
    found = [series(orders.measure(one))["map"] for one in seeds]
    again = series(orders.measure(seeds[0]))["map"]
    assert again.values == found[0].values
    assert len({tuple(one.values) for one in found}) > 1
    assert {tuple(one.queries) for one in found} == {tuple(again.queries)}
    plain = [series(orders.measure(replace(one, system="uniform")))["map"] for one in seeds]
    assert plain[0].values == plain[1].values == plain[2].values


def test_what_is_fixed_is_not_tried(task: Task) -> None:
    """The paper's λ-MART has 300 trees: its leaves alone are chosen."""
    tried = table2.chosen("lambdamart", live.first_fold(task, "lambdamart")).tried
    assert set(tried) == {"leaves"}


def test_instances_are_differences_of_rows_of_one_query(task: Task) -> None:
    """Z is winner minus loser, each pair once, as many as asked for; the order is the seed's."""
    z = stream.instances(task.data, QUICK, 300, 0)
    phi, grades, groups = stream.rows(task.data, QUICK, 300, 0)
    assert len(z) == pytest.approx(300, rel=0.2)
    every = set()
    for query in np.unique(groups):
        mine, high = phi[groups == query], grades[groups == query] == 1
        every |= {(a - b).tobytes() for a in mine[high] for b in mine[~high]}
    assert {row.tobytes() for row in z} <= every
    assert len({row.tobytes() for row in z}) == len(z)
    assert z[:, 0].mean() > 0.2  # winners have more of the schemes that know
    assert abs(z[:, 2].mean()) < 0.15
    stream.instances.cache_clear()
    np.testing.assert_array_equal(z, stream.instances(task.data, QUICK, 300, 0))


@pytest.mark.parametrize("system", bounds.SETTINGS)
def test_bounds_and_regret_follow_the_stream(task: Task, system: str) -> None:
    """At each place: loss less the hindsight's is the regret, MAP is above its bound."""
    outcome = bounds.measure(replace(task, system=system))
    found = series(outcome)
    z = stream.instances(task.data, QUICK, bounds.length(QUICK), 0)
    best, losses = bounds.hindsight(task.data, QUICK, bounds.length(QUICK), 0)
    model = rankers.make(system, **bounds.SETTINGS[system])
    model.learn_differences(z)
    last = {name: one.values[-1] for name, one in found.items()}
    assert found["MAP"].at[-1] == model.seen == len(losses)
    assert last["loss a pair"] == pytest.approx(model.loss / model.seen)
    assert last["regret a pair"] == pytest.approx((model.loss - losses.sum()) / model.seen)
    assert last["loss bound a pair"] == pytest.approx(model.loss_bound(best, losses) / model.seen)
    assert last["MAP"] == pytest.approx(1 - 0.5 * model.mistakes / model.seen)
    assert last["MAP bound"] == pytest.approx(model.bound(best, losses))
    assert (np.array(found["MAP"].values) >= np.array(found["MAP bound"].values)).all()
    assert len(found["MAP"].at) == bounds.PLACES


def test_the_best_fixed_weights_have_the_least_loss() -> None:
    """No other weights do better in hindsight, but for the norm's small share."""
    rng = np.random.default_rng(0)
    z = (rng.normal(size=(800, 3)) + np.array([0.4, 0.2, 0.0])).astype(np.float32)
    best = bounds.best_fixed(z, seed=0)

    def objective(weights: Any) -> float:
        return 0.5 * weights @ weights + pair_losses(z, np.zeros_like(z), weights).sum()

    least = objective(best)
    for _ in range(100):
        assert objective(best + 0.2 * rng.normal(size=3)) > least * 0.999


class Watched(OPR):
    """A learner that counts what it is given."""

    def __init__(self, log: list[tuple[str, int]], model: Any) -> None:
        self.log, self.model = log, model

    def learn_differences(self, z: Any) -> None:
        self.log.append(("differences", len(z)))

    def fit(self, phi: Any, grades: Any, groups: Any) -> None:
        self.log.append(("fit", len(phi)))


@pytest.mark.parametrize("system", ["opr", "arow", "ranksvm", "ranksvm*", "lambdamart"])
def test_times_are_of_one_pass_or_one_fit(
    task: Task, system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Online learners see each instance once, batch learners the rows that the pairs come from."""
    made: list[dict[str, Any]] = []
    log: list[tuple[str, int]] = []

    def make(name: str, **settings: Any) -> Watched:
        made.append(settings)
        return Watched(log, name)

    monkeypatch.setattr(rankers, "make", make)
    found = series(timing.table_3(replace(task, system=system)))
    z = stream.instances(task.data, QUICK, timing.many(QUICK), 0)
    rows = stream.rows(task.data, QUICK, timing.many(QUICK), 0)
    expected = ("differences", len(z)) if system in ("opr", "arow") else ("fit", len(rows[1]))
    assert log[-1] == expected
    assert found["instances"].values == [len(z)]
    assert found["seconds"].values[0] >= 0
    assert (made[-1] == {"loss": "hinge", "limit": len(z)}) == (system == "ranksvm")
    curve = series(timing.figure_1(replace(task, system=system)))["seconds"]
    assert len(curve.at) == len(timing.amounts(QUICK))


def test_the_papers_amounts_are_asked_for() -> None:
    """200,000 instances in Figure 1, 3,000,000 in Table 3 and Figure 2, 2,000 live queries."""
    assert max(timing.amounts(Options())) == 200_000
    assert timing.many(Options()) == 3_000_000
    assert distractors.sizes_of(Options()) == Sizes(5, 300, 150, 3_000_000, "pairs")
    assert len(live.queries(np.arange(6000) // 2, Options(), 0)) == 2000
    assert live.JUDGED == 50


def test_live_learners_are_judged_before_each_lesson(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rank, judge, learn from the first 50 alone; the first query meets a model without lessons."""
    images = collection._images(task.data, QUICK)
    log: list[tuple[str, Any]] = []

    class Spy(Uniform):
        def score(self, phi: Any) -> Any:
            log.append(("score", phi))
            return phi[:, 0]

        def learn(self, winners: Any, losers: Any) -> None:
            log.append(("learn", (winners, losers)))

    monkeypatch.setattr(live, "JUDGED", 25)
    made: list[tuple[str, Any]] = []
    monkeypatch.setattr(rankers, "make", lambda name, **given: made.append((name, given)) or Spy())
    asked = live.queries(images.labels, QUICK, 0)[:3]
    values, seconds = live._learner("opr*", images, asked, average=True)
    assert made == [("opr", {"average": True})]
    assert [what for what, _ in log] == ["score", "learn"] * 3
    for place, query in enumerate(asked.tolist()):
        phi = images.phi_of(query)
        order = [row for row in np.argsort(-phi[:, 0], kind="stable") if row != query][:25]
        right = [row for row in order if images.labels[row] == images.labels[query]]
        winners, losers = log[2 * place + 1][1]
        assert len(winners) == len(right) * (25 - len(right))
        assert {row.tobytes() for row in winners} == {phi[row].tobytes() for row in right}
        assert {row.tobytes() for row in losers} == {
            phi[row].tobytes() for row in order if row not in right
        }
    assert len(values) == len(seconds) == 3


def test_live_gain_is_over_uniform_and_accumulates(task: Task) -> None:
    """Uni-Con gains nothing over itself; the first query gains nothing; then learning pays."""
    plain = series(live.measure(replace(task, system="uniform")))
    assert set(plain["gain of NDCG@50"].values) == {0.0}
    found = series(live.measure(replace(task, system="opar1")))
    gain = found["gain of NDCG@50"]
    assert gain.values[0] == 0.0
    assert gain.values[-1] > 0.02
    difference = np.array(found[live.NDCG].values) - np.array(plain[live.NDCG].values)
    assert gain.values[-1] == pytest.approx(difference.mean())
    assert found["seconds"].values == sorted(found["seconds"].values)


def test_live_settings_are_those_of_table_2(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chosen on the first fold's validation queries, in the form that Table 2 has; * means mean."""
    asked: list[str] = []
    monkeypatch.setattr(
        live, "chosen", lambda form, fold: asked.append(form) or ChosenSettings({"C": 0.25}, {})
    )
    found = {s: live.settings_of(replace(task, system=s)) for s in live.SYSTEMS}
    assert asked == ["opr", "opar1", "opar2", "ogdr"] * 2 + ["arow*", "scw*", "ranksvm*"]
    assert found["opar2"] == found["ranksvm"] == {"C": 0.25}
    assert found["opar2*"] == {"C": 0.25, "average": True}
    assert found["uniform"] == found["saccade"] == {}
    fold = live.first_fold(task, "opar1")
    assert table2.chosen("opr", fold).best == {}
    best = table2.chosen("opar1", fold).best
    assert best["C"] == table2.fitted("opar1", fold)[1]["settings"]["C"]


def test_the_reservoir_keeps_every_label(monkeypatch: pytest.MonkeyPatch) -> None:
    """RankSVM is fitted from all queries so far, at first always and later every so often."""
    monkeypatch.setattr(live, "EVERY", 3)
    fits: list[list[int]] = []
    model = SimpleNamespace(fit=lambda phi, grades, groups: fits.append(sorted(set(groups))))
    teach = live._reservoir(model)
    for number in range(8):
        teach(number, np.eye(2, dtype=np.float32), np.array([1, 0]))
    assert [len(groups) for groups in fits] == [1, 2, 3, 4, 7]
    assert fits[-1] == list(range(7))


def test_distractors_are_counted_and_ranked(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """Figure 2 says how many there were."""
    images = toy_images(distractors=20)
    monkeypatch.setattr(collection, "_images", lambda data, options: images)
    outcome = distractors.measure(replace(task, system="opar2"))
    assert outcome.notes["distractors"] == 20
    assert len(outcome.series[0].values) == 10


def test_variants_of_the_trees_change_one_thing(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trees, leaves and cut reach the learner; fewer instances and pairs reach the rows."""
    made: list[Any] = []
    true = rankers.make

    def make(name: str, **settings: Any) -> Any:
        made.append((name, settings))
        return true("uniform")

    monkeypatch.setattr(rankers, "make", make)
    notes = {s: trees.measure(replace(task, system=s)).notes for s in trees.SYSTEMS}
    assert made[0] == ("lambdamart", trees.BASE)
    assert ("lambdamart", {**trees.BASE, "cut": 10}) in made
    assert ("lambdamart", {**trees.BASE, "leaves": 4}) in made
    assert made[-1] == ("opar2", {})
    rows = {system: note["sizes"]["training_rows"] for system, note in notes.items()}
    assert rows["a tenth of the instances"] < rows["as it is"] / 2
    assert rows["instances are pairs"] < rows["as it is"]


def test_fewer_queries_have_longer_lists_and_fewer_schemes_fewer_columns(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tenth of the queries, none of them shorter; φ of one similarity a descriptor."""
    named = ("a:cosine", "a:l1", "b:cosine", "b:l1")
    images = replace(toy_images(), schemes=named)
    monkeypatch.setattr(collection, "_images", lambda data, options: images)
    seen: dict[str, Any] = {}
    for system in (trees.PLAIN, trees.FEWER, trees.NARROW, trees.LINEAR_FEWER):

        class Spy(Uniform):
            def fit(self, phi: Any, grades: Any, groups: Any, system: str = system) -> None:
                seen[system] = phi, grades, groups

            def score(self, phi: Any) -> Any:
                return phi[:, 0]

        monkeypatch.setattr(rankers, "make", lambda name, **settings: Spy())
        note = trees.measure(replace(task, system=system)).notes
        assert note["columns"] == seen[system][0].shape[1]
    queries = {system: len(np.unique(groups)) for system, (_, _, groups) in seen.items()}
    assert queries[trees.FEWER] == queries[trees.LINEAR_FEWER] == queries[trees.PLAIN] // 10
    length = {system: len(part[2]) / queries[system] for system, part in seen.items()}
    assert length[trees.FEWER] >= length[trees.PLAIN]
    wide, narrow = seen[trees.PLAIN][0], seen[trees.NARROW][0]
    np.testing.assert_array_equal(narrow, wide[:, [0, 2]])
    np.testing.assert_array_equal(seen[trees.FEWER][2], seen[trees.LINEAR_FEWER][2])


def _variants(**means: tuple[float, float]) -> Results:
    """Results of the experiment with trees: mAP on new and on old queries, by system."""
    sizes = {"training_queries": 20, "training_rows": 1300}
    parts = []
    for system, (new, old) in means.items():
        name = {"plain": trees.PLAIN, "linear": trees.LINEAR, "fewer": trees.FEWER,
                "linear_fewer": trees.LINEAR_FEWER}[system]  # fmt: skip
        one = Task("wan2015", "lambdamart", "", name, Data("x", "", ""), 0, "fold 1", (), QUICK)
        series = [Series("map", [new], queries=["q"]), Series(trees.TRAINING, [old], queries=["q"])]
        parts.append(Part(one, Outcome(series, {"sizes": sizes})))
    return Results(parts, ran=["lambdamart"])


def test_why_trees_lead_or_not_is_read_from_the_figures() -> None:
    """Other figures, other words: nothing is said that they do not say."""
    worse = _why_trees(_variants(plain=(0.6, 0.99), linear=(0.65, 0.9)))
    assert "λ-MART 0.6000 (in training 0.9900), OPAR-II 0.6500 (0.9000)" in worse
    assert "fits what it learned from better and new queries worse" in worse
    assert "20 queries of 65 rows" in worse
    better = _why_trees(_variants(plain=(0.7, 0.99), linear=(0.65, 0.9)))
    assert "leads on old and new queries" in better
    assert "worse" not in better
    assert "no better" in _why_trees(_variants(plain=(0.6, 0.8), linear=(0.65, 0.9)))
    moved = _why_trees(
        _variants(plain=(0.6, 0.9), linear=(0.65, 0.9), fewer=(0.63, 0.8), linear_fewer=(0.64, 0.7))
    )
    assert f"{trees.FEWER} (20 queries of 65 rows) moves it by +0.0300, OPAR-II by -0.0100" in moved
    assert _why_trees(Results([], ran=["table-2"])) == ""


def test_experiments_run_on_the_sets_they_are_for() -> None:
    """Figure 2 on the set among distractors, everything else on the plain one."""
    study = load("wan2015")
    plain, among = Data("a", "", ""), Data("a-among", "", "", distractors=("d",))
    tasks = study.tasks([plain, among], Options())
    crowded = {"figure-2", "figure-2-curve"}
    assert {t.experiment for t in tasks if t.data == among} == crowded
    assert not crowded & {t.experiment for t in tasks if t.data == plain}
    assert len([t for t in tasks if t.experiment == "table-2"]) == 5 * len(table2.SYSTEMS)


def test_rankings_are_timed_to_a_million(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    """One time for each number of images; the largest is a million."""
    assert max(scale.amounts(Options())) == 1_000_000
    monkeypatch.setattr(scale, "amounts", lambda options: (60, 120))
    for system in scale.SYSTEMS:
        found = series(scale.measure(replace(task, system=system)))[scale.MEASURE]
        assert list(found.at) == [60, 120]
        assert min(found.values) > 0
