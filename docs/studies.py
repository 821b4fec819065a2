"""Writes docs/studies.md and docs/studies/*.md from what the studies measured: results/studies.

    python docs/studies.py

Every number and verdict in those pages is read from a results.json; typed by hand is only what the
papers say. tests/meta compares the pages with what this script would write.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from saccade.studies.page import JUDGED, KINDS_SAID, number, remarks, tally, weight
from saccade.studies.report import about

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "studies"
PAGE = ROOT / "docs" / "studies.md"
PAGES = ROOT / "docs" / "studies"

HEAD = f"""# What the studies found

Made by `python docs/studies.py` from [results/studies](../results/studies): every number was
measured, every verdict is the machinery's. Each run has a page of its own, one click from here.
[How to write a study](howto/write-a-study.md); [how to bring a set](howto/bring-a-labelled-set.md).

{KINDS_SAID} A claim that nothing could have broken is *not measured*.
"""
ORDER = ("wan2015", "li2012", "chen2015", "aly2011", "hu2008", "feedback", "words")
KINDS = ("holds", "no difference", "does not hold")
CLAIMS = "claims.md"


class PaperTable(NamedTuple):
    """A table or figure of a paper, its condition there, and what of that is not to be had."""

    study: str
    title: str
    condition: str
    sources: tuple[str, ...]  # what the claims about it name as their place
    missing: str = ""
    ours: str = ""  # of a table that claims nothing: what stands in its place


PAPER_TABLES = (
    PaperTable(
        "wan2015", "Table 1", "its sets: Holidays 1,491 pictures in 500 classes, Caltech101 8,677 "
        "in 101, ImageCLEF 7,157 in 20, Corel 5,000 in 50, ImageCLEFFlickr 1,007,157", (),
        "Holidays, Caltech101 whole, ImageCLEF, Corel-5000, Flickr",
        "nothing is claimed; ours: Corel-1K (1,000 in 10), osr (2,688 in 8)"),
    PaperTable(
        "wan2015", "Table 2", "mAP on Holidays, Caltech101, ImageCLEF, Corel; 36 schemes, 5 folds, "
        "200,000 instances", ("Section 5.3, Table 2", "Table 2, ours"),
        "Holidays, Caltech101 whole, ImageCLEF, Corel-5000"),
    PaperTable(
        "wan2015", "Theorems 1–3", "loss and MAP along the stream, bounded", ("Theorems 1–3",
        "Section 4")),
    PaperTable(
        "wan2015", "Figure 1", "seconds by instances, to 200,000, on Corel", ("Figure 1",),
        "Corel-5000"),
    PaperTable(
        "wan2015", "Figure 2", "mAP among a million Flickr pictures, 3,000,000 instances",
        ("Figure 2",), "the million Flickr pictures"),
    PaperTable("wan2015", "Table 3", "seconds for 3,000,000 instances of ImageCLEFFlickr",
               ("Table 3",), "ImageCLEFFlickr"),
    PaperTable(
        "wan2015", "Figures 3 and 4", "live: 2,000 queries, 50 judged each; NDCG@50 and time",
        ("Figure 3", "Figure 4"), "ImageCLEF"),
    PaperTable(
        "li2012", "Table 1", "the 224 ranking features", (), "",
        "nothing is claimed; [all are built](concepts/ranking-features.md)"),
    PaperTable(
        "li2012", "Figures 2–4, Table 2", "mAP and NDCG on Oxford5K, Paris, Oxford505K, NUS-WIDE; "
        "224 features, 1M words", ("Section 4.2, Figures 2–4", "Section 4.2"),
        "Oxford, Paris, NUS-WIDE"),
    PaperTable(
        "li2012", "Tables 3–5", "selection and PCA, 12 to 224 features, on the same",
        ("Section 4.3, Tables 3–5",), "Oxford, Paris"),
    PaperTable(
        "chen2015", "Tables 1 and 2", "pair accuracy, 100 points + 100 pairs on OSR (gist), 200 + "
        "200 on Shoes; 10 rounds", ("Tables 1 and 2",), "Shoes (PubFig stands in)"),
    PaperTable("chen2015", "Figure 3", "accuracy by number of pairs and of points", ("Figure 3",),
               "Shoes"),
    PaperTable("chen2015", "Figure 5", "zero-shot accuracy by unseen categories and by pairs",
               ("Figure 5(a)", "Figure 5(b)"), "Shoes"),
    PaperTable("chen2015", "Figure 6", "accuracy after 0.1 s, online and batch", ("Figure 6",),
               "Shoes"),
    PaperTable("chen2015", "Table 3", "seconds to 70–85%, online and batch", ("Table 3",), "Shoes"),
    PaperTable(
        "aly2011", "Table 1", "its probes: 485 covers, 750 of Pasadena buildings, 720 of ALOI, 957 "
        "of Holidays; distractors by the 100,000", (),
        "Pasadena Buildings, ALOI, Holidays, the covers, the distractors",
        "nothing is claimed; ours: book covers, buildings of one city, a drawn world"),
    PaperTable(
        "aly2011", "Figure 3", "recognition of 20 experts (AKM-10K, 100K, 1M, HKM-1M) on four "
        "sets among 10,000 distractors", ("Section 6, Figure 3",),
        "its four sets and distractors"),
    PaperTable(
        "aly2011", "Figures 4–6", "offline choice: heaviest expert and weighted vote",
        ("Section 6.1, Figure 6a", "Section 6.1, Figures 4 and 5", "Section 6.1",
         "Section 6.1, Figure 6b")),
    PaperTable(
        "aly2011", "Figures 7 and 8", "online choice, one pass over the probes",
        ("Section 6.2, Figure 8a", "Section 6.2, Figure 7", "Section 6.2",
         "Section 6.2, Figure 8b")),
    PaperTable(
        "hu2008", "Table 1, Figure 3", "AP and NDCG of ten animal queries, 200 Flickr pictures "
        "each, graded by hand", ("Section 5.4, Table 1", "Table 1", "Figure 3"),
        "the Flickr pictures and their grades"),
    PaperTable("hu2008", "Figure 4", "region maps, shown", ("Figure 4",), "the Flickr pictures"),
)  # fmt: skip
PAPERS = ("wan2015", "li2012", "chen2015", "aly2011", "hu2008")
LEADS = {
    "wan2015": "table-2", "li2012": "figures-2-4", "chen2015": "table-1", "aly2011": "figures-4-6",
    "hu2008": "table-1", "feedback": "course", "words": "marks",
}  # fmt: skip
"""The experiment whose plot stands on the summary."""

Found = Sequence[tuple[Path, Mapping[str, Any]]]


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


def detail(folder: Path) -> str:
    """The name of a run's own page."""
    return f"{folder.name}-{folder.parent.name}.md"


