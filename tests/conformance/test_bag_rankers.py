"""Every ranker of bags of the table against the whole suite."""

from __future__ import annotations

import pytest

from saccade import rankers
from saccade.checks.bags import BAG_CHECKS, ONLINE_BAG_CHECKS, checks_for

ONLINE = {"mi-online"}
FORMS = [
    ("mi-average", {"kernel": "linear"}),
    ("mi-max", {"kernel": "linear", "standardise": False}),
    ("mi-softmax", {"eta": 1.0, "gamma": 0.1}),
    ("mi-online", {"memory": 40, "features": 128}),
]


def cases():
    found = []
    for name, settings in [*((name, {}) for name in rankers.bag_names()), *FORMS]:
        label = "-".join([name, *(f"{key}={value}" for key, value in settings.items())])
        for check in BAG_CHECKS + (ONLINE_BAG_CHECKS if name in ONLINE else ()):
            claim = check.__name__.removeprefix("check_")
            found.append(pytest.param(name, settings, check, id=f"{label}-{claim}"))
    return found


@pytest.mark.parametrize(("name", "settings", "check"), cases())
def test_bag_ranker_keeps_its_promise(name, settings, check):
    """A bag ranker of the table passes a check of the suite."""
    check(lambda: rankers.make(name, **settings))


def test_every_ranker_that_learns_preference_by_preference_meets_the_online_checks():
    """The list above is the set of rankers with `learn_bags`."""
    found = {
        name
        for name in rankers.bag_names()
        if ONLINE_BAG_CHECKS[0] in checks_for(rankers.make(name))
    }
    assert found == ONLINE
