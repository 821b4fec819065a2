"""Configurations and their choosers over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import saccade
from covers import write_covers
from saccade.service.server import prepare
from servers import PATIENCE, running


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_covers(tmp_path_factory.mktemp("shelf"), count=4)


@pytest.fixture(scope="module")
def covers(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a collection that has words."""
    with saccade.open(tmp_path_factory.mktemp("store") / "covers.saccade", warm=False) as engine:
        engine.add(shelf, recipe="lbp,words", workers=1)
        with (
            running(prepare(engine, port=0)) as url,
            httpx.Client(base_url=url, timeout=PATIENCE) as client,
        ):
            yield client


def test_a_collection_without_words_has_none(client, search, ids):
    """The report is empty, and a search by one is refused with the next step."""
    told = client.get("/api/v1/choosers").json()
    assert (told["configurations"], told["choosers"]) == ([], [])
    body = {"image_id": ids[0], "configuration": "auto"}
    answer = client.post("/api/v1/search", json=body)
    assert answer.status_code == 404
    assert "+words" in answer.json()["hint"]


def test_a_reaction_is_the_reward(covers):
    """What a page was ranked by travels with it; marks on it move the chooser once."""
    image = covers.get("/api/v1/images").json()["items"][1]["image_id"]
    body = {"image_id": image, "configuration": "auto", "exploring": 0, "user": "ana"}
    page = covers.post("/api/v1/search", json=body).json()
    assert page["configuration"] == "usual"
    assert (page["propensity"], page["explored"]) == (1.0, False)
    before = covers.get("/api/v1/choosers").json()
    marks = {"page_id": page["page_id"], "liked": [page["hits"][4]["image_id"]]}
    after = covers.post("/api/v1/feedback", json=marks).json()
    assert after["configuration"] == page["configuration"]
    covers.post("/api/v1/feedback", json={**marks, "liked": [page["hits"][1]["image_id"]]})
    told = covers.get("/api/v1/choosers").json()
    auto = told["choosers"][0]
    assert (auto["serves"], auto["rounds"]) == ("auto", 1)
    assert auto["configurations"][0]["loss"] > 0.0
    assert auto["excess"] == 0.0
    assert before["choosers"][0]["rounds"] == 0
    assert len(auto["history"]["weights"]) == 2
    assert told["exploring"] == 0.1
    covers.post("/api/v1/profiles/ana/undo")
    covers.post("/api/v1/profiles/ana/undo")
    assert covers.get("/api/v1/choosers").json() == before


def test_an_uploaded_picture_is_ranked_by_a_configuration(covers, shelf):
    """The form has the same fields."""
    files = {"image": (shelf / "2.png").read_bytes()}
    page = covers.post("/api/v1/search", files=files, data={"configuration": "vote"}).json()
    assert page["configuration"] == "vote"
    assert Path(page["hits"][0]["path"]).stem == "2-again"


@pytest.mark.parametrize(
    ("wrong", "status", "word"),
    [
        ({"configuration": "akm-large:binary"}, 422, "configuration"),
        ({"configuration": "auto", "exploring": 7}, 422, "exploring"),
        ({"configuration": "auto", "expert": "plain"}, 422, "by itself"),
    ],
)
def test_bad_input_is_a_sentence(covers, wrong, status, word):
    """Each names the thing."""
    image = covers.get("/api/v1/images").json()["items"][1]["image_id"]
    answer = covers.post("/api/v1/search", json={"image_id": image, **wrong})
    assert answer.status_code == status
    assert word in answer.json()["message"]
