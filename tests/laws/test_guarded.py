"""What the guard serves: who is asked with what weight, who is lifted, and what is written down."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from inside import log_of
from saccade.engine import Engine
from saccade.engine.events import Reacted
from saccade.engine.loop.experts import moment
from saccade.engine.loop.experts.moment import MARGIN_MARKS
from saccade.types import Page

RECIPE = "color-histogram,edge-directions,lbp"


Coloured = dict[str, list[str]]


def ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


# -- the query ------------------------------------------------------------------------------------


@pytest.mark.parametrize("others", [1, 3])
def test_what_is_not_meant_counts_half_against_what_is(engine: Engine, others: int) -> None:
    """However many pictures say it: a picture's score less half the mean of theirs."""
    every = [record.image_id for record in engine.images()]
    meant, unlike = every[0], every[20 : 20 + others]

    def scores(**asked: list[str]) -> dict[str, float]:
        page = engine.search(k=len(every), expert="uniform", **asked)
        return {hit.image_id: hit.score for hit in page.hits}

    both, alone = scores(like=[meant], unlike=unlike), scores(like=[meant])
    against = [scores(like=[one]) for one in unlike]
    for image in set(every) - {meant, *unlike}:
        away = np.mean([one[image] for one in against])
        assert both[image] == pytest.approx(alone[image] - 0.5 * away, abs=1e-5)


# -- comparisons ----------------------------------------------------------------------------------


@pytest.fixture
def twins(world: Path, tmp_path: Path) -> Iterator[tuple[Engine, str, str]]:
    """A collection in which two files hold the same pixels: nothing tells them apart."""
    folder = Path(shutil.copytree(world, tmp_path / "twins"))
    with Image.open(next(folder.rglob("*.jpg"))) as picture:
        pixels = picture.convert("RGB")
    for level in (1, 9):
        pixels.save(folder / f"twin{level}.png", compress_level=level)
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        engine.add(folder, recipe=RECIPE, workers=1)
        first, second = (
            engine.library.find(folder / f"twin{level}.png").image_id for level in (1, 9)
        )
        yield engine, first, second


def test_of_two_alike_the_better_stands_right_above_the_worse(
    twins: tuple[Engine, str, str],
) -> None:
    """Equal scores are no order: whichever is called better comes first."""
    engine, one, other = twins
    query = next(r.image_id for r in engine.images() if r.image_id not in (one, other))
    # This expert sees vectors alone: by the graph, one of the two would reach the other.
    page = engine.search(query, user="ana", k=50, expert="rocchio")
    scores = {hit.image_id: hit.score for hit in page.hits}
    assert scores[one] == scores[other]
    for better, worse in ((one, other), (other, one)):
        page = engine.prefer(page, better=better, worse=worse)
        assert ids(page).index(better) + 1 == ids(page).index(worse)


def test_a_picture_that_was_lifted_is_charged_by_where_experts_had_it(
    engine: Engine, first: str
) -> None:
    """A comparison is met whatever the experts say: it is neither their merit nor their fault."""
    page = engine.search(first, user="ana", k=35)
    worse, better = ids(page)[0], ids(page)[-1]
    lifted = engine.prefer(page, better=better, worse=worse)
    assert ids(lifted).index(better) + 1 == ids(lifted).index(worse)
    assert next(hit for hit in lifted.hits if hit.image_id == better).why["your mark"] > 0.0
    engine.undo("ana")
    # What was said of both pictures is known from the page that had one lifted above the other.
    engine.react(lifted, liked=[worse], disliked=[better])
    told = engine.people.show("ana").guard
    assert (told.events, told.served, told.plain) == (1, 0.0, 0.0)


