"""A session ranked by a retrieval configuration, or by the vote of all of them.

    one     score(p) = mean over what is meant − ½ mean over what is not + your mark
    vote    score(p) = Σ_c weight_c · (s_c(p) − lowest) / (highest − lowest) + your mark
            over the hundred first by c; by place it was worse (docs/studies/aly2011-book_covers.md)
    usual   as ever; on a trial every tenth place is for the best of another that is not there yet

What is meant are the query's pictures and those marked right. A picture that shares no word with
any of them has score 0. Where a configuration had the pictures *before* any mark is what its
chooser is paid by; it is kept with the page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from saccade.choosers import VOTES
from saccade.choosers.losses import DEPTH
from saccade.engine.cache import once
from saccade.engine.collection import Example
from saccade.engine.configurations import source
from saccade.engine.configurations.fold import ChooserFold
from saccade.engine.configurations.records import VOTE, Choice, Places
from saccade.engine.configurations.source import USUAL, ConfigurationView
from saccade.engine.loop.experts import EXPERTS, Moment, Ranking
from saccade.engine.loop.experts.ranking import MARK, MarkMoves
from saccade.engine.loop.experts.voices import DISLIKED, LIKED
from saccade.engine.loop.query import Query
from saccade.engine.loop.session import Session
from saccade.engine.opinions import Opinions
from saccade.errors import NotFound
from saccade.hints import recipe
from saccade.kernels.topk import top
from saccade.types import Rows, Scores

EACH = 10
"""On a trial, one place of so many."""


def scores(session: Session, configuration: str, query: Query) -> Scores:
    """Every row's score by one configuration that compares words."""
    view, out = view_of(session), np.zeros(session.collection.rows, np.float32)
    for weight, example in query.signed():
        out += np.float32(weight) * view.scores(configuration, example)
    return out


def view_of(session: Session) -> ConfigurationView:
    """The configurations of a session's collection."""
    view = source.of(session.collection)
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
    rows: Rows = top(values, min(DEPTH, len(values)))
    return rows


@dataclass(frozen=True)
class Configured:
    """One moment by what its session's choice asks."""

    moment: Moment
    choice: Choice
    dropped: tuple[str, ...] = ()

    @property
    def leading(self) -> str:
        """What ranks."""
        return self.choice.configuration

    @property
    def believed(self) -> float:
        """Nobody looked."""
        return 1.0

    def opinions(self, rows: Rows) -> Opinions | None:
        """The guard's experts were not asked."""
        return None

    def places(self, rows: Rows) -> Places:
        """Where each configuration asked has some rows for the query alone, [rows, asked]."""
        session = self.moment.session
        out = np.full((len(rows), len(self.choice.asked)), DEPTH + 1, np.int32)
        for column, name in enumerate(self.choice.names):
            # The usual ranking before any mark is what it starts from.
            words = name != USUAL
            values = scores(session, name, session.query) if words else self.moment.start
            first = first_places(session, values)
            at = {row: where for where, row in enumerate(first.tolist(), 1)}
            out[:, column] = [at.get(row, DEPTH + 1) for row in rows.tolist()]
        return out

    def _liked(self) -> Query:
        """The query and what was marked right."""
        query = self.moment.session.query
        return replace(query, like=(*query.like, *self._examples(self.moment.liked)))

    def _meant(self) -> Query:
        """That, and what was marked wrong."""
        query = self._liked()
        return replace(query, unlike=(*query.unlike, *self._examples(self.moment.disliked)))

    def _examples(self, rows: Rows) -> tuple[Example, ...]:
        # The same ones in every round: an example remembers its scores.
        return tuple(map(self.moment.session.example, rows.tolist()))


