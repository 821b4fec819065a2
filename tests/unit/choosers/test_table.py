"""The table of choosers: names, parameters, states, history."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import choosers
from saccade.errors import InvalidInput, UnknownName
from saccade.types import State


def test_the_table_has_the_choosers_of_the_design():
    """Names are as documented, each found under its own."""
    assert choosers.names() == ("exp3", "exp3-ix", "hedge", "thompson")
    for name in choosers.names():
        assert choosers.make(name, experts=2).name == name


def test_parameters_are_told_and_strangers_refused():
    """`parameters` lists what `make` takes; a misspelt one is named."""
    assert choosers.parameters("hedge") == {"rate": None, "prior": None, "history": 256}
    with pytest.raises(UnknownName, match="did you mean 'rate'"):
        choosers.make("hedge", experts=2, rates=0.1)
    with pytest.raises(UnknownName, match="parameter of thompson"):
        choosers.make("thompson", experts=2, rate=0.1)


def test_a_state_that_is_none_is_refused():
    """A state of another kind, one with parts missing or of another size cannot be read."""
    with pytest.raises(UnknownName, match="no chooser 'hedgehog'"):
        choosers.load(State("hedgehog", {}, {}))
    state = choosers.make("hedge", experts=2).dump()
    with pytest.raises(InvalidInput, match="cannot be read"):
        choosers.load(State("hedge", state.spec, {}))
    arrays = {**state.arrays, "losses": np.zeros(3)}
    with pytest.raises(InvalidInput, match="losses has shape"):
        choosers.load(State("hedge", state.spec, arrays))


def test_history_keeps_a_bounded_number_of_even_moments():
    """Weights, losses and regret over a long run, at most as many moments as asked for."""
    chooser = choosers.make("hedge", experts=2, rate=0.1, history=16)
    for _ in range(1000):
        chooser.update([0.0, 1.0])
    kept = chooser.history
    assert 8 <= len(kept) <= 16
    assert set(np.diff(kept.rounds)) == {kept.stride}
    assert choosers.load(chooser.dump()).history.stride == kept.stride == 64
    assert kept.weights.shape == (len(kept), 2)
    np.testing.assert_allclose(kept.weights.sum(axis=1), 1.0)
    assert (np.diff(kept.weights[:, 0]) >= 0).all()
    # The regret against the expert that never loses is all that was lost.
    np.testing.assert_allclose(kept.regret, kept.served)


def test_no_history_is_kept_where_none_is_asked_for():
    """history=0 keeps the state small."""
    chooser = choosers.make("exp3", experts=2, history=0)
    chooser.update(0, 1.0, probability=0.5)
    assert len(chooser.history) == 0
    assert len(choosers.load(chooser.dump()).history) == 0
    with pytest.raises(InvalidInput, match="history is 1"):
        choosers.make("exp3", experts=2, history=1)
