"""Pay the first search's costs beforehand: compiled kernels, mapped columns, loaded models."""

from __future__ import annotations

from concurrent.futures import Executor

import numpy as np

from saccade.engine.collection import Collection
from saccade.engine.learning.fold import Models
from saccade.engine.recipe import Recipe
from saccade.engine.searching.experts import DEFAULT
from saccade.engine.searching.page import ranked
from saccade.engine.searching.query import from_array, outside
from saccade.engine.searching.session import begin
from saccade.feedback.preferences import Judged
from saccade.scale.decoding import shared


def warm(collection: Collection, recipe: Recipe, pool: Executor) -> None:
    """One whole round on the real columns with a throw-away result; a process that decodes."""
    from saccade import rankers

    shared().warm()
    pair = np.zeros((1, 2), np.float32)
    rankers.make(recipe.learner, width=2).learn(pair, pair)
    if not len(collection):
        return
    first = int(np.argmax(collection.listing.alive))
    if collection.schemes:
        session = begin(
            collection.listing.ids[first], collection, pool,
            text=None, like=(), unlike=(), user="guest", schemes=None, ranker=DEFAULT, verify=0,
        )  # fmt: skip
        ranked(session, Models(recipe), k=1, round=0, judged=Judged())
        # The first mark asks every expert.
        images = collection.listing.ids
        judged = Judged((images[first],), (images[-1],))
        ranked(session, Models(recipe), k=1, round=1, judged=judged)
    for view in collection.views.values():
        view.warm(first)
    # An uploaded picture meets every descriptor; the encoder is the slow one to load.
    outside("", from_array(np.full((32, 32, 3), 128, np.uint8)), collection)
