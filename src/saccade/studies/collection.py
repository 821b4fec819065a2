"""A labelled folder as a study sees it: images in the order of the store, their classes, and φ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection, load
from saccade.engine.query import Query, stored
from saccade.engine.session import signed_phi
from saccade.errors import InvalidInput, UnknownName
from saccade.store.store import Store
from saccade.testbed import datasets
from saccade.types import ImageRecord, Phi

# Wan et al. use nine descriptors and name none; these are ours of the time, before learned ones.
CLASSICAL = (
    "color-histogram", "color-moments", "color-correlogram", "edge-directions", "wavelet-texture",
    "gabor-texture", "lbp", "gist", "words",
)  # fmt: skip
SETS = ("classical", "all")


@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """One entry an image: class number and path; `phi_of(i)` compares image i with every one."""

    labels: NDArray[np.int64]
    paths: tuple[str, ...]
    schemes: tuple[str, ...]
    phi_of: Callable[[int], Phi]


@contextmanager
def indexed(
    folder: Path, store: Path, *, descriptors: str, say: Callable[[str], None]
) -> Iterator[Images]:
    """Index the folder into the store (a second run finds it done) and open it for a study.

    `classical` computes the nine descriptors of the paper's kind, `all` the store's whole recipe.
    """
    from saccade.engine import open as opened
    from saccade.engine.recipe import Recipe

    if descriptors not in SETS:
        raise UnknownName("set of descriptors", descriptors, SETS)
    wanted = CLASSICAL if descriptors == "classical" else Recipe.default().descriptors
    dataset = datasets.load(folder)
    store.parent.mkdir(parents=True, exist_ok=True)
    say(f"indexing {len(dataset)} pictures of {folder} into {store}")
    with opened(store, warm=False) as engine:
        report = engine.add(folder, recipe=",".join(wanted))
        for skipped in (*report.skipped, *report.problems):
            say(f"left out: {skipped.path}: {skipped.reason}")
        found = _labelled(dataset, engine.images(0, len(engine) or 1), say)
        recipe = engine.recipe
    if not found:
        raise InvalidInput(f"no labelled picture of {folder} could be indexed")
    with closing(Store(store, create=False)) as kept:
        yield _images(folder, found, load(kept, recipe))


def _labelled(
    dataset: datasets.Dataset, records: Sequence[ImageRecord], say: Callable[[str], None]
) -> list[tuple[ImageRecord, int]]:
    """Images with the number of their class; those of no class are left out."""
    classes = {name: number for number, name in enumerate(dataset.classes)}
    truth = {_resolved(path): label for path, label in dataset.truth().items()}
    found = []
    for record in records:
        labels = [truth[path] for path in map(_resolved, record.paths) if path in truth]
        if len(set(labels)) > 1:
            say(f"{record.paths[0]}: the same picture has several classes; {labels[0]} is used")
        if labels:
            found.append((record, classes[labels[0]]))
    return found


def _images(folder: Path, found: list[tuple[ImageRecord, int]], collection: Collection) -> Images:
    rows = np.array([record.row for record, _ in found], np.int64)

    def phi_of(image: int) -> Phi:
        query = Query((stored(found[image][0].image_id, collection),))
        return np.ascontiguousarray(signed_phi(query, collection, collection.schemes, None)[rows])

    return Images(
        labels=np.array([number for _, number in found], np.int64),
        paths=tuple(_below(folder, record.paths[0]) for record, _ in found),
        schemes=tuple(map(str, collection.schemes)),
        phi_of=phi_of,
    )


def _resolved(path: str) -> str:
    return str(Path(path).resolve())


def _below(folder: Path, path: str) -> str:
    """A path as the set names it: results are read on other machines too."""
    here = folder.resolve()
    whole = Path(path).resolve()
    return whole.relative_to(here).as_posix() if whole.is_relative_to(here) else whole.name
