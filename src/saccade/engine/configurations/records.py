"""Which configuration ranked a page, with what chance, and what a reaction to it was worth.

    search ─ Choice ─ page ─ a person marks some ─ Reward: what each configuration lost

A reaction may come late, after a restart, in another process: the page's event keeps the choice and
where each configuration that was asked had the pictures; the reaction's event keeps the losses.
So a chooser can be made again from the log alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from saccade.choosers import losses
from saccade.feedback.preferences import Judged
from saccade.types import Arrays, Encoded, Spec

Places = NDArray[np.int32]  # [images, asked] where each stands, from 1 on; DEPTH + 1: further down

NAME = "configurations"
"""Of the capability: what it attaches to pages and reactions stands under it."""
AUTO, VOTE = "auto", "vote"
"""Who serves the one configuration that has done best, and who weighs the vote of all."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What ranks the pages of one session."""

    configuration: str  # its name, or `VOTE`; empty where none could: the usual ranking serves
    chooser: str  # who chose, `AUTO` or `VOTE`; empty where a person did
    family: tuple[str, ...]  # the configurations there were
    asked: tuple[int, ...]  # those of them that say where they have these pages' pictures
    tried: str = ""  # one that has a few places of the first page, for a trial
    dropped: tuple[str, ...] = ()  # those that failed and were left out
    probability: float = 1.0  # with which this was chosen, trial or none
    places: Places | None = field(default=None, compare=False)  # of a page's pictures

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
            "tried": self.tried,
            "dropped": list(self.dropped),
            "probability": self.probability,
        }, {} if self.places is None else {"places": self.places}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(
            body["configuration"],
            body["chooser"],
            tuple(body["family"]),
            tuple(body["asked"]),
            body["tried"],
            tuple(body["dropped"]),
            float(body["probability"]),
            arrays.get("places"),
        )


@dataclass(frozen=True, slots=True)
class Reward:
    """What a reaction says about the configurations that ranked its page."""

    chooser: str
    family: tuple[str, ...]
    asked: tuple[int, ...]
    losses: tuple[float, ...]  # of those asked, 0 is best
    served: int = -1  # the one of the family that ranked the page; -1 for a vote

    def encode(self) -> Encoded:
        """As the log keeps it."""
        return {
            "chooser": self.chooser,
            "family": list(self.family),
            "asked": list(self.asked),
            "losses": list(self.losses),
            "served": self.served,
        }, {}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(
            body["chooser"],
            tuple(body["family"]),
            tuple(map(int, body["asked"])),
            tuple(map(float, body["losses"])),
            int(body.get("served", -1)),
        )

    @property
    def sound(self) -> bool:
        """Whether a chooser can learn from it: what cannot have been served teaches nothing."""
        count, asked = len(self.family), self.asked
        return (
            self.chooser in (AUTO, VOTE)
            and len(set(self.family)) == count > 0
            and len(set(asked)) == len(asked) == len(self.losses) > 0
            and all(0 <= place < count for place in asked)
            and (self.chooser == VOTE or self.served in asked)
            and all(0.0 <= loss <= 1.0 for loss in self.losses)
        )


def rewarded(choice: Choice, images: Sequence[str], new: Judged) -> Reward | None:
    """What marks on a page are worth to its chooser; None where there was none to choose."""
    if choice.places is None or not choice.chooser:
        return None
    at = {image: place for place, image in enumerate(images)}
    marked = [(at[i], True) for i in new.liked if i in at]
    # Of a page that one served, what is wrong is its own: mistakes of the others were not seen.
    if choice.chooser == VOTE:
        marked += [(at[i], False) for i in new.disliked if i in at]
    if not marked:
        return None
    rows, right = zip(*marked, strict=True)
    lost = losses.marks(choice.places[list(rows)], np.array(right))
    family, ranked = choice.family, choice.configuration
    served = family.index(ranked) if ranked in family else -1
    reward = Reward(choice.chooser, family, choice.asked, tuple(lost.tolist()), served)
    return reward if reward.sound else None
