"""Words → vectors in the space of an image encoder.

    ids = [start] + pieces(text) + [end] + padding          int64 [n, length]
    vector = g(ids) / ‖g(ids)‖

The text encoder is an ONNX file beside the image encoder: the one its note `saccade.text` names, or
`model.text.onnx` beside `model.onnx`. It takes the ids (and, where it has a second input called
`attention_mask`, 1 for each id that is no padding) and carries its own notes:

    saccade.text.vocabulary   JSON object: piece → id
    saccade.text.length       how many ids it takes
    saccade.text.start, .end, .pad, .unknown     pieces with these roles; `unknown` is a must
    saccade.text.lower        "false" where capitals matter

Pieces are those of WordPiece: a text is cut into words and signs, each word greedily into the
longest pieces of the vocabulary, those after the first written with `##` before them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.descriptors.embedding.encoder import FileEmbedding, unit_rows
from saccade.descriptors.embedding.session import NetworkSession
from saccade.errors import InvalidInput
from saccade.types import Vectors

_WORDS = re.compile(r"\w+|[^\w\s]")
_ROLES = ("start", "end", "pad", "unknown")


class TextEncoder(Protocol):
    """A function text → vector, in the space of an image descriptor."""

    dimension: int

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text, [n, dimension]."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Texts → ids, by the longest piece that fits."""

    vocabulary: dict[str, int]
    length: int
    unknown: int
    start: int | None = None
    end: int | None = None
    pad: int = 0
    lower: bool = True

    def __call__(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ids and their mask, each [n, length]; what is too long is cut."""
        ids = np.full((len(texts), self.length), self.pad, np.int64)
        mask = np.zeros_like(ids)
        ends = [self.end] if self.end is not None else []
        for row, text in enumerate(texts):
            line = [self.start] if self.start is not None else []
            line += [id for word in self._words(text) for id in self._pieces(word)]
            line = line[: self.length - len(ends)] + ends
            ids[row, : len(line)] = line
            mask[row, : len(line)] = 1
        return ids, mask

    def _words(self, text: str) -> list[str]:
        return _WORDS.findall(text.lower() if self.lower else text)

    def _pieces(self, word: str) -> Iterable[int]:
        """The ids of one word; a word with a part that no piece covers is unknown as a whole."""
        ids, at = [], 0
        while at < len(word):
            prefix = "##" if at else ""
            ends = range(len(word), at, -1)
            end = next((end for end in ends if prefix + word[at:end] in self.vocabulary), None)
            if end is None:
                return [self.unknown]
            ids.append(self.vocabulary[prefix + word[at:end]])
            at = end
        return ids


class FileTextEncoder:
    """A text encoder in an ONNX file, made for one image encoder."""

    def __init__(self, path: Path, *, image: FileEmbedding, threads: int = 1) -> None:
        self.owner, self.dimension = image.name, image.dimension
        self.session = NetworkSession(
            path, owner=f"{image.name}, its text encoder", threads=threads
        )
        self.tokenizer = _tokenizer(self.session)
        self.output = str(self.session.model.get_outputs()[0].name)
        self._ids, self._mask = _inputs(self.session)
        got = self.encode(["a"]).shape[1]
        if got != self.dimension:
            raise InvalidInput(
                f"descriptor {self.owner!r} has {self.dimension} values, its text encoder "
                f"{str(path)!r} {got}; they are no pair"
            )

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text, [n, dimension]."""
        ids, mask = self.tokenizer(texts)
        inputs = {self._ids: ids, **({self._mask: mask} if self._mask else {})}
        (values,) = self.session.run(inputs, self.output)
        if values.ndim != 2 or len(values) != len(texts):
            raise InvalidInput(
                f"descriptor {self.session.owner!r}: the output has shape {list(values.shape)} "
                f"for {len(texts)} texts; it must be [n, d]"
            )
        return unit_rows(values, self.session.owner)


def text_encoder_of(image: FileEmbedding) -> TextEncoder:
    """The text encoder that belongs to an image encoder.

    Raises:
        InvalidInput: there is none, or it cannot be used.
    """
    path = image.session.path
    note = image.session.metadata().get("saccade.text")
    beside = path.parent / note if note else path.with_suffix(".text.onnx")
    if not note and not beside.is_file():
        raise InvalidInput(
            f"no text encoder is installed for {image.name!r}",
            hint=f"put one at {str(beside)!r}, or search by a picture",
        )
    return FileTextEncoder(beside, image=image, threads=image.session.threads)


def _inputs(session: NetworkSession) -> tuple[str, str | None]:
    """Names of the inputs for ids and mask."""
    inputs = {one.name: one for one in session.model.get_inputs()}
    masks = [name for name in inputs if name == "attention_mask"]
    ids = [name for name in inputs if name not in masks]
    if len(ids) != 1 or any(
        len(one.shape) != 2 or one.type != "tensor(int64)" for one in inputs.values()
    ):
        described = ", ".join(f"{one.name} {one.type} {one.shape}" for one in inputs.values())
        raise InvalidInput(
            f"descriptor {session.owner!r}: it must take int64 [n, length] and may take an "
            f"attention_mask like it; it takes {described}"
        )
    return ids[0], masks[0] if masks else None


def _tokenizer(session: NetworkSession) -> Tokenizer:
    notes = session.metadata()

    def note(key: str) -> str:
        if f"saccade.text.{key}" not in notes:
            raise InvalidInput(
                f"descriptor {session.owner!r}: the file has no note 'saccade.text.{key}'"
            )
        return notes[f"saccade.text.{key}"]

    vocabulary = _vocabulary(session.owner, note("vocabulary"))
    length = note("length")
    if not length.isdecimal() or not 3 <= int(length) <= 65536:
        raise InvalidInput(
            f"descriptor {session.owner!r}: saccade.text.length={length} is no number from 3"
        )
    note("unknown")
    roles: dict[str, Any] = {}
    for role in _ROLES:
        piece = notes.get(f"saccade.text.{role}")
        if piece is None:
            continue
        if piece not in vocabulary:
            raise InvalidInput(
                f"descriptor {session.owner!r}: the {role} piece {piece!r} is not in its vocabulary"
            )
        roles[role] = vocabulary[piece]
    lower = notes.get("saccade.text.lower", "true") != "false"
    return Tokenizer(vocabulary, int(length), lower=lower, **roles)


def _vocabulary(owner: str, text: str) -> dict[str, int]:
    try:
        vocabulary = json.loads(text)
    except ValueError as error:
        raise InvalidInput(f"descriptor {owner!r}: its vocabulary is not JSON: {error}") from error
    if not isinstance(vocabulary, dict) or not all(
        type(id) is int and id >= 0 for id in vocabulary.values()
    ):
        raise InvalidInput(f"descriptor {owner!r}: its vocabulary is no JSON object piece → id")
    return vocabulary
