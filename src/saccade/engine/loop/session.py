"""A search session: one query against the whole collection.

To rank everything, schemes with weight are weighed as they are computed; φ itself is computed of
what is shown, and of whatever else an expert compares. It does not depend on the expert: what was
computed is kept for later rounds, of the sessions used last, within a budget of bytes.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields, is_dataclass, replace

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection, Example
from saccade.engine.events import Attached, Entry, Shown
from saccade.engine.loop import verifying
from saccade.engine.loop.computed import Columns, ComputedPhi
from saccade.engine.loop.phi import signed_phi, signed_scores
from saccade.engine.loop.query import Query, from_log, from_text, logged, resolve
from saccade.engine.loop.schemes import parse_schemes
from saccade.engine.opinions import Opinions
from saccade.engine.request import Clause, SearchRequest
from saccade.engine.sources import words
from saccade.errors import InvalidInput, NotFound
from saccade.feedback.preferences import Judged
from saccade.hints import FILL
from saccade.types import Page, Phi, Rows, Scheme, Scores

OVERHEAD = 8192
"""Bytes of a session beside its arrays: the objects themselves, about."""

Reach = NDArray[np.float64]  # [rows of the collection] what spreads to each


@dataclass(slots=True)
class Computed:
    """What was computed in a session and later rounds may need again."""

    phi: dict[tuple[bool, ...], ComputedPhi] = field(default_factory=dict)
    views: tuple[str, ...] | None = None  # of the collection, those that the schemes need
    asked: tuple[Reach, Reach] | None = None  # from the query's pictures, meant and not meant
    chance: float | None = None  # how well the former reach any picture
    examples: dict[int, Example] = field(default_factory=dict)  # pictures that were marked, by row


@dataclass(frozen=True, slots=True)
class Session:
    """What stays the same over the rounds of one search."""

    session_id: str
    user: str
    query: Query
    schemes: tuple[Scheme, ...]
    prior: Mapping[str, float]  # weight of each scheme before learning, in the same order
    expert: str
    collection: Collection
    pool: Executor | None
    verify: int = 0  # how many of the best are checked by geometry, or verifying.AUTOMATIC
    where: tuple[Clause, ...] = ()  # what narrows it
    within: NDArray[np.bool_] | None = None  # the rows that names and places let in; all when None
    word: str = ""  # what is asked for in words, where something is
    attached: Attached = field(default_factory=dict)  # what capabilities know of it
    computed: Computed = field(default_factory=Computed, compare=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The schemes as text, in the order of φ's columns."""
        return tuple(self.prior)

    @property
    def excluded(self) -> Rows:
        """Rows that never appear: dead ones, the query itself, those that are not let in."""
        own = np.array(self.query.rows(), np.int64)
        out = np.zeros(0, np.int64) if self.within is None else np.flatnonzero(~self.within)
        return np.concatenate([self.collection.dead, own, out])

    def anew(self) -> Session:
        """The same, with nothing computed."""
        return replace(self, query=self.query.anew(), computed=Computed())

    def served(self) -> tuple[Session, int]:
        """The session as a page is made of that cannot wait, and how many pictures it is without.

        Where the collection is cut, and a piece of it is not there, its rows are not let in.
        """
        cut = self.collection.cut
        if cut is None:
            return self, 0
        missing = cut.pieces.missing()
        if missing is None:
            return replace(self, collection=cut.hasty), 0
        let_in = ~missing if self.within is None else self.within & ~missing
        left_out = int(np.count_nonzero(missing & self.collection.listing.alive))
        return replace(self.anew(), collection=cut.hasty, within=let_in), left_out

    def weighed(self, weights: NDArray[np.float64], length: int | None = None) -> Scores:
        """w·φ of every row, for a page of some length."""
        return signed_scores(
            self.query, self.collection, self.schemes, weights, length=length, pool=self.pool
        )

    def phi_of(
        self, rows: Rows, only: NDArray[np.bool_] | None = None, length: int | None = None
    ) -> Phi:
        """φ of some rows; of `only` some schemes, where the others are not needed."""
        # Lessons ask for all schemes of a few rows, experts for a few schemes of many.
        kind = only is None, *self._short(length)
        held = self.computed.phi.setdefault(kind, ComputedPhi(len(self.schemes)))
        columns = np.arange(len(self.schemes)) if only is None else np.flatnonzero(only)

        def compute(rows: Rows, columns: Columns) -> Phi:
            few = tuple(self.schemes[column] for column in columns)
            return signed_phi(
                self.query, self.collection, few, rows=rows, length=length, pool=self.pool
            )

        return held.of(rows, columns, compute)

    def _short(self, length: int | None) -> tuple[bool, ...]:
        """For which examples a page is so short that their φ is another."""
        views, names = self.collection.views, self.computed.views
        if names is None:
            names = tuple(n for n, view in views.items() if any(map(view.serves, self.schemes)))
            self.computed.views = names
        every = (*self.query.like, *self.query.unlike)
        return tuple(views[name].short(example, length) for name in names for example in every)

    def example(self, row: int) -> Example:
        """A picture of the collection as an example, the same one throughout the session."""
        if row not in self.computed.examples:
            self.computed.examples[row] = self.collection.example(row)
        return self.computed.examples[row]

    @property
    def nbytes(self) -> int:
        """What is kept for later rounds."""
        return OVERHEAD + held([self.computed, *self.query.like, *self.query.unlike])

    def shown(
        self, page: Page, judged: Judged, opinions: Opinions | None, attached: Attached
    ) -> Shown:
        """What the log keeps of a page of this session."""
        # A capability may need the features of a picture from outside in other words.
        located = self.verify > 0 or bool(self.attached)
        view = words.of(self.collection)
        return Shown(
            like=logged(self.query.like, self.collection, places=located),
            unlike=logged(self.query.unlike, self.collection, places=located),
            images=tuple(hit.image_id for hit in page.hits),
            schemes=self.names,
            prior=tuple(self.prior.values()),
            expert=self.expert,
            verify=self.verify,
            vocabulary="" if view is None else view.vocabulary.digest,
            model=page.model,
            round=page.round,
            judged=judged,
            where=self.where,
            word=self.word,
            opinions=opinions,
            attached=attached,
        )


