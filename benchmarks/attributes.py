"""Attributes: what an answer costs at a given size, and what answers are worth on a labelled set.

    python benchmarks/attributes.py [--images 10000] [--answers 60] [--json]
    python benchmarks/attributes.py --data FOLDER --store STORE [--wrong 0.15] [--json]
    python benchmarks/attributes.py --hostile [--data FOLDER --store STORE] [--json]

The first draws a store (`drawn_store`) and answers random comparisons: an answer is learned and
durable in the log, and the 50 pictures with most are given anew; `cpu` is processor time, which
others on the machine do not swell. The second teaches every attribute of a
set (columns `rank_NAME`) by its truth, pairs asked well and pairs at random, and counts unseen and
seen pairs in the right order; STORE is the set, indexed, and is not changed. The third lets some
people teach by the truth, then invented names or one hostile person by its opposite: how a
stranger's order correlates with the truth before and after; of drawn pictures and how light they
are, ten times, unless a set is given.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from PIL import Image

from drawn_store import build
from machine import machine, spread
from saccade.engine import Engine
from saccade.engine.attributes.capability import AttributeCapability
from saccade.engine.attributes.scoring import attribute_of
from saccade.testbed import worlds
from saccade.testbed.datasets import Dataset, load

AT = (1, 5, 10, 20, 50)
PAIRS = 20_000
HONEST = ((2, 8), (3, 12), (3, 20))
"""People who teach by the truth, and how many answers each gives."""
HOSTILE = ((20, 10), (1, 60))
"""Names that contradict them, and how often each does."""
USER = "bench"


def timed(images: int, answers: int) -> dict[str, Any]:
    """Milliseconds of an answer with its order, of the next question, and of the first use."""
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder) / "bench.saccade", images)
        with Engine(Path(folder) / "bench.saccade") as engine:
            attributes, rng = engine.attributes, np.random.default_rng(1)
            ids = [record.image_id for record in engine.images(0, 5000)]
            began = perf_counter()
            attributes.create("bench")
            attributes.compare("bench", ids[0], ids[1], user=USER)
            attributes.order("bench", user=USER)
            first = 1e3 * (perf_counter() - began)

            def answer() -> None:
                more, less = rng.choice(len(ids), 2, replace=False)
                attributes.compare("bench", ids[more], ids[less], user=USER)
                attributes.order("bench", user=USER, k=50)

            wall, cpu = both(answer, answers)
            found = {
                "first_ms": first,
                "answer_and_order": wall,
                "answer_and_order_cpu": cpu,
                "question": spread(lambda: attributes.suggest("bench", user=USER), 20),
                "sureness": spread(lambda: attributes.show("bench", user=USER), 20),
            }
    return {"images": images, "answers": answers, **found}


def both(function: Callable[[], None], repeats: int) -> tuple[dict[str, float], dict[str, float]]:
    """Milliseconds by the clock on the wall and of the processor."""
    wall, cpu = [], []
    for _ in range(repeats):
        began, busy = perf_counter(), process_time()
        function()
        wall.append(1e3 * (perf_counter() - began))
        cpu.append(1e3 * (process_time() - busy))
    return tuple(
        {"p50_ms": float(np.median(one)), "p95_ms": float(np.percentile(one, 95))}
        for one in (wall, cpu)
    )  # type: ignore[return-value]


def strengths(dataset: Dataset, engine: Engine) -> Iterator[tuple[str, dict[str, float]]]:
    """Every attribute with how much of it each image has."""
    known = {Path(path).resolve(): r.image_id for r in engine.images() for path in r.paths}
    for name in dataset.attributes:
        values = dataset.strengths(name)
        found = {}
        for path, value in zip(dataset.files, values, strict=True):
            image = known.get((dataset.folder / path).resolve())
            if image is not None:
                found[image] = float(value)
        yield name, found


def plain_scores(engine: Engine, name: str) -> dict[str, float]:
    """What pictures taken alone would give, from the same answers."""
    opened, scales = engine._opened, engine._loop.capability(AttributeCapability).scales
    collection = opened.collection()
    attribute = attribute_of(opened.learning.catch_up(), name)
    weights = attribute.people[USER].weights("plain", attribute.space.width)
    scores = scales.vectors(collection, attribute.space) @ weights.astype(np.float32)
    return dict(zip(collection.listing.ids, scores.tolist(), strict=True))


def right(scores: dict[str, float], truth: dict[str, float], rng: np.random.Generator) -> float:
    """The share of random pairs with different strengths in the right order."""
    ids = list(truth)
    had, real = (np.array([values[i] for i in ids]) for values in (scores, truth))
    first, second = rng.integers(0, len(ids), (2, PAIRS))
    differ = real[first] != real[second]
    agree = np.sign(had[first] - had[second]) == np.sign(real[first] - real[second])
    return float(agree[differ].mean())


def taught(
    engine: Engine, name: str, truth: dict[str, float], *, asked: bool, wrong: float
) -> dict[int, tuple[float, float, float | None]]:
    """Shares of pairs in the right order, served and by pictures alone; how sure it says it is."""
    # Questions of its own for each attribute, the same for both ways of judging them.
    rng, judge = np.random.default_rng([1, *name.encode()]), np.random.default_rng(2)
    ids, found = list(truth), {}
    engine.attributes.create(name)
    for number in range(1, max(AT) + 1):
        if asked:
            question = engine.attributes.suggest(name, user=USER)
            assert question.second is not None
            one, other = question.first.image_id, question.second.image_id
        else:
            one, other = (ids[at] for at in rng.choice(len(ids), 2, replace=False))
        if truth[one] == truth[other]:
            engine.attributes.alike(name, one, other, user=USER)
        else:
            swap = (truth[one] < truth[other]) != (rng.random() < wrong)
            engine.attributes.compare(name, *((other, one) if swap else (one, other)), user=USER)
        if number in AT:
            info = engine.attributes.show(name, user=USER)
            shares = (0.5, 0.5)
            if info.ready:
                forms = engine.attributes.scores(name, user=USER), plain_scores(engine, name)
                shares = tuple(right(scores, truth, judge) for scores in forms)
            found[number] = (*shares, info.sure)
    engine.attributes.delete(name, user=USER)
    return found


Truths = list[tuple[str, dict[str, float]]]


def attacked(engine: Engine, truths: Truths) -> dict[str, Any]:
    """How a stranger's order correlates with the truth, before and after others contradict it."""
    out: dict[str, Any] = {"attributes": len(truths)}
    for people, answers in HONEST:
        for names, each in HOSTILE:
            before, after = [], []
            for number, (name, truth) in enumerate(truths):
                rng = np.random.default_rng([5, number, people, names])
                called = f"{name} {people} {answers} {names}"
                engine.attributes.create(called)
                for person in range(people):
                    said(engine, called, truth, f"honest {person}", answers, rng)
                if not engine.attributes.show(called, user="stranger").ready:
                    continue  # they do not agree yet, and a stranger follows nobody
                before.append(correlation(engine, called, truth))
                against = {image: -value for image, value in truth.items()}
                for person in range(names):
                    said(engine, called, against, f"invented {person}", each, rng)
                after.append(correlation(engine, called, truth))
            out[f"{people} people × {answers}, then {names} × {each} against"] = {
                "followed": len(before),
                "before": float(np.mean(before)),
                "after": float(np.mean(after)),
                "lowest_after": min(after),
            }
    return out


