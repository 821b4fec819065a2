"""Descriptors: functions image → vector, one family per file, found by name.

    descriptor = make("gist")
    vectors = descriptor.describe(pictures)     # float32 [n, descriptor.dimension]

`DESCRIPTORS` is the table of those that come with Saccade. A Python package adds more through the
entry point group `saccade.descriptors`, and `embedding@model.onnx` is any image encoder by file.
Importing this package loads none of them.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

from saccade.errors import InvalidInput, UnknownName

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from saccade.contracts import Descriptor
    from saccade.descriptors.embedding.text import TextEncoder

log = logging.getLogger(__name__)

GROUP = "saccade.descriptors"
"""The entry point group in which a plug-in names its descriptors."""

DESCRIPTORS = {
    "color-histogram": "saccade.descriptors.color_histogram:ColorHistogram",
    "color-moments": "saccade.descriptors.color_moments:ColorMoments",
    "color-correlogram": "saccade.descriptors.color_correlogram:ColorCorrelogram",
    "edge-directions": "saccade.descriptors.edge_directions:EdgeDirections",
    "wavelet-texture": "saccade.descriptors.wavelet_texture:WaveletTexture",
    "gabor-texture": "saccade.descriptors.gabor_texture:GaborTexture",
    "lbp": "saccade.descriptors.lbp:LocalBinaryPatterns",
    "gist": "saccade.descriptors.gist:Gist",
    "gist-color": "saccade.descriptors.gist:GistColor",
    "cortex": "saccade.descriptors.cortex:Cortex",
    "embedding": "saccade.descriptors.embedding:Embedding",
    "embedding-float32": "saccade.descriptors.embedding:Float32Embedding",
}
"""Name → module and class of every descriptor that comes with Saccade."""

OPTIONAL = frozenset({"embedding-float32"})
"""Of those, what needs packages that a plain installation does not bring."""

DEFAULT = (
    "color-histogram",
    "color-moments",
    "color-correlogram",
    "edge-directions",
    "wavelet-texture",
    "gabor-texture",
    "lbp",
    "gist",
    "cortex",
    "embedding",
)
"""The dense descriptors of a new collection, in this order."""

BY_FILE = "embedding@"
"""What a descriptor's name starts with when an ONNX file follows."""


def names() -> tuple[str, ...]:
    """Every name `make` knows: the table's in its order, then the plug-ins' in theirs.

    >>> names()[:3]
    ('color-histogram', 'color-moments', 'color-correlogram')
    """
    return (*DESCRIPTORS, *sorted(_plugins()))


def make(name: str) -> Descriptor:
    """The descriptor with this name.

    Raises:
        UnknownName: neither the table nor a plug-in has it.
        InvalidInput: a plug-in, or the model file of `embedding@file`, cannot be used.

    >>> make("lbp").dimension, make("lbp").kind
    (59, 'texture')
    """
    if name.startswith(BY_FILE):
        from saccade.descriptors.embedding.encoder import FileEmbedding

        return FileEmbedding(name)
    if name in DESCRIPTORS:
        module, _, attribute = DESCRIPTORS[name].partition(":")
        descriptor: Descriptor = getattr(importlib.import_module(module), attribute)()
        return descriptor
    plugins = _plugins()
    if name in plugins:
        return _from_plugin(plugins[name])
    raise UnknownName("descriptor", name, names())


def text_encoder(name: str) -> TextEncoder:
    """The text encoder whose vectors lie in the space of this descriptor.

    Raises:
        InvalidInput: the descriptor has none.

    >>> text_encoder("lbp")
    Traceback (most recent call last):
    saccade.errors.InvalidInput: no text encoder is installed for 'lbp' \
(index with an image encoder that has one: embedding@MODEL.onnx)
    """
    descriptor = make(name)
    if not name.startswith(BY_FILE):
        raise InvalidInput(
            f"no text encoder is installed for {name!r}",
            hint="index with an image encoder that has one: embedding@MODEL.onnx",
        )
    from saccade.descriptors.embedding.encoder import FileEmbedding
    from saccade.descriptors.embedding.text import text_encoder_of

    assert isinstance(descriptor, FileEmbedding)
    return text_encoder_of(descriptor)


def _plugins() -> dict[str, EntryPoint]:
    """Entry points by name; a plug-in never takes the place of a descriptor in the table.

    Where two packages give the same name, the one whose target sorts first has it, so that the
    order in which packages were installed does not matter.
    """
    from importlib.metadata import entry_points

    entries = sorted(entry_points(group=GROUP), key=lambda entry: entry.value, reverse=True)
    return {entry.name: entry for entry in entries if entry.name not in DESCRIPTORS}


def _from_plugin(entry: EntryPoint) -> Descriptor:
    from saccade.contracts import Descriptor

    package = entry.dist.name if entry.dist else entry.value
    where = f"descriptor {entry.name!r} of plug-in {package!r}"
    try:
        descriptor = entry.load()()
    # A plug-in is other people's code: whatever it raises must not hide which one it was.
    except Exception as error:
        raise InvalidInput(
            f"{where} cannot be loaded: {type(error).__name__}: {error}",
            hint="mend or uninstall it; the other descriptors are unaffected",
        ) from error
    if not isinstance(descriptor, Descriptor):
        raise InvalidInput(
            f"{where} is no descriptor: {entry.value!r} must give an object with name, version, "
            f"dimension, kind and describe(pictures)"
        )
    if descriptor.name != entry.name:
        raise InvalidInput(
            f"{where} calls itself {descriptor.name!r}; the two names must be the same"
        )
    log.info(
        "loaded descriptor=%s plugin=%s version=%s", descriptor.name, package, descriptor.version
    )
    return descriptor
