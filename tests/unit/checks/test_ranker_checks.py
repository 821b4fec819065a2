"""The conformance suite finds what it is there to find: each mutant breaks one promise."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import rankers
from saccade.checks import rankers as suite
from saccade.errors import InvalidInput
from saccade.rankers.online import OPAR1
from saccade.types import State


class Impure(OPAR1):
    def score(self, phi):
        self.seed += 1
        return super().score(phi)


class Relative(OPAR1):
    def score(self, phi):
        scores = super().score(phi)
        return scores - scores.mean() if len(scores) else scores


class Forgetful(OPAR1):
    def dump(self):
        state = super().dump()
        weights = {k: np.round(a, 1) if k == "weights" else a for k, a in state.arrays.items()}
        return State(state.kind, state.spec, weights)


class Backward(OPAR1):
    def score(self, phi):
        return -super().score(phi)


class Dice(OPAR1):
    def fit(self, *rows, **options):
        self.seed = int(np.random.default_rng().integers(2**31))
        super().fit(*rows, **options)


class Greedy(OPAR1):
    def fit(self, phi, *rest, **options):
        super().fit(phi, *rest, **options)
        phi[:] = 0.0


class Lenient(OPAR1):
    def score(self, phi):
        return super().score(np.nan_to_num(phi, posinf=0.0, neginf=0.0))


class Batchwise(OPAR1):
    def learn(self, winners, losers):
        if len(winners):
            super().learn(winners.mean(axis=0, keepdims=True), losers.mean(axis=0, keepdims=True))


class Counting(OPAR1):
    def learn(self, winners, losers):
        super().learn(winners, losers)
        if self._learned is not None:
            self._learned["statistics"][0] += 1.0


class Hasty(OPAR1):
    def learn(self, winners, losers):
        for winner, loser in zip(winners, losers, strict=False):
            super().learn(winner[None], loser[None])


class Speechless(OPAR1):
    def score(self, phi):
        if self.seen == 0:
            return np.full(len(phi), np.nan, np.float32)
        return super().score(phi)


class Scaling(OPAR1):
    def fit(self, phi, grades, groups, *, validation=None):
        queries = np.unique(groups)
        super().fit(phi * np.float32(len(queries)), grades, groups, validation=validation)


class Dividing(OPAR1):
    def score(self, phi):
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = super().score(phi)
            return scores / np.ptp(scores)


class Writing(OPAR1):
    def learn(self, winners, losers):
        winners -= losers
        super().learn_differences(winners)


MUTANTS = [
    (Impure, suite.check_score_is_pure),
    (Relative, suite.check_rows_are_scored_by_themselves),
    (Forgetful, suite.check_state_survives),
    (Forgetful, suite.check_a_loaded_learner_goes_on),
    (Backward, suite.check_fit_orders_a_separable_world),
    (Dice, suite.check_fit_is_deterministic),
    (Greedy, suite.check_fit_keeps_its_input),
    (Lenient, suite.check_bad_rows_are_refused),
    (Batchwise, suite.check_one_by_one_is_many),
    (Counting, suite.check_zero_difference_changes_nothing),
    (Hasty, suite.check_bad_pairs_are_refused),
    (Speechless, suite.check_works_before_learning),
    (Scaling, suite.check_queries_without_order_teach_nothing),
    (Dividing, suite.check_constant_columns_are_harmless),
]


@pytest.mark.parametrize(
    ("mutant", "check"), MUTANTS, ids=lambda value: getattr(value, "__name__", None)
)
def test_a_broken_promise_is_found(mutant, check):
    """The check that is there for it fails, with a sentence."""
    with pytest.raises((AssertionError, InvalidInput)) as problem:
        check(mutant)
    assert str(problem.value)


def test_writing_into_the_pairs_is_found():
    """A learner that works in its caller's arrays cannot read read-only ones."""
    with pytest.raises((AssertionError, ValueError)):
        suite.check_learning_keeps_its_input(Writing)


def test_what_lacks_a_verb_is_found():
    """A class without `fit` is no ranker."""

    class Half:
        name = "half"

        def score(self, phi):
            return phi[:, 0]

    with pytest.raises(AssertionError, match="lacks a method"):
        suite.check_has_the_verbs(Half)


def test_a_good_ranker_passes_all_that_apply():
    """check_ranker runs the online checks for a learner, and the batch ones alone for the rest."""
    suite.check_ranker(lambda: rankers.make("opar1", C=0.3))
    suite.check_ranker(lambda: rankers.make("vsm"))
    suite.check_ranker(lambda: rankers.make("uniform"), learns=False)
    assert suite.check_one_by_one_is_many in suite.checks_for(rankers.make("opar1"))
    assert suite.check_one_by_one_is_many not in suite.checks_for(rankers.make("vsm"))
