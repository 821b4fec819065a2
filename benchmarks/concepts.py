"""What do regions cost, how soon does a concept follow, and what costs a part of a picture at size?

    python benchmarks/concepts.py [--pictures 1000] [--images 100000] [--photos FOLDER]
                                  [--out DIR] [--json]

Regions: seconds of processor time a picture on one core, at 640 pixels of the longer side, with and
without the embedding of each region's box; of drawn scenes, or of the first photographs of a folder
enlarged or shrunk to that size. Ranking: a concept of 1,000 small drawn pictures in a store of its
own, regions compared by the embedding as the product does; from a preference that was acknowledged
to the new order, wall clock, and from the click to it. The first ranking after the first preference
computes random features of all regions, once a process; it is told apart.

Parts: a region of one picture against those of `--images` others, 8 each, 1280 halves a region.
These are drawn numbers, no pictures: what is measured is the scan. Wall clock and processor time of
all threads; the floor is reading the same bytes once. Memory is what the process holds by itself.

Programs: the three rankers on drawn bags at the paper's size (`benchmarks/bags.py` has the solvers
beside them). Online and batch: the same preferences learned one by one and fitted at once, by the
time they take and by the share of unseen pairs in the right order.

`--out` writes concepts.json and concepts.md there.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import cv2
import numpy as np
from numba import njit
from PIL import Image

import bags
from machine import machine
from saccade import rankers
from saccade.engine import Engine, Recipe, about
from saccade.engine.sources.parts import SIDE as MASK
from saccade.engine.sources.parts import WIDTH, parts_of
from saccade.engine.sources.regions import REGIONS, version_of
from saccade.images.picture import ArrayPicture
from saccade.rankers.bags import graded_pairs
from saccade.scale.decoding import decode
from saccade.store.catalog import NewImage
from saccade.store.store import Store
from saccade.testbed import worlds

SIDE = 640
SOME = 12


def photographs(folder: Path) -> list[np.ndarray]:
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in (".jpg", ".png"))
    step = max(1, len(files) // SOME)
    return [decode(file.read_bytes()).picture.rgb for file in files[::step][:SOME]]


def drawn() -> list[np.ndarray]:
    with tempfile.TemporaryDirectory() as place:
        worlds.write(Path(place), images=SOME, seed=2, size=(SIDE, SIDE * 3 // 4))
        return photographs(Path(place))


def regions(pictures: list[np.ndarray]) -> dict[str, float]:
    """Seconds a picture and core, and how many regions there are."""
    out: dict[str, float] = {}
    for name, embedding in (("paper", ""), ("embedding", "embedding")):
        times, counts = [], []
        for pixels in [pictures[0], *pictures]:
            scale = SIDE / max(pixels.shape[:2])
            size = round(pixels.shape[1] * scale), round(pixels.shape[0] * scale)
            picture = ArrayPicture(np.ascontiguousarray(cv2.resize(pixels, size)))
            began = process_time()
            counts.append(len(parts_of(picture, embedding)))
            times.append(process_time() - began)
        out[f"{name}_s"] = float(np.median(times[1:]))  # the first loads models and kernels
        out["regions"] = float(np.mean(counts[1:]))
    return out


def small(folder: Path, count: int) -> None:
    """Pictures of a few coloured blocks: what they show does not matter here."""
    rng = np.random.default_rng(0)
    (folder / "blocks").mkdir(parents=True)
    for number in range(count):
        blocks = rng.integers(0, 256, (3, 4, 3), np.uint8)
        pixels = cv2.resize(blocks, (48, 36), interpolation=cv2.INTER_NEAREST)
        Image.fromarray(pixels).save(folder / "blocks" / f"{number}.png")


def ranking(count: int, rounds: int = 20) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as place:
        small(Path(place) / "pictures", count)
        with Engine(Path(place) / "store", warm=False) as engine:
            engine.add(Path(place) / "pictures", recipe="color-histogram,embedding")
            began = perf_counter()
            engine.concepts.prepare()
            out: dict[str, Any] = {"prepare_s": perf_counter() - began}
            ids = [one.image_id for one in engine.concepts.rank("blocks").images]
            rank, both = [], []
            for number in range(rounds + 1):
                better, worse = (ids[i] for i in rng.choice(len(ids), 2, replace=False))
                began = perf_counter()
                engine.concepts.prefer("blocks", better, worse)
                said = perf_counter()
                found = engine.concepts.rank("blocks")
                done = perf_counter()
                if number == 0:
                    out["first_ms"] = 1e3 * (done - said)
                else:
                    rank.append(1e3 * (done - said))
                    both.append(1e3 * (done - began))
            total = sum(one.regions for one in found.images)
    for name, times in (("rank", rank), ("prefer_and_rank", both)):
        out[f"{name}_p50_ms"] = float(np.median(times))
        out[f"{name}_p95_ms"] = float(np.percentile(times, 95))
    return {**out, "pictures": count, "regions": total}


EACH, SEGMENT = 8, 12_500  # regions of a picture; pictures of a piece of the column


def drawn_regions(place: Path, images: int) -> None:
    """A store of numbers: pictures of eight regions that cluster around a thousand directions."""
    rng = np.random.default_rng(3)
    recipe = Recipe(descriptors=("color-histogram",))
    kinds = {"color-histogram": about("color-histogram").kind, "embedding": "embedding"}
    store = Store(place)
    store.commit(settings={"recipe": recipe.as_json(), "kinds": kinds})
    around = rng.standard_normal((1000, 1280), np.float32)
    for first in range(0, images, SEGMENT):
        count = min(SEGMENT, images - first)
        total = count * EACH
        crops = np.empty((total, 1280), np.float16)
        for start in range(0, total, 8192):
            some = slice(start, min(total, start + 8192))
            near = around[rng.integers(0, len(around), some.stop - some.start)]
            near = near + rng.standard_normal(near.shape, np.float32)
            crops[some] = near / np.linalg.norm(near, axis=1, keepdims=True)
        arrays = {
            "offsets": np.arange(0, total + 1, EACH),
            "image": np.repeat(np.arange(first, first + count), EACH),
            "vectors": np.zeros((total, WIDTH), np.float32),
            "crops": crops,
            "masks": np.zeros((total, MASK * MASK // 8), np.uint8),
            "boxes": np.tile(np.array([0, 0, 1, 1], np.float32), (total, 1)),
            "areas": np.full(total, 1 / EACH, np.float32),
        }
        colours = rng.random((count, 64), np.float32)
        norms = np.linalg.norm(colours, axis=1).astype(np.float32)
        held = {"vectors": colours, "norms": np.stack([norms, norms], axis=1)}
        version = about("color-histogram").version
        drafts = [
            store.columns.draft(REGIONS, version_of("embedding"), first, arrays),
            store.columns.draft("color-histogram", version, first, held),
        ]
        new = [NewImage(f"{first + i:032x}", 640, 480) for i in range(count)]
        store.commit(images=new, drafts=drafts)
    store.close()


@njit(nogil=True)
def _read(halves: Any) -> int:
    total = 0
    for i in range(halves.shape[0]):
        for j in range(halves.shape[1]):
            total += halves[i, j]
    return total


def held_megabytes() -> float:
    """Memory of this process that is in no file."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines["RssAnon"].split()[0]) / 1024


