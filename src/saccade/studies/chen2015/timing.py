"""Figure 6 and table 3: what online and batch learning reach in how many seconds.

Both get the same labels, half points and half pairs, ever more of them. `batch` solves its program;
`online` takes the paper's steps (section 4.3) over the labels, one at a time in a random order,
each once a pass, and serves the mean of the last pass. A time is that of `fit_labels` alone, the
least of three runs, or of one that takes over a tenth of a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from time import perf_counter

import numpy as np

from saccade import rankers
from saccade.contracts import LabelRanker
from saccade.studies.chen2015 import rounds
from saccade.studies.chen2015.accuracy import settings_of
from saccade.studies.chen2015.pictures import Pictures, pictures_of
from saccade.studies.chen2015.printed import REACHED
from saccade.studies.declaration import Data, Options, Outcome, Series, Task

SYSTEMS = ("online", "batch")
BUDGET = 0.1  # seconds, figure 6
RUNS = 3
SLOW = 0.3  # seconds
PASSES = 20


def sizes(options: Options) -> tuple[int, ...]:
    """Numbers of labels, rising."""
    return (10, 40, 160) if options.quick else (10, 20, 40, 80, 160, 320, 640, 1280, 2560)


def turns(options: Options) -> int:
    """Rounds, each with labels of its own."""
    return 2 if options.quick else 10


def trained(
    system: str, settings: Mapping[str, object], labelled: rounds.RoundLabels, pictures: Pictures
) -> tuple[LabelRanker, float]:
    """A model and the least seconds that its fit took."""
    labels = labelled.by_kind(pictures.plain)
    seconds = []
    for _ in range(RUNS):
        if system == "batch":
            model = rankers.make("hybrid", **settings)
        else:
            model = rankers.make(
                "hybrid-online", schedule="pegasos", batch=1, passes=PASSES, **settings
            )
        began = perf_counter()
        model.fit_labels(**labels)
        seconds.append(perf_counter() - began)
        if seconds[0] > BUDGET:
            break
    return model, min(seconds)


def measured(
    system: str, settings: Mapping[str, object], pictures: Pictures, size: int, *,
    rounds_each: int = 3, seed: int,
) -> dict[str, tuple[float, float]]:  # fmt: skip
    """(seconds, accuracy) of each attribute with `size` labels, the mean of some rounds.

    Where a fit takes longer than `SLOW` three rounds are enough.
    """
    _, rows = rounds.reserved(len(pictures), seed=seed)
    means = {}
    for place, (name, strengths) in enumerate(pictures.strengths.items()):
        found = []
        for turn in range(rounds_each):
            rng = np.random.default_rng([seed, 6, place, turn])
            labelled = rounds.draw(
                strengths, rows, points=size // 2, pairs=size - size // 2, rng=rng
            )
            model, seconds = trained(system, settings, labelled, pictures)
            right = rounds.accuracy(
                model.score(pictures.plain), strengths, labelled.unseen, rng=rng
            )
            found.append((seconds, right))
            if seconds > SLOW and len(found) >= RUNS:
                break
        means[name] = (
            float(np.mean([t for t, _ in found])),
            float(np.nanmean([a for _, a in found])),
        )
    return means


@lru_cache(maxsize=16)  # of both systems on every set: the next experiment asks again
def course(
    system: str, data: Data, options: Options
) -> tuple[dict[int, dict[str, tuple[float, float]]], dict[str, object]]:
    """What `measured` found at every number of labels, for both experiments; and how."""
    pictures = pictures_of(data, options)
    settings = settings_of("hybrid", data, options)
    number = turns(options)
    found = {
        size: measured(system, settings, pictures, size, rounds_each=number, seed=options.seed)
        for size in sizes(options)
    }
    notes = {
        "settings": dict(settings), "sizes": list(sizes(options)), "rounds": number,
        **({"passes": PASSES} if system == "online" else {}),
    }  # fmt: skip
    return found, notes


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
    """Seconds to an accuracy, attribute by attribute; no number where it is not reached."""
    found, notes = course(task.system, task.data, task.options)
    names = list(next(iter(found.values())))
    values: list[float] = []
    for name in names:
        values += seconds_to(REACHED, [found[size][name] for size in found])
    series = Series(
        "seconds", values, queries=np.repeat(names, len(REACHED)).tolist(),
        at=list(REACHED) * len(names),
    )  # fmt: skip
    curve = {size: np.mean(list(each.values()), axis=0).tolist() for size, each in found.items()}
    return Outcome([series], {**notes, "seconds and accuracy": curve})


def figure_6(task: Task) -> Outcome:
    """Accuracy of each attribute with as many labels as are learned within 0.1 seconds."""
    found, notes = course(task.system, task.data, task.options)
    best: dict[str, float] = dict.fromkeys(next(iter(found.values())), float("nan"))
    counts: dict[str, int] = {}
    for size, each in found.items():
        for name, (seconds, right) in each.items():
            if seconds <= BUDGET:
                best[name], counts[name] = right, size
    series = Series("accuracy", list(best.values()), queries=list(best))
    return Outcome([series], {**notes, "labels": counts})
