"""Folds by query: no query's rows are ever on both sides of a split.

    fold k trains on parts k, k+1, k+2, validates on part k+3 and tests on part k+4, cyclic

for five folds, as LETOR does; in general the last two parts in the cycle validate and test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from saccade.errors import InvalidInput
from saccade.types import Rows


@dataclass(frozen=True, slots=True, eq=False)
class QueryFold:
    """Positions of the parts of one fold."""

    number: int
    train: Rows
    validate: Rows
    test: Rows


def cyclic(count: int, *, folds: int = 5, rng: np.random.Generator) -> Iterator[QueryFold]:
    """Deal `count` things at random into parts, then rotate: each is tested exactly once.

    >>> [len(fold.test) for fold in cyclic(11, rng=np.random.default_rng(0))]
    [2, 3, 2, 2, 2]
    """
    if folds < 3:
        raise InvalidInput(f"{folds} folds: at least 3 are needed to train, validate and test")
    if count < folds:
        raise InvalidInput(f"{count} queries cannot be dealt into {folds} folds")
    parts = [np.sort(part) for part in np.array_split(rng.permutation(count), folds)]
    for number in range(folds):
        turned = parts[number:] + parts[:number]
        yield QueryFold(number + 1, np.sort(np.concatenate(turned[:-2])), turned[-2], turned[-1])


def rows_of(groups: ArrayLike, queries: ArrayLike) -> Rows:
    """Positions of the rows whose query is among `queries`.

    >>> rows_of([7, 7, 8, 9], [7, 9])
    array([0, 1, 3])
    """
    return np.flatnonzero(np.isin(groups, queries))


@dataclass(frozen=True, slots=True, eq=False)
class LetorFold:
    """Files of one fold: several files of a part are read one after the other."""

    name: str
    train: tuple[Path, ...]
    validate: tuple[Path, ...]
    test: tuple[Path, ...]


def letor_folds(folder: str | Path) -> tuple[LetorFold, ...]:
    """Folds of a LETOR folder, in either of its layouts, files plain or gzipped.

    FOLDER/Fold1/{train,vali,test}.txt …     parts of each fold as files
    FOLDER/S1.txt … S5.txt                   fold k trains on three of them, cyclic

    >>> for part in ("train", "vali", "test"):
    ...     (folder / "Fold1").mkdir(exist_ok=True)
    ...     _ = (folder / "Fold1" / f"{part}.txt").write_text("1 qid:7 1:0.5")
    >>> [(fold.name, len(fold.train)) for fold in letor_folds(folder)]
    [('Fold1', 1)]
    """
    folder = Path(folder)
    named = sorted(path for path in folder.glob("Fold*") if path.is_dir())
    if named:
        return tuple(
            LetorFold(path.name, *((_text_file(path, part),) for part in ("train", "vali", "test")))
            for path in named
        )
    if not list(folder.glob("S1.txt*")):
        raise InvalidInput(
            f"{folder} has neither Fold1/train.txt nor S1.txt: it is no LETOR folder"
        )
    parts = [_text_file(folder, f"S{number}") for number in range(1, 6)]
    turned = [parts[k:] + parts[:k] for k in range(5)]
    return tuple(
        LetorFold(f"Fold{k + 1}", tuple(t[:3]), (t[3],), (t[4],)) for k, t in enumerate(turned)
    )


def _text_file(folder: Path, name: str) -> Path:
    for path in (folder / f"{name}.txt", folder / f"{name}.txt.gz"):
        if path.is_file():
            return path
    raise InvalidInput(f"{folder} has no {name}.txt or {name}.txt.gz")
