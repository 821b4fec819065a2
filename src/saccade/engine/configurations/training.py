"""Further vocabularies of a store, for choosers: trained once, their words kept up to date.

    features of all images ─ train (small, medium, tree) ─ vocabularies ─ assign ─ words/bags/NAME

All of it follows from the local features: killed, the next call goes on; lost, it is made again.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from saccade import trace
from saccade.engine.configurations.source import COLUMNS, own_name
from saccade.engine.progress import Progress, Watch, unwatched
from saccade.engine.sources.vocabulary import FURTHER, MOST_TRAINED_ON, Vocabularies, bagged
from saccade.engine.sources.words import read
from saccade.errors import SaccadeError
from saccade.words import training
from saccade.words.configurations import VOCABULARIES, sizes_for, train
from saccade.words.vocabulary import Vocabulary

if TYPE_CHECKING:
    from saccade.store.store import Store


log = logging.getLogger(__name__)


class Further:
    """The further vocabularies of one store."""

    def __init__(self, store: Store, watch: Watch | None = None) -> None:
        self._store = store
        self._watch = watch or unwatched
        self._words = Vocabularies(store, watch)

    def train(self, *, seed: int = 0) -> dict[str, int]:
        """Train what is missing of the four, give every image its words; sizes by name."""
        with self._store.indexing():
            own = self._words.current()
            for name in VOCABULARIES:
                if name != own_name(own) and name not in self._named():
                    self._adopt(name, self._trained(name, seed))
            self._assign_all()
            sizes = {name: read(self._store, d).size for name, d in self._named().items()}
            return {own_name(own): own.size, **sizes}

    def update(self) -> None:
        """Assign new images; make again what was lost. Hold `store.indexing()` around it."""
        named = self._named()
        if not named:
            return
        for name, digest in named.items():
            try:
                read(self._store, digest)
            # Lost or damaged: the features are there to make it of.
            except SaccadeError as error:
                trace.swallowed(log, error, doing="reading a vocabulary", vocabulary=name)
                self._adopt(name, self._trained(name, 0))
        self._assign_all()

    def lacking(self) -> dict[str, str]:
        """What is wrong with each column, where something is."""
        out, total = {}, self._words.covered()
        covered = self._store.columns.coverage()
        for name, digest in self._named().items():
            try:
                read(self._store, digest)
            except SaccadeError as error:
                out[COLUMNS[name]] = error.message
                continue
            done = covered.get((COLUMNS[name], digest), 0)
            if done < total:
                out[COLUMNS[name]] = f"cover {done} of {total} images"
        return out

    def _named(self) -> dict[str, str]:
        digests = self._store.catalog.setting(FURTHER) or {}
        return {name: digest for name, digest in digests.items() if name in COLUMNS}

    def _trained(self, name: str, seed: int) -> Vocabulary:
        def report(progress: training.TrainingProgress) -> None:
            self._watch(Progress(f"vocabulary {name}", round(100 * progress.done), 100))

        descriptors = self._words.sampled(MOST_TRAINED_ON, seed)
        size = sizes_for(len(descriptors))[name]
        work = self._store.training_folder
        return train(name, descriptors, size=size, seed=seed, work=work, report=report)

    def _adopt(self, name: str, vocabulary: Vocabulary) -> None:
        vocabulary.save(self._store.vocabulary_file(vocabulary.digest, anew=True))
        self._store.keep_vocabulary()
        named = {**self._named(), name: vocabulary.digest}
        self._store.commit(settings={FURTHER: named}, quiet=True)

    def _assign_all(self) -> None:
        named = self._named()
        wanted = {(COLUMNS[name], digest) for name, digest in named.items()}
        columns = self._store.columns
        stale = {
            (s.name, s.version) for s in columns.segments() if s.name in COLUMNS.values()
        } - wanted
        if stale:
            self._store.commit(retract=sorted(stale))
        for name, digest in named.items():
            self._assign(COLUMNS[name], read(self._store, digest))
        own = self._words.current().digest
        self._store.drop_vocabularies(keep={own, *named.values()})

    def _assign(self, column: str, vocabulary: Vocabulary) -> None:
        """Give every image that has features and no words of this vocabulary its words."""
        digest, total = vocabulary.digest, self._words.covered()
        first = self._store.columns.coverage().get((column, digest), 0)
        for batch in self._words.batches(first, total):
            self._watch(Progress("words", first, total))
            words, offsets = vocabulary.assign(batch["descriptors"]), batch["offsets"]
            draft = self._store.columns.draft(column, digest, first, bagged(words, offsets))
            self._store.commit(drafts=[draft])
            first += len(offsets) - 1
        self._watch(Progress("words", total, total))
