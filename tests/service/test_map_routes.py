"""Maps and parts of pictures over HTTP."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import httpx
import numpy as np
import pytest
from PIL import Image

import discs
import saccade
from saccade.engine import Engine
from saccade.service.server import prepare
from servers import PATIENCE, running

BASE = "/api/v1"


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The discs, with positions."""
    place = tmp_path_factory.mktemp("discs")
    with saccade.open(place / "discs.saccade", warm=False) as engine:
        engine.add(discs.draw(place / "pictures"), recipe="embedding", workers=1)
        yield engine


@pytest.fixture(scope="module")
def seen(held: Engine) -> Iterator[httpx.Client]:
    """A program that talks to their server."""
    with (
        running(prepare(held, port=0)) as url,
        httpx.Client(base_url=url, timeout=PATIENCE) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def named(held: Engine) -> dict[str, str]:
    return {Path(one.paths[0]).stem: one.image_id for one in held.images()}


def test_what_counts_for_a_concept_is_a_veil_in_the_shape_of_the_picture(seen, named) -> None:
    """Clear on the disc, dark elsewhere; the numbers say where it is brightest."""
    for number in range(3):
        body = {"better": named[f"disc-{number}"], "worse": named[f"plain-{number}"], "user": "ana"}
        seen.post(f"{BASE}/concepts/folder:things/preferences", json=body)
    params = {"concept": "folder:things", "user": "ana"}
    told = seen.get(f"{BASE}/images/{named['disc-5']}/map", params=params).json()
    assert (told["about"], told["trusted"], len(told["brightest"])) == ("folder:things", True, 4)
    answer = seen.get(f"{BASE}/images/{named['disc-5']}/map.png", params=params)
    assert answer.headers["cache-control"] == "no-store"
    drawn = np.asarray(Image.open(io.BytesIO(answer.content)))
    assert drawn.shape == (72, 96, 4)
    assert drawn[:, :, :3].max() == 0
    assert drawn[:, :, 3].max() > drawn[:, :, 3].min() + 100


def test_what_counts_for_a_search_is_told(seen, named) -> None:
    """By the page; one that nobody knows is not found."""
    body = {"image_id": named["disc-0"], "user": "eve", "k": 12}
    page = seen.post(f"{BASE}/search", json=body).json()
    place = f"{BASE}/images/{page['hits'][1]['image_id']}/map"
    told = seen.get(place, params={"page": page["page_id"]}).json()
    assert told["about"] == "this search"
    assert seen.get(place, params={"page": "nobody's"}).status_code == 404


def test_a_map_no_better_than_chance_is_not_drawn(seen, named) -> None:
    """A picture of one pixel has nothing to show."""
    params = {"concept": "folder:things", "user": "ana"}
    answer = seen.get(f"{BASE}/images/{named['dot']}/map.png", params=params)
    assert (answer.status_code, answer.content) == (204, b"")


def test_a_map_is_of_something(seen, named) -> None:
    """One thing: neither none nor two."""
    for params in ({}, {"page": "x", "concept": "folder:things"}):
        answer = seen.get(f"{BASE}/images/{named['disc-0']}/map", params=params)
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid-input")


def test_a_store_without_positions_tells_why_and_draws_nothing(client, ids) -> None:
    """The reason is for whoever asks for the numbers."""
    name = client.get(f"{BASE}/concepts").json()["items"][0]["name"]
    params = {"concept": name}
    told = client.get(f"{BASE}/images/{ids[0]}/map", params=params)
    assert (told.status_code, told.json()["code"]) == (422, "no-map")
    drawn = client.get(f"{BASE}/images/{ids[0]}/map.png", params=params)
    assert drawn.status_code == 204


def test_a_part_of_a_picture_is_looked_for_at_once(seen, named, held) -> None:
    """By a box or a press, as JSON and as a form; each hit says where; the picture is not found."""
    body = {"image_id": named["disc-0"], "part": {"box": [0.2, 0.2, 0.9, 0.9]}, "k": 5}
    page = seen.post(f"{BASE}/search", json=body).json()
    assert page["hits"][0]["why"].keys() >= {"parts:match"}
    assert all(len(hit["match"]) == 4 for hit in page["hits"])
    assert named["disc-0"] not in {hit["image_id"] for hit in page["hits"]}
    pressed = {**body, "part": {"spot": [0.5, 0.5]}}
    assert len(seen.post(f"{BASE}/search", json=pressed).json()["hits"]) == 5
    files = {"image": held.library.original(named["disc-1"])}
    for part in ("0.1,0.1,0.6,0.6", '{"box": [0.1, 0.1, 0.6, 0.6]}', "0.5,0.5"):
        sent = seen.post(f"{BASE}/search", data={"part": part, "k": "5"}, files=files).json()
        assert sent["hits"][0]["why"].keys() >= {"parts:match"}
    both = {"box": [0.2, 0.2, 0.9, 0.9], "spot": [0.5, 0.5]}
    assert seen.post(f"{BASE}/search", json={**body, "part": both}).status_code == 422


def test_an_ordinary_hit_matches_nowhere(seen, named) -> None:
    """The field is empty where no part was asked for."""
    page = seen.post(f"{BASE}/search", json={"image_id": named["disc-0"], "k": 3}).json()
    assert {hit["match"] for hit in page["hits"]} == {None}
