"""What a mark costs where catalog and log lie in PostgreSQL, against SQLite, in turns.

    python benchmarks/databases.py [--images 200] [--marks 200] [--json] [--save DIR]

One drawn collection in two stores, one with its catalog in a file, one on a server that is started
for it (the `pgserver` wheel, which waits for its disk as any server does). Each round searches and
marks in both, so that whatever else the machine does, it does to both. In the end both logs are
replayed.

    mark     milliseconds until a mark is durable, learned from and its page ranked again: p50, p95
    search   the same of a search, its page logged
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from machine import machine
from saccade.engine import Engine
from saccade.testbed import worlds
from saccade.testbed.tables import write_json, write_text

RECIPE = "color-histogram,color-moments,lbp"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--images", type=int, default=200)
    parser.add_argument("--marks", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it looks for a folder of the user's session
        import pgserver
    # A socket's path is short, and the server may run as another user.
    with tempfile.TemporaryDirectory(prefix="saccade-pg-") as data:
        server = pgserver.get_server(data, cleanup_mode="stop")
        try:
            with tempfile.TemporaryDirectory() as place:
                figures = measure(Path(place), server.get_uri(), options.images, options.marks)
        finally:
            server.cleanup()
    result = {"machine": machine(), "images": options.images, "marks": options.marks, **figures}
    text = told(result)
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "databases.json", result)
        write_text(options.save / "databases.md", text)


def measure(place: Path, address: str, images: int, marks: int) -> dict[str, Any]:
    """Search and mark in both, in turns."""
    worlds.write(place / "pictures", images=images, seed=1, size=(96, 72))
    rng = np.random.default_rng(5)
    times: dict[str, dict[str, list[float]]] = {}
    with (
        Engine(place / "file.saccade") as filed,
        Engine(place / "server.saccade", database=address) as served,
    ):
        both = {"sqlite": filed, "postgresql": served}
        for name, engine in both.items():
            engine.add(place / "pictures", recipe=RECIPE)
            engine.warm()
            times[name] = {"search": [], "mark": []}
        ids = [image.image_id for image in filed.images()]
        for number in range(marks):
            query, user = str(rng.choice(ids)), f"person {rng.integers(20)}"
            liked, disliked = rng.choice(50, 2, replace=False)
            for name in sorted(both, reverse=bool(number % 2)):
                engine = both[name]
                began = perf_counter()
                page = engine.search(query, user=user, k=50)
                searched = perf_counter()
                engine.react(page, liked=[page.hits[liked]], disliked=[page.hits[disliked]])
                times[name]["search"].append(1e3 * (searched - began))
                times[name]["mark"].append(1e3 * (perf_counter() - searched))
        equal = all(engine.digest == engine.replay() for engine in both.values())
    figures: dict[str, Any] = {
        name: {
            what: {"p50": float(np.median(some)), "p95": float(np.quantile(some, 0.95))}
            for what, some in kinds.items()
        }
        for name, kinds in times.items()
    }
    return {**figures, "replay_equal": equal}


def told(result: dict[str, Any]) -> str:
    """The figures as a page."""
    lines = []
    for what in ("search", "mark"):
        one, other = result["sqlite"][what], result["postgresql"][what]
        cells = [f"{times['p50']:.1f} / {times['p95']:.1f}" for times in (one, other)]
        ratios = " / ".join(f"{other[key] / one[key]:.2f}" for key in ("p50", "p95"))
        lines.append(f"| {what} | {cells[0]} | {cells[1]} | {ratios} |")
    replayed = "equal" if result["replay_equal"] else "DIFFER FROM"
    where, table = result["machine"], "\n".join(lines)
    command = f"benchmarks/databases.py --images {result['images']} --marks {result['marks']}"
    return f"""# A mark in PostgreSQL and in SQLite

`{command}`, {where["cores"]} cores shared with
others, commit {where["commit"]}: the same searches and marks in turns, on one machine.

| | SQLite, p50 / p95 ms | PostgreSQL | ratio |
|---|---:|---:|---:|
{table}

Both logs replayed {replayed} the live models.
"""


if __name__ == "__main__":
    main()
