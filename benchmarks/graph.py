"""The neighbour graph: how fast it is built and grown, what cells miss, what a spread costs.

    python benchmarks/graph.py [--images 100000] [--against 1000] [--embedding FILE.npy …] [--json]
    python benchmarks/graph.py --images 1000000 --against 100000 --width 256

Vectors are mixtures of three neighbours among real ones (any [n, d] arrays of embeddings, given by
--embedding), every number then changed by a factor of about e^±½; without real ones, of points on
random curves. Recall is the share of the exact k nearest, of 300 rows, that are linked. A spread is
timed from one picture; its first 100 are compared with those of a spread without a budget. Pictures
from outside are 100 that the graph does not have: the share of their exact k nearest that a walk
finds, and how much of the first 50 that spread from those is the same as from the exact. The cost
of a smaller collection, a hundred times unless told, stands beside it. What a spread costs does not
depend on the width of the vectors; what building costs, in time and memory, does.
"""

from __future__ import annotations

import argparse
import json
import resource
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from machine import machine
from machine import spread as percentiles
from saccade.indexes import graph as graphs
from saccade.indexes.blend import Blend, Take
from saccade.indexes.graph import NEIGHBOURS, Graph
from saccade.indexes.spread import Sources, spread
from saccade.indexes.walk import Walk

ADDED, ASKED, FIRST, PAGE = 100, 300, 100, 50


