"""Attributes of an open store: make them, teach them, order the collection by them.

    engine.attributes.create("natural")
    engine.attributes.label("natural", image, +1, user="ana")
    engine.attributes.compare("natural", more, less, user="ana")
    engine.attributes.order("natural", user="ana")

Every answer is an event with all that learning needs. Who speaks again about the same picture or
pair takes their earlier word back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from saccade.engine.answers import (
    ALIKE,
    MORE,
    AttributeCreated,
    AttributeDeleted,
    Compared,
    Labelled,
    Space,
    Than,
    Traits,
    check_grade,
    check_name,
)
from saccade.engine.collection import Collection
from saccade.engine.events import Entry
from saccade.engine.events import Undone as TakenBack
from saccade.engine.learning.attributes import Told
from saccade.engine.learning.log import Writer
from saccade.engine.learning.profiles import check_user
from saccade.engine.opened import OpenStore
from saccade.engine.searching import asking
from saccade.engine.searching.attributes import (
    CENTRED,
    Standing,
    check_traits,
    known,
    shares_of,
    space_of,
)
from saccade.engine.searching.classifying import classified, row_of
from saccade.engine.searching.page import check_k
from saccade.engine.searching.telling import hits, spread_out, told
from saccade.errors import InvalidInput, NotFound, NothingToUndo, UnknownName
from saccade.hints import FILL
from saccade.rankers.zero_shot import Relation
from saccade.types import (
    AttributeHit,
    AttributeInfo,
    AttributeQuestion,
    Classified,
    Hit,
    Scores,
)

ENDS = ("most", "least", "both")
_GROWN = 2.0  # a new attribute takes new centres when the collection is so many times as large


class Attributes:
    """Named directions that people teach."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened

    # -- making --------------------------------------------------------------------------------

    def create(self, name: str, descriptors: Sequence[str] | None = None) -> AttributeInfo:
        """A new attribute; `descriptors` are what it may go by, a good choice unless given."""
        check_name(name)
        collection = self._opened.collection()
        if not len(collection):
            raise NotFound("the collection is empty", hint=FILL)
        wanted = None if descriptors is None else tuple(descriptors)
        if wanted is not None and (isinstance(descriptors, str) or not wanted):
            raise InvalidInput("descriptors: give a list with one name at least")
        shares = shares_of(collection, wanted)
        space = self._space(collection, shares) or space_of(collection, shares)

        def write(writer: Writer) -> Entry:
            # Looked up where nobody else can append: of two who create at once, one is told.
            if name in self._opened.learning.models.attributes.known:
                raise InvalidInput(
                    f"there is an attribute {name!r} already", hint="teach it, or choose a name"
                )
            return writer.append(AttributeCreated(name, space), at=self._opened.clock(), user="")

        self._opened.learning.append(write)
        return self.show(name)

    def _space(self, collection: Collection, shares: Mapping[str, float]) -> Space | None:
        """The space of an attribute that is there, so that their vectors are kept once."""
        size = min(len(collection), CENTRED)
        for one in self._opened.learning.catch_up().attributes.known.values():
            parts = {part.name: part.share for part in one.space.blend.parts}
            if parts == shares and size <= _GROWN * max(1, one.space.blend.around):
                return one.space
        return None

    def delete(self, name: str) -> None:
        """Give an attribute up, for everybody, with all that was said about it."""

        def write(writer: Writer) -> Entry:
            known(self._opened.learning.models, name)
            return writer.append(AttributeDeleted(name), at=self._opened.clock(), user="")

        self._opened.learning.append(write)

    # -- teaching ------------------------------------------------------------------------------

    def label(self, name: str, image: str | Hit, grade: int, user: str = "guest") -> AttributeInfo:
        """Say that a picture has it (+1) or has it not (-1), or give it a grade."""
        check_grade(grade)
        return self._answer(name, user, (_id(image),), grade)

    def compare(
        self, name: str, more: str | Hit, less: str | Hit, user: str = "guest"
    ) -> AttributeInfo:
        """Say that one picture has more of it than another."""
        return self._answer(name, user, (_id(more), _id(less)), 1)

    def alike(
        self, name: str, first: str | Hit, second: str | Hit, user: str = "guest"
    ) -> AttributeInfo:
        """Say that two pictures have about as much of it."""
        return self._answer(name, user, (_id(first), _id(second)), 0)

    def _answer(self, name: str, user: str, images: tuple[str, ...], grade: int) -> AttributeInfo:
        check_user(user)
        collection = self._opened.collection()
        attribute = known(self._opened.learning.catch_up(), name)
        if len(set(images)) < len(images):
            raise InvalidInput(f"image {images[0]!r} cannot be compared with itself")
        rows = np.array([row_of(collection, image) for image in images])
        looks = self._opened.scales.looks(collection, attribute.space, rows)

        def write(writer: Writer) -> Entry:
            # What this takes the place of is looked up where nobody else can append.
            now = known(self._opened.learning.models, name)
            said = now.people.get(user, Told()).said
            earlier = tuple(
                one.event for one in said
                if {one.first, one.second or one.first} == set(images)
            )  # fmt: skip
            shared = (name, attribute.digest, looks, earlier)
            record: Labelled | Compared
            if len(images) == 1:
                record = Labelled(*shared, image=images[0], grade=grade)
            else:
                first, second = images
                order = MORE if grade else ALIKE
                record = Compared(*shared, first=first, second=second, order=order)
            return writer.append(record, at=self._opened.clock(), user=user)

        self._opened.learning.append(write)
        return told(name, known(self._opened.learning.models, name), user)

    def undo(self, name: str, user: str = "guest") -> AttributeInfo:
        """Take back what a person said last about an attribute."""
        check_user(user)
        known(self._opened.learning.catch_up(), name)

        def write(writer: Writer) -> Entry:
            said = known(self._opened.learning.models, name).people.get(user, Told()).said
            if not said:
                raise NothingToUndo(f"user {user!r} has said nothing about {name!r} to undo")
            return writer.append(TakenBack(said[-1].event), at=self._opened.clock(), user=user)

        self._opened.learning.append(write)
        return self.show(name, user)

    # -- looking -------------------------------------------------------------------------------

    def list(self, user: str = "guest") -> tuple[AttributeInfo, ...]:
        """Every attribute by name, and how far it is taught for a person."""
        check_user(user)
        found = self._opened.learning.catch_up().attributes.known
        return tuple(told(name, one, user) for name, one in sorted(found.items()))

    def show(self, name: str, user: str = "guest") -> AttributeInfo:
        """One attribute, with how sure it is of its order."""
        check_user(user)
        models = self._opened.learning.catch_up()
        attribute = known(models, name)
        if not told(name, attribute, user).ready:
            return told(name, attribute, user)
        collection, form = self._opened.collection(), attribute.form
        rows = asking.drawn(collection, [0])
        sample = self._opened.scales.sample(collection, attribute.space, form, rows)
        return told(name, attribute, user, asking.sureness(attribute, form, sample))

    def scores(self, name: str, user: str = "guest") -> dict[str, float]:
        """How much of it every picture has, by id; more is more."""
        collection, standing = self._standing(name, user)
        rows = np.flatnonzero(collection.listing.alive)
        ids = collection.listing.ids
        return dict(zip((ids[r] for r in rows), standing.scores[rows].tolist(), strict=True))

    def order(
        self, name: str, user: str = "guest", k: int = 50, end: str = "most"
    ) -> tuple[AttributeHit, ...]:
        """The k pictures with `most` of it, best first, or with `least`; or of `both` ends.

        The last are evenly spaced from least to most, with those that the person spoke of.
        """
        check_k(k)
        if end not in ENDS:
            raise UnknownName("end of an order", str(end), ENDS)
        collection, standing = self._standing(name, user)
        rows = np.flatnonzero(collection.listing.alive)
        rows = rows[np.argsort(standing.scores[rows], kind="stable")]
        if end == "both":
            rows = spread_out(collection, standing, rows, user, k)
        else:
            rows = rows[:k] if end == "least" else rows[::-1][:k]
        return hits(collection, standing, rows, user)

    def suggest(
        self,
        name: str,
        user: str = "guest",
        *,
        seed: int = 0,
        pictures: bool = False,
        without: Sequence[str] = (),
    ) -> AttributeQuestion:
        """The pair, or with `pictures` the picture or pair, whose answer would teach most.

        It is chosen among some pictures drawn by `seed`, never those `without`: they were skipped.
        """
        check_user(user)
        collection, models = self._opened.collection(), self._opened.learning.catch_up()
        attribute = known(models, name)
        standing = None
        if told(name, attribute, user).ready:
            standing = self._opened.scales.standing(collection, models, name, user)
        vectors = self._opened.scales.vectors(collection, attribute.space)
        question = asking.question(
            collection, attribute, standing, vectors,
            user=user, seed=seed, pictures=pictures, without=without,
        )  # fmt: skip
        if standing is None:
            nothing = np.zeros(collection.rows, np.float32)
            standing = Standing(attribute, nothing, nothing + np.float32(0.5))
        first, *second = hits(collection, standing, np.array(question.rows), user)
        return AttributeQuestion(name, first, second[0] if second else None, question.bits)

    # -- using ---------------------------------------------------------------------------------

    def asked(
        self,
        more: Than | None,
        less: Than | None,
        prefer: bool,
    ) -> Traits:
        """What a search asks of attributes, checked."""
        traits = Traits(dict(more or {}), dict(less or {}), bool(prefer))
        if not traits:
            return traits
        return check_traits(traits, self._opened.collection(), self._opened.learning.catch_up())

    def classify(
        self,
        described: Mapping[str, Sequence[str | Relation]],
        *,
        seen: Mapping[str, Sequence[str]] | None = None,
        images: Sequence[str] | None = None,
        user: str = "guest",
    ) -> tuple[Classified, ...]:
        """Tell categories without pictures from what is said: ``"open: coast > X > forest"``.

        `seen` gives the pictures of the categories that are compared with; unless given, folders
        are categories. `images` are those to tell apart; unless given, all that are not seen.
        """
        check_user(user)
        collection, models = self._opened.collection(), self._opened.learning.catch_up()

        def scores_of(name: str) -> Scores:
            return self._opened.scales.standing(collection, models, name, user).scores

        return classified(collection, scores_of, described, seen=seen, images=images)

    # -- inside --------------------------------------------------------------------------------

    def _standing(self, name: str, user: str) -> tuple[Collection, Standing]:
        check_user(user)
        collection, models = self._opened.collection(), self._opened.learning.catch_up()
        return collection, self._opened.scales.standing(collection, models, name, user)


def _id(image: str | Hit) -> str:
    return image.image_id if isinstance(image, Hit) else image
