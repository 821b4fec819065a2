"""What Li et al. claim, and how our results judge it."""

from __future__ import annotations

import numpy as np

from saccade.studies.declaration import Claim, Verdict
from saccade.studies.li2012 import dimensions, figures
from saccade.studies.results import Results, each_set

NEAR = 0.03  # mAP within which two learners are called comparable
STEPS = tuple(figures.SETS)


def _map(results: Results, system: str, data: str) -> float:
    return results.mean("figures-2-4", system, "map", data=data)


def learning_beats_one_model(results: Results) -> Verdict:
    """RankSVM and ListNet with all features at least 10% above VSM, on each set."""

    def judge(data: str) -> tuple[bool, str]:
        plain = _map(results, figures.VSM, data)
        gains = {
            learner: _map(results, f"Total {learner}", data) / plain - 1
            for learner in ("ranksvm", "listnet")
        }
        text = ", ".join(f"{learner} {gain:+.0%}" for learner, gain in gains.items())
        return min(gains.values()) > 0.10, f"VSM {plain:.3f}, {text}"

    return Verdict(*each_set(results, "figures-2-4", judge))


def points_fall_behind(results: Results) -> Verdict:
    """PRank below both RankSVM and ListNet with all features."""

    def judge(data: str) -> tuple[bool, str]:
        found = {learner: _map(results, f"Total {learner}", data) for learner in figures.LEARNERS}
        text = ", ".join(f"{learner} {value:.3f}" for learner, value in found.items())
        return found["prank"] < min(found["ranksvm"], found["listnet"]), text

    return Verdict(*each_set(results, "figures-2-4", judge))


def pairs_and_lists_are_alike(results: Results) -> Verdict:
    """RankSVM and ListNet within `NEAR` of each other."""

    def judge(data: str) -> tuple[bool, str]:
        pair, whole = (_map(results, f"Total {name}", data) for name in ("ranksvm", "listnet"))
        return abs(pair - whole) <= NEAR, f"{pair:.3f} and {whole:.3f}"

    return Verdict(*each_set(results, "figures-2-4", judge))


def every_part_helps(results: Results) -> Verdict:
    """Each step BOV → +Sal → +SP → Total does not lower the mean over RankSVM and ListNet."""
    steps: dict[str, list[float]] = {}

    def judge(data: str) -> tuple[bool, str]:
        means = [
            float(np.mean([_map(results, f"{name} {lr}", data) for lr in ("ranksvm", "listnet")]))
            for name in STEPS
        ]
        steps[data] = means
        return bool((np.diff(means) >= 0).all()), " → ".join(f"{mean:.3f}" for mean in means)

    holds, figure = each_set(results, "figures-2-4", judge)
    lost = [
        f"{STEPS[place + 1]} on {data}"
        for data, means in steps.items()
        for place in np.flatnonzero(np.diff(means) < 0)
    ]
    return Verdict(holds, figure, f"a step down: {', '.join(lost)}" if lost else "")


def _best_and_raw(results: Results, system: str, data: str) -> tuple[float, float]:
    at, values = results.curve("tables-3-5", system, "map", data=data)
    return float(values[at < dimensions.WHOLE].max()), float(values[at == dimensions.WHOLE][0])


def selection_helps(results: Results) -> Verdict:
    """The best number of selected features at least 5% above all 224, on average of learners."""

    def judge(data: str) -> tuple[bool, str]:
        found = [_best_and_raw(results, f"greedy {learner}", data) for learner in figures.LEARNERS]
        gain = float(np.mean([best / raw - 1 for best, raw in found]))
        return gain > 0.05, f"{gain:+.1%}"

    holds, figure = each_set(results, "tables-3-5", judge)
    return Verdict(holds, figure, "" if holds else _why_selection(results))


def _why_selection(results: Results) -> str:
    """With how many queries a feature was judged, and what the learners' regularisation does."""
    sizes = results.notes("tables-3-5", "greedy ranksvm")[0]["sizes"]
    return (
        f"the learners are regularised by validation and learn from {sizes['training_queries']} "
        f"queries with {sizes['training_rows']} rows, so weak features cost them little; the paper "
        "has 33 queries"
    )


def pca_does_not(results: Results) -> Verdict:
    """PCA below all 224 features in most cells of the table."""

    def judge(data: str) -> tuple[bool, str]:
        below = cells = 0
        for learner in figures.LEARNERS:
            at, values = results.curve("tables-3-5", f"pca {learner}", "map", data=data)
            raw = values[at == dimensions.WHOLE][0]
            below += int((values[at < dimensions.WHOLE] < raw).sum())
            cells += int((at < dimensions.WHOLE).sum())
        return 2 * below > cells, f"{below} of {cells} below"

    return Verdict(*each_set(results, "tables-3-5", judge))


def selection_beats_one_model(results: Results) -> Verdict:
    """RankSVM and ListNet on selected features at least 17% above VSM."""

    def judge(data: str) -> tuple[bool, str]:
        # The same folds on both sides: a quick run has fewer of the tables.
        folds = {p.task.part for p in results.parts if p.task.experiment == "tables-3-5"}
        means = [results.mean("figures-2-4", figures.VSM, "map", data=data, part=f) for f in folds]
        plain = float(np.nanmean(means))
        gains = [
            _best_and_raw(results, f"greedy {learner}", data)[0] / plain - 1
            for learner in ("ranksvm", "listnet")
        ]
        return min(gains) > 0.17, ", ".join(f"{gain:+.0%}" for gain in gains)

    return Verdict(*each_set(results, "tables-3-5", judge))


CLAIMS = (
    Claim(
        "Pairwise and listwise learners beat the best single model, VSM, by more than 10%.",
        "Section 4.2, Figures 2–4",
        learning_beats_one_model,
    ),
    Claim("The pointwise PRank falls behind both.", "Section 4.2, Figures 2–4", points_fall_behind),
    Claim(
        f"RankSVM and ListNet are comparable (within {NEAR} mAP).",
        "Section 4.2",
        pairs_and_lists_are_alike,
    ),
    Claim(
        "Each group of features contributes; all together are best.",
        "Section 4.2, Figures 2–4",
        every_part_helps,
    ),
    Claim(
        "Feature selection beats the raw features by more than 5% on average.",
        "Section 4.3, Tables 3–5",
        selection_helps,
    ),
    Claim("PCA is below the raw features in most cases.", "Section 4.3, Tables 3–5", pca_does_not),
    Claim(
        "With selection, pairwise and listwise learners beat VSM by more than 17%.",
        "Section 4.3, Tables 3–5",
        selection_beats_one_model,
    ),
)
