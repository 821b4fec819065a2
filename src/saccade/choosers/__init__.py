"""Choosers: which of several ways to answer should be trusted, learned from losses in 0..1.

    make(name, experts=20, rate=None)                a fresh chooser
    chooser.weights                                  [experts], sum 1: the chance of each
    chooser.choose(rng=rng)                          (arm, probability); changes nothing
    chooser.update(losses)                           expert choosers: every loss is known
    bandit.update(arm, loss, probability=chance)     bandits: only the chosen one's is
    chooser.served, .losses, .regret, .bound()       what was lost, by whom, and the promise
    chooser.dump() / load(state)                     a JSON-able spec and named arrays

The convention, once for all: a loss is in 0..1 and 0 is best. `rate` is a number (fixed),
"decreasing" (the default: no horizon to know) or "doubling". `present` says which experts have an
answer this time; the others are left alone. A late reaction is weighed with the `probability` of
*its* page. Weights come from log-weights, so they never overflow, and every sum and power is
computed the same way everywhere (`saccade.choosers.steady`): a replay gives the same bits.

>>> chooser = make("hedge", experts=3, rate=0.5)
>>> chooser.update([0.0, 1.0, 1.0])
>>> chooser.weights
array([0.5 , 0.25, 0.25])

>>> again = load(chooser.dump())
>>> again.weights
array([0.5 , 0.25, 0.25])
>>> names(), sorted(parameters("hedge"))
(('exp3', 'exp3-ix', 'hedge', 'thompson'), ['history', 'prior', 'rate'])
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, overload

from saccade.choosers.votes import VOTES, heaviest, vote
from saccade.errors import InvalidInput, UnknownName
from saccade.types import State

if TYPE_CHECKING:
    from saccade.choosers.base import Bandit
    from saccade.choosers.hedge import Hedge

__all__ = ["CHOOSERS", "VOTES", "heaviest", "load", "make", "names", "parameters", "vote"]

CHOOSERS = {
    "exp3": "saccade.choosers.exp3:Exp3",
    "exp3-ix": "saccade.choosers.exp3_ix:Exp3IX",
    "hedge": "saccade.choosers.hedge:Hedge",
    "thompson": "saccade.choosers.thompson:Thompson",
}


def names() -> tuple[str, ...]:
    """Every chooser that `make` knows."""
    return tuple(sorted(CHOOSERS))


def chooser_class(name: str) -> type[Hedge | Bandit]:
    """The class behind a name; its module is imported now and not before."""
    if name not in CHOOSERS:
        raise UnknownName("chooser", name, CHOOSERS)
    module, _, attribute = CHOOSERS[name].partition(":")
    kind: type[Hedge | Bandit] = getattr(importlib.import_module(module), attribute)
    return kind


def parameters(name: str) -> dict[str, object]:
    """What `make(name, …)` takes beside `experts`, with the values it takes by default."""
    signature = inspect.signature(chooser_class(name))
    return {
        key: parameter.default
        for key, parameter in signature.parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and key != "experts"
    }


@overload
def make(name: Literal["hedge"], *, experts: int, **settings: object) -> Hedge: ...
@overload
def make(
    name: Literal["exp3", "exp3-ix", "thompson"], *, experts: int, **settings: object
) -> Bandit: ...
@overload
def make(name: str, *, experts: int, **settings: object) -> Hedge | Bandit: ...
def make(name: str, *, experts: int, **settings: object) -> Hedge | Bandit:
    """A fresh chooser among `experts`; what it `sees` says how it is updated.

    >>> make("exp3", experts=4).weights
    array([0.25, 0.25, 0.25, 0.25])
    >>> make("exp-3", experts=4)
    Traceback (most recent call last):
    saccade.errors.UnknownName: no chooser 'exp-3'; did you mean 'exp3'?
    """
    kind = chooser_class(name)
    accepted = parameters(name) if settings else {}
    for key in settings:
        if key not in accepted:
            raise UnknownName(f"parameter of {name}", key, accepted)
    build: Callable[..., Hedge | Bandit] = kind
    return build(experts=experts, **settings)


def load(state: State) -> Hedge | Bandit:
    """The chooser that was dumped, ready to go on as it would have."""
    if state.kind not in CHOOSERS:
        raise UnknownName("chooser", state.kind, CHOOSERS, hint="the state names it as its kind")
    try:
        return chooser_class(state.kind).load(state)
    except (KeyError, TypeError) as problem:
        raise InvalidInput(
            f"state of chooser {state.kind!r} cannot be read: {problem!r}",
            hint="replay the log, or take the state from a version of Saccade that wrote it",
        ) from problem
