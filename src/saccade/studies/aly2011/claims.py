"""What Aly claims, and how our results judge it: over probes, splits (offline), orders (online)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from saccade.studies.aly2011.figures import EVEN, EXPERTS, LOSSES, RATES, VOTES
from saccade.studies.declaration import Claim, Verdict
from saccade.studies.results import Results
from saccade.studies.verdicts import ClaimEvidence, Findings, above, each_set, gaps, mean_of

_LARGE = "akm-large"
_BEST_WAYS = ("binary,l2,l2", "binary,l1,l1", "none,l1,l1")
_CHOOSERS = ("hedge", "exp3")


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values()))) if values else float("nan")


def _here(results: Results) -> str:
    """Vocabularies, models, distractors and probes as they were run."""
    parts = []
    for data in results.data("figure-3"):
        note = results.notes("figure-3", EXPERTS[0], data=data)[0]
        if "words" in note:
            sizes = ", ".join(f"{name} {size:,} words" for name, size in note["words"].items())
            parts.append(
                f"{data}: {sizes}; {note['models']:,} models, {note['distractors']:,} distractors, "
                f"{note['probes']:,} probes"
            )
    return "; ".join(parts)


def _judged(
    results: Results, experiment: str, judge: Callable[[str], Findings], *, over: str
) -> Verdict:
    """Set by set, with how much it mattered which expert was taken where it does not hold."""
    return each_set(
        results, experiment, judge, over=over, here=_here(results),
        why=lambda lost: _alike(results, lost),
    )  # fmt: skip


def _alike(results: Results, sets: Sequence[str]) -> str:
    """How much there was to gain: what an expert taken at random reaches of the best."""
    shares = []
    for data in sets:
        means = [results.mean("figure-3", e, "recognition", data=data) for e in EXPERTS]
        if max(means) > 0:
            shares.append(f"{np.mean(means) / max(means):.3f} on {data}")
    return f"of the best, an expert taken at random reaches {', '.join(shares)}" if shares else ""


def best_experts(results: Results) -> Verdict:
    """The best of AKM large with binary words or raw ones under l1, above the best other expert."""

    def judge(data: str) -> Findings:
        values = {e: results.by_query("figure-3", e, "recognition", data=data) for e in EXPERTS}
        named = [f"{_LARGE}:{way}" for way in _BEST_WAYS]
        mine = max(named, key=lambda e: _mean(values[e]))
        others = [e for e in EXPERTS if e not in named]
        best = max(others, key=lambda e: _mean(values[e]))
        low = min(_mean(one) for one in values.values())
        return Findings(
            [above(f"{mine} over {best}, recognition", values[mine], values[best])],
            f"{mine} {_mean(values[mine]):.3f}, {best} {_mean(values[best]):.3f}, the lowest "
            f"{low:.3f}",
        )

    return _judged(results, "figure-3", judge, over="probes")


def _offline(results: Results, system: str, measure: str, data: str) -> dict[str, float]:
    return results.by_part("figures-4-6", system, measure, data=data)


def vote_range(results: Results) -> Verdict:
    """Hedge(0.1) and Exp3(0.1) with rank loss: the vote at 96% of the best expert or more."""

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for chooser in _CHOOSERS:
            votes = {name: _offline(results, f"{chooser}(0.1) rank", name, data) for name in VOTES}
            evidence.append(above(f"{chooser}, vote − .96 of the best", votes["vote"], 0.96))
            figures.append(
                f"{chooser} " + ", ".join(f"{VOTES[n]} {_mean(v):.3f}" for n, v in votes.items())
            )
        even = {name: _mean(_offline(results, EVEN, name, data)) for name in VOTES}
        figures.append("even weights " + ", ".join(f"{VOTES[n]} {v:.3f}" for n, v in even.items()))
        return Findings(evidence, "; ".join(figures))

    return _judged(results, "figures-4-6", judge, over="splits")


def learning_pays(results: Results) -> Verdict:
    """Ours: Hedge(0.1)'s weights above even ones, in each of the three votes."""

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for name, said in VOTES.items():
            mine, even = (_offline(results, s, name, data) for s in ("hedge(0.1) rank", EVEN))
            evidence.append(above(f"vote {said}, over even weights", mine, even))
            figures.append(f"{said} {_mean(mine):.3f} against {_mean(even):.3f}")
        return Findings(evidence, ", ".join(figures))

    return _judged(results, "figures-4-6", judge, over="splits")


