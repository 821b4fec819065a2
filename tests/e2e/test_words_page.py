"""Typed words in a real browser: the box, its suggestions, chips, and words that are taught."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

NONSENSE = "xqzzyv"


def box(page: Page):
    return page.get_by_role("combobox", name="What to look for")


def search(page: Page, text: str) -> None:
    expect(page.locator("#grid .card[data-id], #state:not([hidden])").first).to_be_visible()
    box(page).fill(text)
    box(page).press("Enter")


def test_words_find_pictures_and_stand_as_chips(watched, address):
    """Enter searches; the words of the query stay in sight, and each can be taken out."""
    page = watched.open(address, "typist")
    search(page, "harbours -street")
    expect(page.locator("#signed .term")).to_have_count(2)
    expect(page.locator("#grid .card .picture").first).to_have_attribute(
        "aria-label", re.compile("harbour")
    )
    expect(page).to_have_title(re.compile("harbours -street"))
    page.get_by_role("button", name="take out street").click()
    expect(page.locator("#signed .term")).to_have_count(1)
    expect(box(page)).to_have_value("harbours")


def test_the_box_is_a_combobox(watched, address):
    """It says whether its list is open, and which option the arrows are at; Escape closes it."""
    page = watched.open(address, "listener")
    field = box(page)
    expect(field).to_have_attribute("aria-expanded", "false")
    field.press_sequentially("harb")
    options = page.get_by_role("option")
    expect(options.first).to_contain_text("harbour")
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("ArrowDown")
    expect(options.first).to_have_attribute("aria-selected", "true")
    active = field.get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    field.press("Escape")
    expect(page.get_by_role("listbox")).to_be_hidden()
    expect(field).to_have_value("harb")
    field.press("ArrowDown")
    expect(options.first).to_be_visible()
    field.press("ArrowDown")
    field.press("Enter")
    expect(page.locator("#signed .term")).to_have_text(re.compile("harbour"))


def test_an_empty_box_offers_something_to_whoever_asks(watched, address):
    """Nothing opens by itself; an arrow shows folders, and what one taught."""
    page = watched.open(address, "asker")
    box(page).focus()
    expect(page.get_by_role("listbox")).to_be_hidden()
    box(page).press("ArrowDown")
    expect(page.get_by_role("option").filter(has_text="folder").first).to_be_visible()


def test_a_suggestion_can_be_clicked(watched, address):
    """The pointer chooses as the keyboard does."""
    page = watched.open(address, "pointer")
    box(page).press_sequentially("ballo")
    page.get_by_role("option", name=re.compile("balloons")).click()
    expect(page.locator("#signed .term")).to_have_text(re.compile("balloons"))


def test_an_unknown_word_can_be_taught(watched, address):
    """It is said, others are offered, and a picture and marks teach it."""
    page = watched.open(address, "teacher")
    search(page, NONSENSE)
    expect(page.locator("#state")).to_contain_text(NONSENSE)
    page.locator("#teach").click()
    expect(page.locator("#lead")).to_contain_text(NONSENSE)
    chosen = page.locator("#grid .card[data-id]").nth(3).get_attribute("data-id")
    page.locator("#grid .card[data-id]").nth(3).click()
    expect(page.locator("#signed .term.unknown")).to_have_count(1)
    expect(page.locator("#signed .query img")).to_have_attribute("src", re.compile(chosen))
    page.locator("#grid .card.judging").first.hover()
    page.locator("#grid .card.judging").first.locator("[data-verb=right]").click()
    expect(page.locator("#tally")).to_have_attribute("data-marks", "1")
    search(page, NONSENSE)
    expect(page.locator("#signed .query")).to_have_count(0)
    first = page.locator("#grid .card").first
    expect(first).to_be_visible()
    expect(page.locator(f"#grid .card[data-id='{chosen}']")).to_have_count(1)


def test_a_search_by_words_comes_back_with_its_address(watched, address):
    """Reloaded, the words are in the box and the pictures in the same order."""
    page = watched.open(address, "returning")
    search(page, "fish")
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    order = page.locator("#grid .card").evaluate_all("cards => cards.map((c) => c.dataset.id)")
    page.reload()
    expect(box(page)).to_have_value("fish")
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    again = page.locator("#grid .card").evaluate_all("cards => cards.map((c) => c.dataset.id)")
    both = min(len(again), len(order))  # how many are near the window hangs on what is above them
    assert both > 10
    assert again[:both] == order[:both]


def test_what_a_picture_shows_can_be_pressed(watched, address):
    """The large view has words for its picture; one pressed is searched for."""
    page = watched.open(address, "presser")
    said = [{"word": "harbour", "probability": 0.93, "kind": True}]
    page.route("**/api/v1/images/*/words*", lambda route: route.fulfill(json=said))
    search(page, "fish")
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    page.locator("#grid .card .picture").first.focus()
    page.keyboard.press("Enter")
    chip = page.get_by_role("button", name="harbour 93%")
    expect(chip).to_contain_text("93%")
    chip.click()
    expect(page.locator("#signed .term")).to_have_text(re.compile("harbour"))
    expect(page.locator("dialog[open]")).to_have_count(0)


def test_why_speaks_of_the_words(watched, address):
    """The name of the file is a reason."""
    page = watched.open(address, "curious")
    search(page, "harbour")
    page.locator("#grid .card.judging .picture").first.focus()
    page.keyboard.press("w")
    expect(page.locator("#why")).to_contain_text("Its name says “harbour”.")


def test_the_box_fits_a_telephone(watched, address):
    """At 390 pixels nothing is cut off, and a suggestion is high enough for a finger."""
    page = watched.open(address, "phone", viewport={"width": 390, "height": 844}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box(page).press_sequentially("harb")
    option = page.get_by_role("option").first
    expect(option).to_be_visible()
    assert option.bounding_box()["height"] >= 44
    assert box(page).bounding_box()["width"] >= 120
    option.tap()
    expect(page.locator("#signed .term")).to_have_count(1)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
