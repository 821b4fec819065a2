"""What each expert said of a picture before it was judged: what the guard is charged by.

    page ─ Opinions (every picture of it) ─ a person marks some ─ JudgedOpinions (the marked ones)

A mark changes what the experts say, so their word has to be kept from before. It is taken from the
page a picture was first marked on, and goes with the event, so that the guard can be made again
from the log alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from saccade.choosers import guard
from saccade.feedback.preferences import Judged
from saccade.types import Arrays, Encoded, Spec

MOST = 200
"""Judged pictures an event keeps the opinions of, the newest first."""


@dataclass(frozen=True, slots=True)
class Opinions:
    """Each expert's score of some pictures, and the score they were served by."""

    experts: tuple[str, ...]
    stage: str  # what the session had said by then, as the guard counts it
    scores: NDArray[np.float32]  # [n, experts]
    served: NDArray[np.float32]  # [n]

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body = {"experts": list(self.experts), "stage": self.stage}
        return body, {"scores": self.scores, "served": self.served}

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        return cls(tuple(body["experts"]), body["stage"], arrays["scores"], arrays["served"])

    def of(self, place: int) -> dict[str, float]:
        """What was said of one picture; the score it was served by has no name."""
        scores = dict(zip(self.experts, self.scores[place].tolist(), strict=True))
        return {**scores, "": float(self.served[place])}


@dataclass(frozen=True, slots=True)
class JudgedOpinions:
    """The judged pictures of a session with what was said of each before it was judged."""

    images: tuple[str, ...]
    opinions: Opinions
    liked: NDArray[np.bool_]  # [n]
    new: NDArray[np.bool_]  # [n] judged by this event

    def encode(self) -> Encoded:
        """As the log keeps it."""
        body, arrays = self.opinions.encode()
        return {**body, "images": list(self.images)}, {
            **arrays, "liked": self.liked, "new": self.new,
        }  # fmt: skip

    @classmethod
    def decode(cls, body: Spec, arrays: Arrays) -> Self:
        """What `encode` gave."""
        opinions = Opinions.decode(body, arrays)
        return cls(tuple(body["images"]), opinions, arrays["liked"], arrays["new"])

    def check(self) -> None:
        """Raise a ValueError that says what is wrong with opinions from outside."""
        given, count = self.opinions, len(self.images)
        if guard.PLAIN not in given.experts or len(set(given.experts)) != len(given.experts):
            raise ValueError("experts are named twice, or none is without learning")
        if given.stage not in guard.PRIOR:
            raise ValueError(f"no stage {given.stage!r} of a session")
        shapes = (given.scores.shape, given.served.shape, self.liked.shape, self.new.shape)
        if shapes != ((count, len(given.experts)), (count,), (count,), (count,)):
            raise ValueError("opinions do not fit the pictures they are of")
        if self.liked.dtype != np.bool_ or self.new.dtype != np.bool_:
            raise ValueError("it is not said which pictures were liked")
        if given.scores.dtype != np.float32 or given.served.dtype != np.float32:
            raise ValueError("opinions are not scores")
        if not np.isfinite(given.scores).all() or not np.isfinite(given.served).all():
            raise ValueError("an opinion is not a number")


Before = Mapping[str, Mapping[str, float]]  # image -> what was said of it before it was judged


def on_page(images: Sequence[str], opinions: Opinions | None) -> dict[str, dict[str, float]]:
    """What was said of each picture of a page."""
    if opinions is None:
        return {}
    return {image: opinions.of(i) for i, image in enumerate(images)}


def gathered(before: Before, stage: str, new: Judged, standing: Judged) -> JudgedOpinions | None:
    """What an event keeps of them: of its `new` marks, and of those `standing` that these may be
    held to.

    Only experts that spoke of every one of them count; None where nothing can be told.
    """
    fresh = [i for i in (*new.liked, *new.disliked) if i in before]
    mixed = {i in new.liked for i in fresh} == {True, False}
    earlier = [i for i in (*standing.liked, *standing.disliked) if i in before and i not in fresh]
    # Marks of both kinds are compared with each other; one kind alone with what was said before.
    images = [*fresh, *([] if mixed else earlier[::-1])][:MOST]
    shared = [set(before[image]) for image in images]
    experts = [e for e in guard.EXPERTS if all(e in spoke for spoke in shared)]
    if not fresh or guard.PLAIN not in experts:
        return None
    liked = {*standing.liked, *new.liked} - set(new.disliked)
    return JudgedOpinions(
        tuple(images),
        Opinions(
            tuple(experts),
            stage,
            np.array([[before[i][e] for e in experts] for i in images], np.float32),
            np.array([before[i][""] for i in images], np.float32),
        ),
        np.array([image in liked for image in images]),
        np.array([image in fresh for image in images]),
    )
