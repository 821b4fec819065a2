"""A session ranked by a retrieval configuration, or by the vote of all of them.

    one     score(p) = mean over what is meant − ½ mean over what is not + your mark
    vote    score(p) = Σ_c weight_c · (1 − (place of p by c − 1) / 100) + your mark

What is meant are the query's pictures and those marked right. A picture that shares no word with
any of them has score 0. Where a configuration had the pictures *before* any mark is what its
chooser is paid by; it is kept with the page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from saccade.choosers import VOTES
from saccade.choosers.losses import DEPTH
from saccade.engine.choice import EXPERT, VOTE, Choice, Places
from saccade.engine.collection import Example
from saccade.engine.searching.experts import Round
from saccade.engine.searching.experts.ranking import MARK, add_marks, marks_at
from saccade.engine.searching.experts.voices import DISLIKED, LIKED
from saccade.engine.searching.query import Query
from saccade.engine.searching.session import Session
from saccade.engine.sources import configurations
from saccade.engine.sources.configurations import ConfigurationView
from saccade.errors import NotFound
from saccade.hints import recipe
from saccade.kernels.topk import top
from saccade.types import Rows, Scores


def scores(session: Session, configuration: str, query: Query) -> Scores:
    """Every row's score by one configuration."""
    view, out = view_of(session), np.zeros(session.collection.rows, np.float32)
    for weight, example in query.signed():
        out += np.float32(weight) * view.scores(configuration, example)
    return out


def view_of(session: Session) -> ConfigurationView:
    """The configurations of a session's collection."""
    view = configurations.of(session.collection)
    if view is None:
        raise NotFound(
            "this collection has no visual words, so no configuration can rank it",
            hint=recipe("words"),
        )
    return view


def first_places(session: Session, values: Scores) -> Rows:
    """The rows at the first places by these scores, best first."""
    values = values.copy()
    values[session.excluded] = -np.inf
    found: Rows = top(values, min(DEPTH, len(values)))
    return found


@dataclass(frozen=True)
class Configured:
    """One round by what its session's choice asks."""

    round: Round
    choice: Choice
    dropped: tuple[str, ...] = ()

    @property
    def leading(self) -> str:
        """What ranks."""
        return self.choice.configuration

    def opinions(self, rows: Rows) -> None:
        """The guard's experts were not asked."""

    def places(self, rows: Rows) -> Places:
        """Where each configuration asked has some rows for the query alone, [rows, asked]."""
        session = self.round.session
        out = np.full((len(rows), len(self.choice.asked)), DEPTH + 1, np.int32)
        for column, name in enumerate(self.choice.names):
            first = first_places(session, scores(session, name, session.query))
            at = {row: where for where, row in enumerate(first.tolist(), 1)}
            out[:, column] = [at.get(row, DEPTH + 1) for row in rows.tolist()]
        return out

    def _liked(self) -> Query:
        """The query and what was marked right."""
        query = self.round.session.query
        return replace(query, like=(*query.like, *self._examples(self.round.liked)))

    def _meant(self) -> Query:
        """That, and what was marked wrong."""
        query = self._liked()
        return replace(query, unlike=(*query.unlike, *self._examples(self.round.disliked)))

    def _examples(self, rows: Rows) -> tuple[Example, ...]:
        # Kept with the session: an example remembers its scores.
        session = self.round.session
        for row in rows.tolist():
            if f"example {row}" not in session.memo:
                session.memo[f"example {row}"] = session.collection.example(row)
        return tuple(session.memo[f"example {row}"] for row in rows.tolist())


class One(Configured):
    """By one configuration."""

    @cached_property
    def _steps(self) -> tuple[Scores, Scores, Scores]:
        """By the query alone; with what was liked; with what was disliked, too."""
        session, (name,) = self.round.session, self.choice.names
        asked = scores(session, name, session.query)
        if not self.round.marked:
            return asked, asked, asked
        return asked, scores(session, name, self._liked()), scores(session, name, self._meant())

    @property
    def scores(self) -> Scores:
        """Every row's score."""
        return add_marks(self.round, self._steps[2].copy())

    @property
    def names(self) -> tuple[str, ...]:
        """The configuration, and what marks add."""
        name = self.choice.configuration
        return (name, LIKED, DISLIKED, MARK) if self.round.marked else (name,)

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What the scores of some rows are made of, [rows, names]."""
        asked, liked, both = (step[rows].astype(np.float64) for step in self._steps)
        if not self.round.marked:
            return asked[:, None]
        return np.stack([asked, liked - asked, both - liked, marks_at(self.round, rows)], axis=1)


class Vote(Configured):
    """By all of them."""

    @cached_property
    def _points(self) -> NDArray[np.float64]:
        """What each configuration gives each row, [asked, rows]."""
        session, asked = self.round.session, list(self.choice.asked)
        present = np.zeros(len(self.choice.family), np.bool_)
        present[asked] = True
        chooser = self.round.models.choosers.of(EXPERT, self.choice.family)
        weights, query = chooser.among(present)[asked], self._meant()
        out = np.zeros((len(asked), session.collection.rows))
        for line, name in enumerate(self.choice.names):
            values = scores(session, name, query)
            first = first_places(session, values)
            first = first[values[first] > 0.0]  # who shares no word is not voted for
            out[line, first] = weights[line] * VOTES["rank"](values[first].astype(float), DEPTH)
        return out

    @property
    def scores(self) -> Scores:
        """Every row's score."""
        points = self._points.sum(axis=0).astype(np.float32)
        return add_marks(self.round, points)

    @property
    def names(self) -> tuple[str, ...]:
        """The configurations, and marks."""
        names = self.choice.names
        return (*names, MARK) if self.round.marked else names

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What the scores of some rows are made of, [rows, names]."""
        points = self._points[:, rows].T
        if not self.round.marked:
            return points
        return np.concatenate([points, marks_at(self.round, rows)[:, None]], axis=1)


def by_choice(round: Round, choice: Choice) -> One | Vote:
    """A round ranked as its session chose."""
    kind = Vote if choice.configuration == VOTE else One
    return kind(round, choice, choice.dropped)
