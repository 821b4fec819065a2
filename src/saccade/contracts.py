"""The verbs: what a part must be able to do to take its place in the loop.

These are Protocols: write the methods, inherit nothing. The suites in `saccade.checks` say whether
a part keeps its promises.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.types import Phi, Pixels, Rows, Scores, State, Vectors

Given = tuple[ArrayLike, ArrayLike] | None  # two arrays that belong together, or nothing
Training = tuple[Phi, ArrayLike, ArrayLike]  # phi [n, m], grades [n], groups [n]


class Picture(Protocol):
    """A decoded image with its derived planes, each computed once and shared by all descriptors.

    >>> from saccade.images.picture import ArrayPicture
    >>> picture = ArrayPicture(np.full((30, 40, 3), 255, np.uint8))
    >>> picture.rgb.shape, picture.gray.shape, picture.lab.shape, picture.hsv.shape
    ((30, 40, 3), (30, 40), (30, 40, 3), (30, 40, 3))
    >>> picture.fit(20).rgb.shape, picture.square(16).rgb.shape
    ((15, 20, 3), (16, 16, 3))
    """

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

    >>> from saccade.descriptors import make
    >>> descriptor = make("color-histogram")
    >>> descriptor.describe([]).shape, isinstance(descriptor, Descriptor)
    ((0, 64), True)
    """

    name: str
    version: str
    dimension: int
    kind: str  # colour, texture, shape, words, embedding: how people group them

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """One finite float32 row per picture, the same for one picture or many."""


@dataclass(frozen=True, slots=True, eq=False)
class EncodedPictures:
    """What a descriptor with positions sees: whole pictures, and each position of their maps.

    The mean of a picture's positions is its vector, so a linear score of the vector is the mean of
    the positions' scores.
    """

    vectors: Vectors  # [n, d], length 1
    lengths: Scores  # [n] of the vectors before they were brought to length 1
    positions: NDArray[np.float32]  # [n, side · side, d], row by row from the top left


@runtime_checkable
class SpatialDescriptor(Protocol):
    """A descriptor whose vector is the mean over the squares of a grid laid over the picture."""

    space: str  # vectors and positions of one space can be compared, whoever computed them

    def look(self, pictures: Sequence[Picture]) -> EncodedPictures:
        """What `describe` gives, with every position."""


@runtime_checkable
class Compatible(Protocol):
    """A descriptor whose older vectors can still be met by new ones."""

    def standing_in(self, version: str) -> Descriptor | None:
        """What compares pictures with vectors of another version; None where nothing does."""


