"""Look-alikes: the neighbour graph of an open store, for people."""

from __future__ import annotations

from saccade.engine.opened import OpenStore
from saccade.engine.sources import graph
from saccade.errors import InvalidInput, NotFound
from saccade.hints import Hint
from saccade.types import LookAlike


class Neighbourhood:
    """Who is most like whom."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened

    def neighbours(self, image_id: str, k: int = 10) -> list[tuple[str, float]]:
        """The images most like one of the collection and how like they are, best first.

        Fewer than `k`, perhaps none, where few are linked; a blank picture has no look-alikes.
        """
        if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= 1000:
            raise InvalidInput(f"k is {k!r}; ask for 1 to 1000 neighbours")
        collection = self._opened.collection()
        row, view = collection.find(image_id), graph.of(collection)
        if row < 0:
            raise NotFound(
                f"no image {image_id!r} in this collection", hint="ids come from search results"
            )
        if view is None:
            raise NotFound(
                "this collection has no neighbour graph",
                hint=Hint(
                    "engine.add(FOLDER) or engine.doctor(repair=True) builds it",
                    command="`saccade index FOLDER` or `saccade doctor --repair` builds it",
                ),
            )
        rows, weights = view.graph.nearest(row, k)
        ids = collection.listing.ids
        return [(ids[r], w) for r, w in zip(rows.tolist(), weights.tolist(), strict=True)]

    def look_alikes(self, image_id: str, k: int = 10) -> tuple[LookAlike, ...]:
        """The same as records, with where they are and how large."""
        listing = self._opened.collection().listing
        out = []
        for other, similarity in self.neighbours(image_id, k):
            row = listing.row_of[other]
            width, height = listing.sizes[row].tolist()
            path = listing.first_path.get(row, "")
            out.append(LookAlike(other, path, width, height, similarity))
        return tuple(out)
