"""The guard's mixture: what marks mean in a session, what is said of it, what goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from inside import collection_of, log_of, models_of
from saccade.choosers.guard import EXPERTS as KNOWN
from saccade.choosers.guard import losses
from saccade.engine import Engine
from saccade.engine.loop import session as searching
from saccade.engine.loop.experts import EXPERTS, moment, vectors, voices
from saccade.engine.sources import graph
from saccade.errors import InvalidInput
from saccade.types import Page


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def judged(engine: Engine, first: str, rounds: int = 3, **options: Any) -> Page:
    """Two right and two wrong a round, among what is not judged yet."""
    page = engine.search(first, k=35, **options)
    for _ in range(rounds):
        new = [i for i in ids(page) if i not in page.liked | page.disliked]
        page = engine.react(page, liked=new[:2], disliked=new[-2:])
    return page


def test_every_expert_the_guard_knows_has_a_voice() -> None:
    """And each can be asked alone, beside the mixture."""
    assert set(voices.VOICES) == set(KNOWN)
    assert {*KNOWN, "guarded", "uniform"} == set(EXPERTS)


@pytest.mark.parametrize("ranker", EXPERTS)
def test_parts_add_up_for_every_expert(engine: Engine, first: str, ranker: str) -> None:
    """With marks and without, `why` is the score, and the order is by it."""
    for page in (engine.search(first, k=35, expert=ranker), judged(engine, first, expert=ranker)):
        scores = [hit.score for hit in page.hits]
        assert scores == pytest.approx([sum(hit.why.values()) for hit in page.hits])
        assert all(a >= b - 1e-4 for a, b in pairwise(scores))
        assert not page.dropped


def test_what_is_judged_right_stands_above_all_and_wrong_below(engine: Engine, first: str) -> None:
    """Whatever the experts think of it."""
    page = engine.search(first, user="ana", k=35)
    low, high = ids(page)[-3:], ids(page)[:3]
    after = engine.react(page, liked=low, disliked=high)
    assert set(ids(after)[:3]) == set(low)
    assert set(ids(after)[-3:]) == set(high)
    assert after.hits[0].why["your mark"] > 0 > after.hits[-1].why["your mark"]


def test_without_marks_the_start_is_served(engine: Engine, first: str) -> None:
    """No expert moves anything before something is said or learned."""
    assert ids(engine.search(first, k=35)) == ids(engine.search(first, k=35, expert="plain"))


def test_a_lone_wrong_sinks_its_look_alikes(engine: Engine, first: str) -> None:
    """What is most like it falls behind what is not, and the rest keeps its order."""
    page = engine.search(first, user="ana", k=35)
    wrong = ids(page)[10]
    (alike, _), *_ = engine.graph.neighbours(wrong, k=1)
    after = engine.react(page, disliked=[wrong])
    part = {hit.image_id: hit.why["unlike what you called wrong"] for hit in after.hits}
    rest = [part[i] for i in ids(after) if i not in (wrong, alike)]
    assert part[alike] < np.mean(rest)


def test_an_expert_that_raises_is_left_out_counted_and_shown(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is served by the others; so it is where an expert's word is no number."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    def silly(asked: Any, start: Any) -> Any:
        return voices.Voice(start, {voices.LINE: np.full(len(asked.rows), np.nan, np.float32)})

    monkeypatch.setitem(voices.VOICES, "margin", broken)
    monkeypatch.setitem(voices.VOICES, "rocchio", silly)
    page = judged(engine, first)
    assert set(page.dropped) == {"margin", "rocchio"}
    assert engine.library.report().dropped == {"margin": 4, "rocchio": 4}
    known = {line.expert for line in engine.people.show("guest").guard.experts}
    assert known.isdisjoint({"margin", "rocchio"})
    assert "spread" in known
    alone = engine.search(first, k=5, expert="margin")
    assert (alone.dropped, alone.leading) == (("margin",), "plain")


def test_a_large_collection_compares_its_candidates(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others keep the start's order and scale, and parts still add up."""
    monkeypatch.setattr(moment, "WHOLE", 12)
    monkeypatch.setattr(moment, "CANDIDATES", 12)
    page = judged(engine, first, rounds=2)
    assert len(page) == 35
    for hit in page.hits:
        assert hit.score == pytest.approx(sum(hit.why.values()))
    assert len(page.liked | page.disliked) == 8


