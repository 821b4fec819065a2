"""What Chen, Zhang & Li claim, and how our results judge it: over attributes, or rounds."""

from __future__ import annotations

import numpy as np

from saccade.studies.chen2015 import printed, unseen
from saccade.studies.declaration import Claim, Verdict
from saccade.studies.results import NotMeasured, Results
from saccade.studies.verdicts import (
    ClaimEvidence,
    Findings,
    above,
    advantage,
    each_set,
    gaps,
    not_measured,
)

BASELINES = ("crr", "relative-attributes", "pointwise")
PLAIN_PRODUCT = "saccade-plain"
_TABLE, _BY_UNSEEN, _BY_PAIRS = "table-1", "figure-5-unseen", "figure-5-pairs"
_PAIR = ("hybrid", "relative-attributes")


def _accuracies(results: Results, system: str, data: str) -> dict[str, float]:
    return results.by_query(_TABLE, system, "accuracy", data=data)


def _labels(results: Results) -> str:
    """What a round had, as it was run."""
    amounts = [
        f"{data}: {note['points']} points, {note['pairs']} pairs, {rounds} rounds"
        for data in results.data(_TABLE)
        for note, rounds in [_first_note(results, data)]
    ]
    return "; ".join(amounts)


def _first_note(results: Results, data: str) -> tuple[dict[str, object], int]:
    notes = results.notes(_TABLE, results.systems(_TABLE, data=data)[0], data=data)
    return dict(notes[0]), len(notes)


def hybrid_leads(results: Results) -> Verdict:
    """Hybrid above each baseline, attribute by attribute."""

    def judge(data: str) -> Findings:
        values = {s: _accuracies(results, s, data) for s in printed.SYSTEMS}
        evidence = [
            above(f"over {printed.LABELS[s]}, accuracy", values["hybrid"], values[s])
            for s in BASELINES
        ]
        return Findings(
            evidence,
            ", ".join(f"{printed.LABELS[s]} {_mean(v):.4f}" for s, v in values.items()),
        )

    return each_set(results, _TABLE, judge, over="attributes", here=_labels(results))


def _mean(values: dict[str, float]) -> float:
    return float(np.nanmean(list(values.values())))


def hybrid_is_steadier(results: Results) -> Verdict:
    """The deviation over rounds below that of each baseline, attribute by attribute."""

    def judge(data: str) -> Findings:
        values = {s: deviations(results, s, data) for s in printed.SYSTEMS}
        evidence = [
            above(f"below {printed.LABELS[s]}, deviation", values[s], values["hybrid"])
            for s in BASELINES
        ]
        return Findings(
            evidence,
            ", ".join(f"{printed.LABELS[s]} ±{_mean(v):.4f}" for s, v in values.items()),
        )

    return each_set(results, _TABLE, judge, over="attributes", here=_labels(results))


def deviations(results: Results, system: str, data: str) -> dict[str, float]:
    """Standard deviation over rounds of each attribute's accuracy."""
    rounds: dict[str, list[float]] = {}
    for part in results.parts:
        task = part.task
        if (task.experiment, task.system, task.data.name) != (_TABLE, system, data):
            continue
        for series in part.outcome.series:
            for query, value in zip(series.queries, series.values, strict=True):
                rounds.setdefault(query, []).append(value)
    if not rounds:
        raise NotMeasured(f"{_TABLE} of {system}")
    return {name: float(np.std(values)) for name, values in rounds.items()}


def _along(
    results: Results, experiment: str, system: str, data: str
) -> dict[float, dict[str, float]]:
    """Accuracies by position, unit by unit."""
    places = results.positions(experiment, "accuracy", data=data)
    return {at: results.by_query(experiment, system, "accuracy", data=data, at=at) for at in places}


def _rounds(results: Results, experiment: str) -> str:
    """How often labels were drawn, and among how many categories, as it was run."""
    parts = []
    for data in results.data(experiment):
        system = results.systems(experiment, data=data)[0]
        note = results.notes(experiment, system, data=data)[0]
        told = f", {note['categories']} categories" if "categories" in note else ""
        parts.append(f"{data}: {note.get('rounds', '–')} rounds{told}")
    return "; ".join(parts)


