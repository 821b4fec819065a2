"""Runs a program and writes down every change it makes to files below a folder, in order.

The kernel's seccomp notifications stop a thread before a system call that changes a file, tell us
which, and go on when we say so; nothing is patched, so SQLite's writes are seen like any others.
What a call was about is read from `/proc`: the names behind descriptors, the bytes to be written.
"""

from __future__ import annotations

import array
import ctypes
import errno
import fcntl
import os
import platform
import select
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_NUMBERS = {
    "x86_64": {
        "write": 1, "open": 2, "pwrite64": 18, "writev": 20, "sendfile": 40, "fsync": 74,
        "fdatasync": 75, "truncate": 76, "ftruncate": 77, "rename": 82, "mkdir": 83, "rmdir": 84,
        "creat": 85, "link": 86, "unlink": 87, "symlink": 88, "openat": 257, "mkdirat": 258,
        "unlinkat": 263, "renameat": 264, "linkat": 265, "symlinkat": 266, "fallocate": 285,
        "pwritev": 296, "renameat2": 316, "copy_file_range": 326, "pwritev2": 328,
    },
    "aarch64": {
        "mkdirat": 34, "unlinkat": 35, "symlinkat": 36, "linkat": 37, "renameat": 38,
        "truncate": 45, "ftruncate": 46, "fallocate": 47, "openat": 56, "write": 64, "writev": 66,
        "pwrite64": 68, "pwritev": 70, "sendfile": 71, "fsync": 82, "fdatasync": 83,
        "renameat2": 276, "copy_file_range": 285, "pwritev2": 287,
    },
}  # fmt: skip
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SECCOMP = {"x86_64": 317, "aarch64": 277}

_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_CONTINUE = 1
_AT_FDCWD = -100

MARKS = "marks"
"""A file in the recorded folder's parent: what is written to it are the program's own words."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change: create, mkdir, write, truncate, sync, rename, unlink, rmdir, link or mark."""

    kind: str
    path: str
    other: str = ""
    offset: int = 0
    data: bytes = b""


def why_not() -> str | None:
    """Why nothing can be recorded here; None where it can."""
    if not sys.platform.startswith("linux"):
        return "the kernel's seccomp notifications are needed, and this is not Linux"
    if platform.machine() not in _NUMBERS:
        return f"system calls of {platform.machine()} are not in the table"
    program = (
        f"import sys; sys.path.insert(0, {str(_HERE)!r})\n"
        "from powerloss.recorder import listen; listen()"
    )
    probe = [sys.executable, "-c", program]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode:
        return f"the kernel lets nobody listen: {done.stderr.strip().splitlines()[-1]}"
    return None


_HERE = Path(__file__).parents[1]


# -- inside the program -----------------------------------------------------------------------


def listen() -> int:
    """Have this process's changes of files announced; the descriptor to hear them on."""
    libc = ctypes.CDLL(None, use_errno=True)
    machine = platform.machine()
    numbers = sorted(_NUMBERS[machine].values())
    allow, notify = 0x7FFF0000, 0x7FC00000
    # Load the architecture; another one passes. Load the number; one of ours is announced.
    code = [(0x20, 0, 0, 4), (0x15, 0, len(numbers) + 1, _AUDIT[machine]), (0x20, 0, 0, 0)]
    for place, number in enumerate(numbers):
        code.append((0x15, len(numbers) - place, 0, number))
    code += [(0x06, 0, 0, allow), (0x06, 0, 0, notify)]
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    filter = struct.pack("HxxxxxxP", len(code), ctypes.addressof(program))
    if libc.prctl(38, 1, 0, 0, 0) != 0:  # no new privileges: the condition for filters
        raise OSError(ctypes.get_errno(), "prctl")
    listener = libc.syscall(_SECCOMP[machine], 1, 8, ctypes.c_char_p(filter))
    if listener < 0:
        code_of = ctypes.get_errno()
        raise OSError(code_of, f"seccomp: {os.strerror(code_of)}")
    return int(listener)


def announce_to(line: int) -> None:
    """Give the descriptor to the recorder, then go on as if nothing were different."""
    with socket.socket(fileno=line) as to_recorder:
        # The message is made before the filter is: sending one is no change of a file.
        listener = listen()
        socket.send_fds(to_recorder, [b"listen"], [listener])
        os.close(listener)


# -- the recorder -----------------------------------------------------------------------------


def record(command: list[str], folder: Path) -> list[Step]:
    """Run a command, which must call `announce_to(its last argument)`; its changes in `folder`."""
    ours, theirs = socket.socketpair()
    with (
        ours,
        subprocess.Popen([*command, str(theirs.fileno())], pass_fds=[theirs.fileno()]) as program,
    ):
        theirs.close()
        _, (listener,), _, _ = socket.recv_fds(ours, 16, 1)
        try:
            steps = list(_heard(listener, folder))
        finally:
            os.close(listener)
        if program.wait() != 0:
            raise RuntimeError(f"the program failed with exit code {program.returncode}")
    return steps


