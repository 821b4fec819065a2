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


def test_a_request_is_a_line_for_those_who_ask(client: httpx.Client, caplog) -> None:
    """Method, route, status and seconds, at the level of information."""
    caplog.set_level(logging.INFO, "saccade.service.metrics")
    client.get("/api/v1/schemes")
    client.get("/healthz")
    assert "request method=GET route=/api/v1/schemes status=200 seconds=" in caplog.text
