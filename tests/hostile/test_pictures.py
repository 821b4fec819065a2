"""Pictures that mean harm, each in a decoding process with its limits."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import hostile
from saccade.errors import NotAnImage
from saccade.images.decode import decode as decode_here
from saccade.scale import decoding
from saccade.scale.decoding import Decoders
from saccade.scale.limits import ProcessLimits

GIB = 2**30


@pytest.fixture(scope="module")
def decoders() -> Iterator[Decoders]:
    shared = Decoders(2)
    yield shared
    shared.close()


def picture(seed: int = 0, side: int = 64) -> bytes:
    out = BytesIO()
    rgb = np.random.default_rng(seed).integers(0, 256, (side, side, 3), np.uint8)
    Image.fromarray(rgb).save(out, "PNG")
    return out.getvalue()


def peak(decoders: Decoders, data: bytes) -> tuple[int, str]:
    """The most memory that decoding took, in bytes, and what came of it."""
    with ThreadPoolExecutor(1) as pool:
        decoders.warm()
        (pid,) = pids(decoders)
        answer = pool.submit(outcome, decoders, data)
        most = 0
        while not answer.done():
            most = max(most, high_water(pid))
            threading.Event().wait(0.002)
    return most, answer.result()


def outcome(decoders: Decoders, data: bytes) -> str:
    try:
        decoded = decoders.decode(data)
    except NotAnImage as error:
        return error.message
    return f"{decoded.width} × {decoded.height}"


def pids(decoders: Decoders) -> list[int]:
    return [p.process.pid for p in list(decoders._places.queue) if p is not None]


def high_water(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/status") as status:
            fields = dict(line.split(":", 1) for line in status)
        return int(fields["VmHWM"].split()[0]) * 1024
    except (OSError, KeyError):  # it has ended
        return 0


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read from /proc")
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("float TIFF", "12600 × 12600"),
        ("float TIFF of one strip", "would take 1,211 MiB of memory"),
        ("TIFF of one huge tile", "of memory to read"),
        ("TIFF with a crowd of strips", "a list of more than 1,000,000 values"),
        ("PNG with alpha", "12600 × 12600"),
        ("WebP", "7000 × 7000"),
        ("progressive JPEG", "11500 × 11500"),
        ("JPEG of 206 scans", "a JPEG of more than 50 scans"),
    ],
)
def test_no_picture_takes_more_than_a_gibibyte(name: str, expected: str) -> None:
    """It is read within that, or refused with the reason."""
    decoders = Decoders(1)
    try:
        most, result = peak(decoders, hostile.GREEDY[name]())
        assert expected in result
        assert most < GIB
        # A process that has been large is gone, and its memory with it.
        assert sum(high_water(pid) for pid in pids(decoders)) < 200 * 2**20
    finally:
        decoders.close()


def test_the_system_holds_a_process_to_its_memory() -> None:
    """What the header does not give away ends at the limit, and only for that picture."""
    decoders = Decoders(1, ProcessLimits(memory=150 * 2**20))
    try:
        with pytest.raises(NotAnImage, match="memory"):
            decoders.decode(hostile.png(6000, 6000))
        assert decoders.decode(picture()).width == 64
    finally:
        decoders.close()


def test_a_picture_that_takes_too_long_is_refused_and_the_next_one_read() -> None:
    """Processor time is counted, so that a busy machine refuses no more than an idle one."""
    decoders = Decoders(1, ProcessLimits(seconds=1))
    try:
        with pytest.raises(NotAnImage, match="more than 1 s of processor time"):
            decoders.decode(hostile.run_length_bitmap(6000, 5000))
        assert decoders.decode(picture()).width == 64
    finally:
        decoders.close()


def test_time_is_given_anew_to_every_picture() -> None:
    """A process that has read for long in all is not out of time."""
    decoders = Decoders(1, ProcessLimits(seconds=1))
    data = hostile.run_length_bitmap(700, 700)
    try:
        decoders.warm()
        before = pids(decoders)
        for _ in range(16):
            decoders.decode(data)
        assert pids(decoders) == before
    finally:
        decoders.close()


def test_pixels_do_not_depend_on_the_process(decoders: Decoders) -> None:
    """The same bytes give the same picture here and there."""
    for seed in range(3):
        data = picture(seed, side=700)
        here, there = decode_here(data), decoders.decode(data)
        assert (here.picture.rgb == there.picture.rgb).all()
        assert (here.width, here.height, here.format) == (there.width, there.height, there.format)


def test_a_refusal_keeps_its_words(decoders: Decoders) -> None:
    """Message and hint cross the border."""
    with pytest.raises(NotAnImage) as caught:
        decoders.decode(b"8BPS" + bytes(100))
    assert caught.value.message == "Photoshop files are not read"
    assert caught.value.hint == "save it as JPEG, PNG or TIFF"


def test_a_process_that_somebody_ended_costs_no_picture(decoders: Decoders) -> None:
    """Ended while idle, or in the middle: a new one answers."""
    decoders.warm()
    for pid in pids(decoders):
        os.kill(pid, signal.SIGKILL)
    assert decoders.decode(picture()).width == 64
    decoders.warm()
    for pid in pids(decoders):
        os.kill(pid, signal.SIGSTOP)
        threading.Timer(0.2, os.kill, (pid, signal.SIGKILL)).start()
    assert decoders.decode(picture()).width == 64


def test_a_picture_that_kills_twice_is_blamed(
    decoders: Decoders, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason names the signal; the processes after it are well."""
    exchange = decoding._exchange

    def stabbed(process: object, *rest: object) -> object:
        os.kill(process.process.pid, signal.SIGSEGV)  # type: ignore[attr-defined]
        return exchange(process, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(decoding, "_exchange", stabbed)
        with pytest.raises(NotAnImage, match=r"ended its decoding process \(SIGSEGV\)"):
            decoders.decode(picture())
    assert decoders.decode(picture()).width == 64


def test_no_more_decode_at_once_than_there_are_places() -> None:
    """Twenty callers share two processes, and each gets its own picture."""
    decoders = Decoders(2)
    try:
        with ThreadPoolExecutor(20) as pool:
            sides = [40 + n for n in range(40)]
            decoded = pool.map(lambda side: decoders.decode(picture(side, side)), sides)
            assert [found.width for found in decoded] == sides
        assert len(pids(decoders)) <= 2
    finally:
        decoders.close()


def test_damaged_pictures_harm_nobody(decoders: Decoders) -> None:
    """Each is a picture or refused in one sentence, and no process died of them."""
    decoders.warm()
    before = set(pids(decoders))
    for data in hostile.damaged(seed=7, count=400):
        said = outcome(decoders, data)
        assert "\n" not in said
        assert "decoding process" not in said
    assert before <= set(pids(decoders))


def test_a_fork_does_not_speak_on_its_parents_line(in_a_fork: Callable[..., str]) -> None:
    """Processes are shared by threads, never by forks."""
    assert decoding.decode(picture()).width == 64
    assert in_a_fork(lambda: str(decoding.decode(picture(1, 50)).width)) == "50"
    assert decoding.decode(picture(2, 60)).width == 60


def test_the_processes_end_with_the_program() -> None:
    """Nothing is left running."""
    import subprocess
    import sys

    program = (
        "from saccade.scale.decoding import shared\n"
        "shared().warm()\n"
        "print([p.process.pid for p in shared()._places.queue if p][0])\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
