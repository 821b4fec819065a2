"""The log tells what happened to it: changed, missing, cut short; what is meant breaks nothing."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from inside import log_of, store_of
from saccade.engine import Engine, operations
from saccade.errors import StoreFormat
from saccade.testbed import worlds
from saccade.types import Finding

LAST = 2**63 - 1


def taught(engine: Engine, *users: str) -> None:
    for user in users:
        for place in range(3):
            page = engine.search(engine.images(place, 1)[0].image_id, user=user, k=6)
            engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that two people taught: nine events each, a reaction every third."""
    place = tmp_path_factory.mktemp("chain")
    worlds.write(place / "pictures", images=10, seed=3, size=(64, 48))
    with Engine(place / "sound.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp")
        taught(engine, "ana", "bob")
    return place / "sound.saccade"


@pytest.fixture
def store(sound: Path, tmp_path: Path) -> Path:
    return shutil.copytree(sound, tmp_path / "s.saccade")


@contextmanager
def catalog(store: Path) -> Iterator[sqlite3.Connection]:
    """The tables, to break them; snapshots would hide it."""
    raw = sqlite3.connect(store / "catalog.sqlite", isolation_level=None)
    yield raw
    raw.execute("DELETE FROM snapshots")
    raw.close()


def places(findings: tuple[Finding, ...]) -> list[str]:
    return [found.place for found in findings]


def mended(engine: Engine) -> None:
    """After a repair nothing is found, what is learned is what the log says, and it learns on."""
    engine.library.doctor(repair=True)
    assert engine.library.doctor() == ()
    taught(engine, "eva")
    assert engine.digest == engine.replay()
    assert engine.library.doctor() == ()


@pytest.mark.parametrize(
    "damage",
    [
        "at = at + 1", "at = 'noon'", "session = 'another'", "page = ''", "kind = 'preferred'",
        "user = 'eve'", "body = replace(body, 'liked', 'lyked')", "arrays = x'00'",
        "user = CAST(x'ff' AS TEXT)", "body = CAST(x'ff' AS TEXT)",
    ],
)  # fmt: skip
def test_whatever_of_an_event_changed_is_found(store: Path, damage: str) -> None:
    """Nobody learns from it; the repair puts it aside; the others still teach."""
    with catalog(store) as raw:
        raw.execute(f"UPDATE events SET {damage} WHERE event = 5")
    with Engine(store, warm=False) as engine:
        assert [entry.event_id for entry in log_of(engine)] == [2, 8, 11, 14, 17]
        assert places(engine.library.doctor()) == ["event 5"]
        assert [found.repaired for found in engine.library.doctor(repair=True)] == [True]
        mended(engine)
    with catalog(store) as raw:
        assert raw.execute("SELECT event FROM set_aside").fetchall() == [(5,)]


def test_an_event_that_got_another_number_is_found(store: Path) -> None:
    """The one it was is missing, and the one it is has no checksum."""
    with catalog(store) as raw:
        raw.execute("UPDATE events SET event = 100 WHERE event = 5")
    with Engine(store, warm=False) as engine:
        assert places(engine.library.doctor()) == ["event 5", "event 100", "log"]
        mended(engine)


@pytest.mark.parametrize("tables", [["events"], ["events", "chain"]])
@pytest.mark.parametrize("event", [1, 5, 17])
def test_an_event_that_is_missing_is_named(store: Path, tables: list[str], event: int) -> None:
    """With its checksum or without; told once by the repair, which cannot bring it back."""
    with catalog(store) as raw:
        for table in tables:
            raw.execute(f"DELETE FROM {table} WHERE event = ?", [event])
    with Engine(store, warm=False) as engine:
        (found,) = engine.library.doctor()
        assert (found.place, found.problem) == (f"event {event}", "is missing from the log")
        assert not found.rebuildable
        assert [f.repaired for f in engine.library.doctor(repair=True)] == [False]
        mended(engine)


def test_the_newest_event_is_missed_too(store: Path) -> None:
    """Nothing follows it that would name it."""
    with catalog(store) as raw:
        for table in ("events", "chain"):
            raw.execute(f"DELETE FROM {table} WHERE event = 18")
    with Engine(store, warm=False) as engine:
        (found,) = engine.library.doctor()
        assert found.problem == "ends with event 17, though event 18 was written"
        mended(engine)


