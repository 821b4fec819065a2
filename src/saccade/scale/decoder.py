"""A decoding process: pictures in, pixels out, nothing else.

It is the only place where bytes from outside meet a decoder, so it is held to its limits and its
answers are plain: a line of JSON and the pixels as they lie in memory. Nothing in them can be
executed, whatever took the process over.

    → {"side": 640}   file
    ← {"width": …, "height": …, "format": …, "origin": […], "shape": […], "last": false}   pixels
    → {"side": null}  file, or its beginning: only where it comes from is wanted
    ← {"origin": […], "last": false}   nothing
    ← {"error": …, "hint": …, "last": false}

`last` says that this process has been large and ends now, so that the system has its memory back.
"""

from __future__ import annotations

import json
import os
import sys
from multiprocessing.connection import Connection

from saccade import trace
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
    try:
        line.send_bytes(READY)
    except OSError:
        return  # whoever started it has ended meanwhile
    last = False
    while not last:
        try:
            wanted = json.loads(line.recv_bytes())
            data = line.recv_bytes()
        except (EOFError, OSError):
            return
        begin_task(limits)
        side = wanted["side"]
        answer, pixels = _origin(data) if side is None else _rendered(data, side)
        last = peak_memory() > _LARGE
        try:
            line.send_bytes(json.dumps({**answer, "last": last}).encode())
            line.send_bytes(pixels)
        except OSError:
            return  # nobody is waiting for it any more


def _rendered(data: bytes, side: int) -> tuple[dict[str, object], bytes]:
    from saccade.images.rendering import render

    try:
        rendered = render(data, side=side)
    except NotAnImage as error:
        return {"error": error.message, "hint": error.hint}, b""
    about = {"width": rendered.width, "height": rendered.height, "format": rendered.format}
    origin = [rendered.origin.taken, rendered.origin.camera]
    return {**about, "origin": origin, "shape": rendered.rgb.shape}, rendered.rgb.tobytes()


def _origin(data: bytes) -> tuple[dict[str, object], bytes]:
    from saccade.images.origin import origin_in
    from saccade.images.quiet import without_pillow_warnings

    with without_pillow_warnings():
        origin = origin_in(data)
    return {"origin": [origin.taken, origin.camera]}, b""


if __name__ == "__main__":
    try:
        with trace.showing_as_asked():
            serve(Connection(int(sys.argv[1])), ProcessLimits(int(sys.argv[2]), int(sys.argv[3])))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # there is none left to say more with
