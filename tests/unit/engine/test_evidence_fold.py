"""What is kept of sessions: as they were said, within bounds, and gone when it is taken back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inside import collection_of, models_of
from saccade.engine import Engine
from saccade.engine.events import Discarded, Entry, Lesson, Preferred, Reacted, Saved
from saccade.engine.learning import evidence
from saccade.engine.learning.axis import Axis
from saccade.engine.learning.evidence import EvidenceFold, Laid, TaughtSession
from saccade.engine.recipe import Recipe
from saccade.types import Page

NOTHING = Lesson((), (), (), np.zeros((0, 0), np.float32), np.zeros((0, 2), np.int32), False)
RECIPE = Recipe(("lbp",))


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def reacted(**marks: Any) -> Reacted:
    given = {"liked": (), "disliked": (), **{k: tuple(v) for k, v in marks.items()}}
    return Reacted(lesson=NOTHING, **given)


def folded(*said: tuple[str, str, Any], fold: EvidenceFold | None = None) -> EvidenceFold:
    """The fold of some events: person, session, record."""
    fold = fold or EvidenceFold(RECIPE)
    for number, (user, session, record) in enumerate(said, 1):
        fold.apply(Entry(number, float(number), user, session, "", record), Axis())
    return fold


def test_a_session_is_what_stands_in_it() -> None:
    """The newer word on a picture counts, a mark that came off does not, comparisons join."""
    fold = folded(
        ("ana", "s", reacted(liked="ab", disliked="c", asked="q", refused="x")),
        ("ana", "s", reacted(disliked="b", cleared="c", asked="q")),
        ("ana", "s", Preferred("d", "a", NOTHING)),
        ("ana", "s", Preferred("d", "e", NOTHING)),
    )
    one = fold.of("ana")["s"]
    assert (one.asked, one.refused, one.liked, one.disliked) == (("q",), ("x",), ("a",), ("b",))
    assert one.compared == {"d": 1, "e": -1}  # what is marked says more than a comparison


def test_a_session_of_which_nothing_stands_is_gone() -> None:
    """Cleared marks leave no session, no person and no dump behind."""
    fold = folded(("ana", "s", reacted(liked="a")), ("ana", "s", reacted(cleared="a")))
    assert fold.of("ana") == {}
    assert fold.dump() == ({}, {})


def test_only_the_newest_marks_of_a_session_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest leave first, and one that is marked anew is new."""
    monkeypatch.setattr(evidence, "MARKS", 3)
    fold = folded(("ana", "s", reacted(liked="abc")), ("ana", "s", reacted(disliked="ad")))
    assert list(fold.of("ana")["s"].marks) == ["c", "a", "d"]


def test_the_session_spoken_of_longest_ago_leaves_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a person's budget of pairs; one saved under a name stays until no other is left."""
    monkeypatch.setattr(evidence, "PAIRS_A_PERSON", 6)  # two sessions of query and two likes
    first = [("ana", s, reacted(liked="ab", asked="q")) for s in ("one", "two")]
    three = ("ana", "three", reacted(liked="ab", asked="q"))
    assert list(folded(*first, three).of("ana")) == ["two", "three"]
    again = ("ana", "one", reacted(liked="a", asked="q"))
    assert list(folded(*first, again, three).of("ana")) == ["one", "three"]
    saved = ("ana", "one", Saved("cars"))
    assert list(folded(*first, saved, three).of("ana")) == ["one", "three"]
    given_up = ("ana", "one", Discarded("cars"))
    assert list(folded(*first, saved, given_up, three).of("ana")) == ["two", "three"]


