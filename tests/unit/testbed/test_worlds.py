"""Drawn pictures: the same for the same seed, true to their attributes, each class its own."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade.errors import InvalidInput, UnknownName
from saccade.testbed.worlds import ATTRIBUTES, CLASSES, World
from saccade.testbed.worlds.canvas import Canvas
from saccade.testbed.worlds.palettes import MOODS, pick
from saccade.testbed.worlds.scenes import SCENES
from saccade.testbed.worlds.traits import Traits

SIZE = (96, 72)


def ranks(values: list[float] | NDArray[np.float64]) -> NDArray[np.int64]:
    return np.argsort(np.argsort(values))


def rank_correlation(first: list[float], second: list[float]) -> float:
    """Spearman's, for values without ties."""
    return float(np.corrcoef(ranks(first), ranks(second))[0, 1])


def test_there_are_classes_of_scenes_objects_and_textures() -> None:
    """At least twelve, each with a name that can be a folder."""
    assert len(CLASSES) >= 12
    assert all(name.isidentifier() and name.islower() for name in CLASSES)


@pytest.mark.parametrize("name", CLASSES)
def test_a_picture_has_its_size_its_strengths_and_a_main_object(name: str) -> None:
    """Shape, type, attribute ranges and a mask that is neither empty nor everything."""
    for index in range(2):
        drawn = World(seed=5, size=SIZE).draw(name, index)
        assert drawn.pixels.shape == (72, 96, 3)
        assert drawn.pixels.dtype == np.uint8
        assert drawn.mask.shape == (72, 96)
        assert 0.005 < drawn.mask.mean() < 0.999
        assert tuple(drawn.attributes) == ATTRIBUTES
        for attribute, strength in drawn.attributes.items():
            low, high = SCENES[name].ranges.get(attribute, (0.0, 1.0))
            assert low - 1e-4 <= strength <= high + 1e-4


def test_a_picture_depends_on_seed_class_and_index_alone() -> None:
    """What was drawn before, and by which world, changes nothing; each of the three changes all."""
    fresh = World(seed=3, size=SIZE).draw("harbour", 4)
    used = World(seed=3, size=SIZE)
    for name in ("night", "harbour"):
        used.draw(name, 0)
    np.random.default_rng(0).random(10)
    again = used.draw("harbour", 4)
    np.testing.assert_array_equal(fresh.pixels, again.pixels)
    np.testing.assert_array_equal(fresh.mask, again.mask)
    assert fresh.attributes == again.attributes
    others = [(4, "harbour", 4), (3, "seaside", 4), (3, "harbour", 5)]
    for seed, name, index in others:
        assert not np.array_equal(World(seed, SIZE).draw(name, index).pixels, fresh.pixels)


def test_the_bytes_do_not_depend_on_threads_or_hash_seed() -> None:
    """Another process with one thread and another hash seed draws the very same pixels."""
    script = (
        "import cv2, hashlib, sys; cv2.setNumThreads(int(sys.argv[1]));"
        "from saccade.testbed.worlds import CLASSES, World; world = World(7, (128, 96));"
        "print(hashlib.sha256(b''.join(world.draw(c, 1).pixels.tobytes() for c in CLASSES))"
        ".hexdigest())"
    )
    world = World(7, (128, 96))
    here = hashlib.sha256(b"".join(world.draw(name, 1).pixels.tobytes() for name in CLASSES))
    there = subprocess.run(
        [sys.executable, "-c", script, "1"],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONHASHSEED": "77", "PATH": ""},
    )
    assert there.stdout.strip() == here.hexdigest()


def test_strengths_are_known_without_drawing() -> None:
    """The table of a large world needs no pixel."""
    world = World(seed=2, size=SIZE)
    assert world.strengths("fish", 3) == world.draw("fish", 3).attributes


def test_brightness_is_true_of_the_pixels_in_every_class() -> None:
    """Mean level orders pictures as their strengths do, across all classes."""
    world = World(seed=1, size=SIZE)
    drawn = [world.draw(name, index) for name in CLASSES for index in range(3)]
    level = [float(one.pixels.mean()) for one in drawn]
    assert rank_correlation([one.attributes["brightness"] for one in drawn], level) > 0.93


def test_warmth_is_true_of_the_pixels() -> None:
    """Red minus blue orders pictures much as their strengths do, across all classes."""
    world = World(seed=1, size=SIZE)
    drawn = [world.draw(name, index) for name in CLASSES for index in range(6)]
    warm = [float(one.pixels[..., 0].mean() - one.pixels[..., 2].mean()) for one in drawn]
    assert rank_correlation([one.attributes["warmth"] for one in drawn], warm) > 0.6


