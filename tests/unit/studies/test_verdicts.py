"""Verdicts of three kinds: what decides them, and what is said beside them."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.results import Part, Results
from saccade.studies.verdicts import (
    Findings,
    above,
    advantage,
    each_set,
    gaps,
    mean_of,
    not_measured,
    rarely,
    weighed,
)
from saccade.testbed.significance import estimate, share_below


def units(values) -> dict[str, float]:
    return {f"query {place}": float(value) for place, value in enumerate(values)}


def drawn(mean: float, *, count: int = 60, seed: int = 0) -> dict[str, float]:
    return units(np.random.default_rng(seed).normal(mean, 0.1, count))


@pytest.mark.parametrize(
    ("mean", "kind"), [(0.1, "holds"), (0.0, "no difference"), (-0.1, "does not hold")]
)
@pytest.mark.parametrize("count", [5, 12, 60])
def test_the_kind_follows_the_mean_and_its_doubt(mean: float, kind: str, count: int) -> None:
    """Above nought, about nought, below it: with few values and with many."""
    centred = np.random.default_rng(1).normal(0, 0.02, count)
    values = units(centred - centred.mean() + mean)
    verdict = weighed([advantage("a gap", values)], "", over="queries")
    assert verdict.kind == kind
    assert verdict.effect == pytest.approx(mean, abs=1e-9)
    low, high = verdict.interval
    assert low < verdict.effect < high
    assert (verdict.p < 0.05) == (kind != "no difference")
    assert verdict.n == count


def test_the_interval_covers_the_truth_as_often_as_it_says() -> None:
    """95% of them, by Student for few values and by bootstrap for many."""
    rng = np.random.default_rng(2)
    for count in (8, 40):
        draws = [estimate(rng.normal(0.3, 1.0, count)) for _ in range(300)]
        inside = np.mean([one.low < 0.3 < one.high for one in draws])
        assert 0.91 < inside < 0.985
        wrong = np.mean([estimate(rng.normal(0.0, 1.0, count)).sign != 0 for _ in range(300)])
        assert wrong < 0.08


def test_the_weakest_comparison_decides() -> None:
    """A claim of several is worth what its weakest is, and that one is kept."""
    strong, weak, none = drawn(0.2), drawn(-0.2), drawn(0.0)
    for values, kind, of in (
        ([strong, weak, none], "does not hold", "b"),
        ([strong, none], "no difference", "b"),
        ([strong], "holds", "a"),
    ):
        evidence = [advantage(name, one) for name, one in zip("abc", values, strict=False)]
        verdict = weighed(evidence, "", over="queries")
        assert (verdict.kind, verdict.of) == (kind, of)


def test_a_margin_is_part_of_the_claim() -> None:
    """“10% above” needs that much, “within .02” allows that much."""
    mine, theirs = drawn(0.60), drawn(0.52)
    assert weighed([above("a", mine, theirs)], "", over="q").kind == "holds"
    assert weighed([above("a", mine, theirs, times=1.1)], "", over="q").kind == "holds"
    assert weighed([above("a", mine, theirs, times=1.3)], "", over="q").kind == "does not hold"
    assert weighed([above("a", theirs, mine, by=-0.1)], "", over="q").kind == "holds"
    assert gaps({"x": 1.0}, 0.25, by=0.5) == {"x": 0.25}
    assert mean_of([{"x": 1.0, "y": 2.0}, {"x": 3.0}]) == {"x": 2.0}


def test_equal_systems_differ_in_nothing_and_one_value_decides_nothing() -> None:
    """All gaps nought is no difference; a single unit is not measured; five equal gaps are few."""
    equal = weighed([above("a", drawn(0.5), drawn(0.5))], "", over="queries")
    assert (equal.kind, equal.p) == ("no difference", 1.0)
    single = weighed([advantage("a", units([0.5]))], "", over="queries")
    assert single.kind == "not measured"
    assert single.effect is None
    assert weighed([advantage("a", units([0.5] * 5))], "", over="queries").kind == "no difference"
    assert weighed([advantage("a", units([0.5] * 6))], "", over="queries").kind == "holds"
    with pytest.raises(InvalidInput, match="1 values"):
        estimate([0.5])
    with pytest.raises(InvalidInput, match="1 cases"):
        share_below(0, 1, 0.5)


def test_what_never_happened_in_few_cases_may_still_happen() -> None:
    """0 of 60 is no proof of less than 1%, 0 of 400 is; 10 of 60 is more than 5%."""
    for hits, cases, bar, kind in (
        (0, 60, 0.01, "no difference"), (0, 400, 0.01, "holds"), (10, 60, 0.05, "does not hold"),
    ):  # fmt: skip
        happened = units([1.0] * hits + [0.0] * (cases - hits))
        assert weighed([rarely("share", happened, bar)], "", over="queries").kind == kind


def set_of(name: str, value: float) -> Part:
    task = Task("s", "table", "", "mine", Data(name, "", ""), 0, "all", ("map",), Options())
    return Part(task, Outcome([Series("map", [value] * 8, queries=[*"abcdefgh"])]))


def test_a_reason_is_computed_from_the_figures_of_the_sets_that_fail() -> None:
    """Another figure, another sentence; where it holds on all sets nothing is said."""

    def verdict(*values: float):
        parts = [set_of(f"set {place}", value) for place, value in enumerate(values)]
        results = Results(parts)

        def judge(data: str) -> Findings:
            mine = results.by_query("table", "mine", "map", data=data)
            return Findings([above("mine over .5", mine, 0.5)], f"{np.mean([*mine.values()]):.2f}")

        def why(lost) -> str:
            means = (f"{results.mean('table', 'mine', 'map', data=d):.2f} on {d}" for d in lost)
            return ", ".join(means)

        return each_set(results, "table", judge, over="queries", why=why)

    assert verdict(0.6, 0.7).why == ""
    lost = verdict(0.6, 0.4)
    assert (lost.kind, lost.why) == ("does not hold", "0.40 on set 1")
    assert lost.of == "set 1: mine over .5"
    assert lost.figure == "set 0: 0.60; set 1: 0.40"
    assert verdict(0.6, 0.3).why == "0.30 on set 1"
    assert not_measured("nothing was smoothed").kind == "not measured"
