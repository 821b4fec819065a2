"""A world on disk: one folder a class, and `labels.csv` with the truth.

    FOLDER/world.json                    seed, size, how many pictures are complete
    FOLDER/labels.csv                    file, class, one column an attribute
    FOLDER/<class>/<class>-0000.jpg

Pictures are written to a temporary name and renamed, so a file that is there is whole: an
interrupted run is completed by the next one, and a finished world is not drawn again.
"""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from saccade.errors import InvalidInput
from saccade.testbed.worlds.traits import ATTRIBUTES
from saccade.testbed.worlds.world import CLASSES, World

VERSION = 1  # of the drawing: raised whenever the same seed gives other pixels

Progress = Callable[[int, int], None]  # pictures done, pictures in all


@dataclass(frozen=True, slots=True)
class WrittenPicture:
    """One written picture and what is true of it; `file` is relative to the world's folder."""

    file: str
    class_name: str
    attributes: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a world's folder holds; `drawn` counts the pictures that were not there before."""

    folder: Path
    seed: int
    size: tuple[int, int]
    pictures: tuple[WrittenPicture, ...]
    drawn: int


def write(
    folder: str | Path,
    *,
    images: int = 240,
    seed: int = 0,
    size: tuple[int, int] = (384, 288),
    masks: str | Path | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Draw a world into a folder; what is there already stays.

    Pictures go round the classes, so that the first n of a larger world are the world of n. With
    `masks`, the main objects' masks are written as PNG under that folder, by the same names.

    >>> manifest = write(folder / "world", images=2, size=(96, 72))
    >>> manifest.drawn, manifest.pictures[0].class_name
    (2, 'seaside')
    """
    if images < 1:
        raise InvalidInput(f"images={images}: a world has at least one picture")
    folder, world = Path(folder).expanduser(), World(seed, size)
    complete = _begin(folder, world)
    count = max(images, complete)
    pictures = tuple(_label(world, number) for number in range(count))
    drawn = 0
    for number, picture in enumerate(pictures[:images]):
        drawn += _write_one(folder, world, number, picture, Path(masks) if masks else None)
        if progress is not None:
            progress(number + 1, images)
    _save(folder / "labels.csv", _table(pictures))
    _mark(folder, world, count)
    return Manifest(folder, world.seed, world.size, pictures, drawn)


def _label(world: World, number: int) -> WrittenPicture:
    """Picture `number` of the whole world: the classes take turns."""
    index, place = divmod(number, len(CLASSES))
    name = CLASSES[place]
    return WrittenPicture(f"{name}/{name}-{index:04d}.jpg", name, world.strengths(name, index))


def _write_one(
    folder: Path, world: World, number: int, picture: WrittenPicture, masks: Path | None
) -> bool:
    """Draw one picture unless it and its mask are there; True when it was drawn."""
    file = folder / picture.file
    mask = masks / Path(picture.file).with_suffix(".png") if masks else None
    if _there(file) and (mask is None or _there(mask)):
        return False
    drawn = world.draw(picture.class_name, number // len(CLASSES))
    if mask is not None:
        _save(mask, _encoded(drawn.mask.astype(np.uint8) * np.uint8(255), "PNG", compress_level=6))
    # Fixed options: the bytes, and so the image ids, must not follow Pillow's defaults.
    _save(file, _encoded(drawn.pixels, "JPEG", quality=90, subsampling=0, optimize=False))
    return True


def _encoded(pixels: np.typing.NDArray[np.uint8], kind: str, **options: int | bool) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind, **options)
    return buffer.getvalue()


def _there(file: Path) -> bool:
    """Whether a whole file is there; a crash of the machine can leave an empty one."""
    return file.is_file() and file.stat().st_size > 0


def _begin(folder: Path, world: World) -> int:
    """Claim the folder for this world; how many of its pictures are known to be complete."""
    mine = {"version": VERSION, "seed": world.seed, "size": list(world.size)}
    marker = folder / "world.json"
    if folder.is_file():
        raise InvalidInput(f"{folder} is a file; a world is written into a folder")
    if marker.is_file():
        try:
            manifest = json.loads(marker.read_text(encoding="utf-8"))
            complete = int(manifest.pop("images"))
        except (ValueError, KeyError, AttributeError, TypeError) as error:
            raise InvalidInput(
                f"{marker} cannot be read; delete it, or give another folder"
            ) from error
        if manifest != mine:
            raise InvalidInput(
                f"{folder} holds another world ({manifest}), not {mine}",
                hint="give another folder, or delete this one",
            )
        return complete
    if folder.is_dir() and any(folder.iterdir()):
        raise InvalidInput(f"{folder} is not empty and holds no world; give a new or empty folder")
    _mark(folder, world, 0)
    return 0


def _mark(folder: Path, world: World, images: int) -> None:
    record = {"version": VERSION, "seed": world.seed, "size": world.size, "images": images}
    _save(folder / "world.json", (json.dumps(record) + "\n").encode())


def _table(pictures: tuple[WrittenPicture, ...]) -> bytes:
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["file", "class", *ATTRIBUTES])
    for picture in pictures:
        strengths = (picture.attributes[name] for name in ATTRIBUTES)
        rows.writerow([picture.file, picture.class_name, *strengths])
    return text.getvalue().encode()


def _save(file: Path, content: bytes) -> None:
    """Write whole or not at all; nothing is touched when the same bytes are there."""
    if file.is_file() and file.read_bytes() == content:
        return
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(f".{file.name}.{os.getpid()}.part")
        try:
            part.write_bytes(content)
            part.replace(file)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"cannot write {file}: {error.strerror or error}; give a folder that can be written to"
        ) from error
