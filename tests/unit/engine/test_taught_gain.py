"""What a person teaches makes their other searches better; who tells nothing apart changes none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from saccade.engine import Engine
from saccade.testbed.measures import average_precision_of_ranking
from saccade.types import Page

SHOWN = 12


def kind(engine: Engine, image: str) -> str:
    return Path(engine.image(image).paths[0]).parent.name


def scored(page: Page) -> list[tuple[str, float]]:
    return [(hit.image_id, hit.score) for hit in page.hits]


@pytest.fixture
def queries(engine: Engine) -> tuple[list[str], list[str]]:
    """What is taught with, and other pictures that are looked for afterwards."""
    ids = [record.image_id for record in engine.images(0, None)]
    order = np.random.default_rng(2).permutation(ids).tolist()
    return order[:24], order[24:]


def precision(engine: Engine, query: str, user: str) -> float:
    hits = engine.search(query, user=user, k=100).hits
    same = [int(kind(engine, h.image_id) == kind(engine, query)) for h in hits]
    return average_precision_of_ranking(same)


def teach(engine: Engine, query: str, user: str, *, everything: bool = False) -> None:
    page = engine.search(query, user=user, k=SHOWN)
    shown = [hit.image_id for hit in page.hits]
    right = [i for i in shown if everything or kind(engine, i) == kind(engine, query)]
    engine.react(page, liked=right, disliked=[i for i in shown if i not in right])


def test_other_searches_of_who_taught_start_better(
    engine: Engine, queries: tuple[list[str], list[str]]
) -> None:
    """On pictures that were not asked for while teaching; a stranger has the start."""
    taught, others = queries
    before = [precision(engine, query, "ana") for query in others]
    pages = [scored(engine.search(query, user="new", k=100)) for query in others]
    for query in taught:
        teach(engine, query, "ana")
    after = [precision(engine, query, "ana") for query in others]
    assert np.mean(after) > np.mean(before) + 0.1
    assert sum(b < a - 0.01 for a, b in zip(before, after, strict=True)) <= 1
    assert [scored(engine.search(query, user="new", k=100)) for query in others] == pages


def test_who_likes_everything_changes_nothing(
    engine: Engine, queries: tuple[list[str], list[str]]
) -> None:
    """Nothing was told apart, so nothing is known: their pages are the start's, to the bit."""
    taught, others = queries
    pages = [scored(engine.search(query, user="ana", k=100)) for query in others]
    for query in taught:
        teach(engine, query, "ana", everything=True)
    assert [scored(engine.search(query, user="ana", k=100)) for query in others] == pages


def test_a_like_that_passes_others_over_tells_apart(engine: Engine, first: str) -> None:
    """Who marks no picture wrong is heard where they chose; not where they took all in turn."""
    page = engine.search(first, user="ana", expert="plain", k=SHOWN)
    shown = [hit.image_id for hit in page.hits]
    start = scored(engine.search(first, user="bob", k=100))
    for _ in range(3):
        engine.react(engine.search(first, user="ana", expert="plain", k=SHOWN), liked=shown[6:9])
        turn = engine.search(first, user="bob", expert="plain", k=SHOWN)
        for image in shown[8::-1]:  # from the ninth up: each passed over what was liked after it
            turn = engine.react(turn, liked=[image])
    assert scored(engine.search(first, user="ana", expert="remembered", k=100)) != start
    after = engine.search(first, user="bob", expert="remembered", k=100)
    assert [hit.image_id for hit in after.hits] == [image for image, _ in start]


def turned_round(engine: Engine, query: str, user: str, *, halves: bool) -> None:
    """Call a page right and then the same page wrong; or one half of it, and then the other."""
    shown = [hit.image_id for hit in engine.search(query, user=user, k=SHOWN).hits]
    right, wrong = (shown[:6], shown[6:]) if halves else (shown, [])
    for liked, disliked in ((right, wrong), (wrong, right)):
        page = engine.search(query, user=user, k=len(shown))
        there = {hit.image_id for hit in page.hits}
        engine.react(
            page,
            liked=[image for image in liked if image in there],
            disliked=[image for image in disliked if image in there],
        )


@pytest.mark.parametrize("halves", [False, True])
def test_who_turns_round_what_they_said_loses_nothing(
    engine: Engine, queries: tuple[list[str], list[str]], halves: bool
) -> None:
    """Right in one search and wrong in the next: neither is believed."""
    taught, others = queries
    before = [precision(engine, query, "ana") for query in others]
    for query in taught:
        turned_round(engine, query, "ana", halves=halves)
    after = [precision(engine, query, "ana") for query in others]
    assert np.mean(after) > np.mean(before) - 0.005
