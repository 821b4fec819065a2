"""How far what was called wrong is believed."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.features.belief import belief, each

RIGHT, WRONG = [1.0, 0.0], [0.0, 1.0]


def believed(likes: list[list[float]], dislikes: list[list[float]]) -> float:
    """Of marks as points, by their inner products; the query is where the right ones are."""
    marks = np.array([*likes, *dislikes])
    return belief(marks @ np.array(RIGHT), marks @ marks.T, len(likes))


def test_marks_that_bear_each_other_out_are_believed_wholly() -> None:
    """What is called wrong lies apart from what is called right."""
    assert believed([RIGHT] * 6, [WRONG] * 6) == 1.0


def test_a_slip_among_true_answers_costs_little() -> None:
    """One of ten on the wrong side, either way."""
    assert believed([RIGHT] * 9 + [WRONG], [WRONG] * 9 + [RIGHT]) == 1.0


def test_wrong_called_where_right_is_called_is_not_believed() -> None:
    """Half of the same spot each way says nothing against it."""
    assert believed([RIGHT] * 15, [RIGHT] * 15) == 0.0


def test_marks_at_random_are_believed_less_the_more_there_are() -> None:
    """Patience runs out: three of each kind may be chance, fifteen are not."""
    few, some, many = (believed([RIGHT, WRONG] * n, [RIGHT, WRONG] * n) for n in (2, 4, 12))
    assert 1.0 >= few > some > many
    assert many < 0.35


@pytest.mark.parametrize(("likes", "dislikes"), [(0, 5), (5, 0), (1, 1), (1, 9), (9, 1)])
def test_few_of_a_kind_are_believed(likes: int, dislikes: int) -> None:
    """Nothing can be foretold from one."""
    assert believed([RIGHT] * likes, [RIGHT] * dislikes) == 1.0


def test_a_mark_does_not_vouch_for_itself() -> None:
    """However strong its likeness to itself."""
    marks = np.ones((8, 8))
    twice = marks + 100.0 * np.eye(8)
    assert belief(np.ones(8), marks, 4) == belief(np.ones(8), twice, 4)


def test_the_query_speaks_for_the_likes_near_it() -> None:
    """Marks that are alike to each other are told apart by what was asked."""
    alike = np.full((12, 12), 0.1)
    near, far = np.repeat([1.0, 0.0], 6), np.repeat([0.0, 1.0], 6)
    assert belief(near, alike, 6) > belief(far, alike, 6)


def each_believed(likes: list[list[float]], dislikes: list[list[float]]) -> list[float]:
    """Of every mark by its own, as points like those of `believed`."""
    marks = np.array([*likes, *dislikes])
    return each(marks @ np.array(RIGHT), marks @ marks.T, len(likes)).tolist()


def test_wrong_is_heard_by_how_far_the_query_reaches_it() -> None:
    """In the middle of what is looked for by a third, where the query does not reach wholly."""
    middle, edge, far = (each_believed([], [[x, 1.0 - x]])[0] for x in (1.0, 0.2, 0.0))
    assert middle < 0.35 < edge < far == 1.0


def test_others_that_say_the_same_are_heard_together() -> None:
    """Ten in the middle of what is looked for are no slip."""
    alone, several = each_believed([], [RIGHT])[0], each_believed([], [RIGHT] * 10)[0]
    assert several > 0.8 > alone


def test_a_like_beside_them_speaks_against_a_dislike() -> None:
    """The more are right around it, the less it is heard."""
    told = [each_believed([RIGHT] * likes, [RIGHT])[-1] for likes in range(5)]
    assert told == sorted(told, reverse=True)
    assert told[0] > told[-1]


def test_likes_are_believed_while_the_marks_bear_each_other_out() -> None:
    """Also where some are wrong around them; and no longer where ✓ and ✕ lie on the same spots."""
    assert each_believed([RIGHT] * 3 + [[0.6, 0.4]], [WRONG] * 4)[:4] == [1.0] * 4
    thrown = each_believed([RIGHT, WRONG] * 6, [RIGHT, WRONG] * 6)
    near, far = thrown[0], thrown[1]
    assert far < near < 1.0
