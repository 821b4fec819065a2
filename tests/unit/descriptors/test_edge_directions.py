"""EdgeDirections: five edge types in rows, columns and cells."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.descriptors.edge_directions import CENTRE, EdgeDirections
from saccade.images.picture import ArrayPicture


def picture(gray: np.ndarray) -> ArrayPicture:
    return ArrayPicture(np.repeat(gray.astype(np.uint8)[:, :, None], 3, axis=2))


def shares(gray: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Shares of edge types by row, by column and by cell."""
    vector = EdgeDirections().describe([picture(gray)])[0].astype(np.float64)
    rows, columns = (vector[:15].reshape(3, 5), vector[15:30].reshape(3, 5))
    cells = 2.0 * vector[30:].reshape(3, 3, 5)
    return (rows + CENTRE) ** 2, (columns + CENTRE) ** 2, (cells + CENTRE) ** 2


def noise(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(20, 200, (61, 91))


@pytest.mark.parametrize(
    ("kind", "gray"),
    [
        (0, np.tile(np.arange(60) // 2 % 2 * 100, (60, 1))),
        (1, np.tile(np.arange(60) // 2 % 2 * 100, (60, 1)).T),
        (2, 100 + 90 * np.sin(np.add.outer(np.arange(60), np.arange(60)) / 6)),
        (3, 100 + 90 * np.sin(np.subtract.outer(np.arange(60), np.arange(60)) / 6)),
        (4, 100 * (np.add.outer(np.arange(60), np.arange(60)) % 2)),
    ],
    ids=["vertical", "horizontal", "rising", "falling", "chequered"],
)
def test_each_pattern_is_its_own_type(kind, gray):
    """Stripes, diagonals and a chequer board fall into the type made for them."""
    rows, columns, cells = shares(gray)
    for part in (rows, columns, cells.reshape(-1, 5)):
        assert part.sum(axis=0).argmax() == kind
        others = np.delete(part, kind, axis=1)
        assert others.sum() < 0.25 * part[:, kind].sum()


def test_a_flat_picture_has_no_edges():
    """All shares are zero, and the vector is not."""
    rows, columns, cells = shares(np.full((20, 30), 77))
    np.testing.assert_allclose([rows.max(), columns.max(), cells.max()], 0.0, atol=1e-9)


def test_brightness_changes_nothing():
    """Edges are differences: a constant added to all grey levels is not seen."""
    gray = noise(1)
    describe = EdgeDirections().describe
    np.testing.assert_array_equal(describe([picture(gray)]), describe([picture(gray + 40)]))


def test_mirroring_swaps_the_diagonals_and_the_columns():
    """45° becomes 135°, the left column the right one; rows stay where they are."""
    gray = noise(2)
    swap = [0, 1, 3, 2, 4]
    for part, mirrored, flip in zip(
        shares(gray), shares(gray[:, ::-1]), (np.s_[:], np.s_[::-1], np.s_[:, ::-1]), strict=True
    ):
        np.testing.assert_allclose(mirrored, part[flip][..., swap], atol=1e-6)


def test_a_row_is_the_sum_of_its_cells():
    """Where cells are equally large, a row's shares are the mean of its cells' shares."""
    rows, columns, cells = shares(noise(3))
    np.testing.assert_allclose(rows, cells.mean(axis=1), atol=1e-5)
    np.testing.assert_allclose(columns, cells.mean(axis=0), atol=1e-5)
