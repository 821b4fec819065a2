"""What narrows a search by what the catalog knows: folder, name, time, camera, shape.

A picture may have several paths; one that fits is enough. Capital letters make no difference. Which
rows fit depends on the collection alone, so it is found out before anything is ranked, and kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import translate
from pathlib import PurePath
from re import compile as compiled

import numpy as np
from numpy.typing import NDArray

from saccade.engine.cache import Cache
from saccade.engine.collection import Collection
from saccade.engine.loop.facts import Facts, Fits
from saccade.engine.opened import OpenStore
from saccade.engine.request import (
    SHAPES,
    After,
    Before,
    Camera,
    Clause,
    Folder,
    HasField,
    Name,
    Shape,
)
from saccade.errors import InvalidInput, UnknownName
from saccade.types import Array, Arrays

WORDS = frozenset(kind.word for kind in (Folder, Name, After, Before, Camera, Shape, HasField))
MOST = 32
"""Clauses whose rows are kept in memory."""


class Narrowing:
    """The rows of an open store that a clause about what the catalog knows lets in."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened
        self._fits: Cache[tuple[int, Clause], Fits] = opened.keep(Cache(MOST))
        self._facts: Cache[int, Facts] = opened.keep(Cache(1))

    def facts(self, collection: Collection) -> Facts:
        """What the catalog knows of every row."""
        return self._facts.made(
            collection.generation, lambda: Facts.of(self._opened.store.catalog, collection)
        )

    def check(self, where: Iterable[Clause]) -> None:
        """A folder that no picture lies in is a mistyped one, and so is a camera without any."""
        collection = self._opened.collection()
        for clause in where:
            if isinstance(clause, HasField):
                _check_field(clause, self.facts(collection).fields)
            if isinstance(clause, Folder | Camera) and not self.fits(clause, collection).any():
                facts = self.facts(collection)
                if isinstance(clause, Camera):
                    raise UnknownName("camera", clause.text, facts.cameras)
                names = {PurePath(folder).name for folder in facts.folders} - {""}
                raise UnknownName("folder with pictures", clause.text, names)

    def within(self, where: Sequence[Clause], collection: Collection) -> Fits | None:
        """The rows that fit every clause of this kind which is not only preferred."""
        mine = [one for one in where if one.word in WORDS and not one.prefer]
        if not mine:
            return None
        within: Fits = np.logical_and.reduce([self.fits(one, collection) for one in mine])
        return within

    def fits(self, clause: Clause, collection: Collection) -> Fits:
        """The rows that fit one clause."""
        return self._fits.made(
            (collection.generation, clause), lambda: fits_of(clause, self.facts(collection))
        )


def fits_of(clause: Clause, facts: Facts) -> Fits:
    """The rows that fit one clause."""
    match clause:
        case Folder(name):
            return facts.anywhere(in_folder(name, facts)[facts.folder_of])
        case Name(text):
            return facts.anywhere(_named(text, facts.names))
        case After():
            return facts.since(clause.day)
        case Before():
            return facts.until(clause.day)
        case Camera(text):
            return _taken_with(text, facts)
        case HasField():
            return _field(clause, facts.fields.get(clause.name), facts.rows)
        case Shape(text):
            return np.asarray(facts.shape_of == SHAPES.index(text))
    raise AssertionError(f"{clause.word} is a capability's")


def in_folder(name: str, facts: Facts) -> NDArray[np.bool_]:
    """Which folders have this name, or lie at the end or the whole of its path, or below it."""
    wanted = tuple(part.casefold() for part in PurePath(name).parts)
    if PurePath(name).is_absolute():
        parts = [tuple(p.casefold() for p in PurePath(one).parts) for one in facts.folders]
        return np.array([one[: len(wanted)] == wanted for one in parts], np.bool_)
    return np.array(
        [
            any(
                below[at : at + len(wanted)] == wanted for at in range(len(below) - len(wanted) + 1)
            )
            for below in facts.below
        ],
        np.bool_,
    )


def _named(text: str, names: Sequence[str]) -> NDArray[np.bool_]:
    """Which names of files hold a text, or match a pattern.

    >>> _named("*.PNG", ["boat.png", "boat.jpg"]).tolist(), _named("oat", ["boat.jpg"]).tolist()
    ([True, False], [True])
    """
    plain = text.casefold()
    if not any(sign in plain for sign in "*?["):
        return np.fromiter((plain in name for name in names), np.bool_, len(names))
    fits = compiled(translate(plain)).match
    return np.fromiter((fits(name) is not None for name in names), np.bool_, len(names))


def _taken_with(text: str, facts: Facts) -> Fits:
    """The rows of the camera of this name; where there is none, of those whose name holds it."""
    plain = [camera.casefold() for camera in facts.cameras]
    wanted = text.casefold()
    same = np.array([camera == wanted for camera in plain], np.bool_)
    if not same.any():
        same = np.array([wanted in camera for camera in plain], np.bool_)
    # The last one is for rows that no camera is known of.
    return np.append(same, False)[facts.camera_of]


def _check_field(clause: HasField, fields: Arrays) -> None:
    """A field that some picture has, and a value of its kind."""
    if clause.name not in fields:
        raise UnknownName("field", clause.name, fields)
    text = fields[clause.name].dtype == object
    if text != isinstance(clause.value, str):
        kind = "texts" if text else "numbers"
        raise InvalidInput(f"field {clause.name!r} holds {kind}, not {clause.value!r}")


def _field(clause: HasField, values: Array | None, rows: int) -> Fits:
    if values is None:
        return np.zeros(rows, np.bool_)
    if values.dtype == object:
        wanted = str(clause.value).casefold()
        plain = ("" if one is None else one.casefold() for one in values)
        holds = clause.test == "holds"
        fits = (wanted in one if holds else one == wanted for one in plain)
        return np.fromiter(fits, np.bool_, rows)
    with np.errstate(invalid="ignore"):
        match clause.test:
            case "below":
                return np.asarray(values < clause.value)
            case "above":
                return np.asarray(values > clause.value)
    return np.asarray(values == float(clause.value))
