"""A search session: one query against the whole collection.

To rank everything, schemes with weight are weighed as they are computed; φ itself is computed of
what is shown, and of whatever else an expert compares. It does not depend on the expert: what was
computed is kept for later rounds, of the sessions used last, within a budget of bytes.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, fields, is_dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.engine.answers import Traits
from saccade.engine.choice import Choice
from saccade.engine.collection import Collection
from saccade.engine.events import Entry, Shown
from saccade.engine.learning.profiles import check_user
from saccade.engine.searching import verifying
from saccade.engine.searching.known import Columns, Known
from saccade.engine.searching.phi import signed_phi, signed_scores
from saccade.engine.searching.query import Query, asked, recalled, remembered, several
from saccade.engine.searching.schemes import parse_schemes
from saccade.engine.sources import regions, words
from saccade.errors import InvalidInput, NotFound
from saccade.hints import FILL
from saccade.types import Phi, Rows, Scheme, Scores

OVERHEAD = 8192
"""Bytes of a session beside its arrays: the objects themselves, about."""


def held(thing: Any) -> int:
    """Bytes of the arrays in something, however they are wrapped."""
    if hasattr(thing, "nbytes"):
        return int(thing.nbytes)
    if isinstance(thing, Mapping):
        return sum(map(held, [*thing.values()]))  # another thread may be adding to it
    if isinstance(thing, list | tuple):
        return sum(map(held, thing))
    if is_dataclass(thing) and not isinstance(thing, Collection):
        return sum(held(getattr(thing, field.name)) for field in fields(thing))
    return 0


@dataclass(frozen=True, slots=True)
class Session:
    """What stays the same over the rounds of one search."""

    session_id: str
    user: str
    query: Query
    schemes: tuple[Scheme, ...]
    prior: Mapping[str, float]  # weight of each scheme before learning, in the same order
    ranker: str
    collection: Collection
    pool: Executor | None
    verify: int = 0  # how many of the best are checked by geometry, or verifying.AUTOMATIC
    traits: Traits = field(default_factory=Traits)  # what is asked of attributes
    memo: dict[str, Any] = field(default_factory=dict)  # what experts compute once a session
    choice: Choice | None = None  # the configuration that ranks, where one was asked for
    propensity: float = 1.0  # the chance it had

    @property
    def names(self) -> tuple[str, ...]:
        """The schemes as text, in the order of φ's columns."""
        return tuple(self.prior)

    @property
    def excluded(self) -> Rows:
        """Rows that never appear: dead ones, and the query itself."""
        return np.concatenate([self.collection.dead, np.array(self.query.rows(), np.int64)])

    def weighed(self, weights: NDArray[np.float64]) -> Scores:
        """w·φ of every row."""
        return signed_scores(self.query, self.collection, self.schemes, weights, pool=self.pool)

    def phi_of(self, rows: Rows, only: NDArray[np.bool_] | None = None) -> Phi:
        """φ of some rows; of `only` some schemes, where the others are not needed."""
        # Lessons ask for all schemes of a few rows, experts for a few schemes of many.
        name = "φ of lessons" if only is None else "φ of candidates"
        known: Known = self.memo.setdefault(name, Known(len(self.schemes)))
        columns = np.arange(len(self.schemes)) if only is None else np.flatnonzero(only)
        return known.of(rows, columns, self._phi)

    def _phi(self, rows: Rows, columns: Columns) -> Phi:
        few = tuple(self.schemes[column] for column in columns)
        return signed_phi(self.query, self.collection, few, rows=rows, pool=self.pool)

    @property
    def nbytes(self) -> int:
        """What is kept for later rounds."""
        examples = (*self.query.like, *self.query.unlike)
        return held([self.memo, *((e.parts, e.memo) for e in examples)])


