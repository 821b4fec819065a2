"""Statements that are compiled once."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import pytest
import sqlalchemy as sql

from saccade.errors import StoreFormat
from saccade.store.database import Database
from saccade.store.formats import FORMAT, prepare
from saccade.store.prepared import Prepared
from saccade.store.store import Store
from saccade.store.tables import meta

VALUE = Prepared(sql.select(meta.c.value).where(meta.c.key == sql.bindparam("key")))


@pytest.fixture
def database(tmp_path: Path) -> Database:
    made = Database(tmp_path / "catalog.sqlite")
    prepare(made, made.file.parent)
    return made


def test_it_finds_what_the_statement_it_was_made_from_finds(database: Database) -> None:
    """Values are bound by name; what the statement states itself need not be given."""
    stated = Prepared(sql.select(meta.c.value).where(meta.c.key == "format"))
    assert database.ask(VALUE, key="format") == database.ask(stated) == [(str(FORMAT),)]
    assert database.ask(VALUE, key="nothing of the kind") == []


def test_a_value_that_is_not_given_is_our_own_mistake(database: Database) -> None:
    """It is not taken for NULL."""
    with pytest.raises(KeyError, match="key"):
        database.ask(VALUE)


def test_it_sees_what_another_connection_committed_a_moment_ago(database: Database) -> None:
    """Each question is a transaction of its own: nothing of before is seen again."""
    assert database.ask(VALUE, key="new") == []
    other = sqlite3.connect(database.file)
    with other:
        other.execute("INSERT INTO meta VALUES ('new', 'one')")
    other.close()
    assert database.ask(VALUE, key="new") == [("one",)]


def test_within_a_transaction_it_is_part_of_it(database: Database) -> None:
    """What is rolled back was never written."""
    write = Prepared(sql.insert(meta).values(key=sql.bindparam("key"), value="x"))
    with suppress(RuntimeError), database.write() as connection:
        write.on(connection, key="half")
        assert VALUE.on(connection, key="half") == [("x",)]
        raise RuntimeError
    assert database.ask(VALUE, key="half") == []


def test_failures_are_told_as_everywhere_else(tmp_path: Path) -> None:
    """One sentence, not the driver's own error."""
    broken = Database(tmp_path / "other.sqlite")
    broken.file.write_bytes(
        b"this is no database, and longer than a header of one hundred bytes" * 9
    )
    with pytest.raises(StoreFormat, match="not a Saccade catalog"):
        broken.ask(VALUE, key="format")


def test_a_session_and_a_page_are_asked_for_by_all_that_names_them(tmp_path: Path) -> None:
    """Of one person, one session or page, some kinds, after an event; oldest first."""
    with closing(Store(tmp_path / "log.saccade")) as store:
        with store.log.appending() as appender:
            for user, session, page, kind in (
                ("ana", "s", "p", "shown"),
                ("ana", "s", "p", "reacted"),
                ("bob", "s", "p", "reacted"),
                ("ana", "t", "q", "reacted"),
                ("ana", "s", "p", "undone"),
                ("ana", "s", "r", "reacted"),
            ):
                appender.append(
                    kind, at=1.0, user=user, session_id=session, page_id=page, body={}, arrays={}
                )
        both = ("reacted", "undone")
        found = store.log.of_session("ana", "s", both)
        assert [one.event_id for one in found] == [2, 5, 6]
        assert [one.event_id for one in store.log.of_session("ana", "s", both, after=2)] == [5, 6]
        assert [one.event_id for one in store.log.of_session("ana", "s", ("undone",))] == [5]
        one = store.log.page("p", "shown")
        assert one is not None
        assert (one.event_id, one.kind) == (1, "shown")
        assert store.log.page("r", "shown") is None
