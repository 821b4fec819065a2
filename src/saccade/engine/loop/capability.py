"""What a capability offers the rest of the engine: attributes, concepts, configurations, …

A capability is a folder of the engine, and its class here is a row of the table
(`engine/capabilities.py`). The store takes its events, folds and sources; the loop asks it about
the searches that name it, and about no others:

    a search begins     look_for   what is looked for, where that is not the request's pictures
                        prepare    what it changes of the session, and what it notes with it
    a page is ranked    narrow     which rows fit
                        rank       a ranking of its own
                        tell       what the page says of it
                        note       what the log keeps of that with the page
    a picture is seen   direction  what is looked for, for the map of where it is
    a page is marked    reacted    what the log keeps of that with the reaction

What it has no part in stays as it is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection
from saccade.engine.events import Entry, Feedback, Record, Shown
from saccade.engine.learning.fold import Fold, Models
from saccade.engine.loop.experts import Expert, Moment, Ranking
from saccade.engine.loop.query import Query
from saccade.engine.loop.session import Session
from saccade.engine.opened import OpenStore, Tables
from saccade.engine.recipe import Recipe
from saccade.engine.request import Clause, SearchRequest
from saccade.engine.sources import Source
from saccade.feedback.preferences import Judged
from saccade.types import Encoded, Page, Rows, Spec, Vectors


class Capability:
    """One capability at work in one open store."""

    name: ClassVar[str]
    words: ClassVar[frozenset[str]] = frozenset()
    """Fields of a request and words of its `where` that name it."""
    records: ClassVar[tuple[type[Record], ...]] = ()
    """Its kinds of event."""
    folds: ClassVar[Mapping[str, Callable[[Recipe], Fold]]] = {}
    """What is learned from events, by name."""
    sources: ClassVar[Mapping[str, Source]] = {}
    """Kinds of stored columns, by name."""
    experts: ClassVar[Mapping[str, Expert]] = {}
    """Ways to score the collection that a request may name as its `expert`."""

    def __init__(self, opened: OpenStore) -> None:
        self.opened = opened

    # -- a search begins -----------------------------------------------------------------------

    def look_for(self, request: SearchRequest, collection: Collection) -> Query | None:
        """What is looked for, where that is not the pictures of the request as they are.

        It is ranked against that same `collection`: by now there may be a larger one.
        """
        return None

    def check(self, where: Sequence[Clause], user: str) -> None:
        """Raise an error where a search cannot be narrowed by this."""

    def prepare(self, request: SearchRequest, session: Session) -> Session:
        """The session as this capability changes it; `session.attached` takes what it notes."""
        return session

    # -- a page is ranked ----------------------------------------------------------------------

    def narrow(
        self, clause: Clause, user: str, collection: Collection, models: Models
    ) -> NDArray[np.bool_] | None:
        """The rows that fit one of its clauses; None where it means nothing any more."""
        return None

    def rank(self, moment: Moment) -> Ranking | None:
        """A ranking instead of the session's expert; None where it has none for this moment."""
        return None

    def tell(self, page: Page, session: Session, ranking: Ranking) -> Page:
        """The page with what it says of this capability."""
        return page

    def note(self, session: Session, ranking: Ranking, rows: Rows) -> Encoded | None:
        """What the log keeps with a page of these rows, beside what the session has noted."""
        return None

    # -- a picture is looked at ----------------------------------------------------------------

    def direction(self, session: Session, models: Models) -> Vectors | None:
        """What a search looks for as a direction in the embedding's space [d]; None: its pictures.

        A picture's map shows where it scores high along it (`rooms.maps`).
        """
        return None

    # -- a page of its own ---------------------------------------------------------------------

    def session_of(self, page_id: str) -> str | None:
        """The session of a page that is of this capability alone; None where it knows no such."""
        return None

    # -- a page is marked ----------------------------------------------------------------------

    def reacted(self, noted: Encoded, shown: Shown, new: Judged) -> Encoded | None:
        """What the log keeps with a reaction to a page that this capability `noted`."""
        return None

    # -- a person's profile travels ------------------------------------------------------------

    def along(self, feedback: Iterable[Feedback]) -> Sequence[Record]:
        """Events that are nobody's and that somebody's feedback means nothing without."""
        return ()

    def arriving(self, data: Spec) -> Callable[[], Sequence[Record]]:
        """Those of an exported profile, checked; called at writing, it gives what is missing."""
        return tuple


def tables(capabilities: Iterable[type[Capability]]) -> Tables:
    """What a store holds and learns with these capabilities."""
    every = tuple(capabilities)
    return Tables.of(
        tuple(record for one in every for record in one.records),
        {name: make for one in every for name, make in one.folds.items()},
        {name: source for one in every for name, source in one.sources.items()},
    )


def feedback_of(entries: Iterable[Entry]) -> list[Feedback]:
    """The records of entries that teach."""
    return [e.record for e in entries if isinstance(e.record, Feedback)]
