"""Losses of a rank."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.choosers.losses import LOSSES, binary, rank
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
