"""The kinds of job there are, each with its words and its work.

index           bring the collection up to date with a folder
reindex         the same with every folder that was ever added
remove          take a folder's pictures out of the collection; the files stay
pictures        take in those that were sent under ids, take out those that are to go
recipe          compute other descriptors, or no longer some: "+gist-color,-lbp"
regions         cut pictures into regions: the recipe "+regions"
configurations  train the vocabularies that configurations still lack
backup          copy the store to a new place, verified
move            catalog and log into another database, and back
study           a paper's experiments, into a folder; another process knows them
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from saccade.engine.progress import Progress, Watch
from saccade.engine.rooms.jobs import JobKind
from saccade.engine.rooms.library import Library
from saccade.engine.rooms.pictures import PicturesById
from saccade.errors import InvalidInput, SaccadeError
from saccade.images.scan import scan
from saccade.scale.processes import start
from saccade.store.moving import kept_address
from saccade.types import AddReport, Spec

SHOWN = 20
"""Files left out that a result names."""
STUDY_PROCESS = "saccade.studies.job"
"""What performs studies: above this package, so it is known by name alone."""
A_LOOK = 0.5
"""Seconds between two looks whether a study is still wanted."""
GRACE = 5.0
"""Seconds that a study which is not wanted any more may take for its end."""

Trained = Callable[[Watch], Mapping[str, int]]


def kinds(library: Library, pictures: PicturesById, train: Trained) -> dict[str, JobKind]:
    """Every kind of job over one open store; `train` trains what configurations lack."""

    def index(spec: Spec, watch: Watch) -> dict[str, object]:
        more = {"prune": spec.get("prune", False), "recipe": spec.get("recipe")}
        return summary(library.add(spec["folder"], watch=watch, **more))

    def reindex(spec: Spec, watch: Watch) -> dict[str, object]:
        reports = library.refresh(prune=spec.get("prune", False), watch=watch)
        return {folder: summary(report) for folder, report in reports.items()}

    def recipe(spec: Spec, watch: Watch) -> dict[str, object]:
        library.compute(spec["recipe"], watch=watch)
        return {"descriptors": list(library.report().descriptors)}

    def checked_recipe(spec: Spec) -> Spec:
        library.check_recipe(spec["recipe"])
        return spec

    def regions(spec: Spec, watch: Watch) -> dict[str, object]:
        return recipe({"recipe": "+regions"}, watch)

    return {
        "index": JobKind(
            "bring the collection up to date with a folder",
            index,
            {"folder": str, "prune": bool, "recipe": str},
            frozenset({"folder"}),
            _folder,
        ),
        "reindex": JobKind(
            "bring the collection up to date with every folder of it", reindex, {"prune": bool}
        ),
        "remove": JobKind(
            "take a folder's pictures out of the collection; the files stay",
            lambda spec, watch: {"left": library.remove(spec["folder"])},
            {"folder": str},
            frozenset({"folder"}),
        ),
        "pictures": JobKind(
            "take in pictures that were sent under ids, take out those that are to go",
            lambda spec, watch: pictures.take_in(watch),
            joins=False,  # it may have looked already
        ),
        "recipe": JobKind(
            "compute other descriptors, or no longer some: +gist-color,-lbp",
            recipe,
            {"recipe": str},
            frozenset({"recipe"}),
            checked_recipe,
        ),
        "regions": JobKind("cut pictures into regions", regions),
        "configurations": JobKind(
            "train the vocabularies that configurations still lack",
            lambda spec, watch: dict(train(watch)),
        ),
        "backup": JobKind(
            "copy the store to a new place, verified",
            lambda spec, watch: {"place": str(library.backup(spec["place"]))},
            {"place": str},
            frozenset({"place"}),
            _new_place,
        ),
        "move": JobKind(
            "move catalog and log into PostgreSQL, or back to sqlite",
            lambda spec, watch: asdict(library.move(spec["to"], watch=watch)),
            {"to": str},
            frozenset({"to"}),
            _database,
            moves=True,
        ),
        "study": JobKind(
            "reproduce a paper's experiments; tables, plots and a page go to a place",
            performed,
            {"study": str, "data": list, "place": str, "quick": bool},
            frozenset({"study", "place"}),
            _study,
        ),
    }


def performed(spec: Spec, watch: Watch) -> dict[str, object]:
    """A study, in a process that may import what knows it."""
    process = start(STUDY_PROCESS)
    try:
        process.line.send_bytes(json.dumps(spec).encode())
        done, total = 0, 0
        while True:
            watch(Progress("study", done, total))
            if not process.line.poll(A_LOOK):
                continue
            message = json.loads(process.line.recv_bytes())
            if "written" in message:
                return dict(message)
            if "error" in message:
                raise InvalidInput(message["error"])
            done, total = message["done"], message["total"]
    except (EOFError, OSError):
        code = process.kill(after=GRACE)
        raise SaccadeError(f"the process of the study ended by itself ({code})") from None
    finally:
        process.kill(after=GRACE)


def summary(report: AddReport) -> dict[str, object]:
    """What became of a folder, in few words: of the files left out the first ones."""
    short = {**asdict(report), "vanished": len(report.vanished), "skipped": len(report.skipped)}
    short["left_out"] = [asdict(one) for one in report.skipped[:SHOWN]]
    short["problems"] = [asdict(one) for one in report.problems[:SHOWN]]
    return short


def _folder(spec: Spec) -> Spec:
    """A folder by its whole path: where a job is done is not where it was asked for."""
    place = os.path.abspath(Path(spec["folder"]).expanduser())
    if os.path.dirname(place) == place:
        raise InvalidInput(f"{place} is the whole disk", hint="name a folder of pictures")
    scan(place)
    return {**spec, "folder": place}


def _study(spec: Spec) -> Spec:
    place = Path(spec["place"]).expanduser().absolute()
    if place.exists() and not place.is_dir():
        raise InvalidInput(f"{place} is no folder", hint="name a folder for the results")
    for text in spec.get("data", ()):
        name, _, folder = text.partition("=") if isinstance(text, str) else ("", "", "")
        if not (name and folder) or not Path(folder).expanduser().is_dir():
            raise InvalidInput(f"data {text!r}: expected NAME=FOLDER, a folder that is there")
    return {**spec, "place": str(place)}


def _database(spec: Spec) -> Spec:
    """An address without a password: what a job is asked for with is kept, and shown."""
    return {**spec, "to": kept_address(spec["to"])}


def _new_place(spec: Spec) -> Spec:
    place = Path(spec["place"]).expanduser().absolute()
    if place.exists():
        raise InvalidInput(f"{place} exists already", hint="give the copy a name of its own")
    return {**spec, "place": str(place)}
