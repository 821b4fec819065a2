"""What was taught, on the page: a sentence, the pictures, a map, and a way to take it back."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from pages import holds, settle


def teach(engine, user, query, times):
    """Searches of a person who calls far pictures right; those pictures."""
    shown = [h.image_id for h in engine.search(query, user=user, expert="plain", k=30).hits]
    for _ in range(times):
        page = engine.search(query, user=user, expert="plain", k=30)
        engine.react(page, liked=shown[15:18], disliked=shown[:1])
    return shown[15:18]


def test_why_in_the_large_view_draws_what_was_taught(watched, address, engine):
    """With what it was marked together, in how many searches, and the links around in colour."""
    page = watched.open(address, "tia")
    asked = page.locator("#grid .card[data-id]").first
    expect(asked).to_be_visible()
    liked = teach(engine, "tia", asked.get_attribute("data-id"), 3)
    asked.click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    page.locator(f"#grid .card[data-id='{liked[0]}']").click()
    page.keyboard.press("w")
    around = page.locator("#viewer-why .around")
    expect(around.locator(".together")).to_have_text(
        "You marked it together with these in 3 searches."
    )
    expect(around.locator(".row img")).to_have_count(3)
    assert around.locator(".map line.taught").count() >= 3
    expect(around.locator(".map image")).to_have_count(9)
    assert not watched.complaints


def test_what_a_search_taught_is_taken_back_under_you(watched, address, engine):
    """It lists what is remembered; taking one back leaves the others."""
    teach(engine, "udo", engine.images(40, 1)[0].image_id, 2)
    page = watched.open(f"{address}/#/taught?part=you", "udo")
    rows = page.locator("#rows .row")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("3 right, 1 wrong")
    rows.first.get_by_role("button", name="take back").click()
    expect(rows).to_have_count(1)
    assert len(engine.people.taught("udo")) == 1


def test_one_is_forgotten_after_one_question(watched, address, engine):
    """Everything said goes, once it is confirmed; export is a file of one's own."""
    teach(engine, "vic", engine.images(41, 1)[0].image_id, 1)
    page = watched.open(f"{address}/#/taught?part=you", "vic")
    expect(page.locator("#worth")).to_contain_text("marks")
    expect(page.locator("#you-export")).to_have_attribute("href", "/api/v1/profiles/vic/export")
    page.locator("#you-forget").click()
    page.get_by_role("button", name="Keep it").click()
    assert engine.people.show("vic").events == 1
    page.locator("#you-forget").click()
    page.locator("#forget-yes").click()
    expect(page.locator("#state")).to_contain_text("Nothing is remembered of you yet")
    assert "vic" not in engine.people.list()


def test_words_and_tags_that_were_taught_are_listed(watched, address, engine):
    """A word with its pictures, a tag with its count; a press looks for either."""
    found = engine.search(text="harbour", user="wim", k=10)
    engine.react(found, liked=[found.hits[0].image_id], disliked=[found.hits[-1].image_id])
    engine.tags.add("boats", [hit.image_id for hit in found.hits[:3]], user="wim")
    page = watched.open(f"{address}/#/taught", "wim")
    word, tag = page.locator("[data-row=harbour]"), page.locator("[data-row=boats]")
    expect(word).to_contain_text("1 right, 1 wrong, in one search")
    expect(word.locator("img")).to_have_count(1)
    expect(tag).to_contain_text("tag · 3 pictures")
    tag.get_by_role("button", name="boats", exact=True).click()
    expect(page.locator("[data-chip=tag]")).to_contain_text("tag boats")
    holds(page, 3)
    page.go_back()
    word.get_by_role("button").click()
    expect(page.locator("#signed .term")).to_have_text(re.compile("harbour"))


def test_saved_searches_are_opened_and_given_up_under_taught(watched, address, engine):
    """Each with its marks; a press goes on with it."""
    found = engine.search(engine.images(9, 1)[0].image_id, user="xen", k=10)
    found = engine.react(found, liked=[found.hits[2].image_id])
    engine.sessions.save(found, "fine ones", user="xen")
    page = watched.open(f"{address}/#/taught?part=saved", "xen")
    row = page.locator("[data-row='fine ones']")
    expect(row).to_contain_text("1 mark")
    row.get_by_role("button", name="fine ones", exact=True).click()
    settle(page, 1)
    page.go_back()
    row.get_by_role("button", name="give up").click()
    expect(page.locator("#state")).to_contain_text("Nothing is saved yet")


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ("attributes?name=x", "#/taught?part=scales&name=x"),
        ("concepts", "#/taught?part=best"),
        ("choosers", "#/settings"),
    ],
)
def test_old_addresses_lead_to_the_new_ones(watched, address, old, now):
    """A bookmark of a board that moved is no dead end."""
    page = watched.open(f"{address}/#/{old}", "yan")
    expect(page.locator("main")).to_be_visible()
    page.wait_for_function("(now) => location.hash === now", arg=now)
    watched.forgive("404")  # no scale has that name


PAPERS = re.compile(
    r"\b(schemes?|choosers?|configurations?|guard|concepts?|attributes?|regret|bags?)\b|φ", re.I
)


@pytest.mark.parametrize("part", ["words", "scales", "best", "saved", "you"])
def test_no_word_of_the_papers_is_on_the_page(watched, address, part):
    """Neither in what is read nor in what is listened to."""
    page = watched.open(f"{address}/#/taught?part={part}", "zoe")
    expect(page.locator("#tabs [aria-current]")).to_be_visible()
    expect(page.locator("#progress")).to_be_hidden()
    said = page.evaluate(
        """() => [document.body.innerText, ...[...document.querySelectorAll("*")].flatMap((one) =>
            ["aria-label", "title", "placeholder"].map((name) => one.getAttribute(name) ?? ""))]
            .join("\\n")"""
    )
    assert PAPERS.findall(said) == []
