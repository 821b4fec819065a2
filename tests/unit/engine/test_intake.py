"""Events that another program tells of: batches, keys, time, and clicks corrected for place."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import saccade
from saccade.errors import InvalidInput, KeyReused, NotShown

NOW = 1_700_000_000.0


@pytest.fixture
def reranker(tmp_path: Path):
    engine = saccade.Engine(tmp_path / "shop.saccade", warm=False, clock=lambda: NOW)
    with engine:
        yield saccade.Reranker(engine)


def candidates(count: int = 12) -> list[dict[str, object]]:
    return [{"id": f"sku-{i}", "features": {"price": i % 5, "age": i}} for i in range(count)]


def shown(page: str = "p-1", **more: object) -> dict[str, object]:
    return {
        "event": "shown", "page": page, "user": "ana", "query": {"text": "shoes"},
        "candidates": candidates(), "at": NOW - 100.0, **more,
    }  # fmt: skip


def said(event: str, name: str = "sku-4", page: str = "p-1", **more: object) -> dict[str, object]:
    return {"event": event, "page": page, "user": "ana", "id": name, "at": NOW - 50.0, **more}


def order(reranker: saccade.Reranker, user: str = "ana") -> list[str]:
    return [hit.id for hit in reranker.rerank(candidates(), text="shoes", user=user)]


def counts(reranker: saccade.Reranker) -> dict[str, int]:
    events = reranker.engine.library.report().events
    return {kind: number for kind, number in events.items() if kind != "candidates-shown"}


def test_marks_that_are_told_teach_as_marks_do(tmp_path: Path) -> None:
    """The same list, the same marks: the same weights and the same order."""
    with saccade.Reranker(tmp_path / "react.saccade") as one:
        page = one.rerank(candidates(), text="shoes", user="ana")
        one.react(page, liked=["sku-4"])
        one.react(page, disliked=["sku-0"])
        by_marks = [
            (hit.id, hit.score) for hit in one.rerank(candidates(), text="shoes", user="ana")
        ]
    with saccade.Reranker(tmp_path / "take.saccade") as one:
        page = one.rerank(candidates(), text="shoes", user="ana")
        lines = [
            {"event": "liked", "page": page.page_id, "user": "ana", "id": "sku-4"},
            {"event": "disliked", "page": page.page_id, "user": "ana", "id": "sku-0"},
        ]
        assert one.take(lines).taken == 2
        by_events = [
            (hit.id, hit.score) for hit in one.rerank(candidates(), text="shoes", user="ana")
        ]
    assert by_events == by_marks
    assert [name for name, _ in by_events] != [one["id"] for one in candidates()]


def test_every_kind_of_event_moves_what_it_should(reranker: saccade.Reranker) -> None:
    """Up for what is liked, clicked, bought or preferred, down for what is disliked."""
    before = order(reranker)
    for number, line in enumerate(
        [
            said("liked", "sku-9"), said("clicked", "sku-9"), said("bought", "sku-9"),
            {"event": "preferred", "user": "ana", "better": "sku-9", "worse": "sku-0"},
            said("disliked", "sku-0"),
        ]
    ):  # fmt: skip
        user, page = f"person {number}", f"p-{number}"
        reranker.take([shown(page, user=user), {**line, "user": user, "page": page}])
        after = order(reranker, user)
        moved = "sku-0" if line["event"] == "disliked" else "sku-9"
        sign = -1 if line["event"] == "disliked" else 1
        assert sign * (before.index(moved) - after.index(moved)) > 0, line
    assert reranker.engine.replay() == reranker.engine.digest


def test_a_batch_that_is_sent_again_is_one(reranker: saccade.Reranker) -> None:
    """By the keys of its events, or, of pages, by their names."""
    batch = [shown(key="a"), said("clicked", key="b"), said("liked", key="c")]
    assert reranker.take(batch) == saccade.types.TakenEvents(3, 0, 0, 0)
    digest, before = reranker.engine.digest, counts(reranker)
    assert reranker.take(batch) == saccade.types.TakenEvents(0, 3, 0, 0)
    assert reranker.take([shown()]).repeated == 1
    assert (reranker.engine.digest, counts(reranker)) == (digest, before)


def test_a_key_stands_for_one_thing(reranker: saccade.Reranker) -> None:
    """Sent with another it is refused, and the batch with it; another person's key is another."""
    reranker.take([shown(), said("clicked", key="k")])
    before = counts(reranker)
    with pytest.raises(KeyReused, match="event 2: this key"):
        reranker.take([shown("p-9"), said("clicked", "sku-5", key="k")])
    assert counts(reranker) == before
    assert reranker.take([shown("p-2", user="bob", key="k")]).taken == 1


