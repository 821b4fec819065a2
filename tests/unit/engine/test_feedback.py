from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from saccade.engine import Engine
from saccade.engine.loop import session as searching
from saccade.errors import InvalidInput, NotFound, NothingToUndo, NotShown
from saccade.types import Page


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def judge(engine: Engine, first: str, *, user: str = "ana", rounds: int = 1) -> Page:
    """Like what is at the end of the page and dislike its beginning: a ranking never agrees."""
    page = engine.search(first, user=user, k=20)
    for _ in range(rounds):
        shown = ids(page)
        page = engine.react(page, liked=shown[-3:], disliked=shown[:3])
    return page


def test_feedback_re_ranks_at_once(engine: Engine, first: str) -> None:
    """The page that comes back is another round of the same session, in another order."""
    before = engine.search(first, user="ana", k=20)
    after = engine.react(before, liked=ids(before)[-3:], disliked=ids(before)[:3])
    assert after.round == before.round + 1
    assert after.session == before.session
    assert after.page_id != before.page_id
    assert ids(after) != ids(before)
    assert after.liked == set(ids(before)[-3:])
    assert after.disliked == set(ids(before)[:3])


def test_what_was_learned_holds_in_later_searches(engine: Engine, first: str) -> None:
    """Learning outlives its session, in small steps; without learning nothing has changed."""
    plain, before = (engine.search(first, user="ana", k=20, expert=r) for r in ("plain", "learned"))
    judge(engine, first)
    assert engine.search(first, user="ana", k=20, expert="learned").hits != before.hits
    assert engine.search(first, user="ana", k=20, expert="plain").hits == plain.hits


def test_what_was_learned_survives_a_restart(open_copy: Callable[[], Engine], first: str) -> None:
    """A new process goes on where the old one stopped."""
    engine = open_copy()
    judge(engine, first, rounds=2)
    served, digest = ids(engine.search(first, user="ana", k=20)), engine.digest
    engine.close()
    again = open_copy()
    assert again.digest == digest
    assert ids(again.search(first, user="ana", k=20)) == served


def test_a_page_can_be_judged_after_a_restart(open_copy: Callable[[], Engine], first: str) -> None:
    """Feedback needs only the page's id; query and φ come from the log."""
    engine = open_copy()
    path = engine.image(first).paths[0]
    outside = np.full((30, 40, 3), 60, np.uint8)
    for query in (path, outside):
        page = engine.search(query, user="ana", k=20)
        again = open_copy()
        after = again.react(page.page_id, liked=ids(page)[-3:], disliked=ids(page)[:3])
        assert after.session == page.session
        assert after.round == 1


def test_what_two_people_taught_reaches_a_third_and_what_one_did_does_not(
    engine: Engine, first: str
) -> None:
    """Bob's pages stay to the bit while Ana alone teaches; with a second teacher they move."""
    rankers = ("shared", "learned", "guarded")
    plain = [engine.search(first, user="bob", k=20, expert=r).hits for r in rankers]
    judge(engine, first, user="ana", rounds=3)
    assert [engine.search(first, user="bob", k=20, expert=r).hits for r in rankers] == plain
    assert any(own != 0.0 for _, own in engine.people.show("ana").weights.values())
    judge(engine, first, user="eve", rounds=3)
    moved = engine.search(first, user="bob", k=20, expert="shared")
    assert moved.hits[0].score != plain[0][0].score
    assert all(own == 0.0 for _, own in engine.people.show("bob").weights.values())


def test_two_processes_learn_the_same(open_copy: Callable[[], Engine], first: str) -> None:
    """Engines on one store take turns and agree bit for bit."""
    one, two = open_copy(), open_copy()
    for round_ in range(4):
        judge(one if round_ % 2 else two, first, user=f"user{round_ % 3}")
    one.undo("user0")
    assert one.digest == two.digest == open_copy().replay()


