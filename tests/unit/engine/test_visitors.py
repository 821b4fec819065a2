"""Visitors teach themselves alone, and fade."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import saccade
from saccade.engine import Engine, operations
from saccade.errors import InvalidInput, NotFound, UnknownName

VISITORS = ("visitor:aa", "visitor:bb", "visitor:cc")
KNOWN = ("ana", "bob", "eva")


@pytest.fixture
def engine(indexed: Path, tmp_path: Path):
    store = Path(shutil.copytree(indexed, tmp_path / "copy.saccade"))
    with saccade.Engine(store, warm=False) as engine:
        yield engine


def stranger(engine: Engine) -> tuple[object, ...]:
    """All that a stranger is served: pictures, candidates, an attribute, whether learning pays."""
    image = engine.images(0, 1)[0].image_id
    page = engine.search(image, user="a stranger", k=20)
    found = [{"id": f"sku-{i}", "features": {"price": i % 7, "age": i}} for i in range(20)]
    ranked = engine.candidates.rerank(found, text="shoes", user="a stranger")
    guard = engine.library.report().guard
    return (
        [(hit.image_id, hit.score) for hit in page],
        [(hit.id, hit.score) for hit in ranked],
        engine.attributes.show("natural", user="a stranger").ready,
        guard.events,
    )


def teach(engine: Engine, people: tuple[str, ...]) -> None:
    images = [record.image_id for record in engine.images(0, 30)]
    found = [{"id": f"sku-{i}", "features": {"price": i % 7, "age": i}} for i in range(20)]
    for user in people:
        for query in images[:4]:
            page = engine.search(query, user=user, k=12)
            engine.react(page, liked=page.hits[-3:], disliked=page.hits[:3])
        ranked = engine.candidates.rerank(found, text="shoes", user=user)
        engine.candidates.react(
            ranked, liked=["sku-6", "sku-13"], disliked=["sku-0", "sku-7", "sku-1"]
        )
        for more, less in zip(images[::2], images[1::2], strict=False):
            engine.attributes.compare("natural", more, less, user=user)


def test_visitors_move_nobodys_pages(engine: Engine) -> None:
    """A stranger is served the same before and after; the same marks of known people move them."""
    engine.attributes.create("natural")
    before = stranger(engine)
    teach(engine, VISITORS)
    assert stranger(engine) == before
    assert engine.digest == engine.replay()
    teach(engine, KNOWN)
    after = stranger(engine)
    assert all(one != other for one, other in zip(after, before, strict=True))


def test_what_a_visitor_taught_is_served_to_them(engine: Engine) -> None:
    """Their list comes back in the order that they taught."""
    engine.attributes.create("natural")
    teach(engine, VISITORS[:1])
    found = [{"id": f"sku-{i}", "features": {"price": i % 7, "age": i}} for i in range(20)]
    ranked = engine.candidates.rerank(found, text="shoes", user=VISITORS[0])
    assert {hit.id for hit in ranked.hits[:2]} == {"sku-6", "sku-13"}


def test_visitors_fade(indexed: Path, tmp_path: Path) -> None:
    """Whoever was not seen for some days is forgotten; who came yesterday, and people, are not."""
    now = [0.0]
    store = Path(shutil.copytree(indexed, tmp_path / "copy.saccade"))
    with saccade.Engine(store, warm=False, clock=lambda: now[0]) as engine:
        engine.attributes.create("natural")
        teach(engine, ("visitor:old", "visitor:older", "ana"))
        now[0] = 20 * 86_400.0
        teach(engine, ("visitor:new",))
        now[0] += 86_400.0
        assert operations(engine).fade(14) == 2
        assert engine.people.list() == ("ana", "visitor:new")
        assert operations(engine).fade(14) == 0


def test_a_token_is_told_once_and_kept_as_a_digest(engine: Engine) -> None:
    """Nothing in the store's files is the key; the key finds who it is for."""
    key, made = engine.tokens.create("ana", "curator", days=1)
    assert engine.tokens.find(key) == made
    assert engine.tokens.list() == (made,)
    kept = b"".join(file.read_bytes() for file in engine.path.glob("catalog*"))
    assert b"curator" in kept
    assert key.encode() not in kept


def test_a_token_expires(indexed: Path, tmp_path: Path) -> None:
    """At its time, and it is listed still."""
    now = [1000.0]
    store = Path(shutil.copytree(indexed, tmp_path / "copy.saccade"))
    with saccade.Engine(store, warm=False, clock=lambda: now[0]) as engine:
        key, made = engine.tokens.create("ana", days=2)
        now[0] += 2 * 86_400.0 - 1.0
        assert engine.tokens.find(key) == made
        now[0] += 1.0
        assert engine.tokens.find(key) is None
        assert engine.tokens.list() == (made,)


def test_tokens_make_sense_or_are_refused(engine: Engine) -> None:
    """A name, a role that there is, a time to come; one that is not there cannot be taken back."""
    for user in ("", "guest", "visitor:x", "a/b", "x" * 101):
        with pytest.raises(InvalidInput):
            engine.tokens.create(user)
    with pytest.raises(UnknownName, match="there are: curator, owner, teacher, viewer"):
        engine.tokens.create("ana", "king")
    for days in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidInput, match="more than 0"):
            engine.tokens.create("ana", days=days)
    with pytest.raises(NotFound, match="no token 'abc'"):
        engine.tokens.revoke("abc")
    assert engine.tokens.list() == ()


def test_forgetting_takes_the_tokens_along(engine: Engine) -> None:
    """After it the name is in no file of the store, and nobody comes in by it."""
    key, _ = engine.tokens.create("zacharias", "owner")
    engine.forget("zacharias")
    assert engine.tokens.find(key) is None
    for file in engine.path.rglob("*"):
        assert file.is_dir() or b"zacharias" not in file.read_bytes()


def test_a_store_from_before_tokens_gets_their_table(indexed: Path, tmp_path: Path) -> None:
    """Without a word of anything lost."""
    import sqlite3

    store = Path(shutil.copytree(indexed, tmp_path / "copy.saccade"))
    with sqlite3.connect(store / "catalog.sqlite") as raw:
        raw.execute("DROP TABLE tokens")
    raw.close()
    with saccade.Engine(store, warm=False) as engine:
        key, _ = engine.tokens.create("ana")
        assert engine.tokens.find(key) is not None
        assert not [one for one in engine.library.doctor() if "tokens" in one.problem]
