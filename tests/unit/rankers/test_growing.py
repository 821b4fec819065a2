"""A learner gets columns while it learns: what it knew stays, new ones have their prior."""

from __future__ import annotations

import json

import numpy as np
import pytest

from saccade import rankers
from saccade.errors import InvalidInput
from saccade.rankers.online import pair_losses

SECOND_ORDER = [
    ("arow", {"average": True}),
    ("arow", {"covariance": "full"}),
    ("scw", {"covariance": "full", "average": True}),
]
LEARNERS = [
    ("opr", {}),
    ("opar1", {}),
    ("opar1", {"average": True}),
    ("opar2", {"average": True}),
    ("ogdr", {}),
    *SECOND_ORDER,
]
PRIOR = np.array([1.0, 0.5, 2.0], np.float32)
NEW = np.array([0.25, 1.5], np.float32)

each_learner = pytest.mark.parametrize(("name", "options"), LEARNERS, ids=str)


def bits(model):
    state = model.dump()
    arrays = {key: (str(a.dtype), a.shape, a.tobytes()) for key, a in state.arrays.items()}
    return state.kind, json.dumps(state.spec, sort_keys=True), arrays


def stream(seed, width, pairs=30):
    """Preferences on a coarse grid: their sums are exact, in whatever order they are added."""
    rng = np.random.default_rng(seed)
    winners, losers = rng.integers(0, 5, (2, pairs, width)).astype(np.float32) / 4
    return winners, losers


def taught(name, options, seed=1):
    model = rankers.make(name, prior=PRIOR, **options)
    model.learn(*stream(seed, len(PRIOR)))
    return model


@each_learner
def test_what_was_known_stays_and_the_new_columns_have_their_prior(name, options):
    """Served and last values of old columns keep their bits; counters go on."""
    model, before = taught(name, options), taught(name, options)
    model.grow(NEW)
    assert model.weights.tolist() == before.weights.tolist() + NEW.tolist()
    assert model.last_weights.tolist() == before.last_weights.tolist() + NEW.tolist()
    assert (model.width, model.seen, model.loss) == (5, before.seen, before.loss)


@pytest.mark.parametrize(("name", "options"), SECOND_ORDER, ids=str)
def test_a_covariance_keeps_its_bits_and_new_columns_are_unsure(name, options):
    """Variances of new columns are those of a start, and they vary with nothing."""
    model, before = taught(name, options), taught(name, options)
    model.grow(NEW)
    wide, narrow = (m.dump().arrays["covariance"] for m in (model, before))
    expected = np.ones(5) if wide.ndim == 1 else np.eye(5)
    expected[(slice(3),) * wide.ndim] = narrow
    assert np.array_equal(wide, expected)


@each_learner
def test_growing_is_as_if_the_columns_had_been_there_and_equal(name, options):
    """A wide learner that met zeros in the new columns has the same bits, and goes on alike."""
    model = taught(name, options)
    model.grow(NEW)
    wide = rankers.make(name, prior=[*PRIOR, *NEW], **options)
    wide.learn(*(np.pad(rows, ((0, 0), (0, 2))) for rows in stream(1, 3)))
    assert bits(model) == bits(wide)
    for learner in (model, wide):
        learner.learn(*stream(2, 5))
    assert bits(model) == bits(wide)
    assert (model.weights[3:] != NEW).all()


@each_learner
def test_growing_one_by_one_equals_growing_at_once(name, options):
    """Two columns one after the other, or both together: the same bits; none changes none."""
    once, twice = taught(name, options), taught(name, options)
    once.grow(NEW)
    for weight in NEW:
        twice.grow([weight])
        twice.grow([])
    assert bits(once) == bits(twice)


@each_learner
def test_a_grown_learner_survives_the_disk(name, options):
    """Dump, load, learn on: as if it had never left."""
    model = taught(name, options)
    model.grow(NEW)
    again = rankers.load(model.dump())
    for learner in (model, again):
        learner.learn(*stream(3, 5))
    assert bits(model) == bits(again)


def test_fitting_a_grown_learner_starts_from_all_its_priors():
    """`fit` starts afresh: from the first prior and the grown one."""
    model = taught("opar1", {})
    model.grow(NEW)
    fresh = rankers.make("opar1", prior=[*PRIOR, *NEW])
    rows = stream(4, 5, pairs=6)[0]
    for learner in (model, fresh):
        learner.fit(rows, [0, 1, 0, 1, 2, 0], np.zeros(6, int))
    assert bits(model) == bits(fresh)


def test_a_learner_without_columns_gets_those_given():
    """Open width, then columns with their prior."""
    model = rankers.make("opar1")
    model.grow(NEW)
    assert bits(model) == bits(rankers.make("opar1", prior=NEW))


def test_one_prior_for_all_columns_grows_to_one_each():
    """A number as prior stays the prior of the columns it was given for."""
    model = rankers.make("opar1", prior=0.5, width=2)
    model.grow([3.0])
    assert bits(model) == bits(rankers.make("opar1", prior=[0.5, 0.5, 3.0]))


@pytest.mark.parametrize("prior", [1.0, [[1.0]], [1.0, np.nan]], ids=str)
def test_a_prior_that_is_no_row_of_finite_numbers_is_refused(prior):
    """The message says what is asked for, and the learner is as it was."""
    model, before = taught("arow", {}), taught("arow", {})
    with pytest.raises(InvalidInput, match="one per column"):
        model.grow(prior)
    assert bits(model) == bits(before)


def test_the_bound_holds_across_growth():
    """The run is one run: its loss bound needs no new start."""
    model = taught("opar1", {})
    model.grow(NEW)
    winners, losers = (np.pad(rows, ((0, 0), (0, 2))) for rows in stream(1, 3))
    losses = pair_losses(winners, losers, np.append(PRIOR, NEW))
    assert model.loss <= model.loss_bound(np.append(PRIOR, NEW), losses)
