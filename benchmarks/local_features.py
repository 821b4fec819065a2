"""What does RootSIFT cost or gain, and what would an affine detector bring?

    python benchmarks/local_features.py [--data FOLDER] [--probes 60] [--models 120]
                                        [--out results] [--json]

Aly (2011) finds spots with the Hessian-affine detector and describes them by SIFT. That detector is
not in OpenCV; Saccade takes OpenCV's own (difference of Gaussians, DoG) and describes by RootSIFT.
Here each detector meets each description, on two sets of models and probes: FOLDER, which holds
`images/` and `labels.csv` (file, role, book_id), and drawn posters, whose frontal views are the
models. A probe is right when its model comes first, by words trained on the models alone: *coarse*
with a word for fifty features, *fine* with one for four, as indexed; weights are damped counts ·
idf, as the engine's. *lead* is the median over probes of the right model's score over the best
other's, by fine words: how clear the answer is where all are right.

*dog 600* is Saccade's: the 600 strongest spots. *affine views* stands in for an affine detector
with what OpenCV has: DoG on the picture and on views of it tilted up to twofold
(`cv2.AffineFeature`, after Morel & Yu's ASIFT), the 2,000 strongest of all; *dog 2000* is its equal
in number. *hessian-affine* is the real one (Perdoch, Chum & Matas 2009, which turns spots upright
by their own gradients here) where `pip install pyhesaff` has brought it, all that it finds: it
tells no strength to choose by. Saccade does not need that package. Milliseconds are processor time
a picture of at most 640 px, on one thread, for finding and describing spots.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import cv2
import numpy as np

from machine import machine
from saccade.engine.sources.words import damped
from saccade.images.decode import decode
from saccade.images.picture import ArrayPicture
from saccade.testbed.tables import markdown, write_json, write_text
from saccade.testbed.worlds import views
from saccade.words import akm, sizing
from saccade.words.inverted import InvertedFile
from saccade.words.local_features import CAP, SIDE, root
from saccade.words.vocabulary import Vocabulary, bag

MANY = 2000
TILTS = 2  # steps of √2: views tilted by 1, √2 and 2


@dataclass
class Shot:
    """One picture: what it shows, and whether it is a model."""

    shows: str
    model: bool
    gray: np.ndarray


def read(folder: Path, probes: int, models: int) -> list[Shot]:
    """So many probes, the models of these, and others up to the number."""
    with (folder / "labels.csv").open() as table:
        rows = [row for row in csv.DictReader(table) if row["role"] in ("model", "probe")]
    asked = [row for row in rows if row["role"] == "probe"][:probes]
    meant = {row["book_id"] for row in asked}
    held = sorted((row for row in rows if row["role"] == "model"),
                  key=lambda row: row["book_id"] not in meant)  # fmt: skip
    return [
        Shot(row["book_id"], row["role"] == "model", gray_of(folder / "images" / row["file"]))
        for row in [*held[:models], *asked]
    ]


def gray_of(file: Path) -> np.ndarray:
    return decode(file.read_bytes()).picture.fit(SIDE).gray


def drawn(probes: int, models: int) -> list[Shot]:
    """Each poster once from the front; the probes are further views of some."""
    each = -(-probes // models) + 1
    shots = [
        Shot(str(number // each), number % each == 0, ArrayPicture(one.pixels).fit(SIDE).gray)
        for number, one in enumerate(views(models, each, seed=11))
    ]
    asked = [shot for shot in shots if not shot.model][:probes]
    return [shot for shot in shots if shot.model] + asked


def strongest(found: Any, cap: int) -> np.ndarray:
    points, values = found
    if not points:
        return np.zeros((0, 128), np.float32)
    order = np.argsort([-point.response for point in points], kind="stable")[:cap]
    return np.asarray(values[order], np.float32)


def dog(gray: np.ndarray, *, cap: int) -> np.ndarray:
    return strongest(cv2.SIFT.create(nfeatures=cap).detectAndCompute(gray, None), cap)


def affine_views(gray: np.ndarray) -> np.ndarray:
    finder = cv2.AffineFeature.create(cv2.SIFT.create(nfeatures=MANY), maxTilt=TILTS)
    return strongest(finder.detectAndCompute(gray, None), MANY)


def hessian_affine(gray: np.ndarray) -> np.ndarray:
    import pyhesaff

    _, values = pyhesaff.detect_feats_in_image(gray, rotation_invariance=True)
    return np.asarray(values, np.float32).reshape(-1, 128)


Detector = Callable[[np.ndarray], np.ndarray]


def detectors() -> dict[str, Detector]:
    found: dict[str, Detector] = {
        f"dog {CAP}": partial(dog, cap=CAP),
        f"dog {MANY}": partial(dog, cap=MANY),
        "affine views": affine_views,
    }
    if importlib.util.find_spec("pyhesaff"):
        found["hessian-affine"] = hessian_affine
    return found


DESCRIPTIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "SIFT": lambda values: np.clip(np.rint(values), 0, 255).astype(np.uint8),
    "RootSIFT": root,
}


def found_by(
    vocabulary: Vocabulary, shots: list[Shot], described: list[np.ndarray]
) -> tuple[float, float]:
    """The share of probes whose model comes first, and by how much it leads."""
    bags = [bag(vocabulary.assign(one)) for one in described]
    models = [place for place, shot in enumerate(shots) if shot.model]
    probes = [place for place, shot in enumerate(shots) if not shot.model]
    file = InvertedFile(vocabulary.size)
    held = [bags[place] for place in models]
    file.add(
        np.arange(len(models)),
        np.cumsum([0, *(len(words) for words, _ in held)]),
        np.concatenate([words for words, _ in held]),
        damped(np.concatenate([counts for _, counts in held])),
    )
    leads = []
    for place in probes:
        words, counts = bags[place]
        scores = file.scores_all(words, damped(counts), size=len(models))
        right = np.array([shots[model].shows == shots[place].shows for model in models])
        leads.append(scores[right].max() / max(float(scores[~right].max()), 1e-9))
    return float(np.mean(np.array(leads) > 1)), float(np.median(leads))


def judged(name: str, detector: Detector, shots: list[Shot]) -> list[dict[str, Any]]:
    detector(shots[0].gray)
    began = process_time()
    found = [detector(shot.gray) for shot in shots]
    each = 1e3 * (process_time() - began) / len(shots)
    rows = []
    for description, of in DESCRIPTIONS.items():
        described = [of(one) for one in found]
        every = np.concatenate(
            [one for one, shot in zip(described, shots, strict=True) if shot.model]
        )
        coarse = akm.train(every, max(1, len(every) // 50), iterations=2)
        fine, lead = found_by(sizing.train_for(every), shots, described)
        rows.append(
            {
                "detector": name,
                "description": description,
                "features": float(np.mean([len(one) for one in found])),
                "ms": each,
                "coarse": found_by(coarse, shots, described)[0],
                "fine": fine,
                "lead": lead,
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder with images/ and labels.csv")
    parser.add_argument("--probes", type=int, default=60)
    parser.add_argument("--models", type=int, default=120)
    parser.add_argument("--out", type=Path, help="write local-features.md and .json here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)  # as the engine does
    sets = {"drawn posters": drawn(arguments.probes, arguments.models)}
    if arguments.data:
        sets[arguments.data.name] = read(arguments.data, arguments.probes, arguments.models)
    result: dict[str, Any] = {**machine(), "sets": []}
    for name, shots in sets.items():
        models = sum(shot.model for shot in shots)
        rows = [row for kind, one in detectors().items() for row in judged(kind, one, shots)]
        result["sets"].append(
            {"set": name, "models": models, "probes": len(shots) - models, "rows": rows}
        )
    if arguments.out:
        write_text(arguments.out / "local-features.md", page(result))
        write_json(arguments.out / "local-features.json", result)
    print(json.dumps(result, indent=2) if arguments.json else page(result))


def page(result: dict[str, Any]) -> str:
    words = [" ".join(part.split()) for part in (__doc__ or "").split("\n\n")[2:]]
    head = f"# Local features\n\n{result['cores']} cores, commit {result['commit']}. "
    parts = [
        f"## {one['set']}: {one['models']} models, {one['probes']} probes\n\n"
        + markdown(one["rows"], digits=3)
        for one in result["sets"]
    ]
    return "\n\n".join([head + words[0], *words[1:], *parts]) + "\n"


if __name__ == "__main__":
    main()
