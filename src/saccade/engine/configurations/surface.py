"""Configurations of an open store: what there is, who leads, what finding out has cost."""

from __future__ import annotations

from saccade.engine.configurations import source
from saccade.engine.configurations.capability import EXPLORING, ConfigurationCapability
from saccade.engine.configurations.fold import ChooserFold, ChooserStanding, fresh
from saccade.engine.configurations.records import AUTO, VOTE
from saccade.engine.configurations.training import Further
from saccade.engine.progress import Watch
from saccade.types import ChooserHistory, ChooserReport, ChoosersReport, ConfigurationStanding

DIGITS = 6
"""Of what is drawn over time: a curve needs no more, and travels lighter."""


class Configurations:
    """Configurations of a collection and those who choose among them.

    >>> "usual" in engine.configurations.list()
    True
    >>> engine.configurations.show().choosers[0].rounds
    0
    >>> sorted(engine.configurations.train())
    ['akm-large', 'akm-medium', 'akm-small', 'hkm-large']
    """

    def __init__(self, capability: ConfigurationCapability) -> None:
        self._opened = capability.opened

    def list(self) -> tuple[str, ...]:
        """Names to search with, beside `auto` and `vote`."""
        view = source.of(self._opened.collection())
        return () if view is None else view.family

    def show(self) -> ChoosersReport:
        """Weights, losses and regret of each chooser, now and over time."""
        view, family = source.of(self._opened.collection()), self.list()
        fold = self._opened.learning.catch_up().of(ChooserFold)
        dropped = self._opened.dropped
        return ChoosersReport(
            vocabularies={}
            if view is None
            else {name: one.vocabulary.size for name, one in view.vocabularies.items()},
            configurations=family,
            exploring=EXPLORING,
            choosers=tuple(
                _report(fold.of(serves, family), family, serves)
                for serves in ((AUTO, VOTE) if family else ())
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


def _report(standing: ChooserStanding, family: tuple[str, ...], serves: str) -> ChooserReport:
    """A chooser's numbers, for people."""
    chooser, rounds = standing.weights, standing.rounds
    there, own = chooser.awake.tolist(), chooser.own.tolist()
    standings = tuple(
        ConfigurationStanding(name, weight, int(times), loss / times if times else None)
        for name, weight, times, loss in zip(
            family, chooser.weights.tolist(), there, own, strict=True
        )
    )
    tried = [one for one in standings if one.loss is not None]
    past = chooser.history
    return ChooserReport(
        chooser=chooser.name,
        serves=serves,
        rounds=rounds,
        loss=chooser.served / rounds if rounds else None,
        best=min(tried, key=lambda one: one.loss or 0.0).name if tried else "",
        regret=chooser.regret,
        bound=chooser.bound(),
        excess=standing.excess,
        allowed=standing.allowed,
        configurations=standings,
        history=ChooserHistory(
            (0, *past.rounds.tolist()),
            tuple(
                tuple(round(w, DIGITS) for w in row)
                for row in (fresh(serves, family).weights.weights.tolist(), *past.weights.tolist())
            ),
            tuple(round(value, DIGITS) for value in (0.0, *past.regret.tolist())),
        ),
    )
