"""What somebody sends, checked, and turned into numbers that lists can be compared by.

    a feature    standard deviations from the mean of the list, bent to stay within ± 4
    a vector     its direction, less the mean of the list's, so that their lengths average one
    a likeness   the cosine of the query's vector and a candidate's, as a feature

What a candidate lacks tells nothing: it stands at the mean. Where the list says nothing of a thing
(all alike), everybody stands there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.choosers.guard import standard
from saccade.engine.candidates.records import (
    FEATURE,
    GIVEN,
    LIKE,
    LONGEST,
    MOST_WIDTH,
    VECTOR,
    CandidateColumn,
    CandidateList,
)
from saccade.engine.names import check_name
from saccade.errors import InvalidInput
from saccade.types import Candidate, Numbers, Vectors

MOST = 5_000
"""Candidates of one list."""
MOST_FEATURES, MOST_VECTORS = 1_000, 8
"""Names of features and of vectors, over all candidates of a list."""
MOST_NUMBERS = 2_000_000
"""Of one list in all: candidates × numbers of each."""
LARGEST = 1e100
"""A feature may be as large as this; its square is still a number."""

Given = Candidate | Mapping[str, object]
_FIELDS = frozenset(("id", "image_id", "features", "vectors"))


@dataclass(frozen=True, slots=True, eq=False)
class SeenPictures:
    """What the collection knows of candidates that are pictures of it, by place in the list."""

    likeness: Mapping[int, float] = field(default_factory=dict)
    """How well each fits the query, where there is one."""
    vectors: Mapping[str, Mapping[int, Vectors]] = field(default_factory=dict)
    """By name of a descriptor."""


PICTURE = "picture"
"""The name of the likeness that the collection itself tells."""


def key(text: str | None) -> str:
    """What was asked for, so that the same question has the same name: without case and spaces.

    >>> key("  Red   Shoes ")
    'red shoes'
    """
    if text is None:
        return ""
    if not isinstance(text, str):
        raise InvalidInput(f"the text of a query is no {type(text).__name__}")
    plain = " ".join(text.split()).casefold()
    return check_name("the text of a query", plain, longest=LONGEST) if plain else ""


def candidates_of(given: Sequence[Given]) -> tuple[Candidate, ...]:
    """Candidates as records, each with an id of its own; anything else is an error."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Sequence):
        raise InvalidInput(f"candidates are a list, not a {type(given).__name__}")
    if not given:
        raise InvalidInput("there are no candidates", hint="send one at least")
    if len(given) > MOST:
        raise InvalidInput(
            f"{len(given):,} candidates are more than {MOST:,}",
            hint="send those that your engine holds to be the best",
        )
    out = tuple(_candidate(one, place) for place, one in enumerate(given))
    ids: dict[str, int] = {}
    for place, one in enumerate(out):
        before = ids.setdefault(one.id, place)
        if before != place:
            raise InvalidInput(
                f"candidates {before + 1} and {place + 1} have the same id {one.id!r}",
                hint="send each once",
            )
    return out


def _candidate(given: Given, place: int) -> Candidate:
    # Asked thousands of times a second: the usual kinds first, which cost nothing to tell.
    if not isinstance(given, Candidate):
        given = _from_mapping(given, place)
    name = given.id or given.image_id
    if not name:
        raise InvalidInput(
            f"candidate {place + 1} has no id",
            hint="send your own as id, or that of a picture of the collection as image_id",
        )
    check_name(f"id of candidate {place + 1}:", name, longest=LONGEST)
    for what, one in (("features", given.features), ("vectors", given.vectors)):
        if type(one) is not dict and not isinstance(one, Mapping):
            raise InvalidInput(f"candidate {name!r}: its {what} are no names with values")
    return given if given.id else Candidate(name, given.image_id, given.features, given.vectors)


