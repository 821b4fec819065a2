"""What would columns of half precision cost in quality?

    python benchmarks/halves.py --data corel1k=FOLDER --data osr=FOLDER [--stores DIR] [--save DIR]

A column of float16 takes half the memory and half the traffic of one of float32. Here every stored
vector is rounded to float16 and back, and the same pictures are ranked by both: each similarity of
each descriptor, and the spread that a new collection starts from, over a graph made of the rounded
vectors. A thousand pictures are the query once, against all others; the figure is the mean average
precision of the query's class.
Stores are kept under --stores, so that a second run does not index again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from machine import machine
from saccade.engine import about
from saccade.engine import open as opened
from saccade.features import prior
from saccade.features.phi import Block, Column, phi
from saccade.features.similarities import SIMILARITIES
from saccade.indexes.blend import Blend
from saccade.indexes.graph import Graph
from saccade.indexes.spread import Sources, spread
from saccade.testbed import datasets
from saccade.testbed.measures import average_precision
from saccade.testbed.tables import markdown, write_json, write_text
from saccade.types import Scheme, Vectors

Columns = Mapping[str, Vectors]

QUERIES = 1000


def read(folder: Path, store: Path) -> tuple[Columns, np.ndarray]:
    """The dense columns of a labelled set, and each picture's class."""
    truth = datasets.load(folder).truth()
    label_of = {str(Path(path).resolve()): label for path, label in truth.items()}
    with opened(store, warm=False) as engine:
        engine.add(folder)
        known = [(r.row, label_of.get(str(Path(r.paths[0]).resolve()))) for r in engine.images()]
        kept = [(row, label) for row, label in known if label is not None]
        rows = np.array([row for row, _ in kept])
        names = [name for name in engine.recipe.descriptors if about(name).kind != "words"]
        columns = {name: engine.library.vectors(name, rows) for name in names}
    return columns, np.unique([label for _, label in kept], return_inverse=True)[1]


def rounded(columns: Columns) -> dict[str, Vectors]:
    """As float16 has them."""
    found = {name: vectors.astype(np.float16) for name, vectors in columns.items()}
    for name, vectors in found.items():
        if not np.isfinite(vectors).all():
            raise SystemExit(f"{name} has numbers that float16 cannot hold")
    return {name: vectors.astype(np.float32) for name, vectors in found.items()}


def precisions(columns: Columns, labels: np.ndarray) -> dict[str, float]:
    """Mean average precision of every scheme, and of the spread that a collection starts from."""
    schemes = [Scheme(name, similarity) for name in columns for similarity in SIMILARITIES]
    blocks = {name: Column(name, (Block.of(vectors),)) for name, vectors in columns.items()}
    kinds = {name: about(name).kind for name in columns}
    takes = {name: vectors.__getitem__ for name, vectors in columns.items()}
    everyone = np.arange(len(labels))
    blend = Blend.fit(takes, prior.shares(kinds), prior.rooted(kinds), everyone)
    graph = Graph.build(blend.taking(takes), np.ones(len(labels), bool))
    queries = np.random.default_rng(0).permutation(len(labels))[:QUERIES]
    found = np.empty((len(queries), len(schemes) + 1))
    for place, query in enumerate(queries.tolist()):
        asked = {name: vectors[query] for name, vectors in columns.items()}
        spoken = spread(graph, Sources.of([query])).dense().astype(np.float32)
        scores = np.column_stack([phi(asked, blocks, schemes), spoken])
        others = everyone != query
        relevant = (labels == labels[query])[others].astype(np.int64)
        ranked = np.ascontiguousarray(scores[others].T)
        found[place] = [average_precision(column, relevant) for column in ranked]
    return dict(zip([*map(str, schemes), "spread"], found.mean(0).tolist(), strict=True))


def compared(columns: Columns, labels: np.ndarray) -> dict[str, Any]:
    whole, half = precisions(columns, labels), precisions(rounded(columns), labels)
    change = {name: half[name] - whole[name] for name in whole}
    return {
        "pictures": len(labels),
        "numbers_a_picture": sum(vectors.shape[1] for vectors in columns.values()),
        "float32": whole,
        "float16": half,
        "largest_change": max(abs(value) for value in change.values()),
    }


def lines(name: str, result: dict[str, Any]) -> list[dict[str, Any]]:
    """Of one set: the start, the embedding's cosine, and the scheme that loses most."""
    alone = {s: result["float16"][s] - v for s, v in result["float32"].items() if s != "spread"}
    worst = min(alone, key=lambda scheme: alone[scheme])
    wanted = dict.fromkeys(["spread", *(s for s in alone if s == "embedding:cosine"), worst])
    return [
        {
            "set": name,
            "ranked by": scheme,
            "float32": result["float32"][scheme],
            "float16": result["float16"][scheme],
            "difference": result["float16"][scheme] - result["float32"][scheme],
        }
        for scheme in wanted
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", action="append", default=[], help="NAME=FOLDER, repeatable")
    parser.add_argument("--stores", type=Path, help="where stores are kept between runs")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    if not options.data:
        print("no labelled folder named: give one with --data NAME=FOLDER")
        return
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        for pair in options.data:
            name, _, folder = pair.partition("=")
            store = (options.stores or Path(scratch)) / f"{name}.saccade"
            results[name] = compared(*read(Path(folder), store))
    rows = [line for name, result in results.items() for line in lines(name, result)]
    largest = max(result["largest_change"] for result in results.values())
    text = (
        f"# Columns of half precision\n\n{markdown(rows, digits=5)}\n\n"
        f"Mean average precision, leave one out, {QUERIES:,} queries a set, pictures without a"
        f" class left out; the last line of a set is the single scheme that loses most. Nothing"
        f" changes by more than {largest:.5f}.\n"
    )
    found = {**machine(), "sets": results}
    print(json.dumps(found, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "halves.json", found)
        write_text(options.save / "halves.md", text)


if __name__ == "__main__":
    main()
