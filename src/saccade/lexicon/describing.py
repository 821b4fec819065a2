"""What a picture shows, in words: kinds, and what several of them are.

    p(above) = Σ p(kind) over the kinds below

Kinds below `least` are not worth a word. What lies above is said where it is more than its largest
part: several kinds of dog, none of them sure, are a dog.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from saccade.lexicon.lexicon import KINDS, Lexicon

LEAST = 0.1
_LEAST_ABOVE = 0.2
_MORE = 1.25
_BROADEST = 400
_COMMON = 0.24


@dataclass(frozen=True, slots=True)
class ShownKind:
    """A word with its probability; `kind` the number of the kind, or -1 for what lies above."""

    word: str
    probability: float
    kind: int = -1


def describe(
    kinds: ArrayLike,
    probabilities: ArrayLike,
    *,
    least: float = LEAST,
    most: int = 8,
    lexicon: Lexicon | None = None,
) -> list[ShownKind]:
    """Words for the kinds of a picture, likeliest first, at most `most`.

    >>> [one.word for one in describe([386, 385], [.5, .4])]
    ['elephant', 'African bush elephant', 'Asian elephant']
    """
    lexicon = Lexicon.shipped() if lexicon is None else lexicon
    by_kind = np.zeros(KINDS)
    by_kind[np.asarray(kinds, np.int64)] = np.asarray(probabilities, np.float64)
    own = [
        ShownKind(lexicon.kinds[kind], float(by_kind[kind]), int(kind))
        for kind in np.flatnonzero(by_kind >= least)
    ]
    words = _distinct([*own, *_above(by_kind, least, lexicon)])
    return sorted(words, key=lambda one: (-one.probability, one.kind))[:most]


def _above(by_kind: np.ndarray, least: float, lexicon: Lexicon) -> list[ShownKind]:
    """What lies above several kinds and says more than any of what is below it."""
    sums = [
        # What is kept of each is rounded, so that many may add up to a little more than 1.
        (len(node.kinds), min(1.0, float(by_kind[node.kinds].sum())), node.name)
        for node in lexicon.above
        if len(node.kinds) <= _BROADEST and by_kind[node.kinds].max() < _worth(by_kind, node.kinds)
    ]
    out: list[ShownKind] = []
    for _, total, name in sorted(sums):
        entry = lexicon.find(name)
        if total < max(least, _LEAST_ABOVE) or entry is None or entry.commonness < _COMMON:
            continue
        # Smaller ones were said first: a larger one must add something to what they cover.
        if all(total > _MORE * one.probability for one in out if one.probability <= total):
            out.append(ShownKind(name, total))
    return out


def _worth(by_kind: np.ndarray, kinds: Sequence[int] | np.ndarray) -> float:
    return float(by_kind[kinds].sum()) / _MORE


def _distinct(words: list[ShownKind]) -> list[ShownKind]:
    """Each word once, with its largest probability."""
    by_word: dict[str, ShownKind] = {}
    for one in words:
        before = by_word.get(one.word)
        if before is None or one.probability > before.probability:
            by_word[one.word] = one
    return list(by_word.values())
