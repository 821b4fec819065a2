from __future__ import annotations

import base64
import io
import re

import pytest
from PIL import Image
from playwright.sync_api import expect

from pages import (
    PHONE,
    TALL,
    begin,
    card,
    holds,
    mark,
    no_sideways,
    order,
    ready,
    say,
    settle,
    swipe,
)

pytestmark = pytest.mark.xdist_group("browser")

ELSEWHERE = {"good", "ok", "junk"}  # verbs of other boards
WORLD = 108  # pictures of the world in conftest.py


def beside(one, other):
    """Whether two elements share no column of pixels."""
    left, right = sorted((one.bounding_box(), other.bounding_box()), key=lambda box: box["x"])
    return left["x"] + left["width"] <= right["x"]


def drop(page, name, data, kind="image/jpeg"):
    page.evaluate(
        """([name, kind, text]) => {
            const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
            const carried = new DataTransfer();
            carried.items.add(new File([bytes], name, {type: kind}));
            for (const what of ["dragenter", "dragover", "drop"])
                window.dispatchEvent(
                    new DragEvent(what, {dataTransfer: carried, bubbles: true, cancelable: true}));
        }""",
        [name, kind, base64.b64encode(data).decode()],
    )


def drawn() -> bytes:
    """A picture that is in no folder."""
    out = io.BytesIO()
    Image.radial_gradient("L").convert("RGB").resize((96, 64)).save(out, "PNG")
    return out.getvalue()


@pytest.fixture(scope="module")
def modules(browser, address):
    """A blank page of the server's own, from which scripts can be imported and called."""
    page = browser.new_page()
    page.goto(f"{address}/healthz")
    yield page
    page.close()


# --- starting ------------------------------------------------------------------------------------


def test_the_start_page_offers_pictures_and_one_click_searches(watched, address):
    """A sampling of the collection; a click shows a hundred pictures ranked by likeness."""
    page = watched.open(address, "start")
    expect(page.locator("#lead")).to_contain_text(f"{WORLD} pictures")
    holds(page, 48)
    name = card(page, 3).get_attribute("data-id")
    begin(page, 3)
    assert page.url.endswith(f"?image={name}")
    holds(page, 100)
    assert name not in order(page)
    expect(page.locator("#signed .query img")).to_be_visible()
    page.go_back()
    holds(page, 48)


def test_a_dropped_picture_is_searched_with(watched, address, engine):
    """Drop a file anywhere; it becomes the query, by its address where the collection has it."""
    page = watched.open(address, "drop")
    expect(card(page, 0)).to_be_visible()
    record = engine.images(7, 1)[0]
    drop(page, "mine.jpg", engine.library.original(record.image_id))
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    holds(page, 100)
    assert record.image_id not in order(page)
    assert page.url.endswith(f"?image={record.image_id}")


def test_a_picture_of_ones_own_has_an_address(watched, address, engine):
    """A reload, a saved search and somebody else's browser find it again, until it is forgotten."""
    page = watched.open(address, "own")
    expect(card(page, 0)).to_be_visible()
    drop(page, "mine.png", drawn(), "image/png")
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    holds(page, 100)
    (kept,) = engine.uploads.list(user="own")
    assert page.url.endswith(f"?image={kept.image_id}")
    expect(page.locator("#signed .query")).to_have_attribute("title", "mine.png")
    mark(page, 1, "right", 1)
    found = order(page)[:5]
    page.reload()
    holds(page, 100)
    settle(page, 1)
    assert order(page)[:5] == found
    expect(page.locator("#signed .query")).to_have_attribute("title", "your picture")
    other = watched.open(page.url, "somebody")
    holds(other, 100)
    seen = "(image) => image.complete && image.naturalWidth > 0"
    shown = other.locator("#signed .query img")
    expect(shown).to_be_visible()
    assert other.wait_for_function(seen, arg=shown.element_handle())
    engine.forget("own")
    assert engine.uploads.find(kept.image_id) is None


def test_a_picture_that_cannot_be_kept_is_searched_with_all_the_same(watched, address):
    """Where the server keeps nothing, the search has no address, as a page without a trace."""
    page = watched.open(address, "unkept")
    expect(card(page, 0)).to_be_visible()
    page.route("**/api/v1/uploads*", lambda route: route.fulfill(status=503, json={}))
    drop(page, "mine.png", drawn(), "image/png")
    expect(page.locator("#signed .query img")).to_have_attribute("src", re.compile("^blob:"))
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    assert all("503" in line for line in watched.complaints)
    watched.forgive("503")


@pytest.mark.parametrize("waiting", ["before", "while"])
def test_whoever_types_before_the_page_stands_is_heard(watched, address, waiting):
    """Words sent before anything is known are looked for; words half typed stay."""
    page = watched.open(address, f"quick {waiting}")
    expect(card(page, 0)).to_be_visible()
    held = []
    page.route("**/api/v1/me", lambda route: held.append(route))
    page.reload(wait_until="commit")
    box = page.get_by_role("combobox", name="What to look for")
    box.press_sequentially("harb")
    if waiting == "before":
        box.press_sequentially("our")
        box.press("Enter")
    while not held:
        page.wait_for_timeout(20)
    held[0].continue_()
    if waiting == "while":
        expect(page.locator("#lead")).to_be_visible()
        expect(box).to_have_value("harb")
        box.press_sequentially("our")
        box.press("Enter")
    expect(page).to_have_url(re.compile("text=harbour"))
    expect(page.locator("#signed")).to_contain_text("harbour")


def test_a_pasted_picture_is_searched_with(watched, address, engine):
    """The clipboard works like a drop."""
    page = watched.open(address, "paste")
    expect(card(page, 0)).to_be_visible()
    data = base64.b64encode(engine.library.original(engine.images(9, 1)[0].image_id)).decode()
    page.evaluate(
        """(text) => {
            const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
            const carried = new DataTransfer();
            carried.items.add(new File([bytes], "clip.png", {type: "image/png"}));
            document.body.dispatchEvent(
                new ClipboardEvent("paste", {clipboardData: carried, bubbles: true}));
        }""",
        data,
    )
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    holds(page, 100)


def test_a_file_that_is_no_picture_gets_a_sentence(watched, address):
    """What it says is the engine's own sentence, with a way on."""
    page = watched.open(address, "nonsense")
    begin(page)
    drop(page, "notes.txt", b"only words", "text/plain")
    expect(page.locator("#state")).to_contain_text("not a JPEG, PNG, WebP, TIFF, BMP or GIF image")
    expect(page.locator("#strip")).to_be_hidden()
    page.locator("#state button").click()
    expect(page.locator("#picker")).to_be_visible()
    # The browser itself notes the 422 on the console.
    assert all("422" in line for line in watched.complaints)
    watched.forgive("422")


