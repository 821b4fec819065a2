"""What the page costs: its requests the server, a mark and scrolling the browser, at a given size.

    python benchmarks/page.py [--images 100000] [--repeats 40] [--store STORE] [--browser]
                              [--json] [--save DIR]

A drawn store (`drawn_store`) with the descriptors that near-duplicates are told by, linked as
`saccade index` does: every picture has a path, one file in a hundred was left out, and some have
thumbnails. `--store` takes a store that is there instead, and only reads it.

Each line is a request that the page makes, sent to the application itself: no socket, no client
beside it. Figures are milliseconds of the processor, all threads together, so that a machine others
use tells the same: the first time it is asked, the median and the 95th percentile after that.
`/healthz` asked the same way is the floor: what the application costs without a question. Sums of
medians are what the start page asks for, and a search with the thumbnails that fill a window.

`--browser` opens the same store in Chromium: a search is scrolled to 1,600 results, one of the last
is marked, then it is scrolled to 10,000. Figures are the processor's time of the page's main
thread, by the browser's own trace: all that it does in the second after a mark, and the longest
task, but for the collection of garbage. Every picture shows one thumbnail.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from time import process_time
from typing import Any

import httpx
import numpy as np
from PIL import Image

from drawn_store import build
from machine import machine
from saccade.engine import Engine
from saccade.service.app import create_app
from saccade.store.store import Store
from saccade.testbed.tables import markdown, write_json, write_text
from saccade.types import Skipped

DESCRIPTORS = ("embedding", "gist", "color-moments")
LIMIT = 20.0
"""Milliseconds that no request for a list or a count should take."""
FILLS = 28
"""Thumbnails that fill a window of 1280 × 800."""
START = ("the page", "who asks", "jobs", "attributes", "collection", "facets", "sample")
LIMITS = {
    "the start page's requests": 50.0, "a search to its first thumbnails": 100.0,
    "counts of a filter": 20.0, "a mark at 1,600 results": 60.0,
    "the longest task while 10,000 are scrolled": 50.0,
}  # fmt: skip
MARKED, SCROLLED, MARKS = 1600, 10_000, 5

SAMPLE = "/api/v1/images/sample?limit=48&seed={turn}"
SEARCH = {"a search by picture": "picture", "a search by words": "words"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    with _store(options) as store:
        images, rows = asyncio.run(measured(store, options.repeats))
        sums = summed(rows) | (in_browser(store) if options.browser else {})
    result = {
        "machine": machine(), "images": images, "limit ms": LIMIT, "rows": rows, "sums": sums,
    }  # fmt: skip
    text = told(result)
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "page.json", result)
        write_text(options.save / "page.md", text)


@contextmanager
def _store(options: argparse.Namespace) -> Iterator[Path]:
    if options.store:
        yield options.store
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "bench.saccade"
        build(place, options.images, descriptors=DESCRIPTORS, words=False)
        finish(place, options.images)
        yield place


def finish(place: Path, images: int) -> None:
    """Give a drawn store the rest of what the page asks for."""
    store = Store(place)
    left_out = [
        (Skipped(f"/drawn/no{i:06d}.jpg", "not an image"), 1, 1) for i in range(images // 100)
    ]
    store.commit(skipped=left_out)
    out = BytesIO()
    Image.fromarray(_noise()).save(out, "JPEG", quality=85)
    for row in range(0, images, max(1, images // 50)):
        store.write_thumbnail(f"{row:032x}", out.getvalue())
    store.close()


async def measured(store: Path, repeats: int) -> tuple[int, list[dict[str, Any]]]:
    """How many images there are, and a line for each request."""
    with Engine(store, create=False) as engine:
        images = len(engine)
        pictures = [record.image_id for record in engine.images()[:: max(1, images // 50)]]
        transport = httpx.ASGITransport(create_app(engine))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            await _asked(client, "/healthz")  # what is imported and built once
            rows = []
            for name, address in _requests(images).items():
                times = []
                for turn in range(repeats + 1):
                    picture = pictures[turn % len(pictures)]
                    times.append(await _asked(client, address.format(turn=turn, picture=picture)))
                rows.append(_line(name, times))
            for name, kind in SEARCH.items():
                asked = {"text": "elephant"} if kind == "words" else {}
                times = []
                for turn in range(repeats + 1):
                    by = asked or {"image_id": pictures[turn % len(pictures)]}
                    times.append(await _asked(client, "/api/v1/search", {**by, "k": 100}))
                rows.append(_line(name, times))
    floor = rows[0]["p50 ms"]
    return images, [{**row, "times the floor": row["p50 ms"] / floor} for row in rows]


def _line(name: str, times: list[float]) -> dict[str, Any]:
    low, high = np.percentile(times[1:], [50, 95])
    return {"request": name, "first ms": times[0], "p50 ms": low, "p95 ms": high}


def summed(rows: list[dict[str, Any]]) -> dict[str, float]:
    """What a person waits for, as the sum of the medians of its requests."""
    median = {row["request"]: float(row["p50 ms"]) for row in rows}
    slower = max(median[name] for name in SEARCH)
    return {
        "the start page's requests": sum(median[name] for name in START),
        "a search to its first thumbnails": slower + FILLS * median["thumb"],
        "counts of a filter": median["facets"],
    }


def _requests(images: int) -> dict[str, str]:
    return {
        "healthz": "/healthz",
        "the page": "/",
        "who asks": "/api/v1/me",
        "jobs": "/api/v1/jobs?offset=0&limit=10",
        "facets": "/api/v1/facets?user=guest",
        "collection": "/api/v1/collection?limit=1",
        "sample": SAMPLE,
        "images, first part": "/api/v1/images?offset=0&limit=60",
        "images, last part": f"/api/v1/images?offset={max(0, images - 60)}&limit=60",
        "image": "/api/v1/images/{picture}",
        "thumb": "/api/v1/images/{picture}/thumb",
        "people": "/api/v1/profiles?limit=200",
        "person": "/api/v1/profiles/guest",
        "saved searches": "/api/v1/profiles/guest/saved?limit=200",
        "attributes": "/api/v1/attributes?user=guest&limit=200",
        "concepts": "/api/v1/concepts?user=guest&limit=500",
        "schemes": "/api/v1/schemes",
        "choosers": "/api/v1/choosers",
    }


async def _asked(client: httpx.AsyncClient, address: str, said: object = None) -> float:
    """Milliseconds of the processor until the answer is here."""
    began = process_time()
    answer = await (client.get(address) if said is None else client.post(address, json=said))
    spent = 1e3 * (process_time() - began)
    if answer.status_code != 200:
        raise SystemExit(f"{address}: {answer.status_code} {answer.text}")
    return spent


# -- in a browser --------------------------------------------------------------------------------


def in_browser(store: Path) -> dict[str, float]:
    """Milliseconds of the page's main thread: a mark, and the longest task while scrolling."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "e2e"))
    import browser as chromium  # type: ignore[import-not-found]
    from playwright.sync_api import sync_playwright

    from saccade.service.server import prepare

    with Engine(store, create=False) as engine, sync_playwright() as playwright:
        server = prepare(engine, port=0)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            path = chromium.ensure()
            opened = playwright.chromium.launch(executable_path=path, args=chromium.arguments())
            first = engine.images()[0].image_id
            return _looked(opened, f"{server.url}/#/search?image={first}")
        finally:
            server.should_exit = True
            thread.join()


