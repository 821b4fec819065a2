"""What is PostgreSQL's own: how to connect, begin, number, lock, and what its failures mean.

A database, or a schema that the address names first, holds one catalog. Writers take one advisory
lock for as long as their transaction, as SQLite's `BEGIN IMMEDIATE` does: whoever comes second
waits for its turn, and sees what the first wrote. Readers wait for nobody.

Numbers of events are counted in the table of settings (`tables.numbered`) and not by a sequence: a
sequence counts on when a transaction is taken back, and a log must have no hole that nobody made.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import event
from sqlalchemy.dialects.postgresql import psycopg as driver

from saccade.errors import (
    InvalidInput,
    StoreError,
    StoreFormat,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    need,
)
from saccade.store.dialect import SECONDS, Mode
from saccade.store.tables import METADATA, NUMBER, meta

OLDEST = 12
"""The first version of the server that is known to do."""

_DIALECT: sql.Dialect = driver.dialect()  # type: ignore[no-untyped-call]
_EXAMPLE = "postgresql://ana@db.example/photos"
_SECRET = ("password", "sslpassword", "passfile")
_CONNECT_SECONDS = 10
# Two numbers name a lock: what it is for, and in which schema.
_LOCK = "hashtext('saccade ' || {what}), hashtext(current_schema())"
_BEGIN = (
    "SELECT set_config('lock_timeout', %(patience)s, true),"
    " set_config('synchronous_commit', %(synced)s, true),"
    f" pg_advisory_xact_lock({_LOCK.format(what=chr(39) + 'write' + chr(39))})"
)
_PASSWORD = (
    "give the password with PGPASSWORD or in ~/.pgpass; the store does not keep it, "
    "and nothing prints it"
)


@dataclass(frozen=True, slots=True)
class CatalogServer:
    """A database of a PostgreSQL server. As text it has no password."""

    url: sql.URL = field(repr=False)

    @classmethod
    def of(cls, text: str) -> CatalogServer:
        """Read an address.

        Raises:
            InvalidInput: it is none. What was given is not repeated: a password may be in it.
        """
        try:
            url = sql.make_url(text)
        except (sql.exc.ArgumentError, ValueError):
            url = None
        if url is None or url.drivername.partition("+")[0] not in ("postgresql", "postgres"):
            raise InvalidInput(
                "that is no address of a PostgreSQL database", hint=f"write it as {_EXAMPLE}"
            )
        need("postgres", "psycopg", part="a catalog in PostgreSQL")
        return cls(url.set(drivername="postgresql+psycopg"))

    @property
    def secret(self) -> bool:
        """Whether there is a password in it."""
        return bool(self.url.password) or any(key in _SECRET for key in self.url.query)

    def __str__(self) -> str:
        """The address without its password.

        >>> str(CatalogServer(sql.make_url("postgresql+psycopg://ana:secret@db/photos?password=x")))
        'postgresql://ana@db/photos'
        """
        bare = sql.URL.create(
            "postgresql", self.url.username, None, self.url.host, self.url.port, self.url.database
        )
        public = {key: value for key, value in self.url.query.items() if key not in _SECRET}
        return bare.set(query=public).render_as_string(hide_password=False)


# -- connections ---------------------------------------------------------------------------------


def engine(server: CatalogServer, mode: Mode = "rw") -> sql.Engine:
    """Connections to a database, made when they are first needed."""
    database = sql.create_engine(
        server.url,
        isolation_level="READ COMMITTED",
        pool_size=4,
        max_overflow=28,
        # A server may be started anew while we hold its connections.
        pool_pre_ping=True,
        connect_args={"connect_timeout": _CONNECT_SECONDS, "fallback_application_name": "saccade"},
    )
    event.listen(database, "begin", _begin)
    return database


def reading(connection: sql.Connection) -> sql.Connection:
    """The connection as one whose statements all see the same moment."""
    return connection.execution_options(isolation_level="REPEATABLE READ")


def writing(connection: sql.Connection, *, synced: bool, patience: float) -> sql.Connection:
    """The connection as one that writes next; `synced` waits for the server's disk at the end."""
    values = {
        "patience": f"{max(1, round(1000 * patience))}ms",
        "synced": "on" if synced else "off",
    }
    return connection.execution_options(saccade_writing=values)


