"""Results that were kept, judged again: their CSVs hold every value, so nothing is run.

    python -m saccade.studies.kept results/studies/*/*

A claim that asks for what was not kept (values by query of what was once a mean) is not measured.
Tables and plots stay as they are, but for those whose parts are conditions, which have a row and a
panel each; claims and the page are made anew.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from saccade.errors import InvalidInput
from saccade.studies import load
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.page import page
from saccade.studies.report import FORMAT, claims_of, rewrite
from saccade.studies.results import Part, Results
from saccade.testbed.tables import write_json, write_text
from saccade.types import Spec

HEADS = ("set", "seed", "part", "measure", "query", "at")


def read(folder: Path) -> tuple[Spec, Results]:
    """What a study left in a folder: its record, and every value."""
    try:
        record: Spec = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InvalidInput(
            f"{folder}: no result of a study can be read there ({error})",
            hint="name folders that hold a results.json, such as OUT/wan2015",
        ) from error
    parts = [
        part
        for name, entry in record["experiments"].items()
        for part in _parts(folder / f"{name}-values.csv", name, entry, record)
    ]
    return record, Results(parts)


def _parts(file: Path, experiment: str, entry: Spec, record: Spec) -> Iterator[Part]:
    with file.open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    systems = [name for name in (rows[0] if rows else ()) if name not in HEADS]
    places = list(dict.fromkeys((row["set"], int(row["seed"]), row["part"]) for row in rows))
    options = Options(**record["options"])
    measures = tuple(entry["measures"])
    for system in systems:
        seen: dict[str, int] = {}
        for data, seed, part in places:
            mine = [
                row
                for row in rows
                if (row["set"], int(row["seed"]), row["part"]) == (data, seed, part)
                and row[system] != ""
            ]
            notes = entry["notes"].get(data, {}).get(system, [])
            place = seen[data] = seen.get(data, -1) + 1
            if not mine and place >= len(notes):
                continue
            task = Task(record["study"], experiment, "", system, Data(data, "", ""), seed, part,
                        measures, options)  # fmt: skip
            note = notes[place] if place < len(notes) else {}
            yield Part(task, Outcome(list(_series(mine, system)), note))


def _series(rows: list[dict[str, str]], system: str) -> Iterator[Series]:
    for measure in dict.fromkeys(row["measure"] for row in rows):
        mine = [row for row in rows if row["measure"] == measure]
        yield Series(
            measure,
            [float(row[system]) for row in mine],
            [row["query"] for row in mine] if any(row["query"] for row in mine) else (),
            [float(row["at"]) for row in mine] if any(row["at"] for row in mine) else (),
        )


def judge_again(folder: Path) -> Spec:
    """Write the claims and the page of a kept result as today's judges see it."""
    record, results = read(folder)
    study = load(record["study"])
    rewrite(folder, study, record, results)
    claims = claims_of(study, results)
    record = {**record, "format": FORMAT, "judged": "again, from the values kept", "claims": claims}
    write_json(folder / "results.json", record)
    write_text(folder / "index.html", page(record))
    return record


if __name__ == "__main__":
    for name in sys.argv[1:]:
        judge_again(Path(name))
