"""The guard: what experts are charged with, how weights move, and the promise it keeps."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.choosers.guard import EXPERTS, LARGEST, PRIOR, Guard, losses, prior, stage, standard
from saccade.errors import InvalidInput, UnknownName

ALL = tuple(EXPERTS)


def test_every_stage_has_a_prior_over_all_experts():
    """Shares are above 0, sum to 1, and no learning is always among them."""
    reached = {stage(likes, dislikes) for likes in range(0, 60, 3) for dislikes in range(0, 60, 3)}
    assert reached | {stage(1, 1)} == set(PRIOR)
    for name in PRIOR:
        assert (prior(name) > 0.0).all()
        assert prior(name).sum() == pytest.approx(1.0, abs=1e-12)
    with pytest.raises(UnknownName, match="few"):
        prior("fewer")


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40))
@settings(max_examples=200)
def test_standard_scores_keep_the_order_and_stay_in_bounds(values: list[float]) -> None:
    """Bent, not cut: a higher score is never put below a lower one, and all lie within ± 4."""
    out = standard(values)
    assert (np.abs(out) <= LARGEST).all()
    assert (np.diff(out[np.argsort(values, kind="stable")]) >= 0.0).all()


def test_standard_scores_are_measured_among_the_rows_named():
    """The mean and deviation are those of the rows named; all alike says nothing."""
    values, among = np.array([0.0, 2.0, 100.0]), np.array([True, True, False])
    z = np.array([-1.0, 1.0, 99.0])
    np.testing.assert_allclose(standard(values, among), z / np.sqrt(1 + (z / 4) ** 2), rtol=1e-6)
    assert standard([3.0, 3.0]).tolist() == [0.0, 0.0]
    assert standard([1.0, 2.0], np.zeros(2, bool)).tolist() == [0.0, 0.0]


def test_a_loss_is_the_share_of_wrong_pairs_among_the_new_marks():
    """Two likes, two dislikes: one of four pairs wrong is a quarter, a tie is half a pair."""
    scores = [[4.0, 1.0], [2.0, 1.0], [3.0, 1.0], [1.0, 1.0], [9.0, 0.0]]
    liked, new = [True, True, False, False, False], [True, True, True, True, False]
    assert losses(scores, liked, new).tolist() == [0.25, 0.5]


@pytest.mark.parametrize(
    ("liked", "new", "expected"),
    [
        ([True, False], [True, False], [1.0]),  # a new ✓ against an earlier ✕
        ([True, False], [False, True], [1.0]),  # a new ✕ against an earlier ✓
        ([True, False], [False, False], None),  # nothing new
        ([True, True], [True, True], None),  # nothing to compare with
    ],
)
def test_a_lone_new_mark_is_compared_with_earlier_ones(liked, new, expected):
    """A mark is never compared with what was not judged, for that is biased by what was served."""
    found = losses([[1.0], [2.0]], liked, new)
    assert found is None if expected is None else found.tolist() == expected
    with pytest.raises(InvalidInput, match="do not fit"):
        losses([[1.0]], liked, new)


def test_weights_begin_with_the_prior_of_those_there():
    """Before any event, shares are the prior's; who is not there has none, plain must be."""
    first = prior("some")
    assert list(Guard().weights("some", ALL).values()) == pytest.approx(first.tolist())
    some = Guard().weights("some", ("spread", "plain"))
    at = {name: first[EXPERTS.index(name)] for name in some}
    assert some == pytest.approx({k: v / sum(at.values()) for k, v in at.items()})
    assert Guard().weights("start", ("plain",)) == {"plain": 1.0}
    with pytest.raises(InvalidInput, match="plain"):
        Guard().weights("some", ("spread",))


@pytest.mark.parametrize("best", ["plain", "spread", "margin"])
def test_who_is_right_gains_and_half_of_the_prior_stays(best):
    """Shares move to whoever loses least, in that stage alone, and only half of the way."""
    guard = Guard()
    for _ in range(400):
        guard.learn("many", {name: float(name != best) for name in ALL}, float(best != "plain"))
    after, first = guard.weights("many", ALL), dict(zip(ALL, prior("many"), strict=True))
    assert after[best] > 0.5 + 0.49 * first[best]
    assert all(after[name] >= 0.49 * first[name] for name in ALL)
    assert guard.weights("few", ALL) == Guard().weights("few", ALL)
    assert guard.standing()[best] == (0.0, 400)


