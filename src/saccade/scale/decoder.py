"""A decoding process: pictures in, pixels out, nothing else.

It is the only place where bytes from outside meet a decoder, so it is held to its limits and its
answers are plain: a line of JSON and the pixels as they lie in memory. Nothing in them can be
executed, whatever took the process over.

    → {"side": 640}   file
    ← {"width": …, "height": …, "format": …, "shape": […], "last": false}   pixels
    ← {"error": …, "hint": …, "last": false}

`last` says that this process has been large and ends now, so that the system has its memory back.
"""

from __future__ import annotations

import json
import os
import sys
from multiprocessing.connection import Connection
from typing import Any

from saccade.errors import NotAnImage
from saccade.scale.limits import ProcessLimits, begin_task, confine, peak_memory

READY = b"ready"
OUT_OF_MEMORY = 71
"""Exit code of a process whose picture took all the memory it may have."""

_LARGE = 200 * 2**20


def serve(line: Connection, limits: ProcessLimits) -> None:
    """Answer requests until the line is closed, or until this process has been large."""
    import saccade.images.rendering  # noqa: F401 - before the first request, not within its time

    confine(limits)
    line.send_bytes(READY)
    last = False
    while not last:
        try:
            wanted = json.loads(line.recv_bytes())
            data = line.recv_bytes()
        except (EOFError, OSError):
            return
        begin_task(limits)
        answer, pixels = _rendered(data, wanted["side"])
        last = peak_memory() > _LARGE
        try:
            line.send_bytes(json.dumps({**answer, "last": last}).encode())
            line.send_bytes(pixels)
        except OSError:
            return  # nobody is waiting for it any more


def _rendered(data: bytes, side: int) -> tuple[dict[str, Any], bytes]:
    from saccade.images.rendering import render

    try:
        found = render(data, side=side)
    except NotAnImage as error:
        return {"error": error.message, "hint": error.hint}, b""
    about = {"width": found.width, "height": found.height, "format": found.format}
    return {**about, "shape": found.rgb.shape}, found.rgb.tobytes()


if __name__ == "__main__":
    try:
        serve(Connection(int(sys.argv[1])), ProcessLimits(int(sys.argv[2]), int(sys.argv[3])))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # there is none left to say more with
