"""Which configuration ranked a page, with what chance, and what a reaction to it was worth.

    search ─ Choice, probability ─ page ─ a person marks some ─ Reward: losses, that probability

A reaction may come late, after a restart, in another process: the page's event keeps the choice and
where each configuration that was asked had the pictures; the reaction's event keeps the losses.
So a chooser can be made again from the log alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from saccade.choosers import losses
from saccade.feedback.preferences import Judged
from saccade.types import Arrays

Encoded = tuple[dict[str, Any], dict[str, NDArray[Any]]]
Places = NDArray[np.int32]  # [images, asked] where each stands, from 1 on; DEPTH + 1: further down

BANDIT, EXPERT = "exp3-ix", "hedge"
"""Who picks one configuration, and who weighs the vote of all."""
VOTE = "vote"


@dataclass(frozen=True, slots=True)
class Choice:
    """What ranks the pages of one session."""

    configuration: str  # its name, or `VOTE`; empty where none could: the usual ranking serves
    chooser: str  # who chose; empty where a person did
    family: tuple[str, ...]  # the configurations there were
    asked: tuple[int, ...]  # those of them that rank these pages
    explored: bool = False  # another one was held to be the best
    dropped: tuple[str, ...] = ()  # those that failed and were left out

    @property
    def names(self) -> tuple[str, ...]:
        """The configurations that are asked."""
        return tuple(self.family[place] for place in self.asked)

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {
            "configuration": self.configuration,
            "chooser": self.chooser,
            "family": list(self.family),
            "asked": list(self.asked),
            "explored": self.explored,
            "dropped": list(self.dropped),
        }, {}

    @classmethod
    def decode(cls, body: Mapping[str, Any], arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(
            body["configuration"],
            body["chooser"],
            tuple(body["family"]),
            tuple(body["asked"]),
            body["explored"],
            tuple(body["dropped"]),
        )


@dataclass(frozen=True, slots=True)
class Reward:
    """What a reaction says about the configurations that ranked its page."""

    chooser: str
    family: tuple[str, ...]
    asked: tuple[int, ...]
    losses: tuple[float, ...]  # of those asked, 0 is best
    probability: float  # with which the page was served as it was

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {
            "chooser": self.chooser,
            "family": list(self.family),
            "asked": list(self.asked),
            "losses": list(self.losses),
            "probability": self.probability,
        }, {}

    @classmethod
    def decode(cls, body: Mapping[str, Any], arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(
            body["chooser"],
            tuple(body["family"]),
            tuple(map(int, body["asked"])),
            tuple(map(float, body["losses"])),
            float(body["probability"]),
        )

    @property
    def sound(self) -> bool:
        """Whether a chooser can learn from it: what cannot have been served teaches nothing."""
        count, asked = len(self.family), self.asked
        return (
            self.chooser in (BANDIT, EXPERT)
            and len(set(self.family)) == count > 0
            and len(set(asked)) == len(asked) == len(self.losses) > 0
            and all(0 <= place < count for place in asked)
            and (self.chooser == EXPERT or len(asked) == 1)
            and all(0.0 <= loss <= 1.0 for loss in self.losses)
            and math.isfinite(self.probability)
            and 0.0 < self.probability <= 1.0
        )


def rewarded(
    choice: Choice | None,
    places: Places | None,
    images: Sequence[str],
    said: Judged,
    probability: float,
) -> Reward | None:
    """What marks on a page are worth to its chooser; None where there was none to choose."""
    if choice is None or places is None or not choice.chooser:
        return None
    at = {image: place for place, image in enumerate(images)}
    marked = [(at[i], True) for i in said.liked if i in at]
    marked += [(at[i], False) for i in said.disliked if i in at]
    if not marked:
        return None
    rows, right = zip(*marked, strict=True)
    lost = losses.marks(places[list(rows)], np.array(right))
    found = Reward(choice.chooser, choice.family, choice.asked, tuple(lost.tolist()), probability)
    return found if found.sound else None
