"""Sharded equals whole: the same pages and scores, to the last bit, however a collection is cut."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from saccade.engine import Engine, More, Name
from saccade.errors import InvalidInput, StoreError, UnknownName
from saccade.testbed import worlds
from saccade.types import Page

pytestmark = [pytest.mark.xdist_group("executors"), pytest.mark.filterwarnings("ignore")]

RECIPE = "color-moments,lbp,embedding,words"
Pages = list[list[tuple[str, float, tuple[tuple[str, float], ...]]]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cut") / "pictures"
    worlds.write(place, images=48, seed=3, size=(160, 120))
    return place


@pytest.fixture(scope="module")
def made(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of several segments, in which some pictures have left."""
    place = tmp_path_factory.mktemp("cut") / "whole.saccade"
    pictures = sorted(folder.rglob("*.*g"))
    aside = folder.parent / "aside"
    aside.mkdir()
    for picture in pictures[::6]:
        shutil.move(picture, aside / picture.name)
    with Engine(place, warm=False) as engine:
        engine.add(folder, recipe=RECIPE)
        engine.add(aside)
        gone = [*pictures[3:5], aside / pictures[0].name]
        for picture in gone:
            picture.unlink()
        engine.add(folder, prune=True)
        engine.add(aside, prune=True)
    return place


@pytest.fixture
def pages(made: Path, folder: Path, tmp_path: Path) -> Callable[..., Pages]:
    """What a person sees who searches, marks, types and brings a picture."""

    def seen(**options: object) -> Pages:
        place = tmp_path / "-".join(map(str, ("s", *options.values())))
        shutil.copytree(made, place)
        with Engine(place, warm=False, seed=1, **options) as engine:  # type: ignore[arg-type]
            return list(searched(engine, folder))

    return seen


def searched(engine: Engine, folder: Path) -> Pages:
    out = []
    ids = [image.image_id for image in engine.images(0, 99)]
    for query in (ids[0], ids[-1], sorted(folder.rglob("*.*g"))[7].read_bytes()):
        page = engine.search(query, user="ana", k=30)
        out.append(page)
        likes = [page.hits[1].image_id, page.hits[4].image_id]
        out.append(engine.react(page, liked=likes, disliked=[page.hits[-1].image_id]))
    out.append(engine.search(text="red", user="ana", k=12))
    out.append(engine.search(like=ids[:2], unlike=[ids[5]], user="ana", k=12))
    out.append(engine.search(ids[3], where=(Name("*1*"),), k=9))
    out.append(engine.search(ids[3], schemes=("words:cosine", "lbp:chi2"), k=9))
    engine.attributes.create("bright")
    for more, less in itertools.pairwise(ids[6:12]):
        engine.attributes.compare("bright", more, less, user="ana")
    out.append(engine.search(ids[3], where=(More("bright", ids[9]),), user="ana", k=9))
    seen = [[(hit.image_id, hit.score, tuple(hit.why.items())) for hit in p.hits] for p in out]
    order = engine.attributes.order("bright", user="ana", k=9)
    return [*seen, [(hit.image_id, hit.score, ()) for hit in order]]


def test_sharded_equals_whole(pages: Callable[..., Pages]) -> None:
    """By pictures, marks, words, several examples, names, schemes and attributes; reasons, too."""
    whole = pages()
    assert [len(page) > 0 for page in whole] == [True] * len(whole)
    for count in (1, 2, 3, 7, 40, 1000):
        assert pages(shards=count, on="serial") == whole, count


def test_the_executor_never_changes_a_result(pages: Callable[..., Pages]) -> None:
    """Processes of this machine."""
    assert pages(shards=2, on="processes") == pages()


def test_ray_never_changes_a_result(pages: Callable[..., Pages], ray_cluster: None) -> None:
    """Actors of a cluster."""
    assert pages(shards=3, on="ray") == pages()


