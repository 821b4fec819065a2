"""What Wan et al. claim, and how our results judge it: over queries, and for time over amounts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from saccade.studies.declaration import FAILS, Claim, Verdict
from saccade.studies.results import NotMeasured, Results
from saccade.studies.verdicts import (
    ClaimEvidence,
    Findings,
    above,
    advantage,
    each_set,
    mean_of,
    not_measured,
)
from saccade.studies.wan2015 import distractors, live, printed, table2, timing, trees

NEAR = 0.02  # mAP within which learners are called comparable
_TABLE, _LIVE, _CURVE = "table-2", "figures-3-4", "figure-2-curve"
ORDERS = "orders"


def _mean(values: Mapping[str, float]) -> float:
    return float(np.mean(list(values.values()))) if values else float("nan")


def _label(system: str) -> str:
    return table2.SYSTEM_LABELS.get(system, system)


def _ran(results: Results, group: Sequence[str], experiment: str = _TABLE) -> list[str]:
    """Those of a group that were run; one at least."""
    systems = [system for system in group if system in results.systems(experiment)]
    if not systems:
        raise NotMeasured(f"{experiment} of {', '.join(group)}")
    return systems


def _maps(
    results: Results, systems: Sequence[str], data: str, experiment: str = _TABLE
) -> dict[str, dict[str, float]]:
    return {s: results.by_query(experiment, s, "map", data=data) for s in systems}


def _best(values: Mapping[str, Mapping[str, float]]) -> str:
    return max(values, key=lambda system: _mean(values[system]))


def _sizes(results: Results, system: str, experiment: str = _TABLE) -> str:
    """What a learner had to learn from and to judge by, as it was run."""
    parts = []
    for data in results.data(experiment):
        notes = results.notes(experiment, system, data=data)
        if notes and "sizes" in notes[0]:
            size = notes[0]["sizes"]
            judged = sum(note["sizes"]["test_queries"] for note in notes)
            parts.append(
                f"{data}: {size['training_pairs']:,} pairs ({size['training_rows']:,} rows, "
                f"{size['training_queries']:,} queries) a fold, {judged} test queries"
            )
    return "; ".join(parts)


def _over_heuristics(results: Results, group: Sequence[str]) -> Verdict:
    """Every learner above the better heuristic."""

    def judge(data: str) -> Findings:
        bars = _maps(results, _ran(results, printed.HEURISTICS), data)
        bar = _best(bars)
        values = _maps(results, learners, data)
        evidence = [above(f"{_label(s)} over {_label(bar)}, mAP", values[s], bars[bar])
                    for s in learners]  # fmt: skip
        figure = ", ".join(f"{_label(s)} {_mean(one):.4f}" for s, one in values.items())
        return Findings(evidence, f"{_label(bar)} {_mean(bars[bar]):.4f}; {figure}")

    learners = _ran(results, [s for s in group if s not in printed.HEURISTICS])
    return each_set(
        results, _TABLE, judge, over="queries", here=_sizes(results, learners[-1]),
        why=lambda lost: _folds(results, learners, lost),
    )  # fmt: skip


def _folds(results: Results, learners: Sequence[str], sets: Sequence[str]) -> str:
    """Of the learner that ends lowest: its folds, and what it reaches over other orders."""
    sentences = []
    for data in sets:
        worst = min(learners, key=lambda s: results.mean(_TABLE, s, "map", data=data))
        spread = results.spread(_TABLE, worst, "map", data=data)
        folds = ", ".join(f"{value:.3f}" for value in spread)
        sentences.append(f"{data}: {_label(worst)} fold by fold {folds}")
        if ORDERS in results.ran and worst in results.systems(ORDERS, data=data):
            orders = results.spread(ORDERS, worst, "map", data=data)
            sentences[-1] += (
                f"; over {len(orders)} orders of fold 1 {orders.mean():.3f} ± {orders.std():.3f}, "
                f"{orders.min():.3f} to {orders.max():.3f}"
            )
    return "; ".join(sentences)


def learning_pays(results: Results) -> Verdict:
    """In the paper's form."""
    return _over_heuristics(results, table2.PAPER_SYSTEMS)


def ours_pays(results: Results) -> Verdict:
    """In ours."""
    return _over_heuristics(results, table2.OUR_SYSTEMS)


