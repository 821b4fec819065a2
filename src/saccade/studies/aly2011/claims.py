"""What Aly claims, and how our results judge it. Means are over splits or orders (seeds)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from saccade.studies.aly2011.figures import EXPERTS, LOSSES, RATES
from saccade.studies.declaration import Claim, Verdict
from saccade.studies.results import Results, each_set

_BEST_VOCABULARY = "akm-large"
_BEST_WAYS = ("binary,l2,l2", "binary,l1,l1", "none,l1,l1")


def _even(results: Results, data: str) -> float:
    """What drawing the experts evenly would reach, relative to the best."""
    found = [results.mean("figure-3", e, "recognition", data=data) for e in EXPERTS]
    return float(np.mean(found) / max(found)) if max(found) > 0 else 0.0


def _alike(results: Results) -> str:
    """How much it matters which expert is taken."""
    shares = [f"{_even(results, data):.3f} on {data}" for data in results.data("figure-3")]
    return f"of the best, an expert taken at random reaches {', '.join(shares)}" if shares else ""


def _short(results: Results) -> str:
    """How much there is to gain on a pass, and how long it is."""
    parts = []
    for data in results.data("figure-8"):
        at, _ = results.curve("figure-8", "hedge(0.5) binary", "relative", data=data)
        parts.append(f"{at[-1]:.0f} probes for twenty experts on {data}")
    return "; ".join(part for part in (*parts, _alike(results)) if part)


def _judged(
    results: Results,
    experiment: str,
    judge: Callable[[str], tuple[bool, str]],
    why: Callable[[Results], str],
) -> Verdict:
    """Set by set, with the reason where it does not hold."""
    holds, figure = each_set(results, experiment, judge)
    return Verdict(holds, figure, why(results) if holds is False else "")


def best_experts(results: Results) -> Verdict:
    """The first expert is AKM large with binary words or raw ones under l1, on every set."""

    def judge(data: str) -> tuple[bool, str]:
        found = {e: results.mean("figure-3", e, "recognition", data=data) for e in EXPERTS}
        first = max(found, key=lambda expert: found[expert])
        vocabulary, _, way = first.partition(":")
        alike = [e for e in found if found[e] == found[first]]
        figure = f"{first} {found[first]:.3f}, the lowest {min(found.values()):.3f}"
        if len(alike) > 1:
            figure += f" ({len(alike)} experts share the first place)"
        return vocabulary == _BEST_VOCABULARY and way in _BEST_WAYS, figure

    return Verdict(*each_set(results, "figure-3", judge))


def _offline(results: Results, system: str, measure: str, data: str) -> float:
    return results.mean("figures-4-6", system, measure, data=data)


def vote_range(results: Results) -> Verdict:
    """Hedge(0.1) and Exp3(0.1) with rank loss: the vote at 96% of the best expert or more."""

    def judge(data: str) -> tuple[bool, str]:
        found = [_offline(results, f"{c}(0.1) rank", "vote", data) for c in ("hedge", "exp3")]
        even = _offline(results, "even weights", "vote", data)
        figure = f"hedge {found[0]:.3f}, exp3 {found[1]:.3f} (even weights {even:.3f})"
        return min(found) >= 0.96, figure

    return _judged(results, "figures-4-6", judge, _alike)


def vote_beats_heaviest(results: Results) -> Verdict:
    """The vote above the heaviest expert, on average over the grid, for both choosers."""

    def judge(data: str) -> tuple[bool, str]:
        gaps = {
            chooser: _over_grid(results, chooser, "vote", data)
            - _over_grid(results, chooser, "heaviest", data)
            for chooser in ("hedge", "exp3")
        }
        figure = ", ".join(f"{chooser} {gap:+.3f}" for chooser, gap in gaps.items())
        return all(gap > 0 for gap in gaps.values()), figure

    return _judged(results, "figures-4-6", judge, _alike)


def _over_grid(results: Results, chooser: str, measure: str, data: str) -> float:
    return float(
        np.mean([
            _offline(results, f"{chooser}({rate}) {loss}", measure, data)
            for rate in RATES for loss in LOSSES
        ])
    )  # fmt: skip


def hedge_beats_exp3(results: Results) -> Verdict:
    """Over the grid, with the heaviest expert and with the vote."""

    def judge(data: str) -> tuple[bool, str]:
        gaps = {
            measure: _over_grid(results, "hedge", measure, data)
            - _over_grid(results, "exp3", measure, data)
            for measure in ("heaviest", "vote")
        }
        figure = ", ".join(f"{measure} {gap:+.3f}" for measure, gap in gaps.items())
        return all(gap >= 0 for gap in gaps.values()), figure

    return _judged(results, "figures-4-6", judge, _alike)


def weights_tell(results: Results) -> Verdict:
    """Weights of Hedge(0.1) go with performance, and more than those of Exp3(0.1)."""

    def judge(data: str) -> tuple[bool, str]:
        hedge, exp3 = (
            _offline(results, f"{c}(0.1) rank", "correlation", data) for c in ("hedge", "exp3")
        )
        return hedge > 0.3 and hedge > exp3, f"hedge {hedge:.2f}, exp3 {exp3:.2f}"

    return _judged(results, "figures-4-6", judge, _alike)


def rank_loss_offline(results: Results) -> Verdict:
    """Offline, rank loss above binary loss over the grid."""

    def judge(data: str) -> tuple[bool, str]:
        gap = float(
            np.mean([
                _offline(results, f"{chooser}({rate}) rank", measure, data)
                - _offline(results, f"{chooser}({rate}) binary", measure, data)
                for chooser in ("hedge", "exp3") for rate in RATES
                for measure in ("heaviest", "vote")
            ])
        )  # fmt: skip
        return gap > 0, f"{gap:+.4f}"

    return _judged(results, "figures-4-6", judge, _alike)


def _online(results: Results, system: str, data: str) -> float:
    return results.mean("figure-7", system, "relative", data=data)


def hedge_online(results: Results) -> Verdict:
    """Hedge(0.5), binary loss: at least 94% of the best expert."""

    def judge(data: str) -> tuple[bool, str]:
        value = _online(results, "hedge(0.5) binary", data)
        return value >= 0.94, f"{value:.3f}"

    return _judged(results, "figure-7", judge, _short)


def exp3_online(results: Results) -> Verdict:
    """Exp3(0.1), binary loss: at least 70% of the best expert, and less than Hedge."""

    def judge(data: str) -> tuple[bool, str]:
        value = _online(results, "exp3(0.1) binary", data)
        return 0.70 <= value < _online(results, "hedge(0.5) binary", data), f"{value:.3f}"

    return _judged(results, "figure-7", judge, _short)


def best_rates(results: Results) -> Verdict:
    """Hedge(0.5) and Exp3(0.1) lead their grids, binary loss, up to a hundredth."""

    def judge(data: str) -> tuple[bool, str]:
        leads, parts = [], []
        for chooser, rate in (("hedge", "0.5"), ("exp3", "0.1")):
            found = {r: _online(results, f"{chooser}({r}) binary", data) for r in RATES}
            first = max(found, key=lambda r: found[r])
            leads.append(found[rate] >= found[first] - 0.01)
            parts.append(f"{chooser}({first}) {found[first]:.3f}")
        return all(leads), ", ".join(parts)

    return _judged(results, "figure-7", judge, _short)


def binary_online(results: Results) -> Verdict:
    """Online, binary loss above rank loss over the grid."""

    def judge(data: str) -> tuple[bool, str]:
        binary, rank = (
            np.mean([
                _online(results, f"{chooser}({rate}) {loss}", data)
                for chooser in ("hedge", "exp3") for rate in RATES
            ])
            for loss in LOSSES
        )  # fmt: skip
        return bool(binary > rank), f"{binary - rank:+.4f}"

    return _judged(results, "figure-7", judge, _short)


def soon(results: Results) -> Verdict:
    """Hedge(0.5) at 90% of the best expert after 100 probes, or from its last one on."""

    def judge(data: str) -> tuple[bool, str]:
        at, values = results.curve("figure-8", "hedge(0.5) binary", "relative", data=data)
        after = min(int(np.searchsorted(at, 100)), len(at) - 1)
        return bool(values[after] >= 0.90), f"{values[after]:.3f} after {at[after]:.0f} probes"

    return _judged(results, "figure-8", judge, _short)


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
    Claim("Hedge(0.5) and Exp3(0.1) give the best online performance.",
          "Section 6.2, Figure 7", best_rates),
    Claim("Online, the binary loss is better than the rank loss.", "Section 6.2", binary_online),
    Claim("Hedge(0.5) is within 90% of the best after about 100 probes.",
          "Section 6.2, Figure 8b", soon),
)  # fmt: skip
