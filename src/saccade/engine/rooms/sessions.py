"""Saved searches: a session under a name, opened again with all that was said in it.

The log has the query, the marks and what the experts said, so a name is all there is to keep. What
is marked after saving belongs to the session, too. Names are each person's own.
"""

from __future__ import annotations

from contextlib import suppress

from saccade.engine.events import Discarded, Entry, Saved
from saccade.engine.learning.log import Writer
from saccade.engine.loop.loop import Loop
from saccade.engine.names import check_name, check_user
from saccade.engine.request import GUEST
from saccade.errors import InvalidInput, NotFound
from saccade.hints import Hint
from saccade.types import Page, SavedSession


class SavedSessions:
    """The saved searches of an open store.

    >>> page = engine.search(text="harbour", user="ana", k=10)
    >>> page = engine.react(page, liked=[page.hits[0]])
    >>> sessions = engine.sessions
    >>> sessions.save(page, "boats").liked == tuple(page.liked)
    True
    >>> sessions.names(user="ana"), len(sessions.list(user="ana"))
    (('boats',), 1)
    >>> sessions.open("boats", user="ana").liked == page.liked
    True
    >>> sessions.show("boats", user="ana").session == page.session
    True
    >>> sessions.delete("boats", user="ana")
    >>> sessions.names(user="ana")
    ()
    """

    def __init__(self, loop: Loop) -> None:
        self._loop, self._opened = loop, loop.opened

    def save(self, page: Page | str, name: str, *, user: str | None = None) -> SavedSession:
        """Keep a page's session under a name; a name used before means the new one from now on.

        A page belongs to whoever searched; another `user` is refused.
        """
        check_name("saved search", name, without="/")
        about, _ = self._loop.shown(page)
        if user is not None and user != about.user:
            raise InvalidInput(
                f"this page is {about.user!r}'s and cannot be saved for {user!r}",
                hint="search as the person who saves",
            )
        self._write(Saved(name), about)
        return self.show(name, user=about.user)

    def show(self, name: str, *, user: str = GUEST) -> SavedSession:
        """One saved search of a person, with the marks that stand in it."""
        return self._saved(name, self._line(name, user))

    def open(self, name: str, *, user: str = GUEST, k: int | None = None) -> Page:
        """The page of a saved search as it ranks now, with the marks that stand."""
        return self._loop.again(self._line(name, user).page_id, k)

    def delete(self, name: str, *, user: str = GUEST) -> None:
        """Give the name up; what was learned in the session stays."""
        about, _ = self._loop.shown(self._line(name, user).page_id)
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

    def _lines(self, user: str) -> dict[str, Entry]:
        """The event that saved each name that is not given up."""
        by_name: dict[str, Entry] = {}
        kinds, log = self._opened.tables.kinds, self._opened.store.log
        for line in map(kinds.entry, log.of_user(check_user(user), (Saved.kind, Discarded.kind))):
            assert isinstance(line.record, Saved)
            by_name.pop(line.record.name, None)
            if not isinstance(line.record, Discarded):
                by_name[line.record.name] = line
        return by_name

    def _line(self, name: str, user: str) -> Entry:
        line = self._lines(user).get(name)
        if line is None:
            raise NotFound(
                f"user {user!r} has no saved search {name!r}",
                hint=Hint(
                    f"engine.sessions.list(user={user!r}) names them",
                    command="`saccade saved list` names them",
                    http=f"GET /api/v1/profiles/{user}/saved names them",
                ),
            )
        return line

    def _saved(self, name: str, line: Entry) -> SavedSession:
        _, shown = self._loop.shown(line.page_id)
        judged = self._loop.judged(line.user, line.session_id)
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

    def names(self, *, user: str = GUEST) -> tuple[str, ...]:
        """The names of a person's saved searches."""
        return tuple(sorted(self._lines(user)))

    # The last one: below it, `list` would mean this.
    def list(self, *, user: str = GUEST) -> tuple[SavedSession, ...]:
        """A person's saved searches by name; one whose query has left the log is left out."""
        out = []
        for name, line in sorted(self._lines(user).items()):
            with suppress(NotFound):
                out.append(self._saved(name, line))
        return tuple(out)
