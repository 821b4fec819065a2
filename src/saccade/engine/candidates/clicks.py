"""How clicks are read: who is shown first is clicked first, and that says nothing of what is right.

    P(click at place r) = θ_r γ        θ_r = 1 / r: seen at all        γ: clicked when it was seen

The position-based click model (Richardson, Dominowska & Ragno 2007) with the places' chances of
Joachims, Swaminathan & Schnabel, "Unbiased Learning-to-Rank with Biased Feedback" (2017): each
click is weighted by 1 / θ_r, so that the sum over many is what it would be had every place been
looked at alike. A click is held against what was shown beside it, clicked or not: what was not
seen and what was not wanted are then on both sides of the scales, and cancel.

    worth_r = θ_K / θ_r = min(r, K) / K        K = 10: below it nobody can tell, so it stays there

A click on the first of a page is worth a tenth of one on the tenth. What is bought counts thrice.
"""

from __future__ import annotations

from collections.abc import Sequence

PLACES = 10
STRENGTH = {"clicked": 1.0, "bought": 3.0}
"""Ways to choose something without saying that it is right, and how much each says of it."""
PAIRS = 3.0
"""As many pairs as a mark alone: what a click of worth 1 teaches, whatever the length of a page."""
RIVALS = 50
"""What a click is held against, at most."""


def worth(sort: str, place: int) -> float:
    """What a click at a place (0 is the first) is worth.

    >>> [worth("clicked", place) for place in (0, 4, 9, 99)], worth("bought", 0)
    ([0.1, 0.5, 1.0, 1.0], 0.3)
    """
    return STRENGTH[sort] * min(place + 1, PLACES) / PLACES


def rivals(shown: Sequence[str], place: int, most: int = RIVALS) -> tuple[str, ...]:
    """What was shown beside the one at a place; of many, some from all over the page.

    >>> rivals("abcde", 1), rivals("abcde", 1, most=2)
    (('a', 'c', 'd', 'e'), ('a', 'd'))
    """
    others = [*shown[:place], *shown[place + 1 :]]
    count = min(most, len(others))
    return tuple(others[number * len(others) // count] for number in range(count))
