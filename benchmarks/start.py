"""What does each part of the start gain, and whom does it cost?

    python benchmarks/start.py --data NAME=FOLDER --data … [--chosen NAME,…]
                               [--stores DIR] [--out results] [--json]

Every picture of a labelled set is looked for among all others, by the average precision of the
whole ranking. The line "words, no geometry" is the start as it was before links were verified:
hand-made descriptors with the shares that results/prior.md chose, links where a match of words
stands out from both sides. Against it every other line says how many queries lose more than .05.
Links and companies are made as an index makes them; spreads are solved to the end.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from machine import machine
from saccade.engine import open as opened
from saccade.engine.sources import graph as graphs
from saccade.engine.sources import standouts, words
from saccade.engine.sources.source import Shelf
from saccade.features import prior, standout
from saccade.indexes import company
from saccade.indexes.company import Companies
from saccade.indexes.graph import Graph
from saccade.indexes.spread import ALPHA, FAINT
from saccade.testbed import datasets
from saccade.testbed.measures import average_precision
from saccade.testbed.tables import markdown, write_json, write_text

FULL = {"color-correlogram": 0.1, "edge-directions": 0.05, "gist": 0.3}
"""Shares of hand-made descriptors as results/prior.md chose them for a spread alone."""
STOOD_OUT = 10.0
"""The z of a match that once linked without geometry."""
LOST = 0.05


@dataclass(frozen=True)
class Known:
    """A labelled set as its store has it."""

    labels: np.ndarray
    parts: Mapping[str, np.ndarray]  # descriptor -> unit vectors around the centre
    heights: np.ndarray  # [n, n] z of each match of words
    pairs: np.ndarray  # [m, 2] that geometry confirms
    inliers: np.ndarray  # [m]

    @property
    def confirmed(self) -> np.ndarray:
        """Which two geometry says are the same, [n, n]."""
        out = np.zeros(self.heights.shape, np.bool_)
        out[tuple(self.pairs.T)] = True
        return out | out.T


def known(folder: Path, store: Path) -> Known:
    truth = datasets.load(folder).truth()
    label_of = {str(Path(path).resolve()): label for path, label in truth.items()}
    with opened(store, warm=False) as engine:
        engine.add(folder)
        collection = engine._opened.collection()
        view, links = words.of(collection), graphs.of(collection)
        assert view is not None
        assert links is not None
        rows = np.arange(collection.rows)
        named = [label_of.get(str(Path(r.paths[0]).resolve()), "") for r in engine.images()]
        heights = np.zeros((len(rows), len(rows)), np.float32)
        for row in rows.tolist():
            scores = view.scores(view.words_of(row), "cosine")
            anchors = view.anchor_rows[view.anchor_rows != row]
            heights[row] = standout.heights(scores, scores[anchors])
        verified = standouts.links(Shelf.of(engine._opened.store), view.vocabulary.digest)
        assert verified is not None
        return Known(
            np.unique(named, return_inverse=True)[1],
            {p.name: p.seen(links.columns.columns[p.name].take(rows)) for p in links.blend.parts},
            heights, verified.pairs, verified.inliers,
        )  # fmt: skip


def linked(one: Known, shares: Mapping[str, float], pairs: np.ndarray) -> Graph:
    """The graph by a blend, with the links of these pairs."""
    blend = {"embedding": 1.0, **{n: s for n, s in shares.items() if n in one.parts}}
    total = sum(blend.values())
    vectors = np.concatenate([one.parts[n] * np.sqrt(s / total) for n, s in blend.items()], axis=1)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    graph = Graph.build(
        np.ascontiguousarray(vectors, np.float32).__getitem__, np.ones(len(vectors), bool)
    )
    return graph.joined(pairs, np.full(len(pairs), standout.LINK, np.float32))


def spreads(graph: Graph) -> np.ndarray:
    """What each row spreads to each, [n, n]."""
    size = len(graph)
    links = np.zeros((size, size))
    links[np.repeat(np.arange(size), np.diff(graph.offsets)), graph.neighbours] = graph.weights
    normal = links / graph.root[:, None] / graph.root
    return np.asarray((1.0 - ALPHA) * np.linalg.inv(np.eye(size) - ALPHA * normal))


def together(graph: Graph) -> np.ndarray:
    """How far each two rows keep the same company, [n, n]."""
    found = Companies.of(graph)
    dense = np.zeros((len(graph), len(graph)), np.float32)
    dense[np.repeat(np.arange(len(graph)), np.diff(found.offsets)), found.members] = found.values
    return dense @ dense.T


def precisions(one: Known, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Average precision of each query that has another of its kind; whether the first is one."""
    values, first = [], []
    for row in np.flatnonzero(np.bincount(one.labels)[one.labels] > 1).tolist():
        others = np.arange(len(scores)) != row
        relevant = (one.labels == one.labels[row])[others].astype(np.int64)
        values.append(average_precision(scores[row][others].astype(np.float32), relevant))
        first.append(relevant[np.argmax(scores[row][others])])
    return np.array(values), np.array(first)


