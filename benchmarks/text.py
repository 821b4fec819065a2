"""What typed words cost beside a picture: searches by turns, on one store.

    python benchmarks/text.py [--images 100000] [--repeats 40] [--store PLACE] [--json]

A drawn store (`drawn_store`) stands in for pictures: every column of the default recipe, the words
and the neighbour graph, and what each picture shows by the embedding that was drawn for it. Texts
of every kind are asked: a name of few kinds and of hundreds, a guess, a colour, several words, `-`.
A picture is searched with before each of them, so that both meet the same machine.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from drawn_store import build
from machine import machine
from saccade.engine import Engine, Recipe
from saccade.engine.progress import unwatched
from saccade.engine.text.source import KindSource
from saccade.store.store import Store

TEXTS = (
    "elephants",
    "dog",
    "animal",
    "street",
    "party",
    "red",
    "red bus",
    "fruit -banana",
    "old man with a hat in the park",
    "xqzzyv",
)


def describe(place: Path) -> float:
    """Say what every picture shows, as `saccade index` does; how long it took."""
    store = Store(place)
    began = perf_counter()
    with store.indexing():
        KindSource().update(store, Recipe.default().descriptors, unwatched)
    took = perf_counter() - began
    store.close()
    return took


def measure(place: Path, repeats: int) -> dict[str, Any]:
    began = perf_counter()
    engine = Engine(place)
    opened = perf_counter() - began
    rng = np.random.default_rng(1)
    firsts = {
        "picture": _milliseconds(lambda: engine.search(_drawn(rng, engine), k=50)),
        "text": _milliseconds(lambda: engine.search(text="cat", k=50)),
    }
    pictures: list[float] = []
    texts: dict[str, list[float]] = {text: [] for text in TEXTS}
    for _ in range(repeats):
        for text in TEXTS:
            image = _drawn(rng, engine)
            pictures.append(_milliseconds(lambda image=image: engine.search(image, k=50)))
            texts[text].append(_milliseconds(lambda text=text: engine.search(text=text, k=50)))
    suggested = [_milliseconds(lambda t=t: engine.suggest(t)) for t in ("", "a", "ele", "red b")]
    taught = teach(engine, rng)
    engine.close()
    everything = [time for times in texts.values() for time in times]
    return {
        "open_s": opened,
        "first_ms": firsts,
        "picture": _spread(pictures),
        "text": _spread(everything),
        "by_text": {text: _spread(times) for text, times in texts.items()},
        "ratio_p50": _spread(everything)["p50_ms"] / _spread(pictures)["p50_ms"],
        "ratio_p95": _spread(everything)["p95_ms"] / _spread(pictures)["p95_ms"],
        "suggest_ms": max(suggested),
        **taught,
    }


def teach(engine: Engine, rng: np.random.Generator) -> dict[str, Any]:
    """Ten marks on a text, and the next search for it."""
    times, later = [], []
    for number in range(10):
        page = engine.search(text="animal", user=f"person {number}", k=50)
        shown = rng.permutation([hit.image_id for hit in page.hits])[:10].tolist()
        times.append(
            _milliseconds(
                lambda page=page, shown=shown: engine.react(
                    page, liked=shown[:5], disliked=shown[5:]
                )
            )
        )
        later.append(
            _milliseconds(
                lambda number=number: engine.search(text="animal", user=f"person {number}", k=50)
            )
        )
    return {"ten_marks": _spread(times), "taught_text": _spread(later)}


def _drawn(rng: np.random.Generator, engine: Engine) -> str:
    return f"{int(rng.integers(0, len(engine))):032x}"


def _milliseconds(function: Any) -> float:
    """Of processor time, all threads together: others may use the machine, too."""
    began = process_time()
    function()
    return 1e3 * (process_time() - began)


def _spread(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {"p50_ms": ordered[len(ordered) // 2], "p95_ms": ordered[int(0.95 * (len(ordered) - 1))]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--store", type=Path, help="a drawn store, kept and used again")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = options.store or Path(folder) / "bench.saccade"
        if not place.exists():
            build(place, options.images)
        described = describe(place)
        os.sync()
        found = measure(place, options.repeats)
    found = {**machine(), "images": options.images, "described_s": described, **found}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{found['images']} images, {found['cores']} cores; opened in {found['open_s']:.1f} s")
    for name in ("picture", "text", "ten_marks", "taught_text"):
        print(f"{name:<12} {found[name]['p50_ms']:8.1f} {found[name]['p95_ms']:8.1f} ms (p50, p95)")
    for text, times in found["by_text"].items():
        print(f"  {text:<32} {times['p50_ms']:8.1f} {times['p95_ms']:8.1f} ms")
    print(f"text over picture: {found['ratio_p50']:.2f} (p50), {found['ratio_p95']:.2f} (p95)")
    print(f"first: {found['first_ms']}; slowest suggestions {found['suggest_ms']:.1f} ms")


if __name__ == "__main__":
    main()
