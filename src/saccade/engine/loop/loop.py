"""The loop: a request becomes a page, a mark becomes an event and another page.

    search   request ─ session ─ ranking ─ page ─ log
    react    page ─ log ─ session, marks ─ event ─ log ─ models ─ the same from the ranking on

An event is durable before it is acknowledged; then the models learn and the page is ranked again.
The loop knows no capability: it asks those that a request or a session names.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence, Set
from dataclasses import replace
from time import perf_counter
from typing import TypeVar

import numpy as np

from saccade import trace
from saccade.engine.cache import Cache
from saccade.engine.collection import Collection
from saccade.engine.events import Entry, Feedback, Shown
from saccade.engine.learning.fold import Models
from saccade.engine.learning.log import KeyClaim
from saccade.engine.loop import page as pages
from saccade.engine.loop.capability import Capability
from saccade.engine.loop.experts import EXPERTS, Moment, Ranking, check_expert
from saccade.engine.loop.marks import Marks, SessionMarks
from saccade.engine.loop.page import Fits, Narrowed
from saccade.engine.loop.session import Session, begin, resume
from saccade.engine.loop.teaching import preferred, reacted
from saccade.engine.loop.where import WORDS, Narrowing
from saccade.engine.opened import OpenStore
from saccade.engine.request import Clause, SearchRequest, ShowRequest, check_k
from saccade.errors import InvalidInput, NotFound, StoreError
from saccade.feedback.preferences import Judged
from saccade.types import Encoded, Page, Rows, Scores, Vectors

log = logging.getLogger(__name__)

BUDGET = 1 << 28
"""Bytes of the sessions kept in memory."""
OWN = WORDS | {"text"}
"""Words of a request that the loop itself answers to, unless a capability does."""

RANKINGS = 3
"""How often a page is ranked at most whose collection loses pieces meanwhile."""

Kind = TypeVar("Kind", bound=Capability)


class Loop:
    """Searches and feedback over one open store. Thread-safe."""

    def __init__(self, opened: OpenStore, capabilities: Iterable[type[Capability]] = ()) -> None:
        self.opened = opened
        self.capabilities = tuple(kind(opened) for kind in capabilities)
        self._experts = {
            **EXPERTS,
            **{n: e for c in self.capabilities for n, e in c.experts.items()},
        }
        self.narrowing = Narrowing(opened)
        self._marks = SessionMarks(opened)
        self._sessions: Cache[str, Session] = opened.keep(
            Cache(BUDGET, lambda session: session.nbytes)
        )

    def capability(self, kind: type[Kind]) -> Kind:
        """The capability of this class; it must be in the table."""
        return next(one for one in self.capabilities if isinstance(one, kind))

    # -- searching -----------------------------------------------------------------------------

    def search(self, request: SearchRequest) -> Page:
        """The first page of a new session."""
        began = perf_counter()
        check_expert(request.expert, self._experts)
        asked = self._asked(request) if request.words() else []
        # One collection for both: more pictures may have come by the second look.
        collection = self.opened.collection()
        query = next(filter(None, (one.look_for(request, collection) for one in asked)), None)
        session = begin(request, collection, self.opened.pool, query)
        if request.where:
            session = self._within(session)
        for one in asked:
            session = one.prepare(request, session)
        return self._page(session, Judged(), k=request.k, number=0, began=began)

    def likeness(self, request: SearchRequest, rows: Rows) -> Scores:
        """How well some pictures fit a search before anything is learned; nothing is logged."""
        asked = self._asked(request) if request.words() else []
        collection = self.opened.collection()
        query = next(filter(None, (one.look_for(request, collection) for one in asked)), None)
        session = begin(request, collection, self.opened.pool, query)
        for one in asked:
            session = one.prepare(request, session)
        weights = np.array([*session.prior.values()], np.float32)
        phi = session.phi_of(rows, only=weights > 0.0)
        return np.asarray(phi @ weights[weights > 0.0], np.float32)

    def show(self, request: ShowRequest) -> Page:
        """A page again, ranked by what is known now, perhaps narrowed in another way."""
        began = perf_counter()
        entry, shown = self.shown(request.page_id)
        session = self._session(entry, shown)
        if request.where is not None:
            self._check({clause.word for clause in request.where}, request.where, session.user)
            session = self._within(replace(session, where=request.where))
        judged = self.judged(session.user, session.session_id)
        return self._page(session, judged, k=request.k, number=shown.round, began=began)

    def again(self, page_id: str, k: int | None = None) -> Page:
        """A page as it ranks now, as long as it was unless `k` says otherwise."""
        _, shown = self.shown(page_id)
        return self.show(ShowRequest(page_id=page_id, k=k or max(1, len(shown.images))))

    def fitting(self, where: Sequence[Clause], user: str) -> tuple[Collection, Fits]:
        """The living rows that fit everything, whatever is looked for; `prefer` counts for nothing.

        Raises what a search would that is narrowed so.
        """
        self._check({clause.word for clause in where}, where, user)
        collection, models = self.opened.collection(), self.opened.learning.catch_up()
        fits = collection.listing.alive.copy()
        for clause in where:
            if clause.word in WORDS:
                fits &= self.narrowing.fits(clause, collection)
                continue
            mine = [one for one in self.capabilities if clause.word in one.words]
            rows = _narrowed_by(mine, clause, user, collection, models)
            if rows is not None:
                fits &= rows
        return collection, fits

    # -- teaching ------------------------------------------------------------------------------

    def react(
        self,
        page: Page | str,
        liked: Sequence[str],
        disliked: Sequence[str],
        cleared: Sequence[str],
        k: int | None,
        key: str | None = None,
    ) -> Page:
        """Keep what is right and wrong on a page, learn from it, and rank the page anew."""
        began = perf_counter()
        self.opened.store.check_writable()
        entry, shown = self.shown(page)
        session = self._session(entry, shown)

        def event_on(marks: Marks) -> Feedback:
            event, new = reacted(shown, session, marks, liked, disliked, cleared)
            attached = self._rewarded(shown, new) if shown.attached else {}
            return replace(event, attached=attached) if attached else event

        claim = KeyClaim.of(entry.user, key, [entry.page_id, liked, disliked, cleared])
        return self._learned(event_on, claim, entry, shown, session, k, began)

    def prefer(
        self,
        page: Page | str,
        better: str,
        worse: str,
        k: int | None,
        key: str | None = None,
    ) -> Page:
        """Keep that one picture of a page belongs before another, learn from it, rank anew."""
        began = perf_counter()
        self.opened.store.check_writable()
        entry, shown = self.shown(page)
        session = self._session(entry, shown)

        def event_on(marks: Marks) -> Feedback:
            return preferred(shown, session, marks, better, worse)

        claim = KeyClaim.of(entry.user, key, [entry.page_id, better, worse])
        return self._learned(event_on, claim, entry, shown, session, k, began)

    def _learned(
        self,
        event_on: Callable[[Marks], Feedback],
        claim: KeyClaim | None,
        entry: Entry,
        shown: Shown,
        session: Session,
        k: int | None,
        began: float,
    ) -> Page:
        """The page after one more event, which is durable before anything is learned from it.

        One that was sent before, under the same key, changes nothing.
        """
        size = len(shown.images) if k is None else check_k(k)
        if not self.opened.learning.claimed(claim):
            event = event_on(self._marks.of(entry.user, entry.session_id))
            about = {"user": entry.user, "session_id": entry.session_id, "page_id": entry.page_id}
            at = self.opened.clock()
            self.opened.learning.append_all(
                lambda w: [w.append(event, at=at, **about)] if w.claim(claim, at=at) else []
            )
        # From the log and not from the page: another tab may have marked since.
        judged = self.judged(session.user, session.session_id)
        return self._page(session, judged, k=size, number=shown.round + 1, began=began)

    def _rewarded(self, shown: Shown, new: Judged) -> dict[str, Encoded]:
        """What capabilities that took part in a page keep with a reaction to it."""
        attached = {}
        for one in self.capabilities:
            noted = shown.attached.get(one.name)
            added = None if noted is None else one.reacted(noted, shown, new)
            if added is not None:
                attached[one.name] = added
        return attached

    # -- what the log has ----------------------------------------------------------------------

    def shown(self, page: Page | str) -> tuple[Entry, Shown]:
        """What the log keeps of a page."""
        page_id = page if isinstance(page, str) else page.page_id
        entry = self.opened.learning.entry(page_id)
        if entry is None or not isinstance(entry.record, Shown):
            days = self.opened.recipe.retention["days"]
            raise NotFound(
                f"no page {page_id!r} in the log, which keeps pages that nobody marked "
                f"for {days:g} days at most",
                hint="search again",
            )
        return entry, entry.record

    def session_of(self, page_id: str) -> str:
        """The session of a page, be it one of a capability's own."""
        theirs = (one.session_of(page_id) for one in self.capabilities)
        own = next(filter(None, theirs), None)
        return self.shown(page_id)[0].session_id if own is None else own

    def judged(self, user: str, session_id: str) -> Judged:
        """What a session has said so far."""
        return self._marks.of(user, session_id).judged

    def under_way(self, page: Page | str) -> tuple[Session, Judged]:
        """The session of a page, and what it has said so far."""
        entry, shown = self.shown(page)
        return self._session(entry, shown), self.judged(entry.user, entry.session_id)

    def direction(self, session: Session) -> Vectors | None:
        """What a session looks for, by a capability that takes part in it; None where none says."""
        models = self.opened.learning.catch_up()
        directions = (one.direction(session, models) for one in self._at_work(session))
        return next((direction for direction in directions if direction is not None), None)

    def _session(self, entry: Entry, shown: Shown) -> Session:
        """The session of a page: at hand, or built again from the log."""
        at_hand = self._sessions.get(entry.session_id)
        if at_hand is not None:
            return at_hand
        session = resume(entry, shown, self.opened.collection(), self.opened.pool)
        return self._within(session) if session.where else session

    # -- a page --------------------------------------------------------------------------------

    def _page(self, session: Session, judged: Judged, *, k: int, number: int, began: float) -> Page:
        """Rank, log what is shown, return it."""
        models = self.opened.learning.catch_up()
        at_work = self._at_work(session) if session.where or session.attached else []
        whole, cut = session, session.collection.cut
        for _ in range(RANKINGS):
            lost = 0 if cut is None else cut.pieces.lost()
            session, missing = whole.served()
            length = max(k, session.verify)
            moment = Moment(session, models, judged, length, self.opened.recipe.guests)
            theirs = self._ranking(moment, at_work) if at_work else None
            ranking = theirs or self._experts[session.expert].rank(moment)
            narrowed = self._narrowed(session, models, at_work) if session.where else Narrowed()
            page, rows = pages.made(moment, ranking, narrowed, k=k, number=number)
            if cut is None or cut.pieces.lost() == lost:
                break
            # A piece was lost on the way: what was computed has a hole that nobody may find later.
            whole = whole.anew()
        attached = dict(session.attached)
        for one in at_work:
            page = one.tell(page, session, ranking)
            rows = rows[: len(page.hits)]
            noted = one.note(session, ranking, rows)
            if noted is not None:
                attached[one.name] = noted
        self.opened.dropped.update(page.dropped)
        shown = session.shown(page, judged, ranking.opinions(rows), attached)
        about = {"user": page.user, "session_id": page.session, "page_id": page.page_id}
        unlogged = ""
        try:
            self.opened.learning.note(shown, at=self.opened.clock(), **about)
        # A log that is busy, or a disk that is full, is no reason not to find anything.
        except StoreError as error:
            trace.swallowed(log, error, doing="logging a page")
            self.opened.unlogged += 1
            unlogged = error.short
        self._sessions.put(whole.session_id, whole)
        seconds = perf_counter() - began
        return replace(page, missing=missing, unlogged=unlogged, seconds=seconds)

    def _ranking(self, moment: Moment, at_work: Sequence[Capability]) -> Ranking | None:
        """By a capability that takes part; None where none has a ranking, or it fails."""
        for one in at_work:
            try:
                ranking = one.rank(moment)
                if ranking is not None and np.isfinite(ranking.scores).all():
                    return ranking
            # What it needs may be gone or damaged since the session began: the page is served.
            except Exception as error:
                trace.swallowed(log, error, doing="ranking a page", capability=one.name)
        return None

    def _narrowed(
        self, session: Session, models: Models, at_work: Sequence[Capability]
    ) -> Narrowed:
        """What clauses leave of a page, beyond those that the session has seen to."""
        strict: list[Fits] = []
        first: list[Fits] = []
        for clause in session.where:
            if clause.word in WORDS:
                fits = self.narrowing.fits(clause, session.collection) if clause.prefer else None
            else:
                mine = [one for one in at_work if clause.word in one.words]
                fits = _narrowed_by(mine, clause, session.user, session.collection, models)
            if fits is not None:
                (first if clause.prefer else strict).append(fits)
        return Narrowed(
            np.logical_and.reduce(strict) if strict else None,
            np.logical_and.reduce(first) if first else None,
        )

    # -- who takes part ------------------------------------------------------------------------

    def _asked(self, request: SearchRequest) -> list[Capability]:
        """The capabilities that a request names; a word that nothing answers to is an error."""
        self._check(request.words(), request.where, request.user)
        return [one for one in self.capabilities if not one.words.isdisjoint(request.words())]

    def _at_work(self, session: Session) -> list[Capability]:
        """The capabilities that take part in a session."""
        words = {clause.word for clause in session.where}
        return [
            one
            for one in self.capabilities
            if one.name in session.attached or not one.words.isdisjoint(words)
        ]

    def _check(self, words: Set[str], where: Sequence[Clause], user: str) -> None:
        """Every word is answered to, and what narrows a search can be used as it is."""
        strange = words - OWN - {word for one in self.capabilities for word in one.words}
        if strange:
            raise InvalidInput(f"nothing here answers to {min(strange)!r} in a search")
        self.narrowing.check(where)
        for one in self.capabilities:
            mine = [clause for clause in where if clause.word in one.words]
            if mine:
                one.check(mine, user)

    def _within(self, session: Session) -> Session:
        """The session with the rows that names and places let in."""
        within = self.narrowing.within(session.where, session.collection)
        if within is session.within is None:
            return session
        # Of what was computed, only this depends on the rows that are let in.
        return replace(session, within=within, computed=replace(session.computed, chance=None))


def _narrowed_by(
    capabilities: Iterable[Capability],
    clause: Clause,
    user: str,
    collection: Collection,
    models: Models,
) -> Fits | None:
    """The rows that fit a clause, by the first of those who answer to it."""
    answers = (one.narrow(clause, user, collection, models) for one in capabilities)
    return next(answers, None)
