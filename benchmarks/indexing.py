"""How fast a folder becomes a collection, where the time goes, and how much memory it takes.

    python benchmarks/indexing.py [--images FOLDER] [--count 400] [--words] [--ray] [--save DIR]

Without a folder, photographs of 640 × 480 are drawn (clouds with a natural spectrum and things in
front of them, JPEG). A FOLDER's pictures are first brought to 640 pixels on their longer side, so
that figures compare. Two workers compute every dense descriptor; `--words` adds local features.

    images/s              pictures over the time on the clock, workers' start included
    images/s, two cores   2 · pictures over the processor time of everything: what a machine with
                          two idle cores does; on a busy one the clock says less
    share                 of each stage in a picture's processor time, from a warm run in one
                          process; writing is that of the indexing run, by the clock
    peak memory           of this process and its workers together, as the system counts it
    Ray                   with `--ray`, pool and Ray by turns on one machine, twice each: how many
                          pictures Ray describes while the pool describes one, by the clock and by
                          the processor time of everything below this process, Ray's own included
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time
from typing import Any

import cv2
import numpy as np

from machine import machine
from saccade.descriptors import DEFAULT
from saccade.engine import Engine
from saccade.engine.indexing.worker import FileBatch, describe_files
from saccade.engine.sources import SOURCES
from saccade.images.decode import decode
from saccade.images.scan import scan
from saccade.images.thumbnails import thumbnail
from saccade.testbed.tables import markdown, write_json, write_text
from saccade.types import Skipped

WORDS = "words"
WORKERS = 2
SIDE = 640
SAMPLE = 48


def draw(rng: np.random.Generator) -> np.ndarray:
    """A cloud with the spectrum of a photograph and a few things in front of it, [480, 640, 3]."""
    radius = np.hypot(*np.meshgrid(np.fft.rfftfreq(640), np.fft.fftfreq(480)))
    planes = []
    for _ in range(3):
        transform = np.fft.rfft2(rng.standard_normal((480, 640))) / np.maximum(radius, 1 / 640)
        plane = np.fft.irfft2(transform, s=(480, 640))
        planes.append(rng.uniform(80, 170) + rng.uniform(20, 45) * plane / plane.std())
    pixels = np.ascontiguousarray(np.stack(planes, axis=2).clip(0, 255).astype(np.uint8))
    for _ in range(int(rng.integers(3, 9))):
        centre = tuple(int(v) for v in rng.integers(0, (640, 480)))
        axes = tuple(int(v) for v in rng.integers(20, 120, 2))
        colour = tuple(int(v) for v in rng.integers(0, 256, 3))
        cv2.ellipse(
            pixels, centre, axes, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA
        )
    return pixels


def prepare(into: Path, images: Path | None, count: int) -> int:
    """Fill a folder with JPEGs of 640 pixels; how many there are."""
    into.mkdir()
    if images is None:
        rng = np.random.default_rng(0)
        for i in range(count):
            cv2.imwrite(str(into / f"{i:05d}.jpg"), draw(rng), [cv2.IMWRITE_JPEG_QUALITY, 90])
        return count
    found = [item.path for item in scan(images) if not isinstance(item, Skipped)][:count]
    for i, path in enumerate(found):
        pixels = decode(path.read_bytes(), side=None).picture.rgb
        scale = SIDE / max(pixels.shape[:2])
        how = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        sized = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=how)
        cv2.imwrite(str(into / f"{i:05d}.jpg"), sized[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 90])
    return len(found)


class Memory:
    """Samples the resident memory of this process and all below it; `peak` is in MiB."""

    def __init__(self) -> None:
        self.peak = 0.0
        self._stop = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.05):
            self.peak = max(self.peak, sum(_resident(pid) for pid in _family(os.getpid())))


def _family(pid: int) -> list[int]:
    found = [pid]
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
        children = [int(c) for t in tasks for c in (t / "children").read_text().split()]
    except OSError:  # it has just ended
        return []
    return found + [below for child in children for below in _family(child)]


def _resident(pid: int) -> float:
    """MiB that are this process's share: memory that two processes map is counted once."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    except OSError:
        return 0.0
    return 0.0


def run(folder: Path, store: Path, descriptors: tuple[str, ...], count: int) -> dict[str, Any]:
    """Index the folder with two workers."""
    with Engine(store, warm=False) as engine, Memory() as memory:
        spent = _processor()
        began = perf_counter()
        report = engine.add(folder, recipe=",".join(descriptors), workers=WORKERS)
        seconds = perf_counter() - began
        spent = _processor() - spent
        write = engine.library.costs()["write"]
    assert report.added == count, f"{count - report.added} pictures were left out"
    return {
        "pictures": count,
        "seconds": seconds,
        "images_per_second": count / seconds,
        "processor_seconds": spent,
        "images_per_second_two_cores": WORKERS * count / spent,
        "peak_memory_mib": memory.peak,
        "write_ms": write,
    }


