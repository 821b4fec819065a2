"""How a claim is judged: by its weakest comparison, with an effect, an interval and p.

    advantage   one value a unit (query, attribute, round …); above nought speaks for the claim
    holds           every comparison's mean lies above nought, beyond doubt
    does not hold   one lies below it, beyond doubt
    no difference   neither: what was run cannot tell
    not measured    nothing was run that could have broken the claim

Beyond doubt: p < .05 and the 95% interval without nought (`saccade.testbed.significance`). A claim
of several comparisons (sets, baselines, sizes) is worth what its weakest is: that one's effect,
interval, p and n are kept. A claim of so much (“10% above”, “within .02”) is an advantage over that
much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from saccade.studies.declaration import FAILS, HOLDS, NO_DIFFERENCE, NOT_MEASURED, Verdict
from saccade.studies.results import Results
from saccade.testbed.significance import Estimate, estimate, share_below

Units = Mapping[str, float]  # unit -> value
_BY_SIGN = {1: HOLDS, 0: NO_DIFFERENCE, -1: FAILS}


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """One comparison: what of, and its estimate; None where fewer than two units have it."""

    of: str
    estimate: Estimate | None


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found on a set: comparisons, and the figures to show."""

    evidence: Sequence[ClaimEvidence]
    figure: str


def advantage(of: str, values: Units) -> ClaimEvidence:
    """Values that speak for a claim where they lie above nought."""
    numbers = [value for value in values.values() if np.isfinite(value)]
    return ClaimEvidence(of, estimate(numbers) if len(numbers) > 1 else None)


def above(
    of: str, mine: Units, theirs: Units | float, *, times: float = 1.0, by: float = 0.0
) -> ClaimEvidence:
    """Mine above `times` theirs by more than `by`, unit by unit; a negative `by` allows so much."""
    return advantage(of, gaps(mine, theirs, times=times, by=by))


def gaps(
    mine: Units, theirs: Units | float, *, times: float = 1.0, by: float = 0.0
) -> dict[str, float]:
    """Mine less `times` theirs less `by`, of the units that both have.

    >>> gaps({"a": 0.5, "b": 0.25}, {"a": 0.25, "c": 1.0})
    {'a': 0.25}
    """
    if isinstance(theirs, Mapping):
        return {unit: mine[unit] - times * theirs[unit] - by for unit in mine if unit in theirs}
    return {unit: value - times * theirs - by for unit, value in mine.items()}


def mean_of(systems: Sequence[Units]) -> dict[str, float]:
    """The mean of several systems, unit by unit."""
    common = [unit for unit in systems[0] if all(unit in one for one in systems)]
    return {unit: float(np.mean([one[unit] for one in systems])) for unit in common}


def rarely(of: str, happened: Units, bar: float) -> ClaimEvidence:
    """A thing that happens (1) or does not (0), in a smaller share of the units than `bar`."""
    cases = [value for value in happened.values() if np.isfinite(value)]
    hits = int(sum(value > 0.5 for value in cases))
    return ClaimEvidence(of, share_below(hits, len(cases), bar) if len(cases) > 1 else None)


def weighed(
    evidence: Sequence[ClaimEvidence], figure: str, *, over: str, here: str = ""
) -> Verdict:
    """The verdict of the weakest comparison."""
    measured = [(one.of, one.estimate) for one in evidence if one.estimate is not None]
    if not measured:
        return Verdict(NOT_MEASURED, figure or "fewer than two units", here=here)
    of, weakest = min(measured, key=lambda one: (one[1].sign, one[1].effect))
    return Verdict(
        _BY_SIGN[weakest.sign],
        figure,
        effect=weakest.effect,
        interval=(weakest.low, weakest.high),
        p=weakest.p,
        n=weakest.n,
        over=over,
        of=of,
        here=here,
    )


def each_set(
    results: Results,
    experiment: str,
    judge: Callable[[str], Findings],
    *,
    over: str,
    here: str = "",
    why: Callable[[Sequence[str]], str] | None = None,
) -> Verdict:
    """Judge set by set; the weakest decides. `why` is asked about the sets where it does not."""
    found = {name: judge(name) for name in results.data(experiment)}
    if not found:
        return Verdict(NOT_MEASURED, f"{experiment} had no set to run on", here=here)
    evidence = [
        ClaimEvidence(f"{name}: {one.of}", one.estimate)
        for name, part in found.items()
        for one in part.evidence
    ]
    figure = "; ".join(f"{name}: {part.figure}" for name, part in found.items() if part.figure)
    verdict = weighed(evidence, figure, over=over, here=here)
    lost = [
        name
        for name, part in found.items()
        if any(one.estimate is not None and one.estimate.sign < 1 for one in part.evidence)
    ]
    return replace(verdict, why=why(lost)) if why and lost else verdict


def not_measured(reason: str, *, here: str = "") -> Verdict:
    """Nothing that was run could have broken the claim, and why."""
    return Verdict(NOT_MEASURED, reason, here=here)
