"""Every ranker on LETOR folders, five folds: with its own defaults, and with validated settings.

    python benchmarks/letor_table.py --data ohsumed=FOLDER --data mq2008=FOLDER --out results

Features are standardised by the training part. The first columns are each ranker's own defaults,
fitted on the training part alone. `tuned` tries the ranker's grid (`saccade.rankers.tuning.GRIDS`,
the same for every data set), picks by NDCG@10 on the fold's validation part and tests once. A mean
is over all test queries of all folds; a query without relevant rows counts 0. The p-value is that
of a paired randomisation test of `tuned` NDCG@10. Seconds are processor time of the default fits,
all folds together.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from machine import machine
from saccade import rankers
from saccade.rankers.pipeline import Pipeline
from saccade.rankers.tuning import GRIDS, tune
from saccade.testbed import letor
from saccade.testbed.folds import letor_folds
from saccade.testbed.measures import evaluate
from saccade.testbed.significance import compare
from saccade.testbed.tables import markdown, write_json, write_text

MEASURES = ("ndcg-letor@1", "ndcg-letor@5", "ndcg-letor@10", "ndcg@10", "map")
BY = "ndcg@10"
ORDER = (
    "uniform", "best-scheme", "prank", "opr", "opar1", "opar2", "ogdr", "arow", "scw", "ranksvm",
    "ranknet", "listnet", "listmle", "coordinate-ascent", "adarank", "lambdamart",
)  # fmt: skip
Rows = tuple[Any, Any, Any]


def read(paths: tuple[Path, ...]) -> Rows:
    parts = [letor.read(path) for path in paths]
    return tuple(
        np.concatenate([getattr(p, n) for p in parts]) for n in ("phi", "grades", "groups")
    )  # type: ignore[return-value]


def judged(model: Pipeline, test: Rows) -> dict[str, np.ndarray]:
    return evaluate(MEASURES, model.score(test[0], test[2]), test[1], test[2]).per_query


def run_ranker(name: str, folds: list[dict[str, Rows]]) -> dict[str, Any]:
    default, tuned, chosen, seconds = [], [], [], 0.0
    for fold in folds:
        model = Pipeline(rankers.make(name))
        start = process_time()
        model.fit(*fold["train"])
        seconds += process_time() - start
        default.append(judged(model, fold["test"]))
        if name not in GRIDS:
            tuned.append(default[-1])
            chosen.append({})
            continue
        # The same preparation for every trial, done once.
        train, vali, test = (
            (model.scaling.transform(rows[0], rows[2]), *rows[1:])
            for rows in (fold["train"], fold["validate"], fold["test"])
        )
        found = tune(
            lambda **settings: rankers.make(name, **settings), GRIDS[name], train,
            validation=vali, measure=BY,
        )  # fmt: skip
        best = rankers.make(name, **found.best)
        best.fit(*train)
        tuned.append(evaluate(MEASURES, best.score(test[0]), test[1], test[2]).per_query)
        chosen.append(found.best)

    def joined(parts: list[dict[str, np.ndarray]]) -> dict[str, list[float]]:
        return {m: np.concatenate([part[m] for part in parts]).round(6).tolist() for m in MEASURES}

    return {
        "default": joined(default), "tuned": joined(tuned), "settings": chosen, "seconds": seconds,
    }  # fmt: skip


def table(found: dict[str, Any]) -> list[dict[str, Any]]:
    plain = np.array(found["uniform"]["tuned"][BY])
    rows = []
    for name, one in found.items():
        row: dict[str, Any] = {"ranker": name}
        row |= {m: float(np.mean(one["default"][m])) for m in MEASURES}
        row |= {f"tuned {m}": float(np.mean(one["tuned"][m])) for m in ("ndcg-letor@10", BY, "map")}
        against = compare(np.array(one["tuned"][BY]), plain, seed=0)
        row["p against uniform"] = None if name == "uniform" else against.p_randomisation
        row["seconds"] = round(one["seconds"], 2)
        rows.append(row)
    return rows


def page(name: str, rows: list[dict[str, Any]], queries: int, folds: int, empty: int) -> str:
    words = " ".join((__doc__ or "").split("\n\n")[2].split())
    shown = [row | {"seconds": f"{row['seconds']:.1f}"} for row in rows]
    return (
        f"# {name}: every ranker\n\n{queries} test queries in {folds} folds, {empty} of them "
        f"without relevant rows. {words}\n\n{markdown(shown)}\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", action="append", default=[], help="NAME=FOLDER, repeatable")
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--ranker", action="append", help="only these, repeatable")
    parser.add_argument("--json", action="store_true", help="print the tables as JSON too")
    arguments = parser.parse_args()
    if not arguments.data:
        print("no LETOR folder named: give one with --data NAME=FOLDER")
        return
    tables = {}
    names = [name for name in ORDER if not arguments.ranker or name in arguments.ranker]
    for pair in arguments.data:
        data, _, folder = pair.partition("=")
        files = letor_folds(folder)
        folds = [{p: read(getattr(f, p)) for p in ("train", "validate", "test")} for f in files]
        found = {}
        for name in ["uniform", *[n for n in names if n != "uniform"]]:
            found[name] = run_ranker(name, folds)
            value = np.mean(found[name]["tuned"][BY])
            print(f"{data} {name}: {BY} {value:.4f}, {found[name]['seconds']:.1f} s", flush=True)
        rows = tables[data] = table(found)
        empty = sum(
            evaluate(["map"], f["test"][1], f["test"][1], f["test"][2]).without_relevant
            for f in folds
        )
        queries = len(found["uniform"]["tuned"][BY])
        write_text(arguments.out / f"{data}.md", page(data, rows, queries, len(folds), empty))
        head = {"data": data, **machine(), "threads": os.environ.get("OMP_NUM_THREADS", "all")}
        per_query = {
            name: {kind: np.round(one[kind][BY], 4).tolist() for kind in ("default", "tuned")}
            for name, one in found.items()
        }
        settings = {name: one["settings"] for name, one in found.items()}
        write_json(
            arguments.out / f"{data}.json",
            {**head, "table": rows, "settings": settings, f"per_query {BY}": per_query},
        )
    if arguments.json:
        print(json.dumps({**machine(), "tables": tables}, indent=2))


if __name__ == "__main__":
    main()
