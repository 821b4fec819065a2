"""A labelled folder as a study sees it: images in the order of the store, their classes, and φ.

`prepare` indexes a set once, into an ordinary store; `opened` is what a part works on. Nothing else
in the studies touches the engine for φ: raw similarities as the papers have them, or measured
against anchors as the product does.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, UnknownName
from saccade.studies.declaration import Data, Options, Say
from saccade.studies.remarks import DISTRACTOR, remarks_of
from saccade.testbed import datasets
from saccade.testbed.datasets.boxes import Box, cut
from saccade.types import ImageRecord, Phi, Pixels, Rows, Scheme, Vectors, WordBags

if TYPE_CHECKING:
    from saccade.engine import Engine

# Wan et al. use nine descriptors and name none; these are ours of the time, before learned ones.
CLASSICAL = (
    "color-histogram", "color-moments", "color-correlogram", "edge-directions", "wavelet-texture",
    "gabor-texture", "lbp", "gist", "words",
)  # fmt: skip
SETS = ("classical", "gist", "all")
SIMILARITIES = ("l1", "l2", "cosine", "chi2")  # the paper's four; it names none of them either
FORMS = ("raw", "anchored")


class Compared(Protocol):
    """What every image is to one of them, or to the part of it in a box, [n, m]."""

    def __call__(self, image: int, box: Box | None = None) -> Phi:
        """Of image number `image`."""


@dataclass(frozen=True, slots=True, eq=False)
class Images:
    """One entry per image: class number, path, and its row in the set (-1 for a distractor).

    `phi_of(i)` compares image i with every one; `vectors_of(name)` gives a descriptor's vectors.
    The same bytes are one image: it keeps the row on the training side where the set is split, so
    that no fold or split has it on both sides.
    """

    dataset: datasets.Dataset
    rows: Rows
    labels: NDArray[np.int64]
    paths: tuple[str, ...]
    files: tuple[str, ...]  # the same, whole
    images: Mapping[int, int]  # of every row of the set, doubles included
    ids: tuple[str, ...]
    schemes: tuple[str, ...]
    phi_of: Compared
    features_of: Compared  # the 224 ranking features of li2012, [n, 224]
    vectors_of: Callable[[str], Vectors]
    bags_of: Callable[[], WordBags]  # words of every image


def descriptors_of(options: Options) -> tuple[str, ...]:
    """The descriptors that the options name."""
    from saccade.engine import Recipe

    if options.descriptors not in SETS:
        raise UnknownName("set of descriptors", options.descriptors, SETS)
    if options.descriptors == "gist":
        return ("gist",)
    return CLASSICAL if options.descriptors == "classical" else Recipe.default().descriptors


def schemes_of(names: Sequence[str], options: Options) -> list[str]:
    """The columns of φ: nine descriptors × four similarities, or all that a store has."""
    wanted = descriptors_of(options)
    schemes = [Scheme.parse(text) for text in names]
    if options.descriptors != "all":
        schemes = [scheme for scheme in schemes if scheme.similarity in SIMILARITIES]
    return [str(scheme) for scheme in schemes if scheme.descriptor in wanted]


def prepare(
    data: Data,
    options: Options,
    say: Say,
    *,
    also: Sequence[str] = (),
    features: bool = False,
    wanted: tuple[str, ...] | None = None,
) -> list[str]:
    """Index the pictures of a set and its distractors (a second run finds them done).

    `wanted` descriptors are those of the options unless a study has its own; `also` names others
    beside them; with `features`, what the 224 ranking features need of every picture is computed
    too. A store that knows more descriptors keeps them. What was left out comes back, in sentences.
    """
    from saccade.engine import open as opened_engine

    if options.phi not in FORMS:
        raise UnknownName("form of φ", options.phi, FORMS)
    wanted = tuple(dict.fromkeys([*(wanted or descriptors_of(options)), *also]))
    dataset = datasets.load(data.folder)
    store = Path(data.store)
    store.parent.mkdir(parents=True, exist_ok=True)
    if data.base and Path(data.base).exists() and not store.exists():
        _copy(Path(data.base), store)
    existed = store.exists()
    say(f"indexing {len(dataset)} pictures of {data.folder} into {store}")
    problems = list(dataset.problems)
    with opened_engine(store, warm=False) as engine:
        missing = [name for name in wanted if name not in engine.recipe.descriptors]
        # A new store starts with the default recipe: it is told exactly what to compute.
        recipe = (
            ",".join(wanted) if not existed else ",".join(f"+{name}" for name in missing) or None
        )
        for folder in (data.folder, *data.folders):
            report = engine.add(folder, recipe=recipe)
            recipe = None
            problems += [f"left out: {s.path}: {s.reason}" for s in report.skipped]
            problems += [f"{p.path}: {p.reason}" for p in report.problems]
        entries, odd = _placed(dataset, engine.images())
        if features and entries:
            say(f"looking where the eye goes first in {len(entries)} pictures")
            engine.library.features(entries[0][0].image_id)
    if all(row == DISTRACTOR for _, row in entries):
        raise InvalidInput(f"no labelled picture of {data.folder} could be indexed")
    return [*problems, *odd, *remarks_of(data, dataset, entries, _doubles(dataset, entries))]


def _copy(base: Path, store: Path) -> None:
    """Begin with the store of the set alone: its pictures need not be described again."""
    partial = store.with_name(f".{store.name}.part")
    shutil.rmtree(partial, ignore_errors=True)
    shutil.copytree(base, partial)
    partial.rename(store)


def _placed(
    dataset: datasets.Dataset, records: Sequence[ImageRecord]
) -> tuple[list[tuple[ImageRecord, int]], list[str]]:
    """Images with their row in the set, and what was odd about them.

    Pictures that the set does not name are relevant to nothing: distractors.
    """
    place = {str(file.resolve()): row for row, file in enumerate(dataset.files)}
    side = {int(row): name for name, rows in dataset.split().items() for row in rows}
    entries, odd = [], []
    for record in records:
        rows = [place[path] for path in map(_resolved, record.paths) if path in place]
        rows.sort(key=lambda row: (side.get(row) != "train", row))
        entries.append((record, rows[0] if rows else DISTRACTOR))
        if len(rows) > 1:
            name = dataset.files[rows[0]].name
            odd.append(f"{name}: the same bytes {len(rows)} times; they are one image")
            if len({dataset.labels[row] for row in rows}) > 1:
                odd.append(f"{name} has several classes; {dataset.labels[rows[0]]!r} is used")
            if len({side.get(row) for row in rows}) > 1:
                odd.append(f"{name} is on several sides of the split; {side[rows[0]]!r} keeps it")
    return entries, odd


def _doubles(
    dataset: datasets.Dataset, entries: Sequence[tuple[ImageRecord, int]]
) -> dict[int, int]:
    """Which image every row of the set is, those with the same bytes included."""
    place = {str(file.resolve()): row for row, file in enumerate(dataset.files)}
    return {
        place[path]: image
        for image, (record, _) in enumerate(entries)
        for path in map(_resolved, record.paths)
        if path in place
    }


@contextmanager
def opened(data: Data, options: Options) -> Iterator[Images]:
    """A prepared set for one part of a study."""
    yield _images(data, options)


_TURN = 600.0
"""Seconds that a worker waits for its turn to copy a store."""


@contextmanager
def copied(store: str) -> Iterator[Engine]:
    """An engine on a copy of a store, to be taught; the store may be in use meanwhile."""
    from saccade.engine import open as opened_engine

    with tempfile.TemporaryDirectory(prefix="saccade-study-") as folder:
        # Not file by file: others close the store, and its journal vanishes under the copying.
        with opened_engine(store, create=False, warm=False) as source:
            copy = source.library.backup(Path(folder) / "copy.saccade", wait=_TURN)
        with opened_engine(copy, create=False, warm=False) as engine:
            yield engine


@lru_cache(maxsize=2)
def _images(data: Data, options: Options) -> Images:
    """Opened once a process: the parts of a set come one after the other."""
    from saccade.engine import open as opened_engine

    dataset = datasets.load(data.folder)
    # Open as long as the process works on this set; studies only read it.
    engine = opened_engine(data.store, create=False, warm=False)
    entries, _ = _placed(dataset, engine.images())
    schemes = schemes_of([info.scheme for info in engine.library.schemes()], options)
    stored = np.array([record.row for record, _ in entries], np.int64)
    classes = {name: number for number, name in enumerate(dataset.classes)}
    names = [dataset.labels[row] if row != DISTRACTOR else "" for _, row in entries]
    raw = options.phi == "raw"

    def asking(image: int, box: Box | None) -> str | Pixels:
        record = entries[image][0]
        part = cut(Path(record.paths[0]), box) if box else None
        return record.image_id if part is None else part

    def phi_of(image: int, box: Box | None = None) -> Phi:
        return engine.library.phi(asking(image, box), stored, schemes=schemes, raw=raw)

    def features_of(image: int, box: Box | None = None) -> Phi:
        table = engine.library.features(asking(image, box))
        place = {name: row for row, name in enumerate(table.images)}
        return table.phi[[place[record.image_id] for record, _ in entries]]

    def bags_of() -> WordBags:
        every = engine.library.bags()
        return WordBags(tuple(every.bags[row] for row in stored.tolist()), every.idf)

    return Images(
        dataset=dataset,
        rows=np.array([row for _, row in entries], np.int64),
        labels=np.array([classes.get(name, DISTRACTOR) for name in names], np.int64),
        ids=tuple(record.image_id for record, _ in entries),
        paths=tuple(_below(Path(data.folder), record.paths[0]) for record, _ in entries),
        files=tuple(record.paths[0] for record, _ in entries),
        images=_doubles(dataset, entries),
        schemes=tuple(schemes),
        phi_of=phi_of,
        features_of=features_of,
        vectors_of=lambda name: engine.library.vectors(name, stored),
        bags_of=bags_of,
    )


def _resolved(path: str) -> str:
    return str(Path(path).resolve())


def _below(folder: Path, path: str) -> str:
    """A path as the set names it: results are read on other machines too."""
    here = folder.resolve()
    whole = Path(path).resolve()
    return whole.relative_to(here).as_posix() if whole.is_relative_to(here) else whole.name
