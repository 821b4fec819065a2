"""What an image encoder expects, from its name, from notes in the file, or by custom.

    embedding@PATH[?size=224&mean=0.48/0.46/0.41&std=0.27/0.26/0.28&fit=crop&output=NAME]

Every option may also stand in the file's `metadata_props` under `saccade.` and its name; the text
wins over the file, and the file over the values of ImageNet. Numbers of `mean` and `std` are on the
scale 0..1: one for all, or three for R, G and B with slashes between them (commas divide names in
a recipe, so in a name they would not do; in a file they will).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl

from saccade.errors import InvalidInput, UnknownName

PREFIX = "embedding@"
OPTIONS = ("size", "mean", "std", "fit", "output")
FITS = ("squash", "crop")
IMAGENET = {"mean": "0.485/0.456/0.406", "std": "0.229/0.224/0.225", "fit": "squash"}

Triple = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Settings:
    """How pictures become the input of a model.

    `fit` is `squash` (the whole picture, aspect given up) or `crop` (the middle, aspect kept).
    """

    size: int
    mean: Triple
    std: Triple
    fit: str = "squash"


def parse_name(name: str) -> tuple[Path, dict[str, str]]:
    """The file and the options in a descriptor's name.

    >>> parse_name("embedding@/models/clip.onnx?size=224&fit=crop")
    (PosixPath('/models/clip.onnx'), {'size': '224', 'fit': 'crop'})
    """
    text = name.removeprefix(PREFIX)
    path, mark, query = text.rpartition("?")
    if not mark or Path(text).is_file():
        path, query = text, ""
    if not path:
        raise InvalidInput(f"descriptor {name!r}: no file is named; write {PREFIX}PATH.onnx")
    try:
        options = dict(
            parse_qsl(query, strict_parsing=True, keep_blank_values=True) if mark else ()
        )
    except ValueError as error:
        raise InvalidInput(
            f"descriptor {name!r}: options are written name=value and joined by '&'"
        ) from error
    for option in options:
        if option not in OPTIONS:
            raise UnknownName(f"option in descriptor {name!r}:", option, OPTIONS)
    return Path(path).expanduser().absolute(), options


def read_settings(
    owner: str, options: Mapping[str, str], side: int | None, *, default_side: int = 224
) -> Settings:
    """The settings from texts by option; `side` is what the model's own input says, if it does."""
    chosen = {**IMAGENET, **options}
    size = _whole(owner, "size", chosen.get("size", str(side or default_side)))
    if side is not None and size != side:
        raise InvalidInput(
            f"descriptor {owner!r}: size={size}, but the model takes {side} × {side} pixels"
        )
    std = _three(owner, "std", chosen["std"])
    if min(std) <= 0:
        raise InvalidInput(f"descriptor {owner!r}: std={chosen['std']} must be above zero")
    if chosen["fit"] not in FITS:
        raise UnknownName(f"fit in descriptor {owner!r}:", chosen["fit"], FITS)
    return Settings(size, _three(owner, "mean", chosen["mean"]), std, chosen["fit"])


def _whole(owner: str, option: str, text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 4096:
        raise InvalidInput(f"descriptor {owner!r}: {option}={text} is no number from 1 to 4096")
    return int(text)


def _three(owner: str, option: str, text: str) -> Triple:
    try:
        numbers = [float(part) for part in text.replace(",", "/").split("/")]
        red, green, blue = numbers * 3 if len(numbers) == 1 else numbers
    except ValueError as error:
        raise InvalidInput(
            f"descriptor {owner!r}: {option}={text} is neither a number nor three like 0.5/0.5/0.5"
        ) from error
    if not all(abs(value) < 1e6 for value in (red, green, blue)):
        raise InvalidInput(f"descriptor {owner!r}: {option}={text} is out of range")
    return red, green, blue
