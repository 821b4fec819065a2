"""Is it a ranker by labels? Every promise of `saccade.contracts.LabelRanker`, as a check.

    for check in checks_for(make()):
        check(make)

As in `saccade.checks.rankers`, `make` builds a fresh ranker and a check raises `AssertionError`
with the broken promise in words.

>>> from saccade import rankers
>>> check_label_ranker(lambda: rankers.make("hybrid-online"))
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from saccade.checks.rankers import _refuses, _same, _stored
from saccade.contracts import LabelRanker, OnlineLabelRanker
from saccade.types import Array, Phi

Make = Callable[[], LabelRanker]
Check = Callable[[Make], None]

_COLUMNS = 11
KINDS = ("points", "ordered", "similar")
_TEACHING = ("points", "ordered")  # kinds that say which way is up


def _world(seed: int, count: int = 40) -> dict[str, tuple[Array, Array]]:
    """Labels of a world that column 0 orders without a fault; the other columns are noise."""
    rng = np.random.default_rng(seed)

    def rows(n: int) -> Phi:
        drawn = rng.uniform(-0.1, 0.1, (n, _COLUMNS)).astype(np.float32)
        drawn[:, 0] = rng.uniform(0.2, 1.0, n) * rng.choice([-1.0, 1.0], n)
        return drawn

    X, A, B, C = rows(count), rows(2 * count), rows(2 * count), rows(count)
    apart = np.abs(A[:, 0] - B[:, 0]) > 0.3
    A, B = A[apart], B[apart]
    swap = A[:, 0] < B[:, 0]
    more, less = np.where(swap[:, None], B, A), np.where(swap[:, None], A, B)
    D = C.copy()
    D[:, 1:] = rows(count)[:, 1:]
    return {
        "points": (X, np.where(X[:, 0] > 0, 1, -1)),
        "ordered": (more, less),
        "similar": (C, D),
    }


def _fitted(make: Make, *kinds: str, seed: int = 1) -> LabelRanker:
    model = make()
    labels = {kind: _world(seed)[kind] for kind in kinds or KINDS}
    assert model.fit_labels(**labels) is model, "fit_labels must give the ranker back"
    return model


def _online(make: Make) -> OnlineLabelRanker:
    model = make()
    assert isinstance(model, OnlineLabelRanker), f"{type(model).__name__} has no learn_labels"
    return model


def check_has_the_verbs(make: Make) -> None:
    """It has name, hears, fit_labels, score, dump and load, and its state carries its name."""
    model = make()
    assert isinstance(model, LabelRanker), f"{type(model).__name__} lacks a method of LabelRanker"
    assert model.dump().kind == model.name, "dump().kind is not the ranker's name"
    assert model.hears <= set(KINDS), "it hears a kind of label that there is not"


def check_works_before_learning(make: Make) -> None:
    """A fresh ranker, and one that was given no label, score any rows with the same number."""
    rows = _world(2)["points"][0]
    empty = make()
    empty.fit_labels()
    for model in (make(), empty):
        scores = model.score(rows)
        assert scores.shape == (len(rows),), f"score gave shape {scores.shape}"
        assert scores.dtype == np.float32, f"score gave {scores.dtype}, not float32"
        assert (scores == scores[0]).all(), "a ranker that knows nothing prefers some rows"
        assert model.score(rows[:0]).shape == (0,), "no rows must give no scores"


def check_orders_a_separable_world(make: Make) -> None:
    """Each kind that says which way is up teaches the order alone; so do all kinds together."""
    hears = make().hears
    alone = [(kind,) for kind in _TEACHING if kind in hears]
    for kinds in [*alone, KINDS]:
        if not hears & set(kinds) & set(_TEACHING):
            continue
        model = _fitted(make, *kinds)
        more, less = _world(3)["ordered"]
        right = (model.score(more) > model.score(less)).mean()
        assert right > 0.95, f"taught by {kinds}, it orders {right:.2f} of unseen pairs rightly"


def check_hears_what_it_says_it_hears(make: Make) -> None:
    """A kind it hears changes it; a kind it does not hear changes nothing."""
    rows = _world(4)["points"][0]
    hears = make().hears
    for kind in KINDS:
        others = [other for other in KINDS if other != kind]
        without, with_it = _fitted(make, *others), _fitted(make, *KINDS)
        equal = np.array_equal(without.score(rows), with_it.score(rows))
        assert equal != (kind in hears), (
            f"{kind}: {'ignored' if equal else 'heard'} against `hears`"
        )


def check_any_kind_alone_is_fine(make: Make) -> None:
    """One kind alone, one label alone, one side alone: finite scores, no complaint."""
    world = _world(5)
    rows = world["points"][0]
    for kind in KINDS:
        for size in (1, 2, 40):
            model = make()
            first, second = world[kind]
            model.fit_labels(**{kind: (first[:size], second[:size])})
            assert np.isfinite(model.score(rows)).all(), f"{size} {kind} gave no finite score"
    for side in (-1, 1, 0, 7):
        model = make()
        model.fit_labels(points=(rows, np.full(len(rows), side)))
        assert np.isfinite(model.score(rows)).all(), f"points of {side} alone gave no finite score"


def check_grades_are_ordered(make: Make) -> None:
    """Points may have grades: more of it gets a higher score."""
    if "points" not in make().hears:
        return
    rng = np.random.default_rng(6)
    rows = rng.uniform(-0.1, 0.1, (80, _COLUMNS)).astype(np.float32)
    grades = np.arange(80) % 4
    rows[:, 0] = 0.5 * grades + rng.uniform(0.0, 0.2, 80) - 0.85
    model = make()
    model.fit_labels(points=(rows, grades))
    scores = model.score(rows)
    means = [scores[grades == grade].mean() for grade in range(4)]
    assert (np.diff(means) > 0).all(), f"grades 0 to 3 have mean scores {means}"


def check_score_is_pure(make: Make) -> None:
    """Scoring changes neither ranker nor rows, and repeats itself."""
    model, rows = _fitted(make), _world(7)["points"][0]
    copy, before = rows.copy(), model.dump()
    first, second = model.score(rows), model.score(rows)
    assert np.array_equal(first, second), "the same rows scored twice gave two answers"
    assert np.array_equal(rows, copy), "score changed the rows it was given"
    assert _same(before, model.dump()), "score changed the ranker"


def check_rows_are_scored_by_themselves(make: Make) -> None:
    """A row's score does not depend on the rows beside it, nor on how the array lies in memory."""
    model, rows = _fitted(make), _world(8)["points"][0]
    whole = model.score(rows)
    alone = np.concatenate([model.score(rows[i : i + 1]) for i in range(len(rows))])
    assert np.array_equal(whole, alone), "rows scored one by one differ from rows scored together"
    assert np.array_equal(whole, model.score(np.asfortranarray(rows))), "memory order matters"


