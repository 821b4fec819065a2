"""A profile from outside is a border: looked at before it is unpacked."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from saccade.engine import Engine
from saccade.errors import InvalidInput, StoreError
from saccade.store import arrays as bundles
from saccade.store.events import Appender
from saccade.testbed import worlds


def profile(arrays: dict[str, Any], schemes: list[str], times: int = 1) -> dict[str, Any]:
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)
    line = {
        "at": 1.0,
        "kind": "reacted",
        "body": {"schemes": schemes},
        "arrays": base64.b64encode(out.getvalue()).decode(),
    }
    return {"saccade-profile": 1, "user": "ana", "events": [line] * times}


BOMB = {"phi": np.zeros((3000, 3000), np.float32)}
CROWD = {f"a{i}": np.zeros(1) for i in range(65)}
SMALL = {"phi": np.zeros((1, 1), np.float32)}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (profile(BOMB, []), "unpack to 36000"),
        (profile(CROWD, []), "65 arrays"),
        (profile(SMALL, ["lbp:cosine\x1b[2J"]), "cannot be shown"),
        (profile(SMALL, [f"x{i}:l1" for i in range(1001)]), "too many"),
        (profile(SMALL, ["x"] * 10_001), "too long"),
        (profile(SMALL, ["x" * 201]), "cannot be shown"),
        (profile(SMALL, [], times=100_001), "more than 100000"),
    ],
)
def test_a_profile_that_is_too_much_is_refused(
    tmp_path: Path, data: dict[str, Any], words: str
) -> None:
    """By what it says of itself; nothing of it is learned."""
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        with pytest.raises(InvalidInput, match=words):
            engine.people.import_("eva", data)
        assert engine.people.list() == ()


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What two marks taught, as it travels."""
    place = tmp_path_factory.mktemp("export")
    worlds.write(place / "pictures", images=8, seed=3, size=(64, 48))
    with Engine(place / "s.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp")
        page = engine.search(engine.images(0, 1)[0].image_id, user="ana", k=6)
        page = engine.react(page, liked=[page.hits[2].image_id], disliked=[page.hits[0].image_id])
        engine.prefer(page, better=page.hits[4], worse=page.hits[3])
        return engine.people.export("ana")


def with_arrays(line: dict[str, Any], **more: Any) -> dict[str, Any]:
    arrays = bundles.from_bytes(base64.b64decode(line["arrays"])) | more
    return {**line, "arrays": base64.b64encode(bundles.to_bytes(arrays)).decode()}


def test_arrays_that_no_event_has_are_refused(tmp_path: Path, exported: dict[str, Any]) -> None:
    """Even beside all that are right: the log keeps nothing that nobody reads."""
    line = with_arrays(exported["events"][0], stowaway=np.zeros(9))
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        with pytest.raises(InvalidInput, match="no such event has: stowaway"):
            engine.people.import_("eva", {**exported, "events": [line]})
        assert engine.people.import_("eva", exported) == 2


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What two answers about an attribute taught, as it travels."""
    place = tmp_path_factory.mktemp("answered")
    worlds.write(place / "pictures", images=8, seed=3, size=(64, 48))
    with Engine(place / "s.saccade", warm=False) as engine:
        engine.add(place / "pictures", recipe="color-histogram,lbp")
        first, second = (record.image_id for record in engine.images(0, 2))
        engine.attributes.create("wide")
        engine.attributes.compare("wide", first, second, user="ana")
        engine.attributes.label("wide", first, 1, user="ana")
        return engine.people.export("ana")


@pytest.mark.parametrize("form", ["plain", "smooth"])
@pytest.mark.parametrize("event", [0, 1], ids=["compared", "labelled"])
def test_a_look_that_is_longer_than_one_is_refused(
    tmp_path: Path, answered: dict[str, Any], event: int, form: str
) -> None:
    """One answer would teach as much as a hundred; as it left, it comes in."""
    lines = list(answered["events"])
    arrays = bundles.from_bytes(base64.b64decode(lines[event]["arrays"]))
    assert np.linalg.norm(arrays[form].astype(float), axis=1).max() <= 1.001
    lines[event] = with_arrays(lines[event], **{form: arrays[form] * np.float16(1.5)})
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        with pytest.raises(InvalidInput, match=f"{form} vectors are longer than one"):
            engine.people.import_("eva", {**answered, "events": lines})
        assert engine.attributes.list() == ()
        assert engine.people.import_("eva", answered) == 2


def test_a_profile_comes_in_as_a_whole_or_not_at_all(
    tmp_path: Path, exported: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fails at the last event leaves none of the others behind."""
    plain, left = Appender.append, [2]

    def failing(self: Appender, *kind: Any, **facts: Any) -> Any:
        left[0] -= 1
        if not left[0]:
            raise StoreError("the disk is full")
        return plain(self, *kind, **facts)

    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        before = engine.digest
        with monkeypatch.context() as patch:
            patch.setattr(Appender, "append", failing)
            with pytest.raises(StoreError, match="full"):
                engine.people.import_("eva", exported)
        assert (engine.people.list(), engine.digest) == ((), before)
        engine.people.import_("eva", exported)
        assert engine.digest == engine.replay() != before


def test_schemes_of_a_whole_profile_are_counted(tmp_path: Path, exported: dict[str, Any]) -> None:
    """Many events with a few new ones each would widen the model just as far."""
    line = exported["events"][0]
    width = len(line["body"]["schemes"])
    names = ([f"d{i}-{j}:l1" for j in range(width)] for i in range(1000 // width + 1))
    lines = [{**line, "body": {**line["body"], "schemes": some}} for some in names]
    with Engine(tmp_path / "s.saccade", warm=False) as engine:
        with pytest.raises(InvalidInput, match="schemes of the profile are too many"):
            engine.people.import_("eva", {**exported, "events": lines})
        assert engine.people.import_("eva", {**exported, "events": lines[:-1]}) == len(lines) - 1
        assert engine.digest == engine.replay()
