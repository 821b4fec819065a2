"""How well pictures fit words, by what they probably show.

    named    s = Σ_k w_k p_k,                 e = log(1 + s / ε) / log(1 + 1 / ε)
    near     e = 2 Σ_k w_k √e_k / ∛(Σ_k √e_k),   e_k = log(1 + p_k / ε) / log(1 + 1 / ε)

p are probabilities of kinds, w the weights of a term, ε = .0001. A word that names kinds wants one
of them; of those near a word none need be there, and a little of several says as much as much of
one, hence the logarithms and the roots. A picture that shows a little of everything would fit every
guess: how much it shows in all counts against it. What is known of a picture are its likeliest
kinds; the rest counts as 0.

A probability is kept as a code of one byte, 255 log(1 + p / ε) / log(1 + 1 / ε): what is read back
is off by 2 in a hundred at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from saccade.lexicon.lexicon import KINDS, Weights
from saccade.lexicon.reading import Meaning, Term
from saccade.types import Rows

Array = NDArray[np.float64]
_Lists = tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]  # offsets, rows, codes

FAINT = 1e-4
SURE = 0.6
MIXED = 0.8
"""Of a word with several meanings, what the kinds it names count for against those near it."""
FEWEST, MOST = 10, 500
GUESSED = 12
"""Pictures to start from: as many as are expected, within bounds; so many where it is a guess."""
_GUESS = 2.0  # lays guesses beside names: about the sum of what the near kinds say
_SCALE = float(np.log1p(1.0 / FAINT))


EVIDENCE: Array = np.arange(256) / 255.0
"""What a code says in 0..1, by its logarithm."""
_ROOTS: Array = np.sqrt(EVIDENCE)
PROBABILITY: Array = FAINT * np.expm1(EVIDENCE * _SCALE)
"""What a code says as a probability."""


def coded(probabilities: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Probabilities as codes of one byte.

    >>> coded(np.array([0.0, 0.001, 0.5, 1.0])).tolist()
    [0, 66, 236, 255]
    >>> PROBABILITY[236].round(2)
    np.float64(0.5)
    """
    return np.rint(255.0 * _evidence_of(probabilities)).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class KindTable:
    """The likeliest kinds of every row, and codes of their probabilities."""

    kinds: NDArray[np.uint16]  # [n, m]
    codes: NDArray[np.uint8]  # [n, m]
    _lists: list[_Lists] = field(default_factory=list, compare=False, repr=False)
    _everything: list[Array] = field(default_factory=list, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.kinds)

    def expected(self, alive: NDArray[np.bool_]) -> Array:
        """How many living pictures are probably of each kind, [KINDS]."""
        from saccade.kernels.kinds import count_kinds

        out = np.zeros(KINDS)
        count_kinds(*self.lists, alive, PROBABILITY, out)
        return out

    def named(self, weights: Weights) -> Array:
        """How probably each row shows one of these kinds, [n]."""
        return np.minimum(self._weighed(weights, PROBABILITY), 1.0)

    def near(self, weights: Weights) -> Array:
        """How well each row fits a word that these kinds are near, about 0..1, [n]."""
        return _GUESS * self._weighed(weights, _ROOTS) / self.everything

    @property
    def lists(self) -> _Lists:
        """For each kind the rows that may show it: a word reads those of its kinds alone."""
        from saccade.kernels.kinds import kind_lists

        if not self._lists:  # two threads may make it at once: both are the same
            self._lists.append(kind_lists(self.kinds, self.codes, KINDS))
        return self._lists[0]

    @property
    def everything(self) -> Array:
        """The cube root of how much each row shows of all kinds, [n]; 1 where it shows nothing."""
        if not self._everything:
            total = self._weighed(dict.fromkeys(range(KINDS), 1.0), _ROOTS)
            self._everything.append(np.cbrt(np.where(total > 0.0, total, 1.0)))
        return self._everything[0]

    def _weighed(self, weights: Weights, values: Array) -> Array:
        from saccade.kernels.kinds import weigh_kinds

        out = np.zeros(len(self))
        kinds = np.array([*weights], np.int64)
        shares = np.array([*weights.values()], np.float64)
        weigh_kinds(*self.lists, kinds, shares, values, out)
        return out


@dataclass(frozen=True, slots=True)
class Fit:
    """How well every row fits the wanted terms of a text by what it shows."""

    named: Array  # [n] of terms that name kinds, weighed and added up
    near: Array  # [n] of terms near some
    against: Array  # [n] of what is not wanted
    expected: float  # how many pictures are looked for; 0 where nobody can tell
    toward: Array  # [n] what speaks for each row: named and near

    @classmethod
    def of(
        cls, named: Sequence[Array], near: Sequence[Array], against: Sequence[Array], size: int
    ) -> Fit:
        """From what each term says; nothing is looked for where none says anything."""
        sums = {
            "named": _sum(named, size),
            "near": _sum(near, size),
            "against": _sum(against, size),
        }
        toward = _sum([sums[name] for name, of in (("named", named), ("near", near)) if of], size)
        return cls(**sums, expected=0.0, toward=toward)


def fit(meaning: Meaning, table: KindTable) -> Fit:
    """How well every row fits a text: 0..1 if one term is wanted, 1 for each of several."""
    named, near = list[Array](), list[Array]()
    counts: list[float] = []
    for term in meaning.wanted:
        weight, own = meaning.weight(term), _own(term)
        if term.kinds:
            shares = table.named(term.kinds)
            counts.append(float(shares.sum()))
            named.append(weight * own * _evidence_of(shares))
        if term.near and (own < 1.0 or not term.kinds):
            near.append(weight * (1.0 - own if term.kinds else 1.0) * table.near(term.near))
    against = [_evidence(term, table) for term in meaning.unwanted]
    result = Fit.of(named, near, against, len(table))
    return replace(result, expected=min(counts, default=0.0))


def seeds(score: Array, alive: NDArray[np.bool_], expected: float = 0.0) -> tuple[Rows, Array]:
    """The living rows with the best scores above 0, and what each counts for, the best 1.

    As many as are expected, within bounds: a broad word has more of them than a narrow one. Where
    nobody can tell, a few.
    """
    from saccade.kernels.topk import top

    fits = alive & (score > 0.0)
    count = max(round(expected), FEWEST) if expected else GUESSED
    count = min(count, MOST, int(np.count_nonzero(fits)))
    best: Rows = top(np.where(fits, score, -np.inf), count)
    return best, score[best] / max(float(score[best[:1]].sum()), 1e-12)


def _sum(parts: Sequence[Array], size: int) -> Array:
    """All of them; nothing takes no room."""
    if not parts:
        return np.broadcast_to(np.float64(0.0), (size,))
    out = parts[0]
    for part in parts[1:]:
        out = out + part
    return out


def _evidence(term: Term, table: KindTable) -> Array:
    """How well every row fits one term, 0..1."""
    own, out = _own(term), np.zeros(len(table))
    if term.kinds:
        out += own * _evidence_of(table.named(term.kinds))
    if term.near:
        out += (1.0 - own if term.kinds else 1.0) * table.near(term.near)
    return out


def _own(term: Term) -> float:
    """What the kinds that a term names count for, against those near it."""
    return 1.0 if term.named_share >= SURE or not term.near else MIXED


def _evidence_of(probabilities: NDArray[np.floating]) -> Array:
    return np.asarray(np.log1p(probabilities.astype(np.float64) / FAINT) / _SCALE)
