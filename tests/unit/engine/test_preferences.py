"""One picture before another: heard on the page, bounded, taken back, replayed."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from inside import log_of, models_of
from saccade.engine import Engine
from saccade.engine.loop.experts import moment as moments
from saccade.engine.loop.experts.voices import PREFERRED
from saccade.features.marks import COMPARED
from saccade.types import Page


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def why(page: Page, image: str) -> dict[str, float]:
    return next(dict(hit.why) for hit in page.hits if hit.image_id == image)


def test_the_better_stands_before_the_worse_and_others_follow(engine: Engine, first: str) -> None:
    """The pair is in the order that was said, the page names it, and its look-alikes move."""
    page = engine.search(first, user="ana", k=35)
    worse, better = ids(page)[2], ids(page)[9]
    after = engine.prefer(page, better=better, worse=worse)
    assert after.preferred == ((better, worse),)
    assert ids(after).index(better) < ids(after).index(worse)
    others = [i for i in ids(page) if i not in (better, worse)]
    assert [i for i in ids(after) if i not in (better, worse)] != others
    assert why(after, better)[PREFERRED] > 0.0
    assert any(PREFERRED in why(after, image) for image in others)


@pytest.mark.parametrize("places", [(2, 9), (9, 2), (0, 34), (34, 0)])
def test_parts_add_up_and_order_the_page(
    engine: Engine, first: str, places: tuple[int, int]
) -> None:
    """Wherever the two stood before."""
    page = engine.search(first, user="ana", k=35)
    better, worse = (ids(page)[place] for place in places)
    after = engine.prefer(page, better=better, worse=worse)
    scores = [hit.score for hit in after.hits]
    assert scores == pytest.approx([sum(hit.why.values()) for hit in after.hits])
    assert all(a >= b - 1e-4 for a, b in pairwise(scores))


def test_the_worse_is_not_called_wrong(engine: Engine, first: str) -> None:
    """Nothing was said of it but its place after the other: it is not pushed down itself."""
    page = engine.search(first, user="ana", k=35)
    after = engine.prefer(page, better=ids(page)[0], worse=ids(page)[1])
    assert why(after, ids(page)[1]).get(PREFERRED, 0.0) >= 0.0
    assert (after.liked, after.disliked) == (frozenset(), frozenset())


def test_the_opposite_takes_its_place(engine: Engine, first: str) -> None:
    """Only the newer word on two pictures teaches and ranks; undone, the older one is back."""
    page = engine.search(first, user="ana", k=35)
    one, two = ids(page)[3], ids(page)[7]
    once = engine.prefer(page, better=one, worse=two)
    digest = engine.digest
    turned = engine.prefer(once, better=two, worse=one)
    assert turned.preferred == ((two, one),)
    assert ids(turned).index(two) < ids(turned).index(one)
    assert [event.undone for event in engine.people.show("ana").history] == [True, False]
    assert engine.digest == engine.replay()
    back = engine.undo("ana").page
    assert back is not None
    assert back.preferred == ((one, two),)
    assert engine.digest == digest == engine.replay()


def test_undone_it_has_never_been_said(engine: Engine, first: str) -> None:
    """The page is what it was, and so is what was learned."""
    before, page = engine.digest, engine.search(first, user="ana", k=35)
    after = engine.prefer(page, better=ids(page)[20], worse=ids(page)[1])
    assert ids(after) != ids(page)
    undone = engine.undo("ana", after)
    assert undone.kind == "preferred"
    assert undone.page is not None
    assert (ids(undone.page), undone.page.preferred) == (ids(page), ())
    assert engine.digest == before


def test_another_process_hears_it(open_copy: Callable[[], Engine], first: str) -> None:
    """What was compared is read from the log, with marks made since."""
    one, two = open_copy(), open_copy()
    page = one.search(first, user="ana", k=35)
    better, worse, wrong = ids(page)[8], ids(page)[4], ids(page)[12]
    here = one.prefer(page, better=better, worse=worse)
    there = two.react(page.page_id, disliked=[wrong])
    assert (there.preferred, there.disliked) == (((better, worse),), {wrong})
    one.close()
    again = open_copy().show(here.page_id, k=35)
    assert (ids(again), again.preferred) == (ids(there), there.preferred)


def test_a_mark_says_more_than_a_comparison(engine: Engine, first: str) -> None:
    """The better one, called wrong, is last all the same; and it no longer leads anywhere."""
    page = engine.search(first, user="ana", k=35)
    better, worse = ids(page)[8], ids(page)[4]
    page = engine.react(engine.prefer(page, better=better, worse=worse), disliked=[better])
    assert ids(page)[-1] == better
    page = engine.react(page, liked=[worse])
    assert ids(page)[0] == worse
    assert all(hit.why.get(PREFERRED, 0.0) == 0.0 for hit in page.hits)


def test_the_newest_of_a_circle_holds(engine: Engine, first: str) -> None:
    """Comparisons that cannot all be true leave a page, with the last of them kept."""
    page = engine.search(first, user="ana", k=35)
    a, b, c = ids(page)[3:6]
    for better, worse in ((c, b), (b, a), (a, c)):
        page = engine.prefer(page, better=better, worse=worse)
        assert ids(page).index(better) < ids(page).index(worse)
    assert len(page.preferred) == 3
    assert len(page) == 35


def test_a_chain_holds_as_a_whole(engine: Engine, first: str) -> None:
    """Said from the far end, so that each link is undone by raising the next."""
    page = engine.search(first, user="ana", k=35)
    chain = ids(page)[2:7][::-1]
    for better, worse in pairwise(chain):
        page = engine.prefer(page, better=better, worse=worse)
    assert [i for i in ids(page) if i in chain] == chain


def test_one_picture_counts_as_half_a_mark_however_often_it_won(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that won and lost as often says nothing."""
    seen: list[dict[int, float]] = []
    whole = moments.Moment.compared.find

    def spy(self: moments.Moment) -> object:
        found = whole(self)
        seen.append(dict(zip(found.rows.tolist(), found.amounts.tolist(), strict=True)))
        return found

    spied = type(moments.Moment.__dict__["compared"])(spy)
    spied.__set_name__(moments.Moment, "compared")
    monkeypatch.setattr(moments.Moment, "compared", spied)
    page = engine.search(first, user="ana", k=35)
    for worse in ids(page)[4:8]:
        page = engine.prefer(page, better=ids(page)[0], worse=worse)
    assert sorted(seen[-1].values()) == [-COMPARED] * 4 + [COMPARED]
    engine.prefer(page, better=page.preferred[0][1], worse=ids(page)[30])
    assert sorted(seen[-1].values()) == [-COMPARED] * 4 + [COMPARED]


