"""What each expert says about a moment's candidates, in standard deviations. VOICES is the table.

    a ranking anew     x = standard(w·φ)                                  plain, learned, …
    what marks say     x = start + standard(with marks) − standard(without)     spread, rocchio, …

The second kind moves the start and leaves it as it is where nothing was said. Each says what its
scores are made of: the parts of the candidates add up to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.choosers.guard import Scale
from saccade.engine.loop.experts.moment import MARGIN_MARKS, Moment, Reached
from saccade.engine.loop.experts.weighed import WEIGHERS, Weigher
from saccade.features import marked_company
from saccade.features.marks import contrast_scores, spread_scores
from saccade.features.rocchio import direction, leaning
from saccade.indexes.evidence import DOUBT
from saccade.types import Rows, Scores

LIKED = "look-alikes of what you liked"
DISLIKED = "unlike what you called wrong"
BEFORE = "what was marked together before"
LINE = "what tells right from wrong"
PREFERRED = "what sets apart the one you preferred"
MARKED = (LIKED, DISLIKED, PREFERRED)
BENT = (BEFORE, *MARKED)
OWN, OWN_LEAST = 3.0, 1.0
"""Standard deviations that what a person taught may move a picture for themselves: of one who never
contradicts themselves, and of one who does. Where they meant something else that time no page is
turned over."""
STRANGER = 0.15
"""Standard deviations that what others agree on may move a picture, whoever asks: what honest
people gain by each other hardly needs more, and invented people get no further."""


@dataclass(frozen=True, slots=True)
class Anew:
    """φ weighed, on the scale of the candidates."""

    moment: Moment
    weights: NDArray[np.float64]
    scale: Scale
    heard: NDArray[np.bool_]  # schemes with weight: φ of the others is not asked for
    mean: NDArray[np.float64]  # of each heard column of φ
    scores: Scores

    @classmethod
    def of(cls, weigher: Weigher, moment: Moment) -> Anew:
        """A weigher's voice."""
        session = moment.session
        weights = weigher.weights(moment.models, session.user, session.prior)
        heard = weights != 0.0
        phi = session.phi_of(moment.rows, heard, moment.length)
        raw = phi @ weights[heard].astype(np.float32)
        scale, mean = Scale.of(raw), phi.sum(0, dtype=np.float64) / max(1, len(phi))
        return cls(moment, weights, scale, heard, mean, scale(raw))

    def parts(self, rows: Rows) -> NDArray[np.float64]:
        """What each scheme adds to being above or below the average, [rows, schemes]."""
        phi = self.moment.session.phi_of(rows, self.heard, self.moment.length).astype(np.float64)
        weights = self.weights[self.heard]
        out = np.zeros((len(rows), len(self.weights)))
        bend = self.scale.bend(phi @ weights)
        out[:, self.heard] = (phi - self.mean) * (weights * bend[:, None])
        return out


@dataclass(frozen=True, slots=True)
class Voice:
    """One expert's word on the candidates: a ranking by φ, and what marks move in it."""

    anew: Anew
    moves: Mapping[str, Scores] = field(default_factory=dict)  # part -> [candidates]

    @property
    def scores(self) -> Scores:
        """[candidates], in standard deviations."""
        return np.asarray(sum(self.moves.values(), start=self.anew.scores), np.float32)


Speaks = Callable[[Moment, Anew], Voice | None]


def _anew(weigher: Weigher, moment: Moment, start: Anew) -> Voice:
    return Voice(_weighed(weigher, moment, start))


def _weighed(weigher: Weigher, moment: Moment, start: Anew) -> Anew:
    """Who taught nothing yet weighs as the start does: it is not computed again."""
    session = moment.session
    weights = weigher.weights(moment.models, session.user, session.prior)
    return start if np.array_equal(weights, start.weights) else Anew.of(weigher, moment)


def _best_scheme(moment: Moment, start: Anew) -> Voice | None:
    """Silent until the person taught: of a stranger nobody knows which scheme is best."""
    if moment.session.user not in moment.models.weights.own or not moment.models.wins.wins.any():
        return None
    return Voice(Anew.of(WEIGHERS["best-scheme"], moment))


