"""Models, probes and distractors of a set, and their local features.

    model        the one picture of an object that is to be found
    probe        another view of it, which asks
    distractor   a picture that is neither: a row of that role, or any in a folder of distractors

A set with queries and galleries, as Holidays has them, is turned round as in the paper: its query
is the model, the others of the group are probes. In a set of classes alone, each a thing seen a few
times (`FEW` at most, in the middle), the first picture of a class by name is its model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, NotAnImage, SaccadeError
from saccade.scale.local import Crashed, cores, map_tasks
from saccade.studies.declaration import Say
from saccade.testbed.datasets import Dataset
from saccade.types import Skipped
from saccade.words import local_features

FEW = 30  # pictures of a class, up to which it may be one thing seen again
CHUNK = 200  # pictures described by one task, and kept in one file


@dataclass(frozen=True, slots=True)
class ProbeSides:
    """Files of models and distractors, of probes, and each probe's model; what was left out."""

    models: tuple[Path, ...]
    distractors: tuple[Path, ...]
    probes: tuple[Path, ...]
    truth: tuple[int, ...]  # places in `models`
    problems: tuple[str, ...] = ()


def why_not(dataset: Dataset) -> str:
    """Why a set has no models and probes; nothing where it has."""
    roles = dataset.roles()
    if "model" in roles and len(dataset.asking()):
        return ""
    if "query" in roles and "gallery" in roles:
        return ""
    if len(dataset.classes) > 1 and 2 <= _middle(dataset) <= FEW:
        return ""
    return (
        "it has no models and probes: a column `role` with model and probe, or classes of at most "
        f"{FEW} pictures, each of one thing"
    )


def _middle(dataset: Dataset) -> float:
    """How many pictures a class has, in the middle."""
    return float(np.median(np.unique(list(dataset.labels), return_counts=True)[1]))


def _asking(dataset: Dataset) -> tuple[list[int], list[int]]:
    """Rows of the models, and of the probes."""
    roles = dataset.roles()
    if "model" in roles:
        return roles["model"].tolist(), dataset.asking().tolist()
    if "query" in roles:
        return roles["query"].tolist(), roles["gallery"].tolist()
    by_name = sorted(range(len(dataset.files)), key=lambda row: str(dataset.files[row]))
    first: dict[str, int] = {}
    for row in by_name:
        first.setdefault(dataset.labels[row], row)
    models = sorted(first.values())
    return models, sorted({*by_name} - {*models})


def sides(dataset: Dataset, folders: Sequence[str] = ()) -> ProbeSides:
    """Who is to be found by whom. A probe without exactly one model is left out, with a word."""
    reason = why_not(dataset)
    if reason:
        raise InvalidInput(f"{dataset.folder}: {reason}")
    roles = dataset.roles()
    models, asking = _asking(dataset)
    places_of: dict[str, list[int]] = {}
    for place, row in enumerate(models):
        places_of.setdefault(dataset.labels[row], []).append(place)
    probes, truth, problems = [], [], list(dataset.problems)
    for row in asking:
        places = places_of.get(dataset.labels[row], [])
        if len(places) == 1:
            probes.append(dataset.files[row])
            truth.append(places[0])
        else:
            problems.append(f"left out: {dataset.files[row].name} has {len(places)} models")
    distractors = [dataset.files[row] for row in roles.get("distractor", np.zeros(0, int)).tolist()]
    distractors += [file for folder in folders for file in _files(folder, problems)]
    return ProbeSides(
        tuple(dataset.files[row] for row in models), tuple(distractors), tuple(probes),
        tuple(truth), tuple(problems),
    )  # fmt: skip


def _files(folder: str, problems: list[str]) -> Iterator[Path]:
    from saccade.images.scan import scan

    for file in scan(Path(folder)):
        if isinstance(file, Skipped):
            problems.append(f"left out: {file.path}: {file.reason}")
        else:
            yield file.path


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Pictures to describe, and the file that will hold their features."""

    files: tuple[str, ...]
    out: str


def features(
    files: Sequence[Path], folder: Path, *, say: Say
) -> tuple[list[NDArray[np.uint8]], list[str]]:
    """RootSIFT descriptors of each picture, [n, 128] each, and what could not be read.

    Kept in `folder`, some pictures to a file, so that an interrupted run goes on there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    chunks = [_chunk(files[start : start + CHUNK], folder) for start in range(0, len(files), CHUNK)]
    missing = [chunk for chunk in chunks if not Path(chunk.out).is_file()]
    done = len(chunks) - len(missing)
    work = map_tasks(f"{__name__}:describe", missing, workers=cores()) if missing else ()
    for chunk, answer in work:
        if isinstance(answer, Crashed):
            raise SaccadeError(
                f"a worker died with code {answer.code} over {chunk.files[0]} or the next ones",
                hint="run the same command again; what was finished is kept",
            )
        done += 1
        say(f"local features: {min(done * CHUNK, len(files))} of {len(files)} pictures")
    descriptors: list[NDArray[np.uint8]] = []
    problems: list[str] = []
    for chunk in chunks:
        with np.load(chunk.out, allow_pickle=False) as arrays:
            ends = np.cumsum(arrays["counts"])[:-1]
            descriptors += np.split(arrays["descriptors"], ends)
            problems += json.loads(arrays["problems"].tobytes())
    return descriptors, problems


def _chunk(files: Sequence[Path], folder: Path) -> _Chunk:
    names = [[str(file), file.stat().st_size, file.stat().st_mtime_ns] for file in files]
    text = json.dumps([names, local_features.VERSION, local_features.CAP])
    name = hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
    return _Chunk(tuple(map(str, files)), str(folder / f"{name}.npz"))


def describe(chunk: _Chunk) -> int:
    """Find and keep the features of some pictures, in whatever process this is."""
    import cv2

    from saccade.images.files import read_file
    from saccade.scale.decoding import decode

    cv2.setNumThreads(1)  # the crew has a process for every core
    descriptors, problems = [], []
    for file in chunk.files:
        try:
            descriptors.append(local_features.extract(decode(read_file(file)).picture).descriptors)
        except (NotAnImage, OSError) as problem:
            descriptors.append(local_features.empty(0, 0).descriptors)
            problems.append(f"{file}: {problem}")
    out = Path(chunk.out)
    draft = out.with_name(f".{out.name}")
    with draft.open("wb") as stream:
        np.savez(
            stream,
            descriptors=np.concatenate(descriptors),
            counts=np.array([len(one) for one in descriptors], np.int64),
            problems=np.frombuffer(json.dumps(problems).encode(), np.uint8),
        )
    draft.replace(out)
    return len(descriptors)


def digest(values: object) -> str:
    """A short name for plain values."""
    return hashlib.blake2b(json.dumps(values).encode(), digest_size=12).hexdigest()
