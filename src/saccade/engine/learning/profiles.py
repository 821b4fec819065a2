"""People: what they taught, and what it is worth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from saccade.choosers.guard import PLAIN, losses
from saccade.engine.events import Entry, Feedback, Preferred, Reacted, void
from saccade.engine.learning.counts import Counts
from saccade.engine.learning.fold import Models
from saccade.engine.learning.guard import report
from saccade.types import LearningPoint, Profile, ProfileEvent


def profile(models: Models, entries: Sequence[Entry], user: str, searches: int) -> Profile:
    """A user's profile from all their events; who never gave feedback has an empty one.

    `searches` of theirs are remembered.
    """
    own = models.weights.own.get(user, Counts())
    shared, personal = models.weights.shared, models.weights.personal(user)
    return Profile(
        user=user,
        events=own.events,
        pairs=own.pairs,
        stated=own.stated,
        learned_right=own.learned_right,
        plain_right=own.plain_right,
        weights={
            scheme: (float(shared[i]), float(personal[i]))
            for i, scheme in enumerate(models.axis.schemes)
        },
        guard=report(models.guard.of(user)),
        taught=searches,
        history=_history(entries),
    )


def worth(live: Sequence[Entry]) -> tuple[LearningPoint, ...]:
    """What learning was worth at each of a person's marks that could be compared, oldest first."""
    points = []
    for entry in live:
        judged = entry.record.heard() if isinstance(entry.record, Reacted | Preferred) else None
        if judged is None or PLAIN not in judged.opinions.experts:
            continue
        opinions = judged.opinions
        plain = opinions.scores[:, opinions.experts.index(PLAIN)]
        lost = losses(np.column_stack([plain, opinions.served]), judged.liked, judged.new)
        if lost is not None:
            points.append(LearningPoint(entry.at, 1.0 - float(lost[1]), 1.0 - float(lost[0])))
    return tuple(points)


def _history(entries: Sequence[Entry]) -> tuple[ProfileEvent, ...]:
    gone = void(entries)
    return tuple(
        _line(e, undone=e.event_id in gone) for e in entries if isinstance(e.record, Feedback)
    )


def _line(entry: Entry, *, undone: bool) -> ProfileEvent:
    record = entry.record
    assert isinstance(record, Feedback)
    marks = record.marks()
    return ProfileEvent(
        event=entry.event_id,
        at=entry.at,
        kind=entry.kind,
        session=entry.session_id,
        liked=marks.liked,
        disliked=marks.disliked,
        cleared=marks.cleared,
        pairs=record.pair_count(),
        undone=undone,
        attribute=record.subject(),
    )
