"""Long work as lines of the catalog: what was asked for, how far it is, how it ended.

    waiting ─ running ─ done | failed | cancelled
       ▲         │
       └─────────┘   its process ended: it goes on from where it stopped, three times at most;
                     then it is `interrupted`

One process works at a time: it holds `jobs.lock`, which the system lets go of with the process,
however that ends. A job that is running while nobody holds the lock is one whose process ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sql

from saccade.errors import NotFound
from saccade.store.database import Database
from saccade.store.prepared import Prepared
from saccade.store.tables import jobs
from saccade.types import Job, Spec

LOCK = "jobs.lock"
KEPT = 200
"""Jobs that have ended and are remembered."""
MOST_RESUMED = 3
OPEN = ("waiting", "running")

_FIELDS = [column for column in jobs.columns if column.name != "number"]
_OPEN = sql.or_(*(jobs.c.state == state for state in OPEN))
_PENDING = Prepared(sql.select(sql.func.count()).select_from(jobs).where(_OPEN))
_FIND = Prepared(sql.select(*_FIELDS).where(jobs.c.job == sql.bindparam("job")))
_CANCELLED = Prepared(sql.select(jobs.c.cancelled).where(jobs.c.job == sql.bindparam("job")))


class JobLines:
    """The jobs of one store."""

    def __init__(self, database: Database, root: Path) -> None:
        self._database, self._lock = database, root / LOCK

    # -- reading -------------------------------------------------------------------------------

    def all(self) -> tuple[Job, ...]:
        """Every job that is remembered, the newest first."""
        query = sql.select(*_FIELDS).order_by(jobs.c.number.desc())
        with self._database.read() as connection:
            return tuple(_job(tuple(row)) for row in connection.execute(query))

    def find(self, job_id: str) -> Job:
        """One job."""
        rows = self._database.ask(_FIND, job=job_id)
        if not rows:
            raise NotFound(f"no job {job_id!r} in this store", hint="it may be long done")
        return _job(rows[0])

    def pending(self) -> int:
        """How many wait or run."""
        return int(self._database.ask(_PENDING)[0][0])

    def is_cancelled(self, job_id: str) -> bool:
        """Whether somebody asked a job to end; one that is not there any more should."""
        rows = self._database.ask(_CANCELLED, job=job_id)
        return not rows or bool(rows[0][0])

    # -- writing -------------------------------------------------------------------------------

    def add(self, job_id: str, kind: str, spec: Spec, *, at: float, joins: bool = True) -> Job:
        """Ask for a job; one that waits already with the same words is that one.

        So is one that runs, where it `joins`.
        """
        text = json.dumps(dict(spec), sort_keys=True)
        states = OPEN if joins else ("waiting",)
        same = (jobs.c.kind == kind) & (jobs.c.spec == text) & jobs.c.state.in_(states)
        with self._database.write() as connection:
            there = connection.scalar(sql.select(jobs.c.job).where(same & ~jobs.c.cancelled))
            if there is None:
                line = {"job": job_id, "kind": kind, "spec": text, "state": "waiting", "asked": at}
                connection.execute(sql.insert(jobs), {**_BLANK, **line})
                ended = sql.select(jobs.c.number).where(jobs.c.state.not_in(OPEN))
                old = ended.order_by(jobs.c.number.desc()).offset(KEPT)
                connection.execute(sql.delete(jobs).where(jobs.c.number.in_(old)))
        return self.find(there or job_id)

    @contextmanager
    def working(self) -> Iterator[bool]:
        """Be the one who works; gives whether one is, or another process is at it."""
        with self._database.alone(self._lock) as mine:
            yield mine

    def is_free(self) -> bool:
        """Whether nobody works now."""
        with self.working() as mine:
            return mine

    def claim(self, *, at: float) -> Job | None:
        """The job to work on now, or None. Be `working` around it.

        One that was running has lost its process, and goes first.
        """
        with self._database.write() as connection:
            left = connection.execute(
                sql.select(jobs.c.job, jobs.c.resumed, jobs.c.cancelled)
                .where(jobs.c.state == "running")
            ).all()  # fmt: skip
            for job_id, resumed, cancelled in left:
                if cancelled:
                    changed: dict[str, Any] = {"state": "cancelled", "ended": at}
                elif resumed >= MOST_RESUMED:
                    message = f"its process ended {resumed + 1} times before it was done"
                    changed = {"state": "interrupted", "ended": at, "message": message}
                else:
                    changed = {"state": "waiting", "resumed": resumed + 1}
                _change(connection, job_id, changed)
            next_ = sql.select(jobs.c.job).where(jobs.c.state == "waiting")
            job_id = connection.scalar(next_.order_by(jobs.c.number).limit(1))
            if job_id is None:
                return None
            _change(connection, job_id, {"state": "running", "began": at})
        return self.find(job_id)

    def drop_all(self) -> None:
        """Forget every job."""
        with self._database.write() as connection:
            connection.execute(sql.delete(jobs))

    def tell(
        self, job_id: str, stage: str, done: int, total: int, seconds_left: float | None
    ) -> None:
        """How far a job is."""
        changed = {"stage": stage, "done": done, "total": total, "seconds_left": seconds_left}
        with self._database.write(synced=False) as connection:
            _change(connection, job_id, changed)

    def end(
        self,
        job_id: str,
        state: str,
        *,
        at: float,
        message: str = "",
        result: Spec | None = None,
    ) -> None:
        """How a job ended."""
        text = json.dumps(dict(result or {}))
        changed = {"state": state, "ended": at, "message": message, "result": text}
        with self._database.write() as connection:
            _change(connection, job_id, {**changed, "seconds_left": None})

    def cancel(self, job_id: str, *, at: float) -> None:
        """Ask a job to end: one that waits is ended here, one that runs by whoever runs it."""
        with self._database.write() as connection:
            state = connection.scalar(sql.select(jobs.c.state).where(jobs.c.job == job_id))
            if state == "waiting":
                _change(connection, job_id, {"state": "cancelled", "cancelled": True, "ended": at})
            elif state == "running":
                _change(connection, job_id, {"cancelled": True})


_BLANK: dict[str, Any] = {
    "began": None, "ended": None, "stage": "", "done": 0, "total": 0, "seconds_left": None,
    "resumed": 0, "cancelled": False, "message": "", "result": "{}",
}  # fmt: skip


def _change(connection: sql.Connection, job_id: str, values: Spec) -> None:
    connection.execute(sql.update(jobs).where(jobs.c.job == job_id).values(**values))


def _job(row: tuple[Any, ...]) -> Job:
    named = dict(zip((column.name for column in _FIELDS), row, strict=True))
    return Job(
        job_id=named["job"],
        kind=named["kind"],
        spec=_read(named["spec"]),
        state=named["state"],
        stage=named["stage"],
        done=named["done"],
        total=named["total"],
        seconds_left=named["seconds_left"],
        asked=named["asked"],
        began=named["began"],
        ended=named["ended"],
        resumed=named["resumed"],
        cancelled=bool(named["cancelled"]),
        message=named["message"],
        result=_read(named["result"]),
    )


def _read(text: str) -> dict[str, Any]:
    """What was written; a line that is damaged says nothing, and hides no other."""
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
