"""Is it a chooser? Every promise of `saccade.contracts.Chooser`, as a function that raises.

    for check in checks_for(make(3)):
        check(make)

`make(experts)` builds a fresh chooser, the same one each time. A check raises `AssertionError` with
the broken promise in words. `check_chooser(make)` runs all that apply.

>>> from saccade import choosers
>>> check_chooser(lambda experts: choosers.make("hedge", experts=experts))
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import BanditChooser, Chooser, ExpertChooser
from saccade.errors import InvalidInput
from saccade.types import State

Make = Callable[[int], ExpertChooser | BanditChooser]
Check = Callable[[Make], None]

_EXPERTS = 5
_BEST = 3


def _losses(seed: int, rounds: int, *, whole: bool = True) -> NDArray[np.float64]:
    """A stream in which expert `_BEST` loses least, [rounds, experts]."""
    rng = np.random.default_rng(seed)
    chance = np.full(_EXPERTS, 0.7)
    chance[_BEST] = 0.1
    drawn = rng.random((rounds, _EXPERTS))
    return (drawn < chance).astype(np.float64) if whole else drawn * chance


def play(
    chooser: ExpertChooser | BanditChooser, stream: NDArray[np.float64], rng: np.random.Generator
) -> float:
    """Let it meet a stream of losses; returns what it lost (a bandit: what it chose lost).

    >>> from saccade import choosers
    >>> stream = np.tile([0.0, 1.0], (20, 1))
    >>> play(choosers.make("hedge", experts=2), stream, np.random.default_rng(0)) < 10
    True
    """
    lost = 0.0
    for losses in stream:
        if chooser.sees == "all":
            lost += float(chooser.weights @ losses)
            chooser.update(losses)
        else:
            arm, chance = chooser.choose(rng=rng)
            lost += float(losses[arm])
            chooser.update(arm, float(losses[arm]), probability=chance)
    return lost


def _played(make: Make, seed: int = 0, rounds: int = 60) -> ExpertChooser | BanditChooser:
    chooser = make(_EXPERTS)
    play(chooser, _losses(seed, rounds, whole=False), np.random.default_rng(seed))
    return chooser


def _through_json(state: State) -> State:
    """The state as it comes back from disk."""
    arrays = {name: np.array(array) for name, array in state.arrays.items()}
    return State(state.kind, json.loads(json.dumps(dict(state.spec))), arrays)


def _same(first: State, second: State) -> bool:
    return (
        first.kind == second.kind
        and json.dumps(dict(first.spec), sort_keys=True)
        == json.dumps(dict(second.spec), sort_keys=True)
        and first.arrays.keys() == second.arrays.keys()
        and all(
            first.arrays[name].dtype == second.arrays[name].dtype
            and first.arrays[name].tobytes() == second.arrays[name].tobytes()
            for name in first.arrays
        )
    )


def _refuses(what: str, call: Callable[..., object], *arguments: object, **named: object) -> None:
    try:
        call(*arguments, **named)
    except InvalidInput:
        return
    raise AssertionError(f"it accepts {what}")


def _step(chooser: ExpertChooser | BanditChooser, losses: NDArray[np.float64]) -> None:
    """One round with every loss the same way for either kind."""
    if chooser.sees == "all":
        chooser.update(losses)
    else:
        chooser.update(_BEST, losses[_BEST], probability=0.5)


def _expert(chooser: ExpertChooser | BanditChooser) -> ExpertChooser:
    assert chooser.sees == "all", f"{chooser.name} does not see every loss"
    return chooser


def _bandit(chooser: ExpertChooser | BanditChooser) -> BanditChooser:
    assert chooser.sees == "one", f"{chooser.name} sees every loss"
    return chooser


def check_has_the_verbs(make: Make) -> None:
    """It has the names of the contract, and says what it learns from."""
    chooser = make(_EXPERTS)
    assert isinstance(chooser, Chooser), "it lacks a verb of saccade.contracts.Chooser"
    assert callable(getattr(chooser, "update", None)), "it has no update"
    assert chooser.sees in ("all", "one"), f"sees is {chooser.sees!r}, not 'all' or 'one'"
    assert chooser.experts == _EXPERTS, "experts is not the number it was made with"


def check_weights_are_chances(make: Make) -> None:
    """Weights are finite, from 0 on and sum to 1: fresh, and after a long and one-sided run."""
    for chooser in (make(_EXPERTS), _played(make)):
        _are_chances(chooser.weights, _EXPERTS)
    chooser = make(_EXPERTS)
    for _ in range(3000):
        _step(chooser, np.array([1.0, 1.0, 1.0, 0.0, 1.0]))
    _are_chances(chooser.weights, _EXPERTS)


def _are_chances(weights: NDArray[np.float64], experts: int) -> None:
    assert weights.shape == (experts,), f"weights have shape {weights.shape}"
    assert weights.dtype == np.float64, f"weights are {weights.dtype}"
    assert np.isfinite(weights).all(), "a weight is not finite"
    assert (weights >= 0.0).all(), "a weight is negative"
    assert abs(float(weights.sum()) - 1.0) < 1e-9, f"weights sum to {weights.sum()}"


def check_looking_changes_nothing(make: Make) -> None:
    """Weights, choice, regret and bound leave the state alone; what they give can be written on."""
    chooser = _played(make)
    before = chooser.dump()
    chooser.weights[:] = 0.0
    chooser.losses[:] = 0.0
    chooser.choose(rng=np.random.default_rng(3))
    _ = chooser.regret, chooser.bound()
    before.arrays["losses"].copy()
    assert _same(before, chooser.dump()), "looking at it changed it"
    next(iter(chooser.dump().arrays.values()))[...] = 7
    assert _same(before, chooser.dump()), "its dump is its own memory"


def check_choices_follow_the_weights(make: Make) -> None:
    """An expert is chosen as often as its weight says, and the chance told is that weight."""
    chooser = _played(make)
    weights, rng = chooser.weights, np.random.default_rng(11)
    draws = 4000
    counts = np.zeros(_EXPERTS)
    for _ in range(draws):
        arm, chance = chooser.choose(rng=rng)
        assert chance == weights[arm], "the chance told is not the weight"
        counts[arm] += 1
    # Five standard deviations: one run in a million fails by chance, and the seed is fixed.
    slack = 5.0 * np.sqrt(weights * (1.0 - weights) / draws) + 1.0 / draws
    assert (np.abs(counts / draws - weights) <= slack).all(), "choices do not follow the weights"


def check_the_same_draw_gives_the_same_choice(make: Make) -> None:
    """Chance comes from `rng` alone."""
    chooser = _played(make)
    first, second = (
        [chooser.choose(rng=rng) for _ in range(30)]
        for rng in (np.random.default_rng(5), np.random.default_rng(5))
    )
    assert first == second, "the same rng gives another choice"
    _refuses("no rng", chooser.choose, rng=None)


def check_the_absent_are_not_chosen(make: Make) -> None:
    """Among those present, weights are chances again and the others' are 0; nobody is refused."""
    chooser, rng = _played(make), np.random.default_rng(7)
    present = np.array([True, False, True, False, True])
    weights = chooser.among(present)
    _are_chances(weights, _EXPERTS)
    assert (weights[~present] == 0.0).all(), "an absent expert has a weight"
    for _ in range(200):
        arm, chance = chooser.choose(rng=rng, present=present)
        assert present[arm], "an absent expert was chosen"
        assert chance == weights[arm], "the chance told is not the weight among those present"
    _refuses("that nobody is present", chooser.among, np.zeros(_EXPERTS, np.bool_))
    _refuses("one expert too many", chooser.among, np.ones(_EXPERTS + 1, np.bool_))


