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
from inside import collection_of, kill, log_of, models_of, store_of
from saccade import choosers
from saccade.choosers import losses
from saccade.engine import Engine
from saccade.engine.choice import BANDIT, EXPERT, Choice, Reward, rewarded
from saccade.engine.events import Entry, Reacted, Shown, entry
from saccade.engine.learning.choosing import Choosers
from saccade.engine.sources import configurations
from saccade.errors import InvalidInput, NotFound, NotShown, UnknownName
from saccade.feedback.preferences import Judged
from saccade.types import ChooserReport, Page
from saccade.words.configurations import VOCABULARIES, Bank
from saccade.words.five_ways import WAYS
from saccade.words.vocabulary import Vocabulary

FIVE = tuple(f"akm-large:{way}" for way in WAYS)


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
        engine.choosers.train()
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


def chooser(engine: Engine, name: str = BANDIT) -> ChooserReport:
    return next(c for c in engine.choosers.report().choosers if c.chooser == name)


def shown(engine: Engine, page: Page) -> Shown:
    line = store_of(engine).log.page(page.page_id, "shown")
    assert line is not None
    record = entry(line).record
    assert isinstance(record, Shown)
    return record


def reward(engine: Engine) -> Reward | None:
    record = log_of(engine)[-1].record
    assert isinstance(record, Reacted)
    return record.reward


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
    report = engine.choosers.report()
    assert report.configurations == FIVE
    assert report.vocabularies == {"akm-large": engine.words().info().size}
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
        report = engine.choosers.report()
        assert len(report.configurations) == 20
        assert set(report.vocabularies) == set(VOCABULARIES)
        assert report.configurations[0] == FIVE[0], "until something is known, the store's own"
        before = sorted((store / "words").glob("*.npz"))
        assert engine.choosers.train() == report.vocabularies
        assert sorted((store / "words").glob("*.npz")) == before
        assert engine.doctor() == ()
        query = image(engine, "2")
        firsts = {
            name: Path(engine.search(query, configuration=name, k=1).hits[0].path).stem
            for name in report.configurations
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
        assert {one.made for one in view.vocabularies.values()} == {which == "trained"}


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
        assert engine.doctor() == ()
        page = engine.search(image(engine, "70"), configuration=name)
        assert Path(page.hits[0].path).stem == "70-again"


def test_the_doctor_makes_lost_vocabularies_again(trained: Path, tmp_path: Path) -> None:
    """A lost file is named and made again from the local features."""
    store = Path(shutil.copytree(trained, tmp_path / "copy.saccade"))
    with Engine(store, warm=False) as engine:
        own = engine.words().info().digest
    for file in (store / "words").glob("*.npz"):
        if file.stem != own:
            file.unlink()
    with Engine(store, warm=False) as engine:
        assert len(engine.choosers.report().configurations) == 5, "the others serve meanwhile"
        places = {finding.place for finding in engine.doctor()}
        assert places == {f"words/bags/{name}" for name in VOCABULARIES if name != "akm-large"}
        assert all(finding.repaired for finding in engine.doctor(repair=True))
        assert engine.doctor() == ()
        assert len(engine.choosers.report().configurations) == 20


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
        assert len(engine.choosers.report().configurations) == 15
        assert any("words/bags/akm-small" in finding.place for finding in engine.doctor())
        engine.doctor(repair=True)
        assert engine.doctor() == ()
        assert len(engine.choosers.report().configurations) == 20


def test_another_own_vocabulary_leaves_the_further_ones(trained: Path, tmp_path: Path) -> None:
    """`words train` replaces the store's own vocabulary and no other."""
    store = Path(shutil.copytree(trained, tmp_path / "copy.saccade"))
    with Engine(store, warm=False) as engine:
        engine.words().train(size=50)
        report = engine.choosers.report()
        assert report.vocabularies["akm-large"] == 50
        assert len(report.configurations) == 20
        assert engine.doctor() == ()


# -- who chooses, and what the log keeps -------------------------------------------------------


def test_the_page_and_its_event_say_which_and_with_what_chance(engine: Engine) -> None:
    """What was drawn, its probability, and where it had each picture are in the log."""
    page = engine.search(image(engine, "1"), configuration="auto", k=6)
    record = shown(engine, page)
    assert page.configuration in FIVE
    assert record.propensity == page.propensity
    assert record.choice is not None
    assert record.choice.names == (page.configuration,)
    assert record.choice.family == FIVE
    assert record.places is not None
    assert record.places[:, 0].tolist() == [1, 2, 3, 4, 5, 6]
    assert page.hits[0].why == {page.configuration: page.hits[0].score}


def test_the_bandit_learns_by_the_pages_own_probability(engine: Engine) -> None:
    """However late: the chooser is what a bandit is that hears each page's chance with its loss."""
    by_hand = choosers.make(BANDIT, experts=5)
    pages = [engine.search(image(engine, str(n)), configuration="auto") for n in range(6)]
    for number, page in enumerate(pages):
        marked = page.hits[number]
        engine.react(page, liked=[marked])
        arm = FIVE.index(page.configuration)
        by_hand.update(arm, number / 100, probability=page.propensity)
    assert {page.propensity for page in pages} != {1.0}
    told = chooser(engine)
    assert told.rounds == 6
    assert [c.weight for c in told.configurations] == by_hand.weights.tolist()
    assert told.history.rounds == (0, 1, 2, 3, 4, 5, 6)


def test_wrong_first_costs_most_and_right_first_costs_nothing(engine: Engine) -> None:
    """A ✓ costs how far down it stands, a ✕ how far up."""
    page = engine.search(image(engine, "1"), configuration="auto")
    engine.react(page, disliked=[page.hits[0]])
    found = reward(engine)
    assert found is not None
    assert found.losses == (1.0,)
    page = engine.search(image(engine, "1"), configuration="auto")
    engine.react(page, liked=[page.hits[0]], disliked=[page.hits[10]])
    found = reward(engine)
    assert found is not None
    assert found.losses == pytest.approx((0.45,))


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


def test_the_choice_stays_through_a_session(engine: Engine) -> None:
    """Marks join the query of the same configuration; parts add up to the score."""
    page = engine.search(image(engine, "1"), configuration="auto", k=17)
    after = engine.react(page, liked=[page.hits[3]], disliked=[page.hits[0]])
    assert after.configuration == page.configuration
    assert after.hits[0].image_id == page.hits[3].image_id
    assert after.hits[-1].image_id == page.hits[0].image_id
    for hit in after.hits:
        assert sum(hit.why.values()) == pytest.approx(hit.score)
    served = [hit.score for hit in after.hits]
    assert served == sorted(served, reverse=True), "the parts add up to what ranked them"
    assert [h.image_id for h in after.hits[1:-1]] != [
        h.image_id for h in page.hits if h.image_id not in {page.hits[0], page.hits[3]}
    ]


def test_places_are_those_before_any_mark(engine: Engine) -> None:
    """However marks move the page, a chooser is paid by what the query alone had given."""
    page = engine.search(image(engine, "1"), configuration="auto", k=17)
    after = engine.react(page, liked=[page.hits[5]], disliked=[page.hits[0]])
    first = {hit.image_id: place for place, hit in enumerate(page.hits, 1)}
    record = shown(engine, after)
    assert record.places is not None
    assert record.places[:, 0].tolist() == [first[hit.image_id] for hit in after.hits]
    assert [hit.image_id for hit in after.hits] != list(first)


def test_geometry_keeps_out_unless_it_is_asked(engine: Engine) -> None:
    """A configuration's page has its own order; `verify` puts the check on top."""
    page = engine.search(image(engine, "1"), configuration="auto")
    assert {hit.inliers for hit in page.hits} == {None}
    assert shown(engine, page).verify == 0
    assert shown(engine, engine.search(image(engine, "1"))).verify != 0
    checked = engine.search(image(engine, "1"), configuration="auto", verify=3)
    assert sum(hit.inliers is not None for hit in checked.hits) == 3


def test_undo_and_a_changed_mark_take_the_reward_along(engine: Engine) -> None:
    """What was taken back is as if it had not been; then the next word counts."""
    fresh = engine.digest
    page = engine.search(image(engine, "1"), configuration="auto", user="ana")
    engine.react(page, liked=[page.hits[0]])
    engine.undo("ana")
    assert chooser(engine).rounds == 0
    assert engine.digest == fresh
    engine.react(page, liked=[page.hits[0]])
    engine.react(page, disliked=[page.hits[0]])
    told = chooser(engine)
    assert told.rounds == 1, "the second word replaced the first"
    assert told.loss == 1.0
    assert engine.digest == engine.replay()


def test_forgetting_a_person_takes_their_rewards(engine: Engine) -> None:
    """Forgotten, nothing they said is in the chooser; others' words are."""
    page = engine.search(image(engine, "2"), configuration="auto", user="bob")
    engine.react(page, liked=[page.hits[0]])
    only = engine.digest
    page = engine.search(image(engine, "1"), configuration="auto", user="ana")
    engine.react(page, disliked=[page.hits[0]])
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
    assert models_of(second).choosers.of(BANDIT, FIVE).rounds == 1
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
    assert [c.rounds for c in engine.choosers.report().choosers] == [0, 0]
    assert models_of(engine).choosers.dump() == ({}, {})


# -- exploring ---------------------------------------------------------------------------------


def test_exploring_can_be_switched_off(engine: Engine) -> None:
    """At 0 the heaviest is served, with certainty."""
    for _ in range(12):
        page = engine.search(image(engine, "1"), configuration="auto", exploring=0.0)
        assert (page.configuration, page.explored, page.propensity) == (FIVE[0], False, 1.0)


def test_exploring_is_bounded_and_said(engine: Engine) -> None:
    """All but the heaviest have the bound together; the page says when one of them was taken."""
    pages = [
        engine.search(image(engine, "1"), configuration="auto", exploring=0.4, k=1)
        for _ in range(120)
    ]
    tried = [page for page in pages if page.explored]
    assert all(page.propensity == pytest.approx(0.1) for page in tried)
    assert all(page.propensity == pytest.approx(0.6) for page in pages if not page.explored)
    assert all((page.configuration != FIVE[0]) == page.explored for page in pages)
    assert 25 <= len(tried) <= 75
    assert len({page.configuration for page in tried}) == 4


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
    record = shown(engine, page)
    assert record.places is not None
    differs = np.flatnonzero(np.ptp(record.places, axis=1) > 0)
    engine.react(page, liked=[page.hits[differs[0]]])
    found = reward(engine)
    wanted = (record.places[differs[0]] - 1) / losses.DEPTH
    assert found is not None
    assert found.losses == pytest.approx(wanted)
    told = chooser(engine, EXPERT)
    assert told.rounds == 1
    best = np.argmin(wanted)
    assert told.configurations[best].weight == max(c.weight for c in told.configurations)
    assert [c.loss for c in told.configurations] == pytest.approx(wanted)


def test_votes_count_by_weight(engine: Engine) -> None:
    """What a configuration gives to its first picture is its weight, as it is by now."""
    for _ in range(4):
        page = engine.search(image(engine, "1"), configuration="vote", k=17)
        places = shown(engine, page).places
        assert places is not None
        engine.react(page, liked=[page.hits[int(np.ptp(places, axis=1).argmax())]])
    weights = {one.name: one.weight for one in chooser(engine, EXPERT).configurations}
    assert np.ptp(list(weights.values())) > 0.001
    page = engine.search(image(engine, "1"), configuration="vote", k=17)
    places = shown(engine, page).places
    assert places is not None
    for column, name in enumerate(FIVE):
        first = page.hits[int(places[:, column].argmin())]
        assert first.why[name] == pytest.approx(weights[name])


# -- bad input ---------------------------------------------------------------------------------


def test_a_configuration_that_raises_is_dropped_counted_and_shown(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is ranked by another one, whose chance is that among the rest."""
    broken(monkeypatch, FIVE[0], FIVE[1])
    page = engine.search(image(engine, "1"), configuration="auto", exploring=0.0)
    assert page.configuration == FIVE[2]
    assert page.dropped == (FIVE[0], FIVE[1])
    assert page.propensity == 1.0
    assert engine.choosers.report().dropped == {FIVE[0]: 1, FIVE[1]: 1}
    engine.react(page, liked=[page.hits[0]])
    assert chooser(engine).configurations[2].rounds == 1
    vote = engine.search(image(engine, "1"), configuration="vote")
    engine.react(vote, disliked=[vote.hits[0]])
    told = chooser(engine, EXPERT)
    assert set(vote.hits[0].why) <= set(FIVE[2:])
    assert vote.dropped == (FIVE[0], FIVE[1])
    assert told.configurations[0].weight == pytest.approx(0.2), (
        "who is away neither gains nor loses"
    )


def test_one_that_is_left_is_served_with_certainty(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one configuration there is nothing to explore."""
    broken(monkeypatch, *FIVE[:3], FIVE[4])
    pages = (
        engine.search(image(engine, "1"), configuration="auto", exploring=1.0, k=3)
        for _ in range(200)
    )
    page = next(page for page in pages if len(page.dropped) == 4)
    assert (page.configuration, page.propensity, page.explored) == (FIVE[3], 1.0, False)
    engine.react(page, disliked=[page.hits[0]])
    assert chooser(engine).rounds == 1


@pytest.mark.parametrize("wanted", ["auto", "vote", FIVE[1]])
def test_when_all_fail_the_usual_ranking_serves(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    """The page says who failed, names no configuration, and pays nobody."""
    usual = engine.search(image(engine, "1"), verify=0)
    broken(monkeypatch, *FIVE)
    page = engine.search(image(engine, "1"), configuration=wanted)
    assert page.configuration == ""
    assert set(page.dropped) == (set(FIVE) if wanted != FIVE[1] else {FIVE[1]})
    said = "all 5 configurations failed" if wanted != FIVE[1] else f"{FIVE[1]} failed"
    assert page.unconfigured == said
    assert usual.unconfigured == ""
    assert [h.image_id for h in page.hits] == [h.image_id for h in usual.hits]
    engine.react(page, liked=[page.hits[0]])
    assert reward(engine) is None


def test_one_that_fails_later_is_left_out_of_that_page(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The round is served as usual; what was said about the first page has been heard."""
    page = engine.search(image(engine, "1"), configuration="auto")
    broken(monkeypatch, *FIVE)
    after = engine.react(page, liked=[page.hits[2]])
    assert after.configuration == ""
    assert after.dropped == (page.configuration,)
    assert after.unconfigured == f"{page.configuration} failed"
    assert page.unconfigured == ""
    assert chooser(engine).rounds == 1


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
        engine.search(query, configuration="auto", ranker="plain")
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
        assert engine.choosers.report().configurations == ()
        with pytest.raises(NotFound, match="no visual words"):
            engine.search(engine.images()[0].image_id, configuration="auto")
        with pytest.raises(NotFound, match="vocabulary"):
            engine.choosers.train()


SOUND = Reward(BANDIT, FIVE, (1,), (0.5,), 0.25)


@pytest.mark.parametrize(
    "change",
    [
        {"probability": 0.0},
        {"probability": -0.5},
        {"probability": 1.5},
        {"probability": float("nan")},
        {"losses": (1.5,)},
        {"losses": (-0.1,)},
        {"losses": (float("nan"),)},
        {"losses": ()},
        {"asked": (5,)},
        {"asked": (-1,)},
        {"asked": (1, 1), "losses": (0.5, 0.5)},
        {"asked": (1, 2), "losses": (0.5, 0.5)},
        {"family": ("a", "a")},
        {"family": ()},
        {"chooser": "nobody"},
    ],
)
def test_a_reward_that_cannot_be_teaches_nothing(engine: Engine, change: dict[str, Any]) -> None:
    """A probability of zero, a loss out of range, an arm that is not there: the log is folded."""
    page = engine.search(image(engine, "1"), configuration="auto")
    engine.react(page, liked=[page.hits[0]])
    line: Entry = log_of(engine)[-1]
    assert isinstance(line.record, Reacted)
    for given, rounds in ((SOUND, 1), (replace(SOUND, **change), 0)):
        fold = Choosers(engine.recipe)
        fold.apply(replace(line, record=replace(line.record, reward=given)), models_of(engine).axis)
        assert fold.of(BANDIT, FIVE).rounds == rounds
    assert fold.dump() == ({}, {})


def test_a_page_with_an_impossible_chance_is_not_rewarded() -> None:
    """Marks on it still teach everything else."""
    choice, places = Choice(FIVE[1], BANDIT, FIVE, (1,)), np.array([[1], [2]], np.int32)
    said = Judged(("b",), ())
    assert rewarded(choice, places, ("a", "b"), said, 0.0) is None
    assert rewarded(choice, places, ("a", "b"), Judged(("z",), ()), 0.5) is None
    assert rewarded(None, None, ("a", "b"), said, 0.5) is None
    found = rewarded(choice, places, ("a", "b"), said, 0.5)
    assert found == Reward(BANDIT, FIVE, (1,), (0.01,), 0.5)


def test_rewards_stay_in_their_store(opens: Opens, made: Path, tmp_path: Path) -> None:
    """An imported profile brings lessons; what a chooser was paid elsewhere stays there."""
    engine = opens()
    page = engine.search(image(engine, "1"), configuration="auto", user="ana")
    engine.react(page, liked=[page.hits[1]], disliked=[page.hits[0]])
    store = Path(shutil.copytree(made, tmp_path / "other.saccade"))
    with Engine(store, warm=False) as other:
        assert other.import_profile("ana", engine.export_profile("ana")) == 1
        assert other.profile("ana").pairs == engine.profile("ana").pairs > 0
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
