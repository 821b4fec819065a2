"""Chen, Zhang & Li 2015: printed numbers, the draw of labels, and what its claims conclude."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.rankers.zero_shot import Relation
from saccade.studies import load
from saccade.studies.chen2015 import (
    accuracy,
    asking,
    claims,
    printed,
    product,
    rounds,
    timing,
    unseen,
)
from saccade.studies.chen2015.pictures import Pictures, accepts, shares_of, strengths_of
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.results import Part, Results
from saccade.testbed import datasets

# Typed once more from the paper: name, then the four columns in per cent.
TABLE_1 = """
natural 91.56 88.75 87.09 88.86
open 88.50 87.25 86.83 85.72
perspective 83.40 82.23 80.20 80.56
size-large 72.93 70.62 67.89 65.17
diagonal-plane 80.35 78.42 76.25 76.61
depth-close 87.06 85.24 84.27 82.32
average 83.97 82.08 80.42 79.87
"""
TABLE_2 = """
pointed 82.25 81.42 80.61 79.13
open 76.02 74.24 71.72 69.10
bright 64.40 62.43 59.38 58.63
ornaments 71.19 70.02 68.88 59.10
shiny 79.60 78.28 76.94 74.12
high-heel 80.71 78.93 77.43 76.59
long-leg 75.19 73.32 72.44 69.08
formal 75.78 74.45 72.37 70.76
sporty 80.24 78.25 77.39 68.98
feminine 83.37 82.42 81.38 81.86
average 76.88 75.38 73.85 70.74
"""


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [(TABLE_1, printed.OSR, printed.TABLE_1), (TABLE_2, printed.SHOES, printed.TABLE_2)],
)
def test_printed_numbers_are_those_of_the_paper(text, columns, rows):
    """Tables 1 and 2, attribute by attribute."""
    lines = [line.split() for line in text.strip().splitlines()]
    assert tuple(line[0] for line in lines) == columns
    for place, system in enumerate(printed.SYSTEMS, start=1):
        np.testing.assert_allclose(rows[system], [float(line[place]) / 100 for line in lines])


def kinds(seed=0, *, kinds=6, each=50, columns=40, inside=0.0):
    """Pictures of some kinds; an attribute goes with the kind, plus `inside` of the picture."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(kinds, columns))
    kind = np.repeat(np.arange(kinds), each)
    rows = centres[kind] + 1.5 * rng.normal(size=(kinds * each, columns))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    smooth = centres[kind] + 0.1 * rng.normal(size=rows.shape)
    smooth = (smooth / np.linalg.norm(smooth, axis=1, keepdims=True)).astype(np.float32)
    strengths = {
        name: np.floor(order[kind] + inside * rows[:, column] * columns).astype(np.int64)
        for column, (name, order) in enumerate(
            {"open": rng.permutation(kinds), "wild": rng.permutation(kinds)}.items()
        )
    }
    return Pictures(rows, smooth, np.array([f"k{k}" for k in kind]), strengths)


def test_labels_are_true_and_touch_no_picture_that_judges():
    """Points, ordered and alike pairs agree with the strengths; unseen pictures are apart."""
    strengths = np.random.default_rng(1).integers(0, 5, 400)
    rows = np.arange(50, 400)
    found = rounds.draw(strengths, rows, points=60, pairs=80, rng=np.random.default_rng(2))
    assert len(found.points) == 60
    assert len(found.more) + len(found.alike[0]) == 80
    assert (strengths[found.more] > strengths[found.less]).all()
    assert (strengths[found.alike[0]] == strengths[found.alike[1]]).all()
    assert (found.alike[0] != found.alike[1]).all()
    assert ((strengths[found.points] > 2) == (found.signs > 0)).all()
    touched = np.concatenate([found.points, found.more, found.less, *found.alike])
    assert not np.intersect1d(touched, found.unseen).size
    assert set(touched) | set(found.unseen) <= set(rows)


