"""Multiple-instance ranking: the programs are solved, and find the region that counts."""

from __future__ import annotations

import numpy as np
import piqp
import pytest

from saccade import rankers
from saccade.errors import InvalidInput, UnknownName
from saccade.kernels import bags as kernel
from saccade.rankers.bag_program import BagProgram, average, maximum, softmax
from saccade.rankers.bags import checked_bags, graded_pairs

BATCH = ["mi-average", "mi-max", "mi-softmax"]


def planted(seed=0, count=120, columns=10, strength=2.5):
    """Bags of 5 to 11 regions of noise; one region is better by the bag's grade, 0 to 2."""
    rng = np.random.default_rng(seed)
    grades, bags, true = rng.integers(0, 3, count), [], []
    for grade in grades:
        bag = rng.standard_normal((int(rng.integers(5, 12)), columns)).astype(np.float32)
        true.append(int(rng.integers(len(bag))))
        bag[true[-1], :3] += np.float32(strength * grade / 2)
        bags.append(bag)
    return bags, grades, np.array(true)


def right_share(scores, grades, rows):
    pairs = [(i, j) for i in rows for j in rows if grades[i] > grades[j]]
    return np.mean([scores[i] > scores[j] for i, j in pairs])


def small_program(seed=0, cap=0.5, bags=9):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, bags)
    rows = rng.standard_normal((sizes.sum(), 3))
    gram = np.exp(-0.3 * ((rows[:, None] - rows[None]) ** 2).sum(2))
    pairs = graded_pairs(rng.integers(0, 3, bags))
    starts = np.concatenate([[0], np.cumsum(sizes)])
    winners, losers = (np.ascontiguousarray(side) for side in pairs.T)
    return BagProgram(gram, starts, winners, losers, cap, tolerance=1e-6)


def solved_as_printed(program, shares, targets, *, regions):
    """The smallest ½ a'Ka + γ Σ ξ by a general solver, with the constraints written out.

    `regions` puts one constraint for each region of a loser (16), otherwise its mixture (7, 19).
    """
    size, pairs = len(program.gram), len(program.winners)
    rows, bounds = [], []
    for p, (i, j) in enumerate(zip(program.winners, program.losers, strict=True)):
        head = np.zeros(size)
        inside = slice(program.starts[i], program.starts[i + 1])
        head[inside] = shares[inside]
        below = slice(program.starts[j], program.starts[j + 1])
        tails = np.eye(size)[below] if regions else [np.zeros(size)]
        if not regions:
            tails[0][below] = shares[below]
        for tail in tails:
            slack = np.zeros(pairs)
            slack[p] = -1.0
            rows.append(np.concatenate([-(head - tail) @ program.gram, slack]))
            bounds.append(-targets[p])
    solver = piqp.DenseSolver()
    solver.settings.verbose = False
    P = np.zeros((size + pairs, size + pairs))
    P[:size, :size] = program.gram + 1e-9 * np.eye(size)
    c = np.concatenate([np.zeros(size), np.full(pairs, program.cap)])
    low = np.concatenate([np.full(size, -np.inf), np.zeros(pairs)])
    solver.setup(P, c, None, None, np.array(rows), None, np.array(bounds), low, None)
    solver.solve()
    return solver.result.info.primal_obj


def shares_of(program, kind, coefficients, sharpness=1.0):
    scores = program.gram @ coefficients
    pooled, shares = np.empty(len(program.starts) - 1), np.empty(len(scores))
    kernel.pool(kind, sharpness, scores, program.starts, pooled, shares)
    return scores, pooled, shares


