"""Marks that nobody means well with: no page below its start, nothing without bound."""

from __future__ import annotations

import base64
import copy
from pathlib import Path
from typing import Any

import pytest

from inside import models_of
from saccade.engine import Engine
from saccade.errors import InvalidInput, NotFound
from saccade.types import Page


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def scored(page: Page) -> list[tuple[str, float]]:
    return [(hit.image_id, hit.score) for hit in page.hits]


def test_who_likes_everything_keeps_their_order_about(engine: Engine) -> None:
    """Linking what the start had together already moves the first places little."""
    every = [record.image_id for record in engine.images(0, 12)]
    before = {q: ids(engine.search(q, user="new", k=10)) for q in every}
    for query in every:
        page = engine.search(query, user="ana", k=10)
        engine.react(page, liked=ids(page))
    for query in every:
        after = ids(engine.search(query, user="ana", k=10))
        assert len({*after[:5]} & {*before[query]}) >= 4


def test_marks_turned_over_and_over_end_where_they_stand(engine: Engine, first: str) -> None:
    """Right, wrong, off, right: one mark stands, whatever was said on the way."""
    page = engine.search(first, user="ana", k=10)
    image = ids(page)[3]
    for _ in range(5):
        engine.react(page, liked=[image])
        engine.react(page, disliked=[image])
        engine.react(page, cleared=[image])
    assert models_of(engine).evidence.of("ana") == {}
    engine.react(page, liked=[image])
    assert models_of(engine).evidence.of("ana")[page.session].liked == (image,)
    assert engine.digest == engine.replay()


def test_a_removed_picture_says_nothing_and_speaks_again(tmp_path: Path, pictures: Path) -> None:
    """While its file is away its links are; nobody's teaching is lost."""
    engine = Engine(tmp_path / "own.saccade", warm=False)
    engine.add(pictures, recipe="color-histogram,lbp")
    query = engine.images(0, 1)[0].image_id
    page = engine.search(query, user="ana", k=12)
    liked = ids(page)[6:9]
    for _ in range(3):
        engine.react(engine.search(query, user="ana", expert="plain", k=12), liked=liked)
    taught = scored(engine.search(query, user="ana", k=12))
    gone = Path(engine.image(liked[0]).paths[0])
    content = gone.read_bytes()
    gone.unlink()
    engine.add(pictures, prune=True)
    assert liked[0] not in dict(engine.graph.neighbours(query, taught=True, user="ana"))
    assert liked[1] in dict(engine.graph.neighbours(query, 30, taught=True, user="ana"))
    assert engine.digest == engine.replay()
    gone.write_bytes(content)
    engine.add(pictures, prune=True)
    again = engine.search(query, user="ana", k=12)
    assert [image for image, _ in scored(again)] == [image for image, _ in taught]
    engine.close()


def renamed(profile: dict[str, Any]) -> dict[str, Any]:
    """A profile about pictures that nobody has."""
    strange = copy.deepcopy(profile)
    for line in strange["events"]:
        for name in ("liked", "disliked", "asked", "images"):
            line["body"][name] = [f"nobody has {image}" for image in line["body"].get(name, [])]
    return strange


def test_an_import_about_pictures_that_are_not_here_says_nothing(
    engine: Engine, first: str
) -> None:
    """It is kept, counted and can be dropped; no page moves along the links."""
    page = engine.search(first, user="ana", k=12)
    engine.react(page, liked=ids(page)[3:6], disliked=ids(page)[:2])
    profile = engine.people.export("ana")
    engine.forget("ana")
    start = scored(engine.search(first, expert="remembered", user="eva", k=12))
    assert engine.people.import_("eva", renamed(profile)) == 1
    assert scored(engine.search(first, expert="remembered", user="eva", k=12)) == start
    (one,) = engine.people.taught("eva")
    assert engine.people.drop("eva", one.session) == 1
    assert engine.people.taught("eva") == ()


@pytest.mark.parametrize("session", ["five", 1.5, True, [1]])
def test_a_session_of_an_import_is_a_number(engine: Engine, first: str, session: object) -> None:
    """Anything else is refused, and nothing of it is learned."""
    page = engine.search(first, user="ana", k=12)
    engine.react(page, liked=ids(page)[:2])
    profile = engine.people.export("ana")
    profile["events"][0]["session"] = session
    with pytest.raises(InvalidInput, match="event 1 is damaged: its session"):
        engine.people.import_("eva", profile)
    assert "eva" not in engine.people.list()


def test_a_search_that_taught_nothing_cannot_be_dropped(engine: Engine, first: str) -> None:
    """Nor one of somebody else's; nothing is taken back."""
    page = engine.search(first, user="ana", k=12)
    engine.react(page, liked=ids(page)[:2])
    digest = engine.digest
    for user, session in (("ana", "nowhere"), ("eva", page.session)):
        with pytest.raises(NotFound, match="has taught nothing in a session"):
            engine.people.drop(user, session)
    assert engine.digest == digest


def test_arrays_of_a_profile_are_bytes(engine: Engine, first: str) -> None:
    """The border is the same for events that know their query."""
    page = engine.search(first, user="ana", k=12)
    engine.react(page, liked=ids(page)[:2])
    profile = engine.people.export("ana")
    profile["events"][0]["body"]["asked"] = [7]
    with pytest.raises(InvalidInput, match="the query must be image ids"):
        engine.people.import_("eva", profile)
    assert base64.b64decode(profile["events"][0]["arrays"])
