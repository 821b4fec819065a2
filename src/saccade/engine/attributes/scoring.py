"""How much of an attribute every picture has, for a person.

    plain     w · y of every row, y its blended vector in the attribute's space
    smooth    the mean of that over a row's surroundings in the neighbour graph

w is what `belief` makes of a person's answers, or what others agree on where they gave none.

Vectors of a space are kept in memory while the collection stays as it is; scores as long as nobody
says more. Where the graph lags behind the collection, plain scores serve.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.engine.attributes.belief import SAMPLE, Belief, MainDirections
from saccade.engine.attributes.fold import Attribute, AttributeFold, PersonAnswers
from saccade.engine.attributes.records import Looks, Space
from saccade.engine.cache import Cache
from saccade.engine.collection import Collection
from saccade.engine.learning.fold import Models
from saccade.engine.opened import OpenStore
from saccade.engine.sources import dense, graph
from saccade.errors import NotFound, StoreError, TooFewAnswers, UnknownName
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


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """One attribute for one person over one collection."""

    attribute: Attribute
    weights: NDArray[np.float32]  # [width of the space]
    scores: Scores  # [rows]; two random pictures lie about 1 apart
    places: NDArray[np.float32]  # [rows] from 0, least, to 1, most; NaN for rows that are gone


class Scales:
    """Scores by attribute and person, made when they are asked for."""

    def __init__(self, opened: OpenStore) -> None:
        self._vectors: Cache[tuple[int, str], Vectors] = opened.keep(Cache(2))
        self._averages: Cache[int, Averages] = opened.keep(Cache(2))
        self._samples: Cache[tuple[int, str, str], Vectors] = opened.keep(Cache(8))
        self._directions: Cache[tuple[int, str, str], MainDirections] = opened.keep(Cache(4))
        self._standing: Cache[tuple[int, int, str, str], Standing] = opened.keep(Cache(32))

    def standing(self, collection: Collection, models: Models, name: str, user: str) -> Standing:
        """Where every picture stands; an error says what is missing."""
        attribute = attribute_of(models, name)
        key = (collection.generation, models.event_id, name, user)
        return self._standing.made(
            key, lambda: self._new_standing(collection, attribute, name, user)
        )

    def _new_standing(
        self, collection: Collection, attribute: Attribute, name: str, user: str
    ) -> Standing:
        weights = self._weights(collection, attribute, user)
        if not weights.any():
            needed, others = needs(attribute, user), len(attribute.people.keys() - {user})
            alone = " (of others, what two agree on is followed)" if others else ""
            raise TooFewAnswers(
                f"attribute {name!r} orders nothing yet: it needs {needed} more answers{alone}",
                hint=Hint(
                    f"say which of two has more: engine.attributes.suggest({name!r})",
                    command=f"say which of two has more: `saccade attribute suggest {name}`",
                    http=f"say which of two has more: GET /api/v1/attributes/{name}/question",
                ),
            )
        scores = self.vectors(collection, attribute.space) @ weights
        averages = self.averages(collection) if attribute.form(user) == "smooth" else None
        if averages is not None:
            scores = averages.column(scores)
        return Standing(attribute, weights, scores, _places(scores, collection.listing.alive))

    def _weights(
        self, collection: Collection, attribute: Attribute, user: str
    ) -> NDArray[np.float32]:
        """The weights that order pictures for a person; zeros where nothing does."""
        form, own = attribute.form(user), attribute.people.get(user, PersonAnswers())
        if not own.answers:
            return attribute.shared(user).astype(np.float32)
        start = attribute.start_direction(user)
        if not own.orders(form) and not start.any():
            return np.zeros(attribute.space.width, np.float32)
        return self.belief(collection, attribute, (user,), form, start).weights

    def belief(
        self,
        collection: Collection,
        attribute: Attribute,
        names: Sequence[str],
        form: str,
        start: NDArray[np.float64] | None = None,
    ) -> Belief:
        """What some people's answers say together."""
        space = attribute.space
        directions = self._directions.made(
            (collection.generation, space.digest, form),
            lambda: MainDirections.of(
                getattr(self.looks(collection, space, chosen(collection, SAMPLE)), form)
            ),
        )
        return Belief.of(directions, *attribute.labels(names, form), start)

    def vectors(self, collection: Collection, space: Space) -> Vectors:
        """The vectors of every row in a space, [rows, width]."""
        return self._vectors.made(
            (collection.generation, space.digest), lambda: _vectors(collection, space)
        )

    def averages(self, collection: Collection) -> Averages | None:
        """Means along the neighbour graph, where there is one."""
        view = graph.of(collection)
        if view is None:
            return None
        return self._averages.made(collection.generation, lambda: Averages.of(view.graph))

    def looks(self, collection: Collection, space: Space, rows: Rows) -> Looks:
        """Some pictures as an answer keeps them."""
        vectors, averages = self.vectors(collection, space), self.averages(collection)
        plain = vectors[rows]
        smooth = plain if averages is None else averages.rows(rows, vectors.__getitem__)
        return Looks(plain, smooth).rounded()

    def sample(self, collection: Collection, space: Space, form: str, rows: Rows) -> Vectors:
        """Vectors of the same few pictures, whatever was answered since."""
        key = (collection.generation, space.digest, form)
        return self._samples.made(key, lambda: getattr(self.looks(collection, space, rows), form))


def chosen(
    collection: Collection, count: int, seed: Sequence[int] = (0,), without: Sequence[int] = ()
) -> Rows:
    """Some random pictures."""
    alive = np.setdiff1d(np.flatnonzero(collection.listing.alive), np.array(without, np.int64))
    rng = np.random.default_rng([abs(int(part)) for part in seed])
    rows: Rows = rng.choice(alive, min(count, len(alive)), replace=False)
    return rows


def attribute_of(models: Models, name: str, user: str | None = None) -> Attribute:
    """An attribute by name; an unknown one, or one that this person put away, is an error."""
    by_name = models.of(AttributeFold).by_name
    if name in by_name:
        if user is not None and user in by_name[name].hidden:
            raise NotFound(
                f"user {user!r} has put attribute {name!r} away",
                hint=Hint(
                    f"engine.attributes.restore({name!r}, user={user!r}) brings it back",
                    command=f"`saccade attribute restore {name}` brings it back",
                    http=f"POST /api/v1/attributes/{name}/restore brings it back",
                ),
            )
        return by_name[name]
    if by_name:
        raise NotFound(str(UnknownName("attribute", str(name), by_name)))
    raise NotFound(f"no attribute {name!r}", hint=_CREATE)


def needs(attribute: Attribute, user: str) -> int:
    """Answers still wanted; at least one while all say the same of single pictures."""
    answers = [one for name in attribute.heard(user) for one in attribute.people[name].answers]
    grades = {one.grade for one in answers if not one.second}
    one_sided = len(grades) < 2 and not any(one.second and one.grade for one in answers)
    return max(ENOUGH - attribute.answers(user), int(one_sided))


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
        usual = {name: share for name, share in SHARES.items() if name in there}
        return usual or dict.fromkeys(there, OTHER)
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
