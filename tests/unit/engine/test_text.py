from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from encoders import COLOURS, encoder_pair, flat
from saccade.engine import Engine
from saccade.errors import InvalidInput


@pytest.fixture
def coloured(tmp_path: Path) -> Path:
    """Three pictures, each of one colour."""
    folder = tmp_path / "coloured"
    folder.mkdir()
    for name, colour in COLOURS.items():
        Image.fromarray(flat(colour).rgb).save(folder / f"{name}.png")
    return folder


def test_words_find_pictures_where_an_encoder_understands_them(
    coloured: Path, tmp_path: Path
) -> None:
    """The picture whose colour is named comes first, and feedback works on such a page too."""
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        engine.add(coloured, recipe=f"lbp,{encoder_pair(tmp_path)}")
        for name in COLOURS:
            page = engine.search(text=f"something {name}", k=3)
            assert Path(page.hits[0].path).stem == name
            assert all(scheme.startswith("embedding@") for scheme in page.schemes)
        after = engine.react(page.page_id, liked=[page.hits[2].image_id])
        assert after.round == 1
        assert engine.digest == engine.replay()


def test_without_a_text_encoder_words_are_refused(engine: Engine) -> None:
    """The sentence says what is missing and how to get it."""
    with pytest.raises(InvalidInput, match=r"no text encoder is installed.*recipe="):
        engine.search(text="a harbour")


def test_words_and_pictures_do_not_mix(engine: Engine, first: str) -> None:
    """A query is one or the other."""
    with pytest.raises(InvalidInput, match="not both"):
        engine.search(first, text="a harbour")
    with pytest.raises(InvalidInput, match="empty text"):
        engine.search(text=" ")
