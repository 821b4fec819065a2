"""Threads that nobody asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from saccade.cli import main
sys.argv = ["saccade", *sys.argv[1:]]
try:
    main()
except SystemExit:
    pass
import numpy
from threadpoolctl import threadpool_info
print({one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"})
"""


@pytest.mark.parametrize("command", ["serve", "demo"])
def test_a_server_does_not_bring_threads_of_blas(command: str, tmp_path: Path) -> None:
    """By the time that numpy is loaded, it was told so; here by a command that is refused."""
    given = [sys.executable, "-c", PROGRAM, command, "--host", "not an address"]
    free = {name: value for name, value in os.environ.items() if "_NUM_THREADS" not in name}
    done = subprocess.run(given, capture_output=True, text=True, cwd=tmp_path, check=True, env=free)
    assert "not an address" in done.stderr
    assert done.stdout.splitlines()[-1] == "{1}"
