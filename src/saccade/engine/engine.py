"""The loop: search → shown → react → learn.

    folder ─ images ─ descriptors ─ store ─ φ(q, p) ─ ranker ─ page ─ person
                                               ▲                        │
                                     models ◄─ learn ◄─ preferences ◄─ events

Read `search`, `react` and `_learn`; the rest serves them. An event is durable before it is
acknowledged; then the model learns; then the page is ranked again from the φ already at hand.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from saccade.engine import profiles, words
from saccade.engine.build import Indexer
from saccade.engine.collection import Collection
from saccade.engine.doctor import Doctor
from saccade.engine.progress import Watch, unwatched
from saccade.engine.query import Query, Wanted, examples, from_text, several
from saccade.engine.ranking import best_rows, check_k, page_of
from saccade.engine.reading import Reader
from saccade.engine.recipe import RANKERS, parse_schemes
from saccade.engine.session import Session, query_from, query_record, signed_phi
from saccade.engine.vocabularies import Vocabularies
from saccade.engine.words import WORDS
from saccade.errors import InvalidInput, NotFound, NothingToUndo, NotShown, UnknownName
from saccade.feedback.preferences import Judged, preferences, stated
from saccade.store.events import Appender, Event
from saccade.types import (
    AddReport,
    Finding,
    Page,
    Undone,
)


class Engine(Reader):
    """A collection that can be searched and taught. Safe to use from many threads."""

    # -- the loop ------------------------------------------------------------------------------

    def add(
        self,
        folder: str | os.PathLike[str],
        *,
        prune: bool = False,
        recipe: str | None = None,
        workers: int | None = None,
        watch: Watch | None = None,
    ) -> AddReport:
        """Index a folder, or bring it up to date. Killed at any moment, the next call completes it.

        `prune` drops images whose files are gone; `recipe` changes what is computed, in words such
        as ``"+gist-color,-lbp"``.
        """
        with self._store.indexing():
            wanted = self.recipe if recipe is None else self.recipe.changed(recipe)
            indexer = Indexer(self._store, wanted, workers=workers, watch=watch)
            report = indexer.add(folder, prune=prune)
        self._refresh()
        return report

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
        ranker: str = "learned",
        verify: int = 0,
    ) -> Page:
        """Rank the collection by a picture, or by several that are meant and not meant.

        A picture is a path, an image id, the bytes of a file, or an array. `text` searches by words
        where an encoder for them is installed. `schemes` and `ranker` (learned, shared, balanced,
        uniform, best-scheme) override what was learned. The best `verify` results are checked by
        geometry: those whose visual words lie as the query's do come first, most agreeing places
        first.
        """
        start = time.perf_counter()
        profiles.check_user(user)
        check_k(k)
        if ranker not in RANKERS:
            raise UnknownName("ranker", ranker, RANKERS)
        collection = self._refresh()
        if not len(collection):
            raise NotFound("the collection is empty", hint="`saccade index FOLDER` fills it")
        wanted, only = collection.schemes, None
        if schemes is not None:
            wanted = parse_schemes(tuple(schemes), collection.schemes)
            only = frozenset([*(s.descriptor for s in wanted), *([WORDS] if verify else [])])
        given = [*([] if query is None else [query]), *several(like)]
        asked = self._asked(given, several(unlike), text, collection, only)
        wanted = tuple(s for s in wanted if s.descriptor in asked.like[0].vectors)
        if not wanted:
            raise InvalidInput("none of these schemes can compare words with pictures")
        phi = signed_phi(asked, collection, wanted, self._pool)
        checked = words.check_verify(verify, asked.like, collection)
        session = Session(uuid.uuid4().hex, user, asked, wanted, ranker, collection, phi, checked)
        self._sessions.put(session)
        return self._show(session, k=k, round=0, judged=Judged(), start=start)

    @staticmethod
    def _asked(
        given: list[Any], unlike: list[Any], text: str | None, on: Collection, only: Wanted
    ) -> Query:
        if text is not None:
            if given or unlike:
                raise InvalidInput("search by words or by pictures, not both at once")
            return Query((from_text(text, on),))
        if not given:
            raise InvalidInput("nothing to search with", hint="give a picture, or like=[…]")
        return Query(examples(given, on, only), examples(unlike, on, only))

    def react(
        self,
        page: Page | str,
        *,
        liked: Sequence[str] = (),
        disliked: Sequence[str] = (),
        k: int | None = None,
    ) -> Page:
        """Say what is right and what is wrong on a page; learns, and returns the page re-ranked."""
        start = time.perf_counter()
        shown = self._shown(page)
        ids = shown.body["images"]
        _check_shown([*liked, *disliked], ids)
        both = set(liked) & set(disliked)
        if both:
            raise InvalidInput(f"image {min(both)!r} cannot be both liked and disliked")
        if not liked and not disliked:
            raise InvalidInput("empty feedback", hint="name images that are liked or disliked")
        new = Judged(tuple(dict.fromkeys(liked)), tuple(dict.fromkeys(disliked)))
        earlier = Judged(tuple(shown.body["liked"]), tuple(shown.body["disliked"]))
        pairs = preferences(ids, new, earlier)
        return self._learn("reacted", shown, new, earlier, pairs, k=k, start=start)

    def prefer(self, page: Page | str, *, better: str, worse: str, k: int | None = None) -> Page:
        """Say that one picture of a page belongs before another; learns, and re-ranks."""
        start = time.perf_counter()
        shown = self._shown(page)
        _check_shown([better, worse], shown.body["images"])
        if better == worse:
            raise InvalidInput(f"image {better!r} cannot be better than itself")
        earlier = Judged(tuple(shown.body["liked"]), tuple(shown.body["disliked"]))
        return self._learn(
            "preferred", shown, Judged(), earlier, ((better, worse),), k=k, start=start
        )

    def _learn(
        self,
        kind: str,
        shown: Event,
        new: Judged,
        earlier: Judged,
        pairs: Sequence[tuple[str, str]],
        *,
        k: int | None,
        start: float,
    ) -> Page:
        size = len(shown.body["images"]) if k is None else check_k(k)
        session = self._session(shown)
        images = list(dict.fromkeys(image for pair in pairs for image in pair))
        phi, covered = profiles.phi_of(images, shown, session)
        if not np.isfinite(phi).all():
            raise InvalidInput(f"page {shown.page!r} has a φ that is not a number; search again")
        place = {image: i for i, image in enumerate(images)}
        order = [(place[a], place[b]) for a, b in pairs]
        arrays = {"phi": phi, "pairs": np.array(order, np.int32).reshape(-1, 2)}
        body: dict[str, Any] = {
            "schemes": [shown.body["schemes"][i] for i in covered],
            "start": [shown.body["start"][i] for i in covered],
            "images": images,
            "liked": list(new.liked),
            "disliked": list(new.disliked),
            "stated": kind == "preferred" or stated(new, earlier),
        }
        if kind == "preferred":
            body |= {"better": pairs[0][0], "worse": pairs[0][1]}

        def write(appender: Appender) -> Event:
            return appender.append(
                kind,
                at=self._clock(),
                user=shown.user,
                session=shown.session,
                page=shown.page,
                body=body,
                arrays=arrays,
            )

        self._learning.append(write)
        judged = profiles.judged_after(earlier, new)
        number = int(shown.body["round"]) + 1
        return self._show(session, k=size, round=number, judged=judged, start=start)

    def _show(self, session: Session, *, k: int, round: int, judged: Judged, start: float) -> Page:
        """Rank, log what is shown, return it."""
        models = self._learning.catch_up()
        start_weights = session.start
        weights = models.weights(session.ranker, session.user, start_weights)
        rows = best_rows(session.phi, weights, max(k, session.verify), session.excluded)[0]
        inliers: dict[int, int] | None = None
        if session.verify:
            rows, inliers = words.verified(
                session.query.like, session.collection, rows, session.verify
            )
        rows = rows[:k]
        page = page_of(session, rows, weights, round=round, judged=judged, inliers=inliers)
        page = replace(page, model=str(models.event))
        body, arrays = query_record(session.query, verify=session.verify > 0)
        view = session.collection.words
        with self._store.log.appending(synced=False) as appender:
            appender.append(
                "shown",
                at=self._clock(),
                user=session.user,
                session=session.session,
                page=page.page_id,
                body={
                    "query": body,
                    "images": [hit.image_id for hit in page.hits],
                    "schemes": list(start_weights),
                    "start": list(start_weights.values()),
                    "ranker": session.ranker,
                    "verify": session.verify,
                    "vocabulary": "" if view is None else view.vocabulary.digest,
                    "model": page.model,
                    "propensity": 1.0,
                    "round": round,
                    "liked": list(judged.liked),
                    "disliked": list(judged.disliked),
                },
                arrays={"phi": session.phi[rows], **arrays},
            )
        return replace(page, seconds=time.perf_counter() - start)

    def show(self, page: Page | str, *, k: int) -> Page:
        """A page again with another number of results, ranked by what is known now."""
        return self._again(self._shown(page), k=check_k(k))

    # -- taking back ---------------------------------------------------------------------------

    def undo(self, user: str) -> Undone:
        """Take back a user's last feedback that is not taken back yet."""
        profiles.check_user(user)
        live: list[Event] = []

        def write(appender: Appender) -> Event:
            # Looked up where nobody else can append: two who undo at once take back two events.
            live.extend(self._learning.live_feedback(appender.of_user(user)))
            if not live:
                raise NothingToUndo(f"user {user!r} has no feedback to undo")
            last = live[-1]
            return appender.append(
                "undone",
                at=self._clock(),
                user=user,
                session=last.session,
                page=last.page,
                body={"event": last.event},
                arrays={},
            )

        self._learning.append(write)
        last = live[-1]
        page = None
        with suppress(NotFound):  # imported, or its query has left the collection
            shown = self._shown(last.page)
            page = self._again(shown, k=len(shown.body["images"]))
        liked, disliked = (tuple(last.body[side]) for side in ("liked", "disliked"))
        return Undone(last.event, last.kind, last.at, liked, disliked, last.session, page)

    def _again(self, shown: Event, *, k: int) -> Page:
        return self._show(
            self._session(shown),
            k=k,
            round=int(shown.body["round"]),
            judged=Judged(tuple(shown.body["liked"]), tuple(shown.body["disliked"])),
            start=time.perf_counter(),
        )

    def forget(self, user: str) -> int:
        """Remove a user and everything learned from them, the shared model included.

        Returns how many feedback events are gone.
        """
        profiles.check_user(user)
        gone = 0

        def write(appender: Appender) -> Event:
            nonlocal gone
            gone = appender.forget(user)
            # The log keeps that someone was forgotten, not who.
            return appender.append("forgotten", at=self._clock(), user="", body={}, arrays={})

        if not self._store.log.knows(user):
            raise NotFound(f"no user {user!r} in this store")
        self._learning.append(write)
        return gone

    def replay(self) -> str:
        """Rebuild every model from the log; returns the digest of the models."""
        return self._learning.replay()

    @property
    def digest(self) -> str:
        """Digest of the live models: `replay` gives the same."""
        return self._learning.catch_up().digest()

    # -- keeping -------------------------------------------------------------------------------

    def import_profile(self, user: str, data: dict[str, Any]) -> int:
        """Append exported feedback under a user's name; returns how many events came in."""
        lines = profiles.parse_export(data)
        for line in lines:
            self._learning.append(profiles.writer(profiles.check_user(user), line))
        return len(lines)

    def pageranks(self, *, watch: Watch | None = None) -> dict[str, tuple[float, float]]:
        """Visual PageRank of every image, by global descriptors and by words; the average is 1."""
        from saccade.engine.ranking_features import prepared

        known = prepared(self, watch=watch)
        values = [(float(looks), float(words)) for looks, words in known.pageranks]
        return dict(zip(known.images, values, strict=True))

    def words(self, watch: Watch | None = None) -> Vocabularies:
        """The vocabulary of visual words: look at it, train it, export it, import it."""
        return Vocabularies(self._store, watch)

    def doctor(self, *, repair: bool = False, watch: Watch | None = None) -> tuple[Finding, ...]:
        """Check the store against its files; with `repair`, rebuild what can be rebuilt."""
        with self._store.indexing():
            check = Doctor(self._store, self.recipe, self._learning, watch or unwatched)
            findings = check.repair() if repair else check.examine()
        if repair:
            self._reload()
        return tuple(findings)

    # -- inside --------------------------------------------------------------------------------

    def _shown(self, page: Page | str) -> Event:
        page_id = page if isinstance(page, str) else page.page_id
        shown = self._store.log.page(page_id)
        if shown is None:
            raise NotFound(f"no page {page_id!r}", hint="search again; pages are made by searches")
        return shown

    def _session(self, shown: Event) -> Session:
        """The session of a page: at hand, or built again from the log."""
        kept = self._sessions.get(shown.session)
        if kept is not None:
            return kept
        collection = self._refresh()
        known = {str(scheme): scheme for scheme in collection.schemes}
        names = [name for name in shown.body["schemes"] if name in known]
        schemes = tuple(known[name] for name in names) or collection.schemes
        query = query_from(shown, collection)
        phi = signed_phi(query, collection, schemes, self._pool)
        ranker = shown.body["ranker"]
        verify = int(shown.body.get("verify", 0)) if collection.words is not None else 0
        session = Session(
            shown.session, shown.user, query, schemes, ranker, collection, phi, verify
        )
        self._sessions.put(session)
        return session


def _check_shown(images: Sequence[str], shown: Sequence[str]) -> None:
    for image in images:
        if image not in shown:
            raise NotShown(
                f"image {image!r} was not shown on this page", hint="judge images of page.hits"
            )
