"""Named arrays as bytes, and the arithmetic of ragged ones.

A batch of n images is a mapping of arrays. Without `offsets`, every array has n rows. With
`offsets` [n + 1], image i owns the rows `offsets[i]:offsets[i + 1]` of every other array: that is
how local features and words are kept.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from saccade.kernels.ragged import offsets_of
from saccade.types import Array, Arrays, Rows


def to_bytes(arrays: Arrays) -> bytes:
    """Named arrays as one uncompressed `.npz` in memory; no pickle."""
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **dict(arrays))
    return buffer.getvalue()


def from_bytes(data: bytes) -> dict[str, Array]:
    """What `to_bytes` wrote."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def count(arrays: Arrays) -> int:
    """How many images a batch holds."""
    if "offsets" in arrays:
        return len(arrays["offsets"]) - 1
    return len(next(iter(arrays.values())))


def take(arrays: Arrays, rows: Rows) -> dict[str, Array]:
    """The batch of some of its images, in the order given."""
    if "offsets" not in arrays:
        return {name: array[rows] for name, array in arrays.items()}
    offsets = arrays["offsets"]
    lengths = np.diff(offsets)[rows]
    owned = [np.arange(offsets[row], offsets[row + 1]) for row in rows]
    values = np.concatenate(owned) if owned else np.empty(0, np.int64)
    out = {name: array[values] for name, array in arrays.items() if name != "offsets"}
    out["offsets"] = offsets_of(lengths)
    return out


def concatenate(batches: Sequence[Arrays]) -> dict[str, Array]:
    """Several batches as one, in order."""
    names = batches[0].keys()
    out = {
        name: np.concatenate([batch[name] for batch in batches])
        for name in names
        if name != "offsets"
    }
    if "offsets" in names:
        lengths = np.concatenate([np.diff(batch["offsets"]) for batch in batches])
        out["offsets"] = offsets_of(lengths)
    return out


def copied(arrays: Arrays) -> dict[str, Array]:
    """The same arrays, owned by the caller."""
    return {name: np.array(array) for name, array in arrays.items()}
