"""Tags: a person's own, and those that several agree on."""

from __future__ import annotations

import json

import pytest

from saccade.engine import Engine, Tag
from saccade.errors import InvalidInput, NotFound, UnknownName


@pytest.fixture
def ids(engine: Engine) -> list[str]:
    return [one.image_id for one in engine.images(0, 6)]


def test_a_tag_narrows_a_search_and_a_listing(engine, ids) -> None:
    """Pictures that have it alone; capital letters make no difference where nobody used them."""
    engine.tags.add("Holiday", ids[1:4], user="ana")
    page = engine.search(ids[0], user="ana", where=Tag("holiday"))
    assert {hit.image_id for hit in page} == set(ids[1:4])
    listed = engine.library.images(where={"tag": "Holiday"}, user="ana")
    assert [one.image_id for one in listed] == ids[1:4]
    found = engine.library.facets(where={"tag": "Holiday"}, user="ana").tags
    assert [(one.tag, one.count) for one in found] == [("Holiday", 3)]


def test_a_tag_is_its_persons_own_until_others_agree(engine, ids) -> None:
    """Two who gave a picture the same tag speak for all."""
    engine.tags.add("boats", ids[:3], user="ana")
    assert engine.tags.list(user="bob") == ()
    engine.tags.add("boats", ids[1:4], user="eva")
    assert engine.tags.images("boats", user="bob") == tuple(ids[1:3])
    assert engine.tags.images("boats", user="ana") == tuple(ids[:3])


def test_what_others_agree_on_may_be_taken_off_for_oneself(engine, ids) -> None:
    """Whoever gave it keeps it, and giving it again brings it back."""
    for user in ("ana", "eva"):
        engine.tags.add("boats", ids[:3], user=user)
    told = engine.tags.remove("boats", ids[0], user="bob")
    assert (told.images, told.own, told.people) == (2, 0, 2)
    assert engine.tags.images("boats", user="ana") == tuple(ids[:3])
    assert engine.tags.of(ids[0], user="bob") == ()
    engine.tags.add("boats", ids[0], user="bob")
    (seen,) = engine.tags.list(user="bob")
    assert (seen.tag, seen.images, seen.own, seen.people) == ("boats", 3, 1, 3)


def test_a_tag_that_is_taken_off_everything_is_gone(engine, ids) -> None:
    """Without pictures there is none."""
    engine.tags.add("boats", ids[:3], user="ana")
    assert engine.tags.remove("boats", user="ana").images == 0
    assert engine.tags.list(user="ana") == ()


def test_what_guests_and_visitors_give_stays_theirs(engine, ids) -> None:
    """They are many people under one name, unless the store remembers them."""
    engine.tags.add("boats", ids[:1])
    engine.tags.add("boats", ids[:1], user="visitor:1")
    engine.tags.add("boats", ids[:1], user="eva")
    assert engine.tags.list(user="ana") == ()
    assert [one.tag for one in engine.tags.list()] == ["boats"]
    engine.people.guests(True)
    assert [one.tag for one in engine.tags.list(user="ana")] == ["boats"]


def test_tagging_is_taken_back_replayed_exported_and_forgotten(engine, ids) -> None:
    """As everything that is said."""
    engine.tags.add("boats", ids[:2], user="ana")
    engine.tags.add("boats", ids[2], user="ana")
    engine.undo("ana")
    assert engine.tags.images("boats", user="ana") == tuple(ids[:2])
    engine.tags.remove("boats", ids[1], user="ana")
    assert engine.replay() == engine.digest
    data = json.loads(json.dumps(engine.people.export("ana")))
    assert engine.people.import_("eve", data) == 2
    assert engine.tags.images("boats", user="eve") == (ids[0],)
    engine.forget("ana")
    engine.forget("eve")
    assert engine.tags.list(user="bob") == ()


def test_tags_outlive_the_process(open_copy) -> None:
    """What was taken off, too."""
    engine = open_copy()
    ids = [one.image_id for one in engine.images(0, 2)]
    for user in ("ana", "eva"):
        engine.tags.add("boats", ids, user=user)
    engine.tags.remove("boats", ids[0], user="bob")
    engine.close()
    again = open_copy()
    assert again.tags.images("boats", user="ana") == tuple(ids)
    assert again.tags.images("boats", user="bob") == (ids[1],)


def test_a_typed_tag_finds_its_pictures(engine, ids) -> None:
    """For those who see it, and it is offered while they type."""
    for user in ("ana", "eva"):
        engine.tags.add("zugspitze", ids[2:4], user=user)
    page = engine.search(text="zugspitze", user="bob", k=2)
    assert {hit.image_id for hit in page} == set(ids[2:4])
    assert "zugspitze" in {one.text for one in engine.suggest("zug", user="bob")}


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda tags, ids: tags.add("a/b", ids), InvalidInput),
        (lambda tags, ids: tags.add("a", []), InvalidInput),
        (lambda tags, ids: tags.add("a", ["0" * 32]), NotFound),
        (lambda tags, ids: tags.add("a", ids, user=" "), InvalidInput),
        (lambda tags, ids: tags.remove("nothing", ids), UnknownName),
        (lambda tags, ids: tags.images("nothing"), UnknownName),
        (lambda tags, ids: tags.of("0" * 32), NotFound),
    ],
)
def test_what_cannot_be_said_is_refused(engine, ids, call, error) -> None:
    """And nothing is kept of it."""
    digest = engine.digest
    with pytest.raises(error):
        call(engine.tags, ids)
    assert engine.digest == digest
