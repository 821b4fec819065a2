"""A simulated person judges by the truth, as far as told, and teaches an engine with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.testbed.people import Judgement, SimulatedPerson
from saccade.types import Hit, Page

NO_PHI = np.zeros(0, np.float32)
TRUTH = {"/w/a.jpg": "cat", "/w/b.jpg": "dog", "/w/c.jpg": "cat", "/w/d.jpg": "dog"}


def page_of(*names: str) -> Page:
    """A page that shows the named pictures in order."""
    hits = tuple(Hit(name, f"/w/{name}.jpg", 1.0, 8, 8, (), NO_PHI, np.zeros(0)) for name in names)
    return Page("p", "s", "guest", 0, hits, (), "uniform", "", len(hits))


def test_right_and_wrong_follow_the_truth() -> None:
    """Every picture is judged, in the page's order."""
    judgement = SimulatedPerson(TRUTH).judge(page_of("b", "a", "d", "c"), "cat")
    assert judgement == Judgement(liked=("a", "c"), disliked=("b", "d"))


def test_truth_may_go_by_image_id() -> None:
    """Labels by id serve as well as labels by path."""
    judgement = SimulatedPerson({"a": "cat", "b": "dog"}).judge(page_of("a", "b"), "dog")
    assert judgement == Judgement(liked=("b",), disliked=("a",))


def test_a_limit_stops_the_person_down_the_page() -> None:
    """Only the first pictures are looked at."""
    judgement = SimulatedPerson(TRUTH, limit=2).judge(page_of("b", "a", "d", "c"), "cat")
    assert judgement == Judgement(liked=("a",), disliked=("b",))


def test_what_was_judged_before_is_passed_over() -> None:
    """A second look goes on where the first one ended."""
    page = replace(page_of("b", "a", "d", "c"), liked=frozenset("a"), disliked=frozenset("b"))
    judgement = SimulatedPerson(TRUTH, limit=1).judge(page, "cat")
    assert judgement == Judgement(disliked=("d",))


def test_a_person_who_always_errs_says_the_opposite() -> None:
    """At error rate 1, liked and disliked change places."""
    page = page_of("a", "b", "c", "d")
    rng = np.random.default_rng(0)
    wrong = SimulatedPerson(TRUTH, error_rate=1.0, rng=rng).judge(page, "cat")
    right = SimulatedPerson(TRUTH).judge(page, "cat")
    assert (wrong.liked, wrong.disliked) == (right.disliked, right.liked)


def test_errors_come_as_often_as_told_and_by_the_seed() -> None:
    """One in four of 2,000 judgements, and the same ones for the same seed."""
    names = [f"n{i}" for i in range(2000)]
    page, truth = page_of(*names), dict.fromkeys(names, "cat")
    first, again = (
        SimulatedPerson(truth, error_rate=0.25, rng=np.random.default_rng(3)).judge(page, "cat")
        for _ in range(2)
    )
    assert first == again
    assert 400 < len(first.disliked) < 600


def test_a_picture_outside_the_truth_is_refused() -> None:
    """Silence would count as dislike: the person says what is missing instead."""
    with pytest.raises(InvalidInput, match=r"'/w/x.jpg' \(x\) is not in the truth"):
        SimulatedPerson(TRUTH).judge(page_of("a", "x"), "cat")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"limit": 0}, "limit=0"),
        ({"error_rate": 1.5}, "error_rate=1.5"),
        ({"error_rate": 0.1}, "without rng"),
    ],
)
def test_a_person_that_cannot_be_is_refused(options: dict[str, Any], complaint: str) -> None:
    """Each bad option is named."""
    with pytest.raises(InvalidInput, match=complaint):
        SimulatedPerson(TRUTH, **options)


class Recorder:
    """An engine that shows the same page and remembers what it was told."""

    def __init__(self) -> None:
        self.told: list[Judgement] = []

    def search(self, query: Any = None, *, user: str = "guest", k: int = 50) -> Page:
        return replace(page_of("b", "a", "d", "c"), user=user)

    def react(self, page: Page, *, liked: Sequence[str], disliked: Sequence[str]) -> Page:
        self.told.append(Judgement(tuple(liked), tuple(disliked)))
        return replace(page, liked=page.liked | set(liked), disliked=page.disliked | set(disliked))


def test_teaching_judges_page_after_page_until_nothing_is_left() -> None:
    """Two judgements a round finish four pictures in two rounds; the third is not held."""
    engine = Recorder()
    pages = SimulatedPerson(TRUTH, limit=2).teach(engine, "q.jpg", "cat", rounds=3, user="ana")
    assert engine.told == [Judgement(("a",), ("b",)), Judgement(("c",), ("d",))]
    assert len(pages) == 3
    assert pages[0].user == "ana"