def _begin(connection: sql.Connection) -> None:
    values = connection.get_execution_options().get("saccade_writing")
    if values is not None:
        connection.exec_driver_sql(_BEGIN, values)


def check_writable(engine: sql.Engine) -> None:
    """Raise what a writer would meet now."""
    question = (
        "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on',"
        " has_table_privilege('events', 'INSERT')"
    )
    with engine.connect() as connection:
        still, allowed = connection.exec_driver_sql(question).one()
    if still or not allowed:
        why = "it is a copy that only follows another" if still else "this user may only read it"
        raise StoreReadOnly(
            f"cannot write to {_place(engine)}: {why}",
            hint="name the server that takes writes, or a user who may write",
        )


@contextmanager
def lent(engine: sql.Engine) -> Iterator[Any]:
    """One of the driver's own connections, for a moment; each statement is a transaction."""
    connection = _connected(engine)
    raw: Any = connection.dbapi_connection
    try:
        raw.autocommit = True
        yield raw
    finally:
        if not raw.closed:
            raw.autocommit = False
        connection.close()


def _connected(engine: sql.Engine) -> Any:
    import psycopg

    try:
        return engine.raw_connection()
    except psycopg.Error as error:
        raise sql.exc.DatabaseError("connect", None, error) from error


def compiled(statement: sql.Executable) -> Any:
    """A statement as text, its values bound by name."""
    return statement.compile(dialect=_DIALECT)  # type: ignore[attr-defined]


