"""Writes docs/studies.md from what the studies measured on real sets: results/studies/*/*/.

    python docs/studies.py

Nothing in that page is typed by hand; tests/meta compares it with what this script would write.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from saccade.studies.page import number
from saccade.studies.report import about

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "studies"
PAGE = ROOT / "docs" / "studies.md"

HEAD = """# What the studies found

Made by `python docs/studies.py` from [results/studies](../results/studies): every number was
measured, every verdict is the machinery's. [How to write a study](howto/write-a-study.md);
[how to bring a set](howto/bring-a-labelled-set.md). A claim that does not hold here is said to,
with what we know of the reason.
"""
ORDER = ("wan2015", "li2012", "chen2015", "aly2011", "hu2008", "feedback")
_SIGNS = {"holds": "holds", "does not hold here": "**does not hold here**"}


def records() -> list[tuple[Path, dict[str, Any]]]:
    """Every result, by study in the order of the papers, then by folder."""
    found = [
        (file.parent, json.loads(file.read_text(encoding="utf-8")))
        for file in sorted(RESULTS.glob("*/*/results.json"))
    ]
    return sorted(found, key=lambda one: (ORDER.index(one[1]["study"]), one[0].parts))


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """A Markdown table of rows with the same columns."""
    if not rows:
        return ""
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(_cell(row.get(name)) for name in names) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    text = number(value) if isinstance(value, int | float) else str(value)
    return text.replace("|", "\\|")


def title(record: Mapping[str, Any]) -> str:
    """A study, its sets, and what φ was made of."""
    options = record["options"]
    sets = ", ".join(one["name"] for one in record["data"])
    return f"{record['study']} on {sets}: {options['descriptors']} descriptors, {options['phi']} φ"


def overview(found: Sequence[tuple[Path, Mapping[str, Any]]]) -> str:
    """How many claims hold, of those that were measured."""
    rows = []
    for folder, record in found:
        verdicts = [claim["verdict"] for claim in record["claims"]]
        measured = [verdict for verdict in verdicts if verdict != "not measured"]
        up = f"../{folder.relative_to(ROOT).as_posix()}"
        rows.append(
            {
                "study": f"[{title(record)}]({up}/index.html)",
                "claims": len(verdicts),
                "measured": len(measured),
                "hold": measured.count("holds"),
            }
        )
    return table(rows)


def section(folder: Path, record: Mapping[str, Any]) -> str:
    """One study on its sets."""
    up = f"../{folder.relative_to(ROOT).as_posix()}"
    claims = [
        {
            "claim": claim["text"],
            "where": claim["source"],
            "verdict": _SIGNS.get(claim["verdict"], claim["verdict"]),
            "figure": claim["figure"],
            "why": claim["why"] or "",
        }
        for claim in record["claims"]
    ]
    parts = [
        f"## {title(record)}",
        record["paper"],
        f"[Page]({up}/index.html) · [JSON]({up}/results.json). {about(record)}.",
        table(claims),
    ]
    parts += [experiment(entry, up) for entry in record["experiments"].values()]
    return "\n\n".join(part for part in parts if part)


def experiment(entry: Mapping[str, Any], up: str) -> str:
    """Tables as printed and as measured, and the plots."""
    parts = [f"### {entry['title']}"]
    for printed in entry["printed"]:
        parts += [f"As printed: {printed['title']}", table(printed["rows"])]
    for data, rows in entry["measured"].items():
        parts += [f"As measured on {data}:", table(rows)]
    for picture in entry.get("plots", ()):
        if picture.endswith(".png"):
            parts.append(f"![{entry['title']}]({up}/{picture})")
    return "\n\n".join(parts)


def page() -> str:
    """The whole page."""
    found = records()
    parts = [HEAD.strip(), overview(found), *(section(*one) for one in found)]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
