"""Attributes in the engine: taught by answers, from the log, for each person and for all."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from inside import collection_of, log_of, models_of, scales_of
from saccade.engine import Engine
from saccade.engine.attributes.agreement import LEASH
from saccade.engine.attributes.fold import Attribute
from saccade.engine.attributes.scoring import attribute_of
from saccade.errors import InvalidInput, NotFound, NothingToUndo, TooFewAnswers, UnknownName

NAME = "bright"


def brightness(engine: Engine) -> dict[str, float]:
    """What an answer goes by: how light a picture is."""
    found = {}
    for record in engine.images():
        with Image.open(io.BytesIO(engine.library.thumbnail(record.image_id))) as picture:
            found[record.image_id] = float(np.asarray(picture.convert("L")).mean())
    return found


def right(engine: Engine, truth: dict[str, float], user: str = "ana") -> float:
    """The share of all pairs in the right order."""
    scores = engine.attributes.scores(NAME, user=user)
    ids = sorted(truth)
    had, real = (np.array([values[image] for image in ids]) for values in (scores, truth))
    first, second = np.triu_indices(len(ids), 1)
    agree = np.sign(had[first] - had[second]) == np.sign(real[first] - real[second])
    return float(agree.mean())


def compare(engine: Engine, truth: dict[str, float], one: str, other: str, user: str) -> None:
    more, less = sorted((one, other), key=truth.__getitem__, reverse=True)
    engine.attributes.compare(NAME, more, less, user=user)


def taught(engine: Engine, truth: dict[str, float], count: int = 12, user: str = "ana") -> None:
    """So many comparisons of random pairs."""
    rng = np.random.default_rng(3)
    for _ in range(count):
        one, other = rng.choice(sorted(truth), 2, replace=False)
        compare(engine, truth, str(one), str(other), user)


@pytest.fixture
def truth(engine: Engine) -> dict[str, float]:
    """An attribute to teach, and what is true of it."""
    engine.attributes.create(NAME)
    return brightness(engine)


# --- teaching ------------------------------------------------------------------------------------


def test_a_handful_of_answers_orders_the_collection(
    engine: Engine, truth: dict[str, float]
) -> None:
    """From nothing known to most pairs in the right order; more answers, a better order."""
    before = engine.attributes.show(NAME, user="ana")
    assert (before.ready, before.answers, before.needs, before.sure) == (False, 0, 20, None)
    taught(engine, truth, 3)
    little = right(engine, truth)
    taught(engine, truth, 15)
    info = engine.attributes.show(NAME, user="ana")
    assert info.ready
    assert info.answers == info.pairs == 15  # the first three were said again
    assert info.needs == 5
    assert info.sure is not None
    assert 0.5 < info.sure <= 1.0
    assert right(engine, truth) > max(little, 0.68)


def test_points_pairs_and_alike_ones_all_teach(engine: Engine, truth: dict[str, float]) -> None:
    """Any kind alone; has it and has it not, grades, more, and alike."""
    order = sorted(truth, key=truth.__getitem__)
    for image in order[:4]:
        engine.attributes.label(NAME, image, -1, user="ana")
    for image in order[-4:]:
        info = engine.attributes.label(NAME, image, 1, user="ana")
    assert (info.points, info.pairs) == (8, 0)
    assert right(engine, truth, "ana") > 0.7
    for grade, image in enumerate(order[::6]):
        engine.attributes.label(NAME, image, grade, user="bob")
    assert right(engine, truth, "bob") > 0.6
    engine.attributes.alike(NAME, order[0], order[1], user="eva")
    assert engine.attributes.show(NAME, user="eva").pairs == 1


def test_the_order_has_two_ends_and_a_middle(engine: Engine, truth: dict[str, float]) -> None:
    """Most first, least first, or evenly from least to most with what was spoken of in it."""
    taught(engine, truth, 10)
    dark = min(truth, key=truth.__getitem__)
    engine.attributes.label(NAME, dark, -1, user="ana")
    order = partial(engine.attributes.order, NAME, user="ana")
    most, least = (order(k=36, end=end) for end in ("most", "least"))
    assert [hit.image_id for hit in most] == [hit.image_id for hit in least][::-1]
    assert (most[0].place, least[0].place) == (1.0, 0.0)
    both = engine.attributes.order(NAME, user="ana", k=12, end="both")
    assert len(both) <= 12
    assert [hit.place for hit in both] == sorted(hit.place for hit in both)
    marked = {hit.image_id: hit for hit in both}[dark]
    assert marked.said == -1
    assert sum(hit.compared for hit in both) >= 3
    taught(engine, truth, 1, "bob")
    said = [hit for hit in engine.attributes.order(NAME, user="bob") if hit.compared or hit.said]
    assert len(said) == 2


def test_the_form_that_foretells_better_is_served(engine: Engine, truth: dict[str, float]) -> None:
    """Together with their like, until alone was right beyond doubt; both learn all answers."""
    taught(engine, truth, 12)
    found = attribute_of(models_of(engine), NAME)
    assert found.form("ana") == "smooth"
    assert sum(found.people["ana"].won) > 0

    def having(*won: int) -> Attribute:
        return replace(found, people={"ana": replace(found.people["ana"], won=won)})

    alone = having(9, 0)
    assert alone.form("ana") == "plain"
    assert having(9, 5).form("ana") == "smooth"
    assert alone.form("bob") == "smooth"  # what nobody else agrees on decides nothing for him
    collection, scales = collection_of(engine), scales_of(engine)
    by_form = [
        scales.belief(collection, found, ("ana",), one.form("ana")) for one in (alone, found)
    ]
    assert not np.array_equal(*(belief.weights for belief in by_form))
    plain = scales.vectors(collection, found.space) @ by_form[1].weights
    averages = scales.averages(collection)
    assert averages is not None
    served = np.array(list(engine.attributes.scores(NAME, user="ana").values()))
    assert np.allclose(served, averages.column(plain), atol=1e-5)
    assert not np.allclose(served, plain, atol=1e-3)


# --- the log -------------------------------------------------------------------------------------


def test_answers_are_undone_forgotten_and_replayed_bit_for_bit(
    open_copy: Callable[[], Engine],
) -> None:
    """Live, after a restart and folded anew: the same digest; gone answers leave no trace."""
    engine = open_copy()
    empty = engine.digest
    engine.attributes.create(NAME)
    truth = brightness(engine)
    taught(engine, truth, 6)
    one = engine.digest
    taught(engine, truth, 9, "bob")
    assert engine.digest == engine.replay() != one
    engine.close()
    engine = open_copy()
    again = engine.digest
    assert again == engine.replay()
    engine.attributes.undo(NAME, user="bob")
    assert engine.attributes.show(NAME, user="bob").answers == 8
    assert engine.undo("bob").kind == "compared"
    assert engine.attributes.show(NAME, user="bob").answers == 7
    assert engine.digest == engine.replay() != again
    assert engine.forget("bob") == 9
    assert engine.digest == engine.replay() == one != empty


def test_the_newer_word_counts(engine: Engine, truth: dict[str, float]) -> None:
    """The same picture or pair again takes the earlier answer's place, until that is undone."""
    one, other = sorted(truth)[:2]
    engine.attributes.label(NAME, one, 1, user="ana")
    alone = engine.digest
    engine.attributes.label(NAME, one, -1, user="ana")
    engine.attributes.label(NAME, one, 1, user="ana")
    info = engine.attributes.show(NAME, user="ana")
    assert info.answers == 1
    assert engine.attributes.order(NAME, user="ana", k=36)[0].image_id == one
    engine.attributes.compare(NAME, one, other, user="ana")
    info = engine.attributes.compare(NAME, other, one, user="ana")
    assert (info.points, info.pairs) == (1, 1)
    assert engine.attributes.alike(NAME, one, other, user="ana").pairs == 1
    for _ in range(3):
        engine.attributes.undo(NAME, user="ana")
        assert engine.digest == engine.replay()
    assert engine.attributes.show(NAME, user="ana").pairs == 0
    for _ in range(2):
        engine.attributes.undo(NAME, user="ana")
    said = attribute_of(models_of(engine), NAME).people["ana"].answers
    assert [(word.first, word.grade) for word in said] == [(one, 1)]
    assert alone == engine.digest
    engine.attributes.undo(NAME, user="ana")
    with pytest.raises(NothingToUndo, match="ana"):
        engine.attributes.undo(NAME, user="ana")


