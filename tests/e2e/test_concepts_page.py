"""The board of concepts, in a real browser."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")


def numbers(page):
    return page.locator("#grid .card[data-id]").evaluate_all("all => all.map((c) => c.dataset.id)")


def test_a_concept_is_taught_by_keys_and_shows_what_counts(watched, address) -> None:
    """Regions are cut when asked for; two-up by arrows, maps by R, grades by numbers, undo by U."""
    asked: list[str] = []
    page = watched.open(f"{address}/#/concepts?name=folder:fish", "concept ana")
    page.on("request", lambda sent: asked.append(f"{sent.method} {sent.url}"))
    expect(page.locator("#concept")).to_have_text("fish")
    expect(page.locator("#concept-about")).to_contain_text("6 pictures, in the collection's order")
    expect(page.locator(".cutting")).to_contain_text("done once and takes a few seconds")
    expect(page.locator("#compare")).to_be_disabled()
    assert not [line for line in asked if line.startswith("POST") and "regions" in line]
    page.get_by_role("button", name="Cut 6 pictures").click()
    expect(page.locator("#compare")).to_be_enabled()
    expect(page.locator("#cut")).to_be_hidden()
    expect(page.locator("#concept-about")).to_contain_text("6 pictures, in the collection's order")
    expect(page.locator("#map")).to_be_disabled()
    before = numbers(page)

    page.keyboard.press("c")
    expect(page.locator("#twoup-question")).to_contain_text("better picture of fish")
    with page.expect_response(lambda answer: "turn=1" in answer.url):
        page.keyboard.press("ArrowDown")
    page.wait_for_timeout(200)  # until the answer is on the page
    page.keyboard.press("ArrowRight")
    expect(page.locator("#twoup-count")).to_have_text("1 said")
    page.keyboard.press("Escape")
    expect(page.locator("#concept-about")).to_contain_text("the best first · 1 preference")
    expect(page.locator("#keywords [aria-current]")).to_contain_text("1 said")

    page.keyboard.press("r")
    veil = page.locator("#grid .veil").first
    expect(veil).to_be_visible()
    expect(veil).to_have_js_property("complete", True)
    assert veil.evaluate("image => image.naturalWidth") > 0
    page.keyboard.press("r")
    expect(veil).to_be_hidden()

    page.locator("#grid .card[data-id] .picture").first.click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    fish = page.locator('#grid .card.judging .picture[aria-label^="fish"]').first
    fish.focus()
    page.keyboard.press("w")
    expect(page.locator("#why .counts")).to_contain_text("what counts for fish")
    page.go_back()
    expect(page.locator("#map")).to_be_enabled()

    last = page.locator("#grid .card[data-id]").last
    name = last.get_attribute("data-id")
    last.locator(".picture").focus()
    page.keyboard.press("1")
    expect(page.locator(f'[data-id="{name}"][data-grade=good]')).to_be_visible()
    first = page.locator("#grid .card[data-id]").first
    first.hover()
    first.locator("[data-grade=junk]").click()
    expect(page.locator("#concept-about")).to_contain_text("2 graded")
    after = numbers(page)
    assert after.index(name) < len(after) - 1
    for left in ("1 graded", "0 graded", "0 preferences"):
        page.locator("#concept-undo").click()
        expect(page.locator("#concept-about")).to_contain_text(left)
    assert numbers(page) == before
    expect(page.locator("#concept-undo")).to_be_disabled()


def test_cutting_is_stopped_and_goes_on_where_it_was(watched, address, engine) -> None:
    """Stop sends no further request; what was cut stays, and the offer names the rest."""
    page = watched.open(f"{address}/#/concepts?name=folder:harbour", "concept gus")
    expect(page.locator("#concept")).to_have_text("harbour")
    total = engine.concepts.prepared("folder:harbour").total
    known = {"done": 0, "total": total, "failed": []}

    def answer(route) -> None:
        if route.request.method == "POST":
            known["done"] += 1
            page.get_by_role("button", name="Stop").click()
        route.fulfill(json=known)

    page.route("**/api/v1/regions*", answer)
    sent: list[str] = []
    page.on("request", lambda one: sent.append(one.method) if "/regions" in one.url else None)
    page.get_by_role("button", name=f"Cut {total} pictures").click()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    page.wait_for_timeout(300)
    assert sent.count("POST") == 1
    expect(page.locator("#cut")).to_contain_text("Cut")


def test_more_pictures_than_a_page_are_told_and_shown(watched, address) -> None:
    """The first 200 of 450, then 400, then all, in parts the server gives."""
    page = watched.open(f"{address}/#/", "concept hal")
    wanted: list[tuple[int, int]] = []

    def answer(route) -> None:
        asked = parse_qs(urlsplit(route.request.url).query)
        offset, limit = int(asked["offset"][0]), int(asked["limit"][0])
        wanted.append((offset, limit))
        concept = {"name": "folder:many", "kind": "folder", "title": "many", "images": 900,
                   "prepared": 900, "preferences": 0, "graded": 0}  # fmt: skip
        every = [
            {"image_id": f"{i:064d}", "path": f"{i}.png", "width": 4, "height": 3, "score": 0.0,
             "grade": "", "regions": 4}
            for i in range(offset, min(900, offset + min(limit, 500)))
        ]  # fmt: skip
        ranking = {"concept": concept, "learned": False, "features": "", "method": "mi-online"}
        images = {"items": every, "total": 900, "offset": offset, "limit": limit}
        route.fulfill(json={"ranking": ranking, "images": images})

    page.route("**/api/v1/concepts/folder%3Amany*", answer)
    page.route("**/thumb*", lambda route: route.fulfill(status=204))
    page.goto(f"{address}/#/concepts?name=folder:many")
    expect(page.locator("#concept-part")).to_contain_text("The first 200 of 900 pictures")
    for shown in (400, 600):
        page.locator("#concept-more").click()
        expect(page.locator("#concept-part")).to_contain_text(f"The first {shown} of 900")
    assert wanted == [(0, 200), (0, 400), (0, 500), (500, 100)]
    for _ in range(2):
        page.locator("#concept-more").click()
    expect(page.locator("#concept-more")).to_be_hidden()
    assert page.locator("#grid .card[data-id]").count() == 900
    watched.complaints.clear()


def test_an_unknown_concept_and_an_empty_collection_have_a_sentence(
    watched, address, empty_address
) -> None:
    """And one button."""
    page = watched.open(f"{address}/#/concepts?name=nothing", "concept bob")
    expect(page.locator("#state")).to_contain_text("No concept 'nothing'")
    page = watched.open(f"{empty_address}/#/concepts", "concept eve")
    expect(page.locator("#state")).to_contain_text("no folder, tag or saved search")
    watched.complaints.clear()  # the browser itself reports an answer of 422


def test_a_rectangle_drawn_in_the_large_view_is_searched_for(watched, address, engine) -> None:
    """R shows the parts, a drag picks one once all are cut; the address keeps it over a reload."""
    engine.concepts.prepare()
    page = watched.open(address, "concept fay")
    known = "**/api/v1/regions*"
    page.route(known, lambda route: route.fulfill(json={"done": 8, "total": 108, "failed": []}))
    page.locator("#grid .card[data-id]").first.click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    page.locator("#grid .card.judging .picture").first.click()
    expect(page.locator("#viewer-image")).to_be_visible()
    page.keyboard.press("r")
    layer = page.locator("#viewer-image-parts")
    expect(layer.locator(".words")).to_contain_text("draw a rectangle")
    box = layer.bounding_box()
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.25 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.75 * box["height"], steps=3)
    page.mouse.up()
    expect(page.locator("#notice")).to_contain_text("100 pictures, about 40 seconds")
    page.unroute(known)
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.25 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.75 * box["height"], steps=3)
    with page.expect_response(lambda answer: answer.url.endswith("/search")) as answered:
        page.mouse.up()
    sent = answered.value.request.post_data_json["box"]
    assert sent == pytest.approx([0.25, 0.2, 0.75, 0.7], abs=0.02)
    assert answered.value.json()["hits"][0]["why"].keys() == {"regions:match"}
    expect(page.locator("#viewer")).to_be_hidden()
    page.keyboard.press("w")
    expect(page.locator("#why .words")).to_contain_text("a part like the one you pointed at")
    expect(page).to_have_title("Pictures like a part of " + page.title().split("part of ")[-1])
    with page.expect_response(lambda answer: answer.url.endswith("/search")) as answered:
        page.goto(page.url)
        page.reload()
    assert answered.value.request.post_data_json["box"] == sent
