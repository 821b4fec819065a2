"""What a text may mean to a person: words they taught, near words, names; and what to offer them.

Suggestions come from what is there: kinds that pictures probably show, with how many; folders;
words that the person taught; their tags and saved searches. An unknown word is answered with those
that are spelled almost like it.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Self

import numpy as np

from saccade.engine.cache import Cache
from saccade.engine.text.fold import TaughtFold
from saccade.engine.text.source import TextView
from saccade.errors import InvalidInput
from saccade.lexicon import KINDS, Lexicon, Meaning, Weights, WordEntry, read
from saccade.types import Suggestion


@dataclass(frozen=True, slots=True)
class GivenNames:
    """Names that people gave to pictures: tags, saved searches, attributes."""

    names: Callable[[str], Iterable[str]]
    """A person's."""
    pictures: Callable[[str, str], Mapping[str, float]]
    """The pictures of a person's name, each with how well it fits, 0..1."""


NEAR_WORD = 0.5
"""Words that mean this much of the same (the cosine of their kinds) teach each other a little."""
SHARED, FROM_NEAR = 0.5, 0.3
MOST = 400
COMMON, MEANT, PHRASE, FEW = 0.15, 0.5, 0.5, 3
"""Suggested are words that people write and that mostly mean things that can be seen, single words
before phrases; of what is not there at most a few."""
NARROW, WRITTEN, SHOWN = 6, 0.24, 6
"""Words for what a collection shows: of few kinds, often written, not many."""


def taught_elsewhere(
    fold: TaughtFold, user: str, meaning: Meaning, profiles: Cache[str, Weights]
) -> dict[str, float]:
    """Pictures that several people's marks for the word, or one's own for near words, speak for.

    `profiles` keeps the kinds of words that were read before.
    """
    out = {image: SHARED * vote for image, vote in fold.shared(meaning.word, without=user).items()}
    own = _profile(meaning)
    for word, marks in fold.words(user).items():
        if word == meaning.word:
            continue
        share = _likeness(own, profiles.made(word, partial(_profile_of, word)))
        if share >= NEAR_WORD:
            for image in marks.liked:
                out[image] = max(FROM_NEAR * share, out.get(image, 0.0))
    return dict(list(out.items())[-MOST:])


def names_in(
    meaning: Meaning, user: str, given_names: Iterable[GivenNames]
) -> dict[str, dict[str, float]]:
    """The terms of a text that are names somebody gave, with their pictures.

    A name may have several words: then the whole text is it, or those words stand in quotes.
    """
    out: dict[str, dict[str, float]] = {}
    for one in given_names:
        by_name = {name.casefold(): name for name in one.names(user)}
        whole = by_name.get(meaning.text.casefold())
        for term in meaning.terms:
            own = {by_name.get(term.text), by_name.get(term.word), whole}
            for name in sorted(name for name in own if name is not None):
                out.setdefault(term.text, {}).update(one.pictures(user, name))
    return out


def suggestions(
    typed: str,
    user: str,
    view: TextView | None,
    fold: TaughtFold,
    names: Mapping[str, Iterable[str]],
    k: int,
) -> list[Suggestion]:
    """What a person may be about to type: their own words first, then what is there most."""
    if not isinstance(typed, str) or len(typed) > 100:
        raise InvalidInput("suggestions are for a text of at most 100 characters")
    typing = _Typing.of(typed)
    offers = [
        Suggestion(word, "taught", len(marks))
        for word, marks in reversed([*fold.words(user).items()])
        if word.startswith(typing.whole)
    ]
    for sort, each in names.items():
        offers += [Suggestion(text, sort, None) for name in each for text in typing.ways(name)]
    if view is not None:
        everything = int(np.count_nonzero(view.shelf.listing.alive))
        for name, count in view.paths().folders.items():
            if count < everything:
                offers += [Suggestion(text, "folder", count) for text in typing.ways(name)]
        offers += _kinds(typing, view) if typing.last else most_shown(view)
    return _distinct(offers)[:k]


def offered(
    unknown: Iterable[str], view: TextView | None, fold: TaughtFold, user: str
) -> list[str]:
    """Words to take instead of unknown ones: known, taught, or the name of a folder.

    Those that are spelled almost alike, or two words where it was written as one; where there are
    none, what the collection shows most.
    """
    lexicon, out = Lexicon.shipped(), list[str]()
    own = [*fold.words(user), *(view.paths().folders if view is not None else ())]
    for word in unknown:
        out += difflib.get_close_matches(word, own, n=2, cutoff=0.75)
        out += [apart] if (apart := lexicon.apart(word)) else []
        out += lexicon.alike(word, 4)
    if not out and view is not None:
        out = [one.text for one in most_shown(view)]
    return list(dict.fromkeys(out))[:6]


