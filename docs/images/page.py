"""Takes the pictures of the page: a small world is drawn, indexed, served and looked at.

python docs/images/page.py        with the browser that tests/e2e/browser.py finds or installs
"""

from __future__ import annotations

import importlib.util
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from types import ModuleType

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

import saccade
from saccade.engine import Engine
from saccade.service.server import prepare
from saccade.testbed.worlds import write

HERE = Path(__file__).parent
QUERY = "balloons"
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


def main() -> None:
    """Five pictures: start, the first two marks, a taught search with why, dark, phone."""
    with (
        tempfile.TemporaryDirectory() as folder,
        saccade.open(Path(folder) / "w.saccade") as engine,
    ):
        write(Path(folder) / "world", images=360)
        engine.add(Path(folder) / "world")
        with serving(engine) as address, sync_playwright() as playwright:
            chromium = _browser()
            browser = playwright.chromium.launch(
                executable_path=chromium.ensure(), args=chromium.arguments()
            )
            take(browser, address, f"{address}/#/search?image={_query(engine)}")
            browser.close()


def take(browser: Browser, start: str, search: str) -> None:
    """Look at it as a person does, and keep what is seen."""
    page = _open(browser, start, "ana")
    shoot(page, "page-start")
    page.goto(search)
    mark(page, right=1, wrong=1)
    shoot(page, "page-feedback")
    mark(page, right=4, wrong=4)
    page.keyboard.press("t")
    page.evaluate("scrollTo(0, 0)")
    page.locator("#grid .card").nth(2).hover()
    page.locator("#grid .card").nth(2).locator("[data-verb=why]").click()
    expect(page.locator("#why .words")).to_be_visible()
    shoot(page, "page")
    dark = _open(browser, search, "ana", color_scheme="dark")
    mark(dark, right=2, wrong=2)
    dark.evaluate("scrollTo(0, 0)")
    shoot(dark, "page-dark")
    phone = _open(browser, search, "bo", **PHONE)
    mark(phone, right=2, wrong=1)
    shoot(phone, "page-phone")


def mark(page: Page, *, right: int, wrong: int) -> None:
    """Say what is true of the first pictures not judged yet: the world's folders know."""
    for key, many in (("y", right), ("n", wrong)):
        for _ in range(many):
            fresh = page.locator("#grid .card.judging:not(.liked, .disliked) .picture")
            expect(fresh.first).to_be_visible()
            labels = fresh.evaluate_all("(all) => all.map((one) => one.ariaLabel)")
            place = next(i for i, label in enumerate(labels) if (QUERY in label) is (key == "y"))
            fresh.nth(place).focus()
            judged = page.locator(".card.liked, .card.disliked").count()
            page.keyboard.press(key)
            expect(page.locator("#tally")).to_contain_text(f"{judged + 1} judged")
            expect(page.locator("#progress")).to_be_hidden()


def shoot(page: Page, name: str) -> None:
    """One picture, once everything has been drawn."""
    page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(400)
    taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
    # A palette is a quarter of the size and looks much the same.
    taken.quantize(256, dither=Image.Dither.FLOYDSTEINBERG).save(
        HERE / f"{name}.png", optimize=True
    )


@contextmanager
def serving(engine: Engine) -> Iterator[str]:
    """The engine behind a server of its own; where it is."""
    server = prepare(engine, port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.should_exit = True
        thread.join()


def _open(browser: Browser, address: str, user: str, **options: object) -> Page:
    options.setdefault("viewport", {"width": 1280, "height": 800})
    page = browser.new_context(reduced_motion="reduce", **options).new_page()  # type: ignore[arg-type]
    page.add_init_script(f"localStorage['saccade.user'] = {user!r}")
    page.goto(address)
    expect(page.locator("#grid .card[data-id]").first).to_be_visible()
    return page


def _query(engine: Engine) -> str:
    named = (image for image in engine.images(0, 360) if QUERY in image.paths[0])
    return sorted(named, key=lambda image: image.paths[0])[1].image_id


def _browser() -> ModuleType:
    path = HERE.parent.parent / "tests" / "e2e" / "browser.py"
    spec = importlib.util.spec_from_file_location("browser", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
