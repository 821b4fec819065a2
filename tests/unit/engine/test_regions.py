"""Regions as a source: made when needed, kept, mended, let go."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import discs
import encoders
from inside import collection_of, store_of
from saccade.engine import Engine, Progress, segmented
from saccade.engine.sources import parts, regions
from saccade.errors import InvalidInput, NotFound, Stopping, StoreBusy
from saccade.images.picture import ArrayPicture
from saccade.images.relevance import labels_at, render_relevance, triptych, veil


@pytest.fixture
def own(tmp_path: Path) -> Callable[[], Engine]:
    """A store of the discs, regions not made."""
    pictures = discs.draw(tmp_path / "pictures")
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        engine.add(pictures, recipe="lbp")
    return lambda: Engine(tmp_path / "own.saccade", warm=False)


def column(engine: Engine) -> dict[str, np.ndarray]:
    view = regions.of(collection_of(engine))
    assert view is not None
    found = {row: view.parts(row) for row in sorted(view.known)}
    return {f"{row}/{name}": np.array(getattr(one, name)) for row, one in found.items()
            for name in ("vectors", "crops", "masks", "boxes", "areas")}  # fmt: skip


def same(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> bool:
    return one.keys() == other.keys() and all(np.array_equal(one[n], other[n]) for n in one)


@pytest.mark.parametrize("few", [1000, 1])
def test_interrupted_what_is_made_is_kept_and_the_next_call_goes_on(own, monkeypatch, few) -> None:
    """Here and in workers alike; only jobs under way hear of it."""
    monkeypatch.setattr("saccade.engine.indexing.crew.FEW", few)
    with own() as engine:
        total = engine.concepts.prepared().total
        engine.interrupt()  # before it begins: nothing to end

        def watch(progress: Progress) -> None:
            if progress.done:
                engine.interrupt()

        with pytest.raises(Stopping, match="stopped before its end"):
            engine.concepts.prepare(watch=watch)
        kept = engine.concepts.prepared().done
        assert 0 < kept < total
        before = column(engine)
        assert engine.concepts.prepare().done == total
        after = column(engine)
        assert same({name: after[name] for name in before}, before)
        assert engine.doctor() == ()


def test_regions_are_made_once_and_only_those_needed(own) -> None:
    """Indexing makes none; a concept's are made by its first ranking, and found again later."""
    with own() as engine:
        assert regions.of(collection_of(engine)) is None
        seen: list[Progress] = []
        engine.concepts.rank("others", watch=seen.append)
        assert [(p.stage, p.done, p.total) for p in seen] == [("regions", 0, 2), ("regions", 2, 2)]
        assert engine.concepts.prepared("others").done == 2
        assert engine.concepts.prepared().done == 2
        kept = column(engine)
    with own() as engine:
        seen = []
        engine.concepts.rank("others", watch=seen.append)
        assert seen == []
        assert same(column(engine), kept)
        assert engine.doctor() == ()


def test_an_interrupted_run_goes_on_where_it_was(own, monkeypatch) -> None:
    """What was made stays made, and the rest is the same as in one run."""
    from saccade.engine.indexing import crew

    monkeypatch.setattr(crew, "FILES_A_TASK", 4)

    def impatient(step: Progress) -> None:
        if step.done >= 8:
            raise KeyboardInterrupt

    with own() as engine:
        with pytest.raises(KeyboardInterrupt):
            engine.concepts.prepare(watch=impatient)
        assert engine.concepts.prepared().done == 8
        later: list[Progress] = []
        told = engine.concepts.prepare(watch=later.append)
        assert (told.done, told.total, later[-1].total) == (16, 16, 8)
        halves = column(engine)
    shutil.rmtree(engine.path / "columns" / "regions")
    with own() as engine:
        assert {f.place.split(",")[0] for f in engine.doctor(repair=True)} == {"column regions"}
        engine.concepts.prepare()
        assert same(column(engine), halves)


def test_many_small_pieces_are_joined_and_stay_the_same(own, monkeypatch) -> None:
    """One picture at a time, as a page asks for them."""
    monkeypatch.setattr(segmented, "MOST_SEGMENTS", 3)
    with own() as engine:
        for done in range(1, 7):
            assert engine.concepts.prepare(limit=1).done == done
            assert regions.segments(store_of(engine)) <= 3
        kept = column(engine)
        engine.concepts.prepare()
        assert all(np.array_equal(kept[name], column(engine)[name]) for name in kept)
        assert engine.doctor() == ()


def test_workers_make_the_same_regions(own, tmp_path) -> None:
    """Here or in processes of their own."""
    from saccade.engine.indexing.segmenting import Segmenting
    from saccade.engine.progress import unwatched

    with own() as engine:
        store = store_of(engine)
        with store.indexing():
            Segmenting(store, unwatched, workers=2).run(range(16))
            again: list[Progress] = []
            assert Segmenting(store, again.append).run(range(16)) == {}
            assert again == [Progress("regions", 0, 0)]
        here = column(engine)
    path = here["0/vectors"]
    with own() as engine:
        record = engine.images()[0]
        from saccade.scale.decoding import decode

        alone = parts.parts_of(decode(Path(record.paths[0]).read_bytes()).picture)
        assert np.array_equal(alone.vectors, path)


def test_a_flipped_byte_is_found_and_mended(own, monkeypatch) -> None:
    """Other pictures serve meanwhile; after repair the regions are made again, bit for bit."""
    monkeypatch.setattr("saccade.engine.indexing.segmenting.SECONDS_A_COMMIT", 1e9)  # one file
    with own() as engine:
        engine.concepts.prepare()
        kept = column(engine)
    file = next((engine.path / "columns" / "regions").glob("*.vectors.npy"))
    data = bytearray(file.read_bytes())
    data[-5] ^= 16
    file.write_bytes(data)
    with own() as engine:
        assert engine.concepts.prepared().done == 0
        assert any(f.place.startswith("column regions") for f in engine.doctor())
        assert all(f.repaired for f in engine.doctor(repair=True))
        engine.concepts.prepare()
        assert same(column(engine), kept)
        assert engine.doctor() == ()


