"""How much of an attribute every picture has, for a person, and what that leaves of a search.

    plain     w · y of every row, y its blended vector in the attribute's space
    smooth    the mean of that over a row's surroundings in the neighbour graph

Vectors of a space are kept in memory while the collection stays as it is; scores as long as nobody
says more. Where the graph lags behind the collection, plain scores serve.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from saccade.engine.answers import Looks, Space, Traits
from saccade.engine.collection import Collection
from saccade.engine.learning.attributes import Attribute
from saccade.engine.learning.fold import Models
from saccade.engine.sources import dense, graph
from saccade.errors import InvalidInput, NotFound, StoreError, TooFewAnswers, UnknownName
from saccade.features.prior import rooted
from saccade.hints import Hint
from saccade.indexes.blend import Blend
from saccade.indexes.smoothing import Averages
from saccade.types import Rows, Scores, Vectors

SHARES = {"embedding": 1.0, "gist": 0.25, "color-histogram": 0.1}
"""The default descriptors of a new attribute; of these, those that the store has."""
OTHER = 0.25
"""The share of any other descriptor that is asked for."""
ENOUGH = 20
"""Answers after which an order is worth looking at; see docs/concepts/attributes.md."""
_CHUNK = 4096
_CREATE = Hint(
    "engine.attributes.create(NAME) makes one",
    command="`saccade attribute create` makes one",
    http="POST /api/v1/attributes makes one",
)
CENTRED = 20_000
"""Pictures that a centre is taken from, at most."""

Made = TypeVar("Made")


class Kept:
    """The few things of a kind that were made last, by what they were made from."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: OrderedDict[Any, Any] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Any, make: Callable[[], Made]) -> Made:
        """The one of this key; made where it is not at hand."""
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                found: Made = self._held[key]
                return found
        made = make()
        with self._lock:
            self._held[key] = made
            while len(self._held) > self._most:
                self._held.popitem(last=False)
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """One attribute for one person over one collection."""

    attribute: Attribute
    scores: Scores  # [rows]; the unit is the learner's margin
    places: NDArray[np.float32]  # [rows] from 0, least, to 1, most; NaN for rows that are gone


class Scales:
    """Scores by attribute and person, made when they are asked for."""

    def __init__(self) -> None:
        self._vectors, self._averages, self._standing = Kept(2), Kept(2), Kept(32)
        self._samples = Kept(8)

    def standing(self, collection: Collection, models: Models, name: str, user: str) -> Standing:
        """Where every picture stands; an error says what is missing."""
        attribute = known(models, name)
        key = (collection.generation, models.event_id, name, user)
        return self._standing.get(key, lambda: self._made(collection, attribute, name, user))

    def _made(self, collection: Collection, attribute: Attribute, name: str, user: str) -> Standing:
        weights = attribute.direction(user)
        if not weights.any():
            needed = needs(attribute, user)
            raise TooFewAnswers(
                f"attribute {name!r} orders nothing yet: it needs {needed} more answers",
                hint=Hint(
                    f"say which of two has more: engine.attributes.suggest({name!r})",
                    command=f"say which of two has more: `saccade attribute suggest {name}`",
                    http=f"say which of two has more: GET /api/v1/attributes/{name}/question",
                ),
            )
        scores = self.vectors(collection, attribute.space) @ weights
        averages = self.averages(collection) if attribute.form == "smooth" else None
        if averages is not None:
            scores = averages.column(scores)
        return Standing(attribute, scores, _places(scores, collection.listing.alive))

    def vectors(self, collection: Collection, space: Space) -> Vectors:
        """The vectors of every row in a space, [rows, width]."""
        return self._vectors.get(
            (collection.generation, space.digest), lambda: _vectors(collection, space)
        )

    def averages(self, collection: Collection) -> Averages | None:
        """Means along the neighbour graph, where there is one."""
        view = graph.of(collection)
        if view is None:
            return None
        return self._averages.get(collection.generation, lambda: Averages.of(view.graph))

    def looks(self, collection: Collection, space: Space, rows: Rows) -> Looks:
        """Some pictures as an answer keeps them."""
        vectors, averages = self.vectors(collection, space), self.averages(collection)
        plain = vectors[rows]
        smooth = plain if averages is None else averages.rows(rows, vectors.__getitem__)
        return Looks(plain, smooth).rounded()

    def sample(self, collection: Collection, space: Space, form: str, rows: Rows) -> Vectors:
        """Vectors of the same few pictures, whatever was answered since."""
        key = (collection.generation, space.digest, form)
        return self._samples.get(key, lambda: getattr(self.looks(collection, space, rows), form))

    def fitting(
        self, collection: Collection, models: Models, traits: Traits, user: str
    ) -> NDArray[np.bool_] | None:
        """The rows that have what a search asks of attributes; None where it asks nothing."""
        if not traits:
            return None
        fits = np.ones(collection.rows, np.bool_)
        for more, asked in ((True, traits.more), (False, traits.less)):
            for name, than in asked.items():
                if name not in models.attributes.known:
                    continue  # given up since
                standing = self.standing(collection, models, name, user)
                if isinstance(than, str):
                    row = collection.find(than)
                    if row < 0:
                        continue  # it was removed since: nothing to compare with
                    values, bound = standing.scores, float(standing.scores[row])
                else:
                    values, bound = standing.places, float(than)
                with np.errstate(invalid="ignore"):
                    fits &= (values > bound) if more else (values < bound)
        return fits


