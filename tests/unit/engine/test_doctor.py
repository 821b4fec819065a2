from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from inside import database_of, store_of
from saccade.engine import Engine, Progress


def test_a_sound_store_is_healthy(engine: Engine) -> None:
    """Nothing found, every check was made, nothing changed."""
    steps: list[Progress] = []
    generation = store_of(engine).catalog.generation()
    assert engine.library.doctor(watch=steps.append) == ()
    assert steps[-1].done == steps[-1].total > 3
    assert engine.library.doctor(repair=True) == ()
    assert store_of(engine).catalog.generation() == generation


@pytest.mark.parametrize("how", ["missing", "empty"])
def test_lost_thumbnails_are_made_again(engine: Engine, how: str) -> None:
    """The same bytes as before."""
    image = engine.images(3, 1)[0].image_id
    file = engine.path / "thumbs" / image[:2] / f"{image}.webp"
    before = file.read_bytes()
    file.unlink() if how == "missing" else file.write_bytes(b"")
    (found,) = engine.library.doctor()
    assert (found.place, found.problem, found.rebuildable) == ("thumbs", "1 are missing", True)
    assert not file.exists() or file.stat().st_size == 0
    (found,) = engine.library.doctor(repair=True)
    assert found.repaired
    assert file.read_bytes() == before


def test_values_that_changed_on_disk_are_noticed(engine: Engine) -> None:
    """A number that differs from its row's norms; NaN. Without any checksum of files, too."""
    with database_of(engine).write() as connection:
        connection.exec_driver_sql("DELETE FROM checksums")
    assert {f.problem for f in engine.library.doctor()} >= {"2 files without a checksum"}
    segment = next(s for s in store_of(engine).columns.segments() if s.name == "lbp")
    file = engine.path / segment.files["vectors"]
    before = np.load(file)
    for value, words in ((5.0, "checksums"), (np.nan, "not numbers")):
        broken = before.copy()
        broken[4, 7] = value
        np.save(file, broken)
        assert any(words in found.problem for found in engine.library.doctor())
    assert all(f.repaired for f in engine.library.doctor(repair=True))
    assert engine.library.doctor() == ()
    segment = next(s for s in store_of(engine).columns.segments() if s.name == "lbp")
    assert np.array_equal(store_of(engine).columns.load(segment)["vectors"], before)


def test_a_column_with_a_gap_is_filled(engine: Engine) -> None:
    """A segment that went missing from the catalog is computed again."""
    segment = next(s for s in store_of(engine).columns.segments() if s.name == "lbp")
    before = np.array(store_of(engine).columns.load(segment)["vectors"])
    store_of(engine).commit(drop=[segment])
    problems = {finding.problem for finding in engine.library.doctor()}
    assert "covers 0 of 36 images" in problems
    assert all(finding.repaired for finding in engine.library.doctor(repair=True))
    segment = next(s for s in store_of(engine).columns.segments() if s.name == "lbp")
    assert np.array_equal(store_of(engine).columns.load(segment)["vectors"], before)


def test_lost_pictures_are_not_ours_to_repair(tmp_path: Path, pictures: Path) -> None:
    """They are named; a lost column of a lost picture stays empty and is said so once."""
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        engine.add(pictures, recipe="lbp")
        lost = engine.images(0, 1)[0]
        Path(lost.paths[0]).unlink()
        (found,) = engine.library.doctor(repair=True)
        assert (found.place, found.rebuildable, found.repaired) == ("pictures", False, False)
        assert lost.paths[0] in found.problem
        segment = next(s for s in store_of(engine).columns.segments() if s.name == "lbp")
        store_of(engine).commit(drop=[segment])
        findings = {f.place: f for f in engine.library.doctor(repair=True)}
        assert findings["column lbp"].repaired
        assert not findings["pictures"].repaired
        segment = next(s for s in store_of(engine).columns.segments() if s.name == "lbp")
        vectors = store_of(engine).columns.load(segment)["vectors"]
        assert np.flatnonzero(~vectors.any(1)).tolist() == [lost.row]
