"""What Hu, Li & Yu claim, and how our results judge it."""

from __future__ import annotations

from saccade.studies.declaration import Claim, Verdict
from saccade.studies.hu2008 import maps
from saccade.studies.hu2008.ranking import CROPS
from saccade.studies.results import Results, each_set

_LEARNED = ("mi-average", "mi-max", "mi-softmax")


def learning_pays(results: Results) -> Verdict:
    """All three above the given order, set by set."""

    def judge(data: str) -> tuple[bool, str]:
        given = results.mean("table-1", "given", "ap", data=data)
        means = {s: results.mean("table-1", s, "ap", data=data) for s in _LEARNED}
        figure = ", ".join(f"{s} {value:.3f}" for s, value in means.items())
        return min(means.values()) > given, f"given order {given:.3f}; {figure}"

    return Verdict(*each_set(results, "table-1", judge))


def softmax_leads(results: Results) -> Verdict:
    """Softmax above the other two."""

    def judge(data: str) -> tuple[bool, str]:
        means = {s: results.mean("table-1", s, "ap", data=data) for s in _LEARNED}
        gain = results.compare("table-1", "mi-softmax", "mi-average", "ap", data=data)
        figure = ", ".join(f"{s} {value:.3f}" for s, value in means.items())
        return (
            means["mi-softmax"] >= max(means.values()) - 1e-9,
            f"{figure}; softmax − average {gain.difference:+.3f} (p {gain.p_randomisation:.3f})",
        )

    return Verdict(*each_set(results, "table-1", judge))


def max_is_near_the_average(results: Results) -> Verdict:
    """Max within .05 of the average in AP."""

    def judge(data: str) -> tuple[bool, str]:
        gap = results.mean("table-1", "mi-max", "ap", data=data) - results.mean(
            "table-1", "mi-average", "ap", data=data
        )
        return abs(gap) <= 0.05, f"max − average {gap:+.3f}"

    return Verdict(*each_set(results, "table-1", judge))


def top_of_the_list(results: Results) -> Verdict:
    """Softmax above the average in NDCG@5, 10 and 20."""

    def judge(data: str) -> tuple[bool, str]:
        gains = {
            at: results.mean("table-1", "mi-softmax", at, data=data)
            - results.mean("table-1", "mi-average", at, data=data)
            for at in ("ndcg@5", "ndcg@10", "ndcg@20")
        }
        figure = ", ".join(f"{at} {gain:+.3f}" for at, gain in gains.items())
        return min(gains.values()) > 0, f"softmax − average: {figure}"

    return Verdict(*each_set(results, "table-1", judge))


def regions_pay(results: Results) -> Verdict:
    """Ours: softmax over regions above one description of the whole picture."""

    def judge(data: str) -> tuple[bool, str]:
        gain = results.compare("table-1", "mi-softmax", "ranksvm", "ap", data=data)
        return gain.difference > 0, f"{gain.difference:+.3f} (p {gain.p_randomisation:.3f})"

    return Verdict(*each_set(results, "table-1", judge))


def region_found(results: Results) -> Verdict:
    """More of the relevance inside the thing than of the saliency, and than its area."""

    def judge(data: str) -> tuple[bool, str]:
        value = {
            s: results.mean("figure-4", s, maps.MEASURE, data=data)
            for s in ("mi-softmax", "saliency", "area")
        }
        figure = ", ".join(f"{s} {share:.3f}" for s, share in value.items())
        return value["mi-softmax"] > max(value["saliency"], value["area"]), figure

    return Verdict(*each_set(results, "figure-4", judge))


def embedding_pays(results: Results) -> Verdict:
    """Ours: the regions' embeddings above the paper's features."""

    def judge(data: str) -> tuple[bool, str]:
        gain = results.compare("features", "mi-softmax" + CROPS, "mi-softmax", "ap", data=data)
        return gain.difference > 0, f"{gain.difference:+.3f} (p {gain.p_randomisation:.3f})"

    return Verdict(*each_set(results, "features", judge))


def online_keeps_up(results: Results) -> Verdict:
    """Ours: after the most preferences, online within .03 of the batch fit."""

    def judge(data: str) -> tuple[bool, str]:
        ends = {}
        for system in ("mi-online", "mi-softmax"):
            _, values = results.curve("online", system, "ap", data=data)
            ends[system] = float(values[-1])
        return ends["mi-online"] >= ends["mi-softmax"] - 0.03, (
            f"online {ends['mi-online']:.3f}, batch {ends['mi-softmax']:.3f}"
        )

    return Verdict(*each_set(results, "online", judge))


CLAIMS = (
    Claim("All three exceed the order that was given.", "Section 5.4, Table 1", learning_pays),
    Claim("Softmax consistently outperforms Average and Max.", "Table 1", softmax_leads),
    Claim("Max is comparable with Average in AP.", "Table 1", max_is_near_the_average),
    Claim("Softmax outperforms Average at the top of the list.", "Figure 3", top_of_the_list),
    Claim("Region scores show the object.", "Figure 4", region_found),
    Claim("Regions are worth more than one description of the picture.", "ours", regions_pay),
    Claim("An embedding of regions beats the paper's features.", "ours", embedding_pays),
    Claim("Learning preference by preference keeps up with a batch fit.", "ours", online_keeps_up),
)
