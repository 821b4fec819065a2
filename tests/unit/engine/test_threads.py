from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from PIL import Image

from inside import log_of, store_of
from saccade.engine import Engine
from saccade.engine.learning import log
from saccade.errors import NothingToUndo
from saccade.types import Page
from servers import PATIENCE

THREADS = 8


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long its turn takes on a loaded machine, every page is logged."""
    monkeypatch.setattr(log, "PATIENCE", PATIENCE)


def order(page: Page) -> list[tuple[str, float]]:
    return [(hit.image_id, hit.score) for hit in page.hits]


def test_concurrent_searches_are_those_done_alone(engine: Engine) -> None:
    """Scores included, whoever else is searching."""
    ids = [image.image_id for image in engine.images(0, 12)]
    alone = {image: order(engine.search(image, k=10)) for image in ids}
    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(lambda image: order(engine.search(image, k=10)), ids * 4))
    assert found == [alone[image] for image in ids * 4]


def test_every_acknowledged_event_is_in_the_log_once(
    open_copy: Callable[[], Engine], tmp_path: Path
) -> None:
    """Searches, reactions, preferences, undos and indexing at once, on one engine."""
    engine = open_copy()
    ids = [image.image_id for image in engine.images(0, THREADS)]
    extra = tmp_path / "extra"
    extra.mkdir()
    barrier = Barrier(THREADS + 1)

    def person(number: int) -> tuple[list[str], int]:
        """Four rounds and an undo; returns the pages judged and how many undos were granted."""
        user = f"user{number % 3}"
        barrier.wait()
        judged, undone = [], 0
        page = engine.search(ids[number], user=user, k=8)
        for round_ in range(4):
            judged.append(page.page_id)
            shown = [hit.image_id for hit in page.hits]
            if round_ == 2:
                page = engine.prefer(page, better=shown[-1], worse=shown[0])
            else:
                page = engine.react(page, liked=shown[-1:], disliked=shown[:1])
        try:
            engine.undo(user)
            undone += 1
        except NothingToUndo:
            pytest.fail("this user has given feedback that nobody else could take back")
        return judged, undone

    def indexer() -> int:
        barrier.wait()
        added = 0
        for number in range(3):
            Image.new("RGB", (40, 30), (200, 40 * number, 7)).save(extra / f"{number}.png")
            added += engine.add(extra).added
        return added

    with ThreadPoolExecutor(THREADS + 1) as pool:
        added = pool.submit(indexer)
        results = list(pool.map(person, range(THREADS)))
    assert added.result() == 3
    assert len(engine) == 39

    entries = log_of(engine)
    kinds = Counter(event.kind for event in entries)
    acknowledged = Counter(page for judged, _ in results for page in judged)
    logged = Counter(e.page_id for e in entries if e.kind in ("reacted", "preferred"))
    assert logged == acknowledged
    assert set(acknowledged.values()) == {1}
    assert kinds == {
        "reacted": 3 * THREADS,
        "preferred": THREADS,
        "undone": sum(undone for _, undone in results),
    }
    taken_back = [e.record.event_id for e in entries if e.kind == "undone"]
    assert len(set(taken_back)) == len(taken_back)
    assert engine.digest == engine.replay() == open_copy().replay()


def test_two_who_undo_at_once_take_back_two_events(engine: Engine, first: str) -> None:
    """Each undo that is granted takes back another event."""
    page = engine.search(first, user="ana", k=10)
    for _ in range(10):
        page = engine.react(page, liked=[page.hits[-1].image_id])
    with ThreadPoolExecutor(THREADS) as pool:
        done = list(pool.map(lambda _: engine.undo("ana").event, range(10)))
    assert len(set(done)) == 10
    with pytest.raises(NothingToUndo):
        engine.undo("ana")
    assert engine.digest == engine.replay()


def test_forgetting_while_others_teach_removes_one_person(engine: Engine, first: str) -> None:
    """The others' events are all there, the forgotten one's are not."""
    page = engine.search(first, user="ana", k=10)
    engine.react(page, liked=[page.hits[-1].image_id])

    def teach(number: int) -> None:
        mine = engine.search(first, user=f"user{number}", k=10)
        for _ in range(3):
            mine = engine.react(mine, liked=[mine.hits[-1].image_id])

    with ThreadPoolExecutor(THREADS) as pool:
        teaching = [pool.submit(teach, number) for number in range(6)]
        pool.submit(engine.forget, "ana").result()
        for future in teaching:
            future.result()
    assert engine.people.list() == tuple(f"user{number}" for number in range(6))
    assert store_of(engine).log.counts()["reacted"] == 18
    assert engine.digest == engine.replay()


def test_two_engines_and_many_threads_share_one_log(
    open_copy: Callable[[], Engine], first: str
) -> None:
    """Processes on one store agree although their threads interleave."""
    engines = [open_copy(), open_copy()]

    def teach(number: int) -> None:
        engine = engines[number % 2]
        page = engine.search(first, user=f"user{number}", k=10)
        for _ in range(3):
            page = engine.react(page, liked=[page.hits[-1].image_id])
        engine.undo(f"user{number}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(teach, range(6)))
    assert engines[0].digest == engines[1].digest == open_copy().replay()