def test_a_picture_that_was_removed_still_teaches(pictures: Path, tmp_path: Path) -> None:
    """An answer carries its vectors: with the picture gone the models are the same."""
    engine = Engine(tmp_path / "own.saccade", warm=False)
    engine.add(pictures, recipe="color-histogram,lbp", workers=1)
    engine.attributes.create(NAME)
    truth = brightness(engine)
    taught(engine, truth, 8)
    digest, scores = engine.digest, engine.attributes.scores(NAME, user="ana")
    one = next(e.record for e in log_of(engine) if e.kind == "compared")
    for path in engine.image(one.first).paths:
        Path(path).unlink(missing_ok=True)
    assert engine.add(pictures, prune=True).pruned == 1
    assert engine.digest == engine.replay() == digest
    left = engine.attributes.scores(NAME, user="ana")
    assert one.first not in left
    both = [(scores[image], left[image]) for image in left]
    assert np.corrcoef(np.array(both).T)[0, 1] > 0.95
    shown = engine.attributes.order(NAME, user="ana", end="both")
    assert one.first not in {hit.image_id for hit in shown}
    engine.close()


def test_answers_travel_within_a_store(engine: Engine, truth: dict[str, float]) -> None:
    """An exported profile takes its answers along; a damaged one is refused."""
    taught(engine, truth, 5)
    exported = json.loads(json.dumps(engine.people.export("ana")))
    assert engine.people.import_("eva", exported) == 5
    ana, eva = (attribute_of(models_of(engine), NAME).people[who] for who in ("ana", "eva"))
    assert np.array_equal(ana.weights("smooth", 1), eva.weights("smooth", 1))
    assert [event.attribute for event in engine.people.show("eva").history] == [NAME] * 5
    exported["events"][2]["body"]["order"] = "perhaps"
    with pytest.raises(InvalidInput, match="event 3"):
        engine.people.import_("eva", exported)


