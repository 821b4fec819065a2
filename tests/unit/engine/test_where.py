"""A search narrowed by where pictures lie and what their files are called."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from saccade.engine import Engine, Folder, Name
from saccade.engine.loop.facts import Facts
from saccade.engine.loop.where import fits_of
from saccade.errors import UnknownName


def folders(engine: Engine) -> dict[str, set[str]]:
    """The images of each folder."""
    found: dict[str, set[str]] = {}
    for record in engine.images():
        for path in record.paths:
            found.setdefault(Path(path).parent.name, set()).add(record.image_id)
    return found


def ids(page: object) -> list[str]:
    return [hit.image_id for hit in page]  # type: ignore[attr-defined]


def test_only_pictures_of_a_folder_are_found(engine: Engine, first: str) -> None:
    """In the order of the query, through marks, a longer page and a restart."""
    name, inside = next((n, i) for n, i in folders(engine).items() if first not in i)
    page = engine.search(first, k=36, where={"folder": name}, user="ana")
    assert set(ids(page)) == inside
    assert page.where == ({"folder": name},)
    after = engine.react(page, liked=[page.hits[1]])
    assert set(ids(after)) == inside
    engine.close()
    with Engine(engine.path, warm=False) as again:
        assert set(ids(again.show(after.page_id, k=36))) == inside
        whole = again.show(after.page_id, k=36, where={})
        assert len(whole) == 35
        assert whole.where == ()


def test_what_fits_may_be_preferred(engine: Engine, first: str) -> None:
    """It comes first in its order, and the rest behind it in theirs."""
    name, inside = next((n, i) for n, i in folders(engine).items() if first not in i)
    plain = ids(engine.search(first, k=36))
    page = engine.search(first, k=36, where=Folder(name, prefer=True))
    kept = [image for image in plain if image in inside]
    assert ids(page) == kept + [image for image in plain if image not in inside]


def test_a_file_is_known_by_its_name(engine: Engine, first: str) -> None:
    """By a piece of it, or by a pattern; capital letters make no difference."""
    stems = {r.image_id: {Path(p).name for p in r.paths} for r in engine.images()}
    wanted = next(name for image, names in stems.items() if image != first for name in names)
    same = {image for image, names in stems.items() if wanted in names} - {first}
    assert set(ids(engine.search(first, k=36, where={"name": wanted.upper()}))) == same
    pattern = engine.search(first, k=36, where=[Name("*.jpg"), Name(wanted[:-4])])
    assert set(ids(pattern)) >= same
    assert len(engine.search(first, where={"name": "no such name"})) == 0


def test_a_folder_without_pictures_is_a_mistyped_one(engine: Engine, first: str) -> None:
    """The nearest name is offered."""
    name = next(iter(folders(engine)))
    with pytest.raises(UnknownName, match=f"did you mean '{name}'"):
        engine.search(first, where={"folder": name + "x"})


def test_pictures_that_come_later_count_from_then_on(
    open_copy: Callable[[], Engine], pictures: Path, first: str
) -> None:
    """What was found out of a collection is not said of the next one."""
    engine = open_copy()
    name = next(iter(folders(engine)))
    before = len(engine.search(first, k=40, where={"folder": name}))
    folder = pictures / name
    for number, other in enumerate(
        sorted(p for p in pictures.rglob("*.jpg") if p.parent != folder)[:2]
    ):
        shutil.copy(other, folder / f"new-{number}.jpg")
    engine.add(pictures)
    assert len(engine.search(first, k=40, where={"folder": name})) == before + 2


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("coast", [True, True, False, False]),
        ("Coast", [True, True, False, False]),
        ("trips/coast", [True, True, False, False]),
        ("2019", [False, True, False, False]),
        ("coast/2019", [False, True, False, False]),
        ("/home/ana/trips", [True, True, False, False]),
        ("ana", [True, True, True, True]),
        ("home", [False, False, False, False]),
        ("oast", [False, False, False, False]),
        ("1.jpg", [False, False, False, False]),
    ],
)
def test_a_folder_is_meant_by_its_name_or_by_its_path(name: str, inside: list[bool]) -> None:
    """Whole names only; what lies above all pictures is no folder of theirs."""
    paths = [
        "/home/ana/trips/coast/1.jpg",
        "/home/ana/trips/coast/2019/2.jpg",
        "/home/ana/woods/3.jpg",
        "/home/ana/4.jpg",
    ]
    facts = Facts(
        rows=4,
        names=(),
        folders=tuple(str(Path(path).parent) for path in paths),
        folder_of=np.arange(4, dtype=np.int32),
        row_of=np.arange(4),
        times=np.zeros(4, np.int64),
        cameras=(),
        camera_of=np.full(4, -1, np.int32),
        shape_of=np.zeros(4, np.int8),
    )
    assert fits_of(Folder(name), facts).tolist() == inside
