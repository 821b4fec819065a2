"""`saccade features`: the ranking features of a query, or of labelled queries as a LETOR file."""

from __future__ import annotations

import csv
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, opened, print_json, progress

if TYPE_CHECKING:
    from saccade.engine import Engine, Watch


class Set(StrEnum):
    """Feature sets."""

    li2012 = "li2012"


def features(
    query: str = typer.Argument(None, help="A picture: its path or image id."),
    store: Path = Store,
    set_: Set = typer.Option(Set.li2012, "--set", help="Which features."),
    labels: Path = typer.Option(
        None, "--labels", help="A CSV file with the columns query, image, grade."
    ),
    letor: Path = typer.Option(None, "--letor", help="Write the labelled rows to this LETOR file."),
    k: int = typer.Option(10, "-k", min=1, help="How many images to show, by vsm."),
    json: bool = Json,
) -> None:
    """Compute ranking features of every image for a query.

    With --labels and --letor, write one line for each labelled pair of query and image: what
    `saccade rank` learns from. Pictures are named by path or image id.
    """
    from saccade.errors import InvalidInput

    if (query is None) == (labels is None) or (labels is None) != (letor is None):
        raise InvalidInput(
            "give one picture, or both --labels FILE and --letor FILE",
            hint="`saccade features photo.jpg`",
        )
    with opened(store, warm=False) as engine, progress() as watch:
        if labels is None:
            _show(engine, query, k, json, watch)
        else:
            _write(engine, labels, letor, watch)


def _show(engine: Engine, query: str, k: int, json: bool, watch: Watch) -> None:
    table = engine.library.features(query, watch=watch)
    order = sorted(range(len(table.images)), key=lambda i: -float(table.phi[i, 0]))[:k]
    rows = [{"image_id": table.images[i], "phi": table.phi[i].tolist()} for i in order]
    if json:
        print_json({"set": Set.li2012.value, "names": table.names, "images": rows})
        return
    shown = (
        "whole:vsm",
        "whole:bm25",
        "whole:common-words",
        "pagerank:embedding",
        "pagerank:words",
    )
    columns = [table.names.index(name) for name in shown]
    print("  ".join(f"{name:>18}" for name in shown))
    for i in order:
        values = "  ".join(f"{table.phi[i, column]:18.4f}" for column in columns)
        print(f"{values}  {engine.image(table.images[i]).paths[0]}")


def _write(engine: Engine, labels: Path, letor: Path, watch: Watch) -> None:
    import numpy as np

    from saccade.testbed.letor import write

    parts, grades, groups, comments = [], [], [], []
    for number, (query, judged) in enumerate(_labels(labels).items(), 1):
        table = engine.library.features(query, watch=watch)
        place = {image: i for i, image in enumerate(table.images)}
        for image, grade in judged:
            parts.append(table.phi[place[engine.library.find(image).image_id]])
            grades.append(grade)
            groups.append(number)
            comments.append(f" {query} {image}")
    write(letor, np.array(parts), np.array(grades), np.array(groups), comments=comments)
    print(f"{letor}: {len(parts):,} rows of {max(groups):,} queries")


def _labels(path: Path) -> dict[str, list[tuple[str, int]]]:
    """Judged images by query, in the order of the file."""
    from saccade.errors import InvalidInput, NotFound

    by_query: dict[str, list[tuple[str, int]]] = {}
    try:
        with path.open(newline="", encoding="utf-8") as file:
            for line, row in enumerate(csv.DictReader(file), 2):
                grade = _grade(row, f"{path}, line {line}")
                by_query.setdefault(row["query"], []).append((row["image"], grade))
    except OSError as error:
        raise NotFound(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is no UTF-8 text", hint="save it as CSV in UTF-8") from error
    if not by_query:
        raise InvalidInput(f"{path} has no labelled rows", hint="its columns: query, image, grade")
    return by_query


def _grade(row: dict[str, str], where: str) -> int:
    from saccade.errors import InvalidInput

    if not row.get("query") or not row.get("image"):
        raise InvalidInput(f"{where}: query and image must be named", hint="query,image,grade")
    try:
        grade = int(row["grade"])
    except (KeyError, TypeError, ValueError):
        raise InvalidInput(f"{where}: the grade {row.get('grade')!r} is no whole number") from None
    if grade < 0:
        raise InvalidInput(f"{where}: the grade {grade} is below 0")
    return grade
