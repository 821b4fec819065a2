"""Figures of long runs, kept together: `results/reliability.json`, and the page made from it."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from machine import machine
from saccade.testbed.tables import write_json, write_text

FILE = "reliability.json"
PAGE = "reliability.md"

_HEAD = """# Attacked at length

Each was one command, run as it stands here; `--save results` keeps its figures. What is promised is
in [reliability](../docs/reliability.md).
"""


def parser(text: str | None) -> argparse.ArgumentParser:
    """Options that every long run has."""
    made = argparse.ArgumentParser(description=(text or "").split("\n")[0])
    made.add_argument("--seed", type=int, default=0)
    made.add_argument("--json", action="store_true", help="print JSON for programs")
    made.add_argument("--save", type=Path, help="keep the figures in this folder")
    made.add_argument("--minutes", type=float, help="end after so many, with what was reached")
    return made


def until(options: argparse.Namespace) -> Callable[[], bool]:
    """Tells whether there is time left."""
    end = math.inf if options.minutes is None else monotonic() + 60.0 * options.minutes
    return lambda: monotonic() < end


def finish(options: argparse.Namespace, name: str, found: Mapping[str, Any], told: str) -> None:
    """Print the figures, keep them, and end with 1 where something was `wrong`."""
    command = " ".join([Path(sys.argv[0]).name, *_given(sys.argv[1:])])
    cpu = round(process_time())
    result = {**found, "told": told, "command": command, "cpu_s": cpu, "machine": machine()}
    print(json.dumps(result, indent=1) if options.json else told)
    for line in () if options.json else found["wrong"][:20]:
        print(f"  {line}")
    if options.save:
        kept = _kept(options.save)
        kept[name] = result
        write_json(options.save / FILE, kept)
        write_text(options.save / PAGE, page(kept))
    sys.exit(bool(found["wrong"]))


def page(kept: Mapping[str, Mapping[str, Any]]) -> str:
    """All that is kept, as a page."""
    lines = [_HEAD]
    for name, result in sorted(kept.items()):
        where = result["machine"]
        lines.append(f"## {name}\n\n{result['told']}\n")
        lines.append(
            f"`python tests/endurance/{result['command']}`, {where['cores']} cores, "
            f"commit {where['commit']}: {len(result['wrong'])} wrong.\n"
        )
        lines += [f"    {line}" for line in result["wrong"][:10]]
    return "\n".join(lines)


def _given(arguments: list[str]) -> list[str]:
    """The options that decide the figures."""
    kept, skip = [], False
    for argument in arguments:
        if argument in ("--save", "--keep") or skip:
            skip = not skip
        elif argument != "--json":
            kept.append(argument)
    return kept


def _kept(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / FILE).read_text())
    except FileNotFoundError:
        return {}
    return found
