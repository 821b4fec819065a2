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
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.choosers.hedge import Hedge
from saccade.choosers.steady import Floats, log, total
from saccade.errors import InvalidInput, UnknownName
from saccade.types import Scores, State

PLAIN = "plain"

_MARKED = {"company": 0.25, "remembered": 0.5}
"""What these two may say once something is liked, however much that is."""
# Chosen on simulated sessions of five rounds of ten judged (right, 10% and 30% wrong, at random)
# and of one mark alone, so that what is not judged yet gains most and hardly ever loses. Where
# nothing was said against, or nothing for, little is known: the start keeps most of the say. One
# ✓ and one ✕ are to be seen at once. A share of `LEAST` says: seldom needed, but let it prove
# itself. `plain` at the start is as small as lets a fresh guard serve what was liked before: see
# `trusted`.
PRIOR: Mapping[str, Mapping[str, float]] = {
    "start": {"plain": 0.15, "learned": 0.05, "remembered": 0.80},
    "liked": {"plain": 0.07, "learned": 0.07, "spread": 0.08, "contrast": 0.03, **_MARKED},
    "disliked": {
        "plain": 0.15,
        "learned": 0.08,
        "spread": 0.14,
        "contrast": 0.06,
        **_MARKED,
        "company": 0.07,
    },
    "few": {"plain": 0.04, "learned": 0.04, "spread": 0.17, **_MARKED},
    "some": {"plain": 0.06, "learned": 0.05, "spread": 0.10, "contrast": 0.04, **_MARKED},
    "many": {"plain": 0.03, "learned": 0.03, "spread": 0.13, "contrast": 0.06, **_MARKED},
}
"""First weights by stage; an expert that is not named there starts with `LEAST`."""

LEAST = 0.005
RATE = 0.1
PRIOR_SHARE = 0.5
"""How much of the prior stays, whatever is learned: the pairs seen are those at the top of a page,
and an expert that is right there is not always right below."""
EXPERTS = (
    "plain", "learned", "remembered", "shared", "best-scheme", "spread", "contrast", "rocchio",
    "margin", "company",
)  # fmt: skip
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
    weights = np.array([PRIOR[stage].get(expert, LEAST) for expert in EXPERTS])
    return np.asarray(weights / total(weights))


@dataclass(frozen=True, slots=True)
class Scale:
    """Standard deviations from the mean of some scores, bent to stay within ± `LARGEST`.

        z = (s − mean) / deviation        s ↦ z / √(1 + (z / LARGEST)²)

    Scores that are all alike say nothing: everything is 0 on their scale.
    """

    mean: float
    deviation: float  # 0 where nothing is said

    @classmethod
    def of(cls, scores: ArrayLike) -> Self:
        """The scale of these scores."""
        values = np.asarray(scores, np.float64)
        spread = float(values.std()) if len(values) else 0.0
        return cls(float(values.mean()), spread) if spread > 1e-12 else cls(0.0, 0.0)

    def bend(self, scores: ArrayLike) -> Floats:
        """What a difference from the mean is multiplied with at these scores, [n]."""
        values = np.asarray(scores, np.float64)
        if not self.deviation:
            return np.zeros(len(values))
        z = (values - self.mean) / self.deviation
        return np.asarray(1.0 / (self.deviation * np.sqrt(1.0 + np.square(z / LARGEST))))

    def __call__(self, scores: ArrayLike) -> Scores:
        """Scores on this scale, [n]."""
        from saccade.kernels.scale import scaled

        values = np.ascontiguousarray(scores)
        if values.dtype != np.float32:
            values = values.astype(np.float64, copy=False)
        out = np.zeros(len(values), np.float32)
        if self.deviation:
            scaled(values, self.mean, self.deviation, LARGEST, out)
        return out


def standard(scores: ArrayLike, among: NDArray[np.bool_] | None = None) -> Scores:
    """Scores on the scale of those `among` some rows.

    >>> standard([1.0, 2.0, 3.0]).round(2).tolist()
    [-1.1699999570846558, 0.0, 1.1699999570846558]
    """
    values = np.asarray(scores, np.float64)
    return Scale.of(values if among is None else values[among])(values)


