"""What a server says of the errors that it put up with."""

from __future__ import annotations

import logging

import httpx

from saccade import trace

log = logging.getLogger("saccade.service.somewhere")


def test_errors_put_up_with_are_counted(client: httpx.Client) -> None:
    """By what was done and by kind, wherever they were raised."""
    for text in ("one", "two"):
        with trace.dropping(log, ValueError, doing="testing the metrics"):
            int(text)
    with trace.dropping(log, ValueError, doing="testing the metrics"):
        int("another place")
    client.get("/healthz")
    series = 'saccade_swallowed{doing="testing the metrics",error="ValueError"} 3.0'
    assert series in client.get("/metrics").text.splitlines()


def test_each_guard_is_told_apart(client: httpx.Client) -> None:
    """What is taught about another engine's candidates pays, or not, by a series of its own."""

    def told(series: str) -> float:
        lines = client.get("/metrics").text.splitlines()
        return float(next(line for line in lines if line.startswith(series)).rpartition(" ")[2])

    pictures, candidates = (
        f'saccade_guard_events{{guard="{name}"}}' for name in ("pictures", "candidates")
    )
    before = told(pictures), told(candidates)
    found = [{"id": name, "features": {"price": i}} for i, name in enumerate("abcd")]
    body = {"user": "measured", "candidates": found}
    page = client.post("/api/v1/rerank", json=body).json()["page_id"]
    marks = {"page_id": page, "liked": ["c"], "disliked": ["a"]}
    client.post("/api/v1/feedback", json=marks).raise_for_status()
    assert (told(pictures), told(candidates)) == (before[0], before[1] + 1)
    assert told('saccade_expert_loss{expert="plain",guard="candidates"}') > 0.0


def test_a_request_is_a_line_for_those_who_ask(client: httpx.Client, caplog) -> None:
    """Method, route, status and seconds, at the level of information."""
    caplog.set_level(logging.INFO, "saccade.service.metrics")
    client.get("/api/v1/schemes")
    client.get("/healthz")
    assert "request method=GET route=/api/v1/schemes status=200 seconds=" in caplog.text
