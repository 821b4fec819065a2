"""Li et al. 2012: queries and folds, sets of features, selection, printed numbers, claims."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade import rankers
from saccade.errors import InvalidInput
from saccade.rankers import selection
from saccade.rankers.baselines import Uniform
from saccade.rankers.scaling import Scaling
from saccade.rankers.tuning import GRIDS
from saccade.studies import collection, load
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.li2012 import dimensions, figures, lists, printed
from saccade.studies.results import Part, Results
from saccade.studies.truth import asked
from saccade.testbed.datasets import Dataset, GradedQuery
from toy_images import toy_images

OPTIONS = Options(quick=True)


@pytest.fixture
def task(monkeypatch: pytest.MonkeyPatch) -> Any:
    images = toy_images()
    monkeypatch.setattr(collection, "_images", lambda data, options: images)
    for cache in (lists.lists, dimensions.ranked):
        cache.cache_clear()
    yield Task(
        "li2012", "x", "", "VSM", Data("toy", "", ""), 0, "fold 2", figures.MEASURES, OPTIONS
    )
    for cache in (lists.lists, dimensions.ranked):
        cache.cache_clear()


def test_queries_come_from_all_classes_in_turn() -> None:
    """Ten queries of four classes: two or three of each; each grades its own class, not itself."""
    images = toy_images(distractors=3)
    found = asked(images, count=10, seed=0)
    per_class = np.bincount([images.labels[one.image] for one in found])
    assert sorted(per_class.tolist()) == [2, 2, 3, 3]
    for one in found:
        assert one.grades.sum() == 14
        assert one.grades[one.image] == 0
        assert (images.labels[one.grades > 0] == images.labels[one.image]).all()
    assert [one.name for one in asked(images, count=10, seed=0)] == [one.name for one in found]
    with pytest.raises(InvalidInput, match="five folds need at least five"):
        asked(images, count=4, seed=0)


def test_lists_of_a_set_keep_their_grades() -> None:
    """Rows of the set become images of the store; a query without relevant images is left out."""
    images = toy_images()
    queries = tuple(
        GradedQuery(f"q{n}", 59 - n, {0: 3, 1: 2, 59 - n: 3} if n < 5 else {}) for n in range(6)
    )
    listed = Dataset(Path("x"), (), (), layout="oxford", queries=queries)
    turned = {59 - row: row for row in range(60)}
    images = replace(images, dataset=listed, rows=images.rows[::-1].copy(), images=turned)
    found = asked(images, count=3, seed=0)
    assert [one.name for one in found] == ["q0", "q1", "q2", "q3", "q4"]
    assert found[1].image == 1  # row 58 of the set is image 1 of the store
    assert {int(i): int(found[1].grades[i]) for i in np.flatnonzero(found[1].grades)} == {
        59: 3,
        58: 2,
    }


def test_pictures_in_another_condition_are_middling() -> None:
    """By day is usual and good, by night ok; the query itself is neither."""
    images = toy_images(distractors=2)
    told = tuple("night" if row % 5 == 0 else "day" for row in range(60))
    by_day = Dataset(Path("x"), (), (), columns={"condition": told})
    for one in asked(replace(images, dataset=by_day, rows=np.append(np.arange(60), [-1, -1])),
                     count=8, seed=0):  # fmt: skip
        same = np.flatnonzero(images.labels == images.labels[one.image])
        for image in same:
            expected = 0 if image == one.image else 2 if image % 5 == 0 else 3
            assert one.grades[image] == expected
        assert set(np.delete(one.grades, same)) == {0}


def test_the_box_of_a_query_is_what_asks(task: Task, monkeypatch: Any) -> None:
    """Every list is made of the features of its query's box; with today's schemes, theirs too."""
    images, seen = toy_images(), set()
    boxes = {59 - n: (float(n), 0.0, n + 9.0, 9.0) if n else None for n in range(5)}
    queries = tuple(GradedQuery(str(p), p, {0: 3, 1: 2}, box) for p, box in boxes.items())

    def spying(compare: Any) -> Any:
        return lambda image, box=None: seen.add((image, box)) or compare(image)

    listed = replace(
        images,
        dataset=Dataset(Path("x"), (), (), layout="oxford", queries=queries),
        phi_of=spying(images.phi_of),
        features_of=spying(images.features_of),
    )
    monkeypatch.setattr(collection, "_images", lambda data, options: listed)
    for options in (OPTIONS, replace(OPTIONS, descriptors="all")):
        seen.clear()
        lists.lists.cache_clear()
        lists.lists(task.data, options, 0, 1)
        assert seen == set(boxes.items())


def test_folds_are_of_queries_and_test_lists_are_whole(task: Task, monkeypatch: Any) -> None:
    """No query is on two sides; each is tested once; training keeps all that is relevant."""
    monkeypatch.setattr(lists, "LONGEST", 30)
    # Unscaled, the last two features say which pair a row is.
    monkeypatch.setattr(Scaling, "transform", lambda self, phi, groups: np.asarray(phi))
    tested: list[int] = []
    for fold in range(1, 6):
        lists.lists.cache_clear()
        found = lists.lists(task.data, OPTIONS, 0, fold)
        train, validate, test = (
            set(part[0][:, -2].astype(int)) for part in (found.train, found.validate, found.test)
        )
        assert not train & validate
        assert not train & test
        assert not validate & test
        assert (len(train), len(validate), len(test)) == (15, 5, 5)
        tested += test
        for part, rows in ((found.train, 30), (found.test, 59), (found.validate, 59)):
            phi, grades, groups = part
            for query in np.unique(groups):
                mine = phi[groups == query]
                assert len(mine) == rows
                assert mine[0, -2] not in mine[:, -1]
                assert grades[groups == query].sum() == 14
        asking = dict.fromkeys(found.test[0][:, -2].astype(int).tolist())
        assert found.names == tuple(f"{query}.png" for query in asking)
    assert len(set(tested)) == 25


def test_each_set_of_features_is_the_first_columns(task: Task, monkeypatch: Any) -> None:
    """VSM sees one column, BOV 12, and so on; settings are tuned on validation, test is judged."""
    log: list[tuple[str, dict[str, Any], int, int]] = []
    fold = lists.lists(task.data, OPTIONS, 0, 2)

    class Spy(Uniform):
        def __init__(self, name: str, settings: Any) -> None:
            self.name, self.settings = name, settings

        def fit(self, phi: Any, grades: Any, groups: Any) -> Spy:
            log.append(("fit", self.settings, phi.shape[1], len(phi)))
            return self

        def score(self, phi: Any) -> Any:
            log.append(("score", self.settings, phi.shape[1], len(phi)))
            return phi[:, 0] * (1 if self.settings == {"C": GRIDS["ranksvm"]["C"][1]} else -1)

    monkeypatch.setattr(rankers, "make", lambda name, **settings: Spy(name, settings))
    outcome = figures.measure(replace(task, system="BOV+Sal ranksvm"))
    sizes = [len(part[1]) for part in (fold.train, fold.validate, fold.test)]
    best = {"C": GRIDS["ranksvm"]["C"][1]}
    expected = []
    for C in GRIDS["ranksvm"]["C"]:
        expected += [("fit", {"C": C}, 36, sizes[0]), ("score", {"C": C}, 36, sizes[1])]
    assert log == [*expected, ("fit", best, 36, sizes[0]), ("score", best, 36, sizes[2])]
    assert outcome.notes["settings"] == best
    log.clear()
    figures.measure(task)
    assert log == [("score", {}, 1, sizes[2])]
    assert list(figures.SETS.values()) == [12, 36, 216, 224]


def test_vsm_is_the_first_feature(task: Task) -> None:
    """tf-idf with cosine on the whole image leads the 224, and every measure is reported."""
    from saccade.features.li2012 import NAMES

    assert NAMES[0] == "whole:vsm"
    found = figures.measure(task)
    assert [one.measure for one in found.series] == ["map", "ndcg@10", "ndcg@50", "ndcg@100"]
    assert all(len(one.values) == 5 for one in found.series)
    fold = lists.lists(task.data, OPTIONS, 0, 2)
    from saccade.testbed.measures import evaluate

    expected = evaluate(["map"], fold.test[0][:, 0], *fold.test[1:]).mean["map"]
    assert np.mean(found.series[0].values) == pytest.approx(expected, abs=1e-5)


def test_selection_is_made_on_training_lists_and_nested(task: Task, monkeypatch: Any) -> None:
    """The 12 best are the first of the 36 best; grades of validation and test play no part."""
    seen: list[int] = []
    fold = lists.lists(task.data, OPTIONS, 0, 2)
    true = selection.Greedy.fit

    def fit(self: Any, phi: Any, grades: Any, groups: Any) -> Any:
        seen.append(len(phi))
        return true(self, phi, grades, groups)

    monkeypatch.setattr(dimensions.Greedy, "fit", fit)
    widths: list[int] = []
    made = rankers.make

    def make(name: str, **settings: Any) -> Any:
        model = made(name, **settings)
        learn = model.fit
        model.fit = lambda phi, *rest: (widths.append(phi.shape[1]), learn(phi, *rest))[1]
        return model

    monkeypatch.setattr(rankers, "make", make)
    outcome = dimensions.measure(replace(task, system="greedy ranksvm"))
    assert seen == [len(fold.train[1])]
    assert widths[-3:] == [12, 36, 224]
    assert outcome.series[0].at == [12] * 5 + [36] * 5 + [224] * 5
    assert len(set(outcome.notes["chosen"])) == 36
    # Features that know the class come before those that shout or say nothing.
    assert np.mean([column % 4 in (0, 1) for column in outcome.notes["chosen"][:12]]) > 0.7


def test_axes_are_those_of_the_training_rows(task: Task, monkeypatch: Any) -> None:
    """PCA sees no row of a validation or test query."""
    fold = lists.lists(task.data, OPTIONS, 0, 2)
    seen: list[Any] = []
    true = selection.PrincipalAxes.fit

    def fit(self: Any, phi: Any, grades: Any, groups: Any) -> Any:
        seen.append(phi)
        return true(self, phi, grades, groups)

    monkeypatch.setattr(dimensions.PrincipalAxes, "fit", fit)
    dimensions.measure(replace(task, system="pca ranksvm"))
    assert len(seen) == 2
    for phi in seen:
        np.testing.assert_array_equal(phi, fold.train[0])


def test_all_features_are_the_same_whichever_way(task: Task, monkeypatch: Any) -> None:
    """At 224 nothing is selected or turned: both ways have the raw features' value."""
    monkeypatch.setattr(dimensions, "dimensions", lambda options: (3, 224))
    ends = []
    for way in dimensions.WAYS:
        found = dimensions.measure(replace(task, system=f"{way} ranksvm")).series[0]
        ends.append([v for v, at in zip(found.values, found.at, strict=True) if at == 224])
    assert ends[0] == ends[1]


