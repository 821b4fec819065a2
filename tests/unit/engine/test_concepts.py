"""Concepts: preferences and grades teach which parts make a picture good."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import discs
from inside import kill
from saccade.engine import Engine
from saccade.errors import InvalidInput, NotFound, UnknownName


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
    import shutil

    with Engine(shutil.copytree(drawn, tmp_path / "copy.saccade"), warm=False) as engine:
        yield engine


@pytest.fixture
def named(engine: Engine) -> Callable[[str], str]:
    """An image's id by the name of its file."""
    ids = {Path(one.paths[0]).stem: one.image_id for one in engine.images()}
    return ids.__getitem__


def order(engine: Engine, user: str = "ana", **options: object) -> list[str]:
    found = engine.concepts.rank("things", user=user, **options)
    return [Path(one.path).stem for one in found.images]


def teach(engine: Engine, named: Callable[[str], str], user: str = "ana") -> None:
    for number in range(3):
        better, worse = named(f"disc-{number}"), named(f"plain-{number}")
        engine.concepts.prefer("things", better, worse, user=user)


def test_preferences_bring_pictures_like_the_better_ones_forward(engine, named) -> None:
    """Discs that nobody spoke of come before plain fields that nobody spoke of."""
    before = engine.concepts.rank("things", user="ana")
    assert not before.learned
    assert {one.score for one in before.images} == {0.0}
    teach(engine, named)
    found = order(engine)
    unseen = [name for name in found if name[-1] in "3456" and "-" in name]
    assert [name for name in unseen if name.startswith("disc")] == unseen[:4]
    assert engine.concepts.show("things", user="ana").preferences == 3


def test_what_counts_is_the_disc(engine, named) -> None:
    """The map is brighter on the disc than around it, in a picture that nobody spoke of."""
    teach(engine, named)
    pixels = _pixels(engine, named("disc-5"))
    red = (pixels[:, :, 0] > 150) & (pixels[:, :, 1] < 100)
    found = engine.concepts.map(named("disc-5"), "things", user="ana")
    assert (found.shape, found.min(), found.max()) == (red.shape, 0.0, 1.0)
    assert found[red].mean() > found[~red].mean() + 0.4
    glow = engine.concepts.glow(named("disc-5"), "things", user="ana")
    assert glow.trusted
    assert np.array_equal(glow.values, found)


def test_before_anything_is_said_a_map_shows_what_sets_a_keyword_apart(engine, named) -> None:
    """Discs against the rest: the disc again."""
    engine.tags.add("round", [named(f"disc-{n}") for n in range(5)], user="ana")
    pixels = _pixels(engine, named("disc-5"))
    red = (pixels[:, :, 0] > 150) & (pixels[:, :, 1] < 100)
    found = engine.concepts.map(named("disc-5"), "round", user="ana")
    assert found[red].mean() > found[~red].mean() + 0.2


def test_a_keyword_that_has_every_picture_has_no_map_of_its_own(engine) -> None:
    """Nothing sets it apart, and the error says what would."""
    every = [one.image_id for one in engine.images()]
    engine.tags.add("all", every, user="ana")
    with pytest.raises(InvalidInput, match="nothing sets 'tag:all' apart"):
        engine.concepts.map(every[0], "all", user="ana")


def test_grades_teach_as_preferences_do(engine, named) -> None:
    """Good before ok before junk; the newer grade of a picture counts."""
    for name, grade in {"disc-0": "good", "disc-1": "good", "plain-0": "junk"}.items():
        engine.concepts.grade("things", named(name), grade, user="ana")
    assert order(engine)[0].startswith("disc")
    ranked = engine.concepts.rank("things", user="ana").images
    assert {one.grade for one in ranked} == {"good", "junk", ""}
    for name, grade in {"disc-0": "junk", "disc-1": "junk", "plain-0": "good"}.items():
        engine.concepts.grade("things", named(name), grade, user="ana")
    fields = [name for name in order(engine) if name != "dot"]
    assert fields[0].startswith("plain")
    assert engine.concepts.show("things", user="ana").graded == 3


