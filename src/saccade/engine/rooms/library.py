"""The pictures of a store: records, files, thumbnails, and what was left out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Literal, get_args, overload

import numpy as np

from saccade.engine.cache import Cache
from saccade.engine.indexing.doctor import Doctor
from saccade.engine.indexing.run import FOLDERS, Indexer, above
from saccade.engine.learning.guard import report as guard_report
from saccade.engine.loop.experts import LEARNED
from saccade.engine.loop.facts import Fits, largest
from saccade.engine.loop.loop import Loop
from saccade.engine.loop.phi import signed_phi
from saccade.engine.loop.query import Query, resolve
from saccade.engine.loop.schemes import parse_schemes, scheme_infos
from saccade.engine.names import check_user
from saccade.engine.progress import Progress, Watch, unwatched
from saccade.engine.request import GUEST, PictureLike, Where, clauses_of, several
from saccade.engine.rooms import archive, upkeep
from saccade.engine.rooms.features import FeatureTable, RankingFeatures
from saccade.engine.rooms.files import Files
from saccade.engine.rooms.listing import ImageList
from saccade.engine.sources import copies, dense, words
from saccade.engine.sources.vocabulary import Vocabularies
from saccade.errors import NotFound, UnknownName
from saccade.hints import FILL, recipe
from saccade.store.backup import back_up
from saccade.store.moving import Moved, move
from saccade.types import (
    AddReport,
    CameraCount,
    CollectionReport,
    Duplicates,
    Facets,
    Finding,
    FolderCount,
    ImageRecord,
    MonthCount,
    Phi,
    Rows,
    SchemeInfo,
    ShapeCount,
    Skipped,
    StoreSize,
    TagCount,
    Vectors,
    WordBags,
)
from saccade.words.vocabulary import bag

Order = Literal["indexed", "newest", "oldest"]
TagCounts = Callable[[Fits, str], Mapping[str, int]]
"""How many of some rows have each tag that a person sees."""


def _no_tags(fits: Fits, user: str) -> Mapping[str, int]:
    return {}


class Library(Files):
    """What can be known about the pictures of an open store.

    >>> library = engine.library
    >>> library.report().images, len(library.folders()), library.skipped()
    (36, 1, ())
    >>> first, second, *_ = library.images(where={"folder": "harbour"})
    >>> library.find(first.paths[0]) == first
    True
    >>> library.images(0, 1)[0] in library.images(order="oldest")
    True
    >>> [(facet.shape, facet.count) for facet in library.facets().shapes]
    [('wide', 36)]
    >>> library.schemes()[0].scheme, library.costs()["color-histogram"] > 0
    ('color-histogram:l1', True)
    >>> library.vectors("color-histogram").shape, len(library.phi(first.image_id))
    ((36, 64), 36)
    >>> b"".join(library.zipped([first.image_id]))[:2]
    b'PK'
    >>> library.duplicates(), library.gone(), library.size().total > 0
    ((), (), True)
    >>> library.doctor()  # nothing is wrong
    ()
    >>> library.backup(folder / "copy").name
    'copy'
    >>> library.words().info().images, len(library.bags().bags)
    (36, 36)
    >>> len(library.features(first.image_id).names), len(library.pageranks())
    (224, 36)
    >>> library.check_recipe("+lbp")
    >>> library.compute("+lbp", workers=1)
    >>> library.add(first.paths[0].rpartition("/")[0]).known
    2
    >>> [report.known for report in library.refresh(workers=1).values()]
    [36]
    >>> library.remove(first.paths[0].rpartition("/")[0])
    2
    """

    def __init__(self, loop: Loop, tagged: TagCounts = _no_tags) -> None:
        super().__init__(loop.opened)
        self._loop, self._tagged = loop, tagged
        self._features: Cache[int, RankingFeatures] = loop.opened.keep(Cache(1))
        self._places: Cache[int, tuple[str, ...]] = loop.opened.keep(Cache(1))

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
        store, sources = self._store, self._opened.tables.sources
        with store.indexing():
            wanted = sources.changed(self._opened.recipe, recipe)
            indexer = Indexer(
                store, wanted, sources=sources, executor=self._opened.executor, workers=workers,
                watch=watch,
            )  # fmt: skip
            report = indexer.add(folder, prune=prune)
        self._opened.collection()
        return report

    @overload
    def images(
        self,
        *,
        where: Where = (),
        user: str = GUEST,
        order: Order = "indexed",
        stacked: bool = False,
    ) -> ImageList: ...
    @overload
    def images(
        self,
        offset: int = 0,
        limit: int | None = None,
        *,
        where: Where = (),
        user: str = GUEST,
        order: Order = "indexed",
        stacked: bool = False,
    ) -> Sequence[ImageRecord]: ...
    def images(
        self,
        offset: int = 0,
        limit: int | None = None,
        *,
        where: Where = (),
        user: str = GUEST,
        order: Order = "indexed",
        stacked: bool = False,
    ) -> Sequence[ImageRecord]:
        """Every image, or those that fit `where` for a person; or a slice of them.

        In the order they were indexed, or the newest or oldest first by when they were taken.
        `stacked` says of each in a slice which of those before it is nearly the same.
        """
        collection, fits = self._loop.fitting(clauses_of(where), check_user(user))
        if order not in get_args(Order):
            raise UnknownName("order", str(order), get_args(Order))
        rows = np.flatnonzero(fits)
        if order != "indexed":
            times = self._loop.narrowing.facts(collection).times[rows]
            rows = rows[np.argsort(-times if order == "newest" else times, kind="stable")]
        alike = partial(copies.stacks, collection) if stacked else None
        images = ImageList(self._store.catalog, rows, alike)
        return (
            images
            if offset == 0 and limit is None
            else images.at(range(len(rows))[offset:][:limit])
        )

    def facets(self, *, where: Where = (), user: str = GUEST) -> Facets:
        """What the pictures that fit can be narrowed by, with how many would be left."""
        collection, fits = self._loop.fitting(clauses_of(where), check_user(user))
        facts = self._loop.narrowing.facts(collection)
        return Facets(
            images=int(np.count_nonzero(fits)),
            folders=tuple(starmap(FolderCount, facts.in_folders(fits))),
            months=tuple(starmap(MonthCount, facts.in_months(fits))),
            cameras=tuple(starmap(CameraCount, facts.by_camera(fits))),
            shapes=tuple(starmap(ShapeCount, facts.by_shape(fits))),
            tags=tuple(starmap(TagCount, largest(self._tagged(fits, user)))),
        )

    def zipped(self, image_ids: Sequence[str]) -> Iterator[bytes]:
        """The originals of some pictures as the bytes of a zip, one picture in memory at a time."""
        return archive.zipped(self, image_ids)

    def duplicates(self) -> tuple[Duplicates, ...]:
        """Pictures that are there more than once, then groups that are nearly the same."""
        return upkeep.duplicates(self._opened)

    def gone(self) -> tuple[Skipped, ...]:
        """Files that were indexed and are not where they were; of a folder that is away, it alone.

        Their pictures stay until `add` or `refresh` is asked to `prune`.
        """
        return upkeep.gone(self._opened, self.folders())

    def size(self) -> StoreSize:
        """Bytes that the store takes on disk, by what they are for."""
        return upkeep.size(self._opened)

    # -- folders -------------------------------------------------------------------------------

    def folders(self) -> tuple[str, ...]:
        """The folders that were added; of an older store, those that hold its files."""
        folders = self._store.catalog.setting(FOLDERS)
        if folders is not None:
            return tuple(folders)
        # From every path, so once a collection: the page asks for it each time it opens.
        return self._places.made(self._opened.collection().generation, self._holding)

    def _holding(self) -> tuple[str, ...]:
        """The topmost folders that hold files of the collection."""
        places = {os.path.dirname(path) for path in self._store.catalog.path_rows()}
        return tuple(sorted(one for one in places if not above(one, places - {one})))

    def refresh(
        self, *, prune: bool = False, workers: int | None = None, watch: Watch | None = None
    ) -> dict[str, AddReport]:
        """Bring the collection up to date with every folder of it; one that is away is left."""
        return {
            folder: self.add(folder, prune=prune, workers=workers, watch=watch)
            for folder in self.folders()
            if os.path.isdir(folder)
        }

    def remove(self, folder: str | os.PathLike[str]) -> int:
        """Take a folder's pictures out of the collection; how many left. The files stay.

        What was said of them is kept: added again, they are what they were.
        """
        root = os.path.abspath(Path(folder).expanduser())
        with self._store.indexing():
            paths = self._store.catalog.known_paths()
            own = self._store.arrivals.holds  # what the store keeps may lie below, and stays
            gone = [path for path in paths if above(path, {root}) and not own(path)]
            if not gone and root not in self.folders():
                raise UnknownName("folder of this collection", root, self.folders())
            left = [one for one in self.folders() if one != root and not above(one, {root})]
            number = self._store.commit(gone=gone, settings={FOLDERS: left})
        self._opened.collection()
        return number

    def check_recipe(self, recipe: str) -> None:
        """Raise an error for a change of the recipe that cannot be."""
        self._opened.tables.sources.changed(self._opened.recipe, recipe)

    def compute(
        self, recipe: str | None = None, *, workers: int | None = None, watch: Watch | None = None
    ) -> None:
        """Compute what the pictures lack, with `recipe` what another one wants; no folder is read.

        Interrupted, the same call goes on where it stopped.
        """
        sources = self._opened.tables.sources
        with self._store.indexing():
            wanted = sources.changed(self._opened.recipe, recipe)
            indexer = Indexer(
                self._store, wanted, sources=sources, executor=self._opened.executor,
                workers=workers, watch=watch,
            )  # fmt: skip
            indexer.keep_recipe()
            indexer.fill()
        self._opened.collection()

    # -- comparing -----------------------------------------------------------------------------

    def phi(
        self,
        query: PictureLike | Sequence[PictureLike],
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
        only = collection.needs(wanted)
        asked = Query(tuple(resolve(one, collection, only) for one in several(query)))
        return signed_phi(asked, collection, wanted, rows=rows, raw=raw, pool=self._opened.pool)

    def vectors(self, descriptor: str, rows: Rows | None = None) -> Vectors:
        """A descriptor's vectors as they are stored, [n, d]: of every row, or of some."""
        collection = self._opened.collection()
        columns = dense.of(collection).columns
        if descriptor not in columns:
            raise UnknownName("descriptor with vectors", descriptor, columns)
        wanted = np.arange(collection.rows) if rows is None else rows
        return np.asarray(columns[descriptor].take(wanted), np.float32)

    def find(self, thing: PictureLike) -> ImageRecord:
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

    def schemes(self, *, user: str = GUEST) -> tuple[SchemeInfo, ...]:
        """Every scheme of the collection, with its cost and its weight for a user."""
        collection = self._opened.collection()
        models = self._opened.learning.catch_up()
        learned = LEARNED.weights(models, user, collection.prior).tolist()
        weights = dict(zip(collection.prior, learned, strict=True))
        return scheme_infos(collection, self._opened.recipe, self._opened.tables.sources, weights)

    def report(self) -> CollectionReport:
        """What the store holds."""
        collection = self._opened.collection()
        return CollectionReport(
            images=len(collection),
            descriptors=self._opened.recipe.descriptors,
            incomplete=collection.incomplete,
            resting=dict(collection.resting),
            lost=self._store.log.lost(),
            skipped=self._store.catalog.count_skipped(),
            events=self._store.log.counts(),
            users=self._opened.users(),
            guard=guard_report(self._opened.learning.catch_up().guard.everybody),
            dropped=dict(self._opened.dropped),
            unlogged=self._opened.unlogged,
            read_only=self._store.read_only,
        )

    def words(self, watch: Watch | None = None) -> Vocabularies:
        """The vocabulary of visual words: look at it, train it, export it, import it."""
        return Vocabularies(self._store, watch)

    def doctor(self, *, repair: bool = False, watch: Watch | None = None) -> tuple[Finding, ...]:
        """Check the store against its files; with `repair`, rebuild what can be rebuilt."""
        opened = self._opened
        with self._store.indexing() if repair else self._store.unchanging():
            check = Doctor(
                self._store, opened.recipe, opened.learning, opened.tables.sources,
                watch or unwatched,
            )  # fmt: skip
            findings = check.repair() if repair else check.examine()
        if repair:
            opened.reload()
        return tuple(findings)

    def backup(self, place: str | os.PathLike[str], *, wait: float = 0.0) -> Path:
        """Copy the store to a new place, consistent and verified, while it is used.

        Where another process indexes or copies it, `wait` so many seconds for its end.
        """
        return back_up(self._store, place, wait=wait).place

    def move(self, to: str, *, watch: Watch | None = None) -> Moved:
        """Move catalog and log into PostgreSQL, or back to `sqlite`; open the store anew then.

        >>> from saccade import InvalidInput
        >>> try:
        ...     engine.library.move("sqlite")
        ... except InvalidInput as error:
        ...     error.message.endswith("is in its folder already")
        True
        """

        def moving(done: int, total: int) -> None:
            (watch or unwatched)(Progress("moving", done, total))

        return move(self._store.root, to, moving)

    def bags(self) -> WordBags:
        """The words of every row as they are compared, and how rare each word is."""
        view = words.of(self._opened.collection())
        if view is None:
            raise NotFound("this collection has no visual words", hint=recipe("words"))
        every = (bag(view.words_of(row)) for row in range(view.rows))
        bags = tuple((distinct, words.damped(counts)) for distinct, counts in every)
        return WordBags(bags, view.file.view.idf)

    # -- the ranking features of li2012 --------------------------------------------------------

    def features(self, query: PictureLike, *, watch: Watch | None = None) -> FeatureTable:
        """The 224 ranking features of every image for a path, an image id, bytes or an array."""
        return self._prepared(watch).of(query)

    def pageranks(self, *, watch: Watch | None = None) -> dict[str, tuple[float, float]]:
        """Visual PageRank of every image, by global descriptors and by words; the average is 1."""
        prepared = self._prepared(watch)
        values = [(float(looks), float(words)) for looks, words in prepared.pageranks]
        return dict(zip(prepared.images, values, strict=True))

    def _prepared(self, watch: Watch | None) -> RankingFeatures:
        """What the features need of a collection: made once, and again when it changes."""
        collection = self._opened.collection()
        return self._features.made(
            collection.generation,
            lambda: RankingFeatures(
                self._store, collection, self._opened.pool, self.thumbnail, watch
            ),
        )
