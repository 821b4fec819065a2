"""Categories told by attributes: seen ones from their pictures, unseen ones from what is said.

A category is a Gaussian in the space of attribute scores. A seen one has the mean μ and covariance
Σ of its pictures' scores. An unseen one X is described by where it stands, attribute by attribute,
among the seen ones (Parikh & Grauman, "Relative Attributes", 2011, section 3.2):

    i > X > j        μ_X = ½ (μ_i + μ_j)
    i > X            μ_X = μ_i − d      d: mean gap between neighbours in the order of seen means
        X > j        μ_X = μ_j + d
    X = k            μ_X = μ_k
    nothing said     μ_X = mean of all scores, and the attribute's variance is that of all scores

Otherwise Σ_X is the mean of the seen covariances. Of several categories above X the lowest counts,
of several below the highest. A picture belongs to the category under which it is most likely.

So far the paper (`printed=True`), by which hardly any picture of an unseen category is found: where
X stands is a guess, and those that were seen fit their own pictures better. Two things help, chosen
on PubFig and judged on OSR (`saccade study chen2015`, figure 5):

    doubt        Σ_X has also twice the variance of the guess: (μ_i − μ_j)² / 12 between two, d² at
                 an end
    allowance    each seen category in turn is described by the others instead of seen; what must be
                 given to its likelihood so that its pictures and the others' are told apart best
                 (the mean of both shares) is given to every unseen one
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, UnknownName

Floats = NDArray[np.float64]

DOUBT = 2.0  # times the variance of where an unseen category stands
_LEAST = 4  # seen categories, from which on one can be left out
_ALIKE = 0.005  # of the mean of both shares, within which two allowances are as good
_FLOOR = 1e-3  # of the mean variance of all scores: keeps a category of a few pictures invertible


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a category stands on one attribute, by the names of seen categories."""

    attribute: str
    above: tuple[str, ...] = ()  # these have more of it
    below: tuple[str, ...] = ()  # these have less
    like: tuple[str, ...] = ()  # these have as much

    @classmethod
    def parse(cls, text: str, category: str) -> Relation:
        """Read ``attribute: more > CATEGORY > less``, with ``=`` for as much.

        >>> Relation.parse("openness: coast > street > forest", "street")
        Relation(attribute='openness', above=('coast',), below=('forest',), like=())
        >>> str(Relation.parse("natural: X = coast > city", "X"))
        'natural: X = coast > city'
        """
        attribute, colon, order = text.partition(":")
        steps = [[name.strip() for name in step.split("=")] for step in order.split(">")]
        at = [place for place, step in enumerate(steps) if category in step]
        if not colon or not attribute.strip() or len(at) != 1 or not all(map(all, steps)):
            raise InvalidInput(
                f"{text!r} does not say where {category!r} stands",
                hint=f"for instance 'openness: coast > {category} > forest'",
            )
        above = [name for step in steps[: at[0]] for name in step]
        below = [name for step in steps[at[0] + 1 :] for name in step]
        like = [name for name in steps[at[0]] if name != category]
        return cls(attribute.strip(), tuple(above), tuple(below), tuple(like))

    def __str__(self) -> str:
        parts = [*self.above, " = ".join(["X", *self.like]), *self.below]
        return f"{self.attribute}: {' > '.join(parts)}"


