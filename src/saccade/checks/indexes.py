"""Is it an index? Every promise of `saccade.contracts.Index`, as a function that raises if broken.

    for check in INDEX_CHECKS:
        check(make)

`make(dimension)` builds an empty index, the same one each time. A check raises `AssertionError`
with the broken promise in words. `check_index(make)` runs them all.

>>> from saccade import indexes
>>> check_index(lambda dimension: indexes.make("lsh", dimension))
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Index
from saccade.errors import InvalidInput
from saccade.types import Rows, Scores

Make = Callable[[int], Index]
Check = Callable[[Make], None]

_DIMENSION = 13  # no multiple of any lane width


def _world(seed: int = 0, count: int = 150) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Unit vectors around ten directions, under scattered rows."""
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((10, _DIMENSION))
    vectors = centers[np.arange(count) % 10] + 0.05 * rng.standard_normal((count, _DIMENSION))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = rng.permutation(4 * count)[:count]
    return rows.astype(np.int64), vectors.astype(np.float32)


def _filled(make: Make) -> tuple[Index, NDArray[np.int64], NDArray[np.float32]]:
    rows, vectors = _world()
    index = make(_DIMENSION)
    index.add(rows, vectors)
    return index, rows, vectors


def check_answers_have_their_types(make: Make) -> None:
    """Rows are int64, similarities finite float32, as many of the one as of the other."""
    index, _, vectors = _filled(make)
    rows, similarities = index.search(vectors[3], 7)
    assert rows.dtype == np.int64, f"rows are {rows.dtype}, not int64"
    assert similarities.dtype == np.float32, f"similarities are {similarities.dtype}, not float32"
    assert rows.shape == similarities.shape == (7,), "rows and similarities differ in number"
    assert np.isfinite(similarities).all(), "a similarity is not finite"


def check_short_and_never_padded(make: Make) -> None:
    """An empty index finds nothing; a large k finds no more than there is, each row once."""
    vectors = _world()[1]
    rows, similarities = make(_DIMENSION).search(vectors[0], 5)
    assert len(rows) == len(similarities) == 0, "an empty index found something"
    index, added, _ = _filled(make)
    rows, similarities = index.search(vectors[0], 10 * len(added))
    assert len(rows) <= len(added), "more rows came back than went in"
    assert len(set(rows.tolist())) == len(rows), "a row came twice"
    assert set(rows.tolist()) <= set(added.tolist()), "a row came back that never went in"


def check_best_first(make: Make) -> None:
    """Similarities never rise along an answer."""
    index, _, vectors = _filled(make)
    for query in vectors[:10]:
        similarities = index.search(query, 40)[1]
        assert (np.diff(similarities) <= 0).all(), "a later similarity is higher than an earlier"


def check_a_shorter_answer_is_the_head_of_a_longer(make: Make) -> None:
    """Asking for fewer gives the same rows, cut."""
    index, _, vectors = _filled(make)
    for query in vectors[:10]:
        longer, shorter = index.search(query, 30)[0], index.search(query, 4)[0]
        assert longer[:4].tolist() == shorter.tolist(), "k changes which rows come first"


def check_ties_go_to_the_lower_row(make: Make) -> None:
    """Equal vectors come in the order of their rows, however they were added."""
    vectors = np.repeat(_world()[1][:1], 6, axis=0)
    index = make(_DIMENSION)
    index.add(np.array([9, 3, 11]), vectors[:3])
    index.add(np.array([4, 1, 30]), vectors[3:])
    assert index.search(vectors[0], 6)[0].tolist() == [1, 3, 4, 9, 11, 30], "ties by another order"
    assert index.search(vectors[0], 2)[0].tolist() == [1, 3], "a cut tie keeps a higher row"


def check_piece_by_piece_equals_at_once(make: Make) -> None:
    """Adding one by one, or in another order, gives the same answers to the bit."""
    whole, rows, vectors = _filled(make)
    pieces = make(_DIMENSION)
    for place in reversed(range(len(rows))):
        pieces.add(rows[place : place + 1], vectors[place : place + 1])
    for query in vectors[:10]:
        _equal(whole.search(query, 20), pieces.search(query, 20), "adding in pieces")


def check_same_every_time(make: Make) -> None:
    """Two indexes built alike answer alike, and asking changes nothing."""
    first, _, vectors = _filled(make)
    second = _filled(make)[0]
    before = first.search(vectors[0], 20)
    first.search(vectors[1], 3)
    _equal(before, first.search(vectors[0], 20), "another search")
    _equal(before, second.search(vectors[0], 20), "building it again")


def check_the_neighbourhood_is_found(make: Make) -> None:
    """Among ten tight groups, at least nine in ten of the nearest are of the query's own group."""
    index, rows, vectors = _filled(make)
    group = {int(row): place % 10 for place, row in enumerate(rows)}
    right = [
        group[int(row)] == place % 10
        for place in range(40)
        for row in index.search(vectors[place], 10)[0]
    ]
    assert np.mean(right) >= 0.9, f"only {np.mean(right):.0%} of the nearest are of the right group"


def check_wrong_input_is_refused(make: Make) -> None:
    """Shapes, numbers and rows that cannot be raise InvalidInput and change nothing."""
    index, rows, vectors = _filled(make)
    before = index.search(vectors[0], 20)
    nan = np.full((1, _DIMENSION), np.nan, np.float32)
    new = np.array([10_000])
    _refused("vectors of another length", index.add, new, vectors[:1, :5])
    _refused("more vectors than rows", index.add, new, vectors[:2])
    _refused("a vector that is not a number", index.add, new, nan)
    _refused("a row that is in the index already", index.add, rows[:1], vectors[:1])
    _refused("a row given twice", index.add, np.array([10_001, 10_001]), vectors[:2])
    _refused("a query of another length", index.search, vectors[0, :5], 3)
    _refused("a query that is not a number", index.search, nan[0], 3)
    _refused("k = 0", index.search, vectors[0], 0)
    _equal(before, index.search(vectors[0], 20), "refused input")


def _equal(first: tuple[Rows, Scores], second: tuple[Rows, Scores], what: str) -> None:
    assert first[0].tolist() == second[0].tolist(), f"{what} changes the rows of an answer"
    assert first[1].tolist() == second[1].tolist(), f"{what} changes the similarities of an answer"


def _refused(what: str, call: Callable[..., object], *arguments: object) -> None:
    try:
        call(*arguments)
    except InvalidInput:
        return
    raise AssertionError(f"{what} was accepted")


INDEX_CHECKS: tuple[Check, ...] = (
    check_answers_have_their_types,
    check_short_and_never_padded,
    check_best_first,
    check_a_shorter_answer_is_the_head_of_a_longer,
    check_ties_go_to_the_lower_row,
    check_piece_by_piece_equals_at_once,
    check_same_every_time,
    check_the_neighbourhood_is_found,
    check_wrong_input_is_refused,
)


def check_index(make: Make) -> None:
    """Run every check."""
    for check in INDEX_CHECKS:
        check(make)
