from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from encoders import COLOURS, encoder_pair, flat
from saccade.engine import Engine


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


def test_an_encoder_takes_words_and_a_picture_together(coloured: Path, tmp_path: Path) -> None:
    """Both are likes of one query, and the word is what marks teach."""
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        engine.add(coloured, recipe=f"lbp,{encoder_pair(tmp_path)}")
        by_name = {Path(r.paths[0]).stem: r.image_id for r in engine.images()}
        page = engine.search(by_name["red"], text="green", k=2)
        assert page.like == (by_name["red"],)
        assert page.hits[0].image_id == by_name["green"]
        engine.react(page, liked=[by_name["green"]])
        (taught,) = engine.text.taught()
        assert taught.word == "green"
