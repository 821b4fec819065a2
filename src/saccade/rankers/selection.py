"""Fewer features: the most telling ones that say different things, or their principal axes.

    greedy   take the feature of highest worth w, then  w_j ← w_j - 2 c e_ij  for all others; again
    pca      project centred features on the `count` axes of largest variance

Geng et al., "Feature Selection for Ranking" (SIGIR 2007): the worth of a feature is the measure it
reaches alone, in its better direction; e_ij is the share of pairs that two features order alike,
here (1 + tau) / 2 with Kendall's tau averaged over queries. Both selectors have one interface:
`fit(phi, grades, groups)`, `transform(phi)`, `dump()`, `load(state)`.

>>> phi = np.array([[3.0, 1.0, 0.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
>>> grades, groups = [3, 2, 1, 0], [7, 7, 7, 7]
>>> one = Greedy(count=1).fit(phi, grades, groups)
>>> one.transform(phi).ravel().tolist(), load(one.dump()).transform(phi).shape
([3.0, 2.0, 1.0, 0.0], (4, 1))
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from saccade.errors import InvalidInput, UnknownName
from saccade.rankers import checked
from saccade.rankers.batch import Floats
from saccade.rankers.objective import Measure
from saccade.types import Phi, Rows, State


class Greedy:
    """Keeps whole columns; `chosen` are their positions, best first.

    Args:
        count: features to keep.
        measure: what a feature is worth alone.
        likeness: c, how much a feature loses for saying what a chosen one says.

    >>> phi = np.array([[3.0, 1.0], [2.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    >>> one = Greedy(count=1).fit(phi, [3, 2, 1, 0], [7, 7, 7, 7])
    >>> one.transform(phi).ravel().tolist(), Greedy.load(one.dump()).chosen
    ([3.0, 2.0, 1.0, 0.0], array([0]))
    """

    name: ClassVar[str] = "greedy"

    def __init__(self, *, count: int, measure: str = "map", likeness: float = 0.05) -> None:
        if count < 1 or not likeness >= 0:
            raise InvalidInput("greedy: count must be 1 or more, likeness 0 or more")
        self.count, self.measure = int(count), str(Measure.parse(measure))
        self.likeness = float(likeness)
        self.chosen: Rows = np.zeros(0, np.int64)
        self._width = 0

    def fit(self, phi: Phi, grades: ArrayLike, groups: ArrayLike) -> Self:
        """Choose columns by what they order."""
        from saccade.kernels.rank_correlation import kendall

        rows = checked.training(phi, grades, groups)
        self._width = rows.phi.shape[1]
        _check_count(self.count, self._width)
        judge = Measure.parse(self.measure).judge(rows.grades, rows.starts)
        columns = np.ascontiguousarray(rows.phi.T, np.float64)
        up = np.array([judge.mean(column) for column in columns])
        down = np.array([judge.mean(-column) for column in columns])
        columns *= np.where(up >= down, 1.0, -1.0)[:, None]
        worth, left = np.maximum(up, down), list(range(self._width))
        chosen: list[int] = []
        while len(chosen) < self.count:
            best = max(left, key=lambda column: (worth[column], -column))
            chosen.append(best)
            left.remove(best)
            if len(chosen) < self.count:
                for other in left:
                    alike = 0.5 * (1.0 + kendall(columns[best], columns[other], rows.starts))
                    worth[other] -= 2.0 * self.likeness * alike
        self.chosen = np.array(chosen, np.int64)
        return self

    def transform(self, phi: Phi) -> Phi:
        """The chosen columns, best first."""
        if not self._width:
            raise InvalidInput("greedy has chosen no features yet: fit it")
        return np.ascontiguousarray(checked.matrix(phi, self._width)[:, self.chosen])

    def dump(self) -> State:
        """Settings and the chosen columns."""
        settings = {"count": self.count, "measure": self.measure, "likeness": self.likeness}
        spec = {"settings": settings, "width": self._width}
        return State(self.name, spec, {"chosen": self.chosen.copy()})

    @classmethod
    def load(cls, state: State) -> Self:
        """The selector that was dumped."""
        model = cls(**dict(state.spec["settings"]))
        model._width = int(state.spec["width"])
        model.chosen = np.array(state.arrays["chosen"], np.int64)
        return model


class PrincipalAxes:
    """Linear mixtures of all columns, uncorrelated, of falling variance; grades play no part.

    Args:
        count: axes to keep.

    >>> phi = np.array([[3.0, 1.0], [2.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    >>> one = PrincipalAxes(count=1).fit(phi, [3, 2, 1, 0], [7, 7, 7, 7])
    >>> one.axes.shape, one.transform(phi).shape, PrincipalAxes.load(one.dump()).axes.shape
    ((1, 2), (4, 1), (1, 2))
    """

    name: ClassVar[str] = "pca"

    def __init__(self, *, count: int) -> None:
        if count < 1:
            raise InvalidInput("pca: count must be 1 or more")
        self.count = int(count)
        self._mean: Floats = np.zeros(0)
        self._axes: Floats = np.zeros((0, 0))

    def fit(self, phi: Phi, grades: ArrayLike, groups: ArrayLike) -> Self:
        """Find the axes of all rows."""
        rows = checked.finite(phi).astype(np.float64)
        _check_count(self.count, rows.shape[1])
        if len(rows) == 0:
            raise InvalidInput("pca: no rows")
        mean = rows.mean(axis=0)
        spread = (rows - mean).T @ (rows - mean)
        _, vectors = np.linalg.eigh(spread)
        axes = vectors[:, ::-1][:, : self.count].T
        # An axis and its opposite are equally good: the largest entry is made positive.
        largest = np.abs(axes).argmax(axis=1)
        signs = np.sign(axes[np.arange(len(axes)), largest])
        self._mean, self._axes = mean, np.ascontiguousarray(axes * signs[:, None])
        return self

    @property
    def axes(self) -> Floats:
        """The directions, [count, m], of length 1 and orthogonal."""
        return self._axes.copy()

    def transform(self, phi: Phi) -> Phi:
        """Positions along the axes."""
        if not len(self._axes):
            raise InvalidInput("pca has no axes yet: fit it")
        rows = checked.matrix(phi, len(self._mean)).astype(np.float64) - self._mean
        out: Phi = np.einsum("ij,kj->ik", rows, self._axes).astype(np.float32)
        return out

    def dump(self) -> State:
        """Settings, mean and axes."""
        arrays = {"mean": self._mean.copy(), "axes": self._axes.copy()}
        return State(self.name, {"settings": {"count": self.count}}, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The selector that was dumped."""
        model = cls(**dict(state.spec["settings"]))
        model._mean = np.array(state.arrays["mean"], np.float64)
        model._axes = np.array(state.arrays["axes"], np.float64)
        return model


SELECTORS: dict[str, type[Greedy] | type[PrincipalAxes]] = {"greedy": Greedy, "pca": PrincipalAxes}


def make(text: str) -> Greedy | PrincipalAxes:
    """A selector from `COUNT`, `greedy:COUNT` or `pca:COUNT`.

    >>> make("pca:5").name, make("20").count
    ('pca', 20)
    """
    name, colon, count = text.rpartition(":")
    name = name if colon else "greedy"
    if name not in SELECTORS:
        raise UnknownName("selection", name, SELECTORS)
    if not (count.isdecimal() and int(count)):
        raise InvalidInput(f"selection {text!r}: expected a number of features, or 'pca:10'")
    return SELECTORS[name](count=int(count))


def load(state: State) -> Greedy | PrincipalAxes:
    """The selector that was dumped."""
    if state.kind not in SELECTORS:
        raise UnknownName("selection", state.kind, SELECTORS)
    return SELECTORS[state.kind].load(state)


def _check_count(count: int, width: int) -> None:
    if count > width:
        raise InvalidInput(f"cannot select {count} of {width} features", hint=f"at most {width}")