def test_answers_travel_to_another_store(
    engine: Engine, truth: dict[str, float], world: Path, tmp_path: Path
) -> None:
    """With their attribute, which is made there; one of that name is not touched."""
    taught(engine, truth, 12)
    exported = json.loads(json.dumps(engine.people.export("ana")))
    other = Engine(tmp_path / "other.saccade", warm=False)
    other.add(world, recipe="color-histogram,edge-directions,lbp", workers=1)
    assert other.people.import_("eva", exported) == 12
    assert other.attributes.show(NAME, user="eva").answers == 12
    here, there = (e.attributes.scores(NAME, user=u) for e, u in ((engine, "ana"), (other, "eva")))
    both = np.array([(here[image], there[image]) for image in truth])
    assert np.corrcoef(both.T)[0, 1] > 0.999
    assert other.digest == other.replay()
    other.attributes.delete(NAME, user="eva")
    other.attributes.create(NAME, descriptors=["lbp"])
    other.people.import_("bob", exported)
    assert other.attributes.show(NAME, user="bob").answers == 0
    other.close()
    for wrong in ({"attribute": "a/b"}, {"versions": {}}, {"blend": {"parts": []}}):
        body = exported["attributes"][0]["body"]
        damaged = {
            **exported,
            "attributes": [{**exported["attributes"][0], "body": {**body, **wrong}}],
        }
        with pytest.raises(InvalidInput, match="attribute 1 is damaged"):
            engine.people.import_("eva", damaged)


# --- people --------------------------------------------------------------------------------------


