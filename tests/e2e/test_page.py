from __future__ import annotations

import base64
import re

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.xdist_group("browser")

ELSEWHERE = {"good", "ok", "junk"}  # verbs of other boards
WORLD = 108  # pictures of the world in conftest.py
ORDER = "[...document.querySelectorAll('#grid .card')].map((card) => card.dataset.id)"
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


def order(page):
    return page.evaluate(ORDER)


def card(page, place):
    return page.locator("#grid .card[data-id]").nth(place)


def begin(page, place=0):
    """Start a search with a picture of the start page."""
    expect(card(page, place)).to_be_visible()
    card(page, place).click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    expect(page.locator("#progress")).to_be_hidden()


def mark(page, place, verb, judged):
    """Mark a picture by its button and wait until the server has answered."""
    card(page, place).hover()
    card(page, place).locator(f"[data-verb={verb}]").click()
    settle(page, judged)


def settle(page, judged):
    expect(page.locator("#tally")).to_contain_text(f"{judged} judged")
    expect(page.locator("#progress")).to_be_hidden()


def no_sideways(page):
    return page.evaluate("document.documentElement.scrollWidth <= innerWidth")


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
    expect(page.locator("#grid .card")).to_have_count(48)
    name = card(page, 3).get_attribute("data-id")
    begin(page, 3)
    assert page.url.endswith(f"?image={name}")
    assert len(order(page)) == 100
    assert name not in order(page)
    expect(page.locator("#signed .query img")).to_be_visible()
    page.go_back()
    expect(page.locator("#grid .card")).to_have_count(48)


def test_a_dropped_picture_is_searched_with(watched, address, engine):
    """Drop a file anywhere; it becomes the query, shown in the strip."""
    page = watched.open(address, "drop")
    expect(card(page, 0)).to_be_visible()
    record = engine.images(7, 1)[0]
    drop(page, "mine.jpg", engine.original(record.image_id))
    expect(page.locator("#signed .query img")).to_have_attribute("src", re.compile("^blob:"))
    expect(page.locator("#grid .card.judging")).to_have_count(100)
    assert record.image_id not in order(page)


def test_a_pasted_picture_is_searched_with(watched, address, engine):
    """The clipboard works like a drop."""
    page = watched.open(address, "paste")
    expect(card(page, 0)).to_be_visible()
    data = base64.b64encode(engine.original(engine.images(9, 1)[0].image_id)).decode()
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
    expect(page.locator("#grid .card.judging")).to_have_count(100)


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
    watched.complaints.clear()


def test_the_picker_shows_the_collection_in_parts(watched, address):
    """Sixty at a time, to the last; a click searches."""
    page = watched.open(address, "picker")
    page.locator("#ask").click()
    cards = page.locator("#picker-grid .card")
    expect(cards).to_have_count(60)
    page.locator("#picker-more").click()
    expect(cards).to_have_count(WORLD)
    expect(page.locator("#picker-more")).to_be_hidden()
    name = cards.nth(WORLD - 1).get_attribute("data-id")
    cards.nth(WORLD - 1).click()
    expect(page.locator("#signed .query img")).to_have_attribute("src", re.compile(name))


def test_show_more_gives_the_whole_collection(watched, address):
    """A longer page keeps the order of the shorter one."""
    page = watched.open(address, "more")
    begin(page)
    first = order(page)
    page.locator("#more").click()
    expect(page.locator("#grid .card")).to_have_count(WORLD - 1)
    assert order(page)[:100] == first
    expect(page.locator("#more")).to_be_hidden()


def test_show_more_works_after_marks(watched, address):
    """Judged pictures keep marks and places on the longer page, and undo does not shorten it."""
    page = watched.open(address, "more and more")
    begin(page)
    for judged, (place, verb) in enumerate(((40, "right"), (0, "wrong")), 1):
        mark(page, place, verb, judged)
    before = order(page)
    marked = {place: before[place] for place in (0, 40)}
    page.locator("#more").click()
    expect(page.locator("#grid .card")).to_have_count(WORLD - 1)
    after = order(page)
    assert after[: len(before)] == before
    assert {place: after[place] for place in marked} == marked
    assert "liked" in card(page, 40).get_attribute("class")
    assert "disliked" in card(page, 0).get_attribute("class")
    expect(page.locator("#tally")).to_contain_text("2 judged")
    expect(page.locator("#tally")).not_to_contain_text("round")  # each mark was one: said once
    assert page.locator(".moved").count() == 0
    page.locator("#undo").click()
    settle(page, 1)
    expect(page.locator("#grid .card")).to_have_count(WORLD - 1)
    mark(page, WORLD - 2, "wrong", 2)
    expect(page.locator("#grid .card")).to_have_count(WORLD - 1)


