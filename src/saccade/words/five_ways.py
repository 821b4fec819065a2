"""Five ways to compare bags of words by one walk over the postings (Aly 2011, section 3).

    tf-idf,l2,cos   binary,l2,l2   binary,l1,l1   none,l1,l1   none,l2,l2

Scores are those of `Comparison`: similarities in [0, 1] that grow as the paper's distances fall.
For normalised bags each needs the words that both have and no others:

    ‖q − d‖₁ = 2 + Σ_common (|q − d| − q − d) = 2 − 2 Σ_common min(q, d)
    ‖q − d‖₂² = 2 − 2 Σ_common q·d

so the 2-norm distance ranks like the cosine. The file must hold counts as they were found; those of
the engine's own file are damped, and "none" would not be raw there.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.kernels.records import WordQuery
from saccade.types import Rows, Scores
from saccade.words.inverted import InvertedFile
from saccade.words.postings import PostingsView, checked_bag
from saccade.words.weighting import Comparison

WAYS = (
    Comparison("tf-idf", "l2", "cos"),
    Comparison("binary", "l2", "l2"),
    Comparison("binary", "l1", "l1"),
    Comparison("none", "l1", "l1"),
    Comparison("none", "l2", "l2"),
)


_Room = tuple[NDArray[np.float32], NDArray[np.int64]]


class FiveWays:
    """An inverted file seen five ways.

    >>> file = InvertedFile(vocabulary=10)
    >>> file.add([0, 1], [0, 2, 4], [1, 3, 3, 7], [1, 2, 1, 1])
    >>> FiveWays(file).scores([1, 3], [1, 2])[:, 1].round(2)
    array([0.12, 0.5 , 0.5 , 0.5 , 0.57], dtype=float32)
    """

    def __init__(self, file: InvertedFile) -> None:
        self.file = file
        self._scratch = threading.local()

    def scores(self, words: ArrayLike, counts: ArrayLike, *, size: int | None = None) -> Scores:
        """The score of every row in each way, [5, size]; -inf where no word is shared.

        `size` is the highest row and one unless given.
        """
        from saccade.kernels.five_ways import spread

        view = self.file.view
        size = view.size if size is None else size
        if size < view.size:
            raise InvalidInput(f"{size} scores asked for, row {view.size - 1} is in the file")
        scores = np.full((len(WAYS), size), -np.inf, np.float32)
        room, met, asked = self._walked(view, words, counts)
        spread((room[0], room[1][:met]), _images(view), asked, scores)
        self._scratch.room = room
        return scores

    def search(self, words: ArrayLike, counts: ArrayLike, k: int) -> list[tuple[Rows, Scores]]:
        """The `k` best of each way that share a word, best first; ties to the lower row."""
        from saccade.kernels.five_ways import best

        if k < 1:
            raise InvalidInput(f"k is {k}; ask for at least one image")
        view = self.file.view
        room, met, asked = self._walked(view, words, counts)
        k = min(k, met)
        scores, rows = np.empty((len(WAYS), k), np.float32), np.empty((len(WAYS), k), np.int64)
        size = best((room[0], room[1][:met]), _images(view), asked, scores, rows)
        self._scratch.room = room
        return [(rows[way, :size], scores[way, :size]) for way in range(len(WAYS))]

    def _walked(
        self, view: PostingsView, words: ArrayLike, counts: ArrayLike
    ) -> tuple[_Room, int, WordQuery]:
        """The sums of one walk, how many slots it touched, and the query as kernels take it."""
        from saccade.kernels.five_ways import walk

        bag = checked_bag(words, counts, vocabulary=self.file.vocabulary)
        asked, room = WordQuery(*bag, view.idf), self._room(len(view.rows))
        shares, met = view.norms("none").inverse("l1").single, 0
        for segment in view.segments:
            span, runs = (segment.first, segment.last), segment.runs(asked.words)
            met = walk(span, segment.lists, runs, asked, shares, room, met)
        return room, met, asked

    def _room(self, slots: int) -> _Room:
        """Sums of one walk, all zero, and a list of slots; this thread's own, taken from its place.

        A walk that is cut short puts nothing back, so that no later one meets its remains.
        """
        from saccade.kernels.five_ways import SUMS

        room: _Room | None = self._scratch.__dict__.pop("room", None)
        if room is None or len(room[1]) <= slots:
            size = slots + slots // 4 + 1  # a walk may write one place too far
            room = np.zeros((size, SUMS), np.float32), np.empty(size, np.int64)
        return room


def _images(view: PostingsView) -> tuple[Rows, NDArray[np.bool_], NDArray[np.float64]]:
    """Rows, who lives, and the sizes of every image that `saccade.kernels.five_ways.best` takes."""
    inverse = view.derived.get("five ways")
    if inverse is None:
        distinct = view.distinct.astype(np.float64)
        sizes = view.norms("tf-idf").l2, view.norms("none").l2, np.sqrt(distinct), distinct
        inverse = view.derived["five ways"] = _inverse(np.stack(sizes, axis=1))
    return view.rows, view.alive, inverse


def _inverse(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 over each, and 0 over nothing."""
    return np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0.0)