def against(truth: dict[str, float]) -> dict[str, float]:
    """The opposite of what is true."""
    return {image: -value for image, value in truth.items()}


def test_a_stranger_follows_what_two_agree_on(engine: Engine, truth: dict[str, float]) -> None:
    """One person alone orders nobody else's pictures; a second who agrees does."""
    taught(engine, truth, 14)
    info = engine.attributes.show(NAME, user="eva")
    assert (info.answers, info.others, info.ready, info.needs) == (0, 14, False, 20)
    with pytest.raises(TooFewAnswers, match="what two agree on"):
        engine.attributes.order(NAME, user="eva")
    taught(engine, truth, 10, "bob")
    info = engine.attributes.show(NAME, user="eva")
    assert (info.others, info.ready, info.needs) == (24, True, 0)
    assert right(engine, truth, "eva") > 0.7


def test_own_answers_go_before_what_others_agree_on(
    engine: Engine, truth: dict[str, float]
) -> None:
    """Before a word of theirs the shared order; then their own, more with every answer."""
    for user in ("ana", "bob"):
        taught(engine, truth, 14, user)
    shared = engine.attributes.scores(NAME, user="eva")
    taught(engine, against(truth), 1, "eva")
    little = right(engine, truth, "eva")
    taught(engine, against(truth), 25, "eva")
    assert engine.attributes.scores(NAME, user="eva") != shared
    assert right(engine, truth, "eva") < 0.4 < little
    assert right(engine, truth, "ana") > 0.55  # her own word goes before the opposite


def several(engine: Engine, truth: dict[str, float], names: list[str], answers: int) -> None:
    """Each of these people compares pairs of their own choice."""
    for number, name in enumerate(names):
        rng = np.random.default_rng([9, number, len(names)])
        for _ in range(answers):
            one, other = rng.choice(sorted(truth), 2, replace=False)
            compare(engine, truth, str(one), str(other), name)


@pytest.mark.parametrize(("names", "answers"), [(20, 10), (1, 60)])
def test_whoever_contradicts_moves_no_strangers_order(
    engine: Engine, truth: dict[str, float], names: int, answers: int
) -> None:
    """Twenty invented names of ten answers, or one hostile person of sixty."""
    several(engine, truth, ["a", "b", "c"], 12)
    before = engine.attributes.scores(NAME, user="stranger")
    several(engine, against(truth), [f"invented {n}" for n in range(names)], answers)
    after = engine.attributes.scores(NAME, user="stranger")
    both = np.array([(before[image], after[image]) for image in truth])
    assert np.corrcoef(both.T)[0, 1] > 0.8
    assert right(engine, truth, "stranger") > 0.65


def test_who_comes_first_and_alone_sets_nothing(engine: Engine, truth: dict[str, float]) -> None:
    """One of sixty answers who says the opposite is outweighed by the first two who agree."""
    several(engine, against(truth), ["troll"], 60)
    for user in ("a", "b", "c", "d"):
        taught(engine, truth, 14, user)
    assert right(engine, truth, "newcomer") > 0.6


def test_names_that_half_agree_move_an_order_only_so_far(
    engine: Engine, truth: dict[str, float]
) -> None:
    """Who agrees to be heard and says something else beside it stays on the leash."""
    several(engine, truth, ["a", "b"], 20)
    attribute = attribute_of(models_of(engine), NAME)
    firm = attribute.shared("stranger")
    rng = np.random.default_rng(1)
    other = {image: float(rng.random()) for image in truth}
    for number in range(12):
        mixed = [f"mixed {number}"]
        several(engine, truth, mixed, 6)
        several(engine, other, mixed, 10)
    moved = attribute_of(models_of(engine), NAME).shared("stranger")
    cosine = firm @ moved / (np.linalg.norm(firm) * np.linalg.norm(moved))
    assert np.sqrt(1.0 - LEASH**2) - 1e-6 <= cosine


# --- putting away --------------------------------------------------------------------------------