def fewer_labels_gain_more(results: Results) -> Verdict:
    """The gain over relative attributes is larger with the fewest pairs than with the most."""
    experiment = "figure-3-pairs"

    def judge(data: str) -> Findings:
        mine, theirs = (_along(results, experiment, s, data) for s in _PAIR)
        first, last = min(mine), max(mine)
        few, many = (gaps(mine[at], theirs[at]) for at in (first, last))
        return Findings(
            [above(f"gain with {first:.0f} pairs over that with {last:.0f}, accuracy", few, many)],
            f"{_mean(few):+.4f} with {first:.0f} pairs, {_mean(many):+.4f} with {last:.0f}",
        )

    here = _rounds(results, experiment)
    return each_set(results, experiment, judge, over="attributes", here=here)


def both_kinds_beat_one(results: Results) -> Verdict:
    """Everywhere along both curves of figure 3, hybrid is above the learner of one kind alone."""
    ways = (("figure-3-pairs", "relative-attributes"), ("figure-3-points", "pointwise"))

    def judge(data: str) -> Findings:
        evidence: list[ClaimEvidence] = []
        figures = []
        for experiment, other in ways:
            mine, theirs = (_along(results, experiment, s, data) for s in ("hybrid", other))
            kind = experiment.removeprefix("figure-3-")
            evidence += [
                above(f"over {printed.LABELS[other]} with {at:.0f} {kind}, accuracy",
                      mine[at], theirs[at])
                for at in mine
            ]  # fmt: skip
            means = {at: _mean(gaps(mine[at], theirs[at])) for at in mine}
            worst = min(means, key=lambda at: means[at])
            figures.append(
                f"over {printed.LABELS[other]} {means[worst]:+.4f} at least, with {worst:.0f} "
                f"{kind}, {max(means.values()):+.4f} at most"
            )
        return Findings(evidence, ", ".join(figures))

    here = _rounds(results, "figure-3-pairs")
    return each_set(results, "figure-3-pairs", judge, over="attributes", here=here)


def unseen_are_told(results: Results) -> Verdict:
    """Zero-shot accuracy above relative attributes, along figure 5(a), round by round."""

    def judge(data: str) -> Findings:
        mine, theirs = (results.by_query(_BY_UNSEEN, s, "accuracy", data=data) for s in _PAIR)
        return Findings(
            [above("over Relative Attributes, accuracy of all categories", mine, theirs)],
            f"{_mean(gaps(mine, theirs)):+.4f} on average (the paper: about "
            f"{printed.ZERO_SHOT_GAIN:+.2f}); {_unseen_alone(results, data)}",
        )

    return each_set(results, _BY_UNSEEN, judge, over="rounds", here=_rounds(results, _BY_UNSEEN))


def _unseen_alone(results: Results, data: str) -> str:
    """How many pictures of unseen categories are told, beside what chance would tell."""
    found = results.mean(_BY_UNSEEN, "hybrid", unseen.UNSEEN, data=data)
    categories = results.notes(_BY_UNSEEN, "hybrid", data=data)[0].get("categories")
    chance = f", chance {1 / categories:.3f}" if categories else ""
    return f"pictures of unseen categories alone {found:.3f}{chance}"


def the_unseen_beat_chance(results: Results) -> Verdict:
    """Ours: pictures of unseen categories alone are told more often than by luck."""

    def judge(data: str) -> Findings:
        categories = results.notes(_BY_UNSEEN, "hybrid", data=data)[0].get("categories")
        if not categories:
            raise NotMeasured("the number of categories")
        mine = results.by_query(_BY_UNSEEN, "hybrid", unseen.UNSEEN, data=data)
        return Findings(
            [above("over chance, accuracy of the unseen categories", mine, 1 / categories)],
            f"{_mean(mine):.3f}, chance {1 / categories:.3f}",
        )

    return each_set(results, _BY_UNSEEN, judge, over="rounds", here=_rounds(results, _BY_UNSEEN))


def doubt_and_allowance_pay(results: Results) -> Verdict:
    """Ours: with both, more pictures of unseen categories are told, and no fewer of all."""

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for measure in (unseen.UNSEEN, "accuracy"):
            mine, plain = (
                results.by_query(_BY_UNSEEN, "hybrid", name, data=data)
                for name in (measure + unseen.OURS, measure)
            )
            evidence.append(above(f"over the paper's rule, {measure}", mine, plain))
            figures.append(f"{measure} {_mean(mine):.3f}, by the paper's rule {_mean(plain):.3f}")
        return Findings(evidence, "; ".join(figures))

    return each_set(results, _BY_UNSEEN, judge, over="rounds", here=_rounds(results, _BY_UNSEEN))


