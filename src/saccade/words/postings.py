"""Postings at rest: one segment of them, and the view of all segments that a search works on.

A posting is four bytes: the slot of an image (28 bits), how often it holds the word (4 bits). The
few counts above 15 are kept apart. Layout and look-up are in `saccade.kernels.inverted`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.kernels.records import Lists
from saccade.types import Array, Rows
from saccade.words.weighting import Counts, Floats, SlotColumn, Words, inverse_frequency

MOST_COUNT_IN_PLACE = 15
MOST_SLOTS = 1 << 28


@dataclass(frozen=True, slots=True)
class PostingsSegment:
    """Postings of the images that came in one `add`; see `saccade.kernels.inverted`."""

    lists: Lists
    directory: NDArray[np.int32]
    shift: int
    first: int  # the slots lie from here
    last: int  # to before here

    @classmethod
    def of(
        cls,
        words: Words,
        offsets: NDArray[np.int64],
        packed: NDArray[np.uint32],
        large: NDArray[np.int64],
    ) -> PostingsSegment:
        """A segment with its directory: about one bucket a distinct word."""
        last = int(words[-1]) if len(words) else 0
        shift = 0
        while (last >> shift) > 2 * len(words):
            shift += 1
        edges = np.arange((last >> shift) + 2, dtype=np.int64) << shift
        directory = np.searchsorted(words, edges).astype(np.int32)
        first = int(packed.min()) >> 4 if len(packed) else 0
        last = (int(packed.max()) >> 4) + 1 if len(packed) else 0
        return cls(Lists(words, offsets, packed, large), directory, shift, first, last)

    @classmethod
    def of_bags(
        cls,
        offsets: NDArray[np.int64],
        words: Words,
        counts: Counts,
        *,
        first: int,
        frequency: NDArray[np.int64],
    ) -> PostingsSegment:
        """Postings of bags with slots from `first` on; `frequency` bags hold each word."""
        from saccade.kernels.inverted import scatter

        starts = np.cumsum(frequency) - frequency
        used = np.flatnonzero(frequency).astype(np.int32)
        edges = np.append(starts[used], len(words))
        packed = np.empty(len(words), np.uint32)
        large = np.empty((np.count_nonzero(counts > MOST_COUNT_IN_PLACE), 2), np.int64)
        scatter(offsets, words, counts, starts, first, packed, large)
        return cls.of(used, edges, packed, large[np.argsort(large[:, 0])])

    @classmethod
    def merged(cls, view: PostingsView) -> PostingsSegment:
        """One segment with the living images of all; their slots close ranks."""
        from saccade.kernels.inverted import gather

        renumber = np.where(view.alive, np.cumsum(view.alive) - 1, -1).astype(np.int32)
        starts = np.cumsum(view.frequency) - view.frequency
        used = np.flatnonzero(view.frequency).astype(np.int32)
        size = int(view.frequency.sum())
        edges = np.append(starts[used], size)
        packed, filled = np.empty(size, np.uint32), 0
        large = np.empty((sum(len(segment.lists.large) for segment in view.segments), 2), np.int64)
        for segment in view.segments:
            filled = gather(segment.lists, renumber, starts, packed, large, filled)
        large = large[:filled]
        return cls.of(used, edges, packed, large[np.argsort(large[:, 0])])

    def runs(self, wanted: Words) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
        """Where each word's postings start and end, and how many there are in all."""
        from saccade.kernels.inverted import find_runs

        starts, ends = np.empty(len(wanted), np.int64), np.empty(len(wanted), np.int64)
        return starts, ends, find_runs(self.lists, self.directory, self.shift, wanted, starts, ends)

    def sound(self, slots: int, vocabulary: int) -> bool:
        """Whether all numbers lie where the kernels, which trust them, may go."""
        words, edges, packed, large = self.lists
        places = large[:, 0]
        small = np.count_nonzero(packed & np.uint32(MOST_COUNT_IN_PLACE) == 0)
        return bool(
            len(edges) == len(words) + 1
            and edges[0] == 0
            and edges[-1] == len(packed)
            and (np.diff(edges) > 0).all()
            and (np.diff(words) > 0).all()
            and (not len(words) or (words[0] >= 0 and words[-1] < vocabulary))
            and self.last <= slots
            and small == len(places)
            and (np.diff(places) > 0).all()
        )


