"""What each expert says about a round's candidates, in standard deviations. VOICES is the table.

    a ranking anew     x = standard(w·φ)                                  plain, learned, …
    what marks say     x = start + standard(with marks) − standard(without)     spread, rocchio, …

The second kind moves the start and leaves it as it is where nothing was said. Each says what its
scores are made of: the parts of the candidates add up to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.choosers.guard import Scale
from saccade.engine.searching.experts.round import Round
from saccade.engine.searching.experts.seen import MARGIN_MARKS, Seen, believed
from saccade.engine.searching.experts.weighed import WEIGHERS, Weigher
from saccade.features.marks import contrast_scores, spread_scores
from saccade.features.rocchio import direction, leaning
from saccade.types import Rows, Scores

LIKED = "look-alikes of what you liked"
DISLIKED = "unlike what you called wrong"
BEFORE = "like what you liked before"
LINE = "what tells right from wrong"
PREFERRED = "what sets apart the one you preferred"


@dataclass(frozen=True, slots=True)
class Anew:
    """φ weighed, on the scale of the candidates."""

    round: Round
    weights: NDArray[np.float64]
    scale: Scale
    heard: NDArray[np.bool_]  # schemes with weight: φ of the others is not asked for
    mean: NDArray[np.float64]  # of each heard column of φ
    scores: Scores

    @classmethod
    def of(cls, weigher: Weigher, round: Round) -> Anew:
        """A weigher's voice."""
        session = round.session
        weights = weigher.weights(round.models, session.user, session.prior)
        heard = weights != 0.0
        phi = session.phi_of(round.rows, heard)
        raw = phi @ weights[heard].astype(np.float32)
        scale, mean = Scale.of(raw), phi.sum(0, dtype=np.float64) / max(1, len(phi))
        return cls(round, weights, scale, heard, mean, scale(raw))

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What each scheme adds to being above or below the average, [rows, schemes]."""
        phi = self.round.session.phi_of(rows, self.heard).astype(np.float64)
        weights = self.weights[self.heard]
        out = np.zeros((len(rows), len(self.weights)))
        bend = self.scale.bend(phi @ weights)
        out[:, self.heard] = (phi - self.mean) * (weights * bend[:, None])
        return out


@dataclass(frozen=True, slots=True)
class Voice:
    """One expert's word on the candidates of a round: a ranking by φ, and what marks move in it."""

    anew: Anew
    moves: Mapping[str, Scores] = field(default_factory=dict)  # part -> [candidates]

    @property
    def scores(self) -> Scores:
        """[candidates], in standard deviations."""
        return np.asarray(sum(self.moves.values(), start=self.anew.scores), np.float32)


Speaks = Callable[[Round, Anew], Voice | None]


def _anew(weigher: Weigher, round: Round, start: Anew) -> Voice:
    return Voice(_weighed(weigher, round, start))


def _weighed(weigher: Weigher, round: Round, start: Anew) -> Anew:
    """Who taught nothing yet weighs as the start does: it is not computed again."""
    session = round.session
    weights = weigher.weights(round.models, session.user, session.prior)
    return start if np.array_equal(weights, start.weights) else Anew.of(weigher, round)


def _learned(round: Round, start: Anew) -> Voice:
    """The person's weights, and what they liked together before."""
    anew, recalled = _weighed(WEIGHERS["learned"], round, start), round.recalled
    if recalled is None or round.reached is None:
        return Voice(anew)
    reach, more = round.reached.at(round.rows), recalled[round.rows]
    count = len(round.session.query.unlike)
    without, with_ = (
        spread_scores(toward, reach.refused, likes=0, dislikes=count)
        for toward in (reach.asked, reach.asked + more)
    )
    return Voice(anew, {BEFORE: Scale.of(with_)(with_) - Scale.of(without)(without)})


def _best_scheme(round: Round, start: Anew) -> Voice | None:
    """Silent until the person taught: of a stranger nobody knows which scheme is best."""
    if round.session.user not in round.models.weights.own or not round.models.wins.wins.any():
        return None
    return Voice(Anew.of(WEIGHERS["best-scheme"], round))


def _spread(round: Round, start: Anew) -> Voice | None:
    """Likes and dislikes counted against each other, along the graph."""
    if round.reached is None:
        return None
    reach, refused = round.reached.at(round.rows), len(round.session.query.unlike)
    likes, dislikes = len(round.liked), len(round.disliked) + refused
    toward = reach.asked + reach.liked
    against = reach.refused + believed(round) * reach.disliked
    steps = [
        spread_scores(reach.asked, reach.refused, likes=0, dislikes=refused),
        spread_scores(toward, reach.refused, likes=likes, dislikes=refused),
        spread_scores(toward, against, likes=likes, dislikes=dislikes),
    ]
    if len(round.pairs):
        up, down = reach.preferred
        steps.append(spread_scores(toward + up, against + down, likes=likes, dislikes=dislikes))
    return _steps(start, *steps)


