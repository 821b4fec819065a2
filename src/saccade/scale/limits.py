"""What one worker process may take, held by the operating system.

    memory   bytes of data it may hold; beyond, an allocation fails
    seconds  of processor time for one task; beyond, the process is ended
    files    none may be written

Where the system has no such limits (Windows) they are not set: the caller's patience is then all.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

try:
    import resource
except ImportError:  # pragma: no cover - there is none on Windows
    resource = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The most that a worker may take; `patience` is what its caller waits, in seconds."""

    memory: int = 1000 * 2**20
    seconds: int = 10
    patience: float = 120.0


def confine(limits: ProcessLimits) -> None:
    """Hold this process to its memory, and let it write no file and dump no core."""
    if resource is None:  # pragma: no cover
        return
    # Data, not address space: what is reserved and never touched costs nobody anything.
    for kind, most in (
        (resource.RLIMIT_DATA, limits.memory),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(kind, (most, most))


def begin_task(limits: ProcessLimits) -> None:
    """Give this process its processor time anew."""
    if resource is None:  # pragma: no cover
        return
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(time.process_time()) + limits.seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft, hard))


def peak_memory() -> int:
    """The most bytes this process ever had in memory."""
    # On Linux `ru_maxrss` remembers the size of the parent that started us; this does not.
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0 if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