def painting(name: str, **strengths: float) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """The bare painting of a class with given strengths: one seed, one light, no framing."""
    values = dict.fromkeys(ATTRIBUTES, 0.5) | strengths
    canvas = Canvas((192, 144), np.random.default_rng(11))
    SCENES[name].paint(canvas, Traits(**values), MOODS["noon"])
    return canvas.finish(brightness=0.6, warmth=0.5, wobble=0.0)


def ends(name: str, attribute: str) -> tuple[float, float]:
    """The weakest and the strongest that a class can have of an attribute."""
    return SCENES[name].ranges.get(attribute, (0.0, 1.0))


@pytest.mark.parametrize("name", CLASSES)
def test_every_spot_is_painted(name: str) -> None:
    """What the canvas was before makes no difference: no gap shows through."""
    scene = SCENES[name]
    for index in range(3):
        paintings = []
        for ground in (0, 255):
            rng = np.random.default_rng(index)
            traits = scene.draw_traits(rng)
            mood = pick(rng, scene.moods, traits.warmth)
            canvas = Canvas(SIZE, rng)
            canvas._pixels[:] = ground
            scene.paint(canvas, traits, mood)
            paintings.append(canvas.finish(brightness=0.6, warmth=0.5)[0].astype(int))
        # A touch of rounding is left where translucent paint lies over the ground.
        assert np.abs(paintings[0] - paintings[1]).max() < 16


@pytest.mark.parametrize("attribute", ["naturalness", "openness", "clutter", "depth"])
@pytest.mark.parametrize("name", CLASSES)
def test_an_attribute_steers_the_drawing(name: str, attribute: str) -> None:
    """The two ends of an attribute's range give visibly different paintings, all else equal."""
    low, high = (
        painting(name, **{attribute: strength})[0].astype(int) for strength in ends(name, attribute)
    )
    change = np.abs(low - high)
    assert (change.max(axis=2) > 24).mean() > 0.01


def test_clutter_adds_detail() -> None:
    """More small things, more steep edges: on average over the classes and in most of them."""

    def edges(name: str, clutter: float) -> float:
        gray = painting(name, clutter=clutter)[0].mean(axis=2)
        return float((np.abs(np.diff(gray, axis=1)) > 20).mean())

    gains = np.array([edges(name, 1.0) - edges(name, 0.0) for name in CLASSES])
    assert gains.mean() > 0.002
    assert (gains > 0).mean() > 0.7


def test_naturalness_adds_green() -> None:
    """More of what grows: green gains over red and blue, on average and in most classes."""

    def green(name: str, naturalness: float) -> float:
        pixels = painting(name, naturalness=naturalness)[0].astype(int)
        return float((pixels[..., 1] > np.maximum(pixels[..., 0], pixels[..., 2]) + 8).mean())

    gains = np.array(
        [
            green(name, high) - green(name, low)
            for name in CLASSES
            for low, high in [ends(name, "naturalness")]
        ]
    )
    assert gains.mean() > 0.01
    assert (gains > 0).mean() > 0.7


def test_openness_leaves_more_room_around_what_is_near() -> None:
    """In close views the main object covers less of a more open picture."""
    for name in ("fruit", "vases", "balloons", "fish", "butterflies", "tartan"):
        closed, opened = (
            painting(name, openness=strength)[1].mean() for strength in ends(name, "openness")
        )
        assert opened < closed


@pytest.mark.parametrize("name", CLASSES)
def test_a_larger_picture_is_the_same_scene(name: str) -> None:
    """At twice the size the main object is where it was; only the texture is finer."""
    small = World(seed=6, size=(96, 72)).draw(name, 1)
    large = World(seed=6, size=(192, 144)).draw(name, 1)
    assert small.attributes == large.attributes
    halved = large.mask.reshape(72, 2, 96, 2).mean(axis=(1, 3)) > 0.5
    assert (small.mask & halved).sum() > 0.75 * (small.mask | halved).sum()


@pytest.mark.parametrize(
    ("call", "complaint"),
    [
        (lambda: World(seed=-1), "seed -1"),
        (lambda: World(size=(8, 72)), "size 8x72"),
        (lambda: World(size=(96, 5000)), "size 96x5000"),
        (lambda: World().draw("seaside", -1), "picture -1"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, complaint: str) -> None:
    """Seed, size and index are checked before anything is painted."""
    with pytest.raises(InvalidInput, match=complaint):
        call()


def test_an_unknown_class_offers_the_nearest() -> None:
    """A typing mistake gets the name that was meant."""
    with pytest.raises(UnknownName, match="did you mean 'harbour'"):
        World().draw("harbor", 0)
