"""SIGKILL to servers of one, two and three processes under load: what they answered 200 to stays.

    python tests/endurance/server_kills.py [--kills 1000] [--minutes M] [--keep FILE]
                                           [--save results]

Clients, each under a name of its own, search, mark, prefer, take back, save, label, compare, grade
and tag over HTTP and write down what was acknowledged. At some moment the server is killed: all its
processes at once, or one of several, which must be started again while the others go on. After each
death of a whole server the store is opened and looked at.

The first server over each store is `saccade serve` as people start it, an interpreter of its own
for every process. Those after it run the same command, forked from a process that has imported it
(`nursery`): a start takes a tenth, and importing is not what is attacked here. With --keep, what
was counted is written after every server, and another run goes on from there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import httpx

import figures
from nursery import Nursery
from promises import Promised, counted, unsound
from saccade.engine import Engine, operations
from saccade.testbed import worlds

ATTRIBUTE = "natural"
CONCEPT = "folder:forest"
GRADES = ("good", "ok", "junk")
WORDS = ("forest", "street", "night")
"""Folders of the drawn pictures: words that can be typed."""
PROCESSES = (1, 2, 3)
ONE_BY_ONE = 5
"""Processes of a server that are killed before all of them are; six in a minute would end it."""
A_STORE = 60
"""Kills of servers over one store: then a new one, since every look replays its whole log."""
SWALLOWED = ": swallowed doing="
"""What a server writes when something goes wrong that it puts up with, with a traceback."""
COMMAND = "from saccade.cli import main; main()"


class Client(threading.Thread):
    """Somebody who acts until told to stop, and remembers what was acknowledged."""

    def __init__(self, address: str, user: str, drawn: Drawn, seed: int) -> None:
        super().__init__(daemon=True)
        self.user, self.done = user, threading.Event()
        self.acknowledged: list[str] = []
        self.under_way: Counter[str] = Counter()
        self.refused: Counter[int] = Counter()
        self.cut_off = 0  # connections that ended without an answer
        self._address, self._chance = address, Random(seed)
        self._images, self._graded = drawn.images, drawn.graded

    def run(self) -> None:
        """Act, again and again."""
        client = httpx.Client(base_url=f"{self._address}/api/v1", timeout=30)
        acts = (self._mark, self._mark, self._word, self._prefer, self._undo, self._save,
                self._label, self._compare, self._grade, self._tag)  # fmt: skip
        while not self.done.is_set():
            try:
                self._chance.choice(acts)(client)
            except httpx.TransportError:
                # Its connection is gone: to a process that was killed, or to all of them.
                self.cut_off += 1
                client.close()
                client = httpx.Client(base_url=f"{self._address}/api/v1", timeout=30)
                self.done.wait(0.05)
        client.close()

    def _say(self, client: httpx.Client, kind: str, path: str, **body: Any) -> None:
        """Send what adds one event; it counts when it is acknowledged, and may until then."""
        self.under_way[kind] += 1
        answer = client.post(path, json=body)
        self.under_way[kind] -= 1
        if answer.status_code == 200:
            self.acknowledged.append(kind)
        else:
            self.refused[answer.status_code] += 1

    def _page(self, client: httpx.Client, text: str | None = None) -> tuple[str, list[str]]:
        example = {"text": text} if text else {"image_id": self._chance.choice(self._images)}
        page = client.post("/search", json={**example, "user": self.user, "k": 8}).json()
        return page["page_id"], [hit["image_id"] for hit in page["hits"]]

    def _mark(self, client: httpx.Client) -> None:
        page, hits = self._page(client)
        good, bad = self._chance.sample(hits, 2)
        self._say(client, "reacted", "/feedback", page_id=page, liked=[good], disliked=[bad])

    def _word(self, client: httpx.Client) -> None:
        page, hits = self._page(client, text=self._chance.choice(WORDS))
        good, bad = self._chance.sample(hits, 2)
        self._say(client, "reacted", "/feedback", page_id=page, liked=[good], disliked=[bad])

    def _prefer(self, client: httpx.Client) -> None:
        page, hits = self._page(client)
        better, worse = self._chance.sample(hits, 2)
        self._say(client, "preferred", "/preferences", page_id=page, better=better, worse=worse)

    def _undo(self, client: httpx.Client) -> None:
        self._say(client, "undone", f"/profiles/{self.user}/undo")

    def _save(self, client: httpx.Client) -> None:
        page, _ = self._page(client)
        name = f"search {self._chance.randrange(100)}"
        self._say(client, "saved", f"/profiles/{self.user}/saved", page_id=page, name=name)

    def _label(self, client: httpx.Client) -> None:
        body = {"image_id": self._chance.choice(self._images), "user": self.user}
        path = f"/attributes/{ATTRIBUTE}/labels"
        self._say(client, "labelled", path, grade=self._chance.choice((-1, 1)), **body)

    def _compare(self, client: httpx.Client) -> None:
        more, less = self._chance.sample(self._images, 2)
        body = {"more": more, "less": less, "user": self.user}
        self._say(client, "compared", f"/attributes/{ATTRIBUTE}/comparisons", **body)

    def _grade(self, client: httpx.Client) -> None:
        body = {"image_id": self._chance.choice(self._graded), "user": self.user}
        path = f"/concepts/{CONCEPT}/grades"
        self._say(client, "graded", path, grade=self._chance.choice(GRADES), **body)

    def _tag(self, client: httpx.Client) -> None:
        images = [self._chance.choice(self._images)]
        self._say(client, "tagged", "/tags/mine", images=images, user=self.user)


class Server:
    """A server: as people start it, or from a nursery."""

    def __init__(
        self, store: Path, processes: int, nursery: Nursery | None, name: str = ""
    ) -> None:
        self.processes = processes
        self._out, self._errors = (
            store.with_suffix(f"{name}.{kind}") for kind in ("out", "errors")
        )
        command = ["serve", "--store", str(store), "--port", "0", "--processes", str(processes)]
        for file in (self._out, self._errors):
            file.write_text("")
        if nursery is None:
            with self._out.open("a") as out, self._errors.open("a") as errors:
                program = [sys.executable, "-c", COMMAND, *command]
                self._pid = subprocess.Popen(program, stdout=out, stderr=errors).pid
        else:
            self._pid = nursery.start(command, self._out, self._errors)
        self.address = self._address()

    def _address(self) -> str:
        for _ in range(12000):
            if found := re.search(r"http://\S+", self._out.read_text()):
                return found[0]
            if not alive(self._pid):
                break
            time.sleep(0.01)
        raise SystemExit(f"the server did not start: {self._errors.read_text()}")

    def workers(self) -> list[int]:
        """The processes that it started, not counting decoders of theirs."""
        children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text().split()
        return [int(child) for child in children] if self.processes > 1 else []

    def kill_one(self, chance: Random) -> None:
        """Kill one of several, and wait until there are as many again."""
        killed = chance.choice(self.workers())
        os.kill(killed, signal.SIGKILL)
        for _ in range(2400):
            time.sleep(0.025)
            now = self.workers()
            if killed not in now and len(now) == self.processes and self._answers():
                return
        raise SystemExit("a process that was killed was not started again")

    def _answers(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.address}/healthz", timeout=10).status_code == 200
        return False

    def kill(self) -> str:
        """Kill all of it at once; what it wrote on standard error."""
        # It must not start another between the list and the end.
        os.kill(self._pid, signal.SIGSTOP)
        everyone = [*self.workers(), self._pid]
        for pid in everyone:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while any(alive(pid) for pid in everyone):
            with suppress(ChildProcessError):
                os.waitpid(self._pid, os.WNOHANG)
            time.sleep(0.005)
        return self._errors.read_text()


def alive(pid: int) -> bool:
    """Whether there is such a process, and not only what is left of it."""
    with suppress(FileNotFoundError, ProcessLookupError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state not in "ZX"
    return False


def life(server: Server, drawn: Drawn, options: Any, chance: Random) -> dict[str, Any]:
    """One server, loaded and killed; what was counted and what was wrong."""
    names = [f"person {chance.randrange(4)}-{number}" for number in range(options.clients)]
    crowd = [
        Client(server.address, name, drawn, chance.randrange(2**31))
        for name in dict.fromkeys(names)
    ]
    for client in crowd:
        client.start()
    kills = 1
    busy(crowd, chance)
    for _ in range(ONE_BY_ONE if server.processes > 1 else 0):
        server.kill_one(chance)
        busy(crowd, chance)
        kills += 1
    errors = server.kill()
    for client in crowd:
        client.done.set()
    for client in crowd:
        client.join()
    return {"kills": kills, "crowd": crowd, "errors": errors}


def unexpected(errors: str) -> int:
    """Tracebacks that are not of something put up with on purpose, such as a log that is busy."""
    chained = errors.count("direct cause of the following") + errors.count("During handling of")
    return errors.count("Traceback") - chained - errors.count(SWALLOWED)


def busy(crowd: list[Client], chance: Random) -> None:
    """Wait until some more was acknowledged, and a moment: any part of the next act."""
    enough = sum(len(client.acknowledged) for client in crowd) + chance.randrange(1, 10)
    for _ in range(2400):
        if sum(len(client.acknowledged) for client in crowd) >= enough:
            break
        time.sleep(0.025)
    time.sleep(chance.uniform(0.0, 0.1))


def looked(store: Path, promised: Promised, crowd: list[Client]) -> tuple[str, Promised]:
    """What is wrong with the store, and what it holds from now on."""
    under_way: dict[str, Counter[str]] = {}
    for client in crowd:
        promised.acknowledge(client.user, Counter(client.acknowledged))
        under_way[client.user] = client.under_way
    with Engine(store, warm=False) as engine:
        wrong = promised.broken(counted(engine), under_way) or unsound(engine)
        if not wrong and operations(engine).lost():
            wrong = f"{operations(engine).lost()} events lost"
        return wrong, Promised(counted(engine), len(engine))


@dataclass(frozen=True)
class Drawn:
    """The pictures of a store, and those of the folder that is graded."""

    images: list[str]
    graded: list[str]


def begun(place: Path, store: Path, database: str | None = None) -> Drawn:
    """A new store."""
    with Engine(store, database=database, warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp", workers=1)
        engine.attributes.create(ATTRIBUTE)
        images = [image.image_id for image in engine.images()]
        ranked = engine.concepts.rank(CONCEPT, user="somebody").images
        return Drawn(images, [image.image_id for image in ranked])


@dataclass
class Tally:
    """What was counted, over all runs that were kept in one file."""

    kills: Counter[str] = field(default_factory=Counter)
    acknowledged: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    servers: Counter[str] = field(default_factory=Counter)
    stores: int = 0
    warned: int = 0
    wrong: list[str] = field(default_factory=list)

    @classmethod
    def kept(cls, file: Path | None) -> Tally:
        """As the last run left it."""
        if file is None or not file.exists():
            return cls()
        said = json.loads(file.read_text())
        counters = ("kills", "acknowledged", "refused", "servers")
        return cls(**{**said, **{name: Counter(said[name]) for name in counters}})

    def keep(self, file: Path | None) -> None:
        """Write it down."""
        if file is not None:
            file.with_suffix(".part").write_text(json.dumps(vars(self), indent=1))
            file.with_suffix(".part").rename(file)


def run(place: Path, options: Any) -> Tally:
    """Kill so many times; returns what was counted and what was wrong."""
    tally, going = Tally.kept(options.keep), figures.until(options)
    chance = Random(options.seed + tally.kills.total())
    worlds.write(place / "pictures", images=24, seed=6, size=(48, 36))
    nursery = Nursery()
    store, drawn, promised, left = place, Drawn([], []), Promised(), 0
    while tally.kills.total() < options.kills and going():
        fresh = left <= 0
        if fresh:
            if store != place:
                shutil.rmtree(store)
            store, left = place / f"killed {tally.stores}.saccade", A_STORE
            drawn = begun(place, store)
            promised = Promised(images=len(drawn.images))
            tally.stores += 1
        processes = PROCESSES[tally.servers.total() % len(PROCESSES)]
        server = Server(store, processes, None if fresh else nursery)
        lived = life(server, drawn, options, chance)
        tally.servers["as people start it" if fresh else "forked"] += 1
        tally.kills[str(processes)] += lived["kills"]
        left -= lived["kills"]
        for client in lived["crowd"]:
            tally.acknowledged.update(client.acknowledged)
            tally.refused.update(map(str, client.refused.elements()))
        number = tally.kills.total()
        tally.warned += lived["errors"].count(SWALLOWED)
        if unexpected(lived["errors"]):
            tally.wrong.append(f"after {number} kills: {lived['errors'][-2000:]}")
        broken, promised = looked(store, promised, lived["crowd"])
        if broken:
            tally.wrong.append(f"after {number} kills, {processes} processes: {broken}")
        tally.keep(options.keep)
        print(f"{number} of {options.kills}", file=sys.stderr)
    nursery.close()
    return tally


def main() -> None:
    """Serve, load, kill, look, count."""
    parser = figures.parser(__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=6)
    parser.add_argument("--keep", type=Path, help="write what is counted there, and go on from it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tally = run(Path(scratch), options)
    errors = {key: number for key, number in tally.refused.items() if key >= "500"}
    tally.wrong += [f"{number} × {status}" for status, number in errors.items()]
    by = ", ".join(f"{tally.kills[key]} of {key}" for key in sorted(tally.kills))
    kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(tally.acknowledged.items()))
    servers = ", ".join(f"{number} {how}" for how, number in sorted(tally.servers.items()))
    sound = "; the log replayed gave the live models after every one"
    told = (
        f"**{tally.kills.total()} kills of servers** ({by} processes; {servers}) under "
        f"{options.clients} clients: {tally.acknowledged.total()} events acknowledged ({kinds}), "
        f"{len(tally.wrong)} promises broken{'' if tally.wrong else sound}. "
        f"{tally.warned} warnings of something put up with, such as a log that was busy."
    )
    figures.finish(options, "kills of servers", vars(tally), told)


if __name__ == "__main__":
    main()
