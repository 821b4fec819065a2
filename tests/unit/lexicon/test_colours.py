"""The eleven colours."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.images.picture import ArrayPicture
from saccade.lexicon.colours import COLOURS, presence, share

EXAMPLES = {
    "black": (10, 10, 12), "white": (245, 245, 245), "grey": (128, 128, 128),
    "red": (200, 30, 30), "orange": (240, 140, 20), "yellow": (240, 220, 40),
    "green": (40, 140, 50), "blue": (40, 80, 200), "purple": (120, 40, 160),
    "pink": (250, 150, 190), "brown": (110, 70, 40),
}  # fmt: skip


def lab(*colours: tuple[int, int, int]) -> np.ndarray:
    pixels = np.array([colours], np.uint8)
    return ArrayPicture(pixels).lab[0].astype(float)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_typical_colour_is_called_by_its_name(name: str):
    """It fits its own name better than any other."""
    fits = {other: float(share(lab(EXAMPLES[name]), other)[0]) for other in EXAMPLES}
    assert max(fits, key=lambda other: fits[other]) == name
    assert fits[name] > 0.5


def test_every_word_for_a_colour_is_one_of_eleven():
    """Two spellings of grey, one colour."""
    assert set(COLOURS.values()) == set(EXAMPLES)
    assert COLOURS["gray"] == COLOURS["grey"] == "grey"


def test_a_red_thing_on_grey_is_red_before_a_grey_picture():
    """The blocks that have most of a colour speak for the picture; more of it is more."""
    red, grey = lab(EXAMPLES["red"], EXAMPLES["grey"])
    blocks = np.repeat(grey[None], 25, 0)
    some, much = blocks.copy(), np.repeat(red[None], 25, 0)
    some[[6, 7, 8, 11, 12, 13]] = red
    found = presence(np.stack([blocks, some, much]), "red")
    assert 0.0 == found[0] < found[1] <= found[2] <= 1.0
