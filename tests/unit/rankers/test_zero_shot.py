from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from saccade.errors import InvalidInput, UnknownName
from saccade.rankers.zero_shot import Relation, Seen


def world(means, *, spread=0.3, each=40, seed=0):
    """Scores of pictures of categories with these means."""
    rng = np.random.default_rng(seed)
    names, rows = [], []
    for name, mean in means.items():
        names += [name] * each
        rows.append(np.asarray(mean) + spread * rng.normal(size=(each, len(mean))))
    return np.concatenate(rows), names


@pytest.fixture
def seen():
    """Three categories with known means 0, 2 and 6 on the first attribute."""
    scores = np.array([[-1.0, 0], [1, 2], [1, 1], [3, 3], [5, 4], [7, 0]])
    return Seen.of(scores, ["a", "a", "b", "b", "c", "c"], ["open", "wild"])


@pytest.mark.parametrize(
    ("said", "mean"),
    [
        ("open: b > X > a", 1.0),
        ("open: c > b > X > a", 1.0),
        ("open: c > X > a = b", 4.0),
        ("open: a > X", -3.0),  # the seen means are 2 and 4 apart: 3 on average
        ("open: X > c", 9.0),
        ("open: X > a", 3.0),
        ("open: X = b", 2.0),
        ("open: X = a = c", 3.0),
    ],
)
def test_what_is_said_places_the_mean(seen, said, mean):
    """Between two: the middle; beyond one: a mean gap away; as much: the same."""
    found = seen.unseen("X", [said])
    assert found.mean[0] == pytest.approx(mean)
    assert found.mean[1] == pytest.approx(10 / 6)  # nothing said: the mean of all


def test_the_covariance_is_the_mean_of_the_seen(seen):
    """Where every attribute is described; ours doubts where X stands, by twice the mean gap²."""
    sentences = ["open: X > a", "wild: X > a"]
    found = replace(seen, doubt=0.0).unseen("X", sentences)
    own = [
        np.cov(rows.T)
        for rows in np.array([[[-1.0, 0], [1, 2]], [[1, 1], [3, 3]], [[5, 4], [7, 0]]])
    ]
    np.testing.assert_allclose(found.covariance, np.mean(own, axis=0))
    doubted = seen.unseen("X", sentences).covariance - found.covariance
    np.testing.assert_allclose(doubted, np.diag([2 * 3.0**2, 2 * 0.5**2]))


def test_an_attribute_not_spoken_of_is_as_wide_as_all_pictures(seen):
    """Its variance is that of all scores, and it goes with no other attribute."""
    found = seen.unseen("X", ["open: X > a"])
    assert found.covariance[1, 1] == pytest.approx(np.var([0, 2, 1, 3, 4, 0]))
    assert found.covariance[0, 1] == found.covariance[1, 0] == 0.0


def test_unseen_categories_are_recognised():
    """Two of six categories are only described; their pictures are found as well as the others'."""
    means = {
        "a": [0, 4, 2],
        "b": [2, 2, 4],
        "c": [4, 0, 0],
        "d": [6, 6, 6],
        "x": [1, 3, 5],
        "y": [5, 1, 3],
    }
    scores, names = world(means)
    known = np.array([name not in "xy" for name in names])
    seen = Seen.of(scores[known], [n for n in names if n not in "xy"], ["p", "q", "r"])
    categories = seen.with_unseen(
        {
            "x": ["p: b > x > a", "q: a > x > b", "r: d > x > b"],
            "y": ["p: d > y > c", "q: b > y > c", "r: b > y > a"],
        }
    )
    found = np.array(seen.classify(scores, categories))
    right = found == np.array(names)
    assert right.mean() > 0.97
    assert right[~known].mean() > 0.95


