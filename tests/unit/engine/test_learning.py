from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sql

from inside import database_of, log_of, models_of, store_of
from saccade.engine import Engine
from saccade.engine.learning import log as learning
from saccade.errors import InvalidInput, NotAnImage, NotFound, NothingToUndo
from saccade.store import arrays as bundles
from saccade.store.tables import events, snapshots
from saccade.types import Page


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def teach(engine: Engine, query: str, *, user: str = "ana", rounds: int = 1, k: int = 12) -> Page:
    page = engine.search(query, user=user, k=k)
    for _ in range(rounds):
        page = engine.react(page, liked=ids(page)[-2:], disliked=ids(page)[:2])
    return page


# -- refused before anything is logged -------------------------------------------------------------


@pytest.mark.parametrize("k", [0, -3, 10_001, True, "5"])
def test_feedback_with_a_bad_page_size_teaches_nothing(engine: Engine, first: str, k: Any) -> None:
    """What is refused has not happened."""
    page = engine.search(first, user="ana", k=5)
    before = engine.digest
    with pytest.raises(InvalidInput, match="1 to 10000"):
        engine.react(page, liked=ids(page)[-1:], k=k)
    with pytest.raises(InvalidInput, match="1 to 10000"):
        engine.prefer(page, better=ids(page)[1], worse=ids(page)[0], k=k)
    assert engine.digest == before
    assert engine.people.list() == ()


def test_one_example_need_not_be_in_a_list(engine: Engine, first: str) -> None:
    """A path or id given alone is one picture, not its letters."""
    path = engine.image(first).paths[0]
    other = engine.images(1, 1)[0].image_id
    expected = ids(engine.search(like=[first], unlike=[other], k=9))
    assert ids(engine.search(like=first, unlike=other, k=9)) == expected
    assert ids(engine.search(like=Path(path), unlike=(other,), k=9)) == expected
    data = Path(path).read_bytes()
    assert ids(engine.search(like=data, unlike=[other], k=9)) == expected
    grey = np.full((20, 30, 3), 99, np.uint8)
    assert len(engine.search(like=grey, k=9).hits) == 9


def test_a_collection_of_one_finds_nothing_beside_it(tmp_path: Path, world: Path) -> None:
    """No anchors, no warning, an empty page."""
    folder = tmp_path / "one"
    folder.mkdir()
    file = sorted(world.rglob("*.*"))[0]
    (folder / file.name).write_bytes(file.read_bytes())
    with Engine(tmp_path / "one.saccade", warm=False) as engine:
        engine.add(folder, recipe="lbp")
        only = engine.images()[0].image_id
        assert engine.search(only, k=3).hits == ()
        page = engine.search(np.full((30, 30, 3), 40, np.uint8), k=3)
        assert ids(page) == [only]
        assert np.isfinite(page.hits[0].score)


# -- pages that outlive their session --------------------------------------------------------------


def test_schemes_in_any_order_teach_the_same_after_a_restart(
    open_copy: Callable[[], Engine], first: str
) -> None:
    """φ and scheme names stay together when a session is built again from the log."""
    chosen = ["lbp:cosine", "color-histogram:l1", "edge-directions:chi2"]
    engine = open_copy()
    page = engine.search(first, user="ana", k=6, schemes=chosen)
    # Judged on the first page, off the second one: its φ comes from the session.
    second = engine.react(page, disliked=[ids(page)[-1]], k=1)
    assert ids(page)[-1] not in ids(second)
    event = _last(open_copy(), second)
    again = _last(engine, second)
    assert event.schemes == again.schemes == tuple(chosen)
    assert np.array_equal(event.phi, again.phi)


def _last(engine: Engine, page: Page) -> Any:
    """What a like on a page teaches, undone at once."""
    engine.react(page.page_id, liked=ids(page))
    lesson = log_of(engine)[-1].record.lesson
    engine.undo("ana")
    return lesson


