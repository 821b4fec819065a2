"""What can happen, as frozen records, and how the log keeps each of them.

    record  ⇄  (body, arrays)        `encode` and `decode`

The records of the middle are here; a capability brings its own, and `EventKinds` is the table of
all that a log may hold. Nothing but a record knows the shape of its body. Words keep one meaning:
`liked` and `disliked` are what one event says, `judged` is what a session has said so far. `check`
says whether a record that came from outside can be believed.

What a capability adds to a page or to a reaction is `attached` under its name: (body, arrays) that
only it understands, kept as they are by whoever does not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from saccade.engine.names import check_text
from saccade.engine.opinions import JudgedOpinions, Opinions
from saccade.engine.request import Clause, clauses_of, where_json
from saccade.feedback.preferences import Judged
from saccade.store.events import Event
from saccade.types import Array, Arrays, Encoded, Phi, Scheme, Spec

LONGEST_WORD = 500
"""Characters of what is asked for in words, at most."""

Attached = Mapping[str, Encoded]  # by capability


class SaidMarks(NamedTuple):
    """What one event says of pictures on a page."""

    liked: tuple[str, ...] = ()
    disliked: tuple[str, ...] = ()
    cleared: tuple[str, ...] = ()


class Record:
    """One kind of event."""

    __slots__ = ()
    kind: ClassVar[str]
    folded: ClassVar[bool] = False
    """Whether folds take it; what is not feedback there is nobody's, and is not undone."""

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {}, {}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls()

    def voids(self) -> tuple[int, ...]:
        """Earlier events that do not count any more since this one stands."""
        return ()


class Feedback(Record):
    """An event that teaches: somebody's word, which they may take back."""

    __slots__ = ()
    folded: ClassVar[bool] = True

    def marks(self) -> SaidMarks:
        """What it says of pictures on a page."""
        return SaidMarks()

    def subject(self) -> str:
        """The name of what it is about, where that has one."""
        return ""

    def heard(self) -> JudgedOpinions | None:
        """What the experts had said of what it judges, where several were asked."""
        return None

    def pair_count(self) -> int:
        """How many preferences follow from it."""
        return 0

    def counts(self) -> float:
        """How much of a stated event it is, 0 to 1: experts are charged with so much of it."""
        return 1.0

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What feedback teaches: pairs of images, and the φ they were seen with.

    It carries everything that learning from it needs, so that a model can be made again on any
    machine, whatever became of the pictures.
    """

    images: tuple[str, ...]
    schemes: tuple[str, ...]
    prior: tuple[float, ...]  # weight of each scheme before any learning
    phi: Phi  # [images, schemes]
    pairs: NDArray[np.int32]  # [p, 2] winner, loser: positions in `images`
    stated: bool  # said in so many words, not read into the order of a page

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body = {
            "images": list(self.images),
            "schemes": list(self.schemes),
            "prior": list(self.prior),
            "stated": self.stated,
        }
        return body, {"phi": self.phi, "pairs": self.pairs}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(
            images=tuple(body["images"]),
            schemes=tuple(body["schemes"]),
            prior=tuple(body["prior"]),
            phi=arrays["phi"],
            pairs=arrays["pairs"],
            stated=body["stated"],
        )

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a lesson from outside."""
        if not isinstance(self.stated, bool):
            raise ValueError("not said whether it was stated or implied")
        fit = len(self.prior) == len(self.schemes)
        if not fit or not all(0 <= weight <= 1000 for weight in self.prior):
            raise ValueError("starting weights do not fit the schemes")
        if len(set(map(Scheme.parse, self.schemes))) != len(self.schemes):
            raise ValueError("a scheme is named twice")
        _check_ids("images", self.images)
        phi, pairs = self.phi, self.pairs
        if phi.dtype != np.float32 or phi.shape != (len(self.images), len(self.schemes)):
            raise ValueError("φ does not fit its images and schemes")
        if pairs.dtype != np.int32 or pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError("pairs are not pairs")
        if pairs.size and not (pairs.min() >= 0 and pairs.max() < len(phi)):
            raise ValueError("a pair names an image that is not there")
        if not np.isfinite(phi).all() or np.abs(phi, dtype=np.float64).max(initial=0.0) > 2.0:
            raise ValueError("φ is not a similarity")


