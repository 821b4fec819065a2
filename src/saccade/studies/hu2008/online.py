"""Ours: what the first preferences are worth, online and with a batch fit after each."""

from __future__ import annotations

import numpy as np

from saccade import rankers
from saccade.rankers.bag_online import MIOnline
from saccade.rankers.bags import graded_pairs
from saccade.studies.declaration import Options, Outcome, Series, Task
from saccade.studies.hu2008.pictures import halves
from saccade.studies.hu2008.ranking import judged, standard_bags
from saccade.studies.hu2008.regions import load

SYSTEMS = ("mi-softmax", "mi-online", "mi-average")


def amounts(options: Options) -> tuple[int, ...]:
    """How many preferences have been said."""
    return (1, 10, 100) if options.quick else (1, 3, 10, 30, 100, 300)


def measure(task: Task) -> Outcome:
    """AP of the left-out half after so many preferences, drawn at random; default settings."""
    concepts = load(task.data, task.options)
    values = np.zeros((len(amounts(task.options)), len(concepts)))
    for column, pictures in enumerate(concepts.values()):
        grades = np.array([one.plan.grade for one in pictures])
        train, test = halves(grades.tolist(), task.seed)
        pairs = train[graded_pairs(grades[train])]
        pairs = np.random.default_rng(task.seed).permutation(pairs)
        bags = standard_bags([one.rows for one in pictures])
        for row, amount in enumerate(amounts(task.options)):
            model = rankers.as_bag_ranker(rankers.make(task.system))
            preferences = pairs[:amount]
            if isinstance(model, MIOnline):
                model.learn_bags(
                    [bags[i] for i in preferences[:, 0]], [bags[i] for i in preferences[:, 1]]
                )
            else:
                model.fit_bags(bags, preferences)
            scores = model.score_bags([bags[i] for i in test])
            values[row, column] = judged(scores, grades[test])["ap"]
    names = list(concepts) * len(values)
    at = np.repeat([float(amount) for amount in amounts(task.options)], len(concepts)).tolist()
    return Outcome([Series("ap", values.ravel().tolist(), queries=names, at=at)])