def test_a_page_can_be_judged_after_its_descriptor_left(
    open_copy: Callable[[], Engine], first: str, world: Path
) -> None:
    """Only what all its pictures still have is learned from."""
    engine = open_copy()
    page = engine.search(first, user="ana", k=6)
    second = engine.react(page, disliked=[ids(page)[-1]], k=1)
    narrow = engine.search(first, user="ana", k=6, schemes=["lbp:l1"])
    engine.add(world, recipe="-lbp")
    engine.close()
    engine = open_copy()
    after = engine.react(second.page_id, liked=ids(second))
    assert not any(scheme.startswith("lbp") for scheme in after.schemes)
    lesson = log_of(engine)[-1].record.lesson
    assert lesson.phi.shape == (2, 10)
    assert len(lesson.schemes) == len(lesson.prior) == 10
    # Nothing that this page was ranked by is left; its pictures still can be judged.
    engine.react(narrow.page_id, liked=ids(narrow)[-1:])
    assert engine.digest == engine.replay()


def test_undo_works_when_the_query_has_left(
    open_copy: Callable[[], Engine], pictures: Path, tmp_path: Path
) -> None:
    """The feedback is taken back once; there is no page to show."""
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        engine.add(pictures, recipe="lbp")
        query = engine.images(0, 1)[0]
        before = engine.digest
        teach(engine, query.image_id, rounds=2)
        Path(query.paths[0]).unlink()
        engine.add(pictures, prune=True)
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        assert engine.undo("ana").page is None
        assert engine.undo("ana").page is None
        with pytest.raises(NothingToUndo):
            engine.undo("ana")
        assert engine.digest == before
        with pytest.raises(NotFound, match=query.image_id):
            engine.search(query.image_id)


# -- snapshots and checkpoints ---------------------------------------------------------------------