def test_undo_brings_the_page_back(engine: Engine, first: str) -> None:
    """After undo the same search gives the same page, score for score."""
    before = engine.search(first, user="ana", k=20)
    engine.react(before, liked=ids(before)[-2:], disliked=ids(before)[:2])
    undone = engine.undo("ana")
    assert undone.page is not None
    assert undone.page.hits == before.hits
    assert set(undone.liked) == set(ids(before)[-2:])
    assert undone.page.liked == frozenset()


def test_undo_goes_back_step_by_step(engine: Engine, first: str) -> None:
    """Each undo takes one more event back, and the last one says there is nothing left."""
    digests = [engine.digest]
    page = engine.search(first, user="ana", k=20)
    for _ in range(3):
        page = engine.react(page, liked=ids(page)[-2:], disliked=ids(page)[:2])
        digests.append(engine.digest)
    for expected in reversed(digests[:-1]):
        engine.undo("ana")
        assert engine.digest == expected == engine.replay()
    with pytest.raises(NothingToUndo, match="ana"):
        engine.undo("ana")


def test_forgetting_removes_a_users_influence_from_the_shared_model(
    open_copy: Callable[[], Engine], first: str
) -> None:
    """After forgetting, the models are those of a store that never met the user."""
    engine = open_copy()
    judge(engine, first, user="bob")
    without = engine.digest
    judge(engine, first, user="ana", rounds=2)
    assert engine.digest != without
    assert engine.forget("ana") == 2
    assert engine.digest == without == engine.replay()
    assert "ana" not in engine.people.list()
    engine.close()
    assert b"ana" not in (engine.path / "catalog.sqlite").read_bytes()


def test_forgetting_a_stranger_is_not_found(engine: Engine) -> None:
    """There is nobody to forget."""
    with pytest.raises(NotFound, match="nobody"):
        engine.forget("nobody")


def test_a_pair_is_learned(engine: Engine, first: str) -> None:
    """Each time it is said, the better of a pair gains on the worse."""
    page = engine.search(first, user="ana", k=35, expert="learned")
    better, worse = ids(page)[6], ids(page)[4]

    def ahead(page: Page) -> float:
        score = {hit.image_id: hit.score for hit in page.hits}
        return score[better] - score[worse]

    gaps = [ahead(page)]
    for _ in range(3):
        page = engine.prefer(page, better=better, worse=worse)
        gaps.append(ahead(page))
    assert gaps == sorted(gaps)
    assert gaps[0] < gaps[-1]


def test_a_like_at_rank_one_is_heard(engine: Engine, first: str) -> None:
    """It stays first, and its look-alikes come up: the others have another order."""
    page = engine.search(first, user="ana", k=35)
    after = engine.react(page, liked=ids(page)[:1])
    assert ids(after)[0] == ids(page)[0]
    assert ids(after) != ids(page)
    assert len(engine.people.show("ana").history) == 1


def test_likes_and_dislikes_of_one_session_meet(engine: Engine, first: str) -> None:
    """A like now and a dislike a round later make a preference."""
    page = engine.search(first, user="ana", k=20)
    liked, disliked = ids(page)[0], ids(page)[1]
    page = engine.react(page, liked=[liked])
    engine.react(page, disliked=[disliked])
    assert [event.pairs for event in engine.people.show("ana").history] == [0, 1]


def test_feedback_on_an_image_not_shown_is_refused(engine: Engine, first: str) -> None:
    """The query itself was not shown; nothing is logged."""
    page = engine.search(first, k=5)
    with pytest.raises(NotShown, match=first):
        engine.react(page, liked=[first])
    with pytest.raises(NotShown):
        engine.prefer(page, better=ids(page)[0], worse=first)
    assert engine.people.list() == ()


def test_whatever_shows_a_picture_names_it(engine: Engine, first: str) -> None:
    """A hit and a record as well as an id; one text is no list, and a number is nothing."""
    page = engine.search(first, user="ana", k=35)
    record = next(one for one in engine.images() if one.image_id == ids(page)[9])
    liked = [page.hits[3], record, ids(page)[5]]
    marked = engine.react(page, liked=liked)
    assert marked.liked == {ids(page)[3], ids(page)[9], ids(page)[5]}
    for wrong, words in ((first, "no list of pictures"), ([7], "7 names no picture")):
        with pytest.raises(InvalidInput, match=words):
            engine.react(page, liked=wrong)  # type: ignore[call-overload]


