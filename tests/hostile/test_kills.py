"""Killed at any moment: nothing acknowledged is lost; the long form is `endurance/kills.py`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from servers import PATIENCE

SCRIPT = Path(__file__).parents[1] / "endurance" / "kills.py"


def test_a_killed_process_takes_nothing_with_it() -> None:
    """Pictures, marks, saved names and forgetting, over some kills in the life of one store."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--kills", "5", "--seed", "2", "--json"],
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert (found["kills"], found["wrong"]) == (5, [])
    assert found["acknowledged"] > 5
