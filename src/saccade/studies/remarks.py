"""What is said about a set before anything is measured on it: who cannot ask, who stands around.

A study leaves out what it cannot use; each such thing is counted and named on its page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from saccade.studies.declaration import Data
from saccade.testbed.datasets import Dataset
from saccade.testbed.datasets.check import labelled, unanswered, unboxed
from saccade.types import ImageRecord

DISTRACTOR = -1  # class and row of pictures that are relevant to nothing
DRAWN = "distractors"  # how folders begin, beside the stores, into which distractors are drawn


def remarks_of(
    data: Data,
    dataset: Dataset,
    entries: Sequence[tuple[ImageRecord, int]],
    images: Mapping[int, int],
) -> list[str]:
    """Of the pictures that could be indexed, with their rows, and the image of every row there is.

    Classes that have one picture left, queries whose picture or answers are gone, boxes beside
    their picture, and how many distractors there are.
    """
    rows = sorted(row for _, row in entries if row != DISTRACTOR)
    sizes = {row: (entries[at][0].width, entries[at][0].height) for row, at in images.items()}
    return [
        *labelled(dataset.of(rows)),
        *unanswered(dataset, images.keys()),
        *unboxed(dataset, sizes),
        *_crowd(data, entries),
    ]


def _crowd(data: Data, entries: Sequence[tuple[ImageRecord, int]]) -> list[str]:
    if not data.distractors:
        return []
    kinds = kinds_of(data, [record.paths[0] for record, row in entries if row == DISTRACTOR])
    return ["distractors: " + ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())]


def kinds_of(data: Data, paths: Sequence[str]) -> dict[str, int]:
    """How many distractors come from each folder; those that were drawn are called so."""
    kinds: dict[str, int] = {}
    for folder in (*data.folders, data.folder):
        place = Path(folder)
        here = sum(Path(path).resolve().is_relative_to(place) for path in paths)
        ours = place.parent in Path(data.store).parents and place.name.startswith(DRAWN)
        name = "drawn pictures" if ours else f"pictures of {place.name}"
        if here:
            kinds[name] = kinds.get(name, 0) + here
    return kinds
