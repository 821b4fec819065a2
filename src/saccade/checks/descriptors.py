"""Is it a descriptor? Every promise of `saccade.contracts.Descriptor`, as a function that raises.

    check_descriptor(make("lbp"))

A check raises `AssertionError` with the broken promise in words. The pictures are drawn here: one
pixel, thin lines, black, white, noise, a drawn scene. A descriptor must be finite on all of them.

>>> from saccade.descriptors import make
>>> check_descriptor(make("color-histogram"))
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from saccade.contracts import Descriptor
from saccade.images.picture import ArrayPicture
from saccade.types import Pixels, Vectors

Check = Callable[[Descriptor], None]

KINDS = ("colour", "texture", "shape", "words", "embedding")
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(@.+)?")


@lru_cache(maxsize=1)
def _images() -> dict[str, Pixels]:
    """The pictures by what they are."""
    rng = np.random.default_rng(20)
    y, x = np.mgrid[:120, :160]
    scene = np.stack([x * 255 // 159, y * 255 // 119, (x * y) % 256], axis=-1)
    scene[(x - 70) ** 2 + (y - 60) ** 2 < 900] = 210, 50, 40
    return {
        "one pixel": np.full((1, 1, 3), 77, np.uint8),
        "a row of pixels": rng.integers(0, 256, (1, 4000, 3), np.uint8),
        "a column of pixels": rng.integers(0, 256, (4000, 1, 3), np.uint8),
        "two by three pixels": rng.integers(0, 256, (2, 3, 3), np.uint8),
        "seven by five pixels": rng.integers(0, 256, (7, 5, 3), np.uint8),
        "black": np.zeros((64, 80, 3), np.uint8),
        "white": np.full((80, 64, 3), 255, np.uint8),
        "noise": rng.integers(0, 256, (90, 110, 3), np.uint8),
        "a checkerboard": np.repeat(((x + y) % 2 * 255)[..., None], 3, -1).astype(np.uint8),
        "a scene": scene.astype(np.uint8),
    }


def _pictures() -> list[ArrayPicture]:
    """Fresh pictures: nothing that one check derived helps the next one."""
    return [ArrayPicture(rgb.copy()) for rgb in _images().values()]


def _promise(holds: bool, descriptor: Descriptor, broken: str) -> None:
    if not holds:
        raise AssertionError(f"descriptor {descriptor.name!r} {broken}")


def check_it_says_what_it_is(descriptor: Descriptor) -> None:
    """It has a name, a version, a dimension and a kind that others can work with."""
    if not isinstance(descriptor, Descriptor):
        raise AssertionError(f"{descriptor!r} lacks name, version, dimension, kind or describe")
    name, version = descriptor.name, descriptor.version
    _promise(
        isinstance(name, str) and _NAME.fullmatch(name) is not None,
        descriptor,
        "needs a name in lower case with dashes, like 'color-moments'",
    )
    _promise(isinstance(version, str) and bool(version), descriptor, "needs a version, a text")
    dimension = descriptor.dimension
    _promise(type(dimension) is int and dimension > 0, descriptor, f"has dimension {dimension!r}")
    _promise(
        descriptor.kind in KINDS, descriptor, f"is of kind {descriptor.kind!r}, none of {KINDS}"
    )


def check_rows_are_float32_and_one_a_picture(descriptor: Descriptor) -> None:
    """The answer is float32 [n, dimension], for no picture too."""
    pictures = _pictures()
    for shown in (pictures, pictures[:1], []):
        vectors = descriptor.describe(shown)
        expected = (len(shown), descriptor.dimension)
        _promise(
            isinstance(vectors, np.ndarray) and vectors.dtype == np.float32,
            descriptor,
            "does not give an array of float32",
        )
        _promise(
            vectors.shape == expected, descriptor, f"gives {vectors.shape} in place of {expected}"
        )


def check_it_is_finite_on_every_picture(descriptor: Descriptor) -> None:
    """No picture, however small or plain, makes a value infinite or undefined."""
    for (what, _), picture in zip(_images().items(), _pictures(), strict=True):
        finite = bool(np.isfinite(descriptor.describe([picture])).all())
        _promise(finite, descriptor, f"is not finite on {what}")


def check_it_is_deterministic(descriptor: Descriptor) -> None:
    """The same pictures give the same bits again."""
    first, second = descriptor.describe(_pictures()), descriptor.describe(_pictures())
    _promise(first.tobytes() == second.tobytes(), descriptor, "gives another answer the next time")


def check_one_by_one_is_many_at_once(descriptor: Descriptor) -> None:
    """A picture's row does not depend on its company, nor on its place in it."""
    together = descriptor.describe(_pictures())
    alone = np.concatenate([descriptor.describe([picture]) for picture in _pictures()])
    turned = descriptor.describe(_pictures()[::-1])[::-1]
    for other in (alone, turned):
        _promise(_alike(together, other), descriptor, "depends on the other pictures in the batch")


def check_it_leaves_its_input_alone(descriptor: Descriptor) -> None:
    """Pixels and planes are the same after describing as before."""
    pictures = [ArrayPicture(rgb) for rgb in _images().values() if rgb.size < 100_000]
    before = [
        (p.rgb.tobytes(), p.gray.tobytes(), p.lab.tobytes(), p.hsv.tobytes()) for p in pictures
    ]
    descriptor.describe(pictures)
    after = [
        (p.rgb.tobytes(), p.gray.tobytes(), p.lab.tobytes(), p.hsv.tobytes()) for p in pictures
    ]
    _promise(before == after, descriptor, "changes the pictures it describes")


def check_it_tells_pictures_apart(descriptor: Descriptor) -> None:
    """Noise and a drawn scene do not get the same vector."""
    noise, scene = (ArrayPicture(_images()[what]) for what in ("noise", "a scene"))
    first, second = descriptor.describe([noise, scene])
    _promise(not np.array_equal(first, second), descriptor, "sees no difference in any picture")


def _alike(first: Vectors, second: Vectors) -> bool:
    """Equal up to the order in which a matrix product may add: a millionth of the largest value."""
    largest = max(1e-12, float(np.abs(first).max()))
    return bool(np.abs(first - second).max() <= 1e-6 * largest)


CHECKS: tuple[Check, ...] = (
    check_it_says_what_it_is,
    check_rows_are_float32_and_one_a_picture,
    check_it_is_finite_on_every_picture,
    check_it_is_deterministic,
    check_one_by_one_is_many_at_once,
    check_it_leaves_its_input_alone,
    check_it_tells_pictures_apart,
)
"""Every check, in the order in which a broken descriptor is best understood."""


def check_descriptor(descriptor: Descriptor) -> None:
    """Run every check."""
    for check in CHECKS:
        check(descriptor)
