"""Collection and the first run, in a real browser: folders, chips, long work, what is left out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from pages import PHONE, begin, card, holds, no_sideways
from saccade.testbed.worlds import write

pytestmark = pytest.mark.xdist_group("browser")

JOB = {
    "job_id": "j1", "kind": "index", "spec": {}, "state": "running", "stage": "embedding",
    "done": 1072, "total": 2142, "seconds_left": 170.0, "asked": 1.0, "began": 2.0,
    "ended": None, "resumed": 0, "cancelled": False, "message": "", "result": {},
}  # fmt: skip


def test_a_folder_is_browsed_and_searched_within(watched, address, engine):
    """A tile shows its pictures; a search begun among them keeps to the folder until its ✕."""
    page = watched.open(f"{address}/#/collection", "collection ana")
    folders = {one.folder: one.count for one in engine.library.facets().folders}
    expect(page.locator("#collection-told")).to_contain_text("108 pictures")
    expect(page.locator("[data-folder]")).to_have_count(len(folders))
    page.locator("[data-folder=fish]").click()
    holds(page, folders["fish"])
    expect(page.locator("[data-chip=folder]")).to_contain_text("folder fish")
    begin(page, 1)
    holds(page, folders["fish"] - 1)
    assert "folder=fish" in page.url
    page.reload()
    holds(page, folders["fish"] - 1)
    page.locator("[data-chip=folder]").get_by_role("button").click()
    holds(page, 100)
    assert "folder" not in page.url


def test_a_chip_narrows_what_is_looked_for(watched, address, engine):
    """Its list has counts; the name of a file narrows further, and words keep to both."""
    page = watched.open(address, "collection bob")
    begin(page)
    page.locator("[data-facet=folder]").click()
    row = page.locator("#facet [data-value=fish]")
    expect(row).to_contain_text("6")
    row.click()
    expect(page.locator("[data-chip=folder]")).to_contain_text("folder fish")
    expect(card(page, 0).locator(".picture")).to_have_attribute("aria-label", re.compile("fish"))
    page.locator("[data-facet=name]").click()
    page.locator("#facet-name").fill("nothing has this name")
    page.keyboard.press("Enter")
    expect(page.locator("#state")).to_contain_text("No picture fits all of this")
    page.locator("[data-chip=name]").get_by_role("button").click()
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    box = page.get_by_role("combobox", name="What to look for")
    box.fill("harbour")
    box.press("Enter")
    expect(page.locator("#signed .term")).to_have_count(1)
    expect(page.locator("[data-chip=folder]")).to_contain_text("folder fish")
    assert "text=harbour" in page.url
    assert "folder=fish" in page.url


def test_the_first_run_asks_for_a_folder_and_the_grid_fills(watched, empty_address, tmp_path):
    """Indexing runs behind and is said in the header; a wrong folder gets a sentence."""
    folder = tmp_path / "pictures"
    write(folder, images=18, seed=3, size=(96, 72))
    page = watched.open(empty_address, "newcomer")
    expect(page.locator("#state")).to_contain_text("Where are your pictures?")
    expect(page.locator("#chips")).to_be_empty()
    page.locator("#first-folder").fill(str(folder))
    page.keyboard.press("Enter")
    expect(page.locator("#grid .card[data-id]").first).to_be_visible()
    expect(page.locator("#notice")).to_contain_text("Indexed.")
    expect(page.locator("#jobs")).to_be_hidden()
    holds(page, 18)
    expect(page.locator("#lead")).to_contain_text("18 pictures")
    expect(page.locator("[data-facet=folder]")).to_be_visible()


def test_what_comes_while_the_grid_looks_is_not_missed(watched, address):
    """Pictures that are there only at a job's end are shown, though the grid looked just before."""
    page = watched.open(f"{address}/healthz", "newcomer")
    done = {**JOB, "state": "done"}
    jobs, looks = [], []

    def begun(route):
        jobs[:] = [JOB]
        route.fulfill(json=JOB, status=202)

    def listed(route):
        count = len(jobs)
        route.fulfill(json={"items": jobs, "total": count, "offset": 0, "limit": 10, "next": None})

    def streamed(route):
        told = "".join(f"data: {json.dumps(job)}\n\n" for job in (JOB, done))
        jobs[:] = [done]
        route.fulfill(body=told, content_type="text/event-stream")

    def empty_twice(route):
        looks.append(route.request.url)
        counts = route.fetch().json()
        route.fulfill(json=counts if len(looks) > 2 else {**counts, "images": 0})

    page.route("**/api/v1/jobs", begun)
    page.route("**/api/v1/jobs?*", listed)
    page.route("**/api/v1/jobs/j1/stream", streamed)
    page.route("**/api/v1/collection?*", empty_twice)
    page.goto(address)
    page.locator("#first-folder").fill("/pictures")
    page.keyboard.press("Enter")
    expect(page.locator("#grid .card[data-id]").first).to_be_visible()
    expect(page.locator("#notice")).to_contain_text("Indexed.")
    assert len(looks) > 2


