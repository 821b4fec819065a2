"""Where and by what a result was made: every results file says so."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]


def machine() -> dict[str, Any]:
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
    """The commit of this code, with a + when files were changed since; `unknown` without git."""
    # Installed inside somebody else's repository, the package has no commit of its own.
    if not _git("ls-files", "--", __file__):
        return "unknown"
    head = _git("rev-parse", "--short=12", "HEAD")
    return head + ("+" if _git("status", "--porcelain", "--", str(PACKAGE)) else "")


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
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()
