from __future__ import annotations

import pytest


def teach(client, search, user):
    page = search(user)
    shown = [hit["image_id"] for hit in page["hits"]]
    body = {"page_id": page["page_id"], "liked": shown[5:7], "disliked": shown[:3]}
    assert client.post("/api/v1/feedback", json=body).status_code == 200


def test_a_profile_counts_what_was_said(client, search):
    """Two liked over three disliked are six comparisons, all of them stated."""
    teach(client, search, "hana")
    profile = client.get("/api/v1/profiles/hana").json()
    assert profile["events"] == 1
    assert profile["pairs"] == profile["stated"] == 6
    assert 0 <= profile["learned_right"] <= 6
    assert 0 <= profile["plain_right"] <= 6
    assert set(profile["weights"]["lbp:l1"]) == {"shared", "own"}


def test_what_is_read_into_a_page_is_not_stated(client, search):
    """A single mark moves the order but measures nothing: there is nothing to compare it with."""
    page = search("lone")
    body = {"page_id": page["page_id"], "liked": [page["hits"][5]["image_id"]]}
    client.post("/api/v1/feedback", json=body)
    profile = client.get("/api/v1/profiles/lone").json()
    assert profile["pairs"] > 0
    assert (profile["stated"], profile["learned_right"], profile["plain_right"]) == (0, 0, 0)


def test_someone_new_has_an_empty_profile(client):
    """No feedback is no error."""
    profile = client.get("/api/v1/profiles/nobody yet").json()
    assert (profile["events"], profile["pairs"]) == (0, 0)


def test_events_are_listed_newest_first_and_undone_ones_marked(client, search):
    """Undo leaves a trace; the history says what still counts."""
    teach(client, search, "iris")
    teach(client, search, "iris")
    client.post("/api/v1/profiles/iris/undo")
    part = client.get("/api/v1/profiles/iris/events", params={"limit": 1}).json()
    assert (part["total"], part["next"]) == (2, 1)
    assert part["items"][0]["undone"] is True
    rest = client.get("/api/v1/profiles/iris/events", params={"offset": 1}).json()
    assert rest["items"][0]["undone"] is False
    assert rest["items"][0]["at"] <= part["items"][0]["at"]


def test_everyone_who_spoke_is_listed(client, search):
    """Names come in parts, like every list."""
    teach(client, search, "jo b. 2")
    listing = client.get("/api/v1/profiles", params={"limit": 500}).json()
    assert "jo b. 2" in listing["items"]
    assert listing["total"] == len(listing["items"])


def test_what_was_exported_can_be_taken_in(client, search):
    """A profile travels: the other one ends with the same counts."""
    teach(client, search, "kim")
    exported = client.get("/api/v1/profiles/kim/export").json()
    answer = client.post("/api/v1/profiles/kim the second/import", json=exported)
    assert answer.json() == {"user": "kim the second", "events": 1}
    assert client.get("/api/v1/profiles/kim the second").json()["pairs"] == 6


@pytest.mark.parametrize("body", [{}, {"saccade-profile": 1, "events": [{}]}, {"user": "x"}])
def test_a_profile_that_was_never_exported_is_refused(client, body):
    """Nothing is taken in from a damaged export."""
    answer = client.post("/api/v1/profiles/lea/import", json=body)
    assert answer.status_code == 422
    assert "profile" in answer.json()["message"]


def test_forgetting_removes_a_person(client, search):
    """Their events are gone and counted; a second time there is nobody to forget."""
    teach(client, search, "mia")
    assert client.delete("/api/v1/profiles/mia").json() == {"user": "mia", "events": 1}
    assert client.get("/api/v1/profiles/mia").json()["events"] == 0
    assert client.delete("/api/v1/profiles/mia").status_code == 404


@pytest.mark.parametrize("user", ["%00", "%0A", "x" * 101, "%E2%80%AE"])
def test_a_name_that_cannot_be_shown_is_refused(client, user):
    """A name has 1 to 100 printable characters."""
    answer = client.get(f"/api/v1/profiles/{user}")
    assert answer.status_code == 422
    assert answer.json()["code"] == "invalid-input"


def test_remembered_searches_are_listed_and_dropped(client, search):
    """Each with its marks, the newest first; the answer lists those that are left."""
    teach(client, search, "rosa")
    teach(client, search, "rosa")
    taught = client.get("/api/v1/profiles/rosa/taught").json()
    assert (taught["total"], client.get("/api/v1/profiles/rosa").json()["taught"]) == (2, 2)
    newest, oldest = taught["items"]
    assert newest["at"] >= oldest["at"]
    assert (len(newest["liked"]), len(newest["disliked"]), newest["saved"]) == (2, 3, False)
    assert (newest["word"], len(newest["asked"])) == ("", 1)
    left = client.delete(f"/api/v1/profiles/rosa/taught/{newest['session']}").json()
    assert [one["session"] for one in left["items"]] == [oldest["session"]]
    again = client.delete(f"/api/v1/profiles/rosa/taught/{newest['session']}")
    assert (again.status_code, again.json()["code"]) == (404, "not-found")
