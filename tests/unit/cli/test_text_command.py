"""Typed words on a command line: found, unknown, refused, taught."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saccade.cli.app import build
from saccade.engine import Engine
from saccade.errors import InvalidInput

NONSENSE = "xqzzyv"


@pytest.fixture
def place(open_copy: Callable[[], Engine]) -> Path:
    """A store that this test may teach."""
    engine = open_copy()
    engine.close()
    return engine.path


def say(*words: object) -> str:
    """What a command prints."""
    result = CliRunner().invoke(build(), [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_a_text_finds_pictures_and_says_how_it_was_read(place: Path) -> None:
    """The folder of that name comes first."""
    first, *hits = say("search", "--text", "harbours", "--store", place, "-k", 2).splitlines()
    assert first.startswith("harbours:")
    assert all("harbour" in line for line in hits[:2])


def test_an_unknown_word_is_said_with_others_to_take(place: Path) -> None:
    """No error: what is known is named, and how to teach it."""
    out = say("search", "--text", "elefant", "--store", place)
    assert "elefant: not known here" in out
    assert "elephant" in out
    assert "teach" in out


def test_a_text_that_wants_nothing_is_refused(place: Path) -> None:
    """With what to say instead."""
    with pytest.raises(InvalidInput, match="only says what is not wanted"):
        say("search", "--text", "-harbour", "--store", place)


def test_a_profile_lists_the_words_its_owner_taught(place: Path) -> None:
    """With how many pictures were called right and wrong."""
    with Engine(place, warm=False) as engine:
        first = engine.images(0, 1)[0].image_id
        page = engine.search(first, text=NONSENSE, user="ana", k=5)
        shown = [hit.image_id for hit in page.hits]
        engine.react(page, liked=shown[:2], disliked=shown[2:3])
    (line,) = (
        x for x in say("profile", "show", "ana", "--store", place).splitlines() if NONSENSE in x
    )
    assert line.split()[1:] == ["3", "1", "1"]  # two marks and the picture it began with
