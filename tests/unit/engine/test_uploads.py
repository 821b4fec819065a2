"""Pictures that people bring: kept by id, bounded, searched with like any other, and forgotten."""

from __future__ import annotations

import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from inside import store_of
from saccade.engine import Engine
from saccade.errors import InvalidInput, NoSuchImage, NotAnImage, NotFound
from saccade.store import uploads


def picture(seed: int) -> bytes:
    """A small picture that is in no collection."""
    out = BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 256, (24, 32, 3), np.uint8)
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


def on_disk(engine: Engine) -> list[Path]:
    """Every file that is kept."""
    return [path for path in (store_of(engine).root / "uploads").rglob("*") if path.is_file()]


def test_a_kept_picture_is_a_query_by_its_id(open_copy: Callable[[], Engine]) -> None:
    """The same page as by its bytes, after a restart too; it is never found itself."""
    engine = open_copy()
    kept = engine.uploads.keep(picture(1), user="ana")
    assert (kept.known, kept.bytes) == (False, len(picture(1)))
    by_bytes = [hit.image_id for hit in engine.search(picture(1), k=8)]
    engine.close()
    engine = open_copy()
    page = engine.search(kept.image_id, user="bob", k=8)
    assert [hit.image_id for hit in page] == by_bytes
    assert page.like == (kept.image_id,)
    assert kept.image_id not in by_bytes
    assert len(engine.search(like=[by_bytes[0]], unlike=[kept.image_id], k=8)) == 8
    assert engine.uploads.thumbnail(kept.image_id).startswith(b"RIFF")
    assert (engine.uploads.record(kept.image_id).width, engine.uploads.list(user="bob")) == (32, ())


def test_a_picture_of_the_collection_is_not_kept_again(engine: Engine, first: str) -> None:
    """It is there."""
    kept = engine.uploads.keep(engine.library.original(first), user="ana")
    assert (kept.image_id, kept.known) == (first, True)
    assert on_disk(engine) == []


def test_each_person_has_the_newest_few(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number and by bytes, each and all together; one that is brought again is new again."""
    monkeypatch.setattr(uploads, "MOST", 3)
    names = []
    for seed in range(5):
        names.append(engine.uploads.keep(picture(seed), user="ana").image_id)
        for file in on_disk(engine):
            os.utime(file, (file.stat().st_mtime - 10, file.stat().st_mtime - 10))
    assert [one.image_id for one in engine.uploads.list(user="ana")] == names[:1:-1]
    engine.uploads.keep(picture(2), user="ana")
    assert engine.uploads.list(user="ana")[0].image_id == names[2]
    monkeypatch.setattr(uploads, "MOST_BYTES", 2 * len(picture(9)))
    engine.uploads.keep(picture(9), user="ana")
    assert len(engine.uploads.list(user="ana")) < 3
    monkeypatch.setattr(uploads, "MOST_IN_ALL", 1)
    engine.uploads.keep(picture(10), user="bob")
    assert len(on_disk(engine)) == 1


def test_forgetting_takes_them_off_the_disk(engine: Engine, first: str) -> None:
    """Theirs alone, also of somebody who only brought a picture; no path has a name."""
    for user in ("ana", "bob"):
        engine.search(engine.uploads.keep(picture(3), user=user).image_id, user=user, k=3)
    assert not any(
        "ana" in str(path.relative_to(store_of(engine).root)) for path in on_disk(engine)
    )
    engine.forget("ana")
    assert engine.uploads.list(user="ana") == ()
    assert len(on_disk(engine)) == 1
    engine.forget("bob")
    assert on_disk(engine) == []
    engine.uploads.keep(picture(4), user="eve")
    engine.forget("eve")
    assert on_disk(engine) == []
    with pytest.raises(NotFound, match="no user"):
        engine.forget("eve")


def test_what_cannot_be_kept_is_refused(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """No picture, too large a one; and what is not there is not taken away."""
    with pytest.raises(NotAnImage):
        engine.uploads.keep(b"only words")
    monkeypatch.setattr("saccade.engine.rooms.uploads.MOST_BYTES", 100)
    with pytest.raises(InvalidInput, match="cannot be kept; 100 are the most"):
        engine.uploads.keep(picture(1))
    with pytest.raises(NoSuchImage):
        engine.uploads.delete("0" * 32)
    with pytest.raises(NoSuchImage):
        engine.uploads.thumbnail("0" * 32)
    assert on_disk(engine) == []


def test_one_can_be_taken_away(engine: Engine) -> None:
    """By whoever has it; then it is no query."""
    kept = engine.uploads.keep(picture(5), user="ana").image_id
    with pytest.raises(NoSuchImage):
        engine.uploads.delete(kept, user="bob")
    engine.uploads.delete(kept, user="ana")
    with pytest.raises(NoSuchImage):
        engine.search(kept)