def _over_grid(results: Results, chooser: str, measure: str, data: str) -> dict[str, float]:
    """The mean over rates and losses, split by split."""
    return mean_of(
        [
            _offline(results, f"{chooser}({rate}) {loss}", measure, data)
            for rate in RATES
            for loss in LOSSES
        ]
    )


def vote_beats_heaviest(results: Results) -> Verdict:
    """The vote above the heaviest expert, on average over the grid, for both choosers."""

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for chooser in _CHOOSERS:
            vote, heaviest = (
                _over_grid(results, chooser, measure, data) for measure in ("vote", "heaviest")
            )
            evidence.append(above(f"{chooser}, vote over heaviest", vote, heaviest))
            figures.append(f"{chooser} {_mean(vote):.3f} against {_mean(heaviest):.3f}")
        return Findings(evidence, ", ".join(figures))

    return _judged(results, "figures-4-6", judge, over="splits")


def hedge_beats_exp3(results: Results) -> Verdict:
    """Over the grid, with the heaviest expert and with the vote."""

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for measure in ("heaviest", "vote"):
            mine, theirs = (_over_grid(results, c, measure, data) for c in _CHOOSERS)
            evidence.append(above(f"hedge over exp3, {measure}", mine, theirs))
            figures.append(f"{measure} {_mean(mine):.3f} against {_mean(theirs):.3f}")
        return Findings(evidence, ", ".join(figures))

    return _judged(results, "figures-4-6", judge, over="splits")


def weights_tell(results: Results) -> Verdict:
    """Weights of Hedge(0.1) go with performance, and more than those of Exp3(0.1)."""

    def judge(data: str) -> Findings:
        hedge, exp3 = (_offline(results, f"{c}(0.1) rank", "correlation", data) for c in _CHOOSERS)
        evidence = [
            above("hedge's correlation", hedge, 0.0),
            above("hedge's correlation over exp3's", hedge, exp3),
        ]
        return Findings(evidence, f"hedge {_mean(hedge):.2f}, exp3 {_mean(exp3):.2f}")

    return _judged(results, "figures-4-6", judge, over="splits")


def rank_loss_offline(results: Results) -> Verdict:
    """Offline, rank loss above binary loss over the grid."""

    def judge(data: str) -> Findings:
        each = [
            gaps(*(_offline(results, f"{c}({rate}) {loss}", measure, data)
                   for loss in ("rank", "binary")))
            for c in _CHOOSERS for rate in RATES for measure in ("heaviest", "vote")
        ]  # fmt: skip
        mean = mean_of(each)
        return Findings([above("rank loss over binary loss", mean, 0.0)], f"{_mean(mean):+.4f}")

    return _judged(results, "figures-4-6", judge, over="splits")


def _online(results: Results, system: str, data: str) -> dict[str, float]:
    return results.by_part("figure-7", system, "relative", data=data)


def hedge_online(results: Results) -> Verdict:
    """Hedge(0.5), binary loss: at least 94% of the best expert."""

    def judge(data: str) -> Findings:
        value = _online(results, "hedge(0.5) binary", data)
        return Findings([above("hedge(0.5) − .94 of the best", value, 0.94)], f"{_mean(value):.3f}")

    return _judged(results, "figure-7", judge, over="orders")


def exp3_online(results: Results) -> Verdict:
    """Exp3(0.1), binary loss: at least 70% of the best expert, and less than Hedge."""

    def judge(data: str) -> Findings:
        value, hedge = (
            _online(results, f"{way} binary", data) for way in ("exp3(0.1)", "hedge(0.5)")
        )
        evidence = [
            above("exp3(0.1) − .70 of the best", value, 0.70),
            above("hedge(0.5) over exp3(0.1)", hedge, value),
        ]
        return Findings(evidence, f"{_mean(value):.3f}, hedge(0.5) {_mean(hedge):.3f}")

    return _judged(results, "figure-7", judge, over="orders")


