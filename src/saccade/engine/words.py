"""Visual words in the loop: local features → a vocabulary → bags → scores, and the geometric check.

    column            made by                          holds, image by image
    words             workers, from pixels             local features (bytes and frames)
    words/assigned    here, from the features          the word of each feature
    words/bags        here, from those                 distinct words and their counts

The first images of a collection train its vocabulary; later ones are only assigned. The version of
the two derived columns is the digest of their vocabulary, so words of different vocabularies never
meet. φ of a words scheme is bent like any other's, and 0 where either image has no words.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, SaccadeError
from saccade.features.scaling import bend, standard
from saccade.features.similarities import SIMILARITIES
from saccade.types import Phi, Rows, Scheme
from saccade.words import geometry, local_features
from saccade.words.geometry import Placed
from saccade.words.inverted import InvertedFile
from saccade.words.local_features import LocalFeatures
from saccade.words.vocabulary import Vocabulary, bag

if TYPE_CHECKING:
    from saccade.contracts import Picture
    from saccade.engine.collection import Collection
    from saccade.engine.query import Example
    from saccade.store.catalog import Listing
    from saccade.store.columns import Segment
    from saccade.store.store import Store
    from saccade.types import Skipped

WORDS = "words"
ASSIGNED = "words/assigned"
BAGS = "words/bags"
SETTING = "vocabulary"
"""Where the store's settings keep the digest of its vocabulary."""
MOST_VERIFIED = 1000
MOST_SEGMENTS = 8
"""Pieces of the inverted file before they are joined."""

Bags = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Source:
    """What the tables show about the column `words`; its size depends on the vocabulary."""

    name: str = WORDS
    version: str = local_features.VERSION
    dimension: int = 0
    kind: str = "words"


def features_of(picture: Picture) -> LocalFeatures:
    """The local features of one picture."""
    import cv2

    # OpenCV would start a thread for every core in every worker and every request.
    cv2.setNumThreads(1)
    return local_features.extract(picture)


def describe(
    pictures: Sequence[Picture], labels: Sequence[str]
) -> tuple[dict[str, NDArray[Any]], list[Skipped]]:
    """The local features of some pictures, packed; one that fails has none, and is named."""
    from saccade.types import Skipped

    found: list[LocalFeatures] = []
    problems: list[Skipped] = []
    for picture, label in zip(pictures, labels, strict=True):
        try:
            found.append(features_of(picture))
        # OpenCV may raise anything; an image without words is still found by the rest.
        except Exception as error:
            found.append(local_features.empty(0, 0))
            reason = f"descriptor {WORDS!r} failed: {type(error).__name__}: {error}"
            problems.append(Skipped(label, reason))
    return local_features.pack(found), problems


@dataclass(frozen=True, slots=True)
class Batch:
    """Ragged arrays of the rows from `first` on."""

    first: int
    arrays: Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class WordView:
    """The words of a collection at one moment: how to make them, find them and place them."""

    vocabulary: Vocabulary
    file: InvertedFile
    rows: int
    dead: frozenset[int]
    features: tuple[Batch, ...]
    assigned: tuple[Batch, ...]
    empty: NDArray[np.bool_]  # rows without a word

    def words_of(self, row: int) -> Bags:
        """The word of each feature of an image."""
        batch, i = _find(self.assigned, row)
        offsets = batch["offsets"]
        return np.asarray(batch["words"][offsets[i] : offsets[i + 1]], np.int32)

    def placed(self, row: int) -> Placed:
        """An image as the geometric check sees it."""
        return Placed(local_features.unpack(*_find(self.features, row)), self.words_of(row))

    def scores(self, words: Bags, similarity: str) -> NDArray[np.float32]:
        """The similarity of every row to a picture with these words."""
        distinct, counts = bag(words)
        found = self.file.scores_all(distinct, damped(counts), similarity)[: self.rows]
        # The file may have grown since this view was made, or end with images that are gone.
        return np.pad(found, (0, self.rows - len(found)))


def damped(counts: NDArray[Any]) -> Bags:
    """round(√count): features that repeat, as on a fence, are one witness and not twenty.

    (Jégou, Douze & Schmid, "On the burstiness of visual elements", CVPR 2009.)

    >>> damped(np.array([1, 2, 3, 14])).tolist()
    [1, 1, 2, 4]
    """
    values: Bags = np.rint(np.sqrt(counts)).astype(np.int32)
    return values


def _find(batches: tuple[Batch, ...], row: int) -> tuple[Mapping[str, NDArray[Any]], int]:
    batch = batches[bisect_right([b.first for b in batches], row) - 1]
    return batch.arrays, row - batch.first


# -- reading the store -----------------------------------------------------------------------------


