"""ListMLE: make the true order likely.

    P_s(order) = prod_j exp(s_order(j)) / sum_{u >= j} exp(s_order(u))        loss = -log P_s(order)

Xia et al., "Listwise Approach to Learning to Rank: Theory and Algorithm" (ICML 2008). Documents of
equal grade have no true order among themselves: the loss is a mean over `samples` orders in which
they are shuffled. With `k` only the first k places count (top-k ListMLE, Xia, Liu & Li 2009).
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.rankers.batch import Floats
from saccade.rankers.checked import Queries
from saccade.rankers.descent import Descent
from saccade.rankers.network import Loss


class ListMLE(Descent):
    """Listwise, by the likelihood of whole orders; `k` 0 counts every place.

    >>> model = ListMLE()
    >>> model.fit(np.array([[0.0], [1.0], [2.0]]), [0, 1, 2], [4, 4, 4])
    >>> bool(np.all(np.diff(model.score([[0.0], [1.0], [2.0]])) > 0))
    True
    """

    name = "listmle"
    own = ("k", "samples")

    def __init__(
        self,
        *,
        k: int = 0,
        samples: int = 4,
        hidden: int = 0,
        l2: float = 0.3,
        iterations: int = 300,
        measure: str = "ndcg@10",
        patience: int = 20,
        seed: int = 0,
    ) -> None:
        if k < 0 or samples < 1:
            raise InvalidInput("listmle: k must be 0 or more, samples 1 or more")
        self.k, self.samples = int(k), int(samples)
        super().__init__(
            hidden=hidden, l2=l2, iterations=iterations, measure=measure, patience=patience,
            seed=seed,
        )  # fmt: skip

    def loss(self, rows: Queries) -> Loss:
        """Mean over queries and places of -log of the chance of their orders."""
        from saccade.kernels import losses

        rng = np.random.default_rng(self.seed)
        orders = true_orders(rows.grades, rows.starts, count=self.samples, rng=rng)

        # A mean over places too: so `l2` means the same for short and for long lists.
        places = np.diff(rows.starts) if self.k == 0 else np.minimum(np.diff(rows.starts), self.k)
        shares = 1.0 / (len(rows) * places)

        def value(scores: Floats, gradient: Floats) -> float:
            return float(losses.listmle(scores, orders, self.k, shares, rows.starts, gradient))

        return value


def true_orders(
    grades: NDArray[np.int64],
    starts: NDArray[np.int64],
    *,
    count: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Orders by falling grade with equal grades shuffled, [count, n]."""
    orders = np.empty((count, len(grades)), np.int64)
    for repeat in range(count):
        chance = rng.random(len(grades))
        for begin, end in pairwise(starts.tolist()):
            orders[repeat, begin:end] = begin + np.lexsort((chance[begin:end], -grades[begin:end]))
    return orders
