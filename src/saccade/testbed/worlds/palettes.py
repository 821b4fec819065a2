"""Moods: the colours of one light, from cool to warm, shared by every class.

A class picks among several moods, and every colour is jittered for every picture. So two pictures
of one class may share no colour, and two classes may share all of theirs: colour alone cannot tell
them apart.
"""

from __future__ import annotations

import colorsys
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

Colour = tuple[float, float, float]  # red, green, blue in 0..255


@dataclass(frozen=True, slots=True)
class Mood:
    """Colours by the part they play, and how warm the whole is (0 cold, 1 hot)."""

    warmth: float
    sky: Colour
    low: Colour  # sky near the horizon
    sun: Colour
    cloud: Colour
    far: Colour
    mid: Colour
    near: Colour
    water: Colour
    shallow: Colour
    sand: Colour
    leaf: Colour
    dark: Colour  # leaf in shade
    trunk: Colour
    stone: Colour
    accents: tuple[Colour, ...] = field(kw_only=True)

    def accent(self, rng: np.random.Generator) -> Colour:
        """Any one of the accents."""
        return self.accents[int(rng.integers(len(self.accents)))]


def _mood(warmth: float, text: str) -> Mood:
    """Read fourteen role colours, in the order of the fields, and the accents."""
    colours = [_hex(word) for word in text.split()]
    return Mood(warmth, *colours[:14], accents=tuple(colours[14:]))


def _hex(word: str) -> Colour:
    return int(word[0:2], 16), int(word[2:4], 16), int(word[4:6], 16)


MOODS = {
    "moonlit": _mood(
        0.05,
        "0f1d3d 3f5a86 f6f1d6 5b6f96 34507a 22395e 132340 24456f 5a7fa6 5a6480 "
        "2a4f4d 0f2530 1f2436 47536b d98a5a f4c95d e8ecf0 4a7fb0 7a5a98",
    ),
    "overcast": _mood(
        0.15,
        "8fa9bd d9e2e3 f4f1e4 f2f4f3 9db2bf 6f8b98 47636a 5f8b9c a5c4c6 cfc6b0 "
        "5d8067 2f4a45 5a5048 8d949a c9584a e0b04c f1ede2 3e6f8e 7a5a78",
    ),
    "noon": _mood(
        0.25,
        "4fa3d9 cfeaf2 fff3c4 ffffff 8fb9cf 5f9a86 3f7d54 2f86b5 7fd0d2 efd9a7 "
        "5fa152 2c5f3f 7a5a3e a3a8ac e2543f f5b83d fdf6e3 2b6cb0 8e4f9e",
    ),
    "mint": _mood(
        0.4,
        "9fd6cf f3f0dc fff0b8 fdfaf0 a9cfc6 7bb09f 4b8675 4aa5a0 a7ddcf ecdcb9 "
        "77ad6a 2f665c 80644c a9b3ab ef7f63 f6c85f fff8ea 3b8ea5 c06c9a",
    ),
    "rose": _mood(
        0.5,
        "8f9fd0 f8d5cf fff1dc fbeae6 b5a8cf 8c84b0 5c5a86 7f93c4 d6b9cc ecd0bd "
        "7f9a76 454a6b 6b5360 a79daf d9587b f0a868 fdf1ea 4d6fae 8a5aa0",
    ),
    "autumn": _mood(
        0.65,
        "a9c4cc f4e6cb fff2cc fbf5e8 c2b29a b5834f 8a5a32 6f98a0 c9cfb6 e5cfa0 "
        "d0853a 7a3f24 5d4030 a59a8c b93f2b e0a030 fbefd8 3d6b73 7d4a5d",
    ),
    "sunset": _mood(
        0.8,
        "5b4f8f f89b6c ffe3a3 f7b59c 9a6a93 6f4a78 3f2f57 7a5a94 f0a07e d99e7a "
        "6a6a50 33304a 4b3040 8a7288 ef5b4c ffb347 ffeede 3f6a9e b04f86",
    ),
    "golden": _mood(
        0.9,
        "f0c27b fdebc3 fffbe4 fff4da d8b48c b08a5c 7d6a3f 7fa39a d7c79b eccb8e "
        "9aa050 55602f 7a5232 b8a48a c8502f e89a2c fff4dc 3f7686 9a4d62",
    ),
}

DAYLIGHT = ("overcast", "noon", "mint", "rose", "autumn", "sunset", "golden")


def pick(rng: np.random.Generator, names: Sequence[str], warmth: float) -> Mood:
    """A mood among `names`, more likely the nearer its warmth, with every colour jittered."""
    near = np.array([math.exp(-(((MOODS[name].warmth - warmth) / 0.16) ** 2)) for name in names])
    near += 1e-3
    mood = MOODS[names[int(rng.choice(len(names), p=near / near.sum()))]]
    turn = float(rng.normal(0.0, 0.012))
    roles = [
        jitter(rng, getattr(mood, role), turn=turn)
        for role in Mood.__dataclass_fields__
        if role not in ("warmth", "accents")
    ]
    accents = [jitter(rng, colour, turn=turn) for colour in mood.accents]
    order = rng.permutation(len(accents))
    return Mood(mood.warmth, *roles, accents=tuple(accents[i] for i in order))


def jitter(
    rng: np.random.Generator, colour: Colour, *, amount: float = 1.0, turn: float = 0.0
) -> Colour:
    """A colour close by: hue turned (`turn` more), saturation and value scaled a little."""
    hue, saturation, value = colorsys.rgb_to_hsv(*(channel / 255.0 for channel in colour))
    hue = (hue + turn + float(rng.normal(0.0, 0.012)) * amount) % 1.0
    saturation = min(1.0, saturation * (1.0 + float(rng.normal(0.0, 0.1)) * amount))
    value = min(1.0, value * (1.0 + float(rng.normal(0.0, 0.05)) * amount))
    red, green, blue = colorsys.hsv_to_rgb(hue, max(0.0, saturation), max(0.0, value))
    return red * 255.0, green * 255.0, blue * 255.0


def mix(first: Colour, second: Colour, part: float) -> Colour:
    """`first` at part 0, `second` at part 1.

    >>> mix((0, 0, 0), (100, 200, 50), 0.5)
    (50.0, 100.0, 25.0)
    """
    return (
        first[0] + (second[0] - first[0]) * part,
        first[1] + (second[1] - first[1]) * part,
        first[2] + (second[2] - first[2]) * part,
    )


def lighter(colour: Colour, part: float) -> Colour:
    """The colour mixed with a warm white."""
    return mix(colour, (255.0, 250.0, 240.0), part)


def darker(colour: Colour, part: float) -> Colour:
    """The colour mixed with a deep blue, as shade outdoors is."""
    return mix(colour, (24.0, 26.0, 52.0), part)
