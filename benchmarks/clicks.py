"""What clicks alone teach: from an engine's raw order to the offline ranker's, on LETOR files.

    python benchmarks/clicks.py --data FOLDER [--lookers 20] [--folds 1 2 3 4 5] [--save DIR]

FOLDER holds MQ2008's S1 … S5. A fold trains on three parts and tests on one that is neither trained
on nor looked at. The raw order is BM25 of the whole document (feature 25). Each training query is
shown in the order served now to so many people, who click by place and grade: 1 / place, and .05,
.5, .95 for grades 0, 1, 2. The events go in as a shop would send them. Beside it: a linear RankSVM
that was given the true grades of the same queries.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import saccade
from machine import machine
from saccade.testbed import letor
from saccade.testbed.measures import value
from saccade.testbed.tables import markdown, write_json, write_text

RAW = 24
CLICKED = {0: 0.05, 1: 0.5, 2: 0.95}


def joined(folder: Path, parts: list[int]) -> letor.Letor:
    """Several parts as one file."""
    every = [letor.read(folder / f"S{(part - 1) % 5 + 1}.txt.gz", features=46) for part in parts]
    return letor.Letor(
        np.concatenate([one.phi for one in every]),
        np.concatenate([one.grades for one in every]),
        np.concatenate([one.groups for one in every]),
    )


def queries(data: letor.Letor) -> list[tuple[int, Any, Any]]:
    """Each query's rows in the raw order, best first, with their grades."""
    found = []
    for query in data.queries.tolist():
        mine = np.flatnonzero(data.groups == query)
        mine = mine[np.argsort(-data.phi[mine, RAW], kind="stable")]
        found.append((query, data.phi[mine], data.grades[mine]))
    return found


def items(phi: Any) -> list[dict[str, Any]]:
    """Rows as candidates; what is alike in all of them is left out."""
    kept = np.flatnonzero(np.ptp(phi, axis=0) > 0)
    names = [f"f{column + 1}" for column in kept.tolist()]
    return [
        {"id": str(number), "features": dict(zip(names, row[kept].tolist(), strict=True))}
        for number, row in enumerate(phi)
    ]


def mean_ndcg(asked: list[tuple[int, Any, Any]], order: Any) -> float:
    """Over queries that have something to find."""
    found = [
        value("ndcg@10", order(query, phi), grades) for query, phi, grades in asked if grades.any()
    ]
    return float(np.mean(found))


def taught(asked: list[tuple[int, Any, Any]], lookers: int, reranker: saccade.Reranker) -> int:
    """Let people look at every query once; returns how often they clicked."""
    chance, clicks = np.random.default_rng(3), 0
    for turn in np.random.default_rng(4).permutation(len(asked)).tolist():
        query, phi, grades = asked[turn]
        page = reranker.rerank(items(phi), text=f"query {query}", user="shop")
        lines = [
            {"event": "clicked", "page": page.page_id, "user": "shop", "id": hit.id}
            for _ in range(lookers)
            for place, hit in enumerate(page.hits)
            if chance.random() < CLICKED[int(grades[int(hit.id)])] / (place + 1)
        ]
        clicks += len(lines)
        reranker.take(lines)
    return clicks


def fold_of(folder: Path, fold: int, lookers: int) -> dict[str, Any]:
    """What clicks teach on the training parts of a fold, seen on its test part."""
    train = joined(folder, [fold, fold + 1, fold + 2])
    asked = queries(joined(folder, [fold + 4]))
    offline = saccade.rankers.make("ranksvm")
    offline.fit(train.phi, train.grades, train.groups)
    with tempfile.TemporaryDirectory() as place, saccade.Reranker(Path(place) / "s") as reranker:
        clicks = taught(queries(train), lookers, reranker)

        def served(query: int, phi: Any) -> Any:
            page = reranker.rerank(items(phi), text=f"query {query}", user="shop")
            scores = {int(hit.id): -place for place, hit in enumerate(page.hits)}
            return np.array([scores[row] for row in range(len(phi))], float)

        return {
            "fold": str(fold),
            "clicks": clicks,
            "raw": mean_ndcg(asked, lambda _, phi: -np.arange(len(phi), dtype=float)),
            "clicked": mean_ndcg(asked, served),
            "offline": mean_ndcg(asked, lambda _, phi: offline.score(phi)),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--lookers", type=int, default=20)
    parser.add_argument("--folds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    rows = [fold_of(given.data, fold, given.lookers) for fold in given.folds]
    means = {name: float(np.mean([row[name] for row in rows])) for name in list(rows[0])[1:]}
    rows.append({"fold": "mean", **means})
    result = {"machine": machine(), "lookers": given.lookers, "rows": rows}
    text = f"# Clicks on MQ2008, NDCG@10\n\n{markdown(rows, digits=4)}\n"
    print(json.dumps(result, indent=2) if given.json else text)
    if given.save:
        write_json(given.save / "clicks.json", result)
        write_text(given.save / "clicks.md", text)


if __name__ == "__main__":
    main()