def test_the_picker_shows_the_collection_in_parts(watched, address):
    """Sixty at a time, to the last; a click searches."""
    page = watched.open(address, "picker")
    page.locator("#ask").click()
    cards = page.locator("#picker-grid .card")
    expect(cards.first).to_have_attribute("aria-setsize", "60")
    page.locator("#picker-more").click()
    expect(cards.first).to_have_attribute("aria-setsize", str(WORLD))
    expect(page.locator("#picker-more")).to_be_hidden()
    page.locator("#picker .scroll").evaluate("(scroll) => scroll.scrollTo(0, scroll.scrollHeight)")
    last = page.locator(f"#picker-grid .card[aria-posinset='{WORLD}']")
    name = last.get_attribute("data-id")
    last.click()
    expect(page.locator("#signed .query img")).to_have_attribute("src", re.compile(name))


def test_going_on_gives_the_whole_collection(watched, address):
    """What comes next is there before the end is in sight, in the order of the shorter page."""
    page = watched.open(address, "more")
    begin(page)
    first = order(page)
    holds(page, 100)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    holds(page, WORLD - 1)
    expect(page.locator("#more")).to_be_hidden()
    page.evaluate("scrollTo(0, 0)")
    expect(card(page, len(first) - 1)).to_have_count(1)
    expect(card(page, WORLD - 2)).to_have_count(0)
    assert order(page)[: len(first)] == first


def test_only_what_is_near_the_window_is_on_the_page(watched, address):
    """Rows come and go with scrolling; the picture that has the focus stays."""
    page = watched.open(address, "virtual")
    begin(page)
    focused = "document.activeElement.closest('.card')?.dataset.id"
    first = page.evaluate(focused)
    assert first == order(page)[0]
    assert len(order(page)) < 60
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(card(page, 99)).to_be_visible()
    expect(card(page, 20)).to_have_count(0)
    assert page.evaluate(focused) == first
    assert len(order(page)) < 60
    page.keyboard.press("ArrowRight")
    expect(card(page, 1).locator(".picture")).to_be_focused()
    expect(card(page, 1)).to_be_in_viewport()


def test_one_verb_bar_goes_with_the_pointer_and_the_focus(watched, address):
    """Buttons are on the card that is looked at and on no other; Tab reaches them."""
    page = watched.open(address, "verbs")
    begin(page)
    bars = page.locator("#grid .verbs")
    card(page, 5).hover()
    expect(card(page, 5).locator(".verbs")).to_be_visible()
    expect(bars).to_have_count(1)
    page.mouse.move(2, 2)
    page.keyboard.press("ArrowRight")
    expect(card(page, 1).locator(".verbs")).to_be_visible()
    expect(bars).to_have_count(1)
    page.keyboard.press("Tab")
    expect(card(page, 1).locator("[data-verb=right]")).to_be_focused()
    page.keyboard.press("Enter")
    settle(page, 1)
    expect(card(page, 1).locator("[data-verb=right]")).to_have_attribute("aria-pressed", "true")
    expect(card(page, 1).locator("[data-verb=right]")).to_be_focused()