def test_pictures_that_come_are_in_the_next_page(made: Path, folder: Path, tmp_path: Path) -> None:
    """The shards are those of the collection as it is."""
    place = tmp_path / "s.saccade"
    shutil.copytree(made, place)
    new = tmp_path / "new"
    worlds.write(new, images=6, seed=9, size=(160, 120))
    with Engine(place, warm=False, shards=3, on="serial") as engine:
        before = len(engine)
        first = engine.images(0, 1)[0].image_id
        engine.search(first, k=5)
        engine.add(new)
        page = engine.search(first, k=100)
        assert len(page.hits) == before + 6 - 1
    with Engine(place, warm=False) as engine:
        whole = engine.search(first, k=100)
    assert [(h.image_id, h.score) for h in page.hits] == [(h.image_id, h.score) for h in whole.hits]


def test_a_shard_that_is_killed_is_missed_once(made: Path, tmp_path: Path) -> None:
    """The page is served without it and says so; once it is there again, the page is whole."""
    place = tmp_path / "s.saccade"
    shutil.copytree(made, place)
    with Engine(place, warm=False) as engine:
        every = [image.image_id for image in engine.images()]
        whole = engine.search(every[1], k=99)
    with Engine(place, warm=False, shards=2, on="processes") as engine:
        engine.search(every[0], k=9)
        crew = engine._opened._division._crews[-1]  # type: ignore[union-attr]
        there = threading.Event()
        restore = crew._away._make
        crew._away._make = lambda number: (there.wait(), restore(number))
        os.kill(crew._members[1].process.pid, signal.SIGKILL)
        before = engine.search(every[1], k=99)
        still = engine.react(before, liked=[before.hits[0].image_id])
        there.set()
        crew._away.wait(1)
        after = engine.search(every[1], user="bo", k=99)
    half = len(every) // 2
    assert before.missing == still.missing > 0 == after.missing
    assert abs(before.missing - half) <= 1
    kept = set(every[: len(every) - before.missing])
    assert {hit.image_id for hit in before.hits} == kept - {every[1]}
    assert {hit.image_id for hit in still.hits} == kept - {every[1]}
    assert _order(after) == _order(whole)


def test_what_is_learned_waits_for_a_shard(made: Path, tmp_path: Path) -> None:
    """A lesson is never made of what is not there: the same mark teaches the same, to the bit."""
    weights = []
    for kill in (False, True):
        place = tmp_path / f"{kill}.saccade"
        shutil.copytree(made, place)
        with Engine(place, warm=False, seed=1, clock=lambda: 1.0, shards=2) as engine:
            every = [image.image_id for image in engine.images()]
            page = engine.search(every[1], user="ana", k=99)
            if kill:
                crew = engine._opened._division._crews[-1]  # type: ignore[union-attr]
                engine._loop._sessions.clear()  # what it computed before must not help
                os.kill(crew._members[1].process.pid, signal.SIGKILL)
            engine.react(page, liked=[every[-1], every[2]], disliked=[every[-2]])
            weights.append([(one.scheme, one.weight) for one in engine.library.schemes(user="ana")])
    assert weights[0] == weights[1]


def _order(page: Page) -> list[tuple[str, float]]:
    return [(hit.image_id, hit.score) for hit in page.hits]


def test_what_cannot_be_cut_is_refused(made: Path, tmp_path: Path) -> None:
    """By its number, or by where it should be."""
    with pytest.raises(InvalidInput, match="cannot be cut into 0 shards"):
        Engine(made, shards=0, on="serial")
    with pytest.raises(UnknownName, match="serial"):
        Engine(made, shards=2, on="seriel")


def test_a_shard_without_its_files_names_them(made: Path, tmp_path: Path) -> None:
    """The folder is not where it should be on that machine."""
    from saccade.engine.sources.shards import Piece, Shard, ShardSpec

    piece = {"lbp": (Piece(0, 4, {"vectors": "columns/v.npy", "norms": "columns/n.npy"}),)}
    spec = ShardSpec(str(tmp_path), 0, 4, piece, {}, {}, None)
    with pytest.raises(StoreError, match=r"cannot read .*columns/v\.npy") as told:
        Shard(spec)
    assert "same path on every machine" in str(told.value.hint)
