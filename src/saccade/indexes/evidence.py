"""Evidence: what people marked together, kept on the links, so that other searches start better.

    E(a, b)   of what a session holds: query and ✓ +1, query and ✕ −1, ✓ and ✓ +w, ✓ and ✕ −w;
              half of that for the better and the worse of two that were compared
    A(a, b) = A₀(a, b) exp(−γ max(0, −E)) + β t (1 − exp(−δ max(0, E − τ)))

t is the graph's mean link. A spread over A is what a spread over A₀ would have been, had the map
known what people have said since it was drawn.

Sessions are kept as they were said and summed when a query asks: those that its own spread comes
closest to, nearest first, as far as a budget of pairs goes. What was said elsewhere has no part in
it, so nothing grows with all that was ever said but the looking through; and what is taken back is
gone without a trace. A session speaks of two pictures once, however often it was clicked. One that
liked more than `SPREE` says less of each two of them. Where what a person says contradicts itself
from session to session, all of it counts for less: they err, or mean now this and now that. A
session speaks for a pair as far as it told pictures apart, against an average one of that person:
who likes everything says nothing.

A person's own sessions count in full, and where they speak of a pair nobody else does. Of all
others each person counts once for a pair and the loudest is left out: what one person alone says
moves nobody else, and any number of people who say the same together count `AGREED` at most. The
two bend the links apart from each other, so that how far others move a page can be bounded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.indexes.graph import Graph
from saccade.types import Rows

LIKES = 0.8
"""w: what two likes of one session say of each other, where a query and a like say 1."""
CUT, ADDED, RISE, QUIET = 2.0, 0.5, 0.7, 0.0
"""γ, β, δ and τ; `benchmarks/lasting.py` says where they come from."""
SPREE = 10
"""Likes of one session that speak of each other in full."""
TORN, DOUBT, SHY = 0.8, 0.05, 10.0
"""Contradiction at which nothing is believed; what is assumed at first, and as how much said."""
APART = 0.5
"""Pictures set apart in an average session, against which a person's are held: with so few of them
half of what they affirm is believed, and nothing of who never tells two pictures apart."""
AGREED = 2.0
PAIRS = 14_000
"""Pairs of pictures that one search looks at, at most."""


class SessionRows(NamedTuple):
    """One session as signed sets of rows; a picture that has left the collection has row -1."""

    asked: Rows | list[int]
    liked: Rows | list[int]
    disliked: Rows | list[int]
    better: Rows | list[int]
    worse: Rows | list[int]
    person: int = 0
    at: float = 0.0  # when
    passed: int = 0  # pictures that were passed over on the way to a liked one


@dataclass(frozen=True)
class Sessions:
    """Many sessions side by side."""

    offsets: NDArray[np.int64]  # [sessions + 1]
    rows: NDArray[np.int32]  # [members]
    roles: NDArray[np.int8]  # [members]
    people: NDArray[np.int32]  # [sessions]
    at: NDArray[np.float64]  # [sessions]
    passed: NDArray[np.int32]  # [sessions]

    def __len__(self) -> int:
        return len(self.people)

    @classmethod
    def of(cls, sessions: Iterable[SessionRows]) -> Sessions:
        """Sessions in a row."""
        from saccade.kernels.evidence import ASKED, BETTER, DISLIKED, LIKED, WORSE

        members: list[int] = []
        sizes: list[int] = []
        people, at, passed = [], [], []
        for one in sessions:
            for side in (one.asked, one.liked, one.disliked, one.better, one.worse):
                members += side.tolist() if isinstance(side, np.ndarray) else side
                sizes.append(len(side))
            people.append(one.person)
            at.append(one.at)
            passed.append(one.passed)
        kinds = np.array([ASKED, LIKED, DISLIKED, BETTER, WORSE], np.int8)
        return cls(
            np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)[len(kinds) - 1 :: len(kinds)]]),
            np.array(members, np.int32),
            np.repeat(np.tile(kinds, len(people)), sizes),
            np.array(people, np.int32),
            np.array(at, np.float64),
            np.array(passed, np.int32),
        )

    def only(self, alive: NDArray[np.bool_]) -> Sessions:
        """The same where some rows (`alive` [n] is False for them) have left the collection."""
        there = self.rows >= 0
        there[there] = alive[self.rows[there]]
        return replace(self, rows=np.where(there, self.rows, np.int32(-1)))

    def __add__(self, other: Sessions) -> Sessions:
        """These, then others; people keep their numbers."""
        return Sessions(
            np.concatenate([self.offsets, self.offsets[-1] + other.offsets[1:]]),
            np.concatenate([self.rows, other.rows]),
            np.concatenate([self.roles, other.roles]),
            np.concatenate([self.people, other.people]),
            np.concatenate([self.at, other.at]),
            np.concatenate([self.passed, other.passed]),
        )

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Pairs of members of each session, at most."""
        members = np.diff(self.offsets)
        return np.asarray(members * (members - 1) // 2)

    def closeness(self, reach: NDArray[np.float64], chance: float = 0.0) -> NDArray[np.float64]:
        """How far what spreads from a query (`reach` [n]) comes to each session, [sessions].

        The mean over what the session asked for and liked; what any row has by chance is nothing.
        """
        from saccade.kernels.evidence import closeness

        if self.rows.max(initial=-1) >= len(reach):
            raise InvalidInput(f"evidence: a session speaks of a row beyond {len(reach)}")
        return np.asarray(closeness(reach, self.offsets, self.rows, self.roles, chance))

    def nearest(self, closeness: NDArray[np.float64], pairs: int = PAIRS) -> Rows:
        """The sessions that come closest, nearest first, within a budget of pairs.

        Those that nothing reaches are none of them; of equals the later comes first.
        """
        near = self._close_enough(closeness, pairs)
        order = near[np.lexsort((-self.at[near], -closeness[near]))]
        return order[np.cumsum(self.sizes[order]) <= pairs]

    def _close_enough(self, closeness: NDArray[np.float64], pairs: int) -> Rows:
        """Of the sessions that something reaches, as many of the nearest as fill the budget.

        Sorting is what would grow with all that was ever said: only these are sorted.
        """
        near = np.flatnonzero(closeness > 0.0)
        every = int(self.sizes[near].sum())
        few = 1 + len(near) * pairs // max(1, every)  # as many as it takes of an average size
        while every > pairs and few < len(near):
            values = closeness[near]
            edge = np.partition(values, -few)[-few]
            nearest: Rows = near[values >= edge]  # and all equal to the last
            if self.sizes[nearest].sum() > pairs:
                return nearest
            few *= 2
        return near


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is said of pairs of rows, each pair once."""

    first: NDArray[np.int32]  # [pairs] the lower row
    second: NDArray[np.int32]
    plus: NDArray[np.float64]  # what the person's own sessions say for the pair
    told: NDArray[np.float64]  # the same, each session by how far it told pictures apart
    minus: NDArray[np.float64]  # and against it
    answers: NDArray[np.float64]  # [pairs, 2] of both, what answers a query that holds one of them
    sessions: NDArray[np.int32]  # how many of those spoke
    others: NDArray[np.float64]  # what everybody else agrees on, in ± AGREED
    people: NDArray[np.int32]  # how many of those spoke

    def __len__(self) -> int:
        return len(self.first)

    @classmethod
    def of(cls, sessions: Sessions, chosen: Rows, own: int = 0) -> Evidence:
        """The sum of what some sessions say, seen by the person whose number is `own`.

        >>> rows = lambda *r: np.array(r, np.int64)
        >>> one = SessionRows(rows(7), rows(1, 2), rows(3), rows(), rows())
        >>> evidence = Evidence.of(Sessions.of([one, one]), rows(0, 1))
        >>> [(*pair, round(float(e), 1)) for *pair, e in zip(
        ...     evidence.first.tolist(), evidence.second.tolist(), evidence.plus - evidence.minus)]
        [(1, 7, 2.0), (2, 7, 2.0), (3, 7, -2.0), (1, 2, 1.6), (1, 3, -1.6), (2, 3, -1.6)]
        """
        from saccade.kernels.evidence import WHOLE, summed

        together = chosen[np.argsort(sessions.people[chosen], kind="stable")]
        first, second, plus, told, minus, answers, spoken, others, people = summed(
            sessions.offsets, sessions.rows, sessions.roles, sessions.people, sessions.passed,
            together, own, round(LIKES * WHOLE), SPREE, round(AGREED * WHOLE), round(APART * WHOLE),
        )  # fmt: skip
        words = (plus, told, minus, answers, others)
        plus, told, minus, answers, others = (sums / WHOLE for sums in words)
        return cls(first, second, plus, told, minus, answers, spoken, others, people)

    @property
    def contradiction(self) -> float:
        """How much of what the person said of a pair twice they also denied, 0 to 1.

        A person who errs in one mark of ten comes to about .3, one who means one thing in all
        searches to 0. Before anything was said twice it is `DOUBT`. What answers a query is looked
        at by itself, too: two pictures called wrong say nothing of each other, so whoever turns
        round what they answered would else be believed for all that they liked together.
        """
        answered = self.answers.sum(axis=1) > 1.0
        return max(
            _denied(self.plus, self.minus, self.sessions > 1),
            _denied(self.answers[:, 0], self.answers[:, 1], answered),
        )

    @property
    def own(self) -> NDArray[np.float64]:
        """E of each pair by the person alone: what contradicts itself fades, in all near it."""
        trust = max(0.0, 1.0 - self.contradiction / TORN) ** 2
        own = self.plus - self.minus
        # Of a pair that was both affirmed and denied, what outweighs the other counts for less.
        own *= trust * np.abs(own) / np.maximum(self.plus + self.minus, 1e-9)
        own *= np.where(own > 0.0, self.told / np.maximum(self.plus, 1e-9), 1.0)
        return np.asarray(own)

    @property
    def agreed(self) -> NDArray[np.float64]:
        """E of each pair by everybody else; where the person has spoken, others are not asked."""
        return np.where(self.sessions > 0, 0.0, self.others)

    @property
    def net(self) -> NDArray[np.float64]:
        """E of each pair."""
        return self.own + self.agreed


def _denied(
    plus: NDArray[np.float64], minus: NDArray[np.float64], twice: NDArray[np.bool_]
) -> float:
    denied = 2.0 * float(np.minimum(plus, minus)[twice].sum())
    spoken = float((plus + minus)[twice].sum())
    return (denied + DOUBT * SHY) / (spoken + SHY)


@dataclass(frozen=True, slots=True)
class Bent:
    """The rows of a graph that evidence touches, by place (`saccade.indexes.layout`)."""

    over: NDArray[np.int32]  # [n] where a place's row is among the bent ones, -1 for none
    links: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]
    root: NDArray[np.float64]  # [n]

    @classmethod
    def of(
        cls, graph: Graph, evidence: Evidence, net: NDArray[np.float64] | None = None
    ) -> Bent | None:
        """A graph's links as evidence bends them, or some of it (`net`); None where none is."""
        from saccade.kernels.evidence import bent

        net = evidence.net if net is None else net
        telling = (net < 0.0) | (net > QUIET)
        if not telling.any():
            return None
        if evidence.second.max() >= len(graph):
            raise InvalidInput(f"evidence: a pair names a row beyond {len(graph)}")
        laid = graph.layout
        over, *links, root = bent(
            laid.offsets, laid.neighbours, laid.weights, laid.root,
            laid.places[evidence.first[telling]], laid.places[evidence.second[telling]],
            net[telling], (CUT, ADDED * laid.typical, RISE, QUIET),
        )  # fmt: skip
        return cls(over, tuple(links), root)


def bent_weight(before: float, evidence: float, typical: float) -> float:
    """What a link counts for with evidence, given what it did without; as `Bent` has it.

    >>> bent_weight(0.1, 0.0, 0.05), bent_weight(0.1, -1.0, 0.05) < 0.1 < bent_weight(0.1, 2, 0.05)
    (0.1, True)
    """
    added = 1.0 - math.exp(-RISE * max(0.0, evidence - QUIET))
    return before * math.exp(-CUT * max(0.0, -evidence)) + ADDED * typical * added
