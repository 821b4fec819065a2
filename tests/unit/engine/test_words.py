from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from covers import cover, seen_from
from inside import collection_of
from saccade.engine import Engine, Progress
from saccade.engine.collection import Example
from saccade.engine.sources import words
from saccade.errors import InvalidInput, NotFound
from saccade.features.similarities import SIMILARITIES
from saccade.types import Scheme
from saccade.words.inverted import InvertedFile
from saccade.words.vocabulary import Vocabulary

RECIPE = "lbp,words"
COVERS = 8


@pytest.fixture(scope="module")
def covers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight covers and a blank picture."""
    folder = tmp_path_factory.mktemp("covers")
    for seed in range(COVERS):
        Image.fromarray(cover(seed)).save(folder / f"{seed}.png")
    Image.new("RGB", (120, 90), (10, 200, 90)).save(folder / "blank.png")
    return folder


@pytest.fixture(scope="module")
def made(covers: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("store") / "covers.saccade"
    with Engine(store, warm=False) as engine:
        engine.add(covers, recipe=RECIPE)
    return store


@pytest.fixture
def engine(made: Path, tmp_path: Path) -> Iterator[Engine]:
    """An engine on a copy of the store of covers."""
    shutil.copytree(made, tmp_path / "covers.saccade")
    with Engine(tmp_path / "covers.saccade", warm=False) as opened:
        yield opened


def names(page: object) -> list[str]:
    return [Path(hit.path).stem for hit in page.hits]  # type: ignore[attr-defined]


def words_page(engine: Engine, query: object, **options: object) -> object:
    return engine.search(query, schemes=["words:cosine"], expert="uniform", **options)  # type: ignore[arg-type]


def test_the_first_images_train_a_vocabulary_sized_to_them(engine):
    """After the first index there are words: a quarter as many as features."""
    info = engine.library.words().info()
    assert info.images == COVERS + 1
    assert 0.2 * info.features < info.size <= 0.25 * info.features
    assert engine.library.report().incomplete == ()


def test_later_images_are_only_assigned(engine, tmp_path):
    """A second folder keeps the vocabulary, and its images are found by words at once."""
    before = engine.library.words().info().digest
    (tmp_path / "more").mkdir()
    Image.fromarray(cover(50)).save(tmp_path / "more" / "late.png")
    stages: list[str] = []
    engine.add(tmp_path / "more", watch=lambda step: stages.append(step.stage))
    assert engine.library.words().info().digest == before
    assert "vocabulary" not in stages
    assert names(words_page(engine, seen_from(cover(50), degrees=10, scale=1.0)))[0] == "late"


def test_a_collection_four_times_as_large_gets_words_of_its_own(tmp_path):
    """Up to four times as many images are assigned; then a vocabulary is trained for all."""
    digests = []
    with Engine(tmp_path / "grows.saccade", warm=False) as engine:
        for number, count in enumerate((3, 9, 1)):
            folder = tmp_path / str(number)
            folder.mkdir()
            for one in range(count):
                Image.fromarray(cover(20 * number + one)).save(folder / f"{number}-{one}.png")
            engine.add(folder, recipe=RECIPE)
            digests.append(engine.library.words().info().digest)
        assert engine.library.words().info().images == 13
        assert engine.library.report().incomplete == ()
        seen = seen_from(cover(0), degrees=10, scale=1.0)
        assert names(words_page(engine, seen))[0] == "0-0"
    assert digests[0] == digests[1] != digests[2]


def test_a_vocabulary_that_somebody_chose_is_kept(tmp_path):
    """However far the collection grows: only what was trained unasked is trained again unasked."""
    with Engine(tmp_path / "chosen.saccade", warm=False) as engine:
        for number, count in enumerate((2, 9)):
            folder = tmp_path / str(number)
            folder.mkdir()
            for one in range(count):
                Image.fromarray(cover(20 * number + one)).save(folder / f"{number}-{one}.png")
            engine.add(folder, recipe=RECIPE)
            if not number:
                chosen = engine.library.words().train(size=30).digest
        assert engine.library.words().info().digest == chosen


def test_training_and_assigning_report_their_progress(covers, tmp_path):
    """A bar can be drawn: the vocabulary goes to 100, the words to the number of images."""
    steps: list[Progress] = []
    with Engine(tmp_path / "new.saccade", warm=False) as engine:
        engine.add(covers, recipe=RECIPE, watch=steps.append)
    vocabulary = [step for step in steps if step.stage == "vocabulary"]
    assert (vocabulary[-1].done, vocabulary[-1].total) == (100, 100)
    assert [step.done for step in steps if step.stage == "words"][-1] == COVERS + 1


@pytest.mark.parametrize("similarity", ["l1", "l2", "cosine", "chi2"])
def test_a_turned_cover_is_found_by_every_words_scheme(engine, similarity):
    """Words do not care which way up a cover is held; scores lie between 0 and 1."""
    view = seen_from(cover(3), degrees=40, scale=0.9)
    page = engine.search(view, schemes=[f"words:{similarity}"], expert="uniform")
    assert names(page)[0] == "3"
    assert all(0.0 <= hit.score <= 1.0 for hit in page.hits)


def test_words_join_the_other_schemes(engine):
    """Weighed alike, words count beside everything else."""
    page = engine.search(seen_from(cover(2), degrees=15, scale=1.0), expert="uniform")
    assert "words:cosine" in page.hits[0].why
    assert "lbp:l1" in page.hits[0].why


def test_a_blank_image_scores_0_on_words_and_is_found_by_the_rest(engine):
    """Nothing to match is no error: its other schemes speak for it."""
    page = engine.search(cover(1), k=20, expert="uniform")
    blank = next(hit for hit in page.hits if hit.path.endswith("blank.png"))
    assert all(share == 0 for name, share in blank.why.items() if name.startswith("words:"))
    assert blank.why["lbp:l1"] != 0


def test_a_blank_query_scores_0_on_words_everywhere(engine):
    """A picture without features asks the words nothing."""
    page = engine.search(np.full((50, 60, 3), 200, np.uint8), k=20, expert="uniform")
    assert not any(name.startswith("words:") for hit in page.hits for name in hit.why)
    assert len(page.hits) == COVERS + 1


def test_verification_puts_the_confirmed_image_first_and_counts_its_places(engine):
    """The cover itself shares many places in one arrangement, the others next to none."""
    page = words_page(engine, seen_from(cover(5), degrees=25, scale=0.8), verify=5)
    assert names(page)[0] == "5"
    assert page.hits[0].inliers >= 10
    assert all(hit.inliers < 10 for hit in page.hits[1:5])
    assert all(hit.inliers is None for hit in page.hits[5:])


def test_verification_saves_an_image_that_words_rank_low(engine):
    """Ranked by texture alone, the right cover comes first once geometry has spoken."""
    view = seen_from(cover(6), degrees=90, scale=0.7)
    page = engine.search(view, schemes=["lbp:l1"], expert="uniform", verify=COVERS + 1)
    assert names(page)[0] == "6"


def test_an_image_of_the_collection_can_be_the_query_of_a_verified_search(engine, covers, tmp_path):
    """Its features are in the store; no pixel is read."""
    (tmp_path / "more").mkdir()
    Image.fromarray(seen_from(cover(4), degrees=20, scale=0.9)).save(tmp_path / "more" / "view.png")
    engine.add(tmp_path / "more")
    page = words_page(engine, str(covers / "4.png"), verify=3)
    assert names(page)[0] == "view"
    assert page.hits[0].inliers >= 10


def test_feedback_on_a_verified_page_gives_a_verified_page(engine):
    """A later round checks its results again."""
    page = words_page(engine, seen_from(cover(5), degrees=25, scale=0.8), verify=5, k=6)
    page = engine.react(page, disliked=[page.hits[3].image_id])
    assert names(page)[0] == "5"
    assert page.hits[0].inliers >= 10


def test_a_verified_search_goes_on_after_a_restart(engine):
    """The log keeps the features of a picture from outside, so a new process verifies alike."""
    page = words_page(engine, seen_from(cover(5), degrees=25, scale=0.8), verify=5, k=6)
    engine.close()
    with Engine(engine.path, warm=False) as again:
        next_page = again.react(page, disliked=[page.hits[3].image_id])
    assert next_page.hits[0].inliers == page.hits[0].inliers


def test_an_unverified_page_has_no_inliers(engine):
    """Not checked is not the same as checked and found wanting."""
    assert {hit.inliers for hit in words_page(engine, cover(0)).hits} == {None}


@pytest.mark.parametrize("verify", [-1, 1001, 2.5, True])
def test_a_number_to_verify_that_makes_no_sense_is_refused(engine, verify):
    """The message gives the range."""
    with pytest.raises(InvalidInput, match="0 to 1000"):
        words_page(engine, cover(0), verify=verify)


def test_verifying_without_words_is_refused(covers, tmp_path):
    """A collection without words says how to get them."""
    with Engine(tmp_path / "plain.saccade", warm=False) as engine:
        engine.add(covers, recipe="lbp")
        with pytest.raises(InvalidInput, match=r"\+words"):
            engine.search(cover(0), verify=5)


def test_a_removed_image_is_not_found_and_the_rest_is_scored_as_if_it_never_was(covers, tmp_path):
    """Deleting leaves the scores that a collection without the image has."""
    kept = tmp_path / "kept"
    shutil.copytree(covers, kept)
    with Engine(tmp_path / "a.saccade", warm=False) as engine:
        engine.add(kept, recipe=RECIPE)
        words_page(engine, cover(0))  # the inverted file is in memory now
        (kept / "7.png").unlink()
        engine.add(kept, prune=True)
        shrunk = words_page(engine, cover(0, width=239), k=20)
        engine.library.words().export(tmp_path / "words.npz")
    with Engine(tmp_path / "b.saccade", warm=False) as engine:
        engine.library.words().import_(tmp_path / "words.npz")
        engine.add(kept, recipe=RECIPE)
        fresh = words_page(engine, cover(0, width=239), k=20)
    assert names(shrunk) == names(fresh)
    assert [h.score for h in shrunk.hits] == pytest.approx([h.score for h in fresh.hits], abs=1e-6)


def test_a_vocabulary_can_be_shared_between_stores(engine, covers, tmp_path):
    """Exported and imported before the first index, it is used instead of a new one."""
    exported = engine.library.words().export(tmp_path / "words.npz")
    with Engine(tmp_path / "other.saccade", warm=False) as other:
        other.library.words().import_(tmp_path / "words.npz")
        stages: list[str] = []
        other.add(covers, recipe=RECIPE, watch=lambda step: stages.append(step.stage))
        assert other.library.words().info().digest == exported.digest
        assert "vocabulary" not in stages
        assert other.library.words().info().images == COVERS + 1


@pytest.mark.parametrize("kind", ["akm", "hkm"])
def test_a_new_vocabulary_needs_no_pixels(made, covers, tmp_path, kind):
    """With every picture gone, words are made anew from the features and still find the cover."""
    pictures = tmp_path / "pictures"
    shutil.copytree(covers, pictures)
    with Engine(tmp_path / "gone.saccade", warm=False) as engine:
        engine.add(pictures, recipe=RECIPE)
        shutil.rmtree(pictures)
        before = engine.library.words().info().digest
        engine.library.words().train(kind=kind, size=200, branching=5, depth=4)
        after = engine.library.words().info()
        assert after.digest != before
        assert (after.kind, after.images) == (kind, COVERS + 1)
        view = seen_from(cover(3), degrees=30, scale=0.9)
        assert names(words_page(engine, view, verify=5))[0] == "3"
        assert len(list((engine.path / "words").glob("*.npz"))) == 1


def test_an_interrupted_first_training_is_completed_by_the_next_index(covers, tmp_path):
    """Killed while the vocabulary is trained, images are there and words come with the next run."""

    def kill(step: Progress) -> None:
        if step.stage == "vocabulary" and step.done >= 50:
            raise KeyboardInterrupt

    with Engine(tmp_path / "cut.saccade", warm=False) as engine:
        with pytest.raises(KeyboardInterrupt):
            engine.add(covers, recipe=RECIPE, watch=kill)
        assert engine.library.report().incomplete == ("words", "graph")  # both come last
        assert len(engine.search(cover(0)).hits) == COVERS + 1
        engine.add(covers)
        assert engine.library.report().incomplete == ()
        assert names(words_page(engine, seen_from(cover(1), degrees=5, scale=1.0)))[0] == "1"


def test_an_interrupted_assignment_keeps_the_vocabulary(covers, tmp_path):
    """Killed after training, the next run assigns and does not train again."""

    def kill(step: Progress) -> None:
        if step.stage == "words":
            raise KeyboardInterrupt

    stages: list[str] = []
    with Engine(tmp_path / "cut.saccade", warm=False) as engine:
        with pytest.raises(KeyboardInterrupt):
            engine.add(covers, recipe=RECIPE, watch=kill)
        engine.add(covers, watch=lambda step: stages.append(step.stage))
        assert engine.library.words().info().images == COVERS + 1
    assert "vocabulary" not in stages


def test_words_added_to_a_store_later_are_computed_for_all(covers, tmp_path):
    """A recipe that gains words reads the pictures once more and then has them."""
    with Engine(tmp_path / "later.saccade", warm=False) as engine:
        engine.add(covers, recipe="lbp")
        engine.add(covers, recipe="+words")
        assert engine.library.words().info().images == COVERS + 1
        assert names(words_page(engine, seen_from(cover(1), degrees=5, scale=1.0)))[0] == "1"


def test_blank_pictures_alone_make_no_vocabulary_and_no_error(tmp_path):
    """There is nothing to make words of, and the other descriptors serve."""
    (tmp_path / "blank").mkdir()
    for grey in (0, 100, 200):
        Image.new("RGB", (40, 30), (grey,) * 3).save(tmp_path / "blank" / f"{grey}.png")
    with Engine(tmp_path / "blank.saccade", warm=False) as engine:
        engine.add(tmp_path / "blank", recipe="color-histogram,words")
        assert len(engine.search(np.full((9, 9, 3), 5, np.uint8)).hits) == 3
        with pytest.raises(NotFound, match="no vocabulary"):
            engine.library.words().info()
        with pytest.raises(InvalidInput, match="local feature"):
            engine.library.words().train()


def test_a_damaged_vocabulary_is_reported_and_made_again(engine, covers):
    """Words are left out, named as incomplete, and come back with the next index."""
    file = next((engine.path / "words").glob("*.npz"))
    file.write_bytes(b"damaged")
    with Engine(engine.path, warm=False) as again:
        assert again.library.report().incomplete == ("words",)
        with pytest.raises(InvalidInput, match="damaged"):
            again.library.words().info()
        again.add(covers)
        assert again.library.report().incomplete == ()
        assert again.library.words().info().images == COVERS + 1


def test_the_doctor_repairs_a_lost_vocabulary(engine):
    """The words are made again from the features, without a picture."""
    next((engine.path / "words").glob("*.npz")).unlink()
    with Engine(engine.path, warm=False) as again:
        assert [finding.place for finding in again.library.doctor()] == ["words"]
        assert all(finding.repaired for finding in again.library.doctor(repair=True))
        assert again.library.report().incomplete == ()
        assert again.library.doctor() == ()


def test_a_verified_page_survives_a_new_vocabulary(engine):
    """After a restart with other words, the picture's features get words of today."""
    page = words_page(engine, seen_from(cover(5), degrees=25, scale=0.8), verify=5, k=6)
    engine.library.words().train(kind="akm", size=300, seed=9)
    engine.close()
    with Engine(engine.path, warm=False) as again:
        later = again.react(page, disliked=[page.hits[3].image_id])
    assert names(later)[0] == "5"
    assert later.hits[0].inliers >= 10


