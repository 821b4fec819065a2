"""Pay the first search's costs beforehand: compiled kernels, mapped columns, loaded models."""

from __future__ import annotations

import numpy as np

from saccade.engine.learning.fold import Models
from saccade.engine.loop.experts import EXPERTS, Moment
from saccade.engine.loop.page import Narrowed, made
from saccade.engine.loop.query import from_array, outside
from saccade.engine.loop.session import begin
from saccade.engine.opened import OpenStore
from saccade.engine.request import SearchRequest
from saccade.feedback.preferences import Judged
from saccade.scale.decoding import shared


def warm(opened: OpenStore) -> None:
    """One whole round on the real columns with a throw-away result; a process that decodes."""
    from saccade import rankers

    collection, recipe = opened.collection(), opened.recipe
    shared().warm()
    pair = np.zeros((1, 2), np.float32)
    rankers.as_online(rankers.make(recipe.learner, width=2)).learn(pair, pair)
    if not len(collection):
        return
    opened.learning.models.evidence.laid(collection)
    first = int(np.argmax(collection.listing.alive))
    if collection.schemes:
        images = collection.listing.ids
        request = SearchRequest(query=images[first], verify=0, k=1)
        session, models = begin(request, collection, opened.pool), Models(recipe)
        # The first mark asks every expert.
        for judged in (Judged(), Judged((images[first],), (images[-1],))):
            moment = Moment(session, models, judged, 1)
            made(moment, EXPERTS[session.expert].rank(moment), Narrowed(), k=1, number=0)
    for view in collection.views.values():
        view.warm(first)
    # An uploaded picture meets every descriptor; the encoder is the slow one to load.
    outside("", from_array(np.full((32, 32, 3), 128, np.uint8)), collection)
