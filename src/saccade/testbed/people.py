"""A simulated person: knows what every picture shows, and says what is right and what is wrong.

person = SimulatedPerson(truth)                   label by path, or by image id
person.judge(page, "harbour")                     Judgement(liked=(…), disliked=(…))
pages = person.teach(engine, query, "harbour")    search, then rounds of judging and re-ranking
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from saccade.errors import InvalidInput
from saccade.types import Hit, Page

Asked = TypeVar("Asked", contravariant=True)


class Teachable(Protocol[Asked]):
    """What a person needs of an engine.

    >>> teachable: Teachable[str] = engine
    >>> page = teachable.search(engine.images()[0].image_id, k=5)
    >>> teachable.react(page, liked=[page.hits[0].image_id], disliked=[]).round
    1
    """

    def search(self, query: Asked, *, user: str = ..., k: int = ...) -> Page:
        """Rank the collection by a picture."""

    def react(self, page: Page, *, liked: Sequence[str], disliked: Sequence[str]) -> Page:
        """Learn from what is right and wrong on a page; the page ranked again."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Image ids that were called right and wrong, each in the page's order."""

    liked: tuple[str, ...] = ()
    disliked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.liked or self.disliked)


class SimulatedPerson:
    """Judges pages by the truth, down from the top.

    Looks at `limit` pictures a page (all by default), and takes one in `1 / error_rate` for what it
    is not; then `rng` says which.

    >>> truth = {one.image_id: one.paths[0].split("/")[-2] for one in engine.images()}
    >>> person = SimulatedPerson(truth)
    >>> page = engine.search(text="harbour", k=5)
    >>> judgement = person.judge(page, "harbour")
    >>> len(judgement.liked) + len(judgement.disliked)
    5
    >>> query = engine.images(0, 1)[0].image_id
    >>> [page.round for page in person.teach(engine, query, truth[query], rounds=2, k=5)]
    [0, 1, 2]
    """

    def __init__(
        self,
        truth: Mapping[str, str],
        *,
        limit: int | None = None,
        error_rate: float = 0.0,
        rng: np.random.Generator | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise InvalidInput(f"limit={limit}: a person judges at least one picture a page")
        if not 0.0 <= error_rate <= 1.0:
            raise InvalidInput(f"error_rate={error_rate}: give a share between 0 and 1")
        if error_rate > 0.0 and rng is None:
            raise InvalidInput("error_rate without rng: pass a seeded numpy Generator")
        self._truth = dict(truth)
        self._limit = limit
        self._error_rate = error_rate
        self._rng = rng

    def judge(self, page: Page, target: str) -> Judgement:
        """What of the page shows `target` and what does not, of the pictures not judged yet.

        Raises:
            InvalidInput: a picture of the page is not in the truth.
        """
        fresh = [
            hit
            for hit in page.hits
            if hit.image_id not in page.liked and hit.image_id not in page.disliked
        ]
        liked: list[str] = []
        disliked: list[str] = []
        for hit in fresh[: self._limit]:
            right = self._label(hit) == target
            if self._rng is not None and self._rng.random() < self._error_rate:
                right = not right
            (liked if right else disliked).append(hit.image_id)
        return Judgement(tuple(liked), tuple(disliked))

    def teach(
        self,
        engine: Teachable[Asked],
        query: Asked,
        target: str,
        *,
        rounds: int = 3,
        user: str = "guest",
        k: int = 50,
    ) -> tuple[Page, ...]:
        """Search and judge `rounds` times; every page seen, the first before any judgement.

        Ends early when a page has nothing left to judge.
        """
        pages = [engine.search(query, user=user, k=k)]
        for _ in range(rounds):
            judgement = self.judge(pages[-1], target)
            if not judgement:
                break
            pages.append(
                engine.react(pages[-1], liked=judgement.liked, disliked=judgement.disliked)
            )
        return tuple(pages)

    def _label(self, hit: Hit) -> str:
        for key in (hit.image_id, hit.path, str(Path(hit.path).resolve())):
            if key in self._truth:
                return self._truth[key]
        raise InvalidInput(
            f"picture {hit.path!r} ({hit.image_id}) is not in the truth; "
            "give labels by path or by image id for the whole collection"
        )
