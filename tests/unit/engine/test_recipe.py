from __future__ import annotations

import json

import pytest

from saccade.engine.loop.schemes import parse_schemes
from saccade.engine.recipe import Recipe
from saccade.engine.sources import SOURCES
from saccade.errors import InvalidInput, UnknownName
from saccade.types import Scheme

RECIPE = Recipe(("color-histogram", "lbp"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+gist", ("color-histogram", "lbp", "gist")),
        ("-lbp", ("color-histogram",)),
        ("-lbp,+gist", ("color-histogram", "gist")),
        (" + lbp ".replace(" ", ""), ("color-histogram", "lbp")),
        ("gist, lbp", ("gist", "lbp")),
        ("gist,gist", ("gist",)),
        ("+lbp,-lbp,+lbp", ("color-histogram", "lbp")),
    ],
)
def test_a_recipe_changes_by_words(text: str, expected: tuple[str, ...]) -> None:
    """A sign changes what is there; without one it is a whole list."""
    assert SOURCES.changed(RECIPE, text).descriptors == expected


@pytest.mark.parametrize(
    "text", ["", " , ", "-gist", "-lbp,-color-histogram", "+", "-", "lbp,-lbp"]
)
def test_a_recipe_that_says_nothing_is_refused(text: str) -> None:
    """One sentence, and the recipe is as before."""
    with pytest.raises(InvalidInput):
        SOURCES.changed(RECIPE, text)
    assert RECIPE.descriptors == ("color-histogram", "lbp")


def test_an_unknown_descriptor_offers_the_nearest() -> None:
    """Did you mean …"""
    with pytest.raises(UnknownName, match="did you mean 'edge-directions'"):
        SOURCES.changed(RECIPE, "+edge-direction")


def test_a_recipe_survives_json() -> None:
    """It is kept in the store's settings."""
    wider = SOURCES.changed(RECIPE, "+gist")
    assert Recipe.from_json(json.loads(json.dumps(wider.as_json()))) == wider


def test_schemes_are_every_descriptor_with_every_similarity() -> None:
    """In a fixed order."""
    names = [str(scheme) for scheme in RECIPE.schemes()]
    assert names[:2] == ["color-histogram:l1", "color-histogram:l2"]
    assert len(names) == len(set(names)) == 8
    assert tuple(Scheme.parse(name) for name in names) == RECIPE.schemes()


def test_schemes_are_named_once_and_known() -> None:
    """The order is the asker's."""
    known = RECIPE.schemes()
    assert [str(s) for s in parse_schemes(("lbp:l2", "color-histogram:l1"), known)] == [
        "lbp:l2",
        "color-histogram:l1",
    ]
    for text, words in (
        (("lbp:l2", "lbp:l2"), "twice"),
        (("lbp:",), "expected 'descriptor:similarity'"),
        (("lbp",), "expected 'descriptor:similarity'"),
        (("lbp:cosin",), "did you mean 'lbp:cosine'"),
        (("lpb:cosine",), "did you mean 'lbp:cosine'"),
    ):
        with pytest.raises(InvalidInput, match=words):
            parse_schemes(text, known)
