"""What answers say of a direction, some of them wrong: a normal belief over main directions.

    w = B c,  c ~ N(m, s²)               B: the main directions of the collection's pictures
    P(answer | f) = e + (1 − 2e) σ(f)    f = w·(x_more − x_less); e: how often an answer is wrong
    alike: f ~ N(0, 1);   a picture with a grade: above or below thresholds of its own

Nobody answers by what hardly varies among the pictures: other directions cannot be bought by a
wrong answer. The scale s and the rate e are chosen by how well answers foretell those left out of
them, and averaged over what foretells well: where answers contradict each other, e rises and each
of them counts less.

How sure an order is: what the belief says of random pairs, each by how far apart its two are taken
to be, moved towards how often answers foretold those that were left out (less what e explains), by
n / (n + DOUBT).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.engine.cache import once
from saccade.kernels.hybrid import ALIKE, POINT
from saccade.rankers.suggestion import information
from saccade.types import Vectors

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]

SAMPLE = 384
"""Pictures that main directions are found on."""
MOST_DIRECTIONS = 128
START = 0.5
"""How long a direction known before is, in lengths that a direction is expected to have."""
SCALES = (2.0, 5.0)
"""How far apart two random pictures may lie, in units of the answers' noise."""
RATES = {0.02: 0.4, 0.15: 0.35, 0.3: 0.15}
"""How often answers may be wrong, and how likely that is before any."""
FOLDS = 5
CHOOSING = 120
"""Answers, the newest, by which scale and rate are chosen."""
MOST = 1000
"""Answers, the newest, that a direction is made of."""
DOUBT = 10.0
"""Answers' worth of doubt about how often they foretell each other."""
_NEGLIGIBLE = 0.03  # of the weight of all scales and rates
_STEPS, _STEP, _NEAR = 12, 0.8, 1e-2
_PROBIT = np.pi / 8.0  # σ(x) averaged over x ~ N(m, v) is about σ(m / √(1 + v π / 8))


@dataclass(frozen=True, slots=True, eq=False)
class MainDirections:
    """Along what pictures vary, most first: `basis` [width, r], of length one, and how much [r]."""

    basis: Floats
    prior: Floats

    @classmethod
    def of(cls, sample: Vectors) -> MainDirections:
        """Of some pictures around their centre, [m, width]."""
        rows = sample.astype(np.float64)
        variances, vectors = np.linalg.eigh(rows @ rows.T / max(1, len(rows)))
        variances, vectors = (one[..., ::-1][..., :MOST_DIRECTIONS] for one in (variances, vectors))
        there = variances > 1e-6 * max(float(variances[0]), 1e-12)
        variances, vectors = variances[there], vectors[:, there]
        basis = rows.T @ vectors / np.sqrt(variances * len(rows))
        prior = np.ones_like(variances)
        # So that the scores of two random pictures lie 1 apart.
        return cls(basis, prior / max(2.0 * float(prior @ variances), 1e-12))


@dataclass(frozen=True, slots=True, eq=False)
class AnswerRows:
    """Answers as rows whose product with the direction (and thresholds) is positive, or 0."""

    rows: Floats  # [n, r + thresholds]
    alike: NDArray[np.bool_]  # [n]

    @classmethod
    def of(cls, along: Floats, kind: Whole, grade: Whole) -> AnswerRows:
        """From labels as a learner keeps them, seen along the main directions [n, r]."""
        points = kind == POINT
        levels = np.unique(grade[points])
        edges = (levels[1:] + levels[:-1]) / 2.0 if len(levels) > 1 else np.zeros(len(levels))
        rows, alike = [], []
        for row, one, number in zip(along, kind, grade, strict=True):
            if one != POINT:
                rows.append(np.concatenate([row, np.zeros(len(edges))]))
                alike.append(one == ALIKE)
                continue
            for place, edge in enumerate(edges):
                side = 1.0 if number > edge else -1.0
                threshold = np.zeros(len(edges))
                threshold[place] = -1.0
                rows.append(side * np.concatenate([row, threshold]))
                alike.append(False)
        width = along.shape[1] + len(edges)
        return cls(np.array(rows).reshape(-1, width), np.array(alike, np.bool_))

    def newest(self, count: int) -> AnswerRows:
        """The last of them."""
        return AnswerRows(self.rows[-count:], self.alike[-count:])


