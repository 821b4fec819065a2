"""What do choosers cost? Twenty configurations against the slowest one, and a round of learning.

    python benchmarks/choosers.py [--images 500] [--large WORDS] [--data FOLDER] [--store STORE]
                                  [--out results] [--json]

A collection of pictures (of FOLDER, or drawn posters, repeated with noise up to --images) is held
under the four vocabularies of Aly (2011). *Alone* is one configuration serving its hundred best
with its own search; *together* all twenty, as a vote or Hedge needs them. From *bags* the words are
there already; from *descriptors* they are assigned first, by each vocabulary once; from *pixels*
the local features are found first. *pages* are whole searches of a copy of STORE by pictures that
are in it, φ and the log included: each configuration against `vote`. Milliseconds are processor
time of all threads, the median over queries, the runners taking turns. `sizes` are the words of
each vocabulary.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

import cv2
import numpy as np

from machine import best, machine
from saccade import choosers
from saccade.engine import Engine
from saccade.images.decode import decode
from saccade.images.picture import ArrayPicture
from saccade.images.scan import scan
from saccade.testbed.tables import markdown, write_json, write_text
from saccade.testbed.worlds import views
from saccade.types import Skipped
from saccade.words.configurations import VOCABULARIES, Bank, sizes_for, train
from saccade.words.local_features import extract

K = 100
QUERIES = 40
LIMIT = 3.0


def pictures(folder: Path | None) -> list[Any]:
    if folder is None:
        return [ArrayPicture(one.pixels) for one in views(50, 3, seed=5)]
    files = (found for found in scan(folder) if not isinstance(found, Skipped))
    return [decode(found.path.read_bytes()).picture for found in files]


def repeated(found: list[np.ndarray], images: int) -> list[np.ndarray]:
    """As many pictures as asked for; copies mix the spots of three pictures, with noise."""
    rng = np.random.default_rng(0)
    out = found[:images]
    while len(out) < images:
        three = np.concatenate([found[place] for place in rng.integers(0, len(found), 3)])
        some = three[rng.random(len(three)) < 1 / 3].astype(np.float32)
        some += rng.normal(0, 5, some.shape).astype(np.float32)
        out.append(np.clip(np.rint(some), 0, 255).astype(np.uint8))
    return out


def filled(described: list[np.ndarray], large: int | None) -> tuple[Bank, dict[str, float]]:
    every = np.concatenate(described)
    sizes = sizes_for(len(every) if large is None else 4 * large)
    start = perf_counter()
    vocabularies = {name: train(name, every, size=sizes[name]) for name in VOCABULARIES}
    trained = perf_counter() - start
    bank = Bank(vocabularies)
    start = perf_counter()
    bank.add(np.arange(len(described)), described)
    return bank, {"training s": trained, "filling s": perf_counter() - start}


def raced(runners: dict[str, Callable[[int], Any]]) -> dict[str, float]:
    """Median processor milliseconds of each, a query each in turn."""
    taken: dict[str, list[float]] = {name: [] for name in runners}
    for query in range(-2, QUERIES):
        for name, run in runners.items():
            start = process_time()
            run(query % QUERIES)
            if query >= 0:
                taken[name].append(1e3 * (process_time() - start))
    return {name: float(np.median(times)) for name, times in taken.items()}


def compare(bank: Bank, described: list[np.ndarray], shown: list[Any]) -> list[dict[str, Any]]:
    def features(query: int) -> np.ndarray:
        return extract(shown[query % len(shown)]).descriptors

    bags = [bank.bags(described[query]) for query in range(QUERIES)]
    levels: dict[str, dict[str, Callable[[int], Any]]] = {"bags": {}, "descriptors": {}}
    # Way by way, so that none finds its vocabulary's postings in the cache of the one before it.
    for one in sorted(bank.configurations, key=lambda one: str(one.way)):
        name, file = one.vocabulary, bank.files[one.vocabulary]
        word = bank.vocabularies[name].assign

        def alone(query: int, name: str = name, file: Any = file, way: Any = one.way) -> Any:
            return file.search(*bags[query][name], K, way)

        def assigned(query: int, word: Any = word, alone: Any = alone) -> Any:
            word(described[query])
            return alone(query)

        levels["bags"][str(one)] = alone
        levels["descriptors"][str(one)] = assigned
    levels["bags"]["together"] = lambda query: bank.search(bags[query], K)
    levels["descriptors"]["together"] = lambda query: bank.search(bank.bags(described[query]), K)
    rows, found = [], {}
    for level, runners in levels.items():
        found[level] = times = raced(runners)
        rows.append(row(level, times))
    slowest = rows[-1]["slowest"]
    pixels = {
        slowest: lambda query: (features(query), levels["descriptors"][slowest](query)),
        "together": lambda query: (features(query), levels["descriptors"]["together"](query)),
    }
    rows.append(row("pixels", raced(pixels)))
    return rows


def pages(store: Path) -> dict[str, Any]:
    """Whole searches by each configuration and by the vote of all, on a copy of a store."""
    with TemporaryDirectory() as folder:
        with Engine(store, create=False, warm=False) as original:
            copy = original.library.backup(Path(folder) / "copy.saccade")
        with Engine(copy, warm=True) as engine:
            images = [one.image_id for one in engine.images(0, QUERIES)]

            def search(query: int, name: str) -> Any:
                return engine.search(images[query % len(images)], configuration=name, k=K)

            names = engine.configurations.show().configurations
            runners = {name: partial(search, name=name) for name in (*names, "vote")}
            times = raced(runners)
            times["together"] = times.pop("vote")
            return row("pages", times) | {"images": len(engine)}


def row(level: str, times: dict[str, float]) -> dict[str, Any]:
    alone = {name: ms for name, ms in times.items() if name != "together"}
    slowest = max(alone, key=lambda name: alone[name])
    return {
        "from": level,
        "slowest": slowest,
        "alone ms": alone[slowest],
        "together ms": times["together"],
        "ratio": times["together"] / alone[slowest],
        "all one after another ms": sum(alone.values()) if len(alone) > 1 else None,
    }


def rounds() -> list[dict[str, Any]]:
    """Microseconds of one update, weights included, among twenty."""
    rng = np.random.default_rng(1)
    losses = rng.random((200, 20))
    rows = []
    for name in choosers.names():
        chooser = choosers.make(name, experts=20)

        def play(chooser: Any = chooser) -> None:
            for some in losses:
                if chooser.sees == "all":
                    chooser.update(some)
                else:
                    arm, chance = chooser.choose(rng=rng)
                    chooser.update(arm, float(some[arm]), probability=chance)

        rows.append({"chooser": name, "µs a round": 1e6 * best(play, 3) / len(losses)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--images", type=int, default=500)
    parser.add_argument("--large", type=int, help="words of the large vocabularies")
    parser.add_argument("--data", type=Path, help="a folder of pictures")
    parser.add_argument("--store", type=Path, help="a store whose whole pages are timed, too")
    parser.add_argument("--out", type=Path, help="write choosers.md and .json here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)  # as the engine does
    shown = pictures(arguments.data)
    described = repeated([extract(one).descriptors for one in shown], arguments.images)
    bank, seconds = filled(described, arguments.large)
    result = {
        **machine(),
        "data": arguments.data.name if arguments.data else "drawn posters",
        "images": len(described),
        "pictures": len(shown),
        "descriptors": sum(map(len, described)),
        "sizes": {name: one.size for name, one in bank.vocabularies.items()},
        **seconds,
        "limit": LIMIT,
        "configurations": compare(bank, described, shown),
        "rounds": rounds(),
    }
    if arguments.store:
        result["configurations"].append(pages(arguments.store))
    if arguments.out:
        write_text(arguments.out / "choosers.md", page(result))
        write_json(arguments.out / "choosers.json", result)
    print(json.dumps(result, indent=2) if arguments.json else page(result))


def page(result: dict[str, Any]) -> str:
    sizes = ", ".join(f"{name} {size:,}" for name, size in result["sizes"].items())
    return (
        f"# Choosers\n\n{result['images']:,} images ({result['pictures']:,} pictures of "
        f"{result['data']}, the others made of their spots), {result['descriptors']:,} "
        f"descriptors; words: {sizes}. {result['cores']} cores, commit {result['commit']}. "
        + " ".join((__doc__ or "").split("\n\n")[2].split())
        + f"\n\n{markdown(result['configurations'], digits=2)}\n\nTarget: a ratio of at most "
        f"{result['limit']:g}.\n\n{markdown(result['rounds'], digits=0)}\n"
    )


if __name__ == "__main__":
    main()
