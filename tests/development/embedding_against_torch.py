"""Does our ONNX graph compute what PyTorch computes from the same weights? For developers only.

    python tests/development/embedding_against_torch.py

The network is written here once more, in plain PyTorch modules with their batch normalisation left
in place, and its weights are read by PyTorch itself. The two must agree to 1e-4 on noise and on
drawn pictures, before and after the vectors are brought to length 1. PyTorch is no dependency of
Saccade: without it this ends with exit code 2.
"""

from __future__ import annotations

import sys

import numpy as np

from saccade.descriptors.embedding.efficientnet import build, weights_file
from saccade.descriptors.embedding.encoder import Embedding, prepare
from saccade.images.picture import ArrayPicture

# kernel, stride, expansion, channels, repeats: table 1 of Tan & Le 2019.
STAGES = [
    (3, 1, 1, 16, 1),
    (3, 2, 6, 24, 2),
    (5, 2, 6, 40, 2),
    (3, 2, 6, 80, 3),
    (5, 1, 6, 112, 3),
    (5, 2, 6, 192, 4),
    (3, 1, 6, 320, 1),
]
TOLERANCE = 1e-4


def reference(pixels: np.ndarray) -> np.ndarray:
    """The 1280 values by PyTorch, [n, 1280]."""
    import torch
    from torch import nn
    from torch.nn import functional

    class Same(nn.Conv2d):
        def forward(self, x):
            side, stride = self.kernel_size[0], self.stride[0]
            total = [max((-(-n // stride) - 1) * stride + side - n, 0) for n in x.shape[-2:]]
            (top, left) = (t // 2 for t in total)
            x = functional.pad(x, (left, total[1] - left, top, total[0] - top))
            return super().forward(x)

    def normalised(channels):
        return nn.BatchNorm2d(channels, eps=1e-3)

    class Block(nn.Module):
        def __init__(self, kernel, stride, expansion, before, after):
            super().__init__()
            middle = before * expansion
            self.skip = stride == 1 and before == after
            self.expands = expansion > 1
            if self.expands:
                self._expand_conv = Same(before, middle, 1, bias=False)
                self._bn0 = normalised(middle)
            self._depthwise_conv = Same(middle, middle, kernel, stride, groups=middle, bias=False)
            self._bn1 = normalised(middle)
            self._project_conv = Same(middle, after, 1, bias=False)
            self._bn2 = normalised(after)

        def forward(self, x):
            y = x
            if self.expands:
                y = functional.relu6(self._bn0(self._expand_conv(y)))
            y = functional.relu6(self._bn1(self._depthwise_conv(y)))
            y = self._bn2(self._project_conv(y))
            return x + y if self.skip else y

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self._conv_stem = Same(3, 32, 3, 2, bias=False)
            self._bn0 = normalised(32)
            blocks, before = [], 32
            for kernel, stride, expansion, after, repeats in STAGES:
                for repeat in range(repeats):
                    step = stride if repeat == 0 else 1
                    blocks.append(Block(kernel, step, expansion, before, after))
                    before = after
            self._blocks = nn.ModuleList(blocks)
            self._conv_head = Same(320, 1280, 1, bias=False)
            self._bn1 = normalised(1280)
            self._fc = nn.Linear(1280, 1000)

        def forward(self, x):
            x = functional.relu6(self._bn0(self._conv_stem(x)))
            for block in self._blocks:
                x = block(x)
            x = functional.relu6(self._bn1(self._conv_head(x)))
            return x.mean(dim=(2, 3))

    network = Network().eval()
    network.load_state_dict(torch.load(weights_file(), weights_only=True))
    with torch.inference_mode():
        return network(torch.from_numpy(pixels)).numpy()


def pictures() -> list[ArrayPicture]:
    """Noise, ramps, flat colours and disks."""
    rng = np.random.default_rng(0)
    y, x = np.mgrid[:240, :320]
    drawn = [rng.integers(0, 256, (200, 300, 3), np.uint8) for _ in range(2)]
    drawn.append(np.stack([x * 255 // 319, y * 255 // 239, (x + y) % 256], -1).astype(np.uint8))
    for radius in (30, 70, 110):
        disk = ((x - 160) ** 2 + (y - 120) ** 2 < radius**2)[..., None]
        drawn.append(np.where(disk, (220, 60, 40), (90, 140, 230)).astype(np.uint8))
    drawn += [np.full((64, 64, 3), value, np.uint8) for value in (0, 128, 255)]
    return [ArrayPicture(rgb) for rgb in drawn]


def main() -> int:
    """Print the largest differences; 0 when all are within the tolerance."""
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: nothing was compared", file=sys.stderr)
        return 2
    import onnxruntime

    shown = pictures()
    pixels = np.stack([prepare(picture, Embedding.settings) for picture in shown])
    expected = reference(pixels)
    session = onnxruntime.InferenceSession(build(), providers=["CPUExecutionProvider"])
    (values,) = session.run(["embedding"], {"image": pixels})
    raw = float(np.abs(values - expected).max())
    unit = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    final = float(np.abs(Embedding().describe(shown) - unit).max())
    print(
        f"torch {torch.__version__}, onnxruntime {onnxruntime.__version__}, {len(shown)} pictures"
    )
    print(f"largest difference: {raw:.1e} in values up to {expected.max():.2f}")
    print(f"largest difference at length 1: {final:.1e}")
    return int(max(raw, final) > TOLERANCE)


if __name__ == "__main__":
    sys.exit(main())