@dataclass(frozen=True, slots=True)
class Setting:
    """A scale and a rate of wrong answers, how likely they are, and how often answers foretold."""

    scale: float
    wrong: float
    weight: float
    foretold: float


@dataclass(frozen=True, eq=False)
class Belief:
    """What some answers say."""

    directions: MainDirections
    answers: AnswerRows
    start: Floats  # the mean before any answer, [r + thresholds], in units of the scale
    settings: tuple[Setting, ...]

    @classmethod
    def of(
        cls,
        directions: MainDirections,
        vectors: Vectors,
        kind: Whole,
        grade: Whole,
        start: NDArray[np.float64] | None = None,
    ) -> Belief:
        """From labels as a learner keeps them; `start` [width] is a direction known before."""
        newest = slice(-MOST, None)
        along = vectors[newest].astype(np.float64) @ directions.basis
        answers = AnswerRows.of(along, kind[newest], grade[newest])
        mean = np.zeros(answers.rows.shape[1])
        if start is not None and start.any():
            leaning = start @ directions.basis
            length = START * np.sqrt(directions.prior.sum() / max(float(leaning @ leaning), 1e-12))
            mean[: len(leaning)] = length * leaning
        return cls(directions, answers, mean, _settings(directions, answers, mean))

    @property
    def wrong(self) -> float:
        """How often an answer is wrong, as far as answers tell."""
        return float(sum(one.weight * one.wrong for one in self.settings))

    @once
    def weights(self) -> NDArray[np.float32]:
        """The direction, [width], averaged over the settings in units of their scale."""
        total = sum(
            one.weight / one.scale * self._mean(one)[: self.directions.basis.shape[1]]
            for one in self.settings
        )
        weights: NDArray[np.float32] = (self.directions.basis @ total).astype(np.float32)
        return weights

    def along(self, pictures: Vectors) -> Floats:
        """Pictures [n, width] by their main directions, [n, r]."""
        return np.asarray(pictures.astype(np.float64) @ self.directions.basis)

    def apart(self, along: Floats) -> Iterator[tuple[Setting, Floats, Floats]]:
        """Mean and variance of the score of each row [n, r], by each setting."""
        free = np.zeros((len(along), self.answers.rows.shape[1] - along.shape[1]))
        seen = np.concatenate([along, free], axis=1)
        prior = _prior(self.directions, self.answers.rows.shape[1])
        for one in self.settings:
            variances = one.scale**2 * prior
            _, inner = _fitted(self.answers, variances, one, self.start)
            crossed = (seen * variances) @ self.answers.rows.T
            explained = np.einsum("ij,ji->i", crossed, np.linalg.solve(inner, crossed.T))
            spread = np.maximum((seen**2) @ variances - explained, 1e-9)
            yield one, seen @ self._mean(one), spread

    def sure(self, sample: Vectors) -> float:
        """How likely the order of two random pictures that differ is right."""
        from scipy.special import ndtr

        first, second = np.triu_indices(len(sample), 1)
        along = self.along(sample)
        gaps = along[first] - along[second]
        served = np.sign(gaps @ self.along(self.weights[None])[0])
        answered = len(self.answers.rows)
        share = 0.0
        for one, mean, spread in self.apart(gaps):
            size = mean**2 + spread
            likely = float(ndtr(served * mean / np.sqrt(spread)) @ size / size.sum())
            foretold = min(1.0, max(0.5, (one.foretold - one.wrong) / (1.0 - 2.0 * one.wrong)))
            share += one.weight * (likely + (foretold - likely) * answered / (answered + DOUBT))
        return min(1.0, max(0.5, share))

    def bits(self, gaps: Floats) -> Floats:
        """What an answer about each difference [n, r] is expected to tell about the direction.

        Two that look the same tell nothing, however open their order: nothing is at stake.
        """
        likeliest = max(self.settings, key=lambda one: one.weight)
        for one, mean, spread in self.apart(gaps):
            if one is likeliest:
                return information(mean * np.sqrt(_PROBIT), spread * _PROBIT)
        raise AssertionError("the likeliest is one of them")

    def _mean(self, setting: Setting) -> Floats:
        variances = setting.scale**2 * _prior(self.directions, self.answers.rows.shape[1])
        dual, _ = _fitted(self.answers, variances, setting, self.start)
        mean: Floats = setting.scale * self.start + variances * (self.answers.rows.T @ dual)
        return mean


