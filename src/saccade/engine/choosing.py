"""Which configuration ranks a search: the one that is asked for, drawn by the bandit, or all.

    auto    Exp3-IX draws one; `exploring` bounds the chance of any but the heaviest, 0: none
    vote    all that can, each with the weight that Hedge gives it
    NAME    that one; nothing is learned from what a person chose themselves

A configuration that fails is left out and another drawn among the rest, with its chance among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from saccade.choosers import heaviest
from saccade.engine.choice import BANDIT, EXPERT, VOTE, Choice
from saccade.engine.opened import OpenStore
from saccade.engine.searching.configured import scores, view_of
from saccade.engine.searching.experts import DEFAULT
from saccade.engine.searching.session import Session
from saccade.engine.searching.verifying import AUTOMATIC
from saccade.errors import InvalidInput, UnknownName
from saccade.hints import Hint

AUTO = "auto"
EXPLORING = 0.1
"""At most one page in ten tries a configuration that is not held to be the best, unless a search
says otherwise. Chosen on drawn posters, judged on book covers (`benchmarks/choosers.py`)."""


def configured(
    opened: OpenStore,
    session: Session,
    configuration: str | None,
    exploring: float | None,
    schemes: Sequence[str] | None,
) -> Session:
    """The session as a configuration ranks it; as it is where none was asked for."""
    if configuration is None:
        return session
    exploring = EXPLORING if exploring is None else exploring
    if not 0.0 <= exploring <= 1.0:
        raise InvalidInput(f"exploring is {exploring!r}: expected 0 (never) to 1 (as it likes)")
    if session.ranker != DEFAULT or schemes is not None:
        raise InvalidInput(
            f"configuration {configuration!r} ranks by itself",
            hint="leave out the ranker and the schemes, or the configuration",
        )
    view = view_of(session)
    if configuration not in (AUTO, VOTE, *view.family):
        known = (AUTO, VOTE, *view.family)
        hint = Hint(
            "engine.choosers.report() lists them",
            command="`saccade choosers show` lists them",
            http="GET /api/v1/choosers lists them",
        )
        raise UnknownName("configuration", str(configuration), known, hint=hint)
    chance = 1.0
    if not any(view.speaks(example) for example in session.query.like):
        choice = Choice("", "", view.family, ())  # no words: the usual ranking serves
    elif configuration == AUTO:
        choice, chance = _drawn(opened, session, view.family, exploring)
    elif configuration == VOTE:
        asked = [p for p, name in enumerate(view.family) if _answers(session, name)]
        choice = _told(VOTE if asked else "", EXPERT, view.family, asked)
    else:
        place = view.family.index(configuration)
        asked = [place] if _answers(session, configuration) else []
        choice = Choice(
            configuration if asked else "", "", view.family, tuple(asked),
            dropped=() if asked else (configuration,),
        )  # fmt: skip
    # Geometry would put its own order on top, unless a person asks for that.
    verify = 0 if session.verify == AUTOMATIC else session.verify
    return replace(session, choice=choice, propensity=chance, verify=verify)


def _drawn(
    opened: OpenStore, session: Session, family: tuple[str, ...], exploring: float
) -> tuple[Choice, float]:
    """One configuration by its weight, and the chance it had among those that answer."""
    bandit = opened.learning.catch_up().choosers.of(BANDIT, family)
    present = np.ones(len(family), np.bool_)
    while present.any():
        with opened.drawing:
            arm, chance = bandit.choose(rng=opened.chance, present=present, exploring=exploring)
        if _answers(session, family[arm]):
            tried = arm != heaviest(bandit.among(present))
            lost = tuple(name for name, there in zip(family, present, strict=True) if not there)
            return Choice(family[arm], BANDIT, family, (arm,), tried, lost), chance
        present[arm] = False
    return _told("", BANDIT, family, []), 1.0


def _told(name: str, chooser: str, family: tuple[str, ...], asked: Sequence[int]) -> Choice:
    lost = tuple(one for place, one in enumerate(family) if place not in asked)
    return Choice(name, chooser, family, tuple(asked), dropped=lost)


def _answers(session: Session, configuration: str) -> bool:
    """Whether a configuration can rank this search; what it computes is kept for the page."""
    try:
        return bool(np.isfinite(scores(session, configuration, session.query)).all())
    # One that fails, for whatever reason, is left out of the page; the others go on.
    except Exception:
        return False
