"""What re-ranking somebody else's candidates costs: a list ranked, a page marked.

    python benchmarks/candidates.py [--candidates 500] [--repeats 200] [--http] [--json]

Lists of drawn numbers, for a person who has taught for the same text, beside another who has: ten
features each, and with vectors of 128 besides. `--http` asks a server, as another program would.
The bound is for features: p95 ≤ 20 ms on two cores.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import numpy as np

import saccade
from machine import machine, spread
from saccade.service.server import prepare

BOUND = 20.0
FEATURES, WIDTH, LESSONS = 10, 128, 20

Listed = list[dict[str, Any]]
Rank = Callable[[Listed], tuple[str, list[str]]]  # a page's id, and its candidates in order
Mark = Callable[[str, list[str], list[str]], object]


def drawn(rng: np.random.Generator, count: int, *, vectors: bool) -> Listed:
    """A list of candidates."""
    numbers = rng.normal(size=(count, FEATURES)).round(4).tolist()
    listed: Listed = [
        {"id": f"sku-{i}", "features": {f"feature-{j}": value for j, value in enumerate(row)}}
        for i, row in enumerate(numbers)
    ]
    if vectors:
        rows = rng.normal(size=(count, WIDTH)).round(4).tolist()
        listed = [{**one, "vectors": {"clip": row}} for one, row in zip(listed, rows, strict=True)]
    return listed


def measure(rank: Rank, mark: Mark, count: int, repeats: int, *, vectors: bool) -> dict[str, Any]:
    """Milliseconds of a list, and of a mark, after some lessons."""
    rng = np.random.default_rng(1)
    lists = [drawn(rng, count, vectors=vectors) for _ in range(8)]
    for lesson in range(LESSONS):
        page, ids = rank(lists[lesson % len(lists)])
        mark(page, ids[:5], ids[5:10])
    turn = iter(range(10 * repeats))
    ranked = spread(lambda: rank(lists[next(turn) % len(lists)]), repeats)
    pages = iter([rank(lists[i % len(lists)]) for i in range(repeats // 4)])

    def one() -> None:
        page, ids = next(pages)
        mark(page, ids[10:12], ids[12:14])

    return {"rerank": ranked, "mark": spread(one, repeats // 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--http", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        engine = stack.enter_context(saccade.Engine(place / "shop.saccade"))
        rank, mark = served(engine, stack) if given.http else called(engine)
        report = {
            **machine(),
            "candidates": given.candidates,
            "by": "http" if given.http else "python",
            "features": measure(rank, mark, given.candidates, given.repeats, vectors=False),
            "vectors": measure(rank, mark, given.candidates, given.repeats, vectors=True),
            "bound_ms": BOUND,
        }
    if given.json:
        print(json.dumps(report, indent=2))
        return
    print({name: report[name] for name in ("machine", "cores", "python", "commit", "by")})
    for kind in ("features", "vectors"):
        for what, times in report[kind].items():
            print(f"{kind:9} {what:7} p50 {times['p50_ms']:7.2f} ms   p95 {times['p95_ms']:7.2f}")
    within = report["features"]["rerank"]["p95_ms"] <= BOUND
    print(f"{given.candidates} candidates by features: p95 ≤ {BOUND:g} ms: {within}")


def called(engine: saccade.Engine) -> tuple[Rank, Mark]:
    """In this process."""

    def rank(listed: Listed) -> tuple[str, list[str]]:
        page = engine.candidates.rerank(listed, text="red shoes", user="ana")
        return page.page_id, [hit.id for hit in page]

    def mark(page: str, liked: list[str], disliked: list[str]) -> object:
        return engine.candidates.react(page, liked=liked, disliked=disliked)

    return rank, mark


def served(engine: saccade.Engine, stack: ExitStack) -> tuple[Rank, Mark]:
    """By a server."""
    server = prepare(engine, port=0)
    thread = Thread(target=server.run)
    thread.start()
    stack.callback(thread.join)
    stack.callback(setattr, server, "should_exit", True)
    client = stack.enter_context(httpx.Client(base_url=server.url, timeout=60))

    def rank(listed: Listed) -> tuple[str, list[str]]:
        body = {"user": "ana", "query": {"text": "red shoes"}, "candidates": listed}
        page = client.post("/api/v1/rerank", json=body).raise_for_status().json()
        return page["page_id"], [hit["id"] for hit in page["hits"]]

    def mark(page: str, liked: list[str], disliked: list[str]) -> object:
        body = {"page_id": page, "liked": liked, "disliked": disliked}
        return client.post("/api/v1/feedback", json=body).raise_for_status().json()

    return rank, mark


if __name__ == "__main__":
    main()
