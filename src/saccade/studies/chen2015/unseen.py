"""Figure 5: categories that have no picture, told by where they stand among the others.

For each round some categories are unseen. 30 pictures of each seen one are left out for its mean
and covariance; attributes learn from labels of the other seen pictures; an unseen category is
described, attribute by attribute, by the seen ones next to it (`saccade.rankers.zero_shot`). Every
picture that no label or mean has used is then put into one of all the categories.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.rankers.zero_shot import Relation, Seen
from saccade.studies.chen2015 import rounds
from saccade.studies.chen2015.accuracy import settings_of
from saccade.studies.chen2015.pictures import Pictures, pictures_of
from saccade.studies.declaration import Options, Outcome, Series, Task
from saccade.types import Rows

SYSTEMS = ("hybrid", "relative-attributes")
UNSEEN = "accuracy of the unseen"
OURS = ", ours"  # ends a measure with doubt and allowance for what was not seen
MEASURES = ("accuracy", UNSEEN, "accuracy" + OURS, UNSEEN + OURS)
LEFT_OUT = 30
POINTS = 10
PAIRS = 10


@dataclass(frozen=True, slots=True)
class Sides:
    """Rows by what they are for."""

    teaching: Rows
    describing: Rows  # their scores give the seen categories' means and covariances
    judging: Rows


def sides(classes: NDArray[np.str_], unseen: Sequence[str], rng: np.random.Generator) -> Sides:
    """Deal out the pictures: of a seen class 30 (or a third) describe, half of the rest teach."""
    teaching, describing, judging = [], [], []
    for name in np.unique(classes):
        rows = rng.permutation(np.flatnonzero(classes == name))
        if name in unseen:
            judging.append(rows)
            continue
        cut = min(LEFT_OUT, len(rows) // 3)
        half = cut + (len(rows) - cut) // 2
        describing.append(rows[:cut])
        teaching.append(rows[cut:half])
        judging.append(rows[half:])
    return Sides(*(np.concatenate(part) for part in (teaching, describing, judging)))


def described(
    name: str, seen: Sequence[str], standing: Mapping[str, Mapping[str, float]]
) -> list[Relation]:
    """What is said about a category: on each attribute, which seen ones are above, below and equal.

    >>> standing = {"open": {"coast": 5.0, "x": 3.0, "city": 1.0, "street": 3.0}}
    >>> [str(one) for one in described("x", ["city", "coast", "street"], standing)]
    ['open: coast > X = street > city']
    """
    relations = []
    for attribute, place in standing.items():
        above = tuple(other for other in seen if place[other] > place[name])
        below = tuple(other for other in seen if place[other] < place[name])
        like = tuple(other for other in seen if place[other] == place[name])
        relations.append(Relation(attribute, above, below, like))
    return relations


def one_round(
    system: str, settings: Mapping[str, object], pictures: Pictures, *,
    unseen: int, points: int, pairs: int, rng: np.random.Generator,
) -> tuple[float, float, float, float]:  # fmt: skip
    """Share of pictures put into the right category: of all, and of those of unseen ones.

    First by the paper's rule, then with our doubt and allowance.
    """
    classes = pictures.classes
    names = np.unique(classes)
    hidden = rng.choice(names, unseen, replace=False).tolist()
    dealt = sides(classes, hidden, rng)
    columns, standing = [], {}
    for attribute, strengths in pictures.strengths.items():
        labelled = rounds.draw(strengths, dealt.teaching, points=points, pairs=pairs, rng=rng)
        model = rounds.fitted(system, settings, labelled, pictures.plain)
        columns.append(model.score(pictures.plain).astype(np.float64))
        standing[attribute] = {
            str(name): float(strengths[classes == name].mean()) for name in names
        }
    scores = np.column_stack(columns)
    seen_names = [str(name) for name in names if name not in hidden]
    told = {name: described(name, seen_names, standing) for name in hidden}
    truth = classes[dealt.judging]
    theirs = np.isin(truth, hidden)
    shares: list[float] = []
    for printed in (True, False):
        seen = Seen.of(
            scores[dealt.describing], classes[dealt.describing].tolist(), list(pictures.strengths),
            printed=printed,
        )  # fmt: skip
        right = np.array(seen.classify(scores[dealt.judging], seen.with_unseen(told))) == truth
        shares += [float(right.mean()), float(right[theirs].mean()) if theirs.any() else np.nan]
    return shares[0], shares[1], shares[2], shares[3]


def _curve(task: Task, places: Sequence[int], sizes: Sequence[tuple[int, int, int]]) -> Outcome:
    """Accuracies along an axis, each the mean of the rounds; sizes are (unseen, points, pairs)."""
    pictures = pictures_of(task.data, task.options)
    settings = settings_of(task.system, task.data, task.options)
    number = 2 if task.options.quick else 10
    values = np.array(
        [
            [
                one_round(
                    task.system, settings, pictures, unseen=unseen, points=points, pairs=pairs,
                    rng=np.random.default_rng([task.options.seed, 5, turn, place]),
                )
                for turn in range(number)
            ]
            for place, (unseen, points, pairs) in zip(places, sizes, strict=True)
        ]
    )  # fmt: skip
    turns = [f"round {turn + 1}" for turn in range(number)]
    queries = turns * len(places)
    at = np.repeat([float(place) for place in places], number).tolist()
    return Outcome(
        [
            Series(measure, values[..., place].ravel().tolist(), queries=queries, at=at)
            for place, measure in enumerate(MEASURES)
        ],
        {"settings": dict(settings), "rounds": number,
         "categories": len(np.unique(pictures.classes))},
    )  # fmt: skip


def by_unseen(task: Task) -> Outcome:
    """Figure 5(a): by the number of unseen categories."""
    classes = len(np.unique(pictures_of(task.data, task.options).classes))
    places = list(range(min(6, classes - 2) + 1))
    if task.options.quick:
        places = places[:3]
    return _curve(task, places, [(unseen, POINTS, PAIRS) for unseen in places])


def by_pairs(task: Task) -> Outcome:
    """Figure 5(b): by the number of training pairs, two categories unseen."""
    places = pair_counts(task.options)
    return _curve(task, places, [(2, POINTS, pairs) for pairs in places])


def pair_counts(options: Options) -> list[int]:
    """The numbers of pairs that figure 5(b) tries."""
    return [10, 30] if options.quick else [10, 20, 30, 40, 50]