@dataclass(frozen=True, slots=True)
class LoggedExample:
    """One picture of a query as the log keeps it: its id, or what its sources saw of it."""

    image_id: str
    stored: bool  # it was in the collection, which knows the rest
    arrays: Arrays = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown(Record):
    """What one person saw: the raw material of every later update."""

    kind: ClassVar[str] = "shown"

    like: tuple[LoggedExample, ...]
    unlike: tuple[LoggedExample, ...]
    images: tuple[str, ...]
    schemes: tuple[str, ...]
    prior: tuple[float, ...]
    expert: str
    verify: int
    vocabulary: str
    model: str  # the last event the ranking knew of
    round: int
    judged: Judged
    where: tuple[Clause, ...] = ()
    word: str = ""  # what was asked for in words: marks on the page teach it
    opinions: Opinions | None = None  # of each image, where several experts were asked
    attached: Attached = field(default_factory=dict)

    def encode(self) -> Encoded:
        """As the log keeps it."""
        arrays: dict[str, Array] = {}
        query = {}
        for side, examples in (("like", self.like), ("unlike", self.unlike)):
            query[side] = [{"id": e.image_id, "stored": e.stored} for e in examples]
            for i, example in enumerate(examples):
                for name, array in example.arrays.items():
                    arrays[_placed(side, i, name)] = array
        body = {
            "query": query,
            "images": list(self.images),
            "schemes": list(self.schemes),
            "prior": list(self.prior),
            "expert": self.expert,
            "verify": self.verify,
            "vocabulary": self.vocabulary,
            "model": self.model,
            "round": self.round,
            "judged": {"liked": list(self.judged.liked), "disliked": list(self.judged.disliked)},
        }
        if self.where:
            body["where"] = where_json(self.where)
        if self.word:
            body["word"] = self.word
        _put(body, arrays, "opinions", self.opinions)
        _attach(body, arrays, self.attached)
        return body, arrays

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        judged = body["judged"]
        return cls(
            like=_examples("like", body, arrays),
            unlike=_examples("unlike", body, arrays),
            images=tuple(body["images"]),
            schemes=tuple(body["schemes"]),
            prior=tuple(body["prior"]),
            expert=body["expert"],
            verify=int(body["verify"]),
            vocabulary=body["vocabulary"],
            model=body["model"],
            round=int(body["round"]),
            judged=Judged(tuple(judged["liked"]), tuple(judged["disliked"])),
            where=clauses_of(body.get("where", ())),
            word=body.get("word", ""),
            opinions=_taken(body, arrays, "opinions", Opinions),
            attached=_attached(body, arrays),
        )


@dataclass(frozen=True, slots=True)
class Reacted(Feedback):
    """Pictures called right or wrong, and marks taken off again."""

    kind: ClassVar[str] = "reacted"

    liked: tuple[str, ...]
    disliked: tuple[str, ...]
    lesson: Lesson
    cleared: tuple[str, ...] = ()
    opinions: JudgedOpinions | None = None  # what the experts had said of the pictures judged
    replaces: tuple[int, ...] = ()  # events none of whose marks stand after this one
    asked: tuple[str, ...] = ()  # the query's pictures
    refused: tuple[str, ...] = ()  # those that the query said were not meant
    word: str = ""  # what the page was asked for in words: the marks teach it
    attached: Attached = field(default_factory=dict)

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body, arrays = self.lesson.encode()
        body |= {"liked": list(self.liked), "disliked": list(self.disliked)}
        _list(body, cleared=self.cleared, replaces=self.replaces)
        _list(body, asked=self.asked, refused=self.refused)
        if self.word:
            body["word"] = self.word
        _put(body, arrays, "opinions", self.opinions)
        _attach(body, arrays, self.attached)
        return body, arrays

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(
            liked=tuple(body["liked"]),
            disliked=tuple(body["disliked"]),
            lesson=Lesson.decode(body, arrays),
            cleared=tuple(body.get("cleared", ())),
            opinions=_taken(body, arrays, "opinions", JudgedOpinions),
            replaces=tuple(map(int, body.get("replaces", ()))),
            asked=tuple(body.get("asked", ())),
            refused=tuple(body.get("refused", ())),
            word=body.get("word", ""),
            attached=_attached(body, arrays),
        )

    def marks(self) -> SaidMarks:
        """Right, wrong, and taken off."""
        return SaidMarks(self.liked, self.disliked, self.cleared)

    def heard(self) -> JudgedOpinions | None:
        """What the experts had said of the pictures judged."""
        return self.opinions

    def pair_count(self) -> int:
        """How many pairs its lesson has."""
        return len(self.lesson.pairs)

    def voids(self) -> tuple[int, ...]:
        """Events none of whose marks stand any more."""
        return self.replaces

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        self.lesson.check()
        _check_opinions(self.opinions)
        for name, images in self.marks()._asdict().items():
            _check_ids(name, images)
        _check_ids("the query", (*self.asked, *self.refused))
        check_text(self.word, LONGEST_WORD)


