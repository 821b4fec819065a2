"""SIGKILL at any moment, many times over the life of one store: what was acknowledged stays.

    python tests/support/kills.py [--kills 200] [--seed 0] [--json]

A process searches, marks, prefers, takes back, saves, indexes and forgets; it writes down what it
is about to do and what was done. It is killed with all its helpers after some acts, amid the next.
Another process opens the store and looks: every acknowledged picture, mark, saved name and
forgetting is there, the log replayed gives the live models, and the doctor finds nothing lost.
Processes are forked from one that has loaded everything and opened nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from inside import log_of
from saccade.engine import Engine
from saccade.errors import NothingToUndo
from saccade.testbed import worlds

RECIPE = "color-histogram,lbp"
USERS = ("ana", "bob", "eva")
ACTS = {"react": 50, "prefer": 15, "undo": 12, "save": 10, "add": 8, "forget": 5}
DOCTOR = 10  # one kill of so many is followed by a whole check-up
FIRST = 12


@dataclass
class Promised:
    """What was acknowledged, over all kills."""

    images: int = 0
    said: dict[str, set[str]] = field(default_factory=dict)  # user -> pages judged
    saved: dict[str, set[str]] = field(default_factory=dict)
    doubtful: str = ""  # a user who was being forgotten when the process died

    def hear(self, lines: list[dict[str, Any]]) -> None:
        """Take in what one process wrote down."""
        self.doubtful = ""
        for line in lines:
            user = line["user"]
            if line["what"] == "about":
                self.doubtful = user if line["act"] == "forget" else ""
                continue
            self.doubtful = ""
            self.images = max(self.images, line.get("images", 0))
            if line["act"] in ("react", "prefer"):
                self.said.setdefault(user, set()).add(line["page"])
            elif line["act"] == "save":
                self.saved.setdefault(user, set()).add(line["name"])
            elif line["act"] == "forget":
                self.said.pop(user, None)
                self.saved.pop(user, None)


def live(store: Path, pictures: list[Path], mine: Path, seed: int, out: int) -> None:
    """Act until killed."""
    chance = Random(seed)

    def write(what: str, **facts: Any) -> None:
        os.write(out, (json.dumps({"what": what, **facts}) + "\n").encode())

    with Engine(store, warm=False) as engine:
        while True:
            (act,) = chance.choices(list(ACTS), list(ACTS.values()))
            user = chance.choice(USERS)
            write("about", act=act, user=user)
            done = acted(engine, act, user, chance, pictures, mine)
            write("done", act=act, user=user, **done)


def acted(
    engine: Engine, act: str, user: str, chance: Random, pictures: list[Path], mine: Path
) -> dict[str, Any]:
    """One act; returns what it promises."""
    if act == "undo":
        with suppress(NothingToUndo):
            engine.undo(user)
        return {}
    if act == "forget":
        with suppress(LookupError):
            engine.forget(user)
        return {}
    if act == "add":
        for path in pictures[: len(engine) + chance.randrange(1, 4)]:
            shutil.copy(path, mine / path.name)
        engine.add(mine, workers=1)
        return {"images": len(engine)}
    page = engine.search(chance.choice(engine.images()).image_id, user=user, k=6)
    first, second = chance.sample(page.hits, 2)
    if act == "save":
        name = f"search {chance.randrange(1000)}"
        engine.sessions.save(page, name)
        return {"name": name}
    if act == "prefer":
        engine.prefer(page, better=first, worse=second)
    else:
        engine.react(page, liked=[first], disliked=[second])
    return {"page": page.page_id}


def looked(store: Path, promised: Promised, *, whole: bool) -> dict[str, Any]:
    """What is wrong with the store, nothing where all is well; and what it holds."""
    with Engine(store, warm=False) as engine:
        return {"wrong": problem(engine, promised, whole=whole), **held(engine)}


def problem(engine: Engine, promised: Promised, *, whole: bool) -> str:
    """Whatever is not as it was acknowledged."""
    if len(engine) < promised.images:
        return f"{len(engine)} images of {promised.images}"
    if engine.lost():
        return f"{engine.lost()} events lost"
    pages: dict[str, list[str]] = {}
    for entry in log_of(engine):
        if entry.kind in ("reacted", "preferred"):
            pages.setdefault(entry.user, []).append(entry.page_id)
    for user in USERS:
        there = pages.get(user, [])
        if user == promised.doubtful and not there:
            continue  # forgotten, though nobody was told any more
        if len(set(there)) != len(there):
            return f"an event of {user} is there twice"
        lost = promised.said.get(user, set()) - set(there)
        names = {one.name for one in engine.sessions.list(user)}
        lost |= promised.saved.get(user, set()) - names
        if lost:
            return f"of {user}, {len(lost)} acknowledged things are gone: {sorted(lost)[0]}"
        if len(there) > len(promised.said.get(user, ())) + 1:
            return f"{user} said {len(there)} things, {len(promised.said.get(user, ()))} known"
    if engine.digest != engine.replay():
        return "the log replayed gives other models"
    if whole:
        engine.doctor(repair=True)  # an interrupted indexing leaves files nobody names
        return "; ".join(f"{found.place}: {found.problem}" for found in engine.doctor())
    return ""


def held(engine: Engine) -> dict[str, Any]:
    """What is there: what was done and not acknowledged any more is known from now on, too."""
    said: dict[str, list[str]] = {user: [] for user in USERS}
    for entry in log_of(engine):
        if entry.kind in ("reacted", "preferred"):
            said[entry.user].append(entry.page_id)
    saved = {user: [one.name for one in engine.sessions.list(user)] for user in USERS}
    return {"said": said, "saved": saved, "images": len(engine)}


def forked(act: Any) -> Any:
    """What a function gives in a process of its own, by way of JSON."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.close(read)
        try:
            answer = json.dumps(act())
        except BaseException as error:
            answer = json.dumps({"failed": f"{type(error).__name__}: {error}"})
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as stream:
        data = stream.read()
    os.waitpid(child, 0)
    answer = json.loads(data)
    if isinstance(answer, dict) and "failed" in answer:
        raise SystemExit(answer["failed"])
    return answer


