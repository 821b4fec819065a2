"""Scales under Taught, and what they add to a search, in a browser."""

from __future__ import annotations

import io
import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from pages import card, holds, name, order

pytestmark = pytest.mark.xdist_group("browser")

PAIR = "[...document.querySelectorAll('#pair .side img')].map((img) => img.src.split('/').at(-2))"


def lightness(engine, image):
    with Image.open(io.BytesIO(engine.library.thumbnail(image))) as picture:
        return float(np.asarray(picture.convert("L")).mean())


def told(page, words):
    expect(page.locator("#scale-told")).to_contain_text(re.compile(words))
    expect(page.locator("#progress")).to_be_hidden()


def changed(page, before):
    """Wait for another pair."""
    page.wait_for_function(f"(before) => ({PAIR}).join() !== before", arg=",".join(before))


def answer(page, engine, number):
    """Press the arrow towards the lighter picture, and wait for what comes of it."""
    first, second = page.evaluate(PAIR)
    lighter = lightness(engine, first) > lightness(engine, second)
    page.keyboard.press("ArrowLeft" if lighter else "ArrowRight")
    told(page, f"^{number} answer")


def at(page, place):
    """The picture at a place of the strip, from least to most: scrolled to, and there."""
    expect(page.locator("#order .stop img").first).to_be_visible()
    page.locator("#order .strip-window").evaluate(
        "(strip, place) => strip.scrollTo(128 * place - 200, 0)", place
    )
    found = page.locator(f"#order .stop[data-place='{place}'] button")
    expect(found).to_be_visible()
    return found


def test_the_strip_holds_the_whole_collection(watched, address, engine):
    """Least to most, fetched as it is scrolled to; few pictures are on the page at once."""
    engine.attributes.create("long")
    ids = sorted((r.image_id for r in engine.images()), key=lambda i: lightness(engine, i))
    for dark, bright in zip(ids[:6], ids[::-1][:6], strict=True):
        engine.attributes.compare("long", bright, dark, user="strip")
    every = [
        hit.image_id for hit in engine.attributes.order("long", user="strip", k=108, end="least")
    ]
    page = watched.open(f"{address}/#/taught?part=scales&name=long", "strip")
    for place in (0, 61, 107):
        name = at(page, place).locator("xpath=..").get_attribute("data-id")
        assert name == every[place]
        assert page.locator("#order .stop").count() < 30
    rest = engine.attributes.order("long", user="strip", k=20, end="least", offset=100)
    assert [hit.image_id for hit in rest] == every[100:]
    before = page.evaluate("document.querySelector('#order .strip-window').scrollLeft")
    page.locator("#order .strip-window").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.querySelector('#order .strip-window').scrollLeft") < before
    told(page, "^6 answers")
    engine.attributes.delete("long", user="strip")


def test_arrows_teach_and_the_strip_follows(watched, address, engine):
    """Name it, compare pairs by keys, skip, undo, label from the strip, put away, bring back."""
    page = watched.open(f"{address}/#/taught?part=scales", "board")
    expect(page.locator(".scales .state")).to_contain_text("Name something")
    page.fill("#scale-name", "light")
    page.keyboard.press("Enter")
    told(page, "0 answers · no order yet · 20 more answers would help")
    expect(page.locator("#order")).to_be_hidden()
    asked = []
    for number in range(1, 6):
        before = page.evaluate(PAIR)
        asked.append(before)
        answer(page, engine, number)
        changed(page, before)
    told(page, "5 answers · (about \\d+ of 100 pairs|no better than chance).* · 15 more answers")
    expect(page.locator("#order .pin")).to_have_count(len({one for pair in asked for one in pair}))
    page.locator("#order .pin").first.click()
    expect(page.locator("#order .stop.said.picked")).to_be_visible()
    page.keyboard.press("Escape")
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
    places = [hit.place for hit in engine.attributes.order("light", user="board", k=12, end="both")]
    assert places == sorted(places)
    at(page, len(engine) - 1).click()
    page.get_by_role("button", name="is light", exact=True).click()
    told(page, "^6 answers")
    assert engine.attributes.show("light", user="board").points == 1
    page.get_by_role("button", name="put away").click()
    expect(page.locator(".scales .state")).to_contain_text("Name something")
    page.locator(".put-away").get_by_role("button", name="bring light back").click()
    told(page, "^6 answers")
    expect(page.locator(".put-away")).to_be_hidden()
    page.get_by_role("button", name="put away").click()
    expect(page.locator(".put-away")).to_contain_text("light")


