"""Whether searching stays quick, the log bounded and the memory flat over many searches.

    python benchmarks/soak.py [--searches 100000] [--images 200] [--megabytes 64]
                              [--json] [--save DIR]
    python benchmarks/soak.py --turns 400

A small drawn collection with three dense descriptors; a hundred people search it, every tenth
search gets a mark. Each block of a twentieth of the searches is one line:

    p50, p95     milliseconds of a search
    cpu          milliseconds of the processor for a search: on a machine that others use, too
    catalog      megabytes of catalog and journal on disk
    memory       megabytes of the process
    files        descriptors it has open
    pages        pages in the log that nobody marked

The verdict compares the last tenth with the second, for each: the first pays for empty caches.
Bytes of the catalog are those without what marks taught, which stays for ever.

On a machine that others use, too, processor time depends on what they do, and a long run meets more
than one kind of neighbour. With --turns nothing else is measured than that: searches of two stores
in turns, with as many marks as the second and the last tenth of 100,000 searches have on average.
Marks beyond the first `TAUGHT` say again, in sessions of their own, what those said.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import sqlalchemy as sql

from machine import machine
from saccade.engine import Engine
from saccade.store.store import Store
from saccade.store.tables import chain, events, recent_pages, snapshots
from saccade.testbed import worlds
from saccade.testbed.tables import markdown, write_json, write_text

BLOCKS = 20
MARKED = 10  # one search of so many gets a mark
PEOPLE = 100
FLAT = ("cpu_ms", "memory_mb", "files", "beyond_mb")
"""What should not grow with the number of searches."""
RECIPE = "color-histogram,color-moments,lbp"
TAUGHT, FEW, MANY = 500, 1500, 9500


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--searches", type=int, default=100_000)
    parser.add_argument("--images", type=int, default=200)
    parser.add_argument("--megabytes", type=float, default=64.0)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    parser.add_argument(
        "--turns", type=int, help="compare so many searches with few and many marks"
    )
    options = parser.parse_args()
    if options.turns:
        with tempfile.TemporaryDirectory() as place:
            few, many = in_turns(Path(place), options.images, options.turns)
        told_in_turns = f"{FEW} marks: {few:.2f} ms of processor a search; {MANY}: {many:.2f} ms"
        print(f"commit {machine()['commit']}; {told_in_turns}, {many / few:.3f} ×")
        return
    with tempfile.TemporaryDirectory() as place:
        figures = soak(Path(place), options.images, options.searches, options.megabytes)
    result = {"machine": machine(), **vars(options), "save": None, **figures}
    text = told(result)
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "soak.json", result)
        write_text(options.save / "soak.md", text)
        plot(figures["blocks"], options.save / "soak.png")


def soak(place: Path, images: int, searches: int, megabytes: float) -> dict[str, Any]:
    """Search, mark now and then, and look at the store after each block."""
    worlds.write(place / "pictures", images=images, seed=1, size=(96, 72))
    store = place / "soak.saccade"
    rng = np.random.default_rng(5)
    blocks = []
    with Engine(store) as engine:
        engine.add(place / "pictures", recipe=RECIPE)
        engine.retention.change(megabytes=megabytes)
        engine.warm()
        ids = [image.image_id for image in engine.images()]
        for block in range(BLOCKS):
            times, unlogged, spent = [], 0, 0.0
            for number in range(searches // BLOCKS):
                user = f"person {rng.integers(PEOPLE)}"
                began, before = perf_counter(), process_time()
                page = engine.search(str(rng.choice(ids)), user=user, k=50)
                times.append(1e3 * (perf_counter() - began))
                spent += 1e3 * (process_time() - before)
                unlogged += bool(page.unlogged)
                if number % MARKED == 0:
                    liked, disliked = rng.choice(len(page.hits), 2, replace=False)
                    engine.react(page, liked=[page.hits[liked]], disliked=[page.hits[disliked]])
            blocks.append(looked(engine, store, times, (block + 1) * (searches // BLOCKS)))
            blocks[-1] |= {"unlogged": unlogged, "cpu_ms": spent / len(times)}
        equal = engine.digest == engine.replay()
    return {"blocks": blocks, "last_to_second": ratios(blocks), "replay_equal": equal}


def in_turns(place: Path, images: int, searches: int) -> tuple[float, float]:
    """Milliseconds of the processor for a search, with few marks and with many."""
    worlds.write(place / "pictures", images=images, seed=1, size=(96, 72))
    rng = np.random.default_rng(5)
    stores = place / "few.saccade", place / "many.saccade"
    with Engine(stores[0]) as engine:
        engine.add(place / "pictures", recipe=RECIPE)
        engine.retention.change(megabytes=8)
        ids = [image.image_id for image in engine.images()]
        for _ in range(TAUGHT):
            page = engine.search(str(rng.choice(ids)), user=f"person {rng.integers(PEOPLE)}", k=50)
            liked, disliked = rng.choice(len(page.hits), 2, replace=False)
            engine.react(page, liked=[page.hits[liked]], disliked=[page.hits[disliked]])
    shutil.copytree(*stores)
    for store, marks in zip(stores, (FEW, MANY), strict=True):
        say_again(store, marks, rng)
    spent = [0.0, 0.0]
    with Engine(stores[0]) as few, Engine(stores[1]) as many:
        both = few, many
        for number in range(-20, searches):
            query, user = str(rng.choice(ids)), f"person {rng.integers(PEOPLE)}"
            for which in (0, 1) if number % 2 else (1, 0):
                began = process_time()
                both[which].search(query, user=user, k=50)
                spent[which] += process_time() - began if number >= 0 else 0.0
    return 1e3 * spent[0] / searches, 1e3 * spent[1] / searches


def say_again(place: Path, marks: int, rng: np.random.Generator) -> None:
    """Let a log have so many marks, those beyond the ones that are there in new sessions."""
    with closing(Store(place)) as store:
        said = store.log.since(0, ["reacted"])
        with store.log.appending() as appender:
            for number in range(marks - len(said)):
                one, session = said[number % len(said)], f"again {number}"
                appender.append(
                    one.kind, at=one.at + number, user=f"person {rng.integers(PEOPLE)}",
                    session_id=session, page_id=session, body=one.body, arrays=one.arrays,
                )  # fmt: skip


def ratios(blocks: list[dict[str, Any]]) -> dict[str, float]:
    """The last tenth by the second, of whatever should be flat."""
    tenth = BLOCKS // 10
    second, last = blocks[tenth : 2 * tenth], blocks[-tenth:]
    return {
        name: float(np.mean([b[name] for b in last]) / np.mean([b[name] for b in second]))
        for name in FLAT
    }


def looked(engine: Engine, store: Path, times: list[float], searches: int) -> dict[str, Any]:
    """One block's line."""
    catalog = sum(file.stat().st_size for file in store.glob("catalog.sqlite*"))
    return {
        "searches": searches,
        "p50_ms": float(np.median(times)),
        "p95_ms": float(np.quantile(times, 0.95)),
        "catalog_mb": catalog / 2**20,
        "beyond_mb": (catalog - taught(engine)) / 2**20,
        "memory_mb": memory(),
        "files": len(list(Path("/proc/self/fd").iterdir())),
        "pages": engine.retention.show().pages,
        "sessions_mb": engine._loop._sessions.size / 2**20,
    }


