"""Every row of the chooser table with each of its rates against the suite, and it against liars."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import choosers
from saccade.checks.choosers import BANDIT_CHECKS, CHOOSER_CHECKS, EXPERT_CHECKS, check_chooser
from saccade.choosers.exp3 import Exp3
from saccade.choosers.hedge import Hedge

RATES = {"hedge": 0.1, "exp3": 0.1, "exp3-ix": 0.05}


def cases():
    found = []
    for name in choosers.names():
        forms = (
            [{"rate": rate} for rate in (None, "doubling", RATES[name])] if name in RATES else [{}]
        )
        kind = EXPERT_CHECKS if name == "hedge" else BANDIT_CHECKS
        for settings in forms:
            label = "-".join([name, *map(str, settings.values())])
            for check in CHOOSER_CHECKS + kind:
                claim = check.__name__.removeprefix("check_")
                found.append(pytest.param(name, settings, check, id=f"{label}-{claim}"))
    return found


@pytest.mark.parametrize(("name", "settings", "check"), cases())
def test_chooser_keeps_its_promise(name, settings, check):
    """A chooser of the table passes a check of the suite."""
    check(lambda experts: choosers.make(name, experts=experts, **settings))


class NewestChance(Exp3):
    """A bandit that weighs a late reaction with the newest probability."""

    def update(self, arm, loss, *, probability):
        newest = self.weights
        super().update(arm, loss, probability=probability)
        self._sums["losses"][arm] += loss / newest[arm] - loss / probability


class ForgetsTheAbsent(Hedge):
    """Charges nothing to those who stay away."""

    def update(self, losses, *, present=None):
        if present is None:
            super().update(losses)
        else:
            super().update(np.where(present, losses, 0.0))


@pytest.mark.parametrize(
    ("liar", "caught"),
    [(NewestChance, "weighed with its own chance"), (ForgetsTheAbsent, "staying away pays")],
)
def test_a_liar_is_noticed(liar, caught):
    """The suite fails a chooser that weighs late reactions or absences wrongly."""
    with pytest.raises(AssertionError, match=caught):
        check_chooser(lambda experts: liar(experts=experts))