@dataclass(frozen=True)
class Norms:
    """Norms of every image's weighted bag, and what they become when it is normalised."""

    l1: Floats
    l2: Floats

    def inverse(self, norm: str) -> SlotColumn:
        """1 / norm, 0 for an empty bag."""
        return self._inverse_l1 if norm == "l1" else self._inverse_l2

    def normalised(self, norm: str, *, by: str) -> SlotColumn:
        """The `norm` of each bag once normalised `by`; 1 when they are the same, 0 when empty."""
        if norm == by:
            return self._present
        return self._l2_of_l1 if by == "l1" else self._l1_of_l2

    @cached_property
    def _inverse_l1(self) -> SlotColumn:
        return SlotColumn.of(
            np.divide(1.0, self.l1, out=np.zeros_like(self.l1), where=self.l1 > 0.0)
        )

    @cached_property
    def _inverse_l2(self) -> SlotColumn:
        return SlotColumn.of(
            np.divide(1.0, self.l2, out=np.zeros_like(self.l2), where=self.l2 > 0.0)
        )

    @cached_property
    def _present(self) -> SlotColumn:
        return SlotColumn.of((self.l1 > 0.0).astype(np.float64))

    @cached_property
    def _l2_of_l1(self) -> SlotColumn:
        return SlotColumn.of(self.l2 * self._inverse_l1.values)

    @cached_property
    def _l1_of_l2(self) -> SlotColumn:
        return SlotColumn.of(self.l1 * self._inverse_l2.values)


@dataclass(frozen=True)
class PostingsView:
    """The file at one moment. Never changed, so that a search may go on while images are added."""

    segments: tuple[PostingsSegment, ...]
    rows: Rows  # [slots]
    alive: NDArray[np.bool_]  # [slots]
    lengths: NDArray[np.int64]  # [slots] local features per image
    distinct: NDArray[np.int64]  # [slots] different words per image
    frequency: NDArray[np.int64]  # [vocabulary] living images with the word
    occurrences: NDArray[np.int64]  # [vocabulary] times the word occurs in them
    rarity: Floats | None = None  # [vocabulary] where it is known from elsewhere

    @cached_property
    def images(self) -> int:
        """How many images live."""
        return int(self.alive.sum())

    @cached_property
    def size(self) -> int:
        """The highest row of a living image, and one."""
        return int(self.rows.max(initial=-1, where=self.alive)) + 1

    @cached_property
    def idf(self) -> Floats:
        """Rarity of every word, [vocabulary]."""
        if self.rarity is not None:
            return self.rarity
        return inverse_frequency(self.frequency, self.images)

    @cached_property
    def derived(self) -> dict[str, Floats]:
        """What others computed once for all images of this view, by name."""
        return {}

    @cached_property
    def _norms_by_weighting(self) -> dict[str, Norms]:
        return {}

    def norms(self, weighting: str) -> Norms:
        """Norms under a weighting; computed from the postings when first asked for."""
        if weighting not in self._norms_by_weighting:
            self._norms_by_weighting[weighting] = self._norms(weighting)
        return self._norms_by_weighting[weighting]

    def _norms(self, weighting: str) -> Norms:
        from saccade.kernels.inverted import add_norms

        sums, squares = np.zeros(len(self.rows)), np.zeros(len(self.rows))
        idf = self.idf if weighting == "tf-idf" else np.empty(0)
        for segment in self.segments:
            add_norms(segment.lists, idf, weighting == "binary", sums, squares)
        return Norms(sums, np.sqrt(squares))


def checked_bags(
    offsets: ArrayLike, words: ArrayLike, counts: ArrayLike, *, bags: int, vocabulary: int
) -> tuple[NDArray[np.int64], Words, Counts]:
    """The bags as arrays of the right types, or an error that says what is wrong with them."""
    edges = np.ascontiguousarray(offsets, np.int64)
    named, times = np.asarray(words), np.asarray(counts)
    if len(edges) != bags + 1 or edges[0] != 0 or np.any(np.diff(edges) < 0):
        raise InvalidInput(f"inverted file: {bags} bags need {bags + 1} growing offsets from 0")
    if not len(named) == len(times) == edges[-1]:
        raise InvalidInput(
            f"inverted file: {len(named)} words, {len(times)} counts and a last offset of"
            f" {edges[-1]} do not agree"
        )
    return edges, *_proper(edges, named, times, vocabulary)


def checked_bag(words: ArrayLike, counts: ArrayLike, *, vocabulary: int) -> tuple[Words, Counts]:
    """One bag, as a query is: the same checks without the offsets."""
    named, times = np.asarray(words), np.asarray(counts)
    if len(named) != len(times):
        raise InvalidInput(f"inverted file: {len(named)} words and {len(times)} counts in a query")
    return _proper(np.array([0, len(named)]), named, times, vocabulary)


def _proper(
    offsets: NDArray[np.int64], words: Array, counts: Array, vocabulary: int
) -> tuple[Words, Counts]:
    from saccade.kernels.inverted import first_improper

    words, counts = _int32(words), _int32(counts)
    wrong = first_improper(offsets, words, counts, vocabulary)
    if wrong >= 0:
        raise InvalidInput(
            f"inverted file: in bag {wrong} the words do not ascend from 0 to {vocabulary - 1},"
            " or a count is below 1; were they assigned with another vocabulary?"
        )
    return words, counts


def _int32(numbers: Array) -> NDArray[np.int32]:
    """The numbers as int32; what does not fit becomes one that no check lets pass."""
    if numbers.dtype == np.int32:
        return np.ascontiguousarray(numbers)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise InvalidInput(f"inverted file: words and counts are whole, not {numbers.dtype}")
    return np.where(numbers > np.iinfo(np.int32).max, -1, numbers).astype(np.int32)
