"""Examples in docstrings as code: griffe reads docstrings through this while the site is built.

A docstring shows an example as `>>> …` with its answer below, as doctest wants it; Markdown would
take that for a quotation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import griffe


def fenced(text: str) -> str:
    """A docstring with a fence around each example."""
    return "\n".join(_lines(text.rstrip("\n").split("\n")))


def _lines(lines: list[str]) -> Iterator[str]:
    inside = False
    for line in lines:
        starts = line.lstrip().startswith(">>>")
        if starts and not inside:
            indent = line[: len(line) - len(line.lstrip())]
            yield f"{indent}```pycon"
            inside = True
        elif inside and not line.strip():
            yield "```"
            inside = False
        yield line
    if inside:
        yield "```"


class Fenced(griffe.Extension):
    """Every docstring, as it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put fences around the examples of one object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
