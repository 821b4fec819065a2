"""The pictures, regions and figures of the study of Hu, Li & Yu."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from saccade.engine import open as open_store
from saccade.errors import InvalidInput
from saccade.images.picture import ArrayPicture
from saccade.rankers.bag_tuning import SHARPNESS
from saccade.studies.collection import opened
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.hu2008 import (
    claims,
    gallery,
    keywords,
    maps,
    online,
    pictures,
    pooling,
    ranking,
    regions,
)
from saccade.studies.hu2008.pictures import GOOD, JUNK, MASKS, OK, Plan, halves, plans, render
from saccade.studies.hu2008.regions import DescribedPicture
from saccade.studies.results import NotMeasured, Part, Results
from saccade.testbed import datasets, worlds

QUICK = Options(quick=True)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small world with the masks of its objects."""
    folder = tmp_path_factory.mktemp("hu2008") / "world"
    worlds.write(folder, images=18 * 4, seed=8, size=(96, 72), masks=folder / MASKS)
    return folder


@pytest.fixture(scope="module")
def photographs(drawn: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pictures without their masks, as a set of photographs is."""
    folder = tmp_path_factory.mktemp("photographs")
    for name in ("fish", "fruit", "vases", "houses"):
        shutil.copytree(drawn / name, folder / name)
    return folder


def test_photographs_are_listed_as_a_typed_word_finds_them(
    photographs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the word search's order; graded by class and by how much of it there is to see."""
    monkeypatch.setattr(keywords, "LEAST", 1)
    monkeypatch.setattr(  # here and now: starting a crew costs more than so few pictures
        regions, "map_tasks", lambda name, tasks, workers: ((t, regions.describe(t)) for t in tasks)
    )
    data = Data("set", str(photographs), str(tmp_path / "set.saccade"))
    assert regions.prepare(data, QUICK, lambda text: None) == []
    dataset = datasets.load(photographs)
    label = dict(zip(map(str, dataset.files), dataset.labels, strict=True))
    wanted = regions.planned(data, QUICK)
    assert {plan.concept for plan in wanted} <= set(dataset.classes)
    with opened(data, QUICK) as images, open_store(data.store, create=False) as engine:
        for concept in {plan.concept for plan in wanted}:
            mine = [plan for plan in wanted if plan.concept == concept]
            order = [images.files[i] for i in keywords.ordered(engine, images, concept)]
            assert [plan.file for plan in mine] == [f for f in order if f in {p.file for p in mine}]
            assert all((label[p.file] == concept) == (p.grade > JUNK) for p in mine)
            assert len({plan.file for plan in mine}) == len(mine)
    monkeypatch.setattr(keywords, "enough", lambda plans: True)
    regions.load.cache_clear()
    for concept, listed in regions.load(data, QUICK).items():
        mine = [one for one in listed if label[one.plan.file] == concept]
        bar = np.median([one.thing for one in mine])
        for one in listed:
            grade = (GOOD if one.thing >= bar else OK) if one in mine else JUNK
            assert one.plan.grade == grade
            assert not len(one.inside), "an estimate is no mask"
    regions.load.cache_clear()


def test_a_list_has_the_class_what_the_word_finds_beside_it_and_others() -> None:
    """As many of each as there may be; the others that come first are the nearest to the word."""
    order, own = list(range(200)), np.arange(200) % 2 == 0
    some = keywords.listed(order, own, QUICK, np.random.default_rng(0))
    most, near, others = keywords.sizes(QUICK)
    wrong = [i for i in some if not own[i]]
    assert some == sorted(some)
    assert len(some) - len(wrong) == most
    assert wrong[:near] == list(range(1, 2 * near, 2))
    assert len(wrong) == near + others
    assert max(wrong) > 100


def test_a_class_covers_the_regions_that_look_like_it() -> None:
    """By their areas, and by the angle around what all have in common, which says nothing."""
    common = np.float32(5.0)
    means = common + np.array([[1, 0, 0], [0, 1, 0], [0, 0, 0]], np.float32)
    crops = common + np.array([[0.1, 0, 0], [2, 30, 0]], np.float32)
    areas = np.array([0.3, 0.7], np.float32)
    assert keywords.covered(crops, areas, means, 0) == pytest.approx(0.3, abs=0.01)
    assert keywords.covered(crops, areas, means, 1) == pytest.approx(0.7, abs=0.01)


def test_a_list_without_all_grades_is_left_out() -> None:
    """What was graded by hand is taken as it is."""
    every = [
        Plan("a", grade, f"{n}.jpg", kinds="k") for grade in (GOOD, OK, JUNK) for n in range(9)
    ]
    assert keywords.enough(every)
    assert not keywords.enough([plan for plan in every if plan.grade != OK])
    assert keywords.enough([Plan("a", GOOD, "1.jpg")])


def test_names_that_nobody_can_type_are_refused(photographs: Path, tmp_path: Path) -> None:
    """The sentence says what would help."""
    shutil.copytree(photographs / "fish", tmp_path / "set" / "xqzzyv")
    shutil.copytree(photographs / "fruit", tmp_path / "set" / "qqwwz")
    data = Data("set", str(tmp_path / "set"), str(tmp_path / "set.saccade"))
    with pytest.raises(InvalidInput, match="no class has a name that can be typed"):
        regions.prepare(data, QUICK, lambda text: None)


def test_worlds_put_objects_into_scenes_that_say_nothing(drawn: Path) -> None:
    """Right and large, right and small, or wrong and large; the scene is of no concept."""
    found = plans(datasets.load(drawn), QUICK)
    for plan in found:
        own = Path(plan.file).parent.name
        assert (own == plan.concept) == (plan.grade > JUNK)
        assert plan.large == (plan.grade != OK)
        assert Path(plan.onto).parent.name not in pictures.OBJECTS
        assert Path(plan.mask).exists()
    good, ok, junk = (
        [render(plan) for plan in [one for one in found if one.grade == grade][:6]]
        for grade in (GOOD, OK, JUNK)
    )
    assert [mask for _, mask in junk] == [None] * 6
    assert all(mask.shape == picture.rgb.shape[:2] for picture, mask in good + ok)
    large, small = (np.mean([mask.mean() for _, mask in some]) for some in (good, ok))
    assert large > 2 * small


def test_a_table_with_grades_is_taken_as_it_stands(drawn: Path, tmp_path: Path) -> None:
    """Good, intermediate and junk are 3, 2 and 1."""
    shutil.copytree(drawn / "fish", tmp_path / "fish")
    names = sorted(path.name for path in (drawn / "fish").iterdir())[:3]
    rows = [f"fish/{name},fish,{g}" for name, g in zip(names, ("good", "ok", "junk"), strict=True)]
    (tmp_path / "labels.csv").write_text("file,class,grade\n" + "\n".join(rows) + "\n")
    found = plans(datasets.load(tmp_path), QUICK)
    assert [(plan.concept, plan.grade, plan.onto) for plan in found] == [
        ("fish", GOOD, ""),
        ("fish", OK, ""),
        ("fish", JUNK, ""),
    ]


def test_a_thing_is_pasted_where_its_mask_says(tmp_path: Path) -> None:
    """Inside the mask the thing's colour, outside the other picture's."""
    red, blue = np.zeros((2, 60, 80, 3), np.uint8)
    red[:, :, 2], blue[:, :, 0] = 255, 255  # OpenCV writes blue first
    mask = np.zeros((60, 80), np.uint8)
    mask[10:40, 20:60] = 255
    for name, pixels in (("red", red), ("blue", blue), ("mask", mask)):
        cv2.imwrite(str(tmp_path / f"{name}.png"), pixels)
    paths = {name: str(tmp_path / f"{name}.png") for name in ("red", "blue", "mask")}
    plan = Plan("x", GOOD, paths["red"], paths["mask"], paths["blue"], True, 3)
    picture, where = render(plan)
    assert 0.4 < where.any(axis=1).mean() < 0.95
    assert (picture.rgb[where][:, 0] > 200).all()
    assert (picture.rgb[~where][:, 2] > 200).all()


def test_halves_share_nothing_and_depend_on_the_seed() -> None:
    """A random half each, all pictures once."""
    train, test = halves([1] * 11, seed=4)
    assert sorted([*train, *test]) == list(range(11))
    assert len(train) == 6
    assert halves([1] * 11, seed=5)[0].tolist() != train.tolist()


def test_too_few_pictures_are_refused(drawn: Path, tmp_path: Path) -> None:
    """The sentence names the concept and what there is."""
    shutil.copytree(drawn / MASKS, tmp_path / MASKS)
    for name in ("fish", "fruit", "clouds"):
        (tmp_path / name).mkdir()
        for number in range(2):
            image = np.full((20, 20, 3), 40 * number, np.uint8)
            cv2.imwrite(str(tmp_path / name / f"{number}.png"), image)
    with pytest.raises(InvalidInput, match="concept 'fish': 2 pictures of it and 2 others"):
        plans(datasets.load(tmp_path), QUICK)


def described(plan: Plan, rows, inside=(), areas=None) -> DescribedPicture:
    rows = np.array(rows, np.float32)
    areas = np.full(len(rows), 1 / len(rows)) if areas is None else np.array(areas)
    return DescribedPicture(
        plan, rows, rows, rows.mean(axis=0), areas.astype(np.float32),
        np.array(inside, np.float32), 0.25, 0.1,
    )  # fmt: skip


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> dict[str, tuple[DescribedPicture, ...]]:
    """A concept whose good pictures have one region that is better, and lies in the thing."""
    rng = np.random.default_rng(0)
    found = []
    for number in range(60):
        grade = 1 + number % 3
        rows = rng.standard_normal((6, 4))
        rows[2, 0] += 2.5 * (grade - 1)
        plan = Plan("fish", grade, f"{number:02d}.jpg")
        found.append(described(plan, rows, inside=[0, 0, 1, 0, 0, 0] if grade > 1 else ()))
    concepts = {"fish": tuple(found)}
    for module in (ranking, maps, online, pooling, gallery):
        monkeypatch.setattr(module, "load", lambda data, options: concepts)
    return concepts


def task(system: str) -> Task:
    data = Data("set", "", "")
    return Task("hu2008", "e", "m:f", system, data, 1, "all", ("ap",), QUICK)


def values(outcome, measure: str) -> list[float]:
    return next(list(one.values) for one in outcome.series if one.measure == measure)


# How well each must do on so little; nothing is asked of RankSVM.
_LEAST = {"given": 0.0, "ranksvm": 0.0}
_MOST = {"given": 0.6}


@pytest.mark.parametrize("system", ranking.SYSTEMS)
def test_every_system_ranks_the_left_out_half(planted, system: str) -> None:
    """Learners put good pictures first; the given order, which says nothing, does not."""
    found = ranking.table(task(system))
    (precision,) = values(found, "ap")
    assert found.series[0].queries == ["fish"]
    assert _LEAST.get(system, 0.65) < precision <= _MOST.get(system, 1.0)
    assert 0 < values(found, "ndcg@5")[0] <= 1
    assert (found.notes["settings"]["fish"] == {}) == (system == "given")


@pytest.fixture
def spread_out(planted, monkeypatch: pytest.MonkeyPatch) -> None:
    """A concept whose good pictures are a little better everywhere, under much noise."""
    rng = np.random.default_rng(3)
    found = []
    for number in range(80):
        grade = 1 + number % 3
        rows = rng.standard_normal((9, 6))
        rows[:, 0] += 0.45 * (grade - 1)
        found.append(described(Plan("sea", grade, f"{number:02d}.jpg"), rows))
    for module in (ranking, pooling):
        monkeypatch.setattr(module, "load", lambda data, options: {"sea": tuple(found)})


def test_the_quick_settings_let_softmax_be_as_soft_as_the_average(spread_out) -> None:
    """Where all of a picture counts, two folds find a C so small that softmax is the mean."""
    precision = {s: values(ranking.table(task(s)), "ap")[0] for s in ("mi-average", "mi-softmax")}
    assert precision["mi-softmax"] > precision["mi-average"] - 0.02
    assert min(ranking.grid(quick=True)["costs"]) == min(ranking.grid(quick=False)["costs"])


def test_a_chosen_sharpness_is_told(spread_out) -> None:
    """Where all of a picture counts the folds take none as sharp as the paper's."""
    found = ranking.table(task("mi-softmax + eta"))
    assert found.notes["settings"]["sea"]["eta"] in SHARPNESS[:-1]
    assert "eta" not in ranking.table(task("mi-softmax")).notes["settings"]["sea"]


def test_pooling_tells_a_spread_out_goodness_from_one_region(planted) -> None:
    """One f pooled in three ways: each ranker's own way gives the figure of Table 1."""
    own = {"mi-average": "by the mean", "mi-max": "by the best", "mi-softmax": "by softmax"}
    grades = np.array([one.plan.grade for one in planted["fish"]])
    bags, (train, _) = [one.rows for one in planted["fish"]], halves(grades.tolist(), 1)
    for system, way in own.items():
        apart, whole = pooling.measure(task(system)), ranking.table(task(system))
        assert values(apart, way) == pytest.approx(values(whole, "ap"), abs=1e-9)
        model, _ = ranking.fitted(system, bags, grades, train, quick=True)
        known = ranking.judged(model.score_bags([bags[i] for i in train]), grades[train])["ap"]
        assert values(apart, pooling.TRAINING) == pytest.approx([known])
    found = pooling.measure(task("mi-softmax"))
    assert values(found, "by softmax")[0] > values(found, "by the mean")[0]


def test_goodness_that_is_spread_out_is_lost_by_the_best_region(spread_out) -> None:
    """The same scores say more by their mean than by their best."""
    found = pooling.measure(task("mi-average"))
    assert values(found, "by the mean")[0] > values(found, "by the best")[0] + 0.05
    above = values(found, pooling.ABOVE_JUNK)[0]
    assert above > values(found, pooling.ABOVE_OK)[0]


def told(experiment: str, system: str, measure: str, value: float, **notes) -> Part:
    data = Data("sea", "", "")
    made = Task("hu2008", experiment, "m:f", system, data, 0, "all", ("ap",), QUICK)
    names = [f"concept {number}" for number in range(10)]
    about = {"pictures": dict.fromkeys(names, 40), **notes}
    return Part(made, Outcome([Series(measure, [value] * 10, queries=names)], about))


def test_a_softmax_that_falls_behind_says_why_in_figures() -> None:
    """Verdict and reason follow the results, one way and the other."""
    for mean, softmax, kind in ((0.8, 0.6, "does not hold"), (0.6, 0.6, "no difference"),
                                (0.6, 0.8, "holds")):  # fmt: skip
        results = Results(
            [
                told("table-1", "mi-average", "ap", mean),
                told("table-1", "mi-max", "ap", 0.5),
                told("table-1", "mi-softmax", "ap", softmax),
                told("pooling", "mi-softmax", "by the mean", 0.7),
                told("pooling", "mi-softmax", "by softmax", softmax),
                told("pooling", "mi-softmax", pooling.TRAINING, 0.95),
                told("pooling", "mi-average", pooling.TRAINING, 0.9),
            ]
        )
        verdict = claims.softmax_leads(results)
        assert verdict.kind == kind
        said = "0.600 pooled its own way and 0.700 by the mean" in verdict.why
        assert said is (kind != "holds")
        assert verdict.here == "sea: 10 concepts of 40 to 40 pictures, 1 random halves"


@pytest.mark.parametrize("right", [0.6, 0.2])
def test_a_map_that_misses_says_how_often_its_best_region_was_right(right: float) -> None:
    """Less of the relevance inside than of the saliency, with the best region right or not."""
    share = {"mi-softmax": 0.2, "saliency": 0.25, "area": 0.1}
    found = [told("figure-4", s, maps.MEASURE, value) for s, value in share.items()]
    found += [
        told("figure-4", "mi-softmax", maps.HITS, right),
        told("figure-4", "area", maps.HITS, 0.3),
    ]
    verdict = claims.region_found(Results(found))
    assert verdict.kind == "does not hold"
    assert f"{right:.0%} of the pictures, one drawn by chance in 30%" in verdict.why


def test_without_masks_nothing_is_said_about_where_a_thing_is() -> None:
    """Photographs have none: the claim is not measured."""
    systems = ("mi-softmax", "saliency", "area")
    empty = [replace(told("figure-4", s, maps.MEASURE, 0.0), outcome=Outcome([])) for s in systems]
    with pytest.raises(NotMeasured, match="masks of the thing was not run"):
        claims.region_found(Results(empty))


def test_how_often_each_sharpness_was_chosen_is_told() -> None:
    """With η chosen softmax must keep up with the average."""
    for value, kind in ((0.79, "holds"), (0.7, "does not hold")):
        settings = {"a": {"eta": 0.25}, "b": {"eta": 4.0}, "c": {"eta": 0.25}}
        parts = [
            told("table-1", "mi-softmax + eta", "ap", value, settings=settings),
            told("table-1", "mi-softmax", "ap", 0.75),
            told("table-1", "mi-average", "ap", 0.795),
        ]
        verdict = claims.eta_pays(Results(parts))
        assert verdict.kind == kind
        assert "η 0.25 in 2, η 4 in 1" in verdict.figure


def test_the_gallery_shows_pictures_of_the_judged_half(drawn: Path) -> None:
    """Two good ones and a middling one of each concept, three panels each, none learned from."""
    wanted = [p for p in plans(datasets.load(drawn), QUICK) if p.concept == "fruit"]
    found = {"fruit": tuple(regions.describe(wanted))}
    shown: list[Plan] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gallery, "load", lambda data, options: found)
        patch.setattr(gallery, "render", lambda plan: (shown.append(plan), render(plan))[1])
        results = Results([told("table-1", "mi-softmax", "ap", 0.5, settings={"fruit": {}})])
        (plate,) = gallery.plates(Data("sea", "", ""), QUICK, results)
    _, test = halves([plan.grade for plan in wanted], 0)
    assert {plan.name for plan in shown} <= {wanted[i].name for i in test}
    assert {plan.grade for plan in shown} <= {GOOD, OK}
    assert plate.name == "fruit"
    assert plate.pixels.shape[0] == 160
    assert 1 <= len(shown) <= 3
    assert plate.pixels.shape[1] > len(shown) * 3 * 160 * 4 / 3


