"""Every row of the index table against the whole suite, and the suite against a liar."""

from __future__ import annotations

import numpy as np
import pytest

from saccade import indexes
from saccade.checks.indexes import INDEX_CHECKS, check_index
from saccade.contracts import Index

CASES = [(name, {}) for name in indexes.INDEXES] + [("lsh", {"bits": 100, "seed": 7})]


@pytest.mark.parametrize("check", INDEX_CHECKS, ids=lambda check: check.__name__[6:])
@pytest.mark.parametrize(("name", "options"), CASES, ids=lambda value: str(value))
def test_an_index_keeps_its_promises(name, options, check):
    """What `saccade.contracts.Index` says, `name` does."""
    check(lambda dimension: indexes.make(name, dimension, **options))


class Padded:
    """An index that pads its answers."""

    def __init__(self, dimension: int) -> None:
        self.inner: Index = indexes.make("flat", dimension)

    def add(self, rows, vectors):
        self.inner.add(rows, vectors)

    def search(self, query, k):
        rows, similarities = self.inner.search(query, k)
        missing = k - len(rows)
        return (
            np.concatenate([rows, np.full(missing, -1)]),
            np.concatenate([similarities, np.zeros(missing, np.float32)]),
        )


def test_padding_is_noticed():
    """The suite fails an index that fills up its answers."""
    with pytest.raises(AssertionError, match="an empty index found something"):
        check_index(Padded)
