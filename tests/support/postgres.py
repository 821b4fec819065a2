"""A PostgreSQL server of the tests' own: started when the first test needs it, gone with the run.

No root is needed and nothing is touched that is there: the wheel brings the programs, the data lie
in a temporary folder. Each store gets a database of its own.
"""

from __future__ import annotations

import shutil
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def server() -> Iterator[str]:
    """The address of a new server; skips, with the reason, where none can be started."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: no PostgreSQL to test with")
    # Not among pytest's folders, which nobody else may enter: run by root, the server is another
    # user. And a socket's path is short.
    folder = Path(tempfile.mkdtemp(prefix="saccade-pg-"))
    with warnings.catch_warnings():
        # It looks for a folder of the user's session, and says so where there is none.
        warnings.simplefilter("ignore")
        wheel = pytest.importorskip(
            "pgserver", reason="the pgserver wheel is not installed: no PostgreSQL to test with"
        )
        try:
            started = wheel.get_server(folder, cleanup_mode="stop")
        except Exception as error:
            shutil.rmtree(folder, ignore_errors=True)
            pytest.skip(f"no PostgreSQL server starts here: {error}")
    try:
        # Nothing here outlives the run: waiting for a disk would be most of a test.
        said(started.get_uri(), "ALTER SYSTEM SET fsync = off")
        said(started.get_uri(), "SELECT pg_reload_conf()")
        yield started.get_uri()
    finally:
        started.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


def database(address: str) -> str:
    """The address of a new and empty database."""
    name = f"s{uuid.uuid4().hex[:12]}"
    said(address, f'CREATE DATABASE "{name}"')
    before, _, after = address.partition("?")
    return f"{before.rpartition('/')[0]}/{name}?{after}"


def said(address: str, text: str) -> list[tuple[Any, ...]]:
    """What a server answers to a statement of a test's own."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        done = connection.execute(text.encode())
        return done.fetchall() if done.description else []


def with_password(address: str, user: str, password: str) -> str:
    """The same database for another user."""
    rest = address.partition("@")[2]
    return f"postgresql://{user}:{password}@{rest}"
