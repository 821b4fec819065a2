"""Mutated pictures of every format that is read: each is decoded or refused in one sentence.

    python tests/endurance/pictures.py [--images 100000] [--seed 0] [--json] [--save results]

Small pictures of nine formats, camera RAW and HEIC among them, with bytes changed, cut, repeated or
removed, as an upload would bring them. Whatever is neither decoded nor refused is wrong, and so is
a process that takes more than a gibibyte.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import figures
from hostile import damaged_by_kind
from saccade.errors import NotAnImage
from saccade.scale.decoding import Decoders

MOST = 2**30
AT_A_TIME = 1000


def outcome(decoders: Decoders, data: bytes) -> str:
    """What came of a picture: nothing where it was decoded."""
    try:
        decoders.decode(data)
    except NotAnImage as error:
        return error.message
    except Exception as error:
        return f"!{type(error).__name__}: {error}"
    return ""


def peak(process: int) -> int:
    """The most bytes that a process ever held."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in text.splitlines() if "VmHWM" in line), 0)


def run(count: int, seed: int) -> dict[str, Any]:
    """Decode so many, and count what came of them."""
    decoders = Decoders(2)
    kinds, decoded = Counter[str](), Counter[str]()
    reasons, wrong, most = Counter[str](), [], 0
    with ThreadPoolExecutor(2) as pool:
        pictures, number = damaged_by_kind(seed, count), 0
        while batch := list(islice(pictures, AT_A_TIME)):
            outcomes = pool.map(lambda one: outcome(decoders, one[1]), batch)
            for place, ((kind, _), told) in enumerate(zip(batch, outcomes, strict=True)):
                kinds[kind] += 1
                decoded[kind] += not told
                if told.startswith("!") or "\n" in told:
                    wrong.append(f"picture {number + place}, {kind}: {told[1:200]}")
                elif told:
                    reasons[told.partition(":")[0][:60]] += 1
            most = max([most, *(peak(pid) for pid in children())])
            number += len(batch)
            print(f"{number} of {count}", file=sys.stderr)
    decoders.close()
    if most > MOST:
        wrong.append(f"a process took {most / 2**20:.0f} MiB")
    return {
        "count": kinds.total(),
        "kinds": {kind: [decoded[kind], kinds[kind]] for kind in sorted(kinds)},
        "reasons": dict(reasons.most_common(20)),
        "peak_mib": round(most / 2**20),
        "wrong": wrong,
    }


def children() -> list[int]:
    """The processes that decode now, whichever thread started them."""
    tasks = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def main() -> None:
    """Decode, refuse, count."""
    parser = figures.parser(__doc__)
    parser.add_argument("--images", type=int, default=100_000)
    options = parser.parse_args()
    result = run(options.images, options.seed)
    kinds = ", ".join(f"{kind} {ok:,} of {all:,}" for kind, (ok, all) in result["kinds"].items())
    told = (
        f"**{result['count']:,} mutated pictures** of {len(result['kinds'])} formats; decoded were "
        f"{kinds}; the others were refused in one sentence but for {len(result['wrong'])}. The "
        f"largest decoding process held {result['peak_mib']} MiB."
    )
    figures.finish(options, "mutated pictures", result, told)


if __name__ == "__main__":
    main()