def _trees_lead(results: Results, form: str) -> Verdict:
    """λ-MART above the best of the other batch learners."""
    mine = "lambdamart" + form
    others = [s + form for s in printed.BATCH if s != "lambdamart"]

    def judge(data: str) -> Findings:
        values = _maps(results, [mine, *_ran(results, others)], data)
        rest = {s: one for s, one in values.items() if s != mine}
        evidence = above(f"λ-MART over {_label(_best(rest))}, mAP", values[mine], rest[_best(rest)])
        return Findings(
            [evidence], ", ".join(f"{_label(s)} {_mean(one):.4f}" for s, one in values.items())
        )

    return each_set(
        results, _TABLE, judge, over="queries", here=_sizes(results, mine),
        why=lambda lost: "" if form else _why_trees(results),
    )  # fmt: skip


def trees_lead(results: Results) -> Verdict:
    """Instances read as pairs."""
    return _trees_lead(results, "")


def trees_lead_in_rows(results: Results) -> Verdict:
    """Instances read as rows."""
    return _trees_lead(results, table2.OURS)


def _why_trees(results: Results) -> str:
    """What the variants of λ-MART say, in figures; what was not run says nothing."""
    if "lambdamart" not in results.ran:
        return ""
    ran = results.systems("lambdamart")
    mean = {s: results.mean("lambdamart", s, table2.MEASURE) for s in ran}
    seen = {s: results.mean("lambdamart", s, trees.TRAINING) for s in ran}
    plain, linear = trees.PLAIN, trees.LINEAR
    sentences = [f"{_fit(mean, seen)}, from {_lists(results, plain)}"]
    moved = {s: mean[s] - mean[plain] for s in ran if trees.VARIANTS[s].ranker != "opar2"}
    del moved[plain]
    if moved:
        worst, best = min(moved, key=lambda s: moved[s]), max(moved, key=lambda s: moved[s])
        sentences.append(
            f"most lost by {worst} ({moved[worst]:+.4f}), most gained by {best} "
            f"({moved[best]:+.4f})"
        )
    for change, beside in ((trees.FEWER, trees.LINEAR_FEWER), (trees.NARROW, trees.LINEAR_NARROW)):
        if change in mean and beside in mean:
            other = mean[beside] - mean[linear]
            sentences.append(
                f"{change} ({_lists(results, change)}) moves it by {moved[change]:+.4f}, OPAR-II "
                f"by {other:+.4f}"
            )
    return "; ".join(sentences)


def _fit(mean: Mapping[str, float], seen: Mapping[str, float]) -> str:
    """Whether it fits what it saw, and what is left of that on new queries."""
    plain, linear = trees.PLAIN, trees.LINEAR
    figures = (
        f"λ-MART {mean[plain]:.4f} (in training {seen[plain]:.4f}), "
        f"OPAR-II {mean[linear]:.4f} ({seen[linear]:.4f})"
    )
    ahead, before = mean[plain] > mean[linear], seen[plain] > seen[linear]
    words = {
        (True, True): "it leads on old and new queries",
        (True, False): "it leads on new queries alone",
        (False, True): "it fits what it learned from better and new queries worse",
        (False, False): "it fits even what it learned from no better",
    }
    return f"{figures}: {words[ahead, before]}"


def _lists(results: Results, system: str) -> str:
    """How many training queries a variant had, and how long their lists were."""
    sizes = [note["sizes"] for note in results.notes("lambdamart", system)]
    queries = sum(one["training_queries"] for one in sizes)
    rows = sum(one["training_rows"] for one in sizes)
    return f"{queries / len(sizes):.0f} queries of {rows / queries:.0f} rows"


def online_is_comparable(results: Results) -> Verdict:
    """Mean of the four online learners within `NEAR` of that of the four batch learners."""

    def judge(data: str) -> Findings:
        online, batch = (
            mean_of(list(_maps(results, _ran(results, group), data).values()))
            for group in (printed.ONLINE, printed.BATCH)
        )
        return Findings(
            [above(f"online − batch + {NEAR}, mAP", online, batch, by=-NEAR)],
            f"online {_mean(online):.4f}, batch {_mean(batch):.4f}",
        )

    last = _ran(results, printed.ONLINE)[-1]
    return each_set(results, _TABLE, judge, over="queries", here=_sizes(results, last))


