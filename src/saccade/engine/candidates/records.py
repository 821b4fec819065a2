"""A list of candidates as the log keeps it, and what people say about it.

    CandidatesShown    a page: every candidate of a list as numbers, and the order it was served in
    CandidatesMarked   what was right and wrong on it, with the numbers that learning needs
    CandidatesClicked  what was chosen on it, with what was beside it
    CandidatesAwaited  what is said of a page that was not told of yet

Numbers are measured within their list: a feature in standard deviations from the list's mean, a
vector as its place among the list's. So lists of different searches can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from saccade.engine.candidates.clicks import STRENGTH
from saccade.engine.events import Feedback, Record, SaidMarks
from saccade.engine.names import check_text
from saccade.engine.opinions import JudgedOpinions, Opinions
from saccade.types import Array, Arrays, Encoded, Phi, Spec

LONGEST = 200
"""Characters of an id, of the name of a feature or vector, and of what is asked for."""
MOST_WIDTH = 16_384
"""Numbers of one candidate, all its columns together."""
LARGEST = 100.0
"""Of a number as it is learned from; most are within ± 4."""

ORDER, FEATURE, LIKE, VECTOR = "order", "feature", "like", "vector"
SORTS = (ORDER, FEATURE, LIKE, VECTOR)


class CandidateColumn(NamedTuple):
    """One thing that is known of every candidate of a list."""

    sort: str
    """`order`: the place it came in; `feature`: a number; `like`: how like the query it is, by the
    vectors of a name; `vector`: where it lies among the others, by the vectors of a name."""
    name: str = ""
    width: int = 1

    @property
    def label(self) -> str:
        """What people read where reasons are given."""
        if self.sort == ORDER:
            return "(order given)"
        return f"{self.name} (like the query)" if self.sort == LIKE else self.name


GIVEN = CandidateColumn(ORDER)
"""The place in which a candidate came."""


def width_of(columns: Iterable[CandidateColumn]) -> int:
    """How many numbers they are."""
    return sum(column.width for column in columns)


@dataclass(frozen=True, slots=True, eq=False)
class CandidateList:
    """A list in the order given: its ids, and what is known of each."""

    ids: tuple[str, ...]
    columns: tuple[CandidateColumn, ...]  # vectors come last
    rows: Phi  # [ids, width of the columns]

    def encode(self) -> Encoded:
        """As the log keeps it; half precision tells vectors apart as well."""
        numbers = width_of(column for column in self.columns if column.sort != VECTOR)
        body = {"ids": list(self.ids), "columns": [list(column) for column in self.columns]}
        return body, {
            "numbers": self.rows[:, :numbers],
            "vectors": self.rows[:, numbers:].astype(np.float16),
        }

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        rows = np.concatenate([arrays["numbers"], arrays["vectors"]], axis=1, dtype=np.float32)
        return cls(tuple(body["ids"]), _columns(body), rows)


@dataclass(frozen=True, slots=True, eq=False)
class CandidatesShown(Record):
    """A page of candidates: what one person was served, and all that a mark on it needs."""

    kind: ClassVar[str] = "candidates-shown"

    listed: CandidateList
    order: NDArray[np.int32]  # [ids] positions in the list, best first
    text: str  # what was asked for, as `asking.key` writes it
    round: int
    k: int
    explain: bool
    opinions: Opinions  # of each, in the order given

    @property
    def served(self) -> tuple[str, ...]:
        """The ids of the whole list, best first."""
        return tuple(self.listed.ids[place] for place in self.order.tolist())

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body, arrays = self.listed.encode()
        spec, scores = self.opinions.encode()
        body |= {"text": self.text, "round": self.round, "k": self.k, "explain": self.explain}
        body["opinions"] = spec
        arrays |= {f"opinions/{name}": array for name, array in scores.items()}
        return body, {**arrays, "order": self.order}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(
            CandidateList.decode(body, arrays),
            arrays["order"],
            body["text"],
            int(body["round"]),
            int(body["k"]),
            bool(body["explain"]),
            Opinions.decode(body["opinions"], _under(arrays, "opinions/")),
        )


@dataclass(frozen=True, slots=True, eq=False)
class CandidatesMarked(Feedback):
    """Candidates called right or wrong, and marks taken off; with pairs of them as numbers."""

    kind: ClassVar[str] = "candidates-marked"

    liked: tuple[str, ...]
    disliked: tuple[str, ...]
    cleared: tuple[str, ...]
    text: str
    columns: tuple[CandidateColumn, ...]
    rows: Phi  # [candidates of the pairs, width of the columns]
    pairs: NDArray[np.int32]  # [p, 2] winner, loser: rows
    opinions: JudgedOpinions | None = None
    replaces: tuple[int, ...] = ()

    def marks(self) -> SaidMarks:
        """Right, wrong, and taken off."""
        return SaidMarks(self.liked, self.disliked, self.cleared)

    def heard(self) -> JudgedOpinions | None:
        """What the experts had said of the candidates judged."""
        return self.opinions

    def pair_count(self) -> int:
        """How many pairs it has."""
        return len(self.pairs)

    def voids(self) -> tuple[int, ...]:
        """Events none of whose marks stand any more."""
        return self.replaces

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body: dict[str, Any] = {
            "liked": list(self.liked),
            "disliked": list(self.disliked),
            "cleared": list(self.cleared),
            "text": self.text,
            "columns": [list(column) for column in self.columns],
        }
        arrays: dict[str, Array] = {"rows": self.rows, "pairs": self.pairs}
        if self.replaces:
            body["replaces"] = list(self.replaces)
        if self.opinions is not None:
            body["opinions"], more = self.opinions.encode()
            arrays |= {f"opinions/{name}": array for name, array in more.items()}
        return body, arrays

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        spec = body.get("opinions")
        return cls(
            liked=tuple(body["liked"]),
            disliked=tuple(body["disliked"]),
            cleared=tuple(body["cleared"]),
            text=body["text"],
            columns=_columns(body),
            rows=arrays["rows"],
            pairs=arrays["pairs"],
            opinions=spec and JudgedOpinions.decode(spec, _under(arrays, "opinions/")),
            replaces=tuple(map(int, body.get("replaces", ()))),
        )

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        for name in (*self.liked, *self.disliked, *self.cleared):
            check_text(name, LONGEST, least=1)
        check_text(self.text, LONGEST)
        _check_columns(self.columns)
        rows, pairs = self.rows, self.pairs
        _check_rows(rows, self.columns)
        if pairs.dtype != np.int32 or pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError("pairs are not pairs")
        if pairs.size and not (pairs.min() >= 0 and pairs.max() < len(rows)):
            raise ValueError("a pair names a candidate that is not there")
        if self.opinions is not None:
            self.opinions.check()
            for name in self.opinions.images:
                check_text(name, LONGEST, least=1)


@dataclass(frozen=True, slots=True, eq=False)
class CandidatesClicked(Feedback):
    """A candidate that somebody chose without saying that it is right: clicked, or bought."""

    kind: ClassVar[str] = "candidates-clicked"

    name: str
    sort: str
    place: int  # on the page, 0 is the first
    worth: float  # beside a mark: what a place hides is made up for
    text: str
    columns: tuple[CandidateColumn, ...]
    rows: Phi  # [1 + rivals, width of the columns]: the one that was chosen, and others beside it
    opinions: JudgedOpinions | None = None

    def heard(self) -> JudgedOpinions | None:
        """What the experts had said of it and of the others."""
        return self.opinions

    def pair_count(self) -> int:
        """How many pairs it has."""
        return max(0, len(self.rows) - 1)

    def counts(self) -> float:
        """How much of an event it is."""
        return min(1.0, self.worth)

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body: dict[str, Any] = {
            "name": self.name,
            "sort": self.sort,
            "place": self.place,
            "worth": self.worth,
            "text": self.text,
            "columns": [list(column) for column in self.columns],
        }
        arrays: dict[str, Array] = {"rows": self.rows}
        if self.opinions is not None:
            body["opinions"], more = self.opinions.encode()
            arrays |= {f"opinions/{name}": array for name, array in more.items()}
        return body, arrays

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        spec = body.get("opinions")
        return cls(
            name=body["name"],
            sort=body["sort"],
            place=int(body["place"]),
            worth=float(body["worth"]),
            text=body["text"],
            columns=_columns(body),
            rows=arrays["rows"],
            opinions=spec and JudgedOpinions.decode(spec, _under(arrays, "opinions/")),
        )

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        check_text(self.name, LONGEST, least=1)
        check_text(self.text, LONGEST)
        _check_columns(self.columns)
        if self.sort not in STRENGTH or not 0.0 < self.worth <= max(STRENGTH.values()):
            raise ValueError("it is neither clicked nor bought, or not worth anything")
        _check_rows(self.rows, self.columns)
        if self.opinions is not None:
            self.opinions.check()
            for name in self.opinions.images:
                check_text(name, LONGEST, least=1)


@dataclass(frozen=True, slots=True)
class CandidatesAwaited(Record):
    """What was said of a page that nobody has told of yet; it counts once somebody does."""

    kind: ClassVar[str] = "candidates-awaited"

    line: Spec

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return dict(self.line), {}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(dict(body))


def _check_rows(rows: Phi, columns: Sequence[CandidateColumn]) -> None:
    if rows.dtype != np.float32 or rows.ndim != 2 or rows.shape[1] != width_of(columns):
        raise ValueError("its numbers do not fit its columns")
    if not np.isfinite(rows).all() or np.abs(rows).max(initial=0.0) > LARGEST:
        raise ValueError(f"a number of it is none, or beyond {LARGEST:g}")


def _check_columns(columns: Sequence[CandidateColumn]) -> None:
    if len(set(columns)) != len(columns):
        raise ValueError("a column is named twice")
    for column in columns:
        whole = isinstance(column.width, int) and not isinstance(column.width, bool)
        if column.sort not in SORTS or not whole or column.width < 1:
            raise ValueError(f"{column!r} is no column")
        if column.sort != VECTOR and column.width != 1:
            raise ValueError(f"{column!r} is wider than a number")
        check_text(column.name, LONGEST)
    if width_of(columns) > MOST_WIDTH:
        raise ValueError(f"its columns are wider than {MOST_WIDTH}")


def _columns(body: Spec) -> tuple[CandidateColumn, ...]:
    return tuple(CandidateColumn(*column) for column in body["columns"])


def _under(arrays: Arrays, start: str) -> dict[str, Array]:
    return {n.removeprefix(start): array for n, array in arrays.items() if n.startswith(start)}
