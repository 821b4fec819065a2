"""Reading a file that somebody else named: only a file, and only as much as a picture may have.

A name can lead to a pipe that waits for ever, a device that never ends, or a file of the kernel's
that does something when it is read (`/proc`, `/sys`). None of these is opened: the kind is asked
first, and asked again of what was opened, since a name may change its meaning in between.
"""

from __future__ import annotations

import os
import stat
import sys
from functools import cache

from saccade.errors import NotAnImage
from saccade.images.rendering import DEFAULT_LIMITS

# File systems that show the kernel's state as files.
_KERNEL = frozenset(
    [
        *("autofs", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs", "debugfs", "devpts"),
        *("devtmpfs", "efivarfs", "fusectl", "mqueue", "nsfs", "proc", "pstore", "securityfs"),
        *("sysfs", "tracefs"),
    ]
)


def special(status: os.stat_result) -> str | None:
    """Why a thing with this status is not to be opened; None for a file or folder of a disk."""
    if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
        return "a pipe, socket or device, not a file"
    if status.st_dev in _kernel_devices():
        return "a part of the system, not a file"
    return None


def read_file(path: str | os.PathLike[str], *, most: int = DEFAULT_LIMITS.max_bytes) -> bytes:
    """The bytes of a file that may be a picture.

    Raises:
        NotAnImage: no file, empty, or over `most` bytes; it was not read.
        OSError: not there, or not for us.
    """
    _check(os.stat(path), most)
    # Should it have become a pipe since, opening it does not wait.
    with open(os.open(path, os.O_RDONLY | _NO_WAITING), "rb") as file:
        _check(os.fstat(file.fileno()), most)
        data = file.read(most + 1)
    if len(data) > most:
        raise NotAnImage(f"the file grew over the limit of {most:,} bytes while it was read")
    return data


def read_head(path: str | os.PathLike[str], size: int) -> bytes:
    """The first bytes of a file that may be a picture, however large it is.

    Raises:
        NotAnImage: no file, or empty.
        OSError: not there, or not for us.
    """
    _check(os.stat(path), sys.maxsize)
    with open(os.open(path, os.O_RDONLY | _NO_WAITING), "rb") as file:
        _check(os.fstat(file.fileno()), sys.maxsize)
        return file.read(size)


_NO_WAITING = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)


def _check(status: os.stat_result, most: int) -> None:
    reason = special(status)
    if reason is not None:
        raise NotAnImage(reason)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(21, "Is a directory")
    # The kernel's own files say that they are empty, and are not.
    if status.st_size == 0:
        raise NotAnImage("the file is empty")
    if status.st_size > most:
        raise NotAnImage(f"{status.st_size:,} bytes are over the limit of {most:,}")


@cache
def _kernel_devices() -> frozenset[int]:
    """Numbers of the devices behind the kernel's file systems; none where they are not told."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as mounts:
            lines = [line.split() for line in mounts]
    except OSError:
        return frozenset()
    devices = set()
    for fields in lines:
        kind = fields[fields.index("-") + 1]
        if kind in _KERNEL:
            major, minor = fields[2].split(":")
            devices.add(os.makedev(int(major), int(minor)))
    return frozenset(devices)
