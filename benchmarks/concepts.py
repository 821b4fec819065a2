"""What do regions cost, and how soon does a concept follow?

    python benchmarks/concepts.py [--pictures 1000] [--photos FOLDER] [--out DIR] [--json]

Regions: seconds of processor time a picture on one core, at 640 pixels of the longer side; of drawn
scenes, or of the first photographs of a folder enlarged or shrunk to that size. Ranking: a concept
of 1,000 small drawn pictures in a store of its own, by their positions as a new store has them and
by the paper's regions; from a preference that was acknowledged to the new order, processor time,
and from the click to it. The first ranking of regions after the first preference computes random
features of all of them, once a process; it is told apart.

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
from time import process_time
from typing import Any

import cv2
import numpy as np
from PIL import Image

import bags
from machine import machine
from saccade import rankers
from saccade.engine import Engine
from saccade.engine.sources.cut import cut
from saccade.images.picture import ArrayPicture
from saccade.rankers.bags import graded_pairs
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
    times, counts = [], []
    for pixels in [pictures[0], *pictures]:
        scale = SIDE / max(pixels.shape[:2])
        size = round(pixels.shape[1] * scale), round(pixels.shape[0] * scale)
        picture = ArrayPicture(np.ascontiguousarray(cv2.resize(pixels, size)))
        began = process_time()
        counts.append(len(cut(picture)))
        times.append(process_time() - began)
    # The first loads kernels.
    return {"paper_s": float(np.median(times[1:])), "regions": float(np.mean(counts[1:]))}


def small(folder: Path, count: int) -> None:
    """Pictures of a few coloured blocks: what they show does not matter here."""
    rng = np.random.default_rng(0)
    (folder / "blocks").mkdir(parents=True)
    for number in range(count):
        blocks = rng.integers(0, 256, (3, 4, 3), np.uint8)
        pixels = cv2.resize(blocks, (48, 36), interpolation=cv2.INTER_NEAREST)
        Image.fromarray(pixels).save(folder / "blocks" / f"{number}.png")


def ranking(count: int, recipe: str, rounds: int = 20) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as place:
        small(Path(place) / "pictures", count)
        with Engine(Path(place) / "store", warm=False) as engine:
            engine.add(Path(place) / "pictures", recipe=recipe)
            out: dict[str, Any] = {}
            ids = [one.image_id for one in engine.concepts.rank("blocks").images]
            rank, both = [], []
            for number in range(rounds + 1):
                better, worse = (ids[i] for i in rng.choice(len(ids), 2, replace=False))
                began = process_time()
                engine.concepts.prefer("blocks", better, worse)
                said = process_time()
                engine.concepts.rank("blocks")
                done = process_time()
                if number == 0:
                    out["first_ms"] = 1e3 * (done - said)
                else:
                    rank.append(1e3 * (done - said))
                    both.append(1e3 * (done - began))
    for name, times in (("rank", rank), ("prefer_and_rank", both)):
        out[f"{name}_p50_ms"] = float(np.median(times))
        out[f"{name}_p95_ms"] = float(np.percentile(times, 95))
    return {**out, "pictures": count}


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
                "# Concepts: regions and rankings",
                f"`benchmarks/concepts.py`, {made}.",
                table(("what", "figure", "wanted"), *_felt(found)),
                *_programs(found["programs"]),
                *_both(found["online and batch"]),
            ]
        )
        + "\n"
    )


def _felt(found: dict[str, Any]) -> list[tuple[str, ...]]:
    cut, out = found["regions"], []
    paper = f"a picture at {SIDE} px cut into {cut['regions']:.1f} regions, one core"
    out.append((paper, f"{cut['paper_s']:.3f} s", "≤ 0.5 s"))
    for name, ranked in found["ranking"].items():
        said = f"{ranked['pictures']} pictures ranked after a preference, by {name}"
        out += [
            (said, _milliseconds(ranked, "rank_"), "≤ 100 ms"),
            ("the same from the click", _milliseconds(ranked, "prefer_and_rank_"), ""),
            ("the first ranking of a process", f"{ranked['first_ms']:.0f} ms", ""),
        ]
    return out


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
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--out", type=Path, help="write concepts.json and concepts.md there")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    pictures = drawn() if options.photos is None else photographs(options.photos)
    found: dict[str, Any] = {
        "machine": machine(),
        "regions": regions(pictures),
        "ranking": {
            "positions": ranking(options.pictures, "embedding"),
            "regions": ranking(options.pictures, "color-histogram,regions"),
        },
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
