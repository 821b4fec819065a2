"""A hint speaks the language of the surface that shows it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import saccade
from saccade.errors import NotFound
from saccade.hints import FILL, REPAIR, SCHEMES, Hint, hint_for, recipe

SOURCE = Path(saccade.__file__).parent
ONE = ("cli", "studies", "rankers", "choosers", "checks")  # seen on one surface alone
# A command, an option, a keyword argument or a method: words of one surface.
OF_A_SURFACE = re.compile(r"`saccade |(^|[ (`])--[a-z]|(?<![?\w])[a-z_]+=|engine\.|page\.")
OF_PYTHON = re.compile(r"`saccade |(^|[ (`])--[a-z]|/api/")
OF_A_TERMINAL = re.compile(r"engine\.|/api/|\b[a-z_]+=\[")


def plain_hints() -> Iterator[tuple[str, str]]:
    """Where a hint is one text for every surface, and that text."""
    for file in sorted(SOURCE.rglob("*.py")):
        if file.relative_to(SOURCE).parts[0] in ONE:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if not (isinstance(node, ast.keyword) and node.arg == "hint"):
                continue
            match node.value:
                case ast.Constant(value=str(text)):
                    yield f"{file.relative_to(SOURCE)}:{node.value.lineno}", text
                case ast.JoinedStr(values=parts):
                    text = "".join(str(p.value) for p in parts if isinstance(p, ast.Constant))
                    yield f"{file.relative_to(SOURCE)}:{node.value.lineno}", text


def test_a_hint_for_every_surface_has_words_of_none() -> None:
    """Whoever needs a command, a method or a request in it gives a `Hint`, with all three."""
    found = list(plain_hints())
    assert len(found) > 30
    pip = re.compile("pip install")
    assert [
        where for where, text in found if OF_A_SURFACE.search(text) and not pip.search(text)
    ] == []


def test_each_surface_is_spoken_to_in_its_words() -> None:
    """In Python, on the command line, over HTTP."""
    for hint in (FILL, REPAIR, SCHEMES, recipe("words", "lbp")):
        assert not OF_PYTHON.search(hint_for(hint, "python"))
        assert not OF_A_TERMINAL.search(hint_for(hint, "command"))
        assert "engine." not in hint_for(hint, "http")
    error = NotFound("nothing there", hint=Hint("call x()", command="`saccade x`", http="GET /x"))
    assert str(error) == error.sentence("python") == "nothing there (call x())"
    assert error.sentence("command") == "nothing there (`saccade x`)"
    assert error.sentence("http") == "nothing there (GET /x)"


@pytest.mark.parametrize("surface", ["python", "command", "http"])
def test_a_hint_without_words_of_a_surface_is_the_same_everywhere(surface: str) -> None:
    """And a client that cannot help itself is told who can."""
    assert hint_for("search again", surface) == "search again"  # type: ignore[arg-type]
    assert hint_for(FILL, "http") == f"whoever runs this server can help: {FILL.command}"
