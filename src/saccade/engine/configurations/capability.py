"""Which configuration ranks a search: the one that is asked for, the one that does best, or all.

    auto    the usual ranking, unless another has done better here by what people marked (`fold`);
            `exploring` is the chance that one place in ten is for a trial of another, 0: none
    vote    all that can, each with the weight that Hedge gives it
    NAME    that one; nothing is learned from what a person chose themselves

A configuration that fails is left out; the usual ranking is always there to fall back on.
This is all that the rest of the engine knows of configurations.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from saccade import trace
from saccade.engine.configurations.fold import ChooserFold
from saccade.engine.configurations.records import AUTO, NAME, VOTE, Choice, rewarded
from saccade.engine.configurations.scoring import Configured, by_choice, scores, view_of
from saccade.engine.configurations.source import USUAL, ConfigurationSource
from saccade.engine.events import Shown
from saccade.engine.loop.capability import Capability
from saccade.engine.loop.experts import Moment, Ranking
from saccade.engine.loop.session import Session
from saccade.engine.loop.verifying import AUTOMATIC
from saccade.engine.request import SearchRequest
from saccade.errors import UnknownName
from saccade.feedback.preferences import Judged
from saccade.hints import Hint
from saccade.types import Encoded, Page, Rows

log = logging.getLogger(__name__)

EXPLORING = 0.1
"""One page in ten has a trial, in one place of ten, unless a search says otherwise."""


class ConfigurationCapability(Capability):
    """Configurations at work in one open store."""

    name = NAME
    words = frozenset(("configuration", "exploring"))
    folds = {"choosers": ChooserFold}  # noqa: RUF012
    sources = {"configurations": ConfigurationSource()}  # noqa: RUF012

    def prepare(self, request: SearchRequest, session: Session) -> Session:
        """The session as a configuration ranks it; as it is where none was asked for."""
        if request.configuration is None:
            return session
        choice = self._choice(request.configuration, request.exploring, session)
        # Geometry would put its own order on top of words', unless a person asks for that.
        own = session.verify == AUTOMATIC and choice.configuration not in (USUAL, "")
        verify = 0 if own else session.verify
        attached = {**session.attached, self.name: choice.encode()}
        return replace(session, verify=verify, attached=attached)

    def rank(self, moment: Moment) -> Ranking | None:
        """By what was chosen, where something can rank."""
        choice = _chosen(moment.session)
        return by_choice(moment, choice) if choice.asked else None

    def tell(self, page: Page, session: Session, ranking: Ranking) -> Page:
        """What ranked the page, with what chance; or why the usual ranking serves."""
        choice = _chosen(session)
        if isinstance(ranking, Configured):
            return replace(
                page,
                configuration=choice.configuration,
                explored=bool(choice.tried),
                propensity=choice.probability,
            )
        failed = (choice.configuration,) if choice.asked else ()
        return replace(
            page,
            unconfigured=_unconfigured(choice),
            propensity=choice.probability,
            dropped=(*page.dropped, *choice.dropped, *failed),
        )

    def note(self, session: Session, ranking: Ranking, rows: Rows) -> Encoded:
        """The choice, and where each configuration that was asked had the page's pictures."""
        places = ranking.places(rows) if isinstance(ranking, Configured) else None
        return replace(_chosen(session), places=places).encode()

    def reacted(self, noted: Encoded, shown: Shown, new: Judged) -> Encoded | None:
        """What marks are worth to the chooser of their page."""
        reward = rewarded(Choice.decode(*noted), shown.images, new)
        return None if reward is None else reward.encode()

    # -- choosing ------------------------------------------------------------------------------

    def _choice(self, configuration: str, exploring: float | None, session: Session) -> Choice:
        family = view_of(session).family
        if configuration not in (AUTO, VOTE, *family):
            hint = Hint(
                "engine.configurations.list() names them",
                command="`saccade choosers show` lists them",
                http="GET /api/v1/choosers lists them",
            )
            raise UnknownName("configuration", configuration, (AUTO, VOTE, *family), hint=hint)
        if not any(view_of(session).speaks(example) for example in session.query.like):
            return Choice("", "", family, ())  # no words: the usual ranking serves
        asked = [place for place, name in enumerate(family) if _answers(session, name)]
        if configuration == AUTO:
            return self._led(session, family, asked, EXPLORING if exploring is None else exploring)
        if configuration == VOTE:
            return _among(VOTE, VOTE, family, asked)
        place = family.index(configuration)
        if place in asked:
            return Choice(configuration, "", family, (place,))
        return Choice("", "", family, (), dropped=(configuration,))

    def _led(
        self, session: Session, family: tuple[str, ...], asked: list[int], exploring: float
    ) -> Choice:
        """The one that leads among those that answer; perhaps with a trial of another."""
        opened = self.opened
        fold = opened.learning.catch_up().of(ChooserFold)
        standing, present = fold.of(AUTO, family, session.user), np.zeros(len(family), np.bool_)
        present[asked] = True
        leader = standing.leader(present)
        choice = _among(family[leader], AUTO, family, asked)
        present[[0, leader]] = False
        if leader != 0 or not present.any():
            return choice  # what leads instead of the usual ranking has proved itself already
        chances = exploring * standing.weights.among(present)
        with opened.drawing:
            drawn = float(opened.chance.random())
        place = int(np.searchsorted(np.cumsum(chances), drawn, side="right"))
        if place >= len(family):
            return replace(choice, probability=1.0 - exploring)
        return replace(choice, tried=family[place], probability=float(chances[place]))


def _chosen(session: Session) -> Choice:
    return Choice.decode(*session.attached[NAME])


def _among(name: str, chooser: str, family: tuple[str, ...], asked: Sequence[int]) -> Choice:
    lost = tuple(one for place, one in enumerate(family) if place not in asked)
    return Choice(name, chooser, family, tuple(asked), dropped=lost)


def _answers(session: Session, configuration: str) -> bool:
    """Whether a configuration can rank this search; what it computes is kept for the page."""
    if configuration == USUAL:
        return True
    try:
        return bool(np.isfinite(scores(session, configuration, session.query)).all())
    # One that fails, for whatever reason, is left out of the page; the others go on.
    except Exception as error:
        trace.swallowed(log, error, doing="asking a configuration", configuration=configuration)
        return False


def _unconfigured(choice: Choice) -> str:
    """Why no configuration ranks a page, in words."""
    if choice.asked:  # it could when the session began
        return f"{choice.configuration} failed"
    if not choice.dropped:
        return "no configuration can compare a picture without visual words"
    return f"{choice.dropped[0]} failed"
