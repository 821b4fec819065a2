"""Figures 3 and 4: the live loop. Queries come one after another; the top 50 are judged.

    rank with the model so far ─ NDCG@50 ─ the first 50 get labels ─ learn ─ the next query

The paper's learners run over the engine's φ, with their last weights, or (a name with *) with the
mean of all weights so far. Their settings are those that Table 2's validation queries of the first
fold choose. RankSVM keeps every label in a reservoir and is fitted again from all of it; at every
query in the paper, at every `EVERY`th here, and its time is what those fits took. `saccade` is the
product itself: `search`, then `react` with what was right and wrong, on a copy of the store; its
time is that of `react`, the next page's ranking included.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.contracts import OnlineRanker, Ranker
from saccade.rankers.checked import training as checked
from saccade.rankers.pairs import pairs
from saccade.studies.collection import Images, copied, opened
from saccade.studies.declaration import Options, Outcome, Series, Task
from saccade.studies.protocol import queries_of
from saccade.studies.wan2015 import printed
from saccade.studies.wan2015.printed import ONLINE, SECOND
from saccade.studies.wan2015.table2 import OURS, chosen, first_fold
from saccade.testbed.measures import value
from saccade.types import Phi, Scores

JUDGED = 50
EVERY = 20
MEASURES = ("gain of NDCG@50", "seconds")
MEAN = tuple(name + OURS for name in ONLINE)
SYSTEMS = ("uniform", *ONLINE, *MEAN, *SECOND, "ranksvm", "saccade")
LABELS = printed.LABELS | {name + OURS: f"{printed.LABELS[name]} (mean)" for name in ONLINE}
PLACES = 40
NDCG = f"ndcg@{JUDGED}"

Rows = NDArray[np.int64]
Judge = Callable[[int, Rows], None]  # the query and the rows that were judged


def queries(labels: Rows, options: Options, seed: int) -> Rows:
    """The sequence: 2,000 different images, or as many as there are."""
    usable = queries_of(labels)
    count = min(30 if options.quick else 2_000, len(usable))
    return np.random.default_rng([seed, 55]).choice(usable, count, replace=False)


def measure(task: Task) -> Outcome:
    """One system over the whole sequence: mean gain over Uni-Con so far, and time so far."""
    settings = settings_of(task)
    with opened(task.data, task.options) as images:
        asked = queries(images.labels, task.options, task.seed)
        if task.system == "saccade":
            values, seconds = _product(task, images, asked)
        else:
            values, seconds = _learner(task.system, images, asked, **settings)
        plain = _plain(images, asked)
    gain = np.cumsum(values - plain) / np.arange(1, len(asked) + 1)
    places = np.unique(np.linspace(0, len(asked) - 1, min(PLACES, len(asked))).round().astype(int))
    at = (places + 1).tolist()
    return Outcome(
        [
            Series(MEASURES[0], gain[places].tolist(), at=at),
            Series(MEASURES[1], np.cumsum(seconds)[places].tolist(), at=at),
            Series(NDCG, values.tolist(), queries=[images.paths[row] for row in asked]),
        ],
        {"queries": len(asked), "uniform": float(plain.mean()), "settings": settings},
    )


def settings_of(task: Task) -> dict[str, object]:
    """What a learner is made with: settings chosen as for Table 2, and which weights it serves."""
    name = task.system.removesuffix(OURS)
    if name in ("uniform", "saccade"):
        return {}
    form = name if name in ONLINE else name + OURS
    return {
        **chosen(form, first_fold(task, form)).best,
        **({"average": True} if task.system in MEAN else {}),
    }


def _plain(images: Images, asked: Rows) -> NDArray[np.float64]:
    """NDCG@50 of Uni-Con for each query."""
    uniform = rankers.make("uniform")
    return np.array([_judge(images, q, uniform.score(images.phi_of(int(q)))) for q in asked])


def _judge(images: Images, query: int, scores: Scores | NDArray[np.float64]) -> float:
    others = np.arange(len(images.labels)) != query
    return value(NDCG, scores[others], (images.labels == images.labels[query])[others].astype(int))


def _learner(
    system: str, images: Images, asked: Rows, **settings: object
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A ranker over φ: its NDCG@50 before each lesson, and the seconds of each lesson."""
    name = system.removesuffix(OURS)
    model = rankers.as_ranker(rankers.make(name, **settings))
    teach = _reservoir(model) if name == "ranksvm" else _online(model)
    values, seconds = [], []
    for number, query in enumerate(asked.tolist()):
        phi = images.phi_of(query)
        scores = np.array(model.score(phi), np.float64)
        values.append(_judge(images, query, scores))
        scores[query] = -np.inf
        top = np.argsort(-scores, kind="stable")[:JUDGED]
        grades = (images.labels[top] == images.labels[query]).astype(np.int64)
        began = time.perf_counter()
        if name != "uniform":
            teach(number, phi[top], grades)
        seconds.append(time.perf_counter() - began)
    return np.array(values), np.array(seconds)


Teach = Callable[[int, Phi, Rows], None]


def _online(model: Ranker) -> Teach:
    """Every pair of a right and a wrong one among the judged, in a random order."""

    def teach(number: int, phi: Phi, grades: Rows) -> None:
        if grades.any() and not grades.all():
            rng = np.random.default_rng(number)
            judged = checked(phi, grades, np.zeros(len(grades), np.int64))
            winners, losers = pairs(judged, limit=JUDGED**2, rng=rng)
            order = rng.permutation(len(winners))
            assert isinstance(model, OnlineRanker)
            model.learn(judged.phi[winners[order]], judged.phi[losers[order]])

    return teach


def _reservoir(model: Ranker) -> Teach:
    """All labels so far, fitted again from the beginning."""
    lists: list[tuple[Phi, Rows, Rows]] = []

    def teach(number: int, phi: Phi, grades: Rows) -> None:
        if grades.any() and not grades.all():
            lists.append((phi, grades, np.full(len(grades), number, np.int64)))
        if lists and (number % EVERY == 0 or number < EVERY):
            phis, judged, groups = zip(*lists, strict=True)
            model.fit(np.concatenate(phis), np.concatenate(judged), np.concatenate(groups))

    return teach


def _product(
    task: Task, images: Images, asked: Rows
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The engine as people use it, on a store of its own."""
    label = dict(zip(images.ids, images.labels.tolist(), strict=True))
    values, seconds = [], []
    with copied(task.data.store) as engine:
        engine.warm()  # marks are timed
        for query in asked.tolist():
            page = engine.search(images.ids[query], user="live", k=JUDGED)
            matches = [label.get(hit.image_id) == images.labels[query] for hit in page.hits]
            relevant = int((images.labels == images.labels[query]).sum()) - 1
            values.append(_of_page(matches, relevant))
            right = [hit.image_id for hit, ok in zip(page.hits, matches, strict=True) if ok]
            wrong = [hit.image_id for hit, ok in zip(page.hits, matches, strict=True) if not ok]
            began = time.perf_counter()
            engine.react(page, liked=right, disliked=wrong)
            seconds.append(time.perf_counter() - began)
    return np.array(values), np.array(seconds)


def _of_page(matches: list[bool], relevant: int) -> float:
    """NDCG of a page against the best page there could be.

    >>> _of_page([True, False], 1), round(_of_page([False, True], 1), 3)
    (1.0, 0.631)
    """
    discounts = 1.0 / np.log2(np.arange(2, JUDGED + 2))
    ideal = float(discounts[: min(relevant, JUDGED)].sum())
    return float(discounts[: len(matches)][np.array(matches, bool)].sum()) / ideal if ideal else 0.0