def test_the_newer_word_on_a_pair_takes_the_older_one_back(engine, named) -> None:
    """First "a before b", then "b before a": as if only the second was said."""
    one, other = named("disc-0"), named("plain-0")
    engine.concepts.prefer("things", one, other, user="ana")
    told = engine.concepts.prefer("things", other, one, user="ana")
    engine.concepts.prefer("things", other, one, user="bob")
    assert told.preferences == 1
    assert order(engine, "ana") == order(engine, "bob")


def test_a_grade_and_a_preference_that_disagree(engine, named) -> None:
    """The newer one counts, whichever it is; one that is about another picture stays."""
    one, other, third = named("disc-0"), named("plain-0"), named("plain-1")
    engine.concepts.prefer("things", one, other, user="ana")
    engine.concepts.prefer("things", one, third, user="ana")
    engine.concepts.grade("things", one, "junk", user="ana")
    assert engine.concepts.show("things", user="ana").preferences == 2
    told = engine.concepts.grade("things", other, "good", user="ana")
    assert told.preferences == 1
    assert order(engine).index("plain-0") < order(engine).index("disc-0")
    told = engine.concepts.prefer("things", one, other, user="ana")
    assert (told.preferences, told.graded) == (2, 2)
    assert order(engine).index("disc-0") < order(engine).index("plain-0")


def test_a_replay_gives_the_same_bits(engine, named, tmp_path) -> None:
    """From the log alone, and through a snapshot; scores too."""
    teach(engine, named)
    engine.concepts.grade("things", named("disc-4"), "ok", user="ana")
    engine.tags.add("round", [named("disc-1")], user="ana")
    digest, scores = engine.digest, engine.concepts.rank("things", user="ana").images
    assert engine.replay() == digest
    assert engine.concepts.rank("things", user="ana").images == scores
    engine.close()
    with Engine(engine.path, warm=False) as again:
        assert again.digest == digest
        assert again.concepts.rank("things", user="ana").images == scores


def test_nothing_said_leaves_no_trace(engine, named) -> None:
    """Said and undone, or forgotten: the digest is the one of before."""
    digest = engine.digest
    teach(engine, named)
    engine.tags.add("round", [named("disc-1")], user="ana")
    for _ in range(4):
        engine.undo("ana")
    assert engine.digest == digest
    assert not engine.concepts.rank("things", user="ana").learned
    teach(engine, named)
    assert engine.forget("ana") > 0
    assert engine.digest == digest


def test_undo_takes_back_the_last_word_alone(engine, named) -> None:
    """What is left ranks as if the last had never been said."""
    teach(engine, named)
    before = order(engine)
    engine.concepts.prefer("things", named("plain-4"), named("disc-4"), user="ana")
    assert engine.undo("ana").kind == "placed"
    assert order(engine) == before


def test_each_person_has_their_own_order(engine, named) -> None:
    """What ana taught is not bob's."""
    teach(engine, named)
    assert not engine.concepts.rank("things", user="bob").learned
    assert engine.concepts.show("things", user="bob").preferences == 0


def test_a_profile_takes_its_concepts_along(engine, named) -> None:
    """Exported as JSON and imported for another person, they rank alike; a bad one is refused."""
    teach(engine, named)
    engine.concepts.grade("things", named("disc-4"), "good", user="ana")
    engine.tags.add("round", [named("disc-1")], user="ana")
    data = json.loads(json.dumps(engine.people.export("ana")))
    assert engine.people.import_("eve", data) == 5
    assert order(engine, "eve") == order(engine, "ana")
    assert "tag:round" in {one.name for one in engine.concepts.list(user="eve")}
    graded = next(line for line in data["events"] if line["kind"] == "graded")
    for field, bad in {"grade": 7, "image": "x" * 300, "concept": "a\n"}.items():
        wrong = {**graded, "body": {**graded["body"], field: bad}}
        with pytest.raises(InvalidInput, match="damaged"):
            engine.people.import_("eve", {**data, "events": [wrong]})


