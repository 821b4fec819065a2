"""SIGKILL to one of four servers on one PostgreSQL, under sixteen clients, again and again.

    python tests/endurance/servers_on_postgresql.py [--kills 8] [--seed 0] [--save results]

Each server has four clients of its own, who search and teach over HTTP. One server after the other
is killed and another takes its place; its clients are cut off, nobody else is. At the end every
event that was acknowledged is in the log, and replaying it gives the models that are served.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from server_kills import Client, Drawn, Promised, Server, begun, busy, looked, unexpected

import figures
import postgres
from nursery import Nursery
from saccade.engine import Engine
from saccade.testbed import worlds

SERVERS, CLIENTS = 4, 4


class Place:
    """A server and those who use it."""

    def __init__(
        self, store: Path, drawn: Drawn, number: int, nursery: Nursery, chance: Random
    ) -> None:
        self.server = Server(store, 1, nursery, f".{number}")
        self.clients = [
            Client(self.server.address, f"{number}-{one}", drawn, chance.randrange(2**31))
            for one in range(CLIENTS)
        ]
        for client in self.clients:
            client.start()

    def leave(self) -> int:
        """Let its clients go; how often they were cut off before."""
        cut_off = sum(client.cut_off for client in self.clients)
        for client in self.clients:
            client.done.set()
        for client in self.clients:
            client.join()
        return cut_off


def run(place: Path, url: str, options: Any) -> dict[str, Any]:
    """Kill so many times; returns what was counted and what was wrong."""
    chance, store, nursery = Random(options.seed), place / "shared.saccade", Nursery()
    worlds.write(place / "pictures", images=24, seed=6, size=(48, 36))
    Engine(store, warm=False, database=url).close()  # which remembers where its catalog is
    drawn = begun(place, store)
    served = [Place(store, drawn, number, nursery, chance) for number in range(SERVERS)]
    crowd = [client for one in served for client in one.clients]
    errors = []
    for number in range(options.kills):
        busy(crowd, chance)
        which = chance.randrange(SERVERS)
        errors.append(served[which].server.kill())
        served[which].leave()  # cut off by this very death
        served[which] = Place(store, drawn, SERVERS + number, nursery, chance)
        crowd += served[which].clients
    busy(crowd, chance)
    strangers = sum(one.leave() for one in served)
    errors += [one.server.kill() for one in served]
    nursery.close()
    refused = sum((client.refused for client in crowd), Counter[int]())
    broken, _ = looked(store, Promised(images=len(drawn.images)), crowd)
    wrong = [broken] if broken else []
    wrong += [f"{strangers} cut off from servers that nobody killed"] if strangers else []
    wrong += [f"{number} × {status}" for status, number in refused.items() if status >= 500]
    wrong += [text[-2000:] for text in errors if unexpected(text)]
    return {
        "kills": options.kills,
        "servers": SERVERS,
        "clients": SERVERS * CLIENTS,
        "acknowledged": sum(len(client.acknowledged) for client in crowd),
        "refused": {str(status): number for status, number in sorted(refused.items())},
        "wrong": wrong,
    }


def main() -> None:
    """Serve, load, kill, look, count."""
    parser = figures.parser(__doc__)
    parser.add_argument("--kills", type=int, default=8)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, postgres.server() as url:
        result = run(Path(scratch), url, options)
    sound = "; the log replayed gives the live models"
    told = (
        f"**{result['kills']} kills of one of {result['servers']} servers on one PostgreSQL** "
        f"under {result['clients']} clients: {result['acknowledged']} events acknowledged, "
        f"{len(result['wrong'])} promises broken{'' if result['wrong'] else sound}."
    )
    figures.finish(options, "kills of servers on PostgreSQL", result, told)


if __name__ == "__main__":
    main()
