"""`saccade events`: a history of pages, clicks and marks, taken in."""

from __future__ import annotations

import hashlib
import json as jsonlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from saccade.cli.common import Json, Store, User, filling, print_json, printable, progress
from saccade.errors import InvalidInput, NotFound

events = typer.Typer(no_args_is_help=True)

BATCH = 1000
"""Lines taken in at a time: interrupted, at most so many are sent again."""

_File = typer.Argument(..., help="JSON lines, as POST /api/v1/events takes them.")


@events.callback()
def about() -> None:
    """What another program showed, and what became of it."""


@events.command("import")
def import_(file: Path = _File, user: str = User, store: Path = Store, json: bool = Json) -> None:
    """Take in a history; interrupted, the same command goes on where it was.

    A line without a `key` gets one from what it says, so that no line is taken twice.
    """
    from saccade.engine import Progress

    if not file.is_file():
        raise NotFound(f"no file {printable(file)}")
    total = Counter(taken=0, repeated=0, waiting=0, outdated=0)
    size, done = file.stat().st_size, 0
    with filling(store) as engine, progress() as watch:
        watch(Progress("events", 0, size))
        for first, batch, length in _batches(file):
            try:
                taken = engine.candidates.take(batch, user=user)
            except InvalidInput as error:
                place = f"{printable(file)}, in the {len(batch)} lines from line {first} on"
                raise InvalidInput(f"{place}: {error.message}", hint=error.hint) from error
            done += length
            total.update({name: getattr(taken, name) for name in total})
            watch(Progress("events", done, size))
    if json:
        print_json(dict(total))
        return
    print(
        f"{total['taken']} events taken, {total['repeated']} known before, "
        f"{total['waiting']} waiting for their page, {total['outdated']} outdated"
    )


def _batches(file: Path) -> Iterator[tuple[int, list[dict[str, Any]], int]]:
    """Lines with keys, some at a time: where they begin, what they say, and how long they are."""
    seen: Counter[str] = Counter()
    batch: list[dict[str, Any]] = []
    first, length = 1, 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            length += len(line)
            if line.strip():
                batch.append(_keyed(_event(line, number, file), line, seen))
            if len(batch) == BATCH:
                yield first, batch, length
                first, batch, length = number + 1, [], 0
    if batch:
        yield first, batch, length


def _event(line: bytes, number: int, file: Path) -> dict[str, Any]:
    try:
        value = jsonlib.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{printable(file)}: line {number} is not JSON") from error
    if not isinstance(value, dict):
        raise InvalidInput(f"{printable(file)}: line {number} is no object")
    return value


def _keyed(event: dict[str, Any], line: bytes, seen: Counter[str]) -> dict[str, Any]:
    digest = hashlib.sha256(line.strip()).hexdigest()
    seen[digest] += 1
    return {"key": f"import {digest} {seen[digest]}", **event}
