"""<saccade-grid> on the page of another site, in a real browser: search, marks, and who may."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from saccade.engine import Engine
from saccade.service.server import prepare
from servers import PATIENCE, running

pytestmark = pytest.mark.xdist_group("grid")


class _Shop(BaseHTTPRequestHandler):
    """A site of somebody else's, with one page."""

    def __init__(self, page: dict[str, str], *more: object) -> None:
        self.page = page
        super().__init__(*more)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        body = self.page["html"].encode() if self.path == "/" else b""
        self.send_response(200)  # a browser also asks for an icon
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def shop() -> Iterator[tuple[str, dict[str, str]]]:
    """Another origin, and the page that it shows."""
    page = {"html": ""}
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Shop, page)) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}", page
        server.shutdown()


@pytest.fixture
def opened(browser: Browser, shop: tuple[str, dict[str, str]]) -> Iterator[Callable[..., Page]]:
    """Open the shop's page with the element as its three lines say."""
    origin, page = shop
    context = browser.new_context(viewport={"width": 900, "height": 700})
    context.set_default_timeout(1000 * PATIENCE)

    def open_one(server: str, attributes: str) -> Page:
        page["html"] = (
            "<!doctype html><title>shop</title><h1>Our things</h1>\n"
            f'<script type="module" src="{server}/saccade-grid.js"></script>\n'
            f"<saccade-grid {attributes}></saccade-grid>"
        )
        tab = context.new_page()
        tab.goto(origin)
        return tab

    yield open_one
    context.close()


@pytest.fixture(scope="module")
def allowed(engine: Engine, shop: tuple[str, dict[str, str]]) -> Iterator[str]:
    """A server that lets pages of the shop use it, by visitors and by tokens."""
    with running(prepare(engine, port=0, visitors=True, tokens=True, origins=[shop[0]])) as url:
        yield url


def word(engine: Engine) -> str:
    """Something to look for: a folder of the world."""
    return Path(engine.images(0, 1)[0].paths[0]).parent.name


def test_a_visitor_searches_and_marks_on_another_site(
    opened: Callable[..., Page], allowed: str, engine: Engine
) -> None:
    """Pictures are seen, a mark stands and teaches the visitor, and a picture can be picked."""
    complaints: list[str] = []
    page = opened(allowed, f'text="{word(engine)}" k="6"')
    page.on("console", lambda message: complaints.append(message.text))
    pictures = page.locator("saccade-grid li")
    expect(pictures).to_have_count(6)
    loaded = "images => images.every(one => one.complete && one.naturalWidth > 0)"
    page.wait_for_function(
        f"({loaded})([...document.querySelector('saccade-grid').shadowRoot"
        ".querySelectorAll('img')].filter(one => one.src))"
    )
    expect(page.locator("saccade-grid img[src^='blob:']")).to_have_count(6)
    page.evaluate(
        "document.addEventListener('saccade-pick', event => { window.picked = event.detail })"
    )
    first = pictures.first
    first.locator("button.picture").click()
    assert page.evaluate("window.picked.path").count("/") <= 1
    right = first.get_by_role("button", name="is right")
    right.click()
    expect(page.locator("saccade-grid button[aria-pressed='true']")).to_have_count(1)
    users = [user for user in engine.library.report().users if user.startswith("visitor:")]
    assert len(users) >= 1
    page.locator("saccade-grid input").fill("zzzz nothing of that name")
    page.locator("saccade-grid input").press("Enter")
    expect(page.locator("saccade-grid [role=status]")).to_have_text("Nothing was found.")
    assert complaints == []


def test_a_token_says_what_the_element_may(
    opened: Callable[..., Page], allowed: str, engine: Engine
) -> None:
    """A viewer's finds, and says why a mark is not taken."""
    key, _ = engine.tokens.create("shop-page", "viewer")
    page = opened(allowed, f'text="{word(engine)}" k="4" token="{key}"')
    expect(page.locator("saccade-grid li")).to_have_count(4)
    page.locator("saccade-grid li").first.get_by_role("button", name="is wrong").click()
    expect(page.locator("saccade-grid [role=status]")).to_contain_text("takes the role teacher")


def test_a_site_that_was_not_named_gets_nothing(
    opened: Callable[..., Page], engine: Engine
) -> None:
    """The browser itself keeps the answer from it."""
    with running(prepare(engine, port=0, visitors=True, origins=["https://shop.example"])) as url:
        page = opened(url, f'text="{word(engine)}"')
        status = page.locator("saccade-grid [role=status]")
        expect(status).to_have_text("The pictures cannot be reached just now.")
        expect(page.locator("saccade-grid li")).to_have_count(0)