def test_what_comes_before_its_page_waits_for_it(tmp_path: Path) -> None:
    """In another batch, or in the same: the order ends the same."""
    marks = [said("liked", "sku-9"), said("disliked", "sku-1", at=NOW - 40.0)]
    taken = saccade.types.TakenEvents
    ways = {
        "in order": [([shown()], taken(1, 0, 0, 0)), (marks, taken(2, 0, 0, 0))],
        "late page": [(marks, taken(2, 0, 2, 0)), ([shown()], taken(1, 0, 0, 0))],
        "one batch": [([*marks[::-1], shown()], taken(3, 0, 0, 0))],
    }
    orders = []
    for way, batches in ways.items():
        with saccade.Engine(tmp_path / f"{way}.saccade", warm=False, clock=lambda: NOW) as engine:
            for batch, told in batches:
                assert saccade.Reranker(engine).take(batch) == told
            orders.append(order(saccade.Reranker(engine)))
            assert engine.replay() == engine.digest
    assert orders[0] == orders[1] == orders[2] != [item["id"] for item in candidates()]


def test_the_later_word_counts_by_its_own_clock(reranker: saccade.Reranker) -> None:
    """An older one that comes in later says nothing any more."""
    reranker.take([shown(), said("disliked", "sku-9", at=NOW - 10.0)])
    low = order(reranker)
    assert reranker.take([said("liked", "sku-9", at=NOW - 20.0)]).outdated == 1
    assert order(reranker) == low
    assert reranker.take([said("liked", "sku-9", at=NOW - 5.0)]).taken == 1
    assert order(reranker) != low


@pytest.mark.parametrize(
    ("line", "error", "told"),
    [
        (said("clicked", "sku-99"), NotShown, "event 2: candidate 'sku-99' was not on this page"),
        (said("clicked", at=NOW + 3600.0), InvalidInput, "3,600 seconds from now"),
        (said("clicked", at=math.nan), InvalidInput, "its time nan is none"),
        (said("clicked", at=-1.0), InvalidInput, "is none"),
        (said("clicked", at="noon"), InvalidInput, "is none"),
        (said("adored"), InvalidInput, "there is no event 'adored'"),
        (said("clicked", colour="red"), InvalidInput, "clicked has no 'colour'"),
        (said("clicked", ""), InvalidInput, "id ''"),
        (said("clicked", page=""), InvalidInput, "page ''"),
        (said("clicked", user=""), InvalidInput, "user ''"),
        (said("clicked", key="x" * 201), InvalidInput, "key"),
        ({"event": "preferred", "page": "p-1", "user": "ana", "better": "sku-1",
          "worse": "sku-1"}, InvalidInput, "cannot be before itself"),
        ({"event": "shown", "page": "p-2"}, InvalidInput, "has candidates"),
        (shown("p-2", query={"picture": 1}), InvalidInput, "its query is no text"),
        (shown("p-2", candidates=[{"id": "a", "features": {"x": math.nan}}]), InvalidInput,
         "its feature 'x' is 'nan'"),
        (shown("p-2", candidates=[{"id": "a", "vectors": {"v": [1, 2]}},
                                  {"id": "b", "vectors": {"v": [1]}}]), InvalidInput,
         "two vectors of different length"),
        ("clicked", InvalidInput, "a line is an object"),
    ],
)  # fmt: skip
def test_a_batch_with_one_bad_event_is_refused_as_a_whole(
    reranker: saccade.Reranker, line: object, error: type[Exception], told: str
) -> None:
    """With its number and what is wrong; nothing of the others is kept."""
    with pytest.raises(error, match=r"event \d") as raised:
        reranker.take([shown(), line])
    assert told in str(raised.value)
    assert reranker.engine.library.report().events == {}


