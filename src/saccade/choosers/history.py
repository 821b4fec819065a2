"""How weights and regret went, in a bounded number of moments.

Every `stride`-th round is kept. When `limit` moments are full, every second one is dropped and the
stride doubles: a long run and a short one are drawn from equally many points, evenly spread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.choosers.steady import Floats
from saccade.types import Array, Arrays


class History:
    """Moments of one chooser's run.

    >>> history = History(limit=4, experts=1)
    >>> for step in range(1, 11):
    ...     history.note(step, np.ones(1), 0.0, 0.0)
    >>> history.rounds.tolist()
    [4, 8]
    """

    def __init__(self, *, limit: int, experts: int) -> None:
        self.limit = limit
        self.stride = 1
        self._experts = experts
        self._rounds: list[int] = []
        self._weights: list[Floats] = []
        self._served: list[float] = []
        self._regret: list[float] = []

    def __len__(self) -> int:
        return len(self._rounds)

    @property
    def rounds(self) -> NDArray[np.int64]:
        """After how many updates each moment was, [moments]."""
        return np.array(self._rounds, np.int64)

    @property
    def weights(self) -> Floats:
        """Weights at each moment, [moments, experts]."""
        return np.array(self._weights, np.float64).reshape(-1, self._experts)

    @property
    def served(self) -> Floats:
        """Cumulative loss of what was served, [moments]."""
        return np.array(self._served, np.float64)

    @property
    def regret(self) -> Floats:
        """Regret against the best single expert at that moment, [moments]."""
        return np.array(self._regret, np.float64)

    def due(self, rounds: int) -> bool:
        """Is this round one to keep?"""
        return self.limit > 0 and rounds % self.stride == 0

    def note(self, rounds: int, weights: Floats, served: float, regret: float) -> None:
        """Keep a moment, if it is due."""
        if not self.due(rounds):
            return
        self._rounds.append(rounds)
        self._weights.append(weights)
        self._served.append(served)
        self._regret.append(regret)
        if len(self._rounds) == self.limit:
            self.stride *= 2
            for column in (self._rounds, self._weights, self._served, self._regret):
                del column[::2]

    def copy(self) -> History:
        """An independent twin."""
        twin = History(limit=self.limit, experts=self._experts)
        twin.stride = self.stride
        twin._rounds, twin._weights = self._rounds.copy(), self._weights.copy()
        twin._served, twin._regret = self._served.copy(), self._regret.copy()
        return twin

    def dump(self) -> dict[str, Array]:
        """Named arrays."""
        return {
            "history.stride": np.array(self.stride, np.int64),
            "history.rounds": self.rounds,
            "history.weights": self.weights,
            "history.served": self.served,
            "history.regret": self.regret,
        }

    def restore(self, arrays: Arrays) -> None:
        """Take up what was dumped."""
        self.stride = int(arrays["history.stride"])
        self._rounds = arrays["history.rounds"].tolist()
        self._weights = list(np.array(arrays["history.weights"], np.float64))
        self._served = arrays["history.served"].tolist()
        self._regret = arrays["history.regret"].tolist()
