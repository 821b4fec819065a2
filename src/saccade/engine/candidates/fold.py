"""What people taught about candidates: weights over their columns, and marks on their ids.

    m_u        what person u taught over all their lists: an online learner's weights, less the
               start (which is the order given, and nothing else)
    m_{u,t}    the same from the lists asked for with text t alone
    crowd      Σ_u m_u / (people + 1), and for a text the same; of one person: nothing
    served     start + mine, drawn to what is known more widely where little was said:
               (n_t m_{u,t} + K m'_u) / (n_t + K)    m'_u = (n m_u + K crowd) / (n + K)

Every learner has columns of its own, those that it has met: a store may serve a shop and a museum,
and neither's columns widen the other's. Nobody's learner sees another's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from saccade.engine.candidates.clicks import PAIRS
from saccade.engine.candidates.records import (
    GIVEN,
    CandidateColumn,
    CandidatesClicked,
    CandidatesMarked,
    width_of,
)
from saccade.engine.events import Entry
from saccade.engine.learning.axis import Axis
from saccade.engine.learning.counts import Vector
from saccade.engine.learning.guard import GuardFold
from saccade.engine.names import visits
from saccade.engine.recipe import Recipe
from saccade.rankers.second_order import AROW
from saccade.types import Array, Arrays, Encoded, Phi, Spec, State

STEP = 1.0
"""Of AROW, which adapts its step to each column: features differ in how much they tell."""
TOGETHER = 64
"""Columns of which it is learned how they go together; of more, each is learned by itself. An
engine's order follows from its numbers: what belongs to which has to be told apart."""
TRUST = 3.0
"""Events after which a person's own word, on all lists or on one text's, counts half."""
TEXTS, MARKS = 100, 400
"""What is kept of one person: the texts taught last, and of each the newest marks."""

Moved = Mapping[CandidateColumn, Vector]
CandidateEvent = CandidatesMarked | CandidatesClicked


@dataclass(frozen=True, slots=True)
class TaughtOrder:
    """What one person taught, over all lists or for one text."""

    events: float = 0.0  # a click is a part of one
    columns: tuple[CandidateColumn, ...] = ()
    learner: State | None = None
    moved: Moved = field(default_factory=dict)
    marks: Mapping[str, int] = field(default_factory=dict)  # id -> 1 right, -1 wrong

    def after(self, event: CandidateEvent) -> TaughtOrder:
        """With one more event."""
        marks = dict(self.marks)
        if isinstance(event, CandidatesMarked):
            marks = {name: sign for name, sign in marks.items() if name not in _spoken(event)}
            marks |= dict.fromkeys(event.liked, 1) | dict.fromkeys(event.disliked, -1)
            marks = dict(list(marks.items())[-MARKS:])
        if not event.pair_count():
            return replace(self, marks=marks)
        new = tuple(column for column in event.columns if column not in set(self.columns))
        columns = (*self.columns, *new)
        learner = self._learner(new)
        rows = spread(event.rows, event.columns, columns)
        if isinstance(event, CandidatesMarked):
            learner.learn(rows[event.pairs[:, 0]], rows[event.pairs[:, 1]])
        else:
            chosen, beside = np.repeat(rows[:1], len(rows) - 1, axis=0), rows[1:]
            learner.learn(chosen, beside, weight=event.worth * PAIRS / len(beside))
        moved = _split(learner.weights - start(columns), columns)
        return TaughtOrder(self.events + event.counts(), columns, learner.dump(), moved, marks)

    def _learner(self, new: tuple[CandidateColumn, ...]) -> AROW:
        width = width_of((*self.columns, *new))
        if self.learner is None:
            shape = "full" if width <= TOGETHER else "diagonal"
            return AROW(r=STEP, prior=start(new), covariance=shape)
        learner = AROW.load(self.learner if width <= TOGETHER else _apart(self.learner))
        learner.grow(start(new))
        return learner


