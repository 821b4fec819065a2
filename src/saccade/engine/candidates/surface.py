"""Candidates, as people and programs use them: rank a list, say what was right, rank it again."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from time import perf_counter

import numpy as np

from saccade import trace
from saccade.engine.cache import Cache
from saccade.engine.candidates import asking
from saccade.engine.candidates.asking import Given, SeenPictures
from saccade.engine.candidates.capability import CandidateCapability
from saccade.engine.candidates.fold import CandidateFold, CandidateGuardFold
from saccade.engine.candidates.intake import Intake
from saccade.engine.candidates.marking import marked
from saccade.engine.candidates.records import CandidateList, CandidatesMarked, CandidatesShown
from saccade.engine.candidates.scoring import ranked
from saccade.engine.collection import Collection
from saccade.engine.events import TakenBack
from saccade.engine.learning.guard import report
from saccade.engine.learning.log import KeyClaim
from saccade.engine.loop.loop import Loop
from saccade.engine.loop.marks import SessionMarks
from saccade.engine.loop.query import resolve
from saccade.engine.names import Named, check_user, ids_of
from saccade.engine.request import GUEST, PictureLike, SearchRequest
from saccade.engine.sources import dense
from saccade.errors import InvalidInput, StoreError
from saccade.features.prior import LEARNED
from saccade.feedback.preferences import Judged
from saccade.types import (
    Candidate,
    CandidateHit,
    CandidatePage,
    GuardReport,
    Numbers,
    Rows,
    Spec,
    TakenEvents,
)

log = logging.getLogger(__name__)


class Candidates:
    """Lists that another engine found, in the order that people teach. Thread-safe.

    >>> found = [{"id": "a", "features": {"bm25": 7.1}}, {"id": "b", "features": {"bm25": 3.0}}]
    >>> page = engine.candidates.rerank(found, text="red shoes", user="ana")
    >>> [hit.id for hit in page.hits]
    ['a', 'b']
    >>> page = engine.candidates.react(page, liked=["b"], disliked=["a"])
    >>> [hit.id for hit in page.hits]
    ['b', 'a']
    >>> engine.candidates.knows(page.page_id), engine.candidates.texts(user="ana")
    (True, ('red shoes',))
    >>> clicked = {"event": "clicked", "page": page.page_id, "id": "b", "user": "ana", "key": "e-1"}
    >>> engine.candidates.take([clicked, clicked]).repeated
    1
    >>> engine.candidates.guard(user="ana").events
    2
    """

    def __init__(self, capability: CandidateCapability, loop: Loop) -> None:
        self._capability, self._opened, self._loop = capability, capability.opened, loop
        kinds = (CandidatesMarked.kind, TakenBack.kind)
        self._marks = SessionMarks(self._opened, kinds)
        self._intake = Intake(capability)
        self._named = self._opened.keep(Cache[int, dict[str, int]](1))
        self.parts = capability, loop
        """What another of its kind is made from."""

    # -- ranking -------------------------------------------------------------------------------

    def rerank(
        self,
        candidates: Sequence[Given],
        *,
        text: str | None = None,
        picture: PictureLike | None = None,
        vectors: Mapping[str, Numbers] | None = None,
        user: str = GUEST,
        k: int | None = None,
        explain: bool = False,
    ) -> CandidatePage:
        """A list of candidates in the order that people taught; as given until somebody did.

        Args:
            candidates: each a `Candidate` or a mapping such as
                ``{"id": "sku-1", "features": {"bm25": 7.1}, "vectors": {"clip": [...]}}``;
                ``image_id`` names a picture of the collection, by its id or the one you gave it
                (`engine.fields`); so does an ``id`` without features and vectors, where it is one
                that you gave.
            text: what was asked for; what is taught on the page counts most for this text.
            picture: what was asked for, as a search takes it; compared with candidates that are
                pictures of the collection, and with vectors named as one of its descriptors.
            vectors: what was asked for, as vectors by the names that candidates' have.
            user: whose order it is, and who teaches on the page.
            k: how many the page tells, of all that are ranked.
            explain: whether each candidate says what its score is made of.
        """
        began = perf_counter()
        check_user(user)
        asked, given = asking.key(text), asking.candidates_of(candidates)
        if k is not None and (not isinstance(k, int) or isinstance(k, bool) or k < 1):
            raise InvalidInput(f"k must be 1 or more, not {k!r}")
        query, seen = self._seen(given, text, picture, dict(vectors or {}))
        listed = asking.listed(given, query, seen)
        size = len(given) if k is None else min(k, len(given))
        return self._page(listed, uuid.uuid4().hex, user, asked, Judged(), 0, size, explain, began)

    def _seen(
        self,
        given: Sequence[Candidate],
        text: str | None,
        picture: PictureLike | None,
        query: dict[str, Numbers],
    ) -> tuple[dict[str, Numbers], SeenPictures]:
        """The query's vectors, and what the collection knows of candidates that are its own."""
        collection = self._opened.collection()
        rows = self._rows(given, collection)
        if not rows and picture is None:
            return query, SeenPictures()
        names = dense.of(collection).names if collection.views else ()
        if picture is not None:
            theirs = {name for one in given for name in one.vectors}
            shared = [name for name in names if name in theirs and name not in query]
            if shared or not rows:  # a picture that is none is refused, whatever it is for
                parts = resolve(picture, collection).parts
                query |= {name: parts[name] for name in shared if name in parts}
        if not rows:
            return query, SeenPictures()
        own = [name for name in names if collection.kinds.get(name) == LEARNED] or list(names)
        columns = {name: dense.of(collection).columns[name] for name in own[:1]}
        taken = np.array([*rows.values()], np.int64)
        vectors = {
            name: dict(zip(rows, column.take(taken), strict=True))
            for name, column in columns.items()
        }
        scores = self._likeness(text, picture, taken)
        return query, SeenPictures(dict(zip(rows, scores, strict=False)), vectors)

    def _rows(self, given: Sequence[Candidate], collection: Collection) -> dict[int, int]:
        """The rows of candidates that are pictures of the collection, by place in the list.

        A picture is named by `image_id`, ours or the id that others gave it; and by an `id` alone,
        where it is such an id and nothing else is known of the candidate.
        """
        named = self._named.made(
            collection.generation, self._opened.store.catalog.rows_of_externals
        )
        alive, out = collection.listing.alive, {}
        for place, one in enumerate(given):
            alone = not (one.features or one.vectors)
            row = named.get(one.image_id or (one.id if alone else ""), len(alive))
            if row < len(alive) and alive[row]:
                out[place] = row
            elif one.image_id:
                out[place] = collection.row(one.image_id)
        return out

    def _likeness(self, text: str | None, picture: PictureLike | None, rows: Rows) -> list[float]:
        """How well pictures of the collection fit the query; nothing where there is none."""
        likeness: list[float] = []
        if text and text.strip():
            # Words that mean nothing here mean something to the engine that found these.
            with suppress(InvalidInput):
                likeness = self._loop.likeness(
                    SearchRequest(query=picture, text=text), rows
                ).tolist()
        if picture is not None and not likeness:
            likeness = self._loop.likeness(SearchRequest(query=picture), rows).tolist()
        return likeness

    # -- teaching ------------------------------------------------------------------------------

    def react(
        self,
        page: CandidatePage | str,
        *,
        liked: Sequence[Named | CandidateHit] = (),
        disliked: Sequence[Named | CandidateHit] = (),
        cleared: Sequence[Named | CandidateHit] = (),
        k: int | None = None,
        key: str | None = None,
    ) -> CandidatePage:
        """Say what is right and wrong on a page, or take marks off; learns, and re-ranks it.

        What is sent again under the same `key` counts once.
        """
        began = perf_counter()
        page_id = page if isinstance(page, str) else page.page_id
        entry, shown = self._capability.shown(page_id)
        ids = _ids(liked), _ids(disliked), _ids(cleared)
        claim = KeyClaim.of(entry.user, key, [page_id, *ids])
        size = shown.k if k is None else min(k, len(shown.listed.ids))
        if size < 1:
            raise InvalidInput(f"k must be 1 or more, not {k!r}")
        if not self._opened.learning.claimed(claim):
            event = marked(shown, self._marks.of(entry.user, entry.session_id), *ids)
            about = {"user": entry.user, "session_id": entry.session_id, "page_id": entry.page_id}
            at = self._opened.clock()
            self._opened.learning.append_all(
                lambda w: [w.append(event, at=at, **about)] if w.claim(claim, at=at) else []
            )
        # From the log and not from the page: another client may have marked since.
        judged = self._marks.of(entry.user, entry.session_id).judged
        return self._page(
            shown.listed, entry.session_id, entry.user, shown.text, judged, shown.round + 1, size,
            shown.explain, began,
        )  # fmt: skip

    def take(self, events: Sequence[Spec], *, user: str = GUEST) -> TakenEvents:
        """Take in events that another program tells of, all of them or none.

        Each is a mapping: ``{"event": "clicked", "page": "p-7", "id": "sku-1", "user": "ana",
        "at": 1700000000.0, "key": "e-12"}``, where `event` is shown, liked, disliked, clicked,
        bought or preferred, `page` is the `page_id` of `rerank` or a name of your own, `at` is in
        Unix seconds (now unless given), and what has a `key` counts once however often it is sent.
        A page of your own is told of by ``{"event": "shown", "page": …, "query": {"text": …},
        "candidates": [...]}`` in the order shown, before or after what is said of it; preferred
        has `better` and `worse` for `id`. `user` is meant where an event names nobody.
        """
        return self._intake.take(events, user=user)

    def knows(self, page_id: str) -> bool:
        """Whether this is a page of candidates."""
        return self._capability.session_of(page_id) is not None

    def texts(self, *, user: str = GUEST) -> tuple[str, ...]:
        """What a person taught the order of candidates for, the newest first."""
        fold = self._opened.learning.catch_up().of(CandidateFold)
        return fold.texts(check_user(user))[::-1]

    def guard(self, *, user: str | None = GUEST) -> GuardReport:
        """Whether what a person taught about candidates pays, measured before each lesson.

        Of everybody together, where `user` is None.
        """
        fold = self._opened.learning.catch_up().of(CandidateGuardFold)
        return report(fold.everybody if user is None else fold.of(check_user(user)))

    # -- a page --------------------------------------------------------------------------------

    def _page(
        self,
        listed: CandidateList,
        session: str,
        user: str,
        text: str,
        judged: Judged,
        number: int,
        k: int,
        explain: bool,
        began: float,
    ) -> CandidatePage:
        """Rank, log what is shown, return it."""
        models = self._opened.learning.catch_up()
        guard = models.of(CandidateGuardFold).of(user)
        ranking = ranked(listed, models.of(CandidateFold), guard, user, text, judged)
        first = ranking.order[:k].tolist()
        names, parts = ranking.parts() if explain else ((), np.zeros((len(listed.ids), 0)))
        hits = tuple(
            CandidateHit(
                listed.ids[row],
                float(ranking.opinions.served[row]),
                row,
                names,
                parts[row],
            )
            for row in first
        )
        shown = CandidatesShown(listed, ranking.order, text, number, k, explain, ranking.opinions)
        page_id, unlogged = uuid.uuid4().hex, ""
        about = {"user": user, "session_id": session, "page_id": page_id}
        try:
            self._opened.learning.note(shown, at=self._opened.clock(), **about)
        # A log that is busy, or a disk that is full, is no reason not to rank anything.
        except StoreError as error:
            trace.swallowed(log, error, doing="logging a page of candidates")
            self._opened.unlogged += 1
            unlogged = error.short
        return CandidatePage(
            page_id=page_id,
            session=session,
            user=user,
            round=number,
            text=text,
            hits=hits,
            ranked=len(listed.ids),
            model=str(models.event_id),
            leading=ranking.leading,
            liked=frozenset(judged.liked),
            disliked=frozenset(judged.disliked),
            unlogged=unlogged,
            seconds=perf_counter() - began,
        )


def _ids(given: Sequence[Named | CandidateHit]) -> tuple[str, ...]:
    """Ids in order, each once; a picture of the collection goes by its own."""
    if isinstance(given, str):
        raise InvalidInput(f"marks are lists of ids, not the text {given[:40]!r}")
    return ids_of([one.id if isinstance(one, CandidateHit) else one for one in given])
