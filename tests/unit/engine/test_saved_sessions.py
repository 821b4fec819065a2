"""Saved searches: names for sessions, from the log."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from saccade.engine import Engine
from saccade.errors import InvalidInput, NotFound


def test_a_saved_search_opens_with_its_marks(open_copy: Callable[[], Engine], first: str) -> None:
    """After a restart, too; what is marked or comes off after saving belongs to it."""
    engine = open_copy()
    page = engine.search(first, user="ana", k=20)
    one, two = page.hits[3].image_id, page.hits[5].image_id
    page = engine.react(page, liked=[one])
    kept = engine.sessions.save(page, "red cars", user="ana")
    assert (kept.name, kept.like, kept.liked) == ("red cars", (first,), (one,))
    engine.react(page, disliked=[two])
    engine.close()
    again = open_copy()
    opened = again.sessions.open("red cars", user="ana", k=20)
    assert (opened.session, opened.liked, opened.disliked) == (page.session, {one}, {two})
    after = again.react(opened, cleared=[one])
    assert again.sessions.list(user="ana")[0].liked == ()
    assert [h.image_id for h in again.sessions.open("red cars", user="ana", k=20)] == [
        h.image_id for h in after
    ]
    assert again.digest == again.replay()


def test_names_are_each_persons_own(engine: Engine, first: str) -> None:
    """A name used again means the new search; given up, it is gone; so is all when forgotten."""
    old, new = (engine.search(first, user="ana", k=5) for _ in range(2))
    engine.sessions.save(old, "b")
    engine.sessions.save(old, "a")
    assert engine.sessions.save(new, "a").session == new.session
    assert [one.name for one in engine.sessions.list(user="ana")] == ["a", "b"]
    assert engine.sessions.list(user="bob") == ()
    engine.sessions.delete("b", user="ana")
    assert [one.name for one in engine.sessions.list(user="ana")] == ["a"]
    engine.forget("ana")
    assert engine.sessions.list(user="ana") == ()


def test_what_cannot_be_saved_is_refused(engine: Engine, first: str) -> None:
    """Another's page, a name that cannot be written, a page or a name that is not there."""
    page = engine.search(first, user="ana", k=5)
    with pytest.raises(InvalidInput, match="bob"):
        engine.sessions.save(page, "mine", user="bob")
    for name in ("", " a", "a/b", "x" * 101, "a\n"):
        with pytest.raises(InvalidInput, match="saved search"):
            engine.sessions.save(page, name, user="ana")
    with pytest.raises(NotFound, match="nopage"):
        engine.sessions.save("nopage", "a", user="ana")
    for act in (engine.sessions.open, engine.sessions.delete):
        with pytest.raises(NotFound, match="nothing"):
            act("nothing", user="ana")
