"""Maps: what of a picture makes its score, as a soft glow over it.

    s_p = w · x_p            what each position adds to the score w · u of the whole picture
    glow                     that, brought to the picture's size along its edges (`images.glow`)

Any direction in the embedding's space has a map: a concept's, a word's, an attribute's, what a
search has been told so far. A map is checked before it is shown: what glows is cut out and looked
at by itself, and so is the picture without it. Where the first does not score higher than the
second, the map is no better than chance, and `trusted` says so.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.engine.collection import Collection
from saccade.engine.loop.loop import Loop
from saccade.engine.loop.query import AGAINST, Query
from saccade.engine.names import Named, id_of
from saccade.engine.opened import OpenStore
from saccade.engine.rooms.files import Files
from saccade.engine.sources import dense, parts
from saccade.engine.sources.parts import PartView
from saccade.errors import NoMap
from saccade.feedback.preferences import Judged
from saccade.hints import Hint
from saccade.kernels import parts as kernel
from saccade.types import Edges, Glow, Page, Pixels, Vectors

HALF = 0.5
"""What glows: from half the way between the darkest and the brightest."""

Floats = NDArray[np.float32]


class Maps:
    """Maps over the pictures of an open store.

    >>> page = engine.search(engine.images()[0].image_id, k=5)
    >>> glow = engine.maps.search(page, page.hits[0])
    >>> glow.values.ndim, float(glow.values.max()) <= 1
    (2, True)
    >>> sunrise = engine.library.vectors("embedding")[0]
    >>> engine.maps.of(1, sunrise, about="sunrise").about
    'sunrise'
    >>> engine.maps.laid(1, glow.values, about="as before", trusted=False).trusted
    False
    >>> engine.maps.pixels(1).shape
    (120, 160, 3)
    """

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._opened: OpenStore = loop.opened
        self._library = Files(loop.opened)

    def search(self, page: Page | str, image: Named) -> Glow:
        """What of a picture counts for a search, by its query and all that was marked so far."""
        session, judged = self._loop.under_way(page)
        row = session.collection.row(id_of(image))
        aim = self._loop.direction(session)
        if aim is None:
            direction = marked(session.query, judged, session.collection)
        elif judged.liked or judged.disliked:
            direction = _unit(aim) + _unit(marked(session.query, judged, session.collection))
        else:
            direction = aim
        return self.of(row, direction, about="this search")

    def of(self, row: int, direction: Vectors, *, about: str) -> Glow:
        """The map of a direction in the embedding's space [1280] over one picture."""
        view = positions_of(self._opened.collection())
        if not view.has(row):
            return self.laid(row, np.zeros((1, 1), np.float32), about=about, trusted=False)
        scores = view.laid(row, view.scored(row, direction))
        pixels = self.pixels(row)
        brightest = brightest_of(scores)
        trusted = brightest is not None and self._holds(view, pixels, brightest, direction)
        return self.laid(row, scores, about=about, trusted=trusted, pixels=pixels)

    def laid(
        self,
        row: int,
        scores: Floats,
        *,
        about: str,
        trusted: bool,
        pixels: Pixels | None = None,
    ) -> Glow:
        """A grid of scores as a map of one picture."""
        from saccade.images.glow import glow

        pixels = self.pixels(row) if pixels is None else pixels
        return Glow(
            image_id=self._opened.collection().listing.ids[row],
            about=about,
            values=glow(scores, pixels),
            trusted=trusted,
            brightest=brightest_of(scores) or (0.0, 0.0, 1.0, 1.0),
        )

    def pixels(self, row: int) -> Pixels:
        """A picture as its thumbnail has it."""
        from saccade.images.decode import decode

        image_id = self._opened.collection().listing.ids[row]
        return decode(self._library.thumbnail(image_id)).picture.rgb

    def _holds(self, view: PartView, pixels: Pixels, box: Edges, direction: Vectors) -> bool:
        """Whether what glows scores higher by itself than the picture does without it."""
        from saccade.images.picture import ArrayPicture

        height, width = pixels.shape[:2]
        top, left = int(box[0] * height), int(box[1] * width)
        bottom, right = max(top + 1, round(box[2] * height)), max(left + 1, round(box[3] * width))
        inside = np.ascontiguousarray(pixels[top:bottom, left:right])
        rest = pixels.copy()
        rest[top:bottom, left:right] = pixels.mean(axis=(0, 1)).astype(np.uint8)
        both = [ArrayPicture(inside), ArrayPicture(rest)]
        described, problems = dense.describe(
            dense.descriptor_of(view.embedding), both, ["inside", "outside"]
        )
        within, without = described["vectors"] @ direction
        return not problems and bool(within > without)


