"""Several servers over one PostgreSQL under load, killed one by one: nothing acknowledged is lost.

    python tests/endurance/shared_servers.py [--kills 100] [--servers 4] [--clients 16]
                                             [--minutes M] [--save results]

As machines would, every server has the folder of the store and the database in common and nothing
else. Clients act as in `server_kills`, some on each server. Again and again one server is killed
with SIGKILL while the others go on, and another is started in its place. At the end all of them are
killed at once and the store is looked at. Wrong is an answer of 500 and above, a traceback, an
event that was acknowledged and is not there, and a log that replays to other models.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from server_kills import SWALLOWED, Client, Drawn, Server, begun, busy, looked, unexpected

import figures
import postgres
from nursery import Nursery
from promises import Promised
from saccade.testbed import worlds


class Loaded:
    """A server and the clients that ask it."""

    def __init__(
        self, store: Path, number: int, clients: int, drawn: Drawn, nursery: Nursery, chance: Random
    ) -> None:
        self._server = Server(store, 1, nursery, f".{number}")
        names = [f"person {number}-{client}" for client in range(clients)]
        address = self._server.address
        self.crowd = [Client(address, name, drawn, chance.randrange(2**31)) for name in names]
        for client in self.crowd:
            client.start()

    def kill(self) -> str:
        """Kill it, and let its clients go; what it wrote on standard error."""
        errors = self._server.kill()
        for client in self.crowd:
            client.done.set()
        for client in self.crowd:
            client.join()
        return errors


def run(place: Path, address: str, options: Any) -> dict[str, Any]:
    """Kill so many times, then look."""
    chance, going = Random(options.seed), figures.until(options)
    worlds.write(place / "pictures", images=24, seed=6, size=(48, 36))
    store = place / "shared.saccade"
    drawn = begun(place, store, address)
    nursery = Nursery()
    each = options.clients // options.servers
    crowd: list[Client] = []
    errors: list[str] = []

    def start(number: int) -> Loaded:
        one = Loaded(store, number, each, drawn, nursery, chance)
        crowd.extend(one.crowd)
        return one

    serving = [start(number) for number in range(options.servers)]
    kills = 0
    while kills < options.kills and going():
        busy([client for one in serving for client in one.crowd], chance)
        place_of = chance.randrange(len(serving))
        errors.append(serving[place_of].kill())
        kills += 1
        serving[place_of] = start(options.servers + kills)
        print(f"{kills} of {options.kills}", file=sys.stderr)
    busy([client for one in serving for client in one.crowd], chance)
    errors += [one.kill() for one in serving]
    nursery.close()
    broken, _ = looked(store, Promised(images=len(drawn.images)), crowd)
    acknowledged = Counter(kind for client in crowd for kind in client.acknowledged)
    refused = Counter(status for client in crowd for status in client.refused.elements())
    wrong = [broken] if broken else []
    wrong += [text[-2000:] for text in errors if unexpected(text)]
    wrong += [f"{number} × {status}" for status, number in refused.items() if status >= 500]
    return {
        "kills": kills,
        "acknowledged": dict(sorted(acknowledged.items())),
        "warned": sum(text.count(SWALLOWED) for text in errors),
        "wrong": wrong,
    }


def main() -> None:
    """Serve, load, kill, look, count."""
    parser = figures.parser(__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--servers", type=int, default=4)
    parser.add_argument("--clients", type=int, default=16)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, postgres.server() as address:
        found = run(Path(scratch), postgres.database(address), options)
    kinds = ", ".join(f"{number} {kind}" for kind, number in found["acknowledged"].items())
    told = (
        f"**{found['kills']} kills of servers that share one PostgreSQL**, {options.servers} at a "
        f"time under {options.clients} clients, and of all of them at the end: "
        f"{sum(found['acknowledged'].values())} events acknowledged ({kinds}), "
        f"{len(found['wrong'])} wrong; the log replayed gave the live models. "
        f"{found['warned']} warnings of something put up with."
    )
    figures.finish(options, "kills of servers that share a database", found, told)


if __name__ == "__main__":
    main()
