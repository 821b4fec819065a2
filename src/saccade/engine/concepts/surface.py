"""Concepts: the pictures of a keyword in the order a person taught, and the parts that count.

    answer, grade ─ events ─ fold (mi-online over positions) ─ order, map

Nothing here changes how searches rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from saccade.engine.concepts.bags import BagView, bags_of
from saccade.engine.concepts.capability import ConceptCapability
from saccade.engine.concepts.fold import ConceptFold, ConceptLessons
from saccade.engine.concepts.keywords import Keyword, Keywords, Tagged
from saccade.engine.concepts.records import (
    GRADES,
    Bag,
    ConceptGraded,
    ConceptPreferred,
)
from saccade.engine.concepts.scoring import BagScores, direction_of, refitted
from saccade.engine.events import Entry, Feedback, TakenBack
from saccade.engine.learning.log import Writer
from saccade.engine.names import Named, check_user, id_of
from saccade.engine.request import GUEST
from saccade.engine.rooms.maps import Maps, positions_of
from saccade.engine.rooms.sessions import SavedSessions
from saccade.engine.sources.parts import PartView
from saccade.errors import InvalidInput, NoMap, NothingToUndo
from saccade.hints import Hint
from saccade.types import Concept, ConceptRanking, Glow, RankedImage, Vectors

_NAMED = {grade: name for name, grade in GRADES.items()}
_DRAWN = 60
"""Pairs that a question is chosen from."""
_SAMPLE = 4000
"""Pictures whose spread says what sets a concept apart, at most."""
_NOWHERE = np.zeros((1, 1), np.float32)

Scored = Sequence[tuple[int, float]]


class Concepts:
    """The concepts of an open store.

    >>> concepts = engine.concepts
    >>> concepts.show("harbour").images, "harbour" in [one.title for one in concepts.list()]
    (2, True)
    >>> first, second = concepts.ask("harbour", user="ana")
    >>> concepts.answer("harbour", first, second, user="ana").preferences
    1
    >>> concepts.prefer("harbour", second, first, user="ana").preferences
    1
    >>> concepts.grade("harbour", second, "good", user="ana").graded
    1
    >>> order = concepts.order("harbour", user="ana")
    >>> order.images[0].image_id == second
    True
    >>> concepts.rank("harbour", user="ana").images == order.images
    True
    >>> concepts.map(second, "harbour", user="ana").ndim
    2
    >>> concepts.glow(second, "harbour", user="ana").image_id == second
    True
    >>> concepts.undo("harbour", user="ana").graded
    0
    """

    def __init__(
        self, capability: ConceptCapability, saved: SavedSessions, maps: Maps, tagged: Tagged
    ) -> None:
        self._opened, self._maps = capability.opened, maps
        self._keywords = Keywords(self._opened, saved, tagged)
        self._scores = BagScores(self._opened)

    # -- which there are -----------------------------------------------------------------------

    def show(self, concept: str, *, user: str = GUEST) -> Concept:
        """One keyword, by its name with or without its kind."""
        keyword = self._keyword(concept, user)
        return _concept(keyword, self._lessons(keyword, user, self._bags))

    # -- teaching ------------------------------------------------------------------------------

    def answer(self, concept: str, better: Named, worse: Named, *, user: str = GUEST) -> Concept:
        """Say that one picture of a concept is better than another; the newer word counts."""
        keyword, rows = self._meant(concept, user, better, worse)
        if rows[0] == rows[1]:
            raise InvalidInput(f"image {id_of(better)!r} cannot be better than itself")
        winner, loser = (self._bag(row) for row in rows)
        first, second = (self._opened.collection().listing.ids[row] for row in rows)
        kind = self._bags.kind
        self._say(ConceptPreferred(keyword.name, first, second, kind, winner, loser), user)
        return self.show(keyword.name, user=user)

    def prefer(self, concept: str, better: Named, worse: Named, *, user: str = GUEST) -> Concept:
        """The same as `answer`."""
        return self.answer(concept, better, worse, user=user)

    def grade(self, concept: str, image: Named, grade: str, *, user: str = GUEST) -> Concept:
        """Call a picture of a concept good, ok or junk; the newer word counts."""
        if grade not in GRADES:
            raise InvalidInput(f"grade {grade!r}", hint=f"a grade is one of {', '.join(GRADES)}")
        keyword, (row,) = self._meant(concept, user, image)
        bag, kind = self._bag(row), self._bags.kind
        image_id = self._opened.collection().listing.ids[row]
        self._say(ConceptGraded(keyword.name, image_id, GRADES[grade], kind, bag), user)
        return self.show(keyword.name, user=user)

    def undo(self, concept: str, *, user: str = GUEST) -> Concept:
        """Take back what a person said last about a concept."""
        keyword = self._keyword(concept, user)

        def write(writer: Writer) -> Entry:
            # Looked up where nobody else can append: two who undo at once take back two events.
            about = (e for e in writer.live_feedback(user) if _about(e) == keyword.name)
            last = next(reversed([*about]), None)
            if last is None:
                raise NothingToUndo(
                    f"user {user!r} has said nothing about {keyword.name!r} to undo"
                )
            return writer.append(TakenBack(last.event_id), at=self._opened.clock(), user=user)

        self._opened.learning.append(write)
        return self.show(keyword.name, user=user)

    # -- looking -------------------------------------------------------------------------------

    def order(
        self,
        concept: str,
        *,
        user: str = GUEST,
        k: int | None = None,
        batch: bool = False,
    ) -> ConceptRanking:
        """The pictures of a concept, the best first, as a person taught it.

        `batch` fits anew with settings chosen by cross-validation over all that was said. Pictures
        that could not be described come last.
        """
        began = perf_counter()
        keyword, view = self._keyword(concept, user), self._bags
        lessons = self._lessons(keyword, user, view)
        seen = [row for row in keyword.rows if view.has(row)]
        order = self._ordered(seen, lessons, view, batch=batch)
        rest = [(row, 0.0) for row in keyword.rows if row not in set(seen)]
        return ConceptRanking(
            concept=_concept(keyword, lessons),
            user=user,
            images=tuple(self._ranked([*order, *rest][:k], lessons)),
            learned=lessons.model(view.kind) is not None,
            features=view.kind,
            method="mi-softmax" if batch else "mi-online",
            seconds=perf_counter() - began,
        )

    def rank(
        self,
        concept: str,
        *,
        user: str = GUEST,
        k: int | None = None,
        batch: bool = False,
    ) -> ConceptRanking:
        """The same as `order`."""
        return self.order(concept, user=user, k=k, batch=batch)

    def map(self, image: Named, concept: str, *, user: str = GUEST) -> NDArray[np.float32]:
        """How much each place of a picture counts for a concept, [h, w] in 0..1.

        `glow` says also whether that is to be trusted. Before a person has taught the concept, what
        sets its pictures apart from the others counts.
        """
        return self.glow(image, concept, user=user).values

    def glow(self, image: Named, concept: str, *, user: str = GUEST) -> Glow:
        """What of a picture counts for a concept, and whether that is to be trusted."""
        keyword, view = self._keyword(concept, user), self._bags
        row = self._opened.collection().row(id_of(image))
        lessons = self._lessons(keyword, user, view)
        model = lessons.model(view.kind)
        if model is None:
            return self._maps.of(row, self._apart(keyword), about=keyword.name)
        if isinstance(view, PartView):
            direction = self._preferred(lessons, view)
            direction = direction_of(model) if direction is None else direction
            return self._maps.of(row, direction, about=keyword.name)
        scores = view.laid(row, model.region_scores(view.bag(row))) if view.has(row) else _NOWHERE
        # Regions follow the picture's own borders; that their scores say where is not checked.
        return self._maps.laid(row, scores, about=keyword.name, trusted=False)

    def _preferred(self, lessons: ConceptLessons, view: PartView) -> Vectors | None:
        """From the pictures called worse, and all others, to those called better.

        What ranks the pictures of a concept need not tell the thing they share from anything else,
        since all of them show it; a map must. None where one side has left the collection.
        """
        collection = self._opened.collection()
        sides = [
            np.array([row for row in map(collection.find, images) if row >= 0], np.int64)
            for images in zip(*lessons.pairs(), strict=True)
        ]
        if not all(len(side) for side in sides):
            return None
        better, worse = (view.column.take(side) for side in sides)
        return apart(better, worse, view.column.take(_few(collection.living)))

    def _apart(self, keyword: Keyword) -> Vectors:
        """The direction from all pictures to those of a keyword, by their spread."""
        collection = self._opened.collection()
        view = positions_of(collection)
        own = np.array(keyword.rows, np.int64)
        others = np.setdiff1d(collection.living, own)
        if not len(own) or not len(others):
            raise NoMap(
                f"nothing sets {keyword.name!r} apart: it has all pictures of the collection, or "
                "none",
                hint="say which of its pictures are better, and the map follows that",
            )
        return apart(view.column.take(_few(own)), view.column.take(_few(others)))

    def ask(self, concept: str, *, user: str = GUEST, turn: int = 0) -> tuple[str, str] | None:
        """Two pictures whose order is not known yet and would teach most; None when all is said.

        Of some drawn pairs, the one whose scores are nearest: what is sure need not be asked.
        Another `turn` draws others.
        """
        view, row_of = self._bags, self._opened.collection().row
        every = self.order(concept, user=user).images
        ready = [one for one in every if view.has(row_of(one.image_id))]
        lessons = self._lessons(self._keyword(concept, user), user, view)
        answered = {frozenset(pair) for pair in lessons.pairs()}
        rng = np.random.default_rng([len(answered), len(ready), turn])
        best, gap = None, np.inf
        for _ in range(_DRAWN if len(ready) > 1 else 0):
            one, other = (ready[int(i)] for i in rng.choice(len(ready), 2, replace=False))
            near = abs(one.score - other.score)
            if near < gap and frozenset((one.image_id, other.image_id)) not in answered:
                best, gap = (one.image_id, other.image_id), near
        return best

    # -- inside --------------------------------------------------------------------------------

    def _keyword(self, concept: str, user: str) -> Keyword:
        return self._keywords.find(concept, check_user(user))

    @property
    def _bags(self) -> BagView:
        return bags_of(self._opened.collection())

    def _bag(self, row: int) -> Bag:
        """A picture as a lesson keeps it."""
        view = self._bags
        if not view.has(row):
            path = self._opened.collection().listing.first_path.get(row, "")
            raise InvalidInput(
                f"{path}: this picture could not be described, nothing follows from it"
            )
        return view.bag(row).astype(np.float16)

    def _lessons(self, keyword: Keyword, user: str, view: BagView) -> ConceptLessons:
        fold = self._opened.learning.catch_up().of(ConceptFold)
        return fold.of(user, keyword.name, view.kind, view.width)

    def _ordered(
        self, rows: Sequence[int], lessons: ConceptLessons, view: BagView, *, batch: bool
    ) -> Scored:
        """Rows with their scores, best first; ties keep the order of the collection."""
        model = lessons.model(view.kind)
        if model is None:
            return [(row, 0.0) for row in rows]
        if batch:
            scores = refitted(lessons, [view.bag(row) for row in rows])
        else:
            scores = self._scores.of(model, view, rows)
        return [(rows[i], float(scores[i])) for i in np.argsort(-scores, kind="stable")]

    def _ranked(self, order: Scored, lessons: ConceptLessons) -> Iterator[RankedImage]:
        listing = self._opened.collection().listing
        for row, score in order:
            image_id = listing.ids[row]
            width, height = listing.sizes[row].tolist()
            yield RankedImage(
                image_id=image_id,
                path=listing.first_path.get(row, ""),
                width=width,
                height=height,
                score=score,
                grade=_NAMED.get(lessons.grades.get(image_id, 0), ""),
            )

    def _meant(self, concept: str, user: str, *images: Named) -> tuple[Keyword, Sequence[int]]:
        """The keyword and the rows of some of its pictures."""
        keyword = self._keyword(concept, user)
        collection = self._opened.collection()
        rows = [collection.row(id_of(image)) for image in images]
        for image, row in zip(images, rows, strict=True):
            if row not in keyword.rows:
                raise InvalidInput(
                    f"image {id_of(image)!r} is not in {keyword.name!r}",
                    hint=Hint(
                        "judge pictures of the concept; engine.tags.add adds them to a tag",
                        command="judge pictures of it; `saccade tag add` adds some to a tag",
                        http="judge pictures of the concept",
                    ),
                )
        return keyword, rows

    def _say(self, record: Feedback, user: str) -> None:
        opened = self._opened
        check_user(user)
        opened.learning.append(lambda w: w.append(record, at=opened.clock(), user=user))

    # The last one: below it, `list` would mean this.
    def list(self, *, user: str = GUEST) -> tuple[Concept, ...]:
        """Every keyword a person can rank by."""
        every: Iterable[Keyword] = self._keywords.of(check_user(user)).values()
        if not every:
            return ()  # an empty collection has nothing to learn by, and that is no error
        view = self._bags
        return tuple(_concept(k, self._lessons(k, user, view)) for k in every)


def apart(own: Vectors, others: Vectors, every: Vectors | None = None) -> Vectors:
    """The direction that tells two sets of vectors apart: the gap of their means over their spread.

    A diagonal discriminant, with a tenth of the mean spread added to each. With `every`, where the
    others are few, half of their mean and of the spread is that of all.
    """
    weights = len(own), len(others)
    spread = np.average([own.var(axis=0), others.var(axis=0)], axis=0, weights=weights)
    middle = others.mean(axis=0)
    if every is not None:
        spread = (spread + every.var(axis=0)) / 2
        middle = (middle + every.mean(axis=0)) / 2
    gap = own.mean(axis=0) - middle
    return np.asarray(gap / (spread + 0.1 * spread.mean() + 1e-12), np.float32)


def _few(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """At most so many rows, evenly."""
    return (
        rows if len(rows) <= _SAMPLE else rows[np.linspace(0, len(rows) - 1, _SAMPLE).astype(int)]
    )


def _concept(keyword: Keyword, lessons: ConceptLessons) -> Concept:
    return Concept(
        name=keyword.name,
        kind=keyword.kind,
        title=keyword.title,
        images=len(keyword.rows),
        preferences=len(lessons.preferences),
        graded=len(lessons.grades),
    )


def _about(entry: Entry) -> str:
    """The concept that an event is about; nothing for any other."""
    record = entry.record
    return record.concept if isinstance(record, ConceptGraded | ConceptPreferred) else ""
