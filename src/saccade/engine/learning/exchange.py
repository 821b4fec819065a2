"""Profiles between stores: a person's feedback as plain JSON values, out and in."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from saccade.engine.events import Feedback, feedback
from saccade.engine.learning.log import live_feedback, of_user
from saccade.errors import InvalidInput
from saccade.store import arrays as bundles
from saccade.store.events import Log

FORMAT = 1


def export(log: Log, user: str) -> dict[str, Any]:
    """A user's live feedback as plain JSON values."""
    lines = []
    for entry in live_feedback(of_user(log, user)):
        body, arrays = entry.record.encode()
        packed = base64.b64encode(bundles.to_bytes(arrays)).decode("ascii")
        lines.append({"at": entry.at, "kind": entry.kind, "body": body, "arrays": packed})
    return {"saccade-profile": FORMAT, "user": user, "events": lines}


def parse(data: Mapping[str, Any]) -> list[tuple[float, Feedback]]:
    """Check an exported profile as a whole, so that a bad one changes nothing."""
    if not isinstance(data, Mapping) or data.get("saccade-profile") != FORMAT:
        raise InvalidInput(
            "this is no exported profile", hint="`saccade profile export USER` writes one"
        )
    events = data.get("events")
    if not isinstance(events, list):
        raise InvalidInput("exported profile: it has no list of events")
    records = []
    for number, line in enumerate(events, 1):
        try:
            arrays = bundles.from_bytes(base64.b64decode(line["arrays"], validate=True))
            record = feedback(line["kind"], line["at"], line["body"], arrays)
        # Bytes from outside make readers of archives raise almost anything.
        except Exception as error:
            raise InvalidInput(f"exported profile: event {number} is damaged: {error}") from error
        records.append((float(line["at"]), record))
    return records
