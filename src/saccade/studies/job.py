"""A study in a process of its own: `python -m saccade.studies.job FD`.

    ← {"study": "wan2015", "data": ["corel=/data/corel"], "place": "/results", "quick": true}
    → {"done": 3, "total": 40}     as often as a part is done
    → {"written": {"wan2015": ["/results/wan2015/index.html", …]}}   or {"error": "what is wrong"}

It ends with the line: whoever asked for it ended, or does not want it any more. Parts that are done
by then are kept, and another process goes on from there.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from typing import Any

from saccade.errors import SaccadeError
from saccade.studies import STUDIES
from saccade.studies.declaration import Options
from saccade.studies.session import named_folders, perform

ALL = "all"


def main(number: int) -> int:
    """Perform what the line asks for; returns the exit code."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with suppress(KeyboardInterrupt):  # nobody wants it any more, or has all it wanted
        return _served(number)
    return 130


def _served(number: int) -> int:
    with Connection(number) as line:
        spec = json.loads(line.recv_bytes())
        Thread(target=_until_closed, args=(line,), daemon=True).start()

        def step(done: int, total: int, last: str) -> None:
            _say(line, {"done": done, "total": total})

        try:
            _say(line, {"written": _performed(spec, step)})
        except SaccadeError as error:
            _say(line, {"error": error.sentence("python")})
            return error.exit_code
    return 0


def _performed(spec: dict[str, Any], step: Any) -> dict[str, list[str]]:
    out, name = Path(spec["place"]), spec["study"]
    written = perform(
        list(STUDIES) if name == ALL else [name],
        named_folders(spec.get("data", [])),
        Options(quick=spec.get("quick", False)),
        out=out,
        stores=out / "stores",
        step=step,
    )
    return {study: [str(path) for path in paths] for study, paths in written.items()}


def _say(line: Connection, value: dict[str, Any]) -> None:
    with suppress(OSError):  # nobody listens any more: the line is closed, and so it ends
        line.send_bytes(json.dumps(value).encode())


def _until_closed(line: Connection) -> None:
    with suppress(EOFError, OSError):
        line.recv_bytes()
    os.kill(os.getpid(), signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
