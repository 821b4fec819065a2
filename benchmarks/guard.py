"""Which first weights the guard should give its experts, by stage, judged on sets left out.

    python benchmarks/guard.py --data corel1k=FOLDER --data osr=FOLDER [--stores DIR] [--save DIR]

People are simulated on labelled folders: five rounds of ten judged, right, 30% wrong and at random.
Two tables:

    losses    what each expert loses an event, less what no learning loses: what Hedge sees
    priors    sessions served by several first weights: those that ship, all experts alike, no
              learning, and for every set those that Hedge would have reached on the other sets
              (`STEPS` events of their mean losses); gain of what is not judged, share that lost

What ships is chosen by hand from these tables, so that what is not judged yet gains most and hardly
ever loses; the table says what another choice would cost.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from machine import machine
from saccade.choosers import guard
from saccade.engine import Engine
from saccade.engine import open as opened
from saccade.engine.events import Reacted, entry
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


def measure(data: Labelled, prior: Prior, seed: int) -> tuple[dict[str, dict[str, float]], Losses]:
    """What sessions gain under a prior, and what each expert loses in them."""
    lost: Losses = defaultdict(lambda: defaultdict(list))
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
    return out, lost


def _collect(engine: Engine, lost: Losses) -> None:
    for line in engine._opened.store.log.since(0, ("reacted",)):
        proof = entry(line).record
        assert isinstance(proof, Reacted)
        if proof.evidence is None:
            continue
        told = proof.evidence.opinions
        found = guard.losses(told.scores, proof.evidence.liked, proof.evidence.new)
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
            found = [np.mean(lost[stage][expert]) for lost in several if lost[stage].get(expert)]
            means[place] = np.mean(found) if found else 1.0
        weights = np.exp(-guard.RATE * STEPS * (means - means.min()))
        out[stage] = dict(zip(guard.EXPERTS, (weights / weights.sum()).tolist(), strict=True))
    return out


def alike() -> Prior:
    return {stage: dict.fromkeys(guard.EXPERTS, 1.0) for stage in guard.PRIOR}


def none() -> Prior:
    return {stage: {guard.PLAIN: 1e6} for stage in guard.PRIOR}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--data", action="append", default=[], help="NAME=FOLDER, repeatable")
    parser.add_argument("--stores", type=Path, help="where stores are kept between runs")
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
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
        result = {"machine": machine(), "queries": options.queries, **compare(sets, options.seed)}
    text = page(result)
    print(json.dumps(result, indent=2) if options.json else text)
    if options.save:
        write_json(options.save / "guard.json", result)
        write_text(options.save / "guard.md", text)


def compare(sets: list[Labelled], seed: int) -> dict[str, Any]:
    shipped = {data.name: measure(data, guard.PRIOR, seed) for data in sets}
    rows, losses = [], []
    for data in sets:
        others = [shipped[other.name][1] for other in sets if other is not data]
        priors: dict[str, Prior] = {"all alike": alike(), "no learning": none()}
        if others:
            priors["learned on the others"] = learned(others)
        found = {"shipped": shipped[data.name][0]}
        found |= {name: measure(data, prior, seed)[0] for name, prior in priors.items()}
        for name, answers in found.items():
            told = {f"{a}: {k}": v for a, values in answers.items() for k, v in values.items()}
            rows.append({"set": data.name, "first weights": name, **told})
        for stage, experts in sorted(shipped[data.name][1].items()):
            told = {expert: float(np.mean(experts[expert])) for expert in experts}
            losses.append(
                {"set": data.name, "stage": stage, "events": len(experts["plain"])} | told
            )
    return {"priors": rows, "losses": losses}


def page(result: dict[str, Any]) -> str:
    return "\n".join(
        [
            "# The guard's first weights",
            "",
            f"{result['queries']} queries a set, five rounds of ten judged.",
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