@dataclass(frozen=True, slots=True, eq=False)
class Category:
    """A Gaussian over attribute scores."""

    name: str
    mean: Floats  # [attributes]
    covariance: Floats  # [attributes, attributes]


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the pictures of the seen categories say: one Gaussian each, and one over all."""

    attributes: tuple[str, ...]
    categories: tuple[Category, ...]
    mean: Floats
    variance: Floats
    doubt: float = DOUBT
    allowance: float = 0.0  # what the likelihood of every unseen category is given

    @classmethod
    def of(
        cls,
        scores: Floats,
        names: Sequence[str],
        attributes: Sequence[str],
        *,
        printed: bool = False,
    ) -> Seen:
        """From scores [n, attributes] of pictures and the category of each, [n].

        A category of one picture has no covariance of its own and takes the mean of the others'.
        `printed` leaves out what is ours.
        """
        seen = cls._of(scores, names, attributes)
        if printed:
            return replace(seen, doubt=0.0)
        return replace(seen, allowance=seen._allowance(np.asarray(scores, np.float64), names))

    @classmethod
    def _of(cls, scores: Floats, names: Sequence[str], attributes: Sequence[str]) -> Seen:
        values = np.asarray(scores, np.float64)
        if values.ndim != 2 or values.shape != (len(names), len(attributes)) or not len(values):
            raise InvalidInput(
                f"scores have shape {values.shape}: expected [{len(names)}, {len(attributes)}], "
                "a row for each picture and a column for each attribute"
            )
        if not np.isfinite(values).all():
            raise InvalidInput("scores hold a value that is not finite")
        scores_of = {}
        for name in sorted(set(names)):
            own = values[np.array([other == name for other in names])]
            scores_of[name] = own
        spreads = [_covariance(own) for own in scores_of.values() if len(own) > 1]
        usual = np.mean(spreads, axis=0) if spreads else np.diag(values.var(axis=0))
        categories = tuple(
            Category(name, own.mean(axis=0), _covariance(own) if len(own) > 1 else usual)
            for name, own in scores_of.items()
        )
        return cls(tuple(attributes), categories, values.mean(axis=0), values.var(axis=0))

    def _allowance(self, scores: Floats, names: Sequence[str]) -> float:
        """What tells a category that is described from the others best, each left out in turn."""
        if len(self.categories) < _LEAST:
            return 0.0
        every = np.array(names)
        leads, own = [], []
        for category in self.categories:
            mine = every == category.name
            rest = Seen._of(scores[~mine], every[~mine].tolist(), self.attributes)
            described = rest.unseen(category.name, self._standing(category, rest.categories))
            likely = rest.likelihoods(scores, (*rest.categories, described))
            leads.append(likely[:, -1] - likely[:, :-1].max(axis=1))
            own.append(mine)
        lead, is_own = np.concatenate(leads), np.concatenate(own)
        bars = np.array([0.0, *np.quantile(lead, np.linspace(0.02, 0.98, 97))])
        balance = np.array(
            [(np.mean(lead[is_own] > bar) + np.mean(lead[~is_own] <= bar)) / 2 for bar in bars]
        )
        # Of all that are about as good the smallest: no more is given than has to be.
        good = bars[balance >= balance.max() - _ALIKE]
        return -float(good[np.abs(good).argmin()])

    def _standing(self, one: Category, others: Sequence[Category]) -> list[Relation]:
        """Where a category stands among others on every attribute, by the means."""
        return [
            Relation(
                name,
                tuple(other.name for other in others if other.mean[at] > one.mean[at]),
                tuple(other.name for other in others if other.mean[at] < one.mean[at]),
                tuple(other.name for other in others if other.mean[at] == one.mean[at]),
            )
            for at, name in enumerate(self.attributes)
        ]

    def __getitem__(self, name: str) -> Category:
        for category in self.categories:
            if category.name == name:
                return category
        raise UnknownName("seen category", name, [one.name for one in self.categories])

    def unseen(self, name: str, relations: Iterable[Relation | str]) -> Category:
        """A category that has no picture, from what is said about it."""
        mean = self.mean.copy()
        covariance = np.mean([one.covariance for one in self.categories], axis=0)
        described = np.zeros(len(self.attributes), bool)
        for item in relations:
            relation = Relation.parse(item, name) if isinstance(item, str) else item
            if relation.attribute not in self.attributes:
                raise UnknownName("attribute", relation.attribute, self.attributes)
            at = self.attributes.index(relation.attribute)
            if described[at]:
                raise InvalidInput(f"{name!r}: {relation.attribute!r} is described twice")
            mean[at], spread = self._place(relation, at)
            covariance[at, at] += self.doubt * spread
            described[at] = True
        for silent in np.flatnonzero(~described):
            covariance[silent, :] = covariance[:, silent] = 0.0
            covariance[silent, silent] = self.variance[silent]
        return Category(name, mean, covariance)

    def _place(self, relation: Relation, at: int) -> tuple[float, float]:
        """Mean and variance of where a described category stands on the attribute at `at`."""
        above, below, like = (
            [float(self[name].mean[at]) for name in names]
            for names in (relation.above, relation.below, relation.like)
        )
        if like:
            return float(np.mean(like)), 0.0
        if above and below:
            return 0.5 * (min(above) + max(below)), (min(above) - max(below)) ** 2 / 12.0
        if not above and not below:
            raise InvalidInput(f"{relation.attribute!r}: nothing is said about where it stands")
        order = np.sort([one.mean[at] for one in self.categories])
        step = float(np.diff(order).mean()) if len(order) > 1 else float(self.variance[at] ** 0.5)
        return (min(above) - step if above else max(below) + step), step**2

    def with_unseen(
        self, descriptions: Mapping[str, Iterable[Relation | str]]
    ) -> tuple[Category, ...]:
        """All categories: the seen ones, then the described ones."""
        seen = {one.name for one in self.categories}
        for name in descriptions:
            if name in seen:
                raise InvalidInput(f"{name!r} has pictures: it needs no description")
        described = (self.unseen(name, relations) for name, relations in descriptions.items())
        return (*self.categories, *described)

    def likelihoods(self, scores: Floats, categories: Sequence[Category]) -> Floats:
        """Log-likelihood of each picture under each category, [n, categories]."""
        values = np.asarray(scores, np.float64)
        floor = _FLOOR * max(float(self.variance.mean()), 1e-12)
        densities = np.empty((len(values), len(categories)))
        for at, category in enumerate(categories):
            lower = np.linalg.cholesky(category.covariance + floor * np.eye(values.shape[1]))
            away = np.linalg.solve(lower, (values - category.mean).T)
            densities[:, at] = -0.5 * (away**2).sum(axis=0) - np.log(np.diag(lower)).sum()
        densities -= 0.5 * values.shape[1] * np.log(2.0 * np.pi)
        return densities

    def weighed(self, scores: Floats, categories: Sequence[Category]) -> Floats:
        """The same with the allowance for those that were not seen."""
        seen = {one.name for one in self.categories}
        given = [0.0 if one.name in seen else self.allowance for one in categories]
        weighed: Floats = self.likelihoods(scores, categories) + np.array(given)
        return weighed

    def classify(self, scores: Floats, categories: Sequence[Category]) -> list[str]:
        """The category that each picture is most likely of; ties go to the first."""
        best = self.weighed(scores, categories).argmax(axis=1)
        return [categories[at].name for at in best]


def _covariance(scores: Floats) -> Floats:
    """Covariance of rows, also of one column."""
    away = scores - scores.mean(axis=0)
    covariance: Floats = away.T @ away / (len(scores) - 1)
    return covariance
