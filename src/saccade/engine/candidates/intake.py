"""Events that another program tells of: what it showed, and what became of it.

    shown       a page in the order in which people saw it; or one that `rerank` gave
    liked, disliked, preferred     stated: learned from like marks
    clicked, bought                weak, and told by place: learned from as `clicks` says

A batch is taken as a whole or not at all. What has a key is taken once, however often it is sent.
What speaks of a page that was not told of yet waits in the log until it is; pages come first, and
the rest by its time. Who said two things of a candidate means the later one, by its own clock.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from saccade.engine.candidates import asking
from saccade.engine.candidates.asking import SeenPictures
from saccade.engine.candidates.capability import CandidateCapability
from saccade.engine.candidates.clicks import STRENGTH, rivals, worth
from saccade.engine.candidates.fold import CandidateFold, CandidateGuardFold
from saccade.engine.candidates.marking import marked
from saccade.engine.candidates.records import (
    LONGEST,
    CandidatesAwaited,
    CandidatesClicked,
    CandidatesMarked,
    CandidatesShown,
)
from saccade.engine.candidates.scoring import ranked
from saccade.engine.events import Entry, TakenBack
from saccade.engine.learning.log import KeyClaim, Writer
from saccade.engine.loop.marks import Marks, standing
from saccade.engine.names import check_name, check_user
from saccade.engine.opinions import JudgedOpinions, Opinions
from saccade.engine.request import GUEST
from saccade.errors import InvalidInput, NotShown, SaccadeError
from saccade.feedback.preferences import Judged
from saccade.types import Spec, TakenEvents

MOST = 10_000
"""Events of one batch."""
AHEAD = 300.0
"""Seconds that another program's clock may be ahead of ours."""

SHOWN, PREFERRED, MARKED = "shown", "preferred", ("liked", "disliked")
SORTS = (SHOWN, *MARKED, *STRENGTH, PREFERRED)
_FIELDS = {
    SHOWN: ("candidates", "query"),
    PREFERRED: ("better", "worse"),
    **dict.fromkeys((*MARKED, *STRENGTH), ("id",)),
}
_SHARED = ("event", "page", "user", "at", "key")
_OURS = re.compile(r"[0-9a-f]{32}")
_PAGES = (CandidatesMarked.kind, CandidatesClicked.kind, TakenBack.kind)


@dataclass(frozen=True, slots=True, eq=False)
class ArrivedEvent:
    """One line of a batch, read."""

    number: int
    sort: str
    page: str
    user: str
    at: float
    key: str
    body: Spec
    """As it was sent."""

    @property
    def page_id(self) -> str:
        """What their page is called here: nobody else's, whatever they call it."""
        whole = json.dumps([self.user, self.page]).encode()
        return hashlib.sha256(whole).hexdigest()[:32]


@dataclass(slots=True)
class _PageAtHand:
    """A page that a batch speaks of, with what stands on it."""

    entry: Entry
    shown: CandidatesShown
    marks: Marks = field(default_factory=Marks)
    last_word: dict[str, float] = field(default_factory=dict)  # id -> when it was spoken of last


class Intake:
    """Takes batches in."""

    def __init__(self, capability: CandidateCapability) -> None:
        self._capability, self._opened = capability, capability.opened

    def take(self, lines: Sequence[Spec], *, user: str = GUEST) -> TakenEvents:
        """Take in a batch, all of it or nothing; `user` is whoever is meant by a line that names
        nobody.
        """
        if len(lines) > MOST:
            raise InvalidInput(
                f"{len(lines):,} events are more than {MOST:,}", hint="send them in parts"
            )
        now = self._opened.clock()
        read = [parsed(line, number, now, user) for number, line in enumerate(lines, 1)]
        # Pages first: what is said of one may be told before it, by another clock or another way.
        read.sort(key=lambda one: (one.sort != SHOWN, one.at, one.number))
        if not read:
            return TakenEvents(0, 0, 0, 0)
        batch: _Batch | None = None

        def write(writer: Writer) -> list[Entry]:
            nonlocal batch
            batch = _Batch(self._capability, writer)
            for one in read:
                batch.take(one)
            return batch.entries

        self._opened.learning.append_all(write)
        assert batch is not None
        return batch.taken