def test_the_guard_is_a_fold_of_the_log(open_copy: Callable[[], Engine], first: str) -> None:
    """Replayed, undone, forgotten, restarted: bit for bit as everything learned."""
    engine = open_copy()
    judged(engine, first, user="ana")
    without = engine.digest
    assert models_of(engine).guard.of("ana").events == 3
    judged(engine, first, user="bob")
    both = engine.digest
    assert models_of(engine).guard.everybody.events == 6
    assert both == engine.replay()
    engine.undo("bob")
    assert models_of(engine).guard.of("bob").events == 2
    engine.forget("bob")
    assert engine.digest == without == engine.replay()
    report = engine.people.show("ana").guard
    engine.close()
    assert open_copy().people.show("ana").guard == report
    assert report.events == 3
    assert not report.pays
    assert {line.expert for line in report.experts} >= {"plain", "learned", "spread"}


def test_opinions_are_what_was_said_before_the_mark(engine: Engine, first: str) -> None:
    """A page that has everything right is charged with nothing, however it is ranked after."""
    page = engine.search(first, user="ana", k=35)
    page = engine.react(page, liked=ids(page)[:3], disliked=ids(page)[-3:])
    report = engine.people.show("ana").guard
    assert (report.events, report.served, report.plain) == (1, 0.0, 0.0)
    fresh = [i for i in ids(page) if i not in page.liked | page.disliked]
    engine.react(page, liked=fresh[-3:], disliked=fresh[:3])
    report = engine.people.show("ana").guard
    assert (report.events, report.served) == (2, 0.5)


def test_all_liked_and_all_disliked_are_ranked(engine: Engine, first: str) -> None:
    """One kind of mark alone, on everything, is an answer like any other."""
    page = engine.search(first, user="ana", k=35)
    up = engine.react(page, liked=ids(page))
    assert (len(up), up.liked) == (35, set(ids(page)))
    down = engine.react(up, disliked=ids(page))
    assert (len(down), down.disliked, down.liked) == (35, set(ids(page)), frozenset())
    assert engine.digest == engine.replay()


def test_a_liked_picture_that_is_removed_stays_a_word(tmp_path: Path, pictures: Path) -> None:
    """It is shown no more and moves nothing; what was said of it stands and can be taken off."""
    with Engine(tmp_path / "few.saccade", warm=False) as engine:
        engine.add(pictures, recipe="lbp")
        first = engine.images(0, 1)[0].image_id
        page = engine.search(first, user="ana", k=35)
        gone = ids(page)[4]
        page = engine.react(page, liked=[gone])
        for path in engine.image(gone).paths:
            Path(path).unlink()
        assert engine.add(pictures, prune=True).pruned == 1
        assert gone not in ids(engine.search(first, user="ana", k=35))
    with Engine(tmp_path / "few.saccade", warm=False) as engine:
        page = engine.react(page.page_id, disliked=[ids(page)[1]])
        assert gone in page.liked
        assert gone not in ids(page)
        page = engine.react(page, disliked=[gone])
        assert gone not in engine.react(page, cleared=[gone]).disliked
        assert engine.digest == engine.replay()


def test_a_collection_of_one_has_nothing_to_mark(tmp_path: Path, world: Path) -> None:
    """An empty page by every expert that needs no graph."""
    folder = tmp_path / "one"
    folder.mkdir()
    picture = next(world.rglob("*.*g"))
    (folder / picture.name).write_bytes(picture.read_bytes())
    with Engine(tmp_path / "one.saccade", warm=False) as engine:
        engine.add(folder, recipe="lbp")
        only = engine.images(0, 1)[0].image_id
        assert len(engine.search(only)) == 0
        grey = engine.search(np.full((40, 40, 3), 90, np.uint8))
        assert engine.react(grey, liked=ids(grey)).liked == {only}
        for ranker in ("guarded", "plain", "learned", "best-scheme"):
            assert len(engine.search(only, expert=ranker)) == 0


