"""The power fails at any moment of a recorded life: what was acknowledged stays.

    python tests/endurance/power_cuts.py [--cuts 1000] [--minutes M] [--seed 0] [--save results]

Every write of a life in a store is recorded: pictures added and pruned, marks, undo, an attribute,
a concept and tags taught, searches saved, words trained, a profile brought in, someone forgotten.
Then the power is cut after one of them, and what was not synced is lost, kept or torn
(`tests/support/powerloss`). The store must open, hold what was acknowledged, find no damage in
itself and replay to its models; the doctor must be able to finish.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import figures
from powerloss.recorder import why_not
from powerloss.trial import cuts, differences, lived, trial
from saccade.testbed import worlds


def run(place: Path, count: int, seed: int, going: Callable[[], bool]) -> dict[str, Any]:
    """Record, cut, judge, count."""
    worlds.write(place / "pictures", images=18, seed=4, size=(96, 72))
    life = lived(place, place / "pictures")
    differing = differences(life)
    if differing:
        sys.exit(f"the recording is not what happened: {differing[:5]}")
    print(f"{len(life.steps)} steps recorded", file=sys.stderr)
    fates, during, wrong = Counter[str](), set(), []
    for number, (cut, fate) in enumerate(cuts(life, count, seed), 1):
        if not going():
            break
        found = trial(life, cut, fate, place / "found", seed)
        fates[fate] += 1
        during.add(found.during)
        if found.wrong:
            wrong.append(f"cut {cut}, {fate}, during {found.during}: {found.wrong}")
        if number % 100 == 0:
            print(f"{number} of {count}", file=sys.stderr)
    return {
        "steps": len(life.steps),
        "cuts": fates.total(),
        "fates": dict(sorted(fates.items())),
        "acts": len(during),
        "wrong": wrong,
    }


def main() -> None:
    """Cut, look, count."""
    parser = figures.parser(__doc__)
    parser.add_argument("--cuts", type=int, default=1000)
    options = parser.parse_args()
    reason = why_not()
    if reason is not None:
        sys.exit(f"no power can be lost here: {reason}")
    with tempfile.TemporaryDirectory() as scratch:
        result = run(Path(scratch), options.cuts, options.seed, figures.until(options))
    fates = ", ".join(f"{number} {fate}" for fate, number in result["fates"].items())
    told = (
        f"**{result['cuts']} cuts of power** over a life of {result['steps']} changes to files, "
        f"amid {result['acts']} acts (what was not synced: {fates}): "
        f"{len(result['wrong'])} promises broken."
    )
    figures.finish(options, "cuts of power", result, told)


if __name__ == "__main__":
    main()
