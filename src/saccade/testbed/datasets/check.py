"""What a folder holds and what is wrong with it: `saccade data check`.

Everything that a study would leave out or treat in its own way is named and counted here first:
classes of one picture, queries without relevant ones, the same bytes twice, files that are no
pictures, labels of files that are not there.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from saccade.errors import NotAnImage
from saccade.testbed.datasets.boxes import within
from saccade.testbed.datasets.record import Dataset, named

Size = tuple[int, int]  # width and height

LAYOUT_WORDS = {
    "table": "a table of files and labels (labels.csv)",
    "folders": "a folder a class",
    "oxford": "Oxford-style lists of good, ok and junk pictures",
    "holidays": "Holidays-style numbers: the first of each hundred asks",
    "letor": "LETOR files: features and grades, no pictures",
}


@dataclass(frozen=True, slots=True)
class Report:
    """What was recognised, in counts, and every problem in a sentence."""

    folder: str
    layout: str
    counts: dict[str, int]
    sides: dict[str, dict[str, int]]  # split and role, with how many pictures each
    attributes: tuple[str, ...]
    problems: tuple[str, ...]


def check(
    dataset: Dataset, *, read: bool = True, watch: Callable[[int, int], None] = lambda d, t: None
) -> Report:
    """Look through a set; with `read`, every picture is decoded too.

    >>> from saccade.testbed.datasets import load
    >>> check(load(pictures), read=False).problems
    ()
    """
    problems = [*dataset.problems, *labelled(dataset)]
    if dataset.layout == "letor":
        counts, flat = _letor(dataset)
        return Report(str(dataset.folder), dataset.layout, counts, {}, (), (*problems, *flat))
    groups: list[tuple[int, ...]] = []
    if read:
        broken, groups, sizes = _bytes(dataset, watch)
        if broken:
            problems.append(named("files are no pictures", broken))
        problems += unboxed(dataset, sizes)
        problems += _duplicates(dataset, groups)
    sides = {"split": dataset.split(), "role": dataset.roles()}
    return Report(
        folder=str(dataset.folder),
        layout=dataset.layout,
        counts={
            "pictures": len(dataset),
            "classes": len(dataset.classes),
            "queries": len(dataset.queries),
            "pairs": len(dataset.pairs),
            "duplicates": sum(len(group) - 1 for group in groups),
        },
        sides={k: {s: len(r) for s, r in v.items()} for k, v in sides.items() if v},
        attributes=dataset.attributes,
        problems=tuple(problems),
    )


def labelled(dataset: Dataset) -> list[str]:
    """What the labels alone tell: classes of one picture, queries without answers."""
    problems = []
    counts = Counter(label for label in dataset.labels if label)
    asking = dataset.asking().tolist()
    if asking:
        answers = {dataset.labels[row] for row in range(len(dataset)) if row not in set(asking)}
        lost = [dataset.files[row].name for row in asking if dataset.labels[row] not in answers]
        if lost:
            problems.append(named("queries have nothing relevant", lost))
    else:
        single = [label for label, count in counts.items() if count == 1]
        if single:
            problems.append(named("classes have one picture, so it finds nothing relevant", single))
    bare = [file.name for file, text in zip(dataset.files, dataset.labels, strict=True) if not text]
    if bare and counts:
        problems.append(named("pictures have no class", bare))
    return problems


def _letor(dataset: Dataset) -> tuple[dict[str, int], list[str]]:
    """Queries and features of LETOR files, and queries that order nothing."""
    from saccade.testbed.folds import letor_folds
    from saccade.testbed.letor import read as read_letor

    folds = letor_folds(dataset.folder)
    queries, features, flat = 0, 0, []
    for fold in folds:
        for path in fold.test:
            letor = read_letor(path)
            features = max(features, letor.phi.shape[1])
            for query in letor.queries:
                queries += 1
                if not letor.grades[letor.groups == query].any():
                    flat.append(f"{fold.name} query {query}")
    problems = [named("test queries have nothing relevant", flat)] if flat else []
    return {"folds": len(folds), "queries": queries, "features": features}, problems


def _bytes(
    dataset: Dataset, watch: Callable[[int, int], None]
) -> tuple[list[str], list[tuple[int, ...]], dict[int, Size]]:
    """Files that cannot be decoded, groups of rows with the same bytes, and the pictures' sizes."""
    from saccade.images.identity import image_id
    from saccade.scale.decoding import decode

    broken, by_id, sizes = [], defaultdict(list), {}
    for row, file in enumerate(dataset.files):
        try:
            data = file.read_bytes()
            by_id[image_id(data)].append(row)
            decoded = decode(data)
            sizes[row] = decoded.width, decoded.height
        except (OSError, NotAnImage) as error:
            broken.append(f"{file.name} ({_reason(error)})")
        watch(row + 1, len(dataset))
    return broken, [tuple(rows) for rows in by_id.values() if len(rows) > 1], sizes


def unanswered(dataset: Dataset, there: Collection[int]) -> list[str]:
    """Queries of lists that cannot be asked when only some rows are there."""
    lost = [
        query.name
        for query in dataset.queries
        if query.grades
        and (query.picture not in there or not any(row in there for row in query.grades))
    ]
    if not lost:
        return []
    return [named("queries are left out: their picture or all it should find is gone", lost)]


def unboxed(dataset: Dataset, sizes: Mapping[int, Size]) -> list[str]:
    """Queries whose box lies outside their picture, given the pictures' sizes."""
    lost = [
        query.name
        for query in dataset.queries
        if query.box and query.picture in sizes and not within(query.box, *sizes[query.picture])
    ]
    return [named("queries have a box outside their picture; all of it asks", lost)] if lost else []


def _reason(error: OSError | NotAnImage) -> str:
    if isinstance(error, NotAnImage):
        return error.message
    return (error.strerror or type(error).__name__).lower()


def _duplicates(dataset: Dataset, groups: list[tuple[int, ...]]) -> list[str]:
    """The same bytes twice; worse on two sides of a split, or in two classes."""
    problems = []
    if groups:
        shown = [" = ".join(dataset.files[row].name for row in group) for group in groups]
        problems.append(named("pictures are there twice, and count once", shown))
    side = {int(row): name for name, rows in dataset.split().items() for row in rows}
    across = [g for g in groups if len({side.get(row) for row in g}) > 1]
    if across:
        shown = [dataset.files[group[0]].name for group in across]
        problems.append(named("of them are on two sides of the split; training keeps them", shown))
    torn = [g for g in groups if len({dataset.labels[row] for row in g}) > 1]
    if torn:
        shown = [dataset.files[group[0]].name for group in torn]
        problems.append(named("of them have several classes; the first one counts", shown))
    return problems


def lines(report: Report) -> list[str]:
    """The report for people."""
    counts = ", ".join(f"{count} {what}" for what, count in report.counts.items() if count)
    lines = [f"{report.folder}: {LAYOUT_WORDS[report.layout]}", counts or "no pictures"]
    for kind, sides in report.sides.items():
        lines.append(f"{kind}: " + ", ".join(f"{side} {count}" for side, count in sides.items()))
    if report.attributes:
        lines.append("relative attributes: " + ", ".join(report.attributes))
    lines += [f"problem: {problem}" for problem in report.problems]
    return [*lines, *([] if report.problems else ["nothing wrong"])]
