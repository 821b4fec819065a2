"""The vocabulary of a store: trained, taken from a file, given to one; and every image's words.

    features of all images ─ sample ─ train ─ vocabulary (one file, named by its digest)
    features of new images ─ assign ─ words and bags (segments; their version is the digest)

A killed training goes on where it was, and images are assigned in batches that are committed whole.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.engine.progress import Progress, Watch, unwatched
from saccade.engine.sources import standouts
from saccade.engine.sources.words import ASSIGNED, BAGS, SETTING, WORDS
from saccade.errors import InvalidInput, NotFound, SaccadeError
from saccade.hints import Hint
from saccade.kernels.ragged import offsets_of
from saccade.types import Array, Arrays
from saccade.words import akm, hkm, local_features, sizing, training
from saccade.words.vocabulary import Vocabulary, bag, recall

if TYPE_CHECKING:
    from saccade.store.columns import Segment
    from saccade.store.store import Store

log = logging.getLogger(__name__)

IMAGES_A_COMMIT = 2048
FURTHER = "configurations"
"""Where the store's settings keep the digests of further vocabularies, by name: not the store's
own, and kept all the same."""
MOST_TRAINED_ON = 4_000_000
"""Descriptors a vocabulary is trained on at most: half a gigabyte."""
AROUND = "vocabulary-images"
"""Where the store's settings keep how many images there were when its vocabulary was trained by
itself; nothing where somebody chose it."""
GROWN = 4
"""A vocabulary that was trained by itself serves until there are so many times as many images."""

Train = Callable[[NDArray[np.uint8], Path, training.Report], Vocabulary]


@dataclass(frozen=True, slots=True)
class VocabularyInfo:
    """What `saccade words info` shows."""

    digest: str
    kind: str
    size: int
    trained_on: int
    seed: int
    images: int
    features: int
    spec: dict[str, Any]


class Vocabularies:
    """The words of one store."""

    def __init__(self, store: Store, watch: Watch | None = None) -> None:
        self._store = store
        self._watch = watch or unwatched

    # -- what there is -------------------------------------------------------------------------

    def current(self) -> Vocabulary:
        """The vocabulary of the store."""
        digest = self._store.catalog.setting(SETTING)
        if not digest:
            raise NotFound(
                f"no vocabulary in {self._store.root}",
                hint=Hint(
                    "engine.add(FOLDER) trains one, engine.library.words().import_(FILE) takes one",
                    command="`saccade index` trains one, `saccade words import` takes one",
                ),
            )
        return Vocabulary.load(self._store.vocabulary_file(digest))

    def info(self) -> VocabularyInfo:
        """What the vocabulary is, and what was made with it."""
        vocabulary = self.current()
        return VocabularyInfo(
            digest=vocabulary.digest,
            kind=vocabulary.kind,
            size=vocabulary.size,
            trained_on=int(vocabulary.spec.get("trained_on", 0)),
            seed=int(vocabulary.spec.get("seed", 0)),
            images=self._assigned(vocabulary.digest),
            features=sum(map(local_features.count, self._features())),
            spec=dict(vocabulary.spec),
        )

    def export(self, path: Path) -> Vocabulary:
        """Write the vocabulary to a file that other stores can take."""
        vocabulary = self.current()
        vocabulary.save(path)
        return vocabulary

    def recall(self, *, descriptors: int = 5000, seed: int = 0) -> float:
        """Share of a sample of the store's descriptors whose word is truly the nearest."""
        return recall(self.current(), self.sampled(descriptors, seed))

    def lacking(self) -> str:
        """What is wrong with the words, or nothing."""
        total = self.covered()
        try:
            if not any(map(local_features.count, self._features())):
                return ""
            digest = self.current().digest
        except SaccadeError as error:
            return error.message
        done = self._assigned(digest)
        return "" if done >= total else f"cover {done} of {total} images"

    # -- what changes it -----------------------------------------------------------------------

    def import_(self, path: Path) -> Vocabulary:
        """Use a vocabulary from a file, and make the words of every image anew."""
        vocabulary = Vocabulary.load(path)
        with self._store.indexing():
            return self._changed(vocabulary)

    def train(
        self,
        *,
        kind: str = "akm",
        size: int | None = None,
        branching: int = 10,
        depth: int = 5,
        seed: int = 0,
    ) -> Vocabulary:
        """Train a vocabulary on the features the store has, and make the words anew."""

        def flat(descriptors: NDArray[np.uint8], work: Path, report: training.Report) -> Vocabulary:
            fitting = size or sizing.fitting_size(len(descriptors))
            return akm.train(descriptors, fitting, seed=seed, work=work, report=report)

        def tree(descriptors: NDArray[np.uint8], work: Path, report: training.Report) -> Vocabulary:
            shape = {"branching": branching, "depth": depth}
            return hkm.train(descriptors, **shape, seed=seed, work=work, report=report)

        if kind not in ("akm", "hkm"):
            raise InvalidInput(f"no vocabulary of kind {kind!r}; there are akm and hkm")
        with self._store.indexing():
            return self._changed(self._trained(flat if kind == "akm" else tree, seed))

    def update(self) -> None:
        """Bring the words up to date: train a vocabulary where none fits, assign new images.

        For the indexer: hold `store.indexing()` around it.
        """
        if not self._segments():
            return
        try:
            vocabulary = self.current()
            wanted = self._outgrown()
        # None yet, or one that was lost or is for features of another version: all can be made.
        except SaccadeError as error:
            if self._store.catalog.setting(SETTING):  # there was one
                trace.swallowed(log, error, doing="reading the vocabulary")
            if not any(map(local_features.count, self._features())):
                return
            wanted = True
        if wanted:
            vocabulary = self._adopt(self._trained(_sized, 0), around=self.covered())
        self._assign(vocabulary)

    # -- inside --------------------------------------------------------------------------------

    def _outgrown(self) -> bool:
        around = self._store.catalog.setting(AROUND)
        return around is not None and self.covered() > GROWN * around

    def _trained(self, train: Train, seed: int) -> Vocabulary:
        def report(progress: training.TrainingProgress) -> None:
            self._watch(Progress("vocabulary", round(100 * progress.done), 100))

        descriptors = self.sampled(MOST_TRAINED_ON, seed)
        return train(descriptors, self._store.training_folder, report)

    def sampled(self, most: int, seed: int) -> NDArray[np.uint8]:
        """At most so many descriptors of the store, in its order."""
        parts = list(self._features())
        starts = np.cumsum([0, *map(local_features.count, parts)])
        total = int(starts[-1])
        if not total:
            raise InvalidInput(
                f"no image in {self._store.root} has a local feature",
                hint="index pictures first, with `words` in the recipe",
            )
        chosen = np.arange(total)
        if total > most:
            rng = np.random.default_rng(seed)
            chosen = np.sort(rng.choice(total, most, replace=False, shuffle=False))
        edges = np.searchsorted(chosen, starts)
        return np.concatenate(
            [
                local_features.descriptors_of(part, chosen[edges[i] : edges[i + 1]] - starts[i])
                for i, part in enumerate(parts)
            ]
        )

    def _changed(self, vocabulary: Vocabulary) -> Vocabulary:
        """Make a vocabulary the store's own, and link images by the words it gives them."""
        adopted = self._adopt(vocabulary)
        standouts.update(self._store, self._watch)
        self._store.columns.sweep()
        return adopted

    def _adopt(self, vocabulary: Vocabulary, *, around: int | None = None) -> Vocabulary:
        """Make a vocabulary the store's own; the words of the one before go once they are made.

        `around` is how many images there were, of one that was trained by itself.
        """
        settings = {SETTING: vocabulary.digest, AROUND: around}
        vocabulary.save(self._store.vocabulary_file(vocabulary.digest, anew=True))
        self._store.keep_vocabulary()
        if not self._store.catalog.setting(SETTING):
            # The first one serves at once: killed while assigning, the next run need not train.
            self._store.commit(settings=settings, quiet=True)
        self._assign(vocabulary)
        old = {
            (segment.name, segment.version)
            for segment in self._store.columns.segments()
            if segment.name in (ASSIGNED, BAGS) and segment.version != vocabulary.digest
        }
        self._store.commit(retract=sorted(old), settings=settings)
        self._store.columns.sweep()
        further = self._store.catalog.setting(FURTHER) or {}
        self._store.drop_vocabularies(keep={vocabulary.digest, *further.values()})
        return vocabulary

    def _assign(self, vocabulary: Vocabulary) -> None:
        """Give every image that has features and no words its words."""
        first, total = self._assigned(vocabulary.digest), self.covered()
        for batch in self.batches(first, total):
            self._watch(Progress("words", first, total))
            offsets = batch["offsets"]
            words = vocabulary.assign(batch["descriptors"])
            drafts = [
                self._store.columns.draft(
                    ASSIGNED, vocabulary.digest, first, {"words": words, "offsets": offsets}
                ),
                self._store.columns.draft(BAGS, vocabulary.digest, first, bagged(words, offsets)),
            ]
            self._store.commit(drafts=drafts)
            first += len(offsets) - 1
        self._watch(Progress("words", total, total))

    def _segments(self) -> Sequence[Segment]:
        """Segments of local features, from the first row on without a gap."""
        held: list[Segment] = []
        for segment in self._store.columns.segments():
            wanted = (segment.name, segment.version) == (WORDS, local_features.VERSION)
            if wanted and segment.first == sum(s.rows for s in held):
                held.append(segment)
        return held

    def _features(self) -> Iterator[Arrays]:
        return (self._store.columns.load(segment) for segment in self._segments())

    def covered(self) -> int:
        """How many images have their features."""
        return sum(segment.rows for segment in self._segments())

    def _assigned(self, digest: str) -> int:
        covered = self._store.columns.coverage()
        return min(covered.get((name, digest), 0) for name in (ASSIGNED, BAGS))

    def batches(self, first: int, total: int) -> Iterator[dict[str, Array]]:
        """The features of the rows `first` to `total`, some images at a time."""
        for segment in self._segments():
            arrays = self._store.columns.load(segment)
            last = min(segment.first + segment.rows, total)
            for start in range(max(first, segment.first), last, IMAGES_A_COMMIT):
                a, b = start - segment.first, min(start + IMAGES_A_COMMIT, last) - segment.first
                offsets = np.asarray(arrays["offsets"][a : b + 1])
                yield {
                    "descriptors": local_features.descriptors_of(
                        arrays, slice(int(offsets[0]), int(offsets[-1]))
                    ),
                    "offsets": offsets - offsets[0],
                }


def bagged(words: NDArray[np.int32], offsets: Array) -> dict[str, Array]:
    """The words of several images, one after the other, as the arrays of a column of bags."""
    bags = [bag(words[a:b]) for a, b in pairwise(offsets.tolist())]
    none = [np.empty(0, np.int32)]
    return {
        "words": np.concatenate(none + [distinct for distinct, _ in bags]),
        # A picture has few features, and a byte is enough for how many are of one word.
        "counts": np.minimum(np.concatenate(none + [counts for _, counts in bags]), 255).astype(
            np.uint8
        ),
        "offsets": offsets_of([len(distinct) for distinct, _ in bags]),
    }


def _sized(descriptors: NDArray[np.uint8], work: Path, report: training.Report) -> Vocabulary:
    return sizing.train_for(descriptors, work=work, report=report)
