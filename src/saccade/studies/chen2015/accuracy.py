"""Tables 1 and 2, and figure 3: how well attributes are ordered, and with how many labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from saccade.studies.chen2015 import printed, product, rounds
from saccade.studies.chen2015.pictures import Pictures, pictures_of
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.edges import ChosenSettings

PRODUCTS = ("saccade", "saccade-plain")
SYSTEMS = (*printed.SYSTEMS, "hybrid-online", "hybrid-kernel", *PRODUCTS)
CURVES = printed.SYSTEMS
MANY = 5000  # pictures from which a set gets the labels of the paper's larger one


def labels_of(pictures: Pictures) -> int:
    """Points, and pairs, that an attribute gets: the paper's 100, and 200 on its larger set."""
    return 200 if len(pictures) >= MANY else 100


@lru_cache(maxsize=64)
def chosen_of(system: str, data: Data, options: Options) -> ChosenSettings:
    """What a system is run with on a set, and what was tried; the same for every table."""
    if system in PRODUCTS:
        return ChosenSettings({}, {})
    pictures = pictures_of(data, options)
    amount = min(labels_of(pictures), int(rounds.TUNING * len(pictures)) // 4)
    subsets = 2 if options.quick else 5
    return rounds.tuned(
        system, pictures.plain, pictures.strengths, points=amount, pairs=amount, subsets=subsets,
        seed=options.seed,
    )  # fmt: skip


def settings_of(system: str, data: Data, options: Options) -> Mapping[str, object]:
    """The settings alone."""
    return chosen_of(system, data, options).best


def one_round(
    system: str, pictures: Pictures, settings: Mapping[str, object], *,
    points: int, pairs: int, seed: tuple[int, ...], number: int,
) -> tuple[dict[str, float], dict[str, str]]:  # fmt: skip
    """Accuracy of each attribute in one round, and what the product chose for it."""
    _, rows = rounds.reserved(len(pictures), seed=seed[0])
    accuracies, chosen = {}, {}
    for place, (name, strengths) in enumerate(pictures.strengths.items()):
        rng = np.random.default_rng([*seed, number, place])
        labelled = rounds.draw(strengths, rows, points=points, pairs=pairs, rng=rng)
        if system in PRODUCTS:
            spaces = ("plain", "smooth") if system == "saccade" else ("plain",)
            scores, chosen[name] = product.scored(labelled, pictures, spaces)
        else:
            model = rounds.fitted(system, settings, labelled, pictures.plain)
            scores = model.score(pictures.plain)
        accuracies[name] = rounds.accuracy(scores, strengths, labelled.unseen, rng=rng)
    return accuracies, chosen


def table(task: Task) -> Outcome:
    """One round of one system: an accuracy an attribute."""
    pictures = pictures_of(task.data, task.options)
    settings = settings_of(task.system, task.data, task.options)
    amount = labels_of(pictures)
    accuracies, chosen = one_round(
        task.system, pictures, settings, points=amount, pairs=amount,
        seed=(task.options.seed,), number=task.seed,
    )  # fmt: skip
    edge = chosen_of(task.system, task.data, task.options).notes
    notes: dict[str, object] = {
        "settings": dict(settings),
        "points": amount,
        "pairs": amount,
        **edge,
    }
    if chosen:
        notes["vectors"] = chosen
    return Outcome([Series("accuracy", list(accuracies.values()), queries=list(accuracies))], notes)


def sizes(options: Options) -> tuple[int, ...]:
    """How many labels of the varied kind figure 3 tries."""
    return (10, 50) if options.quick else (10, 25, 50, 75, 100, 150, 200)


def curve(task: Task) -> Outcome:
    """Figure 3: accuracy and its deviation by the number of one kind, the other kind at 100.

    The paper shows one attribute of each set; here each has its value, the mean over rounds.
    Deviation is over rounds.
    """
    pictures = pictures_of(task.data, task.options)
    settings = settings_of(task.system, task.data, task.options)
    number = 2 if task.options.quick else 10
    names = list(pictures.strengths)
    queries: list[str] = []
    at: list[float] = []
    means: list[float] = []
    deviations: list[float] = []
    for size in sizes(task.options):
        points, pairs = (100, size) if task.experiment == "figure-3-pairs" else (size, 100)
        values = np.array(
            [
                list(
                    one_round(
                        task.system, pictures, settings, points=points, pairs=pairs,
                        seed=(task.options.seed, 3), number=turn,
                    )[0].values()
                )
                for turn in range(number)
            ]
        )  # fmt: skip
        queries += names
        at += [float(size)] * len(names)
        means += np.nanmean(values, axis=0).tolist()
        deviations += np.nanstd(values, axis=0).tolist()
    return Outcome(
        [
            Series("accuracy", means, queries=queries, at=at),
            Series("deviation", deviations, queries=queries, at=at),
        ],
        {"settings": dict(settings), "rounds": number},
    )