@dataclass(frozen=True, slots=True)
class Crowd:
    """What several people taught together."""

    people: int = 0
    total: Moved = field(default_factory=dict)

    def changed(self, before: TaughtOrder | None, after: TaughtOrder | None) -> Crowd:
        """With what one of them moved since."""
        total = dict(self.total)
        for one, sign in ((before, np.float32(-1.0)), (after, np.float32(1.0))):
            for column, moved in ({} if one is None else one.moved).items():
                zero = np.zeros(column.width, np.float32)
                total[column] = total.get(column, zero) + sign * moved
        speaks = [int(one is not None and one.events > 0) for one in (before, after)]
        people = self.people - speaks[0] + speaks[1]
        return Crowd(people, total if people else {})


class CandidateFold:
    """Weights over columns and marks on ids: everybody's, each person's, for each text."""

    kinds = frozenset((CandidatesMarked.kind, CandidatesClicked.kind))

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        # Under None what was taught over all lists; under a text, by the lists asked for with it.
        self._people: dict[str, dict[str | None, TaughtOrder]] = {}
        self._crowds: dict[str | None, Crowd] = {}

    # -- serving -------------------------------------------------------------------------------

    def of(self, user: str, text: str | None) -> TaughtOrder:
        """What a person taught; nothing is fine."""
        return self._people.get(user, {}).get(text, TaughtOrder())

    def texts(self, user: str) -> tuple[str, ...]:
        """What a person taught for, the newest last."""
        return tuple(text for text in self._people.get(user, {}) if text is not None)

    def weights(
        self, user: str, text: str, columns: tuple[CandidateColumn, ...]
    ) -> dict[str, Vector]:
        """The weights of each expert over some columns; of those who know nothing, none.

        plain        the order given
        shared       what several people taught, drawn to what they did for this text
        learned      what this person taught, whatever they asked for
        remembered   all of it, their own words on this text first
        """
        base = start(columns)
        out = {"plain": base}
        everywhere, here = self._crowd(None, columns), self._crowd(text, columns)
        many = self._crowds.get(text, Crowd()).people
        mine, mine_here = self.of(user, None), self.of(user, text)
        shared = _drawn(here, many, everywhere)
        own, own_here = (_over(one.moved, columns) for one in (mine, mine_here))
        if shared.any():
            out["shared"] = base + shared
        if own.any():
            out["learned"] = base + own
        moved = _drawn(own_here, mine_here.events, _drawn(own, mine.events, shared))
        if moved.any() or mine_here.marks:
            out["remembered"] = base + moved
        return out

    def _crowd(self, text: str | None, columns: tuple[CandidateColumn, ...]) -> Vector:
        crowd = self._crowds.get(text, Crowd())
        if crowd.people < 2:
            return np.zeros(width_of(columns), np.float32)
        return _over(crowd.total, columns) / np.float32(crowd.people + 1)

    # -- learning ------------------------------------------------------------------------------

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Learn from one event: over all lists, and for its text."""
        event = entry.record
        assert isinstance(event, CandidatesMarked | CandidatesClicked)
        mine = dict(self._people.get(entry.user, {}))
        for text in (None, event.text):
            before = mine.pop(text, None)
            # Marks are of ids that a text brought up: over all lists they are nobody's word.
            after = (before or TaughtOrder()).after(event)
            if text is None:
                after = TaughtOrder(after.events, after.columns, after.learner, after.moved)
            self._change(entry.user, text, before, after)
            mine[text] = after
        for text in [text for text in mine if text is not None][:-TEXTS]:
            self._change(entry.user, text, mine.pop(text), None)
        self._people[entry.user] = mine

    def _change(
        self, user: str, text: str | None, before: TaughtOrder | None, after: TaughtOrder | None
    ) -> None:
        if visits(user):
            return
        crowd = self._crowds.pop(text, Crowd()).changed(before, after)
        if crowd.people:
            self._crowds[text] = crowd

    # -- at rest -------------------------------------------------------------------------------

    def copy(self) -> CandidateFold:
        """An independent copy; what people taught is replaced and not changed."""
        twin = CandidateFold(self._recipe)
        twin._people, twin._crowds = dict(self._people), dict(self._crowds)
        return twin

    def dump(self) -> Encoded:
        """The whole state; nothing where nothing was taught."""
        if not self._people:
            return {}, {}
        arrays: dict[str, Array] = {}
        people: list[dict[str, Any]] = []
        for user in sorted(self._people):
            for text, one in self._people[user].items():
                state, at = one.learner, f"candidates/{len(people)}/"
                people.append(
                    {
                        "user": user,
                        "text": text,
                        "events": one.events,
                        "columns": [list(column) for column in one.columns],
                        "learner": None if state is None else [state.kind, dict(state.spec)],
                        "said": [list(mark) for mark in one.marks.items()],
                    }
                )
                if state is not None:
                    arrays |= {f"{at}learner/{n}": array for n, array in state.arrays.items()}
                    arrays[f"{at}moved"] = _over(one.moved, one.columns)
        crowds: list[list[Any]] = []
        for text, crowd in self._crowds.items():
            columns = tuple(crowd.total)
            arrays[f"candidates/crowd/{len(crowds)}"] = _over(crowd.total, columns)
            crowds.append([text, crowd.people, [list(column) for column in columns]])
        return {"candidates": {"people": people, "crowds": crowds}}, arrays

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        held = body.get("candidates", {"people": [], "crowds": []})
        for number, line in enumerate(held["people"]):
            at, columns = (
                f"candidates/{number}/",
                tuple(CandidateColumn(*c) for c in line["columns"]),
            )
            state, moved = None, {}
            if line["learner"] is not None:
                start_ = f"{at}learner/"
                mine = {
                    n.removeprefix(start_): a for n, a in arrays.items() if n.startswith(start_)
                }
                state = State(line["learner"][0], line["learner"][1], mine)
                moved = _split(arrays[f"{at}moved"], columns)
            marks = {name: int(sign) for name, sign in line["said"]}
            order = TaughtOrder(float(line["events"]), columns, state, moved, marks)
            self._people.setdefault(line["user"], {})[line["text"]] = order
        for number, (text, people, listed) in enumerate(held["crowds"]):
            columns = tuple(CandidateColumn(*column) for column in listed)
            total = _split(arrays[f"candidates/crowd/{number}"], columns)
            self._crowds[text] = Crowd(int(people), total)


class CandidateGuardFold(GuardFold):
    """How far what was taught about candidates is served: one guard a person, apart from pictures'.

    What pays on a shop's list says nothing of what pays on a page of pictures.
    """

    kinds = frozenset((CandidatesMarked.kind, CandidatesClicked.kind))
    name = "candidate-guard"


def _apart(state: State) -> State:
    """A learner that knows how columns go together, as one that knows each by itself."""
    if state.spec["parameters"]["covariance"] != "full":
        return state
    parameters = {**state.spec["parameters"], "covariance": "diagonal"}
    own = np.diag(state.arrays["covariance"]).copy()
    spec = {**state.spec, "parameters": parameters}
    return State(state.kind, spec, {**state.arrays, "covariance": own})


def start(columns: tuple[CandidateColumn, ...]) -> Vector:
    """The weights before anything is learned: the order given."""
    parts = [np.full(c.width, float(c == GIVEN), np.float32) for c in columns]
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def spread(
    rows: Phi, columns: tuple[CandidateColumn, ...], wanted: tuple[CandidateColumn, ...]
) -> Phi:
    """Rows over other columns; what they do not have is 0, as if it told nothing apart."""
    out = np.zeros((len(rows), width_of(wanted)), np.float32)
    place, first = {}, 0
    for column in wanted:
        place[column], first = first, first + column.width
    first = 0
    for column in columns:
        if column in place:
            at = place[column]
            out[:, at : at + column.width] = rows[:, first : first + column.width]
        first += column.width
    return out


def _drawn(own: Vector, events: float, wider: Vector) -> Vector:
    """What was said of this alone, drawn to what is known more widely."""
    count, trust = np.float32(events), np.float32(TRUST)
    return np.asarray((count * own + trust * wider) / (count + trust), np.float32)


def _over(moved: Moved, columns: tuple[CandidateColumn, ...]) -> Vector:
    parts = [
        np.asarray(moved.get(column, np.zeros(column.width, np.float32)), np.float32)
        for column in columns
    ]
    return np.concatenate(parts) if parts else np.zeros(0, np.float32)


def _split(weights: Vector, columns: tuple[CandidateColumn, ...]) -> dict[CandidateColumn, Vector]:
    out, first = {}, 0
    for column in columns:
        out[column], first = weights[first : first + column.width], first + column.width
    return out


def _spoken(event: CandidatesMarked) -> set[str]:
    return {*event.liked, *event.disliked, *event.cleared}
