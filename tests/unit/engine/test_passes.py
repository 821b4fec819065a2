"""A first run goes in passes, and pictures are found from the first one on."""

from __future__ import annotations

from pathlib import Path

import pytest

from saccade.engine import Engine, Progress
from saccade.testbed import worlds

RECIPE = "color-histogram,embedding,words"
IMAGES = 60


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More pictures than are described in one process."""
    folder = tmp_path_factory.mktemp("many")
    worlds.write(folder, images=IMAGES, seed=2, size=(160, 120))
    return folder


def test_pictures_are_searched_before_every_descriptor_is_there(many: Path, tmp_path: Path) -> None:
    """By words and by example in each later pass; in the end the store is whole."""
    stages: dict[str, tuple[int, int, tuple[str, ...]]] = {}
    with Engine(tmp_path / "passes.saccade", warm=False) as engine:

        def look(step: Progress) -> None:
            if step.stage in ("backfill", "local-features") and step.stage not in stages:
                first = engine.images(0, 1)[0].image_id
                alike, words = engine.search(first, k=10), engine.search(text="balloon", k=5)
                stages[step.stage] = len(alike), len(words), engine.library.report().incomplete

        engine.add(many, recipe=RECIPE, watch=look)
        assert stages == {
            "backfill": (10, 5, ("color-histogram", "words", "graph")),
            "local-features": (10, 5, ("words", "graph")),
        }
        assert engine.library.report().incomplete == ()
        assert engine.library.doctor() == ()


def test_a_run_cut_short_between_passes_goes_on(many: Path, tmp_path: Path) -> None:
    """The next one computes what is missing, and the collection is as if nothing had happened."""
    whole, cut = tmp_path / "whole.saccade", tmp_path / "cut.saccade"

    def stop(step: Progress) -> None:
        if step.stage == "backfill":
            raise KeyboardInterrupt

    recipe = "color-histogram,embedding"
    with Engine(whole, warm=False) as first, Engine(cut, warm=False) as second:
        first.add(many, recipe=recipe)
        with pytest.raises(KeyboardInterrupt):
            second.add(many, recipe=recipe, watch=stop)
        assert "color-histogram" in second.library.report().incomplete
        second.add(many)
        assert second.library.report().incomplete == ()
        query = first.images(0, 1)[0].image_id
        pages = [[hit.image_id for hit in one.search(query, k=20)] for one in (first, second)]
        assert pages[0] == pages[1]


def test_few_pictures_come_into_a_large_collection_whole(many: Path, tmp_path: Path) -> None:
    """What is there already is never the worse for what comes."""
    more = tmp_path / "more"
    worlds.write(more, images=9, seed=8, size=(160, 120))
    seen = set()
    with Engine(tmp_path / "grown.saccade", warm=False) as engine:
        engine.add(many, recipe="color-histogram,embedding")

        def look(step: Progress) -> None:
            seen.update({*engine.library.report().incomplete} - {"graph"})

        engine.add(more, watch=look)
        assert seen == set()
        assert len(engine) == IMAGES + 9
