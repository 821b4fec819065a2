"""A long run: many cuts over one life, with a table of what was found.

python tests/support/powerloss/run.py [--cuts 1000] [--seed 0] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from powerloss.recorder import why_not
from powerloss.trial import cuts, differences, lived, trial
from saccade.testbed import worlds


def main() -> None:
    """Record, cut, judge, count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--cuts", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    reason = why_not()
    if reason is not None:
        sys.exit(f"no power can be lost here: {reason}")
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        worlds.write(place / "pictures", images=18, seed=4, size=(96, 72))
        life = lived(place, place / "pictures")
        wrong = differences(life)
        if wrong:
            sys.exit(f"the recording is not what happened: {wrong[:5]}")
        print(f"{len(life.steps)} steps recorded", file=sys.stderr)
        outcomes = []
        for number, (cut, fate) in enumerate(cuts(life, options.cuts, options.seed)):
            found = trial(life, cut, fate, place / "found", options.seed)
            outcomes.append(found)
            if found.wrong:
                print(f"cut {cut}, {fate}, during {found.during}: {found.wrong}", file=sys.stderr)
            if number % 100 == 99:
                print(f"{number + 1} of {options.cuts}", file=sys.stderr)
    bad = [found for found in outcomes if found.wrong]
    counted = Counter(found.fate for found in outcomes)
    result = {
        "steps": len(life.steps),
        "cuts": len(outcomes),
        "fates": dict(counted),
        "wrong": len(bad),
    }
    print(json.dumps(result, indent=2) if options.json else result)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
