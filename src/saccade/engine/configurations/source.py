"""The retrieval configurations of a collection: its vocabularies × five ways to compare (aly2011).

    column            holds, image by image
    words/bags        words and counts by the store's own vocabulary, as they were found
    words/bags/NAME   the same by a further one, once `saccade choosers train` has made it

The words schemes damp repeated features; a raw histogram must not be damped, so these files are
filled from the same bags with the counts as they are, when the first search asks for them. The
store's own vocabulary stands for the large one of its kind. φ has no part in this.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from saccade import trace
from saccade.engine.collection import Collection, Example, View
from saccade.engine.progress import Watch
from saccade.engine.sources import words
from saccade.engine.sources.source import Shelf, Source
from saccade.engine.sources.vocabulary import FURTHER
from saccade.engine.sources.words import BAGS, WORDS, Batch, WordView, filled
from saccade.errors import SaccadeError
from saccade.store.store import Store
from saccade.types import Array, Arrays, Finding, Scores
from saccade.words.configurations import VOCABULARIES, family
from saccade.words.five_ways import WAYS, FiveWays
from saccade.words.inverted import InvertedFile
from saccade.words.vocabulary import Vocabulary, bag

log = logging.getLogger(__name__)

USUAL = "usual"
"""The first of every family: as searches are ranked that ask for no configuration."""
COLUMNS = {name: f"words/bags/{name}" for name in VOCABULARIES}
"""The bags by vocabularies that a search may take instead of the store's own."""
Bag = tuple[Array, Array]


class RawBags:
    """A collection by one vocabulary, counts as they were found."""

    def __init__(
        self,
        vocabulary: Vocabulary,
        bags: Sequence[Batch],
        rows: int,
        dead: frozenset[int],
        before: RawBags | None = None,
        *,
        own: bool = False,
    ) -> None:
        self.vocabulary, self.rows, self.dead = vocabulary, rows, dead
        self._own = own
        self._bags = bags
        same = before is not None and before.vocabulary.digest == vocabulary.digest
        self._before = before if same and before is not None and before.is_filled else None
        self._ways: FiveWays | None = None
        self._making = Lock()

    @property
    def is_filled(self) -> bool:
        """Whether its file is filled; the first search does that."""
        return self._ways is not None

    @property
    def ways(self) -> FiveWays:
        """Its file, seen five ways."""
        with self._making:
            if self._ways is None:
                file = filled(
                    self._bags, self.rows, self.dead, self.vocabulary.size, self._before, _as_found
                )
                self._ways, self._before = FiveWays(file), None
            return self._ways

    @property
    def file(self) -> InvertedFile:
        """The file itself."""
        return self.ways.file

    def bag_of(self, example: Example) -> Bag | None:
        """An example's words and counts; None where its features were not kept."""
        if example.row >= 0:
            batch, i = words.find(self._bags, example.row)
            a, b = batch["offsets"][i : i + 2]
            return np.asarray(batch["words"][a:b]), np.asarray(batch["counts"][a:b], np.int32)
        part = example.parts.get(WORDS)
        if part is None or (part.features is None and not self._own):
            return None
        if self._own:
            return bag(part.words)  # the words of a picture are by the store's own vocabulary
        pair = example.once(
            f"bag/{self.vocabulary.digest}",
            lambda: np.stack(bag(self.vocabulary.assign(part.features.descriptors))),
        )
        return pair[0], pair[1]

    def scores(self, example: Example) -> Scores:
        """The similarity of every row to an example in each way, [5, rows]; 0 without a word."""
        words = self.bag_of(example)
        out = np.zeros((len(WAYS), self.rows), np.float32)
        if words is None or not len(words[0]):
            return out
        # The file may have grown since this view was made, or end with images that are gone.
        values = self.ways.scores(*words)[:, : self.rows]
        out[:, : values.shape[1]] = np.where(np.isneginf(values), np.float32(0.0), values)
        return out


