"""The words that the package ships, read once a process.

`data/lexicon.npz` is made by `tools/lexicon/make.py` from WordNet, ImageNet's ids and word vectors;
its README says how. A word names kinds to some share of its meanings (`WordEntry.kinds`), or it is
near some (`WordEntry.near`), or both.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.lexicon.forms import distance, singulars, squeezed

KINDS = 1000
FILE = Path(__file__).parent / "data" / "lexicon.npz"
VERSION = 1
_SHORTEST = 3  # letters of each half of a word that is read as two

Weights = Mapping[int, float]  # kind -> weight


@dataclass(frozen=True, slots=True)
class WordEntry:
    """One word: the kinds it names, or those near it."""

    text: str
    kinds: Weights  # 0..1: 1 the kinds of its commonest meaning that has any
    near: Weights  # 0..1: 1 the nearest
    named_share: float  # 0..1: to what share of its meanings it names kinds
    strength: float  # 0..1: how much the near kinds have behind them
    commonness: float  # 0..1: how often it is written


@dataclass(frozen=True, slots=True)
class Above:
    """What lies above several kinds."""

    name: str
    kinds: NDArray[np.uint16]


class Lexicon:
    """Words by their forms."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        if int(arrays["version"][0]) != VERSION:
            raise InvalidInput(
                f"the lexicon has format {int(arrays['version'][0])}, not {VERSION}",
                hint="install Saccade again",
            )
        self.kinds: tuple[str, ...] = _lines(arrays["kind_names"])
        names, counts = _lines(arrays["above_names"]), arrays["above_counts"]
        parts = np.split(arrays["above_kinds"], np.cumsum(counts[:-1]))
        self.above = tuple(Above(*pair) for pair in zip(names, parts, strict=True))
        self.words: tuple[str, ...] = _lines(arrays["words"])
        self._arrays = arrays
        self._nodes = np.concatenate([[0], np.cumsum(arrays["node_counts"], dtype=np.int64)])
        near = np.unpackbits(arrays["has_near"], count=len(self.words)).astype(np.int64)
        self._near = np.where(near > 0, np.cumsum(near) - 1, -1)
        self._irregular = dict(line.split() for line in _lines(arrays["plurals"]))
        self._squeezed: dict[str, int] = {}
        for number, word in enumerate(self.words):
            self._squeezed.setdefault(squeezed(word), number)

    @classmethod
    def shipped(cls) -> Lexicon:
        """The one that comes with the package."""
        return _shipped()

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, phrase: object) -> bool:
        return isinstance(phrase, str) and self._find(phrase) >= 0

    def find(self, phrase: str) -> WordEntry | None:
        """The entry of a word or phrase in small letters: singular or plural, joined or apart.

        >>> lexicon = Lexicon.shipped()
        >>> [lexicon.find(text).text for text in ("buses", "binocular", "sea horses", "hotdogs")]
        ['bus', 'binoculars', 'sea horse', 'hotdog']
        >>> lexicon.find("xqzzyv") is None
        True
        """
        number = self._find(phrase)
        return None if number < 0 else self._entry(number)

    def beginning(self, prefix: str) -> Iterator[WordEntry]:
        """Entries whose text begins like this, in the order of the alphabet."""
        for number in range(bisect_left(self.words, prefix), len(self.words)):
            if not self.words[number].startswith(prefix):
                return
            yield self._entry(number)

    def alike(self, word: str, k: int = 5) -> list[str]:
        """At most `k` words that are spelled almost like this one, the nearest first.

        Of equals, those that name kinds go before others, common words before rare ones.

        >>> Lexicon.shipped().alike("elefant", 1)
        ['elephant']
        """
        most = 1 if len(word) < 5 else 2 if len(word) < 9 else 3
        candidates = []
        # Slips are rarely at the first letter; looking only there makes this quick.
        first = bisect_left(self.words, word[:1])
        for number in range(first, bisect_left(self.words, word[:1] + "\U0010ffff")):
            other = self.words[number]
            if abs(len(other) - len(word)) > most:
                continue
            steps = distance(word, other, most)
            if steps <= most:
                guess = self._nodes[number] == self._nodes[number + 1]
                rare = 255 - int(self._arrays["commonness"][number])
                candidates.append((steps, bool(guess), rare, other))
        return [other for *_, other in heapq.nsmallest(k, candidates)]

    def apart(self, word: str) -> str:
        """A word that nobody knows as two: what stands before its longest known end, and that.

        >>> [Lexicon.shipped().apart(word) for word in ("tallbuilding", "opencountry", "xqzzyv")]
        ['tall building', 'open country', '']
        """
        for cut in range(_SHORTEST, len(word) - _SHORTEST + 1):
            # A hyphen at the front would mean "not".
            if word[cut].isalnum() and word[cut:] in self:
                return f"{word[:cut].rstrip('-')} {word[cut:]}"
        return ""

    def _find(self, phrase: str) -> int:
        for form in singulars(phrase, self._irregular):
            if (number := self._place(form)) >= 0:
                return number
        # Things that come in pairs have their names in the plural: binoculars, sunglasses.
        number = self._place(phrase + "s")
        if number >= 0 and self._nodes[number] < self._nodes[number + 1]:
            return number
        for form in singulars(phrase, self._irregular):
            if (number := self._squeezed.get(squeezed(form), -1)) >= 0:
                return number
        return -1

    def _place(self, form: str) -> int:
        number = bisect_left(self.words, form)
        return number if number < len(self.words) and self.words[number] == form else -1

    def _entry(self, number: int) -> WordEntry:
        arrays = self._arrays
        kinds = self._expanded(self._nodes[number], self._nodes[number + 1])
        near: dict[int, float] = {}
        strength, row = 0.0, int(self._near[number])
        if row >= 0:
            packed = arrays["near_weights"][row]
            weights = np.stack([packed >> 4, packed & 15], 1).ravel() / 15.0
            pairs = zip(arrays["near_kinds"][row].tolist(), weights.tolist(), strict=True)
            near = {kind: weight for kind, weight in pairs if weight > 0.0}
            strength = float(arrays["strength"][row]) / 255.0
        return WordEntry(
            self.words[number],
            kinds,
            near,
            float(arrays["known"][number]) / 255.0,
            strength,
            float(arrays["commonness"][number]) / 255.0,
        )

    def _expanded(self, start: int, stop: int) -> dict[int, float]:
        """Kinds below each node, with the share of the meaning; the largest share becomes 1."""
        nodes, shares = (self._arrays[name][start:stop] for name in ("nodes", "node_shares"))
        out: dict[int, float] = {}
        most = float(shares.max(initial=1))
        for node, share in zip(nodes.tolist(), shares.tolist(), strict=True):
            # The root: rare meanings of frequent words are wanted now and then.
            weight = float(np.sqrt(share / most))
            under: Sequence[int] = [node]
            if node >= KINDS:
                under = self.above[node - KINDS].kinds.tolist()
            for kind in under:
                out[kind] = max(weight, out.get(kind, 0.0))
        return out


@cache
def _shipped() -> Lexicon:
    with np.load(FILE, allow_pickle=False) as arrays:
        return Lexicon({name: arrays[name] for name in arrays.files})


def _lines(text: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(text.tobytes().decode().split("\n"))
