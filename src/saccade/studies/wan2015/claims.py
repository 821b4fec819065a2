"""What Wan et al. claim, and how our results judge it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from saccade.studies.declaration import Claim, Verdict
from saccade.studies.results import NotMeasured, Results, each_set
from saccade.studies.wan2015 import distractors, live, printed, table2, timing, trees

NEAR = 0.02  # mAP within which learners are called comparable


def _named(systems: list[str]) -> str:
    return ", ".join(table2.SYSTEM_LABELS[system] for system in systems)


def _ran(results: Results, group: Sequence[str]) -> list[str]:
    """Those of a group that Table 2 was run with; one at least."""
    found = [system for system in group if system in results.systems("table-2")]
    if not {*found} - {*printed.HEURISTICS}:
        raise NotMeasured(f"table-2 of {', '.join(group)}")
    return found


def _bar(results: Results, data: str) -> float:
    """The better heuristic."""
    return max(results.mean("table-2", s, "map", data=data) for s in printed.HEURISTICS)


def learning_pays(results: Results) -> Verdict:
    """Every learner of the paper's form above both heuristics, set by set."""

    def judge(data: str) -> tuple[bool, str]:
        systems = _ran(results, table2.PAPER_SYSTEMS)
        means = {s: results.mean("table-2", s, "map", data=data) for s in systems}
        bar = _bar(results, data)
        learned = {s: value for s, value in means.items() if s not in printed.HEURISTICS}
        behind = [system for system, value in learned.items() if value <= bar]
        figure = (
            f"heuristics {bar:.4f}, learners {min(learned.values()):.4f} to "
            f"{max(learned.values()):.4f}"
        )
        lost.update(behind)
        return not behind, figure + (f", behind: {_named(behind)}" if behind else "")

    lost: set[str] = set()
    holds, figure = each_set(results, "table-2", judge)
    return Verdict(holds, figure, _why_behind(results, sorted(lost)))


def _why_behind(results: Results, lost: list[str]) -> str:
    """What the same learners reach in our form: the weights' mean over more passes."""
    ours = [system for system in lost if system + table2.OURS in results.systems("table-2")]
    if not ours:
        return ""
    found = ", ".join(
        f"{printed.LABELS[s]} {results.mean('table-2', s, 'map'):.4f} against "
        f"{results.mean('table-2', s + table2.OURS, 'map'):.4f}"
        for s in ours
    )
    return f"in the paper's form and in ours, all sets: {found}"


def ours_pays(results: Results) -> Verdict:
    """The same for our form."""

    def judge(data: str) -> tuple[bool, str]:
        bar, systems = _bar(results, data), _ran(results, table2.OUR_SYSTEMS)
        means = {s: results.mean("table-2", s, "map", data=data) for s in systems}
        behind = [system for system, value in means.items() if value <= bar]
        figure = f"{min(means.values()):.4f} to {max(means.values()):.4f} against {bar:.4f}"
        return not behind, figure + (f", behind: {_named(behind)}" if behind else "")

    return Verdict(*each_set(results, "table-2", judge))


def trees_lead(results: Results) -> Verdict:
    """λ-MART best of the batch learners on half of the sets or more, as on 2 of the paper's 4."""
    sets = results.data("table-2")
    if "lambdamart" not in results.systems("table-2"):
        raise NotMeasured("table-2 of lambdamart")
    best = {
        data: max(
            _ran(results, printed.BATCH),
            key=lambda s: results.mean("table-2", s, "map", data=data),
        )
        for data in sets
    }
    won = sum(system == "lambdamart" for system in best.values())
    figure = "; ".join(f"{data}: {printed.LABELS[system]}" for data, system in best.items())
    return Verdict(2 * won >= len(sets), f"best batch learner: {figure}", _why_trees(results))


