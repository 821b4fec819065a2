"""Tests for whoever changed a line: those of the files that changed, and a smoke through the loop.

    make quick                      what git sees as changed
    python tools/quick.py FILE …    these files

tests/unit mirrors src/saccade, so a module's tests are found by its name; where a module has none
of its own, those of its folder are run. The whole suite is `make test`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SMOKE = (
    "tests/meta/test_names.py",
    "tests/unit/engine/test_feedback.py",
    "tests/unit/engine/test_request.py",
    "tests/service/test_search_routes.py",
    "tests/service/test_feedback_routes.py",
)
"""A search, a mark and what follows, in Python and over HTTP; run whatever changed."""


def changed() -> list[str]:
    """What git sees as changed against the last commit, new files included."""
    told = subprocess.run(
        ["git", "status", "--porcelain", "--untracked-files=all"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [line[3:].rpartition(" -> ")[2] for line in told.splitlines() if line[:2] != " D"]


def tests_of(name: str) -> Iterator[str]:
    """The tests of one file: its doctests, those that mirror it, itself."""
    path = Path(name)
    if path.suffix == ".md":
        yield "tests/meta/test_documents.py"
    if path.suffix != ".py":
        return
    if path.name.startswith("test_") and path.is_relative_to("tests"):
        yield name
    if path.is_relative_to("src/saccade"):
        yield name
        folder = Path("tests/unit") / path.relative_to("src/saccade").parent
        own = folder / f"test_{path.stem}.py"
        while not (ROOT / folder).is_dir():
            folder = folder.parent  # a room of the engine has its tests beside the engine's
        if (ROOT / own).exists():
            yield str(own)
        elif folder != Path("tests/unit"):
            yield from (str(one) for one in sorted((ROOT / folder).glob(f"test_*{path.stem}*.py")))


def main() -> None:
    """Run them; the exit code is pytest's."""
    files = sys.argv[1:] or changed()
    chosen = dict.fromkeys([*(test for name in files for test in tests_of(name)), *SMOKE])
    there = [test for test in chosen if (ROOT / test).exists()]
    print(f"{len(files)} files changed: {len(there)} files of tests")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "--dist", "loadgroup"]
    sys.exit(subprocess.run([*command, *there], cwd=ROOT, check=False).returncode)


if __name__ == "__main__":
    main()
