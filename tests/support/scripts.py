"""Scripts of docs/ and tools/ as modules: they are no part of the package."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def script(name: str) -> ModuleType:
    """The module of a script, by its path in the repository: ``docs/pages.py``."""
    place = ROOT / name
    spec = importlib.util.spec_from_file_location(f"{place.parent.name}_{place.stem}", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its records are found by their module
    spec.loader.exec_module(module)
    return module