def taught(engine: Engine) -> int:
    """Bytes of the log that stay for ever: marks, and the pages that they are on.

    With their lines in the indexes and in the chain, and the snapshots of what they taught.
    """
    length = sql.func.length
    names = (events.c.kind, events.c.user, events.c.session, events.c.page)
    line = length(events.c.body) + length(events.c.arrays) + 2 * sum(map(length, names))
    linked = length(chain.c.digest) + length(chain.c.link)
    stays = events.c.event.not_in(sql.select(recent_pages.c.event))
    together = sql.join(events, chain, events.c.event == chain.c.event)
    kept = sql.select(sql.func.sum(line + linked)).select_from(together).where(stays)
    held = sql.select(sql.func.sum(length(snapshots.c.body) + length(snapshots.c.arrays)))
    with engine._opened.store._database.read() as connection:
        return sum(int(connection.scalar(query) or 0) for query in (kept, held))


def memory() -> float:
    """Megabytes this process holds now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return float("nan")


def told(result: dict[str, Any]) -> str:
    """The figures as a page."""
    where = result["machine"]
    names = {"cpu_ms": "cpu ms", "p50_ms": "p50 ms", "p95_ms": "p95 ms"}
    names |= {"catalog_mb": "catalog MB", "beyond_mb": "without marks MB"}
    names |= {"sessions_mb": "sessions MB", "memory_mb": "memory MB", "files": "open files"}
    names |= {"pages": "pages nobody marked"}
    rows = [
        {"searches": b["searches"]} | {head: b[name] for name, head in names.items()}
        for b in result["blocks"]
    ]
    unlogged = sum(b["unlogged"] for b in result["blocks"])
    replayed = "equals" if result["replay_equal"] else "DIFFERS FROM"
    ratio = ", ".join(
        f"{names[name]} {value:.2f}" for name, value in result["last_to_second"].items()
    )
    options = " ".join(f"--{name} {result[name]:g}" for name in ("images", "megabytes"))
    return f"""# {result["searches"]:,} searches in one process

`benchmarks/soak.py --searches {result["searches"]} {options}`, {where["cores"]} cores, commit
{where["commit"]}: drawn pictures, {PEOPLE} people, a mark every {MARKED} searches, pages of 50.

{markdown(rows, digits=1)}

The last tenth by the second: {ratio}. {unlogged} searches were
not logged; the log replayed {replayed} the live models.
"""


def plot(blocks: list[dict[str, Any]], file: Path) -> None:
    """Time, catalog and memory over the searches."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(3, 1, figsize=(7, 7), sharex=True, layout="constrained")
    at = [b["searches"] for b in blocks]
    for panel, names, label in zip(
        panels,
        (("p50_ms", "p95_ms", "cpu_ms"), ("catalog_mb",), ("memory_mb", "sessions_mb")),
        ("search, ms", "catalog, MB", "memory, MB"),
        strict=True,
    ):
        for name in names:
            panel.plot(at, [b[name] for b in blocks], marker=".", label=name.partition("_")[0])
        panel.set_ylabel(label)
        panel.set_ylim(bottom=0)
        panel.grid(alpha=0.3)
    panels[0].legend()
    panels[2].legend()
    panels[-1].set_xlabel("searches")
    figure.savefig(file, dpi=120)
    pyplot.close(figure)


if __name__ == "__main__":
    main()