def begin(
    request: SearchRequest,
    collection: Collection,
    pool: Executor | None,
    query: Query | None = None,
) -> Session:
    """A new session for a request; `query` where a capability has found out what is looked for."""
    if not len(collection):
        raise NotFound("the collection is empty", hint=FILL)
    wanted, only = collection.schemes, None
    if request.schemes is not None:
        available = (*collection.schemes, *(collection.on_request if request.text else ()))
        wanted = parse_schemes(request.schemes, available)
        only = collection.needs(wanted) | ({words.WORDS} if request.verify else set())
    if query is None and request.text is not None:
        if request.pictures or request.unlike:
            raise InvalidInput("search by words or by pictures, not both at once")
        query = Query((from_text(request.text, collection),))
    meant = query or Query(
        tuple(resolve(thing, collection, only) for thing in request.pictures),
        tuple(resolve(thing, collection, only) for thing in request.unlike),
    )
    seen = meant.like[0].parts.keys()
    if not collection.needed <= seen:
        every = (*wanted, *collection.on_request)
        wanted = tuple(s for s in every if collection.needs([s]) <= seen)
    if not wanted:
        raise InvalidInput("none of these schemes can compare words with pictures")
    verify = request.verify
    if verify is None and words.STANDOUT not in wanted:
        verify = 0  # who chooses schemes wants their order
    return Session(
        session_id=uuid.uuid4().hex,
        user=request.user,
        query=meant,
        schemes=wanted,
        prior=collection.prior_of(wanted),
        expert=request.expert,
        collection=collection,
        pool=pool,
        verify=verifying.check_verify(verify, meant.like, collection),
        where=request.where,
    )


def resume(entry: Entry, shown: Shown, collection: Collection, pool: Executor | None) -> Session:
    """The session of a page, built again from the log over the collection as it is now."""
    by_name = {str(scheme): scheme for scheme in (*collection.schemes, *collection.on_request)}
    schemes = tuple(by_name[name] for name in shown.schemes if name in by_name)
    schemes = schemes or collection.schemes
    return Session(
        session_id=entry.session_id,
        user=entry.user,
        query=Query(
            from_log(shown.like, collection, shown.vocabulary),
            from_log(shown.unlike, collection, shown.vocabulary),
        ),
        schemes=schemes,
        prior=collection.prior_of(schemes),
        expert=shown.expert,
        collection=collection,
        pool=pool,
        verify=shown.verify if words.of(collection) is not None else 0,
        where=shown.where,
        word=shown.word,
        attached=shown.attached,
    )


def held(thing: object) -> int:
    """Bytes of the arrays in something, however they are wrapped."""
    if hasattr(thing, "nbytes"):
        return int(thing.nbytes)
    if isinstance(thing, Mapping):
        return sum(map(held, [*thing.values()]))  # another thread may be adding to it
    if isinstance(thing, list | tuple):
        return sum(map(held, thing))
    if is_dataclass(thing) and not isinstance(thing, Collection):
        return sum(held(getattr(thing, one.name)) for one in fields(thing))
    return 0
