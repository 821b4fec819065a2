"""Profiles between stores: a person's feedback as plain JSON values, out and in."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Mapping
from typing import Any

from saccade.engine.answers import Answer, AttributeCreated
from saccade.engine.events import Feedback, Record, feedback
from saccade.engine.learning.attributes import Attribute
from saccade.engine.learning.log import live_feedback, of_user
from saccade.errors import InvalidInput
from saccade.hints import Hint
from saccade.store import arrays as bundles
from saccade.store.events import Log

_EXPORT = Hint(
    "engine.export_profile(USER) makes one",
    command="`saccade profile export USER` writes one",
    http="GET /api/v1/profiles/{user}/export answers with one",
)
FORMAT = 1
MOST_EVENTS = 100_000
MOST_UNPACKED = 16 * 2**20
"""Bytes that one event's arrays may take; a page of feedback takes some thousands."""
MOST_ARRAYS = 64
MOST_SCHEMES = 1000
"""Of one profile, all together: each widens every model of the store."""
MOST_ITEMS = 10_000
"""In one list of an event; a page has no more pictures."""
MOST_ATTRIBUTES = 200
"""That a profile brings; a store keeps each for everybody."""
LONGEST = 200
"""Characters of a name."""


def export(log: Log, user: str, known: Mapping[str, Attribute]) -> dict[str, Any]:
    """A user's live feedback as plain JSON values, with the attributes that they spoke of."""
    lines, spoken = [], set()
    for entry in live_feedback(of_user(log, user)):
        lines.append({"at": entry.at, "kind": entry.kind, **_packed(entry.record)})
        if isinstance(entry.record, Answer):
            spoken.add(entry.record.attribute)
    made = [
        _packed(AttributeCreated(name, known[name].space)) for name in sorted(spoken & known.keys())
    ]
    more = {"attributes": made} if made else {}
    return {"saccade-profile": FORMAT, "user": user, "events": lines, **more}


def _packed(record: Record) -> dict[str, Any]:
    body, arrays = record.encode()
    packed = base64.b64encode(bundles.to_bytes(arrays)).decode("ascii")
    return {"body": body, "arrays": packed}


def attributes(data: Mapping[str, Any]) -> list[AttributeCreated]:
    """The attributes that an exported profile speaks of, checked."""
    lines = data.get("attributes", [])
    if not isinstance(lines, list) or len(lines) > MOST_ATTRIBUTES:
        raise InvalidInput("exported profile: its attributes are no list, or too long a one")
    found = []
    for number, line in enumerate(lines, 1):
        try:
            packed = base64.b64decode(line["arrays"], validate=True)
            _check_size(packed)
            made = AttributeCreated.decode(line["body"], bundles.from_bytes(packed))
            made.check()
        # Bytes from outside make readers of archives raise almost anything.
        except Exception as error:
            raise InvalidInput(
                f"exported profile: attribute {number} is damaged: {error}"
            ) from error
        found.append(made)
    return found


def _check_size(packed: bytes) -> None:
    """Before anything is unpacked: what an archive says it holds, and no reader goes beyond."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        inside = archive.infolist()
    total = sum(item.file_size for item in inside)
    if len(inside) > MOST_ARRAYS or total > MOST_UNPACKED:
        raise ValueError(f"{len(inside)} arrays that unpack to {total} bytes are too much")


def _check_plain(value: Any) -> None:
    """Whatever an event's body holds: names that can be shown, lists that are not too long."""
    if isinstance(value, str):
        if len(value) > LONGEST or not value.isprintable():
            raise ValueError(f"{value[:40]!r} is a name that cannot be shown")
    elif isinstance(value, Mapping | list):
        if len(value) > MOST_ITEMS:
            raise ValueError(f"a list of {len(value)} items is too long")
        for item in (*value, *value.values()) if isinstance(value, Mapping) else value:
            _check_plain(item)


def _parsed(line: Any, schemes: set[str]) -> Feedback:
    """One event of a profile; `schemes` are those of the whole of it."""
    body = line["body"]
    packed = base64.b64decode(line["arrays"], validate=True)
    _check_size(packed)
    _check_plain(body)
    schemes |= set(body.get("schemes", ()))
    if len(schemes) > MOST_SCHEMES:
        raise ValueError(f"the schemes of the profile are too many: over {MOST_SCHEMES}")
    arrays = bundles.from_bytes(packed)
    record = feedback(line["kind"], line["at"], body, arrays)
    strange = arrays.keys() - record.encode()[1].keys()
    if strange:
        raise ValueError(f"it has arrays that no such event has: {', '.join(sorted(strange)[:3])}")
    return record


def parse(data: Mapping[str, Any]) -> list[tuple[float, Feedback]]:
    """Check an exported profile as a whole, so that a bad one changes nothing."""
    if not isinstance(data, Mapping) or data.get("saccade-profile") != FORMAT:
        raise InvalidInput("this is no exported profile", hint=_EXPORT)
    events = data.get("events")
    if not isinstance(events, list):
        raise InvalidInput("exported profile: it has no list of events")
    if len(events) > MOST_EVENTS:
        raise InvalidInput(
            f"exported profile: {len(events)} events are more than {MOST_EVENTS}",
            hint="import it in parts",
        )
    records: list[tuple[float, Feedback]] = []
    schemes: set[str] = set()
    for number, line in enumerate(events, 1):
        try:
            record = _parsed(line, schemes)
        # Bytes from outside make readers of archives raise almost anything.
        except Exception as error:
            raise InvalidInput(f"exported profile: event {number} is damaged: {error}") from error
        records.append((float(line["at"]), record))
    return records
