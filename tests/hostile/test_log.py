"""The log stays bounded and searching goes on, whatever becomes of the log."""

from __future__ import annotations

import json
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from inside import log_of, sessions_of, store_of
from saccade.cli.app import build
from saccade.engine import Engine
from saccade.errors import InvalidInput, NotFound
from saccade.service.server import prepare
from saccade.testbed import worlds
from saccade.types import Page
from servers import PATIENCE, running

DAY = 86_400.0


class Clock:
    """A time that passes when told to."""

    def __init__(self) -> None:
        self.now = 1e9

    def __call__(self) -> float:
        return self.now


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("log")
    worlds.write(place / "pictures", images=10, seed=3, size=(64, 48))
    with Engine(place / "sound.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp")
    return place / "sound.saccade"


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "s.saccade")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(store: Path, clock: Clock) -> Iterator[Engine]:
    with Engine(store, warm=False, clock=clock) as engine:
        yield engine


def searched(engine: Engine, user: str = "ana") -> Page:
    return engine.search(engine.images(0, 1)[0].image_id, user=user, k=6)


def logged(engine: Engine, page: Page) -> bool:
    return store_of(engine).log.page(page.page_id, "shown") is not None


@contextmanager
def somebody_writing(store: Path) -> Iterator[None]:
    """Another process in the middle of a transaction."""
    other = sqlite3.connect(store / "catalog.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def test_old_pages_nobody_marked_leave_the_log(engine: Engine, clock: Clock) -> None:
    """A page with a mark, or saved, stays; so does everything learned."""
    marked, kept, silent = searched(engine), searched(engine), searched(engine)
    engine.react(marked, liked=[marked.hits[2].image_id], disliked=[marked.hits[0].image_id])
    engine.sessions.save(kept, "mine")
    digest, before = engine.digest, len(log_of(engine))
    clock.now += 31 * DAY
    fresh = searched(engine)
    assert [logged(engine, page) for page in (marked, kept, silent, fresh)] == [
        True, True, False, True,
    ]  # fmt: skip
    assert (engine.digest, engine.replay(), len(log_of(engine))) == (digest, digest, before)
    assert engine.library.doctor() == ()
    assert engine.sessions.open("mine", user="ana").hits


def test_who_comes_late_to_a_page_is_told(engine: Engine, clock: Clock) -> None:
    """Marking a page that is gone is refused with the reason; a marked page can be marked on."""
    marked, silent = searched(engine), searched(engine)
    engine.react(marked, liked=[marked.hits[2].image_id])
    clock.now += 31 * DAY
    searched(engine)
    with pytest.raises(NotFound, match=r"nobody marked for 30 days at most \(search again\)"):
        engine.react(silent, liked=[silent.hits[0].image_id])
    engine.react(marked, disliked=[marked.hits[0].image_id])
    assert engine.undo("ana").page is not None


def test_pages_nobody_marked_take_only_so_many_bytes(engine: Engine) -> None:
    """And the catalog does not grow any more once they do."""
    engine.retention.change(megabytes=0.05)
    pages = []
    for _ in range(60):
        searched(engine)
        with store_of(engine)._database.read() as connection:
            pages.append(connection.exec_driver_sql("PRAGMA page_count").scalar_one())
    report = engine.retention.show()
    assert 0 < report.size <= 0.05 * 2**20 * 1.1
    assert report.pages < 40
    assert max(pages[40:]) == max(pages)
    assert pages[59] - pages[40] <= 2
    assert engine.library.doctor() == ()


def test_retention_is_of_the_store(store: Path, engine: Engine) -> None:
    """It is kept in the recipe, thins at once, and refuses what is no number."""
    for _ in range(3):
        searched(engine)
    assert engine.retention.show().pages == 3
    assert engine.retention.change(megabytes=0).pages == 0
    with pytest.raises(InvalidInput, match="days"):
        engine.retention.change(days=float("nan"))
    done = CliRunner().invoke(
        build(), ["retention", "--store", str(store), "--days", "3", "--json"]
    )
    told = json.loads(done.output)
    assert (told["days"], told["megabytes"], told["pages"]) == (3, 0, 0)
    searched(engine)
    assert engine.retention.show().days == 3


def test_forgetting_takes_pages_out_of_the_queue(engine: Engine) -> None:
    """Nothing counts pages of someone who is gone."""
    searched(engine, "ana")
    searched(engine, "bob")
    engine.forget("bob")
    assert engine.retention.show().pages == 1


def test_a_busy_log_does_not_stop_a_search(
    store: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It finds the same, says that it was not logged, and logs again when it can."""
    monkeypatch.setattr(engine._opened.learning, "_patience", 0.01)
    before = searched(engine)
    with somebody_writing(store):
        meanwhile = searched(engine)
        shown = engine.show(before, k=3)
    assert meanwhile.unlogged == shown.unlogged == "the log is busy"
    assert [h.image_id for h in meanwhile.hits] == [h.image_id for h in before.hits]
    assert engine.retention.show().unlogged == 2
    with running(prepare(engine, port=0)) as address, somebody_writing(store):
        asked = {"image_id": before.hits[0].image_id, "k": 2}
        told = httpx.post(f"{address}/api/v1/search", json=asked, timeout=PATIENCE).json()
        counted = httpx.get(f"{address}/metrics", timeout=PATIENCE).text
    assert "saccade_unlogged 3.0" in counted
    assert told["unlogged"] == "the log is busy"
    with pytest.raises(NotFound, match="search again"):
        engine.react(meanwhile, liked=[meanwhile.hits[0].image_id])
    after = searched(engine)
    assert (after.unlogged, logged(engine, after)) == ("", True)


def test_reading_a_profile_never_waits_for_a_writer(
    store: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for another process, nor for a thread of this one that waits for its turn."""
    monkeypatch.setattr(engine._opened.learning, "_patience", 0.01)
    page = searched(engine)
    engine.react(page, liked=[page.hits[2].image_id])
    waiting = threading.Thread(
        target=lambda: engine.react(page, disliked=[page.hits[0].image_id]), daemon=True
    )
    learning = engine._opened.learning
    with somebody_writing(store):
        waiting.start()
        while learning._lock.acquire(blocking=False):  # until the writer is in there
            learning._lock.release()
        assert engine.people.show("ana").events == 1
        assert searched(engine, "bob").hits
    waiting.join(timeout=PATIENCE)
    assert engine.people.show("ana").events == 2


def test_sessions_are_kept_within_a_budget_of_bytes(engine: Engine) -> None:
    """All that a session holds counts, its query and what was computed of it after it began."""
    sessions = sessions_of(engine)
    page = searched(engine)
    one = sessions.size
    session = sessions.get(page.session)
    assert session is not None
    parts = sum(part.nbytes for part in session.query.like[0].parts.values())
    shown = sum(phi.nbytes for phi in session.computed.phi.values())
    assert min(parts, shown) > 0
    assert one >= session.nbytes >= shown + parts
    sessions._most = 5 * one
    for _ in range(20):
        searched(engine)
        assert sessions.size <= 5 * one
    assert sessions.get(page.session) is None
    engine.react(page, liked=[page.hits[1].image_id])  # built again from the log


def test_a_collection_of_before_is_not_kept_by_its_sessions(engine: Engine, store: Path) -> None:
    """They are built again over the new one."""
    page = searched(engine)
    before = engine._opened.collection()
    worlds.write(store.parent / "more", images=2, seed=9, size=(64, 48))
    engine.add(store.parent / "more")
    assert sessions_of(engine).size == 0
    engine.react(page, liked=[page.hits[1].image_id])
    kept = sessions_of(engine).get(page.session)
    assert kept is not None
    assert kept.collection is not before
