"""What re-ranking somebody else's candidates costs: a list ranked, a page marked.

    python benchmarks/candidates.py [--candidates 500] [--repeats 200] [--json] [--save DIR]

Lists of drawn numbers, for a person who has taught for the same text: ten features each, and with
vectors of 128 besides; called in this process, and asked of a server as another program would. The
server is a thread of it, so that processor time is that of both. The bound is p95 ≤ 20 ms on two
cores, for features; on a machine that others use, processor time tells it.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from time import perf_counter, process_time
from typing import Any

import httpx
import numpy as np

import saccade
from machine import machine
from saccade.service.server import prepare
from saccade.testbed.tables import markdown, write_json, write_text

BOUND = 20.0
FEATURES, WIDTH, LESSONS = 10, 128, 20

Listed = list[dict[str, Any]]
Row = dict[str, Any]
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


def measure(rank: Rank, mark: Mark, count: int, repeats: int, *, vectors: bool) -> list[Row]:
    """A list, and a mark, after some lessons."""
    rng = np.random.default_rng(1)
    lists = [drawn(rng, count, vectors=vectors) for _ in range(8)]
    for lesson in range(LESSONS):
        page, ids = rank(lists[lesson % len(lists)])
        mark(page, ids[:5], ids[5:10])
    turn = iter(range(10 * repeats))
    ranked = spent(lambda: rank(lists[next(turn) % len(lists)]), repeats)
    pages = iter([rank(lists[i % len(lists)]) for i in range(repeats // 4)])

    def one() -> None:
        page, ids = next(pages)
        mark(page, ids[10:12], ids[12:14])

    known = "features and vectors" if vectors else "features"
    return [
        {"known": known, "what": "rerank", **ranked},
        {"known": known, "what": "mark", **spent(one, repeats // 4)},
    ]


def spent(function: Callable[[], Any], repeats: int) -> Row:
    """Median and 95th percentile, in milliseconds of the clock and of the processor."""
    times = []
    for _ in range(repeats):
        began = perf_counter(), process_time()
        function()
        times.append((perf_counter() - began[0], process_time() - began[1]))
    (low, low_busy), (high, high_busy) = 1e3 * np.percentile(times, [50, 95], axis=0)
    return {
        "p50 ms": low,
        "p95 ms": high,
        "processor p50 ms": low_busy,
        "processor p95 ms": high_busy,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--candidates", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    rows: list[Row] = []
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        engine = stack.enter_context(saccade.Engine(place / "shop.saccade"))
        for by, (rank, mark) in (("python", called(engine)), ("http", served(engine, stack))):
            for vectors in (False, True):
                found = measure(rank, mark, given.candidates, given.repeats, vectors=vectors)
                rows += [{"by": by, **one} for one in found]
    result = {
        "machine": machine(),
        "load": os.getloadavg()[0],
        "candidates": given.candidates,
        "bound_ms": BOUND,
        "rows": rows,
    }
    text = told(result)
    print(json.dumps(result, indent=2) if given.json else text)
    if given.save:
        write_json(given.save / "candidates.json", result)
        write_text(given.save / "candidates.md", text)


def told(result: dict[str, Any]) -> str:
    """The figures as a page."""
    where, bound = result["machine"], result["bound_ms"]
    worst = max(
        row["processor p95 ms"]
        for row in result["rows"]
        if (row["known"], row["what"]) == ("features", "rerank")
    )
    return f"""# {result["candidates"]} candidates of ten features, and with vectors of {WIDTH}

`benchmarks/candidates.py`, {where["cores"]} cores, commit {where["commit"]},
load {result["load"]:.1f}. By HTTP, the processor time is that of the server and of the client,
which has written its lists before.

{markdown(result["rows"], digits=1)}

By features, {worst:.1f} ms of processor time at the 95th percentile; the bound is {bound:g} ms: \
{"holds" if worst <= bound else "does not hold"}.
"""


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

    written: dict[int, bytes] = {}  # once for each list: that is their engine's work

    def rank(listed: Listed) -> tuple[str, list[str]]:
        if id(listed) not in written:
            body = {"user": "ana", "query": {"text": "red shoes"}, "candidates": listed}
            written[id(listed)] = json.dumps(body).encode()
        data, kind = written[id(listed)], {"Content-Type": "application/json"}
        page = client.post("/api/v1/rerank", content=data, headers=kind).raise_for_status().json()
        return page["page_id"], [hit["id"] for hit in page["hits"]]

    def mark(page: str, liked: list[str], disliked: list[str]) -> object:
        body = {"page_id": page, "liked": liked, "disliked": disliked}
        return client.post("/api/v1/feedback", json=body).raise_for_status().json()

    return rank, mark


if __name__ == "__main__":
    main()