def check_state_survives(make: Make) -> None:
    """Dump and load keep every bit, before and after fitting."""
    rows = _world(9)["points"][0]
    for model in (make(), _fitted(make)):
        state = _stored(model.dump())
        again = type(model).load(state)
        assert _same(state, again.dump()), "load then dump gave another state"
        assert np.array_equal(model.score(rows), again.score(rows)), "a loaded ranker differs"


def check_fit_is_deterministic(make: Make) -> None:
    """Two fits on the same labels give the same state, and a second fit starts afresh."""
    model = _fitted(make)
    before = model.dump()
    assert _same(before, _fitted(make).dump()), "two fits on the same labels differ"
    model.fit_labels(**_world(10))
    model.fit_labels(**_world(1))
    assert _same(before, model.dump()), "a second fit remembers the first"


def check_fit_keeps_its_input(make: Make) -> None:
    """Fitting does not change the arrays it is given, and reads them where they are read-only."""
    world, untouched = _world(1), _world(1)
    for kind in KINDS:
        for array in world[kind]:
            array.setflags(write=False)
    make().fit_labels(**world)
    for kind in KINDS:
        for array, copy in zip(world[kind], untouched[kind], strict=True):
            assert np.array_equal(array, copy), f"fit changed its {kind}"


def check_a_picture_beside_itself_says_nothing(make: Make) -> None:
    """Pairs of equal rows change nothing but the count of what was passed over."""
    world = _world(11)
    rows = world["points"][0]
    model, other = make(), make()
    model.fit_labels(**world)
    more, less = world["ordered"]
    left, right = world["similar"]
    twice = {
        "points": world["points"],
        "ordered": (np.concatenate([more, rows]), np.concatenate([less, rows])),
        "similar": (np.concatenate([left, rows]), np.concatenate([right, rows])),
    }
    other.fit_labels(**twice)
    assert np.array_equal(model.score(rows), other.score(rows)), "a pair with itself taught it"


