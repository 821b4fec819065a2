"""The people of a store: what they taught, taken back, taken elsewhere and brought in."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from saccade.engine.events import Entry, Feedback, Forgotten
from saccade.engine.events import Undone as TakenBack
from saccade.engine.learning import exchange, profiles
from saccade.engine.learning.log import Writer
from saccade.engine.learning.profiles import check_user
from saccade.engine.opened import OpenStore
from saccade.engine.showing import show_again
from saccade.errors import NotFound, NothingToUndo
from saccade.types import Page, Profile, Undone


class People:
    """Profiles of an open store."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened

    def users(self) -> tuple[str, ...]:
        """Everyone who gave feedback."""
        return self._opened.users()

    def profile(self, user: str) -> Profile:
        """What a user taught and what it is worth."""
        models = self._opened.learning.catch_up()
        return profiles.profile(self._opened.store.log, models, check_user(user))

    def undo(self, user: str, page: Page | str | None = None) -> Undone:
        """Take back a user's last feedback that is not taken back yet; of a page's session alone.

        With a page, what another search has learned since stays as it is.
        """
        check_user(user)
        opened = self._opened
        session = None if page is None else opened.shown(page)[0].session_id
        where = "" if session is None else " in this session"
        live: list[Entry] = []

        def write(writer: Writer) -> Entry:
            # Looked up where nobody else can append: two who undo at once take back two events.
            found = writer.live_feedback(user)
            live.extend(e for e in found if session in (None, e.session_id))
            if not live:
                raise NothingToUndo(f"user {user!r} has no feedback to undo{where}")
            last = live[-1]
            return writer.append(
                TakenBack(last.event_id),
                at=opened.clock(),
                user=user,
                session_id=last.session_id,
                page_id=last.page_id,
            )

        opened.learning.append(write)
        last = live[-1]
        again = None
        with suppress(NotFound):  # imported, or its query has left the collection
            entry, shown = opened.shown(last.page_id)
            again = show_again(opened, entry, shown, k=len(shown.images))
        said = last.record
        assert isinstance(said, Feedback)
        return Undone(
            last.event_id, last.kind, last.at, said.liked, said.disliked, said.cleared,
            last.session_id, again,
        )  # fmt: skip

    def forget(self, user: str) -> int:
        """Remove a user and everything learned from them, the shared model included.

        When it returns, the name is in no file of the store.

        Returns how many feedback events are gone.
        """
        check_user(user)
        gone = 0

        def write(writer: Writer) -> Entry:
            nonlocal gone
            gone = writer.forget(user)
            return writer.append(Forgotten(), at=self._opened.clock(), user="")

        if not self._opened.store.log.knows(user):
            raise NotFound(f"no user {user!r} in this store")
        self._opened.learning.append(write)
        self._opened.store.log.scrub()
        self._opened.marks.clear()
        return gone

    def export_profile(self, user: str) -> dict[str, Any]:
        """A user's feedback as plain JSON values: everything `import_profile` needs."""
        known = self._opened.learning.catch_up().attributes.known
        return exchange.export(self._opened.store.log, check_user(user), known)

    def import_profile(self, user: str, data: Mapping[str, Any]) -> int:
        """Append exported feedback under a user's name, all of it or nothing.

        Returns how many events came in.
        """
        check_user(user)
        records, spoken = exchange.parse(data), exchange.attributes(data)

        def write(writer: Writer) -> list[Entry]:
            # An attribute that is here already stays as it is; nobody is said to have made one.
            known, now = self._opened.learning.models.attributes.known, self._opened.clock()
            new = [made for made in spoken if made.attribute not in known]
            return [
                *(writer.append(made, at=now, user="") for made in new),
                *(writer.append(record, at=at, user=user) for at, record in records),
            ]

        if records:
            self._opened.learning.append_all(write)
        return len(records)

    def replay(self) -> str:
        """Rebuild every model from the log; returns the digest of the models."""
        return self._opened.learning.replay()
