"""`saccade study`: a paper's experiments on your own folders."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import typer

from saccade.cli.common import Json, print_json
from saccade.errors import InvalidInput, UnknownName
from saccade.studies import STUDIES


def study(
    name: str = typer.Argument(..., help="Which study, for instance wan2015."),
    data: list[str] = typer.Option(
        [], "--data", help="NAME=FOLDER with a folder a class, or labels.csv; repeat for more."
    ),
    out: Path = typer.Option(..., "--out", help="Folder for tables, plots and the page."),
    descriptors: str = typer.Option("classical", "--descriptors", help="classical or all."),
    quick: bool = typer.Option(False, "--quick", help="Fewer queries and rows: does it run?"),
    seed: int = typer.Option(0, "--seed", help="Of folds, queries and learners."),
    json: bool = Json,
) -> None:
    """Reproduce a paper's experiments."""
    if name not in STUDIES:
        raise UnknownName("study", name, STUDIES)
    module = importlib.import_module(f"saccade.studies.{name}")
    written = module.run(
        _folders(data), out=out, descriptors=descriptors, quick=quick, seed=seed, say=_say
    )
    if json:
        print_json({"study": name, "written": [str(path) for path in written]})
    else:
        for path in written:
            print(path)


def _folders(texts: list[str]) -> dict[str, Path]:
    if not texts:
        raise InvalidInput("no data: name a labelled folder, for instance --data corel1k=FOLDER")
    folders = {}
    for text in texts:
        name, equals, folder = text.partition("=")
        if not (name and equals and folder) or not name.replace("-", "").isalnum():
            raise InvalidInput(f"--data {text!r}: expected NAME=FOLDER, NAME in letters and digits")
        folders[name] = Path(folder)
    return folders


def _say(text: str) -> None:
    """Progress goes to standard error: standard output is for results."""
    print(text, file=sys.stderr, flush=True)
