"""How well pictures fit words by what they probably show."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from saccade.lexicon import KINDS, read
from saccade.lexicon.evidence import (
    FAINT,
    FEWEST,
    GUESSED,
    PROBABILITY,
    KindTable,
    coded,
    fit,
    seeds,
)

INDIAN, AFRICAN, PIZZA = 385, 386, 963


def table(*rows: dict[int, float]) -> KindTable:
    kinds = np.zeros((len(rows), 4), np.uint16)
    probabilities = np.zeros((len(rows), 4))
    for i, row in enumerate(rows):
        kinds[i, : len(row)] = list(row)
        probabilities[i, : len(row)] = list(row.values())
    return KindTable(kinds, coded(probabilities))


def test_a_name_adds_up_the_kinds_it_stands_for():
    """Half one elephant and half the other is an elephant."""
    held = table({INDIAN: 0.5, AFRICAN: 0.5}, {INDIAN: 0.6, PIZZA: 0.4}, {PIZZA: 1.0})
    found = fit(read("elephant"), held)
    assert found.named.round(2).tolist() == [1.0, 0.95, 0.0]
    assert not found.near.any()
    assert found.expected == pytest.approx(1.6, abs=0.05)


def begun(text: str, held: KindTable, alive: np.ndarray | None = None) -> list[int]:
    found = fit(read(text), held)
    there = np.ones(len(held), bool) if alive is None else alive
    return seeds(found.toward - found.against, there, found.expected)[0].tolist()


def test_the_sums_are_those_of_plain_arithmetic():
    """The jitted pass gives what numpy gives with the whole matrix."""
    rng = np.random.default_rng(0)
    kinds = np.array([rng.choice(KINDS, 8, replace=False) for _ in range(50)], np.uint16)
    held = KindTable(kinds, coded(rng.random((50, 8)) / 8))
    weights = {int(kind): float(rng.random()) for kind in rng.choice(KINDS, 300, replace=False)}
    whole = np.zeros((50, KINDS))
    np.put_along_axis(whole, kinds.astype(np.int64), PROBABILITY[held.codes], 1)
    every = np.zeros(KINDS)
    every[list(weights)] = list(weights.values())
    assert np.allclose(held.named(weights), np.minimum(whole @ every, 1.0))
    logs = np.log1p(whole / FAINT) / np.log1p(1 / FAINT)
    roots = np.sqrt(logs)
    assert np.allclose(held.near(weights), 2.0 * (roots @ every) / np.cbrt(roots.sum(1)))
    alive = np.arange(len(held)) % 3 > 0
    assert np.allclose(held.expected(alive), whole[alive].sum(0))


def test_a_picture_that_shows_a_little_of_everything_fits_no_guess_best():
    """It shows what is near a wrench and as much else; the first shows nothing else."""
    near = [*read("wrench").wanted[0].near][:2]
    others = dict.fromkeys((INDIAN, AFRICAN), 0.2)
    held = table(dict.fromkeys(near, 0.2), {**dict.fromkeys(near, 0.2), **others}, {})
    first, second, nothing = fit(read("wrench"), held).near
    assert first > second > nothing == 0.0


def test_what_is_not_wanted_speaks_against():
    """The picture with a pizza in it comes after the one without."""
    held = table({INDIAN: 0.5, PIZZA: 0.4}, {INDIAN: 0.5})
    assert begun("elephant -pizza", held)[0] == 1


def test_as_many_seeds_as_are_expected_within_bounds():
    """A broad word begins with more; what fits nothing begins nothing; the dead never do."""
    held = table(*([{INDIAN: 0.9}] * 40), *([{PIZZA: 1.0}] * 20))
    assert sorted(begun("elephant", held)) == list(range(36))
    assert len(begun("pizza", held)) == 20
    assert len(begun("elephant", table(*([{INDIAN: 0.01}] * 40)))) == FEWEST
    alive = np.ones(60, bool)
    alive[:35] = False
    assert set(begun("elephant", held, alive)) == set(range(35, 40))
    assert begun("elephant", table(*([{PIZZA: 1.0}] * 20))) == []


def test_seeds_count_by_how_well_they_fit():
    """The best counts 1, the others their share of it."""
    rows, amounts = seeds(np.array([0.2, 0.8, 0.0, 0.4]), np.ones(4, bool))
    assert rows.tolist() == [1, 3, 0]
    assert amounts.tolist() == [1.0, 0.5, 0.25]


def test_a_guess_begins_with_a_fixed_number():
    """How many pictures show a party nobody can tell."""
    held = table(*[{kind: 0.1} for kind in range(900)])
    assert len(begun("street", held)) == GUESSED


def test_two_words_want_both():
    """A picture that shows both kinds comes before one that is surer of one."""
    held = table({INDIAN: 0.95}, {INDIAN: 0.4, PIZZA: 0.4}, {PIZZA: 0.95})
    found = fit(read("elephant pizza"), held)
    assert found.toward.argmax() == 1


@given(st.floats(0.0, 1.0))
def test_a_code_keeps_a_probability(probability: float):
    """Within 2 in a hundred, or a ten-thousandth."""
    back = float(PROBABILITY[coded(np.array([probability]))[0]])
    assert abs(back - probability) <= max(1e-4, 0.02 * probability)
