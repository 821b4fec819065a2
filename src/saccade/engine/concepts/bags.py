"""What a picture is to a concept's ranker: a bag of vectors.

parts     positions of the encoder's map, 256 numbers each: as every new store has them
regions   the paper's 201 numbers a region, where the recipe has them
whole     one vector, of the first embedding or else of the first descriptor: in other stores
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection
from saccade.engine.rooms.maps import positions_of
from saccade.engine.sources import dense, parts, regions
from saccade.errors import InvalidInput
from saccade.features.phi import Column
from saccade.hints import FILL
from saccade.types import Phi

Floats = NDArray[np.float32]


class BagView(Protocol):
    """The bags of a collection at one moment."""

    @property
    def kind(self) -> str:
        """What the vectors are; lessons of different kinds never meet."""

    @property
    def width(self) -> int:
        """Columns of a vector."""

    def has(self, row: int) -> bool:
        """Whether there is anything to see of a picture."""

    def bag(self, row: int) -> Phi:
        """The vectors of a picture, [n, width]."""

    def laid(self, row: int, values: Floats) -> Floats:
        """A value of each vector where it lies in the picture, as a grid."""


@dataclass(frozen=True, slots=True, eq=False)
class WholeView:
    """Pictures as wholes: bags of one vector of length 1."""

    column: Column
    collection: Collection

    @property
    def kind(self) -> str:
        """The descriptor's name."""
        return self.column.descriptor

    @property
    def width(self) -> int:
        """The descriptor's dimension."""
        return int(self.column.blocks[0].vectors.shape[1])

    def has(self, row: int) -> bool:
        """Whether the picture could be described."""
        return bool(self.column.vector(row).any())

    def bag(self, row: int) -> Phi:
        """The one vector."""
        vector = self.column.vector(row)
        return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)[None]

    def laid(self, row: int, values: Floats) -> Floats:
        """Nowhere: an error says why a whole has no map."""
        positions_of(self.collection)
        return np.asarray(values, np.float32).reshape(1, 1)


def bags_of(collection: Collection) -> BagView:
    """What the pictures of a collection are made of.

    Raises:
        InvalidInput: it has no vectors at all.
    """
    cut, seen = regions.of(collection), parts.of(collection)
    if cut is not None:
        return cut
    if seen is not None:
        return seen
    columns = dense.of(collection).columns
    learned = [name for name in columns if collection.kinds.get(name) == "embedding"]
    if not columns:
        raise InvalidInput(
            "this store has no descriptor that a concept could be learned by", hint=FILL
        )
    return WholeView(columns[(learned or list(columns))[0]], collection)
