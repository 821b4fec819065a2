"""The measure a ranker is judged by, as short text: `map`, `ndcg@10`, `p@20`, `rr`, `err@10`.

The text names the measure and, after `@`, how many ranks it looks at; without that, at all of them.
The formulas stand in `saccade.kernels.measures`.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput, UnknownName

# name -> (kernel's number, does it take a cut). The order is the kernel's.
MEASURES: dict[str, tuple[int, bool]] = {
    "map": (0, True),
    "ndcg": (1, True),
    "ndcg-letor": (2, True),
    "p": (3, True),
    "recall": (4, True),
    "rr": (5, True),
    "err": (6, True),
    "pairs": (7, False),
    "recognition": (8, True),
}
OTHER_NAMES = {
    "ap": "map",
    "precision": "p",
    "mrr": "rr",
    "pairwise-accuracy": "pairs",
    "recognition-rate": "recognition",
}


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure and its cut; `cut` 0 means every rank.

    >>> Measure.parse("NDCG@10")
    Measure(name='ndcg', cut=10)
    >>> str(Measure.parse("ap")), str(Measure.parse("p@20"))
    ('map', 'p@20')
    """

    name: str
    cut: int = 0

    @classmethod
    def parse(cls, text: str | Measure) -> Measure:
        """Read `name` or `name@cut`."""
        if isinstance(text, Measure):
            return text
        name, at, cut = text.strip().lower().partition("@")
        name = OTHER_NAMES.get(name, name)
        if name not in MEASURES:
            raise UnknownName("measure", name, {*MEASURES, *OTHER_NAMES})
        if at and not (cut.isdecimal() and int(cut) > 0):
            raise InvalidInput(f"measure {text!r}: expected a whole number from 1 after '@'")
        if at and not MEASURES[name][1]:
            raise InvalidInput(f"measure {text!r}: {name!r} looks at every rank and takes no '@'")
        if name == "recognition" and not at:
            return cls(name, 1)
        if name == "p" and not at:
            raise InvalidInput(f"measure {text!r}: precision needs a cut, for instance 'p@20'")
        return cls(name, int(cut) if at else 0)

    def __str__(self) -> str:
        if self == Measure("recognition", 1):
            return "recognition"
        return f"{self.name}@{self.cut}" if self.cut else self.name

    @property
    def kind(self) -> int:
        """The kernel's number of this measure."""
        return MEASURES[self.name][0]

    def judge(
        self, grades: NDArray[np.int64], starts: NDArray[np.int64], *, top: float | None = None
    ) -> Judge:
        """A judge of scores for these grades; query i is rows `starts[i]:starts[i + 1]`.

        >>> judge = Measure.parse("ndcg").judge(np.array([1, 0]), np.array([0, 2]))
        >>> judge.mean([0.9, 0.5])
        1.0
        """
        return Judge(self, grades, starts, top=top)


class Judge:
    """Scores in, values out, for fixed grades: what does not depend on scores is computed once.

    `top` is the highest grade there is (`err` alone needs it); by default the highest one given.
    """

    def __init__(
        self,
        measure: Measure,
        grades: NDArray[np.int64],
        starts: NDArray[np.int64],
        *,
        top: float | None = None,
    ) -> None:
        from saccade.kernels import measures as kernel

        self.measure = measure
        self.grades = np.ascontiguousarray(grades, np.int64)
        self.starts = np.ascontiguousarray(starts, np.int64)
        self.top = float(max(1, self.grades.max(initial=1)) if top is None else top)
        self._kernel: ModuleType = kernel
        self._ideals = kernel.ideals(measure.kind, measure.cut, self.grades, self.starts)

    def values(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Value of each query."""
        scores = np.ascontiguousarray(scores, np.float64)
        out: NDArray[np.float64] = self._kernel.values(
            self.measure.kind, self.measure.cut, self.top,
            scores, self.grades, self.starts, self._ideals,
        )  # fmt: skip
        return out

    def mean(self, scores: ArrayLike) -> float:
        """Mean over the queries that have a value; 0 when none has."""
        values = self.values(scores)
        defined = values[~np.isnan(values)]
        return float(defined.mean()) if len(defined) else 0.0

    def along(
        self, scores: NDArray[np.float64], column: NDArray[np.float64], steps: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Mean value of `scores + step * column` for each step."""
        out: NDArray[np.float64] = self._kernel.along(
            self.measure.kind, self.measure.cut, self.top,
            scores, column, steps, self.grades, self.starts, self._ideals,
        )  # fmt: skip
        return out