def test_the_guard_is_charged_before_it_is_learned_from(engine: Engine, first: str) -> None:
    """A pair that was in the wrong order is wrong for every expert; said again it is no news."""
    page = engine.search(first, user="ana", k=35)
    page = engine.prefer(page, better=ids(page)[30], worse=ids(page)[0])
    report = engine.people.show("ana").guard
    assert (report.events, report.served, report.plain) == (1, 1.0, 1.0)
    pair = page.preferred[0]
    page = engine.prefer(page, better=pair[0], worse=pair[1])
    assert engine.people.show("ana").guard.events == 1
    assert engine.digest == engine.replay()
    assert [entry.kind for entry in log_of(engine)] == ["preferred", "preferred"]
    assert models_of(engine).guard.of("ana").events == 1


def test_a_compared_picture_that_is_gone_moves_nothing(tmp_path: Path, pictures: Path) -> None:
    """It takes two; the word stands and can be undone."""
    with Engine(tmp_path / "few.saccade", warm=False) as engine:
        engine.add(pictures, recipe="lbp")
        query = engine.images(0, 1)[0].image_id
        page = engine.search(query, user="ana", k=35)
        better, gone = ids(page)[5], ids(page)[4]
        page = engine.prefer(page, better=better, worse=gone)
        for path in engine.image(gone).paths:
            Path(path).unlink()
        engine.add(pictures, prune=True)
    with Engine(tmp_path / "few.saccade", warm=False) as engine:
        again = engine.show(page.page_id, k=35)
        assert again.preferred == ((better, gone),)
        assert not any(PREFERRED in hit.why for hit in again.hits)
        assert np.isfinite([hit.score for hit in again.hits]).all()
        engine.undo("ana", again)
        assert engine.digest == engine.replay()


@pytest.mark.parametrize("ranker", ["spread", "contrast", "rocchio", "margin"])
def test_every_expert_of_marks_hears_it(engine: Engine, first: str, ranker: str) -> None:
    """Alone, each ranks the others anew after one comparison."""
    page = engine.search(first, user="ana", k=35, expert=ranker)
    better, worse = ids(page)[25], ids(page)[5]
    after = engine.prefer(page, better=better, worse=worse)
    rest = [i for i in ids(page) if i not in (better, worse)]
    assert [i for i in ids(after) if i not in (better, worse)] != rest
    assert not after.dropped