def test_who_puts_an_attribute_away_does_so_for_themselves(
    engine: Engine, truth: dict[str, float]
) -> None:
    """It stays for others as it was, and comes back with all that was taught."""
    for user in ("ana", "bob"):
        taught(engine, truth, 10, user)
    order = engine.attributes.order(NAME, user="ana")
    before = engine.digest
    engine.attributes.delete(NAME, user="ana")
    assert [one.name for one in engine.attributes.list(user="ana")] == []
    assert [one.name for one in engine.attributes.list(user="ana", put_away=True)] == [NAME]
    assert [one.name for one in engine.attributes.list(user="bob")] == [NAME]
    for look in (engine.attributes.order, engine.attributes.show, engine.attributes.delete):
        with pytest.raises(NotFound, match="away"):
            look(NAME, user="ana")
    with pytest.raises(InvalidInput, match="already"):
        engine.attributes.create(NAME)
    assert engine.digest == engine.replay() != before
    assert engine.attributes.restore(NAME, user="ana").answers == 10
    assert engine.digest == engine.replay() == before
    assert engine.attributes.order(NAME, user="ana") == order
    with pytest.raises(NothingToUndo, match="not put"):
        engine.attributes.restore(NAME, user="ana")


def test_putting_away_is_undone_and_forgotten_as_any_word(
    open_copy: Callable[[], Engine],
) -> None:
    """The last word is taken back; of one who is forgotten nothing is left, a restart between."""
    engine = open_copy()
    engine.attributes.create(NAME)
    taught(engine, brightness(engine), 4, "bob")
    before = engine.digest
    engine.attributes.delete(NAME, user="ana")
    assert engine.undo("ana").kind == "attribute-hidden"
    assert engine.digest == before
    engine.attributes.delete(NAME, user="ana")
    engine.close()
    engine = open_copy()
    assert [one.name for one in engine.attributes.list(user="ana", put_away=True)] == [NAME]
    engine.forget("ana")
    assert engine.digest == engine.replay() == before


def test_a_name_that_nobody_keeps_is_made_anew(engine: Engine, truth: dict[str, float]) -> None:
    """Nobody lists it; taken up again, it starts from nothing, by other descriptors."""
    taught(engine, truth, 6)
    engine.attributes.delete(NAME, user="ana")
    assert engine.attributes.list(user="bob") == ()
    engine.attributes.create(NAME, descriptors=["lbp"])
    info = engine.attributes.show(NAME, user="ana")
    assert (info.answers, info.descriptors) == (0, ("lbp",))
    assert engine.digest == engine.replay()


def test_forgetting_who_made_an_attribute_leaves_it_without_a_name(
    engine: Engine, truth: dict[str, float]
) -> None:
    """It was never told who made it: others teach it as before."""
    for user in ("the-one-who-made-it", "bob"):
        taught(engine, truth, 6, user)
    engine.forget("the-one-who-made-it")
    assert engine.attributes.show(NAME, user="bob").answers == 6
    files = [path for path in engine.path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"the-one-who-made-it" in path.read_bytes()]


def test_two_people_may_answer_at_once(engine: Engine, truth: dict[str, float]) -> None:
    """Every answer is kept, and all processes and threads fold the same order of them."""
    pairs = [(a, b) for a, b in zip(sorted(truth)[:8], sorted(truth)[8:16], strict=True)]
    with ThreadPoolExecutor(4) as pool:
        jobs = [
            pool.submit(compare, engine, truth, a, b, user)
            for a, b in pairs
            for user in ("ana", "bob")
        ]
        for job in jobs:
            job.result()
    assert {engine.attributes.show(NAME, user=user).answers for user in ("ana", "bob")} == {8}
    assert engine.digest == engine.replay()


# --- asking --------------------------------------------------------------------------------------