class _Batch:
    """One batch within its transaction."""

    def __init__(self, capability: CandidateCapability, writer: Writer) -> None:
        self._capability, self._opened, self._writer = capability, capability.opened, writer
        self._learning, self._now = self._opened.learning, self._opened.clock()
        self._pages: dict[str, _PageAtHand] = {}
        self.entries: list[Entry] = []
        self.taken = TakenEvents(0, 0, 0, 0)

    def take(self, one: ArrivedEvent) -> None:
        try:
            if not self._writer.claim(_claim(one), at=self._now):
                self._count(repeated=1)
            elif one.sort == SHOWN:
                self._show(one)
            else:
                self._say(one)
        except SaccadeError as error:
            raise type(error)(f"event {one.number}: {error.message}", hint=error.hint) from error

    def _count(self, **more: int) -> None:
        counts = {name: getattr(self.taken, name) + number for name, number in more.items()}
        self.taken = replace(self.taken, **counts)

    # -- pages ---------------------------------------------------------------------------------

    def _show(self, one: ArrivedEvent) -> None:
        if self._page(one) is not None:
            self._count(repeated=1)
            return
        query = one.body.get("query") or {}
        if not isinstance(query, Mapping) or set(query) - {"text", "vectors"}:
            raise InvalidInput("its query is no text, vectors or both")
        given = asking.candidates_of(one.body.get("candidates", ()))
        listed = asking.listed(given, query.get("vectors") or {}, SeenPictures())
        text = asking.key(query.get("text"))
        models = self._learning.models
        guard = models.of(CandidateGuardFold).of(one.user)
        ranking = ranked(listed, models.of(CandidateFold), guard, one.user, text, Judged())
        # Served as they say, whatever we would have made of it.
        plain = ranking.opinions.scores[:, ranking.opinions.experts.index("plain")]
        opinions = replace(ranking.opinions, served=plain)
        order = np.arange(len(given), dtype=np.int32)
        shown = CandidatesShown(listed, order, text, 0, len(given), False, opinions)
        about = {"user": one.user, "session_id": one.page_id, "page_id": one.page_id}
        entry = self._writer.append_passing(shown, at=one.at, **about)
        self._pages[one.page_id] = _PageAtHand(entry, shown)
        self._count(taken=1)
        waiting = self._opened.store.log.pages_of(one.page_id, CandidatesAwaited.kind)
        for line in sorted(waiting, key=lambda line: (line.at, line.event_id)):
            self._late(line.body, line.at, one.user)

    def _late(self, body: Spec, at: float, user: str) -> None:
        """What had waited for its page, and was counted when it came."""
        before = self.taken
        try:
            self._say(parsed(body, 0, at, user))
        except SaccadeError:  # it does not fit the page, and says nothing to anybody
            before = replace(before, outdated=before.outdated + 1)
        self.taken = before

    def _page(self, one: ArrivedEvent) -> _PageAtHand | None:
        """The page that an event speaks of: of this batch, of ours, or told of before."""
        names = [one.page_id]
        if _OURS.fullmatch(one.page):
            names.insert(0, one.page)
        for page_id in names:
            page = self._pages.get(page_id) or self._known(page_id, one)
            if page is None:
                continue
            # Of pages met before in this batch, too: another line may speak of it as another.
            if page.entry.user != one.user:
                raise InvalidInput(
                    f"page {one.page!r} was not shown to {one.user!r}",
                    hint="name whoever it was shown to, or leave `user` out",
                )
            self._pages[page_id] = page
            return page
        return None

    def _known(self, page_id: str, one: ArrivedEvent) -> _PageAtHand | None:
        """A page of the log, with what stands on it."""
        entry = self._learning.entry(page_id, CandidatesShown.kind)
        if entry is not None:
            assert isinstance(entry.record, CandidatesShown)
            return self._with_marks(entry, entry.record)
        if page_id == one.page and self._learning.entry(page_id) is not None:
            raise InvalidInput(
                f"page {page_id!r} is one of pictures",
                hint="POST /feedback takes what is said of those",
            )
        return None

    def _with_marks(self, entry: Entry, shown: CandidatesShown) -> _PageAtHand:
        lines = self._opened.store.log.of_session(entry.user, entry.session_id, _PAGES)
        entries = [self._opened.tables.kinds.entry(line) for line in lines]
        undone = {e.record.event_id for e in entries if isinstance(e.record, TakenBack)}
        newest: dict[str, float] = {}
        for one in entries:
            if isinstance(one.record, CandidatesMarked) and one.event_id not in undone:
                marks = one.record.marks()
                for name in (*marks.liked, *marks.disliked, *marks.cleared):
                    newest[name] = max(one.at, newest.get(name, one.at))
        return _PageAtHand(entry, shown, standing(entries), newest)

    # -- what is said of them ------------------------------------------------------------------

    def _say(self, one: ArrivedEvent) -> None:
        page = self._page(one)
        if page is None:
            waits = CandidatesAwaited({**one.body, "user": one.user, "at": one.at})
            about = {"user": one.user, "session_id": one.page_id, "page_id": one.page_id}
            self._writer.append_passing(waits, at=one.at, **about)
            self._count(taken=1, waiting=1)
            return
        event: CandidatesMarked | CandidatesClicked | None
        if one.sort in STRENGTH:
            event = clicked(page.shown, one.body["id"], one.sort)
        elif one.sort == PREFERRED:
            event = preferred(page.shown, one.body["better"], one.body["worse"])
        else:
            event = self._marked(page, one)
        if event is None:
            self._count(outdated=1)
            return
        entry = self._writer.append(
            event,
            at=one.at,
            user=page.entry.user,
            session_id=page.entry.session_id,
            page_id=page.entry.page_id,
        )
        page.marks = page.marks.after(event, entry.event_id)
        self.entries.append(entry)
        self._count(taken=1)

    def _marked(self, page: _PageAtHand, one: ArrivedEvent) -> CandidatesMarked | None:
        name = one.body["id"]
        if page.last_word.get(name, -math.inf) > one.at:
            return None  # they have said something newer of it since
        page.last_word[name] = one.at
        liked, disliked = ((name,) if one.sort == sort else () for sort in MARKED)
        return marked(page.shown, page.marks, liked, disliked, ())


