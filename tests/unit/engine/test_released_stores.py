"""Stores of every released format open, search and replay to the digest that they had.

The files are made once a format (`tests/fixtures/make_store.py`) and never again; what a format
came to hold since is in a further one.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from saccade.engine import Engine
from saccade.engine.capabilities import CAPABILITIES
from saccade.engine.loop.capability import tables
from saccade.store.formats import FORMAT

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEPT = sorted(FIXTURES.glob("store-*.zip"))


class Kept(NamedTuple):
    """A store of a release, open, and what was true of it when it was made."""

    engine: Engine
    facts: dict[str, Any]


@pytest.fixture(params=KEPT, ids=lambda file: file.stem)
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Kept]:
    """Each of them, unpacked, on the day it was made: pages nobody marked go after a month."""
    place = tmp_path / "kept.saccade"
    with zipfile.ZipFile(request.param) as packed:
        packed.extractall(place)
    facts = json.loads(request.param.with_suffix(".json").read_text())
    with Engine(place, warm=False, clock=lambda: facts["written"]) as engine:
        yield Kept(engine, facts)


def test_the_format_of_today_is_kept_with_every_kind_of_event() -> None:
    """So that the next format meets one of each."""
    of_today = [*FIXTURES.glob(f"store-{FORMAT}.json"), *FIXTURES.glob(f"store-{FORMAT}-*.json")]
    kinds = {kind for file in of_today for kind in json.loads(file.read_text())["events"]}
    assert kinds == set(tables(CAPABILITIES).kinds.records)


def test_it_replays_to_its_digest(kept: Kept) -> None:
    """Live from its snapshot and folded again from its log, the same bits as when it was made."""
    engine, facts = kept
    assert engine.digest == facts["digest"]
    assert engine.replay() == facts["digest"]
    assert engine.library.report().events == facts["events"]
    assert (len(engine), list(engine.people.list())) == (facts["images"], facts["people"])


def test_nothing_in_it_wants_mending(kept: Kept) -> None:
    """The doctor finds every file as it was written, but for the pictures, which are not kept."""
    assert {finding.place for finding in kept.engine.library.doctor()} == {"pictures"}


def test_its_pages_can_be_judged(kept: Kept) -> None:
    """Queries, marks and pages are read from its log, and what is said now is learned."""
    engine, facts = kept
    ana = engine.show(facts["pages"]["ana"], k=6)
    assert (len(ana.liked), len(ana.disliked)) == (2, 1)
    bob = engine.show(facts["pages"]["bob"], k=6)
    after = engine.react(bob, liked=[bob.hits[1]])
    assert after.round == bob.round + 1
    assert engine.digest == engine.replay() != facts["digest"]


def test_what_was_taught_is_there(kept: Kept) -> None:
    """Saved searches, words, attributes and concepts, by whom they are."""
    engine, _ = kept
    assert engine.sessions.names(user="ana") == ("discs",)
    assert [one.word for one in engine.text.taught(user="ana")] == ["red"]
    assert engine.attributes.names() == ("natural",)
    assert len(engine.tags.images("discs", user="ana")) == 6
    assert engine.people.show("ana").pairs > 0


def test_its_people_travel_and_can_be_forgotten(kept: Kept) -> None:
    """A profile is exported and taken in under another name; then both go."""
    engine, facts = kept
    exported = json.loads(json.dumps(engine.people.export("ana")))
    assert engine.people.import_("ida", exported) == len(exported["events"]) > 0
    assert engine.people.show("ida").pairs == engine.people.show("ana").pairs
    engine.forget("ida")
    assert engine.digest == engine.replay() == facts["digest"]
