"""Saved searches: a session under a name, opened again with all that was said in it.

The log has the query, the marks and what the experts said, so a name is all there is to keep. What
is marked after saving belongs to the session, too. Names are each person's own.
"""

from __future__ import annotations

from contextlib import suppress

from saccade.engine.events import Discarded, Entry, Saved, entry
from saccade.engine.learning.log import Writer
from saccade.engine.learning.profiles import check_user
from saccade.engine.opened import OpenStore
from saccade.engine.showing import check_k, show_again
from saccade.errors import InvalidInput, NotFound
from saccade.hints import Hint
from saccade.types import Page, SavedSession

LONGEST = 100


class SavedSessions:
    """The saved searches of an open store."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened

    def save(self, page: Page | str, name: str, user: str | None = None) -> SavedSession:
        """Keep a page's session under a name; a name used before means the new one from now on."""
        about, _ = self._opened.shown(page)
        if user is not None and user != about.user:
            raise InvalidInput(
                f"this page is {about.user!r}'s and cannot be saved for {user!r}",
                hint="search as the person who saves",
            )
        self._write(Saved(_checked(name)), about)
        return self._found(about.user, _checked(name))

    def list(self, user: str) -> tuple[SavedSession, ...]:
        """A person's saved searches by name; one whose query has left the log is left out."""
        out = []
        for name, line in sorted(self._kept(user).items()):
            with suppress(NotFound):
                out.append(self._told(name, line))
        return tuple(out)

    def open(self, name: str, user: str, *, k: int | None = None) -> Page:
        """The page of a saved search as it ranks now, with the marks that stand."""
        about, shown = self._opened.shown(self._found(user, name).page_id)
        size = len(shown.images) if k is None else check_k(k)
        return show_again(self._opened, about, shown, k=max(1, size))

    def delete(self, name: str, user: str) -> None:
        """Give the name up; what was learned in the session stays."""
        about, _ = self._opened.shown(self._found(user, name).page_id)
        self._write(Discarded(name), about)

    def _write(self, record: Saved, about: Entry) -> None:
        def write(writer: Writer) -> Entry:
            return writer.append(
                record,
                at=self._opened.clock(),
                user=about.user,
                session_id=about.session_id,
                page_id=about.page_id,
            )

        self._opened.learning.append(write)

    def _kept(self, user: str) -> dict[str, Entry]:
        kept: dict[str, Entry] = {}
        lines = self._opened.store.log.of_user(check_user(user), (Saved.kind, Discarded.kind))
        for line in map(entry, lines):
            assert isinstance(line.record, Saved)
            kept.pop(line.record.name, None)
            if not isinstance(line.record, Discarded):
                kept[line.record.name] = line
        return kept

    def _found(self, user: str, name: str) -> SavedSession:
        line = self._kept(user).get(name)
        if line is None:
            raise NotFound(
                f"user {user!r} has no saved search {name!r}",
                hint=Hint(
                    f"engine.sessions.list({user!r}) names them",
                    command="`saccade saved list` names them",
                    http=f"GET /api/v1/profiles/{user}/saved names them",
                ),
            )
        return self._told(name, line)

    def _told(self, name: str, line: Entry) -> SavedSession:
        _, shown = self._opened.shown(line.page_id)
        judged = self._opened.marks.of(line.user, line.session_id).judged
        return SavedSession(
            name=name,
            user=line.user,
            session=line.session_id,
            page_id=line.page_id,
            at=line.at,
            like=tuple(e.image_id for e in shown.like if e.image_id),
            unlike=tuple(e.image_id for e in shown.unlike if e.image_id),
            liked=judged.liked,
            disliked=judged.disliked,
        )


def _checked(name: str) -> str:
    fits = isinstance(name, str) and name.strip() == name and 1 <= len(name) <= LONGEST
    if not fits or not name.isprintable() or "/" in name:
        raise InvalidInput(
            f"name {name!r}: a saved search has 1 to {LONGEST} printable characters, no slash"
        )
    return name
