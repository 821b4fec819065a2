"""The board of attributes, and what it adds to a search, in a browser."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")

PAIR = "[...document.querySelectorAll('#pair .side img')].map((img) => img.src.split('/').at(-2))"


def lightness(engine, image):
    with Image.open(io.BytesIO(engine.thumbnail(image))) as picture:
        return float(np.asarray(picture.convert("L")).mean())


def told(page, words):
    expect(page.locator("#attribute-told")).to_contain_text(re.compile(words))
    expect(page.locator("#progress")).to_be_hidden()


def changed(page, before):
    """Wait for another pair."""
    for _ in range(200):
        if page.evaluate(PAIR) != before:
            return
        page.wait_for_timeout(50)
    raise AssertionError("the pair stays")


def answer(page, engine, number):
    """Press the arrow towards the lighter picture, and wait for what comes of it."""
    first, second = page.evaluate(PAIR)
    lighter = lightness(engine, first) > lightness(engine, second)
    page.keyboard.press("ArrowLeft" if lighter else "ArrowRight")
    told(page, f"^{number} answer")


def test_arrows_teach_and_the_strip_follows(watched, address, engine):
    """Name it, compare pairs by keys, skip, undo, label from the strip, delete."""
    page = watched.open(f"{address}/#/attributes", "board")
    expect(page.locator(".attributes .state")).to_contain_text("Name something")
    page.fill("#attribute-name", "light")
    page.keyboard.press("Enter")
    told(page, "0 answers · no order yet · 20 more answers would help")
    expect(page.locator("#order")).to_be_hidden()
    for number in range(1, 6):
        before = page.evaluate(PAIR)
        answer(page, engine, number)
        changed(page, before)
    told(page, "5 answers · about \\d+% of pairs in the right order · 15 more answers")
    expect(page.locator("#order .stop.said").first).to_be_visible()
    expect(page.locator(".names a")).to_contain_text("5 answers")
    before = page.evaluate(PAIR)
    page.keyboard.press("ArrowDown")
    expect(page.locator("#progress")).to_be_hidden()
    changed(page, before)
    told(page, "^5 answers")
    page.keyboard.press("ArrowUp")
    told(page, "^6 answers")
    page.keyboard.press("u")
    told(page, "^5 answers")
    places = [hit.place for hit in engine.attributes.order("light", "board", k=12, end="both")]
    assert places == sorted(places)
    page.locator("#order .stop button").last.click()
    page.get_by_role("button", name="is light", exact=True).click()
    told(page, "^6 answers")
    assert engine.attributes.show("light", "board").points == 1
    page.get_by_role("button", name="delete").click()
    page.locator("#notice").get_by_role("button", name="Delete").click()
    expect(page.locator(".attributes .state")).to_contain_text("Name something")


def test_a_search_is_narrowed_by_what_was_taught(watched, address, engine):
    """Like this, but more, from the strip; a slider; less than a hit, from the large view."""
    engine.attributes.create("glow")
    ids = sorted((r.image_id for r in engine.images()), key=lambda i: lightness(engine, i))
    for dark, bright in zip(ids[:8], ids[::-1][:8], strict=True):
        engine.attributes.compare("glow", bright, dark, "narrow")
    scores = engine.attributes.scores("glow", "narrow")
    page = watched.open(f"{address}/#/attributes?name=glow", "narrow")
    page.locator("#order .stop button").nth(6).click()
    page.get_by_role("button", name="like this, but more glow").click()
    chip = page.locator("[data-trait=glow].chip")
    expect(chip).to_contain_text("more glow than")
    query = page.url.split("image=")[1]
    cards = page.locator("#grid .card.judging")
    expect(cards.first).to_be_visible()
    shown = page.evaluate("[...document.querySelectorAll('#grid .card')].map((c) => c.dataset.id)")
    assert set(shown) == {image for image in scores if scores[image] > scores[query]}
    chip.get_by_role("button").click()
    expect(cards).to_have_count(100)
    slider = page.locator("[data-trait=glow] input")
    slider.fill("-8")
    slider.dispatch_event("change")
    least = engine.attributes.order("glow", "narrow", k=108, end="least")
    expect(cards).to_have_count(sum(hit.place < 0.2 and hit.image_id != query for hit in least))
    slider.fill("0")
    slider.dispatch_event("change")
    expect(cards).to_have_count(100)
    cards.nth(3).click()
    than = page.evaluate("document.querySelectorAll('#grid .card')[3].dataset.id")
    page.locator("[data-wish='less glow']").click()
    expect(chip).to_contain_text("less glow than")
    fewer = sum(value < scores[than] for image, value in scores.items() if image != query)
    expect(cards).to_have_count(min(100, fewer))
    engine.attributes.delete("glow")


def test_fingers_answer_too(watched, address, engine):
    """A tap on a picture chooses it, a swipe that side; nothing runs off a phone."""
    engine.attributes.create("fingers")
    phone = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
    page = watched.open(f"{address}/#/attributes?name=fingers", "fingers", **phone)
    told(page, "^0 answers")
    first, second = page.evaluate(PAIR)
    page.locator("#pair .side").last.tap()
    told(page, "^1 answer ")
    scores = engine.attributes.scores("fingers", "fingers")
    assert scores[second] > scores[first]
    first, second = page.evaluate(PAIR)
    box = page.locator("#pair .side").last.bounding_box()
    place = {"pointerType": "touch", "pointerId": 7, "isPrimary": True, "bubbles": True}
    start = {"clientX": box["x"] + 150, "clientY": box["y"] + 60}
    end = {"clientX": box["x"] + 20, "clientY": box["y"] + 70}
    page.locator("#pair .side").last.dispatch_event("pointerdown", {**place, **start})
    page.locator("#pair .side").last.dispatch_event("pointerup", {**place, **end})
    told(page, "^2 answers")
    scores = engine.attributes.scores("fingers", "fingers")
    assert scores[first] > scores[second]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    engine.attributes.delete("fingers")
