from __future__ import annotations

import io

import pytest
from PIL import Image

import saccade
from saccade.service.server import prepare
from servers import PATIENCE


def test_the_collection_is_listed_in_parts(client, ids):
    """Following `next` visits every picture once."""
    found, offset = [], 0
    while offset is not None and len(found) <= len(ids):
        part = client.get("/api/v1/images", params={"offset": offset, "limit": 10}).json()
        found += [item["image_id"] for item in part["items"]]
        assert part["total"] == len(ids)
        offset = part["next"]
    assert found == ids


def test_a_part_beyond_the_end_is_empty(client):
    """Too large an offset is no error."""
    part = client.get("/api/v1/images", params={"offset": 10_000}).json()
    assert part["items"] == []
    assert part["next"] is None


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 501}, {"offset": -1}, {"limit": "x"}])
def test_a_part_out_of_range_is_refused(client, query):
    """Limits are named."""
    answer = client.get("/api/v1/images", params=query)
    assert answer.status_code == 422
    assert next(iter(query)) in answer.json()["message"]


def test_a_sample_reaches_over_the_whole_collection(client, ids):
    """Nine pictures of 36 come one from each stretch of four, all different."""
    found = client.get("/api/v1/images/sample", params={"limit": 9, "seed": 4}).json()
    stretches = sorted(ids.index(item["image_id"]) // 4 for item in found)
    assert stretches == list(range(9))


@pytest.mark.parametrize("limit", [7, 16, 25, 35])
def test_a_sample_shows_nothing_twice(client, limit):
    """Also where the collection does not divide into equal stretches."""
    for seed in range(10):
        found = client.get("/api/v1/images/sample", params={"limit": limit, "seed": seed}).json()
        assert len({item["image_id"] for item in found}) == limit


def test_a_sample_depends_on_its_seed_alone(client):
    """The same seed gives the same pictures, another one others."""

    def draw(seed):
        return client.get("/api/v1/images/sample", params={"limit": 9, "seed": seed}).json()

    assert draw(1) == draw(1)
    assert draw(1) != draw(2)


def test_a_sample_is_never_larger_than_the_collection(client, ids):
    """Asking for more gives everything once."""
    found = client.get("/api/v1/images/sample", params={"limit": 200}).json()
    assert sorted(item["image_id"] for item in found) == sorted(ids)


def test_a_record_gives_size_and_paths(client, engine, ids):
    """Rows stay inside."""
    record = client.get(f"/api/v1/images/{ids[0]}").json()
    assert record["paths"] == list(engine.image(ids[0]).paths)
    assert set(record) == {
        "image_id",
        "stack",
        "width",
        "height",
        "paths",
        "taken",
        "camera",
        "external_id",
        "fields",
    }


def test_a_thumbnail_is_kept_by_the_browser(client, ids):
    """It comes as WebP with a lasting ETag, and a second request is answered 304 without a body."""
    first = client.get(f"/api/v1/images/{ids[0]}/thumb")
    assert first.headers["content-type"] == "image/webp"
    assert "max-age=31536000" in first.headers["cache-control"]
    assert Image.open(io.BytesIO(first.content)).format == "WEBP"
    known = {"If-None-Match": f'"other", W/{first.headers["etag"]}'}
    second = client.get(f"/api/v1/images/{ids[0]}/thumb", headers=known)
    assert second.status_code == 304
    assert second.content == b""


def test_the_original_comes_as_it_is(client, engine, ids):
    """Formats that browsers show are not touched."""
    answer = client.get(f"/api/v1/images/{ids[0]}/file")
    assert answer.content == engine.library.original(ids[0])
    assert answer.headers["content-type"] in ("image/jpeg", "image/png")
    known = {"If-None-Match": answer.headers["etag"]}
    assert client.get(f"/api/v1/images/{ids[0]}/file", headers=known).status_code == 304


@pytest.mark.parametrize("what", ["", "/thumb", "/file"])
def test_a_picture_that_is_not_there_is_not_found(client, what):
    """Whatever of it is asked for."""
    answer = client.get(f"/api/v1/images/{'f' * 32}{what}")
    assert answer.status_code == 404
    assert answer.json()["code"] == "not-found"


def test_tiff_is_turned_into_jpeg_and_a_lost_file_is_not_found(client, tmp_path, serving):
    """Browsers show no TIFF; a file that is gone gives a sentence, while its thumbnail stays.

    The thumbnail's longer side is 480 pixels.
    """
    import httpx

    folder = tmp_path / "scans"
    folder.mkdir()
    Image.new("RGB", (900, 700), (200, 40, 90)).save(folder / "scan.tif")
    with saccade.open(tmp_path / "scans.saccade") as engine:
        engine.add(folder, recipe="color-histogram", workers=1)
        name = engine.images(0, 1)[0].image_id
        with (
            serving(prepare(engine, port=0)) as url,
            httpx.Client(base_url=url, timeout=PATIENCE) as own,
        ):
            answer = own.get(f"/api/v1/images/{name}/file")
            assert answer.headers["content-type"] == "image/jpeg"
            picture = Image.open(io.BytesIO(answer.content))
            assert picture.size == (900, 700)
            assert picture.getpixel((450, 350))[0] > 180
            (folder / "scan.tif").unlink()
            lost = own.get(f"/api/v1/images/{name}/file")
            assert lost.status_code == 404
            assert "vanished" in lost.json()["message"]
            small = own.get(f"/api/v1/images/{name}/thumb")
            assert Image.open(io.BytesIO(small.content)).width == 480


def test_look_alikes_come_best_first(client, ids):
    """As many as asked for at most, with what it takes to show them; an unknown id is named."""
    found = client.get(f"/api/v1/images/{ids[0]}/neighbours", params={"limit": 4}).json()
    assert len(found) == 4
    likeness = [one["similarity"] for one in found]
    assert likeness == sorted(likeness, reverse=True)
    assert all(0 < value <= 1 for value in likeness)
    assert all(one["image_id"] in ids and one["width"] > 0 and one["path"] for one in found)
    missing = client.get("/api/v1/images/f00/neighbours")
    assert missing.status_code == 404
    assert "f00" in missing.json()["message"]


def test_links_are_shown_as_marks_have_bent_them(client, search, ids):
    """A map around a picture, its taught neighbours, and what was marked together with it."""
    page = search("uma")
    shown = [hit["image_id"] for hit in page["hits"]]
    body = {"page_id": page["page_id"], "liked": shown[5:7], "disliked": shown[:3]}
    assert client.post("/api/v1/feedback", json=body).status_code == 200
    asked = page["like"][0]
    whose = {"user": "uma", "taught": True, "limit": 50}
    taught = client.get(f"/api/v1/images/{asked}/neighbours", params=whose).json()
    evidence = {one["image_id"]: one["evidence"] for one in taught}
    assert all(evidence[image] > 0 for image in shown[5:7])
    around = client.get(f"/api/v1/images/{asked}/around", params={"user": "uma"}).json()
    assert around["middle"]["image_id"] == asked
    assert any(link["evidence"] > 0 for link in around["links"])
    together = client.get(f"/api/v1/images/{asked}/together", params={"user": "uma"}).json()
    assert (together["sessions"], together["days"]) == (1, 1)
    assert {*together["images"]} == {*shown[5:7]}
