from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from saccade.errors import InvalidInput, UnknownName
from saccade.kernels.rank_correlation import kendall
from saccade.rankers import selection
from saccade.testbed import measures


def _world() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Column 0 tells most, 1 is nearly its copy, 2 tells less but something new, 3 is noise."""
    rng = np.random.default_rng(0)
    first, second = rng.standard_normal((2, 400))
    grades = (first + 0.6 * second > 0.8).astype(int)
    phi = np.stack(
        [first, first + 0.05 * rng.standard_normal(400), -second, rng.standard_normal(400)], axis=1
    )
    return phi.astype(np.float32), grades, np.repeat(np.arange(20), 20)


def test_kendall_is_scipys_tau_b() -> None:
    """With and without ties, the value of a trusted implementation, averaged over queries."""
    rng = np.random.default_rng(1)
    for x, y in (rng.standard_normal((2, 50)), rng.integers(0, 4, (2, 50)).astype(float)):
        expected = np.mean(
            [stats.kendalltau(x[a:b], y[a:b]).statistic for a, b in ((0, 20), (20, 50))]
        )
        assert kendall(x, y, np.array([0, 20, 50])) == pytest.approx(expected)
    assert kendall(np.zeros(5), np.arange(5.0), np.array([0, 5])) == 0.0


def test_greedy_prefers_what_is_new_over_a_copy() -> None:
    """The copy of the best feature comes after a weaker one that says something else."""
    chosen = selection.Greedy(count=3, likeness=0.3)
    chosen.fit(*_world())
    assert chosen.chosen[0] in (0, 1)
    assert chosen.chosen[1] == 2


def test_without_a_price_on_likeness_worth_alone_decides() -> None:
    """The copy comes second, a feature that points downwards counts by its better direction."""
    chosen = selection.Greedy(count=4, likeness=0.0)
    chosen.fit(*_world())
    assert set(chosen.chosen[:2].tolist()) == {0, 1}
    assert chosen.chosen[2:].tolist() == [2, 3]


@pytest.mark.parametrize("likeness", [0.02, 0.1, 0.2, 0.5])
def test_greedy_follows_geng_step_by_step(likeness: float) -> None:
    """Worth alone, then 2c times the share of pairs ordered alike taken off, feature by feature.

    The last two columns are the first one upside down, and noise: a feature counts in its better
    direction, also where it is compared with others.
    """
    phi, grades, groups = _world()
    phi = np.column_stack([phi, -phi[:, 0] + 0.2 * phi[:, 3], phi[:, 2] + 3 * phi[:, 3]])
    judged = [[value("map", s * c, grades, groups) for s in (1, -1)] for c in phi.T]
    turned = np.array(
        [c if up >= down else -c for c, (up, down) in zip(phi.T, judged, strict=True)]
    )
    worth, expected = np.array(judged).max(axis=1), []
    while len(expected) < 6:
        best = int(worth.argmax())
        expected.append(best)
        worth[best] = -np.inf
        for j in set(range(6)) - set(expected):
            alike = np.mean(
                [
                    (1 + stats.kendalltau(turned[best, groups == q], turned[j, groups == q])[0]) / 2
                    for q in range(20)
                ]
            )
            worth[j] -= 2 * likeness * alike
    chosen = selection.Greedy(count=6, likeness=likeness).fit(phi, grades, groups).chosen
    assert chosen.tolist() == expected


def value(measure: str, scores: np.ndarray, grades: np.ndarray, groups: np.ndarray) -> float:
    # A query without two grades orders nothing, and has no share in a feature's worth.
    some = [q for q in np.unique(groups) if len(np.unique(grades[groups == q])) > 1]
    return np.mean(
        [measures.value(measure, scores[groups == q], grades[groups == q]) for q in some]
    )


def test_the_measure_named_decides_what_a_feature_is_worth() -> None:
    """One feature has a relevant document first, the other has all of them early."""
    first, early = [1, 0, 0, 0, 1, 1, 0], [0, 1, 1, 1, 0, 0, 0]  # grades from the top down
    grades = np.array(first)
    places = np.empty((7, 2))
    places[:, 0] = np.arange(7)
    places[np.flatnonzero(grades), 1] = np.flatnonzero(early)
    places[np.flatnonzero(grades == 0), 1] = np.flatnonzero(np.array(early) == 0)
    best = {}
    for measure in ("p@1", "map"):
        selector = selection.Greedy(count=1, measure=measure)
        best[measure] = selector.fit(-places, grades, np.zeros(7, int)).chosen.tolist()
    assert best == {"p@1": [0], "map": [1]}


def test_pca_keeps_the_axes_of_largest_variance() -> None:
    """The axes are scikit-learn's, up to the sign that is fixed here."""
    from sklearn.decomposition import PCA

    phi, grades, groups = _world()
    ours, theirs = selection.PrincipalAxes(count=2), PCA(2).fit(phi.astype(np.float64))
    ours.fit(phi, grades, groups)
    np.testing.assert_allclose(np.abs(ours.axes), np.abs(theirs.components_), atol=1e-6)
    assert (ours.axes[np.arange(2), np.abs(ours.axes).argmax(axis=1)] > 0).all()
    assert ours.transform(phi).shape == (400, 2)


@pytest.mark.parametrize("text", ["2", "greedy:2", "pca:2"])
def test_a_selector_survives_dump_and_load(text: str) -> None:
    """The loaded one gives the same rows."""
    phi, grades, groups = _world()
    one = selection.make(text)
    one.fit(phi, grades, groups)
    again = selection.load(one.dump())
    assert np.array_equal(again.transform(phi), one.transform(phi))


def test_bad_selections_are_refused() -> None:
    """Unknown names, no number, more than there are, and use before fitting."""
    with pytest.raises(UnknownName, match="did you mean 'pca'"):
        selection.make("pcs:3")
    with pytest.raises(InvalidInput, match="expected a number"):
        selection.make("many")
    with pytest.raises(InvalidInput, match="cannot select 9 of 4"):
        selection.make("9").fit(*_world())
    with pytest.raises(InvalidInput, match="fit it"):
        selection.make("2").transform(_world()[0])
    with pytest.raises(InvalidInput, match="fit it"):
        selection.make("pca:2").transform(_world()[0])
