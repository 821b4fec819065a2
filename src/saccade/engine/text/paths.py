"""Words in the names of files and folders, and in what people wrote into files.

All of it stands in one text, each path and each caption on its line, so that a word is looked for
in one go; a picture with several paths is found by any of them. Letters end at anything that is
none: `beach_01.jpg` has the word beach. Folders above the one that holds all pictures say nothing
and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os.path import basename, commonpath, dirname
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from saccade.lexicon import Term
from saccade.types import Rows

_LETTER = r"[^\W\d_]"
_WORDS = re.compile(f"{_LETTER}+")


@dataclass(frozen=True, slots=True)
class PathWords:
    """The paths of a collection, ready to be looked through."""

    text: str
    starts: NDArray[np.int64]  # of each line
    rows: Rows  # of each line
    words: frozenset[str]  # all that stand in it
    folders: Mapping[str, int]  # right above pictures, and how many pictures lie in each

    @classmethod
    def of(
        cls, paths: Mapping[str, int], size: int, captions: Mapping[int, str] | None = None
    ) -> PathWords:
        """From every path and its row, and what is written into the files of rows."""
        by_path = {path: row for path, row in paths.items() if row < size}
        skip = len(_above(by_path))
        written = captions or {}
        lines = [_readable(line) for line in (*(p[skip:] for p in by_path), *written.values())]
        rows = np.array([*by_path.values(), *written], np.int64)
        ends = np.cumsum([len(line) + 1 for line in lines], dtype=np.int64)
        starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
        text = "\n".join(lines)
        folders = _folders(lines[: len(by_path)], by_path.values())
        return cls(text, starts[: len(lines)], rows, frozenset(_WORDS.findall(text)), folders)

    def having(self, term: Term) -> Rows:
        """The rows with a path that has a term in it, in the singular or in the plural."""
        # A word that is nowhere is the usual case, and quick to tell.
        if not any(self._may_have(form) for form in {term.text, term.word}):
            return np.zeros(0, np.int64)
        places = [match.start() for match in _pattern(term).finditer(self.text)]
        lines = np.searchsorted(self.starts, np.array(places, np.int64), side="right") - 1
        rows: Rows = np.unique(self.rows[lines])
        return rows

    def _may_have(self, form: str) -> bool:
        """Whether a form can stand anywhere: its first word, or some of its words as one."""
        parts = _WORDS.findall(form)
        if not parts or not form.startswith(parts[0]):  # numbers and signs are in no list
            return True
        begun = ("".join(parts[:count]) for count in range(1, len(parts) + 1))
        return any(word + ending in self.words for word in begun for ending in ("", "s", "es"))


def _folders(lines: Iterable[str], rows: Iterable[int]) -> dict[str, int]:
    seen: dict[str, set[int]] = {}
    for line, row in zip(lines, rows, strict=True):
        seen.setdefault(dirname(line), set()).add(row)
    named: dict[str, set[int]] = {}
    for folder, inside in seen.items():
        named.setdefault(basename(folder), set()).update(inside)
    return {name: len(inside) for name, inside in sorted(named.items()) if name}


def _above(paths: Iterable[str]) -> str:
    """What all folders have in common, with the stroke at its end."""
    folders = {str(PurePath(path).parent) for path in paths}
    try:
        common = commonpath(folders) if folders else ""
    except ValueError:  # on several drives, or not all absolute
        return ""
    # The last folder of all is kept: it is what somebody called these pictures.
    prefix = str(PurePath(common).parent) if common else ""
    return prefix if prefix.endswith("/") or not prefix else prefix + "/"


def _readable(path: str) -> str:
    return path.casefold().replace("\n", " ")


def _pattern(term: Term) -> re.Pattern[str]:
    forms = sorted({term.text, term.word}, key=len, reverse=True)
    words = "|".join(r"[\W_]*".join(map(re.escape, form.split())) for form in forms)
    return re.compile(rf"(?<!{_LETTER})(?:{words})(?:e?s)?(?!{_LETTER})")
