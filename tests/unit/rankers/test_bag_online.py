"""Preference by preference on random features: near the kernel's result, and always the same."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import rankers
from saccade.errors import InvalidInput
from saccade.kernels import bag_features as kernel
from saccade.rankers.bag_program import BagProgram, softmax
from saccade.rankers.bags import checked_bags, graded_pairs
from saccade.types import State


def planted(seed=0, count=80):
    rng = np.random.default_rng(seed)
    grades, bags = rng.integers(0, 3, count), []
    for grade in grades:
        bag = rng.standard_normal((int(rng.integers(4, 9)), 8)).astype(np.float32)
        bag[int(rng.integers(len(bag))), :3] += np.float32(1.4 * grade)
        bags.append(bag)
    return bags, grades


def right_share(scores, grades, rows):
    pairs = [(i, j) for i in rows for j in rows if grades[i] > grades[j]]
    return np.mean([scores[i] > scores[j] for i, j in pairs])


def test_cosine_exponential_and_logarithm_are_what_they_say():
    """Within a billionth of the library's, over all they are asked for."""
    for x in np.linspace(-300.0, 300.0, 997):
        assert kernel.cosine(x) == pytest.approx(np.cos(x), abs=1e-9)
    for x in np.linspace(-50.0, 0.0, 499):
        assert kernel.exponential(x) == pytest.approx(np.exp(x), rel=1e-12)
    assert kernel.exponential(-1e9) == 0.0
    for x in np.geomspace(1e-6, 1.0, 199):
        assert kernel.logarithm(x) == pytest.approx(np.log(x), abs=1e-12)


def test_products_of_features_are_near_the_gaussian_kernel():
    """The more features, the nearer: errors fall like one over the root of their number."""
    rows = np.random.default_rng(0).standard_normal((30, 6)).astype(np.float32)
    exact = np.exp(-0.05 * ((rows[:, None] - rows[None]) ** 2).sum(2))
    error = {}
    for count in (128, 8192):
        z = rankers.make("mi-online", features=count, gamma=0.05).embedded(rows).astype(float)
        error[count] = np.abs(z @ z.T - exact).max()
    assert error[128] < 0.35
    assert error[8192] < 0.05


def test_it_solves_the_softmax_program_on_its_features():
    """Its weights reach the objective of `mi-softmax` with the features' own products."""
    bags, grades = planted(1, count=24)
    pairs = graded_pairs(grades)
    model = rankers.make("mi-online", features=64, C=50.0, tolerance=1e-5, rounds=60)
    model.fit_bags(bags, pairs)
    held = checked_bags(bags)
    z = model.embedded(held.rows).astype(float)
    winners, losers = (np.ascontiguousarray(side) for side in pairs.T)
    cap = 50.0 / len(pairs)
    peer = softmax(BagProgram(z @ z.T, held.starts, winners, losers, cap, 1e-5, 60), 4.0)
    scores = model.score_embedded(model.embedded(held.rows), held.starts).astype(float)
    weights = model.dump().arrays["weights"]
    loss = np.maximum(0, 1 - scores[winners] + scores[losers]).sum()
    reached = 0.5 * weights @ weights + cap * loss
    assert reached == pytest.approx(peer.objectives[-1], rel=0.02)


def test_ten_preferences_are_worth_something_and_hundreds_nearly_all():
    """On bags it has not seen; the batch ranker with the exact kernel is the measure."""
    bags, grades = planted(2, count=160)
    pairs = np.random.default_rng(0).permutation(graded_pairs(grades[:80]))
    test = np.arange(80, 160)
    share = {}
    for count in (10, 400):
        model = rankers.make("mi-online")
        model.learn_bags([bags[i] for i in pairs[:count, 0]], [bags[i] for i in pairs[:count, 1]])
        share[count] = right_share(model.score_bags(bags), grades, test)
    batch = rankers.make("mi-softmax").fit_bags(bags, pairs[:400])
    assert 0.6 < share[10] < share[400]
    assert share[400] > right_share(batch.score_bags(bags), grades, test) - 0.03


def test_only_the_latest_preferences_count():
    """Beyond its memory it is as if the older ones had never been said; their pictures go too."""
    bags, grades = planted(3, count=30)
    pairs = graded_pairs(grades)[:40]
    model, late = (rankers.make("mi-online", memory=15, features=64) for _ in range(2))
    for better, worse in pairs:
        model.learn_bags([bags[better]], [bags[worse]])
    late.fit_bags(bags, pairs[-15:])
    assert model.seen == late.seen == 15
    assert np.array_equal(model.score_bags(bags), late.score_bags(bags))
    assert len(model.dump().arrays["rows"]) == len(late.dump().arrays["rows"])


def test_a_picture_in_many_preferences_is_kept_once():
    """One against ten: eleven bags at rest."""
    bags, _ = planted(4, count=11)
    model = rankers.make("mi-online", features=64)
    model.learn_bags([bags[0].copy() for _ in range(10)], bags[1:])
    assert len(model.dump().arrays["starts"]) == 12


def test_scores_of_kept_features_are_those_of_the_regions():
    """A collection's features are computed once, and scored by any later weights."""
    bags, grades = planted(5, count=20)
    model = rankers.make("mi-online", features=64)
    held = checked_bags(bags)
    kept = model.embedded(held.rows)
    model.fit_bags(bags, graded_pairs(grades))
    assert np.array_equal(model.score_embedded(kept, held.starts), model.score_bags(bags))


@pytest.mark.parametrize(
    "settings", [{"C": 0.0}, {"gamma": -1.0}, {"features": 0}, {"memory": 0}, {"eta": np.inf}]
)
def test_settings_out_of_range_are_refused(settings):
    """The message names the ranker."""
    with pytest.raises(InvalidInput, match="mi-online"):
        rankers.make("mi-online", **settings)


def test_a_state_with_other_features_is_refused():
    """Weights must fit the features that the settings draw."""
    state = rankers.make("mi-online", features=64).fit_bags(*_two()).dump()
    with pytest.raises(InvalidInput, match="a weight per feature"):
        rankers.load(State(state.kind, state.spec, {**state.arrays, "weights": np.zeros(3)}))


def _two():
    return planted(6, count=2)[0], [(0, 1)]


def test_features_to_score_by_are_the_exact_ones_but_for_the_last_bits() -> None:
    """A library's product is faster and ranks the same."""
    rng = np.random.default_rng(3)
    model = rankers.make("mi-online", gamma=0.05)
    rows = rng.standard_normal((40, 30)).astype(np.float32)
    exact, quick = model.embedded(rows), model.embedded(rows, exact=False)
    assert np.abs(exact - quick).max() < 1e-5


def test_fitting_again_is_like_fitting_afresh() -> None:
    """Features that are kept from before change nothing."""
    rng = np.random.default_rng(4)
    bags = [rng.standard_normal((3, 5)).astype(np.float32) for _ in range(6)]
    again = rankers.make("mi-online").fit_bags(bags[:4], [(0, 1), (2, 3)])
    again.fit_bags(bags[2:], [(0, 1), (2, 3)])
    fresh = rankers.make("mi-online").fit_bags(bags[2:], [(0, 1), (2, 3)])
    assert np.array_equal(again.score_bags(bags), fresh.score_bags(bags))
    assert again.seen == 2