def _heard(listener: int, folder: Path) -> Iterator[Step]:
    names = {number: name for name, number in _NUMBERS[platform.machine()].items()}
    reader = _Reader(folder)
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    while True:
        ((_, happened),) = poll.poll()
        if not happened & select.POLLIN:
            return  # everyone who was listened to has ended
        notice = bytearray(80)
        try:
            fcntl.ioctl(listener, _RECEIVE, notice, True)
        except OSError as error:
            if error.errno in (errno.ENOENT, errno.EINTR):
                continue  # it was ended while it waited for us
            raise
        id, pid, _, number, _, _ = struct.unpack_from("QIIiIQ", notice)
        arguments = struct.unpack_from("6Q", notice, 32)
        name = names[number]
        refuse = name in ("sendfile", "copy_file_range")  # programs write by hand then
        steps = [] if refuse else list(reader.steps(name, pid, arguments))
        answer = struct.pack("QqiI", id, 0, -errno.EINVAL if refuse else 0, 0 if refuse else 1)
        try:
            fcntl.ioctl(listener, _SEND, answer)
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise
        yield from steps


class _Reader:
    """Turns a call and its arguments into steps, by looking into the stopped process."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._marks = str(folder), str(folder.parent / MARKS)

    def steps(self, name: str, pid: int, a: tuple[int, ...]) -> Iterator[Step]:
        """The changes that this call is about to make, below the folder."""
        made = getattr(self, f"_{name}", None)
        if made is None:
            raise RuntimeError(f"the recorder does not know what {name} changes")
        for step in made(pid, *a):
            if step.path == self._marks:
                if step.kind == "write":
                    yield Step("mark", "", data=step.data)
            elif _below(step.path, self._folder) or _below(step.other, self._folder):
                yield step

    # Written data.

    def _write(self, pid: int, fd: int, at: int, size: int, *_: int) -> Iterator[Step]:
        path = _path_of(pid, fd)
        if path:
            yield Step("write", path, offset=_place(pid, fd, path), data=_memory(pid, at, size))

    def _pwrite64(
        self, pid: int, fd: int, at: int, size: int, offset: int, *_: int
    ) -> Iterator[Step]:
        path = _path_of(pid, fd)
        if path:
            yield Step("write", path, offset=offset, data=_memory(pid, at, size))

    def _writev(self, pid: int, fd: int, at: int, count: int, *_: int) -> Iterator[Step]:
        path = _path_of(pid, fd)
        if path:
            data = _gathered(pid, at, count)
            yield Step("write", path, offset=_place(pid, fd, path), data=data)

    def _pwritev(
        self, pid: int, fd: int, at: int, count: int, offset: int, *_: int
    ) -> Iterator[Step]:
        path = _path_of(pid, fd)
        if path:
            yield Step("write", path, offset=offset, data=_gathered(pid, at, count))

    _pwritev2 = _pwritev

    def _ftruncate(self, pid: int, fd: int, size: int, *_: int) -> Iterator[Step]:
        path = _path_of(pid, fd)
        if path:
            yield Step("truncate", path, offset=size)

    def _truncate(self, pid: int, name: int, size: int, *_: int) -> Iterator[Step]:
        yield Step("truncate", _name(pid, _AT_FDCWD, name), offset=size)

    def _fallocate(
        self, pid: int, fd: int, mode: int, offset: int, size: int, *_: int
    ) -> Iterator[Step]:
        path = _path_of(pid, fd)
        if path and mode == 0 and os.path.getsize(path) < offset + size:
            yield Step("truncate", path, offset=offset + size)

    def _fsync(self, pid: int, fd: int, *_: int) -> Iterator[Step]:
        path = _path_of(pid, fd)
        if path:
            yield Step("sync", path)

    _fdatasync = _fsync

    # Names.

    def _openat(self, pid: int, base: int, name: int, flags: int, *_: int) -> Iterator[Step]:
        if not flags & (os.O_CREAT | os.O_TRUNC):
            return
        path = _name(pid, base, name)
        there = os.path.exists(path)
        if there and flags & os.O_EXCL and flags & os.O_CREAT:
            return  # it will fail
        if not there and flags & os.O_CREAT and os.path.isdir(os.path.dirname(path)):
            yield Step("create", path)
        elif there and flags & os.O_TRUNC and os.path.getsize(path):
            yield Step("truncate", path)

    def _open(self, pid: int, name: int, flags: int, *_: int) -> Iterator[Step]:
        return self._openat(pid, _AT_FDCWD, name, flags)

    def _creat(self, pid: int, name: int, *_: int) -> Iterator[Step]:
        return self._openat(pid, _AT_FDCWD, name, os.O_CREAT | os.O_TRUNC)

    def _mkdirat(self, pid: int, base: int, name: int, *_: int) -> Iterator[Step]:
        path = _name(pid, base, name)
        if not os.path.lexists(path) and os.path.isdir(os.path.dirname(path)):
            yield Step("mkdir", path)

    def _mkdir(self, pid: int, name: int, *_: int) -> Iterator[Step]:
        return self._mkdirat(pid, _AT_FDCWD, name)

    def _renameat2(
        self, pid: int, base: int, name: int, to: int, new: int, *_: int
    ) -> Iterator[Step]:
        source, target = _name(pid, base, name), _name(pid, to, new)
        if os.path.lexists(source):
            yield Step("rename", source, target)

    _renameat = _renameat2

    def _rename(self, pid: int, name: int, new: int, *_: int) -> Iterator[Step]:
        return self._renameat2(pid, _AT_FDCWD, name, _AT_FDCWD, new)

    def _unlinkat(self, pid: int, base: int, name: int, flags: int, *_: int) -> Iterator[Step]:
        path = _name(pid, base, name)
        if not os.path.lexists(path):
            return
        if flags & 0x200:
            if not os.listdir(path):
                yield Step("rmdir", path)
        elif not os.path.isdir(path):
            yield Step("unlink", path)

    def _unlink(self, pid: int, name: int, *_: int) -> Iterator[Step]:
        return self._unlinkat(pid, _AT_FDCWD, name, 0)

    def _rmdir(self, pid: int, name: int, *_: int) -> Iterator[Step]:
        return self._unlinkat(pid, _AT_FDCWD, name, 0x200)

    def _linkat(self, pid: int, base: int, name: int, to: int, new: int, *_: int) -> Iterator[Step]:
        source, target = _name(pid, base, name), _name(pid, to, new)
        if os.path.exists(source) and not os.path.lexists(target):
            yield Step("link", source, target)

    def _link(self, pid: int, name: int, new: int, *_: int) -> Iterator[Step]:
        return self._linkat(pid, _AT_FDCWD, name, _AT_FDCWD, new)

    def _symlinkat(self, pid: int, target: int, base: int, name: int, *_: int) -> Iterator[Step]:
        path = _name(pid, base, name)
        if _below(path, self._folder):
            raise RuntimeError(f"the recorder keeps no links, and {path} is to be one")
        return iter(())

    def _symlink(self, pid: int, target: int, name: int, *_: int) -> Iterator[Step]:
        return self._symlinkat(pid, target, _AT_FDCWD, name)


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def _path_of(pid: int, fd: int) -> str:
    """The file behind a descriptor; empty for pipes, sockets and files without a name."""
    try:
        path = os.readlink(f"/proc/{pid}/fd/{_signed(fd)}")
    except OSError:
        return ""
    return path if path.startswith("/") and not path.endswith(" (deleted)") else ""


def _place(pid: int, fd: int, path: str) -> int:
    """Where a plain write goes: the descriptor's position, or the end when it appends."""
    fields: dict[str, str] = {}
    with open(f"/proc/{pid}/fdinfo/{_signed(fd)}") as info:
        for line in info:
            key, _, value = line.partition(":")
            fields[key] = value.strip()
    if int(fields["flags"], 8) & os.O_APPEND:
        return os.path.getsize(path)
    return int(fields["pos"])


def _name(pid: int, base: int, at: int) -> str:
    """The absolute path that a call names."""
    folder = f"/proc/{pid}/cwd" if _signed(base) == _AT_FDCWD else f"/proc/{pid}/fd/{_signed(base)}"
    text = os.fsdecode(_memory(pid, at, 4096, whole=False).partition(b"\0")[0])
    return os.path.normpath(os.path.join(os.readlink(folder), text))


def _signed(number: int) -> int:
    return ctypes.c_int32(number & 0xFFFFFFFF).value


def _memory(pid: int, at: int, size: int, *, whole: bool = True) -> bytes:
    """Bytes of the stopped process."""
    if size == 0:
        return b""
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    try:
        if whole:
            return os.pread(memory, size, at)
        # A name may lie at the end of a page that no other follows.
        first = 4096 - at % 4096
        data = os.pread(memory, min(first, size), at)
        if b"\0" not in data:
            data += os.pread(memory, size - len(data), at + len(data))
        return data
    finally:
        os.close(memory)


def _gathered(pid: int, at: int, count: int) -> bytes:
    parts = array.array("Q", _memory(pid, at, 16 * count))
    return b"".join(_memory(pid, parts[i], parts[i + 1]) for i in range(0, len(parts), 2))
