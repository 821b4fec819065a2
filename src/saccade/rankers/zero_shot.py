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
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, UnknownName

Floats = NDArray[np.float64]

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

    @classmethod
    def of(cls, scores: Floats, names: Sequence[str], attributes: Sequence[str]) -> Seen:
        """From scores [n, attributes] of pictures and the category of each, [n].

        A category of one picture has no covariance of its own and takes the mean of the others'.
        """
        values = np.asarray(scores, np.float64)
        if values.ndim != 2 or values.shape != (len(names), len(attributes)) or not len(values):
            raise InvalidInput(
                f"scores have shape {values.shape}: expected [{len(names)}, {len(attributes)}], "
                "a row for each picture and a column for each attribute"
            )
        if not np.isfinite(values).all():
            raise InvalidInput("scores hold a value that is not finite")
        found = {}
        for name in sorted(set(names)):
            own = values[np.array([other == name for other in names])]
            found[name] = own
        spreads = [_covariance(own) for own in found.values() if len(own) > 1]
        usual = np.mean(spreads, axis=0) if spreads else np.diag(values.var(axis=0))
        categories = tuple(
            Category(name, own.mean(axis=0), _covariance(own) if len(own) > 1 else usual)
            for name, own in found.items()
        )
        return cls(tuple(attributes), categories, values.mean(axis=0), values.var(axis=0))

    def __getitem__(self, name: str) -> Category:
        for category in self.categories:
            if category.name == name:
                return category
        raise UnknownName("seen category", name, [one.name for one in self.categories])

    def unseen(self, name: str, relations: Iterable[Relation | str]) -> Category:
        """A category that has no picture, from what is said about it."""
        mean = self.mean.copy()
        covariance = np.mean([one.covariance for one in self.categories], axis=0)
        said = np.zeros(len(self.attributes), bool)
        for given in relations:
            relation = Relation.parse(given, name) if isinstance(given, str) else given
            if relation.attribute not in self.attributes:
                raise UnknownName("attribute", relation.attribute, self.attributes)
            at = self.attributes.index(relation.attribute)
            if said[at]:
                raise InvalidInput(f"{name!r}: {relation.attribute!r} is described twice")
            mean[at], said[at] = self._place(relation, at), True
        for silent in np.flatnonzero(~said):
            covariance[silent, :] = covariance[:, silent] = 0.0
            covariance[silent, silent] = self.variance[silent]
        return Category(name, mean, covariance)

    def _place(self, relation: Relation, at: int) -> float:
        """The mean of a described category on the attribute at position `at`."""
        above, below, like = (
            [float(self[name].mean[at]) for name in names]
            for names in (relation.above, relation.below, relation.like)
        )
        if like:
            return float(np.mean(like))
        if above and below:
            return 0.5 * (min(above) + max(below))
        if not above and not below:
            raise InvalidInput(f"{relation.attribute!r}: nothing is said about where it stands")
        order = np.sort([one.mean[at] for one in self.categories])
        step = float(np.diff(order).mean()) if len(order) > 1 else float(self.variance[at] ** 0.5)
        return min(above) - step if above else max(below) + step

    def with_unseen(
        self, descriptions: Mapping[str, Iterable[Relation | str]]
    ) -> tuple[Category, ...]:
        """All categories: the seen ones, then the described ones."""
        known = {one.name for one in self.categories}
        for name in descriptions:
            if name in known:
                raise InvalidInput(f"{name!r} has pictures: it needs no description")
        described = (self.unseen(name, said) for name, said in descriptions.items())
        return (*self.categories, *described)

    def likelihoods(self, scores: Floats, categories: Sequence[Category]) -> Floats:
        """Log-likelihood of each picture under each category, [n, categories]."""
        values = np.asarray(scores, np.float64)
        floor = _FLOOR * max(float(self.variance.mean()), 1e-12)
        found = np.empty((len(values), len(categories)))
        for at, category in enumerate(categories):
            lower = np.linalg.cholesky(category.covariance + floor * np.eye(values.shape[1]))
            away = np.linalg.solve(lower, (values - category.mean).T)
            found[:, at] = -0.5 * (away**2).sum(axis=0) - np.log(np.diag(lower)).sum()
        found -= 0.5 * values.shape[1] * np.log(2.0 * np.pi)
        return found

    def classify(self, scores: Floats, categories: Sequence[Category]) -> list[str]:
        """The category under which each picture is most likely; ties go to the first."""
        best = self.likelihoods(scores, categories).argmax(axis=1)
        return [categories[at].name for at in best]


def _covariance(scores: Floats) -> Floats:
    """Covariance of rows, also of one column."""
    away = scores - scores.mean(axis=0)
    covariance: Floats = away.T @ away / (len(scores) - 1)
    return covariance