def begin(
    query: Any,
    collection: Collection,
    pool: Executor | None,
    *,
    text: str | None,
    like: Sequence[Any],
    unlike: Sequence[Any],
    user: str,
    schemes: Sequence[str] | None,
    ranker: str,
    verify: int | None,
    traits: Traits | None = None,
) -> Session:
    """A new session for whatever a person searches with."""
    check_user(user)
    if not len(collection):
        raise NotFound("the collection is empty", hint=FILL)
    wanted, only = collection.schemes, None
    if schemes is not None:
        wanted = parse_schemes(tuple(schemes), collection.schemes)
        only = collection.needs(wanted) | ({words.WORDS} if verify else set())
    given = [*([] if query is None else [query]), *several(like)]
    meant = asked(given, several(unlike), text, collection, only)
    if regions.REGIONS in meant.like[0].parts:
        wanted = (regions.MATCH,)  # a part of a picture is compared with parts of pictures
    known = meant.like[0].parts.keys()
    if not collection.needed <= known:
        wanted = tuple(s for s in wanted if collection.needs([s]) <= known)
    if not wanted:
        raise InvalidInput("none of these schemes can compare words with pictures")
    if verify is None and words.STANDOUT not in wanted:
        verify = 0  # who chooses schemes wants their order
    checked = verifying.check_verify(verify, meant.like, collection)
    return Session(
        uuid.uuid4().hex, user, meant, wanted, collection.prior_of(wanted), ranker, collection,
        pool, checked, traits or Traits(),
    )  # fmt: skip


def resume(entry: Entry, shown: Shown, collection: Collection, pool: Executor | None) -> Session:
    """The session of a page, built again from the log over the collection as it is now."""
    known = {str(scheme): scheme for scheme in (*collection.schemes, regions.MATCH)}
    names = [name for name in shown.schemes if name in known]
    schemes = tuple(known[name] for name in names) or collection.schemes
    query = Query(
        recalled(shown.like, collection, shown.vocabulary),
        recalled(shown.unlike, collection, shown.vocabulary),
    )
    verify = shown.verify if words.of(collection) is not None else 0
    return Session(
        entry.session_id, entry.user, query, schemes, collection.prior_of(schemes), shown.ranker,
        collection, pool, verify, choice=shown.choice, propensity=shown.propensity,
        traits=shown.traits,
    )  # fmt: skip


def record(session: Session, **facts: Any) -> Shown:
    """What the log keeps of a page of a session."""
    collection = session.collection
    # A configuration may need the features of a picture from outside in other words.
    located = session.verify > 0 or session.choice is not None
    view = words.of(collection)
    return Shown(
        like=remembered(session.query.like, collection, places=located),
        unlike=remembered(session.query.unlike, collection, places=located),
        schemes=session.names,
        prior=tuple(session.prior.values()),
        ranker=session.ranker,
        verify=session.verify,
        vocabulary="" if view is None else view.vocabulary.digest,
        propensity=session.propensity,
        choice=session.choice,
        traits=session.traits,
        **facts,
    )


class Sessions:
    """The sessions used last, within a budget of bytes.

    A session grows while it is used, so it is measured whenever it is put back.
    """

    def __init__(self, budget: int = 1 << 28) -> None:
        self._budget = budget
        self._kept: OrderedDict[str, tuple[Session, int]] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    @property
    def nbytes(self) -> int:
        """What all of them take."""
        return self._size

    def get(self, session_id: str) -> Session | None:
        """A session still at hand."""
        with self._lock:
            found = self._kept.get(session_id)
            if found is None:
                return None
            self._kept.move_to_end(session_id)
            return found[0]

    def put(self, session: Session) -> None:
        """Keep a session; the ones not used for longest go."""
        size = session.nbytes + OVERHEAD
        with self._lock:
            _, before = self._kept.pop(session.session_id, (session, 0))
            self._kept[session.session_id] = session, size
            self._size += size - before
            while self._size > self._budget and len(self._kept) > 1:
                _, (_, dropped) = self._kept.popitem(last=False)
                self._size -= dropped

    def clear(self) -> None:
        """Keep nothing; whoever works with a session goes on with it."""
        with self._lock:
            self._kept.clear()
            self._size = 0
