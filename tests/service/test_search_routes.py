from __future__ import annotations

from pathlib import Path

import pytest

SEARCH = "/api/v1/search"


def test_a_search_by_id_ranks_the_collection_without_the_query(search, ids):
    """A page holds the best first, and not the picture that was asked with."""
    page = search("ana")
    scores = [hit["score"] for hit in page["hits"]]
    assert len(scores) == 20
    assert scores == sorted(scores, reverse=True)
    assert ids[0] not in [hit["image_id"] for hit in page["hits"]]
    assert page["round"] == 0
    assert page["like"] == [ids[0]]


def test_the_parts_of_why_sum_to_the_score(search):
    """Every hit explains its whole score."""
    for hit in search("ana")["hits"]:
        assert sum(hit["why"].values()) == pytest.approx(hit["score"], abs=1e-5)


def test_an_upload_finds_itself_first(client, engine, ids):
    """A picture of the collection, uploaded, is the query and so left out; its id is recognised."""
    data = engine.library.original(ids[5])
    answer = client.post(SEARCH, files={"image": ("x.jpg", data)}, data={"k": "5", "user": "ana"})
    assert answer.status_code == 200
    assert answer.json()["like"] == [ids[5]]
    assert len(answer.json()["hits"]) == 5


def test_an_upload_takes_the_same_fields_as_json(client, engine, ids):
    """Lists repeat the field; numbers are read."""
    answer = client.post(
        SEARCH,
        files={"image": engine.library.original(ids[1])},
        data={"k": "3", "schemes": ["lbp:l1", "lbp:chi2"], "expert": "uniform", "like": [ids[2]]},
    )
    assert answer.status_code == 200, answer.text
    page = answer.json()
    assert page["expert"] == "uniform"
    assert set(page["hits"][0]["why"]) == {"lbp:l1", "lbp:chi2"}
    assert set(page["like"]) == {ids[1], ids[2]}


def test_signed_examples_leave_themselves_out(search, ids):
    """Pictures given as like are not among the answers."""
    page = search("ana", image_id=None, like=ids[1:3], unlike=ids[4:5], k=30)
    assert not set(ids[1:3]) & {hit["image_id"] for hit in page["hits"]}
    assert page["unlike"] == ids[4:5]


@pytest.mark.parametrize(
    ("fields", "status", "code", "word"),
    [
        ({"image_id": "0" * 32}, 404, "not-found", "0000"),
        ({"image_id": "/etc/passwd"}, 422, "invalid-input", "image_id"),
        ({"like": ["../secret.jpg"]}, 422, "invalid-input", "like"),
        ({"k": 0}, 422, "invalid-input", "k is 0"),
        ({"k": 1_000_000}, 422, "invalid-input", "1000000"),
        ({"k": "many"}, 422, "invalid-input", "k"),
        ({"schemes": ["lbp:chi3"]}, 422, "unknown-name", "chi2"),
        ({"expert": "unifrom"}, 422, "unknown-name", "uniform"),
        ({"user": " "}, 422, "invalid-input", "user"),
        ({"imageid": "x"}, 422, "invalid-input", "imageid"),
        ({"image_id": None}, 422, "invalid-input", "nothing to search with"),
        ({"verify": 5}, 422, "invalid-input", "words"),
        ({"verify": -1}, 422, "invalid-input", "verify"),
        ({"image_id": None, "text": "-boat"}, 422, "invalid-input", "not wanted"),
        ({"text": "boat", "schemes": ["lbp:l1"]}, 422, "invalid-input", "schemes of their own"),
        ({"image_id": None, "text": " "}, 422, "invalid-input", "text"),
    ],
)
def test_a_bad_field_is_named_in_one_sentence(client, ids, fields, status, code, word):
    """The answer names the field and what was wrong with it."""
    answer = client.post(SEARCH, json={"image_id": ids[0], **fields})
    assert answer.status_code == status, answer.text
    problem = answer.json()
    assert set(problem) == {"code", "message", "hint"}
    assert problem["code"] == code
    assert word in problem["message"]


def test_a_server_path_is_never_read(client, pictures: Path):
    """The engine takes paths in Python; over HTTP a path is no image id, not even a valid one."""
    path = str(next(pictures.rglob("*.jpg")))
    for body in ({"image_id": path}, {"like": [path]}, {"like": [path], "unlike": [path]}):
        answer = client.post(SEARCH, json=body)
        assert answer.status_code == 422
        assert answer.json()["code"] == "invalid-input"


@pytest.mark.parametrize("data", [b"", b"GIF89a", b"plain words", b"\xff\xd8\xff\xe0broken"])
def test_bytes_that_are_no_picture_are_refused(client, data):
    """An upload that is no image gets a sentence, not a traceback."""
    answer = client.post(SEARCH, files={"image": ("x.jpg", data)})
    assert answer.status_code == 422
    assert answer.json()["code"] == "not-an-image"


def test_a_form_without_a_picture_is_refused(client):
    """The file must be called `image`."""
    answer = client.post(SEARCH, files={"photo": b"x"}, data={"k": "3"})
    assert answer.status_code == 422
    assert "'image'" in answer.json()["message"]


def test_a_form_cannot_ask_with_two_pictures(client, engine, ids):
    """An upload and an id at once leave open which one is meant."""
    files = {"image": engine.library.original(ids[0])}
    answer = client.post(SEARCH, files=files, data={"image_id": ids[1]})
    assert answer.status_code == 422
    assert "both" in answer.json()["message"]


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [
        ("application/json", b"{nonsense", 422),
        ("application/json", b"[1, 2]", 422),
        ("text/plain", b'{"k": 3}', 415),
        ("application/x-www-form-urlencoded", b"k=3", 415),
        ("multipart/form-data", b"no boundary", 400),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(client, kind, body, status):
    """Every unreadable body gets the same shape of answer."""
    answer = client.post(SEARCH, content=body, headers={"Content-Type": kind})
    assert answer.status_code == status, answer.text
    assert set(answer.json()) == {"code", "message", "hint"}


def test_a_page_may_come_without_reasons(client, ids):
    """The same pictures in the same order, and nothing of why; marks answer so, too."""
    body = {"image_id": ids[0], "k": 10, "user": "brief"}
    whole, brief = (
        client.post("/api/v1/search", json=body, params=asked)
        for asked in ({}, {"explain": "false"})
    )
    assert len(brief.content) < len(whole.content)
    page, short = whole.json(), brief.json()
    assert [hit["image_id"] for hit in short["hits"]] == [hit["image_id"] for hit in page["hits"]]
    assert all(hit["why"] for hit in page["hits"])
    mark = {"page_id": short["page_id"], "liked": [short["hits"][0]["image_id"]]}
    answers = [brief]
    answers.append(client.post("/api/v1/feedback?explain=false", json=mark))
    answers.append(
        client.post("/api/v1/show?explain=false", json={"page_id": short["page_id"], "k": 5})
    )
    for answer in answers:
        assert answer.status_code == 200
        assert not any(hit["why"] for hit in answer.json()["hits"])
