"""Heaviest expert and weighted votes over ranked lists."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.choosers import VOTES, heaviest, vote
from saccade.errors import InvalidInput, UnknownName

LISTS = [([4, 2, 9], [1.0, 0.6, 0.2]), ([2, 4], [8.0, 4.0]), ([9, 2, 4], [3.0, 2.9, 2.0])]


def test_first_places_are_a_majority_vote():
    """Two light experts that agree beat a heavier one that does not."""
    lists = [LISTS[0], ([2], [1.0]), ([2, 4], [1.0, 0.0])]
    rows, points = vote(lists, [0.4, 0.3, 0.3], by="first")
    assert rows[:2].tolist() == [2, 4]
    np.testing.assert_allclose(points[:2], [0.6, 0.4])


def test_ranks_give_points_down_to_the_depth():
    """Rank r of a list gives weight · (1 − (r − 1) / depth)."""
    rows, points = vote(LISTS, [0.5, 0.3, 0.2], by="rank", depth=4)
    by_hand = {
        4: 0.5 + 0.3 * 0.75 + 0.2 * 0.5,
        2: 0.5 * 0.75 + 0.3 + 0.2 * 0.75,
        9: 0.5 * 0.5 + 0.2,
    }
    assert rows.tolist() == sorted(by_hand, key=lambda row: -by_hand[row])
    np.testing.assert_allclose(points, sorted(by_hand.values(), reverse=True))


def test_scores_are_put_on_one_scale_first():
    """An expert's own units do not matter: scores run from 0 to 1 within its list."""
    rows, points = vote(LISTS, [0.5, 0.3, 0.2], by="score")
    by_hand = {4: 0.5, 2: 0.25 + 0.3 + 0.18, 9: 0.2}
    assert rows.tolist() == [2, 4, 9]
    np.testing.assert_allclose(points, sorted(by_hand.values(), reverse=True))
    scaled = [(rows, np.array(scores) * 1000 - 7) for rows, scores in LISTS]
    np.testing.assert_allclose(vote(scaled, [0.5, 0.3, 0.2], by="score")[1], points)


@pytest.mark.parametrize("by", VOTES)
def test_one_expert_alone_is_followed(by):
    """A vote of one is that expert's first; an expert that failed says nothing."""
    empty = (np.empty(0, np.int64), np.empty(0))
    rows, _ = vote([empty, LISTS[2], empty], [0.9, 0.05, 0.05], by=by)
    assert rows[0] == 9
    assert vote([empty], [1.0], by=by)[0].tolist() == []


@pytest.mark.parametrize("by", VOTES)
def test_the_order_of_experts_with_equal_weight_does_not_matter(by):
    """Three equal voters elect the same whoever speaks first."""
    first = vote(LISTS, [0.25, 0.25, 0.25], by=by)
    second = vote(LISTS[::-1], [0.25, 0.25, 0.25], by=by)
    assert first[0].tolist() == second[0].tolist()
    np.testing.assert_allclose(first[1], second[1])


def test_only_the_first_of_each_list_count():
    """What lies beyond the depth is not named."""
    assert vote(LISTS, [1, 1, 1], by="score", depth=1)[0].tolist() == [2, 4, 9]
    assert set(vote(LISTS[:1], [1.0], depth=2)[0].tolist()) == {4, 2}


def test_ties_go_to_the_lower_row_and_expert():
    """Equal points are ordered by row; equal weights by place."""
    assert vote([([9, 3], [1, 1]), ([3, 9], [1, 1])], [1, 1])[0].tolist() == [3, 9]
    many = np.arange(200)[::-1]
    assert vote([(many, np.ones(200))], [1.0], by="score", depth=200)[0].tolist() == [*range(200)]
    assert heaviest([0.1, 0.45, 0.45]) == 1


@pytest.mark.parametrize(
    ("lists", "weights", "options"),
    [
        (LISTS, [1, 1], {}),
        (LISTS, [1, 1, -1], {}),
        (LISTS, [1, 1, np.nan], {}),
        ([([1, 2], [1.0])], [1], {}),
        ([([1, 2], [0.0, 1.0])], [1], {}),
        ([([1, 1], [1.0, 0.0])], [1], {}),
        ([([1, 2], [1.0, np.nan])], [1], {}),
        (LISTS, [1, 1, 1], {"depth": 0}),
    ],
)
def test_lists_that_are_no_ranking_are_refused(lists, weights, options):
    """Shapes, weights and order are checked."""
    with pytest.raises(InvalidInput):
        vote(lists, weights, **options)


def test_an_unknown_vote_is_named():
    """The message offers the nearest vote."""
    with pytest.raises(UnknownName, match="did you mean 'rank'"):
        vote(LISTS, [1, 1, 1], by="ranks")
    with pytest.raises(InvalidInput):
        heaviest([])