def start(one: Known, graph: Graph, *, geometry: bool, weight: float) -> np.ndarray:
    """The scores that a search starts from, [n, n]."""
    beyond = np.maximum(one.heights - standout.QUIET, 0.0) / standout.REACH
    stands = beyond / (1.0 + beyond)
    if geometry:
        stands = np.where(one.confirmed, stands, 0.0)
    likeness = np.arcsinh(np.maximum(spreads(graph), 0.0) / FAINT) / np.arcsinh(1.0 / FAINT)
    found = likeness + prior._SAID[prior.STANDOUT] * stands
    return found + weight * together(graph) if weight else found


def study(one: Known) -> list[dict[str, Any]]:
    """Every variant on one set."""
    high = one.heights > STOOD_OUT
    np.fill_diagonal(high, False)
    stood = np.argwhere(np.triu(high & high.T))
    halved = {name: share / 2 for name, share in FULL.items()}
    rows: list[dict[str, Any]] = []
    before = np.zeros(0)

    def line(label: str, shares: Mapping[str, float], geometry: bool, weight: float) -> None:
        nonlocal before
        graph = linked(one, shares, one.pairs if geometry else stood)
        values, first = precisions(one, start(one, graph, geometry=geometry, weight=weight))
        before = before if len(before) else values
        rows.append({
            "start": label, "mAP": float(values.mean()), "P@1": float(first.mean()),
            "lose more than .05": float(np.mean(values < before - LOST)),
            "gain more than .05": float(np.mean(values > before + LOST)),
        })  # fmt: skip
        print(rows[-1], flush=True)

    line("words, no geometry", FULL, False, 0.0)
    line("two thirds of the hand-made shares", prior.SHARES, False, 0.0)
    line("links that geometry confirms", FULL, True, 0.0)
    line("company", FULL, False, 1.0)
    line("confirmed links and company", FULL, True, 1.0)
    line("all three, hand-made shares halved", halved, True, 1.0)
    line("all three, company twice", prior.SHARES, True, 2.0)
    for share in (0.65, 0.85):
        company.SHARE = share
        line(f"all three, company of {share:.2f}", prior.SHARES, True, 1.0)
    company.SHARE = 0.75
    line("all three, as built", prior.SHARES, True, 1.0)
    return rows


def confirmed(one: Known) -> list[dict[str, Any]]:
    """How many links of so many inliers are of one kind."""
    same = one.labels[one.pairs[:, 0]] == one.labels[one.pairs[:, 1]]
    rows = []
    for least in (6, 8, 10, 15):
        some = one.inliers >= least
        rows.append(
            {"inliers": least, "links": int(some.sum()), "of one kind": int(same[some].sum())}
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", action="append", default=[], help="NAME=FOLDER, repeatable")
    parser.add_argument("--chosen", default="", help="the sets that what is built was chosen on")
    parser.add_argument("--stores", type=Path, help="where stores are kept between runs")
    parser.add_argument("--out", type=Path, help="write start.md and start.json here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    if not arguments.data:
        print("no labelled folder named: give one with --data NAME=FOLDER")
        return
    found: dict[str, Any] = machine()
    chosen = [name for name in arguments.chosen.split(",") if name]
    names = [pair.partition("=")[0] for pair in arguments.data]
    judged = ", ".join(name for name in names if name not in chosen)
    text = [
        "# The start: shares, verified links and company",
        (__doc__ or "").split("\n\n")[2].strip(),
    ]
    if chosen:
        text.append(f"What is built was chosen on {', '.join(chosen)}; judged on {judged}.")
    with tempfile.TemporaryDirectory() as scratch:
        for pair in arguments.data:
            name, _, folder = pair.partition("=")
            one = known(Path(folder), (arguments.stores or Path(scratch)) / f"{name}.saccade")
            found[name] = {"starts": study(one), "links": confirmed(one)}
            text += [f"## {name}", markdown(found[name]["starts"], digits=3)]
            text.append(markdown(found[name]["links"], digits=0))
    if arguments.out:
        write_text(arguments.out / "start.md", "\n\n".join(text) + "\n")
        write_json(arguments.out / "start.json", found)
    print(json.dumps(found, indent=2) if arguments.json else "\n\n".join(text))


if __name__ == "__main__":
    main()