@runtime_checkable
class Ranker(Protocol):
    """A function φ → score.

    `score` is pure and works before any learning. `fit` starts afresh. `dump` and `load` carry the
    whole state: a loaded ranker goes on exactly as the dumped one would have.

    >>> from saccade.rankers import make
    >>> phi, grades, groups = np.eye(3), [2, 1, 0], [7, 7, 7]
    >>> ranker = make("opar1").fit(phi, grades, groups)
    >>> bool(ranker.score(phi)[0] > ranker.score(phi)[2]), isinstance(ranker, Ranker)
    (True, True)
    >>> np.array_equal(type(ranker).load(ranker.dump()).score(phi), ranker.score(phi))
    True
    """

    name: ClassVar[str]

    def score(self, phi: Phi) -> Scores:
        """Score each row; higher is better."""

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Learn from graded rows; rows of one query share a group number. Gives the ranker back.

        With `validation` rows, a ranker that learns in steps keeps the step that ranks them best.
        """

    def dump(self) -> State:
        """The whole state."""

    @classmethod
    def load(cls, state: State) -> Self:
        """A ranker from its state."""


@runtime_checkable
class OnlineRanker(Ranker, Protocol):
    """A ranker that learns pair by pair; many pairs at once equal the same pairs one by one.

    >>> from saccade.rankers import make
    >>> ranker = make("opar1")
    >>> ranker.learn(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]))
    >>> first, second = ranker.score(np.eye(2))
    >>> bool(first > second), isinstance(ranker, OnlineRanker)
    (True, True)
    """

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

    >>> from saccade.rankers import make
    >>> phi = np.array([[0.1, 0.0], [0.4, 0.1], [0.9, 0.0]])
    >>> ranker = make("hybrid-online").fit_labels(ordered=(phi[2:], phi[:1]))
    >>> bool(ranker.score(phi)[2] > ranker.score(phi)[0]), isinstance(ranker, LabelRanker)
    (True, True)
    >>> np.array_equal(type(ranker).load(ranker.dump()).score(phi), ranker.score(phi))
    True
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

    >>> from saccade.choosers import make
    >>> chooser = make("hedge", experts=2, rate=0.5)
    >>> chooser.update([0.0, 1.0])
    >>> chooser.losses, chooser.regret <= chooser.bound()
    (array([0., 1.]), True)
    >>> arm, chance = chooser.choose(rng=np.random.default_rng(0))
    >>> bool(chance == chooser.weights[arm]), chooser.among([False, True])
    (True, array([0., 1.]))
    >>> np.array_equal(chooser.copy().weights, type(chooser).load(chooser.dump()).weights)
    True
    """

    name: ClassVar[str]
    sees: ClassVar[Literal["all", "one"]]
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

    def among(self, present: ArrayLike | None) -> NDArray[np.float64]:
        """The weights where only those `present` [experts] have an answer."""

    def choose(
        self, *, rng: np.random.Generator, present: ArrayLike | None = None, exploring: float = 1.0
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
    """A chooser that sees every expert's loss.

    >>> from saccade.choosers import make
    >>> chooser = make("hedge", experts=2, rate=0.5)
    >>> chooser.update([0.0, 1.0])
    >>> chooser.weights.round(3)
    array([0.667, 0.333])
    """

    sees: ClassVar[Literal["all"]]

    def update(self, losses: ArrayLike, *, present: ArrayLike | None = None) -> None:
        """Take in one loss an expert; those not `present` are left alone."""


class BanditChooser(Chooser, Protocol):
    """A chooser that sees the loss of what it served, however late.

    >>> from saccade.choosers import make
    >>> chooser = make("exp3", experts=2)
    >>> for _ in range(20):
    ...     arm, chance = chooser.choose(rng=np.random.default_rng(chooser.rounds))
    ...     chooser.update(arm, float(arm == 0), probability=chance)
    >>> bool(chooser.weights[0] < chooser.weights[1])
    True
    """

    sees: ClassVar[Literal["one"]]

    def update(self, arm: int, loss: float, *, probability: float) -> None:
        """Take in the loss of `arm`, weighed with the `probability` its page had."""


@runtime_checkable
class BagRanker(Protocol):
    """A ranker of pictures by their regions (`saccade.rankers.bags`).

    `score_bags` and `relevance` are pure and work before any learning; `fit_bags` starts afresh.

    >>> from saccade.rankers import make
    >>> bags = [np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[0.0, 1.0]])]
    >>> ranker = make("mi-online", features=64).fit_bags(bags, [(0, 1)])
    >>> first, second = ranker.score_bags(bags)
    >>> bool(first > second), ranker.relevance(bags[0]).shape
    (True, (2,))
    >>> np.array_equal(type(ranker).load(ranker.dump()).score_bags(bags), ranker.score_bags(bags))
    True
    """

    name: ClassVar[str]

    def fit_bags(self, bags: Sequence[ArrayLike], pairs: ArrayLike) -> Self:
        """Learn from pairs (better, worse) of positions in `bags`; gives itself back."""

    def score_bags(self, bags: Sequence[ArrayLike]) -> Scores:
        """Score each bag, an array [regions, m]; higher is better."""

    def relevance(self, bag: ArrayLike) -> Scores:
        """How much each region of a bag counts, 0..1."""

    def dump(self) -> State:
        """The whole state."""

    @classmethod
    def load(cls, state: State) -> Self:
        """A ranker from its state."""


@runtime_checkable
class OnlineBagRanker(BagRanker, Protocol):
    """A bag ranker that learns pair by pair; many at once equal the same pairs one by one."""

    def learn_bags(self, winners: Sequence[ArrayLike], losers: Sequence[ArrayLike]) -> None:
        """Take in bag `winners[i]` before bag `losers[i]`, in order."""
