"""What an examiner of accessibility finds: nothing serious, on any board, light or dark."""

from __future__ import annotations

from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")

EXAMINER = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
FOUND = """() => axe.run(document, {resultTypes: ["violations"]}).then(({violations}) => violations
    .filter(({impact}) => ["serious", "critical"].includes(impact))
    .map(({id, nodes}) => `${id}: ${nodes[0].html.slice(0, 200)}`))"""

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
