"""Profiles between stores: a person's feedback as plain JSON values, out and in.

    {"saccade-profile": 1, "user": …, "events": [event, …], CAPABILITY: [event, …], …}

Beside the person's own events, a capability may send along events that are nobody's and that theirs
mean nothing without: the space of an attribute, say.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from saccade.engine.events import ATTACHED, Entry, EventKinds, Feedback, Record
from saccade.engine.names import check_text
from saccade.errors import InvalidInput
from saccade.hints import Hint
from saccade.store import arrays as bundles
from saccade.types import Arrays, Spec

_EXPORT = Hint(
    "engine.people.export(USER) makes one",
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
MOST_ALONG = 200
"""Events that a capability sends along; a store keeps each for everybody."""
LONGEST = 200
"""Characters of a name."""

Parsed = TypeVar("Parsed")


def export(
    user: str, feedback: Iterable[Entry], along: Mapping[str, Iterable[Record]]
) -> dict[str, Any]:
    """A user's live feedback as plain JSON values, with what goes `along`, by capability."""
    sessions: dict[str, int] = {}
    lines = []
    for one in feedback:
        # Which events belong to one search is told, but not what that was called here.
        number = sessions.setdefault(one.session_id, len(sessions)) if one.session_id else None
        session = {} if number is None else {"session": number}
        lines.append({"at": one.at, "kind": one.kind, **session, **_packed(one.record)})
    further = {name: [_packed(record) for record in records] for name, records in along.items()}
    more = {name: records for name, records in further.items() if records}
    return {"saccade-profile": FORMAT, "user": user, "events": lines, **more}


class ImportedEvent(NamedTuple):
    """One event of an exported profile."""

    at: float
    record: Feedback
    session: str  # the same for all events of one search; empty where that is not told


def parse(data: Spec, kinds: EventKinds) -> list[ImportedEvent]:
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
    schemes: set[str] = set()
    records = _all("event", events, lambda line: (line, _own(line, kinds, schemes)))
    sessions = _sessions(events)
    return [
        ImportedEvent(float(line["at"]), record, sessions.get(line.get("session"), ""))
        for line, record in records
    ]


def parse_along(
    data: Spec,
    name: str,
    what: str,
    decode: Callable[[Spec, Arrays], Parsed],
) -> list[Parsed]:
    """What a capability sent along under its name, read and checked by its own `decode`."""
    lines = data.get(name, [])
    if not isinstance(lines, list) or len(lines) > MOST_ALONG:
        raise InvalidInput(f"exported profile: its {name} are no list, or too long a one")
    return _all(what, lines, lambda line: decode(line["body"], _arrays(line)))


def _all(what: str, lines: Iterable[Spec], read: Callable[[Spec], Parsed]) -> list[Parsed]:
    """Every line, read; an error says which one is damaged."""
    out = []
    for number, line in enumerate(lines, 1):
        try:
            out.append(read(line))
        # Bytes from outside make readers of archives raise almost anything.
        except Exception as error:
            raise InvalidInput(f"exported profile: {what} {number} is damaged: {error}") from error
    return out


def _sessions(lines: Iterable[Spec]) -> dict[int | None, str]:
    """A name for each search of a profile, by what was said in it.

    So a profile that is taken in twice has its searches once.
    """
    hashes: dict[int | None, hashlib.blake2b] = {}
    for line in lines:
        number = line.get("session")
        if number is not None:
            mark = hashes.setdefault(number, hashlib.blake2b(digest_size=16))
            mark.update(json.dumps(line, sort_keys=True).encode())
    return {number: mark.hexdigest() for number, mark in hashes.items()}


def _own(line: Spec, kinds: EventKinds, schemes: set[str]) -> Feedback:
    """One event of the person; `schemes` are those of the whole profile."""
    session = line.get("session")
    if session is not None and (not isinstance(session, int) or isinstance(session, bool)):
        raise ValueError(f"its session is {session!r}, and no number")
    body, arrays = line["body"], _arrays(line)
    _check_plain(body)
    schemes |= set(body.get("schemes", ()))
    if len(schemes) > MOST_SCHEMES:
        raise ValueError(f"the schemes of the profile are too many: over {MOST_SCHEMES}")
    record = kinds.imported(line["kind"], line["at"], body, arrays)
    strange = arrays.keys() - record.encode()[1].keys()
    if strange:
        raise ValueError(f"it has arrays that no such event has: {', '.join(sorted(strange)[:3])}")
    return record


def _packed(record: Record) -> dict[str, Any]:
    body, arrays = record.encode()
    # What capabilities attached is about a page of this collection, and is left here.
    body.pop(ATTACHED, None)
    own = {name: array for name, array in arrays.items() if not name.startswith(f"{ATTACHED}/")}
    return {"body": body, "arrays": base64.b64encode(bundles.to_bytes(own)).decode("ascii")}


def _arrays(line: Spec) -> Arrays:
    packed = base64.b64decode(line["arrays"], validate=True)
    _check_size(packed)
    return bundles.from_bytes(packed)


def _check_size(packed: bytes) -> None:
    """Before anything is unpacked: what an archive says it holds, and no reader goes beyond."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        inside = archive.infolist()
    total = sum(item.file_size for item in inside)
    if len(inside) > MOST_ARRAYS or total > MOST_UNPACKED:
        raise ValueError(f"{len(inside)} arrays that unpack to {total} bytes are too much")


def _check_plain(value: object) -> None:
    """Whatever an event's body holds: names that can be shown, lists that are not too long."""
    if isinstance(value, str):
        check_text(value, LONGEST)
    elif isinstance(value, Mapping | list):
        if len(value) > MOST_ITEMS:
            raise ValueError(f"a list of {len(value)} items is too long")
        for item in (*value, *value.values()) if isinstance(value, Mapping) else value:
            _check_plain(item)
