"""Typed words over HTTP: searches, suggestions, what a picture shows, what a person taught."""

from __future__ import annotations

import httpx
import pytest

NONSENSE = "xqzzyv"


def asked(client: httpx.Client, **fields: object) -> httpx.Response:
    return client.post("/api/v1/search", json={"k": 36, **fields})


def test_words_find_pictures(client: httpx.Client) -> None:
    """A folder's name is a word; the page says how it was read."""
    page = asked(client, text="harbours").json()
    assert "harbour" in page["hits"][0]["path"]
    assert [(term["word"], term["how"]) for term in page["terms"]] == [("harbour", "name")]
    assert sum(page["hits"][0]["why"].values()) == pytest.approx(page["hits"][0]["score"])


def test_a_word_that_nobody_knows_is_answered(client: httpx.Client) -> None:
    """200, no pictures, the word as unknown and others to take."""
    answer = asked(client, text="elefant")
    assert answer.status_code == 200
    page = answer.json()
    assert (page["hits"], page["unknown"]) == ([], ["elefant"])
    assert "elephant" in page["offered"]


def test_a_word_is_taught_with_a_picture(client: httpx.Client, ids: list[str]) -> None:
    """Text and picture together are one query; the next search for the word begins there."""
    page = asked(client, text=NONSENSE, image_id=ids[0], user="teacher").json()
    assert page["unknown"] == [NONSENSE]
    right = page["hits"][0]["image_id"]
    body = {"page_id": page["page_id"], "liked": [right]}
    assert client.post("/api/v1/feedback", json=body).status_code == 200
    again = asked(client, text=NONSENSE, user="teacher").json()
    assert {hit["image_id"] for hit in again["hits"][:2]} == {right, ids[0]}
    assert (again["unknown"], again["taught"]) == ([], 2)
    (word,) = client.get("/api/v1/profiles/teacher/words").json()["items"]
    assert (word["word"], sorted(word["liked"])) == (NONSENSE, sorted([right, ids[0]]))
    assert asked(client, text=NONSENSE, user="stranger").json()["hits"] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty text"),
        ("the and of", "nothing to look for"),
        ("-harbour", "only says what is not wanted"),
        ("x" * 10_000, "at most"),
        ("a\u0000b", "control characters"),
        ('"""', "nothing to look for"),
    ],
)
def test_what_cannot_be_looked_for_is_refused(
    client: httpx.Client, text: str, message: str
) -> None:
    """With a sentence that says why."""
    answer = asked(client, text=text)
    assert answer.status_code == 422
    assert message in str(answer.json())


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE images; --", "🦩🦩", "собака", "犬", "a" * 500, "%s%n{0}", "<b>"]
)
def test_no_text_is_an_accident(client: httpx.Client, text: str) -> None:
    """Other scripts, signs and code are words that nobody knows yet."""
    answer = asked(client, text=text)
    assert answer.status_code == 200
    assert answer.json()["unknown"]


def test_suggestions_are_a_list(client: httpx.Client) -> None:
    """Each with what it is and how many pictures that means."""
    found = client.get("/api/v1/suggest", params={"q": "harb"}).json()
    assert {"text": "harbour", "sort": "folder", "count": 2} in found
    untyped = client.get("/api/v1/suggest", params={"user": "nobody yet"}).json()
    assert "folder" in {one["sort"] for one in untyped}
    assert client.get("/api/v1/suggest", params={"q": "x" * 101}).status_code == 422


def test_a_picture_without_an_embedding_has_no_words(client: httpx.Client, ids: list[str]) -> None:
    """An empty list; a picture that is not there is not found."""
    assert client.get(f"/api/v1/images/{ids[0]}/words").json() == []
    assert client.get(f"/api/v1/images/{'0' * 32}/words").status_code == 404
