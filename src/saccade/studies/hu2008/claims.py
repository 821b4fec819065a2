"""What Hu, Li & Yu claim, and how our results judge it: concept by concept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from saccade.studies.declaration import Claim, Verdict
from saccade.studies.hu2008 import maps, pooling, printed
from saccade.studies.hu2008.ranking import CROPS, ETA
from saccade.studies.results import NotMeasured, Results
from saccade.studies.verdicts import Findings, above, each_set, mean_of

_LEARNED = ("mi-average", "mi-max", "mi-softmax")
_TOP = ("ndcg@5", "ndcg@10", "ndcg@20")


def _name(system: str) -> str:
    return printed.LABELS.get(system, system)


def _ap(results: Results, system: str, data: str, measure: str = "ap") -> dict[str, float]:
    return results.by_query("table-1", system, measure, data=data)


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values())))


def _said(values: Mapping[str, Mapping[str, float]]) -> str:
    return ", ".join(f"{_name(s)} {_mean(one):.3f}" for s, one in values.items())


def _here(results: Results, experiment: str = "table-1") -> str:
    """How many pictures of how many concepts, and halves."""
    parts = []
    for data in results.data(experiment):
        notes = (
            results.notes("table-1", "mi-average", data=data) if "table-1" in results.ran else []
        )
        if notes:
            sizes = notes[0]["pictures"]
            parts.append(
                f"{data}: {len(sizes)} concepts of {min(sizes.values())} to "
                f"{max(sizes.values())} pictures, {len(notes)} random halves"
            )
    return "; ".join(parts)


def learning_pays(results: Results) -> Verdict:
    """All three above the given order."""

    def judge(data: str) -> Findings:
        values = {s: _ap(results, s, data) for s in ("given", *_LEARNED)}
        evidence = [
            above(f"{_name(s)} over the given order, AP", values[s], values["given"])
            for s in _LEARNED
        ]
        return Findings(evidence, _said(values))

    return each_set(results, "table-1", judge, over="concepts", here=_here(results))


def softmax_leads(results: Results) -> Verdict:
    """Softmax above the other two."""

    def judge(data: str) -> Findings:
        values = {s: _ap(results, s, data) for s in _LEARNED}
        evidence = [
            above(f"Softmax over {_name(s)}, AP", values["mi-softmax"], values[s])
            for s in ("mi-average", "mi-max")
        ]
        return Findings(evidence, _said(values))

    return each_set(
        results, "table-1", judge, over="concepts", here=_here(results),
        why=lambda lost: _why_pooling(results, "mi-softmax", lost),
    )  # fmt: skip


def _why_pooling(results: Results, system: str, sets: Sequence[str]) -> str:
    """What the same region scores are worth by their mean, and how well the ranker fits."""
    if "pooling" not in results.ran or system not in results.systems("pooling"):
        return ""
    own = {"mi-softmax": "by softmax", "mi-max": "by the best"}[system]

    def value(name: str, measure: str, data: str) -> float:
        return results.mean("pooling", name, measure, data=data)

    sentences = []
    for data in sets:
        mean, best = value(system, "by the mean", data), value(system, own, data)
        fit, other = (value(name, pooling.TRAINING, data) for name in (system, "mi-average"))
        sentences.append(
            f"{data}: what it learned has {best:.3f} pooled its own way and {mean:.3f} by the "
            f"mean; on the pictures it learned from it has {fit:.3f}, the average {other:.3f}"
            + _why_grades(results, system, data)
        )
    return "; ".join(sentences)


def _why_grades(results: Results, system: str, data: str) -> str:
    """Which pictures are told apart better or worse than by the average; nothing if not kept."""
    if not results.has("pooling", "mi-average", pooling.ABOVE_OK, data=data):
        return ""
    own, mean = (
        [results.mean("pooling", s, name, data=data)
         for name in (pooling.ABOVE_OK, pooling.ABOVE_JUNK)]
        for s in (system, "mi-average")
    )  # fmt: skip
    return (
        f"; it orders {own[0]:.1%} of the pairs of a good and a middling picture and {own[1]:.1%} "
        f"of those of a good one and junk rightly, the average {mean[0]:.1%} and {mean[1]:.1%}"
    )


def eta_pays(results: Results) -> Verdict:
    """Ours: η chosen with the rest, within .01 of the average or above it."""

    def judge(data: str) -> Findings:
        systems = ("mi-softmax" + ETA, "mi-softmax", "mi-average")
        values = {s: _ap(results, s, data) for s in systems}
        evidence = above(
            "chosen η − Average + .01, AP", values[systems[0]], values["mi-average"], by=-0.01
        )
        return Findings([evidence], f"{_said(values)}; chosen: {_etas(results, data)}")

    return each_set(results, "table-1", judge, over="concepts", here=_here(results))


def _etas(results: Results, data: str) -> str:
    """How often each η was chosen."""
    notes = results.notes("table-1", "mi-softmax" + ETA, data=data)
    every = [setting["eta"] for note in notes for setting in note["settings"].values()]
    return ", ".join(f"η {eta:g} in {every.count(eta)}" for eta in sorted(set(every)))


def max_is_near_the_average(results: Results) -> Verdict:
    """Max within .05 of the average in AP, either way."""

    def judge(data: str) -> Findings:
        best, mean = (_ap(results, s, data) for s in ("mi-max", "mi-average"))
        evidence = [
            above("Max − Average + .05, AP", best, mean, by=-0.05),
            above("Average − Max + .05, AP", mean, best, by=-0.05),
        ]
        return Findings(evidence, f"Max {_mean(best):.3f}, Average {_mean(mean):.3f}")

    return each_set(
        results, "table-1", judge, over="concepts", here=_here(results),
        why=lambda lost: _why_pooling(results, "mi-max", lost),
    )  # fmt: skip


def top_of_the_list(results: Results) -> Verdict:
    """Softmax above the average in NDCG@5, 10 and 20."""

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for at in _TOP:
            mine, theirs = (_ap(results, s, data, at) for s in ("mi-softmax", "mi-average"))
            evidence.append(above(f"Softmax over Average, {at}", mine, theirs))
            figures.append(f"{at} {_mean(mine):.3f} against {_mean(theirs):.3f}")
        return Findings(evidence, ", ".join(figures))

    return each_set(
        results, "table-1", judge, over="concepts", here=_here(results),
        why=lambda lost: _why_pooling(results, "mi-softmax", lost),
    )  # fmt: skip


def regions_pay(results: Results) -> Verdict:
    """Ours: the mean of the three over regions above one description of the whole picture."""

    def judge(data: str) -> Findings:
        values = {s: _ap(results, s, data) for s in (*_LEARNED, "ranksvm")}
        regions = mean_of([values[s] for s in _LEARNED])
        evidence = above("mean of the three over the whole picture, AP", regions, values["ranksvm"])
        return Findings([evidence], _said(values))

    return each_set(results, "table-1", judge, over="concepts", here=_here(results))


def region_found(results: Results) -> Verdict:
    """More of the relevance inside the thing than of the saliency, and than its area."""

    def judge(data: str) -> Findings:
        values = {
            s: results.by_query("figure-4", s, maps.MEASURE, data=data)
            for s in ("mi-softmax", "saliency", "area")
        }
        if not any(values.values()):
            raise NotMeasured("Figure 4 on pictures with masks of the thing")
        evidence = [
            above(f"Softmax's relevance over {s}, share inside the thing", values["mi-softmax"],
                  values[s])
            for s in ("saliency", "area")
        ]  # fmt: skip
        return Findings(evidence, _said(values))

    return each_set(
        results, "figure-4", judge, over="concepts", here=_here(results, "figure-4"),
        why=lambda lost: "; ".join(_hits(results, data) for data in lost),
    )  # fmt: skip


def _hits(results: Results, data: str) -> str:
    """How often the brightest region is right, and one drawn by chance."""
    right, chance = (
        results.mean("figure-4", s, maps.HITS, data=data) for s in ("mi-softmax", "area")
    )
    return (
        f"{data}: the most relevant region lies in the thing in {right:.0%} of the pictures, one "
        f"drawn by chance in {chance:.0%}"
    )


def embedding_pays(results: Results) -> Verdict:
    """Ours: the regions' embeddings above the paper's features."""

    def judge(data: str) -> Findings:
        crops, plain = (
            results.by_query("features", s, "ap", data=data)
            for s in ("mi-softmax" + CROPS, "mi-softmax")
        )
        return Findings(
            [above("embedding over the paper's features, AP", crops, plain)],
            f"{_mean(crops):.3f} against {_mean(plain):.3f}",
        )

    return each_set(results, "features", judge, over="concepts", here=_here(results, "features"))


def softmax_leads_on_embeddings(results: Results) -> Verdict:
    """Ours: softmax above the average where regions are described by today's embedding."""

    def judge(data: str) -> Findings:
        softmax, mean = (
            results.by_query("features", s + CROPS, "ap", data=data)
            for s in ("mi-softmax", "mi-average")
        )
        return Findings(
            [above("Softmax over Average, embeddings of regions, AP", softmax, mean)],
            f"{_mean(softmax):.3f} against {_mean(mean):.3f}",
        )

    return each_set(results, "features", judge, over="concepts", here=_here(results, "features"))


