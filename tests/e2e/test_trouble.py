"""What the page says when something beside it is not well."""

from __future__ import annotations

import json
import sqlite3

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")


def test_a_search_that_was_not_logged_says_so(watched, address, engine):
    """Its pictures are there and cannot be marked; searching again when the log is free can."""
    page = watched.open(address, "unlogged")
    expect(page.locator("#grid .card[data-id]").first).to_be_visible()
    other = sqlite3.connect(engine.path / "catalog.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        page.locator("#grid .card[data-id]").first.click()
        notice = page.locator("#notice")
        expect(notice).to_contain_text("cannot be marked now: the log is busy")
        expect(page.locator("#grid .card.judging").first).to_be_visible()
    finally:
        other.execute("ROLLBACK")
        other.close()
    notice.get_by_role("button", name="Search again").click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    expect(notice).to_be_hidden()


def test_the_start_page_says_what_rests_and_what_is_lost(watched, address):
    """In one sentence each, with where to ask."""

    def troubled(route):
        answer = route.fetch()
        told = {**answer.json(), "resting": {"embedding@/models/birds.onnx": "gone"}, "lost": 3}
        route.fulfill(status=200, content_type="application/json", body=json.dumps(told))

    page = watched.open(address, "trouble")
    page.route("**/api/v1/collection*", troubled)
    page.reload()
    expect(page.locator("#lead")).to_contain_text("birds.onnx rests")
    expect(page.locator("#lead")).to_contain_text("last 3 marks that were given are gone")
