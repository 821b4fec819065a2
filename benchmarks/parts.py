"""Do maps light the thing, does a part find it again, and what does that cost?

    python benchmarks/parts.py --things FOLDER --scenes FOLDER [--covers FOLDER]
                               [--outdoor FOLDER] [--photos FOLDER] [--images 100000]
                               [--stores DIR] [--out results]

--things holds a labelled set of things, many of them on white, --covers another of which some kinds
have several pictures; --scenes photographs to paste them into; --outdoor labelled scenes with
classes coast and street. Nothing of them is kept: the pictures of maps under --out are of drawn
scenes.

Maps, as areas under the curve of what glows (.5 is chance):

    ground    a thing against its white ground; four pictures a kind, of every kind with enough
    sides     two things side by side, the map of one: its pixels against those of the other
    drawn     the main object of a drawn scene against the rest, by its true mask

each for a keyword that nobody taught (its pictures against all others, none of the pictures that
are looked at among them), for one taught by twelve preferences, and for the typed word where it is
one that the lexicon knows.

Search: a picture of a thing, a third to a half as high as a scene, is pasted into it. Looked for by
a box around it among all other pictures of things and other such scenes; right is what has a thing
of that kind. Beside it: the whole scene as the query, the mean of the positions in the box, and the
box again where as small a share of the pictures is looked at closely as of 100,000. Of some kinds
also by regions: the one that covers most of the box, by its cut and the features of the paper, as
near as the nearest region of a picture.

Place: a strip at the top of a coast is sky, one at its bottom sea or sand, one at the bottom of a
street road. Looked for by a box, the best match of most others lies at the same end of theirs.

Pooling: how a concept's score comes from its positions' scores; average precision of a kind's
pictures among all others after 8 good and 8 bad ones. C and the steepness η of the
product were chosen on the even kinds of --things; the odd ones judge.

Keywords: the classes of --things and --photos as keywords, judged by the rest of 24 pictures of
each after 8 good and 8 bad ones: by positions; by the paper's regions and features; and by the mean
of the positions under each region; pooled by average, softmax and best. With it the AUC of what
each of them points at in pictures on white, before any smoothing.

Size: one search by a part and one by the whole in a store of drawn columns, in turns: of the
embedding alone, and of the default recipe. It has no files, so the part is the mean of positions:
where a file is at hand, reading it and looking at the part come on top, as for any picture from
outside. On a machine that others use processor time compares, and wall clock does not.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

import drawn_store
from machine import machine
from saccade import descriptors
from saccade.contracts import SpatialDescriptor
from saccade.descriptors import classifier
from saccade.descriptors.embedding import parts as codec
from saccade.engine import Box, Engine
from saccade.engine.concepts.fold import COST, PAPER_GAMMA
from saccade.engine.sources import parts as source
from saccade.engine.sources.cut import cut as cut_of
from saccade.errors import InvalidInput
from saccade.features.phi import Block, Column
from saccade.images.decode import decode
from saccade.images.glow import lit
from saccade.images.picture import ArrayPicture
from saccade.lexicon import read
from saccade.rankers.bag_online import MIOnline
from saccade.testbed import datasets, worlds
from saccade.testbed.measures import average_precision
from saccade.types import Pixels

EACH, MOST_KINDS, TAUGHT, PAIRS = 4, 30, 12, 60
OBJECTS = ("balloons", "butterflies", "fish", "fruit", "houses", "vases")
"""Classes of the worlds whose main object stands by itself."""
SIDE, SOME_KINDS, C = 220, 30, 10.0
LISTED = 24
POOLED = {"average": 0.01, "softmax": 4.0, "best": 256.0}
"""The steepness η of each way to pool."""
PASTED, CUT_KINDS, STRIPS = 6, 10, 25
PARTS = ("maps", "pooling", "keywords", "search", "places", "size")
"""What can be measured by itself."""
PLACES = {"sky": ("coast", True), "sea or sand": ("coast", False), "road": ("street", False)}
"""What a strip shows, in which class, and whether it is the upper one."""
Map = NDArray[np.float32]
Mask = NDArray[np.bool_]


def auc(values: Map, inside: Mask) -> float:
    """How often a pixel inside is brighter than one outside; ties count half."""
    flat, own = values.ravel().astype(np.float64), inside.ravel()
    order = np.argsort(flat, kind="stable")
    _, first, counts = np.unique(flat[order], return_index=True, return_counts=True)
    ranks = np.empty(len(flat))
    ranks[order] = np.repeat(first + (counts - 1) / 2, counts)
    good, bad = int(own.sum()), int((~own).sum())
    return float((ranks[own].sum() - good * (good - 1) / 2) / (good * bad))


def thing_of(pixels: Pixels) -> Mask | None:
    """Where the thing on a white ground is; None where the ground is not white."""
    dark = pixels.min(axis=2)
    rims = (dark[:4], dark[-4:], dark[:, :4], dark[:, -4:])
    edge = np.concatenate([rim.ravel() for rim in rims])
    inside: Mask = dark < 235
    return inside if (edge > 238).mean() >= 0.9 and 0.05 < inside.mean() < 0.7 else None


class Looked:
    """Maps of one store by each way of saying what is meant."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.ids = {str(Path(p).resolve()): r.image_id for r in engine.images() for p in r.paths}
        self.found: dict[str, list[float]] = defaultdict(list)

    def teach(self, kind: str, own: Sequence[str], others: Sequence[str]) -> None:
        """A keyword of pictures that show it, and one with others, in an order that was taught."""
        tag = self.engine.tags.add
        tag(kind, [self.ids[path] for path in own], user="new")
        tag(kind, [self.ids[path] for path in (*own, *others)], user="ana")
        for number in range(TAUGHT):
            better, worse = own[number % len(own)], others[number % len(others)]
            self.engine.concepts.prefer(kind, self.ids[better], self.ids[worse], user="ana")

    def judge(self, kind: str, path: str, judged: Callable[[Map], float]) -> None:
        """The maps of one picture."""
        image = self.ids[path]
        concepts = self.engine.concepts
        self.found["keyword"].append(judged(concepts.map(image, kind, user="new")))
        seen = concepts.glow(image, kind, user="ana")
        self.found["taught"].append(judged(seen.values))
        if seen.trusted:
            self.found["taught, shown"].append(judged(seen.values))
        with suppress(InvalidInput):
            meant = next(iter(read(kind).terms)).kinds
            if meant:
                row = self.engine.image(image).row
                towards = classifier.direction(meant)
                found = self.engine.maps.of(row, towards, about=kind)
                self.found["typed word"].append(judged(found.values))

    def told(self) -> dict[str, Any]:
        """Mean of each way, and of how many."""
        return {name: {"auc": float(np.mean(v)), "maps": len(v)} for name, v in self.found.items()}


