"""One low-dimensional embedding of several descriptors: linear generalised CCA (MAX-VAR).

    minimise Σ_v ‖G − X_v W_v‖² + ε_v‖W_v‖²   with GᵀG = I             (Kettenring 1971)
    ε_v = ε · mean eigenvalue of X_vᵀX_v

X_v is a descriptor's column, centred, one row per image; G [n, m] holds what all of them agree on.
The solution is the top eigenvectors of Σ_v X_v (X_vᵀX_v + ε_v I)⁻¹ X_vᵀ. Each view is first reduced
to its principal components: the cost grows with the number of images and not with its square.

li2012 embeds its six global descriptors with LME, "linear multiview embedding", which it cites and
does not define. This is linear, takes many views and finds their common directions, and serves in
its place. The images' places are G, scaled by √n so that every direction has unit variance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.types import Vectors

MOST_COMPONENTS = 64  # of each view


def embed(
    views: Sequence[ArrayLike], dimension: int = 16, *, regularisation: float = 1e-2
) -> Vectors:
    """The common embedding of `views`, each [n, d_v], as [n, at most `dimension`].

    A direction's sign is free; here its largest entry is positive, so that the result is one.

    >>> rng = np.random.default_rng(0)
    >>> hidden = rng.standard_normal((40, 1))
    >>> views = [np.hstack([hidden, rng.standard_normal((40, 3))]) for _ in range(3)]
    >>> place = embed(views, 1)
    >>> bool(abs(np.corrcoef(place[:, 0], hidden[:, 0])[0, 1]) > 0.95)
    True
    """
    columns = [np.asarray(view, np.float64) for view in views]
    if not columns or any(view.ndim != 2 or len(view) != len(columns[0]) for view in columns):
        shapes = [np.shape(view) for view in views]
        raise InvalidInput(f"multiview: views must be [n, d] with one n, not {shapes}")
    if dimension < 1:
        raise InvalidInput(f"multiview: {dimension} dimensions; ask for at least one")
    size = len(columns[0])
    parts = [_agreement(view, regularisation) for view in columns]
    stacked = np.hstack(parts)  # Σ_v of the projections is stacked @ stacked.T
    if size == 0 or not stacked.any():
        return np.zeros((size, 0), np.float32)
    left, values, _ = np.linalg.svd(stacked, full_matrices=False)
    axes = min(dimension, int((values > 1e-9 * values[0]).sum()))
    places = left[:, :axes]
    largest = places[np.abs(places).argmax(axis=0), np.arange(axes)]
    embedded: Vectors = (places * np.sign(largest) * np.sqrt(size)).astype(np.float32)
    return embedded


def _agreement(view: NDArray[np.float64], regularisation: float) -> NDArray[np.float64]:
    """A view's principal directions, each weighed by √(s² / (s² + ε)); their product is its hat."""
    centred = view - view.mean(axis=0) if len(view) else view
    if view.shape[1] > len(view):
        left, values, _ = np.linalg.svd(centred, full_matrices=False)
    else:
        # The eigenvectors of the small matrix give the same directions for less work.
        squares, right = np.linalg.eigh(centred.T @ centred)
        values = np.sqrt(np.maximum(squares[::-1], 0.0))
        scores = centred @ right[:, ::-1]
        left = np.divide(scores, values, out=np.zeros_like(scores), where=values > 0.0)
    components = min(MOST_COMPONENTS, int((values > 1e-6 * values.max(initial=0.0)).sum()))
    left, squares = left[:, :components], np.square(values[:components])
    if components == 0:
        return np.zeros((len(view), 0))
    weighed: NDArray[np.float64] = left * np.sqrt(
        squares / (squares + regularisation * squares.mean())
    )
    return weighed
