"""Losses of a rank."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.choosers.losses import LOSSES, binary, marks, rank
from saccade.errors import InvalidInput


def test_losses_are_those_of_the_paper():
    """Binary asks for the first place; rank counts places up to a hundred and cuts there."""
    ranks = np.array([1, 2, 51, 100, 101, 9999])
    assert binary(ranks).tolist() == [0, 1, 1, 1, 1, 1]
    np.testing.assert_allclose(rank(ranks), [0, 0.01, 0.5, 0.99, 1, 1])
    assert rank(11, depth=10) == 1.0


@pytest.mark.parametrize("name", LOSSES)
def test_ranks_count_from_one(name):
    """A rank of 0 or of a half is a mistake of the caller."""
    for bad in ([0], [-1], [1.5], [np.nan]):
        with pytest.raises(InvalidInput, match="from 1 on"):
            LOSSES[name](bad)
    with pytest.raises(InvalidInput, match="depth"):
        rank([1], depth=0)


def test_marks_charge_each_ranking_by_its_own_places() -> None:
    """Right and first is nothing, wrong and first is all; the mean over what was marked."""
    ranks = [[1, 101, 3], [1, 101, 51]]
    assert marks(ranks, [True, True]).tolist() == [0.0, 1.0, 0.26]
    assert marks(ranks, [False, False]).tolist() == [1.0, 0.0, 0.74]
    assert marks(ranks, [True, False]).tolist() == [0.5, 0.5, 0.26]


@pytest.mark.parametrize(
    ("ranks", "right"),
    [
        ([[0]], [True]),
        ([[1]], [1]),
        ([[1]], [True, False]),
        ([1], [True]),
        (np.zeros((0, 2), int), []),
    ],
)
def test_marks_that_do_not_fit_their_ranks_are_refused(ranks: object, right: object) -> None:
    """Places begin at 1, every picture has a mark, and there is one at least."""
    with pytest.raises(InvalidInput):
        marks(ranks, np.array(right, bool) if right == [] else right)
