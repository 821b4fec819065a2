"""A text as a search holds it, and a word as somebody taught it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

from saccade.lexicon import Meaning, read
from saccade.types import Array

NAME = "text"
"""Of the capability, of its source, and of what an example knows of it."""


@dataclass(frozen=True, slots=True)
class TextAsked:
    """What is looked for in words, and what people's words bring along."""

    meaning: Meaning
    taught: Mapping[str, float] = field(default_factory=dict)
    """Pictures that near words or several people's marks speak for, with what each counts."""
    named: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Terms that are names somebody gave (a tag, a saved search): pictures, with what each fits."""
    only: tuple[str, ...] = ()
    """The columns that are looked at; all unless some are named."""

    @classmethod
    def of(cls, text: str) -> Self:
        """The text alone."""
        return cls(read(text))

    @property
    def nbytes(self) -> int:
        """About what it takes: a few numbers for each kind and each picture that is named."""
        kinds = sum(len(term.kinds) + len(term.near) for term in self.meaning.terms)
        return 64 * (kinds + len(self.taught) + sum(map(len, self.named.values())))

    def encode(self) -> NDArray[np.uint8]:
        """As the log keeps it."""
        body = {
            "text": self.meaning.text,
            "taught": dict(self.taught),
            "named": dict(self.named),
            "only": list(self.only),
        }
        return np.frombuffer(json.dumps(body, ensure_ascii=False).encode(), np.uint8)

    @classmethod
    def decode(cls, array: Array) -> Self:
        """What `encode` gave."""
        body = json.loads(array.tobytes().decode())
        return cls(read(body["text"]), body["taught"], body["named"], tuple(body["only"]))


@dataclass(frozen=True, slots=True)
class WordMarks:
    """What one person said about one word: pictures that show it, and pictures that do not."""

    liked: tuple[str, ...] = ()
    disliked: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()  # in which it was taught, oldest first

    def __len__(self) -> int:
        return len(self.liked) + len(self.disliked)