def known(models: Models, name: str) -> Attribute:
    """An attribute by name."""
    found = models.attributes.known.get(name)
    if found is None:
        if models.attributes.known:
            raise NotFound(str(UnknownName("attribute", str(name), models.attributes.known)))
        raise NotFound(f"no attribute {name!r}", hint=_CREATE)
    return found


def needs(attribute: Attribute, user: str) -> int:
    """Answers still wanted; at least one while all say the same of single pictures."""
    said = [one for told in attribute.people.values() for one in told.said]
    grades = {one.grade for one in said if not one.second}
    one_sided = len(grades) < 2 and not any(one.second and one.grade for one in said)
    return max(ENOUGH - attribute.answers(user), int(one_sided))


def check_traits(traits: Traits, collection: Collection, models: Models) -> Traits:
    """Attributes that exist, and pictures or places to compare with."""
    for name, than in (*traits.more.items(), *traits.less.items()):
        known(models, name)
        if isinstance(than, str):
            if collection.find(than) < 0:
                raise NotFound(
                    f"{name!r}: no image {than!r} in this collection to compare with",
                    hint="ids come from search results",
                )
        elif isinstance(than, bool) or not isinstance(than, int | float) or not 0 <= than <= 1:
            raise InvalidInput(
                f"{name!r}: compare with an image id or a place from 0 to 1, not {than!r}"
            )
    return traits


def space_of(collection: Collection, shares: dict[str, float]) -> Space:
    """A new space of these descriptors, around the centres that the collection has now."""
    view = dense.of(collection)
    takes = {name: view.columns[name].take for name in shares}
    alive = np.flatnonzero(collection.listing.alive)
    if len(alive) > CENTRED:
        alive = np.sort(np.random.default_rng(0).choice(alive, CENTRED, replace=False))
    blend = Blend.fit(takes, shares, rooted(collection.kinds), alive)
    return Space(blend, {name: view.versions[name] for name in shares})


def shares_of(collection: Collection, wanted: tuple[str, ...] | None) -> dict[str, float]:
    """The descriptors to blend, those asked for or the default ones that the store has."""
    there = dense.of(collection).columns
    if wanted is None:
        found = {name: share for name, share in SHARES.items() if name in there}
        return found or dict.fromkeys(there, OTHER)
    for name in wanted:
        if name not in there:
            raise UnknownName("descriptor with vectors", name, there)
    return {name: SHARES.get(name, OTHER) for name in dict.fromkeys(wanted)}


def _vectors(collection: Collection, space: Space) -> Vectors:
    view = dense.of(collection)
    for name, version in space.versions.items():
        if view.versions.get(name) != version or name not in view.columns:
            raise StoreError(
                f"this attribute was made with {name!r} version {version}, which is not here",
                hint=Hint(
                    "engine.add(FOLDER) computes what is missing; or create the attribute anew",
                    command="`saccade index` computes what is missing; or create it anew",
                ),
            )
    take = space.blend.taking({name: view.columns[name].take for name in space.descriptors})
    out = np.empty((collection.rows, space.width), np.float32)
    for start in range(0, collection.rows, _CHUNK):
        rows = np.arange(start, min(start + _CHUNK, collection.rows))
        out[rows] = take(rows)
    return out


def _places(scores: Scores, alive: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Shares of the living pictures that have less; equal scores share a place."""
    places = np.full(len(scores), np.nan, np.float32)
    rows = np.flatnonzero(alive)
    _, level, counts = np.unique(scores[rows], return_inverse=True, return_counts=True)
    below = np.cumsum(counts) - counts
    middle = below + 0.5 * (counts - 1)
    places[rows] = (middle[level] / max(1, len(rows) - 1)).astype(np.float32)
    return places
