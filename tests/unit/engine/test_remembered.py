"""What a person marked together stays on the links: for them, and for nobody else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from saccade.engine import Engine
from saccade.engine.loop.experts.moment import Moment
from saccade.engine.loop.experts.voices import BEFORE, STRANGER
from saccade.types import Page


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def scored(page: Page) -> list[tuple[str, float]]:
    return [(hit.image_id, hit.score) for hit in page.hits]


def test_what_was_marked_together_leads_later_searches(engine: Engine, first: str) -> None:
    """A search from one of them brings the others nearer; a stranger's page stays to the bit."""
    page = engine.search(first, user="ana", k=35)
    before, stranger = (engine.search(ids(page)[0], user=u, k=35) for u in ("ana", "bob"))
    together = [ids(page)[0], *[i for i in ids(before)[8:12] if i != first]]
    for _ in range(3):  # more than one session says so
        engine.react(engine.search(first, user="ana", k=35), liked=together)
    after = engine.search(together[0], user="ana", k=35)
    nearer = {hit.image_id: hit.why[BEFORE] for hit in after.hits}
    assert min(nearer[image] for image in together[1:]) > 0.0
    assert ids(after) != ids(before)
    assert scored(engine.search(together[0], user="bob", k=35)) == scored(stranger)


def test_it_is_a_fold_of_the_log(open_copy: Callable[[], Engine], first: str) -> None:
    """Undone, forgotten, restarted: as if it had not been said, bit for bit."""
    engine = open_copy()
    start, plain = engine.digest, scored(engine.search(first, user="ana", k=20))
    page = engine.search(first, user="ana", k=10)
    one, two = ids(page)[:2]
    marked = engine.react(page, liked=[one, two])
    digest = engine.digest
    assert digest != start
    engine.react(marked, cleared=[two])
    assert engine.digest != digest
    engine.undo("ana")
    assert engine.digest == digest == engine.replay()
    engine.close()
    again = open_copy()
    assert again.digest == digest
    again.forget("ana")
    assert again.digest == start == again.replay()
    assert scored(again.search(first, user="ana", k=20)) == plain


def test_guests_are_many_and_teach_each_other_nothing(engine: Engine, first: str) -> None:
    """Unless the recipe says so: they are many people under one name."""
    assert not engine.recipe.guests
    for user in ("guest", "ana"):
        page = engine.search(first, user=user, k=20)
        engine.react(page, liked=ids(page)[5:9], disliked=ids(page)[:2])
    guest, ana, new = (
        scored(engine.search(first, expert="remembered", user=user, k=20))
        for user in ("guest", "ana", "new")
    )
    assert guest == new
    assert ana != new


def teach(engine: Engine, first: str, user: str, times: int = 1) -> list[str]:
    """Marks far pictures right and near ones wrong; the ones marked right."""
    page = engine.search(first, user="nobody", expert="plain", k=20)
    liked = ids(page)[8:12]
    for _ in range(times):
        again = engine.search(first, user=user, expert="plain", k=20)
        engine.react(again, liked=liked, disliked=ids(page)[:2])
    return liked


