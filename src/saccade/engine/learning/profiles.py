"""People: what they taught, and what it is worth."""

from __future__ import annotations

from saccade.engine.answers import Answer
from saccade.engine.events import Entry, Feedback, void
from saccade.engine.learning.axis import lesson_of
from saccade.engine.learning.counts import Counts
from saccade.engine.learning.fold import Models
from saccade.engine.learning.guard import report
from saccade.engine.learning.log import of_user
from saccade.errors import InvalidInput
from saccade.store.events import Log
from saccade.types import Profile, ProfileEvent


def check_user(user: str) -> str:
    """A name that can be stored and shown."""
    if not isinstance(user, str) or not user.strip() or len(user) > 100 or not user.isprintable():
        raise InvalidInput(f"user {user!r}: a name has 1 to 100 printable characters")
    return user


def profile(log: Log, models: Models, user: str) -> Profile:
    """A user's profile; someone who never gave feedback has an empty one."""
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
        history=_history(log, user),
    )


def _history(log: Log, user: str) -> tuple[ProfileEvent, ...]:
    entries = of_user(log, user)
    gone = void(entries)
    return tuple(
        _line(e, undone=e.event_id in gone) for e in entries if isinstance(e.record, Feedback)
    )


def _line(said: Entry, *, undone: bool) -> ProfileEvent:
    record, lesson = said.record, lesson_of(said)
    assert isinstance(record, Feedback)
    return ProfileEvent(
        event=said.event_id,
        at=said.at,
        kind=said.kind,
        session=said.session_id,
        liked=record.liked,
        disliked=record.disliked,
        cleared=record.cleared,
        pairs=0 if lesson is None else len(lesson.pairs),
        undone=undone,
        attribute=record.attribute if isinstance(record, Answer) else "",
    )