def title(record: Mapping[str, Any]) -> str:
    """A study, its sets, and what φ was made of."""
    options = record["options"]
    sets = ", ".join(one["name"] for one in record["data"])
    return f"{record['study']} on {sets}: {options['descriptors']} descriptors, {options['phi']} φ"


def kinds(claims: Sequence[Mapping[str, Any]]) -> str:
    """How many of those that were measured are of each kind."""
    every = [claim["verdict"] for claim in claims]
    return ", ".join(f"{every.count(k)} {k}" for k in KINDS if k in every) or "not measured"


def papers(found: Found) -> str:
    """Every table of the five papers: its condition, ours, verdicts by kind, what is missing."""
    rows = []
    for one in PAPER_TABLES:
        runs = [
            (folder, [c for c in record["claims"] if c["source"] in one.sources])
            for folder, record in found
            if record["study"] == one.study
        ]
        said = [
            f"[{folder.parent.name}](studies/{detail(folder)}): {kinds(claims)}"
            for folder, claims in runs
            if any(claim["verdict"] in KINDS for claim in claims)
        ]
        rows.append(
            {
                "paper": one.study,
                "table": one.title,
                "its condition": one.condition,
                "ours, and verdicts": one.ours or "; ".join(said) or "not run in the present form",
                "not to be had": one.missing or "–",
            }
        )
    return table(rows)


def by_claim(found: Found) -> list[tuple[str, Mapping[str, Any], dict[str, list[str]]]]:
    """Each claim of each study once, and the runs on which it is of each kind."""
    claims: dict[tuple[str, str], tuple[Mapping[str, Any], dict[str, list[str]]]] = {}
    for folder, record in found:
        for claim in record["claims"]:
            key = (record["study"], claim["text"])
            _, runs = claims.setdefault(key, (claim, {kind: [] for kind in KINDS}))
            if claim["verdict"] in KINDS:
                runs[claim["verdict"]].append(f"[{folder.parent.name}]({detail(folder)})")
    return [(study, claim, runs) for (study, _), (claim, runs) in claims.items()]


def in_short(found: Found) -> str:
    """How many of the papers' own claims hold wherever they were measured, somewhere, nowhere."""
    rows = []
    for paper in PAPERS:
        own = [
            runs
            for study, claim, runs in by_claim(found)
            if study == paper and "ours" not in claim["source"]
        ]
        measured = [runs for runs in own if any(runs.values())]
        whole = [runs for runs in measured if not (runs[KINDS[1]] or runs[KINDS[2]])]
        some = [runs for runs in measured if runs["holds"] and runs not in whole]
        lost = [runs for runs in measured if not runs["holds"] and runs["does not hold"]]
        rows.append(
            {
                "paper": paper,
                "its claims": len(own),
                "hold wherever measured": len(whole),
                "hold on some sets": len(some),
                "no difference told": len(measured) - len(whole) - len(some) - len(lost),
                "hold nowhere, broken somewhere": len(lost),
                "not measured": len(own) - len(measured),
            }
        )
    return table(rows) + f"\n\n[Claim by claim](studies/{CLAIMS})."


