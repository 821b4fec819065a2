"""Which schemes count, lasting: the formulas that are served, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from inside import models_of
from saccade.engine import Engine
from saccade.engine.learning.weights import WeightFold
from saccade.types import Page


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


@pytest.fixture
def lasting(engine: Engine, first: str) -> WeightFold:
    """Ana taught three times, Bob once, each against the order of the page."""
    for user, times in (("ana", 3), ("bob", 1)):
        page = engine.search(first, user=user, k=20)
        for _ in range(times):
            new = [i for i in ids(page) if i not in page.liked | page.disliked]
            page = engine.react(page, liked=new[-2:], disliked=new[:2])
    found = models_of(engine).weights
    assert isinstance(found, WeightFold)
    return found


def by_hand(lasting: WeightFold, moved: np.ndarray) -> np.ndarray:
    """Start and what was moved, on the learners' scale, never below nothing."""
    return np.maximum(lasting._axis.prior * lasting._scale + moved, 0.0) / lasting._scale


def crowd_of(lasting: WeightFold) -> np.ndarray:
    people, reserve = len(lasting.own), lasting._options["crowd"]
    moved = sum(taught.moved for taught in lasting.own.values())
    return moved * (people - 1) / (people * (people + reserve))


def test_everybodys_weights_are_the_start_and_a_bounded_share_of_all(lasting: WeightFold) -> None:
    """The more people the recipe waits for, the less each of them moves a stranger's."""
    assert lasting._options["crowd"] > 0.0
    shared = by_hand(lasting, crowd_of(lasting))
    np.testing.assert_allclose(lasting.shared, shared, atol=1e-6)
    np.testing.assert_allclose(lasting.served("stranger"), shared, atol=1e-6)


def test_a_persons_weights_are_their_own_by_how_much_they_said(lasting: WeightFold) -> None:
    """Events against `trust` in everybody: who said little is served much of the others'."""
    trust, crowd = lasting._options["trust"], crowd_of(lasting)
    assert trust > 0.0
    for user, events in (("ana", 3), ("bob", 1)):
        own = lasting.own[user]
        assert own.events == events
        mine = (events * own.moved + trust * crowd) / (events + trust)
        np.testing.assert_allclose(lasting.served(user), by_hand(lasting, mine), atol=1e-6)
        np.testing.assert_allclose(
            lasting.personal(user), lasting.served(user) - lasting.shared, atol=1e-6
        )


def test_no_weight_is_negative_whatever_was_taught(lasting: WeightFold) -> None:
    """What was taught against a scheme takes its weight away, and no more."""
    against = lasting._axis.prior * lasting._scale + lasting.own["ana"].moved < 0.0
    assert against.any()
    for weights in (lasting.shared, lasting.served("ana"), lasting.served("bob")):
        assert (weights >= 0.0).all()
