"""Tables of results: the same rows as Markdown for people and CSV for programs."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

Row = Mapping[str, object]

# A line break cannot stand inside JSON text, so this never meets a list in a string.
_NUMBERS = re.compile(r"\[\n\s+-?\d[-+\d.eE,\s]*\]")


def markdown(rows: Sequence[Row], *, digits: int = 4) -> str:
    """A Markdown table; the columns are those of the first row, numbers are set to the right.

    >>> print(markdown([{"ranker": "opr", "map": 0.25}, {"ranker": "uniform", "map": None}]))
    | ranker | map |
    |---|---:|
    | opr | 0.2500 |
    | uniform | – |
    """
    if not rows:
        return ""
    names = list(rows[0])
    numeric = [any(isinstance(row.get(name), int | float) for row in rows) for name in names]
    lines = [
        "| " + " | ".join(names) + " |",
        "|" + "|".join("---:" if right else "---" for right in numeric) + "|",
    ]
    lines += ["| " + " | ".join(_cell(row.get(n), digits) for n in names) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: object, digits: int) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.{digits}f}"
    return str(value).replace("|", "\\|")


def comma_separated(rows: Sequence[Row]) -> str:
    """The rows as CSV with a header; a missing value is an empty field.

    >>> comma_separated([{"ranker": "opr", "map": 0.25}]).split()
    ['ranker,map', 'opr,0.25']
    """
    if not rows:
        return ""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all; its folder is made when missing.

    >>> write_text(folder / "new" / "a.txt", "a")
    >>> (folder / "new" / "a.txt").read_text()
    'a'
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_json(path: Path, value: object) -> None:
    """Write a value as JSON for people too: keys as given, a list of plain numbers on one line.

    >>> write_json(folder / "a.json", {"rows": [1, 2]})
    >>> (folder / "a.json").read_text().split()
    ['{', '"rows":', '[1,2]', '}']
    """
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False)
    write_text(path, _NUMBERS.sub(lambda match: "".join(match.group().split()), text) + "\n")
