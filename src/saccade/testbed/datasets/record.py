"""A labelled set as it was read: pictures, labels, other columns, queries, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.testbed.datasets.boxes import Box
from saccade.types import Rows

TABLE = "labels.csv"
GOOD, OK, JUNK, ABSENT = 3, 2, 1, 0
GRADES = {"good": GOOD, "ok": OK, "intermediate": OK, "junk": JUNK, "absent": ABSENT, "bad": ABSENT}
ORDERED = "rank_"  # how columns begin that order classes or pictures by an attribute
ASKING = ("query", "probe")  # how roles begin whose pictures ask
SHOWN = 5  # examples that a problem names; it counts all


@dataclass(frozen=True, slots=True)
class GradedQuery:
    """One query with its own list: a picture, and the grade of each other (absent ones are 0)."""

    name: str
    picture: int
    grades: Mapping[int, int]
    box: Box | None = None  # the part that asks; None: all of it


@dataclass(frozen=True, slots=True)
class Pair:
    """`first` shows more of an attribute than `second`, or they are alike in it."""

    attribute: str
    first: int
    second: int
    alike: bool = False


@dataclass(frozen=True, slots=True)
class Dataset:
    """Pictures and their labels, one row a picture, in the order of the table or of the names.

    >>> from saccade.testbed.datasets import load
    >>> rows = ["file,label,split,role,rank_open,grade", "a.jpg,sea,train,query,2,1",
    ...         "b.jpg,town,test,gallery,1,0"]
    >>> _ = (folder / "labels.csv").write_text(chr(10).join(rows))
    >>> _ = [(folder / name).touch() for name in ("a.jpg", "b.jpg")]
    >>> dataset = load(folder)
    >>> dataset.classes, dataset.attributes, len(dataset.truth()), dataset.of([1]).labels
    (('sea', 'town'), ('open',), 2, ('town',))
    >>> dataset.column("split"), dataset.numbers("rank_open"), dataset.strengths("open")
    (('train', 'test'), array([2., 1.]), array([2., 1.]))
    >>> dataset.grades(), dataset.split()["test"], dataset.roles()["gallery"], dataset.asking()
    (array([1, 0]), array([1]), array([1]), array([0]))
    """

    folder: Path
    files: tuple[Path, ...]
    labels: tuple[str, ...]  # of each picture; empty text for none
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # every other column
    lines: tuple[int, ...] = ()  # of the table that each row stands on; none without a table
    layout: str = "folders"
    queries: tuple[GradedQuery, ...] = ()  # where the set has lists of its own
    pairs: tuple[Pair, ...] = ()  # relative attributes by pair
    problems: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.files)

    @property
    def classes(self) -> tuple[str, ...]:
        """The different labels, in the order of their first picture."""
        return tuple(dict.fromkeys(label for label in self.labels if label))

    @property
    def attributes(self) -> tuple[str, ...]:
        """Relative attributes: columns `rank_NAME`, and those that pairs speak of."""
        ordered = [name.removeprefix(ORDERED) for name in self.columns if name.startswith(ORDERED)]
        return tuple(dict.fromkeys([*ordered, *(pair.attribute for pair in self.pairs)]))

    def truth(self) -> dict[str, str]:
        """Label by path, as a simulated person takes it; pictures without a label have none."""
        paths = (str(file) for file in self.files)
        return {path: label for path, label in zip(paths, self.labels, strict=True) if label}

    def column(self, name: str) -> tuple[str, ...]:
        """One of the other columns, as text."""
        if name not in self.columns:
            raise InvalidInput(f"{self.folder} has no column {name!r}; {there_are(self.columns)}")
        return self.columns[name]

    def numbers(self, name: str) -> NDArray[np.float64]:
        """One of the other columns, as numbers, [n]."""
        values = np.empty(len(self))
        for row, text in enumerate(self.column(name)):
            try:
                values[row] = float(text)
            except ValueError:
                place = f"{self.folder / TABLE}, line {self.lines[row]}"
                raise InvalidInput(f"{place}: {text!r} in column {name!r} is no number") from None
        return values

    def strengths(self, attribute: str) -> NDArray[np.float64]:
        """The place of each picture in an attribute's order, [n]; equal means alike."""
        return self.numbers(ORDERED + attribute)

    def grades(self) -> NDArray[np.int64]:
        """The column `grade`: whole numbers from 0, or good, ok, intermediate, junk, absent."""
        values = np.empty(len(self), np.int64)
        for row, text in enumerate(self.column("grade")):
            word = text.strip().lower()
            if word not in GRADES and not word.isdecimal():
                place = f"{self.folder / TABLE}, line {self.lines[row]}"
                raise InvalidInput(
                    f"{place}: grade {text!r}: give a whole number from 0, or {', '.join(GRADES)}"
                )
            values[row] = GRADES[word] if word in GRADES else int(word)
        return values

    def split(self) -> dict[str, Rows]:
        """Rows by side: the column `split`, or the flag `train` (1 or 0) as train and test."""
        if "split" in self.columns:
            return by_value(self.columns["split"])
        if "train" in self.columns:
            flags = ["train" if text.strip() in ("1", "true", "yes") else "test"
                     for text in self.columns["train"]]  # fmt: skip
            return by_value(flags)
        return {}

    def of(self, rows: Sequence[int]) -> Dataset:
        """The same labels of some of its pictures; lists and pairs speak of all and stay away."""
        return replace(
            self,
            files=tuple(self.files[row] for row in rows),
            labels=tuple(self.labels[row] for row in rows),
            columns={n: tuple(column[row] for row in rows) for n, column in self.columns.items()},
            lines=tuple(self.lines[row] for row in rows) if self.lines else (),
            queries=(),
            pairs=(),
        )

    def asking(self) -> Rows:
        """Rows that the set itself makes queries or probes; none where it has no roles."""
        sides = [rows for role, rows in self.roles().items() if role.startswith(ASKING)]
        return np.sort(np.concatenate(sides)) if sides else np.zeros(0, np.int64)

    def roles(self) -> dict[str, Rows]:
        """Rows by the column `role`: query and gallery, or model and probe."""
        return by_value(self.columns["role"]) if "role" in self.columns else {}


def by_value(values: Sequence[str]) -> dict[str, Rows]:
    """Rows of each different text, in the order of their first one.

    >>> {side: rows.tolist() for side, rows in by_value(["train", "test", "train"]).items()}
    {'train': [0, 2], 'test': [1]}
    """
    texts = np.array([value.strip().lower() for value in values])
    return {side: np.flatnonzero(texts == side) for side in dict.fromkeys(texts.tolist())}


def named(what: str, names: Sequence[str]) -> str:
    """A problem that counts all and names a few."""
    shown = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
    return f"{len(names)} {what}: {shown}"


def there_are(names: Sequence[str] | Mapping[str, object]) -> str:
    """The names to choose from, for an error message."""
    return f"there are: {', '.join(names)}" if names else "there are none"
