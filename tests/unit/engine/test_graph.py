"""The neighbour graph as a part of the collection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from encoders import image_model
from inside import collection_of, store_of
from saccade.engine import Engine, about
from saccade.engine.collection import Example
from saccade.engine.indexing import backfill
from saccade.engine.sources import graph
from saccade.errors import NotFound
from saccade.store.store import Store

SCHEME = "edge-directions:spread"  # the first of the largest shares, where there is no embedding
COMPANY = "edge-directions:company"


def arrays(engine: Engine) -> dict[str, np.ndarray]:
    view = graph.of(collection_of(engine))
    assert view is not None
    # Copied: a file that is changed below would change what is mapped.
    return {name: array.copy() for name, array in view.graph.arrays().items()}


def test_indexing_links_every_image(engine: Engine, first: str) -> None:
    """Unasked: neighbours are there, best first, and from both sides."""
    found = engine.graph.neighbours(first, k=5)
    assert len(found) == 5
    assert [w for _, w in found] == sorted((w for _, w in found), reverse=True)
    assert first not in dict(found)
    nearest = found[0][0]
    assert first in dict(engine.graph.neighbours(nearest, k=36))
    assert SCHEME in {info.scheme for info in engine.library.schemes()}


def test_spread_is_a_scheme_like_any_other(engine: Engine, first: str) -> None:
    """It ranks alone, is a part of why, and reaches look-alikes first."""
    page = engine.search(first, schemes=[SCHEME], k=36)
    nearest = {image for image, _ in engine.graph.neighbours(first, k=3)}
    assert nearest <= {hit.image_id for hit in page.hits[:12]}
    assert page.hits[0].why == {SCHEME: pytest.approx(page.hits[0].score)}
    assert SCHEME in engine.search(first, k=3).hits[0].why


def test_a_picture_from_outside_enters_through_its_nearest(engine: Engine, first: str) -> None:
    """A copy that is not in the collection is ranked as the picture itself is."""
    path = Path(engine.image(first).paths[0])
    pixels = np.asarray(Image.open(path).convert("RGB"))
    outside = engine.search(pixels, schemes=[SCHEME], k=10)
    assert outside.hits[0].image_id == first
    inside = engine.search(first, schemes=[SCHEME], k=10)
    shared = {h.image_id for h in outside.hits[1:]} & {h.image_id for h in inside.hits}
    assert len(shared) >= 7


def test_the_graph_follows_the_collection(
    tmp_path: Path, pictures: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Grown and shrunk step by step it is what it would be at once, around the same centre."""
    monkeypatch.setattr(graph, "GROWN", 1e9)  # the centre stays: only then can they be compared
    files = sorted(pictures.rglob("*.jpg"))
    later = tmp_path / "later"
    later.mkdir()
    for file in files[20:]:
        file.rename(later / file.name)
    with Engine(tmp_path / "steps.saccade", warm=False) as engine:
        engine.add(pictures, recipe="color-histogram,lbp")
        small = arrays(engine)
        for file in later.iterdir():
            file.rename(pictures / file.name)
        engine.add(pictures)
        grown = arrays(engine)
        assert len(grown["offsets"]) > len(small["offsets"])
        files[3].unlink()
        engine.add(pictures, prune=True)
        gone = np.flatnonzero(~collection_of(engine).listing.alive)
        shrunk = arrays(engine)
        assert len(gone) == 1
        assert not np.isin(shrunk["neighbours"], gone).any()
        assert engine.library.doctor() == ()
        view = graph.of(collection_of(engine))
        take = view.blend.taking({n: c.take for n, c in view.columns.columns.items()})
        whole = graph.Graph.build(take, view.alive).arrays()
        for name, array in whole.items():
            assert np.array_equal(array, shrunk[name]), name


def test_the_centre_is_taken_anew_when_the_collection_has_doubled(
    tmp_path: Path, pictures: Path
) -> None:
    """And not for one more picture."""
    files = sorted(pictures.rglob("*.jpg"))
    few = tmp_path / "few"
    few.mkdir()
    with Engine(tmp_path / "c.saccade", warm=False) as engine:
        around = []
        for count in (8, 9, 20):
            for file in files[len(list(few.iterdir())) : count]:
                file.rename(few / file.name)
            engine.add(few, recipe="lbp")
            around.append(graph.of(collection_of(engine)).blend.around)
        assert around == [8, 8, 20]


