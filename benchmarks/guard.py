"""Which first weights the guard should give its experts, by stage, judged on sets left out.

    python benchmarks/guard.py --data corel1k=FOLDER --data osr=FOLDER [--stores DIR] [--save DIR]
                               [--queries 40] [--workers 2]

People are simulated on labelled folders: five rounds of ten judged, right, 30% wrong and at random.
Two tables:

    losses    what each expert loses an event, less what no learning loses: what Hedge sees
    priors    sessions served by several first weights: those that ship, all experts alike, and for
              every set those that Hedge would have reached on the other sets (`STEPS` events of
              their mean losses); gain of what is not judged, share that lost. No learning is what
              they are measured against: it gains 0

What ships is chosen by hand from these tables, so that what is not judged yet gains most and hardly
ever loses; the table says what another choice would cost.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from machine import machine
from saccade.choosers import guard
from saccade.engine import Engine
from saccade.engine import open as opened
from saccade.engine.events import Reacted
from saccade.scale.local import cores
from saccade.studies.feedback.systems import Product, copied
from saccade.testbed import datasets
from saccade.testbed.sessions import answering, played
from saccade.testbed.tables import markdown, write_json, write_text

ANSWERS = {"right": 0.0, "30% wrong": 0.3, "at random": 0.5}
STEPS = 60.0
"""Events of the mean loss after which a learned prior is taken, at the guard's own rate."""

GAIN = (
    "Gain: mAP of what is not judged in the end, against the start's order of it. "
    "Lost: share of sessions in which that fell by more than .01."
)

Prior = Mapping[str, Mapping[str, float]]
Losses = dict[str, dict[str, list[float]]]  # stage -> expert -> loss less plain's
Measured = tuple[dict[str, dict[str, float]], Losses]


class Labelled:
    """A labelled folder and its store."""

    def __init__(self, name: str, folder: Path, store: Path, queries: int, seed: int) -> None:
        self.name, self.store = name, str(store)
        truth = {str(Path(p).resolve()): c for p, c in datasets.load(folder).truth().items()}
        with opened(store, warm=False) as engine:
            engine.add(folder)
            found = [(r.image_id, str(Path(r.paths[0]).resolve())) for r in engine.images()]
        self.labels = {image: truth[path] for image, path in found if path in truth}
        rng = np.random.default_rng(seed)
        self.queries = rng.choice(sorted(self.labels), min(queries, len(self.labels)), False)

    def relevant(self, query: str) -> set[str]:
        """The other pictures of a query's class."""
        return {i for i, label in self.labels.items() if label == self.labels[query]} - {query}


@contextmanager
def serving(prior: Prior) -> Iterator[None]:
    """Guards that start from these weights."""
    before = guard.PRIOR
    guard.PRIOR = prior
    try:
        yield
    finally:
        guard.PRIOR = before


def measure(data: Labelled, prior: Prior, seed: int) -> Measured:
    """What sessions gain under a prior, and what each expert loses in them."""
    lost: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    out = {}
    with serving(prior), copied(data.store) as engine:
        for name, share in ANSWERS.items():
            gains = []
            for number, query in enumerate(data.queries.tolist()):
                answer = answering(share, np.random.default_rng([seed, number]))
                system = Product(engine, query, len(data.labels))
                rounds = played(system, data.relevant(query), answer)
                gains.append(rounds[-1].gain)
                _collect(engine, lost)
                engine.forget(system.user)
            told = np.array(gains)
            out[name] = {"gain": float(told.mean()), "lost": float((told < -0.01).mean())}
    return out, {stage: dict(experts) for stage, experts in lost.items()}


def _collect(engine: Engine, lost: Mapping[str, Mapping[str, list[float]]]) -> None:
    """Losses of the one session in the log."""
    for line in engine._opened.store.log.since(0, ("reacted",)):
        event = Reacted.decode(line.body, line.arrays)
        if event.opinions is None:
            continue
        told = event.opinions.opinions
        found = guard.losses(told.scores, event.opinions.liked, event.opinions.new)
        if found is None:
            continue
        each = dict(zip(told.experts, found.tolist(), strict=True))
        for expert, loss in each.items():
            lost[told.stage][expert].append(loss - each[guard.PLAIN])


def learned(several: list[Losses]) -> Prior:
    """What Hedge would weigh after `STEPS` events of the mean losses, each set alike."""
    out = {}
    for stage in guard.PRIOR:
        means = np.zeros(len(guard.EXPERTS))
        for place, expert in enumerate(guard.EXPERTS):
            told = [lost.get(stage, {}).get(expert, []) for lost in several]
            found = [np.mean(losses) for losses in told if losses]
            means[place] = np.mean(found) if found else 1.0
        weights = np.exp(-guard.RATE * STEPS * (means - means.min()))
        out[stage] = dict(zip(guard.EXPERTS, (weights / weights.sum()).tolist(), strict=True))
    return out


def alike() -> Prior:
    return {stage: dict.fromkeys(guard.EXPERTS, 1.0) for stage in guard.PRIOR}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", action="append", default=[], help="NAME=FOLDER, repeatable")
    parser.add_argument("--stores", type=Path, help="where stores are kept between runs")
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=cores(), help="processes, one set each")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--save", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        stores = options.stores or Path(scratch)
        sets = []
        for pair in options.data:
            name, _, folder = pair.partition("=")
            store = stores / f"{name}.saccade"
            sets.append(Labelled(name, Path(folder), store, options.queries, options.seed))
        result = {"machine": machine(), "queries": options.queries}
        result |= compare(sets, options.seed, options.workers)
    text = page(result)
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "guard.json", result)
        write_text(options.save / "guard.md", text)


def compare(sets: list[Labelled], seed: int, workers: int) -> dict[str, Any]:
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:

        def each(name: str, priors: list[Prior]) -> list[Measured]:
            found = list(pool.map(measure, sets, priors, [seed] * len(sets)))
            rows.extend(_row(data, name, one[0]) for data, one in zip(sets, found, strict=True))
            return found

        rows: list[dict[str, Any]] = []
        shipped = each("shipped", [guard.PRIOR] * len(sets))
        each("all alike", [alike()] * len(sets))
        if len(sets) > 1:
            others = [[lost for j, (_, lost) in enumerate(shipped) if j != i]
                      for i in range(len(sets))]  # fmt: skip
            each("learned on the others", [learned(several) for several in others])
    losses = []
    for data, (_, lost) in zip(sets, shipped, strict=True):
        for stage, experts in sorted(lost.items()):
            told = {expert: float(np.mean(experts[expert])) for expert in experts}
            losses.append(
                {"set": data.name, "stage": stage, "events": len(experts["plain"])} | told
            )
    rows.sort(key=lambda row: [data.name for data in sets].index(row["set"]))
    return {"priors": rows, "losses": losses}


def _row(data: Labelled, name: str, answers: Mapping[str, Mapping[str, float]]) -> dict[str, Any]:
    told = {f"{a}: {k}": v for a, values in answers.items() for k, v in values.items()}
    return {"set": data.name, "first weights": name, **told}


def page(result: dict[str, Any]) -> str:
    commit = result["machine"]["commit"]
    return "\n".join(
        [
            "# The guard's first weights",
            "",
            f"{result['queries']} queries a set, five rounds of ten judged; commit {commit}.",
            "",
            GAIN,
            "",
            markdown(result["priors"], digits=3),
            "",
            "What each expert loses an event, less what no learning loses:",
            "",
            markdown(result["losses"], digits=3),
            "",
        ]
    )


if __name__ == "__main__":
    main()