def test_suggested_questions_teach_faster_than_random_ones(
    open_copy: Callable[[], Engine],
) -> None:
    """With as many answers, more pairs are in the right order; averaged over seeds."""
    found: dict[str, list[float]] = {"asked": [], "random": []}
    engine = open_copy()
    engine.attributes.create(NAME)
    truth = brightness(engine)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        for way in found:
            user = f"{way} {seed}"
            for turn in range(7):
                question = engine.attributes.suggest(NAME, user=user, seed=100 * seed + turn)
                assert question.second is not None
                pair = [question.first.image_id, question.second.image_id]
                drawn = rng.choice(sorted(truth), 2, replace=False).tolist()
                compare(engine, truth, *(pair if way == "asked" else drawn), user)
            found[way].append(right(engine, truth, user))
            engine.forget(user)  # the next one starts from nothing
    assert np.mean(found["asked"]) > np.mean(found["random"]) + 0.02


def test_a_question_is_not_asked_twice(engine: Engine, truth: dict[str, float]) -> None:
    """What was answered is not suggested again; another seed asks something else."""
    asked = set()
    for _ in range(6):
        question = engine.attributes.suggest(NAME, user="ana")
        assert question.second is not None
        pair = frozenset((question.first.image_id, question.second.image_id))
        assert pair not in asked
        asked.add(pair)
        compare(engine, truth, *sorted(pair), "ana")
    seeds = [engine.attributes.suggest(NAME, user="ana", seed=seed) for seed in range(4)]
    assert len({(q.first.image_id, q.second and q.second.image_id) for q in seeds}) > 1
    skipped = [seeds[0].first.image_id, seeds[0].second.image_id]
    for _ in range(5):
        other = engine.attributes.suggest(NAME, user="ana", without=skipped)
        assert not {other.first.image_id, other.second.image_id} & set(skipped)
        skipped += [other.first.image_id, other.second.image_id]
    one = engine.attributes.suggest(NAME, user="ana", pictures=True)
    assert one.bits > 0.0


# --- searching -----------------------------------------------------------------------------------


def test_a_search_keeps_what_has_more(engine: Engine, truth: dict[str, float], first: str) -> None:
    """Only pictures above the one given, in the order of the query, through feedback too."""
    taught(engine, truth, 14)
    scores = engine.attributes.scores(NAME, user="ana")
    middle = engine.attributes.order(NAME, user="ana", k=18)[-1].image_id
    plain = [hit.image_id for hit in engine.search(first, user="ana", k=36)]
    page = engine.search(first, user="ana", k=36, where={"more": {NAME: middle}})
    kept = [hit.image_id for hit in page]
    assert kept == [image for image in plain if scores[image] > scores[middle]]
    assert page.where == ({"more": {NAME: middle}},)
    below = engine.search(first, user="ana", k=36, where={"less": {NAME: middle}})
    assert [hit.image_id for hit in below] == [i for i in plain if scores[i] < scores[middle]]
    prefer = engine.search(first, user="ana", k=36, where={"more": {NAME: middle}, "prefer": True})
    rest = [image for image in plain if image not in kept]
    assert [hit.image_id for hit in prefer] == kept + rest
    short = engine.search(first, user="ana", k=3, where={"more": {NAME: middle}})
    assert [hit.image_id for hit in short] == kept[:3]
    liked = engine.react(page, liked=[kept[2]])
    assert {hit.image_id for hit in liked} == set(kept)


def test_a_search_takes_a_place_and_is_taken_up_again(
    open_copy: Callable[[], Engine], first: str
) -> None:
    """A place from 0 to 1 instead of a picture; the log keeps what was asked."""
    engine = open_copy()
    engine.attributes.create(NAME)
    truth = brightness(engine)
    taught(engine, truth, 14)
    page = engine.search(first, user="ana", k=36, where={"more": {NAME: 0.5}, "less": {NAME: 0.9}})
    places = {hit.image_id: hit.place for hit in engine.attributes.order(NAME, user="ana", k=36)}
    assert 0 < len(page) < 18
    assert all(0.5 < places[hit.image_id] < 0.9 for hit in page)
    engine.close()
    again = open_copy().show(page.page_id, k=36)
    assert [hit.image_id for hit in again] == [hit.image_id for hit in page]
    assert again.where == ({"more": {NAME: 0.5}}, {"less": {NAME: 0.9}})


