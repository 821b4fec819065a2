"""Regions of every graded picture, described once and kept beside the set's store.

rows     [regions, 201]   the paper's features: correlogram, moments, Gabor texture
crops    [regions, 1280]  an embedding of each region's box, ours
whole    [201]            the same features of the whole picture, one region
areas    [regions]        share of the picture
inside   [regions]        share of the region that lies in the true thing, where it is known
salient  number           share of the saliency that lies in it
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import SaccadeError
from saccade.kernels.ragged import offsets_of
from saccade.scale.local import Crashed, cores, map_tasks
from saccade.studies.declaration import Data, Options, Say
from saccade.studies.hu2008.pictures import Plan, plans, render
from saccade.testbed import datasets

VERSION = 1  # raised whenever regions or their features change
_AT_ONCE = 8

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """One graded picture as numbers."""

    plan: Plan
    rows: Floats
    crops: Floats
    whole: Floats
    areas: Floats
    inside: Floats  # nothing where the truth is not known
    salient: float
    thing: float  # share of the picture that is the true thing


def describe(some: Sequence[Plan]) -> list[Described]:
    """What a worker does with a few pictures."""
    return [_described(plan) for plan in some]


def _described(plan: Plan) -> Described:
    import cv2

    from saccade import descriptors
    from saccade.descriptors.regions import describe_regions
    from saccade.images.picture import ArrayPicture
    from saccade.images.regions import regions_of, segment
    from saccade.images.saliency import saliency

    cv2.setNumThreads(1)
    picture, mask = render(plan)
    labels = segment(picture)
    found = regions_of(labels)
    boxes = [region.box for region in found]
    crops = [ArrayPicture(picture.rgb[a:c, b:d]) for a, b, c, d in boxes]
    inside, salient, thing = np.zeros(0, np.float32), np.nan, np.nan
    if mask is not None:
        inside = np.array([mask[labels == region.label].mean() for region in found], np.float32)
        where = saliency(picture)
        salient = float(where[mask].sum() / max(float(where.sum()), 1e-9))
        thing = float(mask.mean())
    return Described(
        plan,
        describe_regions(picture, labels),
        descriptors.make("embedding").describe(crops),
        describe_regions(picture, np.zeros_like(labels))[0],
        np.array([region.area for region in found], np.float32),
        inside,
        salient,
        thing,
    )


def prepare(data: Data, options: Options, say: Say) -> list[str]:
    """Describe what is not described yet, with all cores; gives back the set's own problems."""
    dataset = datasets.load(data.folder)
    wanted = plans(dataset, options)
    file = _file(data, wanted)
    if not file.exists():
        say(f"regions of {len(wanted)} pictures of {data.folder}")
        file.parent.mkdir(parents=True, exist_ok=True)
        _save(file, _all(wanted))
    return list(dataset.problems)


def _all(wanted: Sequence[Plan]) -> list[Described]:
    tasks = [tuple(wanted[i : i + _AT_ONCE]) for i in range(0, len(wanted), _AT_ONCE)]
    found: dict[Plan, Described] = {}
    workers = min(cores(), len(tasks))
    name = "saccade.studies.hu2008.regions:describe"
    for task, answer in map_tasks(name, tasks, workers=workers):
        if isinstance(answer, Crashed):
            raise SaccadeError(f"a worker died over the regions of {task[0].file}")
        found |= {one.plan: one for one in answer}
    return [found[plan] for plan in wanted]


def _file(data: Data, wanted: Sequence[Plan]) -> Path:
    """Named by what it holds: other plans or another version are another file."""
    whole = json.dumps([VERSION, *map(asdict, wanted)], sort_keys=True)
    store = Path(data.store)
    digest = hashlib.sha256(whole.encode()).hexdigest()[:12]
    return store.with_name(f"{store.stem}-regions-{digest}.npz")


def _save(file: Path, found: Sequence[Described]) -> None:
    arrays: dict[str, NDArray[Any]] = {
        "starts": offsets_of([len(one.rows) for one in found]),
        "rows": np.concatenate([one.rows for one in found]),
        "crops": np.concatenate([one.crops for one in found]).astype(np.float16),
        "whole": np.stack([one.whole for one in found]),
        "areas": np.concatenate([one.areas for one in found]),
        "known": np.array([len(one.inside) > 0 for one in found]),
        "inside": np.concatenate([one.inside for one in found]),
        "salient": np.array([one.salient for one in found]),
        "thing": np.array([one.thing for one in found]),
    }
    partial = file.with_name(f".{file.name}.part")
    with partial.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]
    partial.replace(file)


@lru_cache(maxsize=1)
def load(data: Data, options: Options) -> dict[str, tuple[Described, ...]]:
    """The described pictures of each concept; the tasks of a worker share them."""
    wanted = plans(datasets.load(data.folder), options)
    with np.load(_file(data, wanted), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    starts, at = arrays["starts"], 0
    concepts: dict[str, list[Described]] = {}
    for i, plan in enumerate(wanted):
        part = slice(int(starts[i]), int(starts[i + 1]))
        inside = np.zeros(0, np.float32)
        if arrays["known"][i]:
            inside = arrays["inside"][at : at + part.stop - part.start]
            at += len(inside)
        one = Described(
            plan,
            arrays["rows"][part],
            arrays["crops"][part].astype(np.float32),
            arrays["whole"][i],
            arrays["areas"][part],
            inside,
            float(arrays["salient"][i]),
            float(arrays["thing"][i]),
        )
        concepts.setdefault(plan.concept, []).append(one)
    return {concept: tuple(found) for concept, found in concepts.items()}