def test_nothing_is_built_when_nothing_changed(engine: Engine, world: Path) -> None:
    """A second run leaves the file alone."""
    made = ("graph", "graph/company")
    before = [s for s in store_of(engine).columns.segments() if s.name in made]
    assert len(before) == 2
    engine.add(world)
    assert [s for s in store_of(engine).columns.segments() if s.name in made] == before


@pytest.mark.parametrize("how", ["missing", "damaged", "behind"])
def test_search_goes_on_without_the_graph_and_the_doctor_builds_it(
    open_copy: Callable[[], Engine], how: str
) -> None:
    """It is derived: its absence is said, and it comes back the same."""
    engine = open_copy()
    whole = arrays(engine)
    (segment,) = [s for s in store_of(engine).columns.segments() if s.name == "graph"]
    file = engine.path / segment.files["neighbours"]
    if how == "missing":
        file.unlink()
    elif how == "damaged":
        np.save(file, np.load(file)[::-1].copy())
    else:
        store_of(engine).commit(drop=[segment])
    engine.close()
    engine = open_copy()
    first = engine.images()[0].image_id
    assert engine.library.report().incomplete == ("graph",)
    page = engine.search(first, k=5)
    assert len(page) == 5
    assert not any(name.endswith(":spread") for name in page.hits[0].why)
    with pytest.raises(NotFound, match="no neighbour graph"):
        engine.graph.neighbours(first)
    assert engine.library.doctor()
    assert all(finding.repaired for finding in engine.library.doctor(repair=True))
    for name, array in whole.items():
        assert np.array_equal(arrays(engine)[name], array)


@pytest.mark.parametrize("images", [1, 3])
def test_blank_and_lonely_pictures_have_no_look_alikes(tmp_path: Path, images: int) -> None:
    """A collection of one, and pictures that are all alike, can be searched all the same."""
    folder = tmp_path / "blank"
    folder.mkdir()
    for i in range(images):
        Image.new("RGB", (40, 40 + i), (255, 255, 255)).save(folder / f"{i}.png")
    with Engine(tmp_path / "b.saccade", warm=False) as engine:
        engine.add(folder, recipe="color-histogram,lbp")
        first = engine.images()[0].image_id
        assert len(engine.search(first, k=5)) == images - 1
        assert len(engine.graph.neighbours(first)) <= images - 1
        assert engine.library.doctor() == ()
        assert len(engine.search(np.zeros((30, 30, 3), np.uint8), k=5)) == images


