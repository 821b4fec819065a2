"""A network of float32 layers as one of 8 bits: every product and sum in whole numbers.

    value ≈ scale · (level − zero)      activations: level in 0..255, one scale and zero a layer
    weight ≈ scale · level              kernels: level in −127..127, one scale an output channel

Scales of activations are those of the least squared error over a histogram of what calibration
pictures give. Then layer by layer, each reading what the 8-bit layers before it give: the weights
of a 1 × 1 kernel are rounded one input channel after the other, and what rounding one costs is made
good by those that follow (Frantar et al., GPTQ, 2022); the bias is set so that the mean of each
channel is what it is in float32. A layer with ReLU6 needs no clip of its own: 0 and 255 are its
ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import InferenceSession, SessionOptions

from saccade.descriptors.embedding.efficientnet import DIMENSION, SIZE, Layer, float_graph

Floats = NDArray[np.float64]
Pictures = NDArray[np.uint8]  # [n, 224, 224, 3]

TOP = 127
PAIR = 128
"""What two neighbouring weights may amount to together. Processors with AVX2 and no VNNI add two
products of a level and a weight in 16 bits and cut off what is more: 255 · 128 still fits."""
PIXEL = (np.float32(1 / 128), np.uint8(127))
"""A pixel's own value is its level: the network was trained on (value − 127) / 128."""
_BINS = 2048
_TRIED = np.linspace(0.3, 1.0, 36)
_SCALES = np.linspace(0.8, 2.16, 69)
"""Scales of a channel that are tried, in those that its largest weight needs."""
_BATCH = 4
_DAMP = 0.01


@dataclass(frozen=True, slots=True)
class Levels:
    """How the values of a layer become levels."""

    scale: np.float32
    zero: np.uint8

    @classmethod
    def between(cls, low: float, high: float) -> Levels:
        """The finest that reach from `low` to `high`, with a level for 0 itself."""
        low, high = min(low, 0.0), max(high, 0.0)
        scale = max(high - low, 1e-9) / 255
        return cls(np.float32(scale), np.uint8(round(-low / scale)))

    def error(self, values: NDArray[Any], counts: NDArray[Any]) -> float:
        """Squared error over a histogram."""
        levels = np.clip(np.round(values / self.scale) + float(self.zero), 0, 255)
        gaps = (levels - float(self.zero)) * self.scale - values
        return float((gaps**2 * counts).sum())


def calibrated(layers: Sequence[Layer], pictures: Pictures) -> dict[str, Levels]:
    """Levels of each layer's values; a layer with a skip has two, `NAME.value` before the sum."""
    names = [name for layer in layers for name in _values(layer)]
    session = open_model(float_graph(layers, names))
    low, high = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    for found in _runs(session, names, normalised(pictures)):
        low = np.minimum(low, [values.min() for values in found])
        high = np.maximum(high, [values.max() for values in found])
    counts = np.zeros((len(names), _BINS))
    for found in _runs(session, names, normalised(pictures)):
        for i, values in enumerate(found):
            counts[i] += np.histogram(values, _BINS, (low[i], high[i] + 1e-6))[0]
    relu = {layer.name for layer in layers if layer.relu}
    return {
        name: _least(low[i], high[i] + 1e-6, counts[i], relu=name in relu)
        for i, name in enumerate(names)
    }


@dataclass(frozen=True, slots=True, eq=False)
class Rounded:
    """A layer with its kernel in levels, and the scale of each output channel."""

    layer: Layer
    levels: NDArray[np.int8]
    scales: NDArray[np.float32]


def rounded(
    layers: Sequence[Layer], levels: Mapping[str, Levels], pictures: Pictures
) -> list[Rounded]:
    """Every layer in 8 bits, fitted to what the pictures give."""
    names = [f"{layer.name}.value" if layer.relu or layer.skip else layer.name for layer in layers]
    session, wanted = open_model(float_graph(layers, names)), [np.zeros(0)] * len(names)
    for found in _runs(session, names, normalised(pictures)):
        sums = [values.mean(axis=(2, 3), dtype=np.float64).sum(axis=0) for values in found]
        wanted = [a + b if len(a) else b for a, b in zip(wanted, sums, strict=True)]
    done: list[Rounded] = []
    for i, layer in enumerate(layers):
        own = Rounded(layer, *kernel_levels(layer.kernel, _moments(done, levels, layer, pictures)))
        value = f"{layer.name}.value"
        session, got = (
            open_model(graph([*done, own], levels, expose=value)),
            np.zeros(len(own.scales)),
        )
        for (values,) in _runs(session, [value], pictures):
            got += values.mean(axis=(2, 3), dtype=np.float64).sum(axis=0)
        bias = layer.bias + (wanted[i] - got) / len(pictures)
        done.append(replace(own, layer=replace(layer, bias=bias)))
    return done


