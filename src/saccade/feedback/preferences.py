"""Reactions into preferences: who should stand before whom.

    liked ≻ disliked                   said in this search session, now or before
    liked ≻ skipped above it           when nothing was disliked in the session
    left alone below it ≻ disliked     when nothing was liked in the session

The last two read the page as a person does, from the top (Joachims 2002): what was passed over on
the way to a liked picture was worth less. A like at rank one so changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Pair = tuple[str, str]  # (winner, loser) image ids

# A round of 50 judged gives at most 625 pairs. A thousand judged at once would give 250,000 that
# say little more than an even sample of them.
MOST = 4096


@dataclass(frozen=True, slots=True)
class Judged:
    """What one session has said so far, in the order of the page it was said on."""

    liked: tuple[str, ...] = ()
    disliked: tuple[str, ...] = ()


def preferences(page: Sequence[str], new: Judged, earlier: Judged) -> tuple[Pair, ...]:
    """Pairs that follow from a reaction to `page` (image ids, best first).

    >>> preferences("abc", Judged(liked=("c",), disliked=("a",)), Judged())
    (('c', 'a'),)
    >>> preferences("abc", Judged(liked=("b",)), Judged())
    (('b', 'a'),)
    >>> preferences("abc", Judged(liked=("a",)), Judged())
    ()
    """
    pairs = _stated(new, earlier)
    if not pairs:
        judged = {*new.liked, *new.disliked, *earlier.liked, *earlier.disliked}
        pairs = _implied(page, new, judged)
    return tuple(_thinned(pairs))


def stated(new: Judged, earlier: Judged) -> bool:
    """Whether likes meet dislikes, so that nothing has to be read into the page's order.

    >>> stated(Judged(liked=("a",)), Judged(disliked=("b",)))
    True
    >>> stated(Judged(liked=("a",)), Judged(liked=("b",)))
    False
    """
    return bool(_stated(new, earlier))


def _stated(new: Judged, earlier: Judged) -> list[Pair]:
    # A new word on a picture replaces the old one.
    said = {*new.liked, *new.disliked}
    old_liked = [image for image in earlier.liked if image not in said]
    old_disliked = [image for image in earlier.disliked if image not in said]
    pairs = [(a, b) for a in new.liked for b in (*new.disliked, *old_disliked)]
    return pairs + [(a, b) for a in old_liked for b in new.disliked]


def _implied(page: Sequence[str], new: Judged, judged: set[str]) -> list[Pair]:
    place = {image: i for i, image in enumerate(page)}
    above = [(a, b) for a in new.liked for b in page[: place[a]] if b not in judged]
    below = [(a, b) for b in new.disliked for a in page[place[b] + 1 :] if a not in judged]
    return above + below


def _thinned(pairs: list[Pair]) -> list[Pair]:
    if len(pairs) <= MOST:
        return pairs
    step = len(pairs) / MOST
    return [pairs[int(i * step)] for i in range(MOST)]