def parts(images: int, repeats: int = 20) -> dict[str, Any]:
    """A region of one picture against those of all others."""
    with tempfile.TemporaryDirectory() as place:
        drawn_regions(Path(place) / "store", images)
        before = held_megabytes()
        with Engine(Path(place) / "store", warm=False) as engine:
            times = [_once(engine, number) for number in range(repeats + 1)]
            held = held_megabytes() - before
            files = sorted((Path(place) / "store" / "columns" / REGIONS).glob("*.crops.npy"))
            columns = [np.load(file, mmap_mode="r").view(np.uint16) for file in files]
            _read(columns[0][:1])
            began = process_time()
            for column in columns:
                _read(column)
            floor = process_time() - began
    wall, cpu = np.array(times[1:]).T
    return {
        "images": images,
        "regions": images * EACH,
        "gigabytes": sum(column.nbytes for column in columns) / 1e9,
        "first_ms": 1e3 * times[0][0],
        "first_processor_ms": 1e3 * times[0][1],
        "p50_ms": float(1e3 * np.median(wall)),
        "p95_ms": float(1e3 * np.percentile(wall, 95)),
        "processor_ms": float(1e3 * np.median(cpu)),
        "stream_processor_ms": 1e3 * floor,
        "held_mb": held,
    }


def _once(engine: Engine, number: int) -> tuple[float, float]:
    began, busy = perf_counter(), process_time()
    page = engine.search(f"{number:032x}", region=number % EACH, k=50)
    spent = perf_counter() - began, process_time() - busy
    assert page.hits
    return spent


def online_and_batch(said: int = 200) -> dict[str, Any]:
    """The same preferences one by one, and fitted at once."""
    many, grades = bags.planted(200, 201, seed=4)
    pairs = np.random.default_rng(0).permutation(graded_pairs(grades[:100]))[:said]
    unseen = graded_pairs(grades[100:])
    out: dict[str, Any] = {"preferences": said}
    for name in ("mi-online", "mi-softmax", "mi-average"):
        model = rankers.make(name, C=bags.C)
        spent = list(_learned(model, many, pairs))
        scores = model.score_bags(many[100:])
        right = float((scores[unseen[:, 0]] > scores[unseen[:, 1]]).mean())
        out[name] = {"last_ms": 1e3 * spent[-1], "all_ms": 1e3 * sum(spent), "right": right}
    return out


