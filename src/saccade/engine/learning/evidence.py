"""What people marked together, session by session: evidence that later searches start from.

    session    what was asked for, and the marks that stand in it: right, wrong, better, worse
    evidence   what sessions say of two pictures (`saccade.indexes.evidence`), summed when a search
               asks for it, from the sessions that its query comes close to

Sessions are kept as they were said, by person. So what is taken back, cleared or forgotten is as if
it had never been said, and no sum has to be corrected. A picture that has left the collection says
nothing while it is away.

Bounds: of one session the newest `MARKS` marks count. A person's sessions hold `PAIRS_A_PERSON`
pairs of pictures at most, all people's `PAIRS_IN_ALL`. Beyond that a session leaves: of whoever
holds too much, or most; the one spoken of longest ago first, those that are saved under a name
after all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection
from saccade.engine.events import Discarded, Entry, Preferred, Reacted, Saved
from saccade.engine.learning.axis import Axis
from saccade.engine.names import visits
from saccade.engine.recipe import Recipe
from saccade.engine.request import GUEST
from saccade.indexes.evidence import SessionRows, Sessions
from saccade.types import Array, Arrays, Encoded, Spec

MARKS = 60
PAIRS_A_PERSON = 2_000_000
"""Some ten thousand searches of twenty marks."""
PAIRS_IN_ALL = 8_000_000
_CHANGED = 512  # sessions that are laid beside the others before all are laid anew
_LATELY = 24  # of those, the ones that are laid again at every mark

LIKED, DISLIKED = 1, -1
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TaughtSession:
    """What stands of one session."""

    at: float  # when it was last spoken of, in Unix seconds
    asked: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()  # pictures that the query said were not meant
    marks: Mapping[str, int] = field(
        default_factory=dict
    )  # image -> LIKED or DISLIKED, newest last
    preferred: tuple[Pair, ...] = ()  # the better first, newest last
    passed: tuple[str, ...] = ()  # shown above what was liked, and left alone then

    @property
    def liked(self) -> tuple[str, ...]:
        """Marked right."""
        return tuple(image for image, mark in self.marks.items() if mark == LIKED)

    @property
    def disliked(self) -> tuple[str, ...]:
        """Marked wrong."""
        return tuple(image for image, mark in self.marks.items() if mark == DISLIKED)

    @property
    def compared(self) -> dict[str, int]:
        """Of pictures without a mark, those that won more than they lost (1), or less (-1)."""
        won: dict[str, int] = {}
        for better, worse in self.preferred:
            won[better] = won.get(better, 0) + 1
            won[worse] = won.get(worse, 0) - 1
        return {i: (n > 0) - (n < 0) for i, n in won.items() if n and i not in self.marks}

    @property
    def pairs(self) -> int:
        """Pairs of pictures it may speak of."""
        members = len(self.asked) + len(self.refused) + len(self.marks) + 2 * len(self.preferred)
        return members * (members - 1) // 2

    def after(self, event: Reacted | Preferred, at: float) -> TaughtSession | None:
        """The session after one more event; None where nothing stands."""
        marks, preferred, passed = dict(self.marks), self.preferred, self.passed
        if isinstance(event, Reacted):
            passed = tuple(dict.fromkeys((*passed, *_passed(event))))[-MARKS:]
            for image in (*event.liked, *event.disliked, *event.cleared):
                marks.pop(image, None)
            marks |= dict.fromkeys(event.liked, LIKED) | dict.fromkeys(event.disliked, DISLIKED)
            marks = dict([*marks.items()][-MARKS:])
        else:
            new = (event.better, event.worse)
            preferred = (*(p for p in preferred if p not in (new, new[::-1])), new)[-MARKS // 2 :]
        if not marks and not preferred:
            return None
        asked, refused = event.asked or self.asked, event.refused or self.refused
        return TaughtSession(at, asked, refused, marks, preferred, passed)


@dataclass(frozen=True, slots=True)
class PersonSessions:
    """One person's sessions."""

    sessions: Mapping[str, TaughtSession] = field(default_factory=dict)  # the newest last
    named: Mapping[str, str] = field(default_factory=dict)  # saved searches: name -> session
    pairs: int = 0

    def with_(self, session: str, taught_session: TaughtSession | None) -> PersonSessions:
        """With a session as it stands now, the newest of all; None is gone."""
        sessions = dict(self.sessions)
        before = sessions.pop(session, None)
        pairs = self.pairs - (before.pairs if before else 0)
        if taught_session is not None:
            sessions[session] = taught_session
            pairs += taught_session.pairs
        return replace(self, sessions=sessions, pairs=pairs)

    @property
    def leaving(self) -> str:
        """The session that leaves first."""
        named_sessions = set(self.named.values())
        return next(
            (s for s in self.sessions if s not in named_sessions), next(iter(self.sessions))
        )


