"""Searches ranked by a retrieval configuration, and the choosers that learn which one to take."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from covers import cover, seen_from, write_covers
from inside import collection_of, kill, log_of, models_of, page_of, store_of
from saccade import choosers
from saccade.choosers import losses
from saccade.engine import Engine
from saccade.engine.configurations import capability
from saccade.engine.configurations import source as configurations
from saccade.engine.configurations.fold import OWN, ChooserFold
from saccade.engine.configurations.records import AUTO, NAME, VOTE, Choice, Reward, rewarded
from saccade.engine.configurations.source import USUAL
from saccade.engine.events import Entry, Reacted, Shown
from saccade.errors import InvalidInput, NotFound, NotShown, UnknownName
from saccade.feedback.preferences import Judged
from saccade.types import ChooserReport, Page
from saccade.words.configurations import VOCABULARIES, Bank
from saccade.words.five_ways import WAYS
from saccade.words.vocabulary import Vocabulary

FIVE = tuple(f"akm-large:{way}" for way in WAYS)
SIX = (USUAL, *FIVE)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight covers, the same from another side, and a blank picture."""
    return write_covers(tmp_path_factory.mktemp("shelf"))


@pytest.fixture(scope="module")
def made(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("store") / "covers.saccade"
    with Engine(store, warm=False) as engine:
        engine.add(shelf, recipe="lbp,words")
    return store


@pytest.fixture(scope="module")
def trained(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same store with all four vocabularies."""
    store = tmp_path_factory.mktemp("trained") / "covers.saccade"
    shutil.copytree(made, store)
    with Engine(store, warm=False) as engine:
        engine.configurations.train()
    return store


Opens = Callable[..., Engine]


@pytest.fixture
def opens(made: Path, tmp_path: Path) -> Iterator[Opens]:
    """Opens engines on one copy of the store."""
    place, opened = tmp_path / "covers.saccade", []
    shutil.copytree(made, place)

    def open_one(seed: int = 0) -> Engine:
        opened.append(Engine(place, warm=False, seed=seed))
        return opened[-1]

    yield open_one
    for engine in opened:
        engine.close()


@pytest.fixture
def engine(opens: Opens) -> Engine:
    """An engine on a store of its own."""
    return opens()


def image(engine: Engine, name: str) -> str:
    return next(i.image_id for i in engine.images() if Path(i.paths[0]).stem == name)


def chooser(engine: Engine, serves: str = AUTO) -> ChooserReport:
    return next(c for c in engine.configurations.show().choosers if c.serves == serves)


def settled(engine: Engine, name: str, user: str, rounds: int) -> None:
    """Reactions that speak for one configuration and against all others, in the log."""
    for number in range(rounds):
        page = engine.search(image(engine, str(number % 8)), configuration="auto", user=user)
        places = chosen(engine, page).places
        assert places is not None
        page_event = page_of(engine, page.page_id)
        assert isinstance(page_event.record, Shown)
        lost = tuple(0.0 if one == name else 1.0 for one in SIX)
        served = SIX.index(page.configuration)
        reward = Reward(AUTO, SIX, tuple(range(6)), lost, served)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(capability, "rewarded", lambda *_, reward=reward: reward)
            engine.react(page, liked=[page.hits[0]])


def shown(engine: Engine, page: Page) -> Shown:
    record = page_of(engine, page.page_id).record
    assert isinstance(record, Shown)
    return record


def chosen(engine: Engine, page: Page) -> Choice:
    return Choice.decode(*shown(engine, page).attached[NAME])


def reward(engine: Engine) -> Reward | None:
    record = log_of(engine)[-1].record
    assert isinstance(record, Reacted)
    attached = record.attached.get(NAME)
    return None if attached is None else Reward.decode(*attached)


def broken(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """These configurations raise from now on."""
    sound = configurations.ConfigurationView.scores

    def scores(self: Any, configuration: str, example: Any) -> Any:
        if configuration in names:
            raise RuntimeError("out of order")
        return sound(self, configuration, example)

    monkeypatch.setattr(configurations.ConfigurationView, "scores", scores)


# -- what there is to choose from --------------------------------------------------------------


def test_a_store_with_words_offers_five_ways_at_once(engine: Engine) -> None:
    """Nothing has to be trained for the store's own vocabulary."""
    report = engine.configurations.show()
    assert report.configurations == SIX
    assert report.vocabularies == {"akm-large": engine.library.words().info().size}
    assert [c.rounds for c in report.choosers] == [0, 0]


def test_a_configuration_ranks_by_raw_counts(engine: Engine) -> None:
    """Scores are those of the paper's five ways on histograms that nobody damped."""
    view = collection_of(engine).views["words"]
    assert isinstance(view, configurations.WordView)
    bank = Bank({"akm-large": view.vocabulary})
    pictures = [view.placed(row).features.descriptors for row in range(view.rows)]
    bank.add(np.arange(view.rows), pictures)
    query = engine.images()[3]
    wanted = bank.scores(bank.bags(pictures[query.row]))
    for way, name in enumerate(FIVE):
        page = engine.search(query.image_id, configuration=name, k=5)
        assert page.configuration == name
        rows = [engine.image(hit.image_id).row for hit in page.hits]
        assert [hit.score for hit in page.hits] == pytest.approx(wanted[way, rows], abs=1e-6)
        others = np.delete(wanted[way], [query.row])
        best = np.sort(others[np.isfinite(others)])[::-1][:5]
        assert [hit.score for hit in page.hits[: len(best)]] == pytest.approx(best, abs=1e-6)


def test_further_vocabularies_make_twenty(trained: Path, tmp_path: Path) -> None:
    """Trained once, they are there; a second training has nothing to do; replies are told apart."""
    store = Path(shutil.copytree(trained, tmp_path / "copy.saccade"))
    with Engine(store, warm=False) as engine:
        report = engine.configurations.show()
        assert len(report.configurations) == 21
        assert set(report.vocabularies) == set(VOCABULARIES)
        assert report.configurations[0] == USUAL, "until something is known"
        before = sorted((store / "words").glob("*.npz"))
        assert engine.configurations.train() == report.vocabularies
        assert sorted((store / "words").glob("*.npz")) == before
        assert engine.library.doctor() == ()
        query = image(engine, "2")
        firsts = {
            name: Path(engine.search(query, configuration=name, k=1).hits[0].path).stem
            for name in report.configurations[1:]
            if not name.startswith("akm-small")  # a handful of words tells nothing apart
        }
        assert sum(first == "2-again" for first in firsts.values()) >= 12


@pytest.mark.parametrize("which", ["made", "trained"])
def test_warming_fills_files_that_somebody_trained_for(
    which: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Who trained further vocabularies waits for nothing; others do not pay for them."""
    store = Path(shutil.copytree(request.getfixturevalue(which), tmp_path / "copy.saccade"))
    with Engine(store, warm=True) as engine:
        view = configurations.of(collection_of(engine))
        assert view is not None
        assert {one.is_filled for one in view.vocabularies.values()} == {which == "trained"}


def test_new_images_get_their_words_by_every_vocabulary(trained: Path, tmp_path: Path) -> None:
    """`add` keeps further vocabularies up to date, in a running engine too."""
    store = Path(shutil.copytree(trained, tmp_path / "copy.saccade"))
    more = tmp_path / "more"
    more.mkdir()
    Image.fromarray(cover(70)).save(more / "70.png")
    Image.fromarray(seen_from(cover(70), degrees=-6, scale=0.95)).save(more / "70-again.png")
    with Engine(store, warm=False) as engine:
        name = "hkm-large:tf-idf,l2,cos"
        engine.search(image(engine, "1"), configuration=name)
        engine.add(more)
        assert engine.library.doctor() == ()
        page = engine.search(image(engine, "70"), configuration=name)
        assert Path(page.hits[0].path).stem == "70-again"


def test_the_doctor_makes_lost_vocabularies_again(trained: Path, tmp_path: Path) -> None:
    """A lost file is named and made again from the local features."""
    store = Path(shutil.copytree(trained, tmp_path / "copy.saccade"))
    with Engine(store, warm=False) as engine:
        own = engine.library.words().info().digest
    for file in (store / "words").glob("*.npz"):
        if file.stem != own:
            file.unlink()
    with Engine(store, warm=False) as engine:
        assert len(engine.configurations.show().configurations) == 6, "the others serve meanwhile"
        places = {finding.place for finding in engine.library.doctor()}
        assert places == {f"words/bags/{name}" for name in VOCABULARIES if name != "akm-large"}
        assert all(finding.repaired for finding in engine.library.doctor(repair=True))
        assert engine.library.doctor() == ()
        assert len(engine.configurations.show().configurations) == 21


def test_damaged_bags_are_found_and_made_again(trained: Path, tmp_path: Path) -> None:
    """A flipped byte in a further column is named; the family goes on without it until repaired."""
    store = Path(shutil.copytree(trained, tmp_path / "copy.saccade"))
    with Engine(store, warm=False) as engine:
        pieces = store_of(engine).columns.segments()
        piece = next(one for one in pieces if one.name == "words/bags/akm-small")
    file = store / piece.files["words"]
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with Engine(store, warm=False) as engine:
        assert len(engine.configurations.show().configurations) == 16
        assert any("words/bags/akm-small" in finding.place for finding in engine.library.doctor())
        engine.library.doctor(repair=True)
        assert engine.library.doctor() == ()
        assert len(engine.configurations.show().configurations) == 21


def test_another_own_vocabulary_leaves_the_further_ones(trained: Path, tmp_path: Path) -> None:
    """`words train` replaces the store's own vocabulary and no other."""
    store = Path(shutil.copytree(trained, tmp_path / "copy.saccade"))
    with Engine(store, warm=False) as engine:
        engine.library.words().train(size=50)
        report = engine.configurations.show()
        assert report.vocabularies["akm-large"] == 50
        assert len(report.configurations) == 21
        assert engine.library.doctor() == ()


# -- who chooses, and what the log keeps -------------------------------------------------------


def test_the_page_and_its_event_say_which_and_with_what_chance(engine: Engine) -> None:
    """What was served, the chance of that, and where each had every picture are in the log."""
    page = engine.search(image(engine, "1"), configuration="auto", exploring=0.0, k=6)
    record = chosen(engine, page)
    assert page.configuration == USUAL
    assert record.probability == page.propensity == 1.0
    assert record.names == record.family == SIX
    assert record.places is not None
    assert record.places.shape == (6, 6)
    assert sorted(record.places[:, 0].tolist()) == [1, 2, 3, 4, 5, 6]


def test_every_configuration_is_charged_with_its_own_places(engine: Engine) -> None:
    """However late: the chooser is what Hedge is that hears each one's loss."""
    by_hand = choosers.make("hedge", experts=6, prior=[0.5, 0.1, 0.1, 0.1, 0.1, 0.1])
    pages = [engine.search(image(engine, str(n)), configuration="auto") for n in range(6)]
    for number, page in enumerate(pages):
        engine.react(page, liked=[page.hits[number]])
        places = chosen(engine, page).places
        assert places is not None
        by_hand.update((places[number] - 1) / losses.DEPTH)
    told = chooser(engine)
    assert told.rounds == 6
    assert [c.weight for c in told.configurations] == by_hand.weights.tolist()
    assert told.history.rounds == (0, 1, 2, 3, 4, 5, 6)


def test_auto_ranks_as_usual_until_another_has_proved_itself(engine: Engine) -> None:
    """A new store serves what it serves by default, geometry and all; then what did better."""
    usual = engine.search(image(engine, "1"), user="eve")
    page = engine.search(image(engine, "1"), configuration="auto", exploring=0.0, user="ana")
    assert [h.image_id for h in page.hits] == [h.image_id for h in usual.hits]
    assert [h.inliers for h in page.hits] == [h.inliers for h in usual.hits]
    settled(engine, FIVE[1], "ana", rounds=8)
    page = engine.search(image(engine, "1"), configuration="auto", user="ana")
    alone = engine.search(image(engine, "1"), configuration=FIVE[1], user="ana")
    assert page.configuration == FIVE[1]
    assert [h.image_id for h in page.hits] == [h.image_id for h in alone.hits]


def test_who_taught_enough_is_served_by_their_own(engine: Engine) -> None:
    """Everybody's chooser serves the others; what one person wants is not forced on another."""
    settled(engine, FIVE[1], "ana", rounds=8)
    settled(engine, USUAL, "bob", rounds=OWN)
    served = {
        user: engine.search(image(engine, "1"), configuration="auto", user=user).configuration
        for user in ("ana", "bob")
    }
    assert served == {"ana": FIVE[1], "bob": USUAL}


def test_what_costs_too_much_falls_back_to_the_usual_ranking(engine: Engine) -> None:
    """As soon as it leads again."""
    settled(engine, FIVE[1], "ana", rounds=8)
    assert (
        engine.search(image(engine, "1"), configuration="auto", user="ana").configuration != USUAL
    )
    settled(engine, USUAL, "ana", rounds=8)
    told = chooser(engine)
    assert told.excess <= told.allowed + 1.0
    assert (
        engine.search(image(engine, "1"), configuration="auto", user="ana").configuration == USUAL
    )


def test_right_first_costs_nothing_and_a_vote_pays_for_wrong_first(engine: Engine) -> None:
    """A ✓ costs how far down it stands; a ✕ how far up, where all had a say in the page."""
    page = engine.search(image(engine, "2"), configuration="auto", exploring=0.0)
    places = chosen(engine, page).places
    assert places is not None
    engine.react(page, liked=[page.hits[int(places[:, 0].argmin())]])
    found = reward(engine)
    assert found is not None
    assert found.losses[0] == 0.0
    page = engine.search(image(engine, "1"), configuration="vote")
    places = chosen(engine, page).places
    assert places is not None
    engine.react(page, disliked=[page.hits[int(places[:, 0].argmin())]])
    found = reward(engine)
    assert found is not None
    assert found.losses[0] == 1.0


def test_what_one_alone_served_is_not_charged_with_what_is_wrong(engine: Engine) -> None:
    """The mistakes of the others were not seen: nobody could say that they are worse."""
    page = engine.search(image(engine, "1"), configuration="auto")
    engine.react(page, disliked=[page.hits[0]])
    assert reward(engine) is None
    assert chooser(engine).rounds == 0


def test_once_counts_twice_does_not(opens: Opens) -> None:
    """Of one search the first reaction is the reward: on this page, a later one, or elsewhere."""
    one, two = opens(1), opens(2)
    page = one.search(image(one, "1"), configuration="auto")
    again = one.react(page, liked=[page.hits[0]])
    weights = [c.weight for c in chooser(one).configurations]
    one.react(page, liked=[page.hits[3]])
    one.react(again, disliked=[again.hits[4]])
    two.react(page.page_id, liked=[page.hits[5].image_id])
    assert chooser(one).rounds == chooser(two).rounds == 1
    assert [c.weight for c in chooser(two).configurations] == weights
    assert one.digest == two.digest == one.replay()


def test_a_reaction_counts_after_a_restart_and_from_another_process(opens: Opens) -> None:
    """The page's own event has all that is needed, whoever hears the answer."""
    first = opens(1)
    page = first.search(cover(3), configuration="auto")
    kill(first)
    second = opens(2)
    after = second.react(page.page_id, liked=[page.hits[0].image_id])
    assert after.configuration == page.configuration
    assert after.propensity == page.propensity
    third = opens(3)
    assert chooser(third).rounds == 1
    assert third.digest == second.digest


@pytest.mark.parametrize("name", [USUAL, FIVE[0]])
def test_the_choice_stays_through_a_session(engine: Engine, name: str) -> None:
    """Marks join the query of the same configuration; parts add up to the score."""
    page = engine.search(image(engine, "1"), configuration=name, k=17, verify=0)
    after = engine.react(page, liked=[page.hits[3]], disliked=[page.hits[0]])
    assert after.configuration == page.configuration == name
    assert after.hits[0].image_id == page.hits[3].image_id
    assert after.hits[-1].image_id == page.hits[0].image_id
    for hit in after.hits:
        assert sum(hit.why.values()) == pytest.approx(hit.score)
    served = [hit.score for hit in after.hits]
    assert served == sorted(served, reverse=True), "the parts add up to what ranked them"


def test_places_are_those_before_any_mark(engine: Engine) -> None:
    """However marks move the page, a chooser is paid by what the query alone had given."""
    options = {"configuration": "auto", "exploring": 0.0, "k": 17, "verify": 0}
    page = engine.search(image(engine, "1"), **options)  # type: ignore[arg-type]
    after = engine.react(page, liked=[page.hits[5]], disliked=[page.hits[0]])
    first = {hit.image_id: place for place, hit in enumerate(page.hits, 1)}
    record = chosen(engine, after)
    assert record.places is not None
    assert record.places[:, 0].tolist() == [first[hit.image_id] for hit in after.hits]
    assert [hit.image_id for hit in after.hits] != list(first)


def test_geometry_keeps_out_of_words_unless_it_is_asked(engine: Engine) -> None:
    """A configuration's page has its own order; `verify` puts the check on top."""
    page = engine.search(image(engine, "1"), configuration=FIVE[0])
    assert {hit.inliers for hit in page.hits} == {None}
    assert shown(engine, page).verify == 0
    assert shown(engine, engine.search(image(engine, "1"))).verify != 0
    assert shown(engine, engine.search(image(engine, "1"), configuration=USUAL)).verify != 0
    checked = engine.search(image(engine, "1"), configuration=FIVE[0], verify=3)
    assert sum(hit.inliers is not None for hit in checked.hits) == 3


def test_undo_and_a_changed_mark_take_the_reward_along(engine: Engine) -> None:
    """What was taken back is as if it had not been; then the next word counts."""
    fresh = engine.digest
    page = engine.search(image(engine, "1"), configuration="vote", user="ana")
    engine.react(page, liked=[page.hits[0]])
    engine.undo("ana")
    assert chooser(engine, VOTE).rounds == 0
    assert engine.digest == fresh
    engine.react(page, liked=[page.hits[0]])
    liked = chooser(engine, VOTE).loss
    engine.react(page, disliked=[page.hits[0]])
    told = chooser(engine, VOTE)
    assert told.rounds == 1, "the second word replaced the first"
    assert told.loss == pytest.approx(1.0 - (liked or 0.0))
    assert engine.digest == engine.replay()


def test_forgetting_a_person_takes_their_rewards(engine: Engine) -> None:
    """Forgotten, nothing they said is in the chooser; others' words are."""
    page = engine.search(image(engine, "2"), configuration="auto", user="bob")
    engine.react(page, liked=[page.hits[0]])
    only = engine.digest
    page = engine.search(image(engine, "1"), configuration="auto", user="ana")
    engine.react(page, liked=[page.hits[3]])
    assert chooser(engine).rounds == 2
    engine.forget("ana")
    assert chooser(engine).rounds == 1
    assert engine.digest == only == engine.replay()


def test_a_snapshot_carries_the_choosers(opens: Opens) -> None:
    """Closed and opened, the same bits as folded from the log; rewards stay paid."""
    first = opens(1)
    page = first.search(image(first, "1"), configuration="auto")
    first.react(page, liked=[page.hits[1]])
    vote = first.search(image(first, "1"), configuration="vote")
    first.react(vote, liked=[vote.hits[1]])
    digest = first.digest
    first.close()
    second = opens(2)
    assert models_of(second).of(ChooserFold).of(AUTO, SIX).rounds == 1
    second.react(page.page_id, liked=[page.hits[2].image_id])
    assert chooser(second).rounds == 1
    second.undo("guest")
    assert second.digest == digest == second.replay()


def test_what_nobody_chose_teaches_nobody(engine: Engine) -> None:
    """A search by a named configuration, and one without, pay no chooser."""
    for options in ({"configuration": FIVE[2]}, {}):
        page = engine.search(image(engine, "1"), **options)  # type: ignore[arg-type]
        engine.react(page, liked=[page.hits[0]])
        assert reward(engine) is None
    assert [c.rounds for c in engine.configurations.show().choosers] == [0, 0]
    assert models_of(engine).of(ChooserFold).dump() == ({}, {})


# -- exploring ---------------------------------------------------------------------------------


def test_exploring_can_be_switched_off(engine: Engine) -> None:
    """At 0 nothing is tried."""
    for _ in range(12):
        page = engine.search(image(engine, "1"), configuration="auto", exploring=0.0)
        assert (page.configuration, page.explored, page.propensity) == (USUAL, False, 1.0)


def test_exploring_is_bounded_and_said(engine: Engine) -> None:
    """All but the leader have the bound together; the page says when one of them was tried."""
    pages = [
        engine.search(image(engine, "1"), configuration="auto", exploring=0.4, k=1)
        for _ in range(120)
    ]
    tried = [page for page in pages if page.explored]
    assert all(page.propensity == pytest.approx(0.08) for page in tried)
    assert all(page.propensity == pytest.approx(0.6) for page in pages if not page.explored)
    assert all(page.configuration == USUAL for page in pages)
    assert 25 <= len(tried) <= 75
    assert {chosen(engine, page).tried for page in tried} == set(FIVE)


def test_a_trial_has_one_place_in_ten(engine: Engine) -> None:
    """All others stay as they are, it is a part of why, and parts add up; gone after a mark."""
    usual = [h.image_id for h in engine.search(image(engine, "1"), k=17, verify=0).hits]
    options = {"configuration": "auto", "exploring": 1.0, "k": 17, "verify": 0}
    pages = [engine.search(image(engine, "1"), **options) for _ in range(12)]  # type: ignore[arg-type]
    moved = [page for page in pages if [h.image_id for h in page.hits] != usual]
    assert moved
    for page in moved:
        found = [hit.image_id for hit in page.hits]
        assert found[:9] == usual[:9]
        (trial,) = {found[9]} - {usual[9]}
        assert [i for i in found if i != trial] == [i for i in usual if i != trial]
        part = f"a trial of {chosen(engine, page).tried}"
        assert page.hits[9].why[part] > 0.0
        served = [hit.score for hit in page.hits]
        assert served == sorted(served, reverse=True)
    after = engine.react(moved[0], liked=[moved[0].hits[0]])
    assert not any(name.startswith("a trial") for name in after.hits[0].why)


@pytest.mark.parametrize("wrong", [-0.1, 1.5, float("nan")])
def test_a_bound_that_is_no_chance_is_refused(engine: Engine, wrong: float) -> None:
    """It is 0 to 1."""
    with pytest.raises(InvalidInput, match="exploring"):
        engine.search(image(engine, "1"), configuration="auto", exploring=wrong)


# -- the vote ----------------------------------------------------------------------------------


def test_a_vote_teaches_each_by_its_own_place(engine: Engine) -> None:
    """Every configuration was asked, so Hedge hears every loss; the parts are their votes."""
    page = engine.search(image(engine, "1"), configuration="vote", k=17)
    assert (page.configuration, page.propensity, page.explored) == ("vote", 1.0, False)
    for hit in page.hits:
        assert sum(hit.why.values()) == pytest.approx(hit.score)
    record = chosen(engine, page)
    assert record.places is not None
    differs = np.flatnonzero(np.ptp(record.places, axis=1) > 0)
    engine.react(page, liked=[page.hits[differs[0]]])
    found = reward(engine)
    wanted = (record.places[differs[0]] - 1) / losses.DEPTH
    assert found is not None
    assert found.losses == pytest.approx(wanted)
    told = chooser(engine, VOTE)
    assert told.rounds == 1
    best = np.argmin(wanted)
    assert told.configurations[best].weight == max(c.weight for c in told.configurations)
    assert [c.loss for c in told.configurations] == pytest.approx(wanted)


def test_votes_count_by_weight(engine: Engine) -> None:
    """What a configuration gives to its first picture is its weight, as it is by now."""
    for _ in range(4):
        page = engine.search(image(engine, "1"), configuration="vote", k=17)
        places = chosen(engine, page).places
        assert places is not None
        engine.react(page, liked=[page.hits[int(np.ptp(places, axis=1).argmax())]])
    weights = {one.name: one.weight for one in chooser(engine, VOTE).configurations}
    assert np.ptp(list(weights.values())) > 0.001
    page = engine.search(image(engine, "1"), configuration="vote", k=17)
    places = chosen(engine, page).places
    assert places is not None
    for column, name in enumerate(SIX):
        if name == USUAL:
            continue  # where the start has pictures is not where marks have moved them
        first = page.hits[int(places[:, column].argmin())]
        assert first.why[name] == pytest.approx(weights[name])


# -- bad input ---------------------------------------------------------------------------------


def test_a_configuration_that_raises_is_dropped_counted_and_shown(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others go on without it."""
    broken(monkeypatch, FIVE[0], FIVE[1])
    page = engine.search(image(engine, "1"), configuration="auto", exploring=0.0)
    assert page.configuration == USUAL
    assert page.dropped == (FIVE[0], FIVE[1])
    assert engine.configurations.show().dropped == {FIVE[0]: 1, FIVE[1]: 1}
    engine.react(page, liked=[page.hits[0]])
    assert [one.rounds for one in chooser(engine).configurations] == [1, 0, 0, 1, 1, 1]
    vote = engine.search(image(engine, "1"), configuration="vote")
    engine.react(vote, disliked=[vote.hits[0]])
    told = chooser(engine, VOTE)
    assert set(vote.hits[0].why) <= {USUAL, *FIVE[2:]}
    assert vote.dropped == (FIVE[0], FIVE[1])
    assert told.configurations[1].weight == pytest.approx(1 / 6, abs=1e-3), (
        "who is away neither gains nor loses"
    )


@pytest.mark.parametrize("wanted", ["auto", "vote"])
def test_when_all_others_fail_the_usual_ranking_is_left(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    """With one configuration there is nothing to try."""
    usual = engine.search(image(engine, "1"), verify=0)
    broken(monkeypatch, *FIVE)
    page = engine.search(image(engine, "1"), configuration=wanted, exploring=1.0, verify=0)
    assert (page.propensity, page.explored) == (1.0, False)
    assert set(page.dropped) == set(FIVE)
    assert [h.image_id for h in page.hits] == [h.image_id for h in usual.hits]
    engine.react(page, liked=[page.hits[0]])
    assert chooser(engine, wanted).rounds == 1


def test_where_the_usual_ranking_serves_the_guard_is_charged_as_ever(engine: Engine) -> None:
    """What each expert said of the marked pictures is in the log, as without a configuration."""
    charged = []
    for user, asked in (("ana", None), ("bob", USUAL)):
        page = engine.search(image(engine, "1"), user=user, k=16, configuration=asked)
        marks = image(engine, "5"), image(engine, "3")
        engine.react(page, liked=marks[:1], disliked=marks[1:])
        guard = engine.people.show(user).guard
        charged.append((guard.events, guard.served, guard.plain))
    assert charged[0][0] == 1
    assert charged[0] == charged[1]


def test_when_the_one_asked_for_fails_the_usual_ranking_serves(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page says who failed, names no configuration, and pays nobody."""
    usual = engine.search(image(engine, "1"))
    broken(monkeypatch, *FIVE)
    page = engine.search(image(engine, "1"), configuration=FIVE[1])
    assert page.configuration == ""
    assert page.dropped == (FIVE[1],)
    assert page.unconfigured == f"{FIVE[1]} failed"
    assert usual.unconfigured == ""
    assert [h.image_id for h in page.hits] == [h.image_id for h in usual.hits]
    engine.react(page, liked=[page.hits[0]])
    assert reward(engine) is None


def test_one_that_fails_later_is_left_out_of_that_page(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The round is served as usual; what was said about the first page has been heard."""
    page = engine.search(image(engine, "1"), configuration=FIVE[2])
    broken(monkeypatch, *FIVE)
    after = engine.react(page, liked=[page.hits[2]])
    assert after.configuration == ""
    assert after.dropped == (page.configuration,)
    assert after.unconfigured == f"{page.configuration} failed"
    assert page.unconfigured == ""


def test_a_picture_without_words_is_ranked_as_usual(engine: Engine) -> None:
    """No configuration can compare it; none is blamed."""
    page = engine.search(image(engine, "blank"), configuration="auto")
    assert (page.configuration, page.dropped) == ("", ())
    assert "without visual words" in page.unconfigured
    assert len(page.hits) == 16


def test_unknown_names_and_contradictions_are_refused(engine: Engine, tmp_path: Path) -> None:
    """Each with the thing and the next step."""
    query = image(engine, "1")
    with pytest.raises(UnknownName, match="did you mean 'akm-large:binary"):
        engine.search(query, configuration="akm-large:binary,l1,l2")
    with pytest.raises(InvalidInput, match="by itself"):
        engine.search(query, configuration="auto", expert="plain")
    with pytest.raises(InvalidInput, match="by itself"):
        engine.search(query, configuration="auto", schemes=["lbp:l1"])
    page = engine.search(query, configuration="auto", k=2)
    with pytest.raises(NotFound, match="no page"):
        engine.react("0" * 32, liked=[query])
    with pytest.raises(NotShown):
        engine.react(page, liked=[image(engine, "blank")])
    assert chooser(engine).rounds == 0


def test_without_words_there_is_nothing_to_choose_from(shelf: Path, tmp_path: Path) -> None:
    """The report is empty, a search says what to do, and so does a training."""
    with Engine(tmp_path / "plain.saccade", warm=False) as engine:
        engine.add(shelf, recipe="lbp")
        assert engine.configurations.show().configurations == ()
        with pytest.raises(NotFound, match="no visual words"):
            engine.search(engine.images()[0].image_id, configuration="auto")
        with pytest.raises(NotFound, match="vocabulary"):
            engine.configurations.train()


SOUND = Reward(AUTO, SIX, (0, 1), (0.5, 0.25), 1)


@pytest.mark.parametrize(
    "change",
    [
        {"served": -1},
        {"served": 2},
        {"losses": (0.5, 1.5)},
        {"losses": (-0.1, 0.5)},
        {"losses": (0.5, float("nan"))},
        {"losses": ()},
        {"asked": (1, 6)},
        {"asked": (-1, 1)},
        {"asked": (1, 1)},
        {"asked": (0, 1, 2)},
        {"family": ("a", "a")},
        {"family": ()},
        {"chooser": "nobody"},
    ],
)
def test_a_reward_that_cannot_be_teaches_nothing(engine: Engine, change: dict[str, Any]) -> None:
    """A loss out of range, a configuration that is not there: the log is folded all the same."""
    page = engine.search(image(engine, "1"), configuration="auto")
    engine.react(page, liked=[page.hits[0]])
    line: Entry = log_of(engine)[-1]
    assert isinstance(line.record, Reacted)
    for given, rounds in ((SOUND, 1), (replace(SOUND, **change), 0)):
        fold = ChooserFold(engine.recipe)
        record = replace(line.record, attached={NAME: given.encode()})
        fold.apply(replace(line, record=record), models_of(engine).axis)
        assert fold.of(AUTO, SIX).rounds == rounds
    assert fold.dump() == ({}, {})


def test_a_page_that_says_nothing_of_a_chooser_is_not_rewarded() -> None:
    """Marks on it still teach everything else."""
    places = np.array([[1, 9], [2, 3]], np.int32)
    choice = Choice(FIVE[0], AUTO, SIX, (0, 1), places=places)
    said = Judged(("b",), ())
    assert rewarded(replace(choice, chooser=""), ("a", "b"), said) is None
    assert rewarded(choice, ("a", "b"), Judged(("z",), ())) is None
    assert rewarded(replace(choice, places=None), ("a", "b"), said) is None
    found = rewarded(choice, ("a", "b"), said)
    assert found == Reward(AUTO, SIX, (0, 1), (0.01, 0.02), 1)


def test_rewards_stay_in_their_store(opens: Opens, made: Path, tmp_path: Path) -> None:
    """An imported profile brings lessons; what a chooser was paid elsewhere stays there."""
    engine = opens()
    page = engine.search(image(engine, "1"), configuration="auto", user="ana")
    engine.react(page, liked=[page.hits[1]], disliked=[page.hits[0]])
    store = Path(shutil.copytree(made, tmp_path / "other.saccade"))
    with Engine(store, warm=False) as other:
        assert other.people.import_("ana", engine.people.export("ana")) == 1
        assert other.people.show("ana").pairs == engine.people.show("ana").pairs > 0
        assert chooser(other).rounds == 0


def test_a_picture_from_outside_is_assigned_once_by_each_vocabulary(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A vote of twenty needs a picture's words by each of four vocabularies, and no more often."""
    store = Path(shutil.copytree(trained, tmp_path / "copy.saccade"))
    asked: list[str] = []
    sound = Vocabulary.assign

    def assign(self: Vocabulary, descriptors: Any) -> Any:
        asked.append(self.digest)
        return sound(self, descriptors)

    with Engine(store, warm=False) as engine:
        monkeypatch.setattr(Vocabulary, "assign", assign)
        page = engine.search(seen_from(cover(4), degrees=-8, scale=1.0), configuration="vote")
        assert Path(page.hits[0].path).stem in ("4", "4-again")
        assert len(asked) == len(set(asked)) == 4
        engine.react(page, liked=[page.hits[0]])
        assert len(asked) == 4
