from __future__ import annotations

import logging

import httpx
import pytest

from saccade.errors import MissingExtra, StoreError
from saccade.service.server import prepare
from servers import PATIENCE


def test_an_unknown_address_is_not_found(client):
    """In the same shape as every other error."""
    answer = client.get("/api/v2/search")
    assert answer.status_code == 404
    assert answer.json() == {
        "code": "not-found",
        "message": "there is nothing at /api/v2/search",
        "hint": "/openapi.json lists every address",
    }


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/v1/search"), ("PUT", "/healthz")])
def test_a_wrong_method_names_the_right_one(client, method, path):
    """405 with the Allow header, and the method in words."""
    answer = client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] in answer.json()["hint"]


def test_a_fault_of_ours_is_a_sentence_without_a_traceback(engine, serving, monkeypatch, caplog):
    """The client learns that it is our fault; the log has the rest."""

    def broken(*_):
        raise RuntimeError("secret detail")

    monkeypatch.setattr(engine, "image", broken)
    caplog.set_level(logging.CRITICAL, "uvicorn.error")
    with serving(prepare(engine, port=0)) as url:
        answer = httpx.get(f"{url}/api/v1/images/{'0' * 32}", timeout=PATIENCE)
    assert answer.status_code == 500
    assert answer.json()["code"] == "internal"
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text


def test_a_part_that_is_not_installed_says_who_can_install_it(engine, serving, monkeypatch):
    """A client cannot; whoever runs the server can."""

    def plain(*_, **__):
        raise MissingExtra("lambdamart", ["lightgbm"], "rank")

    monkeypatch.setattr(engine, "undo", plain)
    with serving(prepare(engine, port=0)) as url:
        answer = httpx.post(f"{url}/api/v1/profiles/pia/undo", timeout=PATIENCE)
    assert answer.status_code == 501
    assert answer.json() == {
        "code": "missing-extra",
        "message": "lambdamart needs lightgbm, which is not installed",
        "hint": 'whoever runs this server can help: `pip install "saccade[rank]"` brings it',
    }


def test_a_store_that_fails_is_unavailable(engine, serving, monkeypatch):
    """A full disk, for instance: the engine's sentence arrives as it stands."""

    def full(*_, **__):
        raise StoreError("the disk is full: /pictures.saccade", hint="free some space")

    monkeypatch.setattr(engine, "undo", full)
    with serving(prepare(engine, port=0)) as url:
        answer = httpx.post(f"{url}/api/v1/profiles/pia/undo", timeout=PATIENCE)
    assert answer.status_code == 503
    assert answer.json() == {
        "code": "store",
        "message": "the disk is full: /pictures.saccade",
        "hint": "free some space",
    }


def test_a_hint_speaks_of_requests(client: httpx.Client, ids: list[str]) -> None:
    """Not of commands that a client cannot run, nor of Python."""
    wrong = {"image_id": ids[0], "schemes": ["lbp:chi3"]}
    told = client.post("/api/v1/search", json=wrong).json()
    assert told["hint"] == "GET /api/v1/schemes lists them"
    told = client.post("/api/v1/search", json={}).json()
    assert told["hint"].startswith("send image_id, like or text")