class Laid(NamedTuple):
    """Everybody's sessions by the rows of one collection, side by side."""

    sessions: Sessions
    places: Mapping[tuple[str, str], int]  # person, session -> where it is
    numbers: Mapping[str, int]  # of the people
    visitors: NDArray[np.bool_]  # [people] who moves nobody else's pages
    gone: frozenset[int]  # places of sessions that are not what they were

    def at(self, user: str, session: str) -> tuple[int, ...]:
        """Where a session is; nowhere while nothing stands in it."""
        place = self.places.get((user, session))
        return () if place is None else (place,)

    def own(self, user: str) -> NDArray[np.bool_]:
        """Which sessions are a person's, [sessions]."""
        return np.asarray(self.sessions.people == self.numbers.get(user, -1))

    def nobodys(self, user: str, *, guests: bool) -> NDArray[np.bool_]:
        """Which sessions say nothing to a person: of other visitors, and of guests unless kept."""
        silent = self.visitors.copy()
        if user in self.numbers:
            silent[self.numbers[user]] = False
        if not guests and GUEST in self.numbers:
            silent[self.numbers[GUEST]] = True
        return silent[self.sessions.people]


class EvidenceFold:
    """What each person's sessions say."""

    kinds = frozenset((Reacted.kind, Preferred.kind, Saved.kind, Discarded.kind))

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._people: dict[str, PersonSessions] = {}
        self._pairs = 0
        # What was laid last, and the sessions that may have changed since, the newest last; in one,
        # since searches lay while others copy.
        self._base: tuple[_Base, dict[_Key, None]] | None = None
        self._laid: tuple[int, Laid] | None = None  # by the generation of the collection

    def of(self, user: str) -> Mapping[str, TaughtSession]:
        """A person's sessions in which something stands, the newest last."""
        return self._people.get(user, PersonSessions()).sessions

    def saved(self, user: str) -> frozenset[str]:
        """Of those, the ones saved under a name."""
        return frozenset(self._people.get(user, PersonSessions()).named.values())

    # -- learning ------------------------------------------------------------------------------

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Take in what one event says."""
        event, person = entry.record, self._people.get(entry.user, PersonSessions())
        if isinstance(event, Saved):
            named = {n: s for n, s in person.named.items() if n != event.name}
            if not isinstance(event, Discarded):
                named[event.name] = entry.session_id
            self._put(entry.user, replace(person, named=named))
            return
        assert isinstance(event, Reacted | Preferred)
        session = session_of(entry)
        before = person.sessions.get(session, TaughtSession(entry.at))
        self._set(entry.user, session, before.after(event, entry.at))
        while self.pairs(entry.user) > PAIRS_A_PERSON:
            self._set(entry.user, self._people[entry.user].leaving, None)
        while self._pairs > PAIRS_IN_ALL:
            most = max(sorted(self._people), key=self.pairs)
            self._set(most, self._people[most].leaving, None)

    def pairs(self, user: str) -> int:
        """How many pairs of pictures a person's sessions may speak of."""
        return self._people.get(user, PersonSessions()).pairs

    def _set(self, user: str, session: str, taught_session: TaughtSession | None) -> None:
        self._put(user, self._people.get(user, PersonSessions()).with_(session, taught_session))
        if self._base is not None:
            _, changed = self._base
            changed.pop((user, session), None)
            changed[user, session] = None

    def _put(self, user: str, person: PersonSessions) -> None:
        before = self._people.pop(user, PersonSessions())
        self._pairs += person.pairs - before.pairs
        if person.sessions or person.named:
            self._people[user] = person
        self._laid = None

    # -- serving -------------------------------------------------------------------------------

    def laid(self, collection: Collection) -> Laid:
        """Everybody's sessions by row."""
        generation = collection.generation
        if self._laid is None or self._laid[0] != generation:
            base, names = self._base or (None, {})
            if base is None or base.generation != generation:
                base, names = self._base = _Base.of(collection, self._people), {}
            changed = {(u, s): self.of(u).get(s) for u, s in names}
            laid = base.with_(changed, collection)
            if base.beside + len(changed) > _CHANGED:
                self._base = None
            elif len(changed) > _LATELY:
                self._base = _Base(generation, laid, base.beside + len(changed)), {}
            self._laid = generation, laid
        return self._laid[1]

    # -- at rest -------------------------------------------------------------------------------

    def copy(self) -> EvidenceFold:
        """An independent copy; what people taught is immutable, so it is cheap."""
        twin = EvidenceFold(self._recipe)
        twin._people, twin._pairs = dict(self._people), self._pairs
        if (base := self._base) is not None:
            twin._base = base[0], dict(base[1])
        return twin

    def dump(self) -> Encoded:
        """The whole state; nothing where nothing was said."""
        if not self._people:
            return {}, {}
        images: dict[str, int] = {}
        people: dict[str, Any] = {}
        columns: list[list[tuple[int, ...]]] = []
        at: list[float] = []
        names: list[str] = []

        def numbers(some: Iterable[str]) -> tuple[int, ...]:
            return tuple(images.setdefault(image, len(images)) for image in some)

        for user in sorted(self._people):
            person = self._people[user]
            people[user] = {"sessions": len(person.sessions), "named": dict(person.named)}
            for session, taught_session in person.sessions.items():
                names.append(session)
                at.append(taught_session.at)
                preferred = [image for pair in taught_session.preferred for image in pair]
                sides = (
                    taught_session.asked,
                    taught_session.refused,
                    taught_session.marks,
                    preferred,
                    taught_session.passed,
                )
                marks = tuple(taught_session.marks.values())
                columns.append([*map(numbers, sides), marks])
        members = np.array([n for one in columns for side in one[:5] for n in side], np.int32)
        arrays: dict[str, Array] = {
            "evidence/images": _text(images),
            "evidence/sessions": _text(names),
            "evidence/at": np.array(at, np.float64),
            "evidence/members": members,
            "evidence/marks": np.array([m for one in columns for m in one[5]], np.int8),
            "evidence/sizes": np.array(
                [[len(side) for side in one[:5]] for one in columns], np.int32
            ).reshape(-1, 5),
        }
        return {"evidence": people}, arrays

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        if "evidence" not in body:
            return
        images, names = _lines(arrays["evidence/images"]), _lines(arrays["evidence/sessions"])
        members = [images[n] for n in arrays["evidence/members"].tolist()]
        marks, at = arrays["evidence/marks"].tolist(), arrays["evidence/at"].tolist()
        sizes = arrays["evidence/sizes"].tolist()
        here = marked = number = 0
        for user, line in body["evidence"].items():
            sessions: dict[str, TaughtSession] = {}
            for _ in range(line["sessions"]):
                sides = []
                for size in sizes[number]:
                    sides.append(members[here : here + size])
                    here += size
                asked, refused, judged, compared, passed = sides
                sessions[names[number]] = TaughtSession(
                    at[number],
                    tuple(asked),
                    tuple(refused),
                    dict(zip(judged, marks[marked : marked + len(judged)], strict=True)),
                    tuple(zip(compared[::2], compared[1::2], strict=True)),
                    tuple(passed),
                )
                marked += len(judged)
                number += 1
            pairs = sum(one.pairs for one in sessions.values())
            self._people[user] = PersonSessions(sessions, dict(line["named"]), pairs)
            self._pairs += pairs


