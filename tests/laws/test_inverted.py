"""Laws of the inverted file: postings alone give what dense vectors give, however it was built."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from saccade.words.inverted import InvertedFile
from saccade.words.weighting import DISTANCES, NORMALISATIONS, WEIGHTINGS, Comparison

VOCABULARY = 12
WAYS = [Comparison(*way) for way in product(WEIGHTINGS, NORMALISATIONS, DISTANCES)]

bags = st.dictionaries(st.integers(0, VOCABULARY - 1), st.integers(1, 40), max_size=6)
collections = st.lists(bags, min_size=1, max_size=9)


def arrays(collection):
    """Bags as the offsets, words and counts that `add` takes."""
    words = [np.array(sorted(bag), np.int32) for bag in collection]
    counts = [np.array([bag[word] for word in sorted(bag)], np.int32) for bag in collection]
    offsets = np.cumsum([0] + [len(part) for part in words])
    return offsets, np.concatenate(words), np.concatenate(counts)


def build(collection, rows=None):
    file = InvertedFile(VOCABULARY)
    file.add(np.arange(len(collection)) if rows is None else rows, *arrays(collection))
    return file


def dense(bag):
    vector = np.zeros(VOCABULARY)
    for word, count in bag.items():
        vector[word] = count
    return vector


def weighted(vector, frequency, images, way):
    """The definition, on a dense vector."""
    if way.weighting == "binary":
        vector = (vector > 0).astype(float)
    if way.weighting == "tf-idf":
        vector = vector * np.log((images + 1) / (frequency + 0.5))
    size = vector.sum() if way.normalisation == "l1" else np.sqrt((vector**2).sum())
    return vector / size if size > 0 else vector


def dense_similarity(q, p, distance):
    """The four similarities, on dense vectors."""
    if not q.any() or not p.any():
        return 0.0
    if distance == "cos":
        return q @ p / np.sqrt((q @ q) * (p @ p))
    if distance == "l2":
        return 1 - np.linalg.norm(q - p) / (np.linalg.norm(q) + np.linalg.norm(p))
    gaps = np.abs(q - p)
    if distance == "chi2":
        gaps = np.divide(gaps**2, q + p, out=np.zeros_like(q), where=q + p > 0)
    return 1 - gaps.sum() / (q.sum() + p.sum())


def dense_scores(collection, query, way):
    table = np.array([dense(bag) for bag in collection])
    frequency = (table > 0).sum(0)
    q = weighted(dense(query), frequency, len(table), way)
    rows = [weighted(row, frequency, len(table), way) for row in table]
    return np.array([dense_similarity(q, row, way.distance) for row in rows])


def query_arrays(query):
    return arrays([query])[1:]


@pytest.mark.parametrize("way", WAYS, ids=str)
@given(collection=collections, query=bags)
@settings(max_examples=25)
def test_postings_give_what_dense_vectors_give(way, collection, query):
    """Every weighting, normalisation and distance agrees with its definition to 1e-5."""
    scores = build(collection).scores_all(*query_arrays(query), way)
    np.testing.assert_allclose(scores, dense_scores(collection, query, way), atol=1e-5)


@pytest.mark.parametrize("norm", NORMALISATIONS)
@given(collection=collections, query=bags)
@settings(max_examples=25)
def test_the_distance_itself_can_be_read_off_the_similarity(norm, collection, query):
    """For unit vectors the distance is twice what the similarity lacks, also for equal bags."""
    way = Comparison("tf-idf", norm, norm)
    table = np.array([dense(bag) for bag in collection])
    frequency = (table > 0).sum(0)
    q = weighted(dense(query), frequency, len(table), way)
    scores = build(collection).scores_all(*query_arrays(query), way)
    rows = np.array([weighted(row, frequency, len(table), way) for row in table])
    told = rows.any(axis=1)
    assume(q.any() and told.any())
    expected = np.linalg.norm(q - rows[told], 1 if norm == "l1" else 2, axis=1)
    np.testing.assert_allclose(2 * (1 - scores[told]), expected, atol=1e-5)


@given(collection=collections, query=bags, k=st.integers(1, 12), way=st.sampled_from(WAYS))
@settings(max_examples=60)
def test_search_is_the_head_of_all_scores(collection, query, k, way):
    """A search gives the best rows that share a word, best first, ties to the lower row."""
    file = build(collection)
    scores = file.scores_all(*query_arrays(query), way)
    sharing = [row for row, bag in enumerate(collection) if set(bag) & set(query)]
    expected = sorted(sharing, key=lambda row: (-scores[row], row))[:k]
    rows, found = file.search(*query_arrays(query), k, way)
    assert rows.tolist() == expected
    assert found.tolist() == scores[expected].tolist()


@given(
    collection=st.lists(bags, min_size=3, max_size=9),
    query=bags,
    cuts=st.lists(st.integers(0, 9), max_size=3),
    dead=st.sets(st.integers(0, 8), max_size=4),
    merge_at=st.integers(0, 4),
    way=st.sampled_from(WAYS),
)
@settings(max_examples=80)
def test_the_history_of_a_file_leaves_no_trace(collection, query, cuts, dead, merge_at, way):
    """Adding in pieces, removing and merging give the scores of a file built from what is left."""
    edges = sorted({0, len(collection), *(min(cut, len(collection)) for cut in cuts)})
    dead = sorted(row for row in dead if row < len(collection))
    file = InvertedFile(VOCABULARY)
    for step, (start, end) in enumerate(pairwise(edges)):
        file.add(np.arange(start, end), *arrays(collection[start:end]))
        if step == merge_at:
            file.merge()
        file.remove([row for row in dead if start <= row < end])
    if merge_at == 4:
        file.merge()
    left = [row for row in range(len(collection)) if row not in dead]
    expected = np.zeros(len(collection), np.float32)
    if left:
        fresh = build([collection[row] for row in left], rows=left)
        expected[: left[-1] + 1] = fresh.scores_all(*query_arrays(query), way)
        top = fresh.search(*query_arrays(query), 5, way)
        np.testing.assert_array_equal(file.search(*query_arrays(query), 5, way)[0], top[0])
    scores = file.scores_all(*query_arrays(query), way, size=len(collection))
    np.testing.assert_allclose(scores, expected, atol=1e-7)


@given(collection=collections, query=bags, dead=st.integers(0, 8))
@settings(max_examples=30)
def test_a_file_survives_its_arrays(collection, query, dead):
    """Dumped and loaded, a file gives the same bits and goes on the same way."""
    file = build(collection)
    if dead < len(collection):
        file.remove([dead])
    again = InvertedFile.load(file.dump())
    for one in (file, again):
        one.add([20], *arrays([query]))
    assert len(again) == len(file)
    np.testing.assert_array_equal(
        again.scores_all(*query_arrays(query)), file.scores_all(*query_arrays(query))
    )