# --- teaching ------------------------------------------------------------------------------------


def test_marks_change_the_grid_and_undo_brings_it_back(watched, address):
    """Like, dislike: pictures move, judged ones stay; undo restores every place exactly."""
    page = watched.open(address, "teacher")
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
    page = watched.open(address, "badges")
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


def test_the_learning_line_tells_what_was_measured(watched, address, engine):
    """Nothing to measure, then both shares of what was compared, and that it is too early."""
    page = watched.open(address, "measured")
    begin(page, 1)
    line = page.locator("#learning")
    expect(line).to_have_text("mark right and wrong: the order follows")
    mark(page, 3, "right", 1)
    expect(line).to_have_text("mark both right and wrong to measure whether learning pays")
    mark(page, 8, "wrong", 2)
    expect(line).to_contain_text("too early to tell whether learning pays")
    guard = engine.profile("measured").guard
    assert guard.events == 1
    served, plain = (int(100 * (1 - share) + 0.5) for share in (guard.served, guard.plain))
    expect(line).to_contain_text(f"{served}% in the right order, {plain}% without it")
    expect(line.locator("svg")).to_have_attribute("aria-label", re.compile(f"without .* {plain}%"))


@pytest.mark.parametrize(
    ("events", "compared", "served", "plain", "deviation", "pays", "trusted", "words"),
    [
        (0, 0, 0, 0, 0, False, True, "mark right and wrong: the order follows"),
        (9, 0, 0, 0, 0, False, True, "mark both right and wrong to measure"),
        (9, 4, 0.1, 0.3, 0.01, False, True, "too early to tell whether learning pays: 90%"),
        (9, 20, 0.25, 0.5, 0.1, True, True, "learning pays: 75% in the right order, 50% without"),
        (9, 20, 0.5, 0.3, 0.05, False, True, "learning does not pay so far: 50% in the right"),
        (9, 20, 0.25, 0.25, 0.01, False, True, "too early to tell whether learning pays: 75%"),
        (9, 90, 0.6, 0.3, 0.01, False, False, "learning did not pay: the plain order is served"),
    ],
)
def test_the_learning_line_is_honest(
    modules, events, compared, served, plain, deviation, pays, trusted, words
):
    """It boasts of nothing that the engine does not find beyond doubt."""
    guard = {
        "events": compared, "served": served, "plain": plain, "margin": plain - served,
        "deviation": deviation, "pays": pays, "trusted": trusted, "experts": [],
    }  # fmt: skip
    said = modules.evaluate(
        """async (profile) => (await import("/assets/js/parts/learning.js")).verdict(profile)""",
        {"events": events, "guard": guard},
    )
    assert said["text"].startswith(words)
    assert (said["shares"] is not None) is (compared > 0)


def test_the_parts_in_the_why_panel_sum_to_the_score(watched, address):
    """The panel stands beside the grid, and its numbers add up, also as they are printed."""
    page = watched.open(address, "why")
    begin(page)
    card(page, 2).hover()
    card(page, 2).locator("[data-verb=why]").click()
    panel = page.locator("#why")
    expect(panel).to_be_visible()
    score = float(panel.locator(".score").get_attribute("data-score"))
    page.locator("#why .deeper summary").click()
    values = panel.locator(".scheme .number").evaluate_all(
        "(cells) => cells.map((cell) => Number(cell.dataset.value))"
    )
    assert values
    assert sum(values) == pytest.approx(score, abs=1e-5)

    def printed(cells):
        return [round(1000 * float(text.replace("−", "-"))) for text in cells.all_inner_texts()]

    for kind in panel.locator(".kind").all():
        (total,) = printed(kind.locator("h3 .number"))
        assert sum(printed(kind.locator(".scheme .number"))) == total
    assert [sum(printed(panel.locator("h3 .number")))] == printed(panel.locator(".score"))
    assert printed(panel.locator(".bars .number")) == printed(panel.locator("h3 .number"))
    assert beside(panel, card(page, 2))
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_why_speaks_in_words_and_moves_nothing(watched, address):
    """A sentence first, a bar for each kind; it lies on the grid's margin, never on its picture."""
    page = watched.open(address, "words")
    begin(page)
    boxes = "[...document.querySelectorAll('#grid .card')].map((c) => c.getBoundingClientRect().x)"
    before = page.evaluate(boxes)
    for place in (0, before.index(max(before[:8]))):
        card(page, place).hover()
        card(page, place).locator("[data-verb=why]").click()
        expect(page.locator("#why .words")).to_contain_text("Here ")
        expect(page.locator("#why .about")).to_contain_text(f"place {place + 1} ")
        kinds = page.locator("#why .bars dt").all_inner_texts()
        assert kinds
        assert set(kinds) <= {"colour", "texture", "shape"}
        assert page.evaluate(boxes) == before
        assert beside(page.locator("#why"), card(page, place))
        assert page.locator("#why .scheme").first.is_hidden()
        page.keyboard.press("Escape")


