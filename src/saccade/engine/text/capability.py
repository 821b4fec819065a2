"""What the rest of the engine knows of typed words: a `text` in a search, a fold, a source.

    a search begins     the text becomes an example with columns of its own
    a page is ranked    what the person marked for this word before counts as if said just now
    a page is told      how each word was understood; nothing is shown where none was

The loop itself keeps the word with a page and with what is said about it: that is what teaches it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from saccade.descriptors import classifier
from saccade.engine.cache import Cache
from saccade.engine.collection import Collection, Example
from saccade.engine.learning.fold import Models
from saccade.engine.loop.capability import Capability
from saccade.engine.loop.experts import EXPERTS, Moment, Ranking
from saccade.engine.loop.query import Query, encodes_text, from_text, resolve
from saccade.engine.loop.session import Computed, Session
from saccade.engine.opened import OpenStore
from saccade.engine.request import USUAL, SearchRequest
from saccade.engine.text import source
from saccade.engine.text.asking import GivenNames, names_in, offered, taught_elsewhere
from saccade.engine.text.captions import CAPTIONS, CaptionSource
from saccade.engine.text.colours import COLOURS, ColourSource
from saccade.engine.text.fold import TaughtFold
from saccade.engine.text.records import NAME, TextAsked, WordMarks
from saccade.engine.text.scoring import COLUMNS, Fitting
from saccade.engine.text.source import SCHEMES, KindSource
from saccade.errors import InvalidInput
from saccade.feedback.preferences import Judged
from saccade.indexes.spread import Sources
from saccade.lexicon import Lexicon, Term, Weights, read
from saccade.types import Page, ReadTerm, Vectors

_MOST_KINDS = 5  # kinds that a page names for a word
_TEXTS = 8  # that people are busy with: their fitting pictures are kept, and with them the marks'
_WORDS = 4096  # that people taught: which kinds they mean


class TextCapability(Capability):
    """Typed words at work in one open store."""

    name = NAME
    words = frozenset((NAME,))
    folds = {"taught": TaughtFold}  # noqa: RUF012
    sources = {  # noqa: RUF012
        NAME: KindSource(),
        COLOURS: ColourSource(),
        CAPTIONS: CaptionSource(),
    }

    def __init__(self, opened: OpenStore) -> None:
        super().__init__(opened)
        self.given_names: Mapping[str, GivenNames] = {}
        """Who knows names that people gave, by sort: set by the engine, which knows everyone."""
        self._fittings: Cache[tuple[int, str], Fitting] = opened.keep(Cache(_TEXTS))
        self._examples: Cache[tuple[int, bytes, bytes], Example] = opened.keep(Cache(_TEXTS))
        self._profiles: Cache[str, Weights] = opened.keep(Cache(_WORDS), of_collection=False)

    # -- a search begins -----------------------------------------------------------------------

    def look_for(self, request: SearchRequest, collection: Collection) -> Query | None:
        """The text as an example, beside the pictures that were given with it."""
        if request.text is None or not len(collection):
            return None
        meaning = read(request.text)
        pictures, unlike = (
            tuple(resolve(thing, collection) for thing in side)
            for side in (request.pictures, request.unlike)
        )
        view = source.of(collection)
        if view is None or encodes_text(collection):
            return Query((from_text(request.text, collection), *pictures), unlike)
        only = _columns(request.schemes)
        models = self.opened.learning.catch_up()
        asked = TextAsked(
            meaning,
            taught_elsewhere(models.of(TaughtFold), request.user, meaning, self._profiles),
            names_in(meaning, request.user, self.given_names.values()),
            only,
        )
        return Query((self._example(collection, view, asked), *pictures), unlike)

    def prepare(self, request: SearchRequest, session: Session) -> Session:
        """The session under its word, with the columns of words in the place of pictures'."""
        if request.text is None:
            return session
        attached = {**session.attached, self.name: ({"text": request.text}, {})}
        session = replace(session, word=read(request.text).word, attached=attached)
        if NAME not in session.query.like[0].parts:
            return session  # an encoder compares the text with pictures
        own = [scheme for scheme in SCHEMES if scheme.similarity in _columns(request.schemes)]
        schemes = tuple(own)
        if len(session.query.like) + len(session.query.unlike) > 1:
            # Schemes that a person named compare the pictures, which the text alone cannot be.
            every, named = session.collection.schemes, request.schemes
            others = (s for s in every if named is None or str(s) in named)
            schemes = (*others, *own)
        prior = session.collection.prior_of(schemes)
        return replace(session, schemes=schemes, prior=prior, verify=0)

    # -- a page is ranked ----------------------------------------------------------------------

    def rank(self, moment: Moment) -> Ranking | None:
        """With what the person marked for this word before, as if it were said in this session.

        What was called wrong, then or now, lets the text start elsewhere.
        """
        session = moment.session
        if session.expert != USUAL or not session.word:
            return None
        before = moment.models.of(TaughtFold).of(session.user, session.word)
        judged = _with(moment.judged, before)
        moment = replace(moment, judged=judged, recalled=before.sessions)
        if moment.judged.anything:
            moment = replace(moment, session=self._elsewhere(moment))
        return EXPERTS[session.expert].rank(moment)

    def _elsewhere(self, moment: Moment) -> Session:
        """The session with its text started where nothing is like what was called wrong."""
        session, query = moment.session, moment.session.query
        view, asked = source.of(session.collection), query.like[0].parts.get(NAME)
        if view is None or not isinstance(asked, TextAsked) or not len(moment.disliked):
            return session
        marks = Sources.of(moment.liked) + Sources.of(moment.disliked, -1.0)
        example = self._example(session.collection, view, asked, marks)
        query = Query((example, *query.like[1:]), query.unlike)
        return replace(session, query=query, computed=Computed())

    def _example(
        self,
        collection: Collection,
        view: source.TextView,
        asked: TextAsked,
        marks: Sources | None = None,
    ) -> Example:
        """The text as something to search with: the same for one who asks and has said the same."""
        keeping = partial(self._fittings.made, (collection.generation, asked.meaning.text))
        make = partial(view.example, asked, marks, pool=self.opened.pool, fitting=keeping)
        marked = b"" if marks is None else marks.rows.tobytes() + marks.amounts.tobytes()
        return self._examples.made((collection.generation, asked.encode().tobytes(), marked), make)

    def direction(self, session: Session, models: Models) -> Vectors | None:
        """From the usual towards the kinds that the words mean; None where they mean none."""
        asked = session.query.like[0].parts.get(NAME)
        if not isinstance(asked, TextAsked):
            return None
        meant: dict[int, float] = {}
        for term in asked.meaning.terms:
            for kind, weight in (term.kinds or term.near).items():
                meant[kind] = meant.get(kind, 0.0) + (weight if term.wanted else -weight)
        return classifier.direction(meant) if any(meant.values()) else None

    def tell(self, page: Page, session: Session, ranking: Ranking) -> Page:
        """How each word was understood; no pictures where none of them was."""
        example, fold = session.query.like[0], self.opened.learning.models.of(TaughtFold)
        asked = example.parts.get(NAME)
        if not isinstance(asked, TextAsked):
            return replace(page, text=session.attached[self.name][0]["text"])
        view = source.of(session.collection)
        assert view is not None
        readings = [*zip(asked.meaning.terms, view.scores(example).understood, strict=True)]
        has_marks = bool(len(fold.of(session.user, session.word)) or asked.taught)
        unknown = tuple(term.text for term, how in readings if term.wanted and not how)
        lost = not has_marks and not any(how for term, how in readings if term.wanted)
        alone = len(session.query.like) == 1
        return replace(
            page,
            hits=() if lost and alone else page.hits,
            text=asked.meaning.text,
            terms=tuple(_read_term(term, how) for term, how in readings),
            unknown=() if has_marks else unknown,
            offered=tuple(offered(unknown, view, fold, session.user)) if unknown else (),
            taught=len(fold.of(session.user, session.word)),
        )


