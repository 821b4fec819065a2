"""Near-duplicates, duplicates and a zip, in a browser; what is told once; a guest's You."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest
from PIL import Image, ImageEnhance, ImageFilter
from playwright.sync_api import expect

import saccade
from pages import begin, card, holds, mark, order, settle
from saccade.service.server import prepare
from saccade.testbed.worlds import write
from servers import running

pytestmark = pytest.mark.xdist_group("browser")

SCENES, COPIES = 9, 3


@pytest.fixture(scope="module")
def doubled(tmp_path_factory):
    """Nine scenes, three of them also brighter and smaller, one twice: a store behind a server."""
    folder = tmp_path_factory.mktemp("doubled")
    rng = np.random.default_rng(5)
    for number in range(SCENES):
        coarse = rng.integers(0, 256, (6, 8, 3), np.uint8)
        scene = Image.fromarray(coarse).resize((240, 180), Image.Resampling.NEAREST)
        scene = scene.filter(ImageFilter.GaussianBlur(2))
        scene.save(folder / f"{number}.png")
        if number < COPIES:
            ImageEnhance.Brightness(scene).enhance(1.08).save(folder / f"{number}-bright.png")
            scene.resize((200, 150)).save(folder / f"{number}-small.png")
    (folder / "twin.png").write_bytes((folder / "8.png").read_bytes())
    with saccade.open(tmp_path_factory.mktemp("store") / "s.saccade", warm=False) as engine:
        engine.add(folder, recipe="embedding,gist", workers=1)
        with running(prepare(engine, port=0)) as url:
            yield url, engine


def searched(watched, doubled, user):
    """A search with a scene that has no copies: twelve places hold fourteen pictures."""
    url, engine = doubled
    alone = next(one for one in engine.images() if one.paths[0].endswith("/7.png"))
    page = watched.open(f"{url}/#/search?image={alone.image_id}", user)
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    return page, engine


def test_near_duplicates_lie_on_one_place_and_are_spread_out(watched, doubled):
    """×3 on the first of them; a press or a key shows the others beside it, and back."""
    page, _ = searched(watched, doubled, "stacks")
    holds(page, SCENES - 1)
    piles = page.locator("#grid .pile")
    expect(piles).to_have_count(COPIES)
    assert {piles.nth(i).text_content() for i in range(COPIES)} == {"×3"}
    before = order(page)
    top = page.locator("#grid .card.stack").first
    name, place = top.get_attribute("data-id"), int(top.get_attribute("aria-posinset")) - 1
    top.locator(".pile").click()
    holds(page, SCENES + 1)
    after = order(page)
    assert after[: place + 1] == before[: place + 1]
    assert after[place + 3 :] == before[place + 1 :]
    opened = page.locator(f"#grid .card[data-id='{name}'] .pile")
    expect(opened).to_have_attribute("aria-expanded", "true")
    card(page, place).locator(".picture").focus()
    page.keyboard.press("s")
    holds(page, SCENES - 1)
    assert order(page) == before


def test_what_is_browsed_is_stacked_too(watched, doubled):
    """A listing holds each scene once; a press spreads one out, and back."""
    url, _ = doubled
    page = watched.open(f"{url}/#/search?name=png", "browsing stacks")
    expect(page.locator("#lead")).to_contain_text("15 pictures, the newest first")
    holds(page, SCENES)
    piles = page.locator("#grid .pile")
    expect(piles).to_have_count(COPIES)
    piles.first.click()
    holds(page, SCENES + 2)
    piles.first.click()
    holds(page, SCENES)


def test_a_judged_picture_is_never_under_another(watched, doubled):
    """It keeps its place and its mark; what is nearly the same lies under it."""
    page, _ = searched(watched, doubled, "judged stacks")
    page.locator("#grid .pile").first.click()
    holds(page, SCENES + 1)
    spread = page.locator("#grid .card:has(.pile[aria-expanded=true])")
    top = int(spread.get_attribute("aria-posinset"))
    name = card(page, top).get_attribute("data-id")
    mark(page, top, "right", 1)
    judged = page.locator(f"#grid .card[data-id='{name}']")
    expect(judged.locator(".mark")).to_be_visible()
    expect(judged.locator(".pile")).to_have_text("×3")
    judged.locator(".pile").click()
    holds(page, SCENES - 1)
    expect(judged.locator(".mark")).to_be_visible()


def test_what_is_told_once_is_told_once(watched, doubled):
    """At the first ✓, at the first ✕, and when the search is remembered."""
    page, _ = searched(watched, doubled, "hinted")
    hint = page.locator("#hint")
    expect(hint).to_be_hidden()
    mark(page, 0, "right", 1)
    expect(hint).to_contain_text("What is like it comes up")
    mark(page, 2, "wrong", 2)
    expect(hint).to_contain_text("It sinks")
    mark(page, 3, "wrong", 3)
    expect(hint).to_have_text("Remembered: next time this starts here.")
    mark(page, 4, "wrong", 4)
    expect(hint).to_be_hidden()


def test_a_guest_is_told_that_searches_are_not_remembered(watched, doubled):
    """Beside the marks that were counted, and with what to do about it."""
    page, _ = searched(watched, doubled, "guest")
    for number, verb in enumerate(("right", "wrong", "wrong")):
        mark(page, number, verb, number + 1)
    expect(page.locator("#hint")).to_contain_text("A guest's searches are not remembered")
    page.goto(page.url.split("#")[0] + "#/taught?part=you")
    expect(page.locator("#you-shared")).to_contain_text("no search of a guest is remembered")
    expect(page.locator("#state")).to_be_hidden()
    expect(page.locator("#worth")).not_to_contain_text("Nothing")
    page.get_by_role("button", name="Give yourself a name").click()
    expect(page.locator("#user-input")).to_be_focused()


def test_originals_of_what_is_chosen_are_downloaded(watched, doubled):
    """A zip of them, by their names."""
    page, engine = searched(watched, doubled, "zip")
    chosen = []
    for place in (0, 1):
        card(page, place).click(modifiers=["Control"])
        chosen.append(card(page, place).get_attribute("data-id"))
    with page.expect_download() as coming:
        page.locator("#chosen-zip").click()
    assert coming.value.suggested_filename == "pictures.zip"
    with zipfile.ZipFile(coming.value.path()) as found:
        packed = {found.read(name) for name in found.namelist()}
    assert packed == {engine.library.original(one) for one in chosen}


def test_duplicates_and_the_size_on_disk_are_told(watched, doubled):
    """One picture at two places, three groups that are nearly the same, and bytes."""
    url, engine = doubled
    page = watched.open(f"{url}/#/collection", "keeper")
    groups = page.locator("#collection-duplicates li")
    expect(groups).to_have_count(COPIES + 1)
    expect(groups.first).to_contain_text("the same, 2 times")
    expect(groups.first).to_contain_text("twin.png")
    expect(groups.last).to_contain_text("3 nearly the same")
    expect(groups.last.locator("img")).to_have_count(3)
    expect(page.locator("#collection-told")).to_contain_text("on disk beside the pictures")
    assert engine.library.size().total > engine.library.size().thumbnails > 0


def test_what_learning_was_worth_is_drawn(watched, doubled):
    """Two lines over time, once there are some marks; as many as the guard has counted."""
    url, engine = doubled
    first = engine.images()[0].image_id
    for _ in range(3):
        page = engine.search(first, user="plotted", k=12)
        for right, wrong in ((0, 5), (2, 7)):
            ids = [hit.image_id for hit in page.hits]
            page = engine.react(page, liked=[ids[right]], disliked=[ids[wrong]])
    points, guard = engine.people.worth("plotted"), engine.people.show("plotted").guard
    assert len(points) == guard.events == 6
    assert np.mean([1.0 - one.served for one in points]) == pytest.approx(guard.served)
    assert np.mean([1.0 - one.plain for one in points]) == pytest.approx(guard.plain)
    seen = watched.open(f"{url}/#/taught?part=you", "plotted")
    for line in ("served", "plain"):
        drawn = seen.locator(f"#worth .line-{line}").get_attribute("points")
        assert len(drawn.split()) == 6


def test_the_way_of_a_newcomer(watched, empty_address, tmp_path):
    """From an empty folder to a taught word, a scale and a saved search, by clicks and typed words.

    Nothing is asked of them but what they see: a folder, a word, ✓ and ✕, two pictures.
    """
    folder = tmp_path / "pictures"
    write(folder, images=18, seed=3, size=(96, 72))
    page = watched.open(empty_address, "nora")
    page.locator("#first-folder").fill(str(folder))
    page.keyboard.press("Enter")
    holds(page, 18)
    expect(page.locator("#notice")).to_contain_text("Indexed.")
    # A word that means nothing here is taught by a picture and marks.
    box = page.get_by_role("combobox", name="What to look for")
    box.fill("grumblewick")
    page.keyboard.press("Enter")
    page.locator("#teach").click()
    begin(page, 2)
    mark(page, 0, "right", 1)
    mark(page, 3, "wrong", 2)
    settle(page, 2)
    # The search is saved.
    page.locator("#save").click()
    page.locator("#saved-name").fill("my grumblewicks")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("Saved as my grumblewicks.")
    # The word is known.
    page.locator("#boards").get_by_role("link", name="Taught").click()
    expect(page.locator("[data-row=grumblewick]")).to_contain_text("right, 1 wrong")
    # A scale, by pairs.
    page.locator("#tabs").get_by_role("link", name="Scales").click()
    page.locator("#scale-name").fill("calm")
    page.keyboard.press("Enter")
    for number in range(1, 4):
        expect(page.locator("#pair .side img").first).to_be_visible()
        page.locator("#pair .side").first.click()
        expect(page.locator("#scale-told")).to_contain_text(f"{number} answer")
        expect(page.locator("#progress")).to_be_hidden()
    expect(page.locator("#order .stop img").first).to_be_visible()
    # And the saved search goes on where it was left.
    page.locator("#tabs").get_by_role("link", name="Saved searches").click()
    page.locator("[data-row='my grumblewicks']").get_by_role("button").first.click()
    settle(page, 2)