@pytest.mark.parametrize(
    ("why", "page_of", "words"),
    [
        ({"c": 0.6, "t": 0.1}, [], "Here mostly for its colours."),
        (
            {"c": 0.3, "t": 0.25, "e": 0.2},
            [],
            "Here for a bit of everything, most of all its colours",
        ),
        ({"c": 0.0}, [], "Nothing speaks for it or against it."),
        (
            {"c": 0.9, "t": 0.1},
            [{"c": 0.5, "t": 0.3}, {"c": 0.52, "t": 0.3}, {"c": 0.51, "t": 0.31}],
            "Closer than most on this page by its colours; less close by its texture.",
        ),
        (
            {"c": 0.9, "e": 0.8},
            [{"c": 0.5, "e": 0.3}, {"c": 0.52, "e": 0.3}, {"c": 0.51, "e": 0.31}],
            "by its colours and what it shows.",
        ),
    ],
)
def test_the_words_of_why_follow_the_numbers(modules, why, page_of, words):
    """What counts most, and where a picture is ahead of its page by more than the page's spread."""
    said = modules.evaluate(
        """async ([why, others]) => {
            const { grouped, inWords, onAverage } = await import("/assets/js/state/reasons.js");
            const kinds = new Map([["c", "colour"], ["t", "texture"], ["e", "embedding"]]);
            const hits = [why, ...others].map((why) => ({ why }));
            return inWords(grouped(why, kinds), onAverage(hits, kinds));
        }""",
        [why, page_of],
    )
    assert words in said
    assert ("this page" in said) is bool(page_of)


def test_a_second_press_takes_a_mark_off(watched, address, engine):
    """So does the cross in the strip, in any order, whatever was marked elsewhere since."""
    page = watched.open(address, "second thoughts")
    begin(page)
    before = order(page)
    mark(page, 3, "right", 1)
    card(page, 3).locator("[data-verb=right]").click()
    settle(page, 0)
    expect(page.locator("#effect")).to_contain_text("The mark was taken off.")
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
    page = watched.open(address, "tidy")
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
        ("abcdefgh", "a", "abc", "abc", "Nothing else moved"),
        ("abdcefgh", "a", "abc", "abc", "Hardly anything moved"),
        ("abchdefg", "a", "abc", "abc", "Nothing in view moved far; 1 further down did."),
        ("ahbcdefg", "a", "abc", "ahb", "1 new in view."),
        ("axyzbcde", "a", "abcd", "axyz", "3 new in view; 3 moved down."),
        ("afgbcdeh", "a", "abcdefg", "afgbcde", "2 moved up."),
        ("hbcdefga", "a", "abcdefgh", "hbcdefga", "1 moved up."),
        # Scrolling brings pictures into view, too; that is not the mark's doing.
        ("abcdefgh", "a", "abc", "fgh", "Nothing else moved"),
    ],
)
def test_a_mark_says_what_it_did(modules, after, judged, before_view, after_view, words):
    """What came into view, what moved by three places or more, or that nothing did."""
    said = modules.evaluate(
        """async ([after, judged, before, now]) => {
            const { movements } = await import("/assets/js/state/arrange.js");
            const { sentence } = await import("/assets/js/state/effect.js");
            const hits = (names) => [...names].map((id) => ({ image_id: id }));
            const moves = movements(hits("abcdefgh"), hits(after));
            const seen = { before: [...before], after: [...now] };
            return sentence({ moves, ...seen, judged: new Set(judged) });
        }""",
        [after, judged, before_view, after_view],
    )
    assert said.startswith(words)