def test_a_batch_fit_needs_no_grades(engine, named) -> None:
    """With preferences alone there is nothing to choose settings by: the ranker has its own."""
    assert not engine.concepts.rank("things", user="ana", batch=True).learned
    teach(engine, named)
    found = engine.concepts.rank("things", user="ana", batch=True)
    assert Path(found.images[0].path).stem.startswith("disc")


def test_a_batch_fit_is_made_when_asked_for(engine, named) -> None:
    """It agrees on which pictures come first and leaves nothing behind."""
    teach(engine, named)
    for name, grade in {"disc-4": "good", "plain-4": "junk", "disc-6": "good"}.items():
        engine.concepts.grade("things", named(name), grade, user="ana")
    digest = engine.digest
    found = engine.concepts.rank("things", user="ana", batch=True)
    assert found.method == "mi-softmax"
    assert Path(found.images[0].path).stem.startswith("disc")
    assert engine.digest == digest


def test_a_question_is_about_a_pair_that_nobody_ordered(engine, named) -> None:
    """Two different pictures of the concept; none where one picture is all there is."""
    teach(engine, named)
    pair = engine.concepts.ask("things", user="ana")
    assert pair is not None
    assert len(set(pair)) == 2
    said = {frozenset((named(f"disc-{n}"), named(f"plain-{n}"))) for n in range(3)}
    assert frozenset(pair) not in said
    engine.tags.add("lonely", [named("disc-0")], user="ana")
    assert engine.concepts.ask("tag:lonely", user="ana") is None


# -- what a keyword is ---------------------------------------------------------------------------


def test_folders_tags_and_saved_searches_are_keywords(engine, named) -> None:
    """A tag goes before a folder of its name; a kind says which is meant."""
    page = engine.search(named("disc-0"), user="ana", k=5)
    page = engine.react(page, liked=[page.hits[0]])
    engine.sessions.save(page, "mine", user="ana")
    engine.tags.add("things", [named("plain-1"), named("plain-2")], user="ana")
    names = {one.name: one.images for one in engine.concepts.list(user="ana")}
    assert names == {"tag:things": 2, "folder:things": 14, "folder:others": 2, "saved:mine": 2}
    assert engine.concepts.show("things", user="ana").name == "tag:things"
    assert engine.concepts.show("folder:things", user="ana").images == 14
    assert engine.concepts.show("things", user="bob").name == "folder:things"
    engine.tags.remove("things", [named("plain-1"), named("plain-2")], user="ana")
    assert "tag:things" not in {one.name for one in engine.concepts.list(user="ana")}


# -- bad input -----------------------------------------------------------------------------------


def test_a_concept_with_one_picture_ranks_it(engine, named) -> None:
    """There is nothing to compare it with, and that is no error."""
    engine.tags.add("lonely", [named("disc-0")], user="ana")
    engine.concepts.grade("lonely", named("disc-0"), "good", user="ana")
    found = engine.concepts.rank("lonely", user="ana")
    assert [one.grade for one in found.images] == ["good"]
    assert not found.learned


def test_preferences_in_a_circle_teach_and_break_nothing(engine, named) -> None:
    """Scores are numbers, and all three are near each other, as none is better."""
    circle = ["disc-0", "disc-1", "plain-0", "disc-0"]
    for better, worse in pairwise(circle):
        engine.concepts.prefer("things", named(better), named(worse), user="ana")
    found = engine.concepts.rank("things", user="ana")
    scores = {Path(one.path).stem: one.score for one in found.images}
    assert np.isfinite(list(scores.values())).all()
    assert max(abs(scores[a] - scores[b]) for a in circle for b in circle) < 1.5
    assert engine.digest == engine.replay()