def test_an_embedding_that_is_still_being_filled_does_not_speak(
    open_copy: Callable[[], Engine], world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was there before serves, graph and all; once it is whole the embedding leads."""
    engine = open_copy()
    first = engine.images()[0].image_id
    before = [hit.image_id for hit in engine.search(first, k=5)]
    name = f"embedding@{image_model(tmp_path / 'small.onnx')}"
    monkeypatch.setattr(backfill, "ROWS_A_COMMIT", 8)
    commits = 0
    plain = Store.commit

    def interrupted(self: Store, **changes: Any) -> int:
        nonlocal commits
        commits += any(draft.name == name for draft in changes.get("drafts", ()))
        if commits == 3:
            raise KeyboardInterrupt
        return plain(self, **changes)

    with monkeypatch.context() as patch:
        patch.setattr(Store, "commit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            engine.add(world, recipe=f"+{name}", workers=1)
    assert 0 < store_of(engine).columns.coverage()[name, about(name).version] < len(engine)
    assert engine.library.report().incomplete[0] == name
    page = engine.search(first, k=5)
    assert [hit.image_id for hit in page] == before
    assert not any(scheme.startswith(name) for scheme in page.schemes)
    assert len(engine.search(np.zeros((30, 30, 3), np.uint8), k=5)) == 5
    assert len(engine.react(page, liked=before[-1:])) == 5
    assert any(name in f"{f.place} {f.problem}" for f in engine.library.doctor())
    engine.add(world, workers=1)
    assert engine.library.report().incomplete == ()
    assert f"{name}:spread" in engine.search(first, k=5).hits[0].why


def test_company_is_a_scheme_like_any_other(engine: Engine, first: str) -> None:
    """It lies from 0 to 1, ranks alone, is a part of why, and compares pictures from outside."""
    values = engine.library.phi(first, schemes=[COMPANY])
    assert 0.0 <= values.min() < values.max() <= 1.0 + 1e-5
    page = engine.search(first, schemes=[COMPANY], k=36)
    assert COMPANY in engine.search(first, k=3).hits[0].why
    pixels = np.asarray(Image.open(engine.image(first).paths[0]).convert("RGB"))
    outside = engine.search(pixels, schemes=[COMPANY], k=10)
    shared = {h.image_id for h in outside.hits} & {h.image_id for h in page.hits[:10]}
    assert len(shared) >= 7


def test_only_what_a_query_reaches_best_is_compared(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large collection the others have no company in common with it, as far as is known."""
    view = graph.of(collection_of(engine))
    assert view is not None
    row = engine.image(first).row
    whole = view._together(collection_of(engine).example(row))
    monkeypatch.setattr(graph, "COMPARED", 6)
    some = view._together(collection_of(engine).example(row))
    compared = np.flatnonzero(some)
    assert 0 < len(compared) <= 6
    assert np.array_equal(some[compared], whole[compared])


def test_a_picture_from_outside_enters_a_large_collection_along_its_links(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through the same pictures as by a comparison with all of them, and through no dead one."""
    collection = collection_of(engine)
    view = graph.of(collection)
    assert view is not None
    parts = collection.example(engine.image(first).row).parts
    outside = Example("", -1, {name: 0.9 * part for name, part in parts.items()})
    rows, products = view.nearest(outside)
    monkeypatch.setattr(graph, "COMPARED", 6)
    walked, similarities = view.nearest(outside)
    assert walked.tolist() == rows.tolist()
    np.testing.assert_allclose(similarities, products, rtol=1e-5)
    alive = view.alive.copy()
    alive[rows[1]] = False
    assert int(rows[1]) not in replace(view, alive=alive).nearest(outside)[0].tolist()


@pytest.mark.parametrize("how", ["missing", "damaged"])
def test_search_goes_on_without_companies_and_the_doctor_finds_them(
    open_copy: Callable[[], Engine], how: str
) -> None:
    """They are derived: the spread serves alone meanwhile, and they come back the same."""
    engine = open_copy()
    whole = graph.of(collection_of(engine)).companies.arrays()
    whole = {name: array.copy() for name, array in whole.items()}
    (segment,) = [s for s in store_of(engine).columns.segments() if s.name == graph.COMPANY]
    file = engine.path / segment.files["values"]
    if how == "missing":
        file.unlink()
    else:
        np.save(file, 7.0 + np.load(file))
    engine.close()
    engine = open_copy()
    first = engine.images()[0].image_id
    why = engine.search(first, k=5).hits[0].why
    assert SCHEME in why
    assert COMPANY not in why
    assert engine.library.doctor()
    assert all(finding.repaired for finding in engine.library.doctor(repair=True))
    again = graph.of(collection_of(engine)).companies.arrays()
    for name, array in whole.items():
        assert np.array_equal(again[name], array), name


def test_companies_follow_the_collection(tmp_path: Path, pictures: Path) -> None:
    """A picture that comes is in somebody's company, one that goes is in nobody's."""
    files = sorted(pictures.rglob("*.jpg"))
    later = tmp_path / files[0].name
    files[0].rename(later)
    with Engine(tmp_path / "c.saccade", warm=False) as engine:
        engine.add(pictures, recipe="color-histogram,lbp")
        later.rename(files[0])
        engine.add(pictures)
        (new,) = [image for image in engine.images() if image.paths[0] == str(files[0].resolve())]
        companies = graph.of(collection_of(engine)).companies
        assert len(companies) == len(files)
        assert np.count_nonzero(companies.members == new.row) > 1
        files[0].unlink()
        engine.add(pictures, prune=True)
        companies = graph.of(collection_of(engine)).companies
        owners = np.repeat(np.arange(len(companies)), np.diff(companies.offsets))
        assert set(owners[companies.members == new.row].tolist()) <= {new.row}
        assert engine.library.doctor() == ()


def test_an_image_that_is_not_there_is_named(engine: Engine) -> None:
    """An id comes from a search result."""
    with pytest.raises(NotFound, match="f00"):
        engine.graph.neighbours("f00")


def test_far_rows_are_ordered_only_where_a_page_may_reach_them(
    engine: Engine, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A short page does not read the lead's column; a long one does, and begins with the same."""
    scanned: list[str] = []
    filled = graph.GraphView._filled
    monkeypatch.setattr(
        graph.GraphView, "_filled", lambda *given: scanned.append("whole") or filled(*given)
    )
    short = engine.search(first, k=3)
    assert scanned == []
    whole = engine.search(first, k=35)
    assert scanned == ["whole"]
    assert [h.image_id for h in whole.hits[:3]] == [h.image_id for h in short.hits]
    longer = engine.show(short.page_id, k=35)
    assert scanned == ["whole", "whole"]
    assert [h.image_id for h in longer.hits] == [h.image_id for h in whole.hits]
