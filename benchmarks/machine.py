"""What every benchmark prints first: where and on what it ran."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np


def machine() -> dict[str, Any]:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return {
        "machine": platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "commit": commit or "unknown",
    }


def best(function: Callable[[], Any], repeats: int = 7) -> float:
    """Seconds of the quickest run: what the machine can do when nobody else wants it."""
    function()
    return min(_timed(function) for _ in range(repeats))


def spread(function: Callable[[], Any], repeats: int) -> dict[str, float]:
    """Median and 95th percentile in milliseconds: what a person feels."""
    times = sorted(1e3 * _timed(function) for _ in range(repeats))
    return {"p50_ms": times[len(times) // 2], "p95_ms": times[int(0.95 * (len(times) - 1))]}


def _timed(function: Callable[[], Any]) -> float:
    began = perf_counter()
    function()
    return perf_counter() - began
