"""Edge directions: what share of each part of the picture is edge, of which direction.

    v = (sqrt(edges of type t in part / windows in part) − centre_t) · weight

for five types (vertical, horizontal, 45°, 135°, none of these; the 2 × 2 filters of MPEG-7) in 15
parts: 3 rows, 3 columns and the 9 cells of a 3 × 3 grid: 75 signed values in (−0.5, 1). A window
whose strongest filter gives less than 8 grey levels has no edge. The centre is the typical value
over photographs; cells weigh half, as each lies in a row and a column too. Adding a constant to
all grey levels changes nothing; mirroring swaps 45° with 135° and the parts with their mirrors.

Sources: Won, Park & Park, Efficient use of MPEG-7 edge histogram descriptor, 2002; the 15 parts
are the spatial blocks of Li et al., A comprehensive study on learning to rank for content-based
image retrieval, 2012, who use 75 edge values too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors.blocks import edges, stack
from saccade.kernels.edges import edge_counts
from saccade.types import Vectors

_SIDE = 128
_PARTS = 3
_THRESHOLD = 8
CENTRE = np.array([0.31, 0.41, 0.28, 0.28, 0.46])
_CELL_WEIGHT = 0.5


class EdgeDirections:
    """Five edge types in 3 rows, 3 columns and 9 cells."""

    name = "edge-directions"
    version = "1"
    dimension = 5 * (2 * _PARTS + _PARTS**2)
    kind = "shape"

    def describe(self, pictures: Sequence[Picture]) -> Vectors:
        """Shares of edges, [n, 75]: rows, columns, then cells row by row, each with five types."""
        return stack(_describe, pictures, self.dimension)


def _describe(picture: Picture) -> NDArray[np.float64]:
    gray = picture.fit(256).fit(_SIDE).gray
    if min(gray.shape) < 2:
        # A picture one pixel wide is its own neighbour: no edges along the side it lacks.
        gray = np.pad(gray, [(0, int(n < 2)) for n in gray.shape], mode="edge")
    height, width = gray.shape
    counts = edge_counts(gray, edges(height - 1, _PARTS), edges(width - 1, _PARTS), _THRESHOLD)
    parts = [counts.sum(axis=1), counts.sum(axis=0), counts.reshape(-1, 6)]
    rows, columns, cells = (np.sqrt(_shares(part)) - CENTRE for part in parts)
    return np.concatenate([rows.ravel(), columns.ravel(), _CELL_WEIGHT * cells.ravel()])


def _shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = counts[:, :5] / counts.sum(axis=1, keepdims=True)
    return shares
