"""Marks: changed, taken off, seen from every tab, undone where they were made."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from inside import models_of
from saccade.engine import Engine
from saccade.errors import InvalidInput, NothingToUndo, NotShown
from saccade.types import Page


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def test_a_mark_comes_off_again(engine: Engine, first: str) -> None:
    """Cleared, a picture is as if it had never been judged, and the others keep their marks."""
    page = engine.search(first, user="ana", k=20)
    one, two, three = ids(page)[:3]
    page = engine.react(page, liked=[one, two], disliked=[three])
    page = engine.react(page, cleared=[two])
    assert (page.liked, page.disliked) == ({one}, {three})
    page = engine.react(page, cleared=[one, three])
    assert (page.liked, page.disliked) == (frozenset(), frozenset())


def test_marks_change_in_any_order(engine: Engine, first: str) -> None:
    """The newer word on a picture counts, whichever came before."""
    page = engine.search(first, user="ana", k=20)
    one = ids(page)[2]
    for liked, disliked, cleared in [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 0), (1, 0, 0)]:
        page = engine.react(page, liked=[one][:liked], disliked=[one][:disliked],
                            cleared=[one][:cleared])  # fmt: skip
        assert (one in page.liked, one in page.disliked) == (bool(liked), bool(disliked))


def test_two_tabs_of_a_session_see_each_others_marks(
    open_copy: Callable[[], Engine], first: str
) -> None:
    """A mark made on one page stands on another page of the session, in another process, too."""
    one, two = open_copy(), open_copy()
    page = one.search(first, user="ana", k=20)
    left, right = ids(page)[0], ids(page)[1]
    here = one.react(page, liked=[left])
    there = two.react(page.page_id, disliked=[right])
    assert (there.liked, there.disliked) == ({left}, {right})
    assert one.show(here, k=20).disliked == {right}
    # Taken off from the tab that did not make it, and from a page that is older than it.
    after = two.react(page.page_id, cleared=[left])
    assert (after.liked, after.disliked) == (frozenset(), {right})
    assert one.show(here, k=20).liked == frozenset()


def test_a_mark_that_left_the_page_can_still_be_changed(engine: Engine, first: str) -> None:
    """What is marked in a session can be marked anew from any of its pages."""
    page = engine.search(first, user="ana", k=20)
    last = ids(page)[-1]
    engine.react(page, disliked=[last])
    short = engine.show(page, k=3)
    assert last not in ids(short)
    assert engine.react(short, liked=[last]).liked == {last}


def test_undoing_a_cleared_mark_brings_it_back(engine: Engine, first: str) -> None:
    """Taking off is something said like any other, and is taken back like any other."""
    page = engine.search(first, user="ana", k=20)
    one = ids(page)[0]
    page = engine.react(page, liked=[one])
    engine.react(page, cleared=[one])
    undone = engine.undo("ana")
    assert undone.cleared == (one,)
    assert undone.page is not None
    assert undone.page.liked == {one}


def test_undo_keeps_to_the_page_it_is_given(engine: Engine, first: str) -> None:
    """With a page, the last thing said in its session goes, whatever was said elsewhere since."""
    other = engine.images(1, 1)[0].image_id
    here, there = (engine.search(query, user="ana", k=20) for query in (first, other))
    mine, theirs = ids(here)[0], ids(there)[0]
    engine.react(here, liked=[mine])
    there = engine.react(there, disliked=[theirs])
    undone = engine.undo("ana", here)
    assert (undone.liked, undone.session) == ((mine,), here.session)
    assert engine.show(there, k=20).disliked == {theirs}
    assert engine.digest == engine.replay()
    with pytest.raises(NothingToUndo, match="session"):
        engine.undo("ana", here.page_id)
    assert engine.undo("ana").disliked == (theirs,)


def test_clearing_what_is_not_marked_is_refused(engine: Engine, first: str) -> None:
    """Nor can a picture be marked and cleared in one breath; nothing is logged."""
    page = engine.search(first, user="ana", k=20)
    one = ids(page)[0]
    with pytest.raises(InvalidInput, match="no mark"):
        engine.react(page, cleared=[one])
    with pytest.raises(InvalidInput, match="at once"):
        engine.react(page, liked=[one], cleared=[one])
    with pytest.raises(NotShown):
        engine.react(page, liked=[first])
    assert engine.people.list() == ()


def test_a_restart_knows_the_marks(open_copy: Callable[[], Engine], first: str) -> None:
    """What stands is read from the log."""
    engine = open_copy()
    page = engine.search(first, user="ana", k=20)
    one, two = ids(page)[:2]
    page = engine.react(page, liked=[one], disliked=[two])
    page = engine.react(page, cleared=[two])
    engine.close()
    again = open_copy().show(page.page_id, k=20)
    assert (again.liked, again.disliked) == ({one}, frozenset())


def test_a_mark_taken_off_has_taught_nothing(engine: Engine, first: str) -> None:
    """Everything learned is as before the mark; a changed mark teaches by its newer word alone."""
    start = engine.digest
    page = engine.search(first, user="ana", k=20)
    one, two = ids(page)[5], ids(page)[8]
    said = engine.react(page, disliked=[one])
    disliked = engine.digest
    engine.react(said, cleared=[one])
    assert engine.digest == start == engine.replay()
    engine.undo("ana")
    assert engine.digest == disliked == engine.replay()
    changed = engine.react(said, liked=[one])
    liked = engine.digest
    assert liked == engine.replay() != disliked
    engine.react(engine.react(changed, disliked=[two]), cleared=[one, two])
    assert engine.digest == start == engine.replay()
    for expected in (None, liked, disliked, start):
        engine.undo("ana")
        assert expected in (None, engine.digest)
        assert engine.digest == engine.replay()


def test_a_round_of_marks_stands_until_its_last_is_off(engine: Engine, first: str) -> None:
    """What several marks taught together is taken back with the last of them."""
    start = engine.digest
    page = engine.search(first, user="ana", k=20)
    one, two = ids(page)[7], ids(page)[2]
    page = engine.react(page, liked=[one], disliked=[two])
    taught = engine.people.show("ana").weights
    assert models_of(engine).evidence.of("ana")[page.session].liked == (one,)
    page = engine.react(page, cleared=[one])
    assert engine.people.show("ana").weights == taught
    assert models_of(engine).evidence.of("ana")[page.session].liked == ()
    engine.react(page, cleared=[two])
    assert engine.digest == start
    assert [event.undone for event in engine.people.show("ana").history] == [True, False, False]
    assert engine.people.import_("eva", engine.people.export("ana")) == 2
    assert engine.digest == start == engine.replay()