def bounds_hold(results: Results) -> Verdict:
    """MAP above its bound at every place of the stream where the bound says anything."""
    broken: list[str] = []

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for system in results.systems("bounds", data=data):
            at, measured = results.curve("bounds", system, "MAP", data=data)
            _, bound = results.curve("bounds", system, "MAP bound", data=data)
            says = bound > 0
            gap = {f"{a:.0f}": float(m - b) for a, m, b in zip(at, measured, bound, strict=True)
                   if b > 0}  # fmt: skip
            name = printed.LABELS[system]
            if gap:
                evidence.append(advantage(f"{name}, MAP − bound", gap))
                figures.append(f"{name} MAP {measured[-1]:.3f} ≥ {bound[says][-1]:.3f}")
                broken.extend(f"{data} {name} at {a}" for a, value in gap.items() if value < 0)
            else:
                figures.append(f"{name}'s bound is below 0 everywhere and says nothing")
        return Findings(evidence, "; ".join(figures))

    verdict = each_set(results, "bounds", judge, over="places of the stream", here=_stream(results))
    # A theorem falls with one place.
    return replace(verdict, kind=FAILS, why=f"below: {', '.join(broken)}") if broken else verdict


def _stream(results: Results) -> str:
    """How long the stream was, as it was run."""
    return f"a stream of {max(results.positions('bounds', 'MAP'), default=0):,.0f} instances"


def regret_falls(results: Results) -> Verdict:
    """Regret a pair falls from place to place, for the three learners whose regret is bounded."""

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for system in results.systems("bounds", data=data):
            at, regret = results.curve("bounds", system, "regret a pair", data=data)
            if system == "opr" or len(at) < 3:
                continue
            drops = dict(zip(map(str, at[1:]), (regret[:-1] - regret[1:]).tolist(), strict=True))
            name = printed.LABELS[system]
            evidence.append(advantage(f"{name}, fall of regret a pair from place to place", drops))
            figures.append(f"{name} {regret[0]:.3f} to {regret[-1]:.3f}")
        return Findings(evidence, ", ".join(figures))

    return each_set(results, "bounds", judge, over="places of the stream", here=_stream(results))


def online_is_faster(results: Results) -> Verdict:
    """Figure 1: at each amount, the slowest online learner against the fastest batch one."""

    def judge(data: str) -> Findings:
        taken = {
            s: dict(zip(*map(np.ndarray.tolist, results.curve("figure-1", s, timing.MEASURE,
                                                              data=data)), strict=True))
            for s in results.systems("figure-1", data=data)
        }  # fmt: skip
        online, batch = (
            [taken[s] for s in group if s in taken] for group in (printed.ONLINE, printed.BATCH)
        )
        amounts = sorted(set.intersection(*(set(one) for one in (*online, *batch))))
        slow = {str(n): max(one[n] for one in online) for n in amounts}
        quick = {str(n): min(one[n] for one in batch) for n in amounts}
        ratio = {n: float(np.log10(quick[n] / slow[n])) for n in slow}
        last = str(amounts[-1])
        return Findings(
            [advantage("powers of ten between the fastest batch and slowest online fit", ratio)],
            f"{amounts[-1]:,.0f} instances: slowest online {slow[last]:.3g} s, fastest batch "
            f"{quick[last]:.3g} s",
        )

    most = max(results.positions("figure-1", timing.MEASURE), default=0)
    here = f"up to {most:,.0f} instances, default settings"
    return each_set(results, "figure-1", judge, over="amounts", here=here)


def three_million(results: Results) -> Verdict:
    """Table 3: every online learner faster than RankSVM, and by how much."""

    def judge(data: str) -> Findings:
        seconds = {
            s: results.mean("table-3", s, timing.MEASURE, data=data)
            for s in ("ranksvm", *printed.ONLINE)
        }
        ratio = {s: float(np.log10(seconds["ranksvm"] / seconds[s])) for s in printed.ONLINE}
        slowest = max(seconds[s] for s in printed.ONLINE)
        return Findings(
            [advantage("powers of ten between RankSVM and an online learner", ratio)],
            f"RankSVM {seconds['ranksvm']:.3g} s, online {slowest:.3g} s at "
            f"most (printed: 4737 and 2307)",
        )

    had = [
        f"{data}: {results.mean('table-3', 'opr', 'instances', data=data):,.0f} instances"
        for data in results.data("table-3")
    ]
    return each_set(results, "table-3", judge, over="online learners", here="; ".join(had))


