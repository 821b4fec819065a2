"""How much a person said, and how much of it the ranking had right before it learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from saccade.engine.events import Lesson
from saccade.types import Phi

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Counts:
    """What one user said, and whether learning from it paid.

    `stated` counts the preferences the user said in so many words; `learned_right` and
    `plain_right` those of them that the weights served and the weights without learning had in the
    right order *before* learning from them (ties half). What is read into the order of a page is
    not counted: it contradicts that order by construction.
    """

    events: int = 0
    pairs: int = 0
    stated: int = 0
    learned_right: float = 0.0
    plain_right: float = 0.0

    @property
    def counts(self) -> tuple[int, int, int, float, float]:
        """The numbers alone."""
        return self.events, self.pairs, self.stated, self.learned_right, self.plain_right

    @staticmethod
    def named(counts: Sequence[Any]) -> dict[str, Any]:
        """What `counts` gave, by name."""
        names = "events", "pairs", "stated", "learned_right", "plain_right"
        return dict(zip(names, counts, strict=True))

    def measured(self, gap: Phi, learned: Vector, plain: Vector, lesson: Lesson) -> Self:
        """With one more lesson, whose winners are ahead of their losers by `gap` [pairs, m]."""
        stated = lesson.stated
        return replace(
            self,
            events=self.events + 1,
            pairs=self.pairs + len(gap),
            stated=self.stated + stated * len(gap),
            learned_right=self.learned_right + stated * _right(gap, learned),
            plain_right=self.plain_right + stated * _right(gap, plain),
        )


def _right(gap: Phi, weights: Vector) -> float:
    # A running sum has one order; a library's inner product has one for every processor.
    margins = np.cumsum(gap * weights, axis=1, dtype=np.float32)[:, -1]
    return float(np.count_nonzero(margins > 0) + 0.5 * np.count_nonzero(margins == 0))
