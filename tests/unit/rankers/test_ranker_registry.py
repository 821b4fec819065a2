"""The table of rankers: names, parameters, loading."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from saccade import rankers
from saccade.errors import InvalidInput, UnknownName
from saccade.types import State


def test_every_row_of_the_table_makes_a_ranker_of_its_name():
    """make(name).name is the name it was asked for."""
    assert {name: rankers.make(name).name for name in rankers.names()} == {
        name: name for name in rankers.names()
    }


def test_the_table_is_light():
    """Importing the table loads no numba, no scikit-learn and no learner."""
    code = (
        "import sys, saccade.rankers;"
        "print(sorted({'numba', 'sklearn', 'lightgbm', 'saccade.rankers.online'} & {*sys.modules}))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("family", "name"),
    [
        (rankers.as_ranker, "opar1"),
        (rankers.as_ranker, "vsm"),
        (rankers.as_online, "scw"),
        (rankers.as_label_ranker, "hybrid"),
        (rankers.as_label_ranker, "hybrid-online"),
        (rankers.as_bag_ranker, "mi-max"),
        (rankers.as_bag_ranker, "mi-online"),
    ],
)
def test_a_ranker_of_the_family_is_given_back(family, name):
    """Whoever needs one that learns in a certain way gets it as it is."""
    model = rankers.make(name)
    assert family(model) is model


@pytest.mark.parametrize(
    ("family", "name"),
    [
        (rankers.as_ranker, "hybrid"),
        (rankers.as_ranker, "mi-max"),
        (rankers.as_online, "ranksvm"),
        (rankers.as_online, "uniform"),
        (rankers.as_label_ranker, "opar1"),
        (rankers.as_bag_ranker, "hybrid-online"),
    ],
)
def test_a_ranker_of_another_family_is_refused_by_name(family, name):
    """One sentence says which ranker it is and how it does not learn."""
    with pytest.raises(InvalidInput, match=f"ranker '{name}' does not learn"):
        family(rankers.make(name))


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("rank-svm", {}, "no ranker 'rank-svm'; did you mean 'ranksvm'?"),
        ("opar1", {"pases": 2}, "no parameter of opar1 'pases'; did you mean 'passes'?"),
        ("opar1", {"rate": 2}, "no parameter of opar1 'rate'"),
        ("uniform", {"C": 1.0}, "no parameter of uniform 'C'"),
        ("ranksvm", {"kernel": "rbff"}, "no kernel of ranksvm 'rbff'; did you mean 'rbf'?"),
        ("arow", {"covariance": "ful"}, "did you mean 'full'?"),
        ("best-scheme", {"measure": "ndgc"}, "did you mean 'ndcg'?"),
    ],
)
def test_a_wrong_name_meets_the_nearest_right_one(name, settings, message):
    """Names of rankers, parameters and choices come with a suggestion."""
    with pytest.raises(UnknownName) as problem:
        rankers.make(name, **settings)
    assert message in str(problem.value)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("opar1", {"C": 0.0}),
        ("opar1", {"C": float("nan")}),
        ("ogdr", {"rate": -1.0}),
        ("opr", {"passes": 0}),
        ("opr", {"prior": [1.0, float("inf")]}),
        ("opr", {"prior": [1.0, 2.0], "width": 3}),
        ("arow", {"r": -1.0}),
        ("scw", {"confidence": 0.5}),
        ("scw", {"confidence": 1.0}),
        ("ranksvm", {"C": 0.0}),
        ("ranksvm", {"limit": 0}),
        ("vsm", {"column": -1}),
    ],
)
def test_a_parameter_out_of_range_is_refused_when_made(name, settings):
    """A step of zero, a confidence of one: refused at once, with the ranker named."""
    with pytest.raises(InvalidInput, match=name):
        rankers.make(name, **settings)


def test_parameters_lists_the_shared_ones_too():
    """A learner's own parameter comes with those it shares with its family."""
    known = rankers.parameters("opar1")
    assert known["C"] == 0.1
    assert {"prior", "average", "passes", "seed"} <= known.keys()
    assert "rate" not in known


def test_loading_finds_the_ranker_by_its_kind():
    """load(dump()) gives a ranker of the same name and scores."""
    phi = np.random.default_rng(0).random((6, 4), dtype=np.float32)
    model = rankers.make("opar2", C=0.5)
    model.learn(phi[:3], phi[3:])
    again = rankers.load(model.dump())
    assert again.name == "opar2"
    assert np.array_equal(again.score(phi), model.score(phi))


def test_a_state_of_unknown_kind_or_with_parts_missing_is_refused():
    """The message says which ranker, and what is missing."""
    with pytest.raises(UnknownName, match="opar3"):
        rankers.load(State("opar3", {}, {}))
    with pytest.raises(InvalidInput, match=r"state of ranker 'opar1' cannot be read.*start"):
        rankers.load(State("opar1", {"parameters": {}}, {}))
    whole = rankers.make("opar1", width=3).dump()
    arrays = {key: array for key, array in whole.arrays.items() if key != "statistics"}
    with pytest.raises(InvalidInput, match="statistics"):
        rankers.load(State("opar1", whole.spec, arrays))


def test_a_state_whose_arrays_do_not_fit_together_is_refused():
    """The kernels trust the shapes, so loading does not."""
    whole = rankers.make("arow", width=3, covariance="full").dump()
    for key, shape in {"covariance": (3,), "origin": (2,), "statistics": (3,)}.items():
        with pytest.raises(InvalidInput, match=f"{key} has shape"):
            rankers.load(State("arow", whole.spec, {**whole.arrays, key: np.zeros(shape)}))
