"""A person's first day: from no pictures to a taught word, a scale and a saved search, by hand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from pages import ready, settle
from saccade.testbed.worlds import write

pytestmark = pytest.mark.xdist_group("browser")

COUNT = """for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => {
    sessionStorage.acts = 1 + Number(sessionStorage.acts ?? 0);
}, true);"""
A_SECOND_EACH = 5 * 60  # acts in five minutes, by somebody who is in no hurry


def test_from_no_pictures_to_what_was_taught(watched, empty_address, tmp_path):
    """Every press and every letter is counted: at one a second, it is done in five minutes."""
    folder = tmp_path / "pictures"
    write(folder, images=36, seed=5, size=(96, 72))
    page = watched.open(f"{empty_address}/healthz", "guest")
    page.add_init_script(COUNT)
    page.goto(empty_address)

    expect(page.locator("#first-folder")).to_be_focused()
    page.keyboard.insert_text(str(folder))  # pasted
    page.keyboard.press("Enter")
    expect(page.locator("#grid .card[data-id]").first).to_be_visible()
    page.locator("#user").click()
    expect(page.locator("#user-input")).to_be_focused()
    page.keyboard.type("ana")
    page.keyboard.press("Enter")
    expect(page.locator("#user-name")).to_have_text("ana")

    # While the later passes still run.
    page.keyboard.press("/")
    page.keyboard.type("harbour")
    page.keyboard.press("Enter")
    ready(page)
    for marks, key in enumerate("yyn", 1):
        named = "[aria-label*=harbour]"
        meant = named if key == "y" else f":not({named})"
        fresh = f"#grid .card:not(.liked, .disliked) .picture{meant}"
        page.locator(fresh).first.focus()
        page.keyboard.press(key)
        settle(page, marks)
    page.locator("#save").click()
    expect(page.locator("#saved-name")).to_be_focused()
    page.keyboard.type("boats")
    page.keyboard.press("Enter")

    page.get_by_role("link", name="Taught").click()
    expect(page.locator("[data-row=harbour]")).to_contain_text("2 right, 1 wrong")
    page.get_by_role("link", name="Saved searches").click()
    expect(page.locator("[data-row=boats]")).to_contain_text("3 marks")
    page.get_by_role("link", name="Scales").click()
    page.locator("#scale-name").click()
    page.keyboard.type("busy")
    page.keyboard.press("Enter")
    for answers in range(1, 5):
        expect(page.locator("#pair .side img").last).to_be_visible()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#scale-told")).to_contain_text(re.compile(f"^{answers} answer"))
        expect(page.locator("#progress")).to_be_hidden()
    expect(page.locator("#order .stop img").first).to_be_visible()

    # What was taught is there where it is needed.
    page.keyboard.press("/")
    page.keyboard.type("harbour")
    page.keyboard.press("Enter")
    ready(page)
    expect(page.locator("[data-facet='scale busy']")).to_be_visible()
    assert int(page.evaluate("sessionStorage.acts")) < A_SECOND_EACH
