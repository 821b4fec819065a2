"""A small image encoder and the text encoder that goes with it, made of a few ONNX nodes.

A picture's vector is its mean colour, a text's is the sum of the colours it names.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from saccade.images.picture import ArrayPicture

SIZE = 8
COLOURS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255)}
VOCABULARY = ["[pad]", "[start]", "[end]", "[unknown]", "red", "green", "blue", "##dish", "!"]
TEXT_NOTES = {
    "saccade.text.vocabulary": json.dumps({word: id for id, word in enumerate(VOCABULARY)}),
    "saccade.text.length": "6",
    "saccade.text.start": "[start]",
    "saccade.text.end": "[end]",
    "saccade.text.pad": "[pad]",
    "saccade.text.unknown": "[unknown]",
}


def save(path: Path, nodes, inputs, outputs, constants=(), notes=None) -> Path:
    graph = helper.make_graph(
        nodes,
        "small",
        inputs,
        outputs,
        [numpy_helper.from_array(value, name) for name, value in dict(constants).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(model, notes or {})
    onnx.save(model, str(path))
    return path


def value(name: str, shape: list, kind: int = TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def image_model(path: Path, *, shape=("n", 3, SIZE, SIZE), notes=None) -> Path:
    """The mean of each channel: the colour of the picture."""
    nodes = [
        helper.make_node("GlobalAveragePool", ["image"], ["mean"]),
        helper.make_node("Flatten", ["mean"], ["vector"]),
    ]
    return save(
        path, nodes, [value("image", list(shape))], [value("vector", ["n", 3])], notes=notes
    )


def text_model(path: Path, *, notes=None, width: int = 3, masked: bool = False) -> Path:
    """The sum of the colours of the words."""
    table = np.zeros((len(VOCABULARY), width), np.float32)
    for word, colour in COLOURS.items():
        table[VOCABULARY.index(word), :3] = np.array(colour) / 255
    axis = {"axis": np.array([1])}
    nodes = [helper.make_node("Gather", ["table", "ids"], ["colours"])]
    inputs = [value("ids", ["n", 6], TensorProto.INT64)]
    last = "colours"
    if masked:
        inputs.append(value("attention_mask", ["n", 6], TensorProto.INT64))
        axis["last"] = np.array([2])
        nodes += [
            helper.make_node("Cast", ["attention_mask"], ["shown"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["shown", "last"], ["column"]),
            helper.make_node("Mul", ["colours", "column"], ["kept"]),
        ]
        last = "kept"
    nodes.append(helper.make_node("ReduceSum", [last, "axis"], ["vector"], keepdims=0))
    outputs = [value("vector", ["n", width])]
    return save(path, nodes, inputs, outputs, {"table": table, **axis}, notes or TEXT_NOTES)


def flat(colour: tuple[int, int, int], height: int = 10, width: int = 30) -> ArrayPicture:
    return ArrayPicture(np.full((height, width, 3), colour, np.uint8))


PLAIN = {"saccade.mean": "0", "saccade.std": "1"}


def encoder_pair(folder: Path) -> str:
    """The name of a descriptor whose encoder understands words too."""
    text_model(folder / "colour.text.onnx")
    return f"embedding@{image_model(folder / 'colour.onnx', notes=PLAIN)}"
