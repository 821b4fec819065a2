"""One moment of a session, as the experts see it: what is asked, what was said, who is compared.

    candidates    every living picture of a small collection; of a large one the best by the start
                  and those that what was liked reaches first
    start         the ranking without learning, on the candidates' scale

Experts speak about the candidates alone; of all other pictures they say what the start says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import partial, reduce
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from saccade.choosers.guard import stage
from saccade.engine.cache import once
from saccade.engine.learning.fold import Models
from saccade.engine.loop.experts.vectors import MarkVectors, believed
from saccade.engine.loop.experts.weighed import WEIGHERS
from saccade.engine.loop.session import Reach, Session
from saccade.engine.sources import graph
from saccade.engine.sources.graph import GraphView
from saccade.features import belief
from saccade.features.marked_company import evenly
from saccade.features.marks import COMPARED, LIKE, QUERY
from saccade.feedback.preferences import Judged
from saccade.indexes.blend import BlendPart
from saccade.indexes.company import Members, of_spread
from saccade.indexes.evidence import PAIRS, Bent, Evidence
from saccade.indexes.spread import Sources, Spread
from saccade.kernels.topk import best_set
from saccade.types import Rows, Scores, Vectors

WHOLE = 4096
"""A collection up to this size is compared as a whole."""
CANDIDATES = 2048
"""Of a larger one, about so many: a page, and what may come into it."""
OTHER_PAIRS = PAIRS // 2
"""What a search looks at of other people's sessions, in pairs, beside the person's own."""
MARGIN_MARKS = 50
"""Marks of each kind, the newest, that the margin learner looks at."""


@dataclass(frozen=True, slots=True)
class Reached:
    """What spreads along the graph: from the query, from what was liked, from what was not."""

    asked: Reach  # the query's pictures that are meant
    refused: Reach  # those that are not meant
    liked: Reach
    disliked: Reach
    compared: Reach  # from the better of two, less what spreads from the worse
    over: Bent | None = field(default=None, kw_only=True)  # the links it spread along, if any bend

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


@dataclass(frozen=True, slots=True)
class MarkCompany:
    """How far candidates keep the company of the query, of each mark and of the landmarks."""

    asked: Scores  # [candidates] with the query
    liked: Vectors  # [candidates, likes]
    disliked: Vectors  # [candidates, dislikes]
    seen: Vectors  # [candidates, landmarks] around their mean, of length 1 on average
    right: Vectors  # the query and what was liked, likewise
    wrong: Vectors

    @classmethod
    def of(cls, asked: Scores, marked: Vectors, likes: int, points: Vectors) -> MarkCompany:
        """From what candidates keep with marks, likes first, and all with the landmarks.

        `points` are the candidates, the marks and, last, the query.
        """
        count = len(asked)
        seen = points - points[:count].mean(0)
        length = float(np.sqrt(np.square(seen[:count]).sum(1).mean())) or 1.0
        seen /= np.float32(length)
        marks, query = seen[count:-1], seen[-1:]
        return cls(
            asked, marked[:, :likes], marked[:, likes:], seen[:count],
            np.vstack([query, marks[:likes]]), marks[likes:],
        )  # fmt: skip


@dataclass(frozen=True)
class Moment:
    """What the experts of one page work on; what several need is computed once."""

    session: Session
    models: Models
    judged: Judged
    length: int | None = None  # how many rows will be looked at; all when None
    guests: bool = False  # whether what guests marked is remembered: they are many under one name
    recalled: tuple[str, ...] = ()  # the person's earlier sessions whose marks are among `judged`
    _vectors: dict[str, MarkVectors] = field(default_factory=dict, compare=False, repr=False)

    @property
    def stage(self) -> str:
        """How much was said, and whether both ways; comparisons are as good as one like."""
        return stage(len(self.judged.liked) or len(self.pairs[:1]), len(self.judged.disliked))

    @once
    def liked(self) -> Rows:
        """Rows of what was liked; a picture that has left the collection has none."""
        return self._rows(self.judged.liked)

    @once
    def disliked(self) -> Rows:
        """Rows of what was disliked."""
        return self._rows(self.judged.disliked)

    @once
    def pairs(self) -> NDArray[np.int64]:
        """Rows of two that were compared, the better first, [p, 2], where both are there."""
        each = [self._rows(pair) for pair in self.judged.preferred]
        return np.array([rows for rows in each if len(rows) == 2], np.int64).reshape(-1, 2)

    @once
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

    # -- along the graph -----------------------------------------------------------------------

    @once
    def graph(self) -> GraphView | None:
        """The neighbour graph, where there is one."""
        return graph.of(self.session.collection)

    @once
    def reached(self) -> Reached | None:
        """What spreads along the graph, where there is one."""
        if self.graph is None:
            return None
        sources = *self._marks, self.compared
        return Reached(*self._asked(self.graph), *self._spreading(sources, pool=self.session.pool))

    @property
    def _marks(self) -> tuple[Sources, Sources]:
        """What was liked and what was not, each as far as it is believed."""
        likes = len(self.liked)
        return (
            Sources(self.liked, LIKE * self.trust[:likes]),
            Sources(self.disliked, self.trust[likes:]),
        )

    def _spreading(
        self, sources: Sequence[Sources], *, over: Bent | None = None, pool: Executor | None = None
    ) -> Iterable[Reach]:
        """What spreads from each of several sources."""
        assert self.graph is not None
        spread = partial(self.graph.spread, over=over)
        filled = [one for one in sources if len(one.rows)]
        alone = pool is None or len(filled) < 2  # then another thread would only cost
        reaches = iter(map(spread, filled) if alone or pool is None else pool.map(spread, filled))
        nothing = np.zeros(self.session.collection.rows)
        return [next(reaches) if len(one.rows) else nothing for one in sources]

    def _asked(self, view: GraphView) -> tuple[Reach, Reach]:
        """What spreads from the query's pictures; the same in every round."""
        computed, query = self.session.computed, self.session.query
        if computed.asked is None:
            nothing = np.zeros(self.session.collection.rows)
            meant = sum((view.reach(e).dense() for e in query.like), start=nothing)
            refused = sum((view.reach(e).dense() for e in query.unlike), start=nothing)
            computed.asked = meant * (QUERY / len(query.like)), refused
        return computed.asked

    # -- what was said before ------------------------------------------------------------------

    @once
    def evidence(self) -> Evidence | None:
        """What earlier sessions near the query say of pairs; None where none says anything.

        What is marked now counts as that: this session is left out, and those that are recalled.
        """
        session = self.session
        if self.graph is None:
            return None
        laid = self.models.evidence.laid(session.collection)
        if not len(laid.sessions):
            return None
        asked, _ = self._asked(self.graph)
        near = laid.sessions.closeness(asked, self._chance(asked))
        judged = (laid.at(session.user, one) for one in (session.session_id, *self.recalled))
        near[[*laid.gone, *chain.from_iterable(judged)]] = 0.0
        own = laid.own(session.user)
        near[laid.nobodys(session.user, guests=self.guests)] = 0.0
        others = np.where(own, 0.0, near)
        people = laid.sessions.people[others > 0.0]
        if not len(people) or people.min() == people.max():
            others[:] = 0.0  # one alone is not heard
        chosen = np.concatenate([
            laid.sessions.nearest(np.where(own, near, 0.0), PAIRS),
            laid.sessions.nearest(others, OTHER_PAIRS),
        ])  # fmt: skip
        if not len(chosen):
            return None
        return Evidence.of(laid.sessions, chosen, laid.numbers.get(session.user, -1))

    def _remember_aside(self) -> Future[Reached | None] | None:
        """Have the links bent, and spread along, in another thread while this one finds the start.

        That thread waits for no other: what is handed to it takes no part of the pool itself.
        """
        pool, laid = self.session.pool, self.models.evidence.laid(self.session.collection)
        if pool is None or self.graph is None or self.session.user not in laid.numbers:
            return None
        self._asked(self.graph)  # both need it
        return pool.submit(lambda: self.remembered)

    @once
    def remembered(self) -> Reached | None:
        """What spreads along links as the person's own sessions bend them; None where none is."""
        return None if self.evidence is None else self._along(self.evidence, self.evidence.own)

    @once
    def agreed(self) -> Reached | None:
        """The same along links as everybody else's bend them, where others agree."""
        return None if self.evidence is None else self._along(self.evidence, self.evidence.agreed)

    def _along(self, evidence: Evidence, net: NDArray[np.float64]) -> Reached | None:
        """What spreads along the links that some evidence bends."""
        bent = None if self.graph is None else Bent.of(self.graph.graph, evidence, net)
        if self.graph is None or bent is None:
            return None
        query = self.session.query
        meant, refused = (
            [self.graph.sources(example) for example in side] for side in (query.like, query.unlike)
        )
        sources = (
            _all(meant).times(QUERY / len(query.like)), _all(refused),
            *self._marks, self.compared,
        )  # fmt: skip
        return Reached(*self._spreading(sources, over=bent), over=bent)

    def companies(self) -> tuple[Scores, Scores] | None:
        """How far each candidate keeps the query's company, by links as they were and as bent.

        None where pages are not ranked by that, or nothing is bent.
        """
        view, plain, bent = self.graph, self.reached, self.remembered
        if view is None or view.companies is None or view.company not in self.session.schemes:
            return None
        if plain is None or bent is None or bent.over is None:
            return None
        sure = np.array([e.row for e in self.session.query.like if e.row >= 0], np.int64)
        before, now = self._query_company(plain.asked), self._query_company(bent.asked)
        return view.companies.likeness_along(before, now, self.rows, view.graph, bent.over, sure)

    def company_of_marks(self, landmarks: int) -> MarkCompany | None:
        """The company that candidates keep with the query and the marks; None where none is kept.

        So many candidates stand in for all: what each keeps with them tells what it is.
        """
        view = self.graph
        if view is None or view.companies is None or view.company not in self.session.schemes:
            return None
        if self.reached is None:
            return None
        others = np.concatenate([evenly(self.rows, landmarks), self.liked, self.disliked])
        count, likes = len(others) - len(self.liked) - len(self.disliked), len(self.liked)
        among = view.companies.likenesses(np.concatenate([self.rows, others[count:]]), others)
        company = self._query_company(self._asked(view)[0])
        query = view.companies.likeness(company, others[:count])
        return MarkCompany.of(
            view.companies.likeness(company, self.rows), among[: len(self.rows), count:], likes,
            np.vstack([among[:, :count], query]),
        )  # fmt: skip

    def _query_company(self, asked: Reach) -> Members:
        near = np.flatnonzero(asked > 0.0)
        return of_spread(Spread(near, asked[near], len(asked), QUERY))

    def _chance(self, asked: Reach) -> float:
        """How well the query reaches any picture; the same in every round."""
        computed = self.session.computed
        if computed.chance is None:
            # What reaches a set as any picture is reached says nothing: of few, each has much.
            own = asked[self.session.excluded]
            computed.chance = float(asked.sum() - own.sum()) / max(1, len(asked) - len(own))
        return computed.chance

    # -- around the centre ---------------------------------------------------------------------

    def vectors(self, part: BlendPart) -> MarkVectors:
        """The query and the marks as unit vectors around the centre, by one part of the blend."""
        assert self.graph is not None
        if part.name not in self._vectors:
            take, query = self.graph.columns.columns[part.name].take, self.session.query
            given = [
                np.array([e.parts[part.name] for e in side if part.name in e.parts], np.float32)
                .reshape(-1, len(part.centre))
                for side in (query.like, query.unlike)
            ]  # fmt: skip
            marked = map(take, (self.liked, self.disliked, self.compared.rows))
            self._vectors[part.name] = MarkVectors(*map(part.seen, (*given, *marked)))
        return self._vectors[part.name]

    def pair_vectors(self, part: BlendPart) -> tuple[Vectors, Vectors]:
        """The better and the worse of what was compared, the newest, likewise."""
        assert self.graph is not None
        take = self.graph.columns.columns[part.name].take
        better, worse = self.pairs[-MARGIN_MARKS:].T
        return part.seen(take(better)), part.seen(take(worse))

    def along(self, part: BlendPart, directions: Sequence[NDArray[np.float32]]) -> Vectors:
        """What each direction says of each candidate, [candidates, directions]."""
        assert self.graph is not None
        blocks = [b.vectors for b in self.graph.columns.columns[part.name].blocks]
        return part.along(blocks, self.rows, np.stack(directions), self.session.pool)

    @once
    def believed(self) -> float:
        """How far what was called wrong counts, as the marks bear each other out, 0..1."""
        if self.graph is None:
            return 1.0
        parts = [(part, self.vectors(part)) for part in self.graph.blend.parts]
        return believed(parts, len(self.liked))

    @once
    def trust(self) -> NDArray[np.float64]:
        """How far each mark counts, 0..1, likes first: by that, and by who is around it."""
        marks, likes = np.concatenate([self.liked, self.disliked]), len(self.liked)
        trust, view = np.ones(len(marks)), self.graph
        if view is not None and view.companies is not None:
            company = self._query_company(self._asked(view)[0])
            asked, among = view.companies.likeness(company, marks), view.companies.likenesses
            trust = belief.each(asked, among(marks, marks), likes)
        trust[likes:] *= self.believed
        return trust

    @property
    def counted(self) -> float:
        """The mean of that over what was called wrong; 1 where nothing was."""
        return float(self.trust[len(self.liked) :].mean()) if len(self.disliked) else 1.0

    # -- who is compared -----------------------------------------------------------------------

    @once
    def start(self) -> NDArray[np.float32]:
        """w·φ of every row by the weights before learning."""
        plain = WEIGHERS["plain"].weights(self.models, "", self.session.prior)
        return self.session.weighed(plain, self.length)

    @once
    def rows(self) -> Rows:
        """The candidates, ascending."""
        alive = self.session.collection.listing.alive.copy()
        alive[self.session.excluded] = False
        if np.count_nonzero(alive) <= WHOLE:
            return np.flatnonzero(alive)
        half = (CANDIDATES - len(self.liked) - len(self.disliked)) // 2
        chosen = [self.liked, self.disliked, np.unique(self.pairs)]
        remembering = self._remember_aside()
        chosen.append(_best(self.start, alive, max(half, CANDIDATES // 4)))
        if remembering is not None:
            remembering.result()
        reached = self.remembered or self.reached  # who is near by looks alone starts well
        if reached is not None:
            near = self._toward(reached).astype(np.float32)
            chosen.append(_best(near, alive & (near > 0.0), max(half, CANDIDATES // 4)))
        every: Rows = np.unique(np.concatenate(chosen))
        return every[alive[every]]

    def _toward(self, reached: Reached) -> Reach:
        """What spreads from all that is meant."""
        parts = [reached.asked]
        if len(self.liked):
            parts.append(reached.liked)
        if len(self.pairs):
            parts.append(reached.preferred[0])
        return reduce(np.add, parts)

    def _rows(self, images: Sequence[str]) -> Rows:
        rows = (self.session.collection.find(image) for image in images)
        return np.array([row for row in rows if row >= 0], np.int64)


def _best(scores: NDArray[np.float32], alive: NDArray[np.bool_], k: int) -> Rows:
    best: Rows = best_set(scores, alive, k)
    return best


def _all(sources: Sequence[Sources]) -> Sources:
    total = Sources.of([])
    for one in sources:
        total = total + one
    return total