def parsed(line: Spec, number: int, now: float, user: str = GUEST) -> ArrivedEvent:
    """One line of a batch; anything odd about it is an error that names its number."""
    try:
        return _parsed(line, number, now, user)
    except InvalidInput as error:
        raise InvalidInput(f"event {number}: {error.message}", hint=error.hint) from error


def _parsed(line: Spec, number: int, now: float, user: str) -> ArrivedEvent:
    if not isinstance(line, Mapping):
        raise InvalidInput(f"a line is an object, not a {type(line).__name__}")
    sort = line.get("event")
    if sort not in SORTS:
        raise InvalidInput(
            f"there is no event {sort!r:.40}", hint=f"`event` is one of {', '.join(SORTS)}"
        )
    strange = set(line) - {*_SHARED, *_FIELDS[sort]}
    if strange:
        raise InvalidInput(f"{sort} has no {min(map(str, strange))!r:.60}")
    page = check_name("page", line.get("page"), longest=LONGEST)
    for name in _FIELDS[sort]:
        if sort != SHOWN:
            check_name(name, line.get(name), longest=LONGEST)
    if sort == SHOWN and "candidates" not in line:
        raise InvalidInput("a page that was shown has candidates")
    key = line.get("key", "")
    if key:
        check_name("key", key, longest=LONGEST)
    return ArrivedEvent(
        number, str(sort), page, check_user(line.get("user", user)),
        _time(line.get("at", now), now), str(key), line,
    )  # fmt: skip


def _time(at: object, now: float) -> float:
    plain = isinstance(at, int | float) and not isinstance(at, bool)
    if not plain or not math.isfinite(float(at)) or float(at) < 0.0:  # type: ignore[arg-type]
        raise InvalidInput(f"its time {at!r:.40} is none", hint="`at` is in Unix seconds")
    if float(at) > now + AHEAD:  # type: ignore[arg-type]
        raise InvalidInput(
            f"its time is {float(at) - now:,.6g} seconds from now",  # type: ignore[arg-type]
            hint="`at` is in Unix seconds, and nothing has happened that is to come",
        )
    return float(at)  # type: ignore[arg-type]


def _claim(one: ArrivedEvent) -> KeyClaim | None:
    body = {name: value for name, value in one.body.items() if name != "at"}
    return KeyClaim.of(one.user, one.key, body)


def _placed(shown: CandidatesShown, names: Iterable[str]) -> list[int]:
    """Places in the list as it was given."""
    place = {name: row for row, name in enumerate(shown.listed.ids)}
    missing = [name for name in names if name not in place]
    if missing:
        raise NotShown(
            f"candidate {missing[0]!r} was not on this page", hint="name candidates of the page"
        )
    return [place[name] for name in names]


def clicked(shown: CandidatesShown, name: str, sort: str) -> CandidatesClicked:
    """A click on a candidate of a page, as an event that carries its own lesson."""
    _placed(shown, (name,))
    page = shown.served[: shown.k]
    if name not in page:
        raise NotShown(
            f"candidate {name!r} is below the end of this page", hint="nobody has seen it there"
        )
    place = page.index(name)
    rows = _placed(shown, (name, *rivals(page, place)))
    return CandidatesClicked(
        name=name,
        sort=sort,
        place=place,
        worth=worth(sort, place),
        text=shown.text,
        columns=shown.listed.columns,
        rows=shown.listed.rows[rows],
        opinions=_heard(shown, rows),
    )


def preferred(shown: CandidatesShown, better: str, worse: str) -> CandidatesMarked:
    """One candidate of a page before another."""
    if better == worse:
        raise InvalidInput(f"candidate {better!r} cannot be before itself")
    rows = _placed(shown, (better, worse))
    return CandidatesMarked(
        liked=(),
        disliked=(),
        cleared=(),
        text=shown.text,
        columns=shown.listed.columns,
        rows=shown.listed.rows[rows],
        pairs=np.array([[0, 1]], np.int32),
        opinions=_heard(shown, rows),
    )


def _heard(shown: CandidatesShown, rows: list[int]) -> JudgedOpinions:
    """What was said of the first of some rows, which is right, and of the others, which are not."""
    every = shown.opinions
    first = np.arange(len(rows)) == 0
    opinions = Opinions(every.experts, every.stage, every.scores[rows], every.served[rows])
    names = tuple(shown.listed.ids[row] for row in rows)
    return JudgedOpinions(names, opinions, first, np.ones(len(rows), np.bool_))
