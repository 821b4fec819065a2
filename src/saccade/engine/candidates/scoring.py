"""A list ranked by what is known of it: each expert's word, the guard's mixture, the reasons.

    served = Σ_e w_e · standard(e)        e: weights over the columns, and marks on ids

`standard` is a factor on each candidate's distance from the mean, so a score can be told column by
column, and the parts add up to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.choosers.guard import PLAIN, PRIOR_SHARE, Guard, Scale, stage
from saccade.engine.candidates.fold import CandidateFold
from saccade.engine.candidates.records import CandidateList
from saccade.engine.learning.counts import Vector
from saccade.engine.opinions import Opinions
from saccade.feedback.preferences import Judged

FADES = 100
"""Events after which half of the guard's prior is gone. On a page of pictures some of it stays for
good, since only the top is judged; what is learned about candidates is corrected for place, and
starts from the order given: to mix that in for ever only costs."""
SAID = 2.0
"""What a mark on the very candidate counts, beside weights that start at 1."""
MARKED = "(marked before)"

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RankedList:
    """A list in order, and what was said of each candidate."""

    listed: CandidateList
    order: NDArray[np.int32]
    opinions: Opinions
    shares: Mapping[str, float]  # of each expert
    weights: Mapping[str, Vector]
    marks: Floats  # [n] what marks on the ids add, for the one that remembers them

    @property
    def leading(self) -> str:
        """The expert with the largest say."""
        return max(self.shares, key=lambda name: self.shares[name])

    def parts(self) -> tuple[tuple[str, ...], Floats]:
        """What each score is made of: names, and [n, names] that add up to it."""
        columns = self.listed.columns
        names = (*(column.label for column in columns), MARKED)
        out = np.zeros((len(self.listed.ids), len(names)))
        for expert, share in self.shares.items():
            words = self._words(expert)
            scores = words.sum(axis=1)
            bend = Scale.of(scores).bend(scores)
            out += share * bend[:, None] * (words - words.mean(axis=0))
        return names, out

    def _words(self, expert: str) -> Floats:
        """One expert's word on each candidate, by column."""
        first, columns = 0, []
        for column in self.listed.columns:
            last = first + column.width
            columns.append(self.listed.rows[:, first:last] @ self.weights[expert][first:last])
            first = last
        columns.append(self.marks if expert == REMEMBERED else np.zeros(len(self.listed.ids)))
        return np.stack(columns, axis=1).astype(np.float64)


REMEMBERED = "remembered"


def ranked(
    listed: CandidateList, fold: CandidateFold, guard: Guard, user: str, text: str, judged: Judged
) -> RankedList:
    """A list as a person is served it; in the order given where nothing was taught."""
    weights = fold.weights(user, text, listed.columns)
    marks = fold.of(user, text).marks
    own_marks = np.array([SAID * marks.get(name, 0) for name in listed.ids])
    where = stage(len(judged.liked), len(judged.disliked))
    prior_share = PRIOR_SHARE * FADES / (FADES + guard.events)
    shares = guard.weights(where, tuple(weights), prior_share=prior_share)
    scores = np.zeros((len(listed.ids), len(shares)), np.float32)
    for place, expert in enumerate(shares):
        # Not by BLAS: of so few rows its threads cost more than the sums, which would hang on them.
        raw = np.einsum("ij,j->i", listed.rows, weights[expert])
        raw = raw + own_marks if expert == REMEMBERED else raw
        scores[:, place] = Scale.of(raw)(raw)
    if tuple(shares) == (PLAIN,):
        served = scores[:, 0]
    else:
        served = (scores.astype(np.float64) @ np.array([*shares.values()])).astype(np.float32)
    order = np.argsort(-served, kind="stable").astype(np.int32)
    opinions = Opinions(tuple(shares), where, scores, served)
    return RankedList(listed, order, opinions, shares, weights, own_marks)
