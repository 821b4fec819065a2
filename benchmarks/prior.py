"""Which descriptors should link a new collection's pictures, and what should a search start from?

    python benchmarks/prior.py --data NAME=FOLDER --data … [--stores DIR] [--out results] [--json]

Shares of a blend are chosen by coordinate ascent: from the embedding alone (or, for collections
without one, from every hand-made descriptor alike), each share in turn takes the value on a grid
that gives the highest mean average precision of spread, over the sets chosen on; two sweeps. For
every set the shares are chosen once more without it and judged on it: that column is a forecast,
the others are fits. At most 1,000 pictures and 200 queries a set, all others ranked.

What `saccade.features.prior` ships is the line "chosen on all".
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

from machine import machine
from saccade.engine import open as opened
from saccade.engine.sources import dense
from saccade.features import prior
from saccade.indexes.blend import Blend
from saccade.indexes.graph import NEIGHBOURS, weight
from saccade.indexes.spread import ALPHA
from saccade.testbed import datasets
from saccade.testbed.measures import average_precision
from saccade.testbed.tables import markdown, write_json, write_text

PICTURES, QUERIES = 1000, 200
GRID = (0.0, 0.05, 0.1, 0.2, 0.3)
WORTH = 2e-4  # a change of mAP worth another number in the table
ROUNDS = 40
Shares = Mapping[str, float]


@dataclass(frozen=True)
class Sample:
    """Part of a labelled set: its classes, and the cosines around the centre by descriptor."""

    labels: np.ndarray
    queries: np.ndarray
    cosines: dict[str, np.ndarray]


def sample(folder: Path, store: Path, seed: int) -> Sample:
    dataset = datasets.load(folder)
    label_of = {str(Path(path).resolve()): label for path, label in dataset.truth().items()}
    with opened(store, warm=False) as engine:
        engine.add(folder)
        known = [(r.row, label_of.get(str(Path(r.paths[0]).resolve()))) for r in engine.images()]
        known = [(row, label) for row, label in known if label is not None]
        rng = np.random.default_rng(seed)
        kept = np.sort(rng.permutation(len(known))[:PICTURES])
        rows = np.array([known[i][0] for i in kept])
        labels = np.unique([known[i][1] for i in kept], return_inverse=True)[1]
        columns = dense.of(engine._opened.collection()).columns
        kinds = engine._opened.store.catalog.setting("kinds")
        cosines = {}
        for name, column in columns.items():
            vectors = column.take(rows)
            alone = Blend.fit(
                {name: vectors.__getitem__}, {name: 1.0},
                prior.rooted({name: kinds[name]}), np.arange(len(rows)),
            ).vectors({name: vectors})  # fmt: skip
            cosines[name] = alone @ alone.T
    # A query needs another picture of its class.
    able = np.flatnonzero(np.bincount(labels)[labels] > 1)
    return Sample(labels, np.sort(rng.permutation(able)[:QUERIES]), cosines)


def scores(known: Sample, shares: Shares) -> np.ndarray:
    """Spread from each query over the graph of this blend, [queries, pictures]."""
    total = sum(shares.values())
    mixed = sum(share / total * known.cosines[name] for name, share in shares.items() if share)
    size = len(mixed)
    np.fill_diagonal(mixed, -1.0)
    near = np.argpartition(-mixed, min(NEIGHBOURS, size - 1) - 1, axis=1)[:, :NEIGHBOURS]
    links = weight(np.maximum(np.take_along_axis(mixed, near, axis=1), 0.0))
    places = (np.repeat(np.arange(size), near.shape[1]), near.ravel())
    graph = scipy.sparse.csr_matrix((links.ravel().astype(np.float64), places), (size, size))
    graph = graph.maximum(graph.T)
    degree = np.asarray(graph.sum(axis=1)).ravel()
    scale = scipy.sparse.diags(1.0 / np.sqrt(np.where(degree > 0, degree, 1.0)))
    normal = (scale @ graph @ scale).tocsr()
    source = np.zeros((size, len(known.queries)))
    source[known.queries, np.arange(len(known.queries))] = 1.0 - ALPHA
    found = source
    for _ in range(ROUNDS):
        found = ALPHA * (normal @ found) + source
    return found.T


def precision(known: Sample, shares: Shares) -> float:
    """Mean average precision of spread by this blend."""
    values = []
    for query, row in zip(known.queries, scores(known, shares), strict=True):
        others = np.arange(len(row)) != query
        relevant = (known.labels == known.labels[query])[others].astype(np.int64)
        values.append(average_precision(row[others].astype(np.float32), relevant))
    return float(np.mean(values))


def chosen(sets: Sequence[Sample], start: Shares, fixed: Sequence[str]) -> dict[str, float]:
    """Shares by coordinate ascent."""

    def worth(shares: Shares) -> float:
        return float(np.mean([precision(one, shares) for one in sets]))

    shares = {name: start.get(name, 0.0) for name in sets[0].cosines}
    best = worth(shares)
    for _ in range(2):
        for name in shares:
            for value in () if name in fixed else GRID:
                trial = {**shares, name: value}
                if value != shares[name] and any(trial.values()):
                    found = worth(trial)
                    if found > best + WORTH:
                        best, shares = found, trial
    return {name: share for name, share in shares.items() if share}


def study(sets: Mapping[str, Sample], start: Shares, fixed: Sequence[str]) -> list[dict[str, Any]]:
    """Shares chosen on all sets, and without each; every line judged on every set."""
    rows: list[dict[str, Any]] = []

    def line(label: str, shares: Shares) -> None:
        values = {name: precision(one, shares) for name, one in sets.items()}
        text = ", ".join(f"{name} {share:g}" for name, share in shares.items())
        rows.append({"shares": label, **values, "which": text})
        print(rows[-1], flush=True)

    line("start", start)
    for left in (*sets, ""):
        held = [one for name, one in sets.items() if name != left]
        if held:
            label = f"chosen without {left}" if left else "chosen on all"
            line(label, chosen(held, start, fixed))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", action="append", default=[], help="NAME=FOLDER, repeatable")
    parser.add_argument("--stores", type=Path, help="where stores are kept between runs")
    parser.add_argument("--out", type=Path, help="write prior.md and prior.json here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    if not arguments.data:
        print("no labelled folder named: give one with --data NAME=FOLDER")
        return
    sets = {}
    with tempfile.TemporaryDirectory() as scratch:
        for pair in arguments.data:
            name, _, folder = pair.partition("=")
            store = (arguments.stores or Path(scratch)) / f"{name}.saccade"
            sets[name] = sample(Path(folder), store, seed=0)
    names = list(next(iter(sets.values())).cosines)
    hand_made = [name for name in names if not name.startswith("embedding")]
    learned = [name for name in names if name not in hand_made]
    found: dict[str, Any] = {**machine(), "sets": list(sets)}
    found["with an embedding"] = study(sets, dict.fromkeys(learned, 1.0), learned)
    found["without one"] = study(sets, dict.fromkeys(hand_made, 0.1), learned)
    text = "\n\n".join(
        ["# The start: what links a new collection", " ".join((__doc__ or "").split("\n\n")[2:4])]
        + [
            f"## Spread, {title}\n\n{markdown(found[title], digits=3)}"
            for title in list(found)[-2:]
        ]
    )
    if arguments.out:
        write_text(arguments.out / "prior.md", text + "\n")
        write_json(arguments.out / "prior.json", found)
    print(json.dumps(found, indent=2) if arguments.json else text)


if __name__ == "__main__":
    main()
