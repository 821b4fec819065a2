"""What an examiner of accessibility finds: nothing serious, on any board, light or dark; no target
too small for a finger; nothing out of reach for whoever doubles the size of everything.
"""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import expect

from pages import PHONE, no_sideways

pytestmark = pytest.mark.xdist_group("browser")

EXAMINER = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
FOUND = """() => axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations
    .filter(({impact}) => ["serious", "critical"].includes(impact))
    .map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 200)}`))"""

SMALL = """() => [...document.querySelectorAll("a, button, input, select, summary")]
    .filter((one) => one.checkVisibility() && !one.closest(".unseen, .skip, .card"))
    .filter((one) => getComputedStyle(one).pointerEvents !== "none")
    .map((one) => [one.getBoundingClientRect(), one])
    .filter(([{width, height}]) => width && height && Math.min(width, height) < 43.9)
    .map(([{width, height}, one]) => `${width} × ${height}: ${one.outerHTML.slice(0, 120)}`)"""

BOARDS = {
    "start": ("", "#grid .card[data-id]"),
    "search": ("#/search?text=harbour", "#grid .card.judging"),
    "collection": ("#/collection", "[data-folder]"),
    "words": ("#/taught", "#tabs [aria-current]"),
    "scales": ("#/taught?part=scales&name=seen", "#order .stop img"),
    "best of": ("#/taught?part=best", "#tabs [aria-current]"),
    "saved": ("#/taught?part=saved", "#tabs [aria-current]"),
    "you": ("#/taught?part=you", "#worth p"),
    "settings": ("#/settings", "main h1"),
}


@pytest.fixture(scope="module")
def examined(engine):
    """Somebody who has a scale to look at."""
    engine.attributes.create("seen")
    ids = [record.image_id for record in engine.images(0, 8)]
    for more, less in zip(ids[:4], ids[4:], strict=True):
        engine.attributes.compare("seen", more, less, user="examiner")
    yield "examiner"
    engine.attributes.delete("seen", user="examiner")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_board_has_a_serious_finding(watched, address, examined, scheme):
    """Names, roles, order, contrast; in the large view and while two are compared, too."""
    page = watched.open(f"{address}/healthz", examined, color_scheme=scheme)
    findings = {}
    for name, (place, there) in BOARDS.items():
        page.goto(f"{address}/{place}")
        page.reload()  # the address differs by its end alone, which loads nothing anew
        expect(page.locator(there).first).to_be_visible()
        expect(page.locator("#progress")).to_be_hidden()
        page.evaluate(EXAMINER)
        findings[name] = page.evaluate(FOUND)
        if name == "search":
            page.keyboard.press("Enter")
            expect(page.locator("#viewer")).to_be_visible()
            findings["large"] = page.evaluate(FOUND)
            page.keyboard.press("Escape")
            expect(page.locator("#viewer")).to_be_hidden()
            page.keyboard.press("c")
            expect(page.locator("#twoup")).to_be_visible()
            findings["compare"] = page.evaluate(FOUND)
    assert {name: found for name, found in findings.items() if found} == {}


def test_a_finger_finds_everything(watched, address, examined):
    """What can be pressed is 44 pixels wide and high on every board of a phone."""
    page = watched.open(f"{address}/healthz", examined, **PHONE)
    small = {}
    for name, (place, there) in BOARDS.items():
        page.goto(f"{address}/{place}")
        page.reload()
        expect(page.locator(there).first).to_be_visible()
        expect(page.locator("#progress")).to_be_hidden()
        small[name] = page.evaluate(SMALL)
        if name == "search":
            page.locator("#grid .card .picture").nth(1).focus()
            page.keyboard.press("y")
            expect(page.locator("#tally")).to_have_attribute("data-marks", "1")
            page.keyboard.press("x")
            expect(page.locator("#chosen")).to_be_visible()
            small["chosen"] = page.evaluate(SMALL)
            page.keyboard.press("Escape")
            page.keyboard.press("w")
            expect(page.locator("#why .words")).to_be_visible()
            small["why"] = page.evaluate(SMALL)
            page.keyboard.press("Escape")
            page.locator("[data-facet=folder]").tap()
            expect(page.locator("#facet [data-value]").first).to_be_visible()
            small["facet"] = page.evaluate(SMALL)
            page.keyboard.press("Escape")
            page.keyboard.press("c")
            expect(page.locator("#twoup")).to_be_visible()
            small["compare"] = page.evaluate(SMALL)
    assert {name: found for name, found in small.items() if found} == {}


def test_twice_the_size_cuts_nothing_off(watched, address, examined):
    """Zoomed to 200%, a window of 1,280 pixels has room for 640: no board scrolls sideways."""
    half = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
    page = watched.open(f"{address}/healthz", examined, **half)
    wide = []
    for name, (place, there) in BOARDS.items():
        page.goto(f"{address}/{place}")
        page.reload()
        expect(page.locator(there).first).to_be_visible()
        expect(page.locator("#progress")).to_be_hidden()
        if not no_sideways(page):
            wide.append(name)
    assert wide == []