def most_shown(view: TextView) -> list[Suggestion]:
    """Common words for the things that most pictures probably show, each thing once."""
    if view.table() is None:
        return []
    expected = view.expected()
    candidates = [
        (commonness * count, count, text, kinds)
        for text, commonness, kinds in _narrow()
        if (count := float(expected[kinds].sum())) >= 1.0
    ]
    out: list[Suggestion] = []
    seen_kinds: set[int] = set()
    for _, count, text, kinds in sorted(candidates, reverse=True):
        if seen_kinds.isdisjoint(kinds):
            seen_kinds.update(kinds)
            out.append(Suggestion(text, "kind", round(count)))
    return sorted(out[:SHOWN], key=lambda one: -(one.count or 0))


@lru_cache(maxsize=1)
def _narrow() -> tuple[tuple[str, float, list[int]], ...]:
    """Common single words for a few kinds each."""
    entries = map(Lexicon.shipped().find, sorted(_names()))
    return tuple(
        (entry.text, entry.commonness, [*entry.kinds])
        for entry in entries
        if entry is not None
        and entry.named_share >= MEANT
        and entry.commonness >= WRITTEN
        and len(entry.kinds) <= NARROW
        and " " not in entry.text
    )


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    """What kinds are called, and what lies above them."""
    lexicon = Lexicon.shipped()
    return frozenset((*lexicon.kinds, *(above.name for above in lexicon.above)))


def _general(entry: WordEntry, names: frozenset[str]) -> bool:
    """Whether a count of kinds is one of what the word means: no single thing below a kind."""
    return entry.text in names or (len(entry.kinds) > 1 and " " not in entry.text)


@dataclass(frozen=True, slots=True)
class _Typing:
    """What stands in the box: the word that is being typed, and what stands before it."""

    whole: str
    lead: str  # with the sign of the last word
    last: str

    @classmethod
    def of(cls, typed: str) -> Self:
        """The last word and the rest, in small letters."""
        plain = typed.casefold().lstrip()
        before, space, end = plain.rpartition(" ")
        last = end.lstrip("-\"'")
        sign = "-" if end.startswith("-") else ""
        return cls(plain.strip(), before + space + sign, last)

    def ways(self, name: str) -> Iterator[str]:
        """A name as the whole text, or as its last word, where it begins like that."""
        if name.casefold().startswith(self.whole):
            yield name
        elif self.lead and self.last and name.casefold().startswith(self.last):
            yield self.lead + (f'"{name}"' if " " in name else name)


def _kinds(typing: _Typing, view: TextView) -> list[Suggestion]:
    """Words that begin so and name kinds, those first of which there are most pictures."""
    table = view.table()
    if table is None:
        return []
    expected, lexicon = view.expected(), Lexicon.shipped()
    entries = {typing.lead + entry.text: entry for entry in lexicon.beginning(typing.last)}
    entries |= {entry.text: entry for entry in lexicon.beginning(typing.whole)}
    names = _names()
    candidates = []
    for text, entry in entries.items():
        if entry.named_share >= MEANT and entry.commonness >= COMMON and _general(entry, names):
            there = sum(weight * expected[kind] for kind, weight in entry.kinds.items())
            count = round(min(there, len(table)))
            # A phrase that goes on as it began is meant before anything that its last word may be.
            phrase = bool(typing.lead) and text == entry.text
            worth = (
                entry.commonness * math.log1p(1 + count) * (PHRASE if " " in entry.text else 1.0)
            )
            candidates.append((phrase, count > 0, worth, count, text))
    candidates.sort(reverse=True)
    # What is not there is offered only where little is.
    candidates = [one for place, one in enumerate(candidates) if one[1] or place < FEW]
    # How many fit the last word says nothing of those that fit what stands before it, too.
    return [
        Suggestion(text, "kind", count if phrase or not typing.lead else None)
        for phrase, _, _, count, text in candidates[:20]
    ]


def _distinct(offers: Iterable[Suggestion]) -> list[Suggestion]:
    by_text: dict[str, Suggestion] = {}
    for one in offers:
        by_text.setdefault(one.text, one)
    return list(by_text.values())


def _profile(meaning: Meaning) -> Weights:
    """The kinds of all that is wanted; those near count half."""
    out: dict[int, float] = {}
    for term in meaning.wanted:
        near = {kind: 0.5 * weight for kind, weight in term.near.items()} if not term.kinds else {}
        for kind, weight in {**near, **term.kinds}.items():
            out[kind] = out.get(kind, 0.0) + weight
    return out


def _profile_of(word: str) -> Weights:
    try:
        return _profile(read(word))
    except InvalidInput:  # a word of another time, or of another language
        return {}


def _likeness(one: Weights, other: Weights) -> float:
    if not one or not other:
        return 0.0
    vectors = np.zeros((2, KINDS))
    for row, weights in zip(vectors, (one, other), strict=True):
        row[list(weights)] = list(weights.values())
    return float(vectors[0] @ vectors[1] / np.prod(np.linalg.norm(vectors, axis=1)))
