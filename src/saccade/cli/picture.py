"""`saccade picture`: single pictures under ids of yours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, filling, opened, print_json, printable, progress

if TYPE_CHECKING:
    from saccade.engine import Engine
    from saccade.types import SentPicture

picture = typer.Typer(no_args_is_help=True)

_Id = typer.Argument(..., help="An id of yours: no slash.")


@picture.command()
def put(
    external_id: str = _Id,
    file: Path = typer.Argument(..., help="The picture's file."),
    field: list[str] = typer.Option([], "--field", help="price=12.5; repeat for more."),
    in_place: bool = typer.Option(False, "--in-place", help="Use the file where it lies."),
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Bring one picture in under an id of yours, or replace the one that has it.

    The store keeps a copy of its bytes, unless --in-place.
    """
    from saccade.images.files import read_file

    with filling(store) as engine:
        fields = dict(map(engine.fields.typed, field))
        try:
            given = file if in_place else read_file(file)
        except OSError as error:
            raise typer.BadParameter(f"{file}: {error.strerror}") from error
        _told(engine, engine.pictures.put(external_id, given, fields), json)


@picture.command()
def remove(
    external_id: str = typer.Argument(..., help="An id of yours, or the picture's own."),
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Take one picture out; bytes that the store keeps are deleted, a file elsewhere stays."""
    with opened(store, warm=False) as engine:
        _told(engine, engine.pictures.remove(external_id), json)


def _told(engine: Engine, sent: SentPicture, json: bool) -> None:
    """Do what was asked for, unless a server is at it, and say what became of it."""
    with progress() as watch:
        engine.jobs.run(watch)
    job = None if sent.job is None else engine.jobs.show(sent.job.job_id)
    searchable = engine.pictures.searchable(sent.external_id, sent.image_id)
    if json:
        answer = {
            "external_id": sent.external_id,
            "image_id": sent.image_id,
            "searchable": searchable,
        }
        print_json({**answer, "job": job})
        return
    name = printable(sent.external_id)
    if sent.image_id and searchable:
        print(f"{name} is in the collection as {sent.image_id}")
    elif job is not None and job.state == "done" and not sent.image_id:
        print(f"{name} is out of the collection")
    else:
        assert job is not None
        reasons = [one["reason"] for one in job.result.get("refused", ())] or [job.message]
        why = "; ".join(filter(None, map(str, reasons)))
        print(f"{name}: the job {job.job_id} is {job.state}{': ' + why if why else ''}")
        if job.state not in ("waiting", "running"):
            sys.exit(1)