# Typed from the paper once more: FS then DR, PRank, RankSVM, ListNet in each.
TABLES = {
    "TABLE_3": """628 630 639 647 648 643 612  672 673 682 695 681 673 675
    643 643 652 664 686 660 643  589 602 608 616 607 615 612  624 630 635 634 636 634 675
    642 633 633 635 638 638 643""",
    "TABLE_4": """709 705 702 702 678 670 667  703 708 722 722 723 735 723
    703 725 700 701 674 667 713  623 625 637 649 645 621 667  678 677 688 692 704 715 723
    642 645 655 654 660 659 713""",
    "TABLE_5": """522 530 549 557 558 553 554  620 623 634 635 641 633 623
    623 623 632 646 636 631 638  519 522 528 531 537 533 554  611 610 615 614 617 614 623
    612 612 621 621 625 622 638""",
}


@pytest.mark.parametrize("name", TABLES)
def test_printed_numbers_are_those_of_the_paper(name: str) -> None:
    """Tables 3 to 5, cell by cell, in the order of the systems."""
    table = getattr(printed, name)
    assert tuple(table) == dimensions.SYSTEMS
    cells = [round(1000 * value) for row in table.values() for value in row]
    assert cells == [int(word) for word in TABLES[name].split()]
    assert printed.DIMENSIONS == (12, 20, 36, 50, 100, 150, 224)


