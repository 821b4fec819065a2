"""AdaRank: boosting of single features, queries that rank badly gaining weight.

    P_q ∝ exp(-E_q(f))                         E_q: the measure of query q, in [0, 1]
    alpha = 1/2 ln (sum P_q (1 + E_q(h)) / sum P_q (1 - E_q(h)))       f ← f + alpha h

Xu & Li, "AdaRank: A Boosting Algorithm for Information Retrieval" (SIGIR 2007). A weak ranker h is
one feature in its better direction, by standard score; the one with the highest weighted measure is
taken. As printed, one strong feature can be taken for ever, as its own weight changes no order: a
feature taken `repeats` times in a row rests for one round.
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from saccade.contracts import Training
from saccade.errors import InvalidInput
from saccade.rankers import checked
from saccade.rankers.batch import Floats, Standard, Watch
from saccade.rankers.objective import Judge, Measure
from saccade.rankers.weighted import Weighted
from saccade.types import Phi


class AdaRank(Weighted):
    """Linear in the features it picked; the measure it boosts can be any.

    Args:
        measure: what is boosted, and what validation rows are judged by.
        rounds: features taken, at most; one may be taken again.
        repeats: how often in a row one feature may be taken.
        tolerance: boosting ends when the training measure falls by more than this in one round.
        seed: kept for the common form of rankers; nothing here is drawn.
    """

    name: ClassVar[str] = "adarank"
    settings: ClassVar[tuple[str, ...]] = (
        "measure",
        "rounds",
        "repeats",
        "tolerance",
        "patience",
        "seed",
    )

    def __init__(
        self,
        *,
        measure: str = "ndcg@10",
        rounds: int = 100,
        repeats: int = 3,
        tolerance: float = 0.002,
        patience: int = 20,
        seed: int = 0,
    ) -> None:
        if rounds < 1 or repeats < 1 or patience < 1:
            raise InvalidInput("adarank: rounds, repeats and patience must be 1 or more")
        self.measure, self.rounds = str(Measure.parse(measure)), int(rounds)
        self.repeats = int(repeats)
        self.tolerance, self.patience, self.seed = float(tolerance), int(patience), int(seed)
        super().__init__()

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Start afresh and boost."""
        rows = checked.training(phi, grades, groups)
        standard = Standard.of(rows.phi)
        features = standard.apply(rows.phi)
        judge = Measure.parse(self.measure).judge(rows.grades, rows.starts)
        watch = Watch[Floats](
            validation, measure=self.measure, patience=self.patience, width=features.shape[1]
        )
        seen = None if watch.phi is None else standard.apply(watch.phi)
        self._boost(features, judge, watch, seen)
        self._weights, self.skipped = standard.fold(watch.best), rows.skipped
        return self

    def _boost(
        self, features: Floats, judge: Judge, watch: Watch[Floats], seen: Floats | None
    ) -> None:
        width = features.shape[1]
        # Weak rankers: every feature upwards, then every feature downwards.
        values = np.array(
            [judge.values(sign * features[:, c]) for sign in (1.0, -1.0) for c in range(width)]
        )
        queries = values.shape[1]
        chances = np.full(queries, 1.0 / queries)
        weights, before = np.zeros(width), -np.inf
        last: list[int] = []
        for _ in range(self.rounds):
            worth = values @ chances
            if len(last) >= self.repeats and len(set(last[-self.repeats :])) == 1:
                worth[last[-1]] = -np.inf
            taken = int(worth.argmax())
            last.append(taken)
            merit = float(np.clip(worth[taken], -1 + 1e-9, 1 - 1e-9))
            strength = 0.5 * np.log((1 + merit) / (1 - merit))
            moved = weights.copy()
            moved[taken % width] += strength * (1.0 if taken < width else -1.0)
            reached = judge.values(features @ moved)
            if reached.mean() < before - self.tolerance:
                break
            weights, before = moved, float(reached.mean())
            if watch.stop(None if seen is None else seen @ weights, weights.copy()):
                break
            chances = np.exp(-reached)
            chances /= chances.sum()
