from __future__ import annotations

import subprocess
import sys

import pytest

from saccade import descriptors
from saccade.contracts import Descriptor
from saccade.errors import InvalidInput, UnknownName


def test_a_name_makes_its_descriptor() -> None:
    """The table finds module and class by the name."""
    descriptor = descriptors.make("color-histogram")
    assert isinstance(descriptor, Descriptor)
    assert descriptor.name == "color-histogram"


def test_an_unknown_name_gets_the_nearest_one() -> None:
    """A slip of the pen is answered with the name that was meant."""
    with pytest.raises(UnknownName, match="no descriptor 'color-histogran'; did you mean"):
        descriptors.make("color-histogran")


def test_every_default_is_in_the_table() -> None:
    """A new collection asks for nothing that is not there, and for nothing twice."""
    assert set(descriptors.DEFAULT) <= set(descriptors.DESCRIPTORS)
    assert len(set(descriptors.DEFAULT)) == len(descriptors.DEFAULT)


def test_names_start_with_the_table() -> None:
    """The built-in names come first, in the order of the table."""
    assert descriptors.names()[: len(descriptors.DESCRIPTORS)] == tuple(descriptors.DESCRIPTORS)


def test_importing_the_table_loads_nothing_heavy() -> None:
    """Neither OpenCV nor a network, nor even numpy, is loaded before a descriptor is made."""
    code = (
        "import sys, saccade.descriptors as d; d.names();"
        "heavy = {'cv2', 'onnx', 'onnxruntime', 'numba', 'numpy', 'PIL'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_descriptor_without_text_encoder_says_so() -> None:
    """Searching by words needs an encoder that was made for it."""
    with pytest.raises(InvalidInput, match="no text encoder is installed for 'color-histogram'"):
        descriptors.text_encoder("color-histogram")
