"""A browser for the tests of the page: find one, or install one.

    python tests/e2e/browser.py        say which one is used, installing it when there is none

A system Chromium or Chrome comes first, then one that Playwright keeps. Where there is none, Debian
and its relatives get the `chromium` package when we are root; else Playwright fetches its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


def find() -> str | None:
    """The path of a browser that is there, or None."""
    places = [shutil.which(name) for name in NAMES] + list(APPLICATIONS)
    working = (path for path in places if path and Path(path).exists() and _starts(path))
    return next(working, None) or _of_playwright()


def ensure() -> str:
    """The path of a browser, installed when there was none; exits with a sentence if that fails."""
    return find() or _from_debian() or _from_playwright() or sys.exit(_advice())


def arguments() -> list[str]:
    """How to start it: quiet, and without a sandbox where root is not allowed one."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [*QUIET, *(["--no-sandbox"] if root else [])]


def _starts(path: str) -> bool:
    # Some systems have a stand-in of that name that only says how to install the real one.
    try:
        return not subprocess.run([path, "--version"], capture_output=True, timeout=60).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False


def _of_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if path and Path(path).exists() else None


def _from_debian() -> str | None:
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not (root and shutil.which("apt-get")):
        return None
    print("no browser found: installing Chromium for the tests of the page", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update"], ["apt-get", "install", "-y", "chromium"]):
        if subprocess.run([*command, "-qq"], env=environment, check=False).returncode:
            return None
    return find()


def _from_playwright() -> str | None:
    print("no browser found: fetching Playwright's Chromium for the tests of the page", flush=True)
    fetch = [sys.executable, "-m", "playwright", "install", "chromium"]
    return None if subprocess.run(fetch, check=False).returncode else find()


def _advice() -> str:
    return (
        "The tests of the page need Chromium or Chrome and none could be installed: "
        "install one so that `chromium` or `google-chrome` is on the PATH, then run `make test`."
    )


if __name__ == "__main__":
    print(f"the tests of the page use {ensure()}")