def more_unseen_is_harder(results: Results) -> Verdict:
    """Accuracy falls from the fewest unseen categories to the most."""

    def judge(data: str) -> Findings:
        mine = _along(results, _BY_UNSEEN, "hybrid", data)
        first, last = min(mine), max(mine)
        few, many = mine[first], mine[last]
        return Findings(
            [above(f"with {first:.0f} unseen over {last:.0f}, accuracy", few, many)],
            f"{_mean(few):.3f} with {first:.0f}, {_mean(many):.3f} with {last:.0f}",
        )

    return each_set(results, _BY_UNSEEN, judge, over="rounds", here=_rounds(results, _BY_UNSEEN))


def more_pairs_tell_more(results: Results) -> Verdict:
    """Zero-shot accuracy rises from the fewest pairs to the most, for both learners."""

    def judge(data: str) -> Findings:
        evidence, figures = [], []
        for system in _PAIR:
            mine = _along(results, _BY_PAIRS, system, data)
            first, last = min(mine), max(mine)
            name = printed.LABELS[system]
            evidence.append(
                above(f"{name}, {last:.0f} pairs over {first:.0f}, accuracy", mine[last],
                      mine[first])
            )  # fmt: skip
            figures.append(f"{name} {_mean(mine[first]):.3f} to {_mean(mine[last]):.3f}")
        return Findings(evidence, ", ".join(figures))

    return each_set(results, _BY_PAIRS, judge, over="rounds", here=_rounds(results, _BY_PAIRS))


def online_is_quicker(results: Results) -> Verdict:
    """To an accuracy that either reaches, online takes less time: the share of wins less losses."""

    def judge(data: str) -> Findings:
        bars = results.positions("table-3", "seconds", data=data)
        won: dict[str, list[float]] = {}
        figures = []
        for bar in bars:
            online, batch = (
                results.by_query("table-3", s, "seconds", data=data, at=bar)
                for s in ("online", "batch")
            )
            figures.append(f"{bar:.0%}: {_seconds(online)} against {_seconds(batch)}")
            for name in online:
                signs = quicker(online[name], batch[name])
                won.setdefault(name, []).extend(signs)
        score = {name: float(np.mean(signs)) for name, signs in won.items() if signs}
        return Findings(
            [advantage("accuracies reached sooner by online, less those by batch", score)],
            ", ".join(figures),
        )

    return each_set(results, "table-3", judge, over="attributes", here=_timed(results, "table-3"))


def quicker(mine: float, theirs: float) -> list[float]:
    """+1, −1 or 0: who is sooner, or alone in getting there; nothing where neither gets there.

    >>> nan = float("nan")
    >>> quicker(0.1, 0.2), quicker(nan, 0.2), quicker(nan, nan)
    ([1.0], [-1.0], [])
    """
    if np.isnan(mine) and np.isnan(theirs):
        return []
    if np.isnan(mine) or np.isnan(theirs):
        return [-1.0 if np.isnan(mine) else 1.0]
    return [float(np.sign(theirs - mine))]


def _seconds(values: dict[str, float]) -> str:
    """The mean over the attributes that get there, and how many do."""
    there = [value for value in values.values() if np.isfinite(value)]
    if not there:
        return "never"
    return f"{1e3 * np.mean(there):.2f} ms ({len(there)} of {len(values)})"


def _timed(results: Results, experiment: str) -> str:
    note = results.notes(experiment, "online")[0]
    largest = max(note.get("sizes", [0]))
    return (
        f"online: {note.get('passes', '–')} passes over the labels, each met once a pass; up to "
        f"{largest:,} labels, {note.get('rounds', '–')} rounds"
    )


def online_wins_in_a_tenth(results: Results) -> Verdict:
    """After 0.1 seconds online is more accurate than batch, attribute by attribute."""

    def judge(data: str) -> Findings:
        mine, theirs = (
            results.by_query("figure-6", s, "accuracy", data=data) for s in ("online", "batch")
        )
        counts = {
            s: np.mean(list(results.notes("figure-6", s, data=data)[0]["labels"].values()))
            for s in ("online", "batch")
        }
        return Findings(
            [above("online over batch, accuracy", mine, theirs)],
            f"online {_mean(mine):.4f} from {counts['online']:.0f} labels, batch "
            f"{_mean(theirs):.4f} from {counts['batch']:.0f}",
        )

    return each_set(results, "figure-6", judge, over="attributes", here=_timed(results, "figure-6"))


