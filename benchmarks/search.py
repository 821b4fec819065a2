"""What a person feels: search, feedback and the first search after a start, at a given size.

    python benchmarks/search.py [--images 100000] [--repeats 60] [--json]

A drawn store (`drawn_store`) stands in for pictures: all columns of the default recipe, words and
the neighbour graph. An upload is noise of 64 × 48, described and searched with. The floor is the
time to read the bytes of its vectors once with the same threads, in the same run.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numba import njit

from drawn_store import build
from machine import best, machine, spread
from saccade.engine import Engine
from saccade.features.phi import phi, weighted
from saccade.features.scaling import standard
from saccade.scale.local import cores

OTHERS = 20
"""Searches that are no picture of the store, of each kind."""
WORDS = ("dog", "ship", "street", "red flower", "mountain")


@njit(nogil=True, fastmath={"contract", "reassoc", "nsz", "arcp"})
def _read(rows: Any, first: int, last: int) -> float:
    total = np.float32(0.0)
    for i in range(first, last):
        for j in range(rows.shape[1]):
            total += rows[i, j]
    return total


def measure(place: Path, repeats: int) -> dict[str, Any]:
    began = perf_counter()
    engine = Engine(place)
    opened = perf_counter() - began
    rng = np.random.default_rng(1)
    ids = [f"{i:032x}" for i in rng.integers(0, len(engine), repeats + 2)]
    firsts = []
    for image_id in ids[:2]:
        began = perf_counter()
        engine.search(image_id, k=50)
        firsts.append(1e3 * (perf_counter() - began))
    asked = iter(ids[2:])
    searching = spread(lambda: engine.search(next(asked), k=50), repeats)

    uploads = iter(rng.integers(0, 256, (OTHERS + 1, 48, 64, 3), np.uint8))
    engine.search(next(uploads), k=50)
    uploading = spread(lambda: engine.search(next(uploads), k=50), OTHERS)
    words = iter(np.resize(WORDS, OTHERS + 1).tolist())
    engine.search(text=next(words), k=50)
    typing = spread(lambda: engine.search(text=next(words), k=50), OTHERS)

    page = engine.search(ids[0], user="ana", k=50)
    rounds = 0

    def judge() -> None:
        """Ten more that are not judged yet, half of them right; after five rounds a new search."""
        nonlocal page
        marked = page.liked | page.disliked
        new = rng.permutation([h.image_id for h in page.hits if h.image_id not in marked])[:10]
        page = engine.react(page, liked=new[:5].tolist(), disliked=new[5:].tolist())

    times: list[float] = []
    while len(times) < repeats:
        rounds = 0 if rounds == 5 else rounds
        if not rounds:
            page = engine.search(ids[len(times)], user="ana", k=100)
        began = perf_counter()
        judge()
        times.append(1e3 * (perf_counter() - began))
        rounds += 1
    times.sort()
    feedback = {"p50_ms": times[len(times) // 2], "p95_ms": times[int(0.95 * (len(times) - 1))]}
    memory = own_gigabytes()
    scans = exact(engine)
    engine.close()
    return {
        "open_s": opened,
        "first_search_ms": firsts[0],
        "second_search_ms": firsts[1],
        "search": searching,
        "upload": uploading,
        "typed_words": typing,
        "memory_gb": memory,
        "feedback_ten_judged": feedback,
        **scans,
    }


def own_gigabytes() -> float:
    """What the process holds beside files that it maps."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("RssAnon:")[2].split()[0]) / 2**20


def exact(engine: Engine) -> dict[str, float]:
    """φ on every scheme, straight to the scores, and reading the same bytes once; same threads."""
    collection = engine._opened.collection()
    view = collection.views["dense"]  # the bytes φ reads
    blocks = [b for column in view.columns.values() for b in column.blocks]
    jobs = [
        (block.vectors, i, min(i + 8192, len(block.vectors)))
        for block in blocks
        for i in range(0, len(block.vectors), 8192)
    ]
    query, vectors = f"{0:032x}", view.of_row(0)
    schemes = [scheme for scheme in collection.schemes if view.serves(scheme)]
    scale = standard(phi(vectors, view.anchors, schemes), schemes)
    cosines = np.array([float(scheme.similarity == "cosine") for scheme in schemes])
    with ThreadPoolExecutor(cores()) as pool:

        def weigh(weights: np.ndarray) -> float:
            return best(
                lambda: weighted(vectors, view.columns, schemes, weights, scale=scale, pool=pool)
            )

        scan = best(lambda: engine.library.phi(query))
        every, some = weigh(np.ones_like(cosines)), weigh(cosines)
        floor = best(lambda: list(pool.map(lambda job: _read(*job), jobs)))
    return {
        "phi_all_schemes_ms": 1e3 * scan,
        "weighed_all_schemes_ms": 1e3 * every,
        "weighed_cosines_ms": 1e3 * some,
        "stream_same_bytes_ms": 1e3 * floor,
        "phi_over_stream": scan / floor,
        "weighed_over_stream": every / floor,
        "gigabytes": sum(block.vectors.nbytes for block in blocks) / 1e9,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "bench.saccade"
        began = perf_counter()
        build(place, options.images)
        os.sync()  # marks wait for the disk, and should not wait for what was just built
        built = perf_counter() - began
        found = measure(place, options.repeats)
    found = {**machine(), "images": options.images, "built_s": built, **found}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    first, second = found["first_search_ms"], found["second_search_ms"]
    print(f"{found['images']} images, {found['gigabytes']:.2f} GB, {found['cores']} cores")
    print(f"open and warm            {found['open_s']:8.2f} s")
    print(f"first, second search     {first:8.1f} ms {second:8.1f} ms")
    print(f"memory beside files      {found['memory_gb']:8.2f} GB")
    for name in ("search", "upload", "typed_words", "feedback_ten_judged"):
        times = found[name]
        print(f"{name:<24} {times['p50_ms']:8.1f} ms {times['p95_ms']:8.1f} ms  (p50, p95)")
    print(
        f"φ, all schemes           {found['phi_all_schemes_ms']:8.1f} ms, "
        f"{found['phi_over_stream']:.2f} × the {found['stream_same_bytes_ms']:.1f} ms "
        "of reading the same bytes once"
    )
    print(
        f"straight to scores       {found['weighed_all_schemes_ms']:8.1f} ms, "
        f"{found['weighed_over_stream']:.2f} ×; cosines alone {found['weighed_cosines_ms']:.1f} ms"
    )


if __name__ == "__main__":
    main()
