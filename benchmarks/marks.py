"""What marks do to pictures that nobody spoke of: one ✕, one ✓, ten ✓, fifty some of them wrong.

    python benchmarks/marks.py --data things30=FOLDER … [--stores DIR] [--save DIR] [--queries 60]

People are simulated on labelled folders, each a new one. For every query:

    ✕ by mistake    on a right picture of the first twenty
    right ✕         on the first wrong picture of the first forty, where there is one
    first ✓         on a right picture of the first twenty
    ten ✓           on the first ten, where all of them are right
    30% wrong       five rounds of ten answers, 30% of them wrong

Of single marks the table tells in how many cases fewer of the first twenty are right, without the
marked picture; of a ✓ also in how many the first twenty are the same pictures as before; of rounds
what the rest gains on the start's order of it, and in how many sessions it lost more than .01.
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
from saccade.studies.feedback.systems import Product, copied
from saccade.testbed.sessions import FIRST, Round, answering, played
from saccade.testbed.tables import markdown, write_json, write_text
from saccade.types import Page

AMONG, LONG = 40, 80
LOST = 0.01
WRONG = 0.3

Cases = dict[str, list[tuple[float, ...]]]


def measure(data: Labelled, seed: int) -> dict[str, Any]:
    """All that is measured on one set."""
    single: Cases = defaultdict(list)
    rounds: dict[str, list[Round]] = defaultdict(list)
    with copied(data.store) as engine:
        for number, query in enumerate(data.queries.tolist()):
            right, rng = data.relevant(query), np.random.default_rng([seed, number])
            images = [hit.image_id for hit in engine.search(query, user="someone", k=AMONG).hits]
            for kind, liked, disliked in chosen(images, right, rng):
                single[kind].append(one_mark(engine, query, right, liked, disliked))
            for kind, share, many in (("ten", 0.0, 1), ("30% wrong", WRONG, 5)):
                if kind == "ten" and not right.issuperset(images[:10]):
                    continue
                answer = answering(share, np.random.default_rng([seed, number]))
                system = Product(engine, query, len(data.labels))
                rounds[kind].append(played(system, right, answer, rounds=many)[-1])
                engine.forget(system.user)
    return row(data.name, len(data.queries), single, rounds)


def chosen(
    images: list[str], right: set[str], rng: np.random.Generator
) -> list[tuple[str, list[str], list[str]]]:
    """The single marks on a query's first page: what is said, liked, disliked."""
    good = [image for image in images[:FIRST] if image in right]
    wrong = [image for image in images if image not in right][:1]
    out: list[tuple[str, list[str], list[str]]] = []
    if good:
        out += [("mistaken ✕", [], [str(rng.choice(good))]), ("✓", [str(rng.choice(good))], [])]
    return [*out, ("right ✕", [], wrong)] if wrong else out


def one_mark(
    engine: Engine, query: str, right: set[str], liked: list[str], disliked: list[str]
) -> tuple[float, ...]:
    """How many more of the first twenty are right, and how many of them are new."""
    page = engine.search(query, user="someone", k=LONG)
    after = engine.react(page, liked=liked, disliked=disliked)
    before, now = (_first(p, {*liked, *disliked}) for p in (page, after))
    engine.undo("someone", after)
    engine.forget("someone")
    return len(right & set(now)) - len(right & set(before)), len(set(now) - set(before))


def _first(page: Page, without: set[str]) -> list[str]:
    return [hit.image_id for hit in page.hits if hit.image_id not in without][:FIRST]


def row(name: str, queries: int, single: Cases, rounds: dict[str, list[Round]]) -> dict[str, Any]:
    """A line of the table."""
    mistaken, true, first = (np.array(single[k]) for k in ("mistaken ✕", "right ✕", "✓"))
    ten, wrong = (np.array([one.gain for one in rounds[kind]]) for kind in ("ten", "30% wrong"))
    return {
        "set": name,
        "queries": queries,
        "✕ by mistake: fell": float((mistaken[:, 0] < 0).mean()),
        "pictures lost": float(mistaken[:, 0].mean()),
        "right ✕: cases": len(true),
        "right ✕: fell": float((true[:, 0] < 0).mean()) if len(true) else None,
        "pictures won": float(true[:, 0].mean()) if len(true) else None,
        "✓: fell": float((first[:, 0] < 0).mean()),
        "✓: same twenty": float((first[:, 1] == 0).mean()),
        "ten ✓: cases": len(ten),
        "ten ✓: gain": float(ten.mean()) if len(ten) else None,
        "ten ✓: lost": float((ten < -LOST).mean()) if len(ten) else None,
        "ten ✓: worst": float(ten.min()) if len(ten) else None,
        "30% wrong: gain": float(wrong.mean()),
        "30% wrong: lost": float((wrong < -LOST).mean()),
    }


def text_of(result: dict[str, Any]) -> str:
    """The page."""
    commit = result["machine"]["commit"]
    return "\n".join([
        "# What marks do to what nobody spoke of",
        "",
        f"`benchmarks/marks.py`, commit {commit}. Shares of queries; *fell* and *same twenty* are",
        "of the first twenty without the marked picture, *gain* is mAP of what is not judged,",
        f"*lost* the share of sessions in which that fell by more than {LOST}.",
        "",
        markdown(result["rows"], digits=3),
        "",
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", action="append", default=[], help="NAME=FOLDER, repeatable")
    parser.add_argument("--stores", type=Path, help="where stores are kept between runs")
    parser.add_argument("--queries", type=int, default=60)
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
            rows.append(measure(data, options.seed))
    result = {"machine": machine(), "rows": rows}
    text = text_of(result)
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "marks.json", result)
        write_text(options.save / "marks.md", text)


if __name__ == "__main__":
    main()
