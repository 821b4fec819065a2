from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.kernels.topk import best_set, top

# Few values, so that most scores are tied.
scores = st.lists(
    st.sampled_from([-np.inf, -2.0, -0.0, 0.0, 0.5, 1.0, np.inf, np.nan]), min_size=0, max_size=40
)


@given(scores, st.integers(0, 45), st.sampled_from([np.float32, np.float64]))
@settings(max_examples=200)
def test_top_is_a_stable_sort(values: list[float], k: int, kind: type) -> None:
    """Best first, ties to the lower position; -inf and NaN never."""
    array = np.array(values, kind)
    allowed = [i for i, value in enumerate(values) if value > -np.inf]
    expected = sorted(allowed, key=lambda i: (-values[i], i))[:k]
    assert top(array, k).tolist() == expected


@given(st.integers(1, 300), st.integers(1, 300), st.integers(0, 99))
@settings(max_examples=60)
def test_a_longer_list_begins_with_the_shorter_one(size: int, k: int, seed: int) -> None:
    """Asking for more never changes what comes first."""
    array = np.random.default_rng(seed).integers(0, 20, size).astype(np.float32)
    assert top(array, k).tolist() == top(array, size)[:k].tolist()


@given(
    scores, st.lists(st.booleans(), min_size=40, max_size=40), st.integers(0, 45),
    st.sampled_from([np.float32, np.float64]),
)  # fmt: skip
@settings(max_examples=200)
def test_the_best_set_is_the_best_in_another_order(
    values: list[float], chosen: list[bool], k: int, kind: type
) -> None:
    """Of some rows only, tied ones at the edge by position, ascending."""
    array, among = np.array(values, kind), np.array(chosen[: len(values)], bool)
    expected = top(np.where(among, array, kind(-np.inf)), k)
    assert best_set(array, among, k).tolist() == sorted(expected.tolist())


@given(st.integers(1, 12_000), st.integers(0, 99), st.sampled_from([1, 5, 10**6]))
@settings(max_examples=40)
def test_the_best_set_of_many_is_theirs_whatever_the_ties(size: int, seed: int, kinds: int) -> None:
    """Sorted, equal or mixed."""
    rng = np.random.default_rng(seed)
    array = rng.integers(0, kinds, size).astype(np.float32)
    array = np.sort(array)[:: 1 if seed % 3 else -1] if seed % 2 else array
    k = int(rng.integers(1, size + 1))
    found = best_set(np.ascontiguousarray(array), np.ones(size, bool), k)
    assert found.tolist() == sorted(top(np.ascontiguousarray(array), k).tolist())


@given(st.integers(1, 4096))
@settings(max_examples=40)
def test_a_wrong_guess_costs_nothing_but_time(k: int) -> None:
    """Every fourth value, which the guess is from, is larger than all others."""
    array = np.arange(4096, dtype=np.float32)
    array[::4] += 10_000
    found = best_set(array, np.ones(4096, bool), k)
    assert found.tolist() == sorted(top(array, k).tolist())
