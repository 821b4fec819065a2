"""Every row of the descriptor table against every check."""

from __future__ import annotations

import pytest

from saccade import descriptors
from saccade.checks.descriptors import CHECKS

DIMENSIONS = {
    "color-histogram": 64,
    "color-moments": 225,
    "color-correlogram": 144,
    "edge-directions": 75,
    "wavelet-texture": 128,
    "gabor-texture": 48,
    "lbp": 59,
    "gist": 512,
    "gist-color": 960,
    "cortex": 554,
    "embedding": 1280,
    "embedding-float32": 1280,
}


@pytest.fixture(scope="module")
def made() -> dict[str, object]:
    """Each descriptor is made once: opening a network takes a while."""
    return {}


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.__name__.removeprefix("check_"))
@pytest.mark.parametrize("name", descriptors.DESCRIPTORS)
def test_descriptor_keeps_its_promise(name, check, made) -> None:
    """A descriptor of the table passes a check of the suite."""
    if name not in made:
        made[name] = descriptors.make(name)
    check(made[name])


def test_the_table_has_the_descriptors_of_the_design() -> None:
    """Names, dimensions and the default order are as documented."""
    assert {name: descriptors.make(name).dimension for name in DIMENSIONS} == DIMENSIONS
    assert set(descriptors.DESCRIPTORS) == set(DIMENSIONS)
    more = ("gist-color", "embedding-float32")
    assert tuple(name for name in DIMENSIONS if name not in more) == descriptors.DEFAULT


@pytest.mark.parametrize("name", descriptors.DESCRIPTORS)
def test_a_descriptor_has_the_name_it_is_found_under(name: str) -> None:
    """The name in the table is the name it bears."""
    assert descriptors.make(name).name == name
