"""Profiles between stores: a person's feedback as plain JSON values, out and in."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Mapping
from typing import Any

from saccade.engine.events import Feedback, feedback
from saccade.engine.learning.log import live_feedback, of_user
from saccade.errors import InvalidInput
from saccade.store import arrays as bundles
from saccade.store.events import Log

FORMAT = 1
MOST_EVENTS = 100_000
MOST_UNPACKED = 16 * 2**20
"""Bytes that one event's arrays may take; a page of feedback takes some thousands."""
MOST_ARRAYS = 64
MOST_SCHEMES = 1000


def export(log: Log, user: str) -> dict[str, Any]:
    """A user's live feedback as plain JSON values."""
    lines = []
    for entry in live_feedback(of_user(log, user)):
        body, arrays = entry.record.encode()
        packed = base64.b64encode(bundles.to_bytes(arrays)).decode("ascii")
        lines.append({"at": entry.at, "kind": entry.kind, "body": body, "arrays": packed})
    return {"saccade-profile": FORMAT, "user": user, "events": lines}


def _check_size(packed: bytes) -> None:
    """Before anything is unpacked: what an archive says it holds, and no reader goes beyond."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        inside = archive.infolist()
    total = sum(item.file_size for item in inside)
    if len(inside) > MOST_ARRAYS or total > MOST_UNPACKED:
        raise ValueError(f"{len(inside)} arrays that unpack to {total} bytes are too much")


def _check_names(names: Any) -> None:
    if len(names) > MOST_SCHEMES or not all(n.isprintable() and len(n) <= 200 for n in names):
        raise ValueError("its schemes are too many, or have names that cannot be shown")


def parse(data: Mapping[str, Any]) -> list[tuple[float, Feedback]]:
    """Check an exported profile as a whole, so that a bad one changes nothing."""
    if not isinstance(data, Mapping) or data.get("saccade-profile") != FORMAT:
        raise InvalidInput(
            "this is no exported profile", hint="`saccade profile export USER` writes one"
        )
    events = data.get("events")
    if not isinstance(events, list):
        raise InvalidInput("exported profile: it has no list of events")
    if len(events) > MOST_EVENTS:
        raise InvalidInput(
            f"exported profile: {len(events)} events are more than {MOST_EVENTS}",
            hint="import it in parts",
        )
    records = []
    for number, line in enumerate(events, 1):
        try:
            packed = base64.b64decode(line["arrays"], validate=True)
            _check_size(packed)
            _check_names(line["body"].get("schemes", ()))
            arrays = bundles.from_bytes(packed)
            record = feedback(line["kind"], line["at"], line["body"], arrays)
        # Bytes from outside make readers of archives raise almost anything.
        except Exception as error:
            raise InvalidInput(f"exported profile: event {number} is damaged: {error}") from error
        records.append((float(line["at"]), record))
    return records
