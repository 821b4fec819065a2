"""Everything learned, as a fold over the log.

    models = fold(feedback events in order, void ones left out)

A feedback event carries the φ it was given on and the pairs that follow from it, so the fold needs
nothing else: the same log gives the same models, bit for bit, on any machine. Live learning applies
one more event to the same state; `replay` starts from nothing. Both run this code.

    shared    learns from everybody; the mean of its weights over time is served
    own[u]    learns, from user u alone, what the shared model still gets wrong for them
    served    shared + own[u]

Both serve averages: the last weights lean towards the last query. A scheme the log has not seen
yet has its starting weight (in the event that brings it), so a new descriptor counts from the
start; a scheme an event did not compute has a zero difference there, so nothing is learned about
it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.engine.recipe import Recipe
from saccade.store.events import FEEDBACK, Event
from saccade.types import Phi, State

Weights = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Own:
    """What one user taught, and whether it paid.

    `stated` counts the preferences the user said in so many words; `learned_right` and
    `plain_right` those of them that the ranking served and the ranking without learning had in the
    right order *before* learning from them (ties half). What is read into the order of a page is
    not counted: it contradicts that order by construction.
    """

    last: Weights = field(default_factory=lambda: np.zeros(0, np.float32))
    total: Weights = field(default_factory=lambda: np.zeros(0, np.float32))
    events: int = 0
    pairs: int = 0
    stated: int = 0
    learned_right: float = 0.0
    plain_right: float = 0.0

    @property
    def weights(self) -> Weights:
        """The mean of the user's part after each of their events."""
        mean: Weights = self.total / np.float32(max(1, self.events))
        return mean


