"""Is it a ranker of bags? Every promise of `saccade.contracts.BagRanker`, as a check.

    for check in checks_for(make()):
        check(make)

As in `saccade.checks.rankers`, `make` builds a fresh ranker and a check raises `AssertionError`
with the broken promise in words.

>>> from saccade import rankers
>>> check_bag_ranker(lambda: rankers.make("mi-online", features=64))
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from saccade.checks.rankers import _refuses, _same, _stored
from saccade.contracts import BagRanker, OnlineBagRanker
from saccade.types import Phi

Make = Callable[[], BagRanker]
Check = Callable[[Make], None]

_COLUMNS = 5


def _world(seed: int, count: int = 24) -> tuple[list[Phi], list[tuple[int, int]]]:
    """Bags of 1 to 6 regions in which every region grows with the bag's place; noise beside it."""
    rng = np.random.default_rng(seed)
    bags = []
    for place in range(count):
        bag = rng.uniform(-0.1, 0.1, (int(rng.integers(1, 7)), _COLUMNS)).astype(np.float32)
        bag[:, 0] += np.float32(4.0 * place / count)
        bags.append(bag)
    return bags, [(i, j) for i in range(count) for j in range(count) if i > j + 2]


def _fitted(make: Make, seed: int = 1) -> BagRanker:
    model = make()
    assert model.fit_bags(*_world(seed)) is model, "fit_bags must give the ranker back"
    return model


def _online(make: Make) -> OnlineBagRanker:
    model = make()
    assert isinstance(model, OnlineBagRanker), f"{type(model).__name__} has no learn_bags"
    return model


def check_has_the_verbs(make: Make) -> None:
    """It has name, fit_bags, score_bags, relevance, dump and load, and its state has its name."""
    model = make()
    assert isinstance(model, BagRanker), f"{type(model).__name__} lacks a method of BagRanker"
    assert model.dump().kind == model.name, "dump().kind is not the ranker's name"


def check_works_before_learning(make: Make) -> None:
    """A fresh ranker gives every bag the same finite score, and every region a relevance."""
    bags, _ = _world(2)
    scores = make().score_bags(bags)
    assert scores.shape == (len(bags),), f"{scores.shape} for {len(bags)} bags"
    assert scores.dtype == np.float32, f"score_bags gave {scores.dtype}, not float32"
    assert (scores == scores[0]).all(), "a fresh ranker prefers some bag"
    assert make().score_bags([]).shape == (0,), "no bags must give no scores"
    assert make().relevance(bags[0]).tolist() == [1.0] * len(bags[0]), "no region stands out yet"


def check_orders_a_separable_world(make: Make) -> None:
    """Where all regions grow with the bag's worth, unseen bags are ordered by it."""
    bags, pairs = _world(3)
    scores = _fitted(make).score_bags(bags)
    right = np.mean([scores[i] > scores[j] for i, j in pairs])
    assert right > 0.98, f"{right:.3f} of the pairs of unseen bags in the right order"


def check_scoring_is_pure(make: Make) -> None:
    """Scoring changes neither the ranker nor the bags, and repeats itself."""
    model = _fitted(make)
    bags, _ = _world(4)
    copies, before = [bag.copy() for bag in bags], model.dump()
    first, second = model.score_bags(bags), model.score_bags(bags)
    model.relevance(bags[0])
    assert np.array_equal(first, second), "the same bags scored twice gave two answers"
    assert all(map(np.array_equal, bags, copies)), "scoring changed the bags it was given"
    assert _same(before, model.dump()), "scoring changed the ranker"


def check_bags_are_scored_by_themselves(make: Make) -> None:
    """A bag's score depends neither on the bags beside it nor on the order of its regions."""
    model = _fitted(make)
    bags, _ = _world(5)
    whole = model.score_bags(bags)
    alone = np.concatenate([model.score_bags([bag]) for bag in bags])
    assert np.array_equal(whole, alone), "bags scored one by one differ from bags together"
    turned = model.score_bags([bag[::-1] for bag in bags])
    assert np.allclose(whole, turned, rtol=1e-5, atol=1e-6), "the order of regions counts"
    twice = model.score_bags([np.concatenate([bag, bag]) for bag in bags])
    assert np.allclose(whole, twice, rtol=1e-5, atol=1e-6), "each region twice is another bag"


def check_relevance_runs_from_0_to_1(make: Make) -> None:
    """The least region of a bag has 0, the most 1, in the order of what made bags better."""
    model = _fitted(make)
    bag = np.zeros((4, _COLUMNS), np.float32)
    bag[:, 0] = [1.0, 3.0, 0.0, 2.0]
    shown = model.relevance(bag)
    assert shown.dtype == np.float32, f"relevance gave {shown.dtype}, not float32"
    assert shown.min() == 0.0, f"the least relevance is {shown.min()}"
    assert shown.max() == 1.0, f"the highest relevance is {shown.max()}"
    assert np.argsort(shown).tolist() == [2, 0, 3, 1], "the better region is not the more relevant"
    assert model.relevance(bag[:1]).tolist() == [1.0], "a region alone is all there is"