@dataclass(frozen=True)
class ConfigurationView(View):
    """The configurations of a collection at one moment; the store's own vocabulary comes first."""

    vocabularies: Mapping[str, RawBags]

    @cached_property
    def family(self) -> tuple[str, ...]:
        """Every configuration, by name; the usual ranking is the first."""
        return (USUAL, *(str(one) for one in family(tuple(self.vocabularies))))

    def speaks(self, example: Example) -> bool:
        """Whether an example has a word of any vocabulary."""
        return any(
            words is not None and len(words[0])
            for words in (one.bag_of(example) for one in self.vocabularies.values())
        )

    def scores(self, configuration: str, example: Example) -> Scores:
        """The similarity of every row by one of the family that compares words, [rows]."""
        place = self.family.index(configuration, 1) - 1
        name, way = list(self.vocabularies)[place // len(WAYS)], place % len(WAYS)
        ways = example.once(f"{BAGS}/{name}", lambda: self.vocabularies[name].scores(example))
        scores: Scores = ways[way]
        return scores

    def warm(self, row: int) -> None:
        """The kernels; the files, too, where somebody has trained further vocabularies."""
        tiny = InvertedFile(vocabulary=2)
        tiny.add([0], [0, 1], [1], [1])
        FiveWays(tiny).scores([1], [1])
        if len(self.vocabularies) > 1:
            for one in self.vocabularies.values():
                _ = one.ways


class ConfigurationSource(Source):
    """Bags by further vocabularies, derived from the local features."""

    derived = tuple(COLUMNS.values())
    follows = (WORDS,)

    def load(
        self,
        shelf: Shelf,
        descriptors: Sequence[str],
        before: View | None,
        views: Mapping[str, View],
    ) -> ConfigurationView | None:
        """Those that cover every row; None without words."""
        own = views.get("words")
        if not isinstance(own, WordView):
            return None
        earlier = before.vocabularies if isinstance(before, ConfigurationView) else {}
        further = shelf.store.catalog.setting(FURTHER) or {}
        named = {own_name(own.vocabulary): (BAGS, own.vocabulary.digest)}
        named |= {n: (COLUMNS[n], d) for n, d in further.items() if n not in named and n in COLUMNS}
        by_name = {}
        for name, (column, digest) in named.items():
            segments = shelf.whole(column, digest)
            try:
                bags = [Batch(s.first, shelf.store.columns.load(s)) for s in segments or ()]
                mine = own.vocabulary if column == BAGS else words.read(shelf.store, digest)
            # Damaged or lost, they can be made again; meanwhile the others serve.
            except SaccadeError as error:
                trace.swallowed(log, error, doing="loading a vocabulary", vocabulary=name)
                continue
            if bags:
                by_name[name] = RawBags(
                    mine, bags, own.rows, own.dead, earlier.get(name), own=column == BAGS
                )
        return ConfigurationView(by_name) if by_name else None

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Give new images their words by every further vocabulary."""
        from saccade.engine.configurations.training import Further

        if WORDS in descriptors:
            Further(store, watch).update()

    def damage(self, arrays: Arrays, rows: int) -> str:
        """Offsets say how many rows there are."""
        return words.ragged_damage(arrays, rows)

    def lacking(self, store: Store, descriptors: Sequence[str]) -> Iterator[Finding]:
        """Images without words by a further vocabulary, or a vocabulary that is lost."""
        from saccade.engine.configurations.training import Further

        if WORDS in descriptors:
            for column, problem in Further(store).lacking().items():
                yield Finding(column, problem, "would be made again from the local features")


def own_name(vocabulary: Vocabulary) -> str:
    """What the store's own vocabulary is called among the others: the large one of its kind."""
    return "hkm-large" if vocabulary.kind == "hkm" else "akm-large"


def of(collection: Collection) -> ConfigurationView | None:
    """The configurations of a collection, where it has words."""
    view = collection.views.get("configurations")
    return view if isinstance(view, ConfigurationView) else None


def _as_found(counts: Array) -> NDArray[np.int32]:
    return np.asarray(counts, np.int32)
