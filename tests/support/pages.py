"""What the tests of the page do again and again: find a card by its place, begin a search, mark.

The grid has only what is near the window on the page, so a picture is asked for by its place. A
window that is `TALL` has all the pictures of a small collection on the page at once.
"""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, Page, expect

PHONE: dict[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
TALL: dict[str, Any] = {"viewport": {"width": 1280, "height": 4000}}

_ORDER = "[...document.querySelectorAll('#grid .card')].map((card) => card.dataset.id)"

# What comes next is asked for where the end is less than a window away.
_REST = """() => {
    const more = document.getElementById("more");
    return more.hidden || more.getBoundingClientRect().top > 2 * innerHeight;
}"""


def order(page: Page) -> list[str]:
    """The pictures on the page, in the order of their places."""
    found: list[str] = page.evaluate(_ORDER)
    return found


def card(page: Page, place: int) -> Locator:
    """The card at a place, from 0."""
    return page.locator(f"#grid .card[aria-posinset='{place + 1}']")


def name(page: Page, place: int) -> str:
    """The picture at a place."""
    found = card(page, place).get_attribute("data-id")
    assert found is not None
    return found


def holds(page: Page, number: int) -> None:
    """Wait until the grid holds so many pictures, on the page or out of sight."""
    expect(page.locator("#grid .card").first).to_have_attribute("aria-setsize", str(number))


def ready(page: Page) -> None:
    """Wait until there are pictures that can be marked, and no longer page is on its way."""
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    page.wait_for_function(_REST)
    expect(page.locator("#progress")).to_be_hidden()


def begin(page: Page, place: int = 0) -> None:
    """Start a search with a picture of the start page."""
    expect(card(page, place)).to_be_visible()
    card(page, place).click()
    ready(page)


def settle(page: Page, marks: int) -> None:
    """Wait until so many marks stand and the server has answered."""
    expect(page.locator("#tally")).to_have_attribute("data-marks", str(marks))
    expect(page.locator("#progress")).to_be_hidden()


def say(page: Page, place: int, verb: str) -> None:
    """Press a button of the card at a place."""
    card(page, place).hover()
    card(page, place).locator(f"[data-verb={verb}]").click()


def mark(page: Page, place: int, verb: str, marks: int) -> None:
    """Mark a picture by its button and wait until so many marks stand."""
    say(page, place, verb)
    settle(page, marks)


def swipe(page: Page, x: float, y: float, by: float) -> None:
    """Move a finger sideways, in one go of the browser's own: a slow machine makes it no press."""
    finger = page.context.new_cdp_session(page)
    way: dict[str, Any] = {"x": x, "y": y, "xDistance": by, "yDistance": 0, "speed": 400}
    how = {"gestureSourceType": "touch", "preventFling": True}
    finger.send("Input.synthesizeScrollGesture", {**way, **how})
    finger.detach()


def no_sideways(page: Page) -> bool:
    """Whether nothing is cut off at the right."""
    fits: bool = page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return fits
