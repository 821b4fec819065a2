"""Cuts the power at some point of a recorded life, and looks whether the store is well."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from powerloss.disk import FATES, Disk, put
from powerloss.recorder import Step, record
from powerloss.workload import STORE
from promises import counted, unsound


@dataclass(frozen=True, slots=True)
class Life:
    """A recorded life: its steps, and where it was lived."""

    root: Path
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found after one cut; `wrong` is empty when all is well."""

    cut: int
    fate: str
    during: str
    wrong: str = ""


def lived(place: Path, pictures: Path) -> Life:
    """Live the life of `workload` under the recorder."""
    root = place.resolve() / "disk"
    root.mkdir()
    script = Path(__file__).with_name("workload.py")
    steps = record([sys.executable, str(script), str(root), str(pictures)], root)
    # What was deleted in the course of it is there again: at an early cut it still was.
    for path in pictures.rglob("*"):
        if path.is_file():
            shutil.copy(path, root.parent / "mine" / path.name)
    return Life(root, tuple(steps))


def differences(life: Life) -> list[str]:
    """Paths where replaying every step gives other bytes than the program left behind."""
    disk = _disk(life, len(life.steps))
    found = disk.whole()
    real = {str(path): path for path in life.root.rglob("*")}
    wrong = sorted(set(real) ^ (set(found) - {str(life.root)}))
    for path, data in found.items():
        # Shared memory of SQLite is written without a call, and made anew after a crash.
        seen = data is not None and path in real and not path.endswith("-shm")
        if seen and real[path].read_bytes() != data:
            wrong.append(path)
    return wrong


def cuts(life: Life, count: int, seed: int = 0) -> Iterator[tuple[int, str]]:
    """`count` places and fates: every place with every fate, in an order of chance, then again."""
    chance = Random(seed)
    # Before a change and after it are the same as after the one before.
    places = [at for at, step in enumerate(life.steps, 1) if step.kind != "mark"]
    every = [(at, fate) for at in places for fate in FATES]
    while count > 0:
        chance.shuffle(every)
        yield from every[:count]
        count -= len(every)


def trial(life: Life, cut: int, fate: str, place: Path, seed: int = 0) -> Outcome:
    """Lose power after `cut` steps; is what was acknowledged there, and can the doctor finish?"""
    before, after = _promises(life.steps, cut)
    during = after["act"] if after else "closed"
    found = _disk(life, cut).after_power_loss(fate, Random(seed * 1_000_003 + cut))
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    put(found, str(life.root), place)
    try:
        wrong = _judged(place / STORE, before, after)
    except Exception as error:
        wrong = f"{type(error).__name__}: {error}"
    return Outcome(cut, fate, during, wrong)


def _disk(life: Life, cut: int) -> Disk:
    disk = Disk(str(life.root))
    disk.take(Step("mkdir", str(life.root)))
    disk.take(Step("sync", str(life.root.parent)))
    for step in life.steps[:cut]:
        disk.take(step)
    return disk


def _promises(steps: Sequence[Step], cut: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was acknowledged last before the cut, and what comes next."""
    marks = [(at, json.loads(step.data)) for at, step in enumerate(steps) if step.kind == "mark"]
    before = [said for at, said in marks if at < cut]
    after = [said for at, said in marks if at >= cut]
    return (before[-1] if before else {}), (after[0] if after else {})


def _judged(store: Path, before: dict[str, Any], after: dict[str, Any]) -> str:
    from saccade.engine import Engine

    if not before and not store.exists():
        return ""  # it was never promised
    with Engine(store, create=not before, warm=False) as engine:
        wrong = _compared(engine, before, after or before)
        if wrong:
            return wrong
        engine.library.doctor(repair=True)
        left = [finding for finding in engine.library.doctor() if finding.rebuildable]
        if left:
            return f"not repaired: {left[0].place}: {left[0].problem}"
        return _compared(engine, before, after or before)


def _compared(engine: Any, before: dict[str, Any], after: dict[str, Any]) -> str:
    """What is neither as it was acknowledged nor as it was about to be."""
    images = [said.get("images", 0) for said in (before, after)]
    if not min(images) <= len(engine) <= max(images):
        return f"{len(engine)} images, of {images[0]} acknowledged"
    there = counted(engine)
    for user in {*there, *before.get("said", {}), *after.get("said", {})}:
        kinds = [state.get("said", {}).get(user, {}) for state in (before, after)]
        for kind in {*there.get(user, {}), *kinds[0], *kinds[1]}:
            said = [one.get(kind, 0) for one in kinds]
            number = there.get(user, {}).get(kind, 0)
            if not min(said) <= number <= max(said):
                return f"{number} × {kind} of {user or 'nobody'}, of {said[0]} acknowledged"
    return unsound(engine)
