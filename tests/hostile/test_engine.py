"""The engine meets pictures only through decoding processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from saccade.engine import Engine
from saccade.testbed import worlds


def test_no_picture_is_decoded_in_the_engines_own_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few files to index, a query from outside, a lost thumbnail: all by other processes."""
    monkeypatch.setattr("saccade.images.decode.render", pytest.fail)
    monkeypatch.setattr("saccade.images.rendering.render", pytest.fail)
    worlds.write(tmp_path / "pictures", images=4, seed=1, size=(64, 48))
    *few, last = sorted((tmp_path / "pictures").rglob("*.jpg"))
    outside = last.read_bytes()
    last.unlink()
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        engine.add(tmp_path / "pictures", recipe="color-histogram")
        assert len(engine) == len(few)
        assert len(engine.search(outside, k=2).hits) == 2
        image = engine.images(0, 1)[0].image_id
        file = engine.path / "thumbs" / image[:2] / f"{image}.webp"
        file.unlink()
        assert engine.library.thumbnail(image)[:4] == b"RIFF"
        file.unlink()
        assert [found.repaired for found in engine.library.doctor(repair=True)] == [True]