def _spread(moment: Moment, start: Anew) -> Voice | None:
    """Likes and dislikes counted against each other, along the graph."""
    if moment.reached is None:
        return None
    return _steps(start, *_spreading(moment, moment.reached))


def _spreading(moment: Moment, reached: Reached) -> list[Scores]:
    """What spreads: from the query; and the likes; and the dislikes; and what was compared."""
    reach, refused = reached.at(moment.rows), len(moment.session.query.unlike)
    likes, dislikes = len(moment.liked), len(moment.disliked) + refused
    steps = [spread_scores(reach.asked, reach.refused, likes=0, dislikes=refused)]
    if moment.marked:
        toward = reach.asked + reach.liked
        against = reach.refused + reach.disliked
        steps.append(spread_scores(toward, reach.refused, likes=likes, dislikes=refused))
        steps.append(spread_scores(toward, against, likes=likes, dislikes=dislikes))
    if len(moment.pairs):
        up, down = reach.preferred
        steps.append(spread_scores(toward + up, against + down, likes=likes, dislikes=dislikes))
    return steps


def _remembered(moment: Moment, start: Anew) -> Voice | None:
    """The same along links that earlier sessions have bent; silent where none has."""
    if moment.reached is None or (moment.remembered is None and moment.agreed is None):
        return None
    plain = _spreading(moment, moment.reached)
    if moment.remembered is None:
        voice, moved = _steps(start, *plain), np.zeros(len(moment.rows), np.float32)
    else:
        voice = _steps(start, plain[0], *_spreading(moment, moment.remembered), names=BENT)
        moved, companies = voice.moves[BEFORE], moment.companies()
        if companies is not None and companies[1].any():
            before, after = companies
            moved = moved + Scale.of(after)(after) - Scale.of(before)(before)
        assert moment.evidence is not None  # links are bent by something
        most = own_bound(moment.evidence.contradiction)
        moved = np.clip(moved, -most, most)
    if moment.agreed is not None:
        # What others agree on moves a page only so far, whoever they are and however many.
        others = _spreading(moment, moment.agreed)[-1]
        further = Scale.of(others)(others) - Scale.of(plain[-1])(plain[-1])
        moved = moved + np.clip(further, -STRANGER, STRANGER)
    return Voice(start, {BEFORE: moved} | {n: m for n, m in voice.moves.items() if n != BEFORE})


def own_bound(contradiction: float) -> float:
    """How far what a person taught may move a picture, by how much they contradict themselves.

    >>> [round(own_bound(contradiction), 2) for contradiction in (0.0, 0.05, 0.3)]
    [3.0, 1.5, 1.0]
    """
    return max(OWN_LEAST, OWN / (1.0 + contradiction / DOUBT))


def _contrast(moment: Moment, start: Anew) -> Voice | None:
    """What is meant, cut down where it is like what is not meant."""
    if moment.reached is None:
        return None
    reach = moment.reached.at(moment.rows)
    toward = reach.asked + reach.liked
    against = reach.refused + reach.disliked
    steps = [
        contrast_scores(reach.asked, reach.refused),
        contrast_scores(toward, reach.refused),
        contrast_scores(toward, against),
    ]
    if len(moment.pairs):
        up, down = reach.preferred
        steps.append(contrast_scores(toward + up, against + down))
    return _steps(start, *steps)


def _steps(start: Anew, *steps: Scores, names: Sequence[str] = MARKED) -> Voice:
    """First what the likes change, then the dislikes, then what was compared, if anything."""
    scaled = [Scale.of(scores)(scores) for scores in steps]
    changes = zip(names, scaled[1:], scaled, strict=False)
    moves = {name: after - before for name, after, before in changes}
    if PREFERRED in moves:
        # Of the worse nothing was said but that it comes after the better: it is not called wrong.
        compared = np.searchsorted(start.moment.rows, start.moment.pairs)
        moves[PREFERRED][compared] = np.maximum(moves[PREFERRED][compared], 0.0)
    return Voice(start, moves)


