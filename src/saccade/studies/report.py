"""What a study leaves behind, in OUT/NAME: results.json, CSV, plots (PNG, SVG) and one page.

results.json                      claims with verdicts, tables, set-up, machine, commit, seeds
index.html                        the same for people
EXPERIMENT.csv                    the table as measured, every set
EXPERIMENT-values.csv             every value: a row a query, a column a system
EXPERIMENT-SET.png, .svg          plots
pictures/EXPERIMENT-SET-NAME.jpg  pictures, where a figure of the paper shows some
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from saccade.studies import tables
from saccade.studies.declaration import Data, Experiment, Verdict
from saccade.studies.machine import commit, machine
from saccade.studies.page import page
from saccade.studies.results import NotMeasured, Results
from saccade.studies.running import Run
from saccade.testbed import figures
from saccade.testbed.tables import comma_separated, write_json, write_text

FORMAT = 1


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


def as_json(run: Run) -> dict[str, Any]:
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
        "claims": _claims(run),
        "experiments": {one.name: _experiment(one, run) for one in experiments},
    }  # fmt: skip


def about(record: Mapping[str, Any]) -> str:
    """Where a result was made, in one line."""
    made = record["machine"]
    seeds = record["seeds"]
    span = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {seeds[0]} to {seeds[-1]}"
    return (
        f"saccade {made['saccade']}, commit {record['commit']}, {span}, on {made['processor']}, "
        f"{made['cores']} cores, {made['system']}, Python {made['python']}, numpy {made['numpy']}"
    )


def _claims(run: Run) -> list[dict[str, Any]]:
    found = []
    for claim in run.study.claims:
        try:
            verdict = claim.judge(run.results)
        except NotMeasured as missing:
            verdict = Verdict(None, missing.message)
        found.append(
            {
                "text": claim.text,
                "source": claim.source,
                "verdict": verdict.word,
                "figure": verdict.figure,
                "why": verdict.why,
            }
        )
    return found


def _experiment(experiment: Experiment, run: Run) -> dict[str, Any]:
    results, name = run.results, experiment.name
    sets = results.data(name)
    return {
        "title": experiment.title,
        "systems": {system: experiment.label(system) for system in experiment.systems},
        "measures": list(experiment.measures),
        "parts": list(experiment.parts),
        "seeds": experiment.seeds,
        "along": experiment.along,
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


def _tables(
    folder: Path, experiment: Experiment, results: Results, entry: Mapping[str, Any]
) -> list[Path]:
    rows = [{"set": one, **row} for one, table in entry["measured"].items() for row in table]
    heads = list(dict.fromkeys(head for row in rows for head in row))
    whole = [{head: row.get(head) for head in heads} for row in rows]
    table, values = folder / f"{experiment.name}.csv", folder / f"{experiment.name}-values.csv"
    write_text(table, comma_separated(whole))
    write_text(values, comma_separated(tables.every_value(results, experiment.name)))
    return [table, values]


def _plots(folder: Path, experiment: Experiment, results: Results, made: str) -> list[Path]:
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
                about=made,
            )
        else:
            bars = {m: _bars(experiment, results, m, data) for m in measures}
            written += figures.bars(path, bars, title=title, about=made)
    return written


def _gallery(folder: Path, experiment: Experiment, data: Data, run: Run) -> list[dict[str, str]]:
    """The pictures of a set, in a folder of their own: those of others are not ours to give."""
    if experiment.gallery is None or data.name not in run.results.data(experiment.name):
        return []
    from PIL import Image

    place = folder / "pictures"
    place.mkdir(parents=True, exist_ok=True)
    found = []
    for plate in experiment.gallery(data, run.options, run.results):
        name = f"pictures/{experiment.name}-{data.name}-{plate.name}.jpg"
        Image.fromarray(plate.pixels).save(folder / name, quality=88)
        found.append({"file": name, "caption": f"{data.name}, {plate.caption}"})
    return found


def _any(experiment: Experiment, results: Results, measure: str, data: str) -> bool:
    systems = results.systems(experiment.name, data=data)
    return any(results.has(experiment.name, system, measure, data=data) for system in systems)


def _lines(experiment: Experiment, results: Results, measure: str, data: str) -> figures.Lines:
    found = {}
    for system in results.systems(experiment.name, data=data):
        at, values = results.curve(experiment.name, system, measure, data=data)
        if len(at):
            found[experiment.label(system)] = (at.tolist(), values.tolist())
    return found


def _bars(experiment: Experiment, results: Results, measure: str, data: str) -> figures.Bars:
    found = {}
    for system in results.systems(experiment.name, data=data):
        value = results.mean(experiment.name, system, measure, data=data)
        if np.isfinite(value):
            parts = results.spread(experiment.name, system, measure, data=data)
            found[experiment.label(system)] = (value, parts[np.isfinite(parts)].tolist())
    return found
