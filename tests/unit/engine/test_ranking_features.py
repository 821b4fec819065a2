"""The 224 features from a store: a small world with words and the six global descriptors."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from inside import store_of
from saccade import descriptors, indexes
from saccade.cli.app import build
from saccade.cli.features import _labels
from saccade.engine import Engine
from saccade.engine.rooms import features as module
from saccade.engine.rooms.features import LINKS, salient_half
from saccade.engine.sources.words import SALIENT
from saccade.errors import InvalidInput, NotFound
from saccade.features.li2012 import GLOBAL, NAMES, nearest_scores
from saccade.features.multiview import embed
from saccade.features.pagerank import nearest, pagerank
from saccade.images.decode import decode
from saccade.images.picture import ArrayPicture
from saccade.testbed import letor, worlds
from saccade.words.local_features import LocalFeatures, extract
from saccade.words.vocabulary import bag

IMAGES = 30  # more than the embedding has directions: as many are all equally far apart


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with everything the features need; read only."""
    folder = tmp_path_factory.mktemp("described")
    worlds.write(folder / "pictures", images=IMAGES, seed=3, size=(160, 120))
    with Engine(folder / "store", warm=False) as engine:
        engine.add(folder / "pictures", recipe=",".join([*GLOBAL, "words"]))
    return folder


@pytest.fixture
def rich(described: Path, tmp_path: Path):
    """An engine on a copy of it."""
    store = Path(shutil.copytree(described / "store", tmp_path / "store"))
    with Engine(store, warm=False) as engine:
        yield engine


def column(table, name: str):
    return table.phi[:, NAMES.index(name)]


def test_every_image_has_224_finite_features(rich):
    """One row an image, in the order of the collection, named as in the paper."""
    query = rich.images(0, 1)[0].image_id
    table = rich.library.features(query)
    assert table.names == NAMES
    assert table.phi.shape == (IMAGES, 224)
    assert table.phi.dtype == np.float32
    assert np.isfinite(table.phi).all()
    assert table.images == tuple(image.image_id for image in rich.images(0, IMAGES))


def test_a_picture_is_most_like_itself(rich):
    """By cosine in every field where it has words, and by hashing in every descriptor."""
    query = rich.images(3, 1)[0].image_id
    table = rich.library.features(query)
    own = table.images.index(query)
    for name in NAMES[:216:12]:
        assert column(table, name)[own] == pytest.approx(column(table, name).max(), abs=1e-6)
    assert column(table, "whole:vsm")[own] == pytest.approx(1.0, abs=1e-6)
    for descriptor in GLOBAL:
        assert column(table, f"{descriptor}:lsh")[own] == 1.0


def test_words_of_the_parts_add_up_to_those_of_the_whole(rich):
    """Halves, rows, columns and cells each hold every word once."""
    table = rich.library.features(rich.images(0, 1)[0].image_id)
    whole = column(table, "whole:words")
    assert whole.any()
    halves = column(table, "salient:words") + column(table, "rest:words")
    rows = sum(column(table, f"row-{i}:words") for i in (1, 2, 3))
    columns = sum(column(table, f"column-{i}:words") for i in (1, 2, 3))
    cells = sum(column(table, f"cell-{i}-{j}:words") for i in (1, 2, 3) for j in (1, 2, 3))
    for part in (halves, rows, columns, cells):
        np.testing.assert_array_equal(part, whole)
    assert column(table, "salient:words").any()
    assert column(table, "rest:words").any()


def test_pageranks_are_those_of_the_images_and_not_of_the_query(rich):
    """They average one, and another query does not change them."""
    first, second = (image.image_id for image in rich.images(0, 2))
    ranks = rich.library.features(first).phi[:, 222:]
    np.testing.assert_array_equal(ranks, rich.library.features(second).phi[:, 222:])
    np.testing.assert_allclose(ranks.mean(axis=0), 1.0, atol=1e-5)
    assert (ranks > 0).all()


@pytest.fixture(scope="module")
def vectors(described: Path):
    """The six global descriptors of each picture by its id, described here anew."""
    with Engine(described / "store", warm=False) as engine:
        listed = [(image.image_id, image.paths[0]) for image in engine.images(0, IMAGES)]
    pictures = [decode(Path(path).read_bytes()).picture for _, path in listed]
    return {name: descriptors.make(name).describe(pictures) for name in GLOBAL}


