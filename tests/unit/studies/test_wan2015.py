"""The study's core on a toy φ: no pictures, no engine."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.studies import wan2015
from saccade.studies.protocol import Sizes, splits
from saccade.studies.report import write

SIZES = Sizes(validation=8, test=6, instances=600, tuning=300)


def _toy(classes: int = 4, each: int = 15):
    """Two schemes that know the class, one that is loud and knows nothing, one constant."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(classes), each)
    n = len(labels)
    same = (labels[:, None] == labels).astype(float)
    noise = rng.random((3, n, n))
    cube = np.stack(
        [0.3 * same + 0.5 * noise[0], 0.3 * same + 0.5 * noise[1], noise[2], np.full((n, n), 0.5)],
        axis=2,
    ).astype(np.float32)
    return labels, cube


def test_splits_follow_the_protocol() -> None:
    """Training sees training images alone; lists hold all images but the query; sizes are kept."""
    labels, cube = _toy()
    tested: list[int] = []
    for split in splits(labels, lambda row: cube[row], SIZES, seed=1):
        phi, grades, groups = split.train
        assert abs(len(grades) - 600) <= 40
        trained = set(groups.tolist())
        for query in split.queries.tolist():
            assert query not in trained
        assert len(split.queries) == 6
        test_phi, test_grades, test_groups = split.test
        assert len(test_grades) == 6 * 59
        assert (np.bincount(test_groups, weights=test_grades)[split.queries] == 14).all()
        assert phi.shape[1] == test_phi.shape[1] == 4
        assert len(np.unique(split.validate[2])) == 8
        assert not trained & set(split.validate[2].tolist())
        assert set(split.tuning[2].tolist()) <= trained
        assert len(split.tuning[1]) <= 400
        # All relevant training images of a query are there, whatever was sampled.
        query = int(groups[0])
        assert grades[groups == query].sum() == sum(labels[q] == labels[query] for q in trained) - 1
        tested += split.queries.tolist()
    assert len(set(tested)) == 30


def test_sets_without_pairs_are_refused() -> None:
    """One class, or classes of one image, have nothing to learn from."""
    for labels in (np.zeros(20, np.int64), np.arange(20)):
        with pytest.raises(InvalidInput, match="two classes"):
            next(splits(labels, lambda row: np.zeros((20, 2), np.float32), SIZES, seed=0))


def test_few_instances_mean_fewer_queries() -> None:
    """When even the relevant images are too many, training queries are drawn."""
    labels, cube = _toy()
    small = Sizes(validation=5, test=5, instances=60, tuning=60)
    split = next(splits(labels, lambda row: cube[row], small, seed=0))
    assert len(split.train[1]) <= 60
    assert len(np.unique(split.train[2])) >= 2


def test_learners_beat_the_heuristics_where_a_scheme_misleads(tmp_path: Path) -> None:
    """The loud scheme hurts the uniform mean, the two good ones each know half: learning pays.

    Everything the study writes is there and agrees with what was measured.
    """
    labels, cube = _toy()
    names = ("best-scheme", "uniform", "ranksvm", "opar1", "ogdr")
    result = wan2015.measure(labels, lambda row: cube[row], sizes=SIZES, seed=0, algorithms=names)
    rows = wan2015.table(result, seed=0)
    by_name = {row["ranker"]: row for row in rows}
    bar = max(by_name[name]["measured mAP"] for name in wan2015.HEURISTICS)
    for name in names[2:]:
        assert by_name[name]["measured mAP"] > bar
        assert by_name[name]["p"] < 0.05
    said = wan2015.verdicts(result, SIZES)
    assert said == [f"Every learner is above both heuristics ({bar:.4f})."]

    result |= {"data": "toy", "schemes": ["a", "b", "c", "d"], "images": 60}
    result |= {"descriptors": "none"}
    for query in result["queries"]:
        query["file"] = f"{query['row']}.png"
    paths = write(tmp_path, "wan2015-toy", result, rows, said)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in paths}
    kept = json.loads((tmp_path / "wan2015-toy.json").read_text())
    assert kept["found"]["opar1"]["ap"] == result["found"]["opar1"]["ap"]
    with (tmp_path / "wan2015-toy-queries.csv").open() as file:
        queries = list(csv.DictReader(file))
    assert len(queries) == 30
    mean = np.mean([float(query["opar1"]) for query in queries])
    assert mean == pytest.approx(by_name["opar1"]["measured mAP"])
    assert (tmp_path / "wan2015-toy.png").read_bytes()[:4] == b"\x89PNG"
    assert "OPAR-I" in (tmp_path / "wan2015-toy.html").read_text()


def test_a_learner_that_does_not_pay_is_named() -> None:
    """The verdict says which learners are not above both heuristics, and what was too small."""
    found = {
        name: {"ap": [value], "folds": [value]}
        for name, value in (("uniform", 0.5), ("best-scheme", 0.6), ("opr", 0.55), ("scw", 0.7))
    }
    fold = {"validation_queries": 5, "test_queries": 150, "training_instances": 10}
    said = wan2015.verdicts({"found": found, "folds": [fold]}, Sizes())
    assert said == [
        "The set is small: 5 to 5 validation queries a fold, not 300.",
        "The set has only 10 training instances a fold.",
        "Not above both heuristics (0.6000): opr.",
    ]
