"""Words, as people use them: what a picture shows, what may be typed, what was taught."""

from __future__ import annotations

import numpy as np

from saccade import lexicon
from saccade.descriptors import classifier
from saccade.engine.names import check_user
from saccade.engine.request import GUEST, Part
from saccade.engine.rooms.pointing import pointed
from saccade.engine.sources.parts import PARTS
from saccade.engine.text import source
from saccade.engine.text.asking import suggestions
from saccade.engine.text.capability import TextCapability
from saccade.engine.text.fold import TaughtFold
from saccade.lexicon.evidence import PROBABILITY
from saccade.types import PictureWord, Suggestion, TaughtWord


class Text:
    """What typed words mean in an open store.

    >>> words = engine.text.words_of(engine.images()[0].image_id)
    >>> words[0].word
    'balloon'
    >>> engine.text.suggest("harb")[0].text
    'harbour'
    >>> page = engine.search(text="harbour", user="ana", k=10)
    >>> page = engine.react(page, liked=[page.hits[0]])
    >>> [one.word for one in engine.text.taught(user="ana")]
    ['harbour']
    """

    def __init__(self, capability: TextCapability) -> None:
        self._capability, self._opened = capability, capability.opened

    def words_of(self, image_id: str, *, part: Part | None = None) -> tuple[PictureWord, ...]:
        """What a picture of the collection shows, in words, likeliest first; or a part of it.

        Kinds of things with a probability of a tenth at least, and what several of them are;
        nothing where the collection has no embedding that tells.
        """
        collection = self._opened.collection()
        row, view = collection.row(image_id), source.of(collection)
        if part is not None:
            example = pointed(self._opened, collection, image_id, part)
            seen = classifier.likely(example.parts[PARTS][None])
            words = lexicon.describe(seen.kinds[0], seen.probabilities[0].astype(np.float64))
            return tuple(PictureWord(one.word, one.probability, one.kind >= 0) for one in words)
        table = None if view is None else view.table()
        if table is None:
            return ()
        words = lexicon.describe(table.kinds[row], PROBABILITY[table.codes[row]])
        return tuple(PictureWord(one.word, one.probability, one.kind >= 0) for one in words)

    def suggest(self, typed: str, *, user: str = GUEST, k: int = 10) -> tuple[Suggestion, ...]:
        """What may be meant by the beginning of a text: known kinds with how many pictures are
        probably of each, folders, and the words, tags, saved searches and attributes of a person.
        """
        check_user(user)
        collection = self._opened.collection()
        fold = self._opened.learning.catch_up().of(TaughtFold)
        names = {sort: one.names(user) for sort, one in self._capability.given_names.items()}
        offers = suggestions(typed, user, source.of(collection), fold, names, k)
        return tuple(offers)

    def taught(self, *, user: str = GUEST) -> tuple[TaughtWord, ...]:
        """The words a person taught, the newest first."""
        words = self._opened.learning.catch_up().of(TaughtFold).words(check_user(user))
        return tuple(
            TaughtWord(word, marks.liked, marks.disliked, len(marks.sessions))
            for word, marks in reversed(list(words.items()))
        )
