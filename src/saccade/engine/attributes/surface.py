"""Attributes of an open store: make them, teach them, order the collection by them.

    engine.attributes.create("natural")
    question = engine.attributes.ask("natural", user="ana")
    engine.attributes.answer("natural", more, less, user="ana")
    engine.attributes.order("natural", user="ana")

Every answer is an event with all that learning needs. Who speaks again about the same picture or
pair takes their earlier word back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from saccade.engine.attributes import asking
from saccade.engine.attributes.asking import hits, info, spread_out
from saccade.engine.attributes.capability import AttributeCapability
from saccade.engine.attributes.classifying import classified
from saccade.engine.attributes.fold import FORMS, Attribute, AttributeFold, PersonAnswers
from saccade.engine.attributes.records import (
    ALIKE,
    MORE,
    AttributeCompared,
    AttributeCreated,
    AttributeHidden,
    AttributeLabelled,
    Space,
    check_attribute,
    check_grade,
)
from saccade.engine.attributes.scoring import (
    CENTRED,
    Standing,
    attribute_of,
    chosen,
    shares_of,
    space_of,
)
from saccade.engine.collection import Collection
from saccade.engine.events import Entry, TakenBack
from saccade.engine.learning.log import Writer
from saccade.engine.names import Named, check_user, id_of
from saccade.engine.request import GUEST, check_k
from saccade.engine.rooms.maps import Maps, positions_of
from saccade.errors import InvalidInput, NoMap, NotFound, NothingToUndo, UnknownName
from saccade.hints import FILL
from saccade.rankers.zero_shot import Relation
from saccade.types import (
    AttributeHit,
    AttributeInfo,
    AttributeQuestion,
    Classified,
    Glow,
    Scores,
)

ENDS = ("most", "least", "both")
_GROWN = 2.0  # a new attribute takes new centres when the collection is so many times as large


class Attributes:
    """Named directions that people teach.

    >>> attributes = engine.attributes
    >>> attributes.create("natural").ready
    False
    >>> ids = [record.image_id for record in engine.images()]
    >>> question = attributes.ask("natural", user="ana")
    >>> question.first.image_id in ids
    True
    >>> attributes.suggest("natural", user="ana") == question
    True
    >>> for more, less in zip(ids[:8], ids[8:16]):
    ...     info = attributes.answer("natural", more, less, user="ana")
    >>> info = attributes.compare("natural", ids[0], ids[17], user="ana")
    >>> info = attributes.alike("natural", ids[0], ids[1], user="ana")
    >>> info = attributes.label("natural", ids[2], +1, user="ana")
    >>> info.answers, info.ready
    (11, True)
    >>> attributes.undo("natural", user="ana").answers
    10
    >>> scores = attributes.scores("natural", user="ana")
    >>> best = attributes.order("natural", user="ana", k=1)[0]
    >>> best.image_id == max(scores, key=scores.get)
    True
    >>> attributes.glow(best.image_id, "natural", user="ana").values.ndim
    2
    >>> said = {"wild": ["natural: wild > harbour"]}
    >>> told = attributes.classify(said, user="ana", images=ids[:2])
    >>> [0 <= one.share <= 1 for one in told]
    [True, True]
    >>> attributes.delete("natural", user="ana")
    >>> put_away = attributes.list(user="ana", put_away=True)
    >>> attributes.names(user="ana"), [one.name for one in put_away]
    ((), ['natural'])
    >>> attributes.restore("natural", user="ana").name
    'natural'
    >>> attributes.show("natural", user="ana").answers
    10
    """

    def __init__(self, capability: AttributeCapability, maps: Maps) -> None:
        self._opened, self._scales = capability.opened, capability.scales
        self._maps = maps

    # -- making --------------------------------------------------------------------------------

    def create(self, name: str, descriptors: Sequence[str] | None = None) -> AttributeInfo:
        """A new attribute; `descriptors` are what it may go by, a good choice unless given."""
        check_attribute(name)
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
            there = self._opened.learning.models.of(AttributeFold).by_name.get(name)
            if there is not None and not there.abandoned:
                raise InvalidInput(
                    f"there is an attribute {name!r} already",
                    hint="teach it, bring it back if you have put it away, or choose a name",
                )
            return writer.append(AttributeCreated(name, space), at=self._opened.clock(), user="")

        self._opened.learning.append(write)
        return self.show(name)

    def delete(self, name: str, *, user: str = GUEST) -> None:
        """Put an attribute away: this person does not see it any more, everybody else does.

        What people taught stays, and `restore` brings it back. A name that nobody who taught it
        keeps is listed for nobody, and may be made anew.
        """
        check_user(user)
        attribute_of(self._opened.learning.catch_up(), name, user)

        def write(writer: Writer) -> Entry:
            attribute_of(self._opened.learning.models, name, user)
            return writer.append(AttributeHidden(name), at=self._opened.clock(), user=user)

        self._opened.learning.append(write)

    def restore(self, name: str, *, user: str = GUEST) -> AttributeInfo:
        """Bring an attribute back that a person has put away, with all that was taught."""
        check_user(user)
        attribute_of(self._opened.learning.catch_up(), name)

        def write(writer: Writer) -> Entry:
            hidden = attribute_of(self._opened.learning.models, name).hidden
            if user not in hidden:
                raise NothingToUndo(f"user {user!r} has not put attribute {name!r} away")
            return writer.append(TakenBack(hidden[user]), at=self._opened.clock(), user=user)

        self._opened.learning.append(write)
        return self.show(name, user=user)

    # -- teaching ------------------------------------------------------------------------------

    def ask(
        self,
        name: str,
        *,
        user: str = GUEST,
        seed: int = 0,
        pictures: bool = False,
        without: Sequence[str] = (),
    ) -> AttributeQuestion:
        """The pair, or with `pictures` the picture or pair, whose answer would teach most.

        It is chosen among some pictures drawn by `seed`, never those `without`: they were skipped.
        """
        check_user(user)
        collection, models = self._opened.collection(), self._opened.learning.catch_up()
        attribute = attribute_of(models, name, user)
        heard = attribute.heard(user)
        belief = self._scales.belief(collection, attribute, heard, FORMS[0])
        question = asking.question(
            collection, attribute, belief, self._scales.vectors(collection, attribute.space),
            user=user, seed=seed, pictures=pictures, without=without,
        )  # fmt: skip
        if info(name, attribute, user).ready:
            standing = self._scales.standing(collection, models, name, user)
        else:
            nothing = np.zeros(collection.rows, np.float32)
            weights = np.zeros(attribute.space.width, np.float32)
            standing = Standing(attribute, weights, nothing, nothing + np.float32(0.5))
        first, *second = hits(collection, standing, np.array(question.rows), user)
        return AttributeQuestion(name, first, second[0] if second else None, question.bits)

    def suggest(
        self,
        name: str,
        *,
        user: str = GUEST,
        seed: int = 0,
        pictures: bool = False,
        without: Sequence[str] = (),
    ) -> AttributeQuestion:
        """The same as `ask`."""
        return self.ask(name, user=user, seed=seed, pictures=pictures, without=without)

    def answer(
        self,
        name: str,
        more: Named,
        less: Named,
        *,
        alike: bool = False,
        user: str = GUEST,
    ) -> AttributeInfo:
        """Say that one picture has more of it than another, or that both have about as much."""
        return self._answer(name, user, (id_of(more), id_of(less)), 0 if alike else 1)

    def compare(self, name: str, more: Named, less: Named, *, user: str = GUEST) -> AttributeInfo:
        """Say that one picture has more of it than another: `answer`."""
        return self.answer(name, more, less, user=user)

    def alike(self, name: str, first: Named, second: Named, *, user: str = GUEST) -> AttributeInfo:
        """Say that two pictures have about as much of it: `answer` with `alike`."""
        return self.answer(name, first, second, alike=True, user=user)

    def label(self, name: str, image: Named, grade: int, *, user: str = GUEST) -> AttributeInfo:
        """Say that a picture has it (+1) or has it not (-1), or give it a grade."""
        check_grade(grade)
        return self._answer(name, user, (id_of(image),), grade)

    def undo(self, name: str, *, user: str = GUEST) -> AttributeInfo:
        """Take back what a person said last about an attribute."""
        check_user(user)
        attribute_of(self._opened.learning.catch_up(), name, user)

        def write(writer: Writer) -> Entry:
            attribute = attribute_of(self._opened.learning.models, name, user)
            answers = attribute.people.get(user, PersonAnswers()).answers
            if not answers:
                raise NothingToUndo(f"user {user!r} has said nothing about {name!r} to undo")
            return writer.append(TakenBack(answers[-1].event), at=self._opened.clock(), user=user)

        self._opened.learning.append(write)
        return self.show(name, user=user)

    # -- looking -------------------------------------------------------------------------------

    def show(self, name: str, *, user: str = GUEST) -> AttributeInfo:
        """One attribute, with how sure it is of its order."""
        check_user(user)
        models = self._opened.learning.catch_up()
        attribute = attribute_of(models, name, user)
        if not info(name, attribute, user).ready:
            return info(name, attribute, user)
        collection, form = self._opened.collection(), attribute.form(user)
        rows = chosen(collection, asking.CANDIDATES)
        sample = self._scales.sample(collection, attribute.space, form, rows)
        belief = self._scales.belief(collection, attribute, attribute.heard(user), form)
        return info(name, attribute, user, asking.sureness(belief, sample))

    def scores(self, name: str, *, user: str = GUEST) -> dict[str, float]:
        """How much of it every picture has, by id; more is more."""
        collection, standing = self._standing(name, user)
        rows = np.flatnonzero(collection.listing.alive)
        ids = collection.listing.ids
        return dict(zip((ids[r] for r in rows), standing.scores[rows].tolist(), strict=True))

    def order(
        self, name: str, *, user: str = GUEST, k: int = 50, end: str = "most", offset: int = 0
    ) -> tuple[AttributeHit, ...]:
        """The k pictures with `most` of it, best first, or with `least`; or of `both` ends.

        The last are evenly spaced from least to most, with those that the person spoke of; of the
        others, `offset` goes on from so many.
        """
        check_k(k)
        if offset < 0 or (offset and end == "both"):
            raise InvalidInput(
                f"offset {offset} with end={end!r}", hint="go on from 0 or more at one end"
            )
        if end not in ENDS:
            raise UnknownName("end of an order", str(end), ENDS)
        collection, standing = self._standing(name, user)
        rows = np.flatnonzero(collection.listing.alive)
        rows = rows[np.argsort(standing.scores[rows], kind="stable")]
        if end == "both":
            rows = spread_out(collection, standing, rows, user, k)
        else:
            rows = (rows if end == "least" else rows[::-1])[offset:][:k]
        return hits(collection, standing, rows, user)

    def glow(self, image: Named, name: str, *, user: str = GUEST) -> Glow:
        """What of a picture makes it have much of an attribute, and whether that is to be trusted.

        Of what the attribute goes by, the embedding alone says where.
        """
        collection, standing = self._standing(name, user)
        row = collection.row(image if isinstance(image, str) else image.image_id)
        learned = positions_of(collection).embedding
        direction = standing.weights[standing.attribute.part(learned)]
        if not direction.any():
            raise NoMap(
                f"attribute {name!r} goes by {', '.join(standing.attribute.space.descriptors)}, "
                f"which say nothing of places in a picture"
            )
        return self._maps.of(row, direction, about=name)

    def classify(
        self,
        described: Mapping[str, Sequence[str | Relation]],
        *,
        seen: Mapping[str, Sequence[str]] | None = None,
        images: Sequence[str] | None = None,
        user: str = GUEST,
    ) -> tuple[Classified, ...]:
        """Tell categories without pictures from what is said: ``"open: coast > X > forest"``.

        `seen` gives the pictures of the categories that are compared with; unless given, folders
        are categories. `images` are those to tell apart; unless given, all that are not seen.
        """
        check_user(user)
        collection, models = self._opened.collection(), self._opened.learning.catch_up()

        def scores_of(name: str) -> Scores:
            return self._scales.standing(collection, models, name, user).scores

        return classified(collection, scores_of, described, seen=seen, images=images)

    # -- inside --------------------------------------------------------------------------------

    def _space(self, collection: Collection, shares: Mapping[str, float]) -> Space | None:
        """The space of an attribute that is there, so that their vectors are kept once."""
        size = min(len(collection), CENTRED)
        for one in self._opened.learning.catch_up().of(AttributeFold).by_name.values():
            parts = {part.name: part.share for part in one.space.blend.parts}
            if parts == shares and size <= _GROWN * max(1, one.space.blend.around):
                return one.space
        return None

    def _answer(self, name: str, user: str, images: tuple[str, ...], grade: int) -> AttributeInfo:
        check_user(user)
        collection = self._opened.collection()
        attribute = attribute_of(self._opened.learning.catch_up(), name, user)
        if len(set(images)) < len(images):
            raise InvalidInput(f"image {images[0]!r} cannot be compared with itself")
        rows = np.array([collection.row(image) for image in images])
        looks = self._scales.looks(collection, attribute.space, rows)

        def write(writer: Writer) -> Entry:
            # What this takes the place of is looked up where nobody else can append.
            now = attribute_of(self._opened.learning.models, name, user)
            earlier = tuple(
                one.event for one in now.people.get(user, PersonAnswers()).answers
                if {one.first, one.second or one.first} == set(images)
            )  # fmt: skip
            shared = (name, attribute.digest, looks, earlier)
            record: AttributeLabelled | AttributeCompared
            if len(images) == 1:
                record = AttributeLabelled(*shared, image=images[0], grade=grade)
            else:
                first, second = images
                order = MORE if grade else ALIKE
                record = AttributeCompared(*shared, first=first, second=second, order=order)
            return writer.append(record, at=self._opened.clock(), user=user)

        self._opened.learning.append(write)
        return info(name, attribute_of(self._opened.learning.models, name), user)

    def _standing(self, name: str, user: str) -> tuple[Collection, Standing]:
        check_user(user)
        collection, models = self._opened.collection(), self._opened.learning.catch_up()
        attribute_of(models, name, user)
        return collection, self._scales.standing(collection, models, name, user)

    def names(self, *, user: str = GUEST) -> tuple[str, ...]:
        """The names of the attributes that a person sees."""
        return tuple(name for name, _ in self._seen(user))

    def _seen(self, user: str, *, put_away: bool = False) -> Iterator[tuple[str, Attribute]]:
        by_name = self._opened.learning.catch_up().of(AttributeFold).by_name
        for name, one in sorted(by_name.items()):
            if (user in one.hidden) == put_away and (put_away or not one.abandoned):
                yield name, one

    # The last one: below it, `list` would mean this.
    def list(self, *, user: str = GUEST, put_away: bool = False) -> tuple[AttributeInfo, ...]:
        """Every attribute by name, and how far it is taught for a person; or what they put away."""
        check_user(user)
        seen = self._seen(user, put_away=put_away)
        return tuple(info(name, one, user) for name, one in seen)
