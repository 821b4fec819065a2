"""Figure 6 and table 3: what online and batch learning reach in how many seconds.

Both get the same labels, half points and half pairs, ever more of them. `batch` solves its program;
`online` goes over the labels once, one at a time in a random order (section 4.3). A time is that of
`fit_labels` alone, the least of three runs, or of one that takes over a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from saccade import rankers
from saccade.studies.chen2015 import rounds
from saccade.studies.chen2015.accuracy import settings_of
from saccade.studies.chen2015.pictures import Pictures, pictures_of
from saccade.studies.chen2015.printed import REACHED
from saccade.studies.declaration import Options, Outcome, Series, Task

SYSTEMS = ("online", "batch")
BUDGET = 0.1  # seconds, figure 6
RUNS = 3


def sizes(options: Options) -> tuple[int, ...]:
    """Numbers of labels, rising."""
    return (10, 40, 160) if options.quick else (6, 10, 20, 40, 80, 160, 320, 640)


def trained(
    system: str, settings: Mapping[str, Any], labelled: rounds.Labelled, pictures: Pictures
) -> tuple[Any, float]:
    """A model and the least seconds that its fit took."""
    given = labelled.given(pictures.plain)
    count = sum(len(pair[0]) for pair in given.values())
    seconds = []
    for _ in range(RUNS):
        if system == "batch":
            model = rankers.make("hybrid", **settings)
        else:
            model = rankers.make("hybrid-online", batch=1, steps=count, window=count, **settings)
        began = perf_counter()
        model.fit_labels(**given)
        seconds.append(perf_counter() - began)
        if seconds[0] > BUDGET:
            break
    return model, min(seconds)


def measured(
    system: str, settings: Mapping[str, Any], pictures: Pictures, size: int, *, seed: int
) -> dict[str, tuple[float, float]]:
    """(seconds, accuracy) of each attribute with `size` labels, the mean of three rounds."""
    _, rows = rounds.reserved(len(pictures), seed=seed)
    found = {}
    for place, (name, strengths) in enumerate(pictures.strengths.items()):
        turns = []
        for turn in range(3):
            rng = np.random.default_rng([seed, 6, place, turn])
            labelled = rounds.draw(
                strengths, rows, points=size // 2, pairs=size - size // 2, rng=rng
            )
            model, seconds = trained(system, settings, labelled, pictures)
            right = rounds.accuracy(
                model.score(pictures.plain), strengths, labelled.unseen, rng=rng
            )
            turns.append((seconds, right))
        found[name] = (
            float(np.mean([t for t, _ in turns])),
            float(np.nanmean([a for _, a in turns])),
        )
    return found


def seconds_to(reached: Sequence[float], curve: Sequence[tuple[float, float]]) -> list[float]:
    """The least seconds of any point of a curve that is at least this accurate; NaN for none.

    >>> seconds_to([0.7, 0.8, 0.9], [(0.1, 0.75), (0.3, 0.74), (0.5, 0.85)])
    [0.1, 0.5, nan]
    """
    return [
        min((seconds for seconds, right in curve if right >= bar), default=float("nan"))
        for bar in reached
    ]


def table_3(task: Task) -> Outcome:
    """Seconds to an accuracy, the mean over the attributes."""
    pictures = pictures_of(task.data, task.options)
    settings = settings_of("hybrid", task.data, task.options)
    curve = []
    for size in sizes(task.options):
        values = measured(task.system, settings, pictures, size, seed=task.options.seed)
        curve.append(tuple(np.mean(list(values.values()), axis=0).tolist()))
    seconds = seconds_to(REACHED, curve)
    return Outcome(
        [
            Series("seconds", seconds, at=list(REACHED)),
        ],
        {"settings": dict(settings), "labels": list(sizes(task.options)), "curve": curve},
    )


def figure_6(task: Task) -> Outcome:
    """Accuracy of each attribute with as many labels as are learned within 0.1 seconds."""
    pictures = pictures_of(task.data, task.options)
    settings = settings_of("hybrid", task.data, task.options)
    best: dict[str, float] = {name: float("nan") for name in pictures.strengths}
    counts: dict[str, int] = {}
    for size in sizes(task.options):
        values = measured(task.system, settings, pictures, size, seed=task.options.seed)
        for name, (seconds, right) in values.items():
            if seconds <= BUDGET:
                best[name], counts[name] = right, size
        if min(seconds for seconds, _ in values.values()) > BUDGET:
            break
    return Outcome(
        [Series("accuracy", list(best.values()), queries=list(best))],
        {"settings": dict(settings), "labels": counts},
    )
