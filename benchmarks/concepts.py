"""What do regions cost, and how soon does a concept follow a preference?

    python benchmarks/concepts.py [--pictures 1000] [--photos FOLDER] [--json]

Regions: seconds of processor time a picture on one core, at 640 pixels of the longer side, with and
without the embedding of each region's box; of drawn scenes, or of the first photographs of a folder
enlarged or shrunk to that size. Ranking: a concept of 1,000 small drawn pictures in a store of its
own, regions compared by the embedding as the product does; from a preference that was acknowledged
to the new order, wall clock, and from the click to it. The first ranking after the first preference
computes random features of all regions, once a process; it is told apart. Regions of a query
against those of the collection likewise.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import cv2
import numpy as np
from PIL import Image

from machine import machine
from saccade.engine import Engine
from saccade.engine.sources.parts import parts_of
from saccade.images.picture import ArrayPicture
from saccade.scale.decoding import decode
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
            began = perf_counter()
            engine.search(ids[0], region=(0.1, 0.1, 0.6, 0.6), k=50)
            out["first_search_ms"] = 1e3 * (perf_counter() - began)
            search = []
            for image in ids[:rounds]:
                began = perf_counter()
                engine.search(image, region=0, k=50)
                search.append(1e3 * (perf_counter() - began))
            total = sum(one.regions for one in found.images)
    for name, times in (("rank", rank), ("prefer_and_rank", both), ("region_search", search)):
        out[f"{name}_p50_ms"] = float(np.median(times))
        out[f"{name}_p95_ms"] = float(np.percentile(times, 95))
    return {**out, "pictures": count, "regions": total}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=int, default=1000)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pictures = drawn() if options.photos is None else photographs(options.photos)
    found = {"regions": regions(pictures), "ranking": ranking(options.pictures)}
    if options.json:
        print(json.dumps({**machine(), **found}, indent=2))
        return
    print(", ".join(f"{name} {value}" for name, value in machine().items()))
    cut, ranked = found["regions"], found["ranking"]
    print(
        f"regions at {SIDE} px, one core: {cut['paper_s']:.3f} s a picture by the paper's "
        "features, "
        f"{cut['embedding_s']:.3f} s with an embedding of each ({cut['regions']:.1f} regions)"
    )
    print(
        f"{ranked['pictures']} pictures of {ranked['regions']} regions: ranked "
        f"{ranked['rank_p50_ms']:.1f} ms after a preference (p95 {ranked['rank_p95_ms']:.1f}), "
        f"{ranked['prefer_and_rank_p50_ms']:.1f} ms after the click; the first time "
        f"{ranked['first_ms']:.0f} ms"
    )
    print(
        f"a region against all of them: {ranked['region_search_p50_ms']:.1f} ms "
        f"(p95 {ranked['region_search_p95_ms']:.1f}), the first time "
        f"{ranked['first_search_ms']:.0f} ms"
    )


if __name__ == "__main__":
    main()
