"""Old code and new stores, new code and old snapshots: told apart, never misread."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields

import pytest

from inside import kill
from saccade.engine import Engine
from saccade.engine.capabilities import CAPABILITIES
from saccade.engine.learning import fold
from saccade.engine.loop.capability import tables
from saccade.engine.recipe import Recipe
from saccade.errors import StoreFormat
from saccade.store.formats import FORMAT

CONTENTS = {
    2: (
        {
            "attribute-created", "attribute-hidden", "candidates-awaited", "candidates-clicked",
            "candidates-marked", "candidates-shown", "compared", "discarded", "forgotten",
            "graded", "labelled", "placed", "preferred", "reacted", "saved", "shown", "tagged",
            "undone",
        },
        {"descriptors", "guests", "lasting", "learner", "retention", "similarities"},
    ),
}  # fmt: skip
"""Kinds of event and fields of a recipe, by format: a new one is a new row, and a new FORMAT."""


def raw(engine: Engine) -> closing[sqlite3.Connection]:
    return closing(sqlite3.connect(engine.path / "catalog.sqlite", isolation_level=None))


def test_a_new_kind_of_event_or_field_of_a_recipe_raises_the_format() -> None:
    """Code that does not know it refuses the store."""
    assert max(CONTENTS) == FORMAT
    assert CONTENTS[FORMAT] == (
        set(tables(CAPABILITIES).kinds.records),
        {part.name for part in fields(Recipe)},
    )


def test_a_recipe_of_a_newer_version_is_told(open_copy: Callable[[], Engine]) -> None:
    """In one sentence that names what is not known."""
    engine = open_copy()
    engine.close()
    with raw(engine) as base:
        (text,) = base.execute("SELECT value FROM meta WHERE key = 'recipe'").fetchone()
        more = json.dumps({**json.loads(text), "telepathy": 1})
        base.execute("UPDATE meta SET value = ? WHERE key = 'recipe'", [more])
    with pytest.raises(StoreFormat, match=r"made by a newer Saccade: .* 'telepathy'"):
        open_copy()


@pytest.mark.parametrize(
    "text",
    [
        "{", "[]", "3", "null}", "{}", '{"descriptors": 3}', '{"descriptors": [3]}',
        '{"descriptors": ["lbp"], "similarities": null}',
        '{"descriptors": ["lbp"], "similarities": ["l1"], "lasting": 3}',
        '{"descriptors": ["lbp"], "similarities": ["l1"], "retention": {"days": "x"}}',
    ],
)  # fmt: skip
def test_a_damaged_recipe_is_one_sentence(open_copy: Callable[[], Engine], text: str) -> None:
    """Whatever became of it."""
    engine = open_copy()
    engine.close()
    with raw(engine) as base:
        base.execute("UPDATE meta SET value = ? WHERE key = 'recipe'", [text])
    with pytest.raises(StoreFormat, match=r"recipe.* damaged"):
        open_copy()


def test_a_format_that_is_no_number_is_one_sentence(open_copy: Callable[[], Engine]) -> None:
    """It is damage, and no newer store."""
    engine = open_copy()
    engine.close()
    with raw(engine) as base:
        base.execute("UPDATE meta SET value = 'two' WHERE key = 'format'")
    with pytest.raises(StoreFormat, match="its format is 'two', which is no number"):
        open_copy()


def test_a_snapshot_of_other_folds_is_not_trusted(
    open_copy: Callable[[], Engine], first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code that knew less wrote it, or code that made something else of the log."""
    engine = open_copy()
    page = engine.search(first, user="ana", k=9)
    engine.react(page, liked=[page.hits[-1].image_id], disliked=[page.hits[0].image_id])
    wanted = engine.digest
    with monkeypatch.context() as older:
        older.setattr(fold.Models, "apply", lambda self, entry: None)  # it learns nothing
        older.setattr(fold, "VERSIONS", {"weights": 0})
        engine.replay()
        assert engine.digest != wanted
        engine.close()  # with a snapshot
    engine = open_copy()
    assert engine.digest == wanted
    kill(engine)


def test_a_snapshot_of_this_code_is_trusted(
    open_copy: Callable[[], Engine], first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else every opening would read the whole log."""
    engine = open_copy()
    page = engine.search(first, user="ana", k=9)
    engine.react(page, liked=[page.hits[-1].image_id], disliked=[page.hits[0].image_id])
    wanted = engine.digest
    engine.close()

    def refuse(self: fold.Models, entry: object) -> None:
        raise AssertionError("folded again")

    monkeypatch.setattr(fold.Models, "apply", refuse)
    engine = open_copy()
    assert engine.digest == wanted
    kill(engine)
