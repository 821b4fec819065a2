"""Concepts: the pictures of a keyword in the order a person taught, and the regions that count.

    prefer, grade ─ events ─ fold (mi-online over regions) ─ rank, regions

Regions are made when they are first needed. Nothing here changes how searches rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from time import perf_counter
from typing import Any

import numpy as np

from saccade.engine.collection import Example
from saccade.engine.events import Spoken
from saccade.engine.graded import GRADES, LONGEST, MOST_TAGGED, Graded, Placed, Tagged
from saccade.engine.keywords import Keyword, Keywords
from saccade.engine.learning.concepts import Taught
from saccade.engine.learning.profiles import check_user
from saccade.engine.opened import OpenStore
from saccade.engine.pointing import Region, pointed
from saccade.engine.progress import Watch, unwatched
from saccade.engine.searching.region_batch import refitted
from saccade.engine.searching.region_scores import RegionScores, region_map
from saccade.engine.segmented import Segmented
from saccade.engine.sources.regions import RegionView
from saccade.errors import InvalidInput, NotFound
from saccade.hints import Hint
from saccade.types import (
    Concept,
    ConceptRanking,
    Hit,
    Prepared,
    RankedImage,
    RegionMap,
)

_NAMED = {grade: name for name, grade in GRADES.items()}
_DRAWN = 60
"""Pairs that a question is chosen from."""

Named = str | Hit | RankedImage
Scored = Sequence[tuple[int, float]]


class Concepts:
    """The concepts of an open store."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened
        self._keywords = Keywords(opened)
        self._regions = Segmented(opened)
        self._scores = RegionScores()

    # -- which there are -----------------------------------------------------------------------

    def find(self, concept: str, user: str = "guest") -> Concept:
        """One keyword, by its name with or without its kind."""
        keyword, view = self._keyword(concept, user), self._regions.view
        return self._told(keyword, self._taught(keyword, user, view), view)

    def tag(
        self,
        name: str,
        images: Sequence[Named] = (),
        *,
        without: Sequence[Named] = (),
        user: str = "guest",
    ) -> None:
        """Give pictures a tag of a person's own, or take it off."""
        fits = isinstance(name, str) and name.strip() == name and 1 <= len(name) <= LONGEST
        if not fits or not name.isprintable() or "/" in name or ":" in name:
            raise InvalidInput(f"tag {name!r}: 1 to {LONGEST} printable characters, no / or :")
        given, gone = (tuple(dict.fromkeys(map(_id, some))) for some in (images, without))
        for image in given:
            self._row(image)
        if not given and not gone:
            raise InvalidInput("no picture to tag", hint="name images of the collection")
        if len(given) + len(gone) > MOST_TAGGED:
            raise InvalidInput(f"tag at most {MOST_TAGGED} pictures at once")
        self._say(Tagged(name, given, gone), user)

    # -- teaching ------------------------------------------------------------------------------

    def prefer(self, concept: str, better: Named, worse: Named, *, user: str = "guest") -> Concept:
        """Say that one picture of a concept is better than another; the newer word counts."""
        keyword, rows = self._meant(concept, user, better, worse)
        if rows[0] == rows[1]:
            raise InvalidInput(f"image {_id(better)!r} cannot be better than itself")
        winner, loser = (self._regions.bag(row) for row in rows)
        first, second = (self._opened.collection().listing.ids[row] for row in rows)
        kind = self._regions.view.kind
        self._say(Placed(keyword.name, first, second, kind, winner, loser), user)
        return self.find(keyword.name, user)

    def grade(self, concept: str, image: Named, grade: str, *, user: str = "guest") -> Concept:
        """Call a picture of a concept good, ok or junk; the newer word counts."""
        if grade not in GRADES:
            raise InvalidInput(f"grade {grade!r}", hint=f"a grade is one of {', '.join(GRADES)}")
        keyword, (row,) = self._meant(concept, user, image)
        bag, kind = self._regions.bag(row), self._regions.view.kind
        image_id = self._opened.collection().listing.ids[row]
        self._say(Graded(keyword.name, image_id, GRADES[grade], kind, bag), user)
        return self.find(keyword.name, user)

    # -- looking -------------------------------------------------------------------------------

    def prepare(
        self,
        concept: str | None = None,
        *,
        user: str = "guest",
        limit: int | None = None,
        watch: Watch | None = None,
    ) -> Prepared:
        """Make the regions of a concept's pictures, or of all, or of the next `limit` of them."""
        rows = self._rows(concept, user)
        self._regions.make(self._regions.lacking(rows)[:limit], watch or unwatched)
        return self._regions.prepared(rows)

    def prepared(self, concept: str | None = None, *, user: str = "guest") -> Prepared:
        """How many of a concept's pictures, or of all, have their regions."""
        return self._regions.prepared(self._rows(concept, user))

    def rank(
        self,
        concept: str,
        *,
        user: str = "guest",
        k: int | None = None,
        batch: bool = False,
        prepare: bool = True,
        watch: Watch | None = None,
    ) -> ConceptRanking:
        """The pictures of a concept, the best first, as a person taught it.

        `batch` fits anew with settings chosen by cross-validation over all that was said; without
        `prepare`, pictures whose regions are not made yet come last.
        """
        began = perf_counter()
        keyword = self._keyword(concept, user)
        if prepare:
            self._regions.ready(keyword.rows, watch or unwatched)
        view = self._regions.view
        taught = self._taught(keyword, user, view)
        known = [row for row in keyword.rows if row in view.known]
        order = self._ordered(known, taught, view, batch=batch)
        rest = [(row, 0.0) for row in keyword.rows if row not in view.known]
        return ConceptRanking(
            concept=self._told(keyword, taught, view),
            user=user,
            images=tuple(self._ranked([*order, *rest][:k], taught, view)),
            learned=taught.model(view.kind) is not None,
            features=view.kind,
            method="mi-softmax" if batch else "mi-online",
            seconds=perf_counter() - began,
        )

    def regions(
        self, image: Named, concept: str | None = None, *, user: str = "guest"
    ) -> RegionMap:
        """The regions of a picture, and how much each counts for a concept."""
        row = self._row(_id(image))
        keyword = None if concept is None else self._keyword(concept, user)
        parts, view = self._regions.parts(row), self._regions.view
        model = None if keyword is None else self._taught(keyword, user, view).model(view.kind)
        listing = self._opened.collection().listing
        width, height = listing.sizes[row].tolist()
        name = "" if keyword is None else keyword.name
        return RegionMap(
            listing.ids[row], width, height, name, *region_map(model, parts, view.kind)
        )

    def ask(self, concept: str, *, user: str = "guest", turn: int = 0) -> tuple[str, str] | None:
        """Two pictures whose order is not known yet and would teach most; None when all is said.

        Of some drawn pairs, the one whose scores are nearest: what is sure need not be asked.
        Another `turn` draws others.
        """
        ready = [one for one in self.rank(concept, user=user, prepare=False).images if one.regions]
        taught = self._taught(self._keyword(concept, user), user, self._regions.view)
        said = {frozenset(pair) for pair in taught.pairs()}
        rng = np.random.default_rng([len(said), len(ready), turn])
        best, gap = None, np.inf
        for _ in range(_DRAWN if len(ready) > 1 else 0):
            one, other = (ready[int(i)] for i in rng.choice(len(ready), 2, replace=False))
            near = abs(one.score - other.score)
            if near < gap and frozenset((one.image_id, other.image_id)) not in said:
                best, gap = (one.image_id, other.image_id), near
        return best

    def pointed(self, query: Any, region: Region | None, *others: Any) -> Any:
        """What a search looks for: the whole query, or the part of it that is pointed at."""
        if region is None:
            return query
        if query is None or any(other is not None and len(other) for other in others):
            raise InvalidInput(
                "a region belongs to one picture",
                hint="leave out text, schemes, and pictures that are meant or not meant beside it",
            )
        found: Example = pointed(self._opened, self._regions, query, region)
        self._regions.ready(self._rows(None, ""))
        return found

    # -- inside --------------------------------------------------------------------------------

    def _keyword(self, concept: str, user: str) -> Keyword:
        return self._keywords.find(concept, check_user(user))

    def _rows(self, concept: str | None, user: str) -> tuple[int, ...]:
        if concept is not None:
            return self._keyword(concept, user).rows
        return tuple(np.flatnonzero(self._opened.collection().listing.alive).tolist())

    def _taught(self, keyword: Keyword, user: str, view: RegionView) -> Taught:
        said = self._opened.learning.catch_up().concepts
        return said.of(user, keyword.name, view.kind, view.width)

    def _told(self, keyword: Keyword, taught: Taught, view: RegionView) -> Concept:
        return Concept(
            name=keyword.name,
            kind=keyword.kind,
            title=keyword.title,
            images=len(keyword.rows),
            prepared=sum(row in view.known for row in keyword.rows),
            preferences=len(taught.preferences),
            graded=len(taught.grades),
        )

    def _ordered(
        self, rows: Sequence[int], taught: Taught, view: RegionView, *, batch: bool
    ) -> Scored:
        """Rows with their scores, best first; ties keep the order of the collection."""
        model = taught.model(view.kind)
        if model is None:
            return [(row, 0.0) for row in rows]
        if batch:
            found = refitted(taught, [self._regions.parts(r).features(view.kind) for r in rows])
        else:
            found = self._scores.of(model, view, rows)
        return [(rows[i], float(found[i])) for i in np.argsort(-found, kind="stable")]

    def _ranked(self, order: Scored, taught: Taught, view: RegionView) -> Iterator[RankedImage]:
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
                grade=_NAMED.get(taught.grades.get(image_id, 0), ""),
                regions=view.count(row),
            )

    def _row(self, image: str) -> int:
        row = self._opened.collection().find(image)
        if row < 0:
            raise NotFound(
                f"no image {image!r} in this collection", hint="ids come from search results"
            )
        return row

    def _meant(self, concept: str, user: str, *images: Named) -> tuple[Keyword, Sequence[int]]:
        """The keyword and the rows of some of its pictures."""
        keyword = self._keyword(concept, user)
        rows = [self._row(_id(image)) for image in images]
        for image, row in zip(images, rows, strict=True):
            if row not in keyword.rows:
                raise InvalidInput(
                    f"image {_id(image)!r} is not in {keyword.name!r}",
                    hint=Hint(
                        "judge pictures of the concept; engine.concepts.tag adds them to a tag",
                        command="judge pictures of it; `saccade concept tag` adds some to a tag",
                        http="judge pictures of the concept",
                    ),
                )
        return keyword, rows

    def _say(self, record: Spoken, user: str) -> None:
        opened = self._opened
        check_user(user)
        opened.learning.append(lambda w: w.append(record, at=opened.clock(), user=user))

    # The last one: below it, `list` would mean this.
    def list(self, user: str = "guest") -> tuple[Concept, ...]:
        """Every keyword a person can rank by."""
        view = self._regions.view
        every: Iterable[Keyword] = self._keywords.of(check_user(user)).values()
        return tuple(self._told(k, self._taught(k, user, view), view) for k in every)


def _id(image: Any) -> str:
    return str(getattr(image, "image_id", image))
