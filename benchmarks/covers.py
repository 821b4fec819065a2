"""Is the right cover found? Words alone, words and geometry, and what they compete with.

    python benchmarks/covers.py --data FOLDER [--out results] [--json]

FOLDER holds `images/` and `labels.csv` (file, role, book_id): every `probe` is a photo of one
`model`. Without a folder, posters are drawn: their frontal views are the models.

The vocabulary is trained on the models alone. A probe is right when its model comes first. *counts*
weighs words by count · idf, *damped* by round(√count) · idf, as the engine does; *verified* checks
the 50 best of damped. Votes are the strongest peer: every feature of the probe votes for the model
that holds its nearest descriptor, found exactly among all. Milliseconds are processor time a probe,
on all cores together, after its features are there; finding the features is a line of its own.

Saccade's own settings (600 features, a word for every four, √ damping) were chosen while looking at
the book covers, so figures on those are what they can reach, not a forecast for other sets.
"""

from __future__ import annotations

import argparse
import csv
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import cv2
import numpy as np

from machine import machine
from saccade.engine import Engine
from saccade.engine.sources.words import damped
from saccade.images.decode import decode
from saccade.images.picture import ArrayPicture
from saccade.testbed.tables import markdown, write_json, write_text
from saccade.words import akm, geometry, hkm, sizing
from saccade.words.cells import flat_distances
from saccade.words.geometry import Placed
from saccade.words.inverted import InvertedFile
from saccade.words.local_features import LocalFeatures, extract
from saccade.words.vocabulary import Vocabulary, bag, recall

CHECKED = 50


@dataclass
class Shot:
    """One picture: what it shows, whether it is a model, and its features."""

    book: str
    model: bool
    picture: Any
    file: Path
    features: LocalFeatures


def read(folder: Path) -> list[Shot]:
    with (folder / "labels.csv").open() as table:
        rows = [row for row in csv.DictReader(table) if row["role"] in ("model", "probe")]
    shots = []
    for row in rows:
        file = folder / "images" / row["file"]
        picture = decode(file.read_bytes()).picture
        shots.append(Shot(row["book_id"], row["role"] == "model", picture, file, extract(picture)))
    return shots


