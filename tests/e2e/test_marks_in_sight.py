"""Marks stay in sight after a reload and across tabs; two pictures are compared."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from pages import TALL, begin, holds, mark, name, order, ready, say, settle

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture
def modules(browser, address):
    """A blank page of the server's own, from which scripts can be imported and called."""
    page = browser.new_page()
    page.goto(f"{address}/healthz")
    yield page
    page.close()


def test_a_wrong_one_keeps_its_place_after_a_reload(watched, address):
    """It stands below the whole page by now, and is shown where it was marked all the same."""
    page = watched.open(address, "reloading")
    begin(page)
    wrong = name(page, 4)
    mark(page, 4, "wrong", 1)
    right = name(page, 2)
    mark(page, 2, "right", 2)
    page.reload()
    ready(page)
    assert (name(page, 4), name(page, 2)) == (wrong, right)
    expect(page.locator(f"#grid .card.disliked[data-id='{wrong}']")).to_have_count(1)
    expect(page.locator("#grid .card.disliked")).to_have_count(1)
    say(page, 4, "why")
    expect(page.locator("#why")).to_contain_text("You marked it")
    say(page, 4, "wrong")  # the mark comes off there, too
    settle(page, 1)
    expect(page.locator("#grid .card.disliked")).to_have_count(0)


def test_a_saved_search_shows_its_wrong_ones(watched, address):
    """Opened without a trace of where they were, they come after all others."""
    page = watched.open(address, "collector", **TALL)
    begin(page)
    wrong = name(page, 3)
    mark(page, 3, "wrong", 1)
    page.locator("#save").click()
    page.locator("#saved-name").fill("not this")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("Saved as not this")
    page.locator("#home").click()
    expect(page.locator("#strip")).to_be_hidden()
    begin(page, 9)
    page.locator("#save").click()
    page.get_by_role("button", name="not this 1 mark").click()
    settle(page, 1)
    expect(page.locator(f"#grid .card.disliked[data-id='{wrong}']")).to_have_count(1)
    holds(page, 107)
    assert order(page)[-1] == wrong


def test_a_mark_made_in_another_tab_shows_on_the_card(watched, address):
    """The picture stays where it is, with its mark, and the strip says that more was said."""
    one = watched.open(address, "two tabs")
    begin(one)
    mark(one, 1, "right", 1)
    state, where = one.evaluate("history.state"), one.url
    two = watched.open(where, "two tabs")
    ready(two)
    two.evaluate("(state) => history.replaceState(state, '')", state)
    two.reload()
    settle(two, 1)
    expect(two.locator("#progress")).to_be_hidden()
    other = name(two, 6)
    place = order(one).index(other)
    mark(two, 6, "wrong", 2)
    settle(one, 2)
    expect(one.locator(f"#grid .card.disliked[data-id='{other}']")).to_have_count(1)
    assert name(one, place) == other
    expect(one.locator("#effect")).to_contain_text("another tab said more")
    one.locator("#undo").click()
    settle(one, 1)
    settle(two, 1)
    expect(two.locator("#grid .card.disliked")).to_have_count(0)


def test_two_pictures_are_compared(watched, address, engine):
    """C asks, an arrow answers, the better stands before the worse, and undo takes it back."""
    page = watched.open(address, "comparing")
    begin(page)
    before = order(page)
    page.keyboard.press("c")
    expect(page.locator("#twoup")).to_be_visible()
    expect(page.locator("#twoup [data-part=question]")).to_contain_text(
        "closer to what you look for"
    )
    page.keyboard.press("ArrowRight")
    expect(page.locator("#twoup [data-part=count]")).to_have_text("1 said")
    page.keyboard.press("u")  # back, and the same answer again
    expect(page.locator("#twoup [data-answer=undo]")).to_be_disabled()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#twoup [data-part=count]")).to_have_text("1 said")
    page.keyboard.press("ArrowDown")  # the next pair is skipped
    expect(page.locator("#twoup .pair")).to_have_attribute("data-turn", "3")
    page.keyboard.press("ArrowUp")  # the one after it is alike: said, and no order between them
    expect(page.locator("#twoup [data-part=count]")).to_have_text("2 said")
    page.keyboard.press("u")  # and back: the answer before stays
    expect(page.locator("#twoup [data-part=count]")).to_have_text("1 said")
    page.keyboard.press("Escape")
    expect(page.locator("#twoup")).to_be_hidden()
    expect(page.locator("#tally")).to_have_text("1 pair")
    expect(page.locator("#live")).to_contain_text("This one before that one")
    after = order(page)
    worse, better = before[0], before[3]
    assert after.index(better) < after.index(worse)
    said = engine.people.show("comparing").history
    assert [(event.kind, event.undone) for event in said] == [
        ("preferred", True), ("preferred", False),
    ]  # fmt: skip
    page.keyboard.press("u")
    expect(page.locator("#tally")).to_have_attribute("data-pairs", "0")
    expect(page.locator("#progress")).to_be_hidden()
    assert order(page) == before


@pytest.mark.parametrize(
    ("judged", "preferred", "skipped", "pair"),
    [
        ([], [], [], ["a", "d"]),
        (["a"], [["b", "c"]], [], ["d", "f"]),
        ([], [], ["a", "d"], ["b", "f"]),
        (["a", "b", "c", "d"], [["e", "f"]], [], None),
        (["a", "b", "c"], [], ["e"], ["d", "f"]),
    ],
)
def test_what_was_spoken_of_is_not_asked_again(modules, judged, preferred, skipped, pair):
    """Two fresh pictures some places apart, or nobody is asked."""
    found = modules.evaluate(
        """async (said) => {
          const { nextPair } = await import("/assets/js/state/questions.js");
          const hits = [..."abcdef"].map((image_id) => ({ image_id }));
          return nextPair(hits, said)?.map(({ image_id }) => image_id) ?? null;
        }""",
        {"judged": judged, "preferred": preferred, "skipped": skipped},
    )
    assert found == pair


def test_a_page_that_doubts_the_marks_says_so(watched, address):
    """After a mark, and only where what was called wrong lies among what was called right."""
    page = watched.open(address, "doubting")
    begin(page)
    mark(page, 2, "right", 1)
    expect(page.locator("#strip")).not_to_contain_text("your ✕ are much like your ✓")

    def doubted(route):
        answer = route.fetch()
        route.fulfill(response=answer, json=answer.json() | {"believed": 0.3})

    page.route("**/feedback", doubted)
    mark(page, 4, "wrong", 2)
    expect(page.locator("#strip")).to_contain_text("your ✕ are much like your ✓")
