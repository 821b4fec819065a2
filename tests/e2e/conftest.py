"""A world behind a real server, looked at in a real browser."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

import saccade
from saccade.engine import Engine
from saccade.service.server import prepare
from saccade.testbed.worlds import write
from servers import PATIENCE, running


def _module(name: str) -> ModuleType:
    # Test folders are no packages, so a neighbour is loaded by its path.
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of 108 small drawn pictures, six of a class: more than a first page holds."""
    folder = tmp_path_factory.mktemp("world")
    write(folder, images=108, seed=11, size=(192, 144))
    return folder


@pytest.fixture(scope="session")
def engine(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The indexed world; tests keep apart by user names."""
    with saccade.open(tmp_path_factory.mktemp("store") / "world.saccade") as engine:
        engine.add(world, recipe="color-histogram,edge-directions,lbp", workers=1)
        yield engine


@pytest.fixture(scope="session")
def address(engine: Engine) -> Iterator[str]:
    """Where the page is."""
    with running(prepare(engine, port=0)) as url:
        yield url


@pytest.fixture(scope="session")
def seeing(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of the same pictures in a store that knows their parts."""
    with saccade.open(tmp_path_factory.mktemp("store") / "seeing.saccade") as engine:
        engine.add(world, recipe="embedding", workers=1)
        with running(prepare(engine, port=0)) as url:
            yield url


@pytest.fixture
def empty_address(tmp_path: Path) -> Iterator[str]:
    """The page of a collection without pictures."""
    with (
        saccade.open(tmp_path / "empty.saccade", warm=False) as engine,
        running(prepare(engine, port=0)) as url,
    ):
        yield url


@pytest.fixture
def odd_address(tmp_path: Path) -> Iterator[str]:
    """The page of a collection of odd shapes, one of them with markup for a name."""
    folder = tmp_path / "odd"
    folder.mkdir()
    shapes = {"wide": (1600, 20), "tall": (20, 1600), "dot": (1, 1)}
    shapes["<img src=x onerror=alert(1)>"] = (60, 40)
    for shade, (name, size) in enumerate(shapes.items()):
        Image.new("RGB", size, (60 * shade, 90, 120)).save(folder / f"{name}.png")
    with saccade.open(tmp_path / "odd.saccade", warm=False) as engine:
        engine.add(folder, recipe="color-histogram", workers=1)
        with running(prepare(engine, port=0)) as url:
            yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One browser for all tests of the page.

    It goes with their module: Playwright keeps an event loop running in this thread, where later
    tests want their own.
    """
    chromium = _module("browser")
    expect.set_options(timeout=1000 * PATIENCE)
    path = chromium.find()
    if path is None:
        pytest.fail("no browser for the tests of the page: run python tests/e2e/browser.py")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.arguments())
        yield browser
        browser.close()


class Watched:
    """Opens pages and keeps what they say and whom they ask."""

    def __init__(self, browser: Browser, contexts: dict[str, BrowserContext]) -> None:
        self.browser, self.contexts = browser, contexts
        self.pages: list[Page] = []
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._forgiven: set[str] = set()

    def open(self, address: str, user: str, **options: object) -> Page:
        """A fresh page with a name of its own; those with the same options share a cache."""
        options.setdefault("viewport", {"width": 1280, "height": 800})
        options.setdefault("reduced_motion", "reduce")  # drawing what glides is most of the work
        kind = json.dumps(options, sort_keys=True)
        if kind not in self.contexts:
            self.contexts[kind] = self.browser.new_context(**options)  # type: ignore[arg-type]
            self.contexts[kind].set_default_timeout(1000 * PATIENCE)
        page = self.contexts[kind].new_page()
        self.pages.append(page)
        # A page's own storage is empty at first and survives a reload.
        page.add_init_script(
            "if (!sessionStorage.named) "
            f"{{ sessionStorage.named = 1; localStorage['saccade.user'] = {json.dumps(user)}; }}"
        )
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)
        return page

    def forgive(self, word: str) -> None:
        """The browser itself notes what a test is about: before, and perhaps a moment later."""
        self._forgiven.add(word)
        self.complaints[:] = [line for line in self.complaints if word not in line]

    def _heard(self, message: object) -> None:
        text: str = message.text  # type: ignore[attr-defined]
        complains = message.type in ("error", "warning")  # type: ignore[attr-defined]
        if complains and not any(word in text for word in self._forgiven):
            self.complaints.append(text)


@pytest.fixture(scope="module")
def contexts(browser: Browser) -> Iterator[dict[str, BrowserContext]]:
    """One browser profile for each set of options: its cache spares loading the page anew."""
    contexts: dict[str, BrowserContext] = {}
    yield contexts
    for context in contexts.values():
        context.close()


@pytest.fixture
def watched(browser: Browser, contexts: dict[str, BrowserContext]) -> Iterator[Watched]:
    """Pages whose console stays silent and that ask nobody but their own server."""
    watched = Watched(browser, contexts)
    yield watched
    for page in watched.pages:
        page.close()
    assert watched.complaints == []
    outside = [
        url
        for url in watched.requests
        if not url.startswith(("http://127.0.0.1:", "blob:", "data:"))
    ]
    assert outside == []
