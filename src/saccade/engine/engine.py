"""The loop: search → shown → react → learn.

    folder ─ images ─ descriptors ─ store ─ φ(q, p) ─ expert ─ page ─ person
                                               ▲                        │
                                     models ◄─ learn ◄─ preferences ◄─ events

An event is durable before it is acknowledged; then the models learn and the page is ranked again.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

from saccade.engine import rooms
from saccade.engine.answers import Than
from saccade.engine.choosing import configured
from saccade.engine.opened import OpenStore
from saccade.engine.pointing import Region
from saccade.engine.recipe import Recipe
from saccade.engine.searching.experts import DEFAULT
from saccade.engine.searching.session import begin
from saccade.engine.showing import check_k, learn, show_again, show_first
from saccade.engine.teaching import preferred, reacted
from saccade.types import Hit, Page


class Engine:
    """A collection that can be searched and taught; its rooms lend the rest. Thread-safe."""

    def __init__(self, path: str | os.PathLike[str], **options: Any) -> None:
        self._opened = opened = OpenStore(path, **options)
        library, people = rooms.Library(opened), rooms.People(opened)
        self.image, self.images, self.find = library.image, library.images, library.find
        self.thumbnail, self.original = library.thumbnail, library.original
        self.skipped, self.costs, self.report = library.skipped, library.costs, library.report
        self.phi, self.schemes, self.features = library.phi, library.schemes, library.features
        self.words, self.doctor, self.pageranks = library.words, library.doctor, library.pageranks
        self.users, self.profile, self.forget = people.users, people.profile, people.forget
        self.backup, self.path = library.backup, opened.store.root
        self.undo, self.replay, self.warm = people.undo, people.replay, opened.warm
        self.export_profile, self.import_profile = people.export_profile, people.import_profile
        self.graph, self.close = rooms.Neighbourhood(opened), opened.close
        self.interrupt = opened.interrupt
        self.vectors, self.sessions = library.vectors, rooms.SavedSessions(opened)
        self.retention, self.attributes = rooms.Keeping(opened), rooms.Attributes(opened)
        self.choosers, self.concepts = rooms.Choosers(opened), rooms.Concepts(opened)
        self.add, self.lost = library.add, opened.store.log.lost
        self.check_known, self.bags = library.check_known, library.bags
        self.failures = opened.failures

    def search(
        self,
        query: Any = None,
        *,
        text: str | None = None,
        like: Sequence[Any] = (),
        unlike: Sequence[Any] = (),
        user: str = "guest",
        k: int = 50,
        schemes: Sequence[str] | None = None,
        ranker: str = DEFAULT,
        verify: int | None = None,
        configuration: str | None = None,
        exploring: float | None = None,
        more: Than | None = None,
        less: Than | None = None,
        prefer: bool = False,
        region: Region | None = None,
    ) -> Page:
        """Rank the collection by a picture, or by several that are meant and not meant.

        A picture is a path, an id, bytes or an array. `schemes` and `ranker` override what was
        learned. `verify` results are ordered by geometry; None: those that stand out. By words
        alone ranks a `configuration`: "auto", "vote" or a name; `exploring` 0 to 1 bounds "auto".
        `more` and `less`, `{"natural": id or place}`, keep what has it, or `prefer` it. A `region`,
        its number or top, left, bottom, right in 0..1, is the only part that is looked for.
        """
        began = perf_counter()
        query = self.concepts.pointed(query, region, text, like, unlike, schemes)
        session = begin(
            query, self._opened.collection(), self._opened.pool, text=text, like=like,
            unlike=unlike, user=user, schemes=schemes, ranker=ranker, verify=verify,
            traits=self.attributes.asked(more, less, prefer),
        )  # fmt: skip
        session = configured(self._opened, session, configuration, exploring, schemes)
        return show_first(self._opened, session, k=check_k(k), began=began)

    def search_many(self, queries: Iterable[Any], **options: Any) -> Iterator[Page]:
        """A page for each query, one after the other."""
        return (self.search(query, **options) for query in queries)

    def show(
        self, page: Page | str, *, k: int, more: Than | None = None, less: Than | None = None,
        prefer: bool = False,
    ) -> Page:  # fmt: skip
        """A page again with another number of results, ranked by what is known now.

        `more` and `less`, where given, take the place of what was asked of attributes.
        """
        said = None if more is less is None else self.attributes.asked(more, less, prefer)
        return show_again(self._opened, *self._opened.shown(page), k=check_k(k), traits=said)

    def react(
        self,
        page: Page | str,
        *,
        liked: Sequence[str | Hit] = (),
        disliked: Sequence[str | Hit] = (),
        cleared: Sequence[str | Hit] = (),
        k: int | None = None,
    ) -> Page:
        """Say what is right and wrong on a page, or take marks off; learns, and re-ranks it."""
        began = perf_counter()
        on = self._opened.resumed(page)
        return learn(self._opened, on, reacted(on, liked, disliked, cleared), k, began)

    def prefer(
        self, page: Page | str, *, better: str | Hit, worse: str | Hit, k: int | None = None
    ) -> Page:
        """Say that one picture of a page belongs before another; learns, and re-ranks."""
        began = perf_counter()
        on = self._opened.resumed(page)
        return learn(self._opened, on, preferred(on, better, worse), k, began)

    @property
    def recipe(self) -> Recipe:
        """What the store computes and how it learns."""
        return self._opened.recipe

    @property
    def digest(self) -> str:
        """Digest of the live models: `replay` gives the same."""
        return self._opened.learning.catch_up(wait=True).digest()

    def __len__(self) -> int:
        return len(self._opened.collection())

    def __contains__(self, image_id: object) -> bool:
        return isinstance(image_id, str) and self._opened.collection().find(image_id) >= 0

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
