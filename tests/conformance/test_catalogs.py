"""Every database that a catalog may lie in does what the store is promised: a file, a server."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sql

import postgres
from saccade.engine import Engine
from saccade.errors import StoreBusy, StoreError, StoreFormat, StoreLocked
from saccade.store.catalog import ImageFields, NewImage, NewPath
from saccade.store.events import Retention
from saccade.store.moving import move
from saccade.store.store import Store
from saccade.store.tables import meta
from saccade.types import Origin, Skipped, TokenInfo

pytestmark = pytest.mark.xdist_group("postgresql")

Make = Callable[..., Store]
KINDS = ("sqlite", "postgresql")


@pytest.fixture(params=KINDS)
def address(request: pytest.FixtureRequest) -> str | None:
    """Where a new store's catalog lies: None is a file in its folder."""
    if request.param == "sqlite":
        return None
    return postgres.database(request.getfixturevalue("postgresql"))


@pytest.fixture
def make(address: str | None, tmp_path: Path) -> Iterator[Make]:
    """Opens one store again and again; the first time it is made."""
    opened: list[Store] = []

    def one(**options: bool) -> Store:
        opened.append(Store(tmp_path / "s.saccade", database=address, **options))
        return opened[-1]

    yield one
    for store in opened:
        store.close()


@pytest.fixture
def store(make: Make) -> Store:
    return make()


def append(store: Store, kind: str = "reacted", user: str = "ana", **also: object) -> int:
    with store.log.appending() as appender:
        return appender.append(
            kind, at=1.5, user=user, session_id="s", page_id=str(also.get("page", "p")),
            body={"said": "über\u0000 \\x41 %s", "half": float("nan")},
            arrays={"phi": np.array([[0.1, -0.0]], np.float32)},
            passing=bool(also.get("passing")),
        )  # fmt: skip


def test_an_event_is_read_as_it_was_written(store: Store) -> None:
    """Backslashes, percent signs, what is no number and the last bit of a float: nothing moves."""
    assert append(store) == 1
    (event,) = store.log.since(0, ["reacted"])
    assert (event.event_id, event.at, event.user) == (1, 1.5, "ana")
    assert event.body["said"] == "über\u0000 \\x41 %s"
    assert np.isnan(event.body["half"])
    assert event.arrays["phi"].tobytes() == np.array([[0.1, -0.0]], np.float32).tobytes()
    assert list(store.flaws()) == []


def test_a_number_is_never_used_twice_and_none_is_lost(store: Store) -> None:
    """Not after a transaction that was taken back, nor after its event was forgotten."""
    append(store)
    with suppress(RuntimeError), store.log.appending() as appender:
        appender.append("reacted", at=1.0, user="bob", body={}, arrays={})
        raise RuntimeError
    assert append(store, user="bob") == 2
    with store.log.appending() as appender:
        assert appender.forget("bob", ["reacted"]) == 1
    store.log.scrub()
    assert append(store) == 3
    assert [event.event_id for event in store.log.since(0, ["reacted"])] == [1, 3]
    assert list(store.flaws()) == []


def test_what_one_appends_the_other_knows_at_once(make: Make) -> None:
    """Two processes, one log; each reads the other's before it writes its own."""
    first, second = make(), make()
    append(first)
    assert second.log.last() == 1
    with second.log.appending() as appender:
        assert [e.event_id for e in appender.since(0, ["reacted"])] == [1]
    assert append(second, user="bob") == 2
    assert first.log.users(["reacted"]) == ("ana", "bob")
    assert first.log.counts() == {"reacted": 2}