def test_a_page_is_its_persons_however_often_a_batch_names_it(reranker: saccade.Reranker) -> None:
    """What was said before of it, by whom it was shown to, lets nobody else in."""
    page = reranker.rerank(candidates(), text="shoes", user="ana").page_id
    mine = said("clicked", page=page)
    with pytest.raises(InvalidInput, match=r"event 2: page .* was not shown to 'bob'"):
        reranker.take([mine, {**mine, "user": "bob"}])
    assert counts(reranker) == {}


def test_too_many_events_at_once_are_refused(reranker: saccade.Reranker) -> None:
    """Before any of them is looked at."""
    with pytest.raises(InvalidInput, match="10,001 events are more than 10,000"):
        reranker.take([{}] * 10_001)


def test_a_click_is_taken_back_and_forgotten_like_a_mark(reranker: saccade.Reranker) -> None:
    """It is somebody's word, however weak."""
    before = order(reranker)
    reranker.take([shown(), *(said("bought", "sku-9", key=f"{i}") for i in range(6))])
    assert order(reranker) != before
    copy = reranker.export("ana")
    for _ in range(6):
        reranker.undo("ana")
    assert order(reranker) == before
    assert reranker.import_("eva", copy) == 6
    assert order(reranker, "eva") != before
    reranker.take([said("clicked", "sku-3", page="p-2")])  # one that waits goes, too
    reranker.forget("ana")
    assert order(reranker) == before
    assert "candidates-awaited" not in counts(reranker)


def test_marks_are_taken_once_under_a_key(reranker: saccade.Reranker) -> None:
    """The answer to the second is the page as it stands, also where a mark was taken off."""
    page = reranker.rerank(candidates(), text="shoes", user="ana")
    first = reranker.react(page, liked=["sku-4"], key="one")
    again = reranker.react(page, liked=["sku-4"], key="one")
    assert [hit.id for hit in first] == [hit.id for hit in again]
    assert counts(reranker) == {"candidates-marked": 1}
    reranker.react(page, cleared=["sku-4"], key="two")
    assert not reranker.react(page, cleared=["sku-4"], key="two").liked
    assert counts(reranker) == {"candidates-marked": 2}
    with pytest.raises(KeyReused):
        reranker.react(page, liked=["sku-5"], key="one")


def relevance(seed: int) -> tuple[np.random.Generator, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng, rng.standard_normal(4)


def ndcg(ids: list[str], good: set[str]) -> float:
    gain = sum(1 / math.log2(i + 2) for i, name in enumerate(ids[:10]) if name in good)
    return gain / sum(1 / math.log2(i + 2) for i in range(min(10, len(good))))


def taught(store: Path, way: str, *, seed: int = 7, pages: int = 300, test: int = 60) -> float:
    """NDCG@10 of fresh lists at the end: each page was looked at by ten, or judged by truth."""
    rng, direction = relevance(seed)
    chance = np.random.default_rng(6)
    with saccade.Reranker(store) as one:
        found = []
        for number in range(pages + test):
            values = rng.random((30, 4))
            scores = values @ direction
            names = [f"{number}-{i}" for i in range(30)]
            good = {names[i] for i in np.argsort(-scores)[:8]}
            items = [
                {"id": name, "features": dict(zip("abcd", row.tolist(), strict=True))}
                for name, row in zip(names, values, strict=True)
            ]
            page = one.rerank(items, user="shop")
            ids = [hit.id for hit in page]
            if number >= pages:
                found.append(ndcg(ids, good))
                continue
            if way == "truth":
                liked = [name for name in ids[:10] if name in good]
                disliked = [name for name in ids[:10] if name not in good]
                one.react(page, liked=liked, disliked=disliked)
                continue
            lines = [
                {"event": "clicked", "page": page.page_id, "user": "shop", "id": name}
                for _ in range(10)
                for place, name in enumerate(ids)
                if chance.random() < (0.9 if name in good else 0.1) / (place + 1)
            ]
            one.take(lines)
    return float(np.mean(found))


def test_biased_clicks_end_where_truth_does(tmp_path: Path) -> None:
    """Clicks at 1 / place, a tenth of them on what is wrong: within .01 of learning from truth."""
    truth = taught(tmp_path / "truth.saccade", "truth")
    clicks = taught(tmp_path / "clicks.saccade", "clicks")
    assert truth > 0.95
    assert clicks > truth - 0.01
