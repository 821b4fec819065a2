from __future__ import annotations


def names(page):
    return [hit["image_id"] for hit in page["hits"]]


def test_feedback_ranks_the_page_anew_and_remembers(client, search):
    """Marks come back with the next round of the same session, and the scores have moved."""
    page = search("bea")
    shown = names(page)
    answer = client.post(
        "/api/v1/feedback",
        json={"page_id": page["page_id"], "liked": shown[9:10], "disliked": shown[:2]},
    )
    assert answer.status_code == 200, answer.text
    after = answer.json()
    assert after["session"] == page["session"]
    assert after["round"] == page["round"] + 1
    assert after["liked"] == shown[9:10]
    assert after["disliked"] == sorted(shown[:2])
    before = {hit["image_id"]: hit["score"] for hit in page["hits"]}
    after = {hit["image_id"]: hit["score"] for hit in after["hits"]}
    both = before.keys() & after.keys()
    assert len(both) > 10
    assert {name: before[name] for name in both} != {name: after[name] for name in both}


def test_undo_brings_the_page_back_exactly(client, search):
    """After undo every score is as it was."""
    page = search("cleo")
    shown = names(page)
    client.post("/api/v1/feedback", json={"page_id": page["page_id"], "liked": shown[-1:]})
    undone = client.post("/api/v1/profiles/cleo/undo").json()
    assert undone["liked"] == shown[-1:]
    assert undone["page"]["hits"] == page["hits"]
    assert undone["page"]["round"] == page["round"]
    assert client.post("/api/v1/profiles/cleo/undo").status_code == 409


def test_a_preference_is_learned_from(client, search):
    """One pair is feedback too: it counts as stated, and moves the person's own weights."""
    page = search("dora")
    worse, better = page["hits"][0], page["hits"][10]
    body = {
        "page_id": page["page_id"],
        "better": better["image_id"],
        "worse": worse["image_id"],
        "k": 15,
    }
    after = client.post("/api/v1/preferences", json=body).json()
    assert after["round"] == page["round"] + 1
    assert len(after["hits"]) == 15
    assert after["preferred"] == [[better["image_id"], worse["image_id"]]]
    profile = client.get("/api/v1/profiles/dora").json()
    assert (profile["pairs"], profile["stated"]) == (1, 1)
    assert any(weight["own"] != 0.0 for weight in profile["weights"].values())


def test_a_larger_k_gives_a_longer_page(client, search):
    """Feedback may ask for more pictures."""
    page = search("eve", k=5)
    body = {"page_id": page["page_id"], "liked": [names(page)[2]], "k": 30}
    assert len(client.post("/api/v1/feedback", json=body).json()["hits"]) == 30


def test_a_page_can_be_shown_longer_with_its_marks(client, search):
    """The same round and order with more pictures, each of which can be judged."""
    page = search("ella", k=5)
    body = {"page_id": page["page_id"], "liked": [names(page)[2]], "disliked": [names(page)[0]]}
    judged = client.post("/api/v1/feedback", json=body).json()
    answer = client.post("/api/v1/show", json={"page_id": judged["page_id"], "k": 30})
    assert answer.status_code == 200, answer.text
    longer = answer.json()
    assert len(longer["hits"]) == 30
    assert names(longer)[:5] == names(judged)
    for field in ("session", "round", "liked", "disliked", "user"):
        assert longer[field] == judged[field]
    body = {"page_id": longer["page_id"], "liked": [names(longer)[29]]}
    assert client.post("/api/v1/feedback", json=body).json()["round"] == longer["round"] + 1


def test_a_longer_page_must_be_one_that_was_shown(client, search):
    """An unknown page is not found, and the engine's limits hold."""
    answer = client.post("/api/v1/show", json={"page_id": "0" * 32, "k": 3})
    assert answer.status_code == 404
    assert answer.json()["code"] == "not-found"
    known = search("ella", k=5)["page_id"]
    answer = client.post("/api/v1/show", json={"page_id": known, "k": 0})
    assert answer.status_code == 422
    assert "k is 0" in answer.json()["message"]


def test_feedback_on_a_picture_that_was_not_shown_is_refused(client, search, ids):
    """One can only judge what one saw."""
    page = search("fay", k=3)
    hidden = next(name for name in ids if name not in names(page))
    body = {"page_id": page["page_id"], "liked": [hidden]}
    answer = client.post("/api/v1/feedback", json=body)
    assert answer.status_code == 422
    assert answer.json()["code"] == "not-shown"


def test_feedback_on_an_unknown_page_is_not_found(client):
    """A page that no search made cannot be judged."""
    answer = client.post("/api/v1/feedback", json={"page_id": "0" * 32, "liked": []})
    assert answer.status_code == 404


def test_liked_and_disliked_at_once_is_refused(client, search):
    """A contradiction teaches nothing."""
    page = search("gia", k=3)
    same = names(page)[:1]
    body = {"page_id": page["page_id"], "liked": same, "disliked": same}
    answer = client.post("/api/v1/feedback", json=body)
    assert answer.status_code == 422
    assert "both" in answer.json()["message"]