def every_claim(found: Found) -> str:
    """The page of all claims: on which runs each is of which kind."""
    parts = ["# Claim by claim", f"[All studies](../studies.md). {KINDS_SAID}"]
    claims = by_claim(found)
    for study in ORDER:
        rows = [
            {
                "claim": claim["text"],
                "where": claim["source"],
                **{kind: ", ".join(runs[kind]) or None for kind in KINDS},
            }
            for name, claim, runs in claims
            if name == study
        ]
        parts += [f"## {study}", table(rows)]
    return "\n\n".join(parts) + "\n"


def overview(found: Found) -> str:
    """Every run: claims by kind, and where its values are from."""
    rows = [
        {
            "run": f"[{title(record)}](studies/{detail(folder)})",
            "claims": tally(record["claims"]),
            "measured by": record["commit"] + (", judged again" if record.get("judged") else ""),
        }
        for folder, record in found
    ]
    every = [claim for _, record in found for claim in record["claims"]]
    mixed = [
        f"[{folder.name} on {folder.parent.name}](studies/{detail(folder)})"
        for folder, record in found
        if "," in record["commit"]
    ]
    again = f" Measured by several commits, and to be run again: {', '.join(mixed)}."
    return table(rows) + f"\n\nAll runs together: {tally(every)}." + (again if mixed else "")


def plots(found: Found) -> str:
    """The plot that matters of each study, from its first run that has it."""
    parts = []
    for study in ORDER:
        for folder, record in found:
            entry = record["experiments"].get(LEADS[study], {})
            pictures = [one for one in entry.get("plots", ()) if one.endswith(".png")]
            if record["study"] == study and pictures:
                up = f"../{folder.relative_to(ROOT).as_posix()}"
                parts.append(f"**{study}**, {entry['title']}: [{title(record)}]"
                             f"(studies/{detail(folder)})\n\n"
                             f"![{entry['title']}]({up}/{pictures[0]})")  # fmt: skip
                break
    return "\n\n".join(parts)


def section(folder: Path, record: Mapping[str, Any]) -> str:
    """One study on its sets: the whole page of a run."""
    up = f"../../{folder.relative_to(ROOT).as_posix()}"
    claims = [
        {
            "claim": claim["text"],
            "where": claim["source"],
            "what was run": claim["here"],
            "verdict": claim["verdict"],
            "effect": weight(claim),
            "figures": claim["figure"],
            "more": claim["why"],
        }
        for claim in record["claims"]
    ]
    again = JUDGED if record.get("judged") else ""
    parts = [
        f"# {title(record)}",
        f"[All studies](../studies.md). {record['paper']}",
        f"[Page]({up}/index.html) · [JSON]({up}/results.json). {about(record)}.{again}",
        f"{tally(record['claims'])}.",
        table(claims),
    ]
    parts += [experiment(entry, up) for entry in record["experiments"].values()]
    return "\n\n".join(part for part in parts if part) + "\n"


def experiment(entry: Mapping[str, Any], up: str) -> str:
    """Tables as printed and as measured, and the plots."""
    parts = [f"## {entry['title']}"]
    for printed in entry["printed"]:
        parts += [f"As printed: {printed['title']}", table(printed["rows"])]
    for data, rows in entry["measured"].items():
        parts += [f"As measured on {data}:", table(rows)]
    parts += remarks(entry)
    for picture in entry.get("plots", ()):
        if picture.endswith(".png"):
            parts.append(f"![{entry['title']}]({up}/{picture})")
    return "\n\n".join(part for part in parts if part)


def page() -> str:
    """The summary."""
    found = records()
    parts = [
        HEAD.strip(),
        "## In short",
        in_short(found),
        "## The papers' tables",
        papers(found),
        "## The runs",
        overview(found),
        "## The plots that matter",
        plots(found),
    ]
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """A page a run and one of all claims, by their names."""
    found = records()
    runs = {detail(folder): section(folder, record) for folder, record in found}
    return {CLAIMS: every_claim(found), **runs}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    PAGES.mkdir(exist_ok=True)
    for old in PAGES.glob("*.md"):
        old.unlink()
    for name, text in pages().items():
        (PAGES / name).write_text(text, encoding="utf-8")