def _from_mapping(given: object, place: int) -> Candidate:
    if not isinstance(given, Mapping):
        raise InvalidInput(f"candidate {place + 1} is a {type(given).__name__}, and no candidate")
    strange = [name for name in given if name not in _FIELDS]
    if strange:
        raise InvalidInput(
            f"candidate {place + 1} has {strange[0]!r}, which means nothing here",
            hint="a candidate has id, image_id, features and vectors",
        )
    return Candidate(**dict(given))


def listed(
    given: Sequence[Candidate], query: Mapping[str, Numbers], seen: SeenPictures
) -> CandidateList:
    """A list as numbers."""
    names = _names(given, "features", MOST_FEATURES)
    vectors = _names(given, "vectors", MOST_VECTORS)
    vectors = tuple(dict.fromkeys((*vectors, *seen.vectors)))
    both = set(names) & set(vectors)
    if both:
        raise InvalidInput(f"a feature and a vector are both called {min(both)!r}")
    missing = [name for name in query if name not in vectors]
    if missing:
        raise InvalidInput(
            f"the query has a vector {missing[0]!r}, and no candidate has one of that name"
        )
    count = len(given)
    _check_size(count, 1 + len(names))  # before a thousand columns are made of a few numbers
    columns, parts = [GIVEN], [standard(-np.arange(count, dtype=np.float64))[:, None]]
    for name in names:
        columns.append(CandidateColumn(FEATURE, name))
        parts.append(_feature(given, name)[:, None])
    if seen.likeness:
        columns.append(CandidateColumn(LIKE, PICTURE))
        parts.append(_measured(count, seen.likeness)[:, None])
    blocks = {name: _vectors(given, name, seen.vectors.get(name, {})) for name in vectors}
    for name, asked in query.items():
        block = blocks[name]
        columns.append(CandidateColumn(LIKE, name))
        parts.append(_measured(count, block.cosines(asked))[:, None])
    for name, block in blocks.items():
        columns.append(CandidateColumn(VECTOR, name, block.width))
        parts.append(block.placed(count))
    _check_size(count, sum(part.shape[1] for part in parts))
    rows = np.concatenate(parts, axis=1, dtype=np.float32)
    made = CandidateList(tuple(one.id for one in given), tuple(columns), rows)
    # As the log will give it back: what is ranked now and what is learned later are the same.
    return CandidateList.decode(*made.encode())


def _check_size(count: int, width: int) -> None:
    if width > MOST_WIDTH or width * count > MOST_NUMBERS:
        raise InvalidInput(
            f"{count:,} candidates of {width:,} numbers each are too much",
            hint="send fewer candidates, fewer features or shorter vectors",
        )


def _names(given: Sequence[Candidate], what: str, most: int) -> tuple[str, ...]:
    """Every name that some candidate has, in the order of their first use."""
    each: list[Mapping[str, object]] = [getattr(one, what) for one in given]
    names = tuple(dict.fromkeys(chain.from_iterable(each)))
    if len(names) > most:
        raise InvalidInput(f"{len(names):,} names of {what} are more than {most:,}")
    for name in names:
        check_name(f"name among the {what}:", name, longest=LONGEST)
    return names


def _feature(given: Sequence[Candidate], name: str) -> NDArray[np.float32]:
    values = [one.features.get(name) for one in given]
    if set(map(type, values)) <= {float, int}:
        # Nearly always so, and then one look at all of them will do.
        with suppress(OverflowError):
            numbers = np.array(values, np.float64)
            if (np.abs(numbers) <= LARGEST).all():
                return _scaled(numbers)
    there = {
        place: _number(value, given[place].id, name)
        for place, value in enumerate(values)
        if value is not None
    }
    return _measured(len(given), there)


def _number(value: object, candidate: str, name: str) -> float:
    plain = isinstance(value, int | float | np.integer | np.floating)
    if plain and not isinstance(value, bool):
        try:
            number = float(value)  # type: ignore[arg-type]
        except OverflowError:
            number = float("inf")
        if -LARGEST <= number <= LARGEST:  # and so not NaN
            return number
    raise InvalidInput(
        f"candidate {candidate!r}: its feature {name!r} is {str(value)[:40]!r}, and no number "
        f"within ± {LARGEST:g}",
        hint="leave out what is not known",
    )