def test_wishes_change_within_a_session(
    engine: Engine, truth: dict[str, float], first: str
) -> None:
    """Another place, and none: marks stay; a wish outlives that its attribute is put away."""
    taught(engine, truth, 14)
    page = engine.search(first, user="ana", k=36)
    page = engine.react(page, liked=[page.hits[0]])
    upper = engine.show(page, k=36, where={"more": {NAME: 0.5}})
    assert (upper.session, upper.round, upper.liked) == (page.session, page.round, page.liked)
    places = {hit.image_id: hit.place for hit in engine.attributes.order(NAME, user="ana", k=36)}
    assert {hit.image_id for hit in upper} == {
        hit.image_id for hit in page if places[hit.image_id] > 0.5
    }
    assert len(engine.show(upper, k=36)) == len(upper)
    assert len(engine.show(upper, k=36, where={})) == len(page)
    lower = engine.show(upper, k=36, where={"less": {NAME: 0.2}})
    engine.attributes.delete(NAME, user="ana")
    assert list(engine.show(upper, k=36)) == list(lower)


def test_described_categories_are_told_without_pictures(
    engine: Engine, truth: dict[str, float]
) -> None:
    """Between dark and light there is a middle, told by its description alone."""
    taught(engine, truth, 30)
    order = [hit.image_id for hit in engine.attributes.order(NAME, user="ana", k=36, end="least")]
    seen = {"dark": order[:8], "light": order[-8:]}
    described = {"grey": [f"{NAME}: light > grey > dark"]}
    found = engine.attributes.classify(described, seen=seen, user="ana")
    assert len(found) == 20
    assert {one.category for one in found} <= {"dark", "light", "grey"}
    middle = {one.image_id: one for one in found}[order[18]]
    assert middle.category == "grey"
    assert 0.34 < middle.share <= 1.0
    told = engine.attributes.classify(
        described, seen=seen, images=[order[0], order[-1]], user="ana"
    )
    assert [one.category for one in told] == ["dark", "light"]


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", " a", "a/b", "a:b", "a>b", "a=b", "x" * 101, "a\n", "\u202ea\x00"]
)
def test_a_name_that_cannot_be_shown_is_refused(engine: Engine, name: str) -> None:
    """Odd characters of any script are fine; those that break addresses or lines are not."""
    with pytest.raises(InvalidInput, match="attribute"):
        engine.attributes.create(name)


def test_names_of_any_script_are_fine(engine: Engine) -> None:
    """Spaces, accents, signs and emoji."""
    for name in ("très beau", "自然", "50 % half?", "🌲"):
        engine.attributes.create(name)
    assert {one.name for one in engine.attributes.list()} == {
        "très beau", "自然", "50 % half?", "🌲",
    }  # fmt: skip
    with pytest.raises(InvalidInput, match="already"):
        engine.attributes.create("🌲")


def test_what_makes_no_answer_is_refused(engine: Engine, truth: dict[str, float]) -> None:
    """A pair with itself, a picture or attribute that is not there, no grade, no person."""
    one, other = sorted(truth)[:2]
    digest = engine.digest
    for act in (engine.attributes.compare, engine.attributes.alike):
        with pytest.raises(InvalidInput, match="itself"):
            act(NAME, one, one)
        with pytest.raises(NotFound, match="nothing"):
            act(NAME, one, "nothing")
        with pytest.raises(NotFound, match="bright"):
            act("brigth", one, other)
    for grade in (True, 1.5, 101, None):
        with pytest.raises(InvalidInput, match="grade"):
            engine.attributes.label(NAME, one, grade)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="user"):
        engine.attributes.label(NAME, one, 1, user="")
    with pytest.raises(UnknownName, match="gist"):
        engine.attributes.create("b", descriptors=["gist"])
    with pytest.raises(InvalidInput, match="descriptors"):
        engine.attributes.create("b", descriptors=[])
    with pytest.raises(NotFound):
        engine.attributes.delete("b")
    with pytest.raises(UnknownName, match="middle"):
        engine.attributes.order(NAME, end="middle")
    assert engine.digest == digest