def test_long_work_is_asked_for_and_told(watched, empty_address, tmp_path):
    """Add a folder, let go of a file that went, back up, take the folder out; reasons are told."""
    folder = tmp_path / "pictures"
    write(folder, images=6, seed=3, size=(96, 72))
    (folder / "broken.jpg").write_bytes(b"not a picture")
    page = watched.open(f"{empty_address}/#/collection", "keeper")
    page.locator("#folder-path").fill(str(folder))
    page.locator("#folder-add").click()
    expect(page.locator("#jobs-past [data-job=done]")).to_have_count(1)
    expect(page.locator("#collection-told")).to_contain_text("6 pictures")
    expect(page.locator("#collection-skipped")).to_contain_text("broken.jpg")
    lost = next(folder.rglob("*/*.jpg"))
    lost.unlink()
    page.reload()
    expect(page.locator("#collection-gone")).to_contain_text(lost.name)
    page.locator("#let-go").click()
    expect(page.locator("#collection-told")).to_contain_text("5 pictures")
    expect(page.locator("#collection-gone")).to_have_count(0)
    place = tmp_path / "copy.saccade"
    page.locator("#backup-place").fill(str(place))
    page.locator("#backup").click()
    expect(page.locator("#jobs-past [data-job=done]")).to_have_count(3)
    assert Path(place).exists()
    expect(page.locator("#roots li")).to_have_count(1)
    page.get_by_role("button", name=f"Remove {folder}").click()
    page.get_by_role("button", name="Keep it").click()
    page.get_by_role("button", name=f"Remove {folder}").click()
    page.locator("#remove-yes").click()
    expect(page.locator("#jobs-past [data-job=done]")).to_have_count(4)
    expect(page.locator("#state")).to_contain_text("No pictures are indexed yet")
    assert (folder / "broken.jpg").exists()


def test_folders_are_a_tree(browser, address):
    """Each behind the one it lies in; one that only holds another is not told of."""
    page = browser.new_page()
    page.goto(f"{address}/healthz")
    counts = {"b": 5, "a": 4, "a/x": 3, "a/x/y": 3, "a b": 1, "a/10": 1, "a/9": 0}
    given = [{"folder": folder, "count": count} for folder, count in counts.items()]
    rows = page.evaluate(
        "async (given) => (await import('/assets/js/state/folders.js')).tree(given)", given
    )
    page.close()
    assert [(row["folder"], row["name"], row["depth"]) for row in rows] == [
        ("a", "a", 0), ("a/9", "9", 1), ("a/10", "10", 1), ("a/x/y", "x/y", 1),
        ("a b", "a b", 0), ("b", "b", 0),
    ]  # fmt: skip


def test_the_header_tells_how_far_long_work_is_and_cancels_it(watched, address):
    """How many of how many, how long; a press ends it."""
    job = dict(JOB)
    ended = []

    def cancel(route):
        ended.append(route.request.method)
        job["cancelled"] = True
        route.fulfill(json=job)

    page = watched.open(f"{address}/healthz", "waiter")
    listing = {"items": [job], "total": 1, "offset": 0, "limit": 10, "next": None}
    page.route("**/api/v1/jobs?*", lambda route: route.fulfill(json=listing))
    page.route("**/api/v1/jobs/j1", cancel)
    page.route("**/api/v1/jobs/j1/stream", lambda route: route.fulfill(status=204))
    page.goto(address)
    expect(page.locator("#jobs")).to_have_text("1,072 of 2,142 · 3 minutes")
    job["stage"] = "backfill"
    page.reload()
    passing = "colours, textures and shapes"
    expect(page.locator("#jobs")).to_have_text(f"{passing} ·1,072 of 2,142 · 3 minutes")
    page.locator("#jobs").click()
    page.locator("#job-cancel").click()
    expect(page.locator("#job-cancel")).to_have_text("Ending…")
    assert ended == ["DELETE"]


def test_the_board_fits_a_phone(watched, address):
    """Tiles, forms and lists stay within the screen."""
    page = watched.open(f"{address}/#/collection", "collection kim", **PHONE)
    expect(page.locator("[data-folder]").first).to_be_visible()
    assert no_sideways(page)