def _prior(directions: MainDirections, width: int) -> Floats:
    """Variances before any answer, of the directions and of thresholds, [width]."""
    free = np.full(width - len(directions.prior), 0.5)  # a picture's score varies by that
    return np.concatenate([directions.prior, free])


def _settings(
    directions: MainDirections, answers: AnswerRows, start: Floats
) -> tuple[Setting, ...]:
    """The scales and rates under which answers foretell those that are left out."""
    some = answers.newest(CHOOSING)
    if not len(some.rows):
        return (Setting(SCALES[0], min(RATES), 1.0, 0.5),)
    prior = _prior(directions, some.rows.shape[1])
    evidences = [
        _judged(some, scale, wrong, chance, prior, start)
        for scale in SCALES
        for wrong, chance in RATES.items()
    ]
    logs = np.array([log for log, _ in evidences])
    weights = np.exp(logs - logs.max())
    weights = np.where(weights < _NEGLIGIBLE * weights.sum(), 0.0, weights)
    weights /= weights.sum()
    pairs = zip(weights.tolist(), (one for _, one in evidences), strict=True)
    return tuple(
        Setting(one.scale, one.wrong, weight, one.foretold) for weight, one in pairs if weight > 0.0
    )


def _judged(
    answers: AnswerRows, scale: float, wrong: float, chance: float, prior: Floats, start: Floats
) -> tuple[float, Setting]:
    """How likely the answers are, each foretold by the others, and how often that was right."""
    from scipy.special import expit

    variances, setting = scale**2 * prior, Setting(scale, wrong, 1.0, 0.5)
    count = len(answers.rows)
    mean, spread = np.zeros(count), np.ones(count)
    # Neighbours in time are not left out together: they are often about one thing.
    fold = np.arange(count) % FOLDS
    for number in range(min(FOLDS, count)):
        out = fold == number
        rest = AnswerRows(answers.rows[~out], answers.alike[~out])
        dual, inner = _fitted(rest, variances, setting, start)
        crossed = (answers.rows[out] * variances) @ rest.rows.T
        mean[out] = scale * (answers.rows[out] @ start) + crossed @ dual
        explained = np.einsum("ij,ji->i", crossed, np.linalg.solve(inner, crossed.T))
        spread[out] = np.maximum((answers.rows[out] ** 2) @ variances - explained, 1e-9)
    ordered = ~answers.alike
    right = wrong + (1.0 - 2.0 * wrong) * expit(mean / np.sqrt(1.0 + _PROBIT * spread))
    level = -0.5 * (mean**2 / (1.0 + spread) + np.log1p(spread))
    log = float(np.log(right[ordered]).sum() + level[answers.alike].sum() + np.log(chance))
    foretold = float((mean[ordered] > 0.0).mean()) if ordered.any() else 0.5
    return log, Setting(scale, wrong, 1.0, foretold)


def _fitted(
    answers: AnswerRows, variances: Floats, setting: Setting, start: Floats
) -> tuple[Floats, Floats]:
    """The likeliest direction as weights of the answers, and their covariance with its noise."""
    from scipy.special import expit

    kernel = (answers.rows * variances) @ answers.rows.T
    before = setting.scale * (answers.rows @ start)
    values, dual = before.copy(), np.zeros(len(before))
    inner = kernel + np.eye(len(kernel))
    for _ in range(_STEPS):
        share = expit(values)
        chance = setting.wrong + (1.0 - 2.0 * setting.wrong) * share
        slope = (1.0 - 2.0 * setting.wrong) * share * (1.0 - share)
        # The expected curvature: never negative, as that of a rate of wrong answers would be.
        weight = np.maximum(slope**2 / (chance * (1.0 - chance)), 1e-5)
        push = slope / chance
        weight[answers.alike], push[answers.alike] = 1.0, -values[answers.alike]
        inner = kernel + np.diag(1.0 / weight)
        dual = np.linalg.solve(inner, values - before + push / weight)
        wanted = before + kernel @ dual
        step = float(np.abs(wanted - values).max(initial=0.0))
        values = values + _STEP * (wanted - values)
        if step < _NEAR:
            break
    return dual, inner