def check_contradictions_cancel(make: Make) -> None:
    """Every pair both ways round: finite, and nowhere near sure of either way."""
    if "ordered" not in make().hears:
        return
    more, less = _world(12)["ordered"]
    model = make()
    model.fit_labels(
        ordered=(np.concatenate([more, less]), np.concatenate([less, more])),
    )
    sure = _fitted(make, "ordered", seed=12)
    gap = np.abs(model.score(more) - model.score(less)).mean()
    assert gap < 0.5 * np.abs(sure.score(more) - sure.score(less)).mean(), (
        "contradicting pairs left it as sure as agreeing ones"
    )


def check_bad_labels_are_refused(make: Make) -> None:
    """NaN, infinity, wrong shapes, grades that are no whole numbers: refused, no change."""
    model, world = _fitted(make), _world(1)
    before = model.dump()
    for kind in KINDS:
        first, second = world[kind]
        for bad in (np.nan, np.inf, -np.inf):
            broken = first.copy()
            broken[3, 4] = bad
            _refuses(f"{kind} with {bad}", model.fit_labels, **{kind: (broken, second)})
        _refuses(f"{kind}, one short", model.fit_labels, **{kind: (first, second[:-1])})
        _refuses(f"{kind} as a lone array", model.fit_labels, **{kind: first})
    rows, signs = world["points"]
    _refuses("half a grade", model.fit_labels, points=(rows, signs + 0.5))
    narrow = tuple(array[:, :-1] for array in world["ordered"])
    _refuses("two widths", model.fit_labels, points=(rows, signs), ordered=narrow)
    _refuses("scoring rows of another width", model.score, rows[:, :-1])
    assert _same(before, model.dump()), "a refused call changed the ranker"


def check_one_by_one_is_many(make: Make) -> None:
    """Labels learned one by one and all at once leave the same bits."""
    for kind in KINDS:
        first, second = _world(13)[kind]
        whole, single = _online(make), _online(make)
        whole.learn_labels(**{kind: (first, second)})
        for i in range(len(first)):
            single.learn_labels(**{kind: (first[i : i + 1], second[i : i + 1])})
        assert _same(whole.dump(), single.dump()), f"{kind}: one by one differs from all at once"


def check_a_loaded_learner_goes_on(make: Make) -> None:
    """Dumped in the middle of a stream, loaded and led on: the same bits as without a stop."""
    world = _world(14)
    straight, first = _online(make), _online(make)
    straight.learn_labels(points=world["points"])
    first.learn_labels(points=world["points"])
    first = type(first).load(_stored(first.dump()))
    for model in (straight, first):
        model.learn_labels(ordered=world["ordered"], similar=world["similar"])
    assert _same(straight.dump(), first.dump()), "a loaded learner went on differently"


def check_a_refused_label_changes_nothing(make: Make) -> None:
    """One bad value in a batch refuses the batch, and the learner stays as it was."""
    world = _world(15)
    model = _online(make)
    model.learn_labels(**world)
    before = model.dump()
    broken = world["ordered"][0].copy()
    broken[-1, 0] = np.nan
    _refuses("NaN", model.learn_labels, ordered=(broken, world["ordered"][1]))
    model.learn_labels()
    assert _same(before, model.dump()), "a refused batch changed the learner"


LABEL_CHECKS: tuple[Check, ...] = (
    check_has_the_verbs,
    check_works_before_learning,
    check_orders_a_separable_world,
    check_hears_what_it_says_it_hears,
    check_any_kind_alone_is_fine,
    check_grades_are_ordered,
    check_score_is_pure,
    check_rows_are_scored_by_themselves,
    check_state_survives,
    check_fit_is_deterministic,
    check_fit_keeps_its_input,
    check_a_picture_beside_itself_says_nothing,
    check_contradictions_cancel,
    check_bad_labels_are_refused,
)
ONLINE_LABEL_CHECKS: tuple[Check, ...] = (
    check_one_by_one_is_many,
    check_a_loaded_learner_goes_on,
    check_a_refused_label_changes_nothing,
)


def checks_for(model: object) -> tuple[Check, ...]:
    """The checks that apply: all label rankers', and the online ones' if it has `learn_labels`.

    >>> from saccade import rankers
    >>> check_one_by_one_is_many in checks_for(rankers.make("hybrid-online"))
    True
    """
    return LABEL_CHECKS + (ONLINE_LABEL_CHECKS if isinstance(model, OnlineLabelRanker) else ())


def check_label_ranker(make: Make) -> None:
    """Run every check that applies."""
    for check in checks_for(make()):
        check(make)
