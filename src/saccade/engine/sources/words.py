"""Visual words: local features → a vocabulary → bags → scores.

    column            made by                          holds, image by image
    words             workers, from pixels             local features (bytes and frames)
    words/assigned    `vocabulary`, from the features  the word of each feature
    words/bags        `vocabulary`, from those         distinct words and their counts
    words/salient     the ranking features             whether a feature is in the salient half
    words/links       `standouts`, from words, places  who shows the same thing

The first images of a collection train its vocabulary; later ones are only assigned, until there
are four times as many images. The version of the two derived columns is the digest of their
vocabulary, so words of different vocabularies never meet. φ of a words scheme is bent like any
other's, and 0 where either image has no words.
"""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.contracts import Picture
from saccade.engine.collection import Collection, Example, View, Wanted
from saccade.engine.progress import Watch
from saccade.engine.sources.source import About, DescribedColumn, Shelf, Source
from saccade.errors import SaccadeError
from saccade.features import prior, standout
from saccade.features.scaling import bend, standard
from saccade.features.similarities import SIMILARITIES
from saccade.kernels.ragged import offsets_of
from saccade.kernels.topk import top
from saccade.store.store import Store
from saccade.types import Array, Arrays, Finding, Phi, Rows, Scheme, Scores, Skipped
from saccade.words import geometry, local_features
from saccade.words.geometry import Placed
from saccade.words.inverted import InvertedFile
from saccade.words.local_features import LocalFeatures
from saccade.words.postings import PostingsView
from saccade.words.vocabulary import Vocabulary, bag

log = logging.getLogger(__name__)

WORDS = "words"
ASSIGNED = "words/assigned"
BAGS = "words/bags"
SALIENT = "words/salient"
STANDOUT = Scheme(WORDS, prior.STANDOUT)
COSINE = Scheme(WORDS, "cosine")
SETTING = "vocabulary"
"""Where the store's settings keep the digest of its vocabulary."""
FEW, LARGE = 256, 4096
"""So many rows of a large collection have a file of their own, unless all were scored already."""
MOST_SEGMENTS = 8
"""Pieces of the inverted file before they are joined."""
MOST_CHECKED = 40
"""Matches that stand out and are checked by geometry, the highest; no others stand out then."""

Bags = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class WordsOf:
    """One picture in words; of one from outside, its local features too."""

    words: Bags
    features: LocalFeatures | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """Ragged arrays of the rows from `first` on."""

    first: int
    arrays: Arrays


class BagsElsewhere(Protocol):
    """Whoever has the postings of a collection that is cut into pieces: `shards`."""

    def words(self, bag: Bags, counts: Bags, similarity: str) -> Scores:
        """The similarity of every row to a bag of words."""


