"""Pictures that others send in under ids of their own, and take out again."""

from __future__ import annotations

import io
import itertools
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saccade.engine import Engine
from saccade.engine.rooms.pictures import PictureLine
from saccade.errors import IdTaken, InvalidInput, NoSuchImage, NotAnImage, SaccadeError
from saccade.images.identity import image_id as identity


def drawn(seed: int, form: str = "PNG") -> bytes:
    """The bytes of some picture."""
    pixels = np.random.default_rng(seed).integers(0, 256, (12, 16, 3), np.uint8).repeat(6, 0)
    out = io.BytesIO()
    Image.fromarray(pixels.repeat(6, 1)).save(out, form)
    return out.getvalue()


def done(engine: Engine) -> dict[str, object]:
    """Do what was asked for; what the last job says."""
    (*_, job) = engine.jobs.run()
    assert job.state == "done", job.message
    return dict(job.result)


def kept(engine: Engine) -> list[str]:
    """The files that the store keeps."""
    return sorted(file.name for file in (engine.path / "pictures").glob("*"))


def test_a_picture_by_its_bytes_is_found_under_its_id(engine: Engine) -> None:
    """Sent, taken in by a job, searched, and read back as it was sent."""
    before, data = len(engine), drawn(1)
    sent = engine.pictures.put("Shoes: red 1", data, {"price": 12.5})
    assert (sent.external_id, sent.image_id) == ("Shoes: red 1", identity(data))
    assert not sent.searchable
    assert sent.job is not None
    assert sent.job.state == "waiting"
    assert done(engine) == {"pictures": 1, "left": 0, "refused": []}
    assert len(engine) == before + 1
    record = engine.fields.find("Shoes: red 1")
    assert (record.image_id, record.fields) == (identity(data), {"price": 12.5})
    assert engine.library.original(record.image_id) == data
    assert engine.search(data, k=3).hits
    assert engine.search(engine.images(0, 1)[0].image_id, k=len(engine)).hits
    found = engine.library.images(where={"fields": {"price": {"below": 13}}})
    assert [one.external_id for one in found] == ["Shoes: red 1"]
    assert kept(engine) == [f"Shoes-red-1-{identity(data)[:12]}.png"]


def test_the_same_put_again_does_nothing(engine: Engine) -> None:
    """It is there, no job is asked for, and fields that come with it are set at once."""
    engine.pictures.put("sku-1", drawn(1))
    done(engine)
    again = engine.pictures.put("sku-1", drawn(1), {"price": 3})
    assert again.searchable
    assert again.job is None
    assert engine.fields.find("sku-1").fields == {"price": 3}
    assert engine.jobs.run() == ()


def test_another_picture_under_an_id_replaces_the_first(engine: Engine) -> None:
    """The first one leaves with its bytes, what is known of it stays with the id."""
    before = len(engine)
    first = engine.pictures.put("sku-1", drawn(1), {"price": 12.5})
    done(engine)
    second = engine.pictures.put("sku-1", drawn(2, "JPEG"), {"colour": "red"})
    assert done(engine) == {"pictures": 1, "left": 1, "refused": []}
    assert len(engine) == before + 1
    assert first.image_id not in [one.image_id for one in engine.images()]
    record = engine.fields.find("sku-1")
    assert record.image_id == second.image_id
    assert record.fields == {"price": 12.5, "colour": "red"}
    assert kept(engine) == [f"sku-1-{second.image_id[:12]}.jpg"]


def test_of_many_words_on_an_id_the_last_counts(engine: Engine) -> None:
    """Put, put otherwise, removed, put: one job does what is left of it."""
    before = len(engine)
    jobs = set()
    for seed in (1, 2, 0, 3):
        sent = engine.pictures.put("a", drawn(seed)) if seed else engine.pictures.remove("a")
        assert sent.job is not None
        jobs.add(sent.job.job_id)
    assert len(jobs) == 1
    assert done(engine)["pictures"] == 1
    assert engine.fields.find("a").image_id == identity(drawn(3))
    assert len(engine) == before + 1
    assert len(kept(engine)) == 1


def test_what_comes_while_a_job_is_under_way_has_a_job_of_its_own(engine: Engine) -> None:
    """The first has looked already, perhaps."""
    one = engine.pictures.put("a", drawn(1)).job
    claimed = engine._opened.store.jobs.claim(at=1.0)
    two = engine.pictures.put("b", drawn(2)).job
    assert one is not None
    assert two is not None
    assert claimed is not None
    assert claimed.job_id == one.job_id != two.job_id


