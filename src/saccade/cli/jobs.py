"""`saccade jobs`: long work that is asked for now and done behind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import STAGES, Json, Store, opened, print_json, printable, progress

if TYPE_CHECKING:
    from saccade.types import Job

jobs = typer.Typer(no_args_is_help=True)

_Id = typer.Argument(..., help="The job's id, as `saccade jobs list` prints it.")


@jobs.command("list")
def list_(store: Path = Store, json: bool = Json) -> None:
    """Jobs that wait and run, and the last ones that ended, the newest first."""
    with opened(store, warm=False) as engine:
        job_list = engine.jobs.list()
    if json:
        print_json(job_list)
        return
    for one in job_list:
        print(line(one))


@jobs.command()
def post(
    kind: str = typer.Argument(..., help="index, reindex, remove, recipe, regions … (see kinds)."),
    folder: str = typer.Option(None, "--folder", help="Of index and remove."),
    prune: bool = typer.Option(False, "--prune", help="Drop images whose files are gone."),
    recipe: str = typer.Option(None, "--recipe", help="Of index and recipe: +NAME, -NAME."),
    place: str = typer.Option(
        None, "--place", help="Of backup and study: where the copy, or the results go."
    ),
    to: str = typer.Option(None, "--to", help="Of move: postgresql://ana@db/photos, or sqlite."),
    study: str = typer.Option(None, "--study", help="Of study: its name, or all of them."),
    data: list[str] = typer.Option([], "--data", help="Of study: NAME=FOLDER; repeat for more."),
    quick: bool = typer.Option(False, "--quick", help="Of study: less of everything."),
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Ask for a job; a server of this store does it, or `saccade jobs run`."""
    options = {
        "folder": folder, "prune": prune or None, "recipe": recipe, "place": place, "to": to,
        "study": study, "data": data or None, "quick": quick or None,
    }  # fmt: skip
    with opened(store, warm=False) as engine:
        words = {word: value for word, value in options.items() if value is not None}
        asked = engine.jobs.post(kind, **words)
    print_json(asked) if json else print(line(asked))


@jobs.command()
def kinds(store: Path = Store) -> None:
    """What can be asked for."""
    with opened(store, warm=False) as engine:
        for kind, about in engine.jobs.kinds.items():
            print(f"{kind:<16}{about}")


@jobs.command()
def cancel(job: str = _Id, store: Path = Store) -> None:
    """Ask a job to end; what it has made is kept."""
    with opened(store, warm=False) as engine:
        print(line(engine.jobs.cancel(job)))


@jobs.command()
def run(store: Path = Store, json: bool = Json) -> None:
    """Do what waits, here and now; nothing where a server is at it."""
    with opened(store, warm=False) as engine, progress() as watch:
        did = engine.jobs.run(watch)
    if json:
        print_json(did)
        return
    for one in did:
        print(line(one))


def line(job: Job) -> str:
    """A job in one line."""
    what = STAGES.get(job.stage, job.stage) if job.state == "running" else job.message
    counted = f" {job.done} of {job.total}" if job.state == "running" and job.total else ""
    words = " ".join(str(value) for value in job.spec.values())
    detail = f": {what}{counted}" if what else ""
    return printable(f"{job.job_id}  {job.state:<11} {job.kind} {words}{detail}")
