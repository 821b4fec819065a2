"""What can happen, as frozen records, and how the log keeps each of them.

    record  ⇄  (body, arrays)        `encode` and `decode`; RECORDS names them all

This is the only place that knows the shape of an event's body. Words keep one meaning: `liked` and
`disliked` are what one event says, `judged` is what a session has said so far. `decode` reads what
earlier versions wrote; `check` says whether a record that came from outside can be believed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from saccade.engine.answers import (
    Answer,
    AttributeCreated,
    AttributeDeleted,
    Compared,
    Labelled,
    Traits,
)
from saccade.engine.choice import Choice, Places, Reward
from saccade.engine.evidence import Evidence, Opinions
from saccade.engine.graded import Graded, Placed, Tagged
from saccade.feedback.preferences import Judged
from saccade.store.events import Event
from saccade.types import Arrays, Phi, Scheme

Encoded = tuple[dict[str, Any], dict[str, NDArray[Any]]]


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
    def decode(cls, body: Mapping[str, Any], arrays: Arrays) -> Self:
        """What `encode` gave, today or in an earlier version."""
        return cls(
            images=tuple(body["images"]),
            schemes=tuple(body["schemes"]),
            prior=tuple(_either(body, "prior", "start")),
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
class Remembered:
    """One picture of a query as the log keeps it: its id, or what its sources saw of it."""

    image_id: str
    stored: bool  # it was in the collection, which knows the rest
    arrays: Arrays = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """What one person saw: the raw material of every later update."""

    kind: ClassVar[str] = "shown"

    like: tuple[Remembered, ...]
    unlike: tuple[Remembered, ...]
    images: tuple[str, ...]
    schemes: tuple[str, ...]
    prior: tuple[float, ...]
    ranker: str
    verify: int
    vocabulary: str
    model: str  # the last event the ranking knew of
    propensity: float  # chance that this configuration was chosen; choosers read it back
    round: int
    judged: Judged
    opinions: Opinions | None = None  # of each image, where several experts were asked
    choice: Choice | None = None  # the configuration that ranked it, where one did
    places: Places | None = None  # where the configurations asked had each image
    traits: Traits = field(default_factory=Traits)  # what was asked of attributes
    phi: Phi | None = None  # pages of the first version kept it; now each lesson brings its own

    def encode(self) -> Encoded:
        """As the log keeps it."""
        arrays: dict[str, NDArray[Any]] = {} if self.phi is None else {"phi": self.phi}
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
            "ranker": self.ranker,
            "verify": self.verify,
            "vocabulary": self.vocabulary,
            "model": self.model,
            "propensity": self.propensity,
            "round": self.round,
            "judged": _sides(self.judged.liked, self.judged.disliked),
        }
        _attach(body, arrays, "opinions", self.opinions)
        _attach(body, arrays, "choice", self.choice)
        if self.places is not None:
            arrays["places"] = self.places
        if self.traits:
            body["traits"] = self.traits.as_json()
        return body, arrays

    @classmethod
    def decode(cls, body: Mapping[str, Any], arrays: Arrays) -> Self:
        """What `encode` gave, today or in an earlier version."""
        judged = body.get("judged", body)
        return cls(
            like=_remembered("like", body, arrays),
            unlike=_remembered("unlike", body, arrays),
            images=tuple(body["images"]),
            schemes=tuple(body["schemes"]),
            prior=tuple(_either(body, "prior", "start")),
            phi=arrays.get("phi"),
            ranker=_RENAMED.get(body["ranker"], body["ranker"]),
            verify=int(body.get("verify", 0)),
            vocabulary=body.get("vocabulary", ""),
            model=body["model"],
            propensity=float(body["propensity"]),
            round=int(body["round"]),
            judged=Judged(tuple(judged["liked"]), tuple(judged["disliked"])),
            opinions=_attached(body, arrays, "opinions", Opinions),
            choice=_attached(body, arrays, "choice", Choice),
            places=arrays.get("places"),
            traits=Traits(**body.get("traits", {})),
        )


@dataclass(frozen=True, slots=True)
class Reacted:
    """Pictures called right or wrong, and marks taken off again."""

    kind: ClassVar[str] = "reacted"

    liked: tuple[str, ...]
    disliked: tuple[str, ...]
    lesson: Lesson
    cleared: tuple[str, ...] = ()
    evidence: Evidence | None = None  # what the experts had said of the pictures judged
    replaces: tuple[int, ...] = ()  # events none of whose marks stand after this one
    reward: Reward | None = None  # what it is worth to the chooser of its page

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body, arrays = self.lesson.encode()
        body |= _sides(self.liked, self.disliked)
        if self.cleared:
            body["cleared"] = list(self.cleared)
        if self.replaces:
            body["replaces"] = list(self.replaces)
        _attach(body, arrays, "evidence", self.evidence)
        _attach(body, arrays, "reward", self.reward)
        return body, arrays

    @classmethod
    def decode(cls, body: Mapping[str, Any], arrays: Arrays) -> Self:
        """What `encode` gave, today or in an earlier version."""
        return cls(
            liked=tuple(body["liked"]),
            disliked=tuple(body["disliked"]),
            lesson=Lesson.decode(body, arrays),
            cleared=tuple(body.get("cleared", ())),
            evidence=_attached(body, arrays, "evidence", Evidence),
            replaces=tuple(map(int, body.get("replaces", ()))),
            reward=_attached(body, arrays, "reward", Reward),
        )

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        self.lesson.check()
        if self.evidence is not None:
            self.evidence.check()
            _check_ids("evidence", self.evidence.images)
        for name in ("liked", "disliked", "cleared"):
            _check_ids(name, getattr(self, name))


@dataclass(frozen=True, slots=True)
class Preferred:
    """One picture of a page before another."""

    kind: ClassVar[str] = "preferred"

    better: str
    worse: str
    lesson: Lesson
    evidence: Evidence | None = None  # what the experts had said of the two
    replaces: tuple[int, ...] = ()  # events that said the opposite

    liked: ClassVar[tuple[str, ...]] = ()
    disliked: ClassVar[tuple[str, ...]] = ()
    cleared: ClassVar[tuple[str, ...]] = ()

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body, arrays = self.lesson.encode()
        body |= {"better": self.better, "worse": self.worse}
        if self.replaces:
            body["replaces"] = list(self.replaces)
        _attach(body, arrays, "evidence", self.evidence)
        return body, arrays

    @classmethod
    def decode(cls, body: Mapping[str, Any], arrays: Arrays) -> Self:
        """What `encode` gave, today or in an earlier version."""
        return cls(
            better=body["better"],
            worse=body["worse"],
            lesson=Lesson.decode(body, arrays),
            evidence=_attached(body, arrays, "evidence", Evidence),
            replaces=tuple(map(int, body.get("replaces", ()))),
        )

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with a record from outside."""
        self.lesson.check()
        if self.evidence is not None:
            self.evidence.check()
            _check_ids("evidence", self.evidence.images)
        _check_ids("better and worse", (self.better, self.worse))