def test_a_comparison_is_as_good_as_one_like(engine: Engine, first: str) -> None:
    """It takes a session out of its start, and beside a dislike it is marks of both kinds."""
    page = engine.search(first, user="ana", k=35)
    assert page.leading == "plain"
    page = engine.prefer(page, better=ids(page)[5], worse=ids(page)[4])
    assert page.leading == "spread"
    page = engine.react(page, disliked=[ids(page)[-1]])
    assert page.leading == "company"
    only = engine.search(first, user="bob", k=35)
    assert engine.react(only, disliked=[ids(only)[-1]]).leading == "plain"


def test_many_comparisons_are_no_more_than_one_like(engine: Engine, first: str) -> None:
    """Six of them and a dislike are still few marks."""
    page = engine.search(first, user="ana", k=35)
    for place in range(6):
        page = engine.prefer(page, better=ids(page)[place + 1], worse=ids(page)[place])
    for place in (-1, -2):
        page = engine.react(page, disliked=[ids(page)[place]])
    *_, last = (entry.record for entry in log_of(engine) if isinstance(entry.record, Reacted))
    assert last.opinions is not None
    assert last.opinions.opinions.stage == "few"


# -- many marks -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def coloured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Coloured]]:
    """Some green pictures, and more red and blue ones than the margin looks at."""
    place, rng = tmp_path_factory.mktemp("coloured"), np.random.default_rng(0)
    colours = {"red": (200, 30, 30), "blue": (30, 30, 200), "green": (30, 200, 30)}
    for name, colour in colours.items():
        (place / "w" / name).mkdir(parents=True)
        for number in range(6 if name == "green" else MARGIN_MARKS + 6):
            pixels = np.clip(rng.normal(colour, 40, (36, 48, 3)), 0, 255).astype(np.uint8)
            Image.fromarray(pixels).save(place / "w" / name / f"{number}.png")
    with Engine(place / "s.saccade", warm=False) as engine:
        engine.add(place / "w", recipe="color-histogram,lbp", workers=1)
        found: Coloured = {name: [] for name in colours}
        for record in engine.images():
            found[Path(record.paths[0]).parent.name].append(record.image_id)
        yield engine, found


@pytest.mark.parametrize(
    ("mark", "other", "sign"), [("liked", "disliked", 1), ("disliked", "liked", -1)]
)
@pytest.mark.parametrize(("older", "newer"), [("red", "blue"), ("blue", "red")])
def test_of_many_marks_the_margin_looks_at_the_newest(
    coloured: tuple[Engine, Coloured], older: str, newer: str, mark: str, other: str, sign: int
) -> None:
    """Of marks of two colours in one session, those of the colour marked last are followed."""
    engine, images = coloured
    query, *some = images["green"]
    page = engine.search(query, user=f"{mark} {newer}", k=200, expert="margin")
    page = engine.react(page, **{other: some})
    for colour in (older, newer):
        page = engine.react(page, **{mark: images[colour][:MARGIN_MARKS]})
    score = {hit.image_id: hit.score for hit in page.hits}
    before, last = (
        np.mean([score[image] for image in images[colour][MARGIN_MARKS:]])
        for colour in (older, newer)
    )
    assert sign * (last - before) > 0.5


@pytest.mark.parametrize(("older", "newer"), [("red", "blue"), ("blue", "red")])
def test_of_many_comparisons_the_margin_looks_at_the_newest(
    coloured: tuple[Engine, Coloured], older: str, newer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First one colour before the other, then as often the other way round: the last is meant."""
    few = 5
    monkeypatch.setattr(moment, "MARGIN_MARKS", few)
    engine, images = coloured
    page = engine.search(images["green"][0], user=f"{newer} before", k=200, expert="margin")
    for better, worse in ((older, newer), (newer, older)):
        for place in range(few):
            # Other pairs of the same pictures: each is called better as often as worse.
            pair = images[better][place], images[worse][(place + (better == newer)) % few]
            page = engine.prefer(page, better=pair[0], worse=pair[1])
    score = {hit.image_id: hit.score for hit in page.hits}
    before, last = (
        np.mean([score[image] for image in images[colour][few:]]) for colour in (older, newer)
    )
    assert last - before > 0.5
