"""The guard: what is learned is served as far as it pays, and never far behind no learning.

    served = Σ_e w_e · x_e        x_e = b + standard(e with the marks) − standard(e without)

Each expert's score x_e is the start's, moved by what the marks say in its eyes; b is the start's
own standardised score (or, for an expert that ranks anew, its own). The weights are Hedge's: a
prior for the `stage` a session is in, learned on simulated sessions, moved by this person's
events. Every expert is charged with the share of stated pairs (a ✓ against a ✕) that it had in the
wrong order *before* it learned from them, by the scores it gave when each was marked.

Hedge bounds what drawing an expert by its weight would lose; what is served is the mixture of
their scores. So the guard also keeps what the mixture itself lost, and serves no learning while
the excess could grow beyond Hedge's bound against "plain":

    Σ loss(served) − Σ loss(plain) ≤ Σ_stages √T (√ln N / 2 + ln(1 / prior of plain) / (2 √ln N))

on any stream, by construction. All sums and weights have the same bits everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from saccade.choosers.hedge import Hedge
from saccade.choosers.steady import Floats, log, total
from saccade.errors import InvalidInput, UnknownName
from saccade.types import Scores, State

PLAIN = "plain"

# Chosen on simulated sessions of five rounds of ten judged (right, 10% and 30% wrong, at random)
# and of one mark alone, so that what is not judged yet gains most and hardly ever loses. Where
# nothing was said against, or nothing for, little is known: the start keeps most of the say. One
# ✓ and one ✕ are to be seen at once. A share of `LEAST` says: seldom needed, but let it prove
# itself.
PRIOR: Mapping[str, Mapping[str, float]] = {
    "start": {"plain": 0.50, "learned": 0.50},
    "liked": {"plain": 0.28, "learned": 0.27, "spread": 0.31, "contrast": 0.14},
    "disliked": {"plain": 0.30, "learned": 0.30, "spread": 0.28, "contrast": 0.12},
    "few": {"plain": 0.05, "learned": 0.05, "spread": 0.63, "contrast": 0.27},
    "some": {"plain": 0.21, "learned": 0.21, "spread": 0.41, "contrast": 0.17},
    "many": {"plain": 0.12, "learned": 0.12, "spread": 0.53, "contrast": 0.23},
}
"""First weights by stage; an expert that is not named there starts with `LEAST`."""

LEAST = 0.005
RATE = 0.1
KEPT = 0.5
"""How much of the prior stays, whatever is learned: the pairs seen are those at the top of a page,
and an expert that is right there is not always right below."""
EXPERTS = ("plain", "learned", "shared", "best-scheme", "spread", "contrast", "rocchio", "margin")
LARGEST = 4.0
"""Standardised scores stay within ± this, so that no expert outshouts the others."""


def stage(likes: int, dislikes: int) -> str:
    """Where a session stands: what helps depends on how much was said, and whether both ways.

    >>> [stage(0, 0), stage(3, 0), stage(0, 1), stage(1, 1), stage(4, 6), stage(30, 10)]
    ['start', 'liked', 'disliked', 'few', 'some', 'many']
    """
    if not likes and not dislikes:
        return "start"
    if not dislikes:
        return "liked"
    if not likes:
        return "disliked"
    judged = likes + dislikes
    return "few" if judged < 6 else "some" if judged < 25 else "many"


def prior(stage: str) -> Floats:
    """First weights of all `EXPERTS` in a stage, sum 1."""
    if stage not in PRIOR:
        raise UnknownName("stage of a session", stage, PRIOR)
    given = np.array([PRIOR[stage].get(expert, LEAST) for expert in EXPERTS])
    return np.asarray(given / total(given))


def standard(scores: Any, among: NDArray[np.bool_] | None = None) -> Scores:
    """Scores in standard deviations from their mean `among` some rows, bent to stay within ± 4.

    All alike is 0 everywhere: such an expert says nothing.

    >>> standard([1.0, 2.0, 3.0]).round(2).tolist()
    [-1.1699999570846558, 0.0, 1.1699999570846558]
    """
    given = np.asarray(scores, np.float64)
    base = given if among is None else given[among]
    if not len(base):
        return np.zeros(len(given), np.float32)
    spread = float(base.std())
    if not spread > 1e-12:
        return np.zeros(len(given), np.float32)
    z = (given - base.mean()) / spread
    return np.asarray(z / np.sqrt(1.0 + np.square(z / LARGEST)), np.float32)


def losses(scores: Any, liked: Any, new: Any) -> Floats | None:
    """Share of the pairs ✓ against ✕ that each column has wrong (ties half), [experts].

    `scores` [n, experts]: of each judged picture, as it was before it was judged. Pairs within the
    `new` marks count; where those are all of one kind, pairs of a new with an earlier one. None
    where nothing can be compared.

    >>> losses([[1.0, 0.0], [0.0, 1.0]], [True, False], [True, True])
    array([0., 1.])
    """
    given = np.asarray(scores, np.float64)
    up, fresh = np.asarray(liked, np.bool_), np.asarray(new, np.bool_)
    if given.ndim != 2 or up.shape != (len(given),) or fresh.shape != up.shape:
        raise InvalidInput(
            f"scores {given.shape}, liked {up.shape} and new {fresh.shape} do not fit each other"
        )
    for winners, losers in (
        (up & fresh, ~up & fresh),
        (up & fresh, ~up & ~fresh),
        (up & ~fresh, ~up & fresh),
    ):
        if winners.any() and losers.any():
            gap = given[winners][:, None, :] - given[losers][None, :, :]
            wrong = (gap < 0.0).sum((0, 1)) + 0.5 * (gap == 0.0).sum((0, 1))
            return np.asarray(wrong / (gap.shape[0] * gap.shape[1]), np.float64)
    return None


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether learning pays: losses are shares of wrong pairs summed over `events`."""

    events: int
    served: float
    plain: float
    deviation: float  # of the mean gain an event
    trusted: bool  # whether the mixture is served, or plain alone

    @property
    def gain(self) -> float:
        """How much less than no learning an event loses, on average."""
        return (self.plain - self.served) / max(1, self.events)

    @property
    def pays(self) -> bool:
        """Said only where the gain is two standard errors above nothing, over five events."""
        return self.events >= 5 and self.gain > 2.0 * self.deviation