@dataclass(frozen=True, slots=True)
class Saved:
    """A session got a name to be opened by again."""

    kind: ClassVar[str] = "saved"

    name: str

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {"name": self.name}, {}

    @classmethod
    def decode(cls, body: Mapping[str, Any], arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(body["name"])


@dataclass(frozen=True, slots=True)
class Discarded(Saved):
    """The name of a saved session was given up."""

    kind: ClassVar[str] = "discarded"


@dataclass(frozen=True, slots=True)
class Undone:
    """A person took back one of their events."""

    kind: ClassVar[str] = "undone"

    event_id: int

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {"event": self.event_id}, {}

    @classmethod
    def decode(cls, body: Mapping[str, Any], arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(int(body["event"]))


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Someone was forgotten; the log does not keep who."""

    kind: ClassVar[str] = "forgotten"

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {}, {}

    @classmethod
    def decode(cls, body: Mapping[str, Any], arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls()


Replacing = Reacted | Preferred | Answer
"""Records that may make earlier ones void."""
Spoken = Graded | Placed | Tagged
Making = AttributeCreated | AttributeDeleted
Feedback = Reacted | Preferred | Spoken | Labelled | Compared
Record = Shown | Feedback | Making | Saved | Discarded | Undone | Forgotten

RECORDS: Mapping[str, type[Record]] = {
    "shown": Shown,
    "reacted": Reacted,
    "preferred": Preferred,
    "saved": Saved,
    "discarded": Discarded,
    "undone": Undone,
    "forgotten": Forgotten,
    "graded": Graded,
    "placed": Placed,
    "tagged": Tagged,
    "attribute-created": AttributeCreated,
    "attribute-deleted": AttributeDeleted,
    "labelled": Labelled,
    "compared": Compared,
}
FEEDBACK: Mapping[str, type[Feedback]] = {
    "reacted": Reacted,
    "preferred": Preferred,
    "graded": Graded,
    "placed": Placed,
    "tagged": Tagged,
    "labelled": Labelled,
    "compared": Compared,
}
"""Kinds that teach; the others record or take back."""
FOLDED = (*FEEDBACK, "attribute-created", "attribute-deleted")
"""Kinds that folds take; what is not feedback there is nobody's, and is not undone."""
MOVING = (*FOLDED, "undone", "forgotten")
"""Kinds that change what is learned."""


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


def entry(event: Event) -> Entry:
    """A line of the store's log, understood."""
    record = RECORDS[event.kind].decode(event.body, event.arrays)
    return Entry(event.event_id, event.at, event.user, event.session_id, event.page_id, record)


def void(entries: Iterable[Entry]) -> set[int]:
    """Events that are as if they had not been: taken back, or replaced by one that was not."""
    entries = list(entries)
    undone = {e.record.event_id for e in entries if isinstance(e.record, Undone)}
    said = (e.record for e in entries if e.event_id not in undone)
    return undone.union(*(one.replaces for one in said if isinstance(one, Replacing)))


def feedback(kind: str, at: float, body: Mapping[str, Any], arrays: Arrays) -> Feedback:
    """A feedback record from outside; a ValueError or another says what is wrong with it."""
    if kind not in FEEDBACK:
        raise ValueError("no kind of feedback")
    if not isinstance(at, int | float) or not math.isfinite(at):
        raise ValueError("its time is not a number")
    # Numbers of events mean nothing in another log, and what was replaced was not exported; another
    # collection's choosers are paid there.
    own = {name: value for name, value in body.items() if name not in ("replaces", "reward")}
    record = FEEDBACK[kind].decode(own, arrays)
    record.check()
    return record


def _sides(liked: Sequence[str], disliked: Sequence[str]) -> dict[str, list[str]]:
    return {"liked": list(liked), "disliked": list(disliked)}


def _attach(
    body: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    name: str,
    part: Opinions | Evidence | Choice | Reward | None,
) -> None:
    """Put a part of a record under a name of its own; one that is not there leaves no trace."""
    if part is not None:
        body[name], more = part.encode()
        arrays |= {f"{name}/{key}": array for key, array in more.items()}


_Part = TypeVar("_Part", Opinions, Evidence, Choice, Reward)


def _attached(
    body: Mapping[str, Any], arrays: Arrays, name: str, kind: type[_Part]
) -> _Part | None:
    """What `_attach` put there; earlier versions put nothing."""
    if name not in body:
        return None
    start = f"{name}/"
    mine = {n.removeprefix(start): array for n, array in arrays.items() if n.startswith(start)}
    return kind.decode(body[name], mine)


_RENAMED = {"balanced": "plain"}
"""What the first version called some rankers."""


def _either(body: Mapping[str, Any], name: str, earlier: str) -> Any:
    """A field under its name, or under the one that the first version gave it."""
    return body[name] if name in body else body[earlier]


# Local features stand apart from vectors, so that a descriptor may have any name.
_LOCAL = "features/"


def _placed(side: str, i: int, name: str) -> str:
    """The name of an array of a query's picture: `like/0/gist`, `features/like/0/frames`."""
    group = _LOCAL if name.startswith(_LOCAL) else ""
    return f"{group}{side}/{i}/{name.removeprefix(group)}"


def _remembered(side: str, body: Mapping[str, Any], arrays: Arrays) -> tuple[Remembered, ...]:
    out = []
    for i, example in enumerate(body["query"][side]):
        mine: dict[str, NDArray[Any]] = {}
        for group in ("", _LOCAL):
            start = f"{group}{side}/{i}/"
            found = ((name, array) for name, array in arrays.items() if name.startswith(start))
            mine |= {group + name.removeprefix(start): array for name, array in found}
        out.append(Remembered(example["id"], example["stored"], mine))
    return tuple(out)


def _check_ids(name: str, images: Sequence[Any]) -> None:
    if not all(isinstance(image, str) for image in images):
        raise ValueError(f"{name} must be image ids")
