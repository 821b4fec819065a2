"""One round of a session, as the experts see it: what is asked, what was said, who is compared.

    candidates    every living picture of a small collection; of a large one the best by the start
                  and those that what was liked reaches first
    start         the ranking without learning, on the candidates' scale

Experts speak about the candidates alone; of all other pictures they say what the start says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from saccade.choosers.guard import stage
from saccade.engine.learning.fold import Models
from saccade.engine.searching.experts.weighed import WEIGHERS
from saccade.engine.searching.session import Session
from saccade.engine.sources import graph
from saccade.engine.sources.graph import GraphView
from saccade.features.marks import COMPARED, LIKE, QUERY
from saccade.feedback.preferences import Judged
from saccade.indexes.spread import Sources
from saccade.kernels.topk import best_set
from saccade.types import Rows

Reach = NDArray[np.float64]  # [rows of the collection] what spreads to each

WHOLE = 4096
"""A collection up to this size is compared as a whole."""
CANDIDATES = 2048
"""Of a larger one, about so many: a page, and what may come into it."""
NEAREST = 10
"""Earlier sessions that a query recalls at most."""
RECALLED = 2.0
"""What all of them together count for, beside the query's own."""
CLOSE, ALIKE, LEAST = 0.02, 3, 0.6
"""A set is close that the query reaches with this share of what it starts with, and as well as its
nearest three; one that it reaches half as well is recalled an eighth as strongly, one that it
reaches less than `LEAST` as well not at all: it is about something else. Without the
power one query in twelve of Corel-1K, one in six of osr (60 queries each) lost by what was liked
five searches before, so none did; the second condition is for small collections, where everything
is reached."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What spreads along the graph: from the query, from what was liked, from what was not."""

    asked: Reach  # the query's pictures that are meant
    refused: Reach  # those that are not meant
    liked: Reach
    disliked: Reach
    compared: Reach  # from the better of two, less what spreads from the worse

    def at(self, rows: Rows) -> Reached:
        """The same of some rows."""
        return Reached(
            self.asked[rows], self.refused[rows], self.liked[rows], self.disliked[rows],
            self.compared[rows],
        )  # fmt: skip

    @property
    def preferred(self) -> tuple[Reach, Reach]:
        """What comparisons say for a row, and against it."""
        return np.maximum(self.compared, 0.0), np.maximum(-self.compared, 0.0)