def test_the_chain_holds_through_what_is_meant(store: Path) -> None:
    """Someone is forgotten, old pages go, even the newest; nothing is missed."""
    with Engine(store, warm=False) as engine:
        engine.forget("ana")
        assert engine.library.doctor() == ()
        taught(engine, "ana", "eva")
        engine.retention.change(days=0, megabytes=0)
        assert engine.library.doctor() == ()
        engine.search(engine.images(0, 1)[0].image_id, user="eva", k=3)
        assert engine.retention.show().pages <= 1
        assert engine.library.doctor() == ()
        engine.forget("eva")
        engine.forget("bob")
        assert engine.library.doctor() == ()
        engine.retention.change(days=1, megabytes=1)
        mended(engine)


@pytest.mark.parametrize("event", [5, 8, 11])
def test_what_is_meant_hides_no_loss(store: Path, event: int) -> None:
    """An event of the one who stays is missing beside those that are forgotten: still named."""
    with Engine(store, warm=False) as engine:
        for _ in range(2):
            taught(engine, "eva")
            taught(engine, "ana")
    with catalog(store) as raw:
        query = "SELECT event FROM events WHERE user = 'ana' AND event > 20 ORDER BY event"
        among = [number for (number,) in raw.execute(query)]
        lost = among[event % len(among)]
        for table in ("events", "chain"):
            raw.execute(f"DELETE FROM {table} WHERE event = ?", [lost])
    with Engine(store, warm=False) as engine:
        engine.forget("eva")
        engine.forget("bob")
        assert places(engine.library.doctor()) == [f"event {lost}"]


@pytest.mark.parametrize(
    "damage", ["previous = 3", "previous = 'x'", "link = 'x'", "link = x'00'", "digest = 'x'"]
)
def test_a_damaged_link_is_no_lost_event(store: Path, damage: str) -> None:
    """What is told is what is damaged."""
    with catalog(store) as raw:
        raw.execute(f"UPDATE chain SET {damage} WHERE event = 5")
    with Engine(store, warm=False) as engine:
        assert set(places(engine.library.doctor())) == {"event 5"}
        assert all(found.repaired for found in engine.library.doctor(repair=True))
        mended(engine)


@pytest.mark.parametrize("table", ["checksums", "chain", "set_aside", "recent_pages", "skipped"])
@pytest.mark.parametrize("how", ["DROP TABLE", "DELETE FROM"])
def test_a_table_that_is_lost_is_named(store: Path, table: str, how: str) -> None:
    """The store opens and searches; what can be filled again is."""
    with catalog(store) as raw:
        raw.execute(f"{how} {table}")
    with Engine(store, warm=False) as engine:
        assert engine.search(engine.images(0, 1)[0].image_id, k=3).hits
        found = engine.library.doctor()
        dropped = how == "DROP TABLE"
        assert any(repr(table) in f.problem for f in found) == dropped
        assert bool(found) == (dropped or table in ("checksums", "chain"))
        assert all(f.rebuildable for f in found)
        mended(engine)


@pytest.mark.parametrize("table", ["events", "images", "paths", "segments"])
def test_a_table_that_nothing_replaces_is_one_sentence(store: Path, table: str) -> None:
    """And nothing is begun anew in its place."""
    with catalog(store) as raw:
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute(f"DROP TABLE {table}")
    with pytest.raises(StoreFormat, match=f"no table '{table}': the catalog is damaged"):
        Engine(store, warm=False)


# -- the witness ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", [str(LAST), str(LAST - 5), str(2**62), "garbage", "-", " " * 30, "9" * 40]
)
def test_a_damaged_witness_tells_of_no_loss(store: Path, text: str) -> None:
    """It is named and written anew; the log goes on where it was."""
    (store / "log.witness").write_text(text)
    with Engine(store, warm=False) as engine:
        assert operations(engine).lost() == 0
        assert places(engine.library.doctor()) == ["log.witness"]
        assert [found.repaired for found in engine.library.doctor(repair=True)] == [True]
        mended(engine)
        assert max(entry.event_id for entry in log_of(engine)) < 100


def test_one_digit_of_the_witness_is_no_loss(store: Path) -> None:
    """Its checksum tells the two apart."""
    file = store / "log.witness"
    assert file.read_text().split()[0] == "17"
    file.write_text(file.read_text().replace("17", "97", 1))
    with Engine(store, warm=False) as engine:
        assert operations(engine).lost() == 0
        assert places(engine.library.doctor()) == ["log.witness"]
        mended(engine)