def test_a_search_is_narrowed_by_what_was_taught(watched, address, engine):
    """Like this, but more, from the strip; a slider; less than a hit, from the large view."""
    engine.attributes.create("glow")
    ids = sorted((r.image_id for r in engine.images()), key=lambda i: lightness(engine, i))
    for dark, bright in zip(ids[:8], ids[::-1][:8], strict=True):
        engine.attributes.compare("glow", bright, dark, user="narrow")
    scores = engine.attributes.scores("glow", user="narrow")
    page = watched.open(f"{address}/#/taught?part=scales&name=glow", "narrow")
    at(page, 54).click()
    page.get_by_role("button", name="like this, but more glow").click()
    chip = page.locator("[data-chip='scale glow']")
    expect(chip).to_contain_text("more glow than")
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    query = parse_qs(urlsplit(page.url).fragment.split("?")[1])["image"][0]
    more = {image for image in scores if scores[image] > scores[query]}
    holds(page, len(more))
    assert set(order(page)) <= more
    expect(chip).to_contain_text(f"{len(more)} fit")
    page.reload()  # the address keeps it
    holds(page, len(more))
    chip.get_by_role("button", name="without").click()
    holds(page, 100)
    page.locator("[data-facet='scale glow']").click()
    page.locator("#facet [data-scale=glow]").fill("-8")  # says that it changed, too
    least = engine.attributes.order("glow", user="narrow", k=108, end="least")
    holds(page, sum(hit.place < 0.2 and hit.image_id != query for hit in least))
    expect(chip).to_contain_text("less glow")
    page.keyboard.press("Escape")
    chip.get_by_role("button", name="without").click()
    holds(page, 100)
    than = name(page, 3)
    card(page, 3).click()
    page.locator("[data-wish='less glow']").click()
    expect(chip).to_contain_text("less glow than")
    expect(page).to_have_url(re.compile("less"))  # and not that of before the large view
    fewer = sum(value < scores[than] for image, value in scores.items() if image != query)
    holds(page, min(100, fewer))
    engine.attributes.delete("glow", user="narrow")


def test_fingers_answer_too(watched, address, engine):
    """A tap on a picture chooses it, a swipe that side; nothing runs off a phone."""
    engine.attributes.create("fingers")
    phone = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
    page = watched.open(f"{address}/#/taught?part=scales&name=fingers", "fingers", **phone)
    told(page, "^0 answers")
    first, second = page.evaluate(PAIR)
    page.locator("#pair .side").last.tap()
    told(page, "^1 answer ")
    scores = engine.attributes.scores("fingers", user="fingers")
    assert scores[second] > scores[first]
    first, second = page.evaluate(PAIR)
    box = page.locator("#pair .side").last.bounding_box()
    place = {"pointerType": "touch", "pointerId": 7, "isPrimary": True, "bubbles": True}
    start = {"clientX": box["x"] + 150, "clientY": box["y"] + 60}
    end = {"clientX": box["x"] + 20, "clientY": box["y"] + 70}
    page.locator("#pair .side").last.dispatch_event("pointerdown", {**place, **start})
    page.locator("#pair .side").last.dispatch_event("pointerup", {**place, **end})
    told(page, "^2 answers")
    scores = engine.attributes.scores("fingers", user="fingers")
    assert scores[first] > scores[second]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    engine.attributes.delete("fingers", user="fingers")
