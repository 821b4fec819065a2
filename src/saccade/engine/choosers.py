"""The choosers of an open store: what they choose from, who leads, what finding out has cost."""

from __future__ import annotations

from typing import Any

from saccade.engine.choice import BANDIT, EXPERT, VOTE
from saccade.engine.choosing import AUTO, EXPLORING
from saccade.engine.opened import OpenStore
from saccade.engine.progress import Watch
from saccade.engine.sources import configurations
from saccade.engine.sources.further import Further
from saccade.types import ChooserHistory, ChooserReport, ChoosersReport, ConfigurationStanding

DIGITS = 6
"""Of what is drawn over time: a curve needs no more, and travels lighter."""


class Choosers:
    """Configurations of a collection and those who choose among them."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened

    def report(self) -> ChoosersReport:
        """Weights, losses and regret of each chooser, now and over time."""
        view = configurations.of(self._opened.collection())
        family = () if view is None else view.family
        models = self._opened.learning.catch_up()
        pairs = ((AUTO, BANDIT), (VOTE, EXPERT)) if family else ()
        dropped = self._opened.dropped
        return ChoosersReport(
            vocabularies={}
            if view is None
            else {name: one.vocabulary.size for name, one in view.vocabularies.items()},
            configurations=family,
            exploring=EXPLORING,
            choosers=tuple(
                told(models.choosers.of(name, family), family, serves) for serves, name in pairs
            ),
            dropped={name: dropped[name] for name in family if name in dropped},
        )

    def train(self, *, seed: int = 0, watch: Watch | None = None) -> dict[str, int]:
        """Train the vocabularies that the family still lacks; the size of each, by name.

        No picture is read. Interrupted, the same call goes on where it stopped.
        """
        sizes = Further(self._opened.store, watch).train(seed=seed)
        self._opened.collection()
        return sizes


def told(chooser: Any, family: tuple[str, ...], serves: str) -> ChooserReport:
    """A chooser's numbers, for people."""
    bandit, rounds = chooser.sees == "one", chooser.rounds
    seen = (chooser.seen if bandit else chooser.losses).tolist()
    there = chooser.pulls.tolist() if bandit else [rounds] * len(family)
    standings = tuple(
        ConfigurationStanding(name, weight, int(pulls), loss / pulls if pulls else None)
        for name, weight, pulls, loss in zip(
            family, chooser.weights.tolist(), there, seen, strict=True
        )
    )
    known = [one for one in standings if one.loss is not None]
    past = chooser.history
    even = [1.0 / len(family)] * len(family)
    return ChooserReport(
        chooser=chooser.name,
        serves=serves,
        rounds=rounds,
        loss=chooser.served / rounds if rounds else None,
        best=min(known, key=lambda one: one.loss or 0.0).name if known else "",
        regret=chooser.regret,
        bound=chooser.bound(),
        estimated=bandit,
        configurations=standings,
        history=ChooserHistory(
            (0, *past.rounds.tolist()),
            tuple(tuple(round(w, DIGITS) for w in row) for row in (even, *past.weights.tolist())),
            tuple(round(value, DIGITS) for value in (0.0, *past.regret.tolist())),
        ),
    )