def best_rates(results: Results) -> Verdict:
    """Hedge(0.5) and Exp3(0.1) within a hundredth of every other rate of theirs, or above."""

    def judge(data: str) -> Findings:
        evidence: list[ClaimEvidence] = []
        figures = []
        for chooser, rate in (("hedge", "0.5"), ("exp3", "0.1")):
            by_rate = {r: _online(results, f"{chooser}({r}) binary", data) for r in RATES}
            evidence += [
                above(f"{chooser}({rate}) − {chooser}({r}) + .01", by_rate[rate], by_rate[r],
                      by=-0.01)
                for r in RATES if r != rate
            ]  # fmt: skip
            figures += [f"{chooser}({r}) {_mean(v):.3f}" for r, v in by_rate.items()]
        return Findings(evidence, ", ".join(figures))

    return _judged(results, "figure-7", judge, over="orders")


def binary_online(results: Results) -> Verdict:
    """Online, binary loss above rank loss over the grid."""

    def judge(data: str) -> Findings:
        each = [
            gaps(*(_online(results, f"{c}({rate}) {loss}", data) for loss in ("binary", "rank")))
            for c in _CHOOSERS
            for rate in RATES
        ]
        mean = mean_of(each)
        return Findings([above("binary loss over rank loss", mean, 0.0)], f"{_mean(mean):+.4f}")

    return _judged(results, "figure-7", judge, over="orders")


def soon(results: Results) -> Verdict:
    """Hedge(0.5) at 90% of the best expert after 100 probes, or from its last one on."""

    def judge(data: str) -> Findings:
        places = results.positions("figure-8", "relative", data=data)
        at = min((place for place in places if place >= 100), default=places[-1])
        values = results.by_part("figure-8", "hedge(0.5) binary", "relative", data=data, at=at)
        return Findings(
            [above(f"hedge(0.5) − .90 after {at:.0f} probes", values, 0.90)],
            f"{_mean(values):.3f} after {at:.0f} probes",
        )

    return _judged(results, "figure-8", judge, over="orders")


CLAIMS = (
    Claim("AKM-1M gives the best results, with binary histograms or raw ones and the l1 distance.",
          "Section 6, Figure 3", best_experts),
    Claim("With a weighted majority vote the lowest performance is 96% of the best expert, the "
          "highest exceeds it by 6%.", "Section 6.1, Figure 6a", vote_range),
    Claim("A weighted majority vote outperforms choosing the expert with maximum weight.",
          "Section 6.1, Figures 4 and 5", vote_beats_heaviest),
    Claim("Hedge is better than Exp3, with the vote and with the heaviest expert.",
          "Section 6.1", hedge_beats_exp3),
    Claim("Hedge produces weights that are correlated with the experts' performance, unlike Exp3.",
          "Section 6.1, Figure 6b", weights_tell),
    Claim("Offline, the rank loss is generally better than the binary loss.",
          "Section 6.1", rank_loss_offline),
    Claim("Online, Hedge(0.5) reaches 94 to 97% of the best single expert.",
          "Section 6.2, Figure 8a", hedge_online),
    Claim("Online, Exp3(0.1) reaches 70 to 90% of it.", "Section 6.2, Figure 8a", exp3_online),
    Claim("Hedge(0.5) and Exp3(0.1) give the best online performance (up to a hundredth).",
          "Section 6.2, Figure 7", best_rates),
    Claim("Online, the binary loss is better than the rank loss.", "Section 6.2", binary_online),
    Claim("Hedge(0.5) is within 90% of the best after about 100 probes.",
          "Section 6.2, Figure 8b", soon),
    Claim("What Hedge learns is worth more than even weights, however votes are counted.",
          "ours", learning_pays),
)  # fmt: skip
