"""What we promise of feedback, and how the results judge it, set by set."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from saccade.studies.declaration import Claim, Verdict
from saccade.studies.feedback.parts import OTHERS, PERSON, SECOND_NOTION, STRANGER
from saccade.studies.feedback.systems import LOG_SVM, NONE, PEERS, PRODUCT
from saccade.studies.results import NotMeasured, Results
from saccade.studies.verdicts import ClaimEvidence, Findings, above, each_set, rarely


def _mean(values: Mapping[str, float]) -> float:
    return float(np.nanmean(list(values.values()))) if values else float("nan")


def _session(results: Results, system: str, measure: str, data: str, part: str) -> dict[str, float]:
    """Values by query, without the part in their names: persons differ, queries do not."""
    values = results.by_query("sessions", system, measure, data=data, part=part)
    if not values:
        raise NotMeasured(f"sessions of {system}, {part},")
    return values


def truthful_pays(results: Results) -> Verdict:
    """Five rounds of truthful answers end above the start, and above every peer."""

    def judge(data: str) -> Findings:
        values = {
            s: _session(results, s, "mAP after", data, "right") for s in (PRODUCT, NONE, *PEERS)
        }
        evidence = [above(f"over {s}, mAP", values[PRODUCT], values[s]) for s in (NONE, *PEERS)]
        figure = ", ".join(f"{s} {_mean(one):.3f}" for s, one in values.items())
        return Findings(evidence, figure)

    return each_set(results, "sessions", judge, over="queries", here="truthful answers")


def hardly_worse(results: Results) -> Verdict:
    """Truthful answers leave fewer than one query in a hundred below its start in any round."""

    def judge(data: str) -> Findings:
        worse = _session(results, PRODUCT, "worse by .005", data, "right")
        much = _session(results, PRODUCT, "worse by .02", data, "right")
        evidence = [
            rarely("1% less the share worse by .005", worse, 0.01),
            rarely("1% less the share worse by .02", much, 0.01),
        ]
        return Findings(evidence, f"{_mean(worse):.1%} by .005, {_mean(much):.1%} by .02")

    return each_set(results, "sessions", judge, over="queries", here="truthful answers")


def wrong_answers_help(results: Results) -> Verdict:
    """With some of the answers wrong, what is not judged still gains."""

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for part in _parts(results, data):
            if part in ("10% wrong", "30% wrong"):
                gain = _session(results, PRODUCT, "gain of the rest", data, part)
                evidence.append(above(f"{part}, gain of the rest in AP", gain, 0.0))
                figures.append(f"{part} {_mean(gain):+.4f}")
        return Findings(evidence, ", ".join(figures))

    here = "some answers wrong at random"
    return each_set(results, "sessions", judge, over="queries", here=here)


def _parts(results: Results, data: str) -> list[str]:
    tasks = [p.task for p in results.parts if p.task.experiment == "sessions"]
    return list(dict.fromkeys(task.part for task in tasks if task.data.name == data))


def random_answers_cost_little(results: Results) -> Verdict:
    """Random answers cost the rest at most .01 of average precision."""

    def judge(data: str) -> Findings:
        gain = _session(results, PRODUCT, "gain of the rest", data, "at random")
        return Findings([above("gain of the rest + .01, AP", gain, 0.0, by=-0.01)],
                     f"{_mean(gain):+.4f}")  # fmt: skip

    return each_set(results, "sessions", judge, over="queries", here="random answers")


def _mark(results: Results, measure: str, data: str, part: str) -> dict[str, float]:
    return results.by_query("one-mark", PRODUCT, measure, data=data, part=part)


def one_mark_is_heard(results: Results) -> Verdict:
    """One right and one wrong bring a new picture or more, and the first 20 rarely fall."""

    def judge(data: str) -> Findings:
        new, fell = (
            _mark(results, measure, data, "one of each")
            for measure in ("new in the first 20", "fell")
        )
        evidence = [
            above("new in the first 20, less one", new, 1.0),
            rarely("5% less the share of pages that fell by two", fell, 0.05),
        ]
        return Findings(
            evidence,
            f"{_mean(new):.1f} new, {_mean(fell):.1%} of {len(fell)} fell by two or more",
        )

    return each_set(results, "one-mark", judge, over="queries", here="one ✓ and one ✕")


def a_wrong_ruins_nothing(results: Results) -> Verdict:
    """A lone wrong makes fewer than one first page in twenty worse."""

    def judge(data: str) -> Findings:
        fell = _mark(results, "fell", data, "one wrong")
        return Findings(
            [rarely("5% less the share of pages that fell by two", fell, 0.05)],
            f"{_mean(fell):.1%} of {len(fell)} fell by two or more",
        )

    return each_set(results, "one-mark", judge, over="queries", here="one ✕ alone")


def _others(
    results: Results, experiment: str, system: str, data: str, measure: str = OTHERS
) -> tuple[dict[str, float], dict[str, float]]:
    """Other queries at the start and at the end."""
    places = results.positions(experiment, measure, data=data)
    first, last = (
        results.by_query(experiment, system, measure, data=data, at=at)
        for at in (places[0], places[-1])
    )
    return first, last


def _lasts(results: Results, experiment: str) -> Verdict:
    """Truthful answers make other queries of that person better, and leave a stranger's alone."""

    def judge(data: str) -> Findings:
        start, end = _others(results, experiment, PERSON, data)
        before, after = _others(results, experiment, STRANGER, data)
        _, peer = _others(results, experiment, LOG_SVM, data)
        evidence = [
            above("the person's other queries, end over start, mAP", end, start),
            above("the person over the log-based machine, mAP", end, peer),
            above("a stranger's, end − start + .005, mAP", after, before, by=-0.005),
        ]
        return Findings(
            evidence,
            f"{_mean(start):.4f} → {_mean(end):.4f}; a stranger {_mean(before):.4f} → "
            f"{_mean(after):.4f}; log-based machine {_mean(peer):.4f}",
        )

    here = _searches(results, experiment)
    return each_set(results, experiment, judge, over="other queries", here=here)


