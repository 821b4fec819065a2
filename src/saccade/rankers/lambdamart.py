"""LambdaMART: boosted trees whose gradients are pair forces weighted by the change in NDCG.

    force on i from j = |change in NDCG if i and j swap| / (1 + exp(s_i - s_j))        for r_i > r_j

Wu et al., "Adapting Boosting for Information Retrieval Measures" (2010); the trees are LightGBM's
`lambdarank`, on one thread and in its deterministic mode. A model is LightGBM's own text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.contracts import Training
from saccade.errors import InvalidInput, need
from saccade.rankers import checked
from saccade.rankers.batch import linear_scores, settings_of
from saccade.rankers.checked import Queries
from saccade.types import Phi, Scores, State

_SETTINGS = (
    "trees", "leaves", "rate", "smallest_leaf", "l2", "columns", "rows", "cut", "patience", "seed",
)  # fmt: skip


class Booster(Protocol):
    """What we use of LightGBM's booster, which tells no types."""

    def num_feature(self) -> int:
        """Columns that it learned from."""

    def predict(self, rows: Phi, *, num_threads: int) -> NDArray[np.float64]:
        """The sum of the trees' leaves for each row."""

    def model_to_string(self) -> str:
        """The trees as text."""


class LambdaMART:
    """Trees: no scale of a feature matters. With validation rows the best number of them is kept.

    Args:
        trees, leaves, rate: how many trees, leaves a tree, and how far each one moves the scores.
        smallest_leaf: fewest rows in a leaf.
        l2: penalty on the leaves' values.
        columns, rows: share of features and of rows that each tree sees.
        cut: NDCG looks at this many ranks, in training and on validation rows.
    """

    name: ClassVar[str] = "lambdamart"
    packages: ClassVar[tuple[str, ...]] = ("lightgbm",)

    def __init__(
        self,
        *,
        trees: int = 100,
        leaves: int = 4,
        rate: float = 0.05,
        smallest_leaf: int = 20,
        l2: float = 1.0,
        columns: float = 1.0,
        rows: float = 1.0,
        cut: int = 30,
        patience: int = 50,
        seed: int = 0,
    ) -> None:
        if trees < 1 or leaves < 2 or not rate > 0 or smallest_leaf < 1 or cut < 1 or patience < 1:
            raise InvalidInput(
                "lambdamart: trees, smallest_leaf, cut and patience must be 1 or more, "
                "leaves 2 or more, rate above 0"
            )
        if not (0 < columns <= 1 and 0 < rows <= 1 and l2 >= 0):
            raise InvalidInput("lambdamart: columns and rows lie in (0, 1], l2 is 0 or more")
        self.trees, self.leaves, self.rate = int(trees), int(leaves), float(rate)
        self.smallest_leaf, self.l2, self.cut = int(smallest_leaf), float(l2), int(cut)
        self.columns, self.rows = float(columns), float(rows)
        self.patience, self.seed = int(patience), int(seed)
        self.skipped = 0
        self._booster: Booster | None = None

    def parameters(self, *, most: int = 31) -> dict[str, object]:
        """What LightGBM is given; `most` is the highest grade."""
        return {
            "objective": "lambdarank", "metric": "ndcg", "eval_at": [self.cut],
            "lambdarank_truncation_level": self.cut, "num_leaves": self.leaves,
            "label_gain": [2.0**grade - 1 for grade in range(most + 1)],
            "learning_rate": self.rate, "min_data_in_leaf": self.smallest_leaf,
            "lambda_l2": self.l2, "feature_fraction": self.columns,
            "bagging_fraction": self.rows, "bagging_freq": int(self.rows < 1),
            "seed": self.seed, "deterministic": True, "force_row_wise": True, "num_threads": 1,
            "verbosity": -1,
        }  # fmt: skip

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Start afresh and grow trees."""
        need("rank", *self.packages, part=self.name)
        import lightgbm

        rows = checked.training(phi, grades, groups)
        width = rows.phi.shape[1]
        seen = None if validation is None else checked.queries(*validation, width=width)
        most = max(int(part.grades.max(initial=1)) for part in (rows, seen) if part is not None)
        if most > 30:
            raise InvalidInput(f"lambdamart: grade {most} is too high; use grades up to 30")
        parameters = self.parameters(most=most)
        data = _dataset(rows, parameters)
        valid, callbacks = [], []
        if seen is not None and len(seen):
            valid = [_dataset(seen, parameters, like=data)]
            callbacks = [lightgbm.early_stopping(self.patience, verbose=False)]
        booster = lightgbm.train(
            parameters, data, num_boost_round=self.trees, valid_sets=valid, callbacks=callbacks
        )
        # Through its own text, so that a fitted and a loaded model are the same in every bit.
        self._booster = lightgbm.Booster(model_str=booster.model_to_string())
        self.skipped = rows.skipped
        return self

    def score(self, phi: Phi) -> Scores:
        """Sum of the trees' leaves for each row; the mean of φ before any learning."""
        if self._booster is None:
            return linear_scores(phi, None)
        rows = checked.finite(phi, self._booster.num_feature())
        if len(rows) == 0:
            return np.zeros(0, np.float32)
        scores: Scores = self._booster.predict(rows, num_threads=1).astype(np.float32)
        return scores

    def dump(self) -> State:
        """Settings, and LightGBM's text as bytes."""
        spec = {"settings": settings_of(self, *_SETTINGS), "skipped": self.skipped}
        if self._booster is None:
            return State(self.name, spec, {})
        text = self._booster.model_to_string().encode()
        return State(self.name, spec, {"lightgbm": np.frombuffer(text, np.uint8).copy()})

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = cls(**dict(state.spec["settings"]))
        model.skipped = int(state.spec["skipped"])
        if "lightgbm" in state.arrays:
            need("rank", *cls.packages, part=cls.name)
            import lightgbm

            text = np.asarray(state.arrays["lightgbm"], np.uint8).tobytes().decode()
            try:
                model._booster = lightgbm.Booster(model_str=text)
            except lightgbm.basic.LightGBMError as problem:
                raise InvalidInput(f"lambdamart: the state holds no trees: {problem}") from problem
        return model


def _dataset(rows: Queries, parameters: Mapping[str, object], *, like: object = None) -> object:
    import lightgbm

    return lightgbm.Dataset(
        rows.phi, label=rows.grades, group=np.diff(rows.starts), reference=like,
        params=parameters, free_raw_data=True,
    )  # fmt: skip