def test_a_wrong_says_which_look_alikes_sank_with_it(modules):
    """Those like the picture that was called wrong are counted apart from the others."""
    said = modules.evaluate(
        """async () => {
            const { movements } = await import("/assets/js/state/arrange.js");
            const { sentence } = await import("/assets/js/state/effect.js");
            const hits = (names) => [...names].map((id) => ({ image_id: id }));
            const moves = movements(hits("abcdefgh"), hits("aefghbcd"));
            const view = [..."abcdefgh"];
            const seen = { before: view, after: view, judged: new Set("a") };
            return sentence({ moves, ...seen, alike: ["b", "c", "x"] });
        }""",
    )
    assert said == "4 moved up; 2 like your ✕ moved down; 1 more did."


def test_a_search_is_saved_and_opened_again(watched, address):
    """Under its name, with its marks, also after a reload; given up, it is gone from the list."""
    page = watched.open(address, "saved")
    page.locator("#saved").click()
    expect(page.locator("#saves")).to_contain_text("Nothing is saved yet")
    expect(page.locator("#saved-form")).to_be_hidden()
    page.keyboard.press("Escape")
    begin(page, 3)
    mark(page, 1, "right", 1)
    mark(page, 2, "wrong", 2)
    page.locator("#saved").click()
    page.locator("#saved-name").fill("beach in winter")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("Saved as beach in winter")
    page.locator("#home").click()
    expect(page.locator("#strip")).to_be_hidden()
    page.locator("#saved").click()
    page.get_by_role("button", name="beach in winter 2 marks").click()
    settle(page, 2)
    assert "saved=beach" in page.url
    page.reload()
    settle(page, 2)
    expect(page.get_by_role("heading", name="Pictures like beach in winter")).to_have_count(1)
    mark(page, 4, "right", 3)
    page.locator("#saved").click()
    page.get_by_role("button", name="give up the saved search beach in winter").click()
    expect(page.locator("#saves")).to_contain_text("Nothing is saved yet")


