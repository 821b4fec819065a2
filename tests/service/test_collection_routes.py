from __future__ import annotations

import httpx
from PIL import Image

import saccade
from saccade.service.server import prepare
from servers import PATIENCE, running


def test_the_collection_says_what_was_left_out(client, ids):
    """The file that is no picture is listed with its reason."""
    found = client.get("/api/v1/collection").json()
    assert found["images"] == len(ids)
    assert found["descriptors"] == ["color-histogram", "lbp"]
    assert found["skipped"]["total"] == 1
    skipped = found["skipped"]["items"][0]
    assert skipped["path"].endswith("notes.jpg")
    assert skipped["reason"]


def test_a_file_that_went_is_listed_until_it_is_pruned(tmp_path):
    """A folder that is away as a whole is one line."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for name, shade in (("a", 20), ("b", 90)):
        Image.new("RGB", (32, 24), (shade, 40, 60)).save(folder / f"{name}.png")
    with saccade.open(tmp_path / "gone.saccade", warm=False) as engine:
        engine.add(folder, recipe="color-histogram", workers=1)
        assert engine.library.gone() == ()
        (folder / "a.png").unlink()
        assert [one.path for one in engine.library.gone()] == [str(folder / "a.png")]
        with running(prepare(engine, port=0)) as address:
            found = httpx.get(f"{address}/api/v1/collection/gone", timeout=PATIENCE).json()
        assert (found["total"], found["items"][0]["reason"]) == (1, "the file is gone")
        assert len(engine) == 2
        engine.library.refresh(prune=True)
        assert (engine.library.gone(), len(engine)) == ((), 1)
        folder.rename(tmp_path / "elsewhere")
        assert [one.path for one in engine.library.gone()] == [str(folder)]


def test_schemes_have_kind_and_weight(client):
    """Every scheme says how people group it."""
    listing = client.get("/api/v1/schemes").json()
    kinds = {item["descriptor"]: item["kind"] for item in listing["items"]}
    assert kinds == {"color-histogram": "colour", "lbp": "texture"}
    # Two descriptors × four similarities, what spreads, and who keeps the same company.
    assert listing["total"] == len(listing["items"]) == 10


def test_health_says_how_many_pictures(client, ids):
    """A probe needs no more."""
    assert client.get("/healthz").json()["images"] == len(ids)


def test_metrics_count_requests_by_route_and_events_by_kind(client, search, ids):
    """A picture's address is one series, however many pictures there are."""
    page = search("nora")
    liked = [page["hits"][3]["image_id"]]
    client.post("/api/v1/feedback", json={"page_id": page["page_id"], "liked": liked})
    for name in ids[:3]:
        client.get(f"/api/v1/images/{name}/thumb")
    client.get("/nowhere")
    text = client.get("/metrics").text
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    thumbs = 'method="GET",route="/api/v1/images/{image_id}/thumb"'
    assert float(lines[f'saccade_requests_total{{{thumbs},status="200"}}']) >= 3
    assert float(lines[f"saccade_request_seconds_count{{{thumbs}}}"]) >= 3
    assert float(lines['saccade_requests_total{method="GET",route="unknown",status="404"}']) >= 1
    assert float(lines["saccade_images"]) == len(ids)
    assert float(lines['saccade_events{kind="reacted"}']) >= 1


def test_two_apps_in_one_process_count_apart(engine, client):
    """Nothing is global: a second app starts from zero."""
    from saccade.service.app import create_app

    client.get("/healthz")
    assert b'route="/healthz"' not in create_app(engine).state.metrics.text()