def test_many_writers_take_turns(make: Make) -> None:
    """Four threads with a store each: every event has its number, in one chain."""
    stores = [make() for _ in range(4)]
    said: list[int] = []

    def work(one: Store) -> None:
        said.extend(append(one) for _ in range(6))

    threads = [threading.Thread(target=work, args=(one,)) for one in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(said) == list(range(1, 25))
    assert list(stores[0].flaws()) == []


def test_a_writer_waits_only_so_long(make: Make) -> None:
    """Then it is told who holds it, and may try again."""
    first, second = make(), make()
    held = pytest.raises(StoreLocked, match="another process holds")
    with first.database.write(), held, second.database.write(patience=0.05):
        pass
    append(second)


def test_a_reader_sees_one_moment(make: Make) -> None:
    """Whatever others commit between two of its questions."""
    reader, writer = make(), make()
    append(writer)
    count = sql.select(sql.func.count()).select_from(meta)
    with reader.database.read() as connection:
        before = connection.scalar(count)
        writer.commit(settings={"new": 1}, quiet=True)
        assert connection.scalar(count) == before
    assert reader.catalog.setting("new") == 1


def test_indexing_is_exclusive(make: Make) -> None:
    """A second indexer is told so; the lock goes with the block."""
    first, second = make(), make()
    with first.indexing():
        with pytest.raises(StoreBusy, match="another process is indexing"), second.indexing():
            pass
        with first.jobs.working() as mine, second.jobs.working() as others:
            assert (mine, others) == (True, False)
    with second.indexing():
        pass


def test_pictures_paths_and_all_that_is_known_of_them(store: Store) -> None:
    """Rows follow each other; paths go by their bytes, whatever the server's language is."""
    names = ["/b.jpg", "/B.jpg", "/a.jpg", "/é.jpg"]
    found = [NewImage(f"id{i}", 10 * i + 1, 7, Origin("2019", "Canon")) for i in range(4)]
    paths = [NewPath(name, f"id{i}", 2**40, 2**60 + i) for i, name in enumerate(names)]
    paths.append(NewPath("/A second.jpg", "id0", 1, 2))
    left_out = [(Skipped("/x", "no picture"), 1, 2), (Skipped("/x", "twice"), 1, 2)]
    store.commit(images=found, paths=paths, skipped=left_out)
    store.commit(fields={1: ImageFields("sku-1", {"price": 2.5, "sale": True})})
    listing = store.catalog.listing()
    assert listing.ids == ("id0", "id1", "id2", "id3")
    assert listing.first_path[0] == "/A second.jpg"
    assert store.catalog.image("id0").paths == ("/A second.jpg", "/b.jpg")
    assert store.catalog.known_paths()["/é.jpg"] == (2**40, 2**60 + 3)
    assert store.catalog.skipped() == (Skipped("/x", "no picture"),)
    assert store.catalog.row_of_external("sku-1") == 1
    assert store.catalog.rows_of_externals() == {"sku-1": 1}
    assert store.catalog.records([1])[0].fields == {"price": 2.5, "sale": True}
    assert store.commit(gone=["/B.jpg"]) == 1
    assert store.catalog.count() == 3
    assert store.catalog.generation() == 3


def test_columns_are_published_with_their_rows_and_checksums(store: Store) -> None:
    """What is visible can be loaded and verified; several small ones become one."""
    with store.indexing():
        for first in range(3):
            draft = store.columns.draft("lbp", "1", first, {"x": np.full((1, 3), first)})
            store.commit(images=[NewImage(f"id{first}", 1, 1)], drafts=[draft])
        store.tidy()
    (segment,) = store.columns.segments()
    assert store.columns.load(segment)["x"].tolist() == [[0, 0, 0], [1, 1, 1], [2, 2, 2]]
    assert [flaw.problem for flaw in store.flaws()] == ["3 images have no path"]


def test_old_pages_leave_and_those_that_somebody_spoke_of_stay(store: Store) -> None:
    """By age and by bytes; the chain holds."""
    for page in "abc":
        append(store, "shown", page=page, passing=True)
    append(store, page="b")
    store.log.thin(Retention(seconds=10.0, size=10**6), now=100.0)
    assert store.log.counts() == {"shown": 1, "reacted": 1}
    assert store.log.pages() == (0, 0)
    assert list(store.flaws()) == []


def test_keys_tokens_jobs_and_snapshots(store: Store) -> None:
    """The small tables."""
    with store.log.appending() as appender:
        assert appender.claim("key", "digest", at=1.0) is None
        assert appender.claim("key", "other", at=1.0) == "digest"
        appender.snapshot(4, {"a": [1]}, {"w": np.arange(3)})
    assert store.log.claimed("key") == "digest"
    number, body, arrays = store.log.last_snapshot() or (0, {}, {})
    assert (number, body, arrays["w"].tolist()) == (4, {"a": [1]}, [0, 1, 2])
    token = TokenInfo("t", "ana", "owner", 1.0, None)
    store.tokens.add(token, "digest")
    assert store.tokens.find("digest") == token
    job = store.jobs.add("j", "index", {"folder": "x"}, at=1.0)
    assert store.jobs.add("k", "index", {"folder": "x"}, at=1.0) == job
    claimed = store.jobs.claim(at=2.0)
    assert claimed is not None
    assert (claimed.state, store.jobs.is_cancelled("j")) == ("running", False)


def test_a_newer_format_is_refused(make: Make) -> None:
    """Nothing is touched."""
    with closing(make()) as store, store.database.write() as connection:
        connection.execute(sql.update(meta).where(meta.c.key == "format").values(value="7"))
    with pytest.raises(StoreFormat, match="format 7"):
        make()


def test_a_lost_end_is_noticed(make: Make, tmp_path: Path) -> None:
    """The witness knows a number that the log does not have: its numbers are not used again."""
    with closing(make()) as store:
        append(store)
        store.log._witness.testify(4)
    with closing(make()) as store:
        assert store.log.lost() == 3
        assert append(store) == 5


def test_what_another_appends_meanwhile_is_no_loss(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One opens the store while another writes: no number is skipped for it."""
    first, second = make(), make()
    append(first)
    plain = first.log._witness.last

    def last() -> int | None:
        append(second)
        return plain()

    monkeypatch.setattr(first.log._witness, "last", last)
    first.log.notice()
    monkeypatch.undo()
    assert first.log.lost() == 0
    assert append(first) == 3


def test_a_backup_is_a_store_of_files(
    address: str | None, make: Make, world: Path, tmp_path: Path
) -> None:
    """Wherever the catalog lies; the copy learned what the store learned."""
    place = tmp_path / "e.saccade"
    with Engine(place, database=address, warm=False) as engine:
        engine.add(world, recipe="color-histogram")
        taught(engine)
        engine.library.backup(tmp_path / "copy")
        digest = engine.digest
    assert not (tmp_path / "copy" / "database.json").exists()
    with Engine(tmp_path / "copy", warm=False) as copy:
        assert (copy.digest, copy.replay(), copy.library.doctor()) == (digest, digest, ())


def taught(engine: Engine, user: str = "ana") -> list[tuple[str, float]]:
    """Three searches with two marks each; the last page as it is ranked then."""
    for image in engine.images(0, 3):
        page = engine.search(image.image_id, user=user, k=12)
        liked, disliked = page.hits[1].image_id, page.hits[-1].image_id
        page = engine.react(page, liked=[liked], disliked=[disliked])
    return [(hit.image_id, hit.score) for hit in page.hits]


def test_both_databases_learn_the_same_to_the_bit(
    indexed: Path, tmp_path: Path, postgresql: str
) -> None:
    """The same marks give the same pages and scores."""
    pages = []
    for kind in KINDS:
        place = tmp_path / kind
        shutil.copytree(indexed, place)
        if kind == "postgresql":
            move(place, postgres.database(postgresql))
        with Engine(place, warm=False) as engine:
            pages.append(taught(engine))
            assert engine.replay() == engine.digest
    assert pages[0] == pages[1]


def test_a_store_that_is_gone_says_so(store: Store, address: str | None) -> None:
    """Whoever has it open and writes later is refused, and not told that it was kept."""
    assert store.take_away()
    with pytest.raises((StoreError, StoreFormat)):
        append(store)
