"""What a study leaves behind, in OUT/NAME: results.json, CSV, plots (PNG, SVG) and one page.

results.json                      claims with verdicts, tables, set-up, machine, commit, seeds
index.html                        the same for people
EXPERIMENT.csv                    the table as measured, every set
EXPERIMENT-values.csv             every value: a row a query, a column a system
EXPERIMENT-SET.png, .svg          plots
pictures/EXPERIMENT-SET-NAME.jpg  pictures, where a figure of the paper shows some
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np

from saccade.studies import tables
from saccade.studies.declaration import NOT_MEASURED, Data, Experiment, Study, Verdict
from saccade.studies.machine import commit, machine
from saccade.studies.page import page
from saccade.studies.results import NotMeasured, Results
from saccade.studies.running import Run
from saccade.testbed import figures
from saccade.testbed.tables import comma_separated, write_json, write_text
from saccade.types import Spec

FORMAT = 2


def write(run: Run, *, out: Path) -> list[Path]:
    """Write everything; the page comes first in the list."""
    folder = out / run.study.name
    record = as_json(run)
    written = []
    for experiment in run.study.sized(run.options):
        entry = record["experiments"][experiment.name]
        written += _tables(folder, experiment, run.results, entry)
        pictures = _plots(folder, experiment, run.results, about(record))
        entry["plots"] = [picture.name for picture in pictures]
        entry["pictures"] = [
            plate for data in run.data for plate in _gallery(folder, experiment, data, run)
        ]
        written += [*pictures, *(folder / plate["file"] for plate in entry["pictures"])]
    write_json(folder / "results.json", record)
    write_text(folder / "index.html", page(record))
    return [folder / "index.html", folder / "results.json", *written]


def as_json(run: Run) -> Spec:
    """The whole result: what was run, on what, by what, and what came out."""
    study, options = run.study, run.options
    experiments = study.sized(options)
    seeds = max((experiment.seeds for experiment in experiments), default=1)
    return {
        "format": FORMAT,
        "study": study.name,
        "paper": study.paper,
        "about": study.about,
        "machine": machine(),
        "commit": ", ".join(run.commits) or commit(),
        "options": asdict(options),
        "seeds": list(range(options.seed, options.seed + seeds)),
        "data": [
            {"name": one.name, "drawn": one.drawn, "distractors": len(one.distractors),
             "problems": list(run.problems[one.name])}
            for one in run.data
        ],
        "setup": list(study.setup(options)),
        "claims": claims_of(study, run.results),
        "experiments": {one.name: _experiment(one, run) for one in experiments},
    }  # fmt: skip


def about(record: Spec) -> str:
    """Where a result was made, in one line."""
    host = record["machine"]
    seeds = record["seeds"]
    span = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    return (
        f"saccade {host['saccade']}, commit {record['commit']}, {span}, on {host['processor']}, "
        f"{host['cores']} cores, {host['system']}, Python {host['python']}, numpy {host['numpy']}"
    )


def claims_of(study: Study, results: Results) -> list[dict[str, object]]:
    """Every claim with its verdict; numbers are rounded as CSVs have them."""
    claims: list[dict[str, object]] = []
    for claim in study.claims:
        try:
            verdict = claim.judge(results)
        except NotMeasured as missing:
            verdict = Verdict(NOT_MEASURED, missing.message)
        claims.append(
            {
                "text": claim.text,
                "source": claim.source,
                "here": verdict.here,
                "verdict": verdict.kind,
                "effect": _rounded(verdict.effect),
                "interval": verdict.interval and [_rounded(edge) for edge in verdict.interval],
                "p": _rounded(verdict.p),
                "n": verdict.n,
                "over": verdict.over,
                "of": verdict.of,
                "figure": verdict.figure,
                "why": verdict.why,
            }
        )
    return claims


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _experiment(experiment: Experiment, run: Run) -> dict[str, object]:
    results, name = run.results, experiment.name
    sets = results.data(name)
    return {
        "title": experiment.title,
        "systems": {system: experiment.label(system) for system in experiment.systems},
        "measures": list(experiment.measures),
        "parts": list(experiment.parts),
        "seeds": experiment.seeds,
        "along": experiment.along,
        "load": _rounded(results.load(name)),
        "baseline": experiment.baseline,
        "printed": [
            {"title": table.title, "rows": tables.printed(table, experiment)}
            for table in experiment.printed
        ],
        "measured": {
            one: tables.measured(experiment, results, one, seed=run.options.seed) for one in sets
        },
        "notes": {
            one: {
                system: results.notes(name, system, data=one)
                for system in results.systems(name, data=one)
            }
            for one in sets
        },
    }


def rewrite(folder: Path, study: Study, record: Spec, results: Results) -> None:
    """Tables and plots of a kept result anew, where parts are conditions and were once averaged."""
    for experiment in study.experiments:
        entry = record["experiments"].get(experiment.name)
        if entry is None or not experiment.by_part:
            continue
        entry["measured"] = {
            data: tables.measured(experiment, results, data, seed=record["options"]["seed"])
            for data in results.data(experiment.name)
        }
        write_text(folder / f"{experiment.name}.csv", _whole(entry))
        entry["plots"] = [one.name for one in _plots(folder, experiment, results, about(record))]


def _tables(folder: Path, experiment: Experiment, results: Results, entry: Spec) -> list[Path]:
    table, values = folder / f"{experiment.name}.csv", folder / f"{experiment.name}-values.csv"
    write_text(table, _whole(entry))
    write_text(values, comma_separated(tables.every_value(results, experiment.name)))
    return [table, values]


def _whole(entry: Spec) -> str:
    """The tables of all sets as one CSV."""
    rows = [{"set": one, **row} for one, table in entry["measured"].items() for row in table]
    heads = list(dict.fromkeys(head for row in rows for head in row))
    return comma_separated([{head: row.get(head) for head in heads} for row in rows])


def _plots(folder: Path, experiment: Experiment, results: Results, origin: str) -> list[Path]:
    """A figure a set; curves where values lie along an axis, bars elsewhere."""
    written: list[Path] = []
    for data in results.data(experiment.name):
        path = folder / f"{experiment.name}-{data}"
        title = f"{experiment.title} ({data})"
        measures = [m for m in experiment.measures if _any(experiment, results, m, data)]
        if not measures:
            continue
        if experiment.along:
            lines = {m: _lines(experiment, results, m, data) for m in measures}
            written += figures.curves(
                path,
                lines,
                title=title,
                axis=experiment.along,
                log=experiment.log,
                limits=experiment.limits,
                about=origin,
            )
        elif experiment.by_part:
            # A panel a condition: their mean would say nothing.
            lead, parts = measures[0], experiment.parts
            bars = {f"{lead}, {p}": _bars(experiment, results, lead, data, p) for p in parts}
            panels = {name: some for name, some in bars.items() if some}
            written += figures.bars(path, panels, title=title, about=origin)
        else:
            bars = {m: _bars(experiment, results, m, data) for m in measures}
            written += figures.bars(path, bars, title=title, about=origin)
    return written


def _gallery(folder: Path, experiment: Experiment, data: Data, run: Run) -> list[dict[str, str]]:
    """The pictures of a set, in a folder of their own: those of others are not ours to give."""
    if experiment.gallery is None or data.name not in run.results.data(experiment.name):
        return []
    from PIL import Image

    place = folder / "pictures"
    place.mkdir(parents=True, exist_ok=True)
    plates = []
    for plate in experiment.gallery(data, run.options, run.results):
        name = f"pictures/{experiment.name}-{data.name}-{plate.name}.jpg"
        Image.fromarray(plate.pixels).save(folder / name, quality=88)
        plates.append({"file": name, "caption": f"{data.name}, {plate.caption}"})
    return plates


def _any(experiment: Experiment, results: Results, measure: str, data: str) -> bool:
    systems = results.systems(experiment.name, data=data)
    return any(
        np.isfinite(series).any()
        for system in systems
        for series in results.values(experiment.name, system, measure, data=data)
    )


def _lines(experiment: Experiment, results: Results, measure: str, data: str) -> figures.Lines:
    lines = {}
    for system in results.systems(experiment.name, data=data):
        at, values = results.curve(experiment.name, system, measure, data=data)
        if len(at):
            lines[experiment.label(system)] = (at.tolist(), values.tolist())
    return lines


def _bars(
    experiment: Experiment, results: Results, measure: str, data: str, part: str | None = None
) -> figures.Bars:
    bars = {}
    for system in results.systems(experiment.name, data=data):
        value = results.mean(experiment.name, system, measure, data=data, part=part)
        if np.isfinite(value):
            parts = results.spread(experiment.name, system, measure, data=data)
            parts = parts if part is None else parts[:0]
            bars[experiment.label(system)] = (value, parts[np.isfinite(parts)].tolist())
    return bars
