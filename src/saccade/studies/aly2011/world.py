"""A set to recognise: posters seen straight on, the same posters on a table, and other posters.

    FOLDER/model/0000.jpg  probe/0000-1.jpg  distractor/000000.jpg  labels.csv (file, role, object)

Pictures are small, so that the configurations differ: on large ones nearly all find nearly all.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from saccade.errors import SaccadeError
from saccade.scale.local import Crashed, cores, map_tasks

SIZE = (240, 180)
SEED = 7
_CHUNK = 50  # pictures drawn by one task


@dataclass(frozen=True, slots=True)
class Amounts:
    """How many posters, views of each beside the model, and distractors."""

    objects: int
    probes: int
    distractors: int


@dataclass(frozen=True, slots=True)
class _Share:
    """Some posters of one role to draw."""

    folder: str
    role: str
    first: int
    count: int
    views: int


def write(folder: Path, amounts: Amounts) -> None:
    """Draw the set into a folder; what is there already stays."""
    shares = [
        *_shares(folder, "object", amounts.objects, amounts.probes + 1),
        *_shares(folder, "distractor", amounts.distractors, 1),
    ]
    missing = [share for share in shares if not all(_there(file) for *_, file in _files(share))]
    for share, answer in map_tasks(f"{__name__}:draw", missing, workers=cores()):
        if isinstance(answer, Crashed):
            raise SaccadeError(f"the worker that drew {share.role}s died with code {answer.code}")
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["file", "role", "object"])
    for number in range(amounts.objects):
        for view in range(amounts.probes + 1):
            role, name = _place("object", number, view)
            table.writerow([f"{role}/{name}", role, number])
    for number in range(amounts.distractors):
        role, name = _place("distractor", number, 0)
        table.writerow([f"{role}/{name}", role, f"d{number}"])
    (folder / "labels.csv").write_text(text.getvalue(), encoding="utf-8")


def _shares(folder: Path, role: str, count: int, views: int) -> Iterator[_Share]:
    step = max(1, _CHUNK // views)
    for first in range(0, count, step):
        yield _Share(str(folder), role, first, min(step, count - first), views)


def _place(role: str, number: int, view: int) -> tuple[str, str]:
    if role == "distractor":
        return role, f"{number:06d}.jpg"
    return ("model", f"{number:04d}.jpg") if view == 0 else ("probe", f"{number:04d}-{view}.jpg")


def _files(share: _Share) -> Iterator[tuple[int, int, Path]]:
    """Number, view and file of each picture of a share."""
    for number in range(share.first, share.first + share.count):
        for view in range(share.views):
            yield number, view, Path(share.folder, *_place(share.role, number, view))


def _there(file: Path) -> bool:
    return file.is_file() and file.stat().st_size > 0


def draw(share: _Share) -> int:
    """Draw some posters, in whatever process this is; how many pictures were not there."""
    from saccade.testbed.worlds import view_of

    drawn = 0
    for number, view, file in _files(share):
        if not _there(file):
            # Distractors are other prints (another seed), as askew as the probes are.
            other = share.role == "distractor"
            seen = view_of(number, 1 if other else view, SEED + 1000 * other, size=SIZE)
            _save(file, seen.pixels)
            drawn += 1
    return drawn


def _save(file: Path, pixels: np.typing.NDArray[np.uint8]) -> None:
    from PIL import Image

    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}")
    Image.fromarray(pixels).save(draft, "JPEG", quality=90)
    draft.replace(file)
