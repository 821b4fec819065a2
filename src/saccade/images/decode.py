"""Bytes → a picture, in this process: for pictures of our own making.

What comes from outside goes through `saccade.scale.decoding`, which has the same verb: there a
picture that crashes its decoder costs a worker, and not the program.
"""

from __future__ import annotations

from dataclasses import dataclass

from saccade.images.picture import ArrayPicture
from saccade.images.rendering import DEFAULT_LIMITS, SIDE, Limits, Rendered, render
from saccade.types import UNKNOWN_ORIGIN, Origin

__all__ = ["DEFAULT_LIMITS", "SIDE", "Decoded", "Limits", "decode"]


@dataclass(frozen=True, slots=True)
class Decoded:
    """A picture at working size, and the size a viewer shows the original at."""

    picture: ArrayPicture
    width: int
    height: int
    format: str
    origin: Origin = UNKNOWN_ORIGIN

    @classmethod
    def of(cls, rendered: Rendered) -> Decoded:
        """The same as a picture with planes."""
        size = rendered.width, rendered.height
        return cls(ArrayPicture(rendered.rgb), *size, rendered.format, rendered.origin)


def decode(data: bytes, *, side: int | None = SIDE, limits: Limits = DEFAULT_LIMITS) -> Decoded:
    """The picture in `data`, its longer side at most `side` (None keeps the full size).

    Raises:
        NotAnImage: empty, over a limit, truncated, corrupt, or no format that is read here.
    """
    return Decoded.of(render(data, side=side, limits=limits))
