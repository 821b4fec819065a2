"""SIGKILL at any moment, many times over the life of one store: what was acknowledged stays.

    python tests/endurance/kills.py [--kills 200] [--minutes M] [--seed 0] [--save results]

A process searches, marks, prefers, takes back, saves, labels, compares, grades, tags, indexes and
forgets; it writes down what it is about to do and what was done. It is killed with all its helpers
after some acts, amid the next. Another process opens the store and looks: every acknowledged
picture and event is there, no file holds the name of someone forgotten, the log replayed gives the
live models, and neither store nor doctor finds anything damaged. Processes are forked from one that
has loaded everything and opened nothing.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import figures
from inside import kinds_of, store_of
from promises import Promised, counted, unsound
from saccade.engine import Engine, operations
from saccade.errors import NothingToUndo
from saccade.testbed import worlds

RECIPE = "color-histogram,lbp"
USERS = ("anastasia-of-kyiv", "bartholomew-of-rome", "evangeline-of-bath")  # nowhere by chance
ACTS = {
    "react": 36, "word": 4, "prefer": 12, "undo": 10, "save": 8, "label": 8, "compare": 6, "tag": 6,
    "grade": 4, "add": 7, "forget": 5,
}  # fmt: skip
KINDS = {
    "react": "reacted", "word": "reacted", "prefer": "preferred", "undo": "undone", "save": "saved",
    "label": "labelled", "compare": "compared", "tag": "tagged", "grade": "graded",
}  # fmt: skip
"""What each act adds to the log."""
ATTRIBUTE = "natural"
FOLDER = "mine"
"""Where the pictures lie: a word that can be typed."""
DOCTOR = 10  # one kill of so many is followed by a whole check-up
FIRST = 12


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
            write("done", act=act, user=user, done=done, images=len(engine))


def acted(
    engine: Engine, act: str, user: str, chance: Random, pictures: list[Path], mine: Path
) -> bool:
    """One act; returns whether it said anything."""
    first, second = chance.sample([image.image_id for image in engine.images()], 2)
    if act == "undo":
        try:
            engine.undo(user)
        except NothingToUndo:
            return False
    elif act == "forget":
        with suppress(LookupError):
            engine.forget(user)
    elif act == "add":
        for path in pictures[: len(engine) + chance.randrange(1, 4)]:
            shutil.copy(path, mine / path.name)
        engine.add(mine, workers=1)
    elif act == "label":
        engine.attributes.label(ATTRIBUTE, first, chance.choice((-1, 1)), user=user)
    elif act == "compare":
        engine.attributes.compare(ATTRIBUTE, first, second, user=user)
    elif act == "tag":
        engine.tags.add("mine", [first, second], user=user)
    elif act == "grade":
        return graded(engine, user, chance)
    else:
        spoke(engine, act, user, first, chance)
    return True


def graded(engine: Engine, user: str, chance: Random) -> bool:
    """Grade a picture of a folder, which is a concept for everybody."""
    concept = chance.choice([c for c in engine.concepts.list(user=user) if c.kind == "folder"])
    image = engine.concepts.rank(concept.name, user=user, k=1).images[0].image_id
    engine.concepts.grade(concept.name, image, chance.choice(("good", "ok", "junk")), user=user)
    return True


def spoke(engine: Engine, act: str, user: str, image: str, chance: Random) -> None:
    """Say something about a page."""
    if act == "word":
        page = engine.search(text=FOLDER, user=user, k=6)
    else:
        page = engine.search(image, user=user, k=6)
    first, second = chance.sample(page.hits, 2)
    if act == "save":
        engine.sessions.save(page, f"search {chance.randrange(1000)}")
    elif act == "prefer":
        engine.prefer(page, better=first, worse=second)
    else:
        engine.react(page, liked=[first], disliked=[second])


def looked(
    store: Path, said: dict[str, dict[str, int]], images: int, line: dict[str, Any], *, whole: bool
) -> dict[str, Any]:
    """What is wrong with the store, nothing where all is well; and what it holds."""
    promised = Promised({user: Counter(kinds) for user, kinds in said.items()}, images)
    with Engine(store, warm=False) as engine:
        wrong = problem(engine, promised, line, whole=whole)
        return {"wrong": wrong, "said": counted(engine), "images": len(engine)}


def problem(engine: Engine, promised: Promised, last: dict[str, Any], *, whole: bool) -> str:
    """Whatever is not as it was acknowledged; `last` is what the process was about to do."""
    if len(engine) < promised.images:
        return f"{len(engine)} images of {promised.images}"
    if operations(engine).lost():
        return f"{operations(engine).lost()} events lost"
    act = last.get("act", "")
    under_way = None if act == "forget" else {KINDS[act]: 1} if act in KINDS else {}
    broken = promised.broken(counted(engine), {last.get("user", ""): under_way})
    if broken:
        return broken
    for user in set(USERS) - set(store_of(engine).log.users(kinds_of(engine))):
        if holding := files_with(engine.path, user):
            return f"{user} is forgotten and still in {holding}"
    wrong = unsound(engine)
    if wrong or not whole:
        return wrong
    engine.library.doctor(repair=True)  # an interrupted indexing leaves files nobody names
    return "; ".join(f"{found.place}: {found.problem}" for found in engine.library.doctor())


def files_with(store: Path, name: str) -> list[str]:
    """Files of a store that have a name in them."""
    files = (path for path in store.rglob("*") if path.is_file())
    return sorted(path.name for path in files if name.encode() in path.read_bytes())


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


def hear(promised: Promised, lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Take in what one process wrote down; returns what it was about to do at last."""
    about: dict[str, Any] = {}
    for line in lines:
        about = line if line["what"] == "about" else {}
        if about:
            continue
        promised.images = max(promised.images, line["images"])
        if line["act"] == "forget":
            promised.forget(line["user"])
        elif line["act"] in KINDS and line["done"]:
            promised.acknowledge(line["user"], {KINDS[line["act"]]: 1})
    return about


