"""Lists of photographs as an engine returns them for a typed word, graded by what they show.

    good  3   of the class, which covers more of it than of the middle one of the list
    ok    2   of the class, which covers less
    junk  1   of another class: those that the word search puts highest, and others by chance

The order is that of the product's word search, without names of files and folders. How much of a
picture its class covers is an estimate: regions count by their area and by how probable the class
is by the embedding of the region's box, from the cosines to the means of all classes around the
mean of all pictures. The learners of Table 1 see colours and textures of regions, never those
embeddings. Boxes overlap, so that it ranks pictures by how much they show and is no mask: Figure 4
needs one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from saccade import lexicon
from saccade.errors import InvalidInput
from saccade.studies.collection import Images, opened
from saccade.studies.collection import prepare as indexed
from saccade.studies.declaration import Data, Options, Say
from saccade.studies.hu2008.pictures import CONCEPTS, GOOD, JUNK, MASKS, OK, Plan
from saccade.testbed.datasets import Dataset
from saccade.testbed.tables import write_json

if TYPE_CHECKING:
    from saccade.engine import Engine

EMBEDDING = "embedding"
BLIND = ("text:kinds", "text:near", "text:colour")
"""What a word is looked for by: files and folders are often named after their class."""
LEAST = 4  # pictures of each grade that a keyword has at least
_SHARP = 0.1  # of cosines, as a temperature

Vectors = NDArray[np.float32]


def applies(dataset: Dataset) -> bool:
    """Whether pictures are photographs of classes: neither graded by hand nor drawn with masks."""
    return "grade" not in dataset.columns and not (dataset.folder / MASKS).is_dir()


def sizes(options: Options) -> tuple[int, int, int]:
    """How many of the class, of what the word finds beside them, and by chance, at most."""
    return (24, 12, 12) if options.quick else (80, 40, 40)


def prepare(data: Data, dataset: Dataset, options: Options, say: Say) -> list[str]:
    """Index the set, type every keyword and keep the lists; what was left out comes back."""
    problems = indexed(data, options, say, wanted=(EMBEDDING,))
    file = _lists(data, dataset, options)
    if not file.exists():
        with opened(data, options) as images:
            kinds = file.with_suffix(".means.npy")
            np.save(kinds, means_of(images))
            lists = typed(images, data, options, str(kinds))
        write_json(file, [asdict(plan) for plan in lists])
    return problems


def plans(data: Data, dataset: Dataset, options: Options) -> list[Plan]:
    """Every picture of every list, in the order of the list; what is of the class is not graded."""
    return [Plan(**one) for one in json.loads(_lists(data, dataset, options).read_text("utf-8"))]


def _lists(data: Data, dataset: Dataset, options: Options) -> Path:
    whole = json.dumps([list(map(str, dataset.files)), dataset.labels, sizes(options)])
    digest = hashlib.sha256(f"{options.seed} {whole}".encode()).hexdigest()[:12]
    return Path(data.store).with_name(f"{Path(data.store).stem}-keywords-{digest}.json")


def typed(images: Images, data: Data, options: Options, kinds: str) -> list[Plan]:
    """The lists of up to ten keywords that the product has an order for."""
    from saccade.engine import open as opened_engine

    lists: list[Plan] = []
    keywords = 0
    with opened_engine(data.store, create=False, warm=False) as engine:
        for number, name in enumerate(images.dataset.classes):
            order = ordered(engine, images, str(name).replace("_", " "))
            own = [i for i in order if images.labels[i] == number]
            if keywords < CONCEPTS and len(own) >= 2 * LEAST:
                rng = np.random.default_rng([options.seed, number])
                some = listed(order, images.labels == number, options, rng)
                lists += [
                    Plan(str(name), GOOD if images.labels[i] == number else JUNK,
                         images.files[i], kinds=kinds, kind=number)
                    for i in some
                ]  # fmt: skip
                keywords += 1
    if not lists:
        raise InvalidInput(
            f"{data.folder}: no class has a name that can be typed, and {2 * LEAST} pictures",
            hint="name classes by English nouns, or give a table with a column `grade`",
        )
    return lists


def ordered(engine: Engine, images: Images, word: str) -> list[int]:
    """All images as the word search orders them; none where it does not know the word."""
    try:
        wanted = lexicon.read(word).wanted
    except InvalidInput:
        return []
    if not any(term.kinds or term.near or term.colour for term in wanted):
        return []
    place = {image: number for number, image in enumerate(images.ids)}
    page = engine.search(text=word, k=len(engine), schemes=BLIND)
    first = [place[hit.image_id] for hit in page.hits if hit.image_id in place]
    # A page may end where nothing speaks for a picture any more; the rest follows as it is stored.
    return [*first, *sorted(set(range(len(images.ids))) - set(first))] if first else []


def listed(
    order: Sequence[int], own: NDArray[np.bool_], options: Options, rng: np.random.Generator
) -> list[int]:
    """Some of the class, the others that come first, and others by chance, in the order given."""
    most, near, others = sizes(options)
    mine = rng.permutation([i for i in order if own[i]])[:most]
    rest = [i for i in order if not own[i]]
    chance = rng.permutation(rest[near:])[:others]
    wanted = {*mine.tolist(), *rest[:near], *chance.tolist()}
    return [i for i in order if i in wanted]


def means_of(images: Images) -> Vectors:
    """The mean embedding of each class, and last that of all, [classes + 1, d]."""
    vectors = np.asarray(images.vectors_of(EMBEDDING), np.float32)
    classes = range(len(images.dataset.classes))
    rows = [vectors[images.labels == number].mean(axis=0) for number in classes]
    return np.stack([*rows, vectors.mean(axis=0)])


def covered(crops: Vectors, areas: Vectors, means: Vectors, kind: int) -> float:
    """How much of a picture a class covers, by the embeddings of its regions and their areas."""
    centre = means[-1]
    classes, rows = (_unit(one - centre) for one in (means[:-1], crops))
    likely = np.exp(rows @ classes.T / _SHARP)
    return float(areas @ (likely[:, kind] / likely.sum(axis=1)))


def _unit(rows: Vectors) -> Vectors:
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


def graded(plans: Sequence[Plan], shares: Sequence[float]) -> list[Plan]:
    """A list with its grades, by how much of each picture its class covers.

    >>> some = [Plan("fish", GOOD, f"{n}.jpg", kinds="means") for n in range(3)]
    >>> [plan.grade for plan in graded([*some, Plan("fish", JUNK, "x", kinds="means")],
    ...                                [0.9, 0.2, 0.5, float("nan")])]
    [3, 2, 3, 1]
    """
    own = [share for plan, share in zip(plans, shares, strict=True) if plan.grade > JUNK]
    middle = np.median(own) if own else 0.0
    return [
        replace(plan, grade=GOOD if share >= middle else OK)
        if plan.kinds and plan.grade > JUNK else plan
        for plan, share in zip(plans, shares, strict=True)
    ]  # fmt: skip


def enough(plans: Sequence[Plan]) -> bool:
    """Whether a list of photographs has some of each grade; one that was graded is taken as is."""
    grades = [plan.grade for plan in plans]
    return not plans[0].kinds or all(grades.count(grade) >= LEAST for grade in (GOOD, OK, JUNK))
