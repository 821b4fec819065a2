"""What a person called right together, session by session: it is alike in their eyes.

Weights over schemes can only say how pictures are compared; that these few belong together says
more. A person's sessions are kept as sets of liked pictures, the latest `SESSIONS` of them, and a
later query that comes close to such a set is led to the whole of it (`searching.experts`). It is
each person's own and moves nobody else's pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from saccade.engine.events import Entry, Reacted
from saccade.engine.learning.axis import Axis
from saccade.engine.recipe import Recipe

SESSIONS = 200

Liked = Mapping[str, tuple[str, ...]]  # session -> images, in the order of their last event


class Memory:
    """What each person liked, by session."""

    kinds = frozenset(["reacted"])

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._people: dict[str, Liked] = {}

    def of(self, user: str) -> Liked:
        """The sessions of a person in which something was liked."""
        return self._people.get(user, {})

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Take in what one event says."""
        said = entry.record
        assert isinstance(said, Reacted)
        # Stores of the first version go on as they began: their log must mean what it meant.
        if self._recipe.lasting is None:
            return
        # What was brought in from elsewhere has no session: each event stands for itself.
        session = entry.session_id or f"event {entry.event_id}"
        sessions = dict(self.of(entry.user))
        before = sessions.pop(session, ())
        gone = {*said.liked, *said.disliked, *said.cleared}
        liked = (*(image for image in before if image not in gone), *said.liked)
        if liked:
            sessions[session] = liked
        self._people[entry.user] = dict(list(sessions.items())[-SESSIONS:])
        if not sessions:
            del self._people[entry.user]

    def copy(self) -> Memory:
        """An independent copy; a person's sessions are replaced and not changed."""
        twin = Memory(self._recipe)
        twin._people = dict(self._people)
        return twin

    def dump(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The whole state; nothing where nothing was liked."""
        if not self._people:
            return {}, {}
        return {
            "memory": {
                user: [[session, list(liked)] for session, liked in sessions.items()]
                for user, sessions in self._people.items()
            }
        }, {}

    def load(self, body: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Take on what `dump` gave."""
        for user, sessions in body.get("memory", {}).items():
            self._people[user] = {session: tuple(liked) for session, liked in sessions}
