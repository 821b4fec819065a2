from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.kernels.topk import top

# Few values, so that most scores are tied.
scores = st.lists(
    st.sampled_from([-np.inf, -2.0, -0.0, 0.0, 0.5, 1.0, np.inf, np.nan]), min_size=0, max_size=40
)


@given(scores, st.integers(0, 45), st.sampled_from([np.float32, np.float64]))
@settings(derandomize=True, max_examples=200)
def test_top_is_a_stable_sort(values: list[float], k: int, kind: type) -> None:
    """Best first, ties to the lower position; -inf and NaN never."""
    array = np.array(values, kind)
    allowed = [i for i, value in enumerate(values) if value > -np.inf]
    expected = sorted(allowed, key=lambda i: (-values[i], i))[:k]
    assert top(array, k).tolist() == expected


@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 99))
@settings(derandomize=True, max_examples=60)
def test_a_longer_list_begins_with_the_shorter_one(size: int, k: int, seed: int) -> None:
    """Asking for more never changes what comes first."""
    array = np.random.default_rng(seed).integers(0, 20, size).astype(np.float32)
    assert top(array, k).tolist() == top(array, size)[:k].tolist()
