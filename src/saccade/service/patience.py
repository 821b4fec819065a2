"""A connection that waits for its client, but not for ever.

uvicorn waits without end for the rest of a header and, after an early answer, for that of a body. A
few hundred clients that send a byte a minute would hold every connection there is.

    header   from the first byte (or the connection) to its end: `HEADER_SECONDS`
    rest     of a body whose answer is out already: `REST_SECONDS`

The body of a request under way is watched by the gate, which knows who waits for whom.
"""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class PatientProtocol(H11Protocol):
    """HTTP/1.1 with an end to waiting."""

    HEADER_SECONDS = 20.0
    REST_SECONDS = 10.0

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for a request."""
        super().connection_made(transport)
        self._wait(self.HEADER_SECONDS)

    def data_received(self, data: bytes) -> None:
        """Take in what came; a header that is not whole yet has its time from its first byte."""
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            if self.cycle is None or not self.cycle.response_complete:
                self._stop_waiting()
        elif self._timer is None:
            self._wait_for_the_rest_of_a_header()

    def on_response_complete(self) -> None:
        """The answer is out: what is left of the body may follow, but soon."""
        super().on_response_complete()
        self._stop_waiting()
        if self.conn.their_state is h11.SEND_BODY:
            self._wait(self.REST_SECONDS)
        elif self.conn.their_state is h11.IDLE:
            self._wait_for_the_rest_of_a_header()

    def connection_lost(self, exc: Exception | None) -> None:
        """There is nobody left to wait for."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_the_rest_of_a_header(self) -> None:
        if self.conn.trailing_data[0]:
            self._wait(self.HEADER_SECONDS)

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
