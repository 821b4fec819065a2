"""Reactions into preferences: who should stand before whom.

    liked ≻ disliked                   said in this search session, now or before
    liked ≻ skipped just above it      when nothing was disliked in the session
    left alone just below it ≻ disliked     when nothing was liked in the session

The last two read the page as a person does, from the top (Joachims 2002): what was passed over on
the way to a liked picture was worth less. They are read into the page, not said, so a mark alone
gives at most `ALONE` of them. A mark among others is in at most `EACH` pairs of an event, with
those nearest to it on the page: one ✕ on a page of thirty ✓ is one opinion and not thirty.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Pair = tuple[str, str]  # (winner, loser) image ids
Mark = tuple[int, str]  # place on the page, image id

EACH = 5
ALONE = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """What one session has said so far, in the order of the page it was said on."""

    liked: tuple[str, ...] = ()
    disliked: tuple[str, ...] = ()
    preferred: tuple[Pair, ...] = ()  # said of two, the newest last

    @property
    def anything(self) -> bool:
        """Whether anything was said."""
        return bool(self.liked or self.disliked or self.preferred)


def preferences(page: Sequence[str], new: Judged, earlier: Judged) -> tuple[Pair, ...]:
    """Pairs that follow from a reaction to `page` (image ids, best first), nearest first.

    >>> preferences("abc", Judged(liked=("c",), disliked=("a",)), Judged())
    (('c', 'a'),)
    >>> preferences("abc", Judged(liked=("b",)), Judged())
    (('b', 'a'),)
    >>> preferences("abc", Judged(liked=("a",)), Judged())
    ()
    """
    if stated(new, earlier):
        return _stated(page, new, earlier)
    return _implied(page, new, {*new.liked, *new.disliked, *earlier.liked, *earlier.disliked})


def stated(new: Judged, earlier: Judged) -> bool:
    """Whether likes meet dislikes, so that nothing has to be read into the page's order.

    >>> stated(Judged(liked=("a",)), Judged(disliked=("b",)))
    True
    >>> stated(Judged(liked=("a",)), Judged(liked=("b",)))
    False
    """
    old = _standing(new, earlier)
    return bool(
        (new.liked and (new.disliked or old.disliked)) or (new.disliked and old.liked)
    )  # fmt: skip


def _standing(new: Judged, earlier: Judged) -> Judged:
    """Earlier words that still stand: a new word on a picture replaces the old one."""
    marked = {*new.liked, *new.disliked}
    return Judged(
        tuple(image for image in earlier.liked if image not in marked),
        tuple(image for image in earlier.disliked if image not in marked),
    )


def _stated(page: Sequence[str], new: Judged, earlier: Judged) -> tuple[Pair, ...]:
    old = _standing(new, earlier)
    place = {image: i for i, image in enumerate(page)}
    # What was said on an earlier page may not be on this one: it counts as if it came after it.
    liked = sorted((place.get(a, len(page)), a) for a in (*new.liked, *old.liked))
    disliked = sorted((place.get(b, len(page)), b) for b in (*new.disliked, *old.disliked))
    fresh = {*new.liked, *new.disliked}
    near = {(abs(i - j), min(i, j), a, b) for (i, a), (j, b) in _near(liked, disliked, fresh)}
    near |= {(abs(i - j), min(i, j), a, b) for (j, b), (i, a) in _near(disliked, liked, fresh)}
    taken: Counter[str] = Counter()
    pairs = []
    for _, _, a, b in sorted(near):
        if taken[a] < EACH and taken[b] < EACH:
            taken.update((a, b))
            pairs.append((a, b))
    return tuple(pairs)


def _near(marks: list[Mark], others: list[Mark], fresh: set[str]) -> Iterator[tuple[Mark, Mark]]:
    """Each mark with those of the other kind around it, at least one of the two `fresh`.

    They are enough that `EACH` are left when some are full.
    """
    new = [place for place, (_, image) in enumerate(others) if image in fresh]
    for mark in marks:
        middle = bisect_left(others, mark)
        first, last = max(0, middle - 4 * EACH), min(len(others), middle + 4 * EACH)
        if mark[1] in fresh:
            around: Sequence[int] = range(first, last)
        else:
            around = new[bisect_left(new, first) : bisect_left(new, last)]
        for place in around:
            yield mark, others[place]


def _implied(page: Sequence[str], new: Judged, judged: set[str]) -> tuple[Pair, ...]:
    place = {image: i for i, image in enumerate(page)}
    pairs: list[Pair] = []
    # A mark on a picture of an earlier page says nothing about the order of this one.
    for a in (a for a in new.liked if a in place):
        skipped = [b for b in page[: place[a]] if b not in judged]
        pairs += [(a, b) for b in skipped[::-1][:ALONE]]
    for b in (b for b in new.disliked if b in place):
        left = [a for a in page[place[b] + 1 :] if a not in judged]
        pairs += [(a, b) for a in left[:ALONE]]
    return tuple(pairs)
