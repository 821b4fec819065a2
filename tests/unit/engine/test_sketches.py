"""Sketches: what a search by a part looks at closely in a large collection."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import discs
from inside import collection_of, store_of
from saccade.engine import Engine
from saccade.engine.sources import parts
from saccade.engine.sources.parts import PartView
from saccade.engine.sources.sketches import SKETCHES


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of the discs; read only."""
    place = tmp_path_factory.mktemp("discs")
    with Engine(place / "discs.saccade", warm=False) as engine:
        engine.add(discs.draw(place / "pictures"), recipe="embedding")
    return place / "discs.saccade"


@pytest.fixture
def engine(drawn: Path, tmp_path: Path) -> Iterator[Engine]:
    """An engine on a copy of the discs."""
    with Engine(shutil.copytree(drawn, tmp_path / "copy.saccade"), warm=False) as engine:
        yield engine


def view_of(engine: Engine) -> PartView:
    view = parts.of(collection_of(engine))
    assert view is not None
    return view


def test_indexing_makes_a_sketch_of_every_picture(engine: Engine) -> None:
    """One column beside the embedding's, as long as the collection."""
    assert sum(len(held.windows) for _, held in view_of(engine).sketches) == len(engine)


def test_pictures_that_sketches_choose_are_scored_as_if_all_were_looked_at(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Same scores and places for the chosen, and everybody else comes after them."""
    view = view_of(engine)
    asked = view.column.vector(2)
    every = view.look_for(asked)
    monkeypatch.setattr(parts, "LIKELY", 10)
    monkeypatch.setattr(parts, "LOOKED_AT", 8)
    monkeypatch.setattr(parts, "CANDIDATES", 5)
    found = view.look_for(asked)
    chosen = np.flatnonzero(found.positions >= 0)
    assert len(chosen) == 5
    np.testing.assert_array_equal(found.scores[chosen], every.scores[chosen])
    np.testing.assert_array_equal(found.positions[chosen], every.positions[chosen])
    assert np.delete(found.scores, chosen).max() <= found.scores[chosen].min()


def test_sketches_order_pictures_much_as_a_closer_look_does(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever picture is asked for, scores by sketches alone go with the exact ones."""
    view = view_of(engine)
    asked = [view.column.vector(row) for row in range(len(engine))]
    every = [view.look_for(one).scores for one in asked]
    monkeypatch.setattr(parts, "LOOKED_AT", 0)
    monkeypatch.setattr(parts, "CANDIDATES", 0)
    for one, exact in zip(asked, every, strict=True):
        assert np.corrcoef(view.look_for(one).scores, exact)[0, 1] > 0.8


def test_without_sketches_every_picture_is_looked_at(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes longer and misses nothing."""
    view = view_of(engine)
    asked = view.column.vector(2)
    every = view.look_for(asked).scores
    monkeypatch.setattr(parts, "LOOKED_AT", 3)
    np.testing.assert_array_equal(replace(view, sketches=()).look_for(asked).scores, every)


def test_sketches_made_in_another_way_are_made_anew(engine: Engine, drawn: Path) -> None:
    """A column of another version gives way when the store is next indexed."""
    store = store_of(engine)
    (held,) = [s for s in store.columns.segments() if s.name == SKETCHES]
    arrays = {name: np.array(array) for name, array in store.columns.load(held).items()}
    draft = store.columns.draft(SKETCHES, "before", 0, arrays)
    store.commit(retract=[(SKETCHES, None)], drafts=[draft])
    engine.add(drawn.parent / "pictures")
    assert [s.version for s in store.columns.segments() if s.name == SKETCHES] == [held.version]


def test_damaged_sketches_are_found_and_made_again(engine: Engine) -> None:
    """Of another shape: the doctor says so and mends them; a search does without meanwhile."""
    store = store_of(engine)
    (held,) = [s for s in store.columns.segments() if s.name == SKETCHES]
    arrays = {name: np.array(array) for name, array in store.columns.load(held).items()}
    arrays["windows"] = arrays["windows"][:, :-1]
    draft = store.columns.draft(SKETCHES, held.version, 0, arrays)
    store.commit(retract=[(SKETCHES, None)], drafts=[draft])
    assert view_of(engine).sketches == ()
    assert any("another shape" in found.problem for found in engine.library.doctor())
    assert all(found.repaired for found in engine.library.doctor(repair=True))
    assert sum(len(one.windows) for _, one in view_of(engine).sketches) == len(engine)
