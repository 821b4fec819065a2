"""Forms of a noun: what it may be the plural of, and what is spelled almost like it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

ENDINGS = (
    ("s", ""),
    ("ses", "s"),
    ("xes", "x"),
    ("zes", "z"),
    ("ches", "ch"),
    ("shes", "sh"),
    ("ies", "y"),
    ("ves", "f"),
    ("ves", "fe"),
    ("men", "man"),
)
"""Plural and singular endings of regular nouns."""


def singulars(phrase: str, irregular: Mapping[str, str]) -> Iterator[str]:
    """The phrase itself, then what its last word may be the plural of.

    >>> list(singulars("double-decker buses", {}))
    ['double-decker buses', 'double-decker buse', 'double-decker bus']
    >>> list(singulars("mice", {"mice": "mouse"}))
    ['mice', 'mouse']
    """
    yield phrase
    before, space, last = phrase.rpartition(" ")
    if last in irregular:
        yield before + space + irregular[last]
    if last.endswith("ss"):
        return
    for plural, singular in ENDINGS:
        if last.endswith(plural) and len(last) > len(plural) + 1:
            yield before + space + last.removesuffix(plural) + singular


def squeezed(phrase: str) -> str:
    """Without spaces, hyphens and apostrophes: people write one name in several ways.

    >>> squeezed("ice-cream"), squeezed("sea horse"), squeezed("carpenter's kit")
    ('icecream', 'seahorse', 'carpenterskit')
    """
    return phrase.translate({ord(sign): None for sign in " -'’."})


def slips(word: str) -> Iterator[str]:
    """The word with one slip of the pen mended: a letter doubled or not, two letters swapped.

    >>> "lily" in slips("lilly"), "giraffe" in slips("girafe"), "horse" in slips("hosre")
    (True, True, True)
    """
    for i in range(1, len(word)):
        if word[i] == word[i - 1]:
            yield word[:i] + word[i + 1 :]
        else:
            yield word[: i - 1] + word[i] + word[i - 1] + word[i + 1 :]
    for i, letter in enumerate(word):
        yield word[:i] + letter + word[i:]


def distance(one: str, other: str, most: int) -> int:
    """Letters to insert, leave out, change or swap with the next; `most` + 1 where it is more.

    >>> distance("elefant", "elephant", 3), distance("hosre", "horse", 2), distance("a", "xyz", 1)
    (2, 1, 2)
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        row = [i]
        for j, wanted in enumerate(other, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)
