"""What each part of the study measures, in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.studies.collection import Images, copied, opened
from saccade.studies.declaration import Outcome, Series, Task
from saccade.studies.feedback.systems import (
    LOG_SVM,
    NONE,
    FeedbackLog,
    Product,
    system_of,
    units_of,
)
from saccade.studies.protocol import queries_of
from saccade.testbed.measures import average_precision_of_ranking
from saccade.testbed.sessions import FIRST, Round, answering, measured, played

if TYPE_CHECKING:
    from saccade.engine import Engine

ANSWERS = {"right": 0.0, "10% wrong": 0.1, "30% wrong": 0.3, "at random": 0.5}
ROUNDS, EACH = 5, 10
QUERIES, FEW = 60, 12  # how many sessions; in a quick run
OTHER_QUERIES = 80  # looked at while others are answered


class Answered(NamedTuple):
    """A sequence of searches that a person answers."""

    title: str
    wrong: float = 0.0
    two: bool = False  # notions in turn
    searches: int = 400


SEQUENCES = {
    "lasting": Answered("truthfully"),
    "lasting-10-wrong": Answered("with 10% wrong", wrong=0.1),
    "lasting-30-wrong": Answered("with 30% wrong", wrong=0.3),
    "lasting-two-notions": Answered("truthfully, meaning two things in turn", two=True),
    "lasting-long": Answered("truthfully, for long", searches=2000),
}
"""By experiment; the long one takes as long as all others."""
SHORT = 24  # searches, in a quick run
LOOKS = (0, 50, 150, 400, 1000, 2000)
"""After how many searches the other queries are looked at."""

SESSION = (
    "mAP after", "mAP before", "gain of the rest", "P@20 of the rest", "P@20 of the rest before",
    "worse by .005", "worse by .02", "rest worse by .01",
)  # fmt: skip
MARK = ("new in the first 20", "change of P@20", "fell", "order changed")
OTHERS, SECOND_NOTION = "mAP of other queries", "mAP by the second notion"
WORSE = "worse by .01"
PERSON, SECOND, STRANGER = "saccade, the person", "saccade, a second person", "saccade, a stranger"
SERVED = {
    PERSON: ("one", "guarded"),
    SECOND: ("two", "guarded"),
    STRANGER: ("stranger", "guarded"),
    NONE: ("one", "plain"),
}
LASTING = (PERSON, SECOND, STRANGER, "learned", NONE, LOG_SVM)

Rows = NDArray[np.int64]


def asked_of(images: Images, task: Task, count: int) -> Rows:
    """The queries of a part: the same for every system."""
    usable = queries_of(images.labels)
    rng = np.random.default_rng([task.seed, 10])
    return rng.choice(usable, min(count, len(usable)), replace=False)


def sessions(task: Task) -> Outcome:
    """Five rounds of ten judged, for one system and one kind of person."""
    by_query = _sessions(task)
    columns: dict[str, list[float]] = {name: [] for name in SESSION}
    for rounds in by_query.values():
        last = rounds[-1]
        low = min(r.whole - r.whole_start for r in rounds)
        values = (
            last.whole, last.whole_start, last.gain, last.first, last.first_start,
            float(low < -0.005), float(low < -0.02), float(last.gain < -0.01),
        )  # fmt: skip
        for name, value in zip(SESSION, values, strict=True):
            columns[name].append(value)
    names = list(by_query)
    return Outcome([Series(name, values, queries=names) for name, values in columns.items()])


def course(task: Task) -> Outcome:
    """The same sessions round by round: means over queries."""
    runs = list(_sessions(task).values())
    places = range(min(len(rounds) for rounds in runs))
    at = [0, *(EACH * (place + 1) for place in places)]
    whole = [np.mean([r[0].whole_start for r in runs])]
    first = [np.mean([r[0].first_start for r in runs])]
    for place in places:
        whole.append(np.mean([rounds[place].whole for rounds in runs]))
        first.append(np.mean([rounds[place].first for rounds in runs]))
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
            effect = measured(start, order, {*right, *wrong}, relevant)
            change = effect.first - effect.first_start
            values = (effect.new, change, float(change < -1.5 / FIRST), float(order != start))
            for name, value in zip(MARK, values, strict=True):
                columns[name].append(float(value))
            names.append(images.paths[query])
            if isinstance(system, Product):
                engine.forget(system.user)
    return Outcome([Series(name, values, queries=names) for name, values in columns.items()])


def lasting(task: Task) -> Outcome:
    """Other queries while people answer a sequence of searches, for one who is served or a peer."""
    places, names, curves = _lasting(replace(task, system=""))
    values = np.array(curves[task.system])  # [looks, notions, queries]
    worse = (values < values[:1] - 0.01).any(axis=1).astype(float)
    queries = names * len(places)
    at = np.repeat([float(place) for place in places], len(names)).tolist()
    measures = [OTHERS, *[SECOND_NOTION] * (values.shape[1] - 1)]
    series = [
        Series(name, values[:, place].ravel().tolist(), queries=queries, at=at)
        for place, name in enumerate(measures)
    ]
    return Outcome([*series, Series(WORSE, worse.ravel().tolist(), queries=queries, at=at)])


Curves = dict[str, list[list[list[float]]]]  # system -> looks -> notions -> queries


@lru_cache(maxsize=2)
def _lasting(task: Task) -> tuple[list[int], list[str], Curves]:
    """Where a sequence is looked at, the other queries, every curve: one run serves all systems."""
    answered, quick = SEQUENCES[task.experiment], task.options.quick
    count = SHORT if quick else answered.searches
    looks = [0, SHORT] if quick else [look for look in LOOKS if look <= count]
    with opened(task.data, task.options) as images, copied(task.data.store) as engine:
        every = asked_of(images, task, len(images.ids))
        others = every[: FEW if quick else OTHER_QUERIES]
        # A small set is asked about the same pictures again.
        lessons = np.resize(every[len(others) :], count)
        notions = _notions(images, two=answered.two)
        chance = np.random.default_rng([task.seed, 12])
        log = FeedbackLog(units_of(images))
        curves: Curves = {name: [] for name in LASTING}
        for number in range(count + 1):
            if number in looks:
                for name in LASTING:
                    curves[name].append(_served(images, engine, log, others, name, notions))
            if number < count:
                query, labels = int(lessons[number]), notions[number % len(notions)]
                marks = _teach(images, engine, query, labels, answered.wrong, chance)
                log.add(query, *marks)
                if number % 2:
                    _teach(images, engine, query, labels, 0.0, chance, user="two")
    return looks, [images.paths[query] for query in others], curves


def _notions(images: Images, *, two: bool) -> list[NDArray[Any]]:
    """What a person means from search to search: the class; or in turn that and one of two halves.

    Each half holds every other class, by name: it cuts across what the pictures look like.
    """
    if not two:
        return [images.labels]
    _, number = np.unique(images.labels, return_inverse=True)
    return [images.labels, number % 2]


def _served(
    images: Images, engine: Engine, log: FeedbackLog, others: Rows, name: str,
    notions: Sequence[NDArray[Any]],
) -> list[list[float]]:  # fmt: skip
    """Average precision of each other query by every notion, as one system serves it."""
    user, expert = SERVED.get(name, ("one", name))
    out: list[list[float]] = [[] for _ in notions]
    for query in map(int, others):
        if name == LOG_SVM:
            order = [images.ids[i] for i in log.order(query)]
        else:
            page = engine.search(images.ids[query], user=user, k=len(images.ids), expert=expert)
            order = [hit.image_id for hit in page.hits]
        for labels, values in zip(notions, out, strict=True):
            same = {images.ids[i] for i in np.flatnonzero(labels == labels[query])}
            values.append(average_precision_of_ranking([int(image in same) for image in order]))
    return out


def strangers(task: Task) -> Outcome:
    """How many of a stranger's first 20 stay while one person teaches."""
    chance = np.random.default_rng([task.seed, 12])
    with opened(task.data, task.options) as images, copied(task.data.store) as engine:
        every = asked_of(images, task, 30)
        others, lessons = every[:20], every[20 : 23 if task.options.quick else 30]
        before = [_first(engine, images.ids[q]) for q in others]
        for query in lessons:
            _teach(images, engine, int(query), images.labels, 0.0, chance)
        after = [_first(engine, images.ids[q]) for q in others]
    overlaps = [float(len(set(a) & set(b))) for a, b in zip(before, after, strict=True)]
    return Outcome([Series("kept of 20", overlaps, queries=[images.paths[q] for q in others])])


def _teach(
    images: Images, engine: Engine, query: int, labels: NDArray[Any], wrong: float,
    chance: np.random.Generator, user: str = "one",
) -> tuple[list[int], list[int]]:  # fmt: skip
    """One search of a person, its first 20 judged: the rows called right, and called wrong."""
    page = engine.search(images.ids[query], user=user, k=FIRST)
    place = {image: i for i, image in enumerate(images.ids)}
    rows = [place[hit.image_id] for hit in page.hits]
    right = [bool(labels[row] == labels[query]) ^ bool(chance.random() < wrong) for row in rows]
    liked = [row for row, yes in zip(rows, right, strict=True) if yes]
    disliked = [row for row, yes in zip(rows, right, strict=True) if not yes]
    engine.react(
        page, liked=[images.ids[i] for i in liked], disliked=[images.ids[i] for i in disliked]
    )
    return liked, disliked


def _first(engine: Engine, image_id: str) -> list[str]:
    return [hit.image_id for hit in engine.search(image_id, user="stranger", k=FIRST).hits]


def _relevant(images: Images, query: int) -> set[str]:
    same = np.flatnonzero(images.labels == images.labels[query])
    return {images.ids[i] for i in same if i != query}