def draw(folder: Path) -> list[Shot]:
    from PIL import Image

    from saccade.testbed.worlds import views

    shots = []
    for number, one in enumerate(views(40, 4, seed=1)):
        kind = folder / ("model" if one.view == 0 else "probe")
        kind.mkdir(parents=True, exist_ok=True)
        Image.fromarray(one.pixels).save(kind / f"{number:04d}.png")
        picture = ArrayPicture(one.pixels)
        file = kind / f"{number:04d}.png"
        shots.append(Shot(str(number // 4), one.view == 0, picture, file, extract(picture)))
    return shots


class Clock:
    """Processor milliseconds, added up."""

    def __init__(self) -> None:
        self.spent = 0.0

    def __enter__(self) -> Clock:
        self.since = process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.spent += 1e3 * (process_time() - self.since)


def inverted(vocabulary: Vocabulary, words: list[np.ndarray], damp: bool) -> InvertedFile:
    file = InvertedFile(vocabulary.size)
    bags = [bag(one) for one in words]
    offsets = np.cumsum([0, *(len(distinct) for distinct, _ in bags)])
    counts = np.concatenate([counts for _, counts in bags])
    distinct = np.concatenate([distinct for distinct, _ in bags])
    file.add(np.arange(len(words)), offsets, distinct, damped(counts) if damp else counts)
    return file


def judge(name: str, vocabulary: Vocabulary, seconds: float, shots: list[Shot]) -> dict[str, Any]:
    models, probes = ([s for s in shots if s.model is kind] for kind in (True, False))
    placed = [Placed(s.features, vocabulary.assign(s.features.descriptors)) for s in models]
    words = [one.words for one in placed if one.words is not None]
    plain, damp = inverted(vocabulary, words, False), inverted(vocabulary, words, True)
    right, checking, finding = {"counts": 0, "damped": 0, "verified": 0}, Clock(), Clock()
    plain.search([0], [1], 1)
    geometry.verify(placed[0], placed[:1])
    for probe in probes:
        with finding:
            own = vocabulary.assign(probe.features.descriptors)
            distinct, counts = bag(own)
            rows, _ = damp.search(distinct, damped(counts), CHECKED)
        first, _ = plain.search(distinct, counts, 1)
        with checking:
            inliers = geometry.verify(Placed(probe.features, own), [placed[r] for r in rows])
            checked = geometry.reorder(rows, inliers)
        for way, found in (("counts", first), ("damped", rows), ("verified", checked)):
            right[way] += bool(len(found)) and models[found[0]].book == probe.book
    some = np.concatenate([p.features.descriptors for p in probes])[:: max(1, len(probes) // 8)]
    return {
        "vocabulary": name,
        "words": vocabulary.size,
        **{way: count / len(probes) for way, count in right.items()},
        "words ms": finding.spent / len(probes),
        "checking ms": checking.spent / len(probes),
        "recall": recall(vocabulary, some),
        "training s": seconds,
    }


def votes(shots: list[Shot]) -> tuple[float, float]:
    """Every feature votes for the model of its nearest descriptor."""
    models, probes = ([s for s in shots if s.model is kind] for kind in (True, False))
    every = np.concatenate([s.features.descriptors for s in models])
    owner = np.repeat(np.arange(len(models)), [len(s.features) for s in models])
    asked = np.concatenate([s.features.descriptors for s in probes])
    with Clock() as clock:
        # All probes at once: the way that suits exact search best.
        nearest, _ = flat_distances(every, asked)
    right, start = 0, 0
    for probe in probes:
        stop = start + len(probe.features)
        won = np.bincount(owner[nearest[start:stop]], minlength=len(models)).argmax()
        right += models[won].book == probe.book
        start = stop
    return right / len(probes), clock.spent / len(probes)


def embedding(shots: list[Shot]) -> float:
    from saccade.descriptors import make

    vectors = make("embedding").describe([s.picture for s in shots])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    model = np.array([s.model for s in shots])
    books = np.array([s.book for s in shots])
    nearest = (vectors[~model] @ vectors[model].T).argmax(1)
    return float((books[model][nearest] == books[~model]).mean())


def through_engine(shots: list[Shot]) -> list[dict[str, Any]]:
    """The same, as a user has it: index the models, search with each probe's file."""
    by_name = {s.file.name: s.book for s in shots if s.model}
    probes = [s for s in shots if not s.model]
    rows = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Engine(Path(folder) / "covers.saccade", warm=False) as engine,
    ):
        models = Path(folder) / "models"
        models.mkdir()
        for shot in shots:
            if shot.model:
                (models / shot.file.name).symlink_to(shot.file.resolve())
        began = perf_counter()
        engine.add(models, recipe="words")
        indexing = perf_counter() - began
        engine.warm()
        for verify in (0, CHECKED):
            right, clock, began = 0, Clock(), perf_counter()
            for probe in probes:
                with clock:
                    page = engine.search(
                        str(probe.file), schemes=["words:cosine"], expert="uniform", k=10,
                        verify=verify,
                    )  # fmt: skip
                right += by_name[Path(page.hits[0].path).name] == probe.book
            rows.append(
                {
                    "engine.search": f"verify={verify}",
                    "first": right / len(probes),
                    "ms, features included": clock.spent / len(probes),
                    "wall ms": 1e3 * (perf_counter() - began) / len(probes),
                    "indexing s": indexing,
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder with images/ and labels.csv")
    parser.add_argument("--out", type=Path, help="write covers.md and covers.json here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    drawn = tempfile.TemporaryDirectory()
    with drawn:
        cv2.setNumThreads(1)  # as the engine does
        shots = read(arguments.data) if arguments.data else draw(Path(drawn.name))
        some = [shot for shot in shots if not shot.model][::3]
        began = process_time()
        for shot in some:
            extract(shot.picture)
        each = 1e3 * (process_time() - began) / len(some)
        every = np.concatenate([s.features.descriptors for s in shots if s.model])
        fitting = sizing.fitting_size(len(every))
        trained: list[dict[str, Any]] = []
        for name in ("akm 1/50", "akm 1/14", "akm 1/6", "akm, as indexed", "hkm 10^5"):
            began = perf_counter()
            if name == "akm, as indexed":
                vocabulary = sizing.train_for(every)
            elif name.startswith("akm"):
                vocabulary = akm.train(every, len(every) // int(name.split("/")[1]), iterations=2)
            else:
                vocabulary = hkm.train(every, branching=10, depth=5)
            trained.append(judge(name, vocabulary, perf_counter() - began, shots))
            print(trained[-1], flush=True)
        voted, vote_ms = votes(shots)
        peers = [
            {"peer": "votes of the nearest descriptors, exact", "first": voted, "ms": vote_ms},
            {"peer": "embedding, cosine", "first": embedding(shots), "ms": None},
        ]
        engine = through_engine(shots)
    models = sum(s.model for s in shots)
    found = {
        **machine(),
        "data": arguments.data.name if arguments.data else "drawn posters",
        "models": models,
        "probes": len(shots) - models,
        "descriptors": len(every),
        "fitting size": fitting,
        "features ms": each,
        "vocabularies": trained,
        "peers": peers,
        "engine": engine,
    }
    if arguments.out:
        write_text(arguments.out / "covers.md", page(found))
        write_json(arguments.out / "covers.json", found)
    print(json.dumps(found, indent=2) if arguments.json else page(found))


def page(found: dict[str, Any]) -> str:
    head = (
        f"# Recognition: {found['data']}\n\n{found['models']} models, {found['probes']} probes, "
        f"{found['descriptors']:,} descriptors; {found['cores']} cores, commit {found['commit']}. "
        f"Local features take {found['features ms']:.0f} ms of processor time a probe. "
    )
    words = " ".join(" ".join((__doc__ or "").split("\n\n")[3:5]).split())
    tables = [markdown(found[k], digits=3) for k in ("vocabularies", "engine", "peers")]
    return head + words + "\n\n" + "\n\n".join(tables) + "\n"


if __name__ == "__main__":
    main()