def _columns(schemes: Sequence[str] | None) -> tuple[str, ...]:
    """The columns of a text that a request names among its schemes; all unless it names any."""
    if schemes is None:
        return COLUMNS
    own = tuple(scheme.similarity for scheme in SCHEMES if str(scheme) in schemes)
    if not own:
        raise InvalidInput(
            "schemes compare pictures, and words have schemes of their own",
            hint=f"name some of {', '.join(map(str, SCHEMES))}, or leave out the schemes",
        )
    return own


def _with(judged: Judged, before: WordMarks) -> Judged:
    """What a session said, and before it what was said of the word; the newer counts."""
    new = {*judged.liked, *judged.disliked}
    return Judged(
        (*(image for image in before.liked if image not in new), *judged.liked),
        (*(image for image in before.disliked if image not in new), *judged.disliked),
        judged.preferred,
    )


def _read_term(term: Term, how: str) -> ReadTerm:
    """A term as a page tells of it."""
    kinds = term.kinds or term.near
    names = Lexicon.shipped().kinds
    best = sorted(kinds, key=lambda kind: -kinds[kind])[:_MOST_KINDS]

    return ReadTerm(
        text=term.text,
        word=term.word,
        wanted=term.wanted,
        how=how,
        colour=term.colour,
        kinds=tuple(names[kind] for kind in best),
        count=len(kinds),
        mended=term.mended,
    )
