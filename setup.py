"""Writes the commit into what is built; everything else about the package is in pyproject.toml."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

SOURCE = Path(__file__).parent / "src" / "saccade"


def stamp(package: Path) -> None:
    """Keep the commit of this tree in a package that is on its way into an archive."""
    spec = importlib.util.spec_from_file_location("machine", SOURCE / "studies" / "machine.py")
    assert spec is not None
    assert spec.loader is not None
    machine = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(machine)
    if machine.commit() != machine.UNKNOWN:
        (package / machine.STAMP).write_text(f"{machine.commit()}\n", encoding="utf-8")


class Stamped(build_py):
    """A wheel that knows its commit; an installation that points here asks git instead."""

    def run(self) -> None:
        """Copy the package, then stamp the copy."""
        super().run()
        if not self.editable_mode:
            stamp(Path(self.build_lib) / "saccade")


class StampedSource(sdist):
    """A source archive that knows its commit: where it is built, there is no history."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Copy the files, then stamp the copy."""
        super().make_release_tree(base_dir, files)
        stamp(Path(base_dir) / "src" / "saccade")


setup(cmdclass={"build_py": Stamped, "sdist": StampedSource})
