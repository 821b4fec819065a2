"""Figure 2 along the number of distractors: pictures first, then perturbed ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from covers import cover, seen_from
from saccade.errors import InvalidInput
from saccade.studies import collection, session
from saccade.studies.declaration import Data, Options, Task
from saccade.studies.wan2015 import crowd
from saccade.studies.wan2015.table2 import fitted, sizes_of
from saccade.testbed import crowds
from saccade.testbed.measures import evaluate

QUICK = Options(quick=True)
CLASSICAL = ("color-histogram", "lbp", "words")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Data:
    """Three covers from four sides each, and five others of which more distractors are made."""
    root = tmp_path_factory.mktemp("crowd")
    for number in range(3):
        (root / "set" / str(number)).mkdir(parents=True)
        for turn in range(4):
            view = seen_from(cover(number), degrees=9 * turn - 12, scale=0.9)
            Image.fromarray(view).save(root / "set" / str(number) / f"{turn}.png")
    (root / "others").mkdir()
    for number in range(5):
        Image.fromarray(cover(50 + number)).save(root / "others" / f"{number}.png")
    found = Data("set", str(root / "set"), str(root / "s.saccade"),
                 distractors=(str(root / "others"), "perturbed:60"))  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(collection, "CLASSICAL", CLASSICAL)
        said = collection.prepare(found, QUICK, lambda text: None)
    assert said == ["distractors: 5 pictures of others"]
    return found


@pytest.fixture
def task(data: Data, monkeypatch: pytest.MonkeyPatch) -> Task:
    monkeypatch.setattr(collection, "CLASSICAL", CLASSICAL)
    monkeypatch.setattr(crowds, "BLOCK", 25)
    monkeypatch.setattr(crowd, "LANDMARKS", (0, 3, 40))
    return Task("wan2015", "figure-2-curve", "", "opar1", data, 0, "fold 1", ("map",), QUICK)


def test_made_distractors_are_compared_as_pictures_are(task: Task) -> None:
    """φ of columns that are a picture's own is the φ that the engine gives, words included."""
    with collection.opened(task.data, QUICK) as images:
        asking = crowd.Asking(images, np.arange(len(images.rows)))
        some = np.array([2, 5, 11, 16])  # words are as rare as in the whole collection
        compared = asking.compared(asking.parents(some))
        for query in (0, 7, 14):
            np.testing.assert_allclose(compared(query), images.phi_of(query)[some], atol=2e-6)
        assert {scheme.split(":")[0] for scheme in images.schemes} == set(CLASSICAL)


def test_the_curve_is_the_map_of_everything_ranked_together(task: Task) -> None:
    """At each amount every value is that of one long list: the set, pictures, made ones."""
    outcome = crowd.measure(task)
    (series,) = outcome.series
    places = list(dict.fromkeys(series.at))
    assert places == [0, 3, 4, 40, 64]
    assert outcome.notes["distractors"] == {"pictures of others": 4, "perturbed columns": 60}
    assert outcome.notes["trained among"] == {"0": 0, "3": 1, "4": 1, "40": 1, "64": 1}
    values = np.reshape(series.values, (len(places), -1))
    with collection.opened(task.data, QUICK) as images:
        _, pictures = crowd.sides(images.rows, 0)
        for amount, row in zip(places, values, strict=True):
            taught = min(int(amount), 1)
            fold, own = crowd._split(task.data, QUICK, sizes_of(QUICK, "opar1"), 0, 1, taught)
            model, _ = fitted("opar1", fold)
            asking = crowd.Asking(images, own[fold.queries])
            made = [asking.compared(b) for b in crowds.blocks(asking.parents(pictures), 60, seed=0)]
            for place, query in enumerate(fold.queries.tolist()):
                mine = fold.test[2] == query
                crowd_phi = np.concatenate(
                    [images.phi_of(int(own[query]))[pictures], *(one(place) for one in made)]
                )[: int(amount)]
                scores = model.score(np.concatenate([fold.test[0][mine], crowd_phi]))
                grades = np.concatenate([fold.test[1][mine], np.zeros(len(crowd_phi), np.int64)])
                found = evaluate(["map"], scores, grades, np.zeros(len(scores), np.int64))
                assert row[place] == pytest.approx(found.per_query["map"][0], abs=1e-6)
    # From where the model stays the same, more distractors never help it.
    assert (np.diff(values[1:].mean(axis=1)) <= 0).all()


def test_models_learn_among_distractors_that_are_not_in_the_test(task: Task) -> None:
    """Who teaches does not judge; without any a model learns from the set alone."""
    with collection.opened(task.data, QUICK) as images:
        teaching, judging = crowd.sides(images.rows, 0)
    assert (len(teaching), len(judging)) == (1, 4)
    assert not set(teaching) & set(judging)
    for taught in (0, 1):
        fold, own = crowd._split(task.data, QUICK, sizes_of(QUICK, "opar1"), 0, 1, taught)
        assert len(own) == 12
        assert len(fold.test[1]) == 11 * len(fold.queries)
        assert len(fold.validate[1]) % (11 + taught) == 0


def test_without_a_number_the_curve_goes_to_a_hundred_thousand(data: Data) -> None:
    """Or to a few thousand where it is to be quick; never with φ that cannot be made."""
    plain = replace(data, distractors=data.folders)
    assert crowd.perturbed_of(plain, Options(), 1800) == 98_200
    assert crowd.perturbed_of(plain, QUICK, 1800) == crowd.QUICK - 1800
    assert crowd.perturbed_of(data, Options(), 1800) == 60
    assert crowd.perturbed_of(plain, Options(phi="anchored"), 1800) == 0
    assert crowd.perturbed_of(plain, Options(descriptors="all"), 1800) == 0
    assert crowd.perturbed_of(plain, Options(), 1) == 0
    assert crowd.amounts(1800, 98_200) == (0, 1_000, 1_800, 10_000, 100_000)


@pytest.mark.parametrize("wrong", ["perturbed:", "perturbed:0", "perturbed:many"])
def test_a_number_that_is_none_is_refused(wrong: str, tmp_path: Path) -> None:
    """Before anything is drawn or indexed; so is what perturbed ones cannot have."""
    where = {"out": tmp_path / "out", "stores": tmp_path / "stores"}
    with pytest.raises(InvalidInput, match="perturbed:98000"):
        session._check_perturbed([wrong], Options())
    for options in (Options(phi="anchored"), Options(descriptors="all")):
        with pytest.raises(InvalidInput, match="no anchors and no neighbours"):
            session._check_perturbed(["perturbed:5"], options)
    assert not any(path.exists() for path in where.values())