def test_the_place_is_kept_on_the_way_back_and_on_a_reload(watched, address):
    """The same picture stands at the same height; also where the page had to grow for it."""
    page = watched.open(address, "place")
    begin(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    holds(page, WORLD - 1)
    page.evaluate("scrollTo(0, 4000)")
    expect(card(page, 70)).to_be_in_viewport()
    # Not the place at the end, where the page was a moment before.
    page.wait_for_function("() => history.state?.at?.place > 50 && history.state.at.place <= 70")
    at = page.evaluate("history.state.at")

    def back():
        expect(card(page, 70)).to_be_in_viewport()
        page.wait_for_function("(at) => history.state?.at?.place === at.place", arg=at)
        assert abs(page.evaluate("history.state.at.by") - at["by"]) <= 2

    page.reload()
    back()
    page.locator("#home").click()
    expect(page.locator("#lead")).to_be_visible()
    page.go_back()
    back()


@pytest.mark.parametrize("width", [360, 1232, 2500])
def test_rows_fill_the_width_and_crop_nothing(modules, width):
    """Each row ends at the edge but the last; shapes stay; heights stay near the one wished for."""
    rows = modules.evaluate(
        """async (width) => {
            const { rows, boxOf } = await import("/assets/js/state/rows.js");
            const sizes = [[4, 3], [3, 4], [16, 9], [1, 1], [3, 2], [2, 3]];
            const items = Array.from({ length: 500 }, (_, i) => sizes[(i * 7 + (i >> 3)) % 6])
                .map(([width, height]) => ({ width, height }));
            const found = rows(items, { width, row: 200, gap: 8, most: 1.7 });
            return found.first.map((first, line) => {
                const last = (found.first[line + 1] ?? found.n) - 1;
                const box = boxOf(found, last);
                const bent = items.slice(first, last + 1).some(({ width, height }, i) => {
                    const { width: w, height: h } = boxOf(found, first + i);
                    return Math.abs(w / h - width / height) > 1e-9;
                });
                return { right: box.left + box.width, height: box.height, bent };
            });
        }""",
        width,
    )
    assert not any(row["bent"] for row in rows)
    for row in rows[:-1]:
        full = abs(row["right"] - width) < 1e-6
        assert full or row["height"] == pytest.approx(1.7 * 200)
    assert all(0.7 * 200 <= row["height"] <= 1.7 * 200 + 1e-6 for row in rows)


def test_going_on_works_after_marks(watched, address):
    """Judged pictures keep marks and places on the longer page."""
    page = watched.open(address, "more and more", **TALL)
    begin(page)
    for judged, (place, verb) in enumerate(((40, "right"), (0, "wrong")), 1):
        mark(page, place, verb, judged)
    holds(page, WORLD - 1)
    before = order(page)
    assert len(before) == WORLD - 1  # none is there twice: that one would leave a place empty
    page.reload()
    settle(page, 2)
    holds(page, WORLD - 1)
    assert order(page) == before
    expect(page.locator("#tally")).to_have_text("2 marks")
    expect(card(page, 40)).to_have_class(re.compile(r"\bliked\b"))
    expect(card(page, 0)).to_have_class(re.compile("disliked"))
    page.locator("#undo").click()
    settle(page, 1)
    holds(page, WORLD - 1)


# --- teaching ------------------------------------------------------------------------------------


def test_marks_change_the_grid_and_undo_brings_it_back(watched, address):
    """Like, dislike: pictures move, judged ones stay; undo restores every place exactly."""
    page = watched.open(address, "teacher", **TALL)
    begin(page, 2)
    before = order(page)
    judged = {}
    for place, verb in ((14, "right"), (0, "wrong"), (1, "wrong")):
        judged[place] = order(page)[place]
        mark(page, place, verb, len(judged))
    after = order(page)
    assert after != before
    assert len(after) == len(set(after))
    # Judged pictures keep their marks and their places.
    assert {place: after[place] for place in judged} == judged
    assert "liked" in card(page, 14).get_attribute("class")
    assert "disliked" in card(page, 0).get_attribute("class")
    assert page.locator("#signed .liked").count() == 1
    assert page.locator("#signed .disliked").count() == 2
    assert page.locator(".moved").count() > 0
    for left in (2, 1, 0):
        page.locator("#undo").click()
        settle(page, left)
    assert order(page) == before
    assert page.locator(".card.liked, .card.disliked").count() == 0
    expect(page.locator("#undo")).to_be_disabled()


def test_badges_say_how_far_a_picture_moved(watched, address):
    """▲ n for n places up, ▼ n for n down, against the order before; below three, nothing."""
    page = watched.open(address, "badges", **TALL)
    begin(page, 5)
    before = order(page)
    mark(page, 20, "right", 1)
    after = order(page)
    said = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll("#grid .card")]
            .filter((card) => card.querySelector(".moved"))
            .map((card) => [card.dataset.id, card.querySelector(".moved").textContent]))"""
    )
    places = {name: place for place, name in enumerate(before)}
    expected = {}
    for place, name in enumerate(after):
        if name == before[20]:
            continue
        if name not in places:
            expected[name] = "new"
        elif abs(places[name] - place) >= 3:
            way = "▲" if places[name] > place else "▼"
            expected[name] = f"{way} {abs(places[name] - place)}"
    assert said == expected
    assert said


@pytest.mark.parametrize(
    ("served", "plain", "pays", "trusted", "words"),
    [
        (0.2, 0.4, False, True, ""),
        (0.2, 0.4, True, False, ""),
        (0.2, 0.4, True, True, "Your marks help: 8 of 10 in the right order, 6 without"),
        (0.17, 0.21, True, True, "Your marks help: 83 of 100 in the right order, 79 without"),
    ],
)
def test_that_marks_help_is_said_once_it_is_known(modules, served, plain, pays, trusted, words):
    """Before the engine finds it beyond doubt nothing is said, least of all a share."""
    guard = {"events": 9, "served": served, "plain": plain, "pays": pays, "trusted": trusted}
    said = modules.evaluate(
        """async (profile) => (await import("/assets/js/parts/learning.js")).help(profile)""",
        {"events": 9, "guard": guard},
    )
    assert said == words


def test_the_line_says_that_marks_help(watched, address):
    """Once the profile does; until then there is only what was marked."""
    page = watched.open(address, "helped")
    begin(page, 1)
    mark(page, 3, "right", 1)
    expect(page.locator("#learning")).to_be_hidden()

    def helped(route):
        answer = route.fetch()
        told = answer.json()
        told["guard"] |= {"events": 9, "served": 0.2, "plain": 0.4, "pays": True, "trusted": True}
        route.fulfill(response=answer, json=told)

    page.route("**/api/v1/profiles/helped", helped)
    mark(page, 8, "wrong", 2)
    expect(page.locator("#learning")).to_contain_text("8 of 10 in the right order, 6 without")


def test_why_speaks_in_words_and_moves_nothing(watched, address):
    """Two sentences, no raw number; it lies on the grid's margin, never on its picture."""
    page = watched.open(address, "words")
    begin(page)
    boxes = "[...document.querySelectorAll('#grid .card')].map((c) => c.getBoundingClientRect().x)"
    before = page.evaluate(boxes)
    for place in (0, before.index(max(before[:8]))):
        say(page, place, "why")
        panel = page.locator("#why")
        expect(panel.locator(".words")).to_contain_text("It ")
        expect(panel.locator(".about")).to_contain_text(f"place {place + 1}")
        assert not re.search(r"[0-9]\.[0-9]{2}", panel.inner_text())
        assert page.evaluate(boxes) == before
        assert beside(panel, card(page, place))
        expect(panel.locator(".deeper dl")).to_be_hidden()
        page.keyboard.press("Escape")
        expect(panel).to_be_hidden()


def test_why_draws_only_what_matters(watched, address):
    """Every bar is at least a tenth of the largest; the shares of all parts are a press deeper."""
    page = watched.open(address, "bars")
    begin(page)
    say(page, 2, "why")
    expect(page.locator("#why .words")).to_be_visible()
    widths = page.locator("#why .bars i").evaluate_all(
        "(bars) => bars.map((bar) => parseFloat(bar.style.width))"
    )
    assert all(width >= max(widths) / 10 for width in widths)
    page.locator("#why .deeper summary").click()
    shares = page.locator("#why .deeper dd").all_inner_texts()
    assert len(shares) >= len(widths)
    whole = sum(float(share.split("%")[0]) for share in shares if not share.startswith("under"))
    assert 90 <= whole <= 101


