"""What a store has acknowledged, counted: by person and kind of event, and how many pictures.

Whoever acts alone under a name has at most one act under way when the power or the process goes. So
of each kind there must be as many events as were acknowledged, or as many as that act adds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import sqlalchemy as sql

from inside import store_of
from saccade.engine import Engine
from saccade.store.tables import events

PASSING = ("shown",)
"""Kinds that nothing is learned from, and that leave the log."""

Counts = dict[str, Counter[str]]


def counted(engine: Engine, *, passing: bool = False) -> Counts:
    """How many events of each kind everybody has in the log; with those that are `passing`."""
    query = sql.select(events.c.user, events.c.kind, sql.func.count()).group_by(
        events.c.user, events.c.kind
    )
    if not passing:
        query = query.where(events.c.kind.not_in(PASSING))
    found: Counts = {}
    with store_of(engine)._database.read() as connection:
        for user, kind, number in connection.execute(query):
            found.setdefault(user, Counter())[kind] = number
    return found


@dataclass
class Promised:
    """What was acknowledged so far."""

    said: Counts = field(default_factory=dict)
    images: int = 0

    def acknowledge(self, user: str, kinds: Mapping[str, int]) -> None:
        """An act of somebody was done; a forgetting takes everything before it along."""
        self.said.setdefault(user, Counter()).update(kinds)

    def forget(self, user: str) -> None:
        """Somebody was forgotten."""
        self.said.pop(user, None)

    def broken(self, found: Counts, under_way: Mapping[str, Mapping[str, int] | None]) -> str:
        """The first promise that is not kept; empty where all are.

        `under_way` is what an act that was not acknowledged may have added, by person; None where
        it was a forgetting, which may have taken everything.
        """
        for user in {*self.said, *found} - {""}:
            more = under_way.get(user, {})
            if more is None and user not in found:
                continue
            said, there = self.said.get(user, Counter()), found.get(user, Counter())
            for kind in {*said, *there}:
                least, most = said[kind], said[kind] + (more or {}).get(kind, 0)
                if not least <= there[kind] <= most:
                    return f"{user} has {there[kind]} × {kind}, of {least} acknowledged"
        return ""


def unsound(engine: Engine) -> str:
    """Whether the models are not what the log says, or the store finds itself damaged."""
    if engine.digest != engine.replay():
        return "the log replayed gives other models"
    found = [flaw for flaw in store_of(engine).flaws() if flaw.damage]
    return f"{found[0].place} {found[0].problem}" if found else ""
