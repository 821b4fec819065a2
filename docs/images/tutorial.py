"""Takes the pictures of docs/tutorial.md: docs/images/tutorial-*.webp.

    python docs/images/tutorial.py

A world is drawn into ~/Pictures of a home made up for this; `saccade` is started as the tutorial
says, and a browser does what it says. Nobody's photographs are in the pictures.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

from page import HERE, launched, mark
from saccade.testbed.worlds import write

IMAGES, WIDTH, KIND = 360, 1000, "harbour"
THERE = """
() => [...document.querySelectorAll("#pair .side img")].every((one) => one.naturalWidth)
"""
WARMTH = """
() => [...document.querySelectorAll("#pair .side img")].map((image) => {
  const canvas = new OffscreenCanvas(16, 16), drawing = canvas.getContext("2d");
  drawing.drawImage(image, 0, 0, 16, 16);
  const { data } = drawing.getImageData(0, 0, 16, 16);
  let warm = 0;
  for (let at = 0; at < data.length; at += 4) warm += data[at] - data[at + 2];
  return warm;
})
"""


def main() -> None:
    """Every step of the tutorial, in its order."""
    expect.set_options(timeout=300_000)  # the machine may be busy
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        write(Path(home) / "Pictures", images=IMAGES)
        with started(Path(home)) as address:
            browser = launched(playwright)
            page = browser.new_context(
                viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
            ).new_page()
            page.add_init_script("localStorage['saccade.user'] = 'ana'")
            walk(page, address)
            browser.close()


@contextmanager
def started(home: Path) -> Iterator[str]:
    """`saccade`, as a person types it at home."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    saccade = Path(sys.executable).with_name("saccade")
    process = subprocess.Popen(
        [saccade, "--port", str(port)], cwd=home, env={**os.environ, "HOME": str(home)}
    )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


def walk(page: Page, address: str) -> None:
    """What the tutorial tells, done."""
    waiting(page, address)
    page.locator("#first-folder").fill("~/Pictures")
    shoot(page, "folder")
    page.keyboard.press("Enter")
    expect(page.locator("#grid .card[data-id]").nth(11)).to_be_visible()
    shoot(page, "arriving")
    expect(page.locator("#jobs")).to_be_hidden()
    page.goto(address)
    words = page.get_by_role("combobox", name="What to look for")
    words.press_sequentially(KIND[:4])
    expect(page.get_by_role("option").first).to_be_visible()
    shoot(page, "typing")
    words.fill(KIND)
    words.press("Enter")
    expect(page.locator("#grid .card.judging").first).to_be_visible()
    mark(page, right=2, wrong=2, kind=KIND)
    page.evaluate("scrollTo(0, 0)")
    shoot(page, "marks")
    third = page.locator("#grid .card[aria-posinset='3']")
    third.hover()
    third.locator("[data-verb=why]").click()
    expect(page.locator("#why .words")).to_be_visible()
    shoot(page, "why", still=False)
    page.keyboard.press("Escape")
    third.locator(".picture").click()
    expect(page.locator("#viewer, .viewer").first).to_be_visible()
    shoot(page, "large")
    page.keyboard.press("Escape")
    page.goto(f"{address}/#/collection")
    expect(page.locator("[data-folder] img").first).to_be_visible()
    shoot(page, "collection")
    page.goto(f"{address}/#/taught?part=scales")
    scale(page)
    shoot(page, "scale")
    page.goto(f"{address}/#/taught?part=you")
    expect(page.locator("main")).to_contain_text(re.compile("forget", re.IGNORECASE))
    shoot(page, "you")


def waiting(page: Page, address: str) -> None:
    """The page, as soon as it is there."""
    for _ in range(600):
        try:
            page.goto(address)
            break
        except Exception:
            page.wait_for_timeout(500)
    expect(page.locator("#first-folder")).to_be_visible()


def scale(page: Page) -> None:
    """Name a scale and answer a dozen pairs by how red the two pictures are."""
    page.fill("#scale-name", "warm")
    page.keyboard.press("Enter")
    for number in range(1, 13):
        expect(page.locator("#pair .side img")).to_have_count(2)
        page.wait_for_function(THERE)
        first, second = page.evaluate(WARMTH)
        page.keyboard.press("ArrowLeft" if first > second else "ArrowRight")
        expect(page.locator("#scale-told")).to_contain_text(re.compile(f"^{number} answer"))
        expect(page.locator("#progress")).to_be_hidden()


def shoot(page: Page, name: str, *, still: bool = True) -> None:
    """One step, once everything has been drawn."""
    if still:
        page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(400)
    taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
    taken = taken.resize(
        (WIDTH, round(taken.height * WIDTH / taken.width)), Image.Resampling.LANCZOS
    )
    taken.save(HERE / f"tutorial-{name}.webp", quality=80, method=6)
    print(name)


if __name__ == "__main__":
    main()
