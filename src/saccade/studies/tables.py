"""Tables of a study: as the paper printed them, as measured, and every value."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from saccade.errors import InvalidInput
from saccade.studies.declaration import Experiment, Printed
from saccade.studies.results import Results

Row = dict[str, object]
WIDEST = 10  # positions along an axis that a table shows


def printed(table: Printed, experiment: Experiment) -> list[Row]:
    """The paper's table, one row a system."""
    return [
        {"system": experiment.label(name), **dict(zip(table.columns, values, strict=True))}
        for name, values in table.rows.items()
    ]


def measured(experiment: Experiment, results: Results, data: str, *, seed: int) -> list[Row]:
    """The same from our values: a row a system; positions along an axis as columns."""
    if experiment.along:
        return _along(experiment, results, data)
    return [
        _row(experiment, results, data, system, seed, part)
        for part in (experiment.parts if experiment.by_part else (None,))
        for system in results.systems(experiment.name, data=data)
    ]


def summary(experiment: Experiment, results: Results) -> list[Row]:
    """The leading measure of each system on each set: the form of most papers' tables."""
    name, lead = experiment.name, experiment.measures[0]
    return [
        {
            "system": experiment.label(system),
            **{d: number(results.mean(name, system, lead, data=d)) for d in results.data(name)},
        }
        for system in results.systems(name)
    ]


def _row(
    experiment: Experiment, results: Results, data: str, system: str, seed: int, part: str | None
) -> Row:
    """Of one system, and of one part where parts are conditions."""
    name, lead = experiment.name, experiment.measures[0]
    row: Row = {"system": experiment.label(system)}
    if part is not None:
        row["condition"] = part
    for measure in experiment.measures:
        row[measure] = number(results.mean(name, system, measure, data=data, part=part))
    if experiment.by_query:
        row |= _queries(experiment, results, data, system)
    parts = results.spread(name, system, lead, data=data)
    if len(parts) > 1 and part is None:
        row[f"± of {lead}"] = number(float(np.std(parts)))
    if experiment.baseline is not None:
        row |= _against(experiment, results, data, system, seed, part)
    return row


def _queries(experiment: Experiment, results: Results, data: str, system: str) -> Row:
    """The leading measure of each query: the mean over seeds and parts, and its deviation."""
    by_query: dict[str, list[float]] = {}
    for part in results.parts:
        task = part.task
        if (task.experiment, task.system, task.data.name) != (experiment.name, system, data):
            continue
        for series in part.outcome.series:
            if series.measure == experiment.measures[0] and not series.at:
                for query, value in zip(series.queries, series.values, strict=False):
                    by_query.setdefault(query, []).append(value)
    return {query: _with_spread(values) for query, values in by_query.items()}


def _with_spread(values: Sequence[float]) -> str | float | None:
    """A mean with its deviation; alone where it is of one value.

    >>> _with_spread([0.5, 0.75]), _with_spread([0.5])
    ('0.6250 ± 0.1250', 0.5)
    """
    if len(values) == 1:
        return number(values[0])
    return f"{np.mean(values):.4f} ± {np.std(values):.4f}"


def _against(
    experiment: Experiment, results: Results, data: str, system: str, seed: int, part: str | None
) -> Row:
    """Significance of the leading measure against the baseline."""
    head = f"against {experiment.label(str(experiment.baseline))}"
    nothing: Row = {head: None, "p": None, "better / worse": None}
    if system == experiment.baseline:
        return nothing
    try:
        comparison = results.compare(
            experiment.name, system, str(experiment.baseline), experiment.measures[0],
            data=data, part=part, seed=seed,
        )  # fmt: skip
    except InvalidInput:
        return nothing
    return {
        head: comparison.difference,
        "p": comparison.p_randomisation,
        "better / worse": f"{comparison.wins} / {comparison.losses}",
    }


def _along(experiment: Experiment, results: Results, data: str) -> list[Row]:
    """A row a system and measure; where positions are many, some of them, the last included."""
    rows = []
    for measure in experiment.measures:
        positions = results.positions(experiment.name, measure, data=data)
        shown = positions
        if len(positions) > WIDEST:
            chosen = np.linspace(0, len(positions) - 1, WIDEST).round().astype(int)
            shown = [positions[place] for place in chosen]
        for system in results.systems(experiment.name, data=data):
            at, values = results.curve(experiment.name, system, measure, data=data)
            by_place = dict(zip(at.tolist(), values.tolist(), strict=True))
            if by_place:
                row: Row = {"system": experiment.label(system), "measure": measure}
                row |= {f"{place:g}": number(by_place.get(place)) for place in shown}
                rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name) for name in names} for row in rows]


def number(value: float | None) -> float | None:
    """A number, or None where there is none: JSON has no NaN."""
    return None if value is None or not math.isfinite(value) else value


def every_value(results: Results, experiment: str) -> list[Row]:
    """One row a value's place (set, seed, part, measure, query, position), a column a system."""
    places: dict[tuple[object, ...], Row] = {}
    systems = results.systems(experiment)
    for key, system, value in _values(results, experiment):
        places.setdefault(key, {})[system] = value
    heads = ("set", "seed", "part", "measure", "query", "at")
    return [
        {**dict(zip(heads, key, strict=True)), **{s: row.get(s) for s in systems}}
        for key, row in places.items()
    ]


def _values(
    results: Results, experiment: str
) -> Iterator[tuple[tuple[object, ...], str, float | None]]:
    for part in results.parts:
        task = part.task
        if task.experiment != experiment:
            continue
        for series in part.outcome.series:
            for place, value in enumerate(series.values):
                query = series.queries[place] if len(series.queries) else ""
                at = f"{series.at[place]:g}" if len(series.at) else ""
                key = (task.data.name, task.seed, task.part, series.measure, query, at)
                yield key, task.system, number(round(value, 6))