steps = st.lists(
    st.tuples(st.sampled_from(sorted(PRIOR)), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)),
    max_size=120,
)


@given(steps, st.booleans())
@settings(max_examples=150)
def test_on_any_stream_the_excess_over_no_learning_stays_within_the_bound(stream, worst):
    """Whatever the mixture loses, it is stopped before it has lost more than is allowed."""
    guard = Guard()
    for name, plain, others, mixture in stream:
        lost = dict.fromkeys(ALL, 1.0 if worst else others) | {"plain": 0.0 if worst else plain}
        alone = guard.weights(name, ALL)["plain"] == 1.0
        served = lost["plain"] if alone else (1.0 if worst else mixture)
        guard.learn(name, lost, served)
        assert guard.served - guard.plain <= guard.allowance() + 1e-9


def test_a_mixture_that_only_loses_is_stopped_and_comes_back_with_patience():
    """After a few lost events plain alone is served; the bound grows with events, so it may try."""
    guard, tried = Guard(), []
    for _ in range(60):
        alone = guard.weights("some", ALL)["plain"] == 1.0
        tried.append(not alone)
        guard.learn("some", dict.fromkeys(ALL, 1.0) | {"plain": 0.0}, served=float(not alone))
    assert tried[0]
    assert 2 <= sum(tried) <= 16
    assert not guard.verdict().pays


def test_learning_pays_only_where_it_clearly_does():
    """The gain must be two standard errors above nothing, over five events or more."""
    steady, shaky = Guard(), Guard()
    for event in range(20):
        steady.learn("some", dict.fromkeys(ALL, 0.5), served=0.4)
        shaky.learn("some", dict.fromkeys(ALL, 0.5), served=0.1 if event % 2 else 0.8)
        assert steady.verdict().pays == (event >= 4)
        assert not shaky.verdict().pays
    assert steady.verdict().gain == pytest.approx(0.1)
    assert steady.verdict().trusted
    assert not Guard().verdict().pays


@given(steps)
@settings(max_examples=60)
def test_a_loaded_guard_goes_on_with_the_same_bits(stream):
    """Dumped and loaded after every event, it ends where it would have."""
    whole, broken = Guard(), Guard()
    for name, plain, others, served in stream:
        lost = dict.fromkeys(ALL[:5], others) | {"plain": plain}
        whole.learn(name, lost, served)
        broken.learn(name, lost, served)
        broken = Guard.load(broken.dump())
    assert whole.verdict() == broken.verdict()
    assert whole.allowance() == broken.allowance()
    assert whole.standing() == broken.standing()
    for name in PRIOR:
        assert whole.weights(name, ALL) == broken.weights(name, ALL)


def test_asking_for_weights_changes_no_state():
    """Two replays of one log agree, whoever looked at a page in between."""
    guard = Guard()
    guard.weights("many", ALL)
    asked, fresh = guard.dump(), Guard().dump()
    assert (asked.spec, list(asked.arrays)) == (fresh.spec, list(fresh.arrays))
    with pytest.raises(InvalidInput, match="replay"):
        Guard.load(guard.dump().__class__("hedge", {}, {}))


def test_margins_are_means_with_standard_errors():
    """By hand: gains over plain of .5, 0 and .25, and of an expert that was there twice."""
    guard = Guard()
    lost = [{"plain": 0.5, "spread": 0.0}, {"plain": 0.5, "spread": 0.5, "margin": 1.0}]
    lost.append({"plain": 0.5, "spread": 0.25, "margin": 0.5})
    for one in lost:
        guard.learn("few", one, served=one["spread"])
    mean, error = guard.margins()["spread"]
    assert (mean, error) == (pytest.approx(0.25), pytest.approx(np.std([0.5, 0, 0.25]) / 2**0.5))
    assert guard.margins()["margin"] == (pytest.approx(-0.25), pytest.approx(0.25))
    assert guard.margins()["plain"] == (0.0, 0.0)
    verdict = guard.verdict()
    assert (verdict.gain, verdict.deviation) == (pytest.approx(mean), pytest.approx(error))