def test_settings_are_chosen_on_pictures_that_no_round_sees():
    """The reserved quarter and the others are apart, and together everything."""
    mine, others = rounds.reserved(100, seed=3)
    assert len(mine) == 25
    assert sorted([*mine, *others]) == list(range(100))


def test_the_settings_that_order_unseen_pictures_best_are_chosen(monkeypatch):
    """The mean over subsets and attributes decides, not the first or the last of the grid."""
    pictures = kinds()
    monkeypatch.setitem(rounds.GRIDS, "crr", {"C": (0.5, 1.0, 2.0)})

    class Told:
        def __init__(self, system, settings, labelled, vectors):
            self.sign = 1.0 if settings["C"] == 1.0 else -1.0

        def score(self, vectors):
            return np.float32(self.sign) * pictures.strengths["open"].astype(np.float32)

    monkeypatch.setattr(rounds, "fitted", Told)
    only = {"open": pictures.strengths["open"]}
    assert rounds.tuned("crr", pictures.plain, only, points=9, pairs=9).best == {"C": 1}


def test_accuracy_is_the_share_of_pairs_in_order():
    """Right order 1, reversed 0, no order one half; pairs of equal strength do not count."""
    strengths = np.repeat([0, 1, 2], 20)
    rows, rng = np.arange(60), np.random.default_rng
    assert rounds.accuracy(strengths.astype(np.float32), strengths, rows, rng=rng(0)) == 1.0
    assert rounds.accuracy(-strengths.astype(np.float32), strengths, rows, rng=rng(0)) == 0.0
    assert rounds.accuracy(np.zeros(60, np.float32), strengths, rows, rng=rng(0)) == 0.5
    assert np.isnan(rounds.accuracy(np.zeros(60, np.float32), 0 * strengths, rows, rng=rng(0)))


def test_every_system_learns_the_order_of_kinds():
    """Each system of table 1 orders unseen pictures well above chance, with its grid's first."""
    pictures = kinds()
    for system in accuracy.SYSTEMS:
        grid = {} if system in accuracy.PRODUCTS else rounds.GRIDS[system]
        settings = {name: values[-1] for name, values in grid.items()}
        found, chosen = accuracy.one_round(
            system, pictures, settings, points=60, pairs=60, seed=(0,), number=0
        )
        assert set(found) == {"open", "wild"}
        assert min(found.values()) > 0.65, system
        assert bool(chosen) == (system in accuracy.PRODUCTS)


def test_the_product_smooths_where_the_labels_say_so():
    """Where kinds decide it takes smoothed vectors; where single pictures do, plain ones."""
    rng = np.random.default_rng(4)
    by_kind, by_picture = kinds(seed=5), kinds(seed=5, inside=3.0)
    for pictures, expected in ((by_kind, "smooth"), (by_picture, "plain")):
        strengths = pictures.strengths["open"]
        labelled = rounds.draw(strengths, np.arange(300), points=80, pairs=80, rng=rng)
        scores, name = product.scored(labelled, pictures)
        assert name == expected
        assert rounds.accuracy(scores, strengths, labelled.unseen, rng=rng) > 0.7


def test_pictures_are_dealt_out_once():
    """No picture teaches and judges; unseen kinds only judge."""
    pictures = kinds()
    dealt = unseen.sides(pictures.classes, ["k1", "k4"], np.random.default_rng(6))
    parts = [dealt.teaching, dealt.describing, dealt.judging]
    assert sorted(np.concatenate(parts)) == list(range(300))
    for part in (dealt.teaching, dealt.describing):
        assert not np.isin(pictures.classes[part], ["k1", "k4"]).any()
    assert (np.unique(pictures.classes[dealt.describing], return_counts=True)[1] == 16).all()


