"""When and with what a picture was taken, as its camera wrote it down (EXIF).

    taken    DateTimeOriginal, else DateTimeDigitized, else DateTime: 2019-05-01T12:34:56
    camera   the model, with its maker in front where the model does not name it

Times are local ones. What was not written, or cannot be, is empty: a clock that was never set says
0000:00:00.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from datetime import datetime
from io import BytesIO

from PIL import Image

from saccade import trace
from saccade.images import formats
from saccade.types import Origin

log = logging.getLogger(__name__)

_CAMERA = 0x8769  # where the camera's own data lies
_MAKER, _MODEL, _CHANGED, _TAKEN, _DIGITIZED = 0x010F, 0x0110, 0x0132, 0x9003, 0x9004
_LONGEST = 100
_FIRST_PHOTOGRAPH = 1826
_TIME = re.compile(r"(\d{4})[:/.-](\d\d?)[:/.-](\d\d?)(?:[ T]+(\d\d?):(\d\d?)(?::(\d\d?))?)?")


def origin_of(image: Image.Image) -> Origin:
    """What an open picture says of where it comes from."""
    try:
        exif = image.getexif()
        return origin_from(exif, exif.get_ifd(_CAMERA) if exif else {})
    # Camera data is often damaged; the pixels are good all the same.
    except Exception as error:
        trace.swallowed(log, error, doing="reading when a picture was taken")
        return Origin()


def origin_in(data: bytes) -> Origin:
    """The same of a file's first bytes at least; what cannot be read says nothing."""
    try:
        with _opened(data) as image:
            return origin_of(image)
    except Exception as error:
        trace.swallowed(log, error, doing="reading when a picture was taken")
        return Origin()


def _opened(data: bytes) -> Image.Image:
    if formats.recognise(data) == formats.HEIC:
        from pillow_heif import HeifImageFile

        image: Image.Image = HeifImageFile(BytesIO(data))
        return image
    return Image.open(BytesIO(data))


def origin_from(exif: Mapping[int, object], camera: Mapping[int, object]) -> Origin:
    """What the two tables of a picture say.

    >>> origin_from({0x010F: "Canon", 0x0110: "EOS 5D"}, {0x9003: "2019:05:01 12:34:56"})
    Origin(taken='2019-05-01T12:34:56', camera='Canon EOS 5D')
    >>> origin_from({0x010F: "NIKON", 0x0110: "NIKON D70"}, {0x9003: "0000:00:00 00:00:00"})
    Origin(taken='', camera='NIKON D70')
    """
    times = (_time(camera.get(_TAKEN)), _time(camera.get(_DIGITIZED)), _time(exif.get(_CHANGED)))
    maker, model = _text(exif.get(_MAKER)), _text(exif.get(_MODEL))
    named = model.casefold().startswith(maker.casefold())
    both = model if named and model else f"{maker} {model}"
    return Origin(next(filter(None, times), ""), both.strip()[:_LONGEST])


def _text(value: object) -> str:
    """A name without what cannot be printed, blanks made one."""
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        return ""
    plain = "".join(sign if sign.isprintable() else " " for sign in value)
    return " ".join(plain.replace("\ufffd", " ").split())


def _time(value: object) -> str:
    match = _TIME.match(_text(value))
    if match is None:
        return ""
    parts = [int(part or 0) for part in match.groups()]
    try:
        time = datetime(*parts)  # type: ignore[arg-type]
    except ValueError:
        return ""
    return time.isoformat() if time.year >= _FIRST_PHOTOGRAPH else ""
