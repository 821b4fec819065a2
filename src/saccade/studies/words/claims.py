"""What we promise of typed words, and how the results judge it, name by name."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from saccade.studies.declaration import Claim, Verdict
from saccade.studies.results import Results
from saccade.studies.verdicts import Findings, above, each_set
from saccade.studies.words.parts import BEFORE, HEAD, MARKS, PRODUCT, STRANGER, TAUGHT

GOOD = 0.8  # mAP that a typed name should reach


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values()))) if values else float("nan")


def names_find_kinds(results: Results) -> Verdict:
    """Names of kinds find them, no worse than the classifier alone."""

    def judge(data: str) -> Findings:
        own, head = (
            results.by_query("names", system, "mAP", data=data, part="kind")
            for system in (PRODUCT, HEAD)
        )
        evidence = [
            above(f"mAP less {GOOD}", own, GOOD),
            above("over the linear head + .01, mAP", own, head, by=-0.01),
        ]
        return Findings(evidence, f"mAP {_mean(own):.3f}, the linear head {_mean(head):.3f}")

    here = "names that the lexicon knows as kinds, typed, no mark"
    return each_set(results, "names", judge, over="names of kinds", here=here)


def marks_teach(results: Results) -> Verdict:
    """After twenty marks a name's mAP is above its start."""

    def judge(data: str) -> Findings:
        first, last = (
            results.by_query("marks", PRODUCT, "mAP", data=data, at=float(at))
            for at in (MARKS[0], MARKS[-1])
        )
        return Findings(
            [above(f"after {MARKS[-1]} marks over none, mAP", last, first)],
            f"mAP {_mean(first):.3f} → {_mean(last):.3f}",
        )

    here = f"{MARKS[-1]} marks a name"
    return each_set(results, "marks", judge, over="names", here=here)


def the_next_search_starts_there(results: Results) -> Verdict:
    """On the day after, the first page is better than before the lesson, the rest no worse."""

    def judge(data: str) -> Findings:
        first = {s: _day(results, s, "P@20", data) for s in (TAUGHT, BEFORE)}
        rest = {s: _day(results, s, "mAP of the rest", data) for s in (TAUGHT, BEFORE)}
        evidence = [
            above("P@20 over before", first[TAUGHT], first[BEFORE]),
            above("mAP of the rest over before + .01", rest[TAUGHT], rest[BEFORE], by=-0.01),
        ]
        return Findings(
            evidence,
            f"P@20 {_mean(first[BEFORE]):.2f} → {_mean(first[TAUGHT]):.2f}; rest "
            f"{_mean(rest[BEFORE]):.3f} → {_mean(rest[TAUGHT]):.3f}",
        )

    return each_set(results, "day-after", judge, over="names", here="the day after its lesson")


def _day(results: Results, system: str, measure: str, data: str) -> dict[str, float]:
    return results.by_query("day-after", system, measure, data=data)


def strangers_are_left_alone(results: Results) -> Verdict:
    """What one person taught does not change what a stranger finds, either way by .005."""

    def judge(data: str) -> Findings:
        before, after = (_day(results, s, "mAP", data) for s in (BEFORE, STRANGER))
        evidence = [
            above("after − before + .005, mAP", after, before, by=-0.005),
            above("before − after + .005, mAP", before, after, by=-0.005),
        ]
        return Findings(evidence, f"mAP {_mean(before):.4f} and {_mean(after):.4f}")

    return each_set(results, "day-after", judge, over="names", here="the day after its lesson")


CLAIMS = (
    Claim("A typed name of a kind of thing finds it at once.", "names", names_find_kinds),
    Claim("A guess is put right by marks.", "marks", marks_teach),
    Claim("A taught word starts where it ended.", "day-after", the_next_search_starts_there),
    Claim("A word is its teacher's own.", "day-after", strangers_are_left_alone),
)