def test_company_follows_what_was_taught(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was liked together keeps company, and comes nearer than by the links alone."""
    liked = teach(engine, first, "ana", times=3)

    def nearer() -> float:
        page = engine.search(first, user="ana", expert="remembered", k=35)
        return sum(hit.why[BEFORE] for hit in page.hits if hit.image_id in liked)

    whole = nearer()
    monkeypatch.setattr(Moment, "companies", lambda self: None)
    assert whole > nearer()


def test_a_picture_that_comes_later_joins_through_its_own_links(
    engine: Engine, first: str, tmp_path: Path
) -> None:
    """Nobody has spoken of it, but its look-alikes were linked: it leads where they do."""
    liked = teach(engine, first, "ana", times=3)
    there = {record.image_id for record in engine.images(0, None)}
    (tmp_path / "more").mkdir()
    with Image.open(engine.image(first).paths[0]) as picture:
        width, height = picture.size
        picture.resize((width - 16, height - 12)).save(tmp_path / "more" / "later.png")
    engine.add(tmp_path / "more")
    (later,) = {record.image_id for record in engine.images(0, None)} - there
    page = engine.search(later, user="ana", expert="remembered", k=40)
    parts = {hit.image_id: hit.why[BEFORE] for hit in page.hits}
    assert min(parts[image] for image in liked) > 0.0


def test_a_second_person_is_heard_where_they_agree(engine: Engine, first: str) -> None:
    """One leaves a stranger's page to the bit, two move it, fifty not beyond the bound."""
    start = scored(engine.search(first, user="new", k=30))
    liked = teach(engine, first, "ana", times=5)
    assert scored(engine.search(first, user="new", k=30)) == start
    teach(engine, first, "bob")
    page = engine.search(first, expert="remembered", user="new", k=30)
    parts = {hit.image_id: hit.why.get(BEFORE, 0.0) for hit in page.hits}
    assert min(parts[image] for image in liked) > 0.0
    for number in range(50):
        teach(engine, first, f"invented {number}")
    page = engine.search(first, expert="remembered", user="new", k=35)
    assert max(abs(hit.why.get(BEFORE, 0.0)) for hit in page.hits) <= STRANGER + 1e-6


def test_who_taught_is_moved_by_others_no_further_than_a_stranger(
    engine: Engine, first: str
) -> None:
    """Fifty invented people move the page of somebody who taught near it within the same bound."""
    teach(engine, first, "ana", times=3)

    def moved() -> dict[str, float]:
        page = engine.search(first, expert="remembered", user="ana", k=35)
        return {hit.image_id: hit.why[BEFORE] for hit in page.hits}

    before, shown = moved(), ids(engine.search(first, user="nobody", expert="plain", k=20))
    for number in range(50):
        page = engine.search(first, user=f"invented {number}", expert="plain", k=20)
        engine.react(page, liked=shown[14:18], disliked=shown[3:5])
    after = moved()
    changes = [abs(after[image] - was) for image, was in before.items()]
    assert max(abs(was) for was in before.values()) > 2 * STRANGER
    assert 0.0 < max(changes) <= STRANGER + 1e-6


def test_people_who_disagree_move_nobody(engine: Engine, first: str) -> None:
    """Two camps of equal size leave a stranger's page as it was."""
    start = scored(engine.search(first, user="new", expert="remembered", k=30))
    page = engine.search(first, user="nobody", expert="plain", k=20)
    for user, side in (
        ("ana", "liked"),
        ("bob", "disliked"),
        ("eva", "liked"),
        ("dan", "disliked"),
    ):
        again = engine.search(first, user=user, expert="plain", k=20)
        engine.react(again, **{side: ids(page)[5:6]})
    assert scored(engine.search(first, user="new", expert="remembered", k=30)) == start


def test_a_session_does_not_remember_itself(engine: Engine, first: str) -> None:
    """What is marked now counts as that, and not a second time as marked before."""
    page = engine.search(first, user="ana", k=35)
    page = engine.react(page, liked=ids(page)[:4])
    assert not any(BEFORE in hit.why for hit in page.hits)


def test_the_store_may_say_that_guests_are_remembered(engine: Engine, first: str) -> None:
    """Then they are one person; said otherwise again, what they marked counts no more."""
    start = scored(engine.search(first, k=20))
    teach(engine, first, "guest", times=3)
    assert (engine.people.guests(), engine.people.taught("guest")) == (False, ())
    assert engine.people.guests(True)
    assert len(engine.people.taught("guest")) == 3
    assert scored(engine.search(first, k=20)) != start
    assert not engine.people.guests(False)
    assert scored(engine.search(first, expert="remembered", k=20)) == scored(
        engine.search(first, expert="remembered", user="new", k=20)
    )


def test_links_show_what_was_taught(engine: Engine, first: str) -> None:
    """Neighbours by bent links, the searches and days behind them, and a map around a picture."""
    liked = teach(engine, first, "ana", times=3)
    plain = dict(engine.graph.neighbours(first, 1000))
    taught = {one.image_id: one for one in engine.graph.look_alikes(
        first, 1000, taught=True, user="ana")}  # fmt: skip
    for image in liked:
        one = taught[image]
        assert one.linked > plain.get(image, 0.0) == one.similarity
        assert (one.sessions, one.days, one.evidence > 0.0) == (3, 1, True)
    wrong = [one for one in taught.values() if one.evidence < 0.0]
    assert all(one.linked < one.similarity or not one.similarity for one in wrong)
    assert dict(engine.graph.neighbours(first, 1000, taught=True, user="bob")) == plain
    around = engine.graph.around(first, 8, user="ana")
    assert around.middle.image_id == first
    assert len(around.around) <= 8
    assert any(link.evidence > 0.0 for link in around.links)
    assert all(0 <= link.first < link.second <= len(around.around) for link in around.links)
    together = engine.graph.together(first, user="ana")
    assert (together.sessions, together.days) == (3, 1)
    assert {*together.images} == {*liked}
    assert engine.graph.together(first, user="bob").sessions == 0


def test_a_profile_says_what_is_remembered(engine: Engine, first: str) -> None:
    """How many searches, and by the guard's figures what they are worth."""
    teach(engine, first, "ana", times=3)
    page = engine.search(first, user="ana", k=20)
    engine.react(page, liked=ids(page)[8:12], disliked=ids(page)[:2])
    profile = engine.people.show("ana")
    assert profile.taught == 4
    assert "remembered" in {one.expert for one in profile.guard.experts}
