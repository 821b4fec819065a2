"""What was measured, and the questions that claims, tables and plots ask of it.

A value belongs to an experiment, set, seed, part, system and measure; it may belong to a query, and
to a position `at` along an axis. Means are over queries; seeds of one query are averaged first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.studies.declaration import Outcome, Series, Task
from saccade.testbed.significance import PairedComparison, compare
from saccade.types import Spec

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Part:
    """One task and what came of it."""

    task: Task
    outcome: Outcome
    load: float | None = None  # the share of the cores that others used meanwhile, where known


class NotMeasured(InvalidInput):
    """A question about something that was not run."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} was not run")


class Results:
    """Every part of a study; `ran` names the experiments that ran (by default those with parts).

    `data`, `at`, `part` narrow a question down; without them it is about all there are. A question
    about an experiment, or a system of it, that did not run raises `NotMeasured`.
    """

    def __init__(self, parts: Sequence[Part], *, ran: Sequence[str] | None = None) -> None:
        self.parts = tuple(parts)
        self.ran = tuple(dict.fromkeys(p.task.experiment for p in parts) if ran is None else ran)

    # -- what there is ---------------------------------------------------------------------------

    def data(self, experiment: str | None = None) -> tuple[str, ...]:
        """Names of the sets, in the order given."""
        if experiment is not None and experiment not in self.ran:
            raise NotMeasured(experiment)
        parts = [p for p in self.parts if experiment in (None, p.task.experiment)]
        return tuple(dict.fromkeys(part.task.data.name for part in parts))

    def systems(self, experiment: str, *, data: str | None = None) -> tuple[str, ...]:
        """Names of the systems that were measured."""
        parts = self._parts(experiment, data=data)
        return tuple(dict.fromkeys(part.task.system for part in parts))

    def positions(self, experiment: str, measure: str, *, data: str | None = None) -> list[float]:
        """Positions along the axis that any system has, rising."""
        positions: set[float] = set()
        for _, series in self._series(experiment, None, measure, data):
            positions.update(float(at) for at in series.at)
        return sorted(positions)

    def has(self, experiment: str, system: str, measure: str, *, data: str | None = None) -> bool:
        """Whether a system has any value of a measure."""
        if system not in self.systems(experiment):
            return False
        return any(len(s.values) for _, s in self._series(experiment, system, measure, data))

    def values(
        self, experiment: str, system: str, measure: str, *, data: str | None = None
    ) -> list[Floats]:
        """Every value of a measure as it was measured, part by part."""
        return [np.array(s.values) for _, s in self._series(experiment, system, measure, data)]

    def load(self, experiment: str) -> float | None:
        """The most that others used of the cores while a part was measured, where it is known."""
        loads = [part.load for part in self._parts(experiment) if part.load is not None]
        return max(loads, default=None)

    def notes(self, experiment: str, system: str, *, data: str | None = None) -> list[Spec]:
        """The notes of a system's parts, in the order of parts."""
        return [dict(p.outcome.notes) for p in self._parts(experiment, system, data)]

    # -- values ----------------------------------------------------------------------------------

    def by_query(
        self, experiment: str, system: str, measure: str,
        *, data: str | None = None, at: float | None = None, part: str | None = None,
    ) -> dict[str, float]:  # fmt: skip
        """Value of each query, the mean over its seeds; a value without a query is its part's."""
        pooled: dict[str, list[float]] = {}
        for task, series in self._series(experiment, system, measure, data, part):
            for place, value in enumerate(series.values):
                if at is not None and (not series.at or float(series.at[place]) != at):
                    continue
                name = series.queries[place] if series.queries else ""
                key = f"{task.data.name}/{task.part}/{name}"
                pooled.setdefault(key, []).append(value)
        return {key: _mean(values) for key, values in pooled.items()}

    def mean(
        self, experiment: str, system: str, measure: str,
        *, data: str | None = None, at: float | None = None, part: str | None = None,
    ) -> float:  # fmt: skip
        """Mean over queries; NaN where nothing was measured."""
        return _mean(
            list(self.by_query(experiment, system, measure, data=data, at=at, part=part).values())
        )

    def by_part(
        self, experiment: str, system: str, measure: str,
        *, data: str | None = None, at: float | None = None,
    ) -> dict[str, float]:  # fmt: skip
        """Mean of each part and seed by itself: folds, rounds, orders."""
        groups: dict[str, list[float]] = {}
        for task, series in self._series(experiment, system, measure, data):
            for place, value in enumerate(series.values):
                if at is None or (series.at and float(series.at[place]) == at):
                    key = f"{task.data.name}/{task.part}/{task.seed}"
                    groups.setdefault(key, []).append(value)
        return {key: _mean(values) for key, values in groups.items()}

    def spread(
        self, experiment: str, system: str, measure: str,
        *, data: str | None = None, at: float | None = None,
    ) -> Floats:  # fmt: skip
        """The values of `by_part`."""
        return np.array(list(self.by_part(experiment, system, measure, data=data, at=at).values()))

    def curve(
        self, experiment: str, system: str, measure: str, *, data: str | None = None
    ) -> tuple[Floats, Floats]:
        """Positions and the mean there, over parts, seeds and queries."""
        pooled: dict[float, list[float]] = {}
        for _, series in self._series(experiment, system, measure, data):
            for at, value in zip(series.at, series.values, strict=False):
                pooled.setdefault(float(at), []).append(value)
        places = sorted(pooled)
        return np.array(places), np.array([_mean(pooled[place]) for place in places])

    def compare(
        self, experiment: str, system: str, other: str, measure: str,
        *, data: str | None = None, at: float | None = None, other_at: float | None = None,
        part: str | None = None, seed: int = 0,
    ) -> PairedComparison:  # fmt: skip
        """One system against another, query by query; `other_at` where the other has its own."""
        mine = self.by_query(experiment, system, measure, data=data, at=at, part=part)
        place = at if other_at is None else other_at
        theirs = self.by_query(experiment, other, measure, data=data, at=place, part=part)
        common = [query for query in mine if query in theirs]
        if not common:
            raise InvalidInput(f"{experiment}: {system} and {other} have no {measure} in common")
        return compare(
            np.array([mine[q] for q in common]), np.array([theirs[q] for q in common]), seed=seed
        )

    # -- inside ----------------------------------------------------------------------------------

    def _parts(
        self, experiment: str, system: str | None = None, data: str | None = None
    ) -> Iterator[Part]:
        if experiment not in self.ran:
            raise NotMeasured(experiment)
        if system is not None and system not in self.systems(experiment):
            raise NotMeasured(f"{experiment} of {system}")
        for part in self.parts:
            task = part.task
            mine = task.experiment == experiment and system in (None, task.system)
            if mine and data in (None, task.data.name):
                yield part

    def _series(
        self, experiment: str, system: str | None, measure: str, data: str | None,
        only: str | None = None,
    ) -> Iterator[tuple[Task, Series]]:  # fmt: skip
        for part in self._parts(experiment, system, data):
            if only not in (None, part.task.part):
                continue
            for series in part.outcome.series:
                if series.measure == measure:
                    yield part.task, series


def _mean(values: Sequence[float]) -> float:
    """Mean of the values there are; NaN for none."""
    numbers = [value for value in values if value == value]
    return float(np.mean(numbers)) if numbers else float("nan")


def as_json(outcome: Outcome) -> dict[str, object]:
    """An outcome as a part's file has it; a value that is no number is null."""
    series = [
        {
            "measure": one.measure,
            "values": [_json_number(value) for value in one.values],
            **({"queries": list(one.queries)} if len(one.queries) else {}),
            **({"at": [float(place) for place in one.at]} if len(one.at) else {}),
        }
        for one in outcome.series
    ]
    return {"series": series, "notes": dict(outcome.notes)}


def from_json(record: Spec) -> Outcome:
    """The outcome that `as_json` wrote."""
    series = [
        Series(
            one["measure"],
            [float("nan") if value is None else float(value) for value in one["values"]],
            one.get("queries", ()),
            one.get("at", ()),
        )
        for one in record["series"]
    ]
    return Outcome(series, record["notes"])


def _json_number(value: float) -> float | None:
    number = float(value)
    return number if np.isfinite(number) else None
