from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from saccade import descriptors
from saccade.checks.descriptors import check_descriptor
from saccade.errors import InvalidInput
from saccade.images.picture import ArrayPicture

Install = Callable[..., None]

BRIGHTNESS = """
    import numpy as np

    class Brightness:
        name = "brightness"
        version = "1"
        dimension = 1
        kind = "colour"

        def describe(self, pictures):
            rows = [[p.gray.mean() / 255] for p in pictures]
            return np.array(rows, np.float32).reshape(len(pictures), self.dimension)
"""


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a package where Python finds it, as an installer would: code and dist-info."""

    def put(package: str, code: str, **entries: str) -> None:
        module = package.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(textwrap.dedent(code))
        notes = tmp_path / f"{module}-1.0.dist-info"
        notes.mkdir()
        (notes / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        lines = [
            f"{name.replace('_', '-')} = {module}:{target}" for name, target in entries.items()
        ]
        (notes / "entry_points.txt").write_text("[saccade.descriptors]\n" + "\n".join(lines) + "\n")
        monkeypatch.delitem(sys.modules, module, raising=False)

    monkeypatch.syspath_prepend(str(tmp_path))
    return put


def test_an_installed_plugin_is_a_descriptor_like_any_other(install: Install) -> None:
    """Its name is listed and made, and it passes the suite."""
    install("saccade-brightness", BRIGHTNESS, brightness="Brightness")
    assert descriptors.names()[-1] == "brightness"
    descriptor = descriptors.make("brightness")
    check_descriptor(descriptor)
    white = ArrayPicture(np.full((3, 3, 3), 255, np.uint8))
    assert descriptor.describe([white]).tolist() == [[1.0]]


def test_a_plugin_never_takes_the_place_of_a_builtin(install: Install) -> None:
    """A package that calls itself `lbp` does not change what `lbp` is."""
    install("saccade-impostor", BRIGHTNESS, color_histogram="Brightness")
    assert descriptors.names().count("color-histogram") == 1
    assert type(descriptors.make("color-histogram")).__module__.startswith("saccade.")


def test_a_plugin_that_fails_is_named_and_the_others_work(install: Install) -> None:
    """The error names plug-in and package; other descriptors are made as before."""
    install("saccade-broken", "raise RuntimeError('no luck')", broken="Broken")
    install("saccade-brightness", BRIGHTNESS, brightness="Brightness")
    with pytest.raises(
        InvalidInput,
        match="descriptor 'broken' of plug-in 'saccade-broken' cannot be loaded: RuntimeError",
    ):
        descriptors.make("broken")
    assert descriptors.make("brightness").dimension == 1
    assert descriptors.make("color-histogram").dimension == 64


def test_a_plugin_whose_class_is_missing_is_named(install: Install) -> None:
    """An entry point that leads nowhere is told apart from an unknown name."""
    install("saccade-empty", "", empty="Nothing")
    with pytest.raises(InvalidInput, match="'empty' of plug-in 'saccade-empty' cannot be loaded"):
        descriptors.make("empty")


def test_a_plugin_that_is_no_descriptor_is_refused(install: Install) -> None:
    """The error says what a descriptor has."""
    install("saccade-wrong", "class Wrong: name = 'wrong'", wrong="Wrong")
    with pytest.raises(InvalidInput, match=r"is no descriptor.*name, version, dimension, kind"):
        descriptors.make("wrong")


def test_a_plugin_under_another_name_is_refused(install: Install) -> None:
    """A column would be stored under one name and looked for under another."""
    install("saccade-brightness", BRIGHTNESS, lightness="Brightness")
    with pytest.raises(InvalidInput, match="calls itself 'brightness'"):
        descriptors.make("lightness")


def test_two_plugins_of_one_name_are_told_apart_in_the_same_way_each_time(
    install: Install,
) -> None:
    """The order of installation does not matter: the target that sorts first has the name."""
    install("saccade-zebra", BRIGHTNESS.replace('"1"', '"zebra"'), brightness="Brightness")
    install("saccade-apple", BRIGHTNESS.replace('"1"', '"apple"'), brightness="Brightness")
    assert descriptors.make("brightness").version == "apple"


def test_the_howto_is_a_working_plugin(install: Install) -> None:
    """The class that the guide shows is installed as shown and passes the suite."""
    guide = Path(__file__).parents[3] / "docs" / "howto" / "add-a-descriptor.md"
    (code,) = re.findall(r"```python\n(# saccade_sharpness\.py\n.*?)```", guide.read_text(), re.S)
    install("saccade-sharpness", code, sharpness="Sharpness")
    check_descriptor(descriptors.make("sharpness"))


@pytest.mark.parametrize(
    ("change", "broken"),
    [
        (('version = "1"', 'version = ""'), "needs a version"),
        (('name = "brightness"', 'name = "Bright Ness"'), "needs a name in lower case"),
        (("dimension = 1", "dimension = 2"), "raises|cannot reshape"),
        (('kind = "colour"', 'kind = "magic"'), "is of kind 'magic'"),
        (("np.float32", "np.float64"), "array of float32"),
        (("p.gray.mean() / 255", "np.log(p.gray.mean())"), "not finite on black|divide by zero"),
        (("p.gray.mean() / 255", "p.gray.mean() * len(pictures)"), "depends on the other pictures"),
        (("p.gray.mean() / 255", "np.random.rand()"), "another answer the next time"),
        (("p.gray.mean() / 255", "0.0"), "no difference in any picture"),
    ],
)
def test_the_suite_finds_a_broken_promise(change: tuple[str, str], broken: str) -> None:
    """Each check can fail: one change to a good descriptor is found and told in words."""
    scope: dict[str, type] = {}
    exec(textwrap.dedent(BRIGHTNESS).replace(*change), scope)
    with pytest.raises((AssertionError, ValueError, RuntimeWarning), match=broken):
        check_descriptor(scope["Brightness"]())