def run(raw: Any, text: str, values: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run a statement that is text already; failures are the same as everywhere else."""
    import psycopg

    try:
        done = raw.execute(text, values)
        return done.fetchall() if done.description else []
    except psycopg.Error as error:
        raise sql.exc.DatabaseError(text, None, error) from error


@contextmanager
def alone(engine: sql.Engine, lock: Path, wait: float) -> Iterator[bool]:
    """Be the only process on any machine that has a lock; gives whether one is.

    The server lets go of it with the connection, however its process ends.
    """
    names = {"what": lock.name}
    place = _LOCK.format(what="%(what)s::text")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # Not the pool's: closed with the block, whatever became of the pool meanwhile.
        connection.detach()
        end = time.monotonic() + wait
        while not connection.exec_driver_sql(
            f"SELECT pg_try_advisory_lock({place})", names
        ).scalar():
            if time.monotonic() >= end:
                yield False
                return
            time.sleep(0.05)
        try:
            yield True
        finally:
            connection.exec_driver_sql(f"SELECT pg_advisory_unlock({place})", names)


# -- what is in it -------------------------------------------------------------------------------


def check_ours(connection: sql.Connection) -> None:
    """Refuse a database that holds something else under our names, or is too old a server."""
    version = connection.dialect.server_version_info or (OLDEST,)
    if int(version[0]) < OLDEST:
        raise StoreFormat(
            f"{_place(connection.engine)} is PostgreSQL {version[0]}",
            hint=f"PostgreSQL {OLDEST} or newer is needed",
        )
    others = METADATA.tables.keys() & set(sql.inspect(connection).get_table_names())
    if others:
        raise StoreFormat(
            f"{_place(connection.engine)} holds a table {min(others)!r} and is no catalog",
            hint="give the store a database of its own: `createdb photos`",
        )


def begun(connection: sql.Connection) -> None:
    """Count from nothing: the tables are new."""
    skip_to(connection, "events", 0)


def last_number(connection: sql.Connection, table: str) -> int:
    """The largest number that a row of the log ever had, those since deleted too."""
    return int(connection.scalar(sql.select(meta.c.value).where(meta.c.key == NUMBER)) or 0)


def skip_to(connection: sql.Connection, table: str, number: int) -> None:
    """Let the rows of the log be numbered from after a number on."""
    connection.execute(sql.delete(meta).where(meta.c.key == NUMBER))
    connection.execute(sql.insert(meta), {"key": NUMBER, "value": str(number)})


def count_on(connection: sql.Connection, table: sql.Table) -> None:
    """Let the rows of a table be numbered from after those that were copied there."""
    (key,) = table.primary_key.columns
    last = connection.scalar(sql.select(sql.func.max(key)))
    if last is not None:
        sequence = sql.func.pg_get_serial_sequence(table.name, key.name)
        connection.execute(sql.select(sql.func.setval(sequence, last)))


def integrity(connection: sql.Connection) -> list[str]:
    """What the database finds wrong with itself: a server looks after its own pages."""
    return []


def scrub(connection: sql.Connection) -> None:
    """Write the tables anew: what was deleted is in none of their files.

    The server's journal and its backups are its administrator's.
    """
    import psycopg

    tables = ", ".join(_DIALECT.identifier_preparer.format_table(t) for t in METADATA.sorted_tables)
    raw: Any = connection.connection.dbapi_connection
    try:
        raw.autocommit = True
        raw.execute(f"SET lock_timeout = '{round(1000 * SECONDS)}ms'")
        raw.execute(f"VACUUM (FULL) {tables}")
        raw.execute("RESET lock_timeout")
    except psycopg.errors.LockNotAvailable as error:
        raise StoreLocked(
            "what was deleted is deleted, but another process reads what was before",
            hint="it leaves the files when the store is next opened",
        ) from error
    except psycopg.Error as error:
        raise sql.exc.DatabaseError("VACUUM", None, error) from error
    finally:
        if not raw.closed:
            raw.autocommit = False


# -- failures ------------------------------------------------------------------------------------


def explanation(error: sql.exc.DatabaseError, place: object) -> StoreError | None:
    """A failure of the database in one sentence; None for a mistake of ours."""
    state, text = getattr(error.orig, "sqlstate", None) or "", str(error.orig)
    first = text.strip().splitlines()[0] if text.strip() else type(error.orig).__name__
    if state == "53100" or "No space left on device" in text:
        return StoreFull(
            f"the disk of {place} is full; nothing stored was lost",
            hint="free some space on the server and run the same command again",
        )
    if state in ("25006", "42501"):
        return StoreReadOnly(
            f"cannot write to {place}: {first}",
            hint="name the server that takes writes, or a user who may write",
        )
    if state in ("55P03", "40001", "40P01"):
        return StoreLocked(f"{place}: another process holds the catalog; try again")
    if state in ("42P01", "42703"):
        return StoreFormat(
            f"{place}: it lacks what a catalog has ({first}): it is damaged, or was moved away",
            hint="open the store anew; if it is still so, restore it from a backup",
        )
    if "password" in text or "authentication failed" in text or "no pg_hba.conf entry" in text:
        return StoreError(f"{place} does not let this user in", hint=_PASSWORD)
    if "does not exist" in text and not state:
        return StoreError(f"{place}: {_last_words(text)}", hint="create it first: `createdb NAME`")
    if not state or state[:2] in ("08", "53", "57"):
        return StoreError(
            f"{place} cannot be reached: {_last_words(text)}",
            hint="start the server, or look at the address; then try again",
        )
    return None


def _last_words(text: str) -> str:
    """What a server says of a connection that it does not give, without our address in it.

    >>> _last_words('connection failed: server at "::1", port 5 failed: FATAL:  the end')
    'the end'
    """
    lines = [line for line in text.strip().splitlines() if line.strip()]
    line = lines[0] if lines else "it says nothing"
    return line.rpartition("FATAL:")[2].strip()


def _place(engine: sql.Engine) -> CatalogServer:
    return CatalogServer(engine.url)