def _looked(opened: Any, address: str) -> dict[str, float]:
    page = opened.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(180_000)
    noise = BytesIO()
    Image.fromarray(_noise()).save(noise, "JPEG", quality=85)
    page.route("**/thumb*", lambda r: r.fulfill(body=noise.getvalue(), content_type="image/jpeg"))
    page.goto(address)
    page.wait_for_selector("#grid .card.judging")
    _scrolled(page, MARKED)
    marks = []
    for number in range(MARKS):
        page.evaluate(SIGHT, 3 * number)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(500)
        with _traced(opened, page) as tasks:
            with page.expect_response("**/feedback"):  # looking at the page would be a task of it
                page.keyboard.press("y")
            page.wait_for_timeout(1000)
        marks.append(sum(tasks))
        page.wait_for_selector(f"#tally[data-marks='{number + 1}']")
    with _traced(opened, page) as tasks:
        _scrolled(page, SCROLLED)
    opened.close()
    return {
        "a mark at 1,600 results": float(np.median(marks)),
        "the longest task while 10,000 are scrolled": max(tasks),
    }


SIGHT = """(skipped) => {
    const seen = [...document.querySelectorAll("#grid .card")].filter((card) =>
        card.getBoundingClientRect().top > 200 && card.getBoundingClientRect().top < innerHeight);
    seen[skipped % seen.length].querySelector(".picture").focus({ preventScroll: true });
}"""
"""The focus goes to a picture in sight."""


