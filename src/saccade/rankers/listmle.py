"""ListMLE: make the true order likely.

    P_s(order) = prod_j exp(s_order(j)) / sum_{u >= j} exp(s_order(u))        loss = -log P_s(order)

Xia et al., "Listwise Approach to Learning to Rank: Theory and Algorithm" (ICML 2008). Documents of
equal grade have no true order among themselves: the loss is a mean over `samples` orders in which
they are shuffled. With `k` only the first k places count (top-k ListMLE, Xia, Liu & Li 2009).
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from saccade.rankers.checked import Queries
from saccade.rankers.descent import DescentSettings
from saccade.rankers.listwise import Listwise, Orders, ordered_within
from saccade.rankers.network import Loss


class ListMLE(Listwise):
    """Listwise, by the likelihood of whole orders; `k` 0 counts every place.

    >>> model = ListMLE().fit(np.array([[0.0], [1.0], [2.0]]), [0, 1, 2], [4, 4, 4])
    >>> bool(np.all(np.diff(model.score([[0.0], [1.0], [2.0]])) > 0))
    True
    """

    name = "listmle"
    fewest = 0

    def __init__(
        self, *, k: int = 0, samples: int = 4, l2: float = 0.3, **shared: Unpack[DescentSettings]
    ) -> None:
        super().__init__(k, samples, l2=l2, **shared)

    def loss(self, rows: Queries) -> Loss:
        """Mean over queries and places of -log of the chance of their orders."""
        rng = np.random.default_rng(self.seed)
        orders = true_orders(rows.grades, rows.starts, count=self.samples, rng=rng)
        # A mean over places too: so `l2` means the same for short and for long lists.
        places = np.diff(rows.starts) if self.k == 0 else np.minimum(np.diff(rows.starts), self.k)
        return self.loss_of(orders, rows, 1.0 / (len(rows) * places))


def true_orders(
    grades: NDArray[np.int64],
    starts: NDArray[np.int64],
    *,
    count: int,
    rng: np.random.Generator,
) -> Orders:
    """Orders by falling grade with equal grades shuffled, [count, n]."""
    return ordered_within(rng.random((count, len(grades))) - grades, starts)