def load(
    store: Store,
    listing: Listing,
    segments: Mapping[tuple[str, str], Sequence[Segment]],
    before: WordView | None,
) -> WordView | None:
    """The words of a store, or None while they do not cover every row.

    `segments` are those of each column and version, without gaps. What `before` has is not built
    again.
    """
    total = len(listing.ids)
    digest = store.catalog.setting(SETTING)
    held = {
        ASSIGNED: segments.get((ASSIGNED, digest), ()),
        BAGS: segments.get((BAGS, digest), ()),
        WORDS: segments.get((WORDS, local_features.VERSION), ()),
    }
    if not digest or total == 0 or any(sum(s.rows for s in h) < total for h in held.values()):
        return None
    try:
        batches = {
            name: tuple(Batch(s.first, store.columns.load(s)) for s in found)
            for name, found in held.items()
        }
        reuse = before if before is not None and before.vocabulary.digest == digest else None
        vocabulary = reuse.vocabulary if reuse else Vocabulary.load(store.vocabulary_file(digest))
    # Damaged or lost, they can be made again; meanwhile the other columns serve.
    except SaccadeError:
        return None
    dead = frozenset(np.flatnonzero(~listing.alive).tolist())
    file = _filled(batches[BAGS], total, dead, vocabulary, reuse)
    sizes = np.concatenate([np.diff(b.arrays["offsets"]) for b in batches[BAGS]])[:total]
    return WordView(vocabulary, file, total, dead, batches[WORDS], batches[ASSIGNED], sizes == 0)


def _filled(
    bags: Sequence[Batch],
    total: int,
    dead: frozenset[int],
    vocabulary: Vocabulary,
    before: WordView | None,
) -> InvertedFile:
    """The inverted file of all living rows, grown from the one before where there is one."""
    known = before.rows if before is not None and before.rows <= total else 0
    grown = before is not None and known > 0 and before.dead <= dead
    file = before.file if before is not None and grown else InvertedFile(vocabulary.size)
    first = known if grown else 0
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
            damped(batch.arrays["counts"][start:stop]),
        )
    gone = dead - (before.dead if before is not None and grown else frozenset())
    if gone:
        file.remove(np.array(sorted(gone), np.int64))
    if len(file.view.segments) > MOST_SEGMENTS:
        file.merge()
    return file


# -- searching -------------------------------------------------------------------------------------


def fill(out: Phi, example: Example, collection: Collection, schemes: Sequence[Scheme]) -> None:
    """Fill the words columns of φ."""
    view = collection.words
    for column, scheme in enumerate(schemes):
        if scheme.descriptor != WORDS or view is None:
            continue
        words = np.asarray(example.vectors[WORDS], np.int32)
        if not len(words):
            continue  # a blank picture scores 0 on words
        raw = view.scores(words, scheme.similarity)
        # The query among its own anchors would be an outlier that hides the others' spread.
        anchors = collection.anchor_rows[collection.anchor_rows != example.row]
        known = raw[anchors][:, None] if len(anchors) else np.zeros((1, 1), np.float32)
        factors = standard(known, (scheme,))[WORDS][SIMILARITIES.index(scheme.similarity)]
        out[:, column] = np.where(view.empty, 0.0, bend(raw, factors))


def check_verify(verify: int, likes: Sequence[Example], collection: Collection) -> int:
    """A number of results to verify that can be served."""
    if not isinstance(verify, int) or isinstance(verify, bool) or not 0 <= verify <= MOST_VERIFIED:
        raise InvalidInput(
            f"verify is {verify!r}; it is how many results to check, 0 to {MOST_VERIFIED}"
        )
    if verify and collection.words is None:
        raise InvalidInput(
            "this collection has no visual words, so results cannot be verified",
            hint="`saccade index FOLDER --recipe +words` makes them",
        )
    if verify and all(example.row < 0 and example.placed is None for example in likes):
        raise InvalidInput("results can be verified against a picture, not against text")
    return verify


def verified(
    likes: Sequence[Example], collection: Collection, rows: Rows, count: int
) -> tuple[Rows, dict[int, int]]:
    """The rows with the first `count` re-ranked by geometry, and the inliers of those by row.

    With several examples, a row has the most inliers that any of them gives it.
    """
    view = collection.words
    assert view is not None  # `check_verify` has seen to it
    first = rows[:count]
    candidates = [view.placed(row) for row in first.tolist()]
    inliers = np.zeros(len(first), np.int32)
    for example in likes:
        query = example.placed if example.row < 0 else view.placed(example.row)
        if query is not None:
            inliers = np.maximum(inliers, geometry.verify(query, candidates))
    ordered = geometry.reorder(first, inliers)
    found = dict(zip(first.tolist(), inliers.tolist(), strict=True))
    return np.concatenate([ordered, rows[count:]]), found


def warm(view: WordView, row: int) -> None:
    """Load what assigns words and checks geometry, by doing both once."""
    view.vocabulary.assign(np.zeros((1, local_features.DIMENSION), np.uint8))
    geometry.verify(view.placed(row), [view.placed(row)])


# -- the log ---------------------------------------------------------------------------------------


def remembered(side: str, i: int, example: Example) -> dict[str, NDArray[Any]]:
    """What the log keeps of a picture from outside, so that its results can be verified again."""
    if example.placed is None:
        return {}
    packed = local_features.pack([example.placed.features])
    return {f"features/{side}/{i}/{name}": array for name, array in packed.items()}


def recalled(
    arrays: Mapping[str, NDArray[Any]], side: str, i: int, view: WordView | None
) -> Placed | None:
    """What `remembered` gave the log, in the words of today."""
    prefix = f"features/{side}/{i}/"
    kept = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
    if not kept or view is None:
        return None
    features = local_features.unpack(kept, 0)
    return Placed(features, view.vocabulary.assign(features.descriptors))


def bytes_per_image(view: WordView) -> int:
    """What an image's features and words take on disk, on average."""
    total = sum(array.nbytes for b in view.features for array in b.arrays.values())
    total += sum(array.nbytes for b in view.assigned for array in b.arrays.values())
    return round(total / max(1, view.rows))
