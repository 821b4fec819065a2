"""Takes the moving picture of a search that is taught: docs/images/teaching.webp.

    python docs/images/teaching.py

A small world is drawn, indexed and served; a person shows a picture of the kind whose first page is
worst and marks, one after another, the first that are right and the first that are wrong. The page
moves by itself for a quarter of a second after each mark: its animations are stopped and looked at
from moment to moment, so that the film is the same on a slow machine.
"""

from __future__ import annotations

import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, expect, sync_playwright

import saccade
from page import HERE, launched, mark, opened, serving
from saccade.engine import Engine
from saccade.testbed.worlds import write

IMAGES, MARKS, WIDTH = 360, 4, 800
FIRST, STILL, MOVING, LAST = 1600, 800, 60, 3000  # milliseconds a frame is seen
MOMENTS = (50, 110, 170, 230)  # of a glide of 250
HELD = """
window.gliding = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (...how) {
  const one = animate.apply(this, how);
  one.pause();
  window.gliding.push(one);
  return one;
};
"""


def main() -> None:
    """Draw, index, serve, teach, and keep what was seen."""
    expect.set_options(timeout=120_000)
    with (
        tempfile.TemporaryDirectory() as folder,
        saccade.open(Path(folder) / "world.saccade") as engine,
    ):
        write(Path(folder) / "world", images=IMAGES)
        engine.add(Path(folder) / "world")
        query, kind = worst(engine)
        with serving(engine) as address, sync_playwright() as playwright:
            browser = launched(playwright)
            size = {"width": 1120, "height": 700}
            page = opened(browser, address, "ana", viewport=size, reduced_motion="no-preference")
            page.add_init_script(HELD)
            page.goto(f"{address}/#/search?image={query}")
            page.reload()
            expect(page.locator("#grid .card.judging").first).to_be_visible()
            film(page, kind)
            browser.close()


def worst(engine: Engine) -> tuple[str, str]:
    """A picture of the kind of which the first page shows fewest, and the name of that kind."""
    best: dict[str, tuple[int, str]] = {}
    for image in sorted(engine.images(0, IMAGES), key=lambda one: one.paths[0]):
        kind = Path(image.paths[0]).parent.name
        page = engine.search(image.image_id, expert="plain", k=20)
        right = sum(Path(hit.path).parent.name == kind for hit in page.hits)
        best[kind] = min(best.get(kind, (21, "")), (right, image.image_id))
    # Enough of its kind must be in sight to begin with.
    right, kind = min((right, kind) for kind, (right, _) in best.items() if right >= MARKS)
    print(f"{kind}: {right} of the first 20 are right before anything is said")
    return best[kind][1], kind


def film(page: Page, kind: str) -> None:
    """One mark after another, each with its glide; at the end, what was judged is put away."""
    page.wait_for_load_state("networkidle")
    frames, times = [seen(page)], [FIRST]
    for number in range(2 * MARKS):
        mark(page, right=1 - number % 2, wrong=number % 2, kind=kind)
        for moment in MOMENTS:
            page.evaluate("(at) => { for (const one of gliding) one.currentTime = at; }", moment)
            frames.append(seen(page))
            times.append(MOVING)
        page.evaluate("() => { for (const one of gliding.splice(0)) one.finish(); }")
        page.evaluate("scrollTo(0, 0)")
        frames.append(seen(page))
        times.append(STILL)
    page.keyboard.press("t")
    page.evaluate("() => { for (const one of gliding.splice(0)) one.finish(); }")
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(400)
    frames.append(seen(page))
    times.append(LAST)
    place = HERE / "teaching.webp"
    frames[0].save(
        place, save_all=True, append_images=frames[1:], duration=times, loop=0, quality=62, method=6
    )
    print(f"{place.name}: {len(frames)} frames, {place.stat().st_size >> 10} kB")


def seen(page: Page) -> Image.Image:
    """What is on the screen."""
    taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
    height = round(taken.height * WIDTH / taken.width)
    return taken.resize((WIDTH, height), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
