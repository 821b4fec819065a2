"""What a new collection starts from: the shares of its links, and the weights of its schemes.

    shares    how much each descriptor counts where the neighbour graph links pictures
    start     the weight of each scheme before anything is learned

With links by a blend of descriptors, `embedding:spread` ranks better than any scheme that compares
two pictures alone and than any mixture of it with them that was tried; `embedding:company` weighs
again what was reached by mistake; `words:standout` speaks up where a picture is recognised and is
silent elsewhere. So a search starts from these three, and other schemes have no weight until
somebody teaches them one. Without a graph the shares weigh the cosines of the same descriptors.

Which descriptors have a share comes from `benchmarks/prior.py` (results/prior.md); how much of one,
and the weights, from `benchmarks/start.py` (results/start.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from saccade.types import Scheme

SPREAD, COMPANY, STANDOUT = "spread", "company", "standout"
"""The similarities that only some descriptors have."""

LEARNED = "embedding"
"""The kind of descriptor that was learned from many pictures: one has the lead."""

SHARES = {"color-correlogram": 0.07, "edge-directions": 0.03, "gist": 0.2}
"""Beside an embedding, which has 1."""

ALONE = {
    "color-histogram": 0.05,
    "color-moments": 0.3,
    "color-correlogram": 0.1,
    "edge-directions": 0.2,
    "gabor-texture": 0.1,
    "lbp": 0.05,
    "gist": 0.3,
    "cortex": 0.05,
}
"""Where there is no embedding."""

OTHER = 0.05
"""A hand-made descriptor that no table knows, where there is no embedding."""

_LOOKS = {SPREAD: 1.0, COMPANY: 1.0, STANDOUT: 0.6}

TEXT = "text"
"""What words are compared by has this name in place of a descriptor's."""
WORDS = {"kinds": 1.0, "near": 1.0, "names": 1.0, "colour": 0.5, "taught": 0.5}
"""What speaks for a picture where words are looked for: kinds of things that they name, kinds near
them, names that somebody gave, colours, and what people taught. Beside a picture, words count as
much as it does."""


def shares(kinds: Mapping[str, str]) -> dict[str, float]:
    """The share of each descriptor in the links, given every descriptor's kind.

    >>> shares({"embedding": "embedding", "gist": "shape", "words": "words"})
    {'embedding': 1.0, 'gist': 0.2}
    """
    learned = [name for name, kind in kinds.items() if kind == LEARNED]
    if learned:
        shares = {name: 1.0 / len(learned) for name in learned}
        return shares | {name: share for name, share in SHARES.items() if name in kinds}
    hand_made = [name for name, kind in kinds.items() if kind != "words"]
    if any(name in ALONE for name in hand_made):
        return {name: ALONE[name] for name in hand_made if name in ALONE}
    return dict.fromkeys(hand_made, OTHER)


def rooted(kinds: Mapping[str, str]) -> tuple[str, ...]:
    """The descriptors that count by their signed roots: those made by hand."""
    return tuple(name for name, kind in kinds.items() if kind != LEARNED)


def start(schemes: Sequence[Scheme], kinds: Mapping[str, str]) -> dict[str, float]:
    """Weights of these schemes before learning; they average 1.

    >>> some = [Scheme.parse(s) for s in ("gist:l1", "embedding:spread", "words:standout")]
    >>> weights = start(some, {"embedding": "embedding", "gist": "shape", "words": "words"})
    >>> {name: round(weight, 3) for name, weight in weights.items()}
    {'gist:l1': 0.0, 'embedding:spread': 1.875, 'words:standout': 1.125}
    """
    raw = {str(scheme): _weight(scheme) for scheme in schemes}
    if not any(s.similarity == SPREAD for s in schemes):
        # The cosines that the links would have been made by; of what is left, all alike.
        links = shares(kinds)
        for scheme in schemes:
            if scheme.similarity == "cosine":
                raw[str(scheme)] = links.get(scheme.descriptor, 0.0)
    if not any(raw.values()):
        raw = {str(scheme): 1.0 for scheme in schemes}
    total = sum(raw.values())
    return {name: weight * len(raw) / total for name, weight in raw.items()}


def _weight(scheme: Scheme) -> float:
    table = WORDS if scheme.descriptor == TEXT else _LOOKS
    return table.get(scheme.similarity, 0.0)