def asking_well_pays(results: Results) -> Verdict:
    """Ours: accuracy on the way, suggested pairs against random ones, session by session."""

    def judge(data: str) -> Findings:
        mine, drawn = (
            results.by_query("asking", s, "accuracy", data=data) for s in ("suggested", "random")
        )
        at, ends = results.curve("asking", "suggested", "accuracy", data=data)
        _, other = results.curve("asking", "random", "accuracy", data=data)
        return Findings(
            [above("suggested over random, mean accuracy on the way", mine, drawn)],
            f"{_mean(mine):.4f} against {_mean(drawn):.4f} on the way; after {at[-1]:.0f} answers "
            f"{ends[-1]:.4f} against {other[-1]:.4f}",
        )

    most = max(results.positions("asking", "accuracy"), default=0)
    return each_set(results, "asking", judge, over="sessions", here=f"{most:.0f} answers a session")


def smoothing_pays(results: Results) -> Verdict:
    """Ours: the product with smoothed vectors to choose from against the product without."""
    shares = {data: _smoothed(results, data) for data in results.data(_TABLE)}
    if not any(shares.values()):
        return not_measured("nothing was smoothed: the labels never spoke for it")

    def judge(data: str) -> Findings:
        mine, plain = (_accuracies(results, s, data) for s in ("saccade", PLAIN_PRODUCT))
        # Where nothing was smoothed the two are one and the same, and nothing can be told.
        evidence = above("over plain vectors alone, accuracy", mine, plain)
        return Findings(
            [evidence] if shares[data] else [],
            f"{_mean(mine):.4f} against {_mean(plain):.4f}, smoothed in {shares[data]:.0%}",
        )

    return each_set(results, _TABLE, judge, over="attributes", here=_labels(results))


def _smoothed(results: Results, data: str) -> float:
    chosen = [
        name
        for notes in results.notes(_TABLE, "saccade", data=data)
        for name in notes.get("vectors", {}).values()
    ]
    return chosen.count("smooth") / max(1, len(chosen))


def the_product_leads(results: Results) -> Verdict:
    """Ours: what the product serves against the hybrid program, tuned once a set."""

    def judge(data: str) -> Findings:
        mine, hybrid = (_accuracies(results, s, data) for s in ("saccade", "hybrid"))
        return Findings(
            [above("over Hybrid Ranking, accuracy", mine, hybrid)],
            f"{_mean(mine):.4f} against {_mean(hybrid):.4f}",
        )

    return each_set(results, _TABLE, judge, over="attributes", here=_labels(results))


CLAIMS = (
    Claim("Hybrid ranking is more accurate than CRR, Relative Attributes and pointwise SVM.",
          "Tables 1 and 2", hybrid_leads),
    Claim("It has a lower standard deviation than each of them.", "Tables 1 and 2",
          hybrid_is_steadier),
    Claim("Both kinds of label beat one kind alone, however many there are.", "Figure 3",
          both_kinds_beat_one),
    Claim("The fewer the training samples, the larger the gain.", "Figure 3",
          fewer_labels_gain_more),
    Claim("Zero-shot accuracy is above that of Relative Attributes (the paper: by three points).",
          "Figure 5(a)", unseen_are_told),
    Claim("Accuracy falls as the number of unseen categories grows.", "Figure 5(a)",
          more_unseen_is_harder),
    Claim("Zero-shot accuracy grows with the number of training pairs.", "Figure 5(b)",
          more_pairs_tell_more),
    Claim("In 0.1 seconds online learning reaches more than batch learning.",
          "Figure 6", online_wins_in_a_tenth),
    Claim("To the same accuracy online learning takes less time than batch learning.", "Table 3",
          online_is_quicker),
    Claim("Pictures of unseen categories are told more often than by chance.", "ours",
          the_unseen_beat_chance),
    Claim("Doubt about where they stand and an allowance tell more of them, and more of all.",
          "ours", doubt_and_allowance_pay),
    Claim("Asking about the pair that tells most teaches faster than asking at random.",
          "ours", asking_well_pays),
    Claim("Smoothing along the neighbour graph, where the labels speak for it, orders better.",
          "ours", smoothing_pays),
    Claim("What the product serves orders better than the hybrid program.", "ours",
          the_product_leads),
)  # fmt: skip
"""Every claim, the paper's first."""
