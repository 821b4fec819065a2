from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.features.multiview import embed
from saccade.features.pagerank import nearest, pagerank


def dense_pagerank(neighbours, similarities, damping=0.85):
    """The fixed point by solving the linear system."""
    size = len(neighbours)
    graph = np.zeros((size, size))
    for i, (row, values) in enumerate(zip(neighbours, similarities, strict=True)):
        for j, value in zip(row, values, strict=True):
            if j >= 0:
                graph[i, j] = graph[j, i] = max(graph[i, j], value)
    for column in range(size):
        total = graph[:, column].sum()
        graph[:, column] = graph[:, column] / total if total else 1 / size
    return np.linalg.solve(np.eye(size) - damping * graph, np.full(size, (1 - damping) / size))


def test_a_star_by_hand():
    """The centre has r = .85·2·(.85·r/2 + .05) + .05, which is .135 / .2775."""
    star = np.array([[1, 2], [0, -1], [0, -1]])
    ranks = pagerank(star, np.ones((3, 2)))
    assert ranks[0] == pytest.approx(0.135 / 0.2775, abs=1e-8)
    assert ranks[1] == ranks[2] == pytest.approx((1 - 0.135 / 0.2775) / 2, abs=1e-8)


def test_it_is_the_solution_of_the_linear_system():
    """On a random graph with a lonely image, iteration and elimination agree."""
    rng = np.random.default_rng(2)
    neighbours = np.array([rng.choice(29, 4, replace=False) for _ in range(30)])
    neighbours[neighbours >= np.arange(30)[:, None]] += 1  # never oneself
    neighbours[neighbours == 17] = -1
    neighbours[17] = -1
    similarities = rng.random((30, 4))
    ranks = pagerank(neighbours, similarities)
    np.testing.assert_allclose(ranks, dense_pagerank(neighbours, similarities), atol=1e-8)
    assert ranks.sum() == pytest.approx(1.0)


def test_images_without_links_are_all_alike():
    """Without any similarity every image has the same rank."""
    ranks = pagerank(np.full((4, 2), -1), np.zeros((4, 2)))
    np.testing.assert_allclose(ranks, 0.25)
    assert pagerank(np.empty((0, 2), int), np.empty((0, 2))).shape == (0,)


def test_the_middle_of_a_crowd_ranks_above_its_edge():
    """Five points around a centre: the centre is the most central."""
    angles = np.linspace(0, 2 * np.pi, 6)[:-1]
    points = np.vstack([[0, 0], np.stack([np.cos(angles), np.sin(angles)], 1)])
    ranks = pagerank(*nearest(points, 2))
    assert ranks.argmax() == 0


def test_nearest_are_the_nearest():
    """Rows and order are those of sorting all distances; similarity is exp(−d²/σ²)."""
    rng = np.random.default_rng(9)
    points = rng.standard_normal((50, 4))
    found, similarities = nearest(points, 6)
    distance = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(distance, np.inf)
    np.testing.assert_array_equal(found, np.argsort(distance, axis=1)[:, :6])
    ordered = np.sort(distance, axis=1)[:, :6]
    expected = np.exp(-np.square(ordered) / ordered[:, 5].mean() ** 2)
    np.testing.assert_allclose(similarities, expected, atol=1e-9)


def test_a_small_collection_has_fewer_neighbours():
    """Missing neighbours are -1 with similarity 0; equal points are wholly similar."""
    found, similarities = nearest(np.zeros((2, 3)), 3)
    assert found.tolist() == [[1, -1, -1], [0, -1, -1]]
    assert similarities.tolist() == [[1, 0, 0], [1, 0, 0]]
    assert nearest(np.zeros((1, 3)), 2)[0].tolist() == [[-1, -1]]


@pytest.mark.parametrize(
    ("neighbours", "similarities", "message"),
    [
        ([[1], [0]], [[1.0]], "both be"),
        ([[2], [0]], [[1.0], [1.0]], "no row below 2"),
        ([[1], [0]], [[-1.0], [1.0]], "not negative"),
        ([[1], [0]], [[np.nan], [1.0]], "finite"),
    ],
)
def test_graphs_that_make_no_sense_are_refused(neighbours, similarities, message):
    """Shapes, rows and values are checked."""
    with pytest.raises(InvalidInput, match=message):
        pagerank(neighbours, similarities)


def test_damping_must_leave_some_chance():
    """With a damping of 1 there may be no single answer."""
    with pytest.raises(InvalidInput, match="damping is 1"):
        pagerank([[1], [0]], [[1.0], [1.0]], damping=1.0)


def hidden_views(seed=0):
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal((200, 2))
    views = [
        np.hstack([hidden @ rng.standard_normal((2, 4)), 3 * rng.standard_normal((200, 5))])
        for _ in range(4)
    ]
    return hidden, views


def test_the_embedding_finds_what_all_views_share():
    """Two hidden directions, drowned in louder noise of each view, span the embedding."""
    hidden, views = hidden_views()
    places = embed(views, 2)
    fitted = places @ np.linalg.lstsq(places, hidden - hidden.mean(0), rcond=None)[0]
    explained = 1 - np.square(hidden - hidden.mean(0) - fitted).sum() / np.square(hidden).sum()
    assert explained > 0.95


def test_the_embedding_is_white_and_does_not_care_for_units():
    """Directions have unit variance, are uncorrelated, and survive scaling and moving a view."""
    _, views = hidden_views()
    places = embed(views, 3)
    np.testing.assert_allclose(places.T @ places / 200, np.eye(3), atol=1e-4)
    assert (places[np.abs(places).argmax(0), np.arange(3)] > 0).all()
    turned = embed([-view for view in views], 3)
    np.testing.assert_allclose(turned, places, atol=1e-3)
    moved = [7.0 * views[0] + 2.0, *views[1:]]
    np.testing.assert_allclose(embed(moved, 3), places, atol=1e-3)


def test_wide_views_and_constant_views_are_embedded_too():
    """More numbers than images, or none that vary: no error and no infinite numbers."""
    rng = np.random.default_rng(1)
    views = [rng.standard_normal((10, 40)), np.ones((10, 3)), rng.standard_normal((10, 2))]
    assert np.isfinite(embed(views, 4)).all()
    assert embed([np.ones((5, 3))], 4).shape == (5, 0)


def test_views_must_be_of_the_same_images():
    """Different numbers of rows are refused with their shapes."""
    with pytest.raises(InvalidInput, match=r"\(3, 2\), \(4, 2\)"):
        embed([np.zeros((3, 2)), np.zeros((4, 2))])
    with pytest.raises(InvalidInput, match="at least one"):
        embed([np.zeros((3, 2))], 0)
