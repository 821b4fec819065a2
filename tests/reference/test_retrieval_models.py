"""The retrieval models against slow code that follows their definitions word by word."""

from __future__ import annotations

from itertools import chain
from math import log

import numpy as np
import pytest

from saccade.words.inverted import InvertedFile
from saccade.words.retrieval import BM25, AbsoluteDiscount, Dirichlet, JelinekMercer, make

VOCABULARY = 40


@pytest.fixture(scope="module")
def bags():
    rng = np.random.default_rng(11)
    drawn = []
    for size in rng.integers(0, 15, 30):
        words = np.sort(rng.choice(VOCABULARY - 5, size, replace=False))
        drawn.append({int(word): int(rng.geometric(0.4)) for word in words})
    return drawn


@pytest.fixture(scope="module")
def file(bags):
    """The bags, added in three pieces with two strangers that were removed again."""
    built = InvertedFile(VOCABULARY)
    for start in (0, 10, 20):
        part = bags[start : start + 10]
        words = [sorted(bag) for bag in part]
        counts = [[bag[word] for word in sorted(bag)] for bag in part]
        offsets = np.cumsum([0] + [len(bag) for bag in part])
        built.add(range(start, start + 10), offsets, [*chain(*words)], [*chain(*counts)])
    built.add([50, 51], [0, 2, 3], [3, 39, 4], [7, 1, 2])
    built.remove([50, 51])
    return built


QUERIES = [{0: 1, 5: 3, 17: 2, 30: 1}, {37: 2, 4: 1}, {2: 20}, {38: 1}, {}]


def statistics(bags):
    images = len(bags)
    frequency = {word: sum(word in bag for bag in bags) for word in range(VOCABULARY)}
    occurrences = {word: sum(bag.get(word, 0) for bag in bags) for word in range(VOCABULARY)}
    return images, frequency, occurrences, sum(occurrences.values())


def slow_bm25(bags, query, k1, b):
    images, frequency, _, total = statistics(bags)
    scores = []
    for bag in bags:
        length, score = sum(bag.values()), 0.0
        for word, times in query.items():
            rarity = log(1 + (images - frequency[word] + 0.5) / (frequency[word] + 0.5))
            count = bag.get(word, 0)
            bound = k1 * (1 - b + b * length / (total / images))
            score += times * rarity * count / (count + bound) if count else 0.0
        scores.append(score)
    return scores


def slow_language(bags, query, probability):
    """Σ c_q ln(p(w|d) / p(w|C)) over the words that the collection has."""
    _, _, occurrences, total = statistics(bags)
    scores = []
    for bag in bags:
        score = 0.0
        for word, times in query.items():
            if occurrences[word]:
                common = occurrences[word] / total
                score += times * log(probability(bag, bag.get(word, 0), common) / common)
        scores.append(score)
    return scores


def jelinek_mercer(bag, count, common, weight=0.7):
    seen = count / sum(bag.values()) if bag else 0.0
    return (1 - weight) * seen + weight * common


def dirichlet(bag, count, common, mass=2000.0):
    return (count + mass * common) / (sum(bag.values()) + mass)


def absolute_discount(bag, count, common, discount=0.7):
    if not bag:
        return discount * common
    length = sum(bag.values())
    return max(count - discount, 0) / length + discount * len(bag) / length * common


def as_arrays(query):
    return sorted(query), [query[word] for word in sorted(query)]


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.0, 0.5), (2.0, 0.0), (0.9, 1.0)])
def test_bm25_is_its_formula(file, bags, query, k1, b):
    """Every image's BM25 is the sum over the query's words, whatever k1 and b."""
    scores = file.scores_all(*as_arrays(query), BM25(k1, b), size=52)
    np.testing.assert_allclose(scores[:30], slow_bm25(bags, query, k1, b), rtol=1e-5, atol=1e-6)
    assert not scores[30:].any()


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize(
    ("model", "probability"),
    [
        (JelinekMercer(), jelinek_mercer),
        (JelinekMercer(0.1), lambda *d: jelinek_mercer(*d, weight=0.1)),
        (Dirichlet(), dirichlet),
        (Dirichlet(5.0), lambda *d: dirichlet(*d, mass=5.0)),
        (AbsoluteDiscount(), absolute_discount),
        (AbsoluteDiscount(0.2), lambda *d: absolute_discount(*d, discount=0.2)),
    ],
    ids=["jm", "jm-0.1", "dirichlet", "dirichlet-5", "ad", "ad-0.2"],
)
def test_language_models_are_their_formulas(file, bags, query, model, probability):
    """The sum over shared words equals the full log-likelihood ratio over all words."""
    scores = file.scores_all(*as_arrays(query), model)
    expected = slow_language(bags, query, probability)
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "name", ["vsm", "bm25", "jelinek-mercer", "dirichlet", "absolute-discount"]
)
def test_search_by_a_model_is_the_head_of_its_scores(file, bags, name):
    """Best first among the images that share a word."""
    query, model = QUERIES[0], make(name)
    scores = file.scores_all(*as_arrays(query), model)
    sharing = [row for row, bag in enumerate(bags) if set(bag) & set(query)]
    expected = sorted(sharing, key=lambda row: (-scores[row], row))[:7]
    rows, found = file.search(*as_arrays(query), 7, model)
    assert rows.tolist() == expected
    np.testing.assert_array_equal(found, scores[expected])