def test_many_small_folders_end_in_one_inverted_file(engine, tmp_path):
    """Twelve additions are joined on the way, and each image is found by its words."""
    for number in range(12):
        folder = tmp_path / f"more-{number}"
        folder.mkdir()
        Image.fromarray(cover(100 + number, 120, 100)).save(folder / f"late-{number}.png")
        engine.add(folder)
    assert len(words.of(collection_of(engine)).file.view.segments) <= 9
    assert names(words_page(engine, str(tmp_path / "more-3" / "late-3.png"), k=30)).count("7") == 1
    view = seen_from(cover(111, 120, 100), degrees=3, scale=1.0)
    assert names(words_page(engine, view))[0] == "late-11"


def test_the_doctor_finds_a_store_with_words_healthy(engine):
    """Ragged columns pass the check-up."""
    assert engine.library.doctor() == ()


def test_recall_is_a_share(engine):
    """Nearly every descriptor gets its nearest word in a vocabulary this small."""
    assert 0.9 < engine.library.words().recall() <= 1.0


def test_the_schemes_tell_how_large_words_are(engine):
    """Dimension is the size of the vocabulary, bytes are those on disk."""
    info = next(s for s in engine.library.schemes() if s.scheme == "words:cosine")
    assert info.dimension == engine.library.words().info().size
    assert info.bytes_per_image > 1000


