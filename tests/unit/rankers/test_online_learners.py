"""What the online learners say about themselves, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import rankers
from saccade.errors import InvalidInput

ONLINE = ["opr", "opar1", "opar2", "ogdr", "arow", "scw"]


@pytest.fixture
def pairs():
    rng = np.random.default_rng(3)
    winners = rng.random((60, 6), dtype=np.float32)
    losers = rng.random((60, 6), dtype=np.float32)
    winners[:, 1] += np.float32(0.4)
    return winners, losers


@pytest.mark.parametrize("name", ONLINE)
def test_before_learning_it_ranks_as_uniform_does(name, pairs):
    """Zero weights say nothing: the score is the mean of φ."""
    winners, _ = pairs
    expected = rankers.make("uniform").score(winners)
    assert np.array_equal(rankers.make(name).score(winners), expected)


@pytest.mark.parametrize("name", ONLINE)
def test_learning_lifts_the_column_that_tells(name, pairs):
    """After learning, the column in which winners are higher has the largest weight."""
    model = rankers.make(name)
    model.learn(*pairs)
    assert model.weights.argmax() == 1


def test_the_perceptron_starts_from_zero(pairs):
    """At w = 0 the margin is 0, which counts as a mistake: otherwise it would never move."""
    winners, losers = pairs
    model = rankers.make("opr")
    model.learn(winners[:1], losers[:1])
    assert np.array_equal(model.weights, winners[0] - losers[0])
    assert (model.seen, model.mistakes, model.updates, model.loss) == (1, 1, 1, 1.0)


def test_start_is_the_weight_of_every_column():
    """A number fills all columns, an array fixes their number."""
    assert rankers.make("opar1", prior=0.25, width=3).weights.tolist() == [0.25] * 3
    model = rankers.make("opar1", prior=[1.0, 0.0])
    assert model.width == 2
    with pytest.raises(InvalidInput, match="3 columns and the model 2"):
        model.score(np.zeros((1, 3)))


def test_weights_can_be_set_and_learning_goes_on_from_there(pairs):
    """Base plus own part: set, learn, and the change is what learning alone would add."""
    winners, losers = pairs
    placed = rankers.make("opar1")
    placed.weights = np.full(6, 0.5)
    started = rankers.make("opar1", prior=0.5)
    for model in (placed, started):
        model.learn(winners, losers)
    assert np.array_equal(placed.weights, started.weights)


@pytest.mark.parametrize("values", [[1.0, 2.0], [[1.0] * 6], [np.nan] * 6])
def test_weights_of_a_wrong_shape_or_not_finite_are_refused(values):
    """A refused setting leaves the weights as they were."""
    model = rankers.make("opar1", width=6, prior=0.5)
    with pytest.raises(InvalidInput, match="weight"):
        model.weights = values
    assert model.weights.tolist() == [0.5] * 6


def test_the_weights_handed_out_are_a_copy():
    """Writing into them does not reach the model."""
    model = rankers.make("opar1", width=2, prior=1.0)
    model.weights[:] = 7.0
    assert model.weights.tolist() == [1.0, 1.0]


def test_asking_for_weights_before_the_width_is_known_is_refused():
    """There is nothing to hand out yet, and the message says what to do."""
    with pytest.raises(InvalidInput, match="width"):
        _ = rankers.make("opar1").weights


def test_setting_averaged_weights_counts_as_a_jump():
    """The mean of two pairs at 1 and two at 3 is 2."""
    model = rankers.make("ogdr", average=True, prior=1.0, width=1)
    content = np.array([[5.0]], np.float32)
    model.learn_differences(np.repeat(content, 2, axis=0))
    model.weights = [3.0]
    model.learn_differences(np.repeat(content, 2, axis=0))
    assert model.updates == 0
    assert model.weights.tolist() == [2.0]
    assert model.last_weights.tolist() == [3.0]


@pytest.mark.parametrize("name", ONLINE)
@pytest.mark.parametrize("side", ["winners", "losers"])
def test_a_bad_value_is_named_by_row_and_column(name, side, pairs):
    """The message says where, and nothing was learned from the rows before it."""
    arrays = dict(zip(("winners", "losers"), (array.copy() for array in pairs), strict=True))
    arrays[side][41, 4] = np.nan
    model = rankers.make(name)
    with pytest.raises(InvalidInput, match=f"{side}: row 41, column 4 is nan"):
        model.learn(**arrays)
    assert model.seen == 0


def test_a_bad_difference_and_a_bad_row_to_score_are_named_too():
    """Differences and φ get the same message."""
    rows = np.zeros((3, 9), np.float32)
    rows[2, 8] = np.inf
    model = rankers.make("opar1")
    with pytest.raises(InvalidInput, match="differences: row 2, column 8 is inf"):
        model.learn_differences(rows)
    with pytest.raises(InvalidInput, match="phi: row 2, column 8 is inf"):
        model.score(rows)


@pytest.mark.parametrize("name", ["opr", "ogdr", "arow", "scw"])
def test_weights_never_stop_being_finite(name):
    """Finite but huge values that would push the weights out of range are refused."""
    model = rankers.make(name)
    huge = np.full((4, 3), 3e38, np.float32)
    with pytest.raises(InvalidInput, match="too large"):
        model.learn(huge, -huge)
    assert model.seen == 0


def test_values_too_large_for_float32_are_refused():
    """1e300 becomes infinite in float32, and is refused as that."""
    with pytest.raises(InvalidInput, match="row 0, column 1"):
        rankers.make("opar1").learn(np.array([[0.0, 1e300]]), np.zeros((1, 2)))


@pytest.mark.parametrize(
    "phi", [np.zeros(3), np.zeros((2, 0)), [["a", "b"]], np.zeros((2, 2, 2))], ids=str
)
def test_what_is_no_matrix_of_numbers_is_refused(phi):
    """Wrong dimensions, no columns, words: one clear sentence."""
    with pytest.raises(InvalidInput, match="phi"):
        rankers.make("opar1").score(phi)


def test_any_layout_of_the_same_numbers_teaches_the_same(pairs):
    """Lists, float64, Fortran order, strided and unaligned arrays are read alike."""
    winners, losers = pairs
    expected = rankers.make("opar1")
    expected.learn(winners, losers)
    raw = np.empty(winners.nbytes + 1, np.uint8)
    unaligned = raw[1:].view(np.float32).reshape(winners.shape)
    unaligned[:] = winners
    wide = np.repeat(winners, 2, axis=1)[:, ::2]
    layouts = (winners.tolist(), winners.astype(float), np.asfortranarray(winners), unaligned, wide)
    for layout in layouts:
        model = rankers.make("opar1")
        model.learn(layout, losers)
        assert np.array_equal(model.weights, expected.weights)


def graded(seed=0, queries=20, size=8):
    rng = np.random.default_rng(seed)
    phi = rng.normal(size=(queries * size, 5)).astype(np.float32)
    noisy = phi @ [1.0, 0.0, -0.5, 0.0, 0.0] + rng.normal(size=len(phi))
    return phi, (noisy > 0.5).astype(int), np.repeat(np.arange(queries), size)


@pytest.mark.parametrize("name", ONLINE)
def test_fit_depends_on_its_seed_alone(name):
    """The same seed gives the same weights; another order of pairs gives others."""
    weights = []
    for seed in (1, 1, 2):
        model = rankers.make(name, seed=seed, average=False)
        model.fit(*graded())
        weights.append(model.weights)
    assert np.array_equal(weights[0], weights[1])
    assert not np.array_equal(weights[0], weights[2])


def test_fit_keeps_the_pass_that_ranks_the_validation_rows_best():
    """With rows it cannot please, fitting stops after `patience` passes."""
    phi, grades, groups = graded()
    model = rankers.make("opar1", passes=50, patience=2)
    model.fit(phi, grades, groups, validation=(phi, 1 - grades, groups))
    assert model.seen < 50 * _pair_count(grades, groups)
    assert model.seen >= _pair_count(grades, groups)


def _pair_count(grades, groups):
    return sum(
        int((grades[groups == q] == 1).sum() * (grades[groups == q] == 0).sum())
        for q in np.unique(groups)
    )


def test_fit_draws_pairs_where_there_are_too_many():
    """Five passes over about a hundred pairs, not over all of them."""
    phi, grades, groups = graded()
    model = rankers.make("opar1", limit=100)
    model.fit(phi, grades, groups)
    assert 5 * 90 <= model.seen <= 5 * 110


def test_fit_ends_with_the_mean_of_its_passes():
    """By default fit leaves the weights of average=True, and learning goes on from them."""
    plain, averaged = rankers.make("opar1"), rankers.make("opar1", average=True)
    plain.fit(*graded())
    averaged.fit(*graded())
    assert np.array_equal(plain.weights, averaged.weights)
    assert np.array_equal(plain.last_weights, plain.weights)
    assert not np.array_equal(averaged.last_weights, averaged.weights)


def test_rows_without_any_order_cannot_be_fitted():
    """Nothing to learn is an error, not an empty model."""
    with pytest.raises(InvalidInput, match="nothing to learn: none of the 2 queries"):
        rankers.make("opar1").fit(np.eye(4), [1, 1, 0, 0], [5, 5, 6, 6])


@pytest.mark.parametrize(
    ("grades", "groups", "message"),
    [
        ([0, 1, 0.5], [1, 1, 1], "grades: row 2 is 0.5, not a whole number"),
        ([0, 1, -1], [1, 1, 1], "grades: row 2 is below 0"),
        ([0, 1, 2], [1, 1, np.nan], "groups: row 2 is nan"),
        (["low", "high", "low"], [1, 1, 1], "grades must be whole numbers"),
        ([[0, 1, 2]], [1, 1, 1], "grades has shape"),
    ],
)
def test_grades_and_groups_must_be_whole_numbers(grades, groups, message):
    """The message names the first row that is not."""
    with pytest.raises(InvalidInput, match=message):
        rankers.make("opar1").fit(np.eye(3), grades, groups)