def check_exploration_can_be_bounded_and_switched_off(make: Make) -> None:
    """All but the heaviest have the chance allowed at most, in what is told and what is drawn."""
    chooser, rng = _played(make), np.random.default_rng(13)
    weights = chooser.weights
    heaviest = int(weights.argmax())
    for _ in range(50):
        assert chooser.choose(rng=rng, exploring=0.0) == (heaviest, 1.0), "it explores all the same"
    share = (1.0 - weights[heaviest]) / 2.0
    drawn = [chooser.choose(rng=rng, exploring=share) for _ in range(2000)]
    strayed = sum(arm != heaviest for arm, _ in drawn) / len(drawn)
    slack = 5.0 * np.sqrt(share / len(drawn))
    assert abs(strayed - share) < slack, "it explores more or less than allowed"
    expected = np.where(np.arange(_EXPERTS) == heaviest, 1.0 - share, weights / 2.0)
    truthful = all(abs(chance - expected[arm]) < 1e-12 for arm, chance in drawn)
    assert truthful, "the chance told is not that of the draw"
    for bad in (-0.1, 1.1, np.nan):
        _refuses(f"exploring={bad}", chooser.choose, rng=rng, exploring=bad)


def check_state_survives(make: Make) -> None:
    """Dumped, through JSON, loaded: the same bits, and it goes on as it would have."""
    for rounds in (0, 1, 7, 64):
        chooser = _played(make, seed=rounds, rounds=rounds)
        loaded = type(chooser).load(_through_json(chooser.dump()))
        assert _same(chooser.dump(), loaded.dump()), "a loaded chooser is not the dumped one"
        stream = _losses(rounds + 1, 20, whole=False)
        for one in (chooser, loaded):
            play(one, stream, np.random.default_rng(1))
        assert _same(chooser.dump(), loaded.dump()), "a loaded chooser goes on otherwise"


