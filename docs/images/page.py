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
from playwright.sync_api import Browser, Page, Playwright, expect, sync_playwright

import saccade
from saccade.engine import Engine
from saccade.service.server import prepare
from saccade.testbed.worlds import write

HERE = Path(__file__).parent
QUERY = "balloons"
LIGHT = """() => [...document.querySelectorAll("#pair .side img")].map((image) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 8, height: 8 });
    const drawn = canvas.getContext("2d");
    drawn.drawImage(image, 0, 0, 8, 8);
    return drawn.getImageData(0, 0, 8, 8).data.reduce((sum, value) => sum + value, 0);
})"""
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}


def main() -> None:
    """Start, the first two marks, a taught search with why, the large view, two to compare, what is
    chosen, a scale, two boards, dark, phone.
    """
    expect.set_options(timeout=120_000)  # the machine may be busy
    with (
        tempfile.TemporaryDirectory() as folder,
        saccade.open(Path(folder) / "w.saccade") as engine,
    ):
        write(Path(folder) / "world", images=360)
        engine.add(Path(folder) / "world")
        with serving(engine) as address, sync_playwright() as playwright:
            browser = launched(playwright)
            take(browser, address, f"{address}/#/search?image={_query(engine)}")
            browser.close()


def take(browser: Browser, start: str, search: str) -> None:
    """Look at it as a person does, and keep what is seen."""
    page = opened(browser, start, "ana")
    shoot(page, "page-start")
    page.goto(search)
    mark(page, right=1, wrong=1)
    shoot(page, "page-feedback")
    mark(page, right=4, wrong=4)
    page.keyboard.press("t")
    page.evaluate("scrollTo(0, 0)")
    third = page.locator("#grid .card[aria-posinset='3']")
    third.hover()
    third.locator("[data-verb=why]").click()
    expect(page.locator("#why .words")).to_be_visible()
    shoot(page, "page")
    page.keyboard.press("Escape")
    page.locator("#grid .card[aria-posinset='2'] .picture").click()
    expect(page.locator("#viewer .alike").first).to_be_visible()
    shoot(page, "page-large")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !history.state?.large")
    page.keyboard.press("c")
    expect(page.locator("#twoup .side img").last).to_be_visible()
    shoot(page, "page-compare")
    page.keyboard.press("Escape")
    for place in (1, 4):
        page.locator(f"#grid .card[aria-posinset='{place}']").click(
            modifiers=["ControlOrMeta" if place == 1 else "Shift"]
        )
    expect(page.locator("#chosen")).to_be_visible()
    shoot(page, "page-chosen")
    page.keyboard.press("Escape")
    scale(page, start, "light")
    page.goto(f"{start}/#/collection")
    folders = page.locator("[data-folder]")
    expect(folders.first).to_be_visible()
    expect(page.locator("[data-folder] img")).to_have_count(folders.count())
    shoot(page, "page-collection")
    page.goto(f"{start}/#/taught?part=best&name=folder:{QUERY}")
    expect(page.locator("#grid .card[data-id]").first).to_be_visible()
    shoot(page, "page-taught")
    dark = opened(browser, search, "ana", color_scheme="dark")
    mark(dark, right=2, wrong=2)
    dark.evaluate("scrollTo(0, 0)")
    shoot(dark, "page-dark")
    phone = opened(browser, search, "bo", **PHONE)
    mark(phone, right=3, wrong=0)
    shoot(phone, "page-phone")


def scale(page: Page, start: str, name: str) -> None:
    """Teach a scale by a few pairs: the picture whose thumbnail is lighter."""
    page.goto(f"{start}/#/taught?part=scales")
    page.locator("#scale-name").fill(name)
    page.keyboard.press("Enter")
    for number in range(8):
        expect(page.locator("#scale-told")).to_contain_text(f"{number} answer")
        expect(page.locator("#progress")).to_be_hidden()
        page.wait_for_function(
            "() => [...document.querySelectorAll('#pair .side img')].every((one) => one.complete)"
        )
        first, second = page.evaluate(LIGHT)
        page.keyboard.press("ArrowLeft" if first > second else "ArrowRight")
    expect(page.locator("#order .stop img").first).to_be_visible()
    shoot(page, "page-scale")


def mark(page: Page, *, right: int, wrong: int, kind: str = QUERY) -> None:
    """Say what is true of the first pictures not judged yet: the world's folders know."""
    for key, many in (("y", right), ("n", wrong)):
        for _ in range(many):
            fresh = page.locator("#grid .card.judging:not(.liked, .disliked) .picture")
            expect(fresh.first).to_be_visible()
            labels = fresh.evaluate_all("(all) => all.map((one) => one.ariaLabel)")
            place = next(i for i, label in enumerate(labels) if (kind in label) is (key == "y"))
            fresh.nth(place).focus()
            judged = int(page.locator("#tally").get_attribute("data-marks") or 0)
            page.keyboard.press(key)
            expect(page.locator("#tally")).to_have_attribute("data-marks", str(judged + 1))
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


def opened(browser: Browser, address: str, user: str, **options: object) -> Page:
    """A page of a person of that name."""
    options.setdefault("viewport", {"width": 1280, "height": 800})
    options.setdefault("reduced_motion", "reduce")
    page = browser.new_context(**options).new_page()  # type: ignore[arg-type]
    page.add_init_script(f"localStorage['saccade.user'] = {user!r}")
    page.goto(address)
    expect(page.locator("#grid .card[data-id]").first).to_be_visible()
    return page


def _query(engine: Engine) -> str:
    named = (image for image in engine.images(0, 360) if QUERY in image.paths[0])
    return sorted(named, key=lambda image: image.paths[0])[1].image_id


def launched(playwright: Playwright) -> Browser:
    """The browser of the tests."""
    found = _module()
    return playwright.chromium.launch(executable_path=found.ensure(), args=found.arguments())


def _module() -> ModuleType:
    path = HERE.parent.parent / "tests" / "e2e" / "browser.py"
    spec = importlib.util.spec_from_file_location("browser", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