def on_ray(folder: Path, place: Path, descriptors: tuple[str, ...]) -> dict[str, float]:
    """The throughput of Ray as a share of the pool's; the cluster is there before."""
    import ray

    ray.init(
        num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, configure_logging=False
    )
    clock, processor = dict.fromkeys(("processes", "ray"), 0.0), dict[str, float]()
    for turn in range(2):
        for on in clock:
            spent, began = _below(os.getpid()), perf_counter()
            with Engine(place / f"{on}-{turn}.saccade", warm=False, on=on) as engine:
                engine.add(folder, recipe=",".join(descriptors))
            clock[on] += perf_counter() - began
            processor[on] = processor.get(on, 0.0) + _below(os.getpid()) - spent
    ray.shutdown()
    return {
        "clock": clock["processes"] / clock["ray"],
        "processor": processor["processes"] / processor["ray"],
    }


def _below(pid: int) -> float:
    """Processor seconds of a process and all below it, those that have ended included."""
    used = 0
    for one in _family(pid):
        try:
            text = Path(f"/proc/{one}/stat").read_text()
        except OSError:  # it has just ended
            continue
        used += sum(map(int, text.rpartition(")")[2].split()[11:15]))
    return used / os.sysconf("SC_CLK_TCK")


def _processor() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def stages(folder: Path, descriptors: tuple[str, ...]) -> dict[str, float]:
    """Milliseconds of processor time a picture takes in each stage, one process, warm."""
    cv2.setNumThreads(1)
    paths = [str(path) for path in sorted(folder.iterdir())[:SAMPLE]]
    describe_files(FileBatch(tuple(paths[:2]), descriptors))  # compile, load, build filters
    spent: dict[str, float] = {}

    def timed(stage: str, began: float) -> None:
        spent[stage] = spent.get(stage, 0.0) + 1e3 * (process_time() - began) / len(paths)

    for path in paths:
        began = process_time()
        picture = decode(Path(path).read_bytes()).picture
        timed("decode", began)
        began = process_time()
        thumbnail(picture)
        timed("thumbnail", began)
        began = process_time()
        # What several descriptors share is made by the first of them; count it once, by name.
        small = picture.fit(256)
        for plane in (small, small.fit(128), small.square(128)):
            _ = plane.gray, plane.hsv, plane.lab
        timed("shared planes", began)
        for name in descriptors:
            began = process_time()
            SOURCES.of(name).describe(name, [picture], [path])
            timed(name, began)
    return spent


def page(result: dict[str, Any]) -> str:
    total = sum(result["stages_ms"].values())
    rows = [
        {"stage": name, "ms a picture": value, "share": f"{value / total:.0%}"}
        for name, value in sorted(result["stages_ms"].items(), key=lambda item: -item[1])
    ]
    head = ", ".join(f"{k} {result[k]}" for k in ("machine", "cores", "python", "commit"))
    figures = (
        f"{result['pictures']} pictures of 640 pixels ({result['source']}), {WORKERS} workers: "
        f"{result['images_per_second']:.1f} images/s on the clock, "
        f"{result['images_per_second_two_cores']:.1f} by processor time of two cores; "
        f"peak memory {result['peak_memory_mib']:.0f} MiB."
    )
    if "ray" in result:
        ratio = result["ray"]
        figures += (
            f" Ray describes {ratio['clock']:.2f} × what the pool does by the clock, "
            f"{ratio['processor']:.2f} × by processor time."
        )
    return f"# Indexing\n\n{head}.\n\n{figures}\n\n{markdown(rows, digits=2)}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--images", type=Path, help="a folder of pictures instead of drawn ones")
    parser.add_argument("--count", type=int, default=400, help="at most so many pictures")
    parser.add_argument("--words", action="store_true", help="with local features")
    parser.add_argument("--ray", action="store_true", help="on Ray, against the pool")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path, help="keep the table in this folder")
    arguments = parser.parse_args()
    descriptors = (*DEFAULT, WORDS) if arguments.words else DEFAULT
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "pictures"
        count = prepare(folder, arguments.images, arguments.count)
        result = {**machine(), "source": "given" if arguments.images else "drawn"}
        result |= run(folder, Path(scratch) / "bench.saccade", descriptors, count)
        result["stages_ms"] = {**stages(folder, descriptors), "write": result.pop("write_ms")}
        if arguments.ray:
            result["ray"] = on_ray(folder, Path(scratch), descriptors)
    name = "indexing-words" if arguments.words else "indexing"
    if arguments.save:
        write_json(arguments.save / f"{name}.json", result)
        write_text(arguments.save / f"{name}.md", page(result))
    print(json.dumps(result, indent=2) if arguments.json else page(result))


if __name__ == "__main__":
    main()