def _why_trees(results: Results) -> str:
    """What the variants of λ-MART say, in figures; what was not run says nothing."""
    if "lambdamart" not in results.ran:
        return ""
    ran = results.systems("lambdamart")
    mean = {s: results.mean("lambdamart", s, table2.MEASURE) for s in ran}
    seen = {s: results.mean("lambdamart", s, trees.TRAINING) for s in ran}
    said = [f"{_fit(mean, seen)}, from {_lists(results, trees.PLAIN)}"]
    moved = {s: mean[s] - mean[trees.PLAIN] for s in ran if trees.VARIANTS[s].ranker != "opar2"}
    del moved[trees.PLAIN]
    if moved:
        worst, best = min(moved, key=lambda s: moved[s]), max(moved, key=lambda s: moved[s])
        said.append(
            f"most lost by {worst} ({moved[worst]:+.4f}), most gained by {best} "
            f"({moved[best]:+.4f})"
        )
    for change, beside in ((trees.FEWER, trees.LINEAR_FEWER), (trees.NARROW, trees.LINEAR_NARROW)):
        if change in mean and beside in mean:
            other = mean[beside] - mean[trees.LINEAR]
            said.append(
                f"{change} ({_lists(results, change)}) moves it by {moved[change]:+.4f}, OPAR-II "
                f"by {other:+.4f}"
            )
    return "; ".join(said)


def _lists(results: Results, system: str) -> str:
    """How many training queries a variant had, and how long their lists were."""
    sizes = [note["sizes"] for note in results.notes("lambdamart", system)]
    queries = sum(one["training_queries"] for one in sizes)
    rows = sum(one["training_rows"] for one in sizes)
    return f"{queries / len(sizes):.0f} queries of {rows / queries:.0f} rows"


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


def online_is_comparable(results: Results) -> Verdict:
    """Mean mAP of the four online learners within `NEAR` of that of the four batch learners."""

    def judge(data: str) -> tuple[bool, str]:
        online, batch = (
            float(
                np.mean(
                    [results.mean("table-2", s, "map", data=data) for s in _ran(results, group)]
                )
            )
            for group in (printed.ONLINE, printed.BATCH)
        )
        return online >= batch - NEAR, f"online {online:.4f}, batch {batch:.4f}"

    return Verdict(*each_set(results, "table-2", judge))


def bounds_hold(results: Results) -> Verdict:
    """At every place of every stream MAP lies above its bound; what each bound is worth."""
    worst, ends = np.inf, []
    for data in results.data("bounds"):
        for system in results.systems("bounds"):
            at, measured = results.curve("bounds", system, "MAP", data=data)
            _, bound = results.curve("bounds", system, "MAP bound", data=data)
            if len(at):
                worst = min(worst, float((measured - bound).min()))
                ends.append((data, system, float(measured[-1]), float(bound[-1])))
    if not ends:
        return Verdict(None, "no stream was run")
    figure = "; ".join(f"{d} {printed.LABELS[s]} MAP {m:.3f} ≥ {b:.3g}" for d, s, m, b in ends)
    empty = sorted({printed.LABELS[s] for _, s, _, bound in ends if bound <= 0})
    why = f"says nothing (below 0) for {', '.join(empty)}: their smallest step or loss divides it"
    return Verdict(worst >= 0, figure, why if empty else "")


