"""The inverted file: for every word the images that hold it, and how often.

    score(q, d) = finish(Σ_{w in q and d} term(q_w, d_w), d)

Only the postings of the query's words are read. A posting is four bytes.
What `term` and `finish` are is the choice of a `Comparison`: weighting, normalisation, distance.

Images live in *slots*, numbered as they come; `rows` says which row of the collection a slot is.
`add` makes one segment, searchable at once; `remove` leaves a tombstone; `merge` makes one segment
of all and drops the tombstones. Word statistics count living images only, so after any sequence of
the three the scores are those of a file built afresh from what is left.

Readers take one immutable `PostingsView` and never wait; writers wait for each other.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput, UnknownName
from saccade.kernels.ragged import offsets_of
from saccade.kernels.records import Best, Finish, Lists, Slots, Terms
from saccade.types import Array, Rows, Scores, State
from saccade.words.postings import (
    MOST_SLOTS,
    PostingsSegment,
    PostingsView,
    checked_bag,
    checked_bags,
)
from saccade.words.weighting import (
    DISTANCE,
    SIMILARITIES,
    Comparison,
    Counts,
    Floats,
    ScoringPlan,
    Words,
)

Totals = NDArray[np.float32] | NDArray[np.float64]


class Model(Protocol):
    """A way to score images for a query, as numbers the kernels understand."""

    def plan(self, view: PostingsView, words: Words, counts: Counts) -> ScoringPlan:
        """How to score a query of these words (ascending) and counts."""


class InvertedFile:
    """Images as bags of words, found by the words they share with a query.

    >>> file = InvertedFile(vocabulary=10)
    >>> file.add([0, 1], [0, 2, 4], [1, 3, 3, 7], [1, 2, 1, 1])
    >>> rows, scores = file.search([1, 3], [1, 2], 5)
    >>> rows.tolist(), [round(float(score), 2) for score in scores]
    ([0, 1], [1.0, 0.12])
    """

    def __init__(self, vocabulary: int, *, idf: Floats | None = None) -> None:
        """A file of so many words; `idf` is their rarity where it is known from elsewhere."""
        if vocabulary < 1:
            raise InvalidInput(f"inverted file: a vocabulary of {vocabulary} words holds nothing")
        if idf is not None and len(idf) != vocabulary:
            raise InvalidInput(f"inverted file: {len(idf)} rarities of {vocabulary} words")
        self.vocabulary = vocabulary
        self._writing = threading.Lock()
        self._scratch = threading.local()
        self._slot_of = np.empty(0, np.int32)  # by row, -1 where there is no living image
        self.view = PostingsView(
            (),
            np.empty(0, np.int64),
            np.empty(0, np.bool_),
            np.empty(0, np.int64),
            np.empty(0, np.int64),
            np.zeros(vocabulary, np.int64),
            np.zeros(vocabulary, np.int64),
            idf,
        )

    def __len__(self) -> int:
        return self.view.images

    @property
    def nbytes(self) -> int:
        """Bytes of the postings, their directories, the word statistics and the image columns."""
        view = self.view
        arrays = [view.rows, view.alive, view.lengths, view.distinct, view.frequency]
        arrays += [view.occurrences, self._slot_of]
        for segment in view.segments:
            arrays += [*segment.lists, segment.directory]
        return sum(array.nbytes for array in arrays)

    def add(self, rows: ArrayLike, offsets: ArrayLike, words: ArrayLike, counts: ArrayLike) -> None:
        """Make bags findable: bag i, of row `rows[i]`, is `words[offsets[i]:offsets[i + 1]]`."""
        from saccade.kernels.inverted import count_words

        new = np.asarray(rows, np.int64)
        edges, named, times = checked_bags(
            offsets, words, counts, bags=len(new), vocabulary=self.vocabulary
        )
        if not len(new):
            return
        with self._writing:
            self._check_new(new)
            view = self.view
            first = len(view.rows)
            if first + len(new) > MOST_SLOTS:
                raise InvalidInput(
                    f"inverted file: {first + len(new)} images are more than one file can number;"
                    " merge it to drop the removed ones, or divide the collection"
                )
            frequency = np.zeros(self.vocabulary, np.int64)
            occurrences = view.occurrences.copy()
            count_words(named, times, frequency, occurrences)
            segment = PostingsSegment.of_bags(edges, named, times, first=first, frequency=frequency)
            sums = offsets_of(times)
            # A reader holds one view or the other; this assignment is the moment of change.
            self.view = PostingsView(
                (*view.segments, segment),
                np.concatenate([view.rows, new]),
                np.concatenate([view.alive, np.ones(len(new), np.bool_)]),
                np.concatenate([view.lengths, np.diff(sums[edges])]),
                np.concatenate([view.distinct, np.diff(edges)]),
                view.frequency + frequency,
                occurrences,
                view.rarity,
            )
            self._number(new, np.arange(first, first + len(new)))

    def remove(self, rows: ArrayLike) -> None:
        """Take images out; the words they held become rarer at once."""
        from saccade.kernels.inverted import tally

        leaving = np.unique(np.asarray(rows, np.int64))
        with self._writing:
            size = len(self._slot_of)
            inside = [r for r in leaving.tolist() if 0 <= r < size and self._slot_of[r] >= 0]
            if len(inside) < len(leaving):
                missing = sorted(set(leaving.tolist()) - set(inside))[0]
                raise InvalidInput(f"inverted file: row {missing} is not in it, so cannot leave it")
            view = self.view
            dying = np.zeros(len(view.rows), np.bool_)
            dying[self._slot_of[leaving]] = True
            frequency, occurrences = view.frequency.copy(), view.occurrences.copy()
            for segment in view.segments:
                tally(segment.lists, dying, -1, frequency, occurrences)
            self.view = replace(
                view, alive=view.alive & ~dying, frequency=frequency, occurrences=occurrences
            )
            self._slot_of[leaving] = -1

    def merge(self) -> None:
        """One segment instead of many, without the dead; scores stay what they were."""
        with self._writing:
            view = self.view
            if len(view.segments) <= 1 and view.images == len(view.rows):
                return
            keep = view.alive
            self.view = replace(
                view,
                segments=(PostingsSegment.merged(view),),
                rows=view.rows[keep],
                alive=np.ones(view.images, np.bool_),
                lengths=view.lengths[keep],
                distinct=view.distinct[keep],
            )
            self._number(self.view.rows, np.arange(self.view.images))

    def search(
        self, words: ArrayLike, counts: ArrayLike, k: int, model: Model | None = None
    ) -> tuple[Rows, Scores]:
        """The `k` best images that share a word with the query, best first; ties to the lower row.

        Without a model, cosine of tf-idf weights. An image that shares no word is never found.
        """
        from saccade.kernels.inverted import best_first, best_of_segment

        if k < 1:
            raise InvalidInput(f"inverted file: k is {k}; ask for at least one image")
        asked, times = checked_bag(words, counts, vocabulary=self.vocabulary)
        view = self.view
        plan = (model or Comparison()).plan(view, asked, times)
        terms, finish, slots = self._records(view, plan)
        runs = [segment.runs(asked) for segment in view.segments]
        k = max(min(k, sum(postings for _, _, postings in runs)), 1)
        best, size = Best(np.empty(k, np.float32), np.empty(k, np.int64)), 0
        for segment, (starts, ends, postings) in zip(view.segments, runs, strict=True):
            if postings:
                part = (segment.first, segment.last, starts, ends, segment.lists)
                size = best_of_segment(*part, terms, finish, slots, best, size)
        self._put_back(slots.totals)
        best_first(best.scores, best.rows, size)
        return best.rows[:size], best.scores[:size]

    def scores_all(
        self,
        words: ArrayLike,
        counts: ArrayLike,
        model: Model | str = "cosine",
        *,
        size: int | None = None,
    ) -> Scores:
        """The score of every row, [size]. `model` may name a similarity: l1, l2, cosine, chi2.

        `size` is the highest row and one unless given. A row without an image gets 0, the lowest
        score there is.
        """
        from saccade.kernels.inverted import accumulate, finish_all

        if isinstance(model, str):
            if model not in SIMILARITIES:
                raise UnknownName("similarity of words", model, SIMILARITIES)
            model = SIMILARITIES[model]
        asked, times = checked_bag(words, counts, vocabulary=self.vocabulary)
        view = self.view
        size = view.size if size is None else size
        if size < view.size:
            last = view.size - 1
            raise InvalidInput(f"inverted file: {size} scores asked for, row {last} is in it")
        plan = model.plan(view, asked, times)
        terms, finish, slots = self._records(view, plan)
        for segment in view.segments:
            starts, ends, _ = segment.runs(asked)
            accumulate(starts, ends, segment.lists, terms, slots.totals)
        scores = np.zeros(size, np.float32)
        finish_all(finish, slots, scores)
        self._put_back(slots.totals)
        return scores

    def dump(self) -> State:
        """The whole file as plain arrays."""
        view = self.view
        arrays: dict[str, Array] = {
            "rows": view.rows,
            "alive": view.alive,
            "lengths": view.lengths,
            "distinct": view.distinct,
        }
        for number, segment in enumerate(view.segments):
            for name, array in segment.lists._asdict().items():
                arrays[f"{name}.{number}"] = array
        spec = {"vocabulary": self.vocabulary, "segments": len(view.segments)}
        return State("inverted-file", spec, arrays)

    @classmethod
    def load(cls, state: State) -> InvertedFile:
        """A file from its arrays."""
        from saccade.kernels.inverted import tally

        if state.kind != "inverted-file":
            raise InvalidInput(f"{state.kind!r} is no inverted file; build it again from the words")
        arrays = state.arrays
        try:
            file = cls(int(state.spec["vocabulary"]))
            count = int(state.spec["segments"])
            parts = [
                [arrays[f"{name}.{number}"] for name in Lists._fields] for number in range(count)
            ]
            rows, alive = np.array(arrays["rows"], np.int64), np.array(arrays["alive"], np.bool_)
            slots = {len(arrays[name]) for name in ("rows", "alive", "lengths", "distinct")}
        except KeyError as error:
            raise InvalidInput(f"inverted file: its {error} is missing; build it again") from error
        view = file.view
        segments = tuple(PostingsSegment.of(*map(np.ascontiguousarray, part)) for part in parts)
        for segment in segments:
            if slots != {len(rows)} or not segment.sound(len(rows), file.vocabulary):
                raise InvalidInput("inverted file: its arrays do not fit; build it again")
            tally(segment.lists, alive, 1, view.frequency, view.occurrences)
        file.view = replace(
            view,
            segments=segments,
            rows=rows,
            alive=alive,
            lengths=np.array(arrays["lengths"], np.int64),
            distinct=np.array(arrays["distinct"], np.int64),
        )
        file._number(rows[alive], np.flatnonzero(alive))
        return file

    def _records(self, view: PostingsView, plan: ScoringPlan) -> tuple[Terms, Finish, Slots]:
        """A plan as the kernels take it, and the slots with room for their totals."""
        numbers = plan.query, plan.gain, plan.factor.single, plan.binary
        images = plan.level, plan.scale.values, plan.prior.values
        return (
            Terms(plan.term, *numbers),
            Finish(plan.finish, *images, plan.scale.highest, plan.kindest_prior),
            Slots(self._totals(len(view.rows), plan), view.alive, view.rows),
        )

    def _totals(self, slots: int, plan: ScoringPlan) -> Totals:
        """Room for the totals of one search, all zero; this thread's own, taken out of its place.

        What is put back was emptied by the kernels. A search that is cut short puts nothing back,
        so that no later one meets its remains.
        """
        # A distance is the root of a small difference of sums, so these must be exact. All else
        # is summed in single precision, of which twice as much fits into the cache.
        exact = plan.finish == DISTANCE
        totals: Totals | None = self._scratch.__dict__.pop("exact" if exact else "single", None)
        if totals is None or len(totals) < slots:
            size = slots + slots // 4
            totals = np.zeros(size, np.float64) if exact else np.zeros(size, np.float32)
        return totals

    def _put_back(self, totals: Totals) -> None:
        kind = "exact" if totals.dtype == np.float64 else "single"
        self._scratch.__dict__[kind] = totals

    def _number(self, rows: Rows, slots: NDArray[np.integer]) -> None:
        """Remember that `rows` of the collection live in `slots`."""
        highest = int(rows.max(initial=-1)) + 1
        if highest > len(self._slot_of):
            room = np.full(highest - len(self._slot_of), -1, np.int32)
            self._slot_of = np.concatenate([self._slot_of, room])
        self._slot_of[rows] = slots

    def _check_new(self, rows: Rows) -> None:
        if rows.size and rows.min() < 0:
            raise InvalidInput(f"inverted file: row {rows.min()} is negative; rows count from 0")
        if len(np.unique(rows)) < len(rows):
            raise InvalidInput("inverted file: a row came twice in one add; give each row once")
        inside = rows[rows < len(self._slot_of)]
        taken = inside[self._slot_of[inside] >= 0]
        if taken.size:
            raise InvalidInput(f"inverted file: row {taken[0]} is in it already; remove it first")
