"""How many pairs each scheme alone has ordered rightly, ties half: which one is best?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.engine.events import Entry, Preferred, Reacted
from saccade.engine.learning.axis import Axis, lesson_of
from saccade.engine.recipe import Recipe
from saccade.rankers.baselines import best_column, wins_of
from saccade.types import Arrays, Encoded, Spec


class WinFold:
    """Pairs won by each scheme of the axis."""

    kinds = frozenset((Reacted.kind, Preferred.kind))

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self.wins: NDArray[np.float64] = np.zeros(0)

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Count the pairs of one event."""
        lesson = lesson_of(entry)
        if lesson is not None:
            new = wins_of(*axis.pairs(lesson))
            self.wins = np.pad(self.wins, (0, len(new) - len(self.wins))) + new

    def best(self, schemes: Sequence[str], axis: Axis) -> str:
        """The single scheme that ordered most pairs rightly; the first one before any feedback."""
        wins = dict(zip(axis.schemes, self.wins.tolist(), strict=True))
        return schemes[best_column([wins.get(scheme, 0.0) for scheme in schemes])]

    def copy(self) -> WinFold:
        """An independent copy."""
        twin = WinFold(self._recipe)
        twin.wins = self.wins
        return twin

    def dump(self) -> Encoded:
        """The whole state."""
        return {}, {"wins": self.wins}

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        self.wins = arrays["wins"]