def _moments(
    done: Sequence[Rounded], levels: Mapping[str, Levels], layer: Layer, pictures: Pictures
) -> Floats | None:
    """Products of the channels that a 1 × 1 kernel reads, summed over positions, [in, in]."""
    if layer.kernel.shape[2] != 1:
        return None
    name = f"{layer.source}.read"
    session, total = open_model(graph(done, levels, expose=name)), 0.0
    for (values,) in _runs(session, [name], pictures):
        flat = values.transpose(1, 0, 2, 3).reshape(values.shape[1], -1)
        total = total + (flat @ flat.T).astype(np.float64)
    return np.asarray(total)


def graph(layers: Sequence[Rounded], levels: Mapping[str, Levels], *, expose: str = "") -> bytes:
    """The ONNX model: uint8 [n, 224, 224, 3] → `embedding` [n, 1280], `map` uint8 [n, 7, 7, 1280].

    A level of the map is worth 6 / 255. The embedding is the mean over positions, summed in whole
    numbers: the same on every machine. `expose` names one layer's values as the only output.
    """
    made = _Graph()
    made.node("Transpose", ["image"], "image.turned", perm=[0, 3, 1, 2])
    known = {"image": made.dequantised("image", "image.turned", Levels(*PIXEL))}
    scales = {"image": PIXEL[0]} | {name: found.scale for name, found in levels.items()}
    for each in layers:
        layer = each.layer
        value = f"{layer.name}.value"
        tensors = [known[layer.source], *made.weights(each, scales[layer.source])]
        made.node("Conv", tensors, value, **layer.attributes)
        if expose == value:
            break
        own = value if layer.skip else layer.name
        known[own] = made.quantised(own, value, levels[own])
        if layer.skip:
            total = made.node("Add", [known[own], known[layer.skip]], f"{layer.name}.sum")
            known[layer.name] = made.quantised(layer.name, total, levels[layer.name])
    if expose:
        outputs = [helper.make_tensor_value_info(expose, TensorProto.FLOAT, None)]
    else:
        last = layers[-1].layer.name
        outputs = made.outputs(f"{last}.level", scales[last])
    image = helper.make_tensor_value_info("image", TensorProto.UINT8, ["n", SIZE, SIZE, 3])
    whole = helper.make_graph(
        made.nodes, "efficientnet-lite0-int8", [image], outputs, initializer=made.constants
    )
    model = helper.make_model(whole, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    data: bytes = model.SerializeToString(deterministic=True)
    return data


class _Graph:
    """Nodes and constants, collected in the order of computation."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, name: str, value: Any) -> str:
        array = np.ascontiguousarray(value).reshape(np.shape(value))
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], **attributes))
        return output

    def quantised(self, name: str, value: str, levels: Levels) -> str:
        level = f"{name}.level"
        about = [
            self.constant(f"{name}.scale", levels.scale),
            self.constant(f"{name}.zero", levels.zero),
        ]
        self.node("QuantizeLinear", [value, *about], level)
        return self.node("DequantizeLinear", [level, *about], f"{name}.read")

    def dequantised(self, name: str, level: str, levels: Levels) -> str:
        about = [
            self.constant(f"{name}.scale", levels.scale),
            self.constant(f"{name}.zero", levels.zero),
        ]
        return self.node("DequantizeLinear", [level, *about], f"{name}.read")

    def weights(self, rounded: Rounded, scale_in: np.float32) -> list[str]:
        """A layer's kernel in int8 and its bias in int32, as onnxruntime fuses them."""
        layer = rounded.layer
        units = (scale_in * rounded.scales).astype(np.float32)
        # A channel without weights would have a unit too fine for its bias to be counted in.
        units = np.maximum(units, (np.abs(layer.bias) / 2**30).astype(np.float32))
        scales = (units / scale_in).astype(np.float32)
        bias = np.round(layer.bias / units).astype(np.int32)
        return [
            self._channels(f"{layer.name}.kernel", rounded.levels, scales),
            self._channels(f"{layer.name}.bias", bias, units),
        ]

    def _channels(self, name: str, levels: NDArray[Any], scales: NDArray[np.float32]) -> str:
        inputs = [
            self.constant(f"{name}.level", levels),
            self.constant(f"{name}.scale", scales),
            self.constant(f"{name}.zero", np.zeros(len(scales), levels.dtype)),
        ]
        return self.node("DequantizeLinear", inputs, f"{name}.read", axis=0)

    def outputs(self, levels: str, scale: np.float32) -> list[Any]:
        self.node("Transpose", [levels], "map", perm=[0, 2, 3, 1])
        self.node("Cast", ["map"], "map.whole", to=TensorProto.INT32)
        axes = self.constant("map.axes", np.array([1, 2], np.int64))
        self.node("ReduceSum", ["map.whole", axes], "map.sum", keepdims=0)
        self.node("Cast", ["map.sum"], "map.total", to=TensorProto.FLOAT)
        share = self.constant("map.share", np.float32(scale / 49))
        self.node("Mul", ["map.total", share], "embedding")
        return [
            helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", DIMENSION]),
            helper.make_tensor_value_info("map", TensorProto.UINT8, ["n", 7, 7, DIMENSION]),
        ]


def kernel_levels(
    kernel: Floats, moments: Floats | None = None
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A kernel's levels, and the scale of each output channel that costs the least squares.

    With `moments`, those of what a 1 × 1 kernel reads, the cost is that of its output.
    """
    flat = kernel.reshape(len(kernel), -1)
    largest = np.maximum(np.abs(flat).max(axis=1), 1e-12)
    # A kernel that is neither 1 × 1 nor depthwise is summed in pairs of an order that is not known.
    top = PAIR // 2 if moments is None and kernel.shape[1] > 1 else TOP
    if moments is not None:
        moments = moments + _DAMP * np.trace(moments) / len(moments) * np.eye(len(moments))
    best = np.full(len(flat), np.inf)
    scale, levels = largest / top, np.zeros(flat.shape)
    for share in _SCALES:
        tried = largest * share / TOP
        values = flat / tried[:, None]
        if moments is None:
            found = np.clip(np.round(values), -top, top)
            errors = ((found - values) ** 2).sum(axis=1) * tried**2
        else:
            found = _compensated(values, moments)
            gaps = found - values
            errors = ((gaps @ moments) * gaps).sum(axis=1) * tried**2
        better = errors < best
        best, scale = np.where(better, errors, best), np.where(better, tried, scale)
        levels[better] = found[better]
    return levels.reshape(kernel.shape).astype(np.int8), scale.astype(np.float32)


def _compensated(values: Floats, moments: Floats) -> Floats:
    """Levels one column after the other; what each costs is made good by the columns after it.

    No two neighbours, counted from the first, are together above `PAIR`.
    """
    steps = np.linalg.cholesky(np.linalg.inv(moments)).T  # upper: how a column's error is shared
    left, levels = values.copy(), np.zeros(values.shape)
    for k in range(values.shape[1]):
        room = np.minimum(PAIR - np.abs(levels[:, k - 1]), TOP) if k % 2 else float(TOP)
        levels[:, k] = np.clip(np.round(left[:, k]), -room, room)
        error = (left[:, k] - levels[:, k]) / steps[k, k]
        left[:, k + 1 :] -= error[:, None] * steps[k, k + 1 :]
    return levels


def normalised(pictures: Pictures) -> NDArray[np.float32]:
    """Pixels as the float32 model takes them, [n, 3, 224, 224]."""
    scaled = (pictures.astype(np.float32) - 127) / 128
    return np.ascontiguousarray(scaled.transpose(0, 3, 1, 2))


def open_model(data: bytes) -> InferenceSession:
    """A model on one thread."""
    options = SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return InferenceSession(data, options, providers=["CPUExecutionProvider"])


def _values(layer: Layer) -> list[str]:
    return [f"{layer.name}.value", layer.name] if layer.skip else [layer.name]


def _runs(
    session: InferenceSession, names: Sequence[str], inputs: NDArray[Any]
) -> Iterator[list[NDArray[np.float32]]]:
    for start in range(0, len(inputs), _BATCH):
        yield session.run(list(names), {"image": inputs[start : start + _BATCH]})


def _least(low: float, high: float, counts: NDArray[Any], *, relu: bool) -> Levels:
    """The levels of the least squared error over a histogram."""
    if relu:
        return Levels.between(0.0, 6.0) if high >= 6.0 else Levels.between(0.0, high)
    values = low + (np.arange(_BINS) + 0.5) * (high - low) / _BINS
    tried = [Levels.between(low * a, high * b) for a in _TRIED for b in _TRIED]
    return min(tried, key=lambda levels: levels.error(values, counts))
