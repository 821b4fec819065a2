"""Features on a common scale, before a ranker sees them.

    standard   (x - mean) / spread, both of the training rows
    query      (x - low) / (high - low) within each query, as LETOR's normalised files have it
    none       as they are

A constant feature becomes 0 in the first two.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from saccade.errors import InvalidInput, UnknownName
from saccade.rankers import checked
from saccade.rankers.batch import Standard
from saccade.types import Phi, State

SCALES = ("standard", "query", "none")


class Scaling:
    """`fit(phi)` learns what there is to learn, `transform(phi, groups)` scales."""

    name = "scaling"

    def __init__(self, *, kind: str = "standard") -> None:
        if kind not in SCALES:
            raise UnknownName("scale", kind, SCALES)
        self.kind = kind
        self._standard: Standard | None = None

    def fit(self, phi: Phi) -> Self:
        """Take mean and spread of the training rows, where they matter."""
        rows = checked.finite(phi)
        self._standard = Standard.of(rows) if self.kind == "standard" else None
        return self

    def transform(self, phi: Phi, groups: ArrayLike) -> Phi:
        """Scaled rows."""
        if self.kind == "none":
            return checked.matrix(phi, None)
        if self.kind == "query":
            return _within_queries(checked.matrix(phi, None), np.asarray(groups))
        if self._standard is None:
            raise InvalidInput("scaling has seen no rows yet: fit it")
        rows = checked.matrix(phi, len(self._standard.mean))
        return self._standard.apply(rows).astype(np.float32)

    def dump(self) -> State:
        """The kind, with mean and spread where there are any."""
        arrays = {}
        if self._standard is not None:
            arrays = {"mean": self._standard.mean.copy(), "spread": self._standard.spread.copy()}
        return State(self.name, {"kind": self.kind}, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The scaling that was dumped."""
        model = cls(kind=state.spec["kind"])
        if "mean" in state.arrays:
            mean, spread = (np.array(state.arrays[key], np.float64) for key in ("mean", "spread"))
            model._standard = Standard(mean, spread)
        return model


def _within_queries(phi: Phi, groups: ArrayLike) -> Phi:
    queries = np.asarray(groups)
    if queries.shape != (len(phi),):
        raise InvalidInput(f"groups has shape {queries.shape}: expected [{len(phi)}], one per row")
    if len(phi) == 0:
        return phi
    order = np.argsort(queries, kind="stable")
    rows, numbers = phi[order].astype(np.float64), queries[order]
    heads = np.append(0, 1 + np.flatnonzero(numbers[1:] != numbers[:-1]))
    query = np.repeat(np.arange(len(heads)), np.diff(np.append(heads, len(rows))))
    low, high = np.minimum.reduceat(rows, heads), np.maximum.reduceat(rows, heads)
    wide = np.where(high > low, high - low, np.inf)
    out = np.empty_like(phi)
    out[order] = (rows - low[query]) / wide[query]
    return out
