"""Ways to score the whole collection for one round of a session. EXPERTS is the table.

    moment.py      what all of them look at
    weighed.py    weights over φ          voices.py    what each says, in standard deviations
    ranking.py    one that weighs, alone  guarded.py   the guard's mixture of all

An expert gives a score to every row, and says of any row what its score is made of: the parts add
up to the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from saccade.engine.loop.experts.guarded import Guarded
from saccade.engine.loop.experts.moment import Moment
from saccade.engine.loop.experts.ranking import Expert, Ranking, WeighedPhi
from saccade.engine.loop.experts.voices import VOICES
from saccade.engine.loop.experts.weighed import WEIGHERS, Weigher
from saccade.engine.request import USUAL
from saccade.errors import UnknownName

__all__ = ["EXPERTS", "LEARNED", "Expert", "Moment", "Ranking", "check_expert"]

LEARNED = WEIGHERS["learned"]


@dataclass(frozen=True, slots=True)
class Alone:
    """An expert that weighs φ, by itself."""

    name: str
    weigher: Weigher

    def rank(self, moment: Moment) -> Ranking:
        """φ weighed."""
        session = moment.session
        weights = self.weigher.weights(moment.models, session.user, session.prior)
        return WeighedPhi(moment, self.name, weights)


EXPERTS: Mapping[str, Expert] = {
    USUAL: Guarded(),
    **{name: Alone(name, weigher) for name, weigher in WEIGHERS.items()},
    **{name: Guarded(only=name) for name in VOICES if name not in WEIGHERS},
}
"""The guard's mixture; or one expert alone: by the person's weights, everybody's, without learning
(`plain` as a new collection starts, `uniform` with every scheme alike), by the one best scheme,
or by the start and what the marks say along the graph or around the centre. A capability may bring
further rows (`loop.capability`)."""


def check_expert(name: str, table: Mapping[str, Expert]) -> None:
    """An unknown name is an error."""
    if name not in table:
        raise UnknownName("expert", name, table)
