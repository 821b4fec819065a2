"""What is kept in memory, within bounds, and of nobody who was forgotten."""

from __future__ import annotations

import gc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from inside import scales_of, sessions_of
from saccade.engine import Engine
from saccade.engine.attributes.scoring import Standing
from saccade.engine.cache import Cache, once
from saccade.engine.loop.session import Session
from servers import PATIENCE

WHO = "zenobia the forgotten"  # nobody else is called so in this process


def test_the_values_not_used_for_longest_go() -> None:
    """By number, unless a size is measured."""
    few: Cache[str, int] = Cache(2)
    for key in "abc":
        few.put(key, ord(key))
        few.get("a")
    assert [few.get(key) for key in "abc"] == [97, None, 99]
    assert len(few) == few.size == 2


def test_a_value_is_measured_whenever_it_is_put() -> None:
    """One that grows is counted as it is now; the newest stays, however large."""
    sized: Cache[str, list[int]] = Cache(5, len)
    sized.put("a", [1])
    sized.put("b", [1, 2])
    sized.put("a", [1, 2, 3])
    assert sized.size == 5
    sized.put("a", [1, 2, 3, 4])
    assert (sized.get("b"), sized.size) == (None, 4)
    sized.put("c", list(range(9)))
    assert (len(sized), sized.size) == (1, 9)
    sized.clear()
    assert (len(sized), sized.size) == (0, 0)


def test_a_value_is_made_once() -> None:
    """And again when it is gone."""
    made: list[str] = []

    def make() -> str:
        made.append("x")
        return "x"

    one: Cache[str, str] = Cache(1)
    assert one.made("a", make) == one.made("a", make) == "x"
    one.put("b", "y")
    one.made("a", make)
    assert len(made) == 2


class Slow:
    """An object whose property takes until somebody says so."""

    def __init__(self) -> None:
        self.asked, self.go, self.times = Event(), Event(), 0

    @once
    def found(self) -> int:
        """Found out at length."""
        self.asked.set()
        assert self.go.wait(PATIENCE)
        self.times += 1
        return self.times


def test_a_property_is_found_out_once_for_each_object() -> None:
    """Asked again, it is there; another object has its own."""
    one, other = Slow(), Slow()
    one.go.set()
    other.go.set()
    assert (one.found, one.found, one.times, other.found) == (1, 1, 1, 1)


def test_one_objects_property_waits_for_no_other() -> None:
    """While one object finds something out, another of its class can."""
    one, other = Slow(), Slow()
    other.go.set()
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(lambda: one.found)
        assert one.asked.wait(PATIENCE)
        with ThreadPoolExecutor(1) as second:
            assert second.submit(lambda: other.found).result(PATIENCE) == 1
        one.go.set()
        assert slow.result(PATIENCE) == 1


@pytest.fixture
def taught(open_copy: Callable[[], Engine]) -> Callable[[], Engine]:
    """Opens engines in which two people have searched, marked, saved and taught."""

    def open_one() -> Engine:
        engine = open_copy()
        images = [record.image_id for record in engine.images()]
        if "natural" not in [one.name for one in engine.attributes.list()]:
            engine.attributes.create("natural")
        for user in (WHO, "bob"):
            page = engine.search(images[0], user=user, k=10)
            page = engine.react(page, liked=[page.hits[1]], disliked=[page.hits[2]])
            engine.sessions.save(page, "mine")
            for more, less in ((1, 2), (3, 4), (5, 1)):
                engine.attributes.answer("natural", images[more], images[less], user=user)
            engine.attributes.order("natural", user=user)
            engine.search(images[3], user=user, where={"more": {"natural": 0.5}})
            engine.concepts.list(user=user)
        return engine

    return open_one


def held(user: str) -> list[object]:
    """Everything in memory that a person's name is in, or that was learned from them."""
    gc.collect()
    return [
        thing
        for thing in gc.get_objects()
        if (type(thing) is Session and thing.user == user)
        or (type(thing) is Standing and user in thing.attribute.people)
    ]


def test_after_forgetting_nothing_in_memory_holds_the_person(
    taught: Callable[[], Engine],
) -> None:
    """No session, no scale, no marks and no model; who was not forgotten goes on."""
    engine = taught()
    assert len(held(WHO)) >= 3
    engine.forget(WHO)
    assert held(WHO) == []
    assert sessions_of(engine).size == 0
    assert len(scales_of(engine)._standing) == 0
    assert len(engine._loop._marks._recent) == 0
    learning = engine._opened.learning
    for models in (learning.models, *learning._checkpoints):
        assert WHO not in str(models.dump()[0])
    assert engine.people.show("bob").events == 1
    assert engine.attributes.show("natural", user="bob").answers == 3


def test_another_process_forgets_when_it_hears_of_it(taught: Callable[[], Engine]) -> None:
    """The next thing that it reads from the log empties its memory, too."""
    engine = taught()
    with Engine(engine.path, warm=False) as other:
        image = other.images(0, 1)[0].image_id
        other.search(image, user=WHO, k=5)
        assert sessions_of(other).size > 0
        engine.forget(WHO)
        other.people.list()
        other.search(image, user="bob", k=5)
        assert held(WHO) == []
        assert len(sessions_of(other)) == 1
