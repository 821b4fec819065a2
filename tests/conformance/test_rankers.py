"""Every row of the ranker table, and the forms that settings give some, against the whole suite."""

from __future__ import annotations

import pytest

from saccade import rankers
from saccade.checks.rankers import (
    ONLINE_CHECKS,
    RANKER_CHECKS,
    check_fit_orders_a_separable_world,
    checks_for,
)

# Named here, so that collecting these tests imports no learner; the last test keeps the list true.
ONLINE = {"opr", "opar1", "opar2", "ogdr", "arow", "scw", "uniform", "best-scheme"}

FORMS = [
    ("opar1", {"average": True}),
    ("opar2", {"average": False, "prior": 0.5}),
    ("arow", {"covariance": "full"}),
    ("scw", {"covariance": "full", "average": True}),
    ("ranksvm", {"kernel": "rbf"}),
    ("ranksvm", {"kernel": "poly", "degree": 2}),
]


def cases():
    found = []
    for name, settings in [*((name, {}) for name in rankers.names()), *FORMS]:
        label = "-".join([name, *(f"{key}={value}" for key, value in settings.items())])
        for check in RANKER_CHECKS + (ONLINE_CHECKS if name in ONLINE else ()):
            # `uniform` never learns; the other baselines find the column that tells.
            if name == "uniform" and check is check_fit_orders_a_separable_world:
                continue
            claim = check.__name__.removeprefix("check_")
            found.append(pytest.param(name, settings, check, id=f"{label}-{claim}"))
    return found


@pytest.mark.parametrize(("name", "settings", "check"), cases())
def test_ranker_keeps_its_promise(name, settings, check):
    """A ranker of the table passes a check of the suite."""
    check(lambda: rankers.make(name, **settings))


def test_every_ranker_that_learns_pair_by_pair_meets_the_online_checks():
    """The list above is the set of rankers with `learn`."""
    found = {name for name in rankers.names() if ONLINE_CHECKS[0] in checks_for(rankers.make(name))}
    assert found == ONLINE
