"""What each part of the study measures, in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.studies.collection import Images, opened
from saccade.studies.declaration import Outcome, Series, Task
from saccade.studies.feedback.systems import Product, copied, system_of
from saccade.studies.protocol import queries_of
from saccade.testbed.measures import average_precision_of_ranking
from saccade.testbed.sessions import FIRST, Round, answering, measured, played

ANSWERS = {"right": 0.0, "10% wrong": 0.1, "30% wrong": 0.3, "at random": 0.5}
ROUNDS, EACH = 5, 10
QUERIES, FEW = 60, 12  # how many sessions; in a quick run
SEQUENCES = {"300 queries": 300, "2,000 queries": 2000}
SHORT = 12  # in a quick run
LOOKS = 5  # how often the other queries are looked at along the sequence

SESSION = (
    "mAP after", "mAP before", "gain of the rest", "P@20 of the rest", "P@20 of the rest before",
    "worse by .005", "worse by .02", "rest worse by .01",
)  # fmt: skip
MARK = ("new in the first 20", "change of P@20", "fell", "order changed")
ALONG = ("guarded", "learned", "shared", "plain")

Rows = NDArray[np.int64]


def asked_of(images: Images, task: Task, count: int) -> Rows:
    """The queries of a part: the same for every system."""
    usable = queries_of(images.labels)
    rng = np.random.default_rng([task.seed, 10])
    return rng.choice(usable, min(count, len(usable)), replace=False)


def sessions(task: Task) -> Outcome:
    """Five rounds of ten judged, for one system and one kind of person."""
    found = _sessions(task)
    columns: dict[str, list[float]] = {name: [] for name in SESSION}
    for rounds in found.values():
        last = rounds[-1]
        low = min(r.whole - r.whole_start for r in rounds)
        values = (
            last.whole, last.whole_start, last.gain, last.first, last.first_start,
            float(low < -0.005), float(low < -0.02), float(last.gain < -0.01),
        )  # fmt: skip
        for name, value in zip(SESSION, values, strict=True):
            columns[name].append(value)
    names = list(found)
    return Outcome([Series(name, values, queries=names) for name, values in columns.items()])


def course(task: Task) -> Outcome:
    """The same sessions round by round: means over queries."""
    found = list(_sessions(task).values())
    places = range(min(len(rounds) for rounds in found))
    at = [0, *(EACH * (place + 1) for place in places)]
    whole = [np.mean([r[0].whole_start for r in found])]
    first = [np.mean([r[0].first_start for r in found])]
    for place in places:
        whole.append(np.mean([rounds[place].whole for rounds in found]))
        first.append(np.mean([rounds[place].first for rounds in found]))
    return Outcome([Series("mAP", list(map(float, whole)), at=at),
                    Series("P@20 of the rest", list(map(float, first)), at=at)])  # fmt: skip


@lru_cache(maxsize=4)
def _sessions(task: Task) -> dict[str, list[Round]]:
    with opened(task.data, task.options) as images, copied(task.data.store) as engine:
        out = {}
        for number, query in enumerate(
            asked_of(images, task, FEW if task.options.quick else QUERIES)
        ):
            answer = answering(ANSWERS[task.part], np.random.default_rng([task.seed, 11, number]))
            system = system_of(task.system, images, engine, int(query))
            rounds = played(system, _relevant(images, int(query)), answer, rounds=ROUNDS, each=EACH)
            out[images.paths[query]] = rounds
            if isinstance(system, Product):
                engine.forget(system.user)  # every session is a new person's
        return out


def one_mark(task: Task) -> Outcome:
    """One mark only: the first right one, the first wrong one, or one of each."""
    columns: dict[str, list[float]] = {name: [] for name in MARK}
    names: list[str] = []
    with opened(task.data, task.options) as images, copied(task.data.store) as engine:
        for query in asked_of(images, task, FEW if task.options.quick else QUERIES):
            system = system_of(task.system, images, engine, int(query))
            relevant = _relevant(images, int(query))
            start = list(system.begin())
            right = [i for i in start[:40] if i in relevant][:1] if task.part != "one wrong" else []
            wrong = (
                [i for i in start[:40] if i not in relevant][:1] if task.part != "one right" else []
            )
            if not (right or wrong) or (task.part == "one of each" and not (right and wrong)):
                continue
            order = list(system.judge(right, wrong))
            found = measured(start, order, {*right, *wrong}, relevant)
            change = found.first - found.first_start
            values = (found.new, change, float(change < -1.5 / FIRST), float(order != start))
            for name, value in zip(MARK, values, strict=True):
                columns[name].append(float(value))
            names.append(images.paths[query])
            if isinstance(system, Product):
                engine.forget(system.user)
    return Outcome([Series(name, values, queries=names) for name, values in columns.items()])


def lasting(task: Task) -> Outcome:
    """One person's sequence of queries, the first 30 judged; other queries looked at on the way."""
    with opened(task.data, task.options) as images, copied(task.data.store) as engine:
        count = SHORT if task.options.quick else SEQUENCES[task.part]
        every = asked_of(images, task, len(images.ids))
        # The same others for every length; a small set is asked about the same pictures again.
        taught, others = np.resize(every[40:], count), every[:40]
        places = np.unique(np.linspace(0, len(taught), LOOKS + 1).round().astype(int))
        values = []
        for number in range(len(taught) + 1):
            if number in places:
                values.append(_quality(images, engine, others, task.system))
            if number < len(taught):
                _teach(images, engine, int(taught[number]))
    return Outcome([Series("mAP of other queries", values, at=places.tolist())])


def strangers(task: Task) -> Outcome:
    """How many of a stranger's first 20 stay while one person teaches."""
    with opened(task.data, task.options) as images, copied(task.data.store) as engine:
        every = asked_of(images, task, 30)
        others, taught = every[:20], every[20 : 23 if task.options.quick else 30]
        before = [_first(engine, images.ids[q]) for q in others]
        for query in taught:
            _teach(images, engine, int(query))
        after = [_first(engine, images.ids[q]) for q in others]
    kept = [float(len(set(a) & set(b))) for a, b in zip(before, after, strict=True)]
    return Outcome([Series("kept of 20", kept, queries=[images.paths[q] for q in others])])


def _teach(images: Images, engine: Any, query: int) -> None:
    relevant = _relevant(images, query)
    page = engine.search(images.ids[query], user="one", k=30)
    ids = [hit.image_id for hit in page.hits]
    engine.react(
        page,
        liked=[i for i in ids if i in relevant],
        disliked=[i for i in ids if i not in relevant],
    )


def _quality(images: Images, engine: Any, others: Sequence[int] | Rows, ranker: str) -> float:
    found = []
    for query in others:
        relevant = _relevant(images, int(query))
        page = engine.search(images.ids[query], user="one", k=len(images.ids), ranker=ranker)
        found.append(average_precision_of_ranking([int(h.image_id in relevant) for h in page.hits]))
    return float(np.mean(found))


def _first(engine: Any, image_id: str) -> list[str]:
    return [hit.image_id for hit in engine.search(image_id, user="stranger", k=FIRST).hits]


def _relevant(images: Images, query: int) -> set[str]:
    same = np.flatnonzero(images.labels == images.labels[query])
    return {images.ids[i] for i in same if i != query}
