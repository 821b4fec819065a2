"""Retrieval models of text, applied to visual words.

With c the count of a word in image d, c_q its count in the query, L the image's length (the sum of
its counts), u its number of different words, p(w|C) the share of the word in the whole collection:

    vsm               cosine of tf-idf weights                                          [0, 1]
    bm25              Σ c_q · idf(w) · c / (c + k1·(1 − b + b·L / mean L))              ≥ 0
    jelinek-mercer    p(w|d) = (1 − λ)·c/L + λ·p(w|C)
    dirichlet         p(w|d) = (c + μ·p(w|C)) / (L + μ)
    absolute-discount p(w|d) = max(c − δ, 0)/L + δ·u/L·p(w|C)

A language model's score is the log-likelihood ratio Σ c_q · ln(p(w|d) / p(w|C)), any sign: how much
better the image explains the query than the collection does. Dividing by p(w|C) adds one number to
all images, so their order is that of the likelihood. And the score needs shared words only: with
p(w|d) = α_d·p(w|C) for words that d lacks, it is

    Σ_common c_q·ln(p(w|d) / (α_d·p(w|C))) + |q|·ln α_d.

Words that no image has are left out. An empty image has α = λ, 1 and δ in turn.

BM25 as in Lucene: idf(w) = ln(1 + (N − df + 1/2) / (df + 1/2)), which is our idf, and no constant
factor k1 + 1 (Robertson & Zaragoza 2009, section 3). Smoothing: Zhai & Lafferty 2004; the defaults
are theirs for long queries, which pictures are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from saccade.errors import InvalidInput, UnknownName
from saccade.words.postings import View
from saccade.words.weighting import (
    LOGARITHM,
    PRIOR,
    SATURATED,
    SCALED,
    Column,
    Comparison,
    Counts,
    Floats,
    Plan,
    Words,
)


def _kept(view: View, name: str, compute: Callable[[], Floats]) -> Column:
    """Numbers a slot that depend on nothing but the view: computed once, kept with it."""
    known: Column | None = view.derived.get(name)
    if known is None:
        known = view.derived[name] = Column.of(compute())
    return known


def _ones(view: View) -> Column:
    return _kept(view, "ones", lambda: np.ones(len(view.rows)))


def _safe(divisor: Any) -> Floats:
    """Divisors with 1 in place of 0: empty images have no postings that could use them."""
    safe: Floats = np.maximum(divisor, 1).astype(np.float64)
    return safe


@dataclass(frozen=True, slots=True)
class BM25:
    """Okapi BM25: counts saturate, long images are held back.

    >>> BM25(k1=-1)
    Traceback (most recent call last):
    saccade.errors.InvalidInput: bm25: k1 is -1; it must be at least 0
    """

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        if not self.k1 >= 0:
            raise InvalidInput(f"bm25: k1 is {self.k1}; it must be at least 0")
        if not 0 <= self.b <= 1:
            raise InvalidInput(f"bm25: b is {self.b}; it must lie between 0 and 1")

    def plan(self, view: View, words: Words, counts: Counts) -> Plan:
        """How to score a query of these words against the images of `view`."""
        factor = _kept(view, str(self), lambda: self._saturation(view))
        ones = _ones(view)
        query = counts.astype(np.float64)
        return Plan(SATURATED, query, view.idf[words], factor, SCALED, 0.0, ones, ones)

    def _saturation(self, view: View) -> Floats:
        mean = view.total / max(view.images, 1)
        relative = view.lengths.astype(np.float64) / (mean if mean > 0 else 1.0)
        return self.k1 * (1.0 - self.b + self.b * relative)


@dataclass(frozen=True, slots=True)
class JelinekMercer:
    """Language model that mixes image and collection, λ being the share of the collection."""

    weight: float = 0.7

    def __post_init__(self) -> None:
        _check_share("jelinek-mercer", "weight", self.weight)

    def plan(self, view: View, words: Words, counts: Counts) -> Plan:
        """How to score a query of these words against the images of `view`."""
        factor = _kept(view, "1/length", lambda: 1.0 / _safe(view.lengths))
        prior = _kept(view, str(self), lambda: np.full(len(view.rows), np.log(self.weight)))
        return _language(view, words, counts, (1.0 - self.weight) / self.weight, factor, prior)


@dataclass(frozen=True, slots=True)
class Dirichlet:
    """Language model with a Dirichlet prior: μ words drawn from the collection join each image."""

    mass: float = 2000.0

    def __post_init__(self) -> None:
        if not self.mass > 0:
            raise InvalidInput(f"dirichlet: the mass is {self.mass}; it must be above 0")

    def plan(self, view: View, words: Words, counts: Counts) -> Plan:
        """How to score a query of these words against the images of `view`."""
        prior = _kept(view, str(self), lambda: np.log(self.mass / (view.lengths + self.mass)))
        return _language(view, words, counts, 1.0 / self.mass, _ones(view), prior)


@dataclass(frozen=True, slots=True)
class AbsoluteDiscount:
    """Language model that takes δ from every count and gives it to the collection."""

    discount: float = 0.7

    def __post_init__(self) -> None:
        _check_share("absolute-discount", "discount", self.discount)

    def plan(self, view: View, words: Words, counts: Counts) -> Plan:
        """How to score a query of these words against the images of `view`."""
        factor = _kept(view, "1/distinct", lambda: 1.0 / _safe(view.distinct))
        prior = _kept(view, str(self), lambda: self._prior(view))
        scale = 1.0 / self.discount
        return _language(view, words, counts, scale, factor, prior, discount=self.discount)

    def _prior(self, view: View) -> Floats:
        kept: Floats = np.log(self.discount * _safe(view.distinct) / _safe(view.lengths))
        return kept


def _check_share(model: str, name: str, value: float) -> None:
    if not 0 < value < 1:
        raise InvalidInput(f"{model}: the {name} is {value}; it must lie between 0 and 1")


def _language(
    view: View,
    words: Words,
    counts: Counts,
    scale: float,
    factor: Column,
    prior: Column,
    *,
    discount: float = 0.0,
) -> Plan:
    """Σ_common c_q·ln(1 + scale·(c − discount)·factor / p(w|C)) + |q|·prior."""
    times = view.occurrences[words].astype(np.float64)
    # A gain of zero makes the kernel pass over the words that no image has.
    gain = np.divide(scale * view.total, times, out=np.zeros(len(words)), where=times > 0)
    query = counts.astype(np.float64)
    length = float(query[times > 0].sum())
    return Plan(LOGARITHM, query, gain, factor, PRIOR, length, prior, prior, discount=discount)


MODELS = {
    "vsm": Comparison,
    "bm25": BM25,
    "jelinek-mercer": JelinekMercer,
    "dirichlet": Dirichlet,
    "absolute-discount": AbsoluteDiscount,
}


def make(name: str, **options: Any) -> Any:
    """A retrieval model by name.

    >>> make("bm25", b=0.5)
    BM25(k1=1.2, b=0.5)
    """
    if name not in MODELS:
        raise UnknownName("retrieval model", name, MODELS)
    return MODELS[name](**options)
