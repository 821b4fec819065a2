"""How often somebody may ask: a bucket each that fills by so many requests a second.

    tokens(t) = min(burst, tokens + rate · Δt)        a request takes one; without one it waits

Each process counts for itself. Who was not seen for long leaves, so that strangers do not fill it.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from saccade.errors import InvalidInput

MOST = 10_000
"""Askers that are remembered."""
BURST = 2.0
"""Seconds' worth that may be asked at once."""


class Rates:
    """The buckets of one server; None of a rate lets everybody ask as often as they like."""

    def __init__(
        self, rate: float | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        if rate is not None and not 0.01 <= rate <= 1e6:
            raise InvalidInput(f"{rate!r} requests a second is no limit: from 0.01 up")
        self._rate, self._clock = rate, clock
        self._full = max(1.0, BURST * (rate or 0.0))
        self._held: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and when

    def wait(self, asker: str) -> float:
        """Take one; returns how many seconds to wait for it, 0 where there was one.

        >>> now = [0.0]
        >>> rates = Rates(1.0, clock=lambda: now[0])
        >>> [rates.wait("ana") for _ in range(3)]
        [0.0, 0.0, 1.0]
        >>> rates.wait("bob")
        0.0
        >>> now[0] = 1.0
        >>> rates.wait("ana")
        0.0
        """
        if self._rate is None:
            return 0.0
        now = self._clock()
        left, at = self._held.pop(asker, (self._full, now))
        left = min(self._full, left + self._rate * (now - at))
        short = max(0.0, 1.0 - left)
        self._held[asker] = (left if short else left - 1.0, now)
        if len(self._held) > MOST:
            self._held.popitem(last=False)
        return short / self._rate
