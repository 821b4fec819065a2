"""How well does each scheme find pictures of the query's class, alone and together?

    python benchmarks/schemes_quality.py --data corel1k=FOLDER --data osr=FOLDER [--out results]

A FOLDER holds `labels.csv` and `images/`, or one folder a class. Every picture is the query once
and all others are ranked; those of its class are right. The figure is the mean over all queries of
average precision. φ is the engine's own: every scheme measured against the collection's anchors.

    uniform                      the plain mean over all schemes
    uniform without embedding    … over the hand-made descriptors
    uniform, classical nine      … over those of Wan et al.'s kind, words among them
    the start                    what ranks a new collection, before anything is learned

Stores are kept under --stores, so that a second run does not index again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from machine import machine
from saccade.engine import Engine, Recipe
from saccade.engine import open as opened
from saccade.studies.collection import CLASSICAL
from saccade.testbed import datasets
from saccade.testbed.measures import average_precision
from saccade.testbed.plots import bars
from saccade.testbed.tables import markdown, write_json, write_text

EMBEDDING = "embedding"
# Measured alone; no new collection has it unless asked.
EXTRA = ("gist-color",)
SIMILARITIES = Recipe(()).similarities


def measure(folder: Path, store: Path, descriptors: tuple[str, ...]) -> dict[str, Any]:
    """Mean average precision of every scheme and combination over a labelled folder."""
    dataset = datasets.load(folder)
    with opened(store, warm=False) as engine:
        report = engine.add(folder, recipe=",".join(descriptors))
        for skipped in (*report.skipped, *report.problems):
            print(f"left out: {skipped.path}: {skipped.reason}")
        label_of = {str(Path(path).resolve()): label for path, label in dataset.truth().items()}
        labelled = [
            (record, label_of[path])
            for record in engine.images()
            for path in [str(Path(record.paths[0]).resolve())]
            if path in label_of
        ]
        values = _average_precisions(engine, labelled)
    return {"pictures": len(labelled), "classes": len(dataset.classes), "map": values}


def _average_precisions(engine: Engine, labelled: list[tuple[Any, str]]) -> dict[str, float]:
    rows = np.array([record.row for record, _ in labelled])
    labels = np.unique([label for _, label in labelled], return_inverse=True)[1]
    mixes = combinations(engine)
    names = [*(info.scheme for info in engine.library.schemes()), *mixes]
    weights = np.stack(list(mixes.values()), axis=1)
    found = np.empty((len(labelled), len(names)))
    for i, (record, _) in enumerate(labelled):
        phi = engine.library.phi(record.image_id, rows)
        scores = np.concatenate([phi, phi @ weights], axis=1)
        others = np.arange(len(rows)) != i
        relevant = (labels == labels[i])[others].astype(np.int64)
        scores = np.ascontiguousarray(scores[others].T)
        found[i] = [average_precision(column, relevant) for column in scores]
    return dict(zip(names, found.mean(axis=0).tolist(), strict=True))


def combinations(engine: Engine) -> dict[str, np.ndarray]:
    """Weights over the schemes, one set a combination."""
    schemes = engine.library.schemes(user="nobody")

    def uniform(keep: Callable[[str], bool]) -> np.ndarray:
        chosen = np.array([keep(s.descriptor) for s in schemes], np.float32)
        return chosen / max(1.0, float(chosen.sum()))

    found = {
        "uniform": uniform(lambda name: name not in EXTRA),
        "uniform without embedding": uniform(lambda name: name not in (EMBEDDING, *EXTRA)),
        "uniform, classical nine": uniform(lambda name: name in CLASSICAL),
    }
    prior = np.array([s.weight for s in schemes], np.float32)  # of someone who taught nothing
    kept = np.where(found["uniform"] > 0, prior, 0.0)
    found["the start"] = kept / max(1e-9, float(kept.sum()))
    for name in dict.fromkeys(s.descriptor for s in schemes):
        found[f"{name}, all four"] = uniform(lambda other, name=name: other == name)
    return found


def table(values: dict[str, float]) -> list[dict[str, Any]]:
    """One row a descriptor: its four similarities, and the four together."""
    descriptors = dict.fromkeys(name.partition(":")[0] for name in values if ":" in name)
    return [
        {
            "descriptor": name,
            **{s: values.get(f"{name}:{s}") for s in SIMILARITIES},
            "all four": values[f"{name}, all four"],
        }
        for name in descriptors
    ]


def page(data: str, result: dict[str, Any]) -> str:
    """Both tables in Markdown, with the one comparison that matters in words."""
    values = result["map"]
    mixes = {n: v for n, v in values.items() if ":" not in n and not n.endswith(", all four")}
    singles = {n: v for n, v in values.items() if ":" in n}
    hand_made = {n: v for n, v in singles.items() if not n.startswith(EMBEDDING)}
    best, best_made = max(singles, key=singles.get), max(hand_made, key=hand_made.get)  # type: ignore[arg-type]
    head = {k: v for k, v in result.items() if k not in ("map", "pictures", "classes")}
    verdict = (
        f"Best single scheme: `{best}` {singles[best]:.4f}; best without the embedding: "
        f"`{best_made}` {hand_made[best_made]:.4f}, against "
        f"{mixes['uniform without embedding']:.4f} for all of those together. The start: "
        f"{mixes['the start']:.4f}, {mixes['the start'] - singles[best]:+.4f} against the best."
    )
    return "\n".join(
        [
            f"# Schemes on {data}",
            "",
            f"Mean average precision, leave one out, {result['pictures']} pictures of "
            f"{result['classes']} classes. " + ", ".join(f"{k} {v}" for k, v in head.items()) + ".",
            "",
            markdown(table(values)),
            "",
            markdown([{"combination": name, "mAP": value} for name, value in mixes.items()]),
            "",
            verdict,
            "",
            f"![mAP of every descriptor and combination](schemes-{data}.png)",
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", action="append", default=[], help="NAME=FOLDER, repeatable")
    parser.add_argument("--out", type=Path, default=Path("results"))
    parser.add_argument("--stores", type=Path, help="where stores are kept between runs")
    parser.add_argument("--descriptors", help="names with commas; default: all that there are")
    parser.add_argument("--json", action="store_true", help="print the results as JSON too")
    arguments = parser.parse_args()
    if not arguments.data:
        print("no labelled folder named: give one with --data NAME=FOLDER")
        return
    every = (*Recipe.default().descriptors, *EXTRA)
    wanted = tuple(arguments.descriptors.split(",")) if arguments.descriptors else every
    results = {}
    with tempfile.TemporaryDirectory() as scratch:
        for pair in arguments.data:
            data, _, folder = pair.partition("=")
            store = (arguments.stores or Path(scratch)) / f"{data}.saccade"
            store.parent.mkdir(parents=True, exist_ok=True)
            result = {**measure(Path(folder), store, wanted), **machine()}
            values = result["map"]
            results[data] = result
            write_json(arguments.out / f"schemes-{data}.json", result)
            write_text(arguments.out / f"schemes-{data}.md", page(data, result))
            shown = {n.removesuffix(", all four"): v for n, v in values.items() if ":" not in n}
            ordered = dict(sorted(shown.items(), key=lambda item: -item[1]))
            bars(
                arguments.out / f"schemes-{data}.png",
                ordered,
                title=f"{data}: each descriptor's four similarities, and combinations",
                axis="mean average precision, leave one out",
            )
            print(page(data, result), flush=True)
    if arguments.json:
        print(json.dumps(results, indent=2))


if __name__ == "__main__":
    main()
