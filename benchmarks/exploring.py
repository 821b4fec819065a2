"""How far may a live chooser explore? Exp3-IX on recorded answers, by the bound on its trials.

    python benchmarks/exploring.py NAME=answers.npz … [--rounds 500] [--seeds 6] [--out results]
                                   [--json]

`saccade study aly2011` keeps what all twenty configurations answered to every probe of a set, in
`OUT/stores/…/answers.npz`. Probes are drawn from them with replacement. A person sees the first
twenty pictures: finds the right one and marks it, or calls the first one wrong; the loss is that of
a live page. *first* is the share of searches whose first picture was right, during the first
hundred and after them; *best* and *mean* are of single configurations. A bound of 1 is the bandit
as printed; Thompson sampling is its peer.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from machine import machine
from saccade import choosers
from saccade.choosers.losses import marks
from saccade.testbed.tables import markdown, write_json, write_text

BOUNDS = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0)
SEEN, SOON = 20, 100


def losses(ranks: Any) -> Any:
    """What each configuration's page costs, [probes, configurations]."""
    wrong = np.minimum(1, ranks)  # the first picture, called wrong
    right = np.array([marks(row[None], [True]) for row in ranks])
    other = np.array([marks(row[None], [False]) for row in wrong])
    return np.where(ranks <= SEEN, right, other)


def played(
    ranks: Any, lost: Any, kind: str, bound: float, rounds: int, seed: int
) -> tuple[float, float, float]:
    rng = np.random.default_rng(seed)
    bandit = choosers.make(kind, experts=ranks.shape[1], history=0)
    first, cost = [], []
    for probe in rng.integers(0, len(ranks), rounds):
        arm, chance = bandit.choose(rng=rng, exploring=bound)
        first.append(ranks[probe, arm] == 1)
        cost.append(float(lost[probe, arm]))
        bandit.update(arm, cost[-1], probability=chance)
    return float(np.mean(first[:SOON])), float(np.mean(first[SOON:])), float(np.mean(cost))


def compared(name: str, ranks: Any, rounds: int, seeds: int) -> list[dict[str, Any]]:
    lost, alone = losses(ranks), (ranks == 1).mean(axis=0)
    rows = []
    for kind, bound in [*(("exp3-ix", bound) for bound in BOUNDS), ("thompson", 1.0)]:
        found = [played(ranks, lost, kind, bound, rounds, seed) for seed in range(seeds)]
        soon, after, cost = np.mean(found, axis=0).tolist()
        rows.append({
            "set": name, "chooser": kind, "bound": bound, "first, 100 searches": soon,
            "first, after": after, "loss": cost, "best": float(alone.max()),
            "mean": float(alone.mean()),
        })  # fmt: skip
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("answers", nargs="+", help="NAME=answers.npz of the study")
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--out", type=Path, help="write exploring.md and .json here")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args()
    rows = []
    for given in arguments.answers:
        name, _, file = given.partition("=")
        ranks = np.load(file)["ranks"]
        rows += compared(name, ranks, arguments.rounds, arguments.seeds)
    result = {**machine(), "rounds": arguments.rounds, "seeds": arguments.seeds, "bounds": rows}
    text = (
        f"# Exploring\n\n{result['rounds']} searches, mean of {result['seeds']} orders, commit "
        f"{result['commit']}. "
        + " ".join(" ".join((__doc__ or "").split("\n\n")[2:]).split())
        + f"\n\n{markdown(rows, digits=3)}\n"
    )
    if arguments.out:
        write_text(arguments.out / "exploring.md", text)
        write_json(arguments.out / "exploring.json", result)
    print(json.dumps(result, indent=2) if arguments.json else text)


if __name__ == "__main__":
    main()