def _searches(results: Results, experiment: str) -> str:
    return f"{max(results.positions(experiment, OTHERS), default=0):,.0f} searches answered"


def what_is_taught_lasts(results: Results) -> Verdict:
    """After some hundred searches."""
    return _lasts(results, "lasting")


def it_lasts_long(results: Results) -> Verdict:
    """After two thousand."""
    return _lasts(results, "lasting-long")


def wrong_answers_last_less(results: Results) -> Verdict:
    """With 10% and 30% wrong answers other queries end at their start or above."""

    def judge(data: str) -> Findings:
        evidence: list[ClaimEvidence] = []
        figures = []
        for name in ("10-wrong", "30-wrong"):
            start, end = _others(results, f"lasting-{name}", PERSON, data)
            evidence.append(above(f"{name}, end − start + .005, mAP", end, start, by=-0.005))
            figures.append(f"{name} {_mean(start):.4f} → {_mean(end):.4f}")
        return Findings(evidence, "; ".join(figures))

    here = _searches(results, "lasting-10-wrong")
    return each_set(results, "lasting-10-wrong", judge, over="other queries", here=here)


def two_notions_last(results: Results) -> Verdict:
    """Who means now this and now that ends below their start by neither."""
    experiment = "lasting-two-notions"

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for name, measure in (("class", OTHERS), ("half", SECOND_NOTION)):
            start, end = _others(results, experiment, PERSON, data, measure)
            evidence.append(above(f"{name}, end − start + .005, mAP", end, start, by=-0.005))
            figures.append(f"{name} {_mean(start):.4f} → {_mean(end):.4f}")
        return Findings(evidence, "; ".join(figures))

    here = _searches(results, experiment)
    return each_set(results, experiment, judge, over="other queries", here=here)


def strangers_keep_their_pages(results: Results) -> Verdict:
    """One person's marks leave a stranger more than 19 of the first 20, on average."""

    def judge(data: str) -> Findings:
        kept = results.by_query("strangers", PRODUCT, "kept of 20", data=data)
        return Findings([above("kept of 20, less 19", kept, 19.0)],
                     f"lowest {min(kept.values()):.0f}, mean {_mean(kept):.2f}")  # fmt: skip

    here = "while one person answers searches of their own"
    return each_set(results, "strangers", judge, over="queries", here=here)


CLAIMS = (
    Claim("Truthful answers pay, more than any peer makes of them.", "sessions", truthful_pays),
    Claim("Nobody who answers truthfully is left worse off.", "sessions", hardly_worse),
    Claim("Wrong answers among right ones still help what is not judged.", "sessions",
          wrong_answers_help),
    Claim("Random answers cost next to nothing.", "sessions", random_answers_cost_little),
    Claim("A first mark is heard.", "one-mark", one_mark_is_heard),
    Claim("A lone ✕ ruins nothing.", "one-mark", a_wrong_ruins_nothing),
    Claim("What is taught lasts: other searches start better.", "lasting", what_is_taught_lasts),
    Claim("It lasts long.", "lasting-long", it_lasts_long),
    Claim("Wrong answers that last harm nobody.", "lasting-10-wrong", wrong_answers_last_less),
    Claim("Two notions in turn harm neither.", "lasting-two-notions", two_notions_last),
    Claim("One person does not move a stranger's pages.", "strangers", strangers_keep_their_pages),
)  # fmt: skip
