"""A part of the collection's images is what the whole list has there, read at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import sqlalchemy as sql
from hypothesis import given, settings
from hypothesis import strategies as st

import saccade
from saccade.engine import Engine
from saccade.service.server import prepare
from saccade.store.catalog import NewImage, NewPath
from saccade.store.store import Store
from saccade.types import ImageRecord
from servers import PATIENCE, running

IMAGES = 40
COPIED, GONE = 3, 7  # every so many lies at two places, or has left


def image_id(row: int) -> str:
    return f"{row:032x}"


def expected() -> list[ImageRecord]:
    """The images as they were put in, without those that left."""
    return [
        ImageRecord(
            image_id(row),
            row,
            100 + row,
            50,
            tuple(f"/{where}/{row}.jpg" for where in ("a", "b")[: 1 + (row % COPIED == 0)]),
        )
        for row in range(IMAGES)
        if row % GONE
    ]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Images without pictures: some at two places, and some that have left."""
    place = tmp_path_factory.mktemp("listed") / "s.saccade"
    store = Store(place)
    rows = range(IMAGES)
    known = [NewPath(f"/b/{row}.jpg", image_id(row), 1, 1) for row in rows if row % COPIED == 0]
    known += [NewPath(f"/a/{row}.jpg", image_id(row), 1, 1) for row in rows]
    store.commit(images=[NewImage(image_id(r), 100 + r, 50) for r in rows], paths=known)
    gone = [f"/{where}/{row}.jpg" for row in rows if row % GONE == 0 for where in "ab"]
    store.commit(gone=gone)
    store.close()
    with saccade.open(place, warm=False) as engine:
        yield engine


@contextmanager
def statements() -> Iterator[list[str]]:
    """The statements about images that are run meanwhile."""
    seen: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        if re.search(r"\b(images|paths)\b", statement):
            seen.append(statement)

    sql.event.listen(sql.Engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        sql.event.remove(sql.Engine, "before_cursor_execute", note)


@given(st.integers(-50, 50), st.none() | st.integers(-50, 50))
@settings(max_examples=100)
def test_a_part_is_a_slice_of_the_whole(engine: Engine, offset: int, limit: int | None) -> None:
    """Any offset and limit, with every path of each image, in the order they were indexed."""
    assert list(engine.images(offset, limit)) == expected()[offset:][:limit]


@given(st.slices(IMAGES))
@settings(max_examples=100)
def test_the_whole_is_a_sequence(engine: Engine, part: slice) -> None:
    """Slices of it are those of a list, with any step."""
    assert list(engine.images()[part]) == expected()[part]


@given(st.lists(st.integers(0, IMAGES - IMAGES // GONE - 2)))
@settings(max_examples=50)
def test_images_come_in_the_order_asked_for(engine: Engine, places: list[int]) -> None:
    """By their places, in any order, one of them twice too."""
    whole = expected()
    assert list(engine.images().at(places)) == [whole[place] for place in places]


@pytest.mark.parametrize(("offset", "limit"), [(0, 1), (0, 20), (20, 20), (0, 30)])
def test_a_part_is_read_in_one_statement(engine: Engine, offset: int, limit: int) -> None:
    """However long the part, and however many images come after it."""
    with statements() as seen:
        assert len(engine.images(offset, limit)) == min(limit, len(engine) - offset)
    assert len(seen) == 1


@pytest.mark.parametrize("limit", [1, 20, 200])
def test_a_sample_is_read_in_one_statement(engine: Engine, limit: int) -> None:
    """However many pictures it shows: it is what the page asks for first."""
    with running(prepare(engine, port=0)) as url, statements() as seen:
        answer = httpx.get(f"{url}/api/v1/images/sample", params={"limit": limit}, timeout=PATIENCE)
    assert len(answer.json()) == min(limit, len(engine))
    assert len(seen) == 1