@dataclass(frozen=True)
class Round:
    """What the experts of one page work on; what several need is computed once."""

    session: Session
    models: Models
    judged: Judged

    @property
    def stage(self) -> str:
        """How much was said, and whether both ways; comparisons are as good as one like."""
        return stage(len(self.judged.liked) or len(self.pairs[:1]), len(self.judged.disliked))

    @cached_property
    def liked(self) -> Rows:
        """Rows of what was liked; a picture that has left the collection has none."""
        return self._rows(self.judged.liked)

    @cached_property
    def disliked(self) -> Rows:
        """Rows of what was disliked."""
        return self._rows(self.judged.disliked)

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """Rows of two that were compared, the better first, [p, 2], where both are there."""
        found = [self._rows(pair) for pair in self.judged.preferred]
        return np.array([rows for rows in found if len(rows) == 2], np.int64).reshape(-1, 2)

    @cached_property
    def compared(self) -> Sources:
        """What comparisons make of their pictures: half a like or half a dislike, and no more.

        A picture that won as often as it lost says nothing, and a mark says more than that.
        """
        rows, places = np.unique(self.pairs, return_inverse=True)
        won = np.bincount(places.reshape(-1)[::2], minlength=len(rows))
        lost = np.bincount(places.reshape(-1)[1::2], minlength=len(rows))
        amounts = COMPARED * np.sign(won - lost)
        heard = (amounts != 0.0) & ~np.isin(rows, [*self.liked, *self.disliked])
        return Sources(rows[heard], amounts[heard])

    @property
    def marked(self) -> bool:
        """Whether anything that was said is still there."""
        return bool(len(self.liked) or len(self.disliked) or len(self.pairs))

    @cached_property
    def graph(self) -> GraphView | None:
        """The neighbour graph, where there is one."""
        return graph.of(self.session.collection)

    @cached_property
    def reached(self) -> Reached | None:
        """What spreads along the graph, where there is one; the query's share is kept."""
        view, memo, query = self.graph, self.session.memo, self.session.query
        if view is None:
            return None
        if "asked" not in memo:
            nothing = np.zeros(self.session.collection.rows)
            asked = sum((view.reach(e).dense() for e in query.like), start=nothing)
            memo["asked"] = asked * (QUERY / len(query.like))
            memo["refused"] = sum((view.reach(e).dense() for e in query.unlike), start=nothing)
        sources = Sources.of(self.liked, LIKE), Sources.of(self.disliked, 1.0), self.compared
        pool = self.session.pool
        each = map(view.spread, sources) if pool is None else pool.map(view.spread, sources)
        return Reached(memo["asked"], memo["refused"], *each)

    @cached_property
    def recalled(self) -> Reach | None:
        """What spreads from pictures this person liked together before, near what is asked.

        Each earlier session counts by the square of how far the query reaches its likes, beyond
        chance; where it reaches none of them well, next to nothing spreads.
        """
        if self.graph is None or self.reached is None:
            return None
        groups, reached = self._groups(self.reached.asked)
        if not groups:
            return None
        chance, alike = self._usual(self.reached.asked)
        near = np.maximum(reached - chance, 0.0)
        best = np.argsort(-near, kind="stable")[:NEAREST]
        total = float(np.square(near[best]).sum())
        if not total > 0.0:
            return None  # nor is anything else near, then
        close = min(1.0, float(near[best[0]]) / max(alike - chance, CLOSE * QUERY))
        if close < LEAST:
            return None
        strength = RECALLED * close**3
        shares = strength * np.square(near[best]) / total
        sources = [
            Sources.of(groups[i], s / len(groups[i])) for i, s in zip(best, shares, strict=True)
        ]
        return self.graph.spread(_all(sources))

    def _usual(self, asked: Reach) -> tuple[float, float]:
        """How well the query reaches any picture, and its nearest few; the same in every round."""
        memo = self.session.memo
        if "usual" not in memo:
            # What reaches a set as any picture is reached says nothing: of few, each has much.
            others = np.delete(asked, self.session.excluded)
            few = max(0, len(others) - ALIKE)
            nearest = np.sort(np.partition(others, few)[few:]) if len(others) else np.zeros(1)
            memo["usual"] = float(others.mean()) if len(others) else 0.0, float(nearest.mean())
        usual: tuple[float, float] = memo["usual"]
        return usual

    def _groups(self, asked: Reach) -> tuple[list[Rows], NDArray[np.float64]]:
        """What was liked together before, and how well the query reaches each set.

        Both are found once a session of each set: this one may be all that changes meanwhile.
        """
        known: dict[tuple[str, ...], tuple[Rows, float]] = self.session.memo.setdefault("sets", {})
        kept, mine = self.models.memory.of(self.session.user), self.session.session_id
        for name, liked in kept.items():
            if liked not in known and name != mine:
                rows = self._rows(liked)
                known[liked] = rows, float(asked[rows].mean()) if len(rows) else 0.0
        found = [known[liked] for name, liked in kept.items() if name != mine]
        found = [one for one in found if len(one[0])]
        return [rows for rows, _ in found], np.array([reached for _, reached in found])

    @cached_property
    def start(self) -> NDArray[np.float32]:
        """w·φ of every row by the weights before learning."""
        plain = WEIGHERS["plain"]
        return self.session.weighed(plain.weights(self.models, "", self.session.prior))

    @cached_property
    def rows(self) -> Rows:
        """The candidates, ascending."""
        alive = self.session.collection.listing.alive.copy()
        alive[self.session.excluded] = False
        if np.count_nonzero(alive) <= WHOLE:
            return np.flatnonzero(alive)
        half = (CANDIDATES - len(self.liked) - len(self.disliked)) // 2
        found = [self.liked, self.disliked, np.unique(self.pairs)]
        found.append(_best(self.start, alive, max(half, CANDIDATES // 4)))
        if self.reached is not None:
            reached = self.reached.asked + self.reached.liked
            if len(self.pairs):
                reached = reached + self.reached.preferred[0]
            toward = reached.astype(np.float32)
            found.append(_best(toward, alive & (toward > 0.0), max(half, CANDIDATES // 4)))
        chosen: Rows = np.unique(np.concatenate(found))
        return chosen[alive[chosen]]

    def _rows(self, images: Sequence[str]) -> Rows:
        found = (self.session.collection.find(image) for image in images)
        return np.array([row for row in found if row >= 0], np.int64)


def _best(scores: NDArray[np.float32], alive: NDArray[np.bool_], k: int) -> Rows:
    found: Rows = best_set(scores, alive, k)
    return found


def _all(sources: Sequence[Sources]) -> Sources:
    total = Sources.of([])
    for one in sources:
        total = total + one
    return total
