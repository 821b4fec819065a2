"""ListNet: the chance of each document to come first should be that of the true grades.

    P_s(i first) = exp(s_i) / sum_u exp(s_u)        loss = - sum_i P_grades(i) log P_s(i)

and with k > 1 the same for the ordered first k places by Luce's model (Cao et al., "Learning to
Rank: From Pairwise Approach to Listwise Approach", ICML 2007; Li et al. 2012 use its top-k form).
k = 1 and 2 are exact. From k = 3 the first k places are drawn `samples` times from the true model
once a fit: the number of ordered k-tuples is too large to sum over (Luo et al. 2015 sample too).
"""

from __future__ import annotations

from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from saccade.rankers.batch import Floats
from saccade.rankers.checked import Queries
from saccade.rankers.descent import DescentSettings
from saccade.rankers.listwise import Listwise, Orders, ordered_within
from saccade.rankers.network import Loss


class ListNet(Listwise):
    """Listwise, smooth and, while linear, convex.

    `l2` and the plain grades as targets were chosen by the validation parts of OHSUMED.

    >>> model = ListNet().fit(np.array([[0.0], [1.0], [2.0]]), [0, 1, 2], [4, 4, 4])
    >>> bool(np.all(np.diff(model.score([[0.0], [1.0], [2.0]])) > 0))
    True
    """

    name = "listnet"
    fewest = 1

    def __init__(
        self, *, k: int = 1, samples: int = 32, l2: float = 0.03, **shared: Unpack[DescentSettings]
    ) -> None:
        super().__init__(k, samples, l2=l2, **shared)

    def loss(self, rows: Queries) -> Loss:
        """Cross-entropy of the first k places."""
        from saccade.kernels import losses

        targets = rows.grades.astype(np.float64)
        if self.k <= 2:
            kernel = losses.listnet if self.k == 1 else losses.listnet_pairs
            return lambda scores, gradient: float(kernel(scores, targets, rows.starts, gradient))
        rng = np.random.default_rng(self.seed)
        orders = drawn_orders(targets, rows.starts, count=self.samples, rng=rng)
        return self.loss_of(orders, rows, np.full(len(rows), 1.0 / len(rows)))


def drawn_orders(
    targets: Floats, starts: NDArray[np.int64], *, count: int, rng: np.random.Generator
) -> Orders:
    """Orders of each query's rows by Luce's model on the targets, [count, n].

    Adding Gumbel noise and sorting draws from that model (Yellott 1977).
    """
    return ordered_within(-(targets + rng.gumbel(size=(count, len(targets)))), starts)