def regret_falls(results: Results) -> Verdict:
    """Regret a pair at the end below that at the first tenth, for every learner but OPR."""
    figures, holds = [], True
    for data in results.data("bounds"):
        for system in results.systems("bounds"):
            at, regret = results.curve("bounds", system, "regret a pair", data=data)
            if len(at) < 2:
                continue
            holds &= bool(regret[-1] < regret[max(0, len(at) // 10 - 1)]) or system == "opr"
            figures.append(f"{data} {printed.LABELS[system]} {regret[-1]:.3f}")
    return Verdict(holds if figures else None, "at the end: " + "; ".join(figures))


def online_is_faster(results: Results) -> Verdict:
    """Figure 1, at the largest amount: the slowest online learner against the fastest batch one."""

    def judge(data: str) -> tuple[bool, str]:
        last = {}
        for system in timing.SYSTEMS:
            _, seconds = results.curve("figure-1", system, timing.MEASURE, data=data)
            last[system] = float(seconds[-1])
        slowest = max(last[s] for s in printed.ONLINE)
        quick = min(printed.BATCH, key=lambda s: last[s])
        return slowest < last[quick], (
            f"slowest online {slowest:.3g} s, fastest batch ({printed.LABELS[quick]}) "
            f"{last[quick]:.3g} s"
        )

    return Verdict(*each_set(results, "figure-1", judge))


def three_million(results: Results) -> Verdict:
    """Table 3: every online learner faster than RankSVM, and by how much."""

    def judge(data: str) -> tuple[bool, str]:
        seconds = {
            s: results.mean("table-3", s, timing.MEASURE, data=data)
            for s in ("ranksvm", *printed.ONLINE)
        }
        had = results.mean("table-3", "opr", "instances", data=data)
        slowest = max(seconds[s] for s in printed.ONLINE)
        return slowest < seconds["ranksvm"], (
            f"{had:.0f} instances: RankSVM {seconds['ranksvm']:.3g} s, online {slowest:.3g} s at "
            f"most (printed: 4737 and 2307)"
        )

    return Verdict(*each_set(results, "table-3", judge))


def crowd(results: Results) -> Verdict:
    """Figure 2: online learners above both heuristics among distractors, and near RankSVM."""

    def judge(data: str) -> tuple[bool, str]:
        means = {s: results.mean("figure-2", s, "map", data=data) for s in distractors.SYSTEMS}
        bar = max(means[s] for s in printed.HEURISTICS)
        online = [means[s] for s in printed.ONLINE]
        among = results.notes("figure-2", "uniform", data=data)[0]["distractors"]
        ok = min(online) > bar and max(online) >= means["ranksvm*"] - NEAR
        behind.update(s for s in printed.ONLINE if means[s] <= bar)
        return ok, (
            f"{among} distractors: heuristics {bar:.4f}, online {min(online):.4f} to "
            f"{max(online):.4f}, RankSVM {means['ranksvm*']:.4f}"
        )

    behind: set[str] = set()
    holds, figure = each_set(results, "figure-2", judge)
    return Verdict(holds, figure, _why_crowd(results, sorted(behind)))


def _why_crowd(results: Results, behind: list[str]) -> str:
    """Whether those behind fail everywhere or on some folds, and what their mean weights reach."""
    said = []
    for system in behind:
        folds = ", ".join(f"{value:.2f}" for value in results.spread("figure-2", system, "map"))
        ours = results.mean("figure-2", system + table2.OURS, "map")
        said.append(
            f"{printed.LABELS[system]} fold by fold {folds}; with mean weights over five passes "
            f"{ours:.4f}"
        )
    return "; ".join(said)


def curve(results: Results) -> Verdict:
    """Figure 2's curve: at every number of distractors the best online learner leads."""

    def judge(data: str) -> tuple[bool, str]:
        at, plain = results.curve("figure-2-curve", "uniform", "map", data=data)
        _, single = results.curve("figure-2-curve", "best-scheme", "map", data=data)
        learned = [results.curve("figure-2-curve", s, "map", data=data)[1] for s in printed.ONLINE]
        bar, best = np.maximum(plain, single), np.max(learned, axis=0)
        kinds = results.notes("figure-2-curve", "uniform", data=data)[0]["distractors"]
        said = ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())
        along = "; ".join(
            f"{n:,.0f}: {b:.4f} against {h:.4f}" for n, b, h in zip(at, best, bar, strict=True)
        )
        return bool((best > bar).all()), f"{said}; best online against best heuristic at {along}"

    holds, figure = each_set(results, "figure-2-curve", judge)
    return Verdict(holds, figure, "" if holds else _why_curve(results))


def _why_curve(results: Results) -> str:
    """What learning reaches where distractors are among the training images, too."""
    if "figure-2" not in results.ran:
        return ""
    said = []
    for data in results.data("figure-2"):
        online = max(results.mean("figure-2", s, "map", data=data) for s in printed.ONLINE)
        bar = max(results.mean("figure-2", s, "map", data=data) for s in printed.HEURISTICS)
        said.append(f"{data} {online:.4f} against {bar:.4f}")
    return (
        "the curve's models never saw a distractor; where some are among the training images "
        f"(Figure 2): {', '.join(said)}"
    )


def live_gain(results: Results) -> Verdict:
    """Figure 3: every online learner ends above Uni-Con."""

    def judge(data: str) -> tuple[bool, str]:
        ends = {s: _end(results, s, live.MEASURES[0], data) for s in live.SYSTEMS}
        plain = results.notes("figures-3-4", "opr", data=data)[0]["uniform"]
        gains = ", ".join(
            f"{live.LABELS.get(s, s)} {ends[s]:+.4f}" for s in live.SYSTEMS if s != "uniform"
        )
        return min(ends[s] for s in printed.ONLINE) > 0, f"Uni-Con {plain:.4f}; {gains}"

    holds, figure = each_set(results, "figures-3-4", judge)
    return Verdict(holds, figure, "" if holds else _why_live(results))


def _why_live(results: Results) -> str:
    """Who ends below Uni-Con with the last weights, and where their mean ends."""
    said = []
    for data in results.data("figures-3-4"):
        for last, mean in zip(printed.ONLINE, live.MEAN, strict=True):
            found = [_end(results, s, live.MEASURES[0], data) for s in (last, mean)]
            if found[0] <= 0:
                said.append(f"{data} {printed.LABELS[last]} {found[0]:+.4f} and {found[1]:+.4f}")
    return f"by the weights after the last lesson and by the mean of all: {', '.join(said)}"


def live_time(results: Results) -> Verdict:
    """Figure 4: learning online costs less than a tenth of retraining RankSVM on its reservoir."""

    def judge(data: str) -> tuple[bool, str]:
        online = max(_end(results, s, live.MEASURES[1], data) for s in printed.ONLINE)
        batch = _end(results, "ranksvm", live.MEASURES[1], data)
        return 10 * online < batch, (
            f"online {online:.3g} s at most, RankSVM {batch:.3g} s with a fit every {live.EVERY} "
            "queries"
        )

    return Verdict(*each_set(results, "figures-3-4", judge))


def _end(results: Results, system: str, measure: str, data: str) -> float:
    _, values = results.curve("figures-3-4", system, measure, data=data)
    return float(values[-1])


CLAIMS = (
    Claim(
        "All learning to rank algorithms outperform the two heuristic baselines.",
        "Section 5.3, Table 2",
        learning_pays,
    ),
    Claim("The same holds in our form: more passes, mean weights.", "Table 2, ours", ours_pays),
    Claim(
        "λ-MART tends to be the best batch learner: on 2 of 4 sets.",
        "Section 5.3, Table 2",
        trees_lead,
    ),
    Claim(
        f"Online learners are as effective as batch ones (within {NEAR} mAP, on average).",
        "Section 5.3, Table 2",
        online_is_comparable,
    ),
    Claim(
        "MAP is bounded from below by the loss of any fixed weights.", "Theorems 1–3", bounds_hold
    ),
    Claim("Regret a pair falls along the stream.", "Section 4", regret_falls),
    Claim("Online learners are much faster than batch ones.", "Figure 1", online_is_faster),
    Claim(
        "Among distractors online learners beat the heuristics and match RankSVM.",
        "Figure 2",
        crowd,
    ),
    Claim(
        "However many distractors there are, online learning stays ahead of the heuristics.",
        "Figure 2",
        curve,
    ),
    Claim(
        "On 3 million instances every online learner is faster than RankSVM.",
        "Table 3",
        three_million,
    ),
    Claim("Live, online learners improve NDCG@50 over Uni-Con.", "Figure 3", live_gain),
    Claim("Live, they cost far less than retraining RankSVM.", "Figure 4", live_time),
)