def test_regions_come_and_go_with_their_pictures(own, tmp_path) -> None:
    """Pruned ones leave the column; new ones are made when they are needed."""
    with own() as engine:
        engine.concepts.prepare()
        kept = column(engine)
        (tmp_path / "pictures" / "things" / "disc-0.png").unlink()
        shutil.copy(tmp_path / "pictures" / "others" / "plain-6.png", tmp_path / "keep.png")
        (tmp_path / "pictures" / "others" / "plain-6.png").unlink()
        engine.add(tmp_path / "pictures", prune=True)
        left = column(engine)
        assert len(left) == len(kept) - 10
        assert all(np.array_equal(kept[name], left[name]) for name in left)
        assert engine.doctor() == ()
        shutil.move(tmp_path / "keep.png", tmp_path / "pictures" / "others" / "plain-6.png")
        engine.add(tmp_path / "pictures")
        told = engine.concepts.prepared()
        assert (told.done, told.total) == (14, 15)
        assert engine.concepts.prepare().done == 15


def test_a_picture_whose_file_is_gone_is_named_and_ranked_last(own, tmp_path) -> None:
    """It is tried once; the others have their order."""
    with own() as engine:
        gone = tmp_path / "pictures" / "things" / "disc-2.png"
        ids = {Path(one.paths[0]).stem: one.image_id for one in engine.images()}
        gone.unlink()
        found = engine.concepts.rank("things")
        assert (found.images[-1].path, found.images[-1].regions) == (str(gone), 0)
        told = engine.concepts.prepared("things")
        assert (told.done, told.total, told.failed[0].path) == (13, 14, str(gone))
        again: list[Progress] = []
        engine.concepts.prepare("things", watch=again.append)
        assert again == []
        with pytest.raises(NotFound, match="gone"):
            engine.concepts.grade("things", ids["disc-2"], "good")


def test_while_another_process_indexes_what_is_there_serves(own) -> None:
    """A ranking goes on with the regions at hand; making more has to wait."""
    with own() as engine:
        engine.concepts.prepare("others")
        with store_of(engine).indexing():
            found = engine.concepts.rank("things")
            assert {one.regions for one in found.images} == {0}
            with pytest.raises(StoreBusy):
                engine.concepts.prepare("things")
            with pytest.raises(StoreBusy):
                engine.concepts.regions(found.images[0])


def test_an_embedding_describes_the_crops_and_another_one_replaces_them(own, tmp_path) -> None:
    """Regions of no embedding, or of another one, are stale: they go and are made anew."""
    model = encoders.image_model(tmp_path / "colours.onnx", notes={})
    with own() as engine:
        engine.concepts.prepare("others")
        engine.add(tmp_path / "pictures", recipe=f"+embedding@{model}")
        assert engine.concepts.prepared().done == 0
        engine.concepts.prepare("others")
        view = regions.of(collection_of(engine))
        assert view is not None
        assert view.kind.startswith("embedding@")
        found = view.parts(min(view.known))
        assert found is not None
        assert found.crops.shape == (len(found), 3)
        lengths = np.linalg.norm(found.features(view.kind), axis=1)
        assert lengths == pytest.approx(1.0, abs=1e-3)
        assert engine.concepts.rank("others").features == view.kind
        assert engine.doctor() == ()


def test_regions_of_an_earlier_version_are_made_anew(own, monkeypatch) -> None:
    """They serve nobody; the doctor names and drops them."""
    with own() as engine:
        engine.concepts.prepare("others")
    monkeypatch.setattr(regions, "VERSION", "later")
    with own() as engine:
        assert engine.concepts.prepared("others").done == 0
        assert [f.place for f in engine.doctor()] == ["regions"]
        assert all(f.repaired for f in engine.doctor(repair=True))
        assert engine.concepts.prepare("others").done == 2
        assert engine.doctor() == ()


def test_a_recipe_cannot_name_regions(own, tmp_path) -> None:
    """The error says when they are made."""
    with own() as engine, pytest.raises(InvalidInput, match="first needed"):
        engine.add(tmp_path / "pictures", recipe="+regions")


def test_maps_are_bright_where_it_counts() -> None:
    """In the drawing side by side and in the veil over a picture; borders follow the masks."""
    rng = np.random.default_rng(0)
    pixels, inside = discs.field(rng, disc=True)
    found = parts.parts_of(ArrayPicture(pixels))
    labels = labels_at(found.masks, 72, 96)
    assert set(np.unique(labels)) <= set(range(len(found)))
    shares = [(inside & (labels == n)).sum() / inside.sum() for n in range(len(found))]
    disc = int(np.argmax(shares))
    relevance = np.zeros(len(found), np.float32)
    relevance[disc] = 1.0
    drawn = render_relevance(ArrayPicture(pixels), labels, relevance).astype(float)
    core = inside & (labels == disc)
    assert drawn[core].mean() > 0.8 * pixels[core].mean()
    far = labels != disc
    assert drawn[far].mean() < 0.35 * pixels[far].mean()
    over = veil(found.masks, relevance, 48, 36)
    assert (over.shape, over[:, :, :3].max()) == ((36, 48, 4), 0)
    assert over[:, :, 3].max() > 200 > 60 > over[:, :, 3].min()
    assert triptych(ArrayPicture(pixels), found.masks, relevance).shape == (72, 3 * 96 + 24, 3)
