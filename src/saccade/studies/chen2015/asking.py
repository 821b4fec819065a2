"""How many answers an attribute needs, asked at random and asked well.

The paper draws its pairs. Here a question is either a random pair of the pool, or the pair of 64
random candidates whose answer would tell most (`saccade.rankers.suggestion`). Each answer is given
by the truth and learned at once; accuracy is over pictures that are never asked about.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.rankers.suggestion import suggest
from saccade.studies.chen2015 import rounds
from saccade.studies.chen2015.pictures import Whole, pictures_of
from saccade.studies.declaration import Options, Outcome, Series, Task
from saccade.types import Rows, Vectors

SYSTEMS = ("suggested", "random")
CANDIDATES = 64
EVERY = 5


def answers(options: Options) -> int:
    """Answers that each attribute gets."""
    return 20 if options.quick else 60


def learned(
    system: str, vectors: Vectors, strengths: Whole, rows: Rows, *, count: int, seed: list[int]
) -> NDArray[np.float64]:
    """Accuracy after every fifth answer."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(rows)
    pool, unseen = order[: len(order) // 2], order[len(order) // 2 :]
    model = rankers.make("hybrid-online")
    asked = np.empty((0, vectors.shape[1]), np.float32)
    accuracies = []
    for number in range(1, count + 1):
        some = rng.choice(pool, min(CANDIDATES, len(pool)), replace=False)
        first, second = some[0], some[1]
        if system == "suggested":
            scores = model.score(vectors[some])
            (best,) = suggest(vectors[some], scores, asked, margin=model.balance.rho)
            first, second = some[best.first], some[best.second or 0]
        if strengths[first] < strengths[second]:
            first, second = second, first
        alike = strengths[first] == strengths[second]
        pair = (vectors[[first]], vectors[[second]])
        model.learn_labels(**{"similar" if alike else "ordered": pair})
        asked = np.concatenate([asked, pair[0] - pair[1]])
        if number % EVERY == 0:
            judge = np.random.default_rng([*seed, number])
            accuracies.append(rounds.accuracy(model.score(vectors), strengths, unseen, rng=judge))
    return np.array(accuracies)


def curve(task: Task) -> Outcome:
    """Accuracy by the number of answers, session by session."""
    pictures = pictures_of(task.data, task.options)
    count = answers(task.options)
    turns = 1 if task.options.quick else 3
    places = [float(number) for number in range(EVERY, count + 1, EVERY)]
    values: list[float] = []
    queries: list[str] = []
    for place, (name, strengths) in enumerate(pictures.strengths.items()):
        for turn in range(turns):
            values += learned(
                task.system, pictures.plain, strengths, np.arange(len(pictures)), count=count,
                seed=[task.options.seed, 9, place, turn],
            ).tolist()  # fmt: skip
            queries += [f"{name}, {turn + 1}"] * len(places)
    at = places * (turns * len(pictures.strengths))
    return Outcome([Series("accuracy", values, queries=queries, at=at)])
