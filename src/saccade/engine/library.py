"""The pictures of a store: records, files, thumbnails, and what was left out."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, overload

import numpy as np

from saccade.engine import sources
from saccade.engine.indexing.doctor import Doctor
from saccade.engine.indexing.run import Indexer
from saccade.engine.learning.guard import report as guard_report
from saccade.engine.opened import OpenStore
from saccade.engine.progress import Watch, unwatched
from saccade.engine.searching.experts import LEARNED
from saccade.engine.searching.features import FeatureTable, RankingFeatures
from saccade.engine.searching.phi import signed_phi
from saccade.engine.searching.query import Query, examples, known, resolve, several
from saccade.engine.searching.schemes import parse_schemes, scheme_infos
from saccade.engine.sources import words
from saccade.engine.sources.vocabulary import Vocabularies
from saccade.errors import NotFound, StoreError, UnknownName
from saccade.hints import FILL, Hint, recipe
from saccade.store.backup import back_up
from saccade.types import (
    AddReport,
    CollectionReport,
    Finding,
    ImageRecord,
    Phi,
    Rows,
    SchemeInfo,
    Skipped,
    Vectors,
    WordBags,
)
from saccade.words.vocabulary import bag

A_TIME = 500


class Images(Sequence[ImageRecord]):
    """Every image in the order it was indexed, read some hundreds at a time.

    It is as long as the collection was when it was asked for.
    """

    def __init__(self, opened: OpenStore) -> None:
        self._catalog = opened.store.catalog
        self._length = self._catalog.count()

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[ImageRecord]:
        for offset in range(0, self._length, A_TIME):
            yield from self._catalog.page(offset, min(A_TIME, self._length - offset))

    @overload
    def __getitem__(self, place: int) -> ImageRecord: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[ImageRecord, ...]: ...
    def __getitem__(self, place: int | slice) -> ImageRecord | tuple[ImageRecord, ...]:
        if isinstance(place, slice):
            wanted = range(*place.indices(self._length))
            if wanted.step == 1:
                return self._catalog.page(wanted.start, len(wanted))
            return tuple(self[i] for i in wanted)
        place = range(self._length)[place]
        return self._catalog.page(place, 1)[0]


class Library:
    """What can be known about the pictures of an open store."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened
        self._store = opened.store
        self._features: RankingFeatures | None = None

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

        `prune` drops images whose files are gone; `recipe` changes what is computed: "+gist,-lbp".
        """
        store = self._store
        with store.indexing():
            wanted = sources.changed(self._opened.recipe, recipe)
            report = Indexer(store, wanted, workers=workers, watch=watch).add(folder, prune=prune)
        self._opened.collection()
        return report

    def image(self, image_id: str) -> ImageRecord:
        """One image with all its paths."""
        return self._store.catalog.image(image_id)

    def check_known(self, image_ids: Sequence[str]) -> None:
        """Raise NotFound for the first that is no image of the collection."""
        collection = self._opened.collection()
        for image_id in image_ids:
            known(image_id, collection)

    def images(self, offset: int = 0, limit: int | None = None) -> Sequence[ImageRecord]:
        """Every image in the order it was indexed; or a slice of them."""
        found = Images(self._opened)
        return found if offset == 0 and limit is None else found[offset:][:limit]

    def thumbnail(self, image_id: str) -> bytes:
        """A small JPEG; made again where it was lost."""
        from saccade.images.thumbnails import thumbnail
        from saccade.scale.decoding import decode

        kept = self._store.read_thumbnail(self.image(image_id).image_id)
        if kept is None:
            kept = thumbnail(decode(self.original(image_id)).picture)
            with suppress(StoreError):  # a full disk is no reason not to show it
                self._store.write_thumbnail(image_id, kept)
        return kept

    def original(self, image_id: str) -> bytes:
        """The bytes of an image's file, from whichever path still holds them."""
        from saccade.images.identity import image_id as identity

        record = self.image(image_id)
        for path in record.paths:
            try:
                data = Path(path).read_bytes()
            except OSError:
                continue
            if identity(data) == image_id:
                return data
        where = record.paths[0] if record.paths else "nowhere"
        raise NotFound(
            f"the file of image {image_id!r} has vanished or changed: {where}",
            hint=Hint(
                "engine.add(FOLDER) finds moved files; with prune=True it drops lost ones",
                command="`saccade index` finds moved files; `--prune` drops lost ones",
            ),
        )

    def phi(
        self,
        query: Any,
        rows: Rows | None = None,
        *,
        schemes: Sequence[str] | None = None,
        raw: bool = False,
    ) -> Phi:
        """φ of a query, [n, m]: every row of the collection, or some, by every scheme, or some.

        Measured against anchors, as rankings have it, or `raw` similarities. A row is an image's
        `row`; rows of images that are gone are there too.
        """
        collection = self._opened.collection()
        wanted = collection.schemes
        if schemes is not None:
            wanted = parse_schemes(tuple(schemes), wanted)
        asked = Query(examples(several(query), collection, collection.needs(wanted)))
        return signed_phi(asked, collection, wanted, rows=rows, raw=raw, pool=self._opened.pool)

    def vectors(self, descriptor: str, rows: Rows | None = None) -> Vectors:
        """A descriptor's vectors as they are stored, [n, d]: of every row, or of some."""
        collection = self._opened.collection()
        for view in collection.views.values():
            column = getattr(view, "columns", {}).get(descriptor)
            if column is not None:
                wanted = np.arange(collection.rows) if rows is None else rows
                found: Vectors = column.take(wanted)
                return found
        names = [name for view in collection.views.values() for name in view.names]
        raise UnknownName("descriptor with vectors", descriptor, names)

    def find(self, thing: Any) -> ImageRecord:
        """The image of the collection that a path, id or the bytes of a file name."""
        collection = self._opened.collection()
        example = resolve(thing, collection, frozenset())
        if example.row < 0:
            raise NotFound(f"{thing!r} is not in this collection", hint=FILL)
        return self.image(example.image_id)

    def skipped(self, offset: int = 0, limit: int | None = None) -> tuple[Skipped, ...]:
        """Files that were left out, with reasons."""
        return self._store.catalog.skipped(offset, limit)

    def costs(self) -> dict[str, float]:
        """Milliseconds an image took when it was indexed, by stage and descriptor."""
        return dict(self._store.catalog.setting("costs") or {})

    def schemes(self, user: str = "guest") -> tuple[SchemeInfo, ...]:
        """Every scheme of the collection, with its cost and its weight for a user."""
        collection = self._opened.collection()
        models = self._opened.learning.catch_up()
        learned = LEARNED.weights(models, user, collection.prior).tolist()
        weights = dict(zip(collection.prior, learned, strict=True))
        return scheme_infos(collection, self._opened.recipe, weights)

    def report(self) -> CollectionReport:
        """What the store holds."""
        collection = self._opened.collection()
        return CollectionReport(
            images=len(collection),
            descriptors=self._opened.recipe.descriptors,
            incomplete=collection.incomplete,
            resting=dict(collection.resting),
            lost=self._store.log.lost(),
            skipped=len(self._store.catalog.skipped()),
            events=self._store.log.counts(),
            users=self._opened.users(),
            guard=guard_report(self._opened.learning.catch_up().guard.everybody),
            dropped=dict(self._opened.dropped),
            unlogged=self._opened.unlogged,
        )

    def words(self, watch: Watch | None = None) -> Vocabularies:
        """The vocabulary of visual words: look at it, train it, export it, import it."""
        return Vocabularies(self._store, watch)

    def doctor(self, *, repair: bool = False, watch: Watch | None = None) -> tuple[Finding, ...]:
        """Check the store against its files; with `repair`, rebuild what can be rebuilt."""
        opened = self._opened
        with self._store.indexing():
            check = Doctor(self._store, opened.recipe, opened.learning, watch or unwatched)
            findings = check.repair() if repair else check.examine()
        if repair:
            opened.reload()
        return tuple(findings)

    def backup(self, place: str | os.PathLike[str]) -> Path:
        """Copy the store to a new place, consistent and verified, while it is used."""
        return back_up(self._store, place)

    def bags(self) -> WordBags:
        """The words of every row as they are compared, and how rare each word is."""
        view = words.of(self._opened.collection())
        if view is None:
            raise NotFound("this collection has no visual words", hint=recipe("words"))
        every = (bag(view.words_of(row)) for row in range(view.rows))
        held = tuple((distinct, words.damped(counts)) for distinct, counts in every)
        return WordBags(held, view.file.view.idf)

    # -- the ranking features of li2012 --------------------------------------------------------

    def features(self, query: Any, *, watch: Watch | None = None) -> FeatureTable:
        """The 224 ranking features of every image for a path, an image id, bytes or an array."""
        return self._prepared(watch).of(query)

    def pageranks(self, *, watch: Watch | None = None) -> dict[str, tuple[float, float]]:
        """Visual PageRank of every image, by global descriptors and by words; the average is 1."""
        known = self._prepared(watch)
        values = [(float(looks), float(words)) for looks, words in known.pageranks]
        return dict(zip(known.images, values, strict=True))

    def _prepared(self, watch: Watch | None) -> RankingFeatures:
        """What the features need of a collection: made once, and again when it changes."""
        collection = self._opened.collection()
        if self._features is None or self._features.collection is not collection:
            self._features = RankingFeatures(
                self._store, collection, self._opened.pool, self.thumbnail, watch
            )
        return self._features
