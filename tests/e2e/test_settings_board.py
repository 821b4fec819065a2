"""What ranking is chosen from, under Settings, and searches that are not ranked as usual."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

import saccade
from covers import write_covers
from saccade.engine.configurations.source import ConfigurationView
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
    page = watched.open(f"{covers}/#/settings", "cho ana")
    auto = page.locator("[data-serves=auto]")
    expect(auto).to_contain_text("Nothing learned yet")
    expect(auto.locator(".areas polygon")).to_have_count(6)
    page.select_option("#ranked-by", "auto")
    page.locator("#trying").uncheck()
    asked = []
    page.on("request", lambda r: asked.append(r) if r.url.endswith("/search") else None)
    page.get_by_role("link", name="Search", exact=True).click()
    page.locator("#grid .card[data-id]").nth(1).click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    expect(page.locator("[data-chip=ranking]")).to_have_text("ranked by usual")
    sent = json.loads(asked[0].post_data)
    assert (sent["configuration"], sent["exploring"]) == ("auto", 0)
    card = page.locator("#grid .card[data-id]").nth(0)
    card.hover()
    card.locator("[data-verb=right]").click()
    expect(page.locator("#tally")).to_have_attribute("data-marks", "1")
    page.goto(f"{covers}/#/choosers")  # where it was before
    expect(auto.locator(".verdict")).to_contain_text("1 reaction, mean loss 0.0")
    expect(auto.locator("tbody tr").first).to_contain_text("usual")
    now = auto.locator("polygon").first.get_attribute("points").split(" ")
    assert len(now) == 4
    begin = 240 - float(now[0].split(",")[1])
    assert begin == pytest.approx(0.5 * 240, rel=0.05), "the usual ranking begins at a half"
    expect(auto.locator(".regret polyline")).to_have_count(1)
    expect(page.locator("[data-serves=vote]")).to_contain_text("Nothing learned yet")


def test_a_trial_is_said(watched, covers):
    """Where another than the best so far was taken, the page tells."""
    page = watched.open(f"{covers}/#/settings", "cho bob")
    page.select_option("#ranked-by", "auto")
    page.locator("#trying").check()
    page.route("**/search", lambda route: route.continue_(post_data=_trying(route.request)))
    page.get_by_role("link", name="Search", exact=True).click()
    said = page.locator("#chips")
    for turn in range(30):
        page.locator("#grid .card[data-id]").nth(turn % 3).click()
        expect(page.locator("#grid .card.judging").first).to_be_visible()
        if "a trial" in said.text_content():
            break
        page.locator("#home").click()
        expect(page.locator("#strip")).to_be_hidden()
    expect(said).to_contain_text("a trial")


def test_what_failed_is_said(watched, covers, monkeypatch):
    """Those that failed are counted and named; the usual ranking is always left."""
    page = watched.open(f"{covers}/#/settings", "cho pia")
    page.select_option("#ranked-by", "vote")
    said, lost, sound = page.locator("[data-chip=ranking]"), set(), ConfigurationView.scores

    def scores(self, configuration, example):
        if configuration in lost:
            raise RuntimeError("out of order")
        return sound(self, configuration, example)

    monkeypatch.setattr(ConfigurationView, "scores", scores)
    every = [f"akm-large:{way}" for way in WAYS]
    without = {
        1: "ranked by vote, 1 failed",
        4: "ranked by vote, 4 failed",
        5: "ranked by vote, 5 failed",
    }
    for number, sentence in without.items():
        lost.update(every[:number])
        page.get_by_role("link", name="Search", exact=True).click()
        page.locator("#grid .card[data-id]").nth(1).click()
        expect(page.locator("#grid .card.judging").first).to_be_visible()
        expect(said).to_contain_text(sentence)
        expect(said).to_have_attribute("title", re.compile(re.escape(every[0])))
        page.locator("#home").click()
        expect(page.locator("#strip")).to_be_hidden()


def _trying(request):
    """The same search with exploration unbounded, so that a trial comes soon."""
    return json.dumps({**json.loads(request.post_data), "exploring": 1})


def test_a_collection_without_words_says_what_to_do(watched, address):
    """One sentence and one button; and nothing sideways on a phone."""
    phone = {"viewport": {"width": 390, "height": 844}}
    page = watched.open(f"{address}/#/settings", "cho eva", **phone)
    expect(page.locator("main")).to_contain_text("no visual words")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_board_fits_a_phone(watched, covers):
    """Areas, table and switches stay within the screen."""
    page = watched.open(f"{covers}/#/settings", "cho kim", viewport={"width": 390, "height": 844})
    expect(page.locator(".chooser")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("chosen", ["auto", "hkm-large:binary,l1,l1"])
def test_what_another_collection_had_is_let_go(watched, address, covers, chosen):
    """A choice kept in the browser does not lock anyone out of a collection without it."""
    place = address if chosen == "auto" else covers  # without words; without that vocabulary
    page = watched.open(f"{place}/#/settings", "cho leo")
    kept = json.dumps(json.dumps({"configuration": chosen}))
    page.evaluate(f"localStorage['saccade.configuration'] = {kept}")
    page.goto(f"{place}/#/search")
    page.reload()
    page.locator("#grid .card[data-id]").first.click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    assert page.evaluate("JSON.parse(localStorage['saccade.configuration']).configuration") is None
    watched.complaints.clear()  # the browser notes the refusal that was made good


def test_another_ranking_is_a_chip_that_can_be_taken_off(watched, covers):
    """No ranking but the usual one goes unseen, and a press brings the usual one back."""
    page = watched.open(f"{covers}/#/settings", "cho rob")
    page.select_option("#ranked-by", "vote")
    page.get_by_role("link", name="Search", exact=True).click()
    page.locator("#grid .card[data-id]").nth(1).click()
    chip = page.locator("[data-chip=ranking]")
    expect(chip).to_have_text("ranked by vote")
    chip.get_by_role("button").click()
    expect(chip).to_have_count(0)
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    assert page.evaluate("JSON.parse(localStorage['saccade.configuration']).configuration") is None