def test_a_description_names_every_seen_category():
    """Above, below and equal, on each attribute."""
    standing = {"open": {"a": 1.0, "b": 2.0, "x": 2.0, "c": 3.0}}
    assert unseen.described("x", ["a", "b", "c"], standing) == [
        Relation("open", above=("c",), below=("a",), like=("b",))
    ]


def test_unseen_categories_are_told_better_than_by_chance():
    """Where looks follow attributes, two of twelve kinds are told by words alone, not by chance."""
    found = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        orders = np.array([rng.permutation(12) for _ in "pqrs"])
        kind = np.repeat(np.arange(12), 40)
        rows = orders[:, kind].T @ rng.normal(size=(4, 40)) + 4.0 * rng.normal(size=(480, 40))
        rows = (rows / np.linalg.norm(rows, axis=1).mean()).astype(np.float32)
        strengths = {name: order[kind] for name, order in zip("pqrs", orders, strict=True)}
        pictures = Pictures(rows, rows, np.array([f"k{k}" for k in kind]), strengths)
        found.append(
            unseen.one_round("hybrid", {}, pictures, unseen=2, points=60, pairs=60, rng=rng)
        )
    assert np.mean([one[0] for one in found]) > 0.6
    assert np.mean([one[1] for one in found]) > 0.4
    assert np.mean([one[3] for one in found]) > np.mean([one[1] for one in found])


def test_suggested_questions_teach_more_than_random_ones(monkeypatch):
    """The mean accuracy over the first thirty answers is higher, over both attributes."""
    monkeypatch.setattr(asking, "CANDIDATES", 24)
    values = {}
    for system in asking.SYSTEMS:
        values[system] = np.mean(
            [
                asking.learned(
                    system, pictures.plain, strengths, np.arange(300), count=30, seed=[7, seed]
                )
                for seed, pictures in enumerate((kinds(1), kinds(2)))
                for strengths in pictures.strengths.values()
            ]
        )
    assert values["suggested"] > values["random"] + 0.01


def test_a_fit_is_timed_for_both_forms():
    """Seconds are above zero and both learn, online by true passes even where C is large."""
    pictures = kinds()
    for system in timing.SYSTEMS:
        for C in (1.0, 16.0):
            found = timing.measured(system, {"C": C}, pictures, 40, seed=0)
            for seconds, right in found.values():
                assert seconds > 0
                assert right > 0.6


def test_strengths_come_from_ranks_or_from_the_drawing(tmp_path):
    """rank_ columns as they are; a drawn world's strengths in eight steps; none is refused."""
    table = tmp_path / "labels.csv"
    for name in ("a.jpg", "b.jpg"):
        (tmp_path / name).write_bytes(b"x")
    table.write_text("file,class,rank_open\na.jpg,x,3\nb.jpg,y,7\n")
    ranked = datasets.load(tmp_path)
    assert accepts(ranked) == ""
    assert strengths_of(ranked)["open"].tolist() == [0, 1]
    table.write_text("file,class,openness\na.jpg,x,0.99\nb.jpg,y,0.13\n")
    assert strengths_of(datasets.load(tmp_path))["openness"].tolist() == [7, 1]
    table.write_text("file,class\na.jpg,x\nb.jpg,y\n")
    assert "no relative attributes" in accepts(datasets.load(tmp_path))


def test_gist_stands_beside_the_paper_and_all_is_the_products():
    """The paper's descriptor alone, or three in a blend."""
    assert shares_of(Options()) == shares_of(Options(descriptors="gist")) == {"gist": 1.0}
    assert set(shares_of(Options(descriptors="all"))) == {"embedding", "gist", "color-histogram"}


ATTRIBUTES = list("abcdefgh")


def results(experiment, values, *, at=(), measure="accuracy", notes=None):
    """Results on one set: by system, one list of values a seed, of eight attributes at places."""
    data, options = Data("toy", "", ""), Options()
    parts = []
    for system, lists in values.items():
        for seed, found in enumerate(lists):
            places = np.repeat(at, 8).tolist() if len(at) else ()
            names = ATTRIBUTES * max(1, len(at))
            task = Task("chen2015", experiment, "", system, data, seed, "all", (measure,), options)
            series = Series(measure, np.repeat(found, 8).tolist(), queries=names, at=places)
            parts.append(Part(task, Outcome([series], notes or {"points": 9, "pairs": 9})))
    return Results(parts)


