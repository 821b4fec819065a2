"""A typed text as terms: words and phrases with signs, each with what it means.

    red bus -driver "route master"   →   red (a colour), bus (3 kinds), not driver, route master

The longest phrase that the lexicon knows is one term; `-` before a word means not; quotation marks
keep words together; small words are left out. Names of folders are read as well (003.fire-truck):
a number before a name says nothing, and a word with hyphens that nobody knows is several words. One
slip of the pen in a word that nobody knows is mended (lilly: lily), and said. A term that means
nothing here is kept: it may be the name of a file, a tag, or a word that somebody taught.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from saccade.errors import InvalidInput
from saccade.lexicon.colours import COLOURS
from saccade.lexicon.forms import slips
from saccade.lexicon.lexicon import Lexicon, Weights, WordEntry

LONGEST = 500
_PHRASE = 4  # words in one, at most
_BESIDE = 0.3
_FULL = 0.3
_SHORT = 4
_SYLLABLE = 3

_PIECES = re.compile(r'(?<!\S)([-−–]?)(?:["“”„«»]([^"“”„«»]+)["“”„«»]|([^\s"“”„«»]+))')
_NUMBERED = re.compile(r"(?<![^\s-])(-?)\d+[.)](?=[^\W\d])")
_EDGES = ".,;:!?()[]{}<>*+=~`'’‘|&%$#@^…"
_SMALL = frozenset(
    re.findall(
        r"\w+",
        """a about all an and any are as at be by for from has have i in into is it its me more my
        no not of on or our out over photo photograph photographs photos pic pics picture pictures
        image images show some that the their them there these this those to under up was we were
        what which who with without you your""",
    )
)
"""Words that name nothing, or what everything here is."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase of a text."""

    text: str  # as it was typed, in small letters
    word: str  # as the lexicon has it, or as it was typed
    wanted: bool = True
    colour: str = ""
    kinds: Weights = field(default_factory=dict)
    near: Weights = field(default_factory=dict)
    named_share: float = 0.0  # to what share of its meanings it names kinds
    strength: float = 0.0  # how much the near kinds have behind them
    mended: bool = False  # whether it was read as another word than the one typed

    @property
    def understood(self) -> bool:
        """Whether the lexicon says anything of it."""
        return bool(self.colour or self.kinds or self.near)


@dataclass(frozen=True, slots=True)
class Meaning:
    """A text as terms."""

    text: str
    terms: tuple[Term, ...]

    @property
    def wanted(self) -> tuple[Term, ...]:
        """What is looked for."""
        return tuple(term for term in self.terms if term.wanted)

    @property
    def unwanted(self) -> tuple[Term, ...]:
        """What is not."""
        return tuple(term for term in self.terms if not term.wanted)

    @property
    def word(self) -> str:
        """What is looked for as one word or phrase: the name under which it can be taught."""
        return " ".join(term.word for term in self.wanted)

    def weight(self, term: Term) -> float:
        """What a term counts for beside the others, 0..1.

        One that names kinds counts in full, as does a colour; of a word near some kinds it depends
        on how much is behind it, and beside one that names kinds it only tips the scales.
        """
        if term.kinds or term.colour:
            return 1.0
        behind = min(1.0, max(0.1, term.strength / _FULL))
        named = any(other.kinds for other in self.terms if other.wanted == term.wanted)
        return behind * (_BESIDE if named else 1.0)