def said(
    engine: Engine,
    name: str,
    truth: dict[str, float],
    user: str,
    count: int,
    rng: np.random.Generator,
) -> None:
    """Somebody compares random pairs."""
    ids = sorted(truth)
    while count:
        one, other = (ids[at] for at in rng.choice(len(ids), 2, replace=False))
        if truth[one] != truth[other]:
            more, less = (one, other) if truth[one] > truth[other] else (other, one)
            engine.attributes.compare(name, more, less, user=user)
            count -= 1


def correlation(engine: Engine, name: str, truth: dict[str, float]) -> float:
    """Of a stranger's scores with the truth."""
    scores = engine.attributes.scores(name, user="stranger")
    both = np.array([(scores[image], value) for image, value in truth.items()])
    return float(np.corrcoef(both.T)[0, 1])


def hostile(data: Path | None, store: Path | None) -> dict[str, Any]:
    """The attack on a set, or on drawn pictures."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.saccade"
        if data is not None and store is not None:
            shutil.copytree(store, copy)
        else:
            worlds.write(Path(folder) / "pictures", images=120, seed=8, size=(96, 72))
        with Engine(copy, warm=False) as engine:
            if data is not None:
                return attacked(engine, list(strengths(load(data), engine)))
            engine.add(Path(folder) / "pictures", recipe="color-histogram,edge-directions,lbp")
            return attacked(engine, [(f"light {n}", lightness(engine)) for n in range(10)])


def lightness(engine: Engine) -> dict[str, float]:
    """How light every picture is."""
    found = {}
    for record in engine.images():
        with Image.open(BytesIO(engine.library.thumbnail(record.image_id))) as picture:
            found[record.image_id] = float(np.asarray(picture.convert("L")).mean())
    return found


def worth(data: Path, store: Path, wrong: float) -> dict[str, Any]:
    """Means over the attributes of a set."""
    dataset = load(data)
    out: dict[str, Any] = {"set": data.name, "wrong": wrong}
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(store, Path(folder) / "copy.saccade")
        with Engine(copy, warm=False) as engine:
            for way in ("asked", "random"):
                each = [
                    taught(engine, f"{name} ({way})", truth, asked=way == "asked", wrong=wrong)
                    for name, truth in strengths(dataset, engine)
                ]
                out["attributes"] = len(each)
                out[way] = {n: float(np.mean([one[n][0] for one in each])) for n in AT}
                out[f"{way}_alone"] = {n: float(np.mean([one[n][1] for one in each])) for n in AT}
                sure = {n: [one[n][2] for one in each if one[n][2] is not None] for n in AT}
                out[f"{way}_sure"] = {n: float(np.mean(v)) for n, v in sure.items() if v}
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--answers", type=int, default=60)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--store", type=Path)
    parser.add_argument("--wrong", type=float, default=0.0)
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if (options.data is None) != (options.store is None):
        parser.error("--data and --store belong together")
    if options.hostile:
        found = {**machine(), **hostile(options.data, options.store)}
    elif options.data is not None:
        found = {**machine(), **worth(options.data, options.store, options.wrong)}
    else:
        found = {**machine(), **timed(options.images, options.answers)}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name:<20} {value}")


if __name__ == "__main__":
    main()
