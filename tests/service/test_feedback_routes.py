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
    moved = [hit["score"] - before[hit["image_id"]] for hit in after["hits"]]
    assert max(map(abs, moved)) > 0


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


def test_a_preference_brings_the_better_one_closer(client, search):
    """One pair is feedback too: the gap between the two shrinks."""
    page = search("dora")
    worse, better = page["hits"][0], page["hits"][10]
    body = {
        "page_id": page["page_id"],
        "better": better["image_id"],
        "worse": worse["image_id"],
    }
    after = client.post("/api/v1/preferences", json=body).json()
    score = {hit["image_id"]: hit["score"] for hit in after["hits"]}
    gap = score[worse["image_id"]] - score[better["image_id"]]
    assert gap < worse["score"] - better["score"]


def test_a_larger_k_gives_a_longer_page(client, search):
    """Feedback may ask for more pictures."""
    page = search("eve", k=5)
    body = {"page_id": page["page_id"], "liked": [names(page)[2]], "k": 30}
    assert len(client.post("/api/v1/feedback", json=body).json()["hits"]) == 30


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
