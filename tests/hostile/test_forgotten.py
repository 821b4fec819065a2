"""Someone who is forgotten is in no file of the store, wherever their events had got to."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from saccade.engine import Engine
from saccade.errors import NotFound
from saccade.types import Page

WHO = "Xanthippe-of-Athens"


def files_with(store: Path, text: str) -> list[str]:
    """The files of a store that hold some text."""
    every = (path for path in sorted(store.rglob("*")) if path.is_file())
    return [path.name for path in every if text.encode() in path.read_bytes()]


def searched(engine: Engine, user: str) -> Page:
    return engine.search(engine.images(0, 1)[0].image_id, user=user, k=6)


def taught(engine: Engine, user: str) -> None:
    page = searched(engine, user)
    page = engine.react(page, liked=[page.hits[2].image_id])
    engine.react(page, disliked=[page.hits[-1].image_id])


def damage(store: Path, which: str) -> None:
    """Make the events of somebody, or one of them, unreadable."""
    connection = sqlite3.connect(store / "catalog.sqlite")
    connection.execute(
        f"UPDATE events SET arrays = x'00' WHERE event IN (SELECT {which} FROM events "
        "WHERE user = ?)",
        [WHO],
    )
    connection.execute("DELETE FROM snapshots")
    connection.commit()
    connection.close()


@pytest.mark.parametrize("which", ["min(event)", "event"], ids=["one", "all"])
def test_events_that_were_put_aside_are_forgotten(
    open_copy: Callable[[], Engine], which: str
) -> None:
    """They are damaged and teach nobody, but they are that person's, even where no others are."""
    engine = open_copy()
    taught(engine, WHO)
    taught(engine, "bob")
    engine.close()
    damage(engine.path, which)
    engine = open_copy()
    assert len(engine.library.doctor(repair=True)) >= 1
    assert files_with(engine.path, WHO)
    engine.forget(WHO)
    with pytest.raises(NotFound, match="no user"):
        engine.forget(WHO)
    engine.close()
    assert files_with(engine.path, WHO) == []
    assert files_with(engine.path, "bob")


def test_what_is_let_go_is_not_left_on_disk(open_copy: Callable[[], Engine]) -> None:
    """A page that nobody marked goes with its bytes when it is too old."""
    engine = open_copy()
    searched(engine, WHO)
    engine.retention.change(days=0)
    engine.close()
    assert files_with(engine.path, WHO) == []
