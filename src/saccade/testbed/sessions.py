"""One person's search session, simulated: rounds of judging the best that are not judged yet.

    start ─ judge 10 ─ ranked again ─ judge 10 ─ …            `played` gives every round

What is measured of a round, against the order the session started with:

    whole    the ranking as a person sees it, what was judged included
    rest     what nobody has judged yet, against the start's order of that same rest

Under wrong answers the rest is what counts: a picture that was called wrong belongs out of sight,
whatever the truth says.

Somebody who looks for c and d, and a system that can only move what was judged:

>>> class Alphabet:
...     def begin(self):
...         return "abcd"
...     def judge(self, liked, disliked):
...         return [*liked, *(one for one in "abcd" if one not in {*liked, *disliked}), *disliked]
>>> system: Ranked = Alphabet()
>>> system.begin(), system.judge(["c"], ["a"])
('abcd', ['c', 'b', 'd', 'a'])
>>> sure = answering(0.0, np.random.default_rng(0))
>>> first, *_ = played(system, {"c", "d"}, sure, rounds=2, each=2)
>>> first.judged, first.gain
(2, 0.0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from saccade.testbed.measures import average_precision_of_ranking

FIRST = 20

Answer = Callable[[str, bool], bool]  # image, whether it is right -> what the person says


class Ranked(Protocol):
    """A system under test, in one session."""

    def begin(self) -> Sequence[str]:
        """Every image but the query, best first, before anything is said."""

    def judge(self, liked: Sequence[str], disliked: Sequence[str]) -> Sequence[str]:
        """The order after some more was said."""


@dataclass(frozen=True, slots=True)
class Round:
    """What one round is worth; `start` are the same measures of the session's first order."""

    judged: int
    whole: float  # average precision
    whole_start: float
    rest: float
    rest_start: float
    first: float  # precision among the first 20 of the rest
    first_start: float
    new: int  # of the first 20 of the rest, those that the start did not have there

    @property
    def gain(self) -> float:
        """What the rest has gained on the start's order of it."""
        return self.rest - self.rest_start


def answering(share: float, rng: np.random.Generator) -> Answer:
    """A person who is wrong in this share of their answers; at one half they say anything.

    >>> sure = answering(0.0, np.random.default_rng(0))
    >>> sure("a", True), sure("b", False)
    (True, False)
    """
    return lambda _, right: right ^ bool(rng.random() < share)


def played(
    system: Ranked, relevant: set[str], answer: Answer, *, rounds: int = 5, each: int = 10
) -> list[Round]:
    """A session of some rounds; it ends early when everything is judged."""
    start = list(system.begin())
    order, judged, out = start, set[str](), []
    for _ in range(rounds):
        fresh = [image for image in order if image not in judged][:each]
        if not fresh:
            break
        answers = {image: answer(image, image in relevant) for image in fresh}
        judged |= set(fresh)
        order = list(
            system.judge(
                [image for image, right in answers.items() if right],
                [image for image, right in answers.items() if not right],
            )
        )
        out.append(measured(start, order, judged, relevant))
    return out


def measured(
    start: Sequence[str], order: Sequence[str], judged: set[str], relevant: set[str]
) -> Round:
    """What an order is worth beside the one a session started with.

    >>> one = measured("abcd", "cabd", {"a"}, {"c", "d"})
    >>> one.rest_start < one.rest, one.judged, round(one.first, 2)
    (True, 1, 0.67)
    """
    before, after = ([i for i in images if i not in judged] for images in (start, order))
    return Round(
        judged=len(judged),
        whole=_precision(order, relevant),
        whole_start=_precision(start, relevant),
        rest=_precision(after, relevant),
        rest_start=_precision(before, relevant),
        first=_first(after, relevant),
        first_start=_first(before, relevant),
        new=len(set(after[:FIRST]) - set(before[:FIRST])),
    )


def _precision(order: Sequence[str], relevant: set[str]) -> float:
    if not order:
        return 0.0  # nothing is left, on either side of a comparison
    return average_precision_of_ranking([int(image in relevant) for image in order])


def _first(order: Sequence[str], relevant: set[str]) -> float:
    shown = order[:FIRST]
    return sum(image in relevant for image in shown) / max(1, len(shown))
