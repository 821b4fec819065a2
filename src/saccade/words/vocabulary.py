"""A vocabulary: descriptors → words.

    word(d) = the centroid nearest to d     akm: found through cells, nearly always
                                            hkm: found down a tree, the nearest at each turn

A vocabulary is one file that stores can share. Its digest is taken over what decides a word and
over nothing else: two vocabularies with one digest give the same words, and whatever was built with
a vocabulary carries its digest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, NotFound
from saccade.hints import Hint
from saccade.types import Array, Arrays, Spec
from saccade.words import local_features, training
from saccade.words.cells import Cells, flat_distances
from saccade.words.local_features import Descriptors

FORMAT = 1
_WRITE = Hint(
    "engine.library.words().export(FILE) writes one", command="`saccade words export` writes one"
)
_TRAIN = Hint(
    "train a new one with engine.library.words().train()",
    command="train a new one with `saccade words train`",
)
PROBES = 12
"""Cells a descriptor is compared with when it gets its word."""

Words = NDArray[np.int32]  # [n]

_ARRAYS = {"akm": ("centroids", "coarse", "cell"), "hkm": ("nodes", "child", "children", "roots")}


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Words of one `kind` (akm or hkm): the arrays that decide them, and how they came about."""

    kind: str
    arrays: Arrays
    spec: Spec

    @classmethod
    def flat(cls, centroids: Descriptors, spec: Spec) -> Vocabulary:
        """A vocabulary of plain centroids [k, 128]."""
        cells = Cells.build(np.ascontiguousarray(centroids))
        arrays: Arrays = {"centroids": cells.centroids, "coarse": cells.coarse, "cell": cells.cell}
        return cls("akm", arrays, _full(spec))

    @classmethod
    def tree(
        cls,
        nodes: Descriptors,
        child: NDArray[np.int32],
        children: NDArray[np.int32],
        roots: int,
        spec: Spec,
    ) -> Vocabulary:
        """A vocabulary whose words are the leaves of a tree, numbered in the order of the nodes."""
        arrays: Arrays = {
            "nodes": np.ascontiguousarray(nodes),
            "child": child.astype(np.int32),
            "children": children.astype(np.int32),
            "roots": np.array([roots], np.int32),
        }
        return cls("hkm", arrays, _full(spec))

    @property
    def size(self) -> int:
        """How many words there are."""
        return len(self.centroids)

    @cached_property
    def centroids(self) -> Descriptors:
        """The centre of each word, uint8 [size, 128]."""
        if self.kind == "akm":
            return np.asarray(self.arrays["centroids"], np.uint8)
        return np.asarray(self.arrays["nodes"][self.arrays["children"] == 0], np.uint8)

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits that name this vocabulary."""
        return training.digest({"kind": self.kind, "features": self.spec["features"]}, self.arrays)

    def assign(self, descriptors: Array, *, probes: int = PROBES) -> Words:
        """The word of each descriptor, int32 [n]. A tree has no cells to probe."""
        descriptors = training.checked(descriptors)
        if self.kind == "akm":
            return self._cells.nearest(descriptors, probes=probes)[0][:, 0]
        from saccade.kernels import clusters

        leaves = np.empty(len(descriptors), np.int64)
        nodes, child, children, roots = (self.arrays[name] for name in _ARRAYS["hkm"])
        clusters.descend(descriptors, nodes, child, children, int(roots[0]), leaves)
        return self._word_of_node[leaves]

    def save(self, path: str | Path) -> None:
        """Write the vocabulary to one file; it is there whole, or not at all."""
        head = {
            "format": FORMAT,
            "what": "saccade vocabulary",
            "kind": self.kind,
            "digest": self.digest,
            "spec": dict(self.spec),
        }
        training.write(Path(path), head, self.arrays)

    @classmethod
    def load(cls, path: str | Path) -> Vocabulary:
        """Read a vocabulary from its file and check that not a bit of it has changed."""
        path = Path(path)
        if not path.is_file():
            raise NotFound(f"no vocabulary file {str(path)!r}", hint=_WRITE)
        try:
            head, arrays = training.read(path)
            vocabulary = cls(str(head["kind"]), arrays, head["spec"])
            sound = head["what"] == "saccade vocabulary" and head["format"] == FORMAT
            sound = sound and set(arrays) == set(_ARRAYS[vocabulary.kind])
            sound = sound and vocabulary.digest == head["digest"] and _sound(vocabulary)
        except (ValueError, KeyError, TypeError) as problem:
            raise _damaged(path) from problem
        if not sound:
            raise _damaged(path)
        if vocabulary.spec["features"] != local_features.VERSION:
            raise InvalidInput(
                f"vocabulary {str(path)!r} is for local features {vocabulary.spec['features']!r}; "
                f"this Saccade makes {local_features.VERSION!r}",
                hint=_TRAIN,
            )
        return vocabulary

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self.arrays["centroids"], self.arrays["coarse"], self.arrays["cell"])

    @cached_property
    def _word_of_node(self) -> Words:
        """The word of each leaf: leaves are counted in the order of the nodes."""
        return (np.cumsum(self.arrays["children"] == 0) - 1).astype(np.int32)


def recall(vocabulary: Vocabulary, descriptors: Array, *, probes: int = PROBES) -> float:
    """Share of descriptors whose word is as near as any: 1 for an exact assignment."""
    descriptors = training.checked(descriptors)
    if not len(descriptors):
        raise InvalidInput("recall over no descriptors: give at least one")
    words = vocabulary.assign(descriptors, probes=probes)
    gaps = descriptors.astype(np.float32) - vocabulary.centroids[words].astype(np.float32)
    nearest = flat_distances(vocabulary.centroids, descriptors)[1]
    return float(np.mean(np.einsum("ij,ij->i", gaps, gaps) <= nearest))


def bag(words: NDArray[np.int32]) -> tuple[Words, NDArray[np.int32]]:
    """The distinct words of an image, ascending, and how often each occurs.

    >>> [part.tolist() for part in bag(np.array([7, 2, 7], np.int32))]
    [[2, 7], [1, 2]]
    """
    distinct, counts = np.unique(words, return_counts=True)
    return distinct.astype(np.int32), counts.astype(np.int32)


def _full(spec: Spec) -> dict[str, Any]:
    return {**spec, "features": local_features.VERSION}


def _sound(vocabulary: Vocabulary) -> bool:
    """Whether the arrays fit each other: compiled code trusts them, whoever wrote the file."""
    arrays = vocabulary.arrays
    centres = ("centroids", "coarse") if vocabulary.kind == "akm" else ("nodes",)
    if not all(
        arrays[n].dtype == np.uint8
        and arrays[n].ndim == 2
        and arrays[n].shape[1] == local_features.DIMENSION
        and len(arrays[n]) > 0
        for n in centres
    ):
        return False
    numbers = {n: a for n, a in arrays.items() if n not in centres}
    if not all(a.dtype == np.int32 and a.ndim == 1 for a in numbers.values()):
        return False
    if vocabulary.kind == "akm":
        cell, cells = arrays["cell"], len(arrays["coarse"])
        used = np.bincount(cell[(cell >= 0) & (cell < cells)], minlength=cells)
        return len(cell) == len(arrays["centroids"]) == used.sum() and bool(used.all())
    child, children, nodes = arrays["child"], arrays["children"], len(arrays["nodes"])
    inner = children > 0
    return (
        len(child) == len(children) == nodes
        and len(arrays["roots"]) == 1
        and 0 < arrays["roots"][0] <= nodes
        and bool((children >= 0).all())
        # Children come after their parent, so every walk down ends.
        and bool((child[inner] > np.flatnonzero(inner)).all())
        and bool((child[inner].astype(np.int64) + children[inner] <= nodes).all())
    )


def _damaged(path: Path) -> InvalidInput:
    return InvalidInput(
        f"{str(path)!r} is no vocabulary, or a damaged one",
        hint="export it again from the store it came from",
    )
