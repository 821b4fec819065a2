"""The board of choosers, and searches by configuration on the page."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

import saccade
from covers import write_covers
from saccade.engine.sources.configurations import ConfigurationView
from saccade.service.server import prepare
from saccade.words.five_ways import WAYS
from servers import running

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def covers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of a collection that has words."""
    folder = write_covers(tmp_path_factory.mktemp("covers"), count=6)
    with saccade.open(tmp_path_factory.mktemp("store") / "covers.saccade", warm=False) as engine:
        engine.add(folder, recipe="lbp,words", workers=1)
        with running(prepare(engine, port=0)) as url:
            yield url


def test_marks_move_the_areas(watched, covers):
    """Nothing is learned at first; a search by auto says what ranked it; its mark is drawn."""
    page = watched.open(f"{covers}/#/choosers", "cho ana")
    auto = page.locator("[data-serves=auto]")
    expect(auto).to_contain_text("Nothing learned yet")
    expect(auto.locator(".areas polygon")).to_have_count(5)
    page.select_option("#ranked-by", "auto")
    page.locator("#trying").uncheck()
    asked = []
    page.on("request", lambda r: asked.append(r) if r.url.endswith("/search") else None)
    page.get_by_role("link", name="Search", exact=True).click()
    page.locator("#grid .card[data-id]").nth(1).click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    expect(page.locator("#tally")).to_contain_text("by akm-large:tf-idf,l2,cos")
    expect(page.locator("#tally")).not_to_contain_text("tried")
    sent = json.loads(asked[0].post_data)
    assert (sent["configuration"], sent["exploring"]) == ("auto", 0)
    card = page.locator("#grid .card[data-id]").nth(0)
    card.hover()
    card.locator("[data-verb=wrong]").click()
    expect(page.locator("#tally")).to_contain_text("1 judged")
    page.get_by_role("link", name="Choosers").click()
    expect(auto.locator(".verdict")).to_contain_text("1 reaction, mean loss 1.000")
    first = auto.locator("tbody tr").last
    expect(first).to_contain_text("akm-large:tf-idf,l2,cos")
    expect(first).to_contain_text("1.000")
    tall = auto.locator("polygon").first.bounding_box()["height"]
    assert tall == pytest.approx(0.2 * 240, rel=0.05), "it begins at a fifth"
    now = auto.locator("polygon").first.get_attribute("points").split(" ")
    assert len(now) == 4
    begin, after = (240 - float(point.split(",")[1]) for point in now[:2])
    assert after < begin
    expect(auto.locator(".regret polyline")).to_have_count(1)
    expect(page.locator("[data-serves=vote]")).to_contain_text("Nothing learned yet")


def test_a_trial_is_said(watched, covers):
    """Where another than the best so far was taken, the page tells."""
    page = watched.open(f"{covers}/#/choosers", "cho bob")
    expect(page.locator("#ranked-by")).to_have_value("auto")
    page.locator("#trying").check()
    page.route("**/search", lambda route: route.continue_(post_data=_trying(route.request)))
    page.get_by_role("link", name="Search", exact=True).click()
    said = page.locator("#tally")
    for turn in range(30):
        page.locator("#grid .card[data-id]").nth(turn % 3).click()
        expect(page.locator("#grid .card.judging").first).to_be_visible()
        if "tried a different configuration" in said.text_content():
            break
        page.locator("#home").click()
        expect(page.locator("#strip")).to_be_hidden()
    expect(said).to_contain_text("tried a different configuration")


def test_what_failed_is_said(watched, covers, monkeypatch):
    """One that failed is named, many are counted, and without any the usual ranking says so."""
    page = watched.open(f"{covers}/#/choosers", "cho pia")
    page.select_option("#ranked-by", "vote")
    said, lost, sound = page.locator("#tally"), set(), ConfigurationView.scores

    def scores(self, configuration, example):
        if configuration in lost:
            raise RuntimeError("out of order")
        return sound(self, configuration, example)

    monkeypatch.setattr(ConfigurationView, "scores", scores)
    every = [f"akm-large:{way}" for way in WAYS]
    without = {
        1: f"without {every[0]}, which failed",
        4: "without 4 configurations, which failed",
        5: "ranked as usual: all 5 configurations failed",
    }
    for number, sentence in without.items():
        lost.update(every[:number])
        page.get_by_role("link", name="Search", exact=True).click()
        page.locator("#grid .card[data-id]").nth(1).click()
        expect(page.locator("#grid .card.judging").first).to_be_visible()
        expect(said).to_contain_text(sentence)
        page.locator("#home").click()
        expect(page.locator("#strip")).to_be_hidden()


def _trying(request):
    """The same search with exploration unbounded, so that a trial comes soon."""
    return json.dumps({**json.loads(request.post_data), "exploring": 1})


def test_a_collection_without_words_says_what_to_do(watched, address):
    """One sentence and one button; and nothing sideways on a phone."""
    phone = {"viewport": {"width": 390, "height": 844}}
    page = watched.open(f"{address}/#/choosers", "cho eva", **phone)
    expect(page.locator("main")).to_contain_text("no visual words")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_board_fits_a_phone(watched, covers):
    """Areas, table and switches stay within the screen."""
    page = watched.open(f"{covers}/#/choosers", "cho kim", viewport={"width": 390, "height": 844})
    expect(page.locator(".chooser")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("chosen", ["auto", "hkm-large:binary,l1,l1"])
def test_what_another_collection_had_is_let_go(watched, address, covers, chosen):
    """A choice kept in the browser does not lock anyone out of a collection without it."""
    place = address if chosen == "auto" else covers  # without words; without that vocabulary
    page = watched.open(f"{place}/#/choosers", "cho leo")
    kept = json.dumps(json.dumps({"configuration": chosen}))
    page.evaluate(f"localStorage['saccade.configuration'] = {kept}")
    page.goto(f"{place}/#/search")
    page.reload()
    page.locator("#grid .card[data-id]").first.click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    assert page.evaluate("JSON.parse(localStorage['saccade.configuration']).configuration") is None
    watched.complaints.clear()  # the browser notes the refusal that was made good
