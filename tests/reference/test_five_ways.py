"""The five ways against dense histograms and the paper's distances, written out."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.words.five_ways import WAYS, FiveWays
from saccade.words.inverted import InvertedFile

VOCABULARY = 60
GONE = (3, 17)


@pytest.fixture(scope="module")
def histograms():
    """Rows of counts, some above fifteen, some rows empty, [40, VOCABULARY]."""
    rng = np.random.default_rng(5)
    counts = rng.geometric(0.3, (40, VOCABULARY)) * (rng.random((40, VOCABULARY)) < 0.15)
    counts[7] = 0
    counts[9, 4] = 90
    counts[12] = counts[11]
    return counts


@pytest.fixture(scope="module")
def ways(histograms):
    """The rows in three pieces; two of them taken out again."""
    file = InvertedFile(VOCABULARY)
    for part in np.array_split(np.arange(len(histograms)), 3):
        bags = [np.flatnonzero(histograms[row]) for row in part]
        offsets = np.cumsum([0, *map(len, bags)])
        counts = [histograms[row][bag] for row, bag in zip(part, bags, strict=True)]
        file.add(part, offsets, np.concatenate(bags), np.concatenate(counts))
    file.remove(GONE)
    return FiveWays(file)


def dense(histograms, query, way):
    """The distance of the paper between normalised weighted histograms, for every row."""
    left = np.setdiff1d(np.arange(len(histograms)), GONE)
    weights = np.ones(VOCABULARY)
    if way.weighting == "tf-idf":
        frequency = (histograms[left] > 0).sum(axis=0)
        weights = np.log((len(left) + 1) / (frequency + 0.5))
    both = np.vstack([query, histograms]).astype(float)
    both = weights * (both > 0 if way.weighting == "binary" else both)
    order = 1 if way.normalisation == "l1" else 2
    norms = np.linalg.norm(both, order, axis=1, keepdims=True)
    both = np.divide(both, norms, out=np.zeros_like(both), where=norms > 0)
    q, rows = both[0], both[1:]
    if way.distance == "cos":
        return 2 - rows @ q
    gaps = np.abs(rows - q)
    return gaps.sum(axis=1) if way.distance == "l1" else (gaps**2).sum(axis=1)


def queries(histograms):
    rng = np.random.default_rng(6)
    yield from (histograms[row] for row in (0, 9, 12, 30))
    for _ in range(4):
        yield rng.geometric(0.5, VOCABULARY) * (rng.random(VOCABULARY) < 0.2)


@pytest.mark.parametrize("place", range(len(WAYS)), ids=map(str, WAYS))
def test_a_way_is_the_papers_distance(histograms, ways, place):
    """Similarity and distance say the same of every row that shares a word with the query."""
    way = WAYS[place]
    for query in queries(histograms):
        words = np.flatnonzero(query)
        found = ways.scores(words, query[words])[place]
        shares = ((histograms > 0) & (query > 0)).any(axis=1)
        shares[[*GONE]] = False
        assert (np.isfinite(found) == shares).all()
        away = dense(histograms, query, way)[shares]
        expected = {
            "cos": 2 - away,
            "l1": 1 - away / 2,
            "l2": 1 - np.sqrt(np.maximum(away, 0)) / 2,
        }[way.distance]
        # A square root near zero turns one rounding of the product into its root.
        np.testing.assert_allclose(found[shares], expected, atol=2e-7)


@pytest.mark.parametrize("place", range(len(WAYS)), ids=map(str, WAYS))
def test_a_way_is_the_comparison_of_its_name(histograms, ways, place):
    """One walk for all gives what a search by that comparison alone gives."""
    for query in queries(histograms):
        words = np.flatnonzero(query)
        rows, scores = ways.search(words, query[words], 12)[place]
        alone, similarities = ways.file.search(words, query[words], 12, WAYS[place])
        np.testing.assert_allclose(scores, similarities, rtol=1e-5, atol=1e-6)
        clear = np.abs(np.diff(similarities, append=-1)) > 1e-5
        clear &= np.abs(np.diff(similarities, prepend=2)) > 1e-5
        assert (rows[clear] == alone[clear]).all()


def test_the_best_of_many_are_the_best_of_all():
    """Among a thousand images, where few are looked at closely, none of the best is passed over."""
    rng = np.random.default_rng(8)
    file = InvertedFile(300)
    bags = [np.unique(rng.integers(0, 300, 40)) for _ in range(1000)]
    words = np.concatenate(bags)
    offsets = np.cumsum([0, *map(len, bags)])
    file.add(np.arange(1000), offsets, words, rng.geometric(0.5, len(words)))
    ways = FiveWays(file)
    # Of three words the slots are noted as they are met, of forty they are looked for afterwards.
    for query in [*bags[:20], *(bag[:3] for bag in bags[20:30])]:
        counts = rng.geometric(0.5, len(query))
        scores = ways.scores(query, counts)
        shares = np.array([len(np.intersect1d(query, bag)) > 0 for bag in bags])
        assert (np.isfinite(scores) == shares).all()
        for way, (rows, found) in zip(scores, ways.search(query, counts, 10), strict=True):
            order = np.argsort(-way, kind="stable")[:10]
            assert rows.tolist() == order.tolist()
            assert found.tolist() == way[order].tolist()


def test_l2_and_cosine_rank_alike(ways, histograms):
    """Between vectors of length 1 the distance falls as the cosine grows."""
    query = histograms[30]
    words = np.flatnonzero(query)
    cosine = ways.file.scores_all(words, query[words], WAYS[4].__class__("none", "l2", "cos"))
    near = ways.scores(words, query[words])[4]
    met = np.isfinite(near)
    assert (np.argsort(near[met], kind="stable") == np.argsort(cosine[met], kind="stable")).all()
