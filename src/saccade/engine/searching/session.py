"""A search session: one query, its φ against the whole collection, and what was said about it.

φ does not depend on the expert, so it is computed once; every later round only weighs it anew. It
is kept for the sessions used last, within a budget of bytes, and computed again when it was
dropped.
"""

from __future__ import annotations

import uuid
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection
from saccade.engine.events import Entry, Shown
from saccade.engine.learning.profiles import check_user
from saccade.engine.searching.phi import signed_phi
from saccade.engine.searching.query import Query, asked, recalled, remembered, several
from saccade.engine.searching.schemes import parse_schemes
from saccade.engine.sources import words
from saccade.errors import InvalidInput, NotFound
from saccade.types import Phi, Rows, Scheme, Scores


@dataclass(frozen=True, slots=True)
class Session:
    """What stays the same over the rounds of one search."""

    session_id: str
    user: str
    query: Query
    schemes: tuple[Scheme, ...]
    ranker: str
    collection: Collection
    phi: Phi
    verify: int = 0  # how many of the best are checked by geometry
    memo: dict[str, Any] = field(default_factory=dict)  # what experts compute once a session

    @property
    def prior(self) -> dict[str, float]:
        """Weight of each scheme before learning, in the order of φ's columns."""
        return {str(scheme): self.collection.prior[str(scheme)] for scheme in self.schemes}

    @property
    def names(self) -> tuple[str, ...]:
        """The schemes as text, in the order of φ's columns."""
        return tuple(str(scheme) for scheme in self.schemes)

    @property
    def excluded(self) -> Rows:
        """Rows that never appear: dead ones, and the query itself."""
        dead = np.flatnonzero(~self.collection.listing.alive)
        return np.concatenate([dead, np.array(self.query.rows(), np.int64)])

    def weighed(self, weights: NDArray[np.float64]) -> Scores:
        """w·φ of every row."""
        return self.phi @ weights.astype(np.float32)

    def phi_of(self, rows: Rows) -> Phi:
        """φ of some rows."""
        return self.phi[rows]


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
    verify: int,
) -> Session:
    """A new session for whatever a person searches with."""
    check_user(user)
    if not len(collection):
        raise NotFound("the collection is empty", hint="`saccade index FOLDER` fills it")
    wanted, only = collection.schemes, None
    if schemes is not None:
        wanted = parse_schemes(tuple(schemes), collection.schemes)
        only = collection.needs(wanted) | ({words.WORDS} if verify else set())
    given = [*([] if query is None else [query]), *several(like)]
    meant = asked(given, several(unlike), text, collection, only)
    wanted = tuple(s for s in wanted if collection.needs([s]) <= meant.like[0].parts.keys())
    if not wanted:
        raise InvalidInput("none of these schemes can compare words with pictures")
    phi = signed_phi(meant, collection, wanted, pool=pool)
    checked = words.check_verify(verify, meant.like, collection)
    return Session(uuid.uuid4().hex, user, meant, wanted, ranker, collection, phi, checked)


def resume(entry: Entry, shown: Shown, collection: Collection, pool: Executor | None) -> Session:
    """The session of a page, built again from the log over the collection as it is now."""
    known = {str(scheme): scheme for scheme in collection.schemes}
    names = [name for name in shown.schemes if name in known]
    schemes = tuple(known[name] for name in names) or collection.schemes
    query = Query(
        recalled(shown.like, collection, shown.vocabulary),
        recalled(shown.unlike, collection, shown.vocabulary),
    )
    phi = signed_phi(query, collection, schemes, pool=pool)
    verify = shown.verify if words.of(collection) is not None else 0
    return Session(
        entry.session_id, entry.user, query, schemes, shown.ranker, collection, phi, verify
    )


def record(session: Session, page_rows: Rows, **facts: Any) -> Shown:
    """What the log keeps of a page of a session."""
    collection, places = session.collection, session.verify > 0
    view = words.of(collection)
    return Shown(
        like=remembered(session.query.like, collection, places=places),
        unlike=remembered(session.query.unlike, collection, places=places),
        schemes=session.names,
        prior=tuple(session.prior.values()),
        phi=session.phi_of(page_rows),
        ranker=session.ranker,
        verify=session.verify,
        vocabulary="" if view is None else view.vocabulary.digest,
        propensity=1.0,
        **facts,
    )


class Sessions:
    """The sessions used last, within a budget of bytes."""

    def __init__(self, budget: int = 1 << 29) -> None:
        self._budget = budget
        self._kept: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def get(self, session_id: str) -> Session | None:
        """A session still at hand."""
        with self._lock:
            found = self._kept.get(session_id)
            if found is not None:
                self._kept.move_to_end(session_id)
            return found

    def put(self, session: Session) -> None:
        """Keep a session; the ones not used for longest go."""
        with self._lock:
            self._kept[session.session_id] = session
            self._kept.move_to_end(session.session_id)
            size = sum(kept.phi.nbytes for kept in self._kept.values())
            while size > self._budget and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                size -= dropped.phi.nbytes