def marked(query: Query, judged: Judged, collection: Collection) -> Vectors:
    """The direction from what is not meant to what is, by the query and the marks.

    Raises:
        NoMap: the query says nothing in the embedding's space, and nothing is marked.
    """
    view = positions_of(collection)

    def around(vectors: Sequence[Vectors]) -> Vectors:
        seen = np.asarray(vectors, np.float32) - view.centre
        return np.asarray(seen / np.maximum(np.linalg.norm(seen, axis=1, keepdims=True), 1e-9))

    meant = [e.parts[view.embedding] for e in query.like if view.embedding in e.parts]
    meant += [e.parts[parts.PARTS] for e in query.like if parts.PARTS in e.parts]
    against = [e.parts[view.embedding] for e in query.unlike if view.embedding in e.parts]
    meant += [view.column.vector(row) for row in _rows(judged.liked, collection)]
    against += [view.column.vector(row) for row in _rows(judged.disliked, collection)]
    if not meant and not against:
        raise NoMap(
            "this search has no picture that its results could be compared with",
            hint="mark some as right, and look again",
        )
    direction = np.zeros(len(view.centre), np.float32)
    if meant:
        direction += around(meant).mean(axis=0)
    if against:
        direction -= np.float32(AGAINST) * around(against).mean(axis=0)
    return direction


def positions_of(collection: Collection) -> PartView:
    """The positions of a collection; an error says why there are none."""
    view = parts.of(collection)
    if view is not None:
        return view
    learned = [name for name, kind in collection.kinds.items() if kind == "embedding"]
    brought = [name for name in learned if name.startswith("embedding@")]
    if brought and len(brought) == len(learned):
        raise NoMap(
            f"the encoder {brought[0]!r} says nothing of parts of a picture: it has no map of "
            f"positions that is known here, and its pictures are compared as wholes",
            hint=_WITH,
        )
    if learned:
        raise NoMap(
            "the positions of some pictures are not computed yet",
            hint=Hint(
                "engine.add(FOLDER) computes what is missing",
                command="`saccade index` computes what is missing",
            ),
        )
    raise NoMap("this store has no embedding, and so no map of its pictures", hint=_WITH)


_WITH = Hint(
    "engine.add(FOLDER, recipe='+embedding') adds the one that comes with Saccade",
    command="`saccade index FOLDER --recipe +embedding` adds the one that comes with Saccade",
)


def brightest_of(scores: Floats) -> Edges | None:
    """The box, as shares, around what glows and holds the best place; None of an even map.

    >>> brightest_of(np.array([[0, 0, 0], [0, 1, 0.8], [0.9, 0, 0]], np.float32))
    (0.3333333333333333, 0.3333333333333333, 0.6666666666666666, 1.0)
    """
    return brightest_of_each(scores[None])[0]


def brightest_of_each(scores: Floats) -> list[Edges | None]:
    """The same of each of several maps of one size, [n, h, w]."""
    cells = np.empty((len(scores), 4), np.int64)
    kernel.brightest(np.ascontiguousarray(scores, np.float32), np.float32(HALF), cells)
    down, across = scores.shape[1:]
    return [
        (top / down, left / across, bottom / down, right / across) if bottom else None
        for top, left, bottom, right in cells.tolist()
    ]


def grown(allowed: NDArray[np.bool_], start: tuple[int, int]) -> NDArray[np.bool_]:
    """The cells that hang together with one, edge by edge, among those allowed."""
    own = np.empty(allowed.shape, np.bool_)
    kernel.grown(np.ascontiguousarray(allowed), *start, own, np.empty(allowed.size, np.int64))
    return own


def _unit(vector: Vectors) -> Vectors:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float32)


def _rows(images: Sequence[str], collection: Collection) -> list[int]:
    rows = (collection.find(image) for image in images)
    return [row for row in rows if row >= 0]