def _measured(count: int, there: Mapping[int, float]) -> NDArray[np.float32]:
    """Values on the scale of the list; 0 for who has none."""
    out = np.zeros(count, np.float32)
    places = np.fromiter(there.keys(), np.int64, len(there))
    values = np.fromiter(there.values(), np.float64, len(there))
    out[places] = _scaled(values)
    return out


def _scaled(values: NDArray[np.float64]) -> NDArray[np.float32]:
    # Of a scale of 1: the square of a tiny difference would vanish.
    largest = np.abs(values).max(initial=0.0)
    return standard(values / largest if largest else values)


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """The vectors of one name, as directions; a vector of zeros has none."""

    places: NDArray[np.int64]
    units: NDArray[np.float64]  # [places, width]
    name: str

    @property
    def width(self) -> int:
        return int(self.units.shape[1])

    def cosines(self, query: Numbers) -> dict[int, float]:
        asked = _vector(query, "the query", self.name).astype(np.float64)
        if len(asked) != self.width:
            raise _unequal(self.name, "the query", len(asked), "candidates", self.width)
        largest = np.abs(asked).max()
        if not largest <= LARGEST:
            raise _beyond("the query", self.name)
        asked = asked / largest if largest else asked
        norm = float(np.linalg.norm(asked))
        cosines = self.units @ (asked / norm if norm else asked)
        return dict(zip(self.places.tolist(), cosines.tolist(), strict=True))

    def placed(self, count: int) -> NDArray[np.float32]:
        out = np.zeros((count, self.width), np.float32)
        moved = self.units - self.units.mean(axis=0)
        length = float(np.sqrt(np.square(moved).sum(axis=1).mean()))
        out[self.places] = moved / length if length > 1e-9 else 0.0
        return out


def _vectors(given: Sequence[Candidate], name: str, seen: Mapping[int, Vectors]) -> _Block:
    places: list[int] = []
    rows: list[NDArray[Any]] = []
    for place, one in enumerate(given):
        value: object = one.vectors.get(name)
        if value is None:
            value = seen.get(place)
        if value is None:
            continue
        row = _vector(value, f"candidate {one.id!r}", name)
        if rows and len(row) != len(rows[0]):
            first = f"candidate {given[places[0]].id!r}"
            raise _unequal(name, first, len(rows[0]), f"candidate {one.id!r}", len(row))
        places.append(place)
        rows.append(row)
    matrix = np.array(rows, np.float64)  # all at once: one by one they cost ten times as much
    largest = np.abs(matrix).max(axis=1)
    if not (largest <= LARGEST).all():  # nor where one is no number
        wrong = given[places[int(np.argmin(largest <= LARGEST))]]
        raise _beyond(f"candidate {wrong.id!r}", name)
    # Of a scale of 1: the square of a tiny number would vanish.
    matrix /= np.where(largest > 0.0, largest, 1.0)[:, None]
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    units = np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms > 0)
    return _Block(np.array(places, np.int64), units, name)


def _vector(value: object, whose: str, name: str) -> NDArray[Any]:
    """A list of numbers, of which it is not yet known how large they are."""
    try:
        row = np.asarray(value)
        fits = row.ndim == 1 and 1 <= len(row) <= MOST_WIDTH and row.dtype.kind in "iuf"
    except ValueError:  # lists of different lengths
        fits = False
    if not fits:
        raise InvalidInput(
            f"{whose}: its vector {name!r} is no list of 1 to {MOST_WIDTH:,} numbers"
        )
    return row


def _beyond(whose: str, name: str) -> InvalidInput:
    return InvalidInput(f"{whose}: its vector {name!r} holds what is no number")


def _unequal(name: str, one: str, width: int, other: str, length: int) -> InvalidInput:
    return InvalidInput(
        f"two vectors of different length are called {name!r}: {one} has {width} numbers, "
        f"{other} {length}",
        hint="give what another model made another name",
    )