def test_a_picture_of_one_pixel_takes_part(engine, named) -> None:
    """It is judged and ranked; nothing in it stands out, and its map is dark and not trusted."""
    engine.concepts.prefer("things", named("disc-0"), named("dot"), user="ana")
    found = engine.concepts.glow(named("dot"), "things", user="ana")
    assert found.values.shape == (1, 1)
    assert (found.values.max(), found.trusted) == (0.0, False)
    assert order(engine)[0].startswith("disc")


def test_without_positions_wholes_are_ranked_and_have_no_map(drawn, tmp_path) -> None:
    """By the first descriptor; the error says which encoder has maps."""
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        engine.add(drawn.parent / "pictures", recipe="color-moments")
        ids = {Path(one.paths[0]).stem: one.image_id for one in engine.images()}
        teach(engine, ids.__getitem__)
        found = engine.concepts.rank("things", user="ana")
        assert (found.features, found.learned) == ("color-moments", True)
        assert Path(found.images[0].path).stem.startswith("disc")
        with pytest.raises(InvalidInput, match=r"no embedding, and so no map.*\+embedding"):
            engine.concepts.map(ids["disc-5"], "things", user="ana")


def test_equal_grades_teach_no_order(engine, named) -> None:
    """All good is as good as nothing said: the collection's own order."""
    before = order(engine)
    for number in range(3):
        engine.concepts.grade("things", named(f"disc-{number}"), "good", user="ana")
    assert order(engine) == before
    assert not engine.concepts.rank("things", user="ana").learned


def test_a_picture_removed_after_it_was_judged_still_teaches(drawn, tmp_path) -> None:
    """It leaves the ranking; what was learned from it, the digest and a replay stay."""
    import shutil

    pictures = shutil.copytree(drawn.parent / "pictures", tmp_path / "pictures")
    with Engine(tmp_path / "own.saccade", warm=False) as engine:
        engine.add(pictures, recipe="embedding")
        ids = {Path(one.paths[0]).stem: one.image_id for one in engine.images()}
        for number in range(3):
            better, worse = ids[f"disc-{number}"], ids[f"plain-{number}"]
            engine.concepts.prefer("things", better, worse, user="ana")
        before, digest = order(engine), engine.digest
        for name in ("disc-0", "plain-1"):
            (pictures / "things" / f"{name}.png").unlink()
        engine.add(pictures, prune=True)
        left = [name for name in before if name not in ("disc-0", "plain-1")]
        assert order(engine) == left
        assert engine.replay() == digest
        assert engine.library.doctor() == ()
        with pytest.raises(NotFound):
            engine.concepts.prefer("things", ids["disc-0"], ids["disc-1"], user="ana")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda c, n: c.rank("nothing", user="ana"), UnknownName),
        (lambda c, n: c.prefer("things", n("disc-0"), n("disc-0")), InvalidInput),
        (lambda c, n: c.prefer("others", n("disc-0"), n("disc-1")), InvalidInput),
        (lambda c, n: c.prefer("things", "0" * 32, n("disc-1")), NotFound),
        (lambda c, n: c.grade("things", n("disc-0"), "great"), InvalidInput),
        (lambda c, n: c.list(user="  "), InvalidInput),
    ],
)
def test_what_cannot_be_said_is_refused(engine, named, call, error) -> None:
    """By a sentence, and nothing is learned from it."""
    digest = engine.digest
    with pytest.raises(error):
        call(engine.concepts, named)
    assert engine.digest == digest


def test_a_killed_process_loses_nothing_it_acknowledged(engine, named) -> None:
    """Without a last snapshot, the log has every preference."""
    teach(engine, named)
    digest = engine.digest
    place = engine.path
    kill(engine)
    with Engine(place, warm=False) as again:
        assert again.digest == digest
        assert again.concepts.show("things", user="ana").preferences == 3


def _pixels(engine: Engine, image_id: str) -> np.ndarray:
    from PIL import Image

    return np.asarray(Image.open(engine.image(image_id).paths[0]).convert("RGB"))