def test_in_all_whoever_holds_most_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood pushes out its own."""
    monkeypatch.setattr(evidence, "PAIRS_IN_ALL", 9)
    flood = [("eve", f"s{i}", reacted(liked="ab", asked="q")) for i in range(5)]
    fold = folded(("ana", "s", reacted(liked="ab", asked="q")), *flood)
    assert list(fold.of("ana")) == ["s"]
    assert list(fold.of("eve")) == ["s3", "s4"]


EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["ana", "bob", "guest"]),
        st.sampled_from(["s", "t", "", "u"]),
        st.one_of(
            st.builds(
                reacted,
                liked=st.sets(st.sampled_from("abcdefé"), max_size=3),
                disliked=st.sets(st.sampled_from("hijk"), max_size=3),
                cleared=st.sets(st.sampled_from("lmab"), max_size=2),
                asked=st.sets(st.sampled_from("qr"), max_size=2),
                refused=st.sets(st.sampled_from("xy"), max_size=1),
            ),
            st.builds(Preferred, st.sampled_from("abc"), st.sampled_from("def"), st.just(NOTHING)),
            st.builds(Saved, st.sampled_from(["n", "m"])),
            st.builds(Discarded, st.sampled_from(["n", "m"])),
        ),
    ),
    max_size=14,
)


@settings(deadline=None, max_examples=60)
@given(EVENTS, st.integers(0, 14))
def test_a_snapshot_in_between_changes_nothing(events: Any, at: int) -> None:
    """Dumped, loaded and continued is the same as never stopped, to the bit."""
    whole = folded(*events)
    part, rest = folded(*events[:at]), events[at:]
    loaded = EvidenceFold(RECIPE)
    loaded.load(*part.dump())
    for number, (user, session, record) in enumerate(rest, at + 1):
        loaded.apply(Entry(number, float(number), user, session, "", record), Axis())
    (body, arrays), (again, others) = whole.dump(), loaded.dump()
    assert body == again
    assert {n: a.tobytes() for n, a in arrays.items()} == {
        n: a.tobytes() for n, a in others.items()
    }


def test_a_copy_does_not_follow() -> None:
    """Whoever ranks a page keeps what they began with."""
    fold = folded(("ana", "s", reacted(liked="a")))
    twin = fold.copy()
    folded(("ana", "s", reacted(liked="b")), fold=fold)
    assert twin.of("ana")["s"].liked == ("a",)


def members(one: Laid, place: int) -> list[tuple[int, int]]:
    """The rows of a session with their roles."""
    part = slice(one.sessions.offsets[place], one.sessions.offsets[place + 1])
    return sorted(zip(one.sessions.rows[part], one.sessions.roles[part], strict=True))


def test_sessions_are_laid_by_row_and_brought_up_to_date(engine: Engine, first: str) -> None:
    """What changed is laid beside the rest, as if all had been laid anew."""
    collection = collection_of(engine)
    some = [record.image_id for record in engine.images(0, 12)]
    fold = folded(
        ("ana", "s", reacted(liked=some[1:3], asked=some[:1])),
        ("bob", "t", reacted(liked=some[3:5], disliked=["not here"], asked=some[:1])),
    )
    assert len(fold.laid(collection).sessions) == 2
    later = fold.copy()
    folded(
        ("ana", "s", reacted(disliked=some[5:7])), ("eva", "u", reacted(liked=some[7:9])),
        ("bob", "t", reacted(cleared=[*some[3:5], "not here"])), fold=later,
    )  # fmt: skip
    laid, anew = later.laid(collection), folded(
        ("ana", "s", reacted(liked=some[1:3], disliked=some[5:7], asked=some[:1])),
        ("eva", "u", reacted(liked=some[7:9])),
    ).laid(collection)  # fmt: skip
    alive = [i for i in range(len(laid.sessions)) if i not in laid.gone]
    assert sorted(members(laid, i) for i in alive) == sorted(members(anew, i) for i in range(2))
    assert laid.places.keys() == {("ana", "s"), ("eva", "u")}


def test_however_often_something_is_laid_beside_the_rest(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After every one of many changes each session stands once, as if all were laid anew."""
    monkeypatch.setattr(evidence, "_LATELY", 2)
    monkeypatch.setattr(evidence, "_CHANGED", 9)
    collection, some = collection_of(engine), [image.image_id for image in engine.images()]
    chance = np.random.default_rng(3)
    fold, said, known = EvidenceFold(RECIPE), [], set()
    for _ in range(60):
        session = f"s{chance.integers(7)}"
        one, two = (some[i] for i in chance.choice(len(some), 2, replace=False))
        clear = tuple(fold.of("ana").get(session, TaughtSession(0.0)).marks)
        word = (
            reacted(cleared=clear) if chance.random() < 0.2 else reacted(liked=[one], asked=[two])
        )
        said.append(("ana", session, word))
        fold = folded(said[-1], fold=fold.copy())
        laid, anew = fold.laid(collection), folded(*said).laid(collection)
        assert laid.places.keys() == anew.places.keys() == {("ana", s) for s in fold.of("ana")}
        assert not laid.gone & {*laid.places.values()}
        assert len(laid.gone) + len(laid.places) == len(laid.sessions)
        for key, place in laid.places.items():
            assert members(laid, place) == members(anew, anew.places[key])
        known.add(len(laid.gone))
    assert {0} < known  # laid beside the rest, and anew now and then


