"""The people of a store: what they taught, taken back, taken elsewhere and brought in."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from saccade.engine.events import Entry, Feedback, PersonForgotten, Reacted, TakenBack
from saccade.engine.learning import exchange, profiles
from saccade.engine.learning.evidence import TaughtSession, session_of
from saccade.engine.learning.log import Writer, live_feedback
from saccade.engine.loop.capability import feedback_of
from saccade.engine.loop.loop import Loop
from saccade.engine.names import check_user
from saccade.engine.request import GUEST
from saccade.errors import InvalidInput, NotFound, NothingToUndo
from saccade.hints import Hint
from saccade.types import (
    CandidatePage,
    LearningPoint,
    Page,
    Profile,
    Spec,
    TaughtSearch,
    Undone,
)


class People:
    """Profiles of an open store.

    >>> page = engine.search(text="harbour", user="ana", k=10)
    >>> page = engine.react(page, liked=[page.hits[0]], disliked=[page.hits[5]])
    >>> people = engine.people
    >>> people.list(), people.show("ana").events, len(people.worth("ana"))
    (('ana',), 1, 1)
    >>> [search.session == page.session for search in people.taught("ana")]
    [True]
    >>> data = people.export("ana")
    >>> people.import_("bob", data)
    1
    >>> people.undo("ana").kind
    'reacted'
    >>> people.drop("bob", people.taught("bob")[0].session)
    1
    >>> people.forget("ana", "bob"), people.list()
    (2, ())
    >>> people.guests(), people.guests(remembered=True)
    (False, True)
    """

    def __init__(self, loop: Loop) -> None:
        self._loop, self._opened = loop, loop.opened

    def show(self, user: str = GUEST) -> Profile:
        """What a person taught and what it is worth."""
        learning = self._opened.learning
        entries, searches = learning.of_user(check_user(user)), len(self._remembered(user))
        return profiles.profile(learning.catch_up(), entries, user, searches)

    def worth(self, user: str = GUEST) -> tuple[LearningPoint, ...]:
        """What learning was worth each time that something right was told from something wrong."""
        live = live_feedback(self._opened.learning.of_user(check_user(user)))
        return profiles.worth(live)

    def guests(self, remembered: bool | None = None) -> bool:
        """Whether what guests mark together is remembered; says so from now on where given.

        Guests are many people under one name, so it is not unless the store says so.
        """
        if remembered is not None:
            if not isinstance(remembered, bool):
                raise InvalidInput(f"guests are remembered or not, not {remembered!r}")
            recipe = replace(self._opened.recipe, guests=remembered)
            self._opened.store.commit(settings={"recipe": recipe.as_json()})
            self._opened.reload()
        return self._opened.recipe.guests

    def undo(self, user: str = GUEST, page: Page | CandidatePage | str | None = None) -> Undone:
        """Take back a person's last feedback that is not taken back yet; of a page's session alone.

        With a page, what another search has learned since stays as it is.
        """
        check_user(user)
        page_id = page if page is None or isinstance(page, str) else page.page_id
        session = None if page_id is None else self._loop.session_of(page_id)
        where = "" if session is None else " in this session"
        live: list[Entry] = []

        def write(writer: Writer) -> Entry:
            # Looked up where nobody else can append: two who undo at once take back two events.
            every = writer.live_feedback(user)
            live.extend(e for e in every if session in (None, e.session_id))
            if not live:
                raise NothingToUndo(f"user {user!r} has no feedback to undo{where}")
            last = live[-1]
            return writer.append(
                TakenBack(last.event_id),
                at=self._opened.clock(),
                user=user,
                session_id=last.session_id,
                page_id=last.page_id,
            )

        self._opened.learning.append(write)
        last = live[-1]
        again = None
        with suppress(NotFound):  # imported, or its query has left the collection
            again = self._loop.again(last.page_id)
        assert isinstance(last.record, Feedback)
        marks = last.record.marks()
        return Undone(
            last.event_id, last.kind, last.at, marks.liked, marks.disliked, marks.cleared,
            last.session_id, again,
        )  # fmt: skip

    def taught(self, user: str = GUEST) -> tuple[TaughtSearch, ...]:
        """The searches of a person whose marks are remembered, the newest first."""
        remembered = self._remembered(check_user(user))
        if not remembered:
            return ()
        saved = self._opened.learning.models.evidence.saved(user)
        entries = self._opened.learning.of_user(user)
        words = {session_of(e): e.record.word for e in entries if isinstance(e.record, Reacted)}
        return tuple(
            TaughtSearch(
                session=session,
                at=one.at,
                word=words.get(session, ""),
                asked=one.asked,
                liked=one.liked,
                disliked=one.disliked,
                saved=session in saved,
            )
            for session, one in reversed([*remembered.items()])
        )

    def _remembered(self, user: str) -> Mapping[str, TaughtSession]:
        """Those searches by session, the newest last; guests have none unless the store says so."""
        evidence = self._opened.learning.catch_up().evidence
        return {} if user == GUEST and not self._opened.recipe.guests else evidence.of(user)

    def drop(self, user: str, session: str) -> int:
        """Take back all that one search of a person has taught; returns how many events.

        A session is named by `page.session`, and by `taught`.
        """
        check_user(user)
        taken: list[Entry] = []

        def write(writer: Writer) -> list[Entry]:
            # With what was replaced in it: that would come back where its successor goes.
            every = writer.not_taken_back(user)
            taken.extend(e for e in every if session_of(e) == session)
            if not taken:
                raise NotFound(
                    f"user {user!r} has taught nothing in a session {session!r}",
                    hint=Hint(
                        f"engine.people.taught({user!r}) names those that are remembered",
                        command="`saccade profile taught USER` names those that are remembered",
                        http=f"GET /api/v1/profiles/{user}/taught names those that are remembered",
                    ),
                )
            return [
                writer.append(
                    TakenBack(one.event_id),
                    at=self._opened.clock(),
                    user=user,
                    session_id=one.session_id,
                    page_id=one.page_id,
                )
                for one in taken
            ]

        self._opened.learning.append_all(write)
        return len(taken)

    def forget(self, user: str, *others: str) -> int:
        """Remove a person and everything learned from them, the shared model included.

        Their tokens open nothing any more. Several people go at once, or none of them does.

        When it returns, the name is in no file of the store, and nothing in memory holds them.

        Returns how many feedback events are gone.
        """
        gone, every = 0, (user, *others)

        def write(writer: Writer) -> Entry:
            nonlocal gone
            gone = sum(writer.forget(one) for one in every)
            return writer.append(PersonForgotten(), at=self._opened.clock(), user="")

        store = self._opened.store
        for one in every:
            if not store.log.knows(check_user(one)) and not store.uploads.of(one):
                raise NotFound(f"no user {one!r} in this store")
        for one in every:  # before the log forgets them: whoever is interrupted can ask again
            store.uploads.forget(one)
        self._opened.learning.append(write)
        self._opened.store.log.scrub()
        return gone

    def export(self, user: str = GUEST) -> dict[str, Any]:
        """A person's feedback as plain JSON values: everything `import_` needs."""
        live = live_feedback(self._opened.learning.of_user(check_user(user)))
        along = {one.name: one.along(feedback_of(live)) for one in self._loop.capabilities}
        return exchange.export(user, live, along)

    def import_(self, user: str, data: Spec) -> int:
        """Append exported feedback under a person's name, all of it or nothing.

        Returns how many events came in.
        """
        check_user(user)
        opened = self._opened
        events = exchange.parse(data, opened.tables.kinds)
        arriving = [one.arriving(data) for one in self._loop.capabilities]

        def write(writer: Writer) -> list[Entry]:
            now = opened.clock()
            # Nobody is said to have made what comes along.
            along = [record for missing in arriving for record in missing()]
            return [
                *(writer.append(record, at=now, user="") for record in along),
                *(
                    writer.append(one.record, at=one.at, user=user, session_id=one.session)
                    for one in events
                ),
            ]

        if events:
            opened.learning.append_all(write)
        return len(events)

    # The last one: below it, `list` would mean this.
    def list(self) -> tuple[str, ...]:
        """Everyone who gave feedback."""
        return self._opened.users()