class Models:
    """The state of the fold."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self.schemes: tuple[str, ...] = ()
        self.start: Weights = np.zeros(0, np.float32)
        self.event = 0
        self.own: dict[str, Own] = {}
        self.wins: NDArray[np.float64] = np.zeros(0)  # pairs each scheme alone has ordered rightly
        self._shared: Any = None  # an online linear learner, made when the first pair comes

    def copy(self) -> Models:
        """An independent copy; records are immutable, so it is cheap."""
        twin = Models(self._recipe)
        twin.schemes, twin.event, twin.own = self.schemes, self.event, dict(self.own)
        twin.wins, twin.start = self.wins, self.start
        twin._shared = None if self._shared is None else rankers.load(self._shared.dump())
        return twin

    # -- serving -------------------------------------------------------------------------------

    def weights(self, ranker: str, user: str, start: Mapping[str, float]) -> NDArray[np.float64]:
        """Weight of each scheme of a page, given the weights to start from.

        Magnitudes sum to 1, so that scores are comparable from page to page.
        """
        raw = np.ones(len(start), np.float64)
        if ranker == "balanced":
            raw = np.array(list(start.values()))
        elif ranker in ("learned", "shared"):
            known = dict(zip(self.schemes, self.served(user, ranker).tolist(), strict=True))
            raw = np.array([known.get(scheme, begin) for scheme, begin in start.items()])
        elif ranker == "best-scheme":
            best = self.best_scheme(tuple(start))
            raw = np.array([float(scheme == best) for scheme in start])
        total = np.abs(raw).sum()
        return raw / total if total > 0 else np.full(len(raw), 1.0 / max(1, len(raw)))

    def served(self, user: str, ranker: str = "learned") -> Weights:
        """The weights over `self.schemes` that rank a user's pages."""
        shared = self._shared_weights()
        own = self.own.get(user)
        if ranker == "shared" or own is None:
            return shared
        return shared + _padded(own.weights, len(self.schemes))

    def best_scheme(self, schemes: Sequence[str]) -> str:
        """The single scheme that ordered most pairs rightly; the first one before any feedback."""
        wins = dict(zip(self.schemes, self.wins.tolist(), strict=True))
        return max(schemes, key=lambda scheme: wins.get(scheme, 0.0))  # the first of equals

    def _shared_weights(self) -> Weights:
        if self._shared is None:
            return np.zeros(0, np.float32)
        weights: Weights = self._shared.weights
        return weights

    # -- learning ------------------------------------------------------------------------------

    def apply(self, event: Event) -> None:
        """Learn from one feedback event; other kinds only move the clock."""
        self.event = event.event
        if event.kind not in FEEDBACK or not len(event.arrays["pairs"]):
            return
        phi = self._aligned(event)
        winners, losers = (phi[event.arrays["pairs"][:, side]] for side in (0, 1))
        own = self.own.get(event.user, Own())
        gap = winners - losers
        learned, plain = _margins(gap, self.served(event.user)), _margins(gap, self.start)
        self._shared.learn(winners, losers)
        self.wins = self.wins + (winners > losers).sum(0) + 0.5 * (winners == losers).sum(0)
        last = self._corrected(own, winners, losers)
        own = replace(
            own,
            last=last,
            total=_padded(own.total, len(last)) + last,
            events=own.events + 1,
            pairs=own.pairs + len(gap),
        )
        if event.body["stated"]:
            own = replace(
                own,
                stated=own.stated + len(gap),
                learned_right=own.learned_right + _right(learned),
                plain_right=own.plain_right + _right(plain),
            )
        self.own[event.user] = own

    def _corrected(self, own: Own, winners: Phi, losers: Phi) -> Weights:
        """The user's part after learning what the shared model, now updated, still gets wrong."""
        base = self._shared_weights()
        start = base + _padded(own.last, len(base))
        # The first words are heard at once; later ones refine. Steps that stay large would chase
        # whatever was said last.
        patience = math.sqrt(1.0 + own.events)
        steps = {k: v / patience if k in ("C", "rate") else v for k, v in self._recipe.own.items()}
        learner = rankers.make(self._recipe.learner, **steps, prior=start)
        learner.learn(winners, losers)
        corrected: Weights = learner.weights - base
        return corrected

    def _aligned(self, event: Event) -> Phi:
        """The event's φ in the order of `self.schemes`, which grows by what the event brings."""
        given = tuple(event.body["schemes"])
        self._widen(
            {
                scheme: start
                for scheme, start in zip(given, event.body["start"], strict=True)
                if scheme not in self.schemes
            }
        )
        place = {scheme: i for i, scheme in enumerate(self.schemes)}
        rows = event.arrays["phi"]
        phi = np.zeros((len(rows), len(self.schemes)), np.float32)
        phi[:, [place[scheme] for scheme in given]] = rows
        return phi

    def _widen(self, new: Mapping[str, float]) -> None:
        if not new:
            return
        self.schemes += tuple(new)
        self.wins = np.concatenate([self.wins, np.zeros(len(new))])
        self.start = np.concatenate([self.start, np.array(list(new.values()), np.float32)])
        wider = rankers.make(self._recipe.learner, **self._recipe.shared, prior=self.start)
        if self._shared is not None:
            wider = _grown(self._shared.dump(), wider.dump())
        self._shared = wider

    # -- at rest -------------------------------------------------------------------------------

    def digest(self) -> str:
        """Names the learned state: equal digests, equal bits."""
        body, arrays = self.dump()
        body.pop("event")
        mark = hashlib.sha256(json.dumps(body, sort_keys=True).encode())
        for name in sorted(arrays):
            array = np.ascontiguousarray(arrays[name])
            mark.update(f"{name}{array.dtype}{array.shape}".encode())
            mark.update(array.tobytes())
        return mark.hexdigest()

    def dump(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The whole state as a JSON body and named arrays."""
        arrays: dict[str, NDArray[Any]] = {}
        body: dict[str, Any] = {"event": self.event, "schemes": list(self.schemes), "own": {}}
        if self._shared is not None:
            state = self._shared.dump()
            body["shared"] = {"kind": state.kind, "spec": dict(state.spec)}
            arrays = {f"shared/{name}": array for name, array in state.arrays.items()}
        arrays |= {"wins": self.wins, "start": self.start}
        for number, user in enumerate(sorted(self.own)):
            own = self.own[user]
            body["own"][user] = [
                own.events,
                own.pairs,
                own.stated,
                own.learned_right,
                own.plain_right,
            ]
            arrays[f"own/{number}"] = np.stack([own.last, own.total])
        return body, arrays

    @classmethod
    def load(
        cls, recipe: Recipe, body: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> Models:
        """What `dump` gave."""
        models = cls(recipe)
        models.schemes, models.event = tuple(body["schemes"]), int(body["event"])
        models.wins, models.start = arrays["wins"], arrays["start"]
        if "shared" in body:
            mine = {n.partition("/")[2]: a for n, a in arrays.items() if n.startswith("shared/")}
            models._shared = rankers.load(
                State(body["shared"]["kind"], body["shared"]["spec"], mine)
            )
        for number, user in enumerate(sorted(body["own"])):
            last, total = arrays[f"own/{number}"]
            models.own[user] = Own(last, total, *body["own"][user])
        return models


def _grown(old: State, fresh: State) -> Any:
    """A fresh, wider learner that keeps what the old one knew about its schemes."""
    arrays = {}
    for name, array in fresh.arrays.items():
        known, array = old.arrays[name], array.copy()
        array[tuple(slice(side) for side in known.shape)] = known
        arrays[name] = array
    spec = {**old.spec, "parameters": fresh.spec["parameters"]}
    return rankers.load(State(old.kind, spec, arrays))


def _padded(weights: Weights, width: int) -> Weights:
    return np.concatenate([weights, np.zeros(width - len(weights), np.float32)])


def _margins(gap: Phi, weights: Weights) -> NDArray[np.float32]:
    # A running sum has one order; a library's inner product has one for every processor.
    return np.cumsum(gap * weights, axis=1, dtype=np.float32)[:, -1]


def _right(margins: NDArray[np.float32]) -> float:
    return float(np.count_nonzero(margins > 0) + 0.5 * np.count_nonzero(margins == 0))
