"""Laws of the online learners, on streams that nobody chose."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from saccade import rankers
from saccade.rankers.online import pair_losses
from saccade.types import State

ONLINE = ("opr", "opar1", "opar2", "ogdr", "arow", "scw", "best-scheme", "uniform")
FIRST_ORDER = ("opr", "opar1", "opar2", "ogdr")

values = st.floats(-4, 4, width=32)


@st.composite
def streams(draw, min_pairs=0, max_pairs=24):
    """Winners and losers, with equal rows now and then."""
    width = draw(st.integers(1, 19))
    count = draw(st.integers(min_pairs, max_pairs))
    winners = draw(hnp.arrays(np.float32, (count, width), elements=values))
    losers = draw(hnp.arrays(np.float32, (count, width), elements=values))
    same = draw(hnp.arrays(np.bool_, count))
    losers[same] = winners[same]
    return winners, losers


def bits(model):
    state = model.dump()
    arrays = {key: (array.shape, array.tobytes()) for key, array in state.arrays.items()}
    return json.dumps(state.spec, sort_keys=True), arrays


@given(
    streams(min_pairs=1),
    st.sampled_from(ONLINE),
    st.lists(st.integers(0, 24), max_size=6),
    st.sampled_from([None, True]),
)
def test_any_cut_of_a_stream_leaves_the_same_bits(stream, name, cuts, average):
    """Learning in any bites, with a stop on disk between them, equals learning at once."""
    winners, losers = stream
    options = {} if name in ("best-scheme", "uniform") else {"average": average}
    whole, bitten = rankers.make(name, **options), rankers.make(name, **options)
    whole.learn(winners, losers)
    edges = [0, *sorted(min(cut, len(winners)) for cut in cuts), len(winners)]
    for first, last in pairwise(edges):
        bitten.learn(winners[first:last], losers[first:last])
        state = bitten.dump()
        bitten = rankers.load(
            State(state.kind, json.loads(json.dumps(state.spec)), dict(state.arrays))
        )
    assert bits(whole) == bits(bitten)


@given(streams(min_pairs=1), st.sampled_from(ONLINE))
def test_equal_rows_between_the_pairs_change_nothing(stream, name):
    """A stream with its zero differences taken out leaves the same bits."""
    winners, losers = stream
    with_zeros, without = rankers.make(name), rankers.make(name)
    told = (winners != losers).any(axis=1)
    assume(told.any())
    with_zeros.learn(winners, losers)
    without.learn(winners[told], losers[told])
    assert bits(with_zeros) == bits(without)


@given(streams(min_pairs=1), st.sampled_from(FIRST_ORDER), st.floats(0.01, 10))
def test_a_passive_aggressive_step_never_hurts_its_own_pair(stream, name, rate):
    """After an update the margin of that pair has not fallen."""
    winners, losers = stream
    option = {"opr": {}, "ogdr": {"rate": rate}}.get(name, {"C": rate})
    model = rankers.make(name, **option, width=winners.shape[1])
    for winner, loser in zip(winners, losers, strict=True):
        z = (winner - loser).astype(float)
        before = model.weights @ z
        model.learn(winner[None], loser[None])
        after = model.weights @ z
        assert after >= before - 1e-3 * (1 + abs(before))


@given(
    streams(min_pairs=1),
    st.sampled_from(FIRST_ORDER),
    st.floats(0.01, 10),
    st.integers(0, 2**16),
    st.sampled_from([0.0, 0.5]),
)
@settings(max_examples=200)
def test_the_loss_is_within_its_bound_for_any_comparator(stream, name, rate, seed, start):
    """Theorems 1 to 3, as corrected, against a comparator drawn at random."""
    winners, losers = stream
    option = {"opr": {}, "ogdr": {"rate": rate}}.get(name, {"C": rate})
    model = rankers.make(name, prior=start, **option)
    model.learn(winners, losers)
    comparator = np.random.default_rng(seed).normal(size=winners.shape[1])
    bound = model.loss_bound(comparator, pair_losses(winners, losers, comparator))
    loss = model.loss
    if name == "opr":
        loss = _mistaken_loss(winners, losers, start)
    assert loss <= bound * (1 + 1e-4) + 1e-3


def _mistaken_loss(winners, losers, start):
    """Perceptron's loss over the pairs it got wrong, pair by pair."""
    model, total = rankers.make("opr", prior=start), 0.0
    for winner, loser in zip(winners, losers, strict=True):
        before, mistakes = model.loss, model.mistakes
        model.learn(winner[None], loser[None])
        total += (model.loss - before) if model.mistakes > mistakes else 0.0
    return total


@given(streams(min_pairs=1), st.sampled_from(FIRST_ORDER), st.integers(0, 2**16))
@settings(max_examples=200)
def test_map_is_above_its_bound_when_each_pair_is_a_list(stream, name, seed):
    """Two images ranked by the weights of the moment: AP is 1 or 1/2, its mean above the bound."""
    winners, losers = stream
    comparator = np.random.default_rng(seed).normal(size=winners.shape[1])
    model = rankers.make(name, width=winners.shape[1])
    precisions = []
    for winner, loser in zip(winners, losers, strict=True):
        mistakes, seen = model.mistakes, model.seen
        model.learn(winner[None], loser[None])
        if model.seen > seen:
            precisions.append(0.5 if model.mistakes > mistakes else 1.0)
    assume(precisions)
    bound = model.bound(comparator, pair_losses(winners, losers, comparator))
    assert np.mean(precisions) >= bound - 1e-3


@given(streams(min_pairs=2), st.sampled_from(ONLINE[:6]), st.data())
def test_one_bad_value_anywhere_refuses_the_batch(stream, name, data):
    """NaN or infinity in any cell of either side leaves every bit as it was."""
    winners, losers = stream
    model = rankers.make(name, width=winners.shape[1])
    model.learn(winners, losers)
    before = bits(model)
    row = data.draw(st.integers(0, len(winners) - 1))
    column = data.draw(st.integers(0, winners.shape[1] - 1))
    sides = [winners.copy(), losers.copy()]
    bad = data.draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    sides[data.draw(st.integers(0, 1))][row, column] = bad
    with pytest.raises(ValueError, match=f"row {row}, column {column}"):
        model.learn(*sides)
    assert bits(model) == before