def opened(stores: Path, name: str, folder: Path) -> Engine:
    """A store of a folder, with the embedding alone."""
    engine = Engine(stores / f"{name}.saccade", warm=False)
    engine.add(folder, recipe="embedding")
    return engine


def pixels_of(path: str | Path) -> Pixels:
    return decode(Path(path).read_bytes()).picture.rgb


def things(folder: Path, stores: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Maps over pictures of things: against the ground, and against another thing."""
    by: dict[str, list[str]] = defaultdict(list)
    for path, kind in sorted(datasets.load(folder).truth().items()):
        by[kind.lower().replace("_", " ")].append(str(Path(path).resolve()))
    white = {
        kind: [p for p in own if thing_of(pixels_of(p)) is not None] for kind, own in by.items()
    }
    kinds = [kind for kind in sorted(by) if len(white[kind]) >= EACH][:MOST_KINDS]
    rng = np.random.default_rng(2)
    beside = stores / "sides"
    pairs = [(*rng.choice(kinds, 2, replace=False), number) for number in range(PAIRS)]
    beside.mkdir(parents=True, exist_ok=True)
    for one, other, number in pairs:
        two = [pixels_of(white[kind][rng.integers(EACH)]) for kind in (one, other)]
        both = np.concatenate([cv2.resize(pixels, (SIDE, SIDE)) for pixels in two], axis=1)
        Image.fromarray(both).save(beside / f"{number}.png")
    with opened(stores, "things", folder) as engine:
        engine.add(beside)
        ground, sides = Looked(engine), Looked(engine)
        for kind in kinds:
            own = [path for path in by[kind] if path not in white[kind][:EACH]]
            strangers = [path for other in kinds if other != kind for path in by[other][-1:]]
            ground.teach(kind, own[:24], strangers)
            for path in white[kind][:EACH]:
                inside = thing_of(pixels_of(path))
                assert inside is not None
                ground.judge(kind, path, lambda values, m=inside: auc(_sized(values, m.shape), m))
            for one, _, number in pairs:
                if one != kind:
                    continue
                place = str((beside / f"{number}.png").resolve())
                sides.judge(kind, place, lambda values, p=place: _left(values, pixels_of(p)))
        about = {"kinds": len(kinds), "pictures": len(ground.found["keyword"])}
        return {**about, "ways": ground.told()}, {"pairs": PAIRS, "ways": sides.told()}


def _left(values: Map, pixels: Pixels) -> float:
    """The thing on the left against the one on the right."""
    inside = pixels.min(axis=2) < 235
    left = np.arange(pixels.shape[1])[None] < SIDE
    return auc(_sized(values, inside.shape)[inside], (inside & left)[inside])


def _sized(values: Map, shape: tuple[int, ...]) -> Map:
    return np.asarray(cv2.resize(values, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR))


def drawn(stores: Path, out: Path | None) -> dict[str, Any]:
    """Maps over drawn scenes, whose truth is known; some of them as a picture."""
    folder, masks, shown = stores / "drawn", {}, []
    world = worlds.World(seed=21)
    for kind in worlds.CLASSES:
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for number in range(16):
            scene, path = world.draw(kind, number), folder / kind / f"{number}.png"
            Image.fromarray(scene.pixels).save(path)
            masks[str(path.resolve())] = scene.mask
    with opened(stores, "scenes", folder) as engine:
        looked = Looked(engine)
        for kind in OBJECTS:
            paths = [str((folder / kind / f"{number}.png").resolve()) for number in range(16)]
            others = [
                str((folder / other / "15.png").resolve())
                for other in worlds.CLASSES
                if other != kind
            ]
            looked.teach(kind, paths[6:], others)
            for path in paths[:6]:
                mask = masks[path]
                if 0.01 < mask.mean() < 0.9:
                    looked.judge(kind, path, lambda values, m=mask: auc(_sized(values, m.shape), m))
            for path in paths[:3]:
                pixels = pixels_of(path)
                values = engine.concepts.map(looked.ids[path], kind, user="ana")
                both = [pixels, lit(pixels, _sized(values, pixels.shape))]
                shown.append(np.concatenate([cv2.resize(one, (256, 192)) for one in both], axis=1))
    if out is not None:
        rows = [np.concatenate(shown[i : i + 3], axis=1) for i in range(0, len(shown), 3)]
        Image.fromarray(np.concatenate(rows)).save(out / "parts.jpg", quality=88)
    return looked.told()


def searching(folder: Path, scenes: Path, stores: Path, name: str) -> dict[str, Any]:
    """What is pasted small into scenes, looked for by a box."""
    truth = {str(Path(p).resolve()): kind for p, kind in datasets.load(folder).truth().items()}
    boxes, sources = _pasted(truth, scenes, stores / name)
    truth |= {path: truth[source] for path, source in sources.items()}
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    where: list[float] = []
    with opened(stores, name, folder) as engine:
        engine.add(stores / name)
        ids = {str(Path(p).resolve()): r.image_id for r in engine.images() for p in r.paths}
        names = {r.row: str(Path(r.paths[0]).resolve()) for r in engine.images()}
        view = source.of(engine._opened.collection())
        assert view is not None
        for path, box in boxes.items():
            row = engine.image(ids[path]).row
            mean = view.look_for(view.part(row, codec.cover(box.edges))).scores
            hits = engine.search(ids[path], part=box, k=400).hits
            with as_of(100_000, len(view)):
                few = engine.search(ids[path], part=box, k=400).hits
            pages = {
                "a box": [h.path for h in hits],
                "a box, as of 100,000 pictures": [h.path for h in few],
                "the whole scene": [h.path for h in engine.search(ids[path], k=400).hits],
                "the mean of the box's positions": [names[i] for i in np.argsort(-mean)],
            }
            for way, paths in pages.items():
                found[way].append(_precise(paths, path, truth, set(sources.values())))
            matches = {str(Path(h.path).resolve()): h.match for h in hits[:20]}
            where += [
                _holds(match, boxes[there])
                for there, match in matches.items()
                if there in boxes and truth[there] == truth[path] and match is not None
            ]
    out = {
        "pasted": len(boxes), "pictures": len(truth),
        "p20": {way: float(np.mean([p for p, _ in values])) for way, values in found.items()},
        "recall20": {way: float(np.mean([r for _, r in values])) for way, values in found.items()},
        "found pasted ones": len(where),
        "match holds": float(np.mean(where)) if where else None,
    }  # fmt: skip
    some = sorted({truth[path] for path in boxes})[:CUT_KINDS]
    mine = [number for number, path in enumerate(boxes) if truth[path] in some]
    fewer = {path: kind for path, kind in truth.items() if kind in some}
    cut = _by_regions({p: b for p, b in boxes.items() if truth[p] in some}, fewer, sources)
    return out | {"of some kinds": {"kinds": len(some), "pasted": len(mine), **cut}}


def _pasted(
    truth: dict[str, str], scenes: Path, beside: Path
) -> tuple[dict[str, Box], dict[str, str]]:
    """Pictures of kinds with several, each small in a scene: where it is, and which it was."""
    by: dict[str, list[str]] = defaultdict(list)
    for path, kind in sorted(truth.items()):
        by[kind].append(path)
    rng = np.random.default_rng(3)
    beside.mkdir(parents=True, exist_ok=True)
    files = sorted(file for file in scenes.rglob("*") if file.suffix.lower() in (".jpg", ".png"))
    boxes: dict[str, Box] = {}
    sources: dict[str, str] = {}
    for kind in sorted(kind for kind, own in by.items() if len(own) >= PASTED):
        for number, path in enumerate(rng.choice(by[kind], PASTED, replace=False)):
            scene = cv2.resize(pixels_of(files[rng.integers(len(files))]), (384, 288))
            pixels = pixels_of(path)
            scale = rng.uniform(0.33, 0.5) * 288 / max(pixels.shape[:2])
            small = cv2.resize(pixels, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
            high, wide = small.shape[:2]
            top, left = rng.integers(0, 288 - high), rng.integers(0, 384 - wide)
            scene[top : top + high, left : left + wide] = small
            file = beside / f"{kind}-{number}.png"
            Image.fromarray(scene).save(file)
            edges = top / 288, left / 384, (top + high) / 288, (left + wide) / 384
            boxes[str(file.resolve())] = Box(*(float(edge) for edge in edges))
            sources[str(file.resolve())] = str(path)
    return boxes, sources


def _precise(
    paths: Sequence[str], query: str, truth: dict[str, str], without: set[str]
) -> tuple[float, float]:
    """Precision and recall of the first 20, without the query and what was pasted itself."""
    places = (str(Path(path).resolve()) for path in paths)
    seen = [place for place in places if place not in without and place != query][:20]
    right = sum(truth[place] == truth[query] for place in seen)
    others = {p for p, kind in truth.items() if kind == truth[query]} - without - {query}
    return right / 20, right / max(1, min(20, len(others)))


def _by_regions(
    boxes: dict[str, Box], truth: dict[str, str], sources: dict[str, str]
) -> dict[str, Any]:
    """P@20 of regions by cut and the paper's features, among pictures of some kinds; of a box too.

    A picture is as near as its nearest region, each feature in standard deviations.
    """
    every = list(truth)
    cuts = [cut_of(decode(Path(path).read_bytes()).picture) for path in every]
    rows = np.concatenate([cut.vectors for cut in cuts])
    spread = np.maximum(rows.std(axis=0), 1e-6)
    made = descriptors.make("embedding")
    assert isinstance(made, SpatialDescriptor)
    seen = made.look([decode(Path(path).read_bytes()).picture for path in every])
    centre = seen.vectors.mean(axis=0)
    column = Column("embedding", (Block.of(seen.vectors, None, centre),), centre)
    lengths = column.blocks[0].spans
    codes = codec.encode(seen.positions)
    view = source.PartView(
        "embedding", column, ((0, codes),), (), centre, lengths, float(lengths.mean())
    )
    found: dict[str, list[float]] = defaultdict(list)
    for path, box in boxes.items():
        own = cuts[every.index(path)]
        asked = own.vectors[int(np.argmax(_overlaps(own.boxes, box)))] / spread
        near = [-np.linalg.norm(cut.vectors / spread - asked, axis=1).min() for cut in cuts]
        pixels = pixels_of(path)
        high, wide = pixels.shape[:2]
        top, left, bottom, right = np.rint(np.array(box.edges) * (high, wide, high, wide))
        inside = pixels[int(top) : int(bottom), int(left) : int(right)]
        vector = made.describe([ArrayPicture(np.ascontiguousarray(inside))])[0]
        scores = {"a region": np.array(near), "a box": view.look_for(vector).scores}
        for way, values in scores.items():
            order = [every[i] for i in np.argsort(-values, kind="stable")]
            found[way].append(_precise(order, path, truth, set(sources.values()))[0])
    means = {way: float(np.mean(values)) for way, values in found.items()}
    return {"pictures": len(every), "p20": means}


def _overlaps(boxes: NDArray[np.float32], box: Box) -> NDArray[np.float64]:
    """Common area over that of both, of each region's box with the one asked for."""
    edges = np.asarray(boxes, np.float64)
    asked = np.array(box.edges)
    inside = np.maximum(
        np.minimum(edges[:, 2:], asked[2:]) - np.maximum(edges[:, :2], asked[:2]), 0
    )
    common = inside.prod(axis=1)
    both = (edges[:, 2:] - edges[:, :2]).prod(axis=1) + (asked[2:] - asked[:2]).prod()
    return np.asarray(common / (both - common))


def placed(folder: Path, stores: Path) -> dict[str, Any]:
    """Whether strips of sky, sea and road are found where those are."""
    by: dict[str, list[str]] = defaultdict(list)
    for path, kind in sorted(datasets.load(folder).truth().items()):
        by[kind].append(str(Path(path).resolve()))
    out: dict[str, Any] = {}
    with opened(stores, "outdoor", folder) as engine:
        ids = {str(Path(p).resolve()): r.image_id for r in engine.images() for p in r.paths}
        rows = {str(Path(p).resolve()): r.row for r in engine.images() for p in r.paths}
        view = source.of(engine._opened.collection())
        assert view is not None
        for name, (kind, upper) in PLACES.items():
            strip = Box(0.0, 0.0, 0.25, 1.0) if upper else Box(0.75, 0.0, 1.0, 1.0)
            ends, areas = [], []
            own = np.array([rows[path] for path in by[kind]])
            for path in by[kind][:STRIPS]:
                page = engine.search(ids[path], part=strip, k=20)
                middles = [(h.match[0] + h.match[2]) / 2 for h in page.hits if h.match is not None]
                ends += [(middle < 0.5) == upper for middle in middles]
                session, _ = engine._loop.under_way(page)
                asked = session.query.like[0].parts[source.PARTS]
                scores = view.scored_rows(own, asked - view.centre).reshape(-1, 7, 7)
                two = np.concatenate([scores[:, :2], scores[:, -2:]], axis=1)
                top = np.zeros(two.shape[1:], bool)
                top[: two.shape[1] // 2] = True
                areas += [auc(one, top if upper else ~top) for one in two]
            out[name] = {
                "strips": STRIPS, "hits": len(ends),
                "same end": float(np.mean(ends)), "auc": float(np.mean(areas)),
            }  # fmt: skip
    return out


@contextmanager
def as_of(images: int, here: int) -> Iterator[None]:
    """Look at as small a share of `here` pictures as of so many images."""
    names = ("LIKELY", "LOOKED_AT", "CANDIDATES")
    before = {name: getattr(source, name) for name in names}
    for name, count in before.items():
        setattr(source, name, count * here // images)
    try:
        yield
    finally:
        for name, count in before.items():
            setattr(source, name, count)


def _holds(match: tuple[float, float, float, float], box: Box) -> float:
    """Whether the middle of the thing lies in the box that a hit names."""
    top, left, bottom, right = box.edges
    down, across = (top + bottom) / 2, (left + right) / 2
    return float(match[0] <= down <= match[2] and match[1] <= across <= match[3])


def pooling(folder: Path, stores: Path) -> dict[str, Any]:
    """Average precision by how positions' scores become a picture's."""
    truth = {str(Path(p).resolve()): kind for p, kind in datasets.load(folder).truth().items()}
    with opened(stores, "things", folder) as engine:
        view = source.of(engine._opened.collection())
        assert view is not None
        records = [r for r in engine.images() if str(Path(r.paths[0]).resolve()) in truth]
        labels = np.array([truth[str(Path(r.paths[0]).resolve())] for r in records])
        bags = [view.bag(r.row) for r in records]
    ways = {"average": 0.01, "softmax, η 1": 1.0, "η 4": 4.0, "η 16": 16.0, "best position": 256.0}
    kinds = sorted(set(labels))[:SOME_KINDS]
    out: dict[str, Any] = {}
    for name, eta in ways.items():
        values = [
            _taught(MIOnline(C=C, kernel="linear", eta=eta), bags, labels == kind, number)
            for number, kind in enumerate(kinds)
        ]
        out[name] = {"even": float(np.mean(values[0::2])), "odd": float(np.mean(values[1::2]))}
    return out


def _taught(model: MIOnline, bags: list[np.ndarray], own: Mask, seed: int) -> float:
    rng = np.random.default_rng(seed)
    good, bad = (rng.choice(np.flatnonzero(side), 8, replace=False) for side in (own, ~own))
    some = np.concatenate([good, bad])
    model.fit_bags([bags[i] for i in some], [(i, j) for i in range(8) for j in range(8, 16)])
    rest = np.setdiff1d(np.arange(len(bags)), some)
    scores = np.asarray(model.score_bags([bags[i] for i in rest]))
    return float(average_precision(scores, own[rest].astype(np.int64)))


def keywords(folder: Path) -> dict[str, Any]:
    """Average precision of keywords, and AUC on white, by what a picture is made of and pooling."""
    by_kind: dict[str, list[str]] = defaultdict(list)
    for path, kind in sorted(datasets.load(folder).truth().items()):
        by_kind[kind].append(path)
    every = [(p, kind) for kind, paths in sorted(by_kind.items()) for p in paths[:LISTED]]
    labels = np.array([kind for _, kind in every])
    pictures = [decode(Path(path).read_bytes()).picture for path, _ in every]
    made = descriptors.make("embedding")
    assert isinstance(made, SpatialDescriptor)
    seen = made.look(pictures)
    positions = codec.projected(codec.encode(seen.positions), seen.vectors)
    cuts = [cut_of(picture) for picture in pictures]
    under = [_under(cut.masks) @ own for cut, own in zip(cuts, positions, strict=True)]
    linear = {"C": C, "kernel": "linear"}
    ways: dict[str, tuple[list[np.ndarray], dict[str, Any]]] = {
        "positions": (list(positions), linear),
        "regions, the paper's": ([c.vectors for c in cuts], {"C": COST, "gamma": PAPER_GAMMA}),
        "regions, positions under them": (under, linear),
    }
    things_at = [thing_of(picture.rgb) for picture in pictures]
    out: dict[str, Any] = {"pictures": len(every), "keywords": len(by_kind)}
    for name, (bags, settings) in ways.items():
        for pooled, eta in POOLED.items():
            values, areas = [], []
            for number, kind in enumerate(sorted(by_kind)):
                model = MIOnline(eta=eta, **settings)
                own = labels == kind
                values.append(_taught(model, bags, own, number))
                for i in np.flatnonzero(own):
                    inside = things_at[i]
                    if inside is not None:
                        scores = np.asarray(model.region_scores(bags[i]), np.float32)
                        if name == "positions":
                            laid = scores.reshape(codec.SIDE, codec.SIDE)
                        else:
                            laid = scores[cuts[i].masks.argmax(axis=0)]
                        areas.append(auc(_sized(laid, inside.shape), inside))
            found = {"precision": float(np.mean(values)), "maps": len(areas)}
            if areas:
                found["auc"] = float(np.mean(areas))
            out[f"{name}, {pooled}"] = found
    return out


def _under(masks: Mask) -> Map:
    """How much of each region lies at each position, [regions, 49]; every row adds up to 1."""
    shares = np.array(
        [
            cv2.resize(mask.astype(np.float32), (codec.SIDE,) * 2, interpolation=cv2.INTER_AREA)
            for mask in masks
        ]
    ).reshape(len(masks), -1)
    return np.asarray(shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-9), np.float32)


def costs(pictures: Sequence[Path]) -> dict[str, float]:
    """Processor time a picture with and without positions, and bytes of both."""
    made = descriptors.make("embedding")
    assert isinstance(made, SpatialDescriptor)
    some = [decode(path.read_bytes()).picture for path in pictures[:64]]
    for one in some:
        one.square(224)  # as every descriptor finds it
    out = {}
    for name, once in {
        "vector": lambda: made.describe(some),
        "vector and positions": lambda: codec.encode(made.look(some).positions),
    }.items():
        once()
        times = []
        for _ in range(3):
            began = process_time()
            once()
            times.append((process_time() - began) / len(some))
        out[f"{name}, ms"] = 1e3 * min(times)
    return {**out, "positions, bytes": codec.BYTES * codec.POSITIONS + 4}


def at_size(images: int, stores: Path, recipe: str, repeats: int = 40) -> dict[str, Any]:
    """One search by a part and one by the whole, in turns: wall clock and processor time."""
    alone = recipe == "embedding alone"
    place = stores / f"{'size' if alone else 'full'}-{images}.saccade"
    if not place.exists():
        drawn_store.build(
            place, images, descriptors=("embedding",) if alone else None, words=not alone
        )
    ways: dict[str, dict[str, Any]] = {"the whole": {}, "a part": {"part": Box(0.2, 0.2, 0.6, 0.7)}}
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    with Engine(place, warm=True) as engine:
        for number in range(repeats + 2):
            for name, more in ways.items():
                began, busy = perf_counter(), process_time()
                engine.search(f"{7 * number:032x}", k=50, **more)
                times[name].append((perf_counter() - began, process_time() - busy))
    out: dict[str, Any] = {"images": images}
    for name, values in times.items():
        wall, own = 1e3 * np.array(values[2:]).T
        out[name] = {
            "p50_ms": float(np.median(wall)), "p95_ms": float(np.percentile(wall, 95)),
            "min_ms": float(wall.min()),
            "cpu_p50_ms": float(np.median(own)), "cpu_min_ms": float(own.min()),
        }  # fmt: skip
    return out


def told(found: dict[str, Any]) -> str:
    """The figures as a page."""
    made = ", ".join(f"{n} {value}" for n, value in found["machine"].items() if n != "commit")
    commits = ", ".join(f"{part} {commit}" for part, commit in found["commits"].items())
    lines = ["# Parts: where it is", "", f"`benchmarks/parts.py`, {made}."]
    lines += [f"Measured at commits: {commits}.", ""]
    maps = {name: found[name] for name in ("ground", "sides", "drawn") if name in found}
    if maps:
        ways = ("keyword", "taught", "taught, shown", "typed word")
        lines += ["AUC of maps, and how many:", "", "| | " + " | ".join(ways) + " |"]
        lines += ["|---" * (len(ways) + 1) + "|"]
        for name, row in maps.items():
            cells = [row.get("ways", row).get(way) for way in ways]
            shown = [f"{c['auc']:.3f} ({c['maps']})" if c else "" for c in cells]
            lines.append(f"| {name} | " + " | ".join(shown) + " |")
        lines.append("")
    for name in ("things", "covers"):
        if name in found.get("search", {}):
            lines += _told_search(name, found["search"][name])
    if "places" in found:
        lines += [
            "A strip looked for by a box among outdoor scenes: hits whose match lies in the same"
        ]
        lines += ["half, and the AUC of its score at that end of its class against the other:", ""]
        lines += ["| strip | hits | same half | AUC |", "|---|---:|---:|---:|"]
        for name, row in found["places"].items():
            lines.append(f"| {name} | {row['hits']} | {row['same end']:.3f} | {row['auc']:.3f} |")
        lines.append("")
    if "pooling" in found:
        lines += ["A concept after 8 good and 8 bad pictures, average precision:", ""]
        lines += ["| positions pooled by | even kinds (chosen on) | odd kinds |", "|---|---:|---:|"]
        for name, row in found["pooling"].items():
            lines.append(f"| {name} | {row['even']:.3f} | {row['odd']:.3f} |")
        lines.append("")
    for name, row in found.get("keywords", {}).items():
        lines += [f"{row['keywords']} keywords of {name}, {row['pictures']} pictures:", ""]
        lines += ["| made of, pooled by | average precision | AUC on white |", "|---|---:|---:|"]
        for way, one in row.items():
            if isinstance(one, dict):
                pointed = f"{one['auc']:.3f} ({one['maps']})" if one["maps"] else "–"
                lines.append(f"| {way} | {one['precision']:.3f} | {pointed} |")
        lines.append("")
    if "costs" in found:
        lines += ["| a picture | |", "|---|---:|"]
        lines += [f"| {name} | {value:.1f} |" for name, value in found["costs"].items()]
        lines.append("")
    for recipe, row in found.get("size", {}).items():
        lines += [
            f"| {row['images']:,} images, {recipe} | p50 ms | p95 | least | CPU, p50 | least |",
            "|---|---:|---:|---:|---:|---:|",
        ]
        keys = ("p50_ms", "p95_ms", "min_ms", "cpu_p50_ms", "cpu_min_ms")
        for name in ("the whole", "a part"):
            lines.append(f"| by {name} | " + " | ".join(f"{row[name][k]:.1f}" for k in keys) + " |")
        times = [row["a part"][key] / row["the whole"][key] for key in keys]
        lines += ["| times | " + " | ".join(f"{value:.2f}" for value in times) + " |", ""]
    return "\n".join(lines)


def _told_search(name: str, row: dict[str, Any]) -> list[str]:
    lines = [
        f"Pictures of {name} pasted small into scenes, {row['pasted']} of them",
        f"among {row['pictures']} pictures:",
        "",
        "| looked for by | P@20 | of all that could be |",
        "|---|---:|---:|",
    ]
    for way, value in row["p20"].items():
        lines.append(f"| {way} | {value:.3f} | {row['recall20'][way]:.3f} |")
    lines.append("")
    if row["found pasted ones"]:
        lines += [
            f"Of {row['found pasted ones']} right ones that were pasted, the box that the hit",
            f"names holds the middle of the thing in {row['match holds']:.3f}.",
        ]
    some = row["of some kinds"]
    both = ", ".join(f"by {way} {value:.3f}" for way, value in some["p20"].items())
    lines += [
        f"Of {some['kinds']} kinds alone, {some['pasted']} pasted among {some['pictures']}, P@20:",
        f"{both}.",
        "",
    ]
    return lines


def measured(options: argparse.Namespace, stores: Path, found: dict[str, Any]) -> None:
    """Fill in what was asked for."""

    def wanted(part: str) -> bool:
        return options.only in (None, part)

    found["machine"] = machine()
    commits = found.setdefault("commits", {})
    commits |= {part: found["machine"]["commit"] for part in PARTS if wanted(part)}
    if wanted("maps"):
        found["drawn"] = drawn(stores, options.out)
        if options.things is not None:
            found["ground"], found["sides"] = things(options.things, stores)
    if wanted("pooling") and options.things is not None:
        found["pooling"] = pooling(options.things, stores)
    if wanted("keywords"):
        lists = {"things": options.things, "photographs": options.photos}
        made = {name: keywords(folder) for name, folder in lists.items() if folder is not None}
        found["keywords"] = found.get("keywords", {}) | made
    if wanted("search") and options.scenes is not None:
        sets = {"things": options.things, "covers": options.covers}
        made = {
            name: searching(folder, options.scenes, stores, f"pasted-{name}")
            for name, folder in sets.items()
            if folder is not None
        }
        found["search"] = found.get("search", {}) | made
    if wanted("places") and options.outdoor is not None:
        found["places"] = placed(options.outdoor, stores)
    if wanted("size"):
        with tempfile.TemporaryDirectory() as place:
            worlds.write(Path(place), images=64, seed=3, size=(640, 480))
            found["costs"] = costs(sorted(Path(place).rglob("*.jpg")))
        if options.images:
            found["size"] = {
                recipe: at_size(options.images, stores, recipe)
                for recipe in ("embedding alone", "default recipe")
            }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--things", type=Path)
    parser.add_argument("--scenes", type=Path)
    parser.add_argument("--covers", type=Path)
    parser.add_argument("--outdoor", type=Path)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--images", type=int, default=100_000, help="of the size; 0 leaves it out")
    parser.add_argument("--stores", type=Path, help="where stores are kept between two runs")
    parser.add_argument("--out", type=Path, help="write parts.json, parts.md and parts.jpg there")
    parser.add_argument(
        "--only",
        choices=PARTS,
        help="keep the rest under --out",
    )
    options = parser.parse_args()
    found: dict[str, Any] = {}
    if options.only and options.out is not None and (options.out / "parts.json").exists():
        found = json.loads((options.out / "parts.json").read_text())
    with tempfile.TemporaryDirectory() as place:
        stores = Path(options.stores or place)
        stores.mkdir(parents=True, exist_ok=True)
        measured(options, stores, found)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "parts.json").write_text(json.dumps(found, indent=2) + "\n")
        (options.out / "parts.md").write_text(told(found))
    print(told(found))


if __name__ == "__main__":
    main()