def check_a_copy_goes_its_own_way(make: Make) -> None:
    """A twin is the same, and what it learns does not reach the first; nor the other way round."""
    chooser = _played(make)
    before = chooser.dump()
    twin = chooser.copy()
    assert _same(before, twin.dump()), "a copy differs"
    play(twin, _losses(9, 20, whole=False), np.random.default_rng(9))
    assert _same(before, chooser.dump()), "what a copy learned reached the first"
    second = chooser.copy()
    play(chooser, _losses(9, 20, whole=False), np.random.default_rng(9))
    assert _same(before, second.dump()), "what the first learned reached a copy"
    assert _same(twin.dump(), chooser.dump()), "a copy learns otherwise"


def check_replay_gives_the_same_bits(make: Make) -> None:
    """The same rounds give the same state again."""
    assert _same(_played(make, 4).dump(), _played(make, 4).dump()), "a replay differs"


def check_it_finds_the_best(make: Make) -> None:
    """After 3,000 rounds with one expert far ahead, that one has most of the weight."""
    chooser = make(_EXPERTS)
    play(chooser, _losses(21, 3000), np.random.default_rng(21))
    weight = float(chooser.weights[_BEST])
    assert weight > 0.5, f"the best expert of a clear stream weighs {weight:.2f}"


def check_the_books_are_right(make: Make) -> None:
    """`rounds` counts updates, `served` what was lost, and regret is served less the best's."""
    chooser = make(_EXPERTS)
    stream = _losses(8, 50, whole=False)
    lost = play(chooser, stream, np.random.default_rng(8))
    assert chooser.rounds == 50, f"{chooser.rounds} rounds in place of 50"
    assert abs(chooser.served - lost) < 1e-9, "served is not what was lost"
    gap = chooser.served - chooser.losses.min()
    assert abs(chooser.regret - gap) < 1e-9, "regret is not served less the best's losses"


def check_one_expert_is_served(make: Make) -> None:
    """With one expert there is no choice, no regret, and nothing to divide by."""
    chooser = make(1)
    for loss in (0.0, 1.0, 0.5):
        assert chooser.choose(rng=np.random.default_rng(0)) == (0, 1.0), "not the one there is"
        if chooser.sees == "all":
            chooser.update([loss])
        else:
            chooser.update(0, loss, probability=1.0)
    assert chooser.weights.tolist() == [1.0], "the only expert does not weigh 1"
    assert chooser.regret == 0.0, "regret against the only expert"


def check_wrong_input_is_refused(make: Make) -> None:
    """Losses out of range and the like raise InvalidInput and change nothing."""
    chooser = _played(make)
    before = chooser.dump()
    for bad in (np.nan, np.inf, -0.001, 1.001):
        losses = np.full(_EXPERTS, 0.5)
        losses[_BEST] = bad
        _refuses(f"a loss of {bad}", _step, chooser, losses)
    if chooser.sees == "all":
        _refuses("a loss too few", chooser.update, np.zeros(_EXPERTS - 1))
        _refuses("losses that are no numbers", chooser.update, ["bad"] * _EXPERTS)
    else:
        for chance in (0.0, -0.1, 1.1, np.nan, None):
            _refuses(f"a probability of {chance}", chooser.update, 0, 0.5, probability=chance)
        for arm in (-1, _EXPERTS, 1.5, None):
            _refuses(f"arm {arm}", chooser.update, arm, 0.5, probability=0.5)
    for experts in (0, -1, 2.5, True):
        _refuses(f"{experts} experts", make, experts)
    assert _same(before, chooser.dump()), "refused input changed it"