def _rocchio(moment: Moment, start: Anew) -> Voice | None:
    """The query moved towards what was liked and away from what was not, around the centre.

    Of every descriptor of the graph's blend, by its share.
    """
    if moment.graph is None:
        return None
    moved = np.zeros((len(moment.rows), 3 + bool(len(moment.pairs))), np.float32)
    trust, likes = moment.trust[:, None].astype(np.float32), len(moment.liked)
    for part in moment.graph.blend.parts:
        seen = moment.vectors(part)
        without = direction(seen.asked, seen.none, seen.refused)
        right, wrong = trust[:likes] * seen.liked, trust[likes:] * seen.disliked
        liked = direction(seen.asked, right, seen.refused)
        both = direction(seen.asked, right, np.vstack([seen.refused, wrong]))
        directions = [without, liked, both]
        if len(moment.pairs):
            directions.append(both + leaning(seen.compared, moment.compared.amounts))
        moved += np.float32(part.share) * moment.along(part, directions)
    return _steps(start, *moved.T)


def _margin(moment: Moment, start: Anew) -> Voice | None:
    """A margin between right and wrong that starts from Rocchio's direction (chen2015)."""
    if moment.graph is None:
        return None
    # The descriptor that leads: a learner from few marks does better in one space than in several.
    lead = max(moment.graph.blend.parts, key=lambda part: part.share)
    seen = moment.vectors(lead)
    without = direction(seen.asked, seen.none, seen.refused)
    liked, disliked = seen.liked[-MARGIN_MARKS:], seen.disliked[-MARGIN_MARKS:]
    first = direction(seen.asked, seen.liked, np.vstack([seen.refused, seen.disliked]))
    first += leaning(seen.compared, moment.compared.amounts)
    points = np.vstack([liked, disliked]), np.repeat([1, -1], [len(liked), len(disliked)])
    few = disliked[-5:]
    better, worse = moment.pair_vectors(lead)
    above = np.vstack([np.repeat(liked, len(few), 0), better])
    below = np.vstack([np.tile(few, (len(liked), 1)), worse])
    learner = rankers.make("hybrid-online", start=first, C=1.0)
    learner.fit_labels(points=points, ordered=(above, below) if len(above) else None)
    with_, plain = moment.along(lead, [learner.weights, without]).T
    moved = Scale.of(with_)(with_) - Scale.of(plain)(plain)
    # Between ✓ and ✕ a line bears slips; from ✕ alone it is as good as they are.
    heard = moment.believed if len(moment.liked) else moment.counted
    return Voice(start, {LINE: np.float32(heard) * moved})


def _company(moment: Moment, start: Anew) -> Voice | None:
    """Who keeps company with what was liked and not with what was not; silent on pairs alone."""
    if not len(moment.liked) and not len(moment.disliked):
        return None
    company = moment.company_of_marks(marked_company.LANDMARKS)
    if company is None:
        return None
    keeping = partial(marked_company.kept_company, company.asked, company.liked)
    toward = keeping(company.disliked[:, :0], moment.trust[: len(moment.liked)])
    voice = _steps(start, company.asked, toward, keeping(company.disliked, moment.trust))
    below = np.flatnonzero(start.scores < marked_company.BELOW)
    background = marked_company.evenly(below, marked_company.BACKGROUND)
    direction = marked_company.line(company.right, company.wrong, company.seen[background])
    across = company.seen @ direction
    loud = np.float32(2.0 * marked_company.loudness(len(moment.liked)))
    return Voice(start, {**voice.moves, LINE: loud * Scale.of(across)(across)})


def _of_marks(speaks: Speaks, moment: Moment, start: Anew) -> Voice | None:
    """An expert that only moves the start, and by nothing before something is marked."""
    if not moment.marked:
        return None if moment.graph is None else Voice(start)
    return speaks(moment, start)


VOICES: dict[str, Speaks] = {
    "plain": lambda moment, start: Voice(start),
    "learned": partial(_anew, WEIGHERS["learned"]),
    "remembered": _remembered,
    "shared": partial(_anew, WEIGHERS["shared"]),
    "best-scheme": _best_scheme,
    "spread": partial(_of_marks, _spread),
    "contrast": partial(_of_marks, _contrast),
    "rocchio": partial(_of_marks, _rocchio),
    "margin": partial(_of_marks, _margin),
    "company": partial(_of_marks, _company),
}
"""The experts that the guard mixes, by the names it knows them by."""
OF_MARKS = frozenset(("remembered", "spread", "contrast", "rocchio", "margin", "company"))
"""Those of them that hear marks."""