def test_an_unseen_category_is_given_what_the_seen_ones_would_need():
    """Seen ones that fit tightly take the pictures of a guess; the allowance gives them back."""
    rng = np.random.default_rng(5)
    means = {name: rng.normal(scale=2.0, size=6) for name in "abcdexy"}
    scores, names = world(means, each=80, spread=1.2)
    known = np.array([name not in "xy" for name in names])
    kept = [name for name in names if name not in "xy"]
    attributes = list("pqrstu")
    said = {
        name: [
            Relation(
                attribute,
                tuple(o for o in "abcde" if means[o][at] > means[name][at]),
                tuple(o for o in "abcde" if means[o][at] < means[name][at]),
            )
            for at, attribute in enumerate(attributes)
        ]
        for name in "xy"
    }
    right = {}
    for printed in (True, False):
        seen = Seen.of(scores[known], kept, attributes, printed=printed)
        assert (seen.allowance == 0.0) is printed
        found = np.array(seen.classify(scores, seen.with_unseen(said))) == np.array(names)
        right[printed] = found[~known].mean(), found.mean()
    assert right[False][0] > right[True][0] + 0.05
    assert right[False][1] > right[True][1]
    few = Seen.of(*world({"a": [0, 1], "b": [3, -1], "c": [1, 1]}), ["p", "q"])
    assert few.allowance == 0.0, "with three there is nobody to leave out"


def test_a_wrong_description_is_wrong():
    """Swapping two descriptions swaps the labels: it is the words that decide."""
    means = {"a": [0, 0], "b": [4, 4], "x": [2, -3], "y": [-3, 2]}
    scores, names = world(means, spread=0.4)
    known = np.array([name not in "xy" for name in names])
    seen = Seen.of(scores[known], [n for n in names if n not in "xy"], ["p", "q"])
    said = {
        "x": ["p: b > x > a", "q: a > x"],
        "y": ["p: a > y", "q: b > y > a"],
    }
    swapped = {
        "x": [t.replace("y", "x") for t in said["y"]],
        "y": [t.replace("x", "y") for t in said["x"]],
    }
    right = np.array(seen.classify(scores, seen.with_unseen(said)))[~known]
    wrong = np.array(seen.classify(scores, seen.with_unseen(swapped)))[~known]
    truth = np.array(names)[~known]
    assert (right == truth).mean() > 0.9
    assert (wrong == truth).mean() < 0.1


def test_likelihoods_are_those_of_a_gaussian():
    """Log-likelihoods agree with scipy's, up to the floor under the variances."""
    from scipy.stats import multivariate_normal

    scores, names = world({"a": [0, 1], "b": [3, -1]}, each=200)
    seen = Seen.of(scores, names, ["p", "q"])
    found = seen.likelihoods(scores, seen.categories)
    for at, category in enumerate(seen.categories):
        exact = multivariate_normal(
            category.mean, category.covariance + 1e-3 * seen.variance.mean() * np.eye(2)
        )
        np.testing.assert_allclose(found[:, at], exact.logpdf(scores))


def test_few_pictures_are_enough_to_classify():
    """One picture a category, equal scores, one category: no failure, finite likelihoods."""
    for scores, names in (
        ([[0.0, 1.0], [2.0, 3.0]], ["a", "b"]),
        ([[1.0, 1.0], [1.0, 1.0]], ["a", "b"]),
        ([[0.5, 0.5]], ["a"]),
    ):
        seen = Seen.of(np.array(scores), names, ["p", "q"])
        categories = seen.with_unseen({"x": ["p: x > a"]})
        assert np.isfinite(seen.likelihoods(np.array(scores), categories)).all()


@pytest.mark.parametrize(
    "text", ["open", "open: a > b", "open: a > > X", ": X > a", "open: X > X", "open: X"]
)
def test_a_senseless_sentence_is_refused(seen, text):
    """What does not say where X stands is refused with an example."""
    with pytest.raises(InvalidInput):
        seen.unseen("X", [text])


def test_unknown_names_are_named(seen):
    """An attribute or category that is not there gets the nearest one that is."""
    with pytest.raises(UnknownName, match="opne"):
        seen.unseen("X", ["opne: X > a"])
    with pytest.raises(UnknownName, match="seen category"):
        seen.unseen("X", ["open: X > z"])
    with pytest.raises(InvalidInput, match="twice"):
        seen.unseen("X", ["open: X > a", "open: b > X"])
    with pytest.raises(InvalidInput, match="has pictures"):
        seen.with_unseen({"a": []})


def test_a_relation_prints_as_it_parses():
    """The text of a relation reads back as the same relation."""
    relation = Relation.parse("open: a > b > X = c > d", "X")
    assert Relation.parse(str(relation), "X") == relation
    assert relation.above == ("a", "b")
    assert relation.like == ("c",)