def test_without_a_graph_the_experts_that_follow_it_are_absent(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others serve, marks keep their places, and one asked for alone says what it lacks."""
    monkeypatch.setattr(moment.graph, "of", lambda _: None)
    page = judged(engine, first)
    assert set(ids(page)[:6]) == page.liked
    assert {line.expert for line in engine.people.show("guest").guard.experts} <= {
        "plain", "learned", "shared", "best-scheme",
    }  # fmt: skip
    with pytest.raises(InvalidInput, match="graph"):
        engine.search(first, expert="spread")


def test_every_scheme_is_computed_only_of_what_is_marked(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search compares by the schemes that have weight; a lesson brings the φ of all of them."""
    asked: list[tuple[int, int]] = []
    whole = searching.signed_phi

    def spy(query: Any, collection: Any, schemes: Any, *, rows: Any, **options: Any) -> Any:
        asked.append((len(schemes), len(rows)))
        return whole(query, collection, schemes, rows=rows, **options)

    monkeypatch.setattr(searching, "signed_phi", spy)
    page = engine.search(first, k=4)
    prior = collection_of(engine).prior_of(collection_of(engine).schemes)
    assert {schemes for schemes, _ in asked} == {sum(weight > 0.0 for weight in prior.values())}
    engine.react(page, liked=[ids(page)[2]], disliked=[ids(page)[1]])
    assert [rows for schemes, rows in asked if schemes == len(page.schemes)] == [2]


def test_rocchio_moves_in_every_descriptor_by_its_share(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scores are the sum, by share, of what each descriptor of the blend says alone."""
    parts = graph.of(collection_of(engine)).blend.parts  # type: ignore[union-attr]
    assert len(parts) > 1
    heard: list[Any] = []
    steps = voices._steps
    monkeypatch.setattr(voices, "_steps", lambda start, *s: heard.append(s) or steps(start, *s))
    page = engine.search(first, k=10, expert="rocchio")
    for only in (None, *parts):
        kept = [replace(part, share=part.share * (only in (None, part))) for part in parts]
        view = graph.of(collection_of(engine))
        alone = replace(view, blend=replace(view.blend, parts=tuple(kept)))  # type: ignore
        monkeypatch.setattr(moment.graph, "of", lambda _, alone=alone: alone)
        engine.react(page, liked=[ids(page)[3]], disliked=[ids(page)[1]])
        engine.undo("guest")
    together, *apart = [np.stack(scores) for scores in heard if np.ptp(scores[0]) > 0.0]
    np.testing.assert_allclose(together, sum(apart), atol=1e-5)


@pytest.mark.parametrize("ranker", ["spread", "contrast", "rocchio", "margin"])
def test_what_is_not_believed_moves_only_itself(
    engine: Engine, first: str, ranker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every expert that listens to a ✕ listens as far as the marks bear each other out."""
    part = "what tells right from wrong" if ranker == "margin" else "unlike what you called wrong"
    page = engine.search(first, user="ana", k=35, expert=ranker)
    moved = {}
    for share in (1.0, 0.5, 0.0):
        monkeypatch.setattr(moment.Moment, "believed", share)
        after = engine.react(page, liked=ids(page)[:2], disliked=ids(page)[5:8])
        moved[share] = float(np.abs([hit.why.get(part, 0.0) for hit in after.hits]).sum())
        engine.undo("ana")
    assert moved[1.0] > moved[0.5] > moved[0.0] == 0.0


def test_marks_that_contradict_each_other_are_believed_less(engine: Engine, first: str) -> None:
    """The best of a page called right and wrong in turn, against its best and its worst."""
    page = engine.search(first, user="ana", k=35)
    assert page.believed == 1.0
    meant = engine.react(page, liked=ids(page)[:6], disliked=ids(page)[-6:])
    page = engine.search(first, user="bob", k=35)
    thrown = engine.react(page, liked=ids(page)[:12:2], disliked=ids(page)[1:12:2])
    assert meant.believed > thrown.believed
    assert thrown.believed < 0.75


def test_of_a_large_collection_likes_reach_what_the_start_does_not(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest of a liked picture is compared, however far down the start has it."""
    page = engine.search(first, user="ana", k=35)
    far = ids(page)[-1]
    near = [image for image, _ in engine.graph.neighbours(far, k=3)]
    low = [image for image in near if image in ids(page)[15:]]
    assert low
    monkeypatch.setattr(moment, "WHOLE", 12)
    monkeypatch.setattr(moment, "CANDIDATES", 24)
    page = engine.search(first, user="ana", k=35, expert="spread")
    after = engine.react(page, liked=[far])
    part = {hit.image_id: hit.why.get(voices.LIKED, 0.0) for hit in after.hits}
    assert any(part[image] > 0.0 for image in low)


@pytest.mark.parametrize(("sign", "way"), [("liked", 1), ("disliked", -1)])
def test_a_lone_mark_bends_the_margin_its_way(
    engine: Engine, first: str, sign: str, way: int
) -> None:
    """What was called right rises by it, what was called wrong falls."""
    page = engine.search(first, user="ana", k=35, expert="margin")
    after = engine.react(page, **{sign: [ids(page)[12]]})
    part = {hit.image_id: hit.why[voices.LINE] for hit in after.hits}
    assert way * part[ids(page)[12]] > 0.5 * max(abs(value) for value in part.values()) > 0.0


def test_a_word_said_twice_is_charged_once(engine: Engine, first: str) -> None:
    """By the event that stands: the first, or the one that took its place."""
    page = engine.search(first, user="ana", k=35)
    right, wrong = ids(page)[-1], ids(page)[0]
    page = engine.react(page, liked=[right], disliked=[wrong])
    for again in ({}, {"liked": [right]}, {"liked": [right], "disliked": [wrong]}):
        page = engine.react(page, **again) if again else page
        report = engine.people.show("ana").guard
        assert (report.events, report.served, report.plain) == (1, 1.0, 1.0)
    assert engine.digest == engine.replay()


def test_the_guard_adds_up_what_the_log_holds(engine: Engine, first: str) -> None:
    """By hand from the opinions: what was served, what no learning loses, and in which stage."""
    page = engine.search(first, k=35, user="ana")
    for _ in range(4):
        new = [i for i in ids(page) if i not in page.liked | page.disliked]
        page = engine.react(page, liked=new[-2:], disliked=new[:2])
    proofs = [said.record.opinions for said in log_of(engine)]  # type: ignore[union-attr]
    lost = []
    for proof in proofs:
        columns = np.column_stack([proof.opinions.scores, proof.opinions.served])
        found = losses(columns, proof.liked, proof.new)
        assert found is not None
        lost.append((found[proof.opinions.experts.index("plain")], found[-1]))
    plain, served = np.array(lost).T
    assert not np.array_equal(plain, served)
    own = models_of(engine).guard.of("ana")
    assert (own.plain, own.served) == (pytest.approx(plain.sum()), pytest.approx(served.sum()))
    stages = [proof.opinions.stage for proof in proofs]
    assert len(set(stages)) > 1
    assert {name: own._hedge(name).rounds for name in set(stages)} == {
        name: stages.count(name) for name in set(stages)
    }


@pytest.mark.parametrize("count", [0, 1, 7, 60, 300])
def test_products_of_marks_are_the_same_in_pieces(count: int) -> None:
    """However many there are."""
    units = np.random.default_rng(count).standard_normal((count, 130))
    np.testing.assert_allclose(vectors._products(units), units @ units.T, atol=1e-9)


def test_a_mark_moves_a_score_as_far_as_its_place_needs(engine: Engine, first: str) -> None:
    """Right stands above all others and wrong below them, on the scale of everything else."""
    page = engine.search(first, user="ana", k=35)
    right, wrong = page.hits[20], page.hits[2]
    after = engine.react(page, liked=[right], disliked=[wrong])
    assert after.hits[0].image_id == right.image_id
    assert after.hits[-1].image_id == wrong.image_id
    scores = [hit.score for hit in after.hits]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] - scores[1] > 0.499
    assert scores[-2] - scores[-1] > 0.499
    assert max(map(abs, scores)) < 9.0, "two experts' scales, and what stands apart"
