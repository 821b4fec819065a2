from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from saccade.engine.models import Models
from saccade.engine.recipe import Recipe
from saccade.store.events import Event

RECIPE = Recipe(("lbp",))
NAMES = ("lbp:l1", "lbp:l2", "gist:l1")


def event(
    number: int, *, user: str = "ana", schemes: tuple[str, ...] = NAMES[:2], pairs: int = 3
) -> Event:
    rng = np.random.default_rng(number)
    body: dict[str, Any] = {
        "schemes": list(schemes),
        "start": [1.0] * len(schemes),
        "stated": True,
        "images": ["a", "b", "c", "d"],
        "liked": [],
        "disliked": [],
    }
    arrays = {
        "phi": rng.random((4, len(schemes))).astype(np.float32),
        "pairs": rng.permuted(np.tile(np.arange(4), (pairs, 1)), axis=1)[:, :2].astype(np.int32),
    }
    return Event(number, 0.0, "reacted", user, "s", "p", body, arrays)


def folded(*events: Event) -> Models:
    models = Models(RECIPE)
    for one in events:
        models.apply(one)
    return models


def test_nothing_learned_ranks_by_the_start() -> None:
    """Weights sum to one in magnitude, whoever asks."""
    models = Models(RECIPE)
    start = dict.fromkeys(NAMES, 1.0)
    for ranker in ("learned", "shared", "balanced", "uniform"):
        assert np.allclose(models.weights(ranker, "ana", start), 1 / 3)
    assert models.weights("best-scheme", "ana", start).tolist() == [1.0, 0.0, 0.0]
    assert models.weights("learned", "ana", {}).shape == (0,)


def test_an_event_without_pairs_teaches_nothing() -> None:
    """It only moves the clock."""
    models = folded(event(1, pairs=0))
    assert models.digest() == Models(RECIPE).digest()
    assert models.event == 1


def test_a_scheme_that_joins_later_starts_where_it_would_have() -> None:
    """And what was known of the others stays."""
    models = folded(event(1), event(2, schemes=NAMES))
    assert models.schemes == NAMES
    narrow = folded(event(1))
    assert narrow.weights("learned", "bob", dict.fromkeys(NAMES, 1.0))[2] > 0
    assert models.served("ana").shape == (3,)
    assert narrow.served("ana").shape == (2,)


def test_the_order_of_an_events_schemes_does_not_matter() -> None:
    """Columns are matched by name."""
    first, second = event(1), event(2)
    swapped = Event(
        second.event, 0.0, "reacted", "ana", "s", "p",
        {**second.body, "schemes": list(NAMES[1::-1])},
        {**second.arrays, "phi": second.arrays["phi"][:, ::-1].copy()},
    )  # fmt: skip
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
    late.event = 99
    assert late.digest() == folded(event(1)).digest()


def test_people_learn_their_own_part() -> None:
    """Two who disagree are served differently; a third gets what they share."""
    one = event(1, user="ana")
    other = Event(
        2, 0.0, "reacted", "bob", "s", "p", one.body,
        {**one.arrays, "pairs": one.arrays["pairs"][:, ::-1].copy()},
    )  # fmt: skip
    models = folded(one, other)
    ana, bob, eva = (models.served(user) for user in ("ana", "bob", "eva"))
    assert not np.array_equal(ana, bob)
    assert np.array_equal(eva, models.served("ana", "shared"))
    assert models.own["ana"].pairs == models.own["bob"].pairs == 3
    assert models.own["ana"].learned_right == pytest.approx(models.own["ana"].plain_right)