def test_too_few_answers_say_how_many_are_needed(
    engine: Engine, truth: dict[str, float], first: str
) -> None:
    """Nothing said, or only that two are alike: no order, and the number that is missing."""
    for ask in (engine.attributes.scores, engine.attributes.order):
        with pytest.raises(TooFewAnswers, match="20 more answers"):
            ask(NAME, user="ana")
    with pytest.raises(TooFewAnswers, match="20 more answers"):
        engine.search(first, where={"more": {NAME: 0.5}})
    one, other, third = sorted(truth)[:3]
    engine.attributes.alike(NAME, one, other, user="ana")
    with pytest.raises(TooFewAnswers, match="19 more answers"):
        engine.attributes.order(NAME, user="ana")
    info = engine.attributes.label(NAME, third, 1, user="ana")
    assert info.ready
    assert engine.attributes.order(NAME, user="ana")[0].place == 1.0


def test_one_side_only_still_wants_the_other(engine: Engine, truth: dict[str, float]) -> None:
    """Many pictures that have it and none that has not: it orders, and asks for one more."""
    for image in sorted(truth)[:22]:
        info = engine.attributes.label(NAME, image, 1, user="ana")
    assert (info.ready, info.answers, info.needs) == (True, 22, 1)
    assert engine.attributes.label(NAME, sorted(truth)[30], -1, user="ana").needs == 0


def test_contradictions_are_weighed(engine: Engine, truth: dict[str, float]) -> None:
    """Comparisons in a circle cancel out and order nothing; one more answer orders everything."""
    one, two, three, four = sorted(truth)[:4]
    for more, less in ((one, two), (two, three), (three, one)):
        engine.attributes.compare(NAME, more, less, user="ana")
        engine.attributes.compare(NAME, less, more, user="bob")
    for user in ("ana", "bob"):
        with pytest.raises(TooFewAnswers):
            engine.attributes.scores(NAME, user=user)
    for user, (more, less) in {"ana": (four, one), "bob": (one, four)}.items():
        engine.attributes.compare(NAME, more, less, user=user)
        scores = engine.attributes.scores(NAME, user=user)
        assert np.isfinite(list(scores.values())).all()
        assert len(scores) == 36
        assert scores[more] > scores[less]
    with pytest.raises(TooFewAnswers):  # they cancel out for anybody else
        engine.attributes.order(NAME, user="eva")


def test_a_search_asks_for_what_is_there(
    engine: Engine, truth: dict[str, float], first: str
) -> None:
    """An attribute, a picture or a place that does not exist is named."""
    taught(engine, truth, 3)
    with pytest.raises(NotFound, match="brigth"):
        engine.search(first, user="ana", where={"more": {"brigth": first}})
    with pytest.raises(NotFound, match="f" * 32):
        engine.search(first, user="ana", where={"more": {NAME: "f" * 32}})
    for place in (1.5, -0.1, True, None):
        with pytest.raises(InvalidInput, match="place from 0 to 1"):
            engine.search(first, user="ana", where={"less": {NAME: place}})


def test_a_description_that_says_nothing_is_refused(
    engine: Engine, truth: dict[str, float]
) -> None:
    """No sentence, a sentence about something else, a category without pictures."""
    taught(engine, truth, 5)
    seen = {"dark": sorted(truth)[:3], "light": sorted(truth)[3:6]}
    for described in ({}, {"grey": []}, {"grey": f"{NAME}: grey > dark"}, {"grey": ["what"]}):
        with pytest.raises(InvalidInput):
            engine.attributes.classify(described, seen=seen, user="ana")
    with pytest.raises(UnknownName, match="drak"):
        engine.attributes.classify({"grey": [f"{NAME}: grey > drak"]}, seen=seen, user="ana")
    with pytest.raises(NotFound, match="brigth"):
        engine.attributes.classify({"grey": ["brigth: grey > dark"]}, seen=seen, user="ana")
