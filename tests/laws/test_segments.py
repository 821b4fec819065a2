from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from saccade.store import arrays as bundles
from saccade.store import columns as module
from saccade.store.store import Store

Batch = dict[str, NDArray[Any]]

lengths = st.lists(st.integers(0, 4), min_size=0, max_size=8)


def dense(rows: int, start: int) -> Batch:
    """Rows that name themselves."""
    number = np.arange(start, start + rows, dtype=np.float32)
    return {"vectors": np.stack([number, -number], 1), "norms": number[:, None]}


def ragged(sizes: Sequence[int], start: int) -> Batch:
    """Image i owns `sizes[i]` values that name it."""
    owners = np.repeat(np.arange(start, start + len(sizes)), sizes)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return {"values": owners, "offsets": offsets}


def unpacked(batch: Batch) -> list[list[int]]:
    """What each image of a ragged batch owns."""
    ends = batch["offsets"]
    return [batch["values"][a:b].tolist() for a, b in itertools.pairwise(ends)]


@given(lengths, st.data())
@settings(max_examples=60)
def test_taking_from_a_ragged_batch_is_indexing(sizes: list[int], data: st.DataObject) -> None:
    """Any rows in any order, repeated or none."""
    rows = data.draw(st.lists(st.integers(0, len(sizes) - 1), max_size=9) if sizes else st.just([]))
    batch = ragged(sizes, 0)
    taken = bundles.take(batch, np.array(rows, np.int64))
    whole = unpacked(batch)
    assert unpacked(taken) == [whole[row] for row in rows]
    assert bundles.count(taken) == len(rows)


@given(st.lists(lengths, min_size=1, max_size=5))
@settings(max_examples=60)
def test_joining_ragged_batches_is_joining_lists(parts: list[list[int]]) -> None:
    """Offsets go on where the last batch ended."""
    batches, start = [], 0
    for sizes in parts:
        batches.append(ragged(sizes, start))
        start += len(sizes)
    joined = bundles.concatenate(batches)
    assert unpacked(joined) == [item for batch in batches for item in unpacked(batch)]
    assert bundles.count(joined) == start


@given(st.lists(lengths, min_size=1, max_size=4), st.lists(st.integers(0, 4), max_size=4))
@settings(max_examples=40)
def test_named_arrays_survive_bytes(parts: list[list[int]], shape: list[int]) -> None:
    """Types, shapes and values, empty ones too."""
    rng = np.random.default_rng(0)
    given_ = {
        "a": ragged(parts[0], 3)["values"],
        "b/0": rng.normal(size=shape).astype(np.float32),
        "c": np.array(["ü", "名"]),
    }
    found = bundles.from_bytes(bundles.to_bytes(given_))
    assert found.keys() == given_.keys()
    for name, array in given_.items():
        assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
        assert np.array_equal(found[name], array)


def test_objects_are_never_stored() -> None:
    """Nothing on disk can run."""
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        bundles.to_bytes({"evil": np.array([object()])})


def whole(store: Store, name: str) -> Batch:
    """A column as its segments give it, which must follow each other without a gap."""
    held = [s for s in store.columns.segments() if s.name == name]
    at = 0
    for segment in held:
        assert segment.first == at
        at += segment.rows
    return bundles.concatenate([store.columns.load(s) for s in held])


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=7),
    st.integers(1, 20),
)
@settings(max_examples=10)
def test_merging_changes_no_value(parts: list[list[int]], large: int) -> None:
    """Segments of any size, merged up to any size, hold the same rows in the same order."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "LARGE", large)
        store = Store(Path(folder) / "s")
        start = 0
        for sizes in parts:
            drafts = [
                store.columns.draft("plain", "1", start, dense(len(sizes), start)),
                store.columns.draft("odd name/ü", "v", start, ragged(sizes, start)),
            ]
            store.commit(drafts=drafts)
            start += len(sizes)
        before = {name: whole(store, name) for name in ("plain", "odd name/ü")}
        joined = store.columns.merge()
        assert store.columns.coverage() == {("plain", "1"): start, ("odd name/ü", "v"): start}
        for name, batch in before.items():
            after = whole(store, name)
            for key, array in batch.items():
                assert np.array_equal(array, after[key])
        # What was joined is a stray now, two files a segment; sweeping leaves the rest readable.
        assert store.columns.sweep() == 2 * joined
        for segment in store.columns.segments():
            store.columns.load(segment)
        sizes_now = [s.rows for s in store.columns.segments() if s.name == "plain"]
        assert all(a + b > large for a, b in itertools.pairwise(sizes_now))
        store.close()


def test_a_draft_is_seen_by_nobody(tmp_path: Path) -> None:
    """Files on disk are no segment until a transaction names them; rolled back, they go."""
    store = Store(tmp_path / "s")
    draft = store.columns.draft("plain", "1", 0, dense(3, 0))
    assert store.columns.segments() == ()

    with pytest.raises(TypeError):  # a setting that cannot be written fails the whole commit
        store.commit(drafts=[draft], settings={"bad": object()})
    assert store.columns.segments() == ()
    assert store.columns.sweep() == 2
    store.close()


def test_coverage_ends_at_a_gap(tmp_path: Path) -> None:
    """Rows behind a gap do not count until it is filled."""
    store = Store(tmp_path / "s")
    for start in (0, 6, 3):
        draft = store.columns.draft("plain", "1", start, dense(3, start))
        store.commit(drafts=[draft])
        expected = {0: 3, 6: 3, 3: 9}[start]
        assert store.columns.coverage() == {("plain", "1"): expected}
    store.close()


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), min_size=1, max_size=7))
@settings(max_examples=15)
def test_merging_joins_neighbours_alone(pieces: list[tuple[int, int]]) -> None:
    """Where rows are missing between two segments they stay apart, each with its own rows."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "s")
        at, kept = 0, {}
        for rows, gap in pieces:
            at += gap
            store.commit(drafts=[store.columns.draft("plain", "1", at, dense(rows, at))])
            kept |= {row: row for row in range(at, at + rows)}
            at += rows
        store.columns.merge()
        found = {
            s.first + i: int(number)
            for s in store.columns.segments()
            for i, number in enumerate(store.columns.load(s)["norms"][:, 0])
        }
        runs = sum(row - 1 not in kept for row in kept)
        assert (found, len(store.columns.segments())) == (kept, runs)
        store.close()


def test_a_gap_keeps_segments_apart(tmp_path: Path) -> None:
    """Rows 0 to 2 and 5 to 6 are not one segment of five rows."""
    store = Store(tmp_path / "s")
    for first, rows in ((0, 3), (5, 2), (7, 1)):
        store.commit(drafts=[store.columns.draft("plain", "1", first, dense(rows, first))])
    assert store.columns.merge() == 2
    assert [(s.first, s.rows) for s in store.columns.segments()] == [(0, 3), (5, 3)]
    store.close()
