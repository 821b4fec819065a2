"""Words that people taught: the marks they made on pages that began with them.

    own      the newest word of a person on a picture counts, for that word
    shared   a picture that several people marked alike and hardly anyone the other way

The marks are the whole state. A mark that was taken off or taken back is gone from here too, and so
is all that a person said when they are forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping

from saccade.engine.events import Entry, Reacted
from saccade.engine.learning.axis import Axis
from saccade.engine.names import visits
from saccade.engine.recipe import Recipe
from saccade.engine.text.records import WordMarks
from saccade.types import Arrays, Encoded, Spec

WORDS, PICTURES, SESSIONS = 500, 400, 50
"""What is kept of one person: the words taught last, and of each the newest marks and sessions."""
AGREEING = 2
"""People who must have marked a picture alike before it counts for anybody else."""
AGAINST = 0.5
"""It does not count if more than this share of those who marked it said the opposite."""


class TaughtFold:
    """What everybody taught words to mean."""

    kinds = frozenset((Reacted.kind,))

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._people: dict[str, dict[str, WordMarks]] = {}

    def words(self, user: str) -> Mapping[str, WordMarks]:
        """The words a person taught, the newest last."""
        return self._people.get(user, {})

    def of(self, user: str, word: str) -> WordMarks:
        """What a person said about a word; nothing is fine."""
        return self.words(user).get(word, WordMarks())

    def shared(self, word: str, *, without: str) -> dict[str, float]:
        """Pictures that others agree on, 1 for the word and -1 against it."""
        votes: dict[str, list[int]] = {}
        for person, words in self._people.items():
            marks = words.get(word)
            if marks is not None and person != without and not visits(person):
                for images, vote in ((marks.liked, 1), (marks.disliked, -1)):
                    for image in images:
                        votes.setdefault(image, []).append(vote)
        out = {}
        for image, ballot in votes.items():
            most = max(ballot.count(1), ballot.count(-1))
            if most >= AGREEING and len(ballot) - most <= AGAINST * most:
                out[image] = 1.0 if ballot.count(1) == most else -1.0
        return out

    def apply(self, entry: Entry, axis: Axis) -> None:
        """Take in what one event says of its word."""
        reaction = entry.record
        assert isinstance(reaction, Reacted)
        if not reaction.word:
            return
        words = dict(self.words(entry.user))
        before = words.pop(reaction.word, WordMarks())
        gone = {*reaction.liked, *reaction.disliked, *reaction.cleared}
        beside = [image for image in reaction.asked if image not in gone]
        liked = dict.fromkeys(image for image in before.liked if image not in gone)
        liked |= dict.fromkeys((*beside, *reaction.liked))
        disliked = dict.fromkeys(i for i in before.disliked if i not in gone and i not in liked)
        disliked |= dict.fromkeys(reaction.disliked)
        sessions = dict.fromkeys((*before.sessions, entry.session_id or f"event {entry.event_id}"))
        if liked or disliked:
            words[reaction.word] = WordMarks(
                tuple(liked)[-PICTURES:], tuple(disliked)[-PICTURES:], tuple(sessions)[-SESSIONS:]
            )
        self._people[entry.user] = dict(list(words.items())[-WORDS:])
        if not words:
            del self._people[entry.user]

    def copy(self) -> TaughtFold:
        """An independent copy; a person's words are replaced and not changed."""
        twin = TaughtFold(self._recipe)
        twin._people = dict(self._people)
        return twin

    def dump(self) -> Encoded:
        """The whole state; nothing where no word was taught."""
        if not self._people:
            return {}, {}
        return {
            "taught": {
                user: [
                    [word, list(marks.liked), list(marks.disliked), list(marks.sessions)]
                    for word, marks in words.items()
                ]
                for user, words in self._people.items()
            }
        }, {}

    def load(self, body: Spec, arrays: Arrays) -> None:
        """Take on what `dump` gave."""
        for user, words in body.get("taught", {}).items():
            self._people[user] = {
                word: WordMarks(tuple(liked), tuple(disliked), tuple(sessions))
                for word, liked, disliked, sessions in words
            }
