"""Choosing several pictures on the page: by keys, Shift and drags; marked, tagged and listed."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from pages import PHONE, begin, card, holds, name, order, settle

pytestmark = pytest.mark.xdist_group("browser")


def chosen(page, number):
    """Wait until so many are chosen."""
    words = "1 picture chosen" if number == 1 else f"{number} pictures chosen"
    expect(page.locator("#chosen strong")).to_have_text(words)


def test_x_and_shift_choose_and_all_are_marked_at_once(watched, address, engine):
    """One piece of feedback for all of them, and one undo takes it back."""
    page = watched.open(address, "chooser one")
    begin(page)
    page.keyboard.press("x")
    chosen(page, 1)
    card(page, 3).click(modifiers=["Shift"])
    chosen(page, 4)
    expect(card(page, 2)).to_have_class(re.compile("selected"))
    card(page, 2).click(modifiers=["ControlOrMeta"])
    chosen(page, 3)
    expect(page.locator("#viewer")).to_be_hidden()
    wanted = {name(page, place) for place in (0, 1, 3)}
    page.locator("#chosen-right").click()
    settle(page, 3)
    expect(page.locator("#chosen")).to_be_hidden()
    (said,) = engine.people.show("chooser one").history
    assert set(said.liked) == wanted
    page.keyboard.press("u")
    settle(page, 0)


def test_a_drag_chooses_what_it_touches(watched, address):
    """And opens nothing; Escape chooses none."""
    page = watched.open(address, "chooser two")
    begin(page)
    first, second = card(page, 0).bounding_box(), card(page, 1).bounding_box()
    page.mouse.move(first["x"] + 20, first["y"] + 20)
    page.mouse.down()
    page.mouse.move(first["x"] + 60, first["y"] + 40, steps=3)
    page.mouse.move(second["x"] + 40, second["y"] + 60, steps=3)
    page.mouse.up()
    chosen(page, 2)
    expect(page.locator("#viewer")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator("#chosen")).to_be_hidden()
    card(page, 1).click()
    expect(page.locator("#viewer")).to_be_visible()


def test_what_is_chosen_is_tagged_and_found_by_its_tag(watched, address, engine):
    """The tag narrows from then on, and its pictures can be browsed."""
    page = watched.open(address, "chooser three")
    begin(page)
    ids = set(order(page)[:3])
    page.keyboard.press("x")
    card(page, 2).click(modifiers=["Shift"])
    chosen(page, 3)
    page.locator("#chosen-tag-name").fill("three of them")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("3 pictures tagged three of them")
    page.locator("#notice").get_by_role("button", name="Show").click()
    expect(page.locator("[data-chip=tag]")).to_contain_text("three of them")
    holds(page, 3)
    assert set(order(page)) == ids


def test_what_is_chosen_is_exported_as_a_list(watched, address, engine):
    """A path a line, in the order on screen."""
    page = watched.open(address, "chooser four")
    begin(page)
    page.keyboard.press("x")
    card(page, 1).click(modifiers=["Shift"])
    chosen(page, 2)
    with page.expect_download() as download:
        page.locator("#chosen-list").click()
    lines = download.value.path().read_text().splitlines()
    assert lines == [engine.image(name(page, place)).paths[0] for place in (0, 1)]


def test_a_finger_chooses_from_one_to_another(watched, address):
    """A long press begins, where nothing is judged; moved sideways it chooses all it comes by."""
    page = watched.open(address, "chooser five", **PHONE)
    expect(card(page, 4)).to_be_visible()
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        places = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def middle(place):
        box = card(page, place).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    touch("touchStart", middle(0))
    chosen(page, 1)
    touch("touchEnd")
    (x, y), (to, below) = middle(0), middle(4)
    touch("touchStart", (x, y))
    for share in (0.3, 1.0):  # sideways first: up and down belongs to the page
        touch("touchMove", (x + 40 * share, y + 4 * share))
    touch("touchMove", (to, below))
    chosen(page, 5)
    touch("touchEnd")
    chosen(page, 5)
    expect(page).to_have_url(re.compile(r"^[^?]*$"))  # and nothing was searched for
    for place in range(5):
        expect(card(page, place)).to_have_class(re.compile("selected"))
    page.keyboard.press("Escape")
    expect(page.locator("#chosen")).to_be_hidden()
