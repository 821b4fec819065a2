"""Company: two pictures are of one kind when they keep the same company.

    company(a) = the rows that hold 3/4 of what spreads from a, and a itself; 100 at most
    likeness(a, b) = Σ √f_a(i) √f_b(i)       over the rows i in both, each √f of length 1

A spread from one picture reaches its kind and, through a few wrong links, others; what is reached
by mistake has its own company elsewhere. So pictures that a spread found are weighed again by how
far their own spreads end in the same place. How many rows a company has is where f has fallen to
little, not how large a kind is; the bound of 100 is for memory alone.

Only the head of each spread is needed, so it is pushed less far than one that ranks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.indexes.evidence import Bent
from saccade.indexes.graph import Graph
from saccade.indexes.spread import ALPHA, Spread
from saccade.kernels.ragged import offsets_of
from saccade.types import Array, Arrays, Rows, Scores

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SHARE = 0.75
"""Of what is spread beside what stays at its source. From .65 to .85 nothing changes by more than
.003 of average precision (results/start.md)."""
MOST = 100
"""Two companies have fewer rows than a byte can tell apart."""
LEAST, BUDGET = 1e-5, 100_000
"""How far a spread is pushed for a company: some 0.3 ms a picture."""
ROUNDS = 2
"""How many links far a bent one is felt."""

Members = tuple[Rows, NDArray[np.float32]]


@dataclass(frozen=True, slots=True, eq=False)
class Companies:
    """The company of every row of a graph, side by side."""

    offsets: NDArray[np.int64]  # [n + 1]
    members: NDArray[np.int32]  # [m] by row
    values: NDArray[np.float32]  # [m] squares of a row sum to 1

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(cls, graph: Graph, rows: Rows | None = None) -> Companies:
        """The company of some rows of a graph, of all unless given.

        >>> vectors = np.array([[1, 0], [.8, .6], [0, -1], [-.6, -.8]], np.float32)
        >>> found = Companies.of(Graph.build(vectors.__getitem__, np.ones(4, bool)))
        >>> [found.at(row)[0].tolist() for row in range(4)]
        [[0, 1], [0, 1], [2, 3], [2, 3]]
        """
        from saccade.kernels.spread import company

        laid = graph.layout
        asked = np.arange(len(graph)) if rows is None else np.asarray(rows, np.int64)
        offsets, places, values = company(
            laid.offsets, laid.neighbours, laid.weights, laid.root, laid.places[asked],
            ALPHA, LEAST, BUDGET, SHARE, MOST,
        )  # fmt: skip
        members, own = laid.rows[places], np.repeat(np.arange(len(asked)), np.diff(offsets))
        order = np.lexsort((members, own))  # by row again: places are in another order
        return cls(offsets, members[order].astype(np.int32), values[order])

    def at(self, row: int) -> Members:
        """The company of one row."""
        part = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        return self.members[part].astype(np.int64), np.asarray(self.values[part], np.float32)

    def likeness(self, company: Members, rows: Rows) -> Scores:
        """How far some rows keep a company, 0..1."""
        from saccade.kernels.spread import shared_company

        own, out = np.zeros(len(self), np.float32), np.zeros(len(rows), np.float32)
        own[company[0]] = company[1]
        shared_company(own, self.offsets, self.members, self.values, rows, out)
        return out

    def likenesses(self, rows: Rows, others: Rows) -> NDArray[np.float32]:
        """How far each of some rows keeps the company of each other, [rows, others]."""
        return np.asarray((self._sparse(rows) @ self._sparse(others).T).toarray(), np.float32)

    def _sparse(self, rows: Rows) -> csr_array:
        """The companies of some rows, [rows, all]."""
        from scipy.sparse import csr_array  # late: importing saccade must stay quick

        starts, sizes = self.offsets[rows], np.diff(self.offsets)[rows]
        bounds = offsets_of(sizes)
        at = np.arange(bounds[-1]) + np.repeat(starts - bounds[:-1], sizes)
        shape = len(rows), len(self)
        return csr_array((self.values[at], self.members[at], bounds.astype(np.int32)), shape=shape)

    def likeness_along(
        self, before: Members, now: Members, rows: Rows, graph: Graph, over: Bent, sure: Rows
    ) -> tuple[Scores, Scores]:
        """How far rows keep one company by links as they were, and another as evidence bends them.

        A company is what spreads from a picture, and that is what spreads from those it is linked
        with, in parts. So a bent picture's is not found anew: what its links now say of it more or
        less than they did is added to what it had. `sure` are rows that keep the company in full;
        who is not among `rows` keeps none.
        """
        from saccade.kernels.evidence import company_along

        laid, which = graph.layout, np.zeros(len(self), np.uint8)  # 0 is in neither
        few = np.union1d(before[0], now[0])
        which[few] = np.arange(1, len(few) + 1)
        companies = np.zeros((len(few) + 1, 2), np.float32)
        for place, (members, values) in enumerate((before, now)):
            companies[which[members], place] = values
        first, second = company_along(
            which, companies, self.offsets, self.members, self.values, laid.rows, laid.offsets,
            laid.neighbours, laid.weights, over.over, over.links, laid.places[sure],
            laid.places[rows], ROUNDS,
        )  # fmt: skip
        return first, second

    def renewed(self, graph: Graph, alive: NDArray[np.bool_]) -> Companies:
        """The companies after rows came or died: of those rows, and of all that are near them.

        What is further away keeps the company it had; a spread hardly feels what is so far.
        """
        count = len(graph)
        sizes = np.zeros(count, np.int64)
        sizes[: len(self)] = np.diff(self.offsets)
        new = np.flatnonzero((sizes <= 1) & graph.linked(np.arange(count)))
        owners = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        bereft = owners[~alive[self.members]]
        near = Companies.of(graph, new).members
        stale = np.unique(np.concatenate([new, bereft, near])).astype(np.int64)
        stale = np.union1d(stale, np.flatnonzero(sizes == 0))
        if 2 * len(stale) > count:
            return Companies.of(graph)
        return self._replaced(Companies.of(graph, stale), stale, count)

    def _replaced(self, other: Companies, rows: Rows, count: int) -> Companies:
        """With the companies of some rows taken from another, in a table of `count` rows."""
        parts: list[Members] = [self.at(row) for row in range(len(self))]
        parts += [(np.zeros(0, np.int64), np.zeros(0, np.float32))] * (count - len(self))
        for place, row in enumerate(rows.tolist()):
            parts[row] = other.at(place)
        return Companies(
            offsets_of([len(members) for members, _ in parts]),
            np.concatenate([members for members, _ in parts]).astype(np.int32),
            np.concatenate([values for _, values in parts]).astype(np.float32),
        )

    def arrays(self) -> dict[str, Array]:
        """What must be kept to have them again."""
        return {"offsets": self.offsets, "members": self.members, "values": self.values}

    @classmethod
    def load(cls, arrays: Arrays) -> Companies:
        """What `arrays` gave; raises InvalidInput where that cannot be companies."""
        try:
            offsets, members, values = (arrays[n] for n in ("offsets", "members", "values"))
        except KeyError as error:
            raise _damaged(f"no array {error.args[0]!r}") from error
        if not (offsets.dtype == np.int64 and members.dtype == np.int32):
            raise _damaged("an array has another form")
        if values.dtype != np.float32 or len(members) != len(values):
            raise _damaged("an array has another form")
        if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(members):
            raise _damaged("its offsets do not add up")
        if (np.diff(offsets) < 0).any():
            raise _damaged("its offsets do not add up")
        if len(members) and not 0 <= members.min() <= members.max() < len(offsets) - 1:
            raise _damaged("a member is no row")
        if not ((values >= 0.0) & (values <= 1.0 + 1e-3)).all():
            raise _damaged("a value is not in [0, 1]")
        return cls(np.asarray(offsets), np.asarray(members), np.asarray(values))


def of_spread(reached: Spread) -> Members:
    """The company of a picture from outside, from what spreads from it.

    >>> rows, values = of_spread(Spread(np.array([2, 5, 9]), np.array([6.0, 3.0, 0.1]), 12, 1.0))
    >>> rows.tolist(), [round(float(v) ** 2, 2) for v in values]
    ([2, 5], [0.67, 0.33])
    """
    order = np.argsort(-reached.values, kind="stable")[:MOST]
    order = order[reached.values[order] > 0.0]
    sums = np.cumsum(reached.values[order])
    members = order[: int(np.searchsorted(sums, SHARE * np.maximum(reached.values, 0.0).sum())) + 1]
    members = np.sort(members)
    values = np.sqrt(reached.values[members] / max(float(reached.values[members].sum()), 1e-300))
    return reached.rows[members], values.astype(np.float32)


def _damaged(why: str) -> InvalidInput:
    return InvalidInput(f"the companies of pictures are damaged: {why}", hint="build them again")
