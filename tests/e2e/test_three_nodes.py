"""Three machines, as far as one can have them: a Ray cluster of three nodes that loses two."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from saccade.testbed import worlds

pytestmark = pytest.mark.xdist_group("executors")

PROGRAM = Path(__file__).parents[1] / "support" / "three_nodes.py"


def test_a_node_that_dies_costs_time_and_nothing_else(tmp_path: Path) -> None:
    """While pictures are described: rows, columns and links are those of one process.

    While a search is under way: the page is whole or says what it is without, a later one is whole.
    """
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'saccade[ray]'")
    pictures = tmp_path / "pictures"
    worlds.write(pictures, images=80, seed=3, size=(160, 120))
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(pictures), str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout.splitlines()[-1])
    (at,) = seen.pop("lost at")
    assert 0 < at < 80
    assert seen == {
        "added": 80,
        "pictures": 80,
        "problems": [],
        "same rows": True,
        "same links": True,
        "honest": True,
        "whole again": True,
    }