def test_the_first_pagerank_is_of_all_six_descriptors(rich, vectors):
    """Neighbours are near in what the six views share; one view alone ranks otherwise."""
    query = rich.images(0, 1)[0].image_id
    views = list(vectors.values())
    expected, alone = (
        IMAGES * pagerank(*nearest(embed(some), LINKS)) for some in (views, views[:1])
    )
    found = column(rich.library.features(query), "pagerank:embedding")
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert np.abs(expected - alone).max() > 0.01


@pytest.mark.parametrize("name", GLOBAL)
def test_hashes_are_taken_about_the_mean_of_the_collection(rich, vectors, name):
    """Each descriptor's column is that of hashing with the mean as centre, and not with 0."""
    image = rich.images(2, 1)[0].image_id
    rows = vectors[name]
    expected, plain = (
        nearest_scores(*_hashed(rows, center).search(rows[2], 200), IMAGES)
        for center in (rows.mean(axis=0), None)
    )
    found = column(rich.library.features(image), f"{name}:lsh")
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.abs(expected - plain).max() > 0.05


def _hashed(rows, center):
    index = indexes.make("lsh", rows.shape[1], center=center)
    index.add(np.arange(len(rows)), rows)
    return index


def test_the_second_pagerank_is_by_intersection_of_the_words(rich):
    """Links weigh Σ min of the two bags, each of sum 1, with the roots of the counts."""
    vocabulary = rich.library.words().current()
    bags = np.zeros((IMAGES, vocabulary.size))
    for row, image in enumerate(rich.images(0, IMAGES)):
        picture = decode(Path(image.paths[0]).read_bytes()).picture
        words, counts = bag(vocabulary.assign(extract(picture).descriptors))
        bags[row, words] = np.rint(np.sqrt(counts))
    bags /= bags.sum(axis=1, keepdims=True)
    shared = np.minimum(bags[:, None], bags[None]).sum(axis=2)
    np.fill_diagonal(shared, -1.0)
    near = np.argsort(-shared.round(6), axis=1, kind="stable")[:, :LINKS]  # ties: the lower row
    expected = IMAGES * pagerank(near, np.take_along_axis(shared, near, axis=1))
    found = column(rich.library.features(rich.images(0, 1)[0].image_id), "pagerank:words")
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    np.testing.assert_array_less(0.01, np.ptp(found))


def test_bytes_path_and_pixels_from_outside_are_queries_too(rich, tmp_path):
    """A picture that is not in the collection has features in all fields."""
    pixels = np.random.default_rng(0).integers(0, 255, (90, 120, 3)).astype(np.uint8)
    drawn = tmp_path / "drawn"
    worlds.write(drawn, images=1, seed=99, size=(160, 120))
    path = next(file for file in drawn.rglob("*") if file.suffix in {".jpg", ".png"})
    by_path = rich.library.features(path).phi
    by_bytes = rich.library.features(path.read_bytes()).phi
    np.testing.assert_array_equal(by_path, by_bytes)
    assert rich.library.features(pixels).phi.shape == (IMAGES, 224)


def test_the_same_file_inside_and_outside_has_the_same_words(rich):
    """A stored picture named by its path is the stored picture."""
    image = rich.images(1, 1)[0]
    np.testing.assert_array_equal(
        rich.library.features(image.paths[0]).phi, rich.library.features(image.image_id).phi
    )


def test_saliency_is_found_once_and_kept(rich, monkeypatch):
    """The second engine reads the flags from the store; no picture is looked at."""
    query = rich.images(0, 1)[0].image_id
    before = rich.library.features(query).phi
    held = [s for s in store_of(rich).columns.segments() if s.name == SALIENT]
    assert sum(s.rows for s in held) == IMAGES

    def never(*_: object) -> None:
        raise AssertionError("saliency was computed again")

    monkeypatch.setattr(module, "salient_half", never)
    with Engine(rich.path, warm=False) as again:
        np.testing.assert_array_equal(again.library.features(query).phi, before)


def test_what_needs_no_query_is_made_once(rich, monkeypatch):
    """Two queries share the fields and hashes."""
    one, two = (image.image_id for image in rich.images(0, 2))
    before = rich.library.features(one).phi
    monkeypatch.setattr(module, "RankingFields", pytest.fail)
    rich.library.features(two)
    np.testing.assert_array_equal(rich.library.features(one).phi, before)


