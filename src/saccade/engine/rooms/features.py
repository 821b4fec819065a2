"""The 224 ranking features of li2012, from a store: φ(q, p) as that paper has it.

    words and their places  ─ 18 fields × 12 measures ─┐
    six global descriptors  ─ hashing, 200 nearest    ─┼─ [n, 224]
    both                    ─ two visual PageRanks    ─┘

What depends on no query is made once for a collection and kept while it stays as it is. Where the
eye goes first is found on the thumbnails and stored beside the words, so that pictures are not read
again. An image whose thumbnail is lost has all its words outside the salient half.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade import indexes, trace
from saccade.contracts import Picture
from saccade.engine.collection import Collection, Example
from saccade.engine.loop.query import from_array, resolve
from saccade.engine.progress import Progress, Watch, unwatched
from saccade.engine.request import PictureLike
from saccade.engine.sources import dense
from saccade.engine.sources import words as words_source
from saccade.engine.sources.words import SALIENT, WORDS, Batch, WordView, damped
from saccade.errors import InvalidInput, NotFound, SaccadeError, StoreBusy
from saccade.features.li2012 import GLOBAL, NAMES, NEAREST, LocalWords, RankingFields, assemble
from saccade.hints import recipe
from saccade.kernels.ragged import offsets_of
from saccade.store.store import Store
from saccade.types import Array, Phi, Rows
from saccade.words import local_features
from saccade.words.local_features import LocalFeatures
from saccade.words.vocabulary import bag
from saccade.words.weighting import Comparison

log = logging.getLogger(__name__)

VERSION = f"saliency-2/{local_features.VERSION}"
LINKS = 20  # neighbours of an image in the graphs of the PageRanks
SIDE = 320  # longer side of the pictures on which saliency is found; no thumbnail is smaller
IMAGES_A_COMMIT = 256
Places = NDArray[np.float32]
INTERSECTION = Comparison("none", "l1", "l1")


@dataclass(frozen=True, slots=True)
class FeatureTable:
    """Features of every image of a collection for one query; row i is of `images[i]`."""

    names: tuple[str, ...]
    images: tuple[str, ...]
    phi: Phi


class RankingFeatures:
    """The fields, hashes and PageRanks of one collection."""

    def __init__(
        self,
        store: Store,
        collection: Collection,
        pool: Executor,
        thumbnail: Callable[[str], bytes],
        watch: Watch | None = None,
    ) -> None:
        self._columns = dense.of(collection).columns
        view = words_source.of(collection)
        missing = [name for name in GLOBAL if name not in self._columns]
        missing += [] if view is not None else [WORDS]
        if missing or view is None:
            raise InvalidInput(
                f"the ranking features need {', '.join(missing)}, which this collection has not",
                hint=recipe(*missing),
            )
        self.collection = collection
        self.rows: Rows = np.flatnonzero(collection.listing.alive).astype(np.int64)
        self.images = tuple(collection.listing.ids[row] for row in self.rows.tolist())
        self._view = view
        self._salient = _Salient(store, collection, view, pool, thumbnail, watch or unwatched)
        self.fields = RankingFields(self._local_words())
        self._hashes = []
        for name in GLOBAL:
            vectors = self._columns[name].take(self.rows)
            index = indexes.make("lsh", vectors.shape[1], center=vectors.mean(axis=0))
            index.add(np.arange(len(vectors)), vectors)
            self._hashes.append(index)
        self.pageranks = self._pageranks()

    def of(self, query: PictureLike) -> FeatureTable:
        """The features of every image for a query."""
        example = resolve(query, self.collection)
        measured = self.fields.measure(self._query_words(query, example))
        neighbours = [
            index.search(example.parts[name], NEAREST)
            for name, index in zip(GLOBAL, self._hashes, strict=True)
        ]
        return FeatureTable(NAMES, self.images, assemble(measured, neighbours, [*self.pageranks.T]))

    def _local_words(self) -> LocalWords:
        view = self._view
        features = _joined(view.features, view.rows)
        words = _joined(view.assigned, view.rows)["words"]
        lengths = np.diff(features["offsets"])
        living = np.repeat(self.collection.listing.alive[: view.rows], lengths)
        frames, sizes = features["frames"][living], features["sizes"][living].astype(np.float32)
        return LocalWords(
            offsets_of(lengths[self.rows]),
            np.asarray(words[living], np.int32),
            *_relative(frames, sizes[:, 0], sizes[:, 1]),
            self._salient.flags[living],
        )

    def _query_words(self, query: PictureLike, example: Example) -> LocalWords:
        placed = self._view.placed_example(example)
        # The collection has words, so the query has.
        assert placed is not None
        assert placed.words is not None
        if example.row >= 0:
            salient = self._salient.of_row(example.row)
        else:
            salient = salient_half(_picture(query), placed.features)
        features = placed.features
        x, y = _relative(features.frames, features.width, features.height)
        return LocalWords(np.array([0, len(placed.words)]), placed.words, x, y, salient)

    def _pageranks(self) -> NDArray[np.float64]:
        """PageRank by global descriptors and by words, [n, 2]; an average image has 1."""
        from saccade.features.multiview import embed
        from saccade.features.pagerank import nearest, pagerank

        size = len(self.rows)
        views = [self._columns[name].take(self.rows) for name in GLOBAL]
        by_embedding = pagerank(*nearest(embed(views), LINKS))
        by_words = pagerank(*self._word_links())
        return size * np.stack([by_embedding, by_words], axis=1)

    def _word_links(self) -> tuple[Rows, NDArray[np.float64]]:
        """The nearest of each image by histogram intersection of its words, [n, LINKS]."""
        view = self._view
        place = np.full(view.rows, -1, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        links, near = np.full((len(self.rows), LINKS), -1), np.zeros((len(self.rows), LINKS))
        for i, row in enumerate(self.rows.tolist()):
            words, counts = bag(view.words_of(row))
            rows, scores = view.file.search(words, damped(counts), LINKS + 1, INTERSECTION)
            # The file may have grown since: images that came later are none of this collection's.
            here = (rows != row) & (rows < view.rows)
            rows, scores = rows[here][:LINKS], scores[here][:LINKS]
            links[i, : len(rows)], near[i, : len(rows)] = place[rows], scores
        near[links < 0] = 0.0
        return links, near


def _relative(frames: Array, width: Array | int, height: Array | int) -> tuple[Places, Places]:
    """Places from 0 to 1 across and down the picture."""
    return (
        (frames[:, 0] / width).astype(np.float32),
        (frames[:, 1] / height).astype(np.float32),
    )


def salient_half(picture: Picture, features: LocalFeatures) -> NDArray[np.bool_]:
    """Which features lie in the more salient half of a picture."""
    from saccade.images.saliency import fields, saliency

    if not len(features):
        return np.zeros(0, np.bool_)
    half = fields(saliency(picture.fit(SIDE)))
    height, width = half.shape
    x = features.frames[:, 0] * (width / features.width)
    y = features.frames[:, 1] * (height / features.height)
    column = np.clip(x, 0, width - 1).astype(np.int64)
    row = np.clip(y, 0, height - 1).astype(np.int64)
    inside: NDArray[np.bool_] = half[row, column]
    return inside


class _Salient:
    """The column of salient features: read where it is, made where it is not."""

    def __init__(
        self,
        store: Store,
        collection: Collection,
        view: WordView,
        pool: Executor,
        thumbnail: Callable[[str], bytes],
        watch: Watch,
    ) -> None:
        self._store, self._collection, self._view = store, collection, view
        self._pool, self._thumbnail, self._watch = pool, thumbnail, watch
        columns = store.columns
        segments = [s for s in columns.segments() if s.name == SALIENT]
        parts: list[NDArray[np.bool_]] = []
        done = 0
        for segment in segments:
            if segment.version == VERSION and segment.first == done < view.rows:
                arrays = columns.load(segment)
                use = min(segment.rows, view.rows - done)
                parts.append(np.array(arrays["salient"][: arrays["offsets"][use]], np.bool_))
                done += use
        # One writer at a time. While another indexes, the flags serve but are not kept.
        with suppress(StoreBusy), store.indexing():
            stale = {s.version for s in segments} - {VERSION}
            store.commit(retract=[(SALIENT, version) for version in sorted(stale)], quiet=True)
            parts += self._new_flags(done, keep=True)
            done = view.rows
        if done < view.rows:
            parts += self._new_flags(done, keep=False)
        self.flags = np.concatenate([np.zeros(0, np.bool_), *parts])
        lengths = np.diff(_joined(view.features, view.rows, only="offsets")["offsets"])
        self._starts = offsets_of(lengths)

    def of_row(self, row: int) -> NDArray[np.bool_]:
        """The flags of one image's features."""
        return self.flags[self._starts[row] : self._starts[row + 1]]

    def _new_flags(self, first: int, *, keep: bool) -> list[NDArray[np.bool_]]:
        parts = []
        for start in range(first, self._view.rows, IMAGES_A_COMMIT):
            rows = range(start, min(start + IMAGES_A_COMMIT, self._view.rows))
            self._watch(Progress("saliency", start, self._view.rows))
            flags = list(self._pool.map(self._of_stored, rows))
            parts.append(np.concatenate(flags))
            if keep:
                # The column is no part of a collection: no reader need hear of it.
                offsets = offsets_of([len(flag) for flag in flags])
                arrays = {"salient": parts[-1], "offsets": offsets}
                draft = self._store.columns.draft(SALIENT, VERSION, start, arrays)
                self._store.commit(drafts=[draft], quiet=True)
        return parts

    def _of_stored(self, row: int) -> NDArray[np.bool_]:
        from saccade.scale.decoding import decode

        features = self._view.placed(row).features
        nowhere = np.zeros(len(features), np.bool_)
        if not len(features) or not self._collection.listing.alive[row]:
            return nowhere
        try:
            data = self._thumbnail(self._collection.listing.ids[row])
            return salient_half(decode(data).picture, features)
        except SaccadeError as error:  # the picture and its thumbnail are lost or damaged
            trace.swallowed(log, error, doing="finding what stands out in a picture")
            return nowhere


def _joined(batches: Sequence[Batch], rows: int, only: str | None = None) -> dict[str, Array]:
    """Ragged batches end to end, cut to the first `rows` images; of `only` one array if given."""
    lengths = np.concatenate([np.diff(batch.arrays["offsets"]) for batch in batches])[:rows]
    offsets = offsets_of(lengths)
    out: dict[str, Array] = {"offsets": offsets}
    for name in ("words", "frames", "sizes"):
        if only is None and name in batches[0].arrays:
            whole = np.concatenate([batch.arrays[name] for batch in batches])
            out[name] = whole[: offsets[-1]]
    return out


def _picture(query: PictureLike) -> Picture:
    """The pixels of a query from outside the collection; `resolve` has read it once already."""
    from saccade.scale.decoding import decode

    if isinstance(query, np.ndarray):
        return from_array(query)
    if isinstance(query, bytes | bytearray | memoryview):
        return decode(bytes(query)).picture
    try:
        return decode(Path(query).expanduser().read_bytes()).picture
    except OSError as error:
        raise NotFound(f"no file {str(query)!r} any more: {error}") from error
