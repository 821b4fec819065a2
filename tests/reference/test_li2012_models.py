"""The five models among the 224 features, against slow code that follows their definitions."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from saccade.features.li2012 import MEASURES, LocalWords, Parameters, RankingFields

VOCABULARY = 40


@pytest.fixture(scope="module")
def bags():
    rng = np.random.default_rng(11)
    drawn = []
    for size in rng.integers(0, 15, 30):
        words = np.sort(rng.choice(VOCABULARY - 5, size, replace=False))
        drawn.append({int(word): int(rng.geometric(0.4)) for word in words})
    return drawn


def local(bags):
    """Images with these words, all at one place."""
    words = [word for bag in bags for word, count in sorted(bag.items()) for _ in range(count)]
    starts = np.cumsum([0] + [sum(bag.values()) for bag in bags])
    middle = np.full(len(words), 0.5, np.float32)
    return LocalWords(
        starts, np.array(words, np.int32), middle, middle, np.ones(len(words), np.bool_)
    )


def measured(bags, query, measure, **constants):
    """A measure of the whole image, for every image."""
    fields = RankingFields(local(bags), Parameters(**constants))
    return fields.measure(local([query]))[:, MEASURES.index(measure)]


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


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (0.0, 0.5), (2.0, 0.0), (0.9, 1.0)])
def test_bm25_is_its_formula(bags, query, k1, b):
    """Every image's BM25 is the sum over the query's words, whatever k1 and b."""
    scores = measured(bags, query, "bm25", k1=k1, b=b)
    np.testing.assert_allclose(scores, slow_bm25(bags, query, k1, b), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize(
    ("measure", "constants", "probability"),
    [
        ("lm-jm", {}, jelinek_mercer),
        ("lm-jm", {"weight": 0.1}, lambda *d: jelinek_mercer(*d, weight=0.1)),
        ("lm-dirichlet", {}, dirichlet),
        ("lm-dirichlet", {"mass": 5.0}, lambda *d: dirichlet(*d, mass=5.0)),
        ("lm-absolute", {}, absolute_discount),
        ("lm-absolute", {"discount": 0.2}, lambda *d: absolute_discount(*d, discount=0.2)),
    ],
    ids=["jm", "jm-0.1", "dirichlet", "dirichlet-5", "ad", "ad-0.2"],
)
def test_language_models_are_their_formulas(bags, query, measure, constants, probability):
    """The sum over shared words equals the full log-likelihood ratio over all words."""
    scores = measured(bags, query, measure, **constants)
    expected = slow_language(bags, query, probability)
    np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-5)