def crowd(results: Results) -> Verdict:
    """Figure 2: online learners above both heuristics among distractors, and near RankSVM."""

    def judge(data: str) -> Findings:
        values = _maps(results, distractors.SYSTEMS, data, "figure-2")
        bar = _best({s: values[s] for s in printed.HEURISTICS})
        best = _best({s: values[s] for s in printed.ONLINE})
        among = results.notes("figure-2", "uniform", data=data)[0]["distractors"]
        evidence = [
            above(f"{_label(s)} over {_label(bar)}, mAP", values[s], values[bar])
            for s in printed.ONLINE
        ]
        evidence.append(
            above(f"{_label(best)} − RankSVM + {NEAR}, mAP", values[best], values["ranksvm*"],
                  by=-NEAR)
        )  # fmt: skip
        figure = ", ".join(f"{_label(s)} {_mean(one):.4f}" for s, one in values.items())
        return Findings(evidence, f"{among:,} distractors: {figure}")

    return each_set(
        results, "figure-2", judge, over="queries", here=_sizes(results, "opr", "figure-2")
    )


def curve(results: Results) -> Verdict:
    """Figure 2's curve: at every number of distractors the best online learner leads."""

    def judge(data: str) -> Findings:
        evidence: list[ClaimEvidence] = []
        figures = []
        for at in results.positions(_CURVE, "map", data=data):
            values = {
                s: results.by_query(_CURVE, s, "map", data=data, at=at)
                for s in (*printed.HEURISTICS, *printed.ONLINE)
            }
            bar = _best({s: values[s] for s in printed.HEURISTICS})
            best = _best({s: values[s] for s in printed.ONLINE})
            evidence.append(
                above(f"{_label(best)} over {_label(bar)} among {at:,.0f}, mAP", values[best],
                      values[bar])
            )  # fmt: skip
            figures.append(f"{at:,.0f}: {_mean(values[best]):.4f} against {_mean(values[bar]):.4f}")
        kinds = results.notes(_CURVE, "uniform", data=data)[0]["distractors"]
        amounts = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())
        return Findings(evidence, f"{amounts}; best online against best heuristic at "
                               f"{'; '.join(figures)}")  # fmt: skip

    trained = results.notes(_CURVE, "opr")[0].get("trained among")
    here = (
        "trained on the set alone" if trained is None
        else "trained among other distractors of the same kinds, as many as in the test up to "
        f"{max(trained.values()):,}"
    )  # fmt: skip
    return each_set(results, _CURVE, judge, over="queries", here=here)


def _ndcg(results: Results, system: str, data: str) -> dict[str, float]:
    return results.by_query(_LIVE, system, live.NDCG, data=data)


def live_gain(results: Results) -> Verdict:
    """Figure 3: every online learner above Uni-Con over the whole sequence."""
    return _live_gain(results, _ran(results, printed.ONLINE, _LIVE))


def live_gain_of_means(results: Results) -> Verdict:
    """The same with the mean of all weights so far."""
    return _live_gain(results, _ran(results, live.MEAN, _LIVE))


def product_gain(results: Results) -> Verdict:
    """The product itself."""
    return _live_gain(results, _ran(results, ["saccade"], _LIVE))


def _live_gain(results: Results, systems: Sequence[str]) -> Verdict:
    def judge(data: str) -> Findings:
        plain = _ndcg(results, "uniform", data)
        values = {s: _ndcg(results, s, data) for s in systems}
        evidence = [
            above(f"{live.LABELS.get(s, s)} over Uni-Con, NDCG@50", values[s], plain)
            for s in systems
        ]
        figure = ", ".join(f"{live.LABELS.get(s, s)} {_mean(v):.4f}" for s, v in values.items())
        return Findings(evidence, f"Uni-Con {_mean(plain):.4f}; {figure}")

    return each_set(results, _LIVE, judge, over="queries", here=_asked(results))


def _asked(results: Results) -> str:
    return "; ".join(
        f"{data}: {results.notes(_LIVE, 'uniform', data=data)[0]['queries']:,} queries in sequence"
        for data in results.data(_LIVE)
    )


