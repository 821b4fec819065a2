from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saccade.engine.events import Entry, Lesson, Reacted
from saccade.engine.learning.fold import Models
from saccade.engine.loop.experts.weighed import WEIGHERS
from saccade.engine.recipe import Recipe

RECIPE = Recipe(("lbp",))
NAMES = ("lbp:l1", "lbp:l2", "gist:l1")


def event(
    number: int, *, user: str = "ana", schemes: tuple[str, ...] = NAMES[:2], pairs: int = 3
) -> Entry:
    rng = np.random.default_rng(number)
    lesson = Lesson(
        images=("a", "b", "c", "d"),
        schemes=schemes,
        prior=(1.0,) * len(schemes),
        phi=rng.random((4, len(schemes))).astype(np.float32),
        pairs=rng.permuted(np.tile(np.arange(4), (pairs, 1)), axis=1)[:, :2].astype(np.int32),
        stated=True,
    )
    return Entry(number, 0.0, user, "s", "p", Reacted((), (), lesson))


def changed(entry: Entry, number: int, user: str = "ana", **changes: Any) -> Entry:
    lesson = replace(entry.record.lesson, **changes)
    return Entry(number, 0.0, user, "s", "p", Reacted((), (), lesson))


def weights(models: Models, ranker: str, user: str, prior: dict[str, float]) -> Any:
    return WEIGHERS[ranker].weights(models, user, prior)


def folded(*events: Entry) -> Models:
    models = Models(RECIPE)
    for one in events:
        models.apply(one)
    return models


def test_nothing_learned_ranks_by_the_start() -> None:
    """Weights sum to one in magnitude, whoever asks."""
    models = Models(RECIPE)
    prior = dict.fromkeys(NAMES, 1.0)
    for ranker in ("learned", "shared", "plain", "uniform"):
        assert np.allclose(weights(models, ranker, "ana", prior), 1 / 3)
    assert weights(models, "best-scheme", "ana", prior).tolist() == [1.0, 0.0, 0.0]
    assert weights(models, "learned", "ana", {}).shape == (0,)


def test_an_event_without_pairs_teaches_nothing() -> None:
    """It only moves the clock."""
    models = folded(event(1, pairs=0))
    assert models.digest() == Models(RECIPE).digest()
    assert models.event_id == 1


def test_a_scheme_that_joins_later_starts_where_it_would_have() -> None:
    """And what was known of the others stays."""
    models = folded(event(1), event(2, schemes=NAMES))
    assert models.axis.schemes == NAMES
    narrow = folded(event(1))
    assert weights(narrow, "learned", "bob", dict.fromkeys(NAMES, 1.0))[2] > 0
    assert models.weights.served("ana").shape == (3,)
    assert narrow.weights.served("ana").shape == (2,)


def test_the_order_of_an_events_schemes_does_not_matter() -> None:
    """Columns are matched by name."""
    first, second = event(1), event(2)
    lesson = second.record.lesson
    swapped = changed(
        second, 2, schemes=NAMES[1::-1], phi=lesson.phi[:, ::-1].copy(), prior=lesson.prior
    )
    assert folded(first, second).digest() == folded(first, swapped).digest()


def test_a_copy_goes_its_own_way() -> None:
    """Learning in one does not reach the other, in either direction."""
    models = folded(event(1))
    before = models.digest()
    twin = models.copy()
    twin.apply(event(2))
    assert models.digest() == before
    assert twin.digest() == folded(event(1), event(2)).digest()
    models.apply(event(2))
    assert models.digest() == twin.digest()


def test_a_loaded_state_goes_on_as_the_dumped_one() -> None:
    """Nothing is lost at rest."""
    models = folded(event(1), event(2, user="bob"), event(3, schemes=NAMES))
    again = Models.load(RECIPE, *models.dump())
    assert again.digest() == models.digest()
    for later in (event(4, user="eva"), event(5, schemes=NAMES)):
        models.apply(later)
        again.apply(later)
    assert again.digest() == models.digest()


def test_a_digest_names_the_state() -> None:
    """Another user, another order, another pair: another digest. Another clock: the same."""
    digests = {
        folded(event(1)).digest(),
        folded(event(1, user="bob")).digest(),
        folded(event(1), event(2)).digest(),
        folded(event(2), event(1)).digest(),
        Models(RECIPE).digest(),
    }
    assert len(digests) == 5
    late = folded(event(1))
    late.event_id = 99
    assert late.digest() == folded(event(1)).digest()


def test_people_learn_their_own_part() -> None:
    """Two who disagree are served differently; a third gets what they share."""
    one = event(1, user="ana")
    other = changed(one, 2, "bob", pairs=one.record.lesson.pairs[:, ::-1].copy())
    models = folded(one, other)
    ana, bob, eva = (models.weights.served(user) for user in ("ana", "bob", "eva"))
    assert not np.array_equal(ana, bob)
    assert np.array_equal(eva, models.weights.shared)
    assert models.weights.own["ana"].pairs == models.weights.own["bob"].pairs == 3
    own = models.weights.own["ana"]
    assert own.learned_right == pytest.approx(own.plain_right)