def test_only_the_training_half_is_learned_from(planted, monkeypatch) -> None:
    """Grades of the judged half reach neither the choice of settings nor the fit."""
    grades = np.array([one.plan.grade for one in planted["fish"]])
    train, test = halves(grades.tolist(), 1)
    first, settings = ranking.ranked("mi-softmax", planted["fish"], grades, train, quick=True)
    turned = grades.copy()
    turned[test] = 4 - turned[test]
    second, same = ranking.ranked("mi-softmax", planted["fish"], turned, train, quick=True)
    assert np.array_equal(first, second)
    assert settings == same


def test_judging_counts_good_for_precision_and_all_for_ndcg() -> None:
    """AP has the good ones alone; NDCG the gains 7, 3 and 1."""
    found = ranking.judged(np.array([3.0, 2.0, 1.0]), np.array([OK, GOOD, JUNK]))
    assert found["ap"] == 0.5
    worth = np.array([3, 7, 1]) / np.log2([2, 3, 4])
    best = np.array([7, 3, 1]) / np.log2([2, 3, 4])
    assert found["ndcg@5"] == pytest.approx(worth.sum() / best.sum())


def test_relevance_is_weighed_by_area_and_truth() -> None:
    """Worked: relevance 1, ½, 0 on shares .2, .3, .5, the first two half and wholly inside."""
    plan = Plan("fish", GOOD, "x")
    one = described(plan, np.zeros((3, 2)), inside=[0.5, 1.0, 1.0], areas=[0.2, 0.3, 0.5])
    relevance = np.array([1.0, 0.5, 0.0])
    assert maps._share(one, relevance) == pytest.approx((0.1 + 0.15) / 0.35)
    assert maps._best(one, relevance) == 0.0
    assert maps._best(one, relevance[::-1]) == 1.0


