"""What people wrote into a picture's file: titles, comments and keywords of its EXIF block.

    JPEG     a segment APP1 that begins with "Exif"
    PNG      a chunk eXIf          WebP   a chunk EXIF          TIFF   the file itself

The block is a small TIFF file (EXIF 2.32, 4.5–4.6): directories of 12-byte entries. Everything in
it comes from outside, so every length and every offset is held to what is there, and nothing is
followed twice. Text that a camera writes by itself says nothing of the picture and is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

Order = Literal["little", "big"]

HEAD = 2**18
"""Bytes of a file that are looked at; an EXIF block stands near its beginning."""
LONGEST = 2000

_DIRECTORY = 0x8769  # where the second directory is
_ENTRIES = 200
_BYTES = (1, 2, 7)  # types of values that are bytes: numbers, ASCII, undefined
_BY_ITSELF = re.compile(r"\bdigital camera\b|^(dsc|img|default)\W*\d*$", re.IGNORECASE)


def caption(data: bytes) -> str:
    """What was written into the file that begins with these bytes; empty where nothing was.

    >>> caption(b"no picture")
    ''
    """
    texts: list[str] = []
    for block in _blocks(data[:HEAD]):
        for text in _texts(block):
            if text and text not in texts and not _BY_ITSELF.search(text):
                texts.append(text)
    return "; ".join(texts)[:LONGEST]


def _blocks(data: bytes) -> Iterator[bytes]:
    """The EXIF blocks of a file."""
    if data[:2] == b"\xff\xd8":
        yield from _of_jpeg(data)
    elif data[:8] == b"\x89PNG\r\n\x1a\n":
        yield from _chunks(data, 8, b"eXIf", "big", named_first=False, around=12)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        yield from _chunks(data, 12, b"EXIF", "little", named_first=True, around=8)
    elif data[:4] in (b"II*\0", b"MM\0*"):
        yield data


def _of_jpeg(data: bytes) -> Iterator[bytes]:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF and data[at + 1] != 0xDA:  # until the pixels
        size = int.from_bytes(data[at + 2 : at + 4])
        if data[at + 1] == 0xE1 and data[at + 4 : at + 10] == b"Exif\0\0":
            yield data[at + 10 : at + 2 + size]
        at += 2 + max(size, 2)


def _chunks(
    data: bytes, at: int, wanted: bytes, order: Order, *, named_first: bool, around: int
) -> Iterator[bytes]:
    """Chunks with a name and a size; `around` bytes of each are not its content."""
    while at + 8 <= len(data):
        one, other = data[at : at + 4], data[at + 4 : at + 8]
        name, length = (one, other) if named_first else (other, one)
        size = int.from_bytes(length, order)
        if name == wanted:
            yield data[at + 8 : at + 8 + size].removeprefix(b"Exif\0\0")
        at += around + size + (size % 2 if named_first else 0)


def _texts(block: bytes) -> Iterator[str]:
    """The texts of a block, in the order of its directories."""
    if block[:4] not in (b"II*\0", b"MM\0*"):
        return
    directories = _Directories(block, "little" if block[:1] == b"I" else "big")
    begin = directories.number(4, 4)
    for tag, value in directories.entries(begin):
        if tag == _DIRECTORY:
            for inner, text in directories.entries(int.from_bytes(value, directories.order)):
                if inner in _READ:
                    yield _clean(_READ[inner](text))
        elif tag in _READ:
            yield _clean(_READ[tag](value))


@dataclass(frozen=True, slots=True)
class _Directories:
    """The directories of a TIFF file."""

    block: bytes
    order: Order

    def number(self, at: int, size: int) -> int:
        """A number; 0 where the file has ended."""
        return int.from_bytes(self.block[at : at + size], self.order)

    def entries(self, at: int) -> Iterator[tuple[int, bytes]]:
        """Tags with the bytes of their values; those of other types than bytes as they stand."""
        for place in range(min(self.number(at, 2), _ENTRIES)):
            entry = at + 2 + 12 * place
            if entry + 12 > len(self.block):
                return
            size = self.number(entry + 4, 4)
            if self.number(entry + 2, 2) not in _BYTES or size <= 4:
                yield self.number(entry, 2), self.block[entry + 8 : entry + 12]
            else:
                first = self.number(entry + 8, 4)
                yield self.number(entry, 2), self.block[first : first + min(size, 4 * LONGEST)]


def _plain(value: bytes) -> str:
    """ASCII by the standard; what cameras and programs write is UTF-8 or Latin-1."""
    value = value.partition(b"\0")[0]
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _wide(value: bytes) -> str:
    """As Windows writes it."""
    return value.decode("utf-16-le", "replace").partition("\0")[0]


def _comment(value: bytes) -> str:
    """A comment, behind eight bytes that name its characters."""
    name, rest = value[:8], value[8:]
    if name == b"UNICODE\0":
        return rest.decode("utf-16-le" if rest[1:2] == b"\0" else "utf-16-be", "replace")
    return _plain(rest)


_READ: dict[int, Callable[[bytes], str]] = {
    0x010E: _plain,  # ImageDescription
    0x9286: _comment,  # UserComment
    0x9C9B: _wide,  # XPTitle
    0x9C9C: _wide,  # XPComment
    0x9C9E: _wide,  # XPKeywords
    0x9C9F: _wide,  # XPSubject
}


def _clean(text: str) -> str:
    """On one line, without signs that are none."""
    shown = (" " if unicodedata.category(sign)[0] == "C" else sign for sign in text)
    return " ".join("".join(shown).split())[:LONGEST]