def test_the_command_line_shows_exports_and_imports_a_vocabulary(engine, tmp_path):
    """`saccade words` does what its help says, on the store named."""
    from saccade.cli.words import words

    run = CliRunner()
    at = ["--store", str(engine.path)]
    file = tmp_path / "words.npz"
    digest = engine.library.words().info().digest
    assert digest in run.invoke(words, ["info", "--recall", *at]).output
    assert run.invoke(words, ["export", str(file), *at]).exit_code == 0
    trained = run.invoke(words, ["train", "--kind", "hkm", "--branching", "4", "--depth", "3", *at])
    assert "hkm" in trained.output
    back = run.invoke(words, ["import", str(file), "--json", *at])
    assert Vocabulary.load(file).digest in back.output


def test_the_command_line_refuses_a_file_that_is_no_vocabulary(engine, tmp_path):
    """The error is a sentence about that file."""
    from saccade.cli.words import words

    (tmp_path / "other.npz").write_bytes(b"something else")
    result = CliRunner().invoke(
        words, ["import", str(tmp_path / "other.npz"), "--store", str(engine.path)]
    )
    assert isinstance(result.exception, InvalidInput)
    assert "other.npz" in str(result.exception)


def test_a_few_rows_score_as_among_all(covers, tmp_path, monkeypatch):
    """By a file of their own: the same bits, blank and gone images and the query among them."""
    kept = shutil.copytree(covers, tmp_path / "kept")
    engine = Engine(tmp_path / "few.saccade", warm=False)
    engine.add(kept, recipe=RECIPE)
    (kept / "4.png").unlink()
    engine.add(kept, prune=True)
    view, schemes = words.of(collection_of(engine)), [Scheme("words", s) for s in SIMILARITIES]
    assert view is not None
    blank = int(np.flatnonzero(view.empty)[0])
    rows = np.array(sorted({0, 2, blank, *view.dead}))
    assert len(rows) == 4

    def filled(large: int, raw: bool) -> tuple[np.ndarray, list[int]]:
        monkeypatch.setattr(words, "LARGE", large)
        walked: list[int] = []
        whole = InvertedFile.scores_all

        def scores_all(file, *args, **options):
            walked.append(len(file))
            return whole(file, *args, **options)

        monkeypatch.setattr(InvertedFile, "scores_all", scores_all)
        example = Example("", 2, view.of_row(2))
        out = np.zeros((4, len(schemes)), np.float32)
        view.fill(out, example, schemes, rows=rows, raw=raw)
        monkeypatch.setattr(InvertedFile, "scores_all", whole)
        return out, walked

    for raw in (False, True):
        among, walked = filled(10**6, raw)
        assert walked == [len(view.file)] * 4
        few, walked = filled(0, raw)
        assert sorted(walked) == sorted([4] * 4 + [len(view.anchor_rows)] * 4)
        assert few.tobytes() == among.tobytes()
        assert few.any()
    kept = view._few(view.anchor_rows)
    assert view._few(view.anchor_rows) is kept
    view.file.add([view.rows], [0, 1], [0], [1])  # words are rarer or commoner now
    assert view._few(view.anchor_rows) is not kept
    engine.close()