@dataclass(frozen=True, slots=True)
class WordView(View):
    """The words of a collection at one moment: how to make them, find them and place them."""

    vocabulary: Vocabulary
    file: InvertedFile
    rows: int
    dead: frozenset[int]
    features: tuple[Batch, ...]
    assigned: tuple[Batch, ...]
    empty: NDArray[np.bool_]  # rows without a word
    anchor_rows: Rows
    shards: BagsElsewhere | None = None  # who has the postings; None where they are in `file`
    _anchors_file: list[tuple[PostingsView, InvertedFile]] = field(
        default_factory=list, repr=False, compare=False
    )

    @property
    def names(self) -> tuple[str, ...]:
        """The one column."""
        return (WORDS,)

    @property
    def more(self) -> tuple[Scheme, ...]:
        """Whether a match stands out."""
        return (STANDOUT,)

    def needs(self, scheme: Scheme) -> tuple[str, ...]:
        """The words."""
        return (scheme.descriptor,) if self.serves(scheme) else ()

    def serves(self, scheme: Scheme) -> bool:
        """Every similarity of words, and whether a match stands out."""
        same = scheme.descriptor == WORDS and scheme.similarity in SIMILARITIES
        return same or scheme == STANDOUT

    def of_row(self, row: int) -> dict[str, object]:
        """The words of an image of the collection."""
        return {WORDS: WordsOf(self.words_of(row))}

    def of_picture(self, picture: Picture, only: Wanted) -> dict[str, object]:
        """The words of a picture from outside, and where they are."""
        if only is not None and WORDS not in only:
            return {}
        return {WORDS: self._assigned(features_of(picture))}

    def fill(
        self,
        out: Phi,
        example: Example,
        schemes: Sequence[Scheme],
        *,
        rows: Rows | None = None,
        raw: bool = False,
        length: int | None = None,
        pool: Executor | None = None,
    ) -> None:
        """Fill the words columns of φ."""
        if not self._speaks(example):
            return  # a blank picture scores 0 on words
        mine = [(column, scheme) for column, scheme in enumerate(schemes) if self.serves(scheme)]
        few = None
        if mine and rows is not None and len(rows) <= FEW and self.rows > LARGE:
            few = self._few(rows)

        def fill_one(one: tuple[int, Scheme]) -> None:
            out[:, one[0]] = self._values(example, one[1], raw, rows, few)

        if pool is None or len(mine) < 2:
            list(map(fill_one, mine))
        else:
            list(pool.map(fill_one, mine))  # each goes through the postings once

    def weigh(
        self,
        out: Scores,
        example: Example,
        schemes: Sequence[Scheme],
        weights: NDArray[np.float32],
        *,
        length: int | None = None,
        pool: Executor | None = None,
    ) -> None:
        """The postings of the query's words, once for each scheme with weight."""
        for scheme, weight in zip(schemes, weights, strict=True):
            if weight != 0.0 and self.serves(scheme) and self._speaks(example):
                out += weight * self._values(example, scheme, raw=False)

    def standouts(self, example: Example) -> NDArray[np.float32]:
        """How far each image stands out as a match of the example, [n]."""
        if not self._speaks(example):
            return np.zeros(self.rows, np.float32)
        return self._values(example, STANDOUT, raw=False)

    def recognised(self, example: Example) -> Mapping[int, int]:
        """The images that stand out as a match of the example and their inliers, by row."""
        self.standouts(example)
        none: dict[int, int] = {}
        return example.once("words/inliers", lambda: none)

    def _speaks(self, example: Example) -> bool:
        return WORDS in example.parts and len(example.parts[WORDS].words) > 0

    def _values(
        self,
        example: Example,
        scheme: Scheme,
        raw: bool,
        rows: Rows | None = None,
        few: InvertedFile | None = None,
    ) -> NDArray[np.float32]:
        """Of every row, or of some; `few` is the file of those alone."""
        some = slice(None) if rows is None else rows
        if scheme == STANDOUT:
            return example.once("words/standout", lambda: self._standing(example))[some]
        similarity, words = scheme.similarity, example.parts[WORDS].words
        if few is not None and not example.has(f"words/{similarity}"):
            values = self.scores(words, similarity, few)
            anchors = example.once(
                f"words/{similarity}/anchors",
                lambda: self.scores(words, similarity, self._few(self.anchor_rows)),
            )[self.anchor_rows != example.row]
        else:
            whole = example.once(f"words/{similarity}", lambda: self.scores(words, similarity))
            values, anchors = whole[some], whole[self._anchors(example)]
        if raw:
            return values
        if not len(anchors):
            anchors = np.zeros(1, np.float32)
        factors = standard(anchors[:, None], (scheme,))[WORDS][SIMILARITIES.index(similarity)]
        return np.where(self.empty[some], np.float32(0.0), bend(values, factors))

    def _few(self, rows: Rows) -> InvertedFile:
        """The file of a few rows, by the rarity of words in all: scores are the same to the bit.

        To walk through all postings for a handful takes ten times as long. That of the anchors is
        kept while the whole file stays as it is.
        """
        whole = self.file.view
        if rows is self.anchor_rows and self._anchors_file and self._anchors_file[0][0] is whole:
            return self._anchors_file[0][1]
        none = np.empty(0, np.int32)
        bags = [bag(none if row in self.dead else self.words_of(row)) for row in rows.tolist()]
        words, counts = (np.concatenate([none, *(part[i] for part in bags)]) for i in (0, 1))
        file = InvertedFile(self.vocabulary.size, idf=whole.idf)
        file.add(np.arange(len(rows)), offsets_of([len(w) for w, _ in bags]), words, damped(counts))
        if rows is self.anchor_rows:
            self._anchors_file[:] = [(whole, file)]
        return file

    def _standing(self, example: Example) -> NDArray[np.float32]:
        """Without what geometry refutes; as it is where the example's features were not kept."""
        cosines = self._values(example, COSINE, raw=True)
        values = standout.standout(cosines, cosines[self._anchors(example)])
        query = self.placed_example(example)
        if query is None:
            return values
        best: Rows = top(values, min(MOST_CHECKED, len(values)))
        best = best[(values[best] > 0.0) & (best != example.row)]
        inliers = geometry.verify(query, [self.placed(row) for row in best.tolist()])
        sure = inliers >= geometry.AGREED
        example.once(
            "words/inliers",
            lambda: dict(zip(best[sure].tolist(), inliers[sure].tolist(), strict=True)),
        )
        out = np.zeros_like(values)
        out[best[sure]] = values[best[sure]]
        return out

    def _anchors(self, example: Example) -> Rows:
        # The query among its own anchors would be an outlier that hides the others' spread.
        others: Rows = self.anchor_rows[self.anchor_rows != example.row]
        return others

    def remember(self, example: Example, *, places: bool) -> dict[str, Array]:
        """The words of a picture from outside; to verify its results again, its features."""
        part = example.parts.get(WORDS)
        if part is None:
            return {}
        arrays: dict[str, Array] = {WORDS: part.words}
        if places and part.features is not None:
            packed = local_features.pack([part.features])
            arrays |= {f"features/{name}": array for name, array in packed.items()}
        return arrays

    def recall(self, arrays: Arrays, vocabulary: str) -> dict[str, object]:
        """What the log kept, in the words of today."""
        packed = {n.removeprefix("features/"): a for n, a in arrays.items() if "features/" in n}
        if packed:
            return {WORDS: self._assigned(local_features.unpack(packed, 0))}
        # Words of another vocabulary mean nothing in this one.
        same = vocabulary == self.vocabulary.digest
        return {
            WORDS: WordsOf(arrays[WORDS] if same and WORDS in arrays else np.zeros(0, np.int32))
        }

    def warm(self, row: int) -> None:
        """Load what assigns words and checks geometry, by doing both once."""
        self.vocabulary.assign(np.zeros((1, local_features.DIMENSION), np.uint8))
        if self.rows > LARGE:
            self._few(self.anchor_rows)
        geometry.verify(self.placed(row), [self.placed(row)])

    def words_of(self, row: int) -> Bags:
        """The word of each feature of an image."""
        batch, i = find(self.assigned, row)
        offsets = batch["offsets"]
        return np.asarray(batch["words"][offsets[i] : offsets[i + 1]], np.int32)

    def placed(self, row: int) -> Placed:
        """An image as the geometric check sees it."""
        return Placed(local_features.unpack(*find(self.features, row)), self.words_of(row))

    def placed_example(self, example: Example) -> Placed | None:
        """An example as the geometric check sees it, where its features are known."""
        if example.row >= 0:
            return self.placed(example.row)
        part = example.parts.get(WORDS)
        return None if part is None or part.features is None else Placed(part.features, part.words)

    def scores(
        self, words: Bags, similarity: str, few: InvertedFile | None = None
    ) -> NDArray[np.float32]:
        """The similarity of every row, or of those in a file of `few`, to these words."""
        distinct, counts = bag(words)
        if few is not None:
            return few.scores_all(distinct, damped(counts), similarity, size=len(few))
        if self.shards is not None:
            return self.shards.words(distinct, damped(counts), similarity)
        scores = self.file.scores_all(distinct, damped(counts), similarity)[: self.rows]
        # The file may have grown since this view was made, or end with images that are gone.
        return np.pad(scores, (0, self.rows - len(scores)))

    def _assigned(self, features: LocalFeatures) -> WordsOf:
        return WordsOf(self.vocabulary.assign(features.descriptors), features)