def test_the_first_claims_are_judged_by_mean_and_deviation():
    """Attribute by attribute against each baseline; steadiness is over rounds."""
    good = {s: [[0.70], [0.72]] for s in ("crr", "relative-attributes", "pointwise")}
    found = results("table-1", good | {"hybrid": [[0.8], [0.8]]})
    verdict = claims.hybrid_leads(found)
    assert verdict.kind == "holds"
    assert (verdict.n, verdict.over) == (8, "attributes")
    assert verdict.here == "toy: 9 points, 9 pairs, 2 rounds"
    assert claims.hybrid_is_steadier(found).kind == "holds"
    assert claims.deviations(found, "crr", "toy")["a"] == pytest.approx(0.01)
    even = results("table-1", good | {"hybrid": [[0.70], [0.72]]})
    assert claims.hybrid_leads(even).kind == "no difference"
    worse = results("table-1", good | {"hybrid": [[0.80], [0.82]], "crr": [[0.81], [0.83]]})
    verdict = claims.hybrid_leads(worse)
    assert verdict.kind == "does not hold"
    assert verdict.of == "toy: over CRR, accuracy"


def test_time_is_compared_where_one_gets_there():
    """Who alone reaches an accuracy is the quicker; where neither does, nothing is compared."""
    nan = float("nan")
    notes = {"sizes": [10, 2560], "passes": 20, "rounds": 10}
    for online, batch, kind in (
        ([0.001, 0.002, nan], [0.002, 0.004, nan], "holds"),
        ([0.001, nan, nan], [0.002, 0.004, nan], "no difference"),
        ([nan, nan, nan], [0.002, 0.004, nan], "does not hold"),
        ([nan, nan, nan], [nan, nan, nan], "not measured"),
    ):
        values = {"online": [online], "batch": [batch]}
        found = results("table-3", values, at=(0.7, 0.8, 0.85), measure="seconds", notes=notes)
        verdict = claims.online_is_quicker(found)
        assert verdict.kind == kind
        assert "20 passes" in verdict.here
        assert "2,560 labels" in verdict.here


def test_nothing_smoothed_is_no_proof_that_smoothing_pays():
    """Where the labels never spoke for it the claim is not measured, whatever the figures."""
    values = {"saccade": [[0.9]], "saccade-plain": [[0.8]]}
    for chosen, kind in (("plain", "not measured"), ("smooth", "holds")):
        notes = {"points": 9, "pairs": 9, "vectors": dict.fromkeys(ATTRIBUTES, chosen)}
        found = results("table-1", values, notes=notes)
        assert claims.smoothing_pays(found).kind == kind


def test_asking_is_judged_on_the_way():
    """The mean accuracy along the answers, session by session."""
    values = {"suggested": [[0.7, 0.85, 0.93]], "random": [[0.6, 0.7, 0.8]]}
    verdict = claims.asking_well_pays(results("asking", values, at=(5.0, 10.0, 15.0)))
    assert verdict.kind == "holds"
    assert verdict.effect == pytest.approx(0.38 / 3, abs=1e-6)
    assert "after 15 answers 0.9300 against 0.8000" in verdict.figure


def test_the_study_is_whole():
    """Every table and figure of the paper is there, and every claim has a judge."""
    study = load("chen2015")
    assert {one.name for one in study.experiments} >= {
        "table-1", "figure-3-pairs", "figure-3-points", "figure-5-unseen", "figure-5-pairs",
        "figure-6", "table-3",
    }  # fmt: skip
    assert len(study.claims) == 14
    assert study.setup(Options())