def test_a_picture_that_is_removed_is_gone_with_its_bytes(engine: Engine) -> None:
    """It cannot be found or read, and the id is free for another one."""
    before = len(engine)
    sent = engine.pictures.put("sku-1", drawn(1))
    done(engine)
    gone = engine.pictures.remove("sku-1")
    assert gone.job is not None
    assert done(engine) == {"pictures": 0, "left": 1, "refused": []}
    assert len(engine) == before
    assert kept(engine) == []
    with pytest.raises(NoSuchImage):
        engine.fields.find("sku-1")
    with pytest.raises(NoSuchImage):
        engine.image(sent.image_id)
    with pytest.raises(NoSuchImage):
        engine.pictures.remove("sku-1")
    engine.pictures.put("sku-1", drawn(1))
    assert done(engine)["pictures"] == 1
    assert engine.library.original(sent.image_id) == drawn(1)


def test_a_picture_by_its_path_stays_where_it_is(engine: Engine, tmp_path: Path) -> None:
    """Nothing is copied; taken out, the file stays and is left out until it is put again."""
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "one.png").write_bytes(drawn(1))
    (shop / "two.png").write_bytes(drawn(2))
    engine.pictures.put("sku-1", "one.png", within=[shop])
    done(engine)
    assert engine.fields.find("sku-1").paths == (str(shop / "one.png"),)
    assert kept(engine) == []
    engine.add(shop)
    engine.pictures.remove("sku-1")
    done(engine)
    assert (shop / "one.png").exists()
    assert engine.add(shop).added == 0
    (left_out,) = [one for one in engine.library.skipped() if one.path.endswith("one.png")]
    assert "sku-1" in left_out.reason
    engine.pictures.put("sku-1", shop / "one.png")
    done(engine)
    assert engine.fields.find("sku-1").paths == (str(shop / "one.png"),)


def test_a_folder_around_the_store_does_not_take_its_pictures(tmp_path: Path) -> None:
    """Indexed with pruning or removed: what the store keeps within it is not that folder's."""
    album = tmp_path / "album"
    album.mkdir()
    (album / "a.png").write_bytes(drawn(1))
    with Engine(album / "store.saccade", warm=False) as engine:
        engine.add(album, recipe="color-histogram")
        engine.pictures.put("sku-2", drawn(2))
        done(engine)
        assert engine.add(album, prune=True).vanished == ()
        assert len(engine) == 2
        engine.library.remove(album)
        assert [one.external_id for one in engine.images()] == ["sku-2"]


def test_a_store_that_moves_takes_its_pictures_along(engine: Engine, tmp_path: Path) -> None:
    """Copied by a backup, or moved as a folder: the bytes are there, and replaced there."""
    engine.pictures.put("sku-1", drawn(1))
    done(engine)
    engine.pictures.put("sku-2", drawn(2))  # waits still
    engine.library.backup(tmp_path / "copy")
    engine.close()
    shutil.rmtree(engine.path)
    os.rename(tmp_path / "copy", tmp_path / "moved.saccade")
    with Engine(tmp_path / "moved.saccade", warm=False) as moved:
        assert moved.library.original(identity(drawn(1))) == drawn(1)
        assert not [one for one in moved.library.doctor() if one.place == "pictures"]
        assert moved.pictures.remove("sku-2").job is not None
        moved.pictures.put("sku-2", drawn(2))
        done(moved)
        assert moved.library.original(identity(drawn(2))) == drawn(2)
        moved.pictures.put("sku-1", drawn(3))
        done(moved)
        assert len(kept(moved)) == 2


def test_a_batch_is_taken_whole_or_not_at_all(engine: Engine) -> None:
    """One line that is wrong names itself, and nothing waits."""
    lines = [PictureLine("a", drawn(1)), PictureLine("b", b"no picture")]
    with pytest.raises(InvalidInput, match="line 2: not a JPEG"):
        engine.pictures.put_many(lines)
    assert engine.jobs.run() == ()
    sent = engine.pictures.put_many([lines[0], PictureLine("b", drawn(2), {"price": 2})])
    assert [one.external_id for one in sent.pictures] == ["a", "b"]
    assert done(engine)["pictures"] == 2
    sent = engine.pictures.put_many([PictureLine("a"), PictureLine("b", drawn(2))])
    assert [one.searchable for one in sent.pictures] == [False, True]
    assert done(engine) == {"pictures": 0, "left": 1, "refused": []}


def test_a_picture_has_one_id(engine: Engine) -> None:
    """The same bytes under another id are refused at once, or by the job where both wait."""
    engine.pictures.put("a", drawn(1))
    engine.pictures.put("b", drawn(1))
    assert done(engine)["refused"] == [
        {"external_id": "b", "reason": "the same picture is here as 'a'"}
    ]
    with pytest.raises(IdTaken, match="in the collection as 'a'"):
        engine.pictures.put("b", drawn(1))


