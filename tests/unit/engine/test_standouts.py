"""Pictures that words recognise are linked and verified; scores need no φ of everything."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from inside import collection_of, store_of
from saccade.engine import Engine
from saccade.engine.collection import Example
from saccade.engine.loop.computed import ComputedPhi
from saccade.engine.loop.phi import signed_phi, signed_scores
from saccade.engine.loop.query import Query
from saccade.engine.sources import graph, standouts, words
from saccade.engine.sources.dense import DenseView
from saccade.engine.sources.source import Shelf
from saccade.errors import UnknownName
from saccade.features.phi import Block, Column
from saccade.types import Scheme
from saccade.words import geometry

COVERS = 24


def cover(seed: int) -> NDArray[np.uint8]:
    """A picture of many small rectangles: no two are alike."""
    rng = np.random.default_rng(seed)
    canvas = np.full((200, 240, 3), 128, np.uint8)
    for _ in range(90):
        x, y = int(rng.integers(240)), int(rng.integers(200))
        corner = (x + int(rng.integers(4, 25)), y + int(rng.integers(4, 25)))
        cv2.rectangle(canvas, (x, y), corner, tuple(map(int, rng.integers(0, 256, 3))), -1)
    return canvas


def view_of(seed: int, degrees: float = 25) -> NDArray[np.uint8]:
    """A cover, turned and smaller."""
    turn = cv2.getRotationMatrix2D((120, 100), degrees, 0.9)
    ground = (128, 128, 128)
    return np.asarray(cv2.warpAffine(cover(seed), turn, (240, 200), borderValue=ground), np.uint8)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of covers and their store; a view of the fourth came later."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "pictures").mkdir()
    for seed in range(COVERS):
        Image.fromarray(cover(seed)).save(folder / "pictures" / f"{seed}.png")
    with Engine(folder / "s.saccade", warm=False) as engine:
        engine.add(folder / "pictures", recipe="lbp,words")
        Image.fromarray(view_of(3)).save(folder / "pictures" / "view.png")
        engine.add(folder / "pictures")
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "made")
    return tmp_path / "made"


@pytest.fixture
def engine(folder: Path) -> Iterator[Engine]:
    with Engine(folder / "s.saccade", warm=False) as opened:
        yield opened


def named(engine: Engine) -> dict[str, str]:
    return {Path(image.paths[0]).stem: image.image_id for image in engine.images()}


def linked(engine: Engine) -> list[list[int]]:
    view = words.of(collection_of(engine))
    assert view is not None
    found = standouts.links(Shelf.of(store_of(engine)), view.vocabulary.digest)
    assert found is not None
    assert (found.inliers >= geometry.AGREED).all()
    return found.pairs.tolist()


def test_a_view_that_comes_later_is_linked_to_what_it_shows(engine: Engine) -> None:
    """By words and geometry, and to nothing else; the graph on disk is without it."""
    ids = named(engine)
    assert linked(engine) == [[engine.image(ids["view"]).row, engine.image(ids["3"]).row]]
    likeness = dict(engine.graph.neighbours(ids["view"], k=COVERS))[ids["3"]]
    assert likeness >= np.float32(0.7)
    assert engine.library.doctor() == ()


def test_links_go_with_a_picture_that_is_gone(engine: Engine) -> None:
    """Dead, it is nobody's look-alike."""
    shelf, view = Shelf.of(store_of(engine)), words.of(collection_of(engine))
    assert view is not None
    alive = shelf.listing.alive.copy()
    alive[engine.image(named(engine)["view"]).row] = False
    without = replace(shelf, listing=replace(shelf.listing, alive=alive))
    found = standouts.links(without, view.vocabulary.digest)
    assert found is not None
    assert found.pairs.tolist() == []


def test_another_vocabulary_links_anew(engine: Engine) -> None:
    """Words of two vocabularies never meet, so their links do not either."""
    before = linked(engine)
    engine.library.words().train(seed=5)
    assert linked(engine) == before
    versions = {s.version for s in store_of(engine).columns.segments() if s.name == standouts.LINKS}
    assert versions == {engine.library.words().info().digest}