def _contrast(round: Round, start: Anew) -> Voice | None:
    """What is meant, cut down where it is like what is not meant."""
    if round.reached is None:
        return None
    reach = round.reached.at(round.rows)
    toward = reach.asked + reach.liked
    against = reach.refused + believed(round) * reach.disliked
    steps = [
        contrast_scores(reach.asked, reach.refused),
        contrast_scores(toward, reach.refused),
        contrast_scores(toward, against),
    ]
    if len(round.pairs):
        up, down = reach.preferred
        steps.append(contrast_scores(toward + up, against + down))
    return _steps(start, *steps)


def _steps(start: Anew, *steps: Scores) -> Voice:
    """First what the likes change, then the dislikes, then what was compared, if anything."""
    scaled = [Scale.of(scores)(scores) for scores in steps]
    names = (LIKED, DISLIKED, PREFERRED)
    changes = zip(names, scaled[1:], scaled, strict=False)
    moves = {name: after - before for name, after, before in changes}
    if PREFERRED in moves:
        # Of the worse nothing was said but that it comes after the better: it is not called wrong.
        compared = np.searchsorted(start.round.rows, start.round.pairs)
        moves[PREFERRED][compared] = np.maximum(moves[PREFERRED][compared], 0.0)
    return Voice(start, moves)


def _rocchio(round: Round, start: Anew) -> Voice | None:
    """The query moved towards what was liked and away from what was not, around the centre.

    Of every descriptor of the graph's blend, by its share.
    """
    if round.graph is None:
        return None
    moved = np.zeros((len(round.rows), 3 + bool(len(round.pairs))), np.float32)
    for part in round.graph.blend.parts:
        seen = Seen.of(round, part)
        without = direction(seen.asked, seen.none, seen.refused)
        liked = direction(seen.asked, seen.liked, seen.refused)
        wrong = np.float32(believed(round)) * seen.disliked
        both = direction(seen.asked, seen.liked, np.vstack([seen.refused, wrong]))
        directions = [without, liked, both]
        if len(round.pairs):
            directions.append(both + leaning(seen.compared, round.compared.amounts))
        moved += np.float32(part.share) * seen.along(directions)
    return _steps(start, *moved.T)


def _margin(round: Round, start: Anew) -> Voice | None:
    """A margin between right and wrong that starts from Rocchio's direction (chen2015)."""
    if round.graph is None:
        return None
    # The descriptor that leads: a learner from few marks does better in one space than in several.
    seen = Seen.of(round, max(round.graph.blend.parts, key=lambda part: part.share))
    without = direction(seen.asked, seen.none, seen.refused)
    liked, disliked = seen.liked[-MARGIN_MARKS:], seen.disliked[-MARGIN_MARKS:]
    first = direction(seen.asked, seen.liked, np.vstack([seen.refused, seen.disliked]))
    first += leaning(seen.compared, round.compared.amounts)
    points = np.vstack([liked, disliked]), np.repeat([1, -1], [len(liked), len(disliked)])
    few = disliked[-5:]
    better, worse = seen.pairs
    above = np.vstack([np.repeat(liked, len(few), 0), better])
    below = np.vstack([np.tile(few, (len(liked), 1)), worse])
    learner = rankers.make("hybrid-online", start=first, C=1.0, steps=300)
    learner.fit_labels(points=points, ordered=(above, below) if len(above) else None)
    with_, plain = seen.along([learner.weights, without]).T
    moved = Scale.of(with_)(with_) - Scale.of(plain)(plain)
    return Voice(start, {LINE: np.float32(believed(round)) * moved})


def _of_marks(speaks: Speaks, round: Round, start: Anew) -> Voice | None:
    """An expert that only moves the start, and by nothing before something is marked."""
    if not round.marked:
        return None if round.graph is None else Voice(start)
    return speaks(round, start)


VOICES: dict[str, Speaks] = {
    "plain": lambda round, start: Voice(start),
    "learned": _learned,
    "shared": partial(_anew, WEIGHERS["shared"]),
    "best-scheme": _best_scheme,
    "spread": partial(_of_marks, _spread),
    "contrast": partial(_of_marks, _contrast),
    "rocchio": partial(_of_marks, _rocchio),
    "margin": partial(_of_marks, _margin),
}
"""The experts that the guard mixes, by the names it knows them by."""