def run(place: Path, kills: int, seed: int, going: Callable[[], bool]) -> dict[str, Any]:
    """Kill so many times; returns what was counted and what was wrong."""
    chance = Random(seed)

    def draw() -> None:
        worlds.write(place / "world", images=90, seed=6, size=(48, 36))

    forked(draw)  # threads of a library that drew would not live on in a fork
    pictures = sorted(path for path in (place / "world").rglob("*") if path.is_file())
    store, mine = place / "killed.saccade", place / FOLDER
    mine.mkdir()
    for path in pictures[:FIRST]:
        shutil.copy(path, mine / path.name)

    def begin() -> int:
        with Engine(store, warm=False) as engine:
            engine.add(mine, recipe=RECIPE, workers=1)
            engine.attributes.create(ATTRIBUTE)
            return len(engine)

    promised = Promised(images=forked(begin))
    amid: Counter[str] = Counter()
    wrong, acknowledged = [], 0
    for number in range(1, kills + 1):
        if not going():
            break
        lines = killed(store, pictures, mine, chance)
        acknowledged += sum(line["what"] == "done" for line in lines)
        about = hear(promised, lines)
        amid[about.get("act", "between")] += 1
        whole = number % DOCTOR == 0
        now = forked(partial(looked, store, promised.said, promised.images, about, whole=whole))
        if now["wrong"]:
            wrong.append(f"kill {number}: {now['wrong']}")
        said = {user: Counter(kinds) for user, kinds in now["said"].items()}
        promised = Promised(said, now["images"])
        if number % 50 == 0:
            print(f"{number} of {kills}", file=sys.stderr)
    return {
        "kills": amid.total(),
        "acknowledged": acknowledged,
        "amid": dict(sorted(amid.items())),
        "images": promised.images,
        "wrong": wrong,
    }


def main() -> None:
    """Kill, look, count."""
    parser = figures.parser(__doc__)
    parser.add_argument("--kills", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        result = run(Path(scratch), options.kills, options.seed, figures.until(options))
    amid = ", ".join(f"{number} × {act}" for act, number in result["amid"].items())
    sound = "; the log replayed gave the live models, and no file held a forgotten name"
    told = (
        f"**{result['kills']} kills of a process** amid {amid}: {result['acknowledged']} acts "
        f"acknowledged, {len(result['wrong'])} promises broken{'' if result['wrong'] else sound}."
    )
    figures.finish(options, "kills of a process", result, told)


if __name__ == "__main__":
    main()
