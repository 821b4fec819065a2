"""What a search asks of its shards, and how long the slowest of many takes.

    python benchmarks/cluster.py [--images 20000] [--shards 4] [--searches 40] [--json]
    python benchmarks/cluster.py --store STORE [--searches 40]

Measured, on a drawn store (`drawn_store`) cut into shards in this process: questions a search asks
of its shards, bytes there and back as they are sent, processor time of a shard's answers, and all
of a search against the same search on one machine. Bytes a picture are those of its files. On the
clock: the same searches of one engine and of two shards, which are processes of this machine, in
turns, so that whatever else the machine does, it does to both. With --store a drawn store that is
there, and that alone.

Simulated, from those answers: the wait for the slowest of 10, 100 and 1,000 shards, where an answer
is now and then held up (`--held` of them take `--times` as long: assumptions, not measured), with
and without hedged requests: a second copy of the shard is asked once a question has taken longer
than 95 of 100 do, and whichever answers first counts.
"""

from __future__ import annotations

import argparse
import json
import pickle
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from drawn_store import build
from machine import machine
from saccade.engine import Engine
from saccade.scale.executors import ExecutorCrew

FAN_OUTS = (10, 100, 1000)
DRAWS = 4000


class Watched:
    """A crew that counts what is asked of it."""

    def __init__(self, crew: ExecutorCrew) -> None:
        self._crew, self.times, self.questions = crew, [], 0
        self.sent, self.received = 0, 0

    def ask(self, tasks: list[Any], *, hasty: bool = False) -> list[Any]:
        """One member after the other, each on its own clock."""
        self.questions += 1
        answers: list[Any] = []
        for number, task in enumerate(tasks):
            one = [task if other == number else None for other in range(len(tasks))]
            began = process_time()
            answer = self._crew.ask(one)[number]
            if task is not None:
                self.times.append(process_time() - began)
                self.sent += len(pickle.dumps(task, protocol=5))
                self.received += len(pickle.dumps(answer, protocol=5))
            answers.append(answer)
        return answers

    def missing(self) -> frozenset[int]:
        """Nobody, in this process."""
        return self._crew.missing()

    def close(self) -> None:
        """Let the members go."""
        self._crew.close()


def measured(place: Path, images: int, shards: int, searches: int) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    ids = [f"{i:032x}" for i in rng.integers(0, images, searches)]
    with Engine(place) as engine:
        whole = searching(engine, ids)
    with Engine(place, shards=shards, on="serial") as engine:
        searching(engine, ids[:3])
        watched = watch(engine)
        sharded = searching(engine, ids)
    times = 1e3 * np.array(watched.times)
    return {
        "images": images,
        "shards": shards,
        "bytes_a_picture": bytes_a_picture(place, images),
        "whole_ms": whole,
        "sharded_over_whole": sharded / whole,
        "questions_a_search": watched.questions / searches,
        "answers_a_search": len(times) / searches,
        "kilobytes_sent_a_search": watched.sent / searches / 1e3,
        "kilobytes_received_a_search": watched.received / searches / 1e3,
        "answer_ms": {str(p): float(np.percentile(times, p)) for p in (50, 95, 99)},
        "times_ms": times.tolist(),
    }


def in_turns(place: Path, images: int, searches: int) -> dict[str, Any]:
    """Milliseconds of the clock of a search, whole and in two shards; and whether pages differ."""
    rng = np.random.default_rng(2)
    ids = [f"{i:032x}" for i in rng.integers(0, images, searches)]
    times: list[list[float]] = [[], []]
    same = 0
    with Engine(place) as whole, Engine(place, shards=2, on="processes") as cut:
        both = (whole, cut)
        for engine in both:
            searching(engine, ids[:5])
        for number, image_id in enumerate(ids):
            pages = {}
            for which in (0, 1) if number % 2 else (1, 0):
                began = perf_counter()
                page = both[which].search(image_id, k=50)
                times[which].append(1e3 * (perf_counter() - began))
                pages[which] = [(hit.image_id, hit.score) for hit in page.hits]
            same += pages[0] == pages[1]
    p50, p95 = ([float(np.percentile(some, percent)) for some in times] for percent in (50, 95))
    return {
        "two_processes_images": images,
        "two_processes_p50_ms": p50,
        "two_processes_p95_ms": p95,
        "two_processes_over_whole": p50[1] / p50[0],
        "two_processes_same_pages": same / searches,
    }