def check_absent_experts_keep_their_share(make: Make) -> None:
    """An expert that was away is charged what was served: its weight stays, the others move."""
    chooser = _expert(make(_EXPERTS))
    play(chooser, _losses(2, 20, whole=False), np.random.default_rng(2))
    steady = _expert(make(_EXPERTS))
    play(steady, _losses(2, 20, whole=False), np.random.default_rng(2))
    present = np.array([True, True, False, True, True])
    losses = np.array([1.0, 0.0, np.nan, 0.0, 1.0])
    served = float(chooser.among(present)[present] @ losses[present])
    chooser.update(losses, present=present)
    charged = np.where(present, losses, served)
    steady.update(charged)
    assert np.allclose(chooser.weights, steady.weights, rtol=1e-12), "staying away pays or costs"
    assert abs(chooser.served - steady.served) < 1e-12, "what was served is not those present's"


def check_nobody_there_changes_nothing(make: Make) -> None:
    """A round in which every expert failed teaches nothing."""
    chooser = _expert(_played(make))
    before = chooser.dump()
    chooser.update(np.full(_EXPERTS, np.nan), present=np.zeros(_EXPERTS, np.bool_))
    assert _same(before, chooser.dump()), "a round without experts changed it"


def check_a_late_reaction_counts_with_its_own_chance(make: Make) -> None:
    """Estimates use the probability given, not the newest one: a rare page counts for more."""
    often, rarely = _bandit(make(_EXPERTS)), _bandit(make(_EXPERTS))
    for chooser, chance in ((often, 0.8), (rarely, 0.2)):
        play(chooser, _losses(6, 30, whole=False), np.random.default_rng(6))
        before = chooser.losses[1]
        chooser.update(1, 0.6, probability=chance)
        gained = chooser.losses[1] - before
        assert abs(gained - 0.6 / chance) < 1e-9, "the loss was not weighed with its own chance"


def check_only_the_served_one_moves(make: Make) -> None:
    """A reaction changes the books of its own arm alone."""
    chooser = _bandit(_played(make))
    before = chooser.losses
    chooser.update(2, 1.0, probability=0.3)
    others = np.arange(_EXPERTS) != 2
    assert np.array_equal(chooser.losses[others], before[others]), "another arm was charged"


CHOOSER_CHECKS: tuple[Check, ...] = (
    check_has_the_verbs,
    check_weights_are_chances,
    check_looking_changes_nothing,
    check_choices_follow_the_weights,
    check_the_same_draw_gives_the_same_choice,
    check_the_absent_are_not_chosen,
    check_exploration_can_be_bounded_and_switched_off,
    check_state_survives,
    check_a_copy_goes_its_own_way,
    check_replay_gives_the_same_bits,
    check_it_finds_the_best,
    check_the_books_are_right,
    check_one_expert_is_served,
    check_wrong_input_is_refused,
)
EXPERT_CHECKS: tuple[Check, ...] = (
    check_absent_experts_keep_their_share,
    check_nobody_there_changes_nothing,
)
BANDIT_CHECKS: tuple[Check, ...] = (
    check_a_late_reaction_counts_with_its_own_chance,
    check_only_the_served_one_moves,
)


def checks_for(chooser: ExpertChooser | BanditChooser) -> tuple[Check, ...]:
    """The checks that apply: all choosers', and those of its kind.

    >>> from saccade import choosers
    >>> check_it_finds_the_best in checks_for(choosers.make("hedge", experts=3))
    True
    """
    return CHOOSER_CHECKS + (EXPERT_CHECKS if chooser.sees == "all" else BANDIT_CHECKS)


def check_chooser(make: Make) -> None:
    """Run every check that applies."""
    for check in checks_for(make(_EXPERTS)):
        check(make)