def test_table_2_is_that_of_the_paper() -> None:
    """NUS-WIDE, by PRank, RankSVM and ListNet."""
    assert list(printed.TABLE_2.values()) == [
        (0.161, 0.161, 0.161), (0.147, 0.173, 0.173), (0.147, 0.182, 0.182),
    ]  # fmt: skip


QUERIES = [f"query {number}" for number in range(8)]


def results(**values: float) -> Results:
    """Both experiments with a mAP for each system and number of features."""
    data, options, parts = Data("toy", "", ""), Options(), []
    sizes = {"sizes": {"training_queries": 60, "training_rows": 100, "test_queries": 8}}
    for name in figures.SYSTEMS:
        key = name.replace(" ", "_").replace("+", "_")
        task = Task("li2012", "figures-2-4", "", name, data, 0, "fold 1", ("map",), options)
        series = Series("map", [values.get(key, 0.5)] * 8, queries=QUERIES)
        parts.append(Part(task, Outcome([series], sizes)))
    for name in dimensions.SYSTEMS:
        task = Task("li2012", "tables-3-5", "", name, data, 0, "fold 1", ("map",), options)
        low = values.get(name.replace(" ", "_"), 0.5)
        along = {12: low, 36: values.get("longer", 0.0), 224: 0.5}
        series = Series(
            "map", np.repeat(list(along.values()), 8).tolist(), queries=QUERIES * 3,
            at=np.repeat(list(along), 8).tolist(),
        )  # fmt: skip
        chosen = Series(dimensions.VALIDATION, [0.6, 0.4, 0.5], at=[12, 36, 224])
        parts.append(Part(task, Outcome([series, chosen], sizes)))
    return Results(parts)


