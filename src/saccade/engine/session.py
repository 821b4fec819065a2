"""A search session: one query, its φ against the whole collection, and what was said about it.

φ does not depend on the ranker, so it is computed once; every later round only weighs it anew. It
is kept for the sessions used last, within a budget of bytes, and computed again when it was
dropped.
"""

from __future__ import annotations

from collections import OrderedDict
from concurrent.futures import Executor
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.engine import words
from saccade.engine.collection import Collection
from saccade.engine.query import Example, Query, stored
from saccade.features.phi import phi
from saccade.features.scaling import standard
from saccade.store.events import Event
from saccade.types import Phi, Rows, Scheme


@dataclass(frozen=True, slots=True)
class Session:
    """What stays the same over the rounds of one search."""

    session: str
    user: str
    query: Query
    schemes: tuple[Scheme, ...]
    ranker: str
    collection: Collection
    phi: Phi
    verify: int = 0  # how many of the best are checked by geometry

    @property
    def start(self) -> dict[str, float]:
        """Weight of each scheme before learning, in the order of φ's columns."""
        return {str(scheme): self.collection.start[str(scheme)] for scheme in self.schemes}

    @property
    def excluded(self) -> Rows:
        """Rows that never appear: dead ones, and the query itself."""
        dead = np.flatnonzero(~self.collection.listing.alive)
        return np.concatenate([dead, np.array(self.query.rows(), np.int64)])


def signed_phi(
    query: Query, collection: Collection, schemes: tuple[Scheme, ...], pool: Executor | None
) -> Phi:
    """φ(Q, p) = mean over the likes − ½ mean over the unlikes, for every row p."""
    total: Phi | None = None
    for weight, example in query.signed():
        one = _standard_phi(example, collection, schemes, pool)
        if total is None:
            total = one if weight == 1.0 else one * np.float32(weight)
        else:
            total += one * np.float32(weight)
    if total is None:
        return np.zeros((len(collection.listing.ids), len(schemes)), np.float32)
    return total


def _standard_phi(
    example: Example, collection: Collection, schemes: tuple[Scheme, ...], pool: Executor | None
) -> Phi:
    """φ of one example, each scheme measured against what it says about the anchors."""
    rows, width = len(collection.listing.ids), len(schemes)
    raw = np.zeros((len(collection.anchor_rows), width), np.float32)
    phi(example.vectors, collection.anchors, schemes, out=raw)
    # The query among its own anchors would be an outlier that hides the others' spread.
    scale = standard(raw[collection.anchor_rows != example.row], schemes)
    out = np.zeros((rows, width), np.float32)
    phi(example.vectors, collection.columns, schemes, scale=scale, pool=pool, out=out)
    words.fill(out, example, collection, schemes)
    return out


class Sessions:
    """The sessions used last, within a budget of bytes."""

    def __init__(self, budget: int = 1 << 29) -> None:
        self._budget = budget
        self._kept: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def get(self, session: str) -> Session | None:
        """A session still at hand."""
        with self._lock:
            found = self._kept.get(session)
            if found is not None:
                self._kept.move_to_end(session)
            return found

    def put(self, session: Session) -> None:
        """Keep a session; the ones not used for longest go."""
        with self._lock:
            self._kept[session.session] = session
            self._kept.move_to_end(session.session)
            size = sum(kept.phi.nbytes for kept in self._kept.values())
            while size > self._budget and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                size -= dropped.phi.nbytes


def query_record(
    query: Query, *, verify: bool = False
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """A query as the log keeps it: ids, and the vectors of pictures from outside."""
    body: dict[str, Any] = {}
    arrays: dict[str, NDArray[Any]] = {}
    for side, examples in (("like", query.like), ("unlike", query.unlike)):
        body[side] = [{"id": e.image_id, "stored": e.row >= 0} for e in examples]
        for i, e in enumerate(examples):
            if e.row < 0:
                arrays |= {f"{side}/{i}/{name}": vector for name, vector in e.vectors.items()}
                arrays |= words.remembered(side, i, e) if verify else {}
    return body, arrays


def query_from(event: Event, collection: Collection) -> Query:
    """The query of a *shown* event, over the collection as it is now."""

    def side(name: str) -> tuple[Example, ...]:
        out = []
        for i, item in enumerate(event.body["query"][name]):
            if item["stored"]:
                out.append(stored(item["id"], collection))
            else:
                vectors = _vectors(event, f"{name}/{i}/", collection)
                placed = words.recalled(event.arrays, name, i, collection.words)
                if placed is not None and placed.words is not None:
                    vectors[words.WORDS] = placed.words
                out.append(Example(item["id"], -1, vectors, placed))
        return tuple(out)

    return Query(side("like"), side("unlike"))


def _vectors(event: Event, prefix: str, collection: Collection) -> dict[str, NDArray[Any]]:
    arrays = event.arrays
    kept = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
    # A descriptor that joined the recipe since has nothing to say about a picture we do not have.
    blank: dict[str, NDArray[Any]] = {
        n: np.zeros(c.blocks[0].vectors.shape[1], np.float32) for n, c in collection.columns.items()
    }
    if collection.words is not None:
        blank[words.WORDS] = np.zeros(0, np.int32)
        # Words of another vocabulary mean nothing in this one.
        if event.body.get("vocabulary") != collection.words.vocabulary.digest:
            kept.pop(words.WORDS, None)
    return {**blank, **kept}
