"""Is it a ranker? Every promise of `saccade.contracts.Ranker`, as a function that raises if broken.

    for check in checks_for(make()):
        check(make)

`make` builds a fresh ranker, the same one each time. A check raises `AssertionError` with the
broken promise in words. `check_ranker(make)` runs all that apply.

>>> from saccade import rankers
>>> check_ranker(lambda: rankers.make("opar1"))
"""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import OnlineRanker, Ranker
from saccade.errors import InvalidInput
from saccade.rankers.objective import Measure
from saccade.types import Array, Phi, Rows, State

Make = Callable[[], Ranker]
Check = Callable[[Make], None]

_COLUMNS = 11  # no multiple of any lane width


def _graded(seed: int, *, queries: int = 12, size: int = 10) -> tuple[Phi, Rows, Rows]:
    """A world that a ranker can order without a fault: column 0 grows with the grade.

    Column 1 is constant and the others are noise; the noise is weaker than one step of grade.
    """
    rng = np.random.default_rng(seed)
    rows = queries * size
    grades = np.tile(np.arange(size) % 3, queries)
    phi = rng.uniform(0.0, 0.1, (rows, _COLUMNS)).astype(np.float32)
    phi[:, 0] = 0.3 * grades + rng.uniform(0.0, 0.1, rows)
    phi[:, 1] = 0.5
    groups = np.repeat(np.arange(queries) * 7 + 3, size)
    shuffled = rng.permutation(rows)  # rows of one query need not lie together
    return phi[shuffled], grades[shuffled], groups[shuffled]


def _pairs(seed: int, count: int = 40) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    winners = rng.random((count, _COLUMNS), dtype=np.float32)
    losers = rng.random((count, _COLUMNS), dtype=np.float32)
    winners[:, 0] += np.float32(0.3)
    return winners, losers


def _same(first: State, second: State) -> bool:
    """Equal spec and equal arrays, bit for bit."""
    return (
        first.kind == second.kind
        and json.dumps(first.spec, sort_keys=True) == json.dumps(second.spec, sort_keys=True)
        and first.arrays.keys() == second.arrays.keys()
        and all(
            first.arrays[key].dtype == second.arrays[key].dtype
            and first.arrays[key].shape == second.arrays[key].shape
            and first.arrays[key].tobytes() == second.arrays[key].tobytes()
            for key in first.arrays
        )
    )


def _stored(state: State) -> State:
    """The state as it comes back from disk: the spec through JSON, the arrays copied."""
    spec = json.loads(json.dumps(state.spec, allow_nan=False))
    return State(state.kind, spec, {key: np.array(value) for key, value in state.arrays.items()})


def _refuses(what: str, call: Callable[..., object], *arguments: object, **named: object) -> None:
    try:
        call(*arguments, **named)
    except InvalidInput:
        return
    raise AssertionError(f"{what} was not refused with InvalidInput")


def _fitted(make: Make) -> Ranker:
    model = make()
    model.fit(*_graded(1))
    return model


def _online(make: Make) -> OnlineRanker:
    model = make()
    assert isinstance(model, OnlineRanker), f"{type(model).__name__} has no learn"
    return model


def check_has_the_verbs(make: Make) -> None:
    """It has name, score, fit, dump and load, and its state carries its name."""
    model = make()
    assert isinstance(model, Ranker), f"{type(model).__name__} lacks a method of Ranker"
    assert model.dump().kind == model.name, "dump().kind is not the ranker's name"


def check_works_before_learning(make: Make) -> None:
    """A fresh ranker scores any rows with finite float32 numbers."""
    phi, _, _ = _graded(2)
    scores = make().score(phi)
    assert scores.shape == (len(phi),), f"score gave shape {scores.shape} for {len(phi)} rows"
    assert scores.dtype == np.float32, f"score gave {scores.dtype}, not float32"
    assert np.isfinite(scores).all(), "a fresh ranker gave a score that is not finite"
    assert make().score(phi[:0]).shape == (0,), "no rows must give no scores"


def check_score_is_pure(make: Make) -> None:
    """Scoring changes neither the ranker nor the rows, and repeats itself."""
    model = _fitted(make)
    phi, _, _ = _graded(3)
    copy, before = phi.copy(), model.dump()
    first, second = model.score(phi), model.score(phi)
    assert np.array_equal(first, second), "the same rows scored twice gave two answers"
    assert np.array_equal(phi, copy), "score changed the rows it was given"
    assert _same(before, model.dump()), "score changed the ranker"