class Guard:
    """One person's weights over the experts, by stage, and what serving them has cost or gained."""

    def __init__(self) -> None:
        self._hedges: dict[str, Hedge] = {}
        self.events = 0
        self.served = 0.0
        self.plain = 0.0
        self._squares = 0.0  # of the gains, for their deviation

    def weights(self, stage: str, present: Sequence[str]) -> dict[str, float]:
        """The share of each expert that is there; plain alone where learning may not be served."""
        if PLAIN not in present:
            raise InvalidInput(f"the guard needs {PLAIN!r} among the experts: {list(present)}")
        names = [expert for expert in EXPERTS if expert in present]
        if not self.trusted(stage):
            return {expert: float(expert == PLAIN) for expert in names}
        mask = np.array([expert in present for expert in EXPERTS])
        first = np.where(mask, prior(stage), 0.0)
        moved = self._hedge(stage).among(mask)
        shares = KEPT * first / total(first) + (1.0 - KEPT) * moved
        return {expert: float(shares[EXPERTS.index(expert)]) for expert in names}

    def trusted(self, stage: str) -> bool:
        """Whether one more event in this stage, lost outright, would stay within the bound."""
        return self.served - self.plain + 1.0 <= self.allowance(stage)

    def allowance(self, stage: str | None = None) -> float:
        """Hedge's bound against plain so far, over all stages; with one more event in `stage`."""
        rounds = {name: hedge.rounds for name, hedge in self._hedges.items()}
        if stage is not None:
            rounds[stage] = rounds.get(stage, 0) + 1
        scale = math.sqrt(log(len(EXPERTS)))
        return total(
            [
                math.sqrt(count) * (scale / 2.0 - log(float(prior(name)[0])) / (2.0 * scale))
                for name, count in sorted(rounds.items())
            ]
        )

    def learn(self, stage: str, lost: Mapping[str, float], served: float) -> None:
        """Take in what each expert that was there lost in an event, and what was served lost."""
        if PLAIN not in lost:
            raise InvalidInput(f"the guard needs the loss of {PLAIN!r}, beside {sorted(lost)}")
        mask = np.array([expert in lost for expert in EXPERTS])
        self._hedge(stage).update([lost.get(expert, 0.0) for expert in EXPERTS], present=mask)
        gain = lost[PLAIN] - served
        self.events += 1
        self.served += served
        self.plain += lost[PLAIN]
        self._squares += gain * gain

    def verdict(self) -> Verdict:
        """What serving the mixture has cost or gained so far."""
        mean = (self.plain - self.served) / max(1, self.events)
        variance = max(0.0, self._squares / max(1, self.events) - mean * mean)
        deviation = math.sqrt(variance / max(1, self.events - 1))
        return Verdict(
            self.events, self.served, self.plain, deviation,
            self.served - self.plain <= max(0.0, self.allowance() - 1.0),
        )  # fmt: skip

    def standing(self) -> dict[str, tuple[float, int]]:
        """Each expert's losses and the events they are of, over all stages."""
        lost, there = np.zeros(len(EXPERTS)), np.zeros(len(EXPERTS))
        for _, hedge in sorted(self._hedges.items()):
            lost, there = lost + hedge.own, there + hedge.awake
        return {
            expert: (float(lost[i]), int(there[i])) for i, expert in enumerate(EXPERTS) if there[i]
        }

    def _hedge(self, stage: str) -> Hedge:
        if stage not in self._hedges:
            self._hedges[stage] = Hedge(
                experts=len(EXPERTS), rate=RATE, prior=prior(stage), history=0
            )
        return self._hedges[stage]

    # -- at rest -------------------------------------------------------------------------------

    def dump(self) -> State:
        """The whole state: losses by stage, and the sums."""
        used = sorted(name for name, hedge in self._hedges.items() if hedge.rounds)
        states = {name: self._hedges[name].dump() for name in used}
        spec = {
            "experts": list(EXPERTS),
            "stages": {name: dict(state.spec) for name, state in states.items()},
            "sums": [self.events, self.served, self.plain, self._squares],
        }
        arrays = {
            f"{name}/{key}": array
            for name, state in states.items()
            for key, array in state.arrays.items()
        }
        return State("guard", spec, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """What `dump` gave."""
        if state.kind != "guard" or tuple(state.spec["experts"]) != EXPERTS:
            raise InvalidInput(
                "this is no guard's state, or one over other experts", hint="replay the log"
            )
        guard = cls()
        for name, spec in state.spec["stages"].items():
            mine = {
                key.partition("/")[2]: array
                for key, array in state.arrays.items()
                if key.startswith(f"{name}/")
            }
            guard._hedges[name] = Hedge.load(State("hedge", spec, mine))
        events, guard.served, guard.plain, guard._squares = state.spec["sums"]
        guard.events = int(events)
        return guard
