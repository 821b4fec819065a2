"""The verbs: what a part must be able to do to take its place in the loop.

These are Protocols: write the methods, inherit nothing. The suites in `saccade.checks` say whether
a part keeps its promises.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from saccade.types import Phi, Pixels, Rows, Scores, State, Vectors

Given = tuple[Any, Any] | None  # two arrays that belong together, or nothing


class Picture(Protocol):
    """A decoded image with its derived planes, each computed once and shared by all descriptors."""

    @property
    def rgb(self) -> Pixels:
        """RGB as a viewer shows it, [h, w, 3] uint8."""

    @property
    def gray(self) -> NDArray[np.uint8]:
        """Luma (ITU-R BT.601), [h, w] uint8."""

    @property
    def lab(self) -> NDArray[np.float32]:
        """CIE L*a*b*, L in 0..100, a and b about -128..127, [h, w, 3]."""

    @property
    def hsv(self) -> NDArray[np.float32]:
        """Hue 0..360, saturation 0..1, value 0..1, [h, w, 3]."""

    def fit(self, side: int) -> Picture:
        """The same picture shrunk until its longer side is at most `side`; never enlarged."""

    def square(self, side: int) -> Picture:
        """The same picture resized to `side` × `side`, aspect given up."""


@runtime_checkable
class Descriptor(Protocol):
    """A function image → vector.

    `version` changes whenever the values change, so that stored columns are known to be stale.
    """

    name: str
    version: str
    dimension: int
    kind: str  # colour, texture, shape, words, embedding: how people group them

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """One finite float32 row per picture, the same for one picture or many."""


@runtime_checkable
class Ranker(Protocol):
    """A function φ → score.

    `score` is pure and works before any learning. `fit` starts afresh. `dump` and `load` carry the
    whole state: a loaded ranker goes on exactly as the dumped one would have.
    """

    name: ClassVar[str]

    def score(self, phi: Phi) -> Scores:
        """Score each row; higher is better."""

    def fit(self, phi: Phi, grades: NDArray[np.int64], groups: NDArray[np.int64]) -> Self:
        """Learn from graded rows; rows of one query share a group number. Gives the ranker back."""

    def dump(self) -> State:
        """The whole state."""

    @classmethod
    def load(cls, state: State) -> Self:
        """A ranker from its state."""


@runtime_checkable
class OnlineRanker(Ranker, Protocol):
    """A ranker that learns pair by pair; many pairs at once equal the same pairs one by one."""

    def learn(self, winners: Phi, losers: Phi) -> None:
        """Take in `winners[i]` before `losers[i]`, in order. A zero difference changes nothing."""


class Index(Protocol):
    """Anything that proposes candidates."""

    def add(self, rows: Rows, vectors: Vectors) -> None:
        """Make vectors findable under their rows."""

    def search(self, query: NDArray[np.float32], k: int) -> tuple[Rows, Scores]:
        """At most `k` rows and their similarities, best first; short, never padded."""


@runtime_checkable
class LabelRanker(Protocol):
    """A ranker of pictures by an attribute, taught by labels (`saccade.rankers.labels`).

    Labels of a kind that it does not `hear` are checked and otherwise passed over. `score` is pure
    and works before any learning; `fit_labels` starts afresh.
    """

    name: ClassVar[str]
    hears: ClassVar[frozenset[str]]  # of "points", "ordered", "similar"

    def fit_labels(
        self, points: Given = None, ordered: Given = None, similar: Given = None
    ) -> Self:
        """Learn from points (X, y), ordered pairs (A, B), alike pairs (C, D); gives itself back."""

    def score(self, phi: Phi) -> Scores:
        """Score each row; more of the attribute is higher."""

    def dump(self) -> State:
        """The whole state."""

    @classmethod
    def load(cls, state: State) -> Self:
        """A ranker from its state."""


@runtime_checkable
class OnlineLabelRanker(LabelRanker, Protocol):
    """Learns label by label; many at once equal the same ones one by one."""

    def learn_labels(
        self, points: Given = None, ordered: Given = None, similar: Given = None
    ) -> None:
        """Add labels to those before, points first."""


@runtime_checkable
class Chooser(Protocol):
    """Picks or mixes several ways to answer, from losses in 0..1.

    `sees` says what it learns from: "all" losses (an `ExpertChooser`) or that of the chosen "one"
    (a `BanditChooser`). `weights` and `choose` are pure; `dump` and `load` carry the whole state.
    """

    name: ClassVar[str]
    sees: ClassVar[str]
    experts: int
    rounds: int
    served: float

    @property
    def weights(self) -> NDArray[np.float64]:
        """The chance to serve each expert, [experts], sum 1."""

    @property
    def losses(self) -> NDArray[np.float64]:
        """Cumulative loss of each expert, [experts]."""

    @property
    def regret(self) -> float:
        """What was served lost that much more than the best single expert."""

    def among(self, present: Any) -> NDArray[np.float64]:
        """The weights where only those `present` [experts] have an answer."""

    def choose(
        self, *, rng: np.random.Generator, present: Any = None, exploring: float = 1.0
    ) -> tuple[int, float]:
        """An expert and the chance it had; any but the heaviest has `exploring` at most."""

    def bound(self) -> float:
        """What the regret stays under."""

    def copy(self) -> Self:
        """An independent twin."""

    def dump(self) -> State:
        """The whole state."""

    @classmethod
    def load(cls, state: State) -> Self:
        """A chooser from its state."""


class ExpertChooser(Chooser, Protocol):
    """A chooser that sees every expert's loss."""

    def update(self, losses: Any, *, present: Any = None) -> None:
        """Take in one loss an expert; those not `present` are left alone."""


class BanditChooser(Chooser, Protocol):
    """A chooser that sees the loss of what it served, however late."""

    def update(self, arm: int, loss: float, *, probability: float) -> None:
        """Take in the loss of `arm`, weighed with the `probability` its page had."""


@runtime_checkable
class BagRanker(Protocol):
    """A ranker of pictures by their regions (`saccade.rankers.bags`).

    `score_bags` and `relevance` are pure and work before any learning; `fit_bags` starts afresh.
    """

    name: ClassVar[str]

    def fit_bags(self, bags: Sequence[Any], pairs: Any) -> Self:
        """Learn from pairs (better, worse) of positions in `bags`; gives itself back."""

    def score_bags(self, bags: Sequence[Any]) -> Scores:
        """Score each bag, an array [regions, m]; higher is better."""

    def relevance(self, bag: Any) -> Scores:
        """How much each region of a bag counts, 0..1."""

    def dump(self) -> State:
        """The whole state."""

    @classmethod
    def load(cls, state: State) -> Self:
        """A ranker from its state."""


@runtime_checkable
class OnlineBagRanker(BagRanker, Protocol):
    """A bag ranker that learns pair by pair; many at once equal the same pairs one by one."""

    def learn_bags(self, winners: Sequence[Any], losers: Sequence[Any]) -> None:
        """Take in bag `winners[i]` before bag `losers[i]`, in order."""