def check_rows_are_scored_by_themselves(make: Make) -> None:
    """A row's score does not depend on the rows beside it, nor on how the array lies in memory."""
    model = _fitted(make)
    phi, _, _ = _graded(4)
    whole = model.score(phi)
    alone = np.concatenate([model.score(phi[i : i + 1]) for i in range(len(phi))])
    assert np.array_equal(whole, alone), "rows scored one by one differ from rows scored together"
    assert np.array_equal(whole, model.score(np.asfortranarray(phi))), "memory order changed scores"
    assert np.array_equal(whole[::2], model.score(phi[::2])), "a strided view changed the scores"


def check_state_survives(make: Make) -> None:
    """Dump and load keep every bit, before and after fitting."""
    phi, _, _ = _graded(5)
    for model in (make(), _fitted(make)):
        state = _stored(model.dump())
        again = type(model).load(state)
        assert _same(state, again.dump()), "load then dump gave another state"
        assert np.array_equal(model.score(phi), again.score(phi)), (
            "a loaded ranker scores otherwise"
        )


def check_fit_orders_a_separable_world(make: Make) -> None:
    """On rows that one column orders without a fault, the fitted ranker reaches NDCG 1."""
    model = _fitted(make)
    for seed in (1, 6):
        phi, grades, groups = _graded(seed)
        order = np.argsort(groups, kind="stable")
        starts = np.append(np.flatnonzero(np.diff(groups[order], prepend=-1)), len(groups))
        value = Measure.parse("ndcg").judge(grades[order], starts).mean(model.score(phi[order]))
        which = "its own rows" if seed == 1 else "rows it has not seen"
        assert value > 1.0 - 1e-9, f"NDCG {value:.4f} instead of 1 on {which}"


def check_fit_is_deterministic(make: Make) -> None:
    """Two fits on the same rows give the same state, and a second fit starts afresh."""
    model = make()
    assert model.fit(*_graded(1)) is model, "fit does not give the ranker back"
    before = model.dump()
    assert _same(before, _fitted(make).dump()), "two fits on the same rows differ"
    model.fit(*_graded(1))
    assert _same(before, model.dump()), "a second fit remembers the first"


def check_fit_keeps_its_input(make: Make) -> None:
    """Fitting does not change the arrays it is given, and takes validation rows."""
    training, validation = _graded(1), _graded(7)
    arrays: tuple[Array, ...] = (*training, *validation)
    copies = [array.copy() for array in arrays]
    make().fit(*training, validation=validation)
    for array, copy in zip(arrays, copies, strict=True):
        assert np.array_equal(array, copy), "fit changed an array it was given"


def check_queries_without_order_teach_nothing(make: Make) -> None:
    """Queries of one document, or of equal grades only, change nothing."""
    phi, grades, groups = _graded(1)
    order = np.argsort(groups, kind="stable")
    phi, grades, groups = phi[order], grades[order], groups[order]
    extra, _, _ = _graded(8, queries=1)
    more = np.concatenate([phi, extra])
    # One lone document, then nine of one grade: both numbered after the others.
    lone = np.concatenate([[10_000], np.full(len(extra) - 1, 10_001)])
    model, other = make(), make()
    model.fit(phi, grades, groups)
    other.fit(more, np.append(grades, np.ones(len(extra), int)), np.append(groups, lone))
    assert np.array_equal(model.score(extra), other.score(extra)), (
        "a query with one document or with equal grades only changed the ranker"
    )


def check_constant_columns_are_harmless(make: Make) -> None:
    """A world with nothing but constant columns can be fitted; its rows all score alike."""
    _, grades, groups = _graded(9)
    phi = np.full((len(grades), _COLUMNS), 0.25, np.float32)
    model = make()
    model.fit(phi, grades, groups)
    scores = model.score(phi)
    assert np.isfinite(scores).all(), "constant columns gave a score that is not finite"
    assert (scores == scores[0]).all(), "equal rows scored differently"