def test_lost_links_cost_links_alone_and_the_doctor_makes_them(folder: Path) -> None:
    """They are derived: searches go on without them."""
    with Engine(folder / "s.saccade", warm=False) as engine:
        before = linked(engine)
        (segment, *_) = [
            s for s in store_of(engine).columns.segments() if s.name == standouts.LINKS
        ]
        (engine.path / segment.files["rows"]).unlink()
    with Engine(folder / "s.saccade", warm=False) as engine:
        assert len(engine.search(named(engine)["3"], k=5)) == 5
        assert graph.of(collection_of(engine)) is not None
        assert all(finding.repaired for finding in engine.library.doctor(repair=True))
        assert linked(engine) == before


def test_what_geometry_refutes_neither_links_nor_stands_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However far the match of words rises."""
    with Engine(folder / "s.saccade", warm=False) as engine:
        collection, ids = collection_of(engine), named(engine)
        row, same = (engine.image(ids[name]).row for name in ("view", "3"))
        view = words.of(collection)
        assert view is not None
        assert view.standouts(collection.example(row))[same] > 0.0
        nothing = lambda query, candidates, **_: np.zeros(len(candidates), np.int32)  # noqa: E731
        monkeypatch.setattr(geometry, "verify", nothing)
        assert not view.standouts(collection.example(row)).any()
        store_of(engine).commit(retract=[(standouts.LINKS, None)])
        engine.library.doctor(repair=True)
        assert linked(engine) == []


def test_what_stands_out_is_verified_unasked(engine: Engine) -> None:
    """From outside too; not where nothing stands out, not when told not to, not with schemes."""
    query = view_of(5, degrees=-15)
    page = engine.search(query, k=5)
    assert Path(page.hits[0].path).stem == "5"
    assert (page.hits[0].inliers or 0) >= 10
    assert [hit.inliers for hit in page.hits[1:]] == [None] * 4
    assert engine.search(query, k=5, verify=0).hits[0].inliers is None
    assert engine.search(query, k=5, schemes=["words:cosine"]).hits[0].inliers is None
    assert all(hit.inliers is None for hit in engine.search(cover(99), k=5).hits)


def test_ranks_are_in_the_order_of_scores_whoever_puts_them_there(engine: Engine) -> None:
    """What geometry moves up says so, as a part of its score; without it nothing is added."""
    raised = 0
    for seed in range(COVERS):
        page = engine.search(view_of(seed, degrees=-15), k=COVERS, verify=10)
        scores = [hit.score for hit in page.hits]
        assert scores == sorted(scores, reverse=True)
        assert all(sum(h.why.values()) == pytest.approx(h.score) for h in page.hits)
        raised += "confirmed by geometry" in page.hits[0].why
    assert raised
    assert "confirmed by geometry" not in engine.search(view_of(7), k=5, verify=0).hits[0].why


def test_only_dense_descriptors_have_vectors(engine: Engine) -> None:
    """Words and names that nobody knows are refused with those that there are."""
    assert len(engine.library.vectors("lbp")) == COVERS + 1
    for name in ("words", "nothing"):
        with pytest.raises(UnknownName, match="lbp"):
            engine.library.vectors(name)


def test_what_a_person_says_goes_before_geometry(engine: Engine) -> None:
    """Once something is marked, the order is the learned one."""
    for wrong in (0, 3):  # what was recognised, and something else
        page = engine.search(view_of(5, degrees=-15), k=5)
        assert page.hits[0].inliers is not None
        page = engine.react(page, disliked=[page.hits[wrong]])
        assert all(hit.inliers is None for hit in page.hits)
        engine.undo("guest")


def test_weighing_while_computing_is_weighing_what_was_computed(engine: Engine) -> None:
    """With signs, for pictures of the collection and from outside, and only what has weight."""
    collection = collection_of(engine)
    rng = np.random.default_rng(0)
    outside = Example("", -1, dict(collection.example(5).parts))
    query = Query((collection.example(3), outside), (collection.example(1),))
    weights = rng.normal(size=len(collection.schemes))
    weights[::3] = 0.0
    expected = signed_phi(query, collection, collection.schemes) @ weights
    fresh = Query(*((tuple(Example(e.image_id, e.row, e.parts) for e in side))
                    for side in (query.like, query.unlike)))  # fmt: skip
    found = signed_scores(fresh, collection, collection.schemes, weights)
    assert np.allclose(found, expected, atol=1e-5)
    one = np.array([float(str(scheme) == "lbp:l1") for scheme in collection.schemes])
    example = collection.example(3)
    signed_scores(Query((example,)), collection, collection.schemes, one)
    assert set(example._made) == {"scale/lbp"}


def test_phi_of_a_row_is_computed_once() -> None:
    """Rows come back in the order they were asked for, old and new."""
    asked: list[list[int]] = []

    def compute(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.float32]:
        asked.append(rows.tolist())
        return np.repeat(rows[:, None], len(columns), axis=1).astype(np.float32)

    known, both = ComputedPhi(2), np.arange(2)
    assert known.nbytes == 0
    assert known.of(np.array([7, 2]), both, compute)[:, 0].tolist() == [7, 2]
    assert known.of(np.array([9, 2, 1, 7, 2]), both, compute)[:, 1].tolist() == [9, 2, 1, 7, 2]
    assert asked == [[2, 7], [1, 9]]
    assert known.nbytes == 4 * 8 + 8 * 4 + 8  # rows, values, which of them are there


def test_what_nothing_reaches_is_ordered_by_the_lead(engine: Engine) -> None:
    """Below all that is reached, and no ties."""
    view = graph.of(collection_of(engine))
    assert view is not None
    alone = view.graph.__class__.build(
        lambda rows: np.eye(COVERS + 1, dtype=np.float32)[rows], np.ones(COVERS + 1, bool)
    )
    lonely = graph.GraphView(alone, view.blend, view.columns, view.alive, view.scheme)
    found = lonely.likeness(collection_of(engine).example(3))
    others = np.delete(found, 3)
    assert found[3] > 0.0 > others.max()
    fourth = engine.images()[3].image_id
    cosines = engine.library.phi(fourth, schemes=["lbp:cosine"], raw=True)[:, 0]
    assert np.array_equal(np.argsort(others), np.argsort(np.delete(cosines, 3)))


def test_chosen_schemes_start_from_weights_of_their_own(engine: Engine) -> None:
    """Schemes that have none in a new collection still rank."""
    page = engine.search(named(engine)["3"], schemes=["lbp:l1", "lbp:cosine"], k=5)
    assert all(hit.score > 0.0 for hit in page.hits)


def test_the_cosine_of_an_embedding_is_taken_around_the_centre() -> None:
    """Raw it is the plain cosine; the other similarities stay as they are."""
    rng = np.random.default_rng(1)
    vectors = (rng.normal(size=(40, 6)) + 3).astype(np.float32)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    centre = unit.mean(0)
    column = Column("net", (Block.of(vectors),))
    rows = np.arange(40)
    view = DenseView({"net": column}, {}, rows, {"net": column}).centred({"net": centre})
    example = Example("", -1, {"net": vectors[0]})
    schemes = [Scheme("net", "cosine"), Scheme("net", "l1")]
    raw, bent = np.zeros((2, 40, 2), np.float32)
    view.fill(raw, example, schemes, raw=True)
    view.fill(bent, example, schemes)
    assert np.allclose(raw[:, 0], (1 + unit @ unit[0]) / 2, atol=1e-5)
    around = (unit - centre) / np.linalg.norm(unit - centre, axis=1, keepdims=True)
    assert np.array_equal(np.argsort(bent[:, 0]), np.argsort(around @ around[0]))
    assert np.array_equal(np.argsort(bent[:, 1]), np.argsort(raw[:, 1]))