@pytest.mark.parametrize("left", [b"", bytes(38)])
def test_a_witness_that_lost_power_knows_nothing(store: Path, left: bytes) -> None:
    """It is written without a sync; that is no damage."""
    (store / "log.witness").write_bytes(left)
    with Engine(store, warm=False) as engine:
        assert (operations(engine).lost(), engine.library.doctor()) == (0, ())


def test_a_witness_of_the_first_version_is_believed(store: Path) -> None:
    """It had no checksum."""
    (store / "log.witness").write_text(f"{21:20d}\n")
    with Engine(store, warm=False) as engine:
        assert operations(engine).lost() == 3


def test_a_log_that_ran_out_of_numbers_is_numbered_on(store: Path) -> None:
    """As a damaged witness could leave it; until then it opens and searches."""
    with catalog(store) as raw:
        raw.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'events'", [LAST])
    with Engine(store, warm=False) as engine:
        assert engine.search(engine.images(0, 1)[0].image_id, k=3).unlogged
        assert places(engine.library.doctor()) == ["log"]
        assert [found.repaired for found in engine.library.doctor(repair=True)] == [True]
        mended(engine)


# -- the rest of the catalog ---------------------------------------------------------------------


def test_a_generation_that_is_no_number_is_counted_anew(store: Path) -> None:
    """The store opens, searches and sees what is indexed later."""
    with catalog(store) as raw:
        raw.execute("UPDATE meta SET value = 'many' WHERE key = 'generation'")
    with Engine(store, warm=False) as engine:
        before = store_of(engine).catalog.generation()
        assert engine.search(engine.images(0, 1)[0].image_id, k=3).hits
        assert [f.problem for f in engine.library.doctor()] == [
            "its setting 'generation' is damaged"
        ]
        assert [found.repaired for found in engine.library.doctor(repair=True)] == [True]
        store_of(engine).commit()
        assert store_of(engine).catalog.generation() > before


@pytest.mark.parametrize(
    "damage",
    ["files = '{'", "files = '[]'", "files = '{}'", "files = '{\"a\": 3}'", "first = 'x'",
     "rows = -1", "name = CAST(x'ff' AS TEXT)", "files = CAST(x'ff' AS TEXT)"],
)  # fmt: skip
def test_a_damaged_list_of_segments_is_computed_again(store: Path, damage: str) -> None:
    """Searching goes on with the other columns."""
    with catalog(store) as raw:
        raw.execute(f"UPDATE segments SET {damage} WHERE name = 'lbp'")
    with Engine(store, warm=False) as engine:
        assert engine.search(engine.images(0, 1)[0].image_id, k=3).hits
        assert "catalog" in places(engine.library.doctor())
        assert all(found.repaired for found in engine.library.doctor(repair=True))
        assert engine.library.doctor() == ()
        assert engine.library.report().incomplete == ()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM paths", "10 images have no path"),
        ("UPDATE paths SET row = 99 WHERE row = 3", "1 paths name no file, or no image"),
        ("UPDATE paths SET path = '' WHERE row = 3", "1 paths name no file, or no image"),
    ],
)
def test_lost_paths_are_named_and_found_again(store: Path, damage: str, told: str) -> None:
    """By indexing the folder once more; the images are the same."""
    with catalog(store) as raw:
        folder = raw.execute("SELECT path FROM paths").fetchone()[0]
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute(damage)
    with Engine(store, warm=False) as engine:
        assert told in [found.problem for found in engine.library.doctor()]
        engine.library.doctor(repair=True)
        assert engine.add(Path(folder).parents[1]).added == 0
        assert engine.library.doctor() == ()
        assert len(engine) == 10


def test_a_store_from_before_the_first_release_is_refused_in_a_sentence(store: Path) -> None:
    """Its log means something else; nothing of it is changed."""
    with catalog(store) as raw:
        raw.execute("UPDATE meta SET value = '1' WHERE key = 'format'")
    with pytest.raises(StoreFormat, match="made before the first release: the store has format 1"):
        Engine(store, warm=False)
    with catalog(store) as raw:
        assert raw.execute("SELECT value FROM meta WHERE key = 'format'").fetchone() == ("1",)