def test_contradictory_and_empty_feedback_is_refused(engine: Engine, first: str) -> None:
    """An image cannot be both, and saying nothing is not feedback."""
    page = engine.search(first, k=5)
    one = ids(page)[0]
    with pytest.raises(InvalidInput, match="both"):
        engine.react(page, liked=[one], disliked=[one])
    with pytest.raises(InvalidInput, match="empty"):
        engine.react(page)
    with pytest.raises(InvalidInput, match="itself"):
        engine.prefer(page, better=one, worse=one)


def test_an_unknown_page_is_not_found(engine: Engine) -> None:
    """A page id that was never shown is named."""
    with pytest.raises(NotFound, match="nopage"):
        engine.react("nopage", liked=["x"])


def test_nan_in_phi_is_refused_and_nothing_is_stored(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A φ that is not a number never reaches the log."""
    page = engine.search(first, k=10)
    whole = searching.signed_phi
    monkeypatch.setattr(searching, "signed_phi", lambda *a, **o: whole(*a, **o) * np.nan)
    before = engine.digest
    with pytest.raises(InvalidInput, match="not a number"):
        engine.react(page, liked=ids(page)[-1:], disliked=ids(page)[:1])
    assert engine.digest == before
    assert engine.people.list() == ()


def test_profile_measures_learning_before_it_learns(engine: Engine, first: str) -> None:
    """The first round is judged by a model that has learned nothing, so both counts are equal."""
    page = engine.search(first, user="ana", k=20)
    better, worse = ids(page)[6], ids(page)[4]
    engine.prefer(page, better=better, worse=worse)
    profile = engine.people.show("ana")
    assert (profile.pairs, profile.learned_right, profile.plain_right) == (1, 0.0, 0.0)


def test_a_profile_travels_between_stores(open_copy: Callable[[], Engine], first: str) -> None:
    """Exported feedback, imported elsewhere, teaches the same."""
    engine = open_copy()
    judge(engine, first, rounds=2)
    data = engine.people.export("ana")
    mine = engine.people.show("ana").weights
    engine.forget("ana")
    assert engine.people.import_("eva", data) == 2
    assert engine.people.show("eva").weights == mine
    assert engine.digest == engine.replay()


@pytest.mark.parametrize("damage", ["kind", "arrays", "body"])
def test_a_damaged_export_changes_nothing(engine: Engine, first: str, damage: str) -> None:
    """An exported profile is checked as a whole before its first event is taken in."""
    judge(engine, first, rounds=2)
    data = engine.people.export("ana")
    data["events"][1][damage] = "shown" if damage == "kind" else {} if damage == "body" else "?"
    before = engine.digest
    with pytest.raises(InvalidInput, match="event 2"):
        engine.people.import_("eva", data)
    assert engine.digest == before
    with pytest.raises(InvalidInput, match="no exported profile"):
        engine.people.import_("eva", {"events": []})


def test_what_is_read_into_a_page_is_learned_but_not_counted(engine: Engine, first: str) -> None:
    """A lone like contradicts the order it was shown in; it would make any ranking look bad."""
    page = engine.search(first, user="ana", k=20)
    engine.react(page, liked=[ids(page)[5]])
    profile = engine.people.show("ana")
    assert (profile.pairs, profile.stated) == (3, 0)
    engine.react(page, liked=[ids(page)[5]], disliked=[ids(page)[6]])
    assert engine.people.show("ana").stated == 1


def test_a_page_can_be_shown_longer(engine: Engine, first: str) -> None:
    """More results of the same round: same session, same judgements, a longer list."""
    page = engine.search(first, user="ana", k=10)
    page = engine.react(page, liked=ids(page)[-1:], disliked=ids(page)[:1])
    longer = engine.show(page, k=25)
    assert (longer.session, longer.round) == (page.session, page.round)
    assert ids(longer)[:10] == ids(page)
    assert len(longer.hits) == 25
    assert (longer.liked, longer.disliked) == (page.liked, page.disliked)