def online_keeps_up(results: Results) -> Verdict:
    """Ours: after the most preferences, online within .03 of the batch fit."""

    def judge(data: str) -> Findings:
        last = max(results.positions("online", "ap", data=data))
        online, batch = (
            results.by_query("online", s, "ap", data=data, at=last)
            for s in ("mi-online", "mi-softmax")
        )
        return Findings(
            [above(f"online − batch + .03 after {last:.0f} preferences, AP", online, batch,
                   by=-0.03)],
            f"after {last:.0f}: online {_mean(online):.3f}, batch {_mean(batch):.3f}",
        )  # fmt: skip

    return each_set(results, "online", judge, over="concepts", here=_here(results, "online"))


CLAIMS = (
    Claim("All three exceed the order that was given.", "Section 5.4, Table 1", learning_pays),
    Claim("Softmax consistently outperforms Average and Max.", "Table 1", softmax_leads),
    Claim("Max is comparable with Average in AP (within .05).", "Table 1", max_is_near_the_average),
    Claim("Softmax outperforms Average at the top of the list.", "Figure 3", top_of_the_list),
    Claim("Region scores show the object.", "Figure 4", region_found),
    Claim("With η chosen as well, softmax keeps up with the average (within .01).", "ours",
          eta_pays),
    Claim("Regions are worth more than one description of the picture.", "ours", regions_pay),
    Claim("An embedding of regions beats the paper's features.", "ours", embedding_pays),
    Claim("On embeddings of regions softmax outperforms the average.", "ours",
          softmax_leads_on_embeddings),
    Claim("Learning preference by preference keeps up with a batch fit (within .03).", "ours",
          online_keeps_up),
)  # fmt: skip
