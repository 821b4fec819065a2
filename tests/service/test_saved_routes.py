"""Saved searches and the guard's numbers over HTTP."""

from __future__ import annotations


def test_a_search_is_saved_opened_and_given_up(client, search):
    """The same four verbs as in Python."""
    page = search("saver ana", k=9)
    liked = page["hits"][2]["image_id"]
    body = {"page_id": page["page_id"], "liked": [liked]}
    assert client.post("/api/v1/feedback", json=body).json()["leading"]
    place = "/api/v1/profiles/saver ana/saved"
    body = {"page_id": page["page_id"], "name": "blue sky"}
    assert client.post(place, json=body).json()["liked"] == [liked]
    assert [one["name"] for one in client.get(place).json()["items"]] == ["blue sky"]
    opened = client.post(f"{place}/blue sky/open", params={"k": 5}).json()
    assert (opened["session"], opened["liked"], len(opened["hits"])) == (
        page["session"], [liked], 5,
    )  # fmt: skip
    assert client.delete(f"{place}/blue sky").json()["items"] == []
    assert client.post(f"{place}/blue sky/open").status_code == 404


def test_marks_come_off_and_undo_keeps_to_its_page(client, search):
    """`cleared` and the page of an undo travel."""
    page = search("saver bob", k=9)
    one, two = (hit["image_id"] for hit in page["hits"][:2])
    body = {"page_id": page["page_id"], "liked": [one], "disliked": [two]}
    page = client.post("/api/v1/feedback", json=body).json()
    body = {"page_id": page["page_id"], "cleared": [one]}
    page = client.post("/api/v1/feedback", json=body).json()
    assert (page["liked"], page["disliked"]) == ([], [two])
    place = "/api/v1/profiles/saver bob/undo"
    undone = client.post(place, params={"page": page["page_id"]}).json()
    assert undone["cleared"] == [one]
    assert undone["page"]["liked"] == [one]
    assert client.post(place, params={"page": "0" * 32}).status_code == 404


def test_the_guards_numbers_are_told(client, search):
    """By the profile of a person, and over all in the metrics."""
    page = search("saver eva", k=9)
    shown = [hit["image_id"] for hit in page["hits"]]
    body = {"page_id": page["page_id"], "liked": shown[-2:], "disliked": shown[:2]}
    client.post("/api/v1/feedback", json=body)
    guard = client.get("/api/v1/profiles/saver eva").json()["guard"]
    assert (guard["events"], guard["served"], guard["pays"]) == (1, 1.0, False)
    assert {"plain", "learned"} <= {line["expert"] for line in guard["experts"]}
    text = client.get("/metrics").text
    assert 'saccade_expert_loss{expert="plain",guard="pictures"}' in text
    assert 'saccade_learning_pays{guard="pictures"} 0.0' in text
