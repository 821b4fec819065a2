"""Every row of the ranker table against every check that applies to it."""

from __future__ import annotations

import pytest

from saccade import rankers
from saccade.checks.rankers import check_fit_orders_a_separable_world, checks_for

# `uniform` never learns. The other two baselines find column 0, which orders the checks' world.
UNLEARNED = {"uniform"}


def cases():
    for name in rankers.names():
        for check in checks_for(rankers.make(name)):
            if not (name in UNLEARNED and check is check_fit_orders_a_separable_world):
                yield pytest.param(
                    name, check, id=f"{name}-{check.__name__.removeprefix('check_')}"
                )


@pytest.mark.parametrize(("name", "check"), cases())
def test_ranker_keeps_its_promise(name, check):
    """A ranker of the table passes a check of the suite."""
    check(lambda: rankers.make(name))
