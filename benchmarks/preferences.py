"""What one preference does to a page of photographs, beside ✓ alone and ✓ with ✕.

    python benchmarks/preferences.py --data corel1k=FOLDER … [--stores DIR] [--save DIR]

For each query of a labelled folder two pictures of its first forty are compared: a right one before
a wrong one, two that are right, two that are wrong, and, as a mistake, a wrong one before a right
one. The table tells how many of the first twenty that nobody spoke of are right, before and after,
and how far the two have moved.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from guard import Labelled
from machine import machine
from saccade.engine import Engine
from saccade.studies.feedback.systems import copied
from saccade.testbed.tables import markdown, write_json, write_text
from saccade.types import Page

AMONG, TOP, LONG = 40, 20, 60

# Which pictures are taken, the better first: right (True) or wrong.
KINDS = {
    "right before wrong": (True, False),
    "two that are right": (True, True),
    "two that are wrong": (False, False),
    "wrong before right": (False, True),
    "✓ alone": (True,),
    "✓ and ✕": (True, False),
}


def said(engine: Engine, page: Page, kind: str, chosen: list[str]) -> Page:
    """The page after what was said."""
    if kind.startswith("✓"):
        return engine.react(page, liked=chosen[:1], disliked=chosen[1:])
    return engine.prefer(page, better=chosen[0], worse=chosen[1])


def drawn(page: Page, right: set[str], kind: str, rng: np.random.Generator) -> list[str]:
    """Different pictures of the first of the page, as the kind asks; [] where there are none."""
    out: list[str] = []
    for wanted in KINDS[kind]:
        images = [hit.image_id for hit in page.hits[:AMONG]]
        fit = [i for i in images if (i in right) is wanted and i not in out]
        if not fit:
            return []
        out.append(str(rng.choice(fit)))
    return out


def precision(page: Page, right: set[str], without: list[str]) -> float:
    rest = [hit.image_id for hit in page.hits if hit.image_id not in without]
    return float(np.mean([image in right for image in rest[:TOP]]))


def measure(data: Labelled, seed: int) -> list[dict[str, Any]]:
    found: dict[str, list[list[float]]] = defaultdict(list)
    with copied(data.store) as engine:
        for number, query in enumerate(data.queries.tolist()):
            right = data.relevant(query)
            for kind in KINDS:
                rng = np.random.default_rng([seed, number])
                page = engine.search(query, user="someone", k=LONG)
                chosen = drawn(page, right, kind, rng)
                if not chosen:
                    continue
                after = said(engine, page, kind, chosen)
                before, now = ([h.image_id for h in p.hits] for p in (page, after))
                places = [(now.index(i) if i in now else LONG) - before.index(i) for i in chosen]
                new = len(set(now[:TOP]) - set(before[:TOP]))
                worth = [precision(p, right, chosen) for p in (page, after)]
                found[kind].append([*worth, new, -places[0], places[-1]])
                engine.undo("someone", after)
    return [told(data.name, kind, np.array(found[kind])) for kind in KINDS if found[kind]]


def told(name: str, kind: str, values: np.ndarray) -> dict[str, Any]:
    before, after, new, up, down = values.T
    change = TOP * (after - before)
    return {
        "set": name,
        "said": kind,
        "queries": len(values),
        "P@20 before": float(before.mean()),
        "after": float(after.mean()),
        "fell": float((change < -0.5).mean()),
        "by two or more": float((change < -1.5).mean()),
        "new of 20": float(new.mean()),
        "better up": float(up.mean()),
        "worse down": None if kind == "✓ alone" else float(down.mean()),
    }


def about(result: dict[str, Any]) -> str:
    commit, queries = result["machine"]["commit"], result["queries"]
    return (
        f"`benchmarks/preferences.py`, {queries} queries a set, commit {commit}. P@20 is of "
        "pictures that nobody spoke of; *fell* is the share of pages that lost a picture or more "
        "of these twenty."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", action="append", default=[], help="NAME=FOLDER, repeatable")
    parser.add_argument("--stores", type=Path, help="where stores are kept between runs")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as scratch:
        for pair in options.data:
            name, _, folder = pair.partition("=")
            store = (options.stores or Path(scratch)) / f"{name}.saccade"
            data = Labelled(name, Path(folder), store, options.queries, options.seed)
            rows += measure(data, options.seed)
    result = {"machine": machine(), "queries": options.queries, "rows": rows}
    text = "\n".join(
        [
            "# What one preference does to a page",
            "",
            about(result),
            "",
            markdown(rows, digits=3),
            "",
        ]
    )
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "preferences.json", result)
        write_text(options.save / "preferences.md", text)


if __name__ == "__main__":
    main()