def check_bad_rows_are_refused(make: Make) -> None:
    """NaN, infinity, a wrong number of columns, of grades or of dimensions: refused, no change."""
    phi, grades, groups = _graded(1)
    model = _fitted(make)
    before = model.dump()
    for bad in (np.nan, np.inf, -np.inf):
        broken = phi.copy()
        broken[len(phi) // 2, :] = bad
        _refuses(f"scoring rows with {bad}", model.score, broken)
        _refuses(f"fitting {bad}", model.fit, broken, grades, groups)
    _refuses("one grade too few", model.fit, phi, grades[:-1], groups)
    _refuses("one group too few", model.fit, phi, grades, groups[:-1])
    _refuses("rows of one dimension", model.score, phi[0])
    assert _same(before, model.dump()), "a refused call changed the ranker"


def check_one_by_one_is_many(make: Make) -> None:
    """Pairs learned one by one, in bites and all at once leave the same bits."""
    winners, losers = _pairs(10)
    whole, bites, single = _online(make), _online(make), _online(make)
    whole.learn(winners, losers)
    for first in range(0, len(winners), 7):
        bites.learn(winners[first : first + 7], losers[first : first + 7])
    for i in range(len(winners)):
        single.learn(winners[i : i + 1], losers[i : i + 1])
    assert _same(whole.dump(), bites.dump()), "learning in bites differs from all at once"
    assert _same(whole.dump(), single.dump()), "learning one by one differs from all at once"


def check_a_loaded_learner_goes_on(make: Make) -> None:
    """Dumped in the middle of a stream, loaded, and led on: the same bits as without a stop."""
    winners, losers = _pairs(11)
    straight, first = _online(make), _online(make)
    straight.learn(winners, losers)
    first.learn(winners[:17], losers[:17])
    second = type(first).load(_stored(first.dump()))
    second.learn(winners[17:], losers[17:])
    assert _same(straight.dump(), second.dump()), "a loaded learner went on differently"


def check_zero_difference_changes_nothing(make: Make) -> None:
    """A winner equal to its loser says nothing, and is not even counted."""
    winners, losers = _pairs(12)
    model = _online(make)
    model.learn(winners, losers)
    before = model.dump()
    model.learn(winners, winners)
    model.learn(winners[:0], losers[:0])
    assert _same(before, model.dump()), "pairs of equal rows changed the learner"


def check_bad_pairs_are_refused(make: Make) -> None:
    """One bad value in a batch refuses the batch, and the learner stays as it was."""
    winners, losers = _pairs(13)
    model = _online(make)
    model.learn(winners, losers)
    before = model.dump()
    for bad in (np.nan, np.inf, -np.inf):
        for column in (0, _COLUMNS - 1):
            broken = winners.copy()
            broken[-3, column] = bad
            _refuses(f"a winner with {bad}", model.learn, broken, losers)
            _refuses(f"a loser with {bad}", model.learn, losers, broken)
            _refuses(f"{bad} at the start", _online(make).learn, broken, losers)
    _refuses("one loser too few", model.learn, winners, losers[:-1])
    _refuses("one column too few", model.learn, winners, losers[:, :-1])
    assert _same(before, model.dump()), "a refused batch changed the learner"


def check_learning_keeps_its_input(make: Make) -> None:
    """Learning does not change the arrays it is given, and reads them where they are read-only."""
    winners, losers = _pairs(14)
    copies = winners.copy(), losers.copy()
    winners.setflags(write=False)
    losers.setflags(write=False)
    _online(make).learn(winners, losers)
    assert np.array_equal(winners, copies[0]), "learn changed its winners"
    assert np.array_equal(losers, copies[1]), "learn changed its losers"


RANKER_CHECKS: tuple[Check, ...] = (
    check_has_the_verbs,
    check_works_before_learning,
    check_score_is_pure,
    check_rows_are_scored_by_themselves,
    check_state_survives,
    check_fit_orders_a_separable_world,
    check_fit_is_deterministic,
    check_fit_keeps_its_input,
    check_queries_without_order_teach_nothing,
    check_constant_columns_are_harmless,
    check_bad_rows_are_refused,
)
ONLINE_CHECKS: tuple[Check, ...] = (
    check_one_by_one_is_many,
    check_a_loaded_learner_goes_on,
    check_zero_difference_changes_nothing,
    check_bad_pairs_are_refused,
    check_learning_keeps_its_input,
)


def checks_for(model: object) -> tuple[Check, ...]:
    """The checks that apply: all rankers', and the online ones' if it has `learn`.

    >>> from saccade import rankers
    >>> len(checks_for(rankers.make("opar1"))) > len(checks_for(rankers.make("ranksvm")))
    True
    """
    return RANKER_CHECKS + (ONLINE_CHECKS if isinstance(model, OnlineRanker) else ())


def check_ranker(make: Make, *, learns: bool = True) -> None:
    """Run every check that applies.

    `learns=False` leaves out the separable world, for baselines that rank without learning.
    """
    for check in checks_for(make()):
        if learns or check is not check_fit_orders_a_separable_world:
            check(make)
