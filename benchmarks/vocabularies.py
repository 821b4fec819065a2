"""What do vocabularies cost? Training, assigning, and how often the nearest word is found.

    python benchmarks/vocabularies.py [--words 100000] [--descriptors 2000000] [--data FOLDER …]
                                      [--iterations 6] [--out results] [--name NAME] [--json]

Descriptors are those of the pictures in the folders, or of drawn posters; where they are too few
they are repeated with noise, which flatters recall: copies of held-out descriptors were trained on.
With `--descriptors 0` there are as many as the pictures have, and no copies. A tenth of the
sample's size is held out for assigning and recall. The peer is exact search for the
nearest centroid (faiss, flat) on the same centroids, in the same run.
Processor seconds are those of all threads together: on a busy machine they say what wall time
cannot.
"""

from __future__ import annotations

import argparse
import json
import resource
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from machine import machine
from saccade.images.decode import decode
from saccade.images.picture import ArrayPicture
from saccade.images.scan import scan
from saccade.testbed.tables import markdown, write_json, write_text
from saccade.testbed.worlds import views
from saccade.types import Skipped
from saccade.words import akm, hkm
from saccade.words.cells import flat_distances
from saccade.words.local_features import extract
from saccade.words.vocabulary import Vocabulary, recall


def pictures_of(folders: list[Path]) -> Iterator[Any]:
    if not folders:
        yield from (ArrayPicture(one.pixels) for one in views(60, 3, seed=3))
    for folder in folders:
        for found in scan(folder):
            if not isinstance(found, Skipped):
                yield decode(found.path.read_bytes()).picture


def real(folders: list[Path], count: float) -> np.ndarray:
    pictures = pictures_of(folders)
    found, total = [], 0
    for picture in pictures:
        found.append(extract(picture).descriptors)
        total += len(found[-1])
        if total >= count:
            break
    return np.concatenate(found)


def enough(found: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """As many descriptors as asked for, in random order; copies get noise of about 0.1 |d|."""
    rows = np.concatenate([np.arange(len(found)), rng.integers(0, len(found), count)])[:count]
    out = found[rows].astype(np.float32)
    out[len(found) :] += rng.normal(0, 5, (max(0, count - len(found)), 128)).astype(np.float32)
    return np.clip(np.rint(out), 0, 255).astype(np.uint8)[rng.permutation(count)]


def timed(function: Any) -> tuple[Any, float, float]:
    wall, cpu = perf_counter(), process_time()
    value = function()
    return value, perf_counter() - wall, process_time() - cpu


def measure(name: str, train: Any, held: np.ndarray) -> dict[str, Any]:
    vocabulary: Vocabulary
    vocabulary, wall, cpu = timed(train)
    vocabulary.assign(held[:64])
    _, assign_wall, assign_cpu = timed(lambda: vocabulary.assign(held))
    some = held[:4000]
    _, _, exact_cpu = timed(lambda: flat_distances(vocabulary.centroids, some))
    row = {
        "vocabulary": name,
        "words": vocabulary.size,
        "training s": round(wall, 1),
        "training cpu s": round(cpu, 1),
        "assigned /s": round(len(held) / assign_wall),
        "assigned /cpu s": round(len(held) / assign_cpu),
        "exact /cpu s": round(len(some) / exact_cpu),
        "recall": recall(vocabulary, some),
        "peak MiB": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }
    print(row, flush=True)
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--words", type=int, default=20_000)
    parser.add_argument("--descriptors", type=int, default=400_000)
    parser.add_argument(
        "--data", type=Path, action="append", default=[], help="a folder of pictures"
    )
    parser.add_argument("--iterations", type=int, default=akm.ITERATIONS, help="of akm")
    parser.add_argument("--name", default="vocabularies", help="of the files in --out")
    parser.add_argument("--out", type=Path, help="write vocabularies.md and .json here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    wanted = arguments.descriptors + arguments.descriptors // 10
    found = real(arguments.data, wanted or np.inf)
    every = enough(found, wanted or len(found), rng)
    held_out = len(every) // 11
    sample, held = every[held_out:], every[:held_out]
    depth = max(1, round(np.log10(arguments.words)))
    rows = [
        measure(
            "akm",
            lambda: akm.train(sample, arguments.words, iterations=arguments.iterations),
            held,
        ),
        measure(f"hkm 10^{depth}", lambda: hkm.train(sample, branching=10, depth=depth), held),
    ]
    result = {
        **machine(),
        "descriptors": len(sample),
        "distinct": min(len(found), len(every)),
        "iterations": arguments.iterations,
        "data": [folder.name for folder in arguments.data] or ["drawn posters"],
        "rows": rows,
    }
    if arguments.out:
        write_text(arguments.out / f"{arguments.name}.md", page(result))
        write_json(arguments.out / f"{arguments.name}.json", result)
    print(json.dumps(result, indent=2) if arguments.json else page(result))


def page(result: dict[str, Any]) -> str:
    return (
        f"# Vocabularies\n\nTrained on {result['descriptors']:,} descriptors (of "
        f"{result['distinct']:,} found in pictures of {', '.join(result['data'])}), "
        f"{result['iterations']} iterations of akm; "
        f"{result['cores']} cores, commit {result['commit']}. "
        + " ".join((__doc__ or "").split("\n\n")[2].split())
        + f"\n\n{markdown(result['rows'], digits=3)}\n"
    )


if __name__ == "__main__":
    main()
