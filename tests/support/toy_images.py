"""A set of images that are nothing but classes and φ: two schemes know the class, one shouts."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from saccade.studies.collection import Images
from saccade.testbed.datasets import Dataset
from saccade.types import WordBags


def toy_images(classes: int = 4, each: int = 15, distractors: int = 0, seed: int = 0) -> Images:
    """Two schemes with half the truth each, one that is loud and knows nothing, one constant."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate([np.repeat(np.arange(classes), each), np.full(distractors, -1)])
    n = len(labels)
    same = ((labels[:, None] == labels) & (labels >= 0)).astype(float)
    noise = rng.random((3, n, n))
    cube = np.stack(
        [0.3 * same + 0.5 * noise[0], 0.3 * same + 0.5 * noise[1], noise[2], np.full((n, n), 0.5)],
        axis=2,
    ).astype(np.float32)
    return Images(
        dataset=Dataset(Path("toy"), (), ()),
        rows=np.arange(n),
        labels=labels,
        paths=tuple(f"{i}.png" for i in range(n)),
        files=tuple(f"/toy/{i}.png" for i in range(n)),
        images={i: i for i in range(n)},
        ids=tuple(f"{i:032x}" for i in range(n)),
        schemes=("a", "b", "c", "d"),
        phi_of=lambda image, box=None: cube[image],
        features_of=lambda image, box=None: _wide(cube[image], image),
        vectors_of=lambda name: cube[:, 0],
        bags_of=lambda: WordBags((), np.zeros(0)),
    )


def _wide(phi: np.ndarray, image: int) -> np.ndarray:
    """224 features: φ over and over with noise; the last two say which pair a row belongs to."""
    rng = np.random.default_rng(image)
    copies = [phi[:, [column % 4]] + 0.3 * rng.random((len(phi), 1)) for column in range(222)]
    told = np.stack([np.full(len(phi), image), np.arange(len(phi))], axis=1)
    return np.concatenate([*copies, told], axis=1).astype(np.float32)
