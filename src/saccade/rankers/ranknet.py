"""RankNet: the chance that one document beats another is a logistic function of the score gap.

    P(i before j) = 1 / (1 + exp(s_j - s_i))       loss = mean over pairs r_i > r_j of -log P

Burges et al., "Learning to Rank using Gradient Descent" (ICML 2005). The gradient is summed up per
document first (one force per document, its pairs' forces added) and sent through the function once,
as Burges describes in "From RankNet to LambdaRank to LambdaMART" (2010). Queries count the same.
"""

from __future__ import annotations

from typing import Unpack

from saccade.rankers.batch import Floats
from saccade.rankers.checked import Queries
from saccade.rankers.descent import Descent, NetworkSettings
from saccade.rankers.network import Loss


class RankNet(Descent):
    """Pairwise, smooth; linear by default, `hidden` units make it the paper's two-layer net.

    >>> import numpy as np
    >>> model = RankNet().fit(np.array([[0.0], [1.0], [2.0]]), [0, 1, 2], [4, 4, 4])
    >>> bool(np.all(np.diff(model.score([[0.0], [1.0], [2.0]])) > 0))
    True
    """

    name = "ranknet"

    def __init__(
        self,
        *,
        l2: float = 0.01,
        iterations: int = 100,
        patience: int = 10,
        **shared: Unpack[NetworkSettings],
    ) -> None:
        super().__init__(l2=l2, iterations=iterations, patience=patience, **shared)

    def loss(self, rows: Queries) -> Loss:
        """Mean over queries of the mean over pairs."""
        from saccade.kernels import losses

        def value(scores: Floats, gradient: Floats) -> float:
            return float(losses.ranknet(scores, rows.grades, rows.starts, gradient))

        return value
