"""What the loops of `saccade.kernels.inverted` are given: a few tuples instead of many arrays.

A compiled function reads a named tuple as it reads its arguments. They stand apart from the loops,
so that code which only builds them does not load numba.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Lists(NamedTuple):
    """The postings of one segment."""

    words: Any  # [u] ascending
    offsets: Any  # [u + 1]
    packed: Any  # [p]
    large: Any  # [l, 2] place and count


class Terms(NamedTuple):
    """What a shared word adds: how, and with which numbers of the query and of the images."""

    kind: Any
    query: Any  # [q], one per word of the query
    gain: Any  # [q]
    factor: Any  # [slots]
    binary: Any
    discount: Any


class Finish(NamedTuple):
    """How a total becomes a score, with the extremes that let images be turned away early."""

    kind: Any
    level: Any
    scale: Any  # [slots]
    prior: Any  # [slots]
    highest_scale: Any
    kindest_prior: Any


class Slots(NamedTuple):
    """The images: what they have gathered so far, whether they live, and their rows."""

    totals: Any  # all zero before and after a search
    alive: Any
    rows: Any


class Best(NamedTuple):
    """The best so far, a heap with the worst on top; ties go to the lower row."""

    scores: Any
    rows: Any
