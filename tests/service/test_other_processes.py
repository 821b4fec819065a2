"""A server and another process on one store: whatever that one commits, the next answer knows."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

import saccade
from saccade.service.server import prepare
from saccade.testbed.worlds import write
from servers import PATIENCE, running

Elsewhere = Callable[[str], str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures that a test may take away."""
    made = tmp_path_factory.mktemp("shared") / "pictures"
    write(made, images=18, seed=11, size=(120, 90))
    return made


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[tuple[httpx.Client, Elsewhere]]:
    """A server, and a way to run Python on its store in a process of its own."""
    place = folder.parent / "shared.saccade"
    with saccade.open(place) as engine:
        engine.add(folder, recipe="color-histogram,lbp", workers=1)
        with (
            running(prepare(engine, port=0)) as url,
            httpx.Client(base_url=url, timeout=PATIENCE) as client,
        ):

            def elsewhere(code: str) -> str:
                script = f"import saccade\nwith saccade.open({str(place)!r}) as engine:\n    {code}"
                done = subprocess.run(
                    [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE
                )
                assert done.returncode == 0, done.stderr
                return done.stdout.strip()

            yield client, elsewhere


def found(client: httpx.Client, **wanted: object) -> dict[str, object]:
    answer = client.post("/api/v1/search", json={"k": 10, **wanted})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_next_search_knows_what_was_taught_in_another_process(served) -> None:
    """Models and marks are looked up in the log each time, in whichever process they were made."""
    client, elsewhere = served
    image = client.get("/api/v1/images").json()["items"][0]["image_id"]
    page = found(client, image_id=image, user="ana")
    worst = page["hits"][-1]["image_id"]
    elsewhere(f"engine.react({page['page_id']!r}, liked=[{worst!r}])")
    again = client.post("/api/v1/show", json={"page_id": page["page_id"], "k": 10}).json()
    assert again["liked"] == [worst]
    assert again["hits"][0]["image_id"] == worst
    later = found(client, image_id=image, user="ana")
    assert int(later["model"]) > int(page["model"])
    assert later["liked"] == []  # a new session, though the same query


def test_a_page_of_another_process_can_be_judged_here(served) -> None:
    """Its session is in the log, not in the process that showed it."""
    client, elsewhere = served
    image = client.get("/api/v1/images").json()["items"][1]["image_id"]
    page = elsewhere(f"print(engine.search({image!r}, user='ben', k=5).page_id)")
    shown = client.post("/api/v1/show", json={"page_id": page, "k": 5}).json()["hits"]
    said = {"page_id": page, "liked": [shown[-1]["image_id"]]}
    judged = client.post("/api/v1/feedback", json=said)
    assert judged.json()["hits"][0]["image_id"] == shown[-1]["image_id"]


def test_the_next_search_knows_which_pictures_came_and_went(served, folder: Path) -> None:
    """One that left is neither shown nor taken as a query; one that came is found."""
    client, elsewhere = served
    items = client.get("/api/v1/images").json()["items"]
    asked, gone = items[2]["image_id"], items[3]
    assert gone["image_id"] in {
        hit["image_id"] for hit in found(client, image_id=asked, k=50)["hits"]
    }
    assert found(client, image_id=gone["image_id"])["searched"] == 18
    (gone_file,) = gone["paths"]
    Path(gone_file).rename(folder.parent / "kept aside.png")
    elsewhere(f"engine.add({str(folder)!r}, prune=True, workers=1)")
    page = found(client, image_id=asked, k=50)
    assert page["searched"] == 17
    assert gone["image_id"] not in {hit["image_id"] for hit in page["hits"]}
    refused = client.post("/api/v1/search", json={"image_id": gone["image_id"]})
    assert (refused.status_code, refused.json()["code"]) == (404, "not-found")
    (folder.parent / "kept aside.png").rename(gone_file)
    elsewhere(f"engine.add({str(folder)!r}, workers=1)")
    assert found(client, image_id=gone["image_id"], k=50)["searched"] == 18


def test_a_descriptor_that_another_process_adds_counts_from_the_next_search_on(
    served, folder
) -> None:
    """What follows from the columns, such as the weights before learning, is found out anew."""
    client, elsewhere = served
    image = client.get("/api/v1/images").json()["items"][0]["image_id"]
    found(client, image_id=image)
    elsewhere(f"engine.add({str(folder)!r}, recipe='+edge-directions', workers=1)")
    answer = client.post(
        "/api/v1/search", json={"image_id": image, "schemes": ["edge-directions:l1"]}
    )
    assert answer.status_code == 200, answer.text
    whole = found(client, image_id=image, user="new here", expert="uniform")
    assert any(name.startswith("edge-directions") for name in whole["hits"][0]["why"])