@pytest.mark.parametrize(
    ("why", "about", "words"),
    [
        ({"c": 0.6, "t": 0.01}, {}, ["It is like your picture in its colours."]),
        ({"c": 0.3, "t": 0.2}, {}, ["It is like your picture in its colours and its texture."]),
        ({}, {}, ["Nothing speaks for it or against it."]),
        ({"c": 0.6, "your mark": 25.0}, {"mark": "right"},
         ["You marked it right.", "It is like your picture in its colours."]),
        ({"c": 0.6, "look-alikes of what you liked": 0.0004}, {},
         ["It is like your picture in its colours."]),
        ({"c": 0.6, "look-alikes of what you liked": 0.3}, {},
         ["It is like your picture in its colours.", "Your marks in this search speak for it."]),
        ({"c": 0.6, "t": -0.3}, {},
         ["It is like your picture in its colours.", "Against it: its texture."]),
        ({"text:kinds": 1.5}, {"text": "elephant", "liked": ["a", "b", "c"],
                               "shows": [{"word": "African elephant", "probability": 0.7}]},
         ["It shows an African elephant.", "You liked three pictures like it."]),
        ({"text:kinds": 1.5}, {"text": "horse"}, ["It seems to show “horse”."]),
        ({"text:kinds": 1.5}, {"shows": [{"word": "tusker", "probability": 0.3}]},
         ["It may show a tusker."]),
        ({"e": 2.0}, {"shows": [{"word": "horse", "probability": 0.9}],
                      "alike": [{"word": "horse", "probability": 0.8}]},
         ["Like your picture, it shows a horse."]),
        ({"e": 2.0}, {"shows": [{"word": "horse", "probability": 0.9}],
                      "alike": [{"word": "barn", "probability": 0.8}]},
         ["It is like your picture in what it shows."]),
        ({"text:names": 1.0, "text:kinds": 0.05}, {"text": "rome"}, ["Its name says “rome”."]),
    ],
)  # fmt: skip
def test_the_words_of_why_follow_the_numbers(modules, why, about, words):
    """What made the difference is named; a part below a tenth of the largest is not."""
    said = modules.evaluate(
        """async ([why, about]) => {
            const { grouped, mattering, sentences } = await import("/assets/js/state/reasons.js");
            const kinds = new Map([["c", "colour"], ["t", "texture"], ["e", "embedding"]]);
            const groups = grouped(why, kinds);
            return sentences({ groups: groups.length ? mattering(groups) : [], ...about });
        }""",
        [why, about],
    )
    assert said == words


def test_why_shows_the_nearest_picture_that_was_called_right(watched, address, engine):
    """Among its look-alikes; a press shows it in the grid."""
    page = watched.open(address, "nearest", **TALL)
    begin(page)
    ids = order(page)
    place = {one: i for i, one in enumerate(ids)}
    like, found = next(
        (i, hit.image_id)
        for i, one in enumerate(ids)
        for hit in engine.graph.look_alikes(one, 20)
        if place.get(hit.image_id, i) != i
    )
    mark(page, place[found], "right", 1)
    place = {one: i for i, one in enumerate(order(page))}
    say(page, place[ids[like]], "why")
    expect(page.locator("#why .words")).to_contain_text("You liked a picture like it.")
    page.locator(f"#why [data-liked='{found}']").click()
    expect(page.locator(f"#grid [data-id='{found}'] .picture")).to_be_focused()


def test_a_second_press_takes_a_mark_off(watched, address, engine):
    """So does the cross in the strip, in any order, whatever was marked elsewhere since."""
    page = watched.open(address, "second thoughts")
    begin(page)
    before = order(page)
    mark(page, 3, "right", 1)
    card(page, 3).locator("[data-verb=right]").click()
    settle(page, 0)
    expect(page.locator("#live")).to_contain_text("The mark was taken off")
    assert order(page) == before
    mark(page, 5, "wrong", 1)
    mark(page, 0, "right", 2)
    assert page.locator("#signed .remove").count() == 2
    page.locator("#signed .disliked").hover()
    page.locator("#signed .disliked .remove").click()
    settle(page, 1)
    assert page.locator("#signed .liked").count() == 1
    other = engine.search(engine.images(5, 1)[0].image_id, user="second thoughts", k=5)
    other = engine.react(other, liked=[other.hits[-1].image_id])
    card(page, 0).hover()
    card(page, 0).locator("[data-verb=right]").click()
    settle(page, 0)
    # Undo keeps to this page, too: the mark is back, and the other search has its own.
    page.locator("#undo").click()
    settle(page, 1)
    assert len(engine.show(other, k=5).liked) == 1


def test_tidy_folds_judged_pictures_away_and_brings_them_back(watched, address):
    """T: fresh pictures fill the screen, the strip keeps what was said; T again: all as it was."""
    page = watched.open(address, "tidy", **TALL)
    begin(page)
    mark(page, 4, "right", 1)
    mark(page, 0, "wrong", 2)
    before = order(page)
    judged = {before[4], before[0]}
    page.keyboard.press("t")
    assert order(page) == [name for name in before if name not in judged]
    expect(page.locator("#tidy")).to_have_attribute("aria-pressed", "true")
    assert page.locator("#signed .liked, #signed .disliked").count() == 2
    # A mark folds its picture away, and the next one has the focus.
    first, second = order(page)[:2]
    page.locator(f"#grid [data-id='{first}'] .picture").focus()
    page.keyboard.press("n")
    settle(page, 3)
    assert first not in order(page)
    focused = "document.activeElement.closest('.card').dataset.id"
    assert page.evaluate(focused) == order(page)[0]
    assert second in order(page)
    page.reload()
    settle(page, 3)
    assert first not in order(page)
    page.locator("#tidy").click()
    # Loaded anew, what was called wrong is out of sight in the grid and stays in the strip.
    assert page.locator("#signed .liked, #signed .disliked").count() == 3
    assert page.locator("#grid .card.liked").count() == 1


@pytest.mark.parametrize(
    ("after", "judged", "before_view", "after_view", "words"),
    [
        ("abcdefgh", "a", "abc", "abc", "nothing moved"),
        ("abdcefgh", "a", "abcd", "abdc", "nothing moved"),
        ("abchdefg", "a", "abc", "abc", "1 moved further down"),
        ("ahbcdefg", "a", "abc", "ahb", "1 new here"),
        ("axyzbcde", "a", "abcd", "axyz", "3 new here"),
        ("afgbcdeh", "a", "abcdefg", "afgbcde", "2 moved here"),
        ("hbcdefga", "a", "abcdefgh", "hbcdefga", "1 moved here"),
        ("abdcefgh", "a", "abc", "abd", "1 new here"),
    ],
)
def test_a_mark_says_what_it_did(modules, after, judged, before_view, after_view, words):
    """What came into the same window, what moved in it, or that nothing did."""
    said = modules.evaluate(
        """async ([after, judged, before, now]) => {
            const { movements } = await import("/assets/js/state/arrange.js");
            const { effect } = await import("/assets/js/state/effect.js");
            const hits = (names) => [...names].map((id) => ({ image_id: id }));
            const moves = movements(hits("abcdefgh"), hits(after));
            const seen = { before: [...before], after: [...now] };
            const marks = new Map([...judged].map((id) => [id, "liked"]));
            return effect({ moves, ...seen, marks });
        }""",
        [after, judged, before_view, after_view],
    )
    assert said == words


