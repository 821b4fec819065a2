"""Ways to score the whole collection for one round of a session. EXPERTS is the table.

    round.py      what all of them look at
    weighed.py    weights over φ          voices.py    what each says, in standard deviations
    ranking.py    one that weighs, alone  guarded.py   the guard's mixture of all

An expert gives a score to every row, and says of any row what its score is made of: the parts add
up to the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from saccade.engine.searching.experts.guarded import Guarded
from saccade.engine.searching.experts.ranking import Expert, Ranking, WeighedPhi
from saccade.engine.searching.experts.round import Round
from saccade.engine.searching.experts.voices import VOICES
from saccade.engine.searching.experts.weighed import WEIGHERS, Weigher
from saccade.errors import UnknownName

__all__ = ["DEFAULT", "EXPERTS", "LEARNED", "Expert", "Ranking", "Round", "Weigher", "expert"]

DEFAULT = "guarded"
LEARNED = WEIGHERS["learned"]


@dataclass(frozen=True, slots=True)
class Alone:
    """An expert that weighs φ, by itself."""

    name: str
    weigher: Weigher

    def rank(self, round: Round) -> Ranking:
        """φ weighed."""
        session = round.session
        weights = self.weigher.weights(round.models, session.user, session.prior)
        return WeighedPhi(round, self.name, weights)


EXPERTS: Mapping[str, Expert] = {
    DEFAULT: Guarded(),
    **{name: Alone(name, weigher) for name, weigher in WEIGHERS.items()},
    **{name: Guarded(only=name) for name in VOICES if name not in WEIGHERS},
}
"""The guard's mixture; or one expert alone: by the person's weights, everybody's, without learning
(`plain` as a new collection starts, `uniform` with every scheme alike), by the one best scheme,
or by the start and what the marks say along the graph or around the centre."""


def expert(name: str) -> Expert:
    """The expert with this name; an unknown one is an error."""
    if name not in EXPERTS:
        raise UnknownName("ranker", name, EXPERTS)
    return EXPERTS[name]