def live_time(results: Results) -> Verdict:
    """Figure 4: learning online costs less than a tenth of retraining RankSVM on its reservoir."""

    def judge(data: str) -> Findings:
        taken = {
            s: results.curve(_LIVE, s, live.MEASURES[1], data=data)
            for s in ("ranksvm", *printed.ONLINE)
        }
        at, batch = taken["ranksvm"]
        slowest = max(printed.ONLINE, key=lambda s: taken[s][1][-1])
        online = taken[slowest][1]
        steps = np.diff(batch, prepend=0.0) / 10 - np.diff(online, prepend=0.0)
        spans = dict(zip(map(str, at), steps.tolist(), strict=True))
        return Findings(
            [advantage(f"a tenth of RankSVM's seconds less {_label(slowest)}'s, by span", spans)],
            f"online {online[-1]:.3g} s at most, RankSVM {batch[-1]:.3g} s with a fit every "
            f"{live.EVERY} queries",
        )

    return each_set(results, _LIVE, judge, over="spans of queries", here=_asked(results))


def orders_matter_little(results: Results) -> Verdict:
    """Ours: over ten orders of the same instances OPR stays above the better heuristic."""
    if ORDERS not in results.ran:
        raise NotMeasured(ORDERS)

    def judge(data: str) -> Findings:
        bars = {
            s: results.mean(ORDERS, s, "map", data=data) for s in printed.HEURISTICS
            if s in results.systems(ORDERS, data=data)
        }  # fmt: skip
        bar = max(bars, key=lambda s: bars[s])
        evidence, figures = [], []
        for system in results.systems(ORDERS, data=data):
            if system in bars:
                continue
            values = results.by_part(ORDERS, system, "map", data=data)
            evidence.append(above(f"{_label(system)} over {_label(bar)}, mAP", values, bars[bar]))
            spread = list(values.values())
            figures.append(
                f"{_label(system)} {np.mean(spread):.4f} ± {np.std(spread):.4f}, {min(spread):.4f} "
                f"to {max(spread):.4f}"
            )
        return Findings(evidence, f"{_label(bar)} {bars[bar]:.4f}; {'; '.join(figures)}")

    if not results.data(ORDERS):
        return not_measured(f"{ORDERS} had no set to run on")
    return each_set(
        results, ORDERS, judge, over="orders", here="one pass, the last weights, fold 1"
    )


CLAIMS = (
    Claim("All learning to rank algorithms outperform the two heuristic baselines.",
          "Section 5.3, Table 2", learning_pays),
    Claim("The same with rows for instances, more passes, mean weights.", "Table 2, ours",
          ours_pays),
    Claim("λ-MART is the best batch learner (the paper: on 2 of 4 sets), instances read as pairs.",
          "Section 5.3, Table 2", trees_lead),
    Claim("The same, instances read as rows.", "Section 5.3, Table 2", trees_lead_in_rows),
    Claim(f"Online learners are as effective as batch ones (within {NEAR} mAP, on average).",
          "Section 5.3, Table 2", online_is_comparable),
    Claim("MAP is bounded from below by the loss of any fixed weights (where the bound is above "
          "nought).", "Theorems 1–3", bounds_hold),
    Claim("Regret a pair falls along the stream.", "Section 4", regret_falls),
    Claim("Online learners are much faster than batch ones.", "Figure 1", online_is_faster),
    Claim("Among distractors online learners beat the heuristics and match RankSVM.", "Figure 2",
          crowd),
    Claim("However many distractors there are, online learning stays ahead of the heuristics.",
          "Figure 2", curve),
    Claim("On 3 million instances every online learner is faster than RankSVM.", "Table 3",
          three_million),
    Claim("Live, online learners improve NDCG@50 over Uni-Con.", "Figure 3", live_gain),
    Claim("Live, they cost far less than retraining RankSVM.", "Figure 4", live_time),
    Claim("Live, the mean of all weights so far improves NDCG@50 over Uni-Con.", "ours",
          live_gain_of_means),
    Claim("Live, the product improves NDCG@50 over Uni-Con.", "ours", product_gain),
    Claim("In whatever order the instances come, one pass ends above the heuristics.", "ours",
          orders_matter_little),
)  # fmt: skip
