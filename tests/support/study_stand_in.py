"""What `saccade.studies.job` says over its line, without a study: some ways that one goes."""

from __future__ import annotations

import json
import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path


def main(number: int) -> None:
    """As the study is called: done in two parts, endless, unknown, or dead at once."""
    with Connection(number) as line:
        spec = json.loads(line.recv_bytes())
        name, place = spec["study"], spec["place"]
        if name == "dies":
            os._exit(9)
        if name == "unknown":
            line.send_bytes(json.dumps({"error": "no study 'unknown'"}).encode())
            return
        Path(place).write_text(str(os.getpid()), encoding="utf-8")
        line.send_bytes(json.dumps({"done": 1, "total": 2}).encode())
        if name == "endless":
            line.poll(None)  # until nobody wants it any more
            return
        line.send_bytes(json.dumps({"written": {name: [place]}}).encode())


if __name__ == "__main__":
    main(int(sys.argv[1]))