def crowd(real: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Vectors that lie among the real ones as those do among each other."""
    unit = real / np.maximum(np.linalg.norm(real, axis=1, keepdims=True), 1e-9)
    moved = unit - unit.mean(0)
    moved /= np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), 1e-9)
    near = np.argsort(-(moved @ moved.T), axis=1)[:, 1:11]
    out = np.empty((count, real.shape[1]), np.float32)
    for first in range(0, count, 20_000):
        base = rng.integers(0, len(real), min(20_000, count - first))
        share = rng.dirichlet([1.0, 0.6, 0.6], len(base)).astype(np.float32)
        others = near[base[:, None], rng.integers(0, 10, (len(base), 2))]
        mixed = share[:, :1] * unit[base]
        for i in range(2):
            mixed += share[:, i + 1 : i + 2] * unit[others[:, i]]
        mixed *= rng.lognormal(0.0, 0.5, mixed.shape).astype(np.float32)
        out[first : first + len(base)] = mixed
    return out


def drawn(rng: np.random.Generator, width: int = 1280) -> np.ndarray:
    """Points on random curves, as stand-ins for real vectors."""
    curves = np.cumsum(rng.standard_normal((40, 100, width)), axis=1)
    return np.abs(curves.reshape(-1, width)).astype(np.float32)


def measure(vectors: np.ndarray, repeats: int) -> dict[str, Any]:
    count = len(vectors) - ADDED
    rng = np.random.default_rng(1)
    takes = {"embedding": vectors.__getitem__}
    Graph.build(vectors[:300].__getitem__, np.ones(300, bool))  # compiles
    start, used = perf_counter(), process_time()
    blend = Blend.fit(takes, {"embedding": 1.0}, (), np.arange(count))
    take = blend.taking(takes)
    graph = Graph.build(take, np.ones(count, bool))
    built, busy = perf_counter() - start, process_time() - used

    asked = np.sort(rng.choice(count, ASKED, replace=False))
    exact = graphs._Lists.empty(count, NEIGHBOURS)
    exact.offer(take, asked, np.arange(count))
    shared = [len(np.intersect1d(exact.near[row], graph.nearest(row, 1000)[0])) for row in asked]

    start = perf_counter()
    grown = graph.grown(take, np.ones(len(vectors), bool))
    growing = perf_counter() - start
    start = perf_counter()
    Graph.load(grown.arrays())
    loading = perf_counter() - start

    start = perf_counter()
    assert len(graph.layout.rows) == count
    laying = perf_counter() - start
    queries = iter(np.resize(asked, repeats + 1).tolist())
    spread(graph, Sources.of([next(queries)]))
    used = process_time()
    times = percentiles(lambda: spread(graph, Sources.of([next(queries)])), repeats)
    times["processor_ms"] = 1e3 * (process_time() - used) / repeats
    agree = []
    for row in asked[:20].tolist():
        first, other = (
            set(found.rows[np.argsort(-found.values, kind="stable")[: FIRST + 1]].tolist())
            for found in (
                spread(graph, Sources.of([row])),
                spread(graph, Sources.of([row]), budget=10**10),
            )
        )
        agree.append(len(first & other) / (FIRST + 1))
    return {
        "images": count,
        **entered(graph, take, np.arange(count, len(vectors))),
        "build_s": built,
        "build_processor_s": busy,
        "images_a_second": count / built,
        "links_an_image": len(graph.neighbours) / count,
        "recall": float(np.mean(shared)) / NEIGHBOURS,
        "add_100_s": growing,
        "load_s": loading,
        "layout_s": laying,
        "spread": times,
        "agreement_of_first_100": float(np.mean(agree)),
        "agreement_least": float(np.min(agree)),
    }


def entered(graph: Graph, take: Take, outside: np.ndarray) -> dict[str, float]:
    """How well a walk finds where pictures from outside belong."""
    queries, count = take(outside), len(graph)
    shares = range(0, count, 8192)
    exact = np.concatenate(
        [queries @ take(np.arange(i, min(i + 8192, count))).T for i in shares], axis=1
    )
    walk, spent = Walk.of(graph, take), 0.0
    recall, pages = [], []
    for query, products in zip(queries, exact, strict=True):
        nearest = np.argsort(-products, kind="stable")[:NEIGHBOURS]
        used = process_time()
        rows, values = (found[:NEIGHBOURS] for found in walk.nearest(query))
        spent += process_time() - used
        recall.append(len(np.intersect1d(nearest, rows)) / NEIGHBOURS)
        first, other = (
            np.argsort(-spread(graph, Sources.through(graph, *seeds)).dense(), kind="stable")[:PAGE]
            for seeds in ((nearest, products[nearest]), (rows, values))
        )
        pages.append(len(np.intersect1d(first, other)) / PAGE)
    return {
        "walk_processor_ms": 1e3 * spent / len(queries),
        "walk_recall": float(np.mean(recall)),
        "walk_page_recall": float(np.mean(pages)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--against", type=int, help="images of the smaller one")
    parser.add_argument("--width", type=int, default=1280, help="numbers in a drawn vector")
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--embedding", type=Path, nargs="*", default=[], help="arrays [n, d]")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    real = [np.load(file, allow_pickle=False) for file in options.embedding]
    source = np.concatenate(real) if real else drawn(rng, options.width)
    found: dict[str, Any] = {
        **machine(),
        "vectors": "mixtures of real ones" if real else "drawn along random curves",
    }
    found["width"] = source.shape[1]
    smaller = options.against or max(options.images // 100, 500)
    sizes = {"small": smaller, "large": options.images}
    for name, size in sizes.items():
        found[name] = measure(crowd(source, size + ADDED, rng), options.repeats)
    small, large = (found[name]["spread"] for name in sizes)
    found["spread_large_over_small"] = {key: large[key] / small[key] for key in small}
    found["peak_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(
        f"vectors of {found['width']} numbers, {found['vectors']}; peak {found['peak_gb']:.1f} GB"
    )
    for one in (found["small"], found["large"]):
        print(
            f"{one['images']:>9,} images: built in {one['build_s']:.1f} s"
            f" ({one['images_a_second']:,.0f} a second), recall {one['recall']:.3f},"
            f" {one['links_an_image']:.1f} links an image; {ADDED} more in"
            f" {one['add_100_s']:.1f} s; loaded in {one['load_s']:.2f} s,"
            f" laid out in {one['layout_s']:.2f} s"
        )
        print(
            f"          spread {one['spread']['p50_ms']:.1f} ms, {one['spread']['p95_ms']:.1f} ms"
            f" (p50, p95), {one['spread']['processor_ms']:.1f} ms of processor;"
            f" first {FIRST} agree to {one['agreement_of_first_100']:.3f},"
            f" least {one['agreement_least']:.3f}"
        )
        print(
            f"          from outside {one['walk_processor_ms']:.1f} ms of processor,"
            f" recall {one['walk_recall']:.3f}, of the first {PAGE} {one['walk_page_recall']:.3f}"
        )
    grown = found["spread_large_over_small"]
    print(
        f"the large one's spread takes {grown['p50_ms']:.2f} times as long (p50),"
        f" {grown['processor_ms']:.2f} times the processor"
    )


if __name__ == "__main__":
    main()