@dataclass(frozen=True, slots=True)
class Preferred(Feedback):
    """One picture of a page before another."""

    kind: ClassVar[str] = "preferred"

    better: str
    worse: str
    lesson: Lesson
    opinions: JudgedOpinions | None = None  # what the experts had said of the two
    replaces: tuple[int, ...] = ()  # events that said the opposite
    asked: tuple[str, ...] = ()  # the query's pictures
    refused: tuple[str, ...] = ()  # those that the query said were not meant

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body, arrays = self.lesson.encode()
        body |= {"better": self.better, "worse": self.worse}
        _list(body, replaces=self.replaces, asked=self.asked, refused=self.refused)
        _put(body, arrays, "opinions", self.opinions)
        return body, arrays

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(
            better=body["better"],
            worse=body["worse"],
            lesson=Lesson.decode(body, arrays),
            opinions=_taken(body, arrays, "opinions", JudgedOpinions),
            replaces=tuple(map(int, body.get("replaces", ()))),
            asked=tuple(body.get("asked", ())),
            refused=tuple(body.get("refused", ())),
        )

    def heard(self) -> JudgedOpinions | None:
        """What the experts had said of the two."""
        return self.opinions

    def pair_count(self) -> int:
        """How many pairs its lesson has."""
        return len(self.lesson.pairs)

    def voids(self) -> tuple[int, ...]:
        """Events that said the opposite."""
        return self.replaces

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        self.lesson.check()
        _check_opinions(self.opinions)
        _check_ids("better and worse", (self.better, self.worse))
        _check_ids("the query", (*self.asked, *self.refused))


@dataclass(frozen=True, slots=True)
class Saved(Record):
    """A session got a name to be opened by again."""

    kind: ClassVar[str] = "saved"
    folded: ClassVar[bool] = True

    name: str

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {"name": self.name}, {}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(body["name"])


@dataclass(frozen=True, slots=True)
class Discarded(Saved):
    """The name of a saved session was given up."""

    kind: ClassVar[str] = "discarded"


@dataclass(frozen=True, slots=True)
class TakenBack(Record):
    """A person took back one of their events."""

    kind: ClassVar[str] = "undone"

    event_id: int

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {"event": self.event_id}, {}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(int(body["event"]))


@dataclass(frozen=True, slots=True)
class PersonForgotten(Record):
    """Someone was forgotten; the log does not keep who."""

    kind: ClassVar[str] = "forgotten"


MIDDLE: tuple[type[Record], ...] = (
    Shown, Reacted, Preferred, Saved, Discarded, TakenBack, PersonForgotten,
)  # fmt: skip
"""The records that every log may hold."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log: a record, who and when."""

    event_id: int
    at: float
    user: str
    session_id: str
    page_id: str
    record: Record

    @property
    def kind(self) -> str:
        """The name of what happened."""
        return self.record.kind