def test_the_region_that_counts_is_found(planted) -> None:
    """More of softmax's relevance lies in the thing than of the area or of the saliency."""
    share = {s: values(maps.measure(task(s)), maps.MEASURE)[0] for s in maps.SYSTEMS[:5]}
    assert share["area"] == pytest.approx(1 / 6, abs=1e-6)
    assert share["saliency"] == 0.25
    assert share["mi-softmax"] > 0.3
    assert values(maps.measure(task("mi-softmax")), maps.HITS)[0] > 0.7


@pytest.mark.parametrize("system", online.SYSTEMS)
def test_more_preferences_rank_better(planted, system: str) -> None:
    """The curve ends above its start."""
    (found,) = online.measure(task(system)).series
    assert list(found.at) == [1.0, 10.0, 100.0]
    assert found.values[-1] > found.values[0]


def test_regions_are_described_once_and_read_back(drawn: Path, tmp_path: Path) -> None:
    """What comes back from disk is what was described; other plans are another file."""
    wanted = plans(datasets.load(drawn), QUICK)[:3]
    found = regions.describe(wanted)
    data = Data("set", str(drawn), str(tmp_path / "set.saccade"))
    regions._save(regions._file(data, wanted), found)
    assert regions._file(data, wanted) != regions._file(data, wanted[:2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "plans", lambda dataset, options: wanted)
        regions.load.cache_clear()
        back = [one for some in regions.load(data, QUICK).values() for one in some]
        regions.load.cache_clear()
    for one, again in zip(found, back, strict=True):
        assert again.plan == one.plan
        assert np.array_equal(again.rows, one.rows)
        assert np.array_equal(again.inside, one.inside)
        assert np.allclose(again.crops, one.crops, atol=1e-2)
        assert len(one.rows) == len(one.crops) == len(one.areas)
        assert one.areas.sum() == pytest.approx(1.0)
        assert again.thing == pytest.approx(one.thing, nan_ok=True)


def test_regions_know_how_much_of_them_is_the_thing(drawn: Path) -> None:
    """Weighed by area, the shares add up to the thing's share of the picture."""
    wanted = [p for p in plans(datasets.load(drawn), QUICK) if p.grade == GOOD][:1]
    (one,) = regions.describe(wanted)
    assert (one.inside * one.areas).sum() == pytest.approx(one.thing, abs=0.01)
    assert 0 < one.salient < 1
    assert ArrayPicture(render(wanted[0])[0].rgb).rgb.shape == (72, 96, 3)