def read(text: str, lexicon: Lexicon | None = None) -> Meaning:
    """A text as terms.

    >>> [(term.word, term.wanted) for term in read("traffic lights -cars").terms]
    [('traffic light', True), ('car', False)]

    Raises:
        InvalidInput: it is empty, too long, or says nothing that can be looked for.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"cannot look for a {type(text).__name__}", hint="give words as text")
    return _read(text, lexicon)


def _read(text: str, lexicon: Lexicon | None) -> Meaning:
    lexicon = Lexicon.shipped() if lexicon is None else lexicon
    pieces = list(_pieces(_checked(text), lexicon))
    terms = tuple(_terms(pieces, lexicon))
    if not terms:
        raise InvalidInput(
            f"nothing to look for in {_short(text)!r}", hint="name a thing: elephants, red bus"
        )
    if not any(term.wanted for term in terms):
        raise InvalidInput(
            f"{_short(text)!r} only says what is not wanted",
            hint="say what to look for as well: horses -rider",
        )
    colours = [term for term in terms if term.wanted and not term.colour]
    return Meaning(
        " ".join(text.split()),
        tuple(_coloured(term, alone=not colours) for term in terms),
    )


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    wanted: bool
    quoted: bool
    run: int  # pieces of one run stand side by side with one sign


def _checked(text: str) -> str:
    if len(text) > LONGEST:
        raise InvalidInput(
            f"the text has {len(text)} characters; at most {LONGEST} are read",
            hint="say it in a few words",
        )
    if any(unicodedata.category(sign) in ("Cc", "Cs") and not sign.isspace() for sign in text):
        raise InvalidInput("the text has control characters in it", hint="type plain words")
    if not text.strip():
        raise InvalidInput("empty text", hint="say in words what to look for")
    # What directs letters and joins them is seen by nobody, and would hide a word.
    seen = "".join(sign for sign in text if unicodedata.category(sign) != "Cf")
    plain = unicodedata.normalize("NFKC", seen).casefold().replace("_", " ").replace("/", " ")
    return _NUMBERED.sub(r"\1", plain)


def _pieces(text: str, lexicon: Lexicon) -> Iterator[_Piece]:
    run, before = 0, True
    for sign, quoted, bare in _PIECES.findall(text):
        phrase = " ".join((quoted or bare).split()).strip(_EDGES if not quoted else " ")
        phrase = phrase.strip("-−–")
        if not any(letter.isalnum() or ord(letter) > 0x2000 for letter in phrase):
            run += 1
            continue
        if quoted or sign or bool(sign) == before:
            run += 1
        before = not sign
        for part in [phrase] if quoted else _unhyphened(phrase, lexicon):
            yield _Piece(part, not sign, bool(quoted), run)


def _unhyphened(phrase: str, lexicon: Lexicon) -> list[str]:
    """A word with hyphens that nobody knows, apart where its last part is known."""
    parts = [part for part in phrase.split("-") if part]
    words = min(map(len, parts)) >= _SYLLABLE and parts[-1] in lexicon  # and no x-ray
    return parts if words and phrase not in lexicon else [phrase]


def _terms(pieces: Sequence[_Piece], lexicon: Lexicon) -> Iterator[Term]:
    at = 0
    while at < len(pieces):
        size, entry, mended = _longest(pieces, at, lexicon)
        here = pieces[at : at + size]
        at += size
        phrase = " ".join(piece.text for piece in here)
        if size == 1 and phrase in _SMALL and not here[0].quoted:
            continue
        yield _term(phrase, here[0].wanted, entry, mended)


def _longest(
    pieces: Sequence[_Piece], at: int, lexicon: Lexicon
) -> tuple[int, WordEntry | None, bool]:
    """How many pieces from here are one term, its entry, and whether that mends a slip."""
    if pieces[at].quoted:
        return 1, lexicon.find(pieces[at].text), False
    run = [piece for piece in pieces[at : at + _PHRASE] if piece.run == pieces[at].run]
    words = [piece.text for piece in run]
    for size in range(len(words), 0, -1):
        if (entry := lexicon.find(" ".join(words[:size]))) is not None:
            return size, entry, False
        if size <= 2 and (entry := _mended(words[:size], lexicon)) is not None:
            return size, entry, True
    return 1, None, False


def _mended(words: Sequence[str], lexicon: Lexicon) -> WordEntry | None:
    """The commonest phrase that differs by one slip in a word that is not known itself."""
    entries: list[WordEntry] = []
    for i, word in enumerate(words):
        if len(word) < _SHORT or not word.isascii() or word in lexicon or word in COLOURS:
            continue
        for slip in dict.fromkeys(slips(word)):
            entry = lexicon.find(" ".join([*words[:i], slip, *words[i + 1 :]]))
            if entry is not None:
                entries.append(entry)
    return max(entries, key=lambda entry: entry.commonness, default=None)


def _term(phrase: str, wanted: bool, entry: WordEntry | None, mended: bool) -> Term:
    colour = COLOURS.get(phrase, "")
    if entry is None or (colour and not entry.kinds):  # "green" is a colour and no lawn
        return Term(phrase, phrase, wanted, colour)
    return Term(
        phrase,
        entry.text,
        wanted,
        colour,
        entry.kinds,
        entry.near,
        entry.named_share,
        entry.strength,
        mended,
    )


def _coloured(term: Term, *, alone: bool) -> Term:
    """A colour that also names a thing is only the colour beside other words: an orange bus."""
    if not term.colour or alone or not term.kinds:
        return term
    return Term(term.text, term.text, term.wanted, term.colour)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= 40 else plain[:39] + "…"