def check_state_survives(make: Make) -> None:
    """Dump and load keep every bit, before and after fitting."""
    bags, _ = _world(6)
    for model in (make(), _fitted(make)):
        state = _stored(model.dump())
        again = type(model).load(state)
        assert _same(state, again.dump()), "load then dump gave another state"
        same = np.array_equal(model.score_bags(bags), again.score_bags(bags))
        assert same, "a loaded ranker scores otherwise"


def check_fit_is_deterministic(make: Make) -> None:
    """Two fits on the same bags give the same state, and a second fit starts afresh."""
    model = _fitted(make)
    before = model.dump()
    assert _same(before, _fitted(make).dump()), "two fits on the same bags differ"
    model.fit_bags(*_world(7)).fit_bags(*_world(1))
    assert _same(before, model.dump()), "a second fit remembers the first"


def check_contradictions_are_taken(make: Make) -> None:
    """A cycle of preferences and both orders of one pair are learned from, finitely."""
    bags, _ = _world(8)
    model = make().fit_bags(bags, [(0, 1), (1, 2), (2, 0), (5, 9), (9, 5)])
    assert np.isfinite(model.score_bags(bags)).all(), "a cycle gave a score that is not finite"


def check_bad_bags_are_refused(make: Make) -> None:
    """NaN, no regions, another width, a pair out of range or with itself: refused, no change."""
    bags, pairs = _world(1)
    model = _fitted(make)
    before = model.dump()
    broken = bags[0].copy()
    broken[0, 2] = np.nan
    for bad, what in (
        (broken, "a NaN"),
        (bags[0][:0], "a bag without regions"),
        (bags[0][:, :-1], "a column too few"),
        (bags[0][0], "a bag of one dimension"),
    ):
        _refuses(f"scoring {what}", model.score_bags, [*bags, bad])
        _refuses(f"fitting {what}", model.fit_bags, [*bags, bad], pairs)
        _refuses(f"relevance of {what}", model.relevance, bad)
    for wrong in ([(0, len(bags))], [(-1, 0)], [(3, 3)], [], [(0, 1, 2)], [(0.5, 1.0)]):
        _refuses(f"pairs {wrong}", model.fit_bags, bags, wrong)
    assert _same(before, model.dump()), "a refused call changed the ranker"


def check_one_by_one_is_many(make: Make) -> None:
    """Preferences learned one by one, in bites and all at once leave the same bits."""
    bags, pairs = _world(9, count=8)
    winners, losers = ([bags[pair[side]] for pair in pairs] for side in (0, 1))
    whole, bites, single = _online(make), _online(make), _online(make)
    whole.learn_bags(winners, losers)
    for first in range(0, len(pairs), 4):
        bites.learn_bags(winners[first : first + 4], losers[first : first + 4])
    for better, worse in zip(winners, losers, strict=True):
        single.learn_bags([better], [worse])
    single.learn_bags([], [])
    assert _same(whole.dump(), bites.dump()), "learning in bites differs from all at once"
    assert _same(whole.dump(), single.dump()), "learning one by one differs from all at once"


def check_a_loaded_learner_goes_on(make: Make) -> None:
    """Dumped between two preferences, loaded and led on: the same bits as without a stop."""
    bags, pairs = _world(10, count=8)
    winners, losers = ([bags[pair[side]] for pair in pairs] for side in (0, 1))
    straight, first = _online(make), _online(make)
    straight.learn_bags(winners, losers)
    first.learn_bags(winners[:5], losers[:5])
    second = type(first).load(_stored(first.dump()))
    second.learn_bags(winners[5:], losers[5:])
    assert _same(straight.dump(), second.dump()), "a loaded learner went on differently"


def check_a_refused_preference_changes_nothing(make: Make) -> None:
    """One bad bag refuses the call, and the learner stays as it was."""
    bags, _ = _world(11)
    model = _online(make)
    model.learn_bags(bags[5:8], bags[:3])
    before = model.dump()
    broken = bags[1].copy()
    broken[0, 0] = np.inf
    _refuses("an infinity", model.learn_bags, [bags[4], broken], bags[:2])
    _refuses("a column too few", model.learn_bags, bags[4:6], [bags[0], bags[1][:, 1:]])
    _refuses("one loser too few", model.learn_bags, bags[4:6], bags[:1])
    assert _same(before, model.dump()), "a refused preference changed the learner"


BAG_CHECKS: tuple[Check, ...] = (
    check_has_the_verbs,
    check_works_before_learning,
    check_orders_a_separable_world,
    check_scoring_is_pure,
    check_bags_are_scored_by_themselves,
    check_relevance_runs_from_0_to_1,
    check_state_survives,
    check_fit_is_deterministic,
    check_contradictions_are_taken,
    check_bad_bags_are_refused,
)
ONLINE_BAG_CHECKS: tuple[Check, ...] = (
    check_one_by_one_is_many,
    check_a_loaded_learner_goes_on,
    check_a_refused_preference_changes_nothing,
)


def checks_for(model: object) -> tuple[Check, ...]:
    """The checks that apply: all bag rankers', and the online ones' if it has `learn_bags`.

    >>> from saccade import rankers
    >>> check_one_by_one_is_many in checks_for(rankers.make("mi-online", features=64))
    True
    """
    return BAG_CHECKS + (ONLINE_BAG_CHECKS if isinstance(model, OnlineBagRanker) else ())


def check_bag_ranker(make: Make) -> None:
    """Run every check that applies."""
    for check in checks_for(make()):
        check(make)
