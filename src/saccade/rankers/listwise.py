"""What listnet and listmle share: whole orders of a query's rows, and how likely scores make them.

    P_s(first k places of an order) = prod_{j ≤ k} exp(s_order(j)) / sum_{u ≥ j} exp(s_order(u))

which is Luce's model, and a loss that is the mean of −log P over several orders of each query.
"""

from __future__ import annotations

from itertools import pairwise
from typing import ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.rankers.batch import Floats
from saccade.rankers.checked import Queries
from saccade.rankers.descent import Descent, DescentSettings
from saccade.rankers.network import Loss

Orders = NDArray[np.int64]  # [count, n], each row the rows of all queries, query after query


class Listwise(Descent):
    """A loss over the first `k` places, from `samples` orders where they must be drawn."""

    own = ("k", "samples")
    fewest: ClassVar[int]  # places that `k` can be

    def __init__(
        self, k: int, samples: int, /, *, l2: float, **shared: Unpack[DescentSettings]
    ) -> None:
        if k < self.fewest or samples < 1:
            raise InvalidInput(f"{self.name}: k must be {self.fewest} or more, samples 1 or more")
        self.k, self.samples = int(k), int(samples)
        super().__init__(l2=l2, **shared)

    def loss_of(self, orders: Orders, rows: Queries, shares: Floats) -> Loss:
        """Minus the log of the chance of the orders' first places; `shares` weigh the queries."""
        from saccade.kernels import losses

        def value(scores: Floats, gradient: Floats) -> float:
            return float(losses.listmle(scores, orders, self.k, shares, rows.starts, gradient))

        return value


def ordered_within(keys: Floats, starts: NDArray[np.int64]) -> Orders:
    """The rows of each query by rising key, for each row of `keys` [count, n].

    >>> ordered_within(np.array([[2.0, 1.0, 5.0, 4.0, 3.0]]), np.array([0, 2, 5]))
    array([[1, 0, 4, 3, 2]])
    """
    orders = np.empty(keys.shape, np.int64)
    for begin, end in pairwise(starts.tolist()):
        orders[:, begin:end] = begin + np.argsort(keys[:, begin:end], axis=1, kind="stable")
    return orders
