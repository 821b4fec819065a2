"""Exponentials, logarithms and sums of fixed bits."""

from __future__ import annotations

import math

import numpy as np

from saccade.choosers import steady


def test_exp_is_right_to_two_units_in_the_last_place():
    """Against the platform's own, over the whole range."""
    x = -np.concatenate([np.linspace(0, 40, 4001), np.geomspace(1e-300, 700, 4001)])
    expected = np.array([math.exp(value) for value in x.tolist()])
    assert (np.abs(steady.exp(x) - expected) <= 2 * np.spacing(expected)).all()


def test_exp_has_known_bits():
    """Values kept from another run: another machine must give the same."""
    found = steady.exp(np.array([0.0, -0.1, -1.0, -12.5, -333.3]))
    assert [value.hex() for value in found.tolist()] == [
        "0x1.0000000000000p+0",
        "0x1.cf46d99d52b3ap-1",
        "0x1.78b56362cef38p-2",
        "0x1.f42ed3f68e690p-19",
        "0x1.1bffc932ffe0dp-481",
    ]


def test_log_is_the_nearest_number():
    """Correctly rounded, so at most half a unit away from the platform's."""
    for value in (0.001, 0.3, 1.0, 2.0, 19.0, 20.0, 1e6):
        assert abs(steady.log(value) - math.log(value)) <= math.ulp(math.log(value) or 1.0)
    assert steady.log(1.0) == 0.0


def test_sums_do_not_depend_on_order():
    """A sum is exact before it is rounded."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal(500) * 10.0 ** rng.integers(-12, 12, 500)
    assert steady.total(values) == steady.total(values[::-1]) == steady.total(np.sort(values))


def test_softmax_of_those_present():
    """The absent weigh nothing even where they are far ahead."""
    found = steady.softmax(np.array([900.0, 0.0, 0.0]), np.array([False, True, True]))
    assert found.tolist() == [0.0, 0.5, 0.5]
