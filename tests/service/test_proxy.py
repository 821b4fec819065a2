"""Behind a proxy that is configured as the documentation says: nginx where it is installed."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from proxies import passing
from saccade.service.server import prepare
from servers import PATIENCE, until

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "serve-others.md"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/opt/homebrew/bin")
NAME = "pictures.example"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def listens(port):
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def by_nginx(site, port, folder):
    """A real one."""
    temporary = ("proxy", "fastcgi", "uwsgi", "scgi")
    (folder / "nginx.conf").write_text(
        f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/log;\n"
        "events {}\n"
        f"http {{ access_log off; client_body_temp_path {folder}/body;\n"
        + "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in temporary)
        + site.replace("443 ssl", f"127.0.0.1:{port}")
        + "}\n"
    )
    process = subprocess.Popen([NGINX, "-c", folder / "nginx.conf", "-e", folder / "log"])
    try:
        until(lambda: process.poll() is not None or listens(port))
        assert process.poll() is None, (folder / "log").read_text()
        yield
    finally:
        process.terminate()
        process.wait()


def by_stand_in(site, port, folder):
    """What nginx would do with these directives, on any machine."""
    return passing(site, port)


@pytest.fixture(scope="module", params=[by_stand_in, *([by_nginx] if NGINX else [])])
def proxied(request, engine, serving, tmp_path_factory):
    """The address of a proxy in front of a server, with the page's own configuration."""
    port = free_port()
    with serving(prepare(engine, port=0, allow_hosts=[NAME])) as url:
        site = re.search(r"```nginx\n(.*?)```", PAGE.read_text(), re.S)[1]
        site = site.replace("http://127.0.0.1:8000", url)
        with request.param(site, port, tmp_path_factory.mktemp("proxy")):
            yield f"http://127.0.0.1:{port}", port


def test_the_page_and_its_changes_pass_the_proxy(proxied, ids):
    """Search, feedback and thumbnails under the name that people type."""
    url, port = proxied
    headers = {"Host": f"{NAME}:{port}", "Origin": f"http://{NAME}:{port}"}
    with httpx.Client(base_url=url, headers=headers, timeout=PATIENCE) as client:
        assert "<title>" in client.get("/").text
        page = client.post("/api/v1/search", json={"image_id": ids[0], "user": "prox"}).json()
        liked = page["hits"][3]["image_id"]
        body = {"page_id": page["page_id"], "liked": [liked]}
        assert client.post("/api/v1/feedback", json=body).status_code == 200
        assert client.get(f"/api/v1/images/{liked}/thumb").headers["content-type"] == "image/webp"
        assert client.delete("/api/v1/profiles/prox").status_code == 200


def test_a_large_upload_passes_the_proxy(proxied):
    """Up to the server's own limit: its sentence, not the proxy's page."""
    url, port = proxied
    files = {"image": ("a.jpg", b"x" * (20 * 2**20), "image/jpeg")}
    answer = httpx.post(
        f"{url}/api/v1/search", files=files, headers={"Host": f"{NAME}:{port}"}, timeout=PATIENCE
    )
    assert answer.status_code == 422
    assert answer.json()["code"] == "not-an-image"


def test_other_names_and_other_sites_stop_at_the_gate(proxied):
    """The proxy passes on what the browser said."""
    url, port = proxied
    undo = f"{url}/api/v1/profiles/nobody/undo"
    ours = {"Host": f"{NAME}:{port}"}
    assert httpx.post(undo, headers={"Host": "evil.example"}, timeout=PATIENCE).status_code == 403
    assert (
        httpx.post(
            undo, headers={**ours, "Origin": "http://evil.example"}, timeout=PATIENCE
        ).status_code
        == 403
    )
    assert (
        httpx.post(
            undo, headers={**ours, "Origin": f"http://{NAME}:{port}"}, timeout=PATIENCE
        ).status_code
        == 409
    )


def test_a_body_that_the_site_does_not_take_ends_at_the_proxy(proxied):
    """The proxy's own page; the documented size is that of the server's largest body."""
    url, port = proxied
    answer = httpx.post(
        f"{url}/api/v1/search", content=b"x" * (64 * 2**20 + 1), timeout=PATIENCE,
        headers={"Host": f"{NAME}:{port}", "Content-Type": "multipart/form-data; boundary=x"},
    )  # fmt: skip
    assert answer.status_code == 413