def _learned(model: Any, many: list[np.ndarray], pairs: np.ndarray) -> Iterator[float]:
    """Seconds of each step: a preference, or the whole fit."""
    steps = pairs[:, None] if hasattr(model, "learn_bags") else pairs[None]
    for some in steps:
        began = process_time()
        if hasattr(model, "learn_bags"):
            model.learn_bags([many[i] for i in some[:, 0]], [many[i] for i in some[:, 1]])
        else:
            model.fit_bags(many, some)
        yield process_time() - began


def table(*rows: tuple[str, ...]) -> str:
    """Rows of texts as a table; the first has the heads."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|---" + "|---:" * (len(rows[0]) - 1) + "|", *lines[1:]])


def told(found: dict[str, Any]) -> str:
    """The figures as a page."""
    made = ", ".join(f"{name} {value}" for name, value in found["machine"].items())
    return (
        "\n\n".join(
            [
                "# Concepts: regions, rankings and parts",
                f"`benchmarks/concepts.py`, {made}.",
                table(("what", "figure", "wanted"), *_felt(found), *_at_size(found["parts"])),
                *_programs(found["programs"]),
                *_both(found["online and batch"]),
            ]
        )
        + "\n"
    )


def _felt(found: dict[str, Any]) -> list[tuple[str, ...]]:
    cut, ranked = found["regions"], found["ranking"]
    pictures = f"{ranked['pictures']} pictures of {ranked['regions']} regions"
    half, many = "≤ 0.5 s", f"{cut['regions']:.1f} regions"
    paper = f"a picture at {SIDE} px cut, one core, the paper's features"
    return [
        (paper, f"{cut['paper_s']:.3f} s", half),
        (f"the same with an embedding of each ({many})", f"{cut['embedding_s']:.3f} s", half),
        (f"{pictures} ranked after a preference", _milliseconds(ranked, "rank_"), "≤ 100 ms"),
        ("the same from the click", _milliseconds(ranked, "prefer_and_rank_"), ""),
        ("the first ranking of a process", f"{ranked['first_ms']:.0f} ms", ""),
    ]


def _at_size(at: dict[str, Any]) -> list[tuple[str, ...]]:
    if not at:
        return []
    size = f"{at['regions']:,} drawn regions of {at['images']:,} images"
    spent = f"{at['processor_ms']:.0f} ms, {at['stream_processor_ms']:.0f} ms"
    first = f"{at['first_ms']:.0f} ms, {at['first_processor_ms']:.0f} ms"
    return [
        (f"a part against {size} ({at['gigabytes']:.1f} GB)", _milliseconds(at, ""), "< 1 s"),
        ("its processor time; that of reading the same bytes once", spent, ""),
        ("the first of a process: files are verified; its processor time", first, ""),
        ("memory held beside the files", f"{at['held_mb']:.0f} MB", ""),
    ]


def _milliseconds(row: dict[str, Any], name: str) -> str:
    return f"p50 {row[f'{name}p50_ms']:.1f}, p95 {row[f'{name}p95_ms']:.1f} ms"


def _programs(found: dict[str, Any]) -> list[str]:
    size = found["problem"]
    rows = [
        (name, f"{row['seconds']:.2f}", f"{row['rounds']:.0f}", f"{row['gap']:.0e}")
        for name in ("mi-average", "mi-max", "mi-softmax")
        for row in [found[name]]
    ]
    said = (
        f"Programs at the paper's size, drawn: {size['bags']} pictures, {size['regions']} regions, "
        f"{size['pairs']} preference pairs; processor time, kernel matrix included."
    )
    return [said, table(("ranker", "s", "rounds", "relative duality gap"), *rows)]


def _both(found: dict[str, Any]) -> list[str]:
    rows = [
        (name, f"{row['last_ms']:.1f}", f"{row['all_ms']:.0f}", f"{row['right']:.3f}")
        for name in ("mi-online", "mi-softmax", "mi-average")
        for row in [found[name]]
    ]
    said = (
        f"{found['preferences']} preferences between drawn bags, one by one and fitted at once: "
        "time of the last step and of all, and the share of unseen pairs in the right order."
    )
    return [said, table(("ranker", "last ms", "all ms", "right"), *rows)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=1000)
    parser.add_argument("--images", type=int, default=100_000, help="of parts; 0 leaves it out")
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--out", type=Path, help="write concepts.json and concepts.md there")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pictures = drawn() if options.photos is None else photographs(options.photos)
    found: dict[str, Any] = {
        "machine": machine(),
        "regions": regions(pictures),
        "ranking": ranking(options.pictures),
        "parts": parts(options.images) if options.images else {},
        "programs": bags.solvers(*bags.planted(100, 201)),
        "online and batch": online_and_batch(),
    }
    whole = json.dumps(found, indent=2)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "concepts.json").write_text(whole + "\n")
        (options.out / "concepts.md").write_text(told(found))
    print(whole if options.json else told(found))


if __name__ == "__main__":
    main()