def losses(scores: ArrayLike, liked: ArrayLike, new: ArrayLike) -> Floats | None:
    """Share of the pairs ✓ against ✕ that each column has wrong (ties half), [experts].

    `scores` [n, experts]: of each judged picture, as it was before it was judged. Pairs within the
    `new` marks count; where those are all of one kind, pairs of a new with an earlier one. None
    where nothing can be compared.

    >>> losses([[1.0, 0.0], [0.0, 1.0]], [True, False], [True, True])
    array([0., 1.])
    """
    values = np.asarray(scores, np.float64)
    up, fresh = np.asarray(liked, np.bool_), np.asarray(new, np.bool_)
    if values.ndim != 2 or up.shape != (len(values),) or fresh.shape != up.shape:
        raise InvalidInput(
            f"scores {values.shape}, liked {up.shape} and new {fresh.shape} do not fit each other"
        )
    for winners, losers in (
        (up & fresh, ~up & fresh),
        (up & fresh, ~up & ~fresh),
        (up & ~fresh, ~up & fresh),
    ):
        if winners.any() and losers.any():
            gap = values[winners][:, None, :] - values[losers][None, :, :]
            wrong = (gap < 0.0).sum((0, 1)) + 0.5 * (gap == 0.0).sum((0, 1))
            return np.asarray(wrong / (gap.shape[0] * gap.shape[1]), np.float64)
    return None


@dataclass(frozen=True, slots=True)
class GuardVerdict:
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
        self._gains = np.zeros((2, len(EXPERTS)))  # each expert's over plain, and their squares

    def weights(
        self, stage: str, present: Sequence[str], *, prior_share: float = PRIOR_SHARE
    ) -> dict[str, float]:
        """The share of each expert that is there; plain alone where learning may not be served.

        `prior_share` is how much of the prior stays.
        """
        if PLAIN not in present:
            raise InvalidInput(f"the guard needs {PLAIN!r} among the experts: {list(present)}")
        names = [expert for expert in EXPERTS if expert in present]
        if not self.trusted(stage):
            return {expert: float(expert == PLAIN) for expert in names}
        mask = np.array([expert in present for expert in EXPERTS])
        first = np.where(mask, prior(stage), 0.0)
        moved = self._hedge(stage).among(mask)
        shares = prior_share * first / total(first) + (1.0 - prior_share) * moved
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
        gains = np.array([lost[PLAIN] - lost.get(expert, lost[PLAIN]) for expert in EXPERTS])
        self._gains = self._gains + np.stack([gains, np.square(gains)])

    def verdict(self) -> GuardVerdict:
        """What serving the mixture has cost or gained so far."""
        _, deviation = _mean(self.plain - self.served, self._squares, self.events)
        return GuardVerdict(
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

    def margins(self) -> dict[str, tuple[float, float]]:
        """How much less than plain each expert loses in an event it was there for, and ± what."""
        there = self.standing()
        return {
            expert: _mean(float(gain), float(squares), there[expert][1])
            for expert, gain, squares in zip(EXPERTS, *self._gains, strict=True)
            if expert in there
        }

    def shares(self) -> dict[str, float]:
        """Each expert's weight now, averaged over the events of all stages; before any, `few`."""
        counts = [(name, h.rounds) for name, h in sorted(self._hedges.items()) if h.rounds]
        counts = counts or [("few", 1)]
        events = sum(count for _, count in counts)
        weights = [(count, self.weights(stage, EXPERTS)) for stage, count in counts]
        return {e: total([n * shares[e] for n, shares in weights]) / events for e in EXPERTS}

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
        return State("guard", spec, {**arrays, "gains": self._gains})

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
        guard._gains = np.array(state.arrays["gains"])
        return guard


def _mean(total: float, squares: float, events: int) -> tuple[float, float]:
    """The mean of some values by their sums, and its standard error."""
    mean = total / max(1, events)
    variance = max(0.0, squares / max(1, events) - mean * mean)
    return mean, math.sqrt(variance / max(1, events - 1))
