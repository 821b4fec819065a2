"""What typed words mean to somebody who looks for pictures.

    text ─ words, phrases, signs ─ kinds of things, kinds near them, colours ─ weights

A kind is one of the thousand things a classifier knows, by its number. English nouns are known:
those that name kinds (dog, fruit, vehicle), and those near some (street, party). What is not known
is said, with the nearest words that are; it can be looked for in names, and it can be taught.

    lexicon      the words, as the package ships them
    forms        singular and plural, several words and one
    reading      a text as terms with signs
    describing   what a picture shows, in words
    colours      the eleven colours that have names everywhere
"""

from __future__ import annotations

from saccade.lexicon.describing import ShownKind, describe
from saccade.lexicon.lexicon import KINDS, Lexicon, Weights, WordEntry
from saccade.lexicon.reading import Meaning, Term, read

__all__ = [
    "KINDS",
    "Lexicon",
    "Meaning",
    "ShownKind",
    "Term",
    "Weights",
    "WordEntry",
    "describe",
    "read",
]
