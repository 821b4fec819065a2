"""Multiple-instance ranking, preference by preference: `mi-softmax` on random features, or plain.

    z(x)  gaussian: random Fourier features of a region, z(x)·z(y) ≈ exp(−gamma |x − y|²)
          linear:   x itself, and the smaller η is, the nearer to a linear score of the bag's mean
    f(x)  = w·z(x)            g(bag) = log(mean e^(ηf)) / η

What was learned is a function of the last `memory` preferences and of nothing else, solved anew at
each of them: with random features that takes some milliseconds for tens of preferences and a
picture is then scored by its features and one row of weights, however many there were. One online
step a preference (`opar1` on the same features) was measured too: after ten preferences it had
ordered 59% of a world's pairs rightly where this had 78%.

Regions are taken as they come: scale their columns before. The same preferences give the same bits
on any machine (`saccade.kernels.bag_features`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput, UnknownName
from saccade.kernels import bag_features
from saccade.kernels.ragged import offsets_of
from saccade.rankers.bags import Bags, checked_bags, checked_pairs, relative
from saccade.rankers.batch import settings_of
from saccade.types import Array, Phi, Rows, Scores, State

_SETTINGS = ("C", "kernel", "gamma", "eta", "features", "memory", "tolerance", "rounds", "seed")
KERNELS = ("gaussian", "linear")
_NO_PAIRS = np.zeros((0, 2), np.int64)


class MIOnline:
    """Learns from each preference at once; many at once are the same as one by one.

    Args:
        C: weight of the mean loss of a pair.
        kernel: `gaussian` or `linear`.
        gamma: of the Gaussian; 0 means a tenth over the number of columns.
        eta: how much better regions count more.
        features: random features of the Gaussian; more come nearer to it.
        memory: preferences that count, the latest ones.
        tolerance, rounds: as in `mi-softmax`.
        seed: of the features.
    """

    name: ClassVar[str] = "mi-online"

    def __init__(
        self,
        *,
        C: float = 100.0,
        kernel: str = "gaussian",
        gamma: float = 0.0,
        eta: float = 4.0,
        features: int = 512,
        memory: int = 4000,
        tolerance: float = 1e-3,
        rounds: int = 20,
        seed: int = 0,
    ) -> None:
        if not all(np.isfinite(x) and x > 0 for x in (C, eta, tolerance)) or not gamma >= 0:
            raise InvalidInput("mi-online: C, eta and tolerance must be above 0, gamma 0 or more")
        if features < 1 or memory < 1 or rounds < 1 or seed < 0:
            raise InvalidInput("mi-online: features, memory and rounds must be 1 or more")
        if kernel not in KERNELS:
            raise UnknownName("kernel", kernel, KERNELS)
        self.kernel = kernel
        self.C, self.gamma, self.eta = float(C), float(gamma), float(eta)
        self.features, self.memory, self.seed = int(features), int(memory), int(seed)
        self.tolerance, self.rounds = float(tolerance), int(rounds)
        self._forget()

    def _forget(self) -> None:
        self._bags: list[Phi] = []
        self._features_of: dict[bytes, Phi] = {}  # the features of those bags
        self._pairs: Rows = _NO_PAIRS
        self._weights: NDArray[np.float64] | None = None
        self.width: int | None = None

    @property
    def weights(self) -> NDArray[np.float64]:
        """What each feature counts; nothing before any learning."""
        return np.zeros(0) if self._weights is None else self._weights

    @property
    def seen(self) -> int:
        """Preferences that count now."""
        return len(self._pairs)

    # -- the verbs -----------------------------------------------------------------------------

    def learn_bags(self, winners: Sequence[ArrayLike], losers: Sequence[ArrayLike]) -> None:
        """Take in bag `winners[i]` before bag `losers[i]`; if refused, nothing changes."""
        better = checked_bags(winners, self.width)
        worse = checked_bags(losers, better.rows.shape[1] if len(better) else self.width)
        if len(better) != len(worse):
            raise InvalidInput(f"{len(better)} winners and {len(worse)} losers: pair them")
        count = len(better)
        if count:
            both = [part for bags in (better, worse) for part in bags.parts()]
            self._take(both, np.stack([np.arange(count), count + np.arange(count)], axis=1))

    def fit_bags(self, bags: Sequence[ArrayLike], pairs: ArrayLike) -> Self:
        """Start afresh from preferences."""
        stack = checked_bags(bags)
        winners, losers = checked_pairs(pairs, len(stack))
        features_of = self._features_of  # features of a bag do not depend on what was said about it
        self._forget()
        self._features_of = features_of
        self._take(stack.parts(), np.stack([winners, losers], axis=1))
        return self

    def score_bags(self, bags: Sequence[ArrayLike]) -> Scores:
        """Score of each bag, higher is better; 0 before any learning."""
        stack = checked_bags(bags, self.width)
        return self.score_embedded(self.embedded(stack.rows), stack.starts)

    def region_scores(self, bag: ArrayLike) -> Scores:
        """Score f of each region of one bag, comparable from bag to bag."""
        rows = checked_bags([bag], self.width).rows
        return self.score_embedded(self.embedded(rows), np.arange(len(rows) + 1))

    def relevance(self, bag: ArrayLike) -> Scores:
        """How much each region counts within its bag: 0 the least, 1 the most, all 1 when equal."""
        return relative(self.region_scores(bag))

    # -- features, for those who keep them -----------------------------------------------------

    def embedded(self, rows: Phi, *, exact: bool = True) -> Phi:
        """Random features of regions, [n, features]: worth keeping for a collection.

        Those that are learned from must be `exact`, the same on every machine; to score by, the
        last bits of a library's product do not matter, and it is several times as fast.
        """
        rows = np.ascontiguousarray(rows, np.float32)
        if self.kernel == "linear":
            return rows
        width = rows.shape[1]
        gamma = self.gamma or 0.1 / width
        directions, phases = _drawn(width, self.features, gamma, self.seed)
        if not exact:
            angles = rows @ directions.astype(np.float32)
            angles += phases.astype(np.float32)
            np.cos(angles, out=angles)
            angles *= np.float32(np.sqrt(2.0 / self.features))
            return angles
        out = np.empty((len(rows), self.features), np.float32)
        bag_features.features(rows, directions, phases, out)
        return out

    def score_embedded(self, features: Phi, starts: NDArray[np.int64]) -> Scores:
        """Scores of bags whose regions' features are at hand: bag i has `starts[i]` and on."""
        pooled, shares = np.empty(len(starts) - 1), np.empty(len(features))
        weights = np.zeros(features.shape[1]) if self._weights is None else self._weights
        bag_features.soft_scores(features, starts, weights, self.eta, pooled, shares)
        return pooled.astype(np.float32)

    # -- inside --------------------------------------------------------------------------------

    def _take(self, bags: Sequence[Phi], pairs: Rows) -> None:
        """Add preferences between `bags`, drop the oldest beyond the memory, solve anew."""
        self.width = bags[0].shape[1]
        every = [*self._bags, *bags]
        latest = np.concatenate([self._pairs, pairs + len(self._bags)])[-self.memory :]
        # A picture that is in several preferences is one bag, numbered as it came.
        number: dict[bytes, int] = {}
        places = [
            [number.setdefault(every[i].tobytes(), len(number)) for i in pair] for pair in latest
        ]
        self._pairs = np.array(places, np.int64)
        self._bags = [np.frombuffer(key, np.float32).reshape(-1, self.width) for key in number]
        self._features_of = {
            key: self._features_of[key] if key in self._features_of else self.embedded(bag)
            for key, bag in zip(number, self._bags, strict=True)
        }
        winners, losers = (np.ascontiguousarray(side) for side in self._pairs.T)
        self._weights = np.zeros(self.features if self.kernel == "gaussian" else self.width)
        bag_features.refit(
            np.concatenate(list(self._features_of.values())),
            offsets_of([len(b) for b in self._bags]), winners, losers,
            self.C / len(latest), self.eta, self.tolerance, self.rounds, self._weights,
        )  # fmt: skip

    def dump(self) -> State:
        """Settings, the preferences that count, and the weights they give."""
        spec = {"settings": settings_of(self, *_SETTINGS)}
        if self.width is None:
            return State(self.name, spec, {})
        stack = checked_bags(self._bags)
        arrays: dict[str, Array] = {
            "rows": stack.rows, "starts": stack.starts, "pairs": self._pairs.copy(),
            "weights": self.weights.copy(),
        }  # fmt: skip
        return State(self.name, spec, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = cls(**dict(state.spec["settings"]))
        if "rows" in state.arrays:
            rows = np.array(state.arrays["rows"], np.float32)
            stack = Bags(rows, np.array(state.arrays["starts"], np.int64))
            model._bags, model.width = stack.parts(), rows.shape[1]
            model._pairs = np.array(state.arrays["pairs"], np.int64)
            model._weights = np.array(state.arrays["weights"], np.float64)
            wanted = model.features if model.kernel == "gaussian" else model.width
            if model._weights.shape != (wanted,):
                raise InvalidInput("state of ranker 'mi-online': a weight per feature")
        return model


@lru_cache(maxsize=8)
def _drawn(
    width: int, features: int, gamma: float, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Directions [width, features] and phases; kept, as drawing them takes longer than using."""
    rng = np.random.default_rng(seed)
    directions = rng.standard_normal((width, features)) * np.sqrt(2.0 * gamma)
    phases = rng.uniform(0.0, 2.0 * np.pi, features)
    for array in (directions, phases):
        array.flags.writeable = False
    return directions, phases
