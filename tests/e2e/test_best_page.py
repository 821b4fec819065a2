"""Best of, under Taught, in a real browser; parts of pictures that count."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")


def numbers(page):
    return page.locator("#grid .card[data-id]").evaluate_all("all => all.map((c) => c.dataset.id)")


def test_the_best_of_a_folder_is_taught_by_keys_and_shows_what_counts(watched, seeing) -> None:
    """Two-up by arrows, maps by R, grades by numbers, undo by U; nothing has to be prepared."""
    page = watched.open(f"{seeing}/#/taught?part=best&name=folder:fish", "concept ana")
    expect(page.locator("#best-title")).to_have_text("fish")
    expect(page.locator("#best-about")).to_contain_text("6 pictures, in the collection's order")
    expect(page.locator("#best-compare")).to_be_enabled()
    expect(page.locator("#best-map")).to_be_disabled()
    before = numbers(page)

    page.keyboard.press("c")
    expect(page.locator("#twoup [data-part=question]")).to_contain_text("better picture of fish")
    page.keyboard.press("ArrowDown")
    expect(page.locator("#twoup .pair")).to_have_attribute("data-turn", "1")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#twoup [data-part=count]")).to_have_text("1 said")
    page.keyboard.press("Escape")
    expect(page.locator("#best-about")).to_contain_text("the best first · 1 pair")
    expect(page.locator("#keywords [aria-current]")).to_contain_text("1 said")

    page.keyboard.press("r")
    veils = page.locator("#grid .veil:not([hidden])")
    expect(veils.first).to_be_visible()
    assert veils.first.evaluate("image => image.naturalWidth") > 0
    page.keyboard.press("r")
    expect(veils).to_have_count(0)

    last = page.locator("#grid .card[data-id]").last
    name = last.get_attribute("data-id")
    last.locator(".picture").focus()
    page.keyboard.press("1")
    expect(page.locator(f'[data-id="{name}"][data-grade=good]')).to_be_visible()
    first = page.locator("#grid .card[data-id]").first
    first.hover()
    first.locator("[data-grade=junk]").click()
    expect(page.locator("#best-about")).to_contain_text("2 graded")
    after = numbers(page)
    assert after.index(name) < len(after) - 1
    for left in ("1 graded", "0 graded", "0 pairs"):
        page.locator("#best-undo").click()
        expect(page.locator("#best-about")).to_contain_text(left)
    assert numbers(page) == before
    expect(page.locator("#best-undo")).to_be_disabled()


def test_more_pictures_than_a_page_are_told_and_shown(watched, address) -> None:
    """The first 200 of 450, then 400, then all, in parts the server gives."""
    page = watched.open(f"{address}/#/", "concept hal")
    wanted: list[tuple[int, int]] = []

    def answer(route) -> None:
        asked = parse_qs(urlsplit(route.request.url).query)
        offset, limit = int(asked["offset"][0]), int(asked["limit"][0])
        wanted.append((offset, limit))
        concept = {"name": "folder:many", "kind": "folder", "title": "many", "images": 900,
                   "preferences": 0, "graded": 0}  # fmt: skip
        every = [
            {"image_id": f"{i:064d}", "path": f"{i}.png", "width": 4, "height": 3, "score": 0.0,
             "grade": ""}
            for i in range(offset, min(900, offset + min(limit, 500)))
        ]  # fmt: skip
        ranking = {"concept": concept, "learned": False, "features": "", "method": "mi-online"}
        images = {"items": every, "total": 900, "offset": offset, "limit": limit}
        route.fulfill(json={"ranking": ranking, "images": images})

    page.route("**/api/v1/concepts/folder%3Amany*", answer)
    page.route("**/thumb*", lambda route: route.fulfill(status=204))
    page.goto(f"{address}/#/taught?part=best&name=folder:many")
    expect(page.locator("#best-part")).to_contain_text("The first 200 of 900 pictures")
    for shown in (400, 600):
        page.locator("#best-more").click()
        expect(page.locator("#best-part")).to_contain_text(f"The first {shown} of 900")
    assert wanted == [(0, 200), (0, 400), (0, 500), (500, 100)]
    for _ in range(2):
        page.locator("#best-more").click()
    expect(page.locator("#best-more")).to_be_hidden()
    expect(page.locator("#grid .card").first).to_have_attribute("aria-setsize", "900")
    watched.complaints.clear()


def test_an_unknown_name_and_an_empty_collection_have_a_sentence(
    watched, address, empty_address
) -> None:
    """And one button."""
    page = watched.open(f"{address}/#/taught?part=best&name=nothing", "concept bob")
    expect(page.locator("#state")).to_contain_text("no folder, tag or saved search of that name")
    page = watched.open(f"{empty_address}/#/taught?part=best", "concept eve")
    expect(page.locator("#state")).to_contain_text("no folder, tag or saved search")
    watched.forgive("422")


def test_what_counts_for_a_search_glows_in_why(watched, seeing) -> None:
    """A veil over the picture, where its own check holds."""
    page = watched.open(seeing, "concept ida")
    page.locator("#grid .card[data-id] .picture").first.click()
    judging = page.locator("#grid .card.judging .picture")
    expect(judging.first).to_be_visible()
    judging.first.focus()
    with page.expect_response(lambda answer: "/map.png" in answer.url) as answered:
        page.keyboard.press("w")
    assert answered.value.status == 200
    shown = page.locator("#why .counts")
    expect(shown).to_contain_text("what counts for this search")
    assert shown.locator(".veil").evaluate("image => image.naturalWidth") > 0


def test_a_part_is_searched_for_from_the_large_view(watched, seeing) -> None:
    """R shows what counts, a drag or a press picks a part; the address keeps it over a reload."""
    page = watched.open(seeing, "concept fay")
    page.locator("#grid .card[data-id]").first.click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    page.locator("#grid .card.judging .picture").first.click()
    expect(page.locator("#viewer-image")).to_be_visible()
    page.keyboard.press("r")
    layer = page.locator("#viewer-image-parts")
    expect(layer.locator(".words")).to_contain_text("draw a rectangle")
    expect(page.locator("#viewer .alike").first).to_be_visible()
    box = layer.bounding_box()
    assert box == pytest.approx(page.locator("#viewer-image").bounding_box(), abs=1)
    page.mouse.move(box["x"] + 0.2 * box["width"], box["y"] + 0.25 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.75 * box["height"], steps=3)
    with page.expect_response(lambda answer: answer.url.endswith("/search")) as answered:
        page.mouse.up()
    sent = answered.value.request.post_data_json["part"]["box"]
    assert sent == pytest.approx([0.25, 0.2, 0.75, 0.7], abs=0.02)
    hits = answered.value.json()["hits"]
    assert hits[0]["why"].keys() == {"parts:match"}
    assert all(len(hit["match"]) == 4 for hit in hits)
    expect(page.locator("#viewer")).to_be_hidden()
    expect(page.locator("#grid .card.judging .match").first).to_be_visible()
    page.keyboard.press("w")
    expect(page.locator("#why .words")).to_contain_text("a part like the one you pointed at")
    expect(page).to_have_title("Pictures like a part of " + page.title().split("part of ")[-1])
    with page.expect_response(lambda answer: answer.url.endswith("/search")) as answered:
        page.goto(page.url)
        page.reload()
    assert answered.value.request.post_data_json["part"]["box"] == sent
    page.locator("#grid .card.judging .picture").first.click()
    page.keyboard.press("r")
    expect(layer).to_be_visible()
    with page.expect_response(lambda answer: answer.url.endswith("/search")) as answered:
        layer.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert len(answered.value.request.post_data_json["part"]["spot"]) == 2