class EventKinds:
    """The kinds of event that a log may hold; lines of other kinds are passed over.

    feedback    kinds that teach, and can be taken back
    folded      kinds that folds take: those, and what is nobody's
    moving      kinds that change what is learned: those, what takes back and what forgets
    """

    def __init__(self, *further: type[Record]) -> None:
        self.records = {record.kind: record for record in (*MIDDLE, *further)}
        every = self.records.values()
        self.feedback = tuple(record.kind for record in every if issubclass(record, Feedback))
        self.folded = tuple(record.kind for record in every if record.folded)
        self.moving = (*self.folded, TakenBack.kind, PersonForgotten.kind)

    def entry(self, event: Event) -> Entry:
        """A line of the store's log, understood."""
        record = self.records[event.kind].decode(event.body, event.arrays)
        return Entry(event.event_id, event.at, event.user, event.session_id, event.page_id, record)

    def imported(self, kind: str, at: float, body: Spec, arrays: Arrays) -> Feedback:
        """A feedback record from outside; a ValueError or another says what is wrong with it."""
        kind_of = self.records.get(kind)
        if kind_of is None or not issubclass(kind_of, Feedback):
            raise ValueError("no kind of feedback")
        if not isinstance(at, int | float) or not math.isfinite(at):
            raise ValueError("its time is not a number")
        # Numbers of events mean nothing in another log, and what was replaced was not exported;
        # what capabilities attached is about pages of another collection.
        own = {name: value for name, value in body.items() if name not in ("replaces", ATTACHED)}
        record = kind_of.decode(own, arrays)
        record.check()
        return record


def void(entries: Iterable[Entry]) -> set[int]:
    """Events that are as if they had not been: taken back, or replaced by one that was not."""
    entries = list(entries)
    undone = {e.record.event_id for e in entries if isinstance(e.record, TakenBack)}
    return undone.union(*(e.record.voids() for e in entries if e.event_id not in undone))


ATTACHED = "attached"


def _list(body: dict[str, Any], **lists: Sequence[object]) -> None:
    """Put lists into a body; an empty one leaves no trace."""
    body |= {name: list(values) for name, values in lists.items() if values}


def _attach(body: dict[str, Any], arrays: dict[str, Array], attached: Attached) -> None:
    """What capabilities add, under their names; nothing leaves no trace."""
    if attached:
        body[ATTACHED] = {name: own for name, (own, _) in attached.items()}
    for name, (_, more) in attached.items():
        arrays |= {f"{ATTACHED}/{name}/{key}": array for key, array in more.items()}


def _attached(body: Spec, arrays: Arrays) -> dict[str, Encoded]:
    """What `_attach` put there."""
    return {
        name: (own, _under(arrays, f"{ATTACHED}/{name}/"))
        for name, own in body.get(ATTACHED, {}).items()
    }


def _put(
    body: dict[str, Any],
    arrays: dict[str, Array],
    name: str,
    part: Opinions | JudgedOpinions | None,
) -> None:
    """Put a part of a record under a name of its own; one that is not there leaves no trace."""
    if part is not None:
        body[name], more = part.encode()
        arrays |= {f"{name}/{key}": array for key, array in more.items()}


_Part = TypeVar("_Part", Opinions, JudgedOpinions)


def _taken(body: Spec, arrays: Arrays, name: str, kind: type[_Part]) -> _Part | None:
    """What `_put` put there."""
    return kind.decode(body[name], _under(arrays, f"{name}/")) if name in body else None


def _under(arrays: Arrays, start: str) -> dict[str, Array]:
    return {n.removeprefix(start): array for n, array in arrays.items() if n.startswith(start)}


# Local features stand apart from vectors, so that a descriptor may have any name.
_LOCAL = "features/"


def _placed(side: str, i: int, name: str) -> str:
    """The name of an array of a query's picture: `like/0/gist`, `features/like/0/frames`."""
    group = _LOCAL if name.startswith(_LOCAL) else ""
    return f"{group}{side}/{i}/{name.removeprefix(group)}"


def _examples(side: str, body: Spec, arrays: Arrays) -> tuple[LoggedExample, ...]:
    out = []
    for i, example in enumerate(body["query"][side]):
        mine: dict[str, Array] = {}
        for group in ("", _LOCAL):
            group_arrays = _under(arrays, f"{group}{side}/{i}/")
            mine |= {group + name: array for name, array in group_arrays.items()}
        out.append(LoggedExample(example["id"], example["stored"], mine))
    return tuple(out)


def _check_opinions(opinions: JudgedOpinions | None) -> None:
    if opinions is not None:
        opinions.check()
        _check_ids("opinions", opinions.images)


def _check_ids(name: str, images: Sequence[object]) -> None:
    if not all(isinstance(image, str) for image in images):
        raise ValueError(f"{name} must be image ids")
