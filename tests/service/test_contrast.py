from __future__ import annotations

import re

import pytest

from saccade.service.routes.page import WEB

PAIRS = [
    ("text", "ground"),
    ("text", "raised"),
    ("text", "sunken"),
    ("muted", "ground"),
    ("muted", "raised"),
    ("accent", "ground"),
    ("accent", "raised"),
    ("on-accent", "accent"),
]


def colours(scheme):
    """The tokens of one scheme: the dark ones replace the light ones."""
    text = (WEB / "css" / "base.css").read_text()
    light, dark = text.split("@media (prefers-color-scheme: dark)")
    found = re.findall(r"--([\w-]+): (#[0-9a-f]{6})", light)
    if scheme == "dark":
        found += re.findall(r"--([\w-]+): (#[0-9a-f]{6})", dark)
    return dict(found)


def luminance(colour):
    """Relative luminance as WCAG 2.1 defines it."""
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def test_contrast_agrees_with_the_standard():
    """Black on white is 21 to 1; #767676 on white is the lightest grey that passes AA."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") >= 4.5 > contrast("#777777", "#ffffff")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "paper"), PAIRS)
def test_text_can_be_read(scheme, ink, paper):
    """Every colour of text on every ground it stands on reaches AA, 4.5 to 1."""
    found = colours(scheme)
    assert contrast(found[ink], found[paper]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", ["colour", "texture", "shape", "words", "embedding", "other"])
def test_bars_can_be_told_from_their_ground(scheme, kind):
    """Graphics need 3 to 1."""
    found = colours(scheme)
    assert contrast(found[kind], found["raised"]) >= 3