def _scrolled(page: Any, wanted: int) -> None:
    """Scroll down until so many results are there, and on to two windows from their end."""
    page.evaluate(
        """async (wanted) => {
          const first = document.getElementById("grid").children;
          const size = () => Number(first[0].getAttribute("aria-setsize"));
          // Pages double, and a few of one are under others, which are nearly the same.
          const more = () => !document.getElementById("more").hidden && size() < 0.8 * wanted;
          const left = () => document.documentElement.scrollHeight - scrollY - innerHeight;
          while (more() || left() > 2.1 * innerHeight) {
            scrollBy({ top: innerHeight / 2, behavior: "instant" });
            await new Promise((resolve) => requestAnimationFrame(resolve));
          }
        }""",
        wanted,
    )


@contextmanager
def _traced(opened: Any, page: Any) -> Iterator[list[float]]:
    """The tasks of the page's main thread while the block runs, ms of the processor each.

    Without the browser's collection of garbage, which others do beside it where there is a core.
    """
    tasks: list[float] = []
    kinds = [
        "toplevel",
        "devtools.timeline",
        "disabled-by-default-devtools.timeline",
        "v8",
        "__metadata",
    ]
    opened.start_tracing(page=page, categories=kinds)
    yield tasks
    events = json.loads(opened.stop_tracing())["traceEvents"]
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    mine = [one for one in events if "tdur" in one and (one["pid"], one["tid"]) in main]
    freed = [one for one in mine if one["name"] in ("MajorGC", "MinorGC")]
    for task in (one for one in mine if one["name"] == "RunTask"):
        within = (one["tdur"] for one in freed if 0 <= one["ts"] - task["ts"] <= task["dur"])
        tasks.append((task["tdur"] - sum(within)) / 1e3)


def _noise() -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(0).integers(0, 256, (360, 480, 3), np.uint8)


def told(result: dict[str, Any]) -> str:
    """The table, and whether every request keeps the limit."""
    lists = [row for row in result["rows"] if row["request"] not in SEARCH]
    slow = [row["request"] for row in lists if row["p50 ms"] > LIMIT]
    verdict = (
        f"Median over {LIMIT:g} ms: {', '.join(slow)}."
        if slow
        else f"No median is over {LIMIT:g} ms."
    )
    title = f"# What the page costs: {result['images']:,} images, ms of the processor"
    sums = [
        {"what": name, "ms": value, "limit ms": LIMITS[name], "kept": value <= LIMITS[name]}
        for name, value in result["sums"].items()
    ]
    tables = markdown(result["rows"], digits=2), verdict, markdown(sums, digits=1)
    return f"{title}\n\n" + "\n\n".join(tables) + "\n"


if __name__ == "__main__":
    main()
