"""Attributes over HTTP."""

from __future__ import annotations

PLACE = "/api/v1/attributes"


def taught(client, ids, name, user="ana"):
    """An attribute with some answers: the earlier a picture, the more it has."""
    assert client.post(PLACE, json={"name": name}).status_code == 200
    for more, less in zip(ids[:6], ids[18:24], strict=True):
        body = {"more": more, "less": less, "user": user}
        answer = client.post(f"{PLACE}/{name}/comparisons", json=body)
        assert answer.status_code == 200, answer.text
    return answer.json()


def test_an_attribute_is_made_and_taught(client, ids):
    """The same verbs as in Python."""
    assert taught(client, ids, "early")["pairs"] == 6
    body = {"image_id": ids[0], "grade": 1, "user": "ana"}
    info = client.post(f"{PLACE}/early/labels", json=body).json()
    assert (info["points"], info["answers"], info["needs"], info["ready"]) == (1, 7, 13, True)
    body = {"more": ids[1], "less": ids[2], "alike": True, "user": "ana"}
    assert client.post(f"{PLACE}/early/comparisons", json=body).json()["answers"] == 8
    shown = client.get(f"{PLACE}/early", params={"user": "ana"}).json()
    assert 0.5 <= shown["sure"] <= 1.0
    most = client.get(f"{PLACE}/early/order", params={"user": "ana", "k": 5}).json()
    assert len(most) == 5
    assert most[0]["place"] == 1.0
    both = client.get(f"{PLACE}/early/order", params={"user": "ana", "end": "both"}).json()
    assert {hit["said"] for hit in both} == {1, None}
    asked = client.get(f"{PLACE}/early/question", params={"user": "ana", "seed": 3}).json()
    assert asked["first"]["image_id"] != asked["second"]["image_id"]
    assert client.post(f"{PLACE}/early/undo", params={"user": "ana"}).json()["answers"] == 7
    events = client.get("/api/v1/profiles/ana/events").json()["items"]
    assert {(e["kind"], e["attribute"]) for e in events} >= {("labelled", "early")}
    assert "early" in [one["name"] for one in client.get(PLACE).json()["items"]]


def test_who_puts_one_away_brings_it_back(client, ids):
    """For themselves alone: others still see it, and nothing taught is lost."""
    taught(client, ids, "away", "bob")
    mine = {"user": "ana"}
    said = {"image_id": ids[0], "grade": 1, **mine}
    assert client.post(f"{PLACE}/away/labels", json=said).json()["answers"] == 1
    left = client.delete(f"{PLACE}/away", params=mine).json()["items"]
    assert "away" not in [one["name"] for one in left]
    assert client.get(f"{PLACE}/away", params=mine).status_code == 404
    assert client.get(f"{PLACE}/away", params={"user": "bob"}).json()["answers"] == 6
    away = {**mine, "put_away": True}
    assert [one["name"] for one in client.get(PLACE, params=away).json()["items"]] == ["away"]
    assert client.post(f"{PLACE}/away/restore", params=mine).json()["answers"] == 1
    assert client.get(PLACE, params=away).json()["items"] == []
    twice = client.post(f"{PLACE}/away/restore", params=mine)
    assert (twice.status_code, twice.json()["code"]) == (409, "nothing-to-undo")


def test_a_search_asks_for_more(client, ids, search, engine):
    """Of a picture or of a place, in JSON and in a form."""
    taught(client, ids, "asked", "asker")
    scores = engine.attributes.scores("asked", user="asker")
    page = search("asker", k=36, where={"more": {"asked": ids[5]}})
    assert 0 < len(page["hits"]) < 34
    assert all(scores[hit["image_id"]] > scores[ids[5]] for hit in page["hits"])
    assert page["where"] == [{"more": {"asked": ids[5]}}]
    place = search("asker", k=36, where={"less": {"asked": 0.3}})
    form = {"user": "asker", "k": "36", "where": '{"less": {"asked": 0.3}}'}
    picture = {"image": engine.library.original(ids[0])}
    sent = client.post("/api/v1/search", data=form, files=picture)
    assert sent.status_code == 200, sent.text
    assert sent.json()["where"] == [{"less": {"asked": 0.3}}]
    both = [[hit["image_id"] for hit in one["hits"]] for one in (place, sent.json())]
    assert set(both[0]) == set(both[1]) - {ids[0]}
    preferred = search("asker", k=36, where={"less": {"asked": 0.3}, "prefer": True})
    assert len(preferred["hits"]) == 35
    for wrong in ({"asked": 1.5}, {"asked": "here"}):
        body = {"image_id": ids[0], "where": {"more": wrong}}
        assert client.post("/api/v1/search", json=body).status_code == 422
    client.delete(f"{PLACE}/asked", params={"user": "asker"})


def test_described_categories_are_told(client, ids):
    """By folders, or by the pictures given."""
    taught(client, ids, "told", "guest")
    described = {"x": ["told: high > x > low"]}
    body = {"described": described, "seen": {"high": ids[:6], "low": ids[18:24]}}
    found = client.post(f"{PLACE}/classify", json=body)
    assert found.status_code == 200, found.text
    assert found.json()["total"] == 24
    assert {one["category"] for one in found.json()["items"]} <= {"x", "high", "low"}
    body = {"described": {"x": ["told: nowhere > x"]}}
    wrong = client.post(f"{PLACE}/classify", json=body)
    assert (wrong.status_code, wrong.json()["code"]) == (422, "unknown-name")
    client.delete(f"{PLACE}/told")


def test_the_most_likely_come_first(client, ids, engine):
    """Of all that are told, also where only some of them are sent."""
    taught(client, ids, "sorted", "guest")
    seen = {"high": ids[:6], "low": ids[18:24]}
    body = {"described": {"x": ["sorted: high > x > low"]}, "seen": seen}
    every = [one.share for one in engine.attributes.classify(body["described"], seen=seen)]
    assert every != sorted(every, reverse=True)
    for limit in (5, 200):
        part = client.post(f"{PLACE}/classify", params={"limit": limit}, json=body).json()["items"]
        assert [one["share"] for one in part] == sorted(every, reverse=True)[:limit]
    client.delete(f"{PLACE}/sorted")


def test_problems_are_named(client, ids):
    """Each with its own status and sentence."""
    assert client.post(PLACE, json={"name": "a/b"}).status_code == 422
    assert client.post(PLACE, json={"name": "odd"}).status_code == 200
    assert client.post(PLACE, json={"name": "odd"}).status_code == 422
    few = client.get(f"{PLACE}/odd/order")
    assert (few.status_code, few.json()["code"]) == (409, "too-few-answers")
    assert "20 more answers" in few.json()["message"]
    same = {"more": ids[0], "less": ids[0]}
    assert client.post(f"{PLACE}/odd/comparisons", json=same).status_code == 422
    gone = {"image_id": "f" * 32, "grade": 1}
    assert client.post(f"{PLACE}/odd/labels", json=gone).status_code == 404
    assert client.post(f"{PLACE}/odd/labels", json={**gone, "grade": 1.5}).status_code == 422
    nothing = client.post(f"{PLACE}/odd/undo")
    assert (nothing.status_code, nothing.json()["code"]) == (409, "nothing-to-undo")
    client.delete(f"{PLACE}/odd")
