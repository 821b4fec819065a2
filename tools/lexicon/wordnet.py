"""WordNet's noun files: synsets, the words that mean them, what lies above and below.

The format is described in wndb(5WN). Only nouns are read; offsets name synsets, and the digits of
an ImageNet id are such an offset.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

ABOVE = ("@", "@i")
BESIDE = ("#", "%")  # wholes and parts, members, substances
ALSO = {4019101: 4524313}
"""What WordNet leaves out: public transport, with its buses and trains, is made of vehicles."""


@dataclass(frozen=True, slots=True)
class Synset:
    """One meaning: its words, its relations to other nouns, its definition."""

    offset: int
    category: int  # the lexicographer's file: 5 animals, 6 artifacts, … (lexnames(5WN))
    lemmas: tuple[str, ...]
    proper: frozenset[str]  # those of them that are written with a capital
    pointers: tuple[tuple[str, int], ...]
    gloss: str

    @property
    def above(self) -> tuple[int, ...]:
        """Offsets of what it is a kind or an instance of."""
        return tuple(offset for sign, offset in self.pointers if sign in ABOVE)

    @property
    def instance(self) -> bool:
        """Whether it is one thing or person and no kind."""
        return any(sign == "@i" for sign, _ in self.pointers)

    @property
    def beside(self) -> tuple[int, ...]:
        """Offsets of its parts and of what it is part of."""
        return tuple(offset for sign, offset in self.pointers if sign[0] in BESIDE)

    @property
    def definition(self) -> str:
        """The gloss without its examples."""
        return re.sub(r'".*?"', "", self.gloss)


@dataclass(frozen=True)
class WordNet:
    """The nouns."""

    synsets: dict[int, Synset]
    index: dict[str, tuple[int, ...]]  # lemma -> meanings, most frequent first
    counts: Counter[tuple[str, int]]  # how often a lemma had this meaning in a tagged text
    exceptions: dict[str, str]  # irregular plural -> singular
    _above: dict[int, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def read(cls, folder: Path) -> WordNet:
        """The files data.noun, index.noun, cntlist.rev and noun.exc of a folder."""
        synsets = {s.offset: s for s in map(_synset, _lines(folder / "data.noun"))}
        for offset, above in ALSO.items():
            whole = (*synsets[offset].pointers, ("@", above))
            synsets[offset] = replace(synsets[offset], pointers=whole)
        index = dict(map(_entry, _lines(folder / "index.noun")))
        exceptions: dict[str, str] = {}
        for line in _lines(folder / "noun.exc"):
            plural, singular = line.split()[:2]
            exceptions.setdefault(plural, singular)
        return cls(synsets, index, _counts(folder / "cntlist.rev", index), exceptions)

    def ancestors(self, offset: int) -> frozenset[int]:
        """The synset and all above it."""
        if offset not in self._above:
            above = [self.ancestors(one) for one in self.synsets[offset].above]
            self._above[offset] = frozenset([offset]).union(*above)
        return self._above[offset]

    @cached_property
    def information(self) -> dict[int, float]:
        """How much it says of a thing to be of this kind: −log of the share of all kinds below."""
        below: Counter[int] = Counter()
        for offset in self.synsets:
            below.update(self.ancestors(offset))
        total = len(self.synsets)
        return {offset: -math.log(below[offset] / total) for offset in self.synsets}

    @cached_property
    def mentions(self) -> Counter[str]:
        """In how many glosses a word stands."""
        found: Counter[str] = Counter()
        for synset in self.synsets.values():
            found.update(set(words(synset.gloss)))
        return found

    def singular(self, word: str) -> str | None:
        """The lemma that a word is a form of."""
        if word in self.index:
            return word
        if word in self.exceptions and self.exceptions[word] in self.index:
            return self.exceptions[word]
        for ending, instead in ENDINGS:
            stem = word[: -len(ending)] + instead
            if word.endswith(ending) and len(stem) > 1 and stem in self.index:
                return stem
        return None


ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ies", "y"),
    ("ves", "f"),
    ("ves", "fe"),
    ("men", "man"),
)
"""Rules of detachment for nouns, morphy(7WN)."""

_SMALL = frozenset(
    re.findall(
        r"\w+",
        """a an the of or and in on for with to used that is are by from at as which be having has
        have it its very usually especially often one some any other than not no can who whose was
        were into""",
    )
)


def words(text: str) -> list[str]:
    """The words of a definition that say something."""
    return [word for word in re.findall(r"[a-z]+", text.lower()) if word not in _SMALL]


def below(net: WordNet, kinds: list[int]) -> dict[int, tuple[int, ...]]:
    """For every synset with kinds under it, those kinds by number."""
    found: dict[int, list[int]] = defaultdict(list)
    for number, offset in enumerate(kinds):
        for above in net.ancestors(offset):
            found[above].append(number)
    return {offset: tuple(sorted(numbers)) for offset, numbers in sorted(found.items())}


def _lines(path: Path) -> list[str]:
    """Lines of a database file without the licence at its head."""
    text = path.read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("  ")]


def _synset(line: str) -> Synset:
    head, _, gloss = line.partition("|")
    fields = head.split()
    count = int(fields[3], 16)
    written = [fields[4 + 2 * i] for i in range(count)]
    lemmas = tuple(word.lower() for word in written)
    proper = frozenset(word.lower() for word in written if word[0].isupper())
    at = 5 + 2 * count
    pointers = tuple(
        (fields[at + 4 * i], int(fields[at + 4 * i + 1]))
        for i in range(int(fields[at - 1]))
        if fields[at + 4 * i + 2] == "n"
    )
    return Synset(int(fields[0]), int(fields[1]), lemmas, proper, pointers, gloss.strip())


def _entry(line: str) -> tuple[str, tuple[int, ...]]:
    fields = line.split()
    return fields[0], tuple(map(int, fields[-int(fields[2]) :]))


def _counts(path: Path, index: dict[str, tuple[int, ...]]) -> Counter[tuple[str, int]]:
    found: Counter[tuple[str, int]] = Counter()
    for line in _lines(path):
        key, sense, count = line.split()
        lemma, _, rest = key.partition("%")
        meanings = index.get(lemma, ())
        if rest.startswith("1:") and int(sense) <= len(meanings):  # 1: a noun
            found[lemma, meanings[int(sense) - 1]] += int(count)
    return found