def test_a_file_that_went_meanwhile_is_told(engine: Engine, tmp_path: Path) -> None:
    """The others of the job come in."""
    (tmp_path / "one.png").write_bytes(drawn(1))
    engine.pictures.put("a", tmp_path / "one.png")
    engine.pictures.put("b", drawn(2))
    (tmp_path / "one.png").unlink()
    result = done(engine)
    assert result["pictures"] == 1
    ((refused),) = result["refused"]
    assert refused["external_id"] == "a"
    assert "no such file" in refused["reason"].lower()


@pytest.mark.parametrize("name", ["", " a", "a/b", "..", ".", "a\nb", "x" * 201, 7])
def test_odd_ids_are_refused(engine: Engine, name: object) -> None:
    """What cannot stand in an address, or cannot be shown."""
    with pytest.raises(InvalidInput, match="external id"):
        engine.pictures.put(name, drawn(1))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["靴-赤" * 60, "CON", "a:b*c?", "'; drop", "%2e%2e", "~root", "-"])
def test_ids_that_no_file_could_have_are_fine(engine: Engine, name: str) -> None:
    """Whatever an id says, the file lies in the store's own folder."""
    engine.pictures.put(name, drawn(1))
    done(engine)
    record = engine.fields.find(name)
    assert Path(record.paths[0]).parent == engine.path.resolve() / "pictures"


@pytest.mark.parametrize(
    "picture", [b"", b"no picture", drawn(1)[:200], b"\x89PNG\r\n\x1a\n" + bytes(99)]
)
def test_what_is_no_picture_is_refused_at_once(engine: Engine, picture: bytes) -> None:
    """Before anything waits; nothing of it is kept."""
    with pytest.raises(NotAnImage):
        engine.pictures.put("a", picture)
    assert kept(engine) == []
    assert engine.jobs.run() == ()


@pytest.mark.parametrize("path", ["../secret.png", "link.png", "/etc/passwd", "none.png", "a\0b"])
def test_a_path_leads_into_the_folders_alone(engine: Engine, tmp_path: Path, path: str) -> None:
    """Not up, not along a link, not from the root; what is not there is told alike."""
    shop = tmp_path / "shop"
    shop.mkdir()
    (tmp_path / "secret.png").write_bytes(drawn(1))
    (shop / "link.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(InvalidInput, match="in the folders that pictures may come from"):
        engine.pictures.put("a", path, within=[shop])
    (shop / "in.png").write_bytes(drawn(2))
    (shop / "inner.png").symlink_to(shop / "in.png")
    engine.pictures.put("a", "inner.png", within=[shop])
    done(engine)
    assert engine.fields.find("a").paths == (str((shop / "in.png").resolve()),)


def test_a_field_of_another_kind_is_refused_before_anything_is_kept(engine: Engine) -> None:
    """The line is checked as a whole."""
    engine.pictures.put("a", drawn(1), {"price": 1})
    done(engine)
    with pytest.raises(SaccadeError, match="price"):
        engine.pictures.put("b", drawn(2), {"price": "cheap"})
    assert len(kept(engine)) == 1


@pytest.mark.parametrize("when", range(1, 9))
def test_a_job_cancelled_at_any_step_leaves_nothing_half_done(engine: Engine, when: int) -> None:
    """Each picture is in with its id and fields, or not in; the next job goes on with the rest."""
    before, pictures = len(engine), {f"sku-{n}": drawn(n) for n in range(3)}
    sent = engine.pictures.put_many(
        [PictureLine(name, data, {"price": 3.0}) for name, data in pictures.items()]
    )
    assert sent.job is not None
    job_id, steps = sent.job.job_id, itertools.count(1)

    def watch(step: object) -> None:
        if next(steps) == when:
            engine.jobs.cancel(job_id)

    (ended,) = engine.jobs.run(watch)
    assert ended.state in ("cancelled", "done")
    known = {one.image_id: one for one in engine.library.images(limit=1000)}
    inside = [name for name, data in pictures.items() if identity(data) in known]
    assert len(engine) == before + len(inside)
    for name in inside:
        record = known[identity(pictures[name])]
        assert (record.external_id, record.fields) == (name, {"price": 3.0})
    engine.library.doctor(repair=True)  # a segment that was begun is a file nobody names
    assert engine.library.doctor() == ()
    engine.pictures.put("sku-9", drawn(9))
    assert done(engine)["pictures"] == 4 - len(inside)
    assert len(engine) == before + 4
    assert {engine.fields.find(name).image_id for name in pictures} == {
        *map(identity, pictures.values())
    }
