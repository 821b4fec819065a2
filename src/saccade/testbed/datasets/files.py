"""Sets without a table: what the files' names and the lists beside them say.

FOLDER/<class>/…                     a folder a class
…/NAME_query.txt _good _ok _junk     Oxford-style lists: a query and three grades of pictures
…/100000.jpg 100001.jpg 100100.jpg   Holidays-style numbers: the first of each hundred asks
FOLDER/Fold1/train.txt … or S1.txt   LETOR files: features instead of pictures
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from saccade.errors import InvalidInput
from saccade.images.scan import scan
from saccade.testbed.datasets.record import GOOD, JUNK, OK, TABLE, Dataset, GradedQuery, named
from saccade.types import Skipped

DIGITS = 6  # of a Holidays-style number: group and place in it, 1003 and 02
_LISTS = {"good": GOOD, "ok": OK, "junk": JUNK}


def letor(folder: Path) -> Dataset | None:
    """A folder of LETOR files: no pictures, but queries, features and grades."""
    if (folder / "Fold1").is_dir() or list(folder.glob("S1.txt*")):
        return Dataset(folder, (), (), layout="letor")
    return None


def oxford(folder: Path) -> Dataset | None:
    """Pictures with lists of good, ok and junk ones for each query."""
    asked = sorted(folder.rglob("*_query.txt"))
    if not asked:
        return None
    files, problems = _pictures(folder)
    place = {file.stem: row for row, file in enumerate(files)}
    queries, unknown = [], []
    for file in asked:
        query, missing = _query(file, place)
        unknown += missing
        queries.append(query)
    if unknown:
        problems.append(named("pictures of lists are not there", unknown))
    readable = tuple(query for query in queries if query is not None)
    nothing = [query.name for query in readable if not query.grades]
    if nothing:
        problems.append(named("queries have nothing relevant", nothing))
    return Dataset(
        folder, tuple(files), ("",) * len(files), layout="oxford", queries=readable,
        problems=tuple(problems),
    )  # fmt: skip


def _query(file: Path, place: Mapping[str, int]) -> tuple[GradedQuery | None, list[str]]:
    """One query and its lists; and the names that no picture has."""
    name = file.name.removesuffix("_query.txt")
    words = file.read_text(encoding="utf-8").split()
    if not words or len(words) not in (1, 5):
        raise InvalidInput(f"{file}: expected a picture's name, and four numbers of a box or none")
    try:
        box = tuple(float(word) for word in words[1:])
    except ValueError:
        raise InvalidInput(f"{file}: the box {' '.join(words[1:])!r} is not four numbers") from None
    if box and not (box[0] < box[2] and box[1] < box[3]):
        raise InvalidInput(f"{file}: the box {' '.join(words[1:])!r} is not left top right bottom")
    picture = _row(words[0], place)
    missing = [] if picture is not None else [f"{words[0]} ({file.name})"]
    grades: dict[int, int] = {}
    for kind, grade in _LISTS.items():
        listed = file.with_name(f"{name}_{kind}.txt")
        for word in listed.read_text(encoding="utf-8").split() if listed.is_file() else ():
            row = _row(word, place)
            if row is None:
                missing.append(f"{word} ({listed.name})")
            elif row != picture:
                grades[row] = max(grade, grades.get(row, 0))
    if picture is None:
        return None, missing
    return GradedQuery(
        name, picture, grades, (box[0], box[1], box[2], box[3]) if box else None
    ), missing


def _row(name: str, place: Mapping[str, int]) -> int | None:
    """A listed picture; lists may put a prefix of their own before a file's name (oxc1_…)."""
    if name in place:
        return place[name]
    return place.get(name.partition("_")[2])


def holidays(folder: Path) -> Dataset | None:
    """Pictures numbered by group: `place` 00 of each is the query."""
    files, problems = _pictures(folder)
    stems = [file.stem for file in files]
    if not stems or not all(len(stem) == DIGITS and stem.isdecimal() for stem in stems):
        return None
    groups = tuple(stem[:-2] for stem in stems)
    roles = tuple("query" if stem.endswith("00") else "gallery" for stem in stems)
    asking = {group for group, role in zip(groups, roles, strict=True) if role == "query"}
    silent = sorted(set(groups) - asking)
    if not asking:
        return None
    if silent:
        problems.append(named("groups have no query (a number that ends in 00)", silent))
    return Dataset(
        folder, tuple(files), groups, {"role": roles}, layout="holidays", problems=tuple(problems)
    )


def folders(folder: Path) -> Dataset | None:
    """Each picture's class is the first folder on the way to it; loose ones have none."""
    files, problems = _pictures(folder)
    inside = [file for file in files if len(file.relative_to(folder).parts) > 1]
    loose = len(files) - len(inside)
    if not inside:
        return None
    if loose:
        problems.append(f"{loose} pictures lie in no class's folder: they are left out")
    labels = tuple(file.relative_to(folder).parts[0] for file in inside)
    return Dataset(folder, tuple(inside), labels, layout="folders", problems=tuple(problems))


def _pictures(folder: Path) -> tuple[list[Path], list[str]]:
    """Image files below a folder, and those that cannot be reached."""
    files, problems = [], []
    for entry in scan(folder):
        if isinstance(entry, Skipped):
            problems.append(f"left out: {entry.path}: {entry.reason}")
        else:
            files.append(entry.path)
    return files, problems


def nothing(folder: Path) -> InvalidInput:
    """What to say about a folder that is none of these."""
    return InvalidInput(
        f"{folder} has neither {TABLE} nor folders with pictures",
        hint="put each class into its own folder, or write a table with `file` and `class`",
    )
