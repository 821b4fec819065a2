"""Jobs over HTTP: asked for, followed, cancelled, and done beside the server."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest

import saccade
from saccade.service.server import prepare
from saccade.testbed.worlds import write
from servers import PATIENCE, running

BASE = "/api/v1/jobs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("behind")
    write(place, images=8, seed=9, size=(160, 120))
    return place


def events(client: httpx.Client, job_id: str) -> list[dict[str, object]]:
    """What a job's stream says, to its end."""
    with client.stream("GET", f"{BASE}/{job_id}/stream") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        # A comment says that the stream is there.
        lines = [line for line in answer.iter_lines() if line and not line.startswith(":")]
    assert all(line.startswith("data: ") for line in lines)
    return [json.loads(line.removeprefix("data: ")) for line in lines]


def test_a_folder_is_indexed_behind_an_open_server(tmp_path: Path, folder: Path) -> None:
    """The stream ends with the job, and the pictures are there; a restart finds it done."""
    store = tmp_path / "new.saccade"
    with saccade.open(store) as engine:
        with (
            running(prepare(engine, port=0)) as url,
            httpx.Client(base_url=url, timeout=PATIENCE) as client,
        ):
            body = {"kind": "index", "folder": str(folder), "recipe": "color-histogram"}
            asked = client.post(BASE, json=body)
            assert asked.status_code == 202
            job = asked.json()
            assert job["spec"]["folder"] == str(folder)
            told = events(client, job["job_id"])
            assert told[-1]["state"] == "done"
            assert told[-1]["result"]["added"] == 8
            assert client.get("/api/v1/images").json()["total"] == 8
        assert engine.jobs.show(job["job_id"]).state == "done"


def test_a_job_left_behind_goes_on_with_the_next_server(tmp_path: Path, folder: Path) -> None:
    """Whoever asked for it need not be there."""
    with saccade.open(tmp_path / "left.saccade") as engine:
        job = engine.jobs.post("index", folder=str(folder), recipe="color-histogram")
        with (
            running(prepare(engine, port=0)) as url,
            httpx.Client(base_url=url, timeout=PATIENCE) as client,
        ):
            assert events(client, job.job_id)[-1]["state"] == "done"


def test_a_job_is_listed_and_cancelled(client, engine) -> None:
    """One that has ended stays as it is."""
    job = client.post(BASE, json={"kind": "reindex"}).json()
    told = client.delete(f"{BASE}/{job['job_id']}").json()
    assert told["cancelled"] or told["state"] == "done"
    listed = client.get(BASE).json()["items"]
    assert job["job_id"] in {one["job_id"] for one in listed}
    ended = events(client, job["job_id"])[-1]
    assert ended == client.get(f"{BASE}/{job['job_id']}").json()
    assert client.delete(f"{BASE}/{job['job_id']}").json() == ended


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "", {"kind": "dance"}, 422),
        ("POST", "", {"kind": "index"}, 422),
        ("POST", "", {"kind": "index", "folder": "/no/such/folder"}, 422),
        ("POST", "", {"kind": "reindex", "folder": "/tmp"}, 422),
        ("GET", "/unknown", None, 404),
        ("GET", "/unknown/stream", None, 404),
        ("DELETE", "/unknown", None, 404),
    ],
)
def test_what_cannot_be_asked_is_a_problem(client, method, path, body, status) -> None:
    """In the one shape."""
    answer = client.request(method, BASE + path, json=body)
    assert answer.status_code == status
    assert {"code", "message", "hint"} == set(answer.json())