def searching(engine: Engine, ids: list[str]) -> float:
    """Milliseconds of processor time a search."""
    for image_id in ids[:3]:
        engine.search(image_id, k=50)
    began = process_time()
    for image_id in ids:
        engine.search(image_id, k=50)
    return 1e3 * (process_time() - began) / len(ids)


def watch(engine: Engine) -> Watched:
    """Count what the engine's shards are asked."""
    collection = engine._opened.collection()
    shards: Any = collection.views["dense"].shards  # type: ignore[attr-defined]
    watched = Watched(shards.crew)
    object.__setattr__(shards, "crew", watched)
    return watched


def bytes_a_picture(place: Path, images: int) -> dict[str, float]:
    """Of each kind of file in a store."""
    found: dict[str, float] = {}
    for file in place.rglob("*"):
        if file.is_file():
            parts = file.relative_to(place).parts
            kind = "/".join(parts[:2]) if parts[0] == "columns" else parts[0]
            found[kind] = found.get(kind, 0.0) + file.stat().st_size / images
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def simulated(times: list[float], *, held: float, longer: float) -> list[dict[str, float]]:
    """Waits for the slowest of many, with and without a second copy asked."""
    rng = np.random.default_rng(2)
    pool = np.array(times)

    def answers(shape: tuple[int, int]) -> np.ndarray:
        drawn = rng.choice(pool, shape)
        return np.where(rng.random(shape) < held, longer * drawn, drawn)

    patience = float(np.percentile(answers((1, 100_000)), 95))
    rows = []
    for shards in FAN_OUTS:
        plain = answers((DRAWS, shards))
        second = np.minimum(plain, patience + answers((DRAWS, shards)))
        hedged = np.where(plain > patience, second, plain)
        row: dict[str, float] = {"shards": shards, "asked_twice": float((plain > patience).mean())}
        for name, waits in (("plain", plain.max(axis=1)), ("hedged", hedged.max(axis=1))):
            row |= {f"{name}_p{p}_ms": float(np.percentile(waits, p)) for p in (50, 99)}
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=20_000)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--searches", type=int, default=40)
    parser.add_argument("--held", type=float, default=0.01)
    parser.add_argument("--times", type=float, default=10.0)
    parser.add_argument("--store", type=Path, help="a drawn store, for the clock alone")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.store:
        with Engine(options.store, warm=False) as engine:
            images = len(engine)
        print(
            json.dumps({**machine(), **in_turns(options.store, images, options.searches)}, indent=2)
        )
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "cluster.saccade"
        build(place, options.images)
        found = measured(place, options.images, options.shards, options.searches)
        found |= in_turns(place, options.images, options.searches)
    waits = simulated(found.pop("times_ms"), held=options.held, longer=options.times)
    found = {**machine(), **found, "held": options.held, "times": options.times, "waits": waits}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{found['images']} images in {found['shards']} shards")
    print(
        f"a search asks {found['questions_a_search']:.1f} times, "
        f"{found['answers_a_search']:.1f} answers, {found['kilobytes_sent_a_search']:.0f} kB there "
        f"and {found['kilobytes_received_a_search']:.0f} kB back"
    )
    print(f"processor time of a search: {found['sharded_over_whole']:.2f} × one machine's")
    print(
        f"two shards on the clock: {found['two_processes_over_whole']:.2f} × one machine's, "
        f"{found['two_processes_same_pages']:.0%} of the pages the same"
    )
    for kind, size in found["bytes_a_picture"].items():
        print(f"  {kind:<32} {size:10.0f} bytes a picture")
    for row in waits:
        print(
            f"{row['shards']:5d} shards: p50 / p99 {row['plain_p50_ms']:.1f} / "
            f"{row['plain_p99_ms']:.1f} ms, hedged {row['hedged_p50_ms']:.1f} / "
            f"{row['hedged_p99_ms']:.1f} ms with {row['asked_twice']:.1%} asked twice"
        )


if __name__ == "__main__":
    main()