class Words(Source):
    """Local features and what is made of them."""

    derived = (ASSIGNED, BAGS, SALIENT, "words/links")
    follows = (WORDS,)
    late = True

    def covers(self, descriptor: str) -> bool:
        """The one column."""
        return descriptor == WORDS

    def about(self, descriptor: str) -> About:
        """Its size depends on the vocabulary."""
        return About(WORDS, local_features.VERSION, "words", 0)

    def describe(
        self, descriptor: str, pictures: Sequence[Picture], labels: Sequence[str]
    ) -> DescribedColumn:
        """Local features of each picture."""
        features: list[LocalFeatures] = []
        problems: list[Skipped] = []
        for picture, label in zip(pictures, labels, strict=True):
            try:
                features.append(features_of(picture))
            # OpenCV may raise anything; an image without words is still found by the rest.
            except Exception as error:
                trace.swallowed(log, error, doing="describing a picture", by=WORDS)
                features.append(local_features.empty(0, 0))
                reason = f"descriptor {WORDS!r} failed: {type(error).__name__}: {error}"
                problems.append(Skipped(label, reason))
        return local_features.pack(features), problems

    def blank(self, descriptor: str) -> dict[str, Array]:
        """An image without a feature."""
        return local_features.pack([local_features.empty(0, 0)])

    def load(
        self,
        shelf: Shelf,
        descriptors: Sequence[str],
        before: View | None,
        views: Mapping[str, View],
    ) -> WordView | None:
        """The words of a store, or None while they do not cover every row."""
        digest = shelf.store.catalog.setting(SETTING)
        versions = {WORDS: local_features.VERSION, ASSIGNED: digest, BAGS: digest}
        held = {name: shelf.whole(name, version or "") for name, version in versions.items()}
        if not descriptors or not digest or None in held.values():
            return None
        earlier = before if isinstance(before, WordView) else None
        reuse = earlier if earlier and earlier.vocabulary.digest == digest else None
        try:
            batches = {
                name: tuple(Batch(s.first, shelf.store.columns.load(s)) for s in segments or ())
                for name, segments in held.items()
            }
            vocabulary = reuse.vocabulary if reuse else read(shelf.store, digest)
        # Damaged or lost, they can be made again; meanwhile the other columns serve.
        except SaccadeError as error:
            trace.swallowed(log, error, doing="loading visual words")
            return None
        total = shelf.total
        dead = frozenset(np.flatnonzero(~shelf.listing.alive).tolist())
        sizes = np.concatenate([np.diff(b.arrays["offsets"]) for b in batches[BAGS]])[:total]
        return WordView(
            vocabulary=vocabulary,
            file=filled(batches[BAGS], total, dead, vocabulary.size, reuse),
            rows=total,
            dead=dead,
            features=batches[WORDS],
            assigned=batches[ASSIGNED],
            empty=sizes == 0,
            anchor_rows=shelf.anchor_rows,
        )

    def size(self, descriptor: str, view: View | None) -> tuple[int, int]:
        """The vocabulary's size; features and words per image on disk, on average."""
        if not isinstance(view, WordView):
            return 0, 0
        batches = (*view.features, *view.assigned)
        total = sum(array.nbytes for b in batches for array in b.arrays.values())
        return view.vocabulary.size, round(total / max(1, view.rows))

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Train a vocabulary where there is none, give new images their words, and link them."""
        from saccade.engine.sources import standouts
        from saccade.engine.sources.vocabulary import Vocabularies

        if WORDS in descriptors:
            Vocabularies(store, watch).update()
            standouts.update(store, watch)

    def damage(self, arrays: Arrays, rows: int) -> str:
        """Offsets say how many rows there are."""
        return ragged_damage(arrays, rows)

    def lacking(self, store: Store, descriptors: Sequence[str]) -> Iterator[Finding]:
        """No vocabulary, images without their words, or words without their links."""
        from saccade.engine.sources import standouts
        from saccade.engine.sources.vocabulary import Vocabularies

        if WORDS not in descriptors:
            return
        problem = Vocabularies(store).lacking() or standouts.lacking(store, (WORDS,))
        if problem:
            yield Finding("words", problem, "would be made again from the local features")


def of(collection: Collection) -> WordView | None:
    """The words of a collection, where every image has them."""
    view = collection.views.get("words")
    return view if isinstance(view, WordView) else None


def features_of(picture: Picture) -> LocalFeatures:
    """The local features of one picture."""
    import cv2

    # OpenCV would start a thread for every core in every worker and every request.
    cv2.setNumThreads(1)
    return local_features.extract(picture)


def damped(counts: Array) -> Bags:
    """round(√count): features that repeat, as on a fence, are one witness and not twenty.

    (Jégou, Douze & Schmid, "On the burstiness of visual elements", CVPR 2009.)

    >>> damped(np.array([1, 2, 3, 14])).tolist()
    [1, 1, 2, 4]
    """
    values: Bags = np.rint(np.sqrt(counts)).astype(np.int32)
    return values


def ragged_damage(arrays: Arrays, rows: int) -> str:
    """What is wrong with a segment of a ragged column; offsets say how many rows there are."""
    offsets = arrays.get("offsets")
    whole = offsets is None or len(offsets) == rows + 1
    return "" if whole else "has another number of rows"


def find(batches: Sequence[Batch], row: int) -> tuple[Arrays, int]:
    """The batch that holds a row, and where in it the row is."""
    batch = batches[bisect_right([b.first for b in batches], row) - 1]
    return batch.arrays, row - batch.first


def read(store: Store, digest: str) -> Vocabulary:
    """The vocabulary with this digest."""
    return Vocabulary.load(store.vocabulary_file(digest))


class Filled(Protocol):
    """An inverted file and what it was made of."""

    @property
    def file(self) -> InvertedFile:
        """The file."""

    @property
    def rows(self) -> int:
        """How many rows of the collection it has seen."""

    @property
    def dead(self) -> frozenset[int]:
        """Which of them were not alive."""


def filled(
    bags: Sequence[Batch],
    total: int,
    dead: frozenset[int],
    size: int,
    before: Filled | None,
    counted: Callable[[Array], Bags] = damped,
) -> InvertedFile:
    """The inverted file of all living rows, grown from the one before where there is one."""
    covered = before.rows if before is not None and before.rows <= total else 0
    grown = before is not None and covered > 0 and before.dead <= dead
    file = before.file if before is not None and grown else InvertedFile(size)
    first = covered if grown else 0
    for batch in bags:
        offsets = batch.arrays["offsets"]
        rows = np.arange(batch.first, min(batch.first + len(offsets) - 1, total))
        rows = rows[rows >= first]
        if not len(rows):
            continue
        at = rows - batch.first
        start, stop = int(offsets[at[0]]), int(offsets[at[-1] + 1])
        file.add(
            rows,
            offsets[at[0] : at[-1] + 2] - start,
            batch.arrays["words"][start:stop],
            counted(batch.arrays["counts"][start:stop]),
        )
    gone = dead - (before.dead if before is not None and grown else frozenset())
    if gone:
        file.remove(np.array(sorted(gone), np.int64))
    if len(file.view.segments) > MOST_SEGMENTS:
        file.merge()
    return file