class One(Configured):
    """By one configuration."""

    @once
    def _steps(self) -> tuple[Scores, Scores, Scores]:
        """By the query alone; with what was liked; with what was disliked, too."""
        session, name = self.moment.session, self.choice.configuration
        asked = scores(session, name, session.query)
        if not self.moment.marked:
            return asked, asked, asked
        return asked, scores(session, name, self._liked()), scores(session, name, self._meant())

    @property
    def scores(self) -> Scores:
        """Every row's score."""
        return self._marks.added(self._steps[2])

    @once
    def _marks(self) -> MarkMoves:
        return MarkMoves.of(self.moment, self._steps[2])

    @property
    def names(self) -> tuple[str, ...]:
        """The configuration, and what marks add."""
        name = self.choice.configuration
        return (name, LIKED, DISLIKED, MARK) if self.moment.marked else (name,)

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What the scores of some rows are made of, [rows, names]."""
        asked, liked, both = (step[rows].astype(np.float64) for step in self._steps)
        if not self.moment.marked:
            return asked[:, None]
        return np.stack([asked, liked - asked, both - liked, self._marks.at(rows)], axis=1)


class Vote(Configured):
    """By all of them."""

    @once
    def _points(self) -> NDArray[np.float64]:
        """What each configuration gives each row, [asked, rows]."""
        session, asked = self.moment.session, list(self.choice.asked)
        present = np.zeros(len(self.choice.family), np.bool_)
        present[asked] = True
        fold = self.moment.models.of(ChooserFold)
        chooser = fold.of(VOTE, self.choice.family, session.user).weights
        weights, query = chooser.among(present)[asked], self._meant()
        out = np.zeros((len(asked), session.collection.rows))
        for line, name in enumerate(self.choice.names):
            words = name != USUAL
            values = scores(session, name, query) if words else self._usual.scores
            first = first_places(session, values)
            if words:
                first = first[values[first] > 0.0]  # who shares no word is not voted for
            out[line, first] = weights[line] * VOTES["score"](values[first].astype(float), DEPTH)
        return out

    @once
    def _usual(self) -> Ranking:
        return EXPERTS[self.moment.session.expert].rank(self.moment)

    @property
    def scores(self) -> Scores:
        """Every row's score."""
        return self._marks.added(self._total)

    @once
    def _total(self) -> Scores:
        return np.asarray(self._points.sum(axis=0), np.float32)

    @once
    def _marks(self) -> MarkMoves:
        return MarkMoves.of(self.moment, self._total)

    @property
    def names(self) -> tuple[str, ...]:
        """The configurations, and marks."""
        names = self.choice.names
        return (*names, MARK) if self.moment.marked else names

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What the scores of some rows are made of, [rows, names]."""
        points = self._points[:, rows].T
        if not self.moment.marked:
            return points
        return np.concatenate([points, self._marks.at(rows)[:, None]], axis=1)


class Usual(Configured):
    """As ever, with a few places of the first page for a trial of another."""

    @once
    def _base(self) -> Ranking:
        return EXPERTS[self.moment.session.expert].rank(self.moment)

    @once
    def _raised(self) -> dict[int, float]:
        """What a trial adds to the score of a row; nothing once something is marked."""
        choice, moment = self.choice, self.moment
        if not choice.tried or moment.marked:
            return {}
        session, values = moment.session, self._base.scores
        page = first_places(session, values).tolist()
        other = scores(session, choice.tried, session.query)
        theirs = [row for row in first_places(session, other).tolist() if other[row] > 0.0]
        raised: dict[int, float] = {}
        for place in range(EACH, len(page) + 1, EACH):
            row = next((row for row in theirs if row not in page[: place - 1]), None)
            if row is None:
                break
            if page[place - 1] != row:
                above, below = values[page[place - 2]], values[page[place - 1]]
                raised[row] = float(0.5 * (above + below) - values[row])
                values[row] += raised[row]
                page = [*page[: place - 1], row, *(r for r in page[place - 1 :] if r != row)]
        return raised

    @property
    def leading(self) -> str:
        """The expert that has the largest say."""
        return self._base.leading

    @property
    def believed(self) -> float:
        """As the experts found it."""
        return self._base.believed

    def opinions(self, rows: Rows) -> Opinions | None:
        """What each of the guard's experts says."""
        return self._base.opinions(rows)

    @property
    def scores(self) -> Scores:
        """Every row's score."""
        values = self._base.scores
        values[list(self._raised)] += np.array(list(self._raised.values()), np.float32)
        return values

    @property
    def names(self) -> tuple[str, ...]:
        """The usual parts, and what a trial adds."""
        trial = (f"a trial of {self.choice.tried}",) if self._raised else ()
        return (*self._base.names, *trial)

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What the scores of some rows are made of, [rows, names]."""
        parts = self._base.parts(rows)
        if not self._raised:
            return parts
        raised = [self._raised.get(row, 0.0) for row in rows.tolist()]
        return np.concatenate([parts, np.array(raised)[:, None]], axis=1)


def by_choice(moment: Moment, choice: Choice) -> One | Vote | Usual:
    """A moment ranked as its session chose."""
    kinds: dict[str, type[One | Vote | Usual]] = {VOTE: Vote, USUAL: Usual}
    return kinds.get(choice.configuration, One)(moment, choice, choice.dropped)