def killed(store: Path, pictures: list[Path], mine: Path, chance: Random) -> list[dict[str, Any]]:
    """Let a process live for some acts, kill it amid the next; returns what it wrote down."""
    read, write = os.pipe()
    seed, acts = chance.randrange(2**31), chance.randrange(0, 9)
    pause = chance.uniform(0.0, 0.03)
    child = os.fork()
    if not child:
        os.setsid()  # with its helpers, so that they die with it
        try:
            live(store, pictures, mine, seed, write)
        finally:
            os._exit(1)
    os.close(write)
    heard = b""
    with os.fdopen(read, "rb", buffering=0) as stream:
        while heard.count(b'"what": "done"') < acts or not heard:
            some = stream.read(65536)
            if not some:
                break
            heard += some
        time.sleep(pause)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        heard += stream.read() or b""
    if os.WIFEXITED(status):
        raise SystemExit(f"the process ended by itself after {heard[-400:]!r}")
    whole = heard[: heard.rfind(b"\n") + 1]
    return [json.loads(line) for line in whole.splitlines()]


def run(place: Path, kills: int, seed: int) -> dict[str, Any]:
    """Kill so many times; returns what was counted and what was wrong."""
    chance = Random(seed)

    def draw() -> None:
        worlds.write(place / "world", images=90, seed=6, size=(48, 36))

    forked(draw)  # threads of a library that drew would not live on in a fork
    pictures = sorted(path for path in (place / "world").rglob("*") if path.is_file())
    store, mine = place / "killed.saccade", place / "mine"
    mine.mkdir()
    for path in pictures[:FIRST]:
        shutil.copy(path, mine / path.name)

    def begin() -> int:
        with Engine(store, warm=False) as engine:
            engine.add(mine, recipe=RECIPE, workers=1)
            return len(engine)

    promised = Promised(images=forked(begin))
    amid: Counter[str] = Counter()
    wrong, acknowledged = [], 0
    for number in range(1, kills + 1):
        lines = killed(store, pictures, mine, chance)
        amid[lines[-1]["act"] if lines and lines[-1]["what"] == "about" else "between"] += 1
        acknowledged += sum(line["what"] == "done" for line in lines)
        promised.hear(lines)
        now = forked(partial(looked, store, promised, whole=number % DOCTOR == 0))
        if now["wrong"]:
            wrong.append(f"kill {number}: {now['wrong']}")
        promised = Promised(
            images=now["images"],
            said={user: set(pages) for user, pages in now["said"].items()},
            saved={user: set(names) for user, names in now["saved"].items()},
        )
        if number % 50 == 0:
            print(f"{number} of {kills}", file=sys.stderr)
    return {
        "kills": kills,
        "acknowledged": acknowledged,
        "amid": dict(sorted(amid.items())),
        "images": promised.images,
        "wrong": wrong,
    }


def main() -> None:
    """Kill, look, count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        result = run(Path(scratch), options.kills, options.seed)
    print(json.dumps(result, indent=2) if options.json else result)
    sys.exit(bool(result["wrong"]))


if __name__ == "__main__":
    main()
