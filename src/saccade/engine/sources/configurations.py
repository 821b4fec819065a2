"""The retrieval configurations of a collection: its vocabularies × five ways to compare (aly2011).

    column            holds, image by image
    words/bags        words and counts by the store's own vocabulary, as they were found
    words/bags/NAME   the same by a further one, once `saccade choosers train` has made it

The words schemes damp repeated features; a raw histogram must not be damped, so these files are
filled from the same bags with the counts as they are, when the first search asks for them. The
store's own vocabulary stands for the large one of its kind. φ has no part in this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.engine.collection import Collection, Example, View, Wanted
from saccade.engine.progress import Watch
from saccade.engine.sources import words
from saccade.engine.sources.source import About, Described, Shelf
from saccade.engine.sources.vocabulary import CONFIGURATIONS
from saccade.engine.sources.words import BAGS, FURTHER, WORDS, Batch, WordView, filled
from saccade.errors import InvalidInput, SaccadeError
from saccade.store.store import Store
from saccade.types import Arrays, Finding, Phi, Rows, Scheme, Scores
from saccade.words.configurations import family
from saccade.words.five_ways import WAYS, FiveWays
from saccade.words.inverted import InvertedFile
from saccade.words.vocabulary import Vocabulary, bag

Bag = tuple[NDArray[Any], NDArray[Any]]


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
        self._before = before if same and before is not None and before.made else None
        self._ways: FiveWays | None = None
        self._making = Lock()

    @property
    def made(self) -> bool:
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
            return np.asarray(batch["words"][a:b]), np.asarray(batch["counts"][a:b])
        part = example.parts.get(WORDS)
        if part is None or (part.features is None and not self._own):
            return None
        if self._own:
            return bag(part.words)  # the words of a picture are by the store's own vocabulary
        made = example.once(
            f"bag/{self.vocabulary.digest}",
            lambda: np.stack(bag(self.vocabulary.assign(part.features.descriptors))),
        )
        return made[0], made[1]

    def scores(self, example: Example) -> Scores:
        """The similarity of every row to an example in each way, [5, rows]; 0 without a word."""
        found = self.bag_of(example)
        out = np.zeros((len(WAYS), self.rows), np.float32)
        if found is None or not len(found[0]):
            return out
        # The file may have grown since this view was made, or end with images that are gone.
        values = self.ways.scores(*found)[:, : self.rows]
        out[:, : values.shape[1]] = np.where(np.isneginf(values), np.float32(0.0), values)
        return out


@dataclass(frozen=True)
class ConfigurationView:
    """The configurations of a collection at one moment; the store's own vocabulary comes first."""

    vocabularies: Mapping[str, RawBags]

    @cached_property
    def family(self) -> tuple[str, ...]:
        """Every configuration, by name."""
        return tuple(str(one) for one in family(tuple(self.vocabularies)))

    def speaks(self, example: Example) -> bool:
        """Whether an example has a word of any vocabulary."""
        return any(
            found is not None and len(found[0])
            for found in (one.bag_of(example) for one in self.vocabularies.values())
        )

    def scores(self, configuration: str, example: Example) -> Scores:
        """The similarity of every row by a configuration of the family, [rows]."""
        place = self.family.index(configuration)
        name, way = list(self.vocabularies)[place // len(WAYS)], place % len(WAYS)
        known = example.once(f"{BAGS}/{name}", lambda: self.vocabularies[name].scores(example))
        found: Scores = known[way]
        return found

    # -- a view has these; φ has no part in configurations ---------------------------------------

    names: tuple[str, ...] = ()
    more: tuple[Scheme, ...] = ()

    def serves(self, scheme: Scheme) -> bool:
        """No scheme."""
        return False

    def needs(self, scheme: Scheme) -> tuple[str, ...]:
        """Nothing of its own."""
        return ()

    def of_row(self, row: int) -> dict[str, Any]:
        """A row is known by its bags, which are looked up."""
        return {}

    def of_picture(self, picture: Picture, only: Wanted) -> dict[str, Any]:
        """A picture from outside is known by its local features, which the words find."""
        return {}

    def fill(
        self,
        out: Phi,
        example: Example,
        schemes: Sequence[Scheme],
        *,
        rows: Rows | None = None,
        raw: bool = False,
        pool: Executor | None = None,
    ) -> None:
        """No column is its own."""

    def weigh(
        self,
        out: Scores,
        example: Example,
        schemes: Sequence[Scheme],
        weights: NDArray[np.float32],
        pool: Executor | None = None,
    ) -> None:
        """No column is its own."""

    def remember(self, example: Example, *, places: bool) -> dict[str, NDArray[Any]]:
        """The words keep the features."""
        return {}

    def recall(self, arrays: Arrays, vocabulary: str) -> dict[str, Any]:
        """The words kept the features."""
        return {}

    def warm(self, row: int) -> None:
        """The kernels; the files, too, where somebody has trained further vocabularies."""
        tiny = InvertedFile(vocabulary=2)
        tiny.add([0], [0, 1], [1], [1])
        FiveWays(tiny).scores([1], [1])
        if len(self.vocabularies) > 1:
            for one in self.vocabularies.values():
                _ = one.ways


class Configurations:
    """Bags by further vocabularies, derived from the local features."""

    derived: tuple[str, ...] = ()  # the words have them: they go when the features go

    def covers(self, descriptor: str) -> bool:
        """No descriptor: they are made from the words'."""
        return False

    def about(self, descriptor: str) -> About:
        """There is no descriptor of this kind."""
        raise InvalidInput(f"{descriptor!r} is no descriptor of a configuration")

    def describe(
        self, descriptor: str, pictures: Sequence[Picture], labels: Sequence[str]
    ) -> Described:
        """Nothing is made from pixels."""
        return {}, []

    def blank(self, descriptor: str) -> dict[str, NDArray[Any]]:
        """Nothing is made from pixels."""
        return {}

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
        further = shelf.store.catalog.setting(CONFIGURATIONS) or {}
        named = {own_name(own.vocabulary): (BAGS, own.vocabulary.digest)}
        named |= {n: (FURTHER[n], d) for n, d in further.items() if n not in named and n in FURTHER}
        found = {}
        for name, (column, digest) in named.items():
            held = shelf.whole(column, digest)
            try:
                bags = [Batch(s.first, shelf.store.columns.load(s)) for s in held or ()]
                mine = own.vocabulary if column == BAGS else words.read(shelf.store, digest)
            # Damaged or lost, they can be made again; meanwhile the others serve.
            except SaccadeError:
                continue
            if bags:
                found[name] = RawBags(
                    mine, bags, own.rows, own.dead, earlier.get(name), own=column == BAGS
                )
        return ConfigurationView(found) if found else None

    def size(self, descriptor: str, view: View | None) -> tuple[int, int]:
        """No descriptor is its own."""
        return 0, 0

    def update(self, store: Store, descriptors: Sequence[str], watch: Watch) -> None:
        """Give new images their words by every further vocabulary."""
        from saccade.engine.sources.further import Further

        if WORDS in descriptors:
            Further(store, watch).update()

    def damage(self, arrays: Arrays, rows: int) -> str:
        """The words look at their own columns."""
        return ""

    def lacking(self, store: Store, descriptors: Sequence[str]) -> Iterator[Finding]:
        """Images without words by a further vocabulary, or a vocabulary that is lost."""
        from saccade.engine.sources.further import Further

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


def _as_found(counts: NDArray[Any]) -> NDArray[np.int32]:
    return np.asarray(counts, np.int32)