def test_a_removed_image_leaves_the_table(rich):
    """An image whose last path is gone has no row; what needs no query is made anew."""
    gone, query = (image.image_id for image in rich.images(0, 2))
    assert gone in rich.library.features(query).images
    store_of(rich).commit(gone=rich.image(gone).paths)
    after = rich.library.features(query)
    assert gone not in after.images
    assert after.phi.shape == (IMAGES - 1, 224)
    assert np.isfinite(after.phi).all()


def test_indexing_again_keeps_the_saliency(rich, described):
    """The flags are no descriptor of the recipe, and yet not swept away."""
    rich.library.features(rich.images(0, 1)[0].image_id)
    rich.add(described / "pictures")
    assert any(s.name == SALIENT for s in store_of(rich).columns.segments())


def test_a_collection_without_words_says_what_it_lacks(engine, first):
    """The error names the missing columns and the command that adds them."""
    with pytest.raises(InvalidInput, match=r"need color-moments.*words.*recipe='\+color-moments"):
        engine.library.features(first)


def test_an_unknown_picture_is_not_found(rich):
    """A query that is neither file nor id is refused as in a search."""
    with pytest.raises(NotFound):
        rich.library.features("nowhere.jpg")


def test_features_in_the_bright_spot_are_salient():
    """On a dark picture with one bright spot, a feature on the spot is in the salient half."""
    pixels = np.full((120, 160, 3), 20, np.uint8)
    pixels[50:70, 100:120] = (250, 240, 40)
    frames = np.array([[110, 60, 5, 0], [5, 115, 5, 0]], np.float32)
    found = LocalFeatures(np.zeros((2, 128), np.uint8), frames, 160, 120)
    assert salient_half(ArrayPicture(pixels), found).tolist() == [True, False]
    none = LocalFeatures(np.zeros((0, 128), np.uint8), np.zeros((0, 4), np.float32), 0, 0)
    assert salient_half(ArrayPicture(pixels), none).shape == (0,)


def command(rich, *arguments):
    rich.close()
    return CliRunner().invoke(build(), ["features", *arguments, "--store", str(rich.path)])


def test_the_command_prints_features_as_json(rich):
    """Names once, then the best images with their rows."""
    query = rich.images(2, 1)[0].image_id
    done = command(rich, query, "-k", "3", "--json")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert answer["names"] == list(NAMES)
    assert [len(row["phi"]) for row in answer["images"]] == [224] * 3
    assert answer["images"][0]["image_id"] == query


def test_the_command_writes_labelled_queries_for_rank(rich, tmp_path):
    """One line a label, in the order of the file, and `read` gives the same numbers."""
    one, two, three = (image.image_id for image in rich.images(0, 3))
    phi = rich.library.features(one).phi
    labels, out = tmp_path / "labels.csv", tmp_path / "train.txt"
    path = rich.image(two).paths[0]
    rows = [f"{one},{path},2", f"{one},{three},0", f"{two},{one},1"]
    labels.write_text("query,image,grade\n" + "\n".join(rows) + "\n")
    done = command(rich, "--labels", str(labels), "--letor", str(out))
    assert done.exit_code == 0, done.output
    data = letor.read(out)
    assert data.grades.tolist() == [2, 0, 1]
    assert data.groups.tolist() == [1, 1, 2]
    np.testing.assert_array_equal(data.phi[:2], phi[1:3])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,image,grade\n", "no labelled rows"),
        ("query,image,grade\na.jpg,b.jpg,good\n", "line 2: the grade 'good'"),
        ("query,image,grade\na.jpg,b.jpg,-1\n", "below 0"),
        ("query,image\na.jpg,b.jpg\n", "the grade None"),
        ("one,two\n1,2\n", "must be named"),
    ],
)
def test_labels_that_cannot_be_read_are_refused(tmp_path, text, message):
    """The error names the file and the line."""
    file = tmp_path / "labels.csv"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=message):
        _labels(file)
    with pytest.raises(NotFound, match=r"none\.csv"):
        _labels(tmp_path / "none.csv")


def test_one_picture_or_labels_not_both(rich):
    """Half of the two options, or nothing at all, is refused before the store is opened."""
    for arguments in ([], ["a.jpg", "--letor", "x"], ["--labels", "x"]):
        result = command(rich, *arguments)
        assert isinstance(result.exception, InvalidInput)
