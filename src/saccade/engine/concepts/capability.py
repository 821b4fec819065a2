"""What the rest of the engine knows of concepts: events, a fold, a `part` of a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from saccade.descriptors.embedding.parts import SIDE
from saccade.engine.collection import Collection
from saccade.engine.concepts.fold import ConceptFold
from saccade.engine.concepts.records import ConceptGraded, ConceptPreferred
from saccade.engine.loop.capability import Capability
from saccade.engine.loop.experts import Ranking
from saccade.engine.loop.query import Query
from saccade.engine.loop.session import Session
from saccade.engine.request import SearchRequest
from saccade.engine.rooms.maps import brightest_of_each
from saccade.engine.rooms.pointing import pointed
from saccade.engine.sources import parts
from saccade.engine.sources.parts import PARTS, PartView
from saccade.types import Edges, Encoded, Page, Vectors


class ConceptCapability(Capability):
    """Concepts at work in one open store."""

    name = "concepts"
    words = frozenset(("part",))
    records = (ConceptGraded, ConceptPreferred)
    folds = {"concepts": ConceptFold}  # noqa: RUF012

    def look_for(self, request: SearchRequest, collection: Collection) -> Query | None:
        """The part of a picture that is pointed at."""
        if request.part is None or request.query is None:
            return None
        return Query((pointed(self.opened, collection, request.query, request.part),))

    def prepare(self, request: SearchRequest, session: Session) -> Session:
        """The session remembers that it looks for a part."""
        if request.part is None:
            return session
        noted: Encoded = ({"part": request.part.as_json()}, {})
        return replace(session, attached={**session.attached, self.name: noted})

    def tell(self, page: Page, session: Session, ranking: Ranking) -> Page:
        """Where the part is in each picture of the page."""
        view, asked = parts.of(session.collection), session.query.like[0].parts.get(PARTS)
        if view is None or asked is None:
            return page
        boxes = _matches(view, asked, [session.collection.find(hit.image_id) for hit in page.hits])
        hits = (replace(hit, match=box) for hit, box in zip(page.hits, boxes, strict=True))
        return replace(page, hits=tuple(hits))


def _matches(view: PartView, asked: Vectors, rows: Sequence[int]) -> list[Edges | None]:
    """The box around the best match in each picture; None where it has no positions."""
    own = np.unique(np.array([row for row in rows if row >= 0], np.int64))
    own = own[view.lengths[own] > 0.0]
    scores = view.scored_rows(own, asked - view.centre).reshape(-1, SIDE, SIDE)
    boxes = dict(zip(own.tolist(), brightest_of_each(scores), strict=True))
    return [boxes.get(row) for row in rows]