def test_the_strip_repeats_what_the_mark_did(watched, address):
    """The sentence stands under the strip, and is the one that is announced."""
    page = watched.open(address, "effect")
    begin(page, 5)
    mark(page, 20, "right", 1)
    expect(page.locator("#effect")).to_contain_text("Marked right. ")
    assert page.locator("#effect").inner_text() == page.locator("#live").inner_text()


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
    assert engine.profile("Zoë 2").events == 1
    assert engine.profile("first").events == 0
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
    expect(page.locator("#picker")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#picker")).to_be_hidden()
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
    expect(page.locator("#viewer-tally")).to_contain_text("1 judged")
    expect(large).to_have_attribute("src", re.compile(shown[2]))
    # The ranking moved under the open picture; the way back leads over whatever is before it now.
    page.keyboard.press("ArrowRight")
    after = order(page)
    expect(large).to_have_attribute("src", re.compile(after[after.index(shown[2]) + 1]))
    page.keyboard.press("w")
    expect(page.locator("#viewer-why .score")).to_be_visible()
    page.keyboard.press("u")
    settle(page, 0)
    expect(page.locator("#viewer-tally")).to_contain_text("0 judged")
    last = page.locator("#viewer-image").get_attribute("src").split("/")[-2]
    page.keyboard.press("Escape")
    expect(page.locator("#viewer")).to_be_hidden()
    assert page.evaluate("document.activeElement.closest('.card').dataset.id") == last


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
    settle(page, 1)
    # What was marked in the large view is there after a reload below it, too.
    page.reload()
    settle(page, 1)
    expect(viewer).to_be_hidden()
    assert order(page)[3] == shown[3]
    page.go_back()
    expect(page.locator("#lead")).to_be_visible()


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
    expect(page.locator("#tally")).to_contain_text("0 judged")
    page.go_back()
    settle(page, 1)
    assert order(page) == before
    expect(page.locator("#viewer")).to_be_hidden()


def test_keys_and_help_come_from_one_table(watched, address, modules):
    """Every row of the board is in the list of keys, and every row about a picture on a card."""
    table = modules.evaluate("async () => (await import('/assets/js/verbs.js')).VERBS")
    page = watched.open(address, "table")
    begin(page)
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
    expect(page.locator("#viewer-why .score")).to_be_visible()
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

    def swipe(place, by):
        x, y = middle(place)
        touch("touchStart", (x, y))
        for step in range(1, 9):
            touch("touchMove", (x + by * step / 8, y))
        touch("touchEnd")

    first, second = order(page)[:2]
    swipe(0, 90)
    settle(page, 1)
    assert "liked" in page.locator(f"[data-id='{first}']").get_attribute("class")
    swipe(1, -90)
    settle(page, 2)
    assert "disliked" in page.locator(f"[data-id='{second}']").get_attribute("class")
    expect(page.locator("#viewer")).to_be_hidden()
    x, y = middle(3)
    third = order(page)[3]
    touch("touchStart", (x, y))
    expect(page.locator("#sheet")).to_be_visible()
    touch("touchEnd")
    page.locator("#sheet [data-verb=wrong]").tap()
    settle(page, 3)
    assert "disliked" in page.locator(f"[data-id='{third}']").get_attribute("class")


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
    finger = page.context.new_cdp_session(page)

    def swipe(by):
        points = [{"x": 195 + by * step / 8, "y": 400} for step in range(9)]
        for kind, point in [("touchStart", points[0]), *(("touchMove", p) for p in points[1:])]:
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    swipe(-120)
    expect(large).to_have_attribute("src", re.compile(shown[1]))
    swipe(20)
    swipe(120)
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


def test_title_and_heading_say_what_is_looked_for(watched, address, engine):
    """The name of the query's file, for those with many tabs and those who listen."""
    page = watched.open(address, "title")
    expect(page).to_have_title("Saccade")
    begin(page, 2)
    name = page.url.split("image=")[1]
    called = engine.image(name).paths[0].split("/")[-1]
    expect(page).to_have_title(f"Pictures like {called} · Saccade")
    assert page.locator("h1").all_inner_texts() == [f"Pictures like {called}"]
    drop(page, "mine.jpg", engine.original(name))
    expect(page).to_have_title("Pictures like mine.jpg · Saccade")
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
    boxes = page.evaluate(
        """() => [...document.querySelectorAll("#grid .card")].map((card) => {
            const verbs = card.querySelector(".verbs").getBoundingClientRect();
            const fit = getComputedStyle(card.querySelector("img")).objectFit;
            return { fit, left: verbs.left, right: verbs.right, width: card.clientWidth };
        })"""
    )
    assert len(boxes) == 3
    for box in boxes:
        assert box["fit"] == "contain"
        assert box["left"] >= 0
        assert box["right"] <= 1280
        assert 80 <= box["width"] <= 1280
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
    page = watched.open(address, f"motion {motion}", reduced_motion=motion)
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
    expect(page.locator("#live")).to_contain_text("Marked wrong.")
    assert "marked wrong" in card(page, 2).locator(".picture").get_attribute("aria-label")
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("button, a, input")].filter((item) =>
            !(item.getAttribute("aria-label") || item.textContent.trim() || item.labels?.length
              || item.type === "file")).length"""
    )
    assert nameless == 0


# --- when things go wrong ------------------------------------------------------------------------


def test_a_collection_without_pictures_says_so(watched, empty_address):
    """One sentence and one button."""
    page = watched.open(empty_address, "nobody")
    expect(page.locator("#state")).to_contain_text("No pictures are indexed yet")
    expect(page.locator("#state button")).to_have_text("Look again")


def test_a_server_that_is_gone_can_be_tried_again(watched, address):
    """The mark is taken back on screen, the sentence says why, the button sends it again."""
    page = watched.open(address, "gone")
    begin(page)
    page.route("**/api/v1/feedback", lambda route: route.abort())
    card(page, 6).hover()
    card(page, 6).locator("[data-verb=right]").click()
    expect(page.locator("#notice")).to_contain_text("The server does not answer.")
    assert page.locator(".card.liked").count() == 0
    page.unroute("**/api/v1/feedback")
    page.locator("#notice button").click()
    settle(page, 1)
    assert page.locator(".card.liked").count() == 1
    assert all("ERR_FAILED" in line for line in watched.complaints)
    watched.complaints.clear()


def test_a_picture_that_is_not_there_says_so(watched, address):
    """An old address is no dead end."""
    page = watched.open(f"{address}/?image={'0' * 32}", "lost")
    expect(page.locator("#state")).to_contain_text("0000")
    page.locator("#state button").click()
    expect(page.locator("#lead")).to_be_visible()
    assert all("404" in line for line in watched.complaints)
    watched.complaints.clear()


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
