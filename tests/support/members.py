"""Members of a crew for the tests of executors: importable wherever one may live."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from saccade.errors import NotFound


class Member:
    """Keeps a number, and answers for it."""

    def __init__(self, spec: dict[str, Any]) -> None:
        if spec.get("refuses"):
            raise NotFound("a member that cannot be made")
        self.number, self.asked = spec["number"], 0

    def __call__(self, task: dict[str, Any]) -> Any:
        self.asked += 1
        if task.get("raises"):
            raise NotFound(f"member {self.number} has none")
        once = task.get("dies")
        if once is not None and not Path(once).exists():
            Path(once).touch()
            os._exit(3)
        if task.get("dies always"):
            os._exit(3)
        values = np.asarray(task["values"]) * np.float32(self.number)
        return {"process": os.getpid(), "asked": self.asked, "values": values}


def member(spec: dict[str, Any]) -> Member:
    return Member(spec)


def squared(task: Any) -> Any:
    """A task to map: a number, or a way to fail."""
    if task == "crash":
        os._exit(7)
    if task == "fail":
        raise NotFound("no square of a word")
    return {"process": os.getpid(), "square": np.float32(task) * np.float32(task)}
