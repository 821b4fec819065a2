"""Where and by what a result was made: every results file says so."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from contextlib import suppress
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
STAMP = "commit.txt"
"""In the package of a wheel: the commit that it was built from."""
UNKNOWN = "unknown"


def machine() -> dict[str, object]:
    """The processor, how many cores of it, and the versions that numbers depend on."""
    import numpy

    from saccade import __version__
    from saccade.scale.local import cores

    return {
        "processor": _processor(),
        "cores": cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "saccade": __version__,
    }


def commit() -> str:
    """The commit of this code, with a + when files were changed since, or `unknown`.

    A built package has it written down; a checkout asks git.
    """
    with suppress(OSError, UnicodeDecodeError):
        if stamped := (PACKAGE / STAMP).read_text(encoding="utf-8").strip():
            return stamped
    # Installed inside somebody else's repository, the package has no commit of its own.
    if not _git("ls-files", "--", __file__):
        return UNKNOWN
    head = _git("rev-parse", "--short=12", "HEAD")
    return head + ("+" if _git("status", "--porcelain", "--", str(PACKAGE)) else "")


def busy() -> tuple[float, float]:
    """Seconds that all cores have worked, and that this process has, since they began; to subtract.

    Where the system does not tell (`/proc/stat`), both are the same.
    """
    own = sum(os.times()[:4])
    try:
        fields = Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:]
        ticks = [int(field) for field in fields]
        # user, nice, system, idle, iowait, irq, softirq, …: what is neither idle nor waiting
        worked = (sum(ticks[:8]) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        worked = own
    return worked, own


def others_share(before: tuple[float, float], after: tuple[float, float], seconds: float) -> float:
    """The share of the cores that others used meanwhile: 0 is a quiet machine, 1 a full one."""
    from saccade.scale.local import cores

    others = (after[0] - before[0]) - (after[1] - before[1])
    return min(1.0, max(0.0, others / max(seconds * cores(), 1e-9)))


def code() -> str:
    """A digest of the package's source: parts measured by other code are not taken over."""
    whole = hashlib.sha256()
    for file in sorted(PACKAGE.rglob("*.py")):
        whole.update(file.relative_to(PACKAGE).as_posix().encode() + b"\0")
        whole.update(file.read_bytes())
    return whole.hexdigest()[:16]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _git(*words: str) -> str:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", "-C", str(PACKAGE), *words],
            capture_output=True, text=True, check=False, env=environment, timeout=30,
        )  # fmt: skip
    except (OSError, UnicodeDecodeError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