@pytest.mark.parametrize(
    ("mark", "believed", "alike", "words"),
    [
        ("liked", 1.0, "bc", "nothing had to move: 2 of 3 here are like what you liked"),
        ("liked", 1.0, "", "nothing moved"),
        ("liked", 0.2, "", "nothing moved: your ✕ are much like your ✓"),
        ("disliked", 0.2, "", "nothing moved: your ✕ are much like what you look for"),
        ("disliked", 0.7, "", "nothing moved"),
    ],
)
def test_a_mark_that_moves_nothing_says_why(modules, mark, believed, alike, words):
    """What is like it stands there already, or the ✕ is doubted: by the figures of that page."""
    said = modules.evaluate(
        """async ([mark, believed, alike]) => {
            const { effect } = await import("/assets/js/state/effect.js");
            const names = [..."abcd"], moves = new Map(), marks = new Map([["a", mark]]);
            const part = "look-alikes of what you liked";
            const why = new Map(names.map((id) => [id, { [part]: alike.includes(id) ? 0.3 : -1 }]));
            return effect({ moves, before: names, after: names, marks, believed, why });
        }""",
        [mark, believed, alike],
    )
    assert said == words


def test_what_a_mark_did_is_measured_in_the_window(watched, address):
    """As many new ones as the window shows that it did not show before."""
    page = watched.open(address, "counted")
    begin(page, 5)
    seen = """() => {
        const top = document.getElementById("strip").getBoundingClientRect().bottom;
        return [...document.querySelectorAll("#grid .card:not(.liked, .disliked)")]
            .filter((card) => card.getBoundingClientRect().bottom > top)
            .filter((card) => card.getBoundingClientRect().top < innerHeight)
            .map((card) => card.dataset.id);
    }"""
    told = {}
    for marks, (place, key) in enumerate(((4, "y"), (0, "n"), (1, "n")), 1):
        before = set(page.evaluate(seen))
        card(page, place).locator(".picture").focus()
        page.keyboard.press(key)
        settle(page, marks)
        fresh = len(set(page.evaluate(seen)) - before)
        told[page.locator("#effect").inner_text()] = f"{fresh} new here"
    new = {said: counted for said, counted in told.items() if not counted.startswith("0")}
    assert new
    assert all(said == counted for said, counted in new.items())


def test_a_search_is_saved_and_opened_again(watched, address):
    """Under its name, with its marks, also after a reload; given up, it is gone from the list."""
    page = watched.open(address, "saved")
    begin(page, 3)
    mark(page, 1, "right", 1)
    mark(page, 2, "wrong", 2)
    page.locator("#save").click()
    page.locator("#saved-name").fill("beach in winter")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("Saved as beach in winter")
    page.locator("#home").click()
    begin(page, 6)
    page.locator("#save").click()
    page.get_by_role("button", name="beach in winter 2 marks").click()
    settle(page, 2)
    assert "saved=beach" in page.url
    page.reload()
    settle(page, 2)
    expect(page.get_by_role("heading", name="Pictures like beach in winter")).to_have_count(1)
    mark(page, 4, "right", 3)
    page.locator("#save").click()
    page.get_by_role("button", name="give up the saved search beach in winter").click()
    expect(page.locator("#saves")).to_contain_text("Nothing is saved yet")


def test_the_line_repeats_what_the_mark_did(watched, address):
    """What stands there is what is announced."""
    page = watched.open(address, "effect", **TALL)
    begin(page, 5)
    mark(page, 20, "right", 1)
    said = page.locator("#effect").inner_text()
    assert said
    expect(page.locator("#live")).to_have_text(f"Marked right: {said}.")


def test_each_person_has_marks_of_their_own(watched, address, engine):
    """The name is kept in the browser, and feedback goes to it."""
    page = watched.open(address, "first")
    begin(page)
    page.locator("#user").click()
    page.locator("#user-input").fill("Zoë 2")
    page.locator("#user-form [type=submit]").click()
    expect(page.locator("#user-name")).to_have_text("Zoë 2")
    expect(page.locator("#progress")).to_be_hidden()
    mark(page, 4, "right", 1)
    assert engine.people.show("Zoë 2").events == 1
    assert engine.people.show("first").events == 0
    before = order(page)
    page.reload()
    expect(page.locator("#user-name")).to_have_text("Zoë 2")
    settle(page, 1)
    assert order(page) == before


def test_a_reload_and_the_way_back_keep_the_marks(watched, address):
    """The page comes back as it was left; for another person the same search starts anew."""
    page = watched.open(address, "returning")
    begin(page, 4)
    mark(page, 9, "right", 1)
    mark(page, 0, "wrong", 2)

    def kept():
        settle(page, 2)
        assert page.locator("#signed .liked").count() == 1
        assert page.locator("#signed .disliked").count() == 1
        assert page.locator("#grid .card.liked").count() == 1
        return order(page)

    page.reload()
    before = kept()

    def unchanged():
        assert kept() == before

    page.locator("#home").click()
    expect(page.locator("#lead")).to_be_visible()
    expect(page.locator("#strip")).to_be_hidden()
    page.go_back()
    unchanged()
    page.locator("#home").click()
    expect(page.locator("#lead")).to_be_visible()
    page.locator("#user").click()
    page.locator("#user-input").fill("somebody else")
    page.locator("#user-form [type=submit]").click()
    page.go_back()
    settle(page, 0)
    assert page.locator(".card.liked, .card.disliked").count() == 0


# --- keys, fingers, sizes ------------------------------------------------------------------------