def session_of(entry: Entry) -> str:
    """The name of an event's session; what was brought in without one stands for itself."""
    return entry.session_id or f"event {entry.event_id}"


_Key = tuple[str, str]  # person, session


class _Base(NamedTuple):
    """Sessions laid by the rows of a collection."""

    generation: int
    laid: Laid
    beside: int = 0  # how many changes were laid beside the others since all were laid

    @classmethod
    def of(cls, collection: Collection, people: Mapping[str, PersonSessions]) -> _Base:
        every = {(u, s): one for u in people for s, one in people[u].sessions.items()}
        numbers = {user: number for number, user in enumerate(people)}
        sessions = _laid_sessions(every, numbers, collection)
        places = {key: place for place, key in enumerate(every)}
        return cls(
            collection.generation, Laid(sessions, places, numbers, _visiting(numbers), frozenset())
        )

    def with_(self, changed: Mapping[_Key, TaughtSession | None], collection: Collection) -> Laid:
        """What was laid, with what has changed beside it."""
        if not changed:
            return self.laid
        was = self.laid
        numbers = dict(was.numbers)
        for user, _ in changed:
            numbers.setdefault(user, len(numbers))
        new = {key: session for key, session in changed.items() if session is not None}
        added = _laid_sessions(new, numbers, collection)
        gone = was.gone | {was.places[key] for key in changed if key in was.places}
        places = dict(was.places)
        for key in changed:
            places.pop(key, None)
        places |= {key: len(was.sessions) + place for place, key in enumerate(new)}
        met = [user for user in numbers if user not in was.numbers]
        visitors = np.concatenate([was.visitors, _visiting(met)])
        return Laid(was.sessions + added, places, numbers, visitors, gone)