@pytest.mark.parametrize(
    ("words", "values", "kind"),
    [
        ("VSM, by more than 10%", {"VSM": 0.4}, "holds"),
        ("VSM, by more than 10%", {"VSM": 0.4, "Total_listnet": 0.43}, "does not hold"),
        ("queries as well", {"best_feature": 0.4}, "holds"),
        ("queries as well", {"best_feature": 0.48}, "does not hold"),
        ("PRank falls behind", {"Total_prank": 0.4}, "holds"),
        ("PRank falls behind", {}, "no difference"),
        ("comparable", {"Total_listnet": 0.52}, "holds"),
        ("comparable", {"Total_listnet": 0.54}, "does not hold"),
        ("Each group", {"BOV_ranksvm": 0.3, "BOV_Sal_ranksvm": 0.4, "BOV_Sal_SP_ranksvm": 0.45},
         "holds"),
        ("Each group", {"BOV_ranksvm": 0.4}, "no difference"),
        ("Each group", {"BOV_Sal_SP_ranksvm": 0.4}, "does not hold"),
        ("more than 5%", {"greedy_prank": 0.6}, "holds"),
        ("more than 5%", {"greedy_prank": 0.51}, "does not hold"),
        # A number of features that is best on the test alone is not taken.
        ("more than 5%", {"greedy_prank": 0.51, "longer": 0.9}, "does not hold"),
        ("PCA is below", {"pca_prank": 0.4, "pca_ranksvm": 0.4}, "holds"),
        ("PCA is below", {"pca_prank": 0.8, "longer": 0.5}, "does not hold"),
        ("VSM by more than 17%", {"VSM": 0.4}, "holds"),
        ("VSM by more than 17%", {"VSM": 0.45}, "does not hold"),
        ("with selection, by more than 17%", {"best_feature": 0.4}, "holds"),
        ("with selection, by more than 17%", {"best_feature": 0.45}, "does not hold"),
    ],
)  # fmt: skip
def test_claims_are_judged_by_their_own_figures(words: str, values: Any, kind: str) -> None:
    """Each claim turns with the one number it is about."""
    (claim,) = [claim for claim in load("li2012").claims if words in claim.text]
    found = claim.judge(results(**values))
    assert found.kind == kind
    assert found.figure
    assert found.here == "toy: 8 test queries in 1 folds, 60 to learn from"


def test_todays_descriptors_add_a_set_of_features() -> None:
    """With --descriptors all, the schemes of the store stand beside the 224."""
    study = load("li2012")
    systems = study.sized(Options(descriptors="all"))[0].systems
    assert set(systems) - set(study.sized(Options())[0].systems) == {
        "Total+today prank", "Total+today ranksvm", "Total+today listnet",
    }  # fmt: skip
    assert study.accepts(Dataset(Path("x"), (), (), layout="letor"))
