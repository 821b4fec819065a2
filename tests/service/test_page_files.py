from __future__ import annotations

import posixpath
import re

import pytest

from saccade.service.routes.page import WEB


def test_the_page_and_everything_it_names_is_served(client):
    """Every stylesheet, script and import resolves, with the right type."""
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    todo = re.findall(r'(?:href|src)="(/assets/[^"]+)"', page.text)
    assert todo
    seen = set()
    while todo:
        path = todo.pop()
        if path in seen:
            continue
        seen.add(path)
        answer = client.get(path)
        assert answer.status_code == 200, path
        kind = {"css": "text/css", "js": "javascript", "svg": "image/svg+xml"}[path.split(".")[-1]]
        assert kind in answer.headers["content-type"]
        assert answer.headers["cache-control"] == "no-cache"
        named = re.findall(r' from "(\.[^"]+)"', answer.text)
        todo += [
            posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) for name in named
        ]
    todo += re.findall(r'href="(/assets/[^"]+)"', client.get("/docs").text)
    seen |= {path for path in todo if client.get(path).status_code == 200}
    kept = {f"/assets/{file.relative_to(WEB)}" for file in WEB.rglob("*") if file.is_file()}
    apart = {"index.html", "token.html", "element/saccade-grid.js"}
    assert seen == kept - {f"/assets/{name}" for name in apart}


def test_no_file_of_the_page_names_another_host():
    """No outside font, script or image; the namespace of SVG is a name, not an address."""
    for file in WEB.rglob("*.*"):
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"(https?:)?//[\w-]+\.\w", text), file


@pytest.mark.parametrize("folder", ["parts", "state"])
def test_parts_are_given_their_elements(folder):
    """Only the shell looks elements up by name, so that a part can be used twice."""
    files = list((WEB / "js" / folder).glob("*.js"))
    assert files
    for file in files:
        assert not re.search(r"document\.(getElementBy|querySelector)", file.read_text()), file


def test_a_changed_file_is_noticed(client):
    """Browsers ask again each time and get 304 while nothing changed."""
    first = client.get("/assets/js/app.js")
    again = client.get("/assets/js/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert again.status_code == 304


def test_files_outside_the_page_are_not_served(client):
    """A path cannot climb out of the folder."""
    assert client.get("/assets/%2e%2e/app.py").status_code == 404
    assert client.get("/assets/..%2fapp.py").status_code == 404


def test_the_icon_is_there_under_its_old_name(client):
    """Browsers ask for it unasked."""
    assert client.get("/favicon.ico").headers["content-type"].startswith("image/svg+xml")
