"""Settings by validation, past the end of a grid where the best lies there; what is left is said.

    C of 0.1, 1 and 10, best 10   →   100 is tried, then 1000, until one more step is no better

A grid that does not reach past its optimum says nothing about what lies beyond it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from saccade.contracts import Ranker
from saccade.rankers.tuning import tune
from saccade.studies.protocol import Graded
from saccade.types import Spec

Grid = Mapping[str, Sequence[object]]  # setting -> the values of it that are tried

EDGE = "at the edge"  # the note of a part with what it chose there
FURTHER = 4  # steps past the end of a grid at most
SCALES = ("C", "c2", "l2", "r", "rate", "rho", "passes")  # what goes on by factors
LEAST = {"passes": 1}  # ends that nature sets: there is nothing beyond


@dataclass(frozen=True, slots=True)
class ChosenSettings:
    """The settings that did best, and every value that was tried of each."""

    best: dict[str, object]
    tried: Mapping[str, Sequence[object]]

    @property
    def notes(self) -> dict[str, dict[str, object]]:
        """What lies at the edge of what was tried."""
        return at_edge(self.tried, self.best)


def choose(
    make: Callable[..., Ranker],
    grid: Grid,
    train: Graded,
    validate: Graded,
    *,
    measure: str,
) -> ChosenSettings:
    """The best of a grid by a measure on validation queries, and of what follows beyond its end."""

    def best_of(tried: Grid) -> tuple[Mapping[str, object], float]:
        found = tune(make, tried, train, validation=validate, measure=measure)
        return found.best, found.value

    return further(grid, best_of)


def further(
    grid: Grid, best_of: Callable[[Grid], tuple[Mapping[str, object], float]]
) -> ChosenSettings:
    """The best of a grid and of what follows beyond its end.

    `best_of` gives the best settings of a grid, and what they are worth.

    >>> def largest(grid):
    ...     return {"C": max(grid["C"])}, min(16.0, max(grid["C"]))
    >>> further({"C": (1.0, 2.0, 4.0)}, largest)
    ChosenSettings(best={'C': 16.0}, tried={'C': (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)})
    """
    tried = {name: tuple(values) for name, values in grid.items()}
    best, worth = best_of(tried)
    for _ in range(FURTHER):
        name, value = _beyond(tried, best)
        if not name:
            break
        tried[name] = tuple(sorted((*tried[name], value), key=_number))
        other, gained = best_of({**tried, name: (value,)})
        if gained > worth:
            best, worth = other, gained
    return ChosenSettings(dict(best), tried)


def _beyond(
    tried: Mapping[str, Sequence[object]], best: Mapping[str, object]
) -> tuple[str, float | int]:
    """The first setting that lies at an end, and the next value past it; no name where none does.

    >>> _beyond({"C": (0.1, 1.0, 10.0)}, {"C": 10.0})
    ('C', 100.0)
    >>> _beyond({"passes": (1, 5, 20)}, {"passes": 1})
    ('', 0)
    """
    for name in at_edge(tried, best).get(EDGE, {}):
        if name in SCALES:
            numbers = sorted(_number(value) for value in tried[name])
            low = best[name] == numbers[0]
            end, inner = (numbers[0], numbers[1]) if low else (numbers[-1], numbers[-2])
            value = end * end / inner
            whole = all(isinstance(one, int) for one in tried[name])
            return name, max(LEAST.get(name, 0), round(value)) if whole else float(f"{value:.6g}")
    return "", 0


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return value


def at_edge(
    grid: Mapping[str, Sequence[object]], best: Mapping[str, object]
) -> dict[str, dict[str, object]]:
    """What was chosen at an end of its numbers, as a note; nothing where all lie inside.

    >>> at_edge({"C": (0.1, 1.0, 10.0), "loss": ("hinge", "squared")}, {"C": 10.0, "loss": "hinge"})
    {'at the edge': {'C': 10.0}}
    """
    ends = {}
    for name, tried in grid.items():
        numbers = [value for value in tried if isinstance(value, int | float)]
        ending = len(numbers) > 2 and best.get(name) in (min(numbers), max(numbers))
        if ending and best[name] != LEAST.get(name):
            ends[name] = best[name]
    return {EDGE: ends} if ends else {}


def said(entry: Spec) -> list[str]:
    """One sentence an experiment: which systems chose what at an edge, and how often."""
    found: dict[str, list[str]] = {}
    for systems in entry["notes"].values():
        for system, notes in systems.items():
            for note in notes:
                for name, value in note.get(EDGE, {}).items():
                    label = entry["systems"].get(system, system)
                    found.setdefault(f"{label} {name} = {value}", []).append(system)
    if not found:
        return []
    listed = ", ".join(f"{what} ({len(parts)} times)" for what, parts in found.items())
    return [f"Chosen at the edge of what was tried, so that more may lie beyond: {listed}."]