def test_undo_goes_back_beyond_every_checkpoint(
    open_copy: Callable[[], Engine], first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However few states are kept, each undo gives the models of before."""
    monkeypatch.setattr(learning, "EVENTS_A_CHECKPOINT", 2)
    monkeypatch.setattr(learning, "CHECKPOINTS", 2)
    monkeypatch.setattr(learning, "EVENTS_A_SNAPSHOT", 3)
    engine = open_copy()
    digests = [engine.digest]
    for number in range(9):
        teach(engine, first, user="ana" if number % 3 else "bob")
        digests.append(engine.digest)
    assert store_of(engine).log.last_snapshot() is not None
    engine.close()
    engine = open_copy()
    assert engine.digest == digests[-1]
    for number in reversed(range(9)):
        engine.undo("ana" if number % 3 else "bob")
        assert engine.digest == digests[number]
    assert engine.digest == engine.replay()


@pytest.mark.parametrize("damage", ["arrays", "body"])
def test_a_damaged_snapshot_costs_time_and_nothing_else(
    open_copy: Callable[[], Engine], first: str, damage: str
) -> None:
    """The log has everything."""
    engine = open_copy()
    teach(engine, first, rounds=3)
    digest = engine.digest
    engine.close()
    engine = open_copy()
    values = {
        "arrays": {"arrays": b"PK\x03\x04 no archive"},
        "body": {"body": {"event": 3}},
    }[damage]
    with database_of(engine).write() as connection:
        connection.execute(sql.update(snapshots).values(**values))
    with_damage = open_copy()
    assert with_damage.digest == digest == with_damage.replay()


def test_a_snapshot_never_brings_back_who_was_forgotten(
    open_copy: Callable[[], Engine], first: str
) -> None:
    """An engine that learned from them catches up before it keeps its models."""
    one, two = open_copy(), open_copy()
    teach(one, first, user="ana")
    teach(one, first, user="bob")
    assert "ana" in models_of(two).weights.own
    one.forget("ana")
    two.close()
    one.close()
    with database_of(open_copy()).read() as connection:
        kept = connection.execute(sql.select(snapshots)).all()
        named = connection.scalar(sql.select(sql.func.count()).where(events.c.user == "ana"))
    assert named == 0
    assert all("ana" not in json.dumps(row.body) for row in kept)


def test_live_models_that_differ_from_the_log_are_found_and_replayed(
    open_copy: Callable[[], Engine], first: str
) -> None:
    """A snapshot that was tampered with is well-formed and wrong: the doctor notices."""
    engine = open_copy()
    teach(engine, first, rounds=2)
    digest = engine.digest
    engine.close()
    engine = open_copy()
    seen, body, arrays = store_of(engine).log.last_snapshot() or pytest.fail("no snapshot")
    arrays["wins"] = arrays["wins"] + 1
    with store_of(engine).log.appending() as appender:
        appender.snapshot(seen, body, arrays)
    wrong = open_copy()
    assert wrong.digest != digest
    assert [finding.place for finding in wrong.library.doctor()] == ["models"]
    assert [finding.repaired for finding in wrong.library.doctor(repair=True)] == [True]
    assert wrong.digest == digest
    assert open_copy().digest == digest


# -- profiles that travel --------------------------------------------------------------------------


def _exported(engine: Engine, first: str) -> dict[str, Any]:
    teach(engine, first)
    return json.loads(json.dumps(engine.people.export("ana")))


def _bytes(arrays: dict[str, Any]) -> str:
    return base64.b64encode(bundles.to_bytes(arrays)).decode()


@pytest.mark.parametrize(
    "damage",
    [
        {"arrays": base64.b64encode(b"").decode()},
        {"arrays": base64.b64encode(b"PK\x03\x04junk").decode()},
        {"arrays": base64.b64encode(b"\x93NUMPY\x01\x00").decode()},
        {"arrays": "no base64!"},
        {"arrays": 7},
        {"at": float("nan")},
        {"at": 10**400},
        {"at": "now"},
        {"body": []},
        {"kind": "undone"},
    ],
)
def test_a_hostile_profile_is_refused_as_a_whole(
    engine: Engine, first: str, damage: dict[str, Any]
) -> None:
    """Whatever is in it, nothing enters the log."""
    data = _exported(engine, first)
    data["events"].append({**data["events"][0], **damage})
    before = store_of(engine).log.counts()
    with pytest.raises(InvalidInput, match="event 2 is damaged"):
        engine.people.import_("eva", data)
    assert store_of(engine).log.counts() == before


@pytest.mark.parametrize("events_", [None, 5, "text", {"a": 1}])
def test_a_profile_without_a_list_is_refused(engine: Engine, events_: Any) -> None:
    """The form is checked before the content."""
    with pytest.raises(InvalidInput, match="no list of events"):
        engine.people.import_("eva", {"saccade-profile": 1, "events": events_})


def test_a_profile_with_numbers_that_are_none_is_refused(engine: Engine, first: str) -> None:
    """NaN, numbers that are no similarity, pairs beyond the images, a scheme twice."""
    good = _exported(engine, first)
    line = good["events"][0]
    arrays = bundles.from_bytes(base64.b64decode(line["arrays"]))
    phi, pairs = arrays["phi"], arrays["pairs"]
    twice = {**line["body"], "schemes": [line["body"]["schemes"][0]] * phi.shape[1]}
    odd = {**line["body"], "schemes": ["x"] * phi.shape[1]}
    for bad in (
        {"arrays": _bytes({"phi": phi * np.float32(np.nan), "pairs": pairs})},
        {"arrays": _bytes({"phi": phi + np.float32(9), "pairs": pairs})},
        {"arrays": _bytes({"phi": phi.astype(np.float64), "pairs": pairs})},
        {"arrays": _bytes({"phi": phi, "pairs": pairs + np.int32(99)})},
        {"arrays": _bytes({"phi": phi, "pairs": pairs.ravel()})},
        {"arrays": _bytes({"phi": phi[:, :-1], "pairs": pairs})},
        {"arrays": _bytes({"phi": phi})},
        {"body": twice},
        {"body": odd},
    ):
        with pytest.raises(InvalidInput, match="event 1 is damaged"):
            engine.people.import_("eva", {**good, "events": [{**line, **bad}]})
    assert engine.people.list() == ("ana",)
    assert engine.people.import_("eva", good) == 1


def test_imported_feedback_can_be_undone_and_forgotten(engine: Engine, first: str) -> None:
    """It has no page to show, and is the user's own in every other way."""
    data = _exported(engine, first)
    before = engine.digest
    engine.people.import_("eva", data)
    assert engine.undo("eva").page is None
    assert engine.digest == before
    engine.people.import_("eva", data)
    assert engine.forget("eva") == 2
    assert engine.digest == before == engine.replay()


def test_a_query_over_the_limit_is_refused_unread(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of 300 MB is named and not loaded."""
    huge = tmp_path / "huge.tif"
    with huge.open("wb") as file:
        file.truncate(300_000_000)
    monkeypatch.setattr(Path, "read_bytes", pytest.fail)
    with pytest.raises(NotAnImage, match=r"huge\.tif: 300,000,000 bytes are over the limit"):
        engine.search(huge)