def test_events_say_what_was_asked_for(engine: Engine, first: str) -> None:
    """A page may leave the log; its marks know their query."""
    page = engine.search(first, unlike=[engine.images(5, 1)[0].image_id], user="ana", k=10)
    engine.react(page, liked=ids(page)[:2])
    one = models_of(engine).evidence.of("ana")[page.session]
    assert (one.asked, one.refused) == ((first,), page.unlike)
    assert one.liked == tuple(ids(page)[:2])


def test_a_profile_keeps_its_searches_apart(open_copy: Callable[[], Engine], first: str) -> None:
    """Exported and imported, what belonged to one search does again; twice is once."""
    engine = open_copy()
    for part in (slice(0, 2), slice(2, 4)):
        page = engine.search(first, user="ana", k=10)
        page = engine.react(page, liked=ids(page)[part])
        engine.react(page, disliked=[i for i in ids(page) if i not in page.liked][:1])
    profile = engine.people.export("ana")
    for _ in range(2):
        engine.people.import_("eva", profile)
    theirs, hers = (
        [(one.asked, one.marks) for one in models_of(engine).evidence.of(user).values()]
        for user in ("ana", "eva")
    )
    assert len(theirs) == 2
    assert hers == theirs


def test_one_search_is_dropped_as_a_whole(engine: Engine, first: str) -> None:
    """Its marks are gone, those that had been replaced in it, too; the rest stays to the bit."""
    page = engine.search(first, user="ana", k=10)
    engine.react(page, liked=ids(page)[:2])
    digest = engine.digest
    other = engine.search(ids(page)[0], user="ana", k=10)
    said = engine.react(other, liked=ids(other)[:2])
    engine.react(said, disliked=ids(other)[:2])  # takes the place of the likes
    assert [one.session for one in engine.people.taught("ana")] == [other.session, page.session]
    assert engine.people.drop("ana", other.session) == 2
    assert [one.session for one in engine.people.taught("ana")] == [page.session]
    assert engine.digest == digest == engine.replay()


def test_nothing_to_drop_is_said() -> None:
    """A session that is none has no pairs to count."""
    assert TaughtSession(0.0).pairs == 0


def test_what_was_passed_over_stays_until_it_is_marked() -> None:
    """Read from lessons of likes alone; kept when dumped and loaded."""
    pairs = np.array([[0, 1], [0, 2]], np.int32)
    lesson = Lesson(("a", "b", "c"), (), (), np.zeros((3, 0), np.float32), pairs, False)
    liked = Reacted(("a",), (), lesson, asked=("q",))
    fold = folded(("ana", "s", liked))
    assert fold.of("ana")["s"].passed == ("b", "c")
    loaded = EvidenceFold(RECIPE)
    loaded.load(*fold.dump())
    assert loaded.of("ana")["s"] == fold.of("ana")["s"]
    listing = SimpleNamespace(row_of={"q": 0, "a": 1, "b": 2}, alive=np.ones(3, bool))
    collection: Any = SimpleNamespace(generation=1, listing=listing)
    assert fold.laid(collection).sessions.passed.tolist()[-1] == 2
    more = folded(("ana", "s", reacted(liked="b", asked="q")), fold=fold)
    assert more.laid(collection).sessions.passed.tolist()[-1] == 1
    said_so = replace(liked, lesson=replace(lesson, stated=True))
    assert folded(("ana", "s", said_so)).of("ana")["s"].passed == ()