def _visiting(users: Iterable[str]) -> NDArray[np.bool_]:
    """Which of these are visitors."""
    return np.array([visits(user) for user in users], np.bool_)


def _laid_sessions(
    taught: Mapping[_Key, TaughtSession], numbers: Mapping[str, int], collection: Collection
) -> Sessions:
    """Sessions by row; of people by their numbers."""
    row_of = collection.listing.row_of
    each = (_session_rows(one, numbers[user], row_of) for (user, _), one in taught.items())
    return Sessions.of(each).only(collection.listing.alive)


def _session_rows(
    taught_session: TaughtSession, number: int, row_of: Mapping[str, int]
) -> SessionRows:
    """One session by row, dead or alive."""
    compared = taught_session.compared
    better = [image for image, won in compared.items() if won > 0]
    worse = [image for image, won in compared.items() if won < 0]
    sides = (
        taught_session.asked,
        taught_session.liked,
        (*taught_session.disliked, *taught_session.refused),
        better,
        worse,
    )
    seen: set[str] = set()
    rows: list[list[int]] = []
    for side in sides:
        # Each picture is one thing in a session: what it was asked by goes before all else.
        own = [image for image in dict.fromkeys(side) if image not in seen]
        seen.update(own)
        rows.append([row_of.get(image, -1) for image in own])
    asked, liked, disliked, above, below = rows
    passed = sum(image not in taught_session.marks for image in taught_session.passed)
    return SessionRows(asked, liked, disliked, above, below, number, taught_session.at, passed)


def _passed(event: Reacted) -> tuple[str, ...]:
    """Pictures that were passed over on the way to what was liked, as far as a lesson says so."""
    lesson = event.lesson
    if lesson.stated or not event.liked:
        return ()
    return tuple(lesson.images[loser] for loser in lesson.pairs[:, 1].tolist())


def _text(lines: Iterable[str]) -> NDArray[np.uint8]:
    """Names as bytes, a line each; none of them has a line's end in it."""
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def _lines(text: NDArray[np.uint8]) -> list[str]:
    return text.tobytes().decode().split("\n")
