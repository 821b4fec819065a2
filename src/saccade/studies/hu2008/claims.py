"""What Hu, Li & Yu claim, and how our results judge it."""

from __future__ import annotations

from saccade.studies.declaration import Claim, Verdict
from saccade.studies.hu2008 import maps, pooling
from saccade.studies.hu2008.ranking import CROPS, ETA
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
    behind: list[str] = []

    def judge(data: str) -> tuple[bool, str]:
        means = {s: results.mean("table-1", s, "ap", data=data) for s in _LEARNED}
        gain = results.compare("table-1", "mi-softmax", "mi-average", "ap", data=data)
        figure = ", ".join(f"{s} {value:.3f}" for s, value in means.items())
        leads = means["mi-softmax"] >= max(means.values()) - 1e-9
        behind.extend([] if leads else [data])
        return (
            leads,
            f"{figure}; softmax − average {gain.difference:+.3f} (p {gain.p_randomisation:.3f})",
        )

    verdict = each_set(results, "table-1", judge)
    return Verdict(*verdict, _why_pooling(results, "mi-softmax", behind))


def _why_pooling(results: Results, system: str, sets: list[str]) -> str:
    """What the same region scores are worth by their mean, and how well the ranker fits."""
    if "pooling" not in results.ran:
        return ""
    own = {"mi-softmax": "by softmax", "mi-max": "by the best"}[system]

    def value(name: str, measure: str, data: str) -> float:
        return results.mean("pooling", name, measure, data=data)

    found = []
    for data in sets:
        mean, best = value(system, "by the mean", data), value(system, own, data)
        fit, other = (value(name, pooling.KNOWN, data) for name in (system, "mi-average"))
        told = f"what it learned has {best:.3f} pooled its own way and {mean:.3f} by the mean"
        if mean > best:
            told += ": all regions of a picture say more than its best ones"
        told += f"; on the pictures it learned from it has {fit:.3f}, the average {other:.3f}"
        if fit >= other - 0.01:
            told += ": it fits those no worse, and carries less of it over"
        found.append(f"{data}: {told}")
    return "; ".join(found)


def eta_pays(results: Results) -> Verdict:
    """Ours: η chosen with the rest, within .01 of the average or above it."""

    def judge(data: str) -> tuple[bool, str]:
        chosen = results.mean("table-1", "mi-softmax" + ETA, "ap", data=data)
        fixed, mean = (
            results.mean("table-1", s, "ap", data=data) for s in ("mi-softmax", "mi-average")
        )
        figure = (
            f"{chosen:.3f}; η = 4 {fixed:.3f}, average {mean:.3f}; chosen: {_etas(results, data)}"
        )
        return chosen >= max(fixed, mean - 0.01), figure

    return Verdict(*each_set(results, "table-1", judge))


def _etas(results: Results, data: str) -> str:
    """How often each η was chosen."""
    notes = results.notes("table-1", "mi-softmax" + ETA, data=data)
    every = [found["eta"] for note in notes for found in note["settings"].values()]
    return ", ".join(f"η {eta:g} in {every.count(eta)}" for eta in sorted(set(every)))


def max_is_near_the_average(results: Results) -> Verdict:
    """Max within .05 of the average in AP."""
    behind: list[str] = []

    def judge(data: str) -> tuple[bool, str]:
        gap = results.mean("table-1", "mi-max", "ap", data=data) - results.mean(
            "table-1", "mi-average", "ap", data=data
        )
        behind.extend([data] if gap < -0.05 else [])
        return abs(gap) <= 0.05, f"max − average {gap:+.3f}"

    verdict = each_set(results, "table-1", judge)
    return Verdict(*verdict, _why_pooling(results, "mi-max", behind))


def top_of_the_list(results: Results) -> Verdict:
    """Softmax above the average in NDCG@5, 10 and 20."""
    behind: list[str] = []

    def judge(data: str) -> tuple[bool, str]:
        gains = {
            at: results.mean("table-1", "mi-softmax", at, data=data)
            - results.mean("table-1", "mi-average", at, data=data)
            for at in ("ndcg@5", "ndcg@10", "ndcg@20")
        }
        figure = ", ".join(f"{at} {gain:+.3f}" for at, gain in gains.items())
        behind.extend([data] if min(gains.values()) <= 0 else [])
        return min(gains.values()) > 0, f"softmax − average: {figure}"

    verdict = each_set(results, "table-1", judge)
    return Verdict(*verdict, _why_pooling(results, "mi-softmax", behind))


def regions_pay(results: Results) -> Verdict:
    """Ours: the best of the three over regions above one description of the whole picture."""

    def judge(data: str) -> tuple[bool, str]:
        best = max(_LEARNED, key=lambda s: results.mean("table-1", s, "ap", data=data))
        gains = {
            s: results.compare("table-1", s, "ranksvm", "ap", data=data)
            for s in dict.fromkeys((best, "mi-softmax"))
        }
        figure = ", ".join(
            f"{s} {gain.difference:+.3f} (p {gain.p_randomisation:.3f})"
            for s, gain in gains.items()
        )
        return gains[best].difference > 0, figure

    return Verdict(*each_set(results, "table-1", judge))


def region_found(results: Results) -> Verdict:
    """More of the relevance inside the thing than of the saliency, and than its area."""
    behind: list[str] = []

    def judge(data: str) -> tuple[bool, str]:
        value = {
            s: results.mean("figure-4", s, maps.MEASURE, data=data)
            for s in ("mi-softmax", "saliency", "area")
        }
        figure = ", ".join(f"{s} {share:.3f}" for s, share in value.items())
        found = value["mi-softmax"] > max(value["saliency"], value["area"])
        behind.extend([] if found else [data])
        return found, figure

    verdict = each_set(results, "figure-4", judge)
    return Verdict(*verdict, "; ".join(_why_not_found(results, data) for data in behind))


def _why_not_found(results: Results, data: str) -> str:
    """How often the brightest region is right: its neighbours are lit as well, by min and max."""
    right, chance = (
        results.mean("figure-4", s, maps.FOUND, data=data) for s in ("mi-softmax", "area")
    )
    told = (
        f"{data}: the most relevant region lies in the thing in {right:.0%} of the pictures, one "
        f"drawn by chance in {chance:.0%}"
    )
    if right > chance:
        return told + "; but every region above the least has relevance too"
    return told + ": the thing was not found"


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
    Claim("With η chosen as well, softmax keeps up with the average.", "ours", eta_pays),
    Claim("Max is comparable with Average in AP.", "Table 1", max_is_near_the_average),
    Claim("Softmax outperforms Average at the top of the list.", "Figure 3", top_of_the_list),
    Claim("Region scores show the object.", "Figure 4", region_found),
    Claim("Regions are worth more than one description of the picture.", "ours", regions_pay),
    Claim("An embedding of regions beats the paper's features.", "ours", embedding_pays),
    Claim("Learning preference by preference keeps up with a batch fit.", "ours", online_keeps_up),
)
