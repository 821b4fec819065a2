"""Every ranker by labels of the table against the whole suite."""

from __future__ import annotations

import pytest

from saccade import rankers
from saccade.checks.labels import LABEL_CHECKS, ONLINE_LABEL_CHECKS, checks_for

ONLINE = {"hybrid-online"}
FORMS = [
    ("hybrid", {"bias": 1.0, "C": 1.0}),
    ("hybrid-kernel", {"kernel": "linear", "C": 4.0, "rho": 4.0}),
    ("hybrid-online", {"schedule": "printed"}),
    ("hybrid-online", {"bias": 5.0, "schedule": "pegasos", "passes": 60}),
]


def cases():
    found = []
    for name, settings in [*((name, {}) for name in rankers.label_names()), *FORMS]:
        label = "-".join([name, *(f"{key}={value}" for key, value in settings.items())])
        for check in LABEL_CHECKS + (ONLINE_LABEL_CHECKS if name in ONLINE else ()):
            claim = check.__name__.removeprefix("check_")
            found.append(pytest.param(name, settings, check, id=f"{label}-{claim}"))
    return found


@pytest.mark.parametrize(("name", "settings", "check"), cases())
def test_label_ranker_keeps_its_promise(name, settings, check):
    """A label ranker of the table passes a check of the suite."""
    check(lambda: rankers.make(name, **settings))


def test_every_ranker_that_learns_label_by_label_meets_the_online_checks():
    """The list above is the set of rankers with `learn_labels`."""
    found = {
        name
        for name in rankers.label_names()
        if ONLINE_LABEL_CHECKS[0] in checks_for(rankers.make(name))
    }
    assert found == ONLINE
