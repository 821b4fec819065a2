"""Pay the first search's costs beforehand: compiled kernels, mapped columns, loaded models."""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np

from saccade.engine import words
from saccade.engine.collection import Collection
from saccade.engine.query import Query, from_array, outside, stored
from saccade.engine.ranking import best_rows
from saccade.engine.recipe import Recipe
from saccade.engine.session import signed_phi


def warm(collection: Collection, recipe: Recipe, pool: Executor) -> None:
    """One whole round on the real columns with a throw-away result."""
    from saccade import rankers

    pair = np.zeros((1, 2), np.float32)
    rankers.make(recipe.learner, width=2).learn(pair, pair)
    if not len(collection):
        return
    first = int(np.argmax(collection.listing.alive))
    query = Query((stored(collection.listing.ids[first], collection),))
    phi = signed_phi(query, collection, collection.schemes, pool)
    weights = np.full(len(collection.schemes), 1.0 / max(1, len(collection.schemes)))
    best_rows(phi, weights, 1, np.empty(0, np.int64))
    if collection.words is not None:
        words.warm(collection.words, first)
    # An uploaded picture meets every descriptor; the encoder is the slow one to load.
    outside("", from_array(np.full((32, 32, 3), 128, np.uint8)), collection)
