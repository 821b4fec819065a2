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
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.errors import SaccadeError
from saccade.kernels.ragged import offsets_of
from saccade.scale.local import Crashed, cores, map_tasks
from saccade.studies.declaration import Data, Options, Say
from saccade.studies.hu2008 import keywords
from saccade.studies.hu2008.pictures import JUNK, Plan, plans, render
from saccade.testbed import datasets
from saccade.types import Array

VERSION = 6  # raised whenever regions or their features change
_AT_ONCE = 8

Floats = NDArray[np.float32]
_NOWHERE = np.zeros(0, np.float32)  # inside, where the truth is not known


@dataclass(frozen=True, slots=True, eq=False)
class DescribedPicture:
    """One graded picture as numbers."""

    plan: Plan
    rows: Floats
    crops: Floats
    whole: Floats
    areas: Floats
    inside: Floats  # nothing where the truth is not known
    salient: float
    thing: float  # share of the picture that is the true thing, or an estimate of it


def describe(some: Sequence[Plan]) -> list[DescribedPicture]:
    """What a worker does with a few pictures."""
    return [_described(plan) for plan in some]


def _described(plan: Plan) -> DescribedPicture:
    import cv2

    from saccade import descriptors
    from saccade.descriptors.regions import describe_regions
    from saccade.images.picture import ArrayPicture
    from saccade.images.regions import regions_of, segment
    from saccade.images.saliency import saliency

    cv2.setNumThreads(1)
    picture, mask = render(plan)
    labels = segment(picture)
    regions = regions_of(labels)
    boxes = [region.box for region in regions]
    parts = [ArrayPicture(picture.rgb[a:c, b:d]) for a, b, c, d in boxes]
    crops = descriptors.make("embedding").describe(parts)
    inside, salient, thing = _NOWHERE, np.nan, np.nan
    if mask is not None:
        inside = np.array([mask[labels == region.label].mean() for region in regions], np.float32)
        where = saliency(picture)
        salient = float(where[mask].sum() / max(float(where.sum()), 1e-9))
        thing = float(mask.mean())
    areas = np.array([region.area for region in regions], np.float32)
    if plan.kinds and plan.grade > JUNK:
        thing = keywords.covered(crops, areas, np.load(plan.kinds, allow_pickle=False), plan.kind)
    return DescribedPicture(
        plan,
        describe_regions(picture, labels),
        crops,
        describe_regions(picture, np.zeros_like(labels))[0],
        areas,
        inside,
        salient,
        thing,
    )


def planned(data: Data, options: Options) -> list[Plan]:
    """Every graded picture of every concept of a prepared set."""
    dataset = datasets.load(data.folder)
    if keywords.applies(dataset):
        return keywords.plans(data, dataset, options)
    return plans(dataset, options)


def prepare(data: Data, options: Options, say: Say) -> list[str]:
    """Describe what is not described yet, with all cores; gives back the set's own problems."""
    dataset = datasets.load(data.folder)
    problems = list(dataset.problems)
    if keywords.applies(dataset):
        problems = keywords.prepare(data, dataset, options, say)
    wanted = planned(data, options)
    file = _file(data, wanted)
    if not file.exists():
        say(f"regions of {len(wanted)} pictures of {data.folder}")
        file.parent.mkdir(parents=True, exist_ok=True)
        _save(file, _all(wanted))
    return problems


def _all(wanted: Sequence[Plan]) -> list[DescribedPicture]:
    """Each picture once: where a photograph is junk it is described as where it is not."""
    # Sorted so that of a file's plans the one that knows its thing comes last, and stays.
    by_file = {plan.file: plan for plan in sorted(wanted, key=lambda plan: plan.grade)}
    same = {plan: by_file[plan.file] if plan.kinds else plan for plan in wanted}
    alone = list(dict.fromkeys(same.values()))
    tasks = [tuple(alone[i : i + _AT_ONCE]) for i in range(0, len(alone), _AT_ONCE)]
    by_plan: dict[Plan, DescribedPicture] = {}
    workers = min(cores(), len(tasks))
    name = "saccade.studies.hu2008.regions:describe"
    for task, answer in map_tasks(name, tasks, workers=workers):
        if isinstance(answer, Crashed):
            raise SaccadeError(f"a worker died over the regions of {task[0].file}")
        by_plan |= {one.plan: one for one in answer}
    return [
        by_plan[plan] if same[plan] == plan
        else replace(by_plan[same[plan]], plan=plan, thing=np.nan)
        for plan in wanted
    ]  # fmt: skip


def _file(data: Data, wanted: Sequence[Plan]) -> Path:
    """Named by what it holds: other plans or another version are another file."""
    whole = json.dumps([VERSION, *map(asdict, wanted)], sort_keys=True)
    store = Path(data.store)
    digest = hashlib.sha256(whole.encode()).hexdigest()[:12]
    return store.with_name(f"{store.stem}-regions-{digest}.npz")


def _save(file: Path, pictures: Sequence[DescribedPicture]) -> None:
    arrays: dict[str, Array] = {
        "starts": offsets_of([len(one.rows) for one in pictures]),
        "rows": np.concatenate([one.rows for one in pictures]),
        "crops": np.concatenate([one.crops for one in pictures]).astype(np.float16),
        "whole": np.stack([one.whole for one in pictures]),
        "areas": np.concatenate([one.areas for one in pictures]),
        "known": np.array([len(one.inside) > 0 for one in pictures]),
        "inside": np.concatenate([one.inside for one in pictures]),
        "salient": np.array([one.salient for one in pictures]),
        "thing": np.array([one.thing for one in pictures]),
    }
    partial = file.with_name(f".{file.name}.part")
    with partial.open("wb") as stream:
        np.savez(stream, **arrays)  # type: ignore[arg-type]
    partial.replace(file)


@lru_cache(maxsize=1)
def load(data: Data, options: Options) -> dict[str, tuple[DescribedPicture, ...]]:
    """The described pictures of each concept; the tasks of a worker share them."""
    wanted = planned(data, options)
    with np.load(_file(data, wanted), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    starts, at = arrays["starts"], 0
    concepts: dict[str, list[DescribedPicture]] = {}
    for i, plan in enumerate(wanted):
        part = slice(int(starts[i]), int(starts[i + 1]))
        inside = _NOWHERE
        if arrays["known"][i]:
            inside = arrays["inside"][at : at + part.stop - part.start]
            at += len(inside)
        one = DescribedPicture(
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
    every = {concept: _graded(pictures) for concept, pictures in concepts.items()}
    return {
        concept: pictures
        for concept, pictures in every.items()
        if keywords.enough([one.plan for one in pictures])
    }


def _graded(pictures: Sequence[DescribedPicture]) -> tuple[DescribedPicture, ...]:
    plans = keywords.graded([one.plan for one in pictures], [one.thing for one in pictures])
    return tuple(replace(one, plan=plan) for one, plan in zip(pictures, plans, strict=True))