@pytest.mark.parametrize("cap", [0.01, 0.5, 20.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_average_is_the_optimum_of_its_program(seed, cap):
    """A general solver on the constraints as printed (7) reaches the same value."""
    program = small_program(seed, cap)
    found = average(program)
    shares = shares_of(program, kernel.AVERAGE, found.coefficients)[2]
    ones = np.ones(len(program.winners))
    expected = solved_as_printed(program, shares, ones, regions=False)
    assert found.objectives[-1] == pytest.approx(expected, rel=1e-4)
    assert 0 <= found.gap <= 1e-6


@pytest.mark.parametrize("cap", [0.05, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_maximum_ends_where_its_own_round_does_not_move_it(seed, cap):
    """With the best regions found, the program as printed (16) has the value that was reached."""
    program = small_program(seed, cap)
    found = maximum(program)
    shares = shares_of(program, kernel.MAX, found.coefficients)[2]
    ones = np.ones(len(program.winners))
    expected = solved_as_printed(program, shares, ones, regions=True)
    assert found.objectives[-1] == pytest.approx(expected, rel=1e-3)
    assert found.gap <= 1e-6


@pytest.mark.parametrize("cap", [0.05, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_softmax_ends_where_its_tangents_do_not_move_it(seed, cap):
    """The program of the tangents (19, with their constants) has the value that was reached."""
    program = small_program(seed, cap)
    found = softmax(program, 4.0)
    scores, pooled, shares = shares_of(program, kernel.SOFTMAX, found.coefficients, 4.0)
    constant = pooled - np.add.reduceat(shares * scores, program.starts[:-1])
    targets = 1.0 - constant[program.winners] + constant[program.losers]
    expected = solved_as_printed(program, shares, targets, regions=False)
    assert found.objectives[-1] == pytest.approx(expected, rel=2e-2)
    assert found.objectives[-1] >= expected * (1 - 1e-6)


@pytest.mark.parametrize("name", ["mi-max", "mi-softmax"])
@pytest.mark.parametrize("C", [30.0, 100.0, 1000.0])
def test_the_objective_falls_at_every_round(name, C):
    """From the average's solution on, and by much."""
    bags, grades, _ = planted(1)
    model = rankers.make(name, C=C).fit_bags(bags, graded_pairs(grades))
    assert len(model.objectives) >= 3
    assert (np.diff(model.objectives) < 0).all()
    assert model.objectives[-1] < 0.97 * model.objectives[0]
    assert model.gap <= model.tolerance


@pytest.mark.parametrize("name", BATCH)
@pytest.mark.parametrize(("kind", "peer"), [("gaussian", "rbf"), ("linear", "poly")])
def test_with_one_region_a_picture_it_is_the_ranking_svm(name, kind, peer):
    """The same kernel, the same hinge loss, the same scores."""
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((40, 6)).astype(np.float32)
    grades = np.digitize(rows[:, 0] + 0.5 * rng.standard_normal(40), [-0.5, 0.5])
    settings = {"kernel": kind} if kind == "linear" else {"gamma": 0.1}
    model = rankers.make(name, C=20.0, **settings)
    model.fit_bags(rows[:, None, :], graded_pairs(grades))
    svm = rankers.make("ranksvm", kernel=peer, degree=1, gamma=settings.get("gamma", 1.0), C=20.0)
    svm.fit(rows, grades, np.zeros(40, int))
    ours, theirs = model.score_bags(rows[:, None, :]), svm.score(rows)
    np.testing.assert_allclose(ours - ours[0], theirs - theirs[0], atol=0.02)


def test_the_average_with_a_linear_kernel_is_the_ranking_svm_on_mean_features():
    """A mean of inner products is an inner product with the mean."""
    bags, grades, _ = planted(3, count=50)
    means = np.array([bag.mean(axis=0) for bag in bags])
    model = rankers.make("mi-average", C=20.0, kernel="linear", standardise=False)
    svm = rankers.make("ranksvm", C=20.0, kernel="poly", degree=1, gamma=1.0, standardise=False)
    ours = model.fit_bags(bags, graded_pairs(grades)).score_bags(bags)
    theirs = svm.fit(means, grades, np.zeros(50, int)).score(means)
    np.testing.assert_allclose(ours - ours[0], theirs - theirs[0], atol=0.02)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (kernel.AVERAGE, [2.0, 5.0]),
        (kernel.MAX, [3.0, 5.0]),
        (kernel.SOFTMAX, [np.log((1 + 2 * np.exp(6)) / 3) / 2, 5.0]),
    ],
)
def test_scores_are_pooled_by_their_formulas(kind, expected):
    """A bag of scores 0, 3, 3 and one of a single 5, with η = 2; shares sum to one."""
    scores, starts = np.array([0.0, 3.0, 3.0, 5.0]), np.array([0, 3, 4])
    pooled, shares = np.empty(2), np.empty(4)
    kernel.pool(kind, 2.0, scores, starts, pooled, shares)
    np.testing.assert_allclose(pooled, expected)
    tail = {kernel.AVERAGE: 1 / 3, kernel.MAX: 0.0, kernel.SOFTMAX: 1 / (1 + 2 * np.exp(6))}[kind]
    np.testing.assert_allclose(shares, [tail, (1 - tail) / 2, (1 - tail) / 2, 1.0])


def test_a_soft_maximum_lies_between_the_mean_and_the_maximum():
    """Small η pools like the mean, large η like the maximum."""
    scores, starts = np.array([0.0, 1.0, 4.0]), np.array([0, 3])
    pooled, shares = np.empty(1), np.empty(3)
    for eta, expected in ((1e-4, 5 / 3), (200.0, 4.0 - np.log(3) / 200)):
        kernel.pool(kernel.SOFTMAX, eta, scores, starts, pooled, shares)
        assert pooled[0] == pytest.approx(expected, abs=1e-3)


def test_one_region_in_many_is_found_where_the_mean_drowns_it():
    """On unseen bags softmax and max order most pairs, the average far fewer."""
    bags, grades, true = planted()
    train, test = np.arange(60), np.arange(60, 120)
    share = {}
    for name in BATCH:
        model = rankers.make(name).fit_bags(bags, graded_pairs(grades[train]))
        share[name] = right_share(model.score_bags(bags), grades, test)
    assert share["mi-softmax"] > 0.88
    assert share["mi-max"] > 0.88
    assert share["mi-softmax"] > share["mi-average"] + 0.05
    model = rankers.make("mi-softmax").fit_bags(bags, graded_pairs(grades[train]))
    good = [i for i in test if grades[i] == 2]
    found = np.mean([model.relevance(bags[i]).argmax() == true[i] for i in good])
    assert found > 0.8


def test_only_pictures_with_a_preference_are_kept():
    """The others lend their scale and nothing else."""
    bags, _, _ = planted(4, count=20)
    model = rankers.make("mi-average").fit_bags(bags, [(3, 7)])
    assert len(model.dump().arrays["support"]) == len(bags[3]) + len(bags[7])


def test_every_pair_of_different_grade_is_a_preference():
    """Higher grades first; equal ones say nothing."""
    assert graded_pairs([1, 1, 1]).shape == (0, 2)
    assert graded_pairs([2, 1, 3]).tolist() == [[0, 1], [2, 0], [2, 1]]
    with pytest.raises(InvalidInput, match="nothing to learn"):
        rankers.make("mi-max").fit_bags(planted(count=3)[0], graded_pairs([1, 1, 1]))


def test_bags_are_named_when_refused():
    """The first bag that is none, and what is wrong with it."""
    good = np.ones((2, 3), np.float32)
    for bad, message in (
        (np.ones((2, 4)), "bag 1 has 4 columns"),
        (np.ones((0, 3)), "bag 1 has no regions"),
        (np.full((2, 3), np.nan), "bag 1: row 0, column 0 is nan"),
        (np.ones(3), "bag 1 has shape"),
    ):
        with pytest.raises(InvalidInput, match=message):
            checked_bags([good, bad])


@pytest.mark.parametrize(
    "settings", [{"C": 0.0}, {"gamma": -1.0}, {"rounds": 0}, {"tolerance": 0.0}]
)
def test_settings_out_of_range_are_refused(settings):
    """The message names the ranker."""
    with pytest.raises(InvalidInput, match="mi-max"):
        rankers.make("mi-max", **settings)
    with pytest.raises(InvalidInput, match="eta"):
        rankers.make("mi-softmax", eta=0.0)
    with pytest.raises(UnknownName, match="did you mean 'linear'"):
        rankers.make("mi-average", kernel="lineal")
