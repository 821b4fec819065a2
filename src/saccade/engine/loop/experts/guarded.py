"""The guard's mixture of all experts, or one of them alone, as a ranking of the collection.

    score = Σ_e w_e · x_e + your mark         outside the candidates: the start, as it is

What a person marked is not guessed: ✓ stands above everything that is not judged, ✕ below; and of
two that were compared the better stands right above the worse, if it was not above it already. An
expert that fails is left out of that page, and the page says so.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.choosers import guard
from saccade.engine.cache import once
from saccade.engine.loop.experts.moment import Moment
from saccade.engine.loop.experts.ranking import MARK, MarkMoves, Ranking
from saccade.engine.loop.experts.voices import BEFORE, OF_MARKS, VOICES, Anew, Voice
from saccade.engine.loop.experts.weighed import WEIGHERS
from saccade.engine.opinions import Opinions
from saccade.errors import InvalidInput
from saccade.hints import Hint
from saccade.types import Rows, Scores

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Mixture:
    """Several voices by weight."""

    moment: Moment
    start: Anew
    voices: Mapping[str, Voice]
    weights: Mapping[str, float]
    dropped: tuple[str, ...]

    @property
    def leading(self) -> str:
        """The expert with the largest say; the first of equals."""
        return max(self.weights, key=lambda name: self.weights[name])

    @property
    def believed(self) -> float:
        """As the experts found it that heard marks; 1 where none of them spoke of a ✕."""
        return 1.0 if OF_MARKS.isdisjoint(self.voices) else self.moment.counted

    @once
    def _mixed(self) -> Scores:
        parts = [np.float32(self.weights[name]) * self.voices[name].scores for name in self.weights]
        return np.asarray(sum(parts), np.float32)

    @once
    def _settled(self) -> Scores:
        """The mixture with the better of two right above the worse, by which no other moves far.

        Comparisons that contradict each other in a circle cannot all be met: the last pass counts.
        """
        pairs = np.searchsorted(self.moment.rows, self.moment.pairs).tolist()
        out = self._mixed.copy()
        for _ in pairs:
            for better, worse in pairs:
                if not out[better] > out[worse]:
                    out[better] = np.nextafter(out[worse], np.float32(np.inf))
        return out

    @once
    def _served(self) -> Scores:
        """Every row's score without the places of what is marked."""
        served = self.start.scale(self.moment.start)
        served[self.moment.rows] = self._settled
        return served

    @once
    def _marks(self) -> MarkMoves:
        return MarkMoves.of(self.moment, self._served)

    @property
    def scores(self) -> Scores:
        """Every row's score."""
        return self._marks.added(self._served)

    @property
    def names(self) -> tuple[str, ...]:
        """The schemes, and what marks add once there are some."""
        schemes, moved = (
            self.moment.session.names,
            dict.fromkeys(name for expert in self.weights for name in self.voices[expert].moves),
        )
        if not self.moment.marked:
            return (*schemes, BEFORE) if BEFORE in moved else schemes
        return (*schemes, *moved, MARK)

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What the scores of some rows are made of, [rows, names]."""
        at, inside = self._places(rows)
        names, schemes = self.names, len(self.moment.session.names)
        out = np.zeros((len(rows), len(names)))
        out[~inside, :schemes] = self.start.parts(rows[~inside])
        for anew, weight in self._weighers():
            out[inside, :schemes] += weight * anew.parts(rows[inside])
        for expert, weight in self.weights.items():
            for name, move in self.voices[expert].moves.items():
                if name in names:  # before anything is marked, what marks move is nothing
                    out[inside, names.index(name)] += weight * move[at[inside]]
        if self.moment.marked:
            out[:, names.index(MARK)] = self._marks.at(rows)
            raised = (self._settled - self._mixed)[at[inside]]
            out[inside, names.index(MARK)] += raised
        return out

    def _weighers(self) -> list[tuple[Anew, float]]:
        """The rankings by φ that the voices start from, each with all the weight that rests on it.

        Most experts move the start, so it counts for many.
        """
        by_start: dict[int, tuple[Anew, float]] = {}
        for expert, weight in self.weights.items():
            anew = self.voices[expert].anew
            by_start[id(anew)] = anew, by_start.get(id(anew), (anew, 0.0))[1] + weight
        return list(by_start.values())

    def opinions(self, rows: Rows) -> Opinions:
        """What each expert says of some rows, and what is served, without the marks' own places."""
        at, inside = self._places(rows)
        names = [name for name in guard.EXPERTS if name in self.voices]
        served = self.start.scale(self.moment.start[rows])
        scores = np.repeat(served[:, None], len(names), axis=1)
        for i, name in enumerate(names):
            scores[inside, i] = self.voices[name].scores[at[inside]]
        served[inside] = self._mixed[at[inside]]
        return Opinions(tuple(names), self.moment.stage, scores, served)

    def _places(self, rows: Rows) -> tuple[Rows, NDArray[np.bool_]]:
        """Where rows stand among the candidates, and which do."""
        candidates = self.moment.rows
        at = np.minimum(np.searchsorted(candidates, rows), max(0, len(candidates) - 1))
        return at, (candidates[at] == rows) if len(candidates) else np.zeros(len(rows), np.bool_)


@dataclass(frozen=True, slots=True)
class Guarded:
    """All experts, each with the weight that the guard gives it; or `only` one of them."""

    only: str | None = None

    def rank(self, moment: Moment) -> Ranking:
        """The mixture."""
        start = Anew.of(WEIGHERS["plain"], moment)
        voices: dict[str, Voice] = {guard.PLAIN: Voice(start)}
        dropped = []
        for name in VOICES if self.only is None else (self.only,):
            try:
                voice = VOICES[name](moment, start)
            # An expert may be anyone's code and fail on anything: the others go on without it.
            except Exception as error:
                trace.swallowed(log, error, doing="asking an expert", expert=name)
                dropped.append(name)
                continue
            if voice is not None and np.isfinite(voice.scores).all():
                voices[name] = voice
            elif voice is not None:
                log.warning("expert %s gave a score that is not a number, and is left out", name)
                dropped.append(name)
        weights = self._weights(moment, voices, bool(dropped))
        return Mixture(moment, start, voices, weights, tuple(dropped))

    def _weights(
        self, moment: Moment, voices: Mapping[str, Voice], failed: bool
    ) -> Mapping[str, float]:
        if self.only is None:
            own = moment.models.guard.of(moment.session.user)
            return own.weights(moment.stage, tuple(voices))
        if self.only not in voices and not failed and moment.graph is None:
            raise InvalidInput(
                f"expert {self.only!r} follows the neighbour graph, and this collection has none",
                hint=Hint("engine.add(FOLDER) builds it", command="`saccade index` builds it"),
            )
        return {self.only if self.only in voices else guard.PLAIN: 1.0}
