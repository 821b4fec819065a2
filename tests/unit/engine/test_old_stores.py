"""A store made by the first version opens, searches, and replays to the digest it had then.

Every release must open it: the file is never made again.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from saccade.engine import Engine

FIXTURES = Path(__file__).parents[2] / "fixtures"
FACTS = json.loads((FIXTURES / "store-0.1.json").read_text())
WRITTEN = 1000020.0
"""When the newest event of it was written: pages nobody marked are kept for a month."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """The store, unpacked."""
    place = tmp_path / "old.saccade"
    with zipfile.ZipFile(FIXTURES / "store-0.1.zip") as packed:
        packed.extractall(place)
    return place


def test_an_old_store_replays_to_its_digest(old: Path) -> None:
    """Live from its snapshot and folded again from its log, the same bits as when it was made."""
    with Engine(old, warm=False) as engine:
        assert engine.digest == FACTS["digest"]
        assert engine.replay() == FACTS["digest"]
        assert engine.report().events == FACTS["events"]
        assert len(engine) == FACTS["images"]


def test_pages_of_an_old_store_can_be_judged(old: Path) -> None:
    """Stored queries, uploaded ones, and what was judged before are read from the old log."""
    with Engine(old, warm=False, clock=lambda: WRITTEN) as engine:
        ana = engine.show(FACTS["pages"]["ana"], k=6)
        assert (ana.round, len(ana.liked), len(ana.disliked)) == (2, 2, 1)
        bob = engine.show(FACTS["pages"]["bob"], k=6)
        after = engine.react(bob, liked=[bob.hits[1]], disliked=[bob.hits[0]])
        assert after.round == bob.round + 1
        assert engine.digest == engine.replay() != FACTS["digest"]


def test_an_old_profile_travels(old: Path) -> None:
    """What was exported from an old log is taken in again."""
    with Engine(old, warm=False) as engine:
        exported = json.loads(json.dumps(engine.export_profile("ana")))
        assert engine.import_profile("eva", exported) == len(exported["events"]) == 3
        assert engine.profile("eva").pairs == engine.profile("ana").pairs


def test_pages_of_an_old_store_leave_with_time(old: Path) -> None:
    """The queue that the first version did not have is made at opening; the digest stays."""
    with Engine(old, warm=False, clock=lambda: WRITTEN) as engine:
        assert engine.retention.report().pages == FACTS["events"]["shown"]
        assert engine.retention.change(days=0).pages == 0
        left = engine.report().events
        assert left["shown"] < FACTS["events"]["shown"]
        assert {**left, "shown": FACTS["events"]["shown"]} == FACTS["events"]
        assert engine.digest == engine.replay() == FACTS["digest"]
        engine.undo("ana")  # its page is there
