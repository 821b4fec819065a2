"""Look-alikes: the neighbour graph of an open store, for people, and what they taught it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

import numpy as np

from saccade.engine.collection import Collection
from saccade.engine.learning.evidence import Laid, TaughtSession
from saccade.engine.names import check_user
from saccade.engine.opened import OpenStore
from saccade.engine.request import GUEST
from saccade.engine.sources import graph
from saccade.engine.sources.graph import GraphView
from saccade.errors import InvalidInput, NotFound
from saccade.hints import Hint
from saccade.indexes.evidence import Evidence, bent_weight
from saccade.indexes.graph import weight
from saccade.types import LookAlike, MapLink, NeighbourMap, Rows, Together

MOST_TOGETHER = 12
"""Pictures that are named with a picture they were marked together with."""


class _Link(NamedTuple):
    similarity: float
    linked: float
    evidence: float
    people: int


class Neighbourhood:
    """Who is most like whom, and who belongs with whom in people's eyes.

    >>> image_id = engine.images()[0].image_id
    >>> [(other, similarity), *_] = engine.graph.neighbours(image_id, k=3)
    >>> engine.graph.look_alikes(image_id, k=3)[0].image_id == other
    True
    >>> neighbours = engine.graph.around(image_id, k=4)
    >>> neighbours.middle.image_id == image_id, len(neighbours.around)
    (True, 4)
    >>> page = engine.search(image_id, user="ana", k=10)
    >>> page = engine.react(page, liked=[page.hits[0], page.hits[1]], disliked=[page.hits[9]])
    >>> engine.graph.together(page.hits[0].image_id, user="ana").sessions
    1
    """

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened

    def neighbours(
        self, image_id: str, k: int = 10, *, taught: bool = False, user: str = GUEST
    ) -> list[tuple[str, float]]:
        """The images most like one of the collection and how like they are, best first.

        Fewer than `k`, perhaps none, where few are linked; a blank picture has no look-alikes. With
        `taught`, by the links as a person's marks have bent them: how like two pictures would have
        to be for such a link.
        """
        every = self.look_alikes(image_id, k, taught=taught, user=user)
        return [(one.image_id, one.linked) for one in every if one.linked > 0.0]

    def look_alikes(
        self, image_id: str, k: int = 10, *, taught: bool = False, user: str = GUEST
    ) -> tuple[LookAlike, ...]:
        """The same as records: where they are, how large, and what was said of them."""
        if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= 1000:
            raise InvalidInput(f"k is {k!r}; ask for 1 to 1000 neighbours")
        collection, view = self._linked()
        row = collection.row(image_id)
        if taught:
            return self._linked_to(collection, view, row, check_user(user))[:k]
        rows, similarities = view.graph.nearest(row, k)
        pairs = zip(rows.tolist(), similarities.tolist(), strict=True)
        return tuple(_look_alike(collection, other, like, like) for other, like in pairs)

    def around(self, image_id: str, k: int = 8, *, user: str = GUEST) -> NeighbourMap:
        """A small map: a picture, those linked to it best, and the links among all of them.

        Up to half of it is for what marks link to the picture, a quarter for what they cut off.
        """
        if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= 50:
            raise InvalidInput(f"k is {k!r}; a map has 1 to 50 pictures around the middle")
        collection, view = self._linked()
        middle = collection.row(image_id)
        every = self._linked_to(collection, view, middle, check_user(user))
        joined = [one for one in every if one.evidence > 0.0][: max(1, k // 2)]
        cut = [one for one in every if one.evidence < 0.0][: max(1, k // 4)]
        others = [one for one in every if one.evidence >= 0.0 and one not in joined]
        near = sorted([*joined, *others[: max(0, k - len(joined) - len(cut))]], key=_strongest)
        shown = [*near, *cut][:k]
        place = {collection.row(one.image_id): i for i, one in enumerate(shown, 1)}
        place[middle] = 0
        links = []
        for row, i in place.items():
            for other, link in self._links(collection, view, row, user).items():
                if place.get(other, -1) > i:
                    ends = i, place[other]
                    links.append(MapLink(*ends, link.similarity, link.linked, link.evidence))
        itself = _look_alike(collection, middle, 1.0, 1.0)
        return NeighbourMap(itself, tuple(shown), tuple(links))

    def together(self, image_id: str, *, user: str = GUEST) -> Together:
        """The searches of a person in which a picture was right, and what was right beside it.

        "You marked these together on 3 days": the pictures come by how many searches they share.
        """
        collection = self._opened.collection()
        collection.row(image_id)
        sessions = [one for one in self._own(check_user(user)).values() if image_id in _meant(one)]
        with_it = Counter(
            other
            for one in sessions
            for other in _meant(one)
            if other != image_id and collection.find(other) >= 0
        )
        beside = [image for image, _ in with_it.most_common(MOST_TOGETHER)]
        return Together(image_id, len(sessions), _days(sessions), tuple(beside))

    # -- what was taught -----------------------------------------------------------------------

    def _linked_to(
        self, collection: Collection, view: GraphView, row: int, user: str
    ) -> tuple[LookAlike, ...]:
        """Every picture linked to a row by the graph or by marks, the strongest link first."""
        ids = collection.listing.ids
        own = [one for one in self._own(user).values() if ids[row] in _spoken(one)]
        shared: dict[str, list[TaughtSession]] = {}
        for one in own:
            for image in _spoken(one):
                shared.setdefault(image, []).append(one)
        out = []
        for other, link in self._links(collection, view, row, user).items():
            of_both = shared.get(ids[other], [])
            out.append(
                _look_alike(
                    collection, other, link.similarity, link.linked, evidence=link.evidence,
                    sessions=len(of_both), days=_days(of_both), people=link.people,
                )
            )  # fmt: skip
        return tuple(sorted(out, key=_strongest))

    def _links(
        self, collection: Collection, view: GraphView, row: int, user: str
    ) -> dict[int, _Link]:
        """What links a row to others, by the graph or by marks."""
        laid = self._opened.learning.catch_up().evidence.laid(collection)
        by_row = self._evidence(laid, row, user)
        rows, similarities = view.graph.nearest(row, len(view.graph))
        like = dict(zip(rows.tolist(), similarities.tolist(), strict=True))
        out = {}
        for other in {**like, **by_row}:
            similarity = like.get(other, 0.0)
            evidence, people = by_row.get(other, (0.0, 0))
            before = float(weight(np.array(similarity, np.float32)))
            after = bent_weight(before, evidence, view.graph.layout.typical)
            # A weight is the fourth power of a similarity.
            linked = similarity if after == before else min(1.0, math.sqrt(math.sqrt(after)))
            if similarity or evidence:  # of the others, what was said is not heard
                out[other] = _Link(similarity, linked, evidence, people)
        return out

    def _evidence(self, laid: Laid, row: int, user: str) -> dict[int, tuple[float, int]]:
        """What is said of a row and each other: E, and how many other people spoke."""
        if not len(laid.sessions):
            return {}
        evidence = Evidence.of(
            laid.sessions, self._holding(laid, row, user), laid.numbers.get(user, -1)
        )
        here = (evidence.first == row) | (evidence.second == row)
        others = np.where(evidence.first == row, evidence.second, evidence.first)
        # One other alone is not heard, and nobody else's business.
        people = np.where(evidence.people > 1, evidence.people, 0)
        columns = others[here].tolist(), evidence.net[here].tolist(), people[here].tolist()
        return {other: (net, people) for other, net, people in zip(*columns, strict=True)}

    def _holding(self, laid: Laid, row: int, user: str) -> Rows:
        """The sessions that speak of a row to a person."""
        members = np.flatnonzero(laid.sessions.rows == row)
        holding = np.unique(np.searchsorted(laid.sessions.offsets, members, "right") - 1)
        silent = laid.nobodys(user, guests=self._opened.recipe.guests)
        silent[[*laid.gone]] = True
        return np.asarray(holding[~silent[holding]])

    def _own(self, user: str) -> dict[str, TaughtSession]:
        """A person's sessions that are remembered."""
        if user == GUEST and not self._opened.recipe.guests:
            return {}
        return dict(self._opened.learning.catch_up().evidence.of(user))

    def _linked(self) -> tuple[Collection, GraphView]:
        collection = self._opened.collection()
        view = graph.of(collection)
        if view is None:
            raise NotFound(
                "this collection has no neighbour graph",
                hint=Hint(
                    "engine.add(FOLDER) or engine.library.doctor(repair=True) builds it",
                    command="`saccade index FOLDER` or `saccade doctor --repair` builds it",
                ),
            )
        return collection, view


def _strongest(one: LookAlike) -> tuple[float, float, str]:
    """The order of links, the strongest first."""
    return -one.linked, -one.similarity, one.image_id


def _look_alike(
    collection: Collection,
    row: int,
    similarity: float,
    linked: float,
    *,
    evidence: float = 0.0,
    sessions: int = 0,
    days: int = 0,
    people: int = 0,
) -> LookAlike:
    listing = collection.listing
    width, height = listing.sizes[row].tolist()
    return LookAlike(
        listing.ids[row], listing.first_path.get(row, ""), width, height, similarity, linked,
        evidence, sessions, days, people,
    )  # fmt: skip


def _meant(one: TaughtSession) -> tuple[str, ...]:
    """The pictures that were looked for or marked right in a session."""
    return tuple(dict.fromkeys((*one.asked, *one.liked)))


def _spoken(one: TaughtSession) -> set[str]:
    """The pictures that a session says something of."""
    return {*one.asked, *one.refused, *one.marks, *one.compared}


def _days(sessions: Sequence[TaughtSession]) -> int:
    """On how many days, by the clock of Greenwich."""
    return len({datetime.fromtimestamp(one.at, UTC).date() for one in sessions})
