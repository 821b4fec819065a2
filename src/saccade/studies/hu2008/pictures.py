"""Pictures of a keyword that are good, middling or junk: graded by hand, or drawn.

    good  3   its object, large, in another scene
    ok    2   its object, small, in another scene
    junk  1   another class's object, large

The paper's pictures were tagged by people on Flickr and graded by hand; a set whose table has a
column `grade` is taken as it stands, one concept a class. In the worlds the scene says nothing, so
that only the object can be learned. No picture is used twice in one concept. Photographs without
grades are listed and graded in `keywords`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.images.decode import decode
from saccade.images.picture import ArrayPicture
from saccade.studies.declaration import Options
from saccade.testbed.datasets import Dataset

GOOD, OK, JUNK = 3, 2, 1
CONCEPTS = 10  # as many as the paper's
MASKS = ".masks"  # of a drawn world, beside its classes
OBJECTS = ("balloons", "butterflies", "fish", "fruit", "houses", "vases")
"""Classes of the worlds whose main object stands by itself."""
_SMALL, _LARGE = (0.3, 0.45), (0.7, 0.9)  # of a pasted thing, as a share of the picture's side

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Plan:
    """How one graded picture comes about: a file, or the object in it pasted onto another."""

    concept: str
    grade: int
    file: str
    mask: str = ""  # of the object that is pasted
    onto: str = ""
    large: bool = False
    seed: int = 0
    kinds: str = ""  # a file with the mean embeddings of the classes, which say where the thing is
    kind: int = -1  # which of them the concept is

    @property
    def name(self) -> str:
        """Which picture it is, for people."""
        return Path(self.file).name + (f" on {Path(self.onto).name}" if self.onto else "")


def sizes(options: Options) -> tuple[int, int, int]:
    """How many good, middling and junk pictures a concept has at most."""
    return (16, 14, 18) if options.quick else (70, 60, 70)


def plans(dataset: Dataset, options: Options) -> list[Plan]:
    """Every graded picture of every concept, concept by concept, in the order of the files."""
    if "grade" in dataset.columns:
        grades = dataset.grades()
        return [
            Plan(label, max(JUNK, int(grade)), str(file))
            for file, label, grade in zip(dataset.files, dataset.labels, grades, strict=True)
            if label in dataset.classes[: _concepts(options)]
        ]
    classes = [c for c in dataset.classes if c in OBJECTS]
    all_plans: list[Plan] = []
    for number, concept in enumerate(classes[: _concepts(options)]):
        rng = np.random.default_rng([options.seed, number])
        all_plans += _drawn(dataset, concept, options, rng)
    return all_plans


def _concepts(options: Options) -> int:
    return 3 if options.quick else CONCEPTS


def _drawn(
    dataset: Dataset, concept: str, options: Options, rng: np.random.Generator
) -> list[Plan]:
    """From worlds: an object in a scene of no concept, of the right class or of another."""
    own, grounds = _dealt(dataset, rng, concept, set(OBJECTS))
    _, wrong = _dealt(dataset, rng, concept, set(dataset.classes) - set(OBJECTS) | {concept})
    good, middling, junk = _counts(options, concept, len(own), len(wrong))
    things = [*own[: good + middling], *wrong[:junk]]
    grades = [GOOD] * good + [OK] * middling + [JUNK] * junk
    concept_plans = []
    for thing, grade, ground in zip(things, grades, grounds, strict=False):
        path = dataset.files[thing]
        mask = dataset.folder / MASKS / dataset.labels[thing] / f"{path.stem}.png"
        seed, onto = int(rng.integers(2**31)), _file(dataset, ground)
        concept_plans.append(Plan(concept, grade, str(path), str(mask), onto, grade != OK, seed))
    return sorted(concept_plans, key=lambda plan: plan.name)


def _dealt(
    dataset: Dataset, rng: np.random.Generator, concept: str, without: set[str]
) -> tuple[list[int], list[int]]:
    """Pictures of the concept, and of the classes that are not left out, both shuffled."""
    own = [i for i, label in enumerate(dataset.labels) if label == concept]
    others = [i for i, label in enumerate(dataset.labels) if label and label not in without]
    return rng.permutation(own).tolist(), rng.permutation(others).tolist()


def _counts(options: Options, concept: str, own: int, others: int) -> tuple[int, int, int]:
    """Good, middling and junk pictures: as many as wanted, or as there are."""
    good, middling, junk = sizes(options)
    good = min(good, own // 2)
    middling = min(middling, own - good, others // 2)
    junk = min(junk, others - middling)
    if min(good, middling, junk) < 2:
        raise InvalidInput(
            f"concept {concept!r}: {own} pictures of it and {others} others are too few",
            hint="give a set with at least four pictures a class",
        )
    return good, middling, junk


def _file(dataset: Dataset, row: int) -> str:
    return str(dataset.files[row])


def render(plan: Plan) -> tuple[ArrayPicture, Mask | None]:
    """The picture, and where its thing is: None where nobody knows."""
    picture = decode(Path(plan.file).read_bytes()).picture
    if not plan.onto:
        return picture, None
    ground = decode(Path(plan.onto).read_bytes()).picture
    mask = _mask(plan.mask, picture)
    span = _LARGE if plan.large else _SMALL
    composite, where = _pasted(picture, mask, ground, span, np.random.default_rng(plan.seed))
    return composite, (where if plan.grade > JUNK else None)


def _mask(path: str, picture: ArrayPicture) -> Mask:
    grey = cv2.imread(path, cv2.IMREAD_GRAYSCALE)
    if grey is None:
        raise InvalidInput(f"{path}: no mask that can be read")
    height, width = picture.rgb.shape[:2]
    resized = cv2.resize(grey, (width, height), interpolation=cv2.INTER_NEAREST)
    return np.asarray(resized > 127, np.bool_)


def _pasted(
    picture: ArrayPicture,
    mask: Mask,
    ground: ArrayPicture,
    span: tuple[float, float],
    rng: np.random.Generator,
) -> tuple[ArrayPicture, Mask]:
    """The masked part of a picture, shrunk, at a random place of another."""
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):  # an empty mask: the whole picture is the thing
        return _pasted(picture, np.ones_like(mask), ground, span, rng)
    box = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
    thing, shape = picture.rgb[box], mask[box].astype(np.uint8)
    height, width = ground.rgb.shape[:2]
    scale = rng.uniform(*span) * min(height / thing.shape[0], width / thing.shape[1])
    size = max(8, round(thing.shape[1] * scale)), max(8, round(thing.shape[0] * scale))
    size = min(size[0], width), min(size[1], height)
    thing = cv2.resize(thing, size, interpolation=cv2.INTER_AREA)
    shape = cv2.resize(shape, size, interpolation=cv2.INTER_NEAREST)
    top, left = (int(rng.integers(a - b + 1)) for a, b in ((height, size[1]), (width, size[0])))
    pixels, where = ground.rgb.copy(), np.zeros((height, width), np.bool_)
    place = slice(top, top + size[1]), slice(left, left + size[0])
    where[place] = shape > 0
    pixels[place][shape > 0] = thing[shape > 0]
    return ArrayPicture(pixels), where


def halves(grades: Sequence[int], seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows to learn from and rows to judge by: a random half each, as the paper draws them."""
    order = np.random.default_rng(seed).permutation(len(grades))
    cut = (len(order) + 1) // 2
    return np.sort(order[:cut]), np.sort(order[cut:])