def test_the_keyboard_does_everything(watched, address):
    """Arrows walk, Y N W M U act, / ? and Escape open and close."""
    page = watched.open(address, "keys")
    begin(page)
    before = order(page)

    def focused():
        return page.evaluate("document.activeElement.closest('.card')?.dataset.id")

    assert focused() == before[0]
    page.keyboard.press("ArrowRight")
    assert focused() == before[1]
    page.keyboard.press("ArrowDown")
    below = focused()
    assert before.index(below) > 2
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowLeft")
    assert before.index(focused()) < before.index(below)
    here = focused()
    page.keyboard.press("y")
    settle(page, 1)
    assert focused() == here
    page.keyboard.press("ArrowRight")
    page.keyboard.press("N")
    settle(page, 2)
    assert page.locator(".card.liked").count() == page.locator(".card.disliked").count() == 1
    page.keyboard.press("u")
    settle(page, 1)
    page.keyboard.press("w")
    expect(page.locator("#why")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#why")).to_be_hidden()
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    expect(page.locator("#words")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("#words")).not_to_be_focused()
    page.locator(f"#grid [data-id='{before[5]}'] .picture").focus()
    page.keyboard.press("m")
    expect(page.locator("#signed .query img")).to_have_attribute("src", re.compile(before[5]))


def test_the_large_view_takes_the_same_keys(watched, address):
    """Enter opens, arrows turn over, Y marks and goes on, W explains, U undoes, Escape returns."""
    page = watched.open(address, "large")
    begin(page)
    shown = order(page)
    large = page.locator("#viewer-image")
    page.keyboard.press("Enter")
    expect(page.locator("#viewer")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "viewer-frame"
    page.keyboard.press("ArrowRight")
    expect(large).to_have_attribute("src", re.compile(shown[1]))
    page.keyboard.press("y")
    settle(page, 1)
    expect(page.locator("#viewer-tally")).to_contain_text("1 mark")
    expect(large).to_have_attribute("src", re.compile(shown[2]))
    # The ranking moved under the open picture; the way back leads over whatever is before it now.
    page.keyboard.press("ArrowRight")
    after = order(page)
    expect(large).to_have_attribute("src", re.compile(after[after.index(shown[2]) + 1]))
    page.keyboard.press("w")
    expect(page.locator("#viewer-why .words")).to_be_visible()
    page.keyboard.press("u")
    settle(page, 0)
    expect(page.locator("#viewer-tally")).to_contain_text("✓ right, ✕ wrong")
    last = page.locator("#viewer-image").get_attribute("src").split("/")[-2]
    page.keyboard.press("Escape")
    expect(page.locator("#viewer")).to_be_hidden()
    # The dialog gives the focus back to where it came from, and only then the grid takes it on.
    expect(page.locator(".card:focus-within")).to_have_attribute("data-id", last)


def test_the_large_view_tells_the_file_and_never_blurs_it(watched, address, engine):
    """Path, copy and download are there, and nothing is scaled past twice its size."""
    page = watched.open(address, "file", permissions=["clipboard-read", "clipboard-write"])
    begin(page)
    name = order(page)[0]
    path = engine.image(name).paths[0]
    card(page, 0).click()
    expect(page.locator("#viewer-path")).to_have_text(path)
    expect(page.locator("#viewer-save")).to_have_attribute("href", f"/api/v1/images/{name}/file")
    expect(page.locator("#viewer-save")).to_have_attribute("download", path.split("/")[-1])
    page.locator("#viewer-copy").click()
    expect(page.locator("#viewer #notice")).to_contain_text("clipboard")
    assert page.evaluate("navigator.clipboard.readText()") == path
    expect(page.locator("#viewer-image")).to_have_attribute("src", re.compile("/file$"))
    box = page.locator("#viewer-image").bounding_box()
    assert (box["width"], box["height"]) == (2 * 192, 2 * 144)


def test_a_mark_in_the_large_view_skips_what_was_judged(watched, address):
    """Only pictures that nobody has judged are offered next."""
    page = watched.open(address, "skips")
    begin(page)
    mark(page, 1, "wrong", 1)
    shown = order(page)
    card(page, 0).click()
    page.locator("#viewer [data-verb=right]").click()
    expect(page.locator("#viewer-image")).to_have_attribute("src", re.compile(shown[2]))


def test_back_closes_the_large_view_and_then_leaves_the_search(watched, address):
    """The large view is an entry of the history: Back, Forward and a reload know it."""
    page = watched.open(address, "history")
    begin(page)
    shown = order(page)
    viewer, large = page.locator("#viewer"), page.locator("#viewer-image")
    card(page, 3).click()
    expect(viewer).to_be_visible()
    page.keyboard.press("y")
    settle(page, 1)
    page.keyboard.press("ArrowLeft")
    page.go_back()
    expect(viewer).to_be_hidden()
    assert "liked" in page.locator(f"#grid [data-id='{shown[3]}']").get_attribute("class")
    page.go_forward()
    expect(large).to_have_attribute("src", re.compile("images"))
    expect(viewer).to_be_visible()
    page.reload()
    expect(viewer).to_be_visible()
    page.keyboard.press("Escape")
    expect(viewer).to_be_hidden()
    # The view is gone at once, its entry a moment later: a reload in between is cut short by it.
    page.wait_for_function("() => !history.state?.large")
    settle(page, 1)
    # What was marked in the large view is there after a reload below it, too.
    page.reload()
    settle(page, 1)
    expect(viewer).to_be_hidden()
    assert order(page)[3] == shown[3]
    page.go_back()
    expect(page.locator("#lead")).to_be_visible()


def test_whoever_goes_on_at_once_after_the_large_view_arrives(watched, address):
    """The entry of the large view goes by itself, and takes what comes next not along."""
    page = watched.open(address, "hasty")
    begin(page)
    shown = order(page)
    card(page, 3).click()
    expect(page.locator("#viewer")).to_be_visible()
    page.evaluate(
        """() => new Promise((done) => {
            const viewer = document.getElementById("viewer");
            viewer.addEventListener("close", () => {
                document.getElementById("home").click();
                done();
            }, { once: true });
            viewer.close();
        })"""
    )
    expect(page.locator("#lead")).to_be_visible()
    page.wait_for_function("() => !location.hash.includes('image')")
    page.go_back()
    ready(page)
    assert order(page) == shown
    expect(page.locator("#viewer")).to_be_hidden()


def test_a_search_from_the_large_view_takes_its_place(watched, address):
    """M in the large view: Back returns to the grid it was opened from, with its marks."""
    page = watched.open(address, "large more")
    begin(page)
    mark(page, 2, "right", 1)
    before = order(page)
    card(page, 5).click()
    page.keyboard.press("m")
    expect(page.locator("#signed .query img")).to_have_attribute("src", re.compile(before[5]))
    expect(page.locator("#viewer")).to_be_hidden()
    expect(page.locator("#tally")).to_have_attribute("data-marks", "0")
    page.go_back()
    settle(page, 1)
    assert order(page) == before
    expect(page.locator("#viewer")).to_be_hidden()


def test_keys_and_help_come_from_one_table(watched, address, modules):
    """Every row of the board is in the list of keys, and every row about a picture on a card."""
    table = modules.evaluate("async () => (await import('/assets/js/verbs.js')).VERBS")
    page = watched.open(address, "table")
    begin(page)
    card(page, 0).hover()
    on_cards = (
        card(page, 0)
        .locator("[data-verb]")
        .evaluate_all("(buttons) => buttons.map((button) => button.dataset.verb)")
    )
    assert on_cards == [verb["name"] for verb in table if verb.get("picture")]
    page.keyboard.press("?")
    here = [verb for verb in table if verb["name"] not in ELSEWHERE]
    assert page.locator("#keys dd").all_inner_texts()[:-1] == [verb["help"] for verb in here]
    shown = page.locator("#keys kbd").all_inner_texts()
    assert shown == [key for verb in here for key in verb["shown"]]


def test_an_unknown_board_leads_to_the_search(watched, address):
    """An address that names no board is no dead end."""
    page = watched.open(f"{address}/#/nowhere?x=1", "nowhere")
    expect(page.locator("#lead")).to_be_visible()
    page.locator("#skip").focus()
    page.keyboard.press("Enter")
    assert page.url.endswith("#/nowhere?x=1")
    assert page.evaluate("document.activeElement.id") == "grid"


def test_a_phone_never_scrolls_sideways(watched, address):
    """Start page, results, large view with why, picker: all fit 390 pixels."""
    page = watched.open(address, "phone", **PHONE)
    expect(card(page, 0)).to_be_visible()
    assert no_sideways(page)
    card(page, 0).tap()
    expect(page.locator(".card.judging").first).to_be_visible()
    assert no_sideways(page)
    card(page, 1).tap()
    expect(page.locator("#viewer")).to_be_visible()
    page.locator("#viewer [data-verb=why]").tap()
    expect(page.locator("#viewer-why .words")).to_be_visible()
    width = page.evaluate("document.getElementById('viewer').scrollWidth")
    assert width <= 390
    page.locator("#viewer .close").tap()
    page.locator("#ask").tap()
    expect(page.locator("#picker-grid .card").first).to_be_visible()
    assert page.evaluate("document.getElementById('picker').scrollWidth") <= 390
    assert no_sideways(page)


def test_swipes_say_right_and_wrong_and_a_long_press_offers_all(watched, address):
    """A finger is enough to teach."""
    page = watched.open(address, "finger", **PHONE)
    expect(card(page, 0)).to_be_visible()
    card(page, 0).tap()
    expect(page.locator(".card.judging").first).to_be_visible()
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        places = [{"x": x, "y": y} for x, y in points]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def middle(place):
        box = card(page, place).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    first = order(page)[0]
    swipe(page, *middle(0), 90)
    settle(page, 1)
    expect(page.locator(f"#grid [data-id='{first}']")).to_have_class(re.compile(r"\bliked\b"))
    second = order(page)[1]  # the first mark has moved the others
    swipe(page, *middle(1), -90)
    settle(page, 2)
    expect(page.locator(f"#grid [data-id='{second}']")).to_have_class(re.compile("disliked"))
    expect(page.locator("#viewer")).to_be_hidden()
    x, y = middle(3)
    third = order(page)[3]
    touch("touchStart", (x, y))
    expect(page.locator("#sheet")).to_be_visible()
    touch("touchEnd")
    page.locator("#sheet [data-verb=wrong]").tap()
    settle(page, 3)
    expect(page.locator(f"#grid [data-id='{third}']")).to_have_class(re.compile("disliked"))


def test_a_swipe_turns_the_large_view_over(watched, address):
    """To the left goes on, to the right back; and the strip stays in sight on a phone."""
    page = watched.open(address, "turning", **PHONE)
    expect(card(page, 0)).to_be_visible()
    card(page, 0).tap()
    expect(page.locator(".card.judging").first).to_be_visible()
    shown = order(page)
    card(page, 0).tap()
    large = page.locator("#viewer-image")
    expect(large).to_have_attribute("src", re.compile(shown[0]))
    swipe(page, 195, 400, -120)
    expect(large).to_have_attribute("src", re.compile(shown[1]))
    swipe(page, 195, 400, 20)
    swipe(page, 195, 400, 120)
    expect(large).to_have_attribute("src", re.compile(shown[0]))
    page.go_back()
    expect(page.locator("#viewer")).to_be_hidden()
    page.evaluate("scrollTo(0, 1500)")
    expect(page.locator("#tally")).to_be_in_viewport()
    expect(page.locator("#signed")).to_be_in_viewport()


def test_the_first_paint_is_not_blank(watched, address):
    """Grey boxes are in the page itself, before any script has run."""
    page = watched.open(address, "skeleton", java_script_enabled=False)
    assert page.locator(".grid.waiting .card").count() == 24
    box = page.locator(".grid.waiting .card").first.bounding_box()
    assert box["height"] > 100


def test_all_modules_are_asked_for_at_once(watched, address):
    """The page names every module that is loaded, so that none waits for another to be read."""
    page = watched.open(address, "preload")
    expect(card(page, 0)).to_be_visible()
    named = set(
        page.locator("link[rel=modulepreload]").evaluate_all("(all) => all.map((one) => one.href)")
    )
    loaded = {url for url in watched.requests if url.endswith(".js")}
    assert named == loaded


def test_title_and_heading_say_what_is_looked_for(watched, address, engine):
    """The name of the query's file, for those with many tabs and those who listen."""
    page = watched.open(address, "title")
    expect(page).to_have_title("Saccade")
    begin(page, 2)
    name = page.url.split("image=")[1]
    called = engine.image(name).paths[0].split("/")[-1]
    expect(page).to_have_title(f"Pictures like {called} · Saccade")
    assert page.locator("h1").all_inner_texts() == [f"Pictures like {called}"]
    drop(page, "mine.png", drawn(), "image/png")
    expect(page).to_have_title("Pictures like mine.png · Saccade")
    page.locator("#home").click()
    expect(page).to_have_title("Saccade")


def test_a_white_picture_has_an_edge(watched, address):
    """A hairline inside every card and every example."""
    page = watched.open(address, "hairline")
    begin(page)
    for place in (".card .picture", "#signed .example"):
        shadow = page.locator(place).first.evaluate(
            "(e) => getComputedStyle(e, '::after').boxShadow"
        )
        assert "inset" in shadow


def test_pictures_keep_their_shape_and_their_place_while_loading(watched, address):
    """No cropping in the rows, and every image states its size."""
    page = watched.open(address, "shape")
    begin(page)
    wrong = page.evaluate(
        """() => [...document.querySelectorAll("#grid .card")].filter((card) => {
            const image = card.querySelector("img"), box = card.getBoundingClientRect();
            const ratio = image.getAttribute("width") / image.getAttribute("height");
            return !(Math.abs(box.width / box.height - ratio) < 0.02 * ratio);
        }).length"""
    )
    assert wrong == 0


def test_odd_shapes_and_names_do_no_harm(watched, odd_address):
    """Very wide and tall pictures stay whole and in the row; names are text, never markup."""
    page = watched.open(odd_address, """<b>"Bo" & 'Co'""")
    expect(page.locator("#user-name")).to_have_text("""<b>"Bo" & 'Co'""")
    expect(card(page, 3)).to_be_visible()
    names = [page.locator(".picture").nth(i).get_attribute("aria-label") for i in range(4)]
    begin(page, next(i for i, name in enumerate(names) if name.startswith("dot.png")))
    holds(page, 3)
    for place in range(3):
        card(page, place).hover()
        expect(card(page, place).locator(".verbs")).to_be_visible()
        verbs = card(page, place).locator(".verbs").bounding_box()
        assert 0 <= verbs["x"] <= verbs["x"] + verbs["width"] <= 1280
        assert 80 <= card(page, place).bounding_box()["width"] <= 1280
        fit = card(page, place).locator("img").evaluate("(e) => getComputedStyle(e).objectFit")
        assert fit == "contain"
    assert no_sideways(page)
    named = page.locator("#grid .card", has=page.locator("[aria-label*='onerror']"))
    named.hover()
    named.locator("[data-verb=why]").click()
    expect(page.locator("#why .about")).to_contain_text("<img src=x onerror=alert(1)>.png")
    mark(page, 0, "right", 1)
    page.locator("#user").click()
    expect(page.locator("#user-list li")).to_have_count(2)
    expect(page.locator("#user-list")).to_contain_text("""<b>"Bo" & 'Co'""")
    assert page.locator("#user-list b, #why .about img[src=x]").count() == 0


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_motion_is_short_and_can_be_switched_off(watched, address, motion, moves):
    """Cards glide for at most 250 ms, and not at all for those who asked for less motion."""
    page = watched.open(address, f"motion {motion}", reduced_motion=motion, **TALL)
    page.evaluate(
        """() => {
            window.glides = [];
            const animate = Element.prototype.animate;
            Element.prototype.animate = function (frames, options) {
                window.glides.push(options.duration);
                return animate.call(this, frames, options);
            };
        }"""
    )
    begin(page, 5)
    mark(page, 20, "right", 1)
    glides = page.evaluate("window.glides")
    assert bool(glides) is moves
    assert all(duration <= 250 for duration in glides)


def test_listeners_hear_what_happened(watched, address):
    """Marks are announced, and every picture and button has a name."""
    page = watched.open(address, "listener")
    begin(page)
    expect(page.locator("#live")).to_have_text("100 pictures found.")
    mark(page, 2, "wrong", 1)
    expect(page.locator("#live")).to_contain_text("Marked wrong: ")
    assert "marked wrong" in card(page, 2).locator(".picture").get_attribute("aria-label")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, a, input")].filter((item) =>
            !(item.getAttribute("aria-label") || item.textContent.trim() || item.labels?.length
              || item.type === "file")).map((item) => item.outerHTML)"""
    )
    assert nameless == []


# --- when things go wrong ------------------------------------------------------------------------


def test_a_collection_without_pictures_asks_where_they_are(watched, empty_address):
    """One question and one button; a folder that is not there gets a sentence."""
    page = watched.open(empty_address, "nobody")
    expect(page.locator("#state")).to_contain_text("Where are your pictures?")
    expect(page.locator("#first-run button")).to_have_text("Begin")
    page.locator("#first-folder").fill("pictures")
    page.keyboard.press("Enter")
    expect(page.locator("#state [role=alert]")).not_to_be_empty()
    watched.forgive("422")


def test_marks_made_while_the_server_is_away_are_sent_in_order_when_it_is_back(watched, address):
    """They stay on screen, the page says that they wait, and each counts once."""
    page = watched.open(address, "gone")
    begin(page)
    sent = []

    def gone(route):
        sent.append(route.request.headers["idempotency-key"])
        route.abort()

    page.route("**/api/v1/feedback", gone)
    say(page, 6, "right")
    expect(page.locator("#away")).to_contain_text("1 mark will be sent")
    say(page, 3, "wrong")
    expect(page.locator("#away")).to_contain_text("2 marks will be sent")
    expect(card(page, 6)).to_have_class(re.compile(r"\bliked\b"))
    expect(card(page, 3)).to_have_class(re.compile("disliked"))
    page.unroute("**/api/v1/feedback")
    with page.expect_request("**/api/v1/feedback") as first:
        settle(page, 2)
    expect(page.locator("#away")).to_be_hidden()
    assert set(sent) == {first.value.headers["idempotency-key"]}  # tried again under its key
    assert first.value.post_data_json["liked"] == [page.locator(".liked .reveal").first.evaluate(
        "(button) => button.closest('[data-example]').dataset.example")]  # fmt: skip
    assert all("ERR_FAILED" in line for line in watched.complaints)
    watched.forgive("ERR_FAILED")


def test_a_mark_that_waits_outlives_a_reload(watched, address, engine):
    """The next visit sends it before anything else."""
    page = watched.open(address, "patient")
    begin(page)
    page.route("**/api/v1/feedback", lambda route: route.abort())
    say(page, 4, "right")
    expect(page.locator("#away")).to_be_visible()
    assert engine.people.show("patient").events == 0
    page.unroute("**/api/v1/feedback")
    page.reload()
    settle(page, 1)
    assert engine.people.show("patient").events == 1
    watched.complaints.clear()


def test_a_picture_that_is_not_there_says_so(watched, address):
    """An old address is no dead end."""
    page = watched.open(f"{address}/?image={'0' * 32}", "lost")
    expect(page.locator("#state")).to_contain_text("0000")
    page.locator("#state button").click()
    expect(page.locator("#lead")).to_be_visible()
    assert all("404" in line for line in watched.complaints)
    watched.forgive("404")


# --- the arithmetic of places --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hits", "kept", "expected"),
    [
        ("abcd", {}, "abcd"),
        ("abcd", {"d": 0}, "dabc"),
        ("bcd", {"a": 2}, "bcad"),
        ("abcd", {"a": 3, "b": 0}, "bcda"),
        ("ab", {"x": 9, "y": 5}, "abyx"),
        ("", {"x": 1}, "x"),
    ],
)
def test_judged_pictures_keep_their_places(modules, hits, kept, expected):
    """All others follow the ranking around them."""
    got = modules.evaluate(
        """async ([hits, kept]) => {
            const { arrange } = await import("/assets/js/state/arrange.js");
            const hit = (id) => ({ image_id: id });
            const held = Object.entries(kept).map(([id, place]) => ({ hit: hit(id), place }));
            return arrange([...hits].map(hit), held).map((hit) => hit.image_id).join("");
        }""",
        [hits, kept],
    )
    assert got == expected
