"""The engine: a collection of pictures that can be searched and taught.

    folder ─ images ─ descriptors ─ store ─ φ(q, p) ─ expert ─ page ─ person
                                               ▲                        │
                                     models ◄─ learn ◄─ preferences ◄─ events

`search` → *shown* → `react` → *learn*: the way of each is in `loop/loop.py`, top to bottom.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import overload

from saccade.engine.attributes.capability import AttributeCapability
from saccade.engine.attributes.surface import Attributes
from saccade.engine.candidates.capability import CandidateCapability
from saccade.engine.candidates.surface import Candidates
from saccade.engine.capabilities import CAPABILITIES
from saccade.engine.concepts.capability import ConceptCapability
from saccade.engine.concepts.surface import Concepts
from saccade.engine.configurations.capability import ConfigurationCapability
from saccade.engine.configurations.surface import Configurations
from saccade.engine.loop.capability import tables
from saccade.engine.loop.facts import Fits
from saccade.engine.loop.loop import Loop
from saccade.engine.loop.warm import warm as warm_up
from saccade.engine.names import Named, id_of, ids_of
from saccade.engine.opened import OpenStore
from saccade.engine.progress import Watch
from saccade.engine.recipe import Recipe
from saccade.engine.request import (
    GUEST,
    USUAL,
    Box,
    PictureLike,
    Region,
    SearchRequest,
    ShowRequest,
    Spot,
    Where,
    clauses_of,
    names_of,
    several,
)
from saccade.engine.rooms.fields import Fields
from saccade.engine.rooms.graph import Neighbourhood
from saccade.engine.rooms.jobs import JobKind, Jobs
from saccade.engine.rooms.library import Library
from saccade.engine.rooms.maps import Maps
from saccade.engine.rooms.people import People
from saccade.engine.rooms.pictures import PicturesById
from saccade.engine.rooms.retention import PageRetention
from saccade.engine.rooms.sessions import SavedSessions
from saccade.engine.rooms.tokens import AccessTokens
from saccade.engine.rooms.uploads import Uploads
from saccade.engine.rooms.work import kinds
from saccade.engine.tags.capability import TagCapability
from saccade.engine.tags.surface import Tags
from saccade.engine.text.asking import GivenNames
from saccade.engine.text.capability import TextCapability
from saccade.engine.text.surface import Text
from saccade.errors import InvalidInput, TooFewAnswers
from saccade.types import (
    AddReport,
    CandidateHit,
    CandidatePage,
    ImageRecord,
    Page,
    PictureWord,
    Suggestion,
    Undone,
)

NAMED = 500
"""Pictures with most of an attribute that its name stands for where words are looked for."""


class Engine:
    """A collection that can be searched and taught. Thread-safe.

    A picture is given by its path, its image id, the bytes of a file, or pixels [h, w, 3]. The
    verbs of the loop are methods; everything else is in a room:

        library         pictures, thumbnails, schemes, φ, doctor, backup
        people          profiles: show, undo, forget, export, import
        sessions        searches under a name: save, open, list, delete
        attributes      named directions: create, ask, answer, order
        candidates      lists that another engine found, in a taught order
        tags            names that people give to pictures: add, remove, list
        concepts        pictures of a keyword in a taught order, and the parts that count
        configurations  ways to rank by visual words, chosen from feedback
        text            typed words: what a picture shows, what may be typed, what was taught
        fields          ids of yours and fields with values: set, read, find
        pictures        those sent in under ids of yours: put, remove
        jobs            long work done behind: index a folder, train, back up
        maps            what of a picture counts, as a glow over it
        graph           look-alikes
        uploads         pictures that people brought to search with
        retention       how long pages that nobody marked are kept
        tokens          keys to a server around the store: create, list, revoke

    Examples here are run on drawn pictures: `engine` is open on a store of 36, two of a class, and
    `pictures` is the folder that they lie in.

    >>> len(engine), engine.images()[0].image_id in engine
    (36, True)
    """

    library: Library
    """The pictures of the store, and how they are compared."""
    people: People
    """What each person taught, taken back, taken elsewhere and brought in."""
    sessions: SavedSessions
    """Searches under a name, opened again with all that was said in them."""
    attributes: Attributes
    """Named directions that people teach."""
    candidates: Candidates
    """Lists that another engine found, in the order that people teach."""
    tags: Tags
    """Names that people give to pictures."""
    concepts: Concepts
    """The pictures of a keyword in the order a person taught, and the parts that count."""
    configurations: Configurations
    """Retrieval configurations, and those who choose among them."""
    text: Text
    """Typed words: what pictures show, what may be typed, what people taught."""
    fields: Fields
    """What others know of pictures: ids of theirs, and fields with values."""
    pictures: PicturesById
    """Pictures that others send in under ids of their own."""
    jobs: Jobs
    """Long work that is asked for now and done behind."""
    maps: Maps
    """What of a picture counts for a search, as a glow over it."""
    graph: Neighbourhood
    """Who is most like whom."""
    uploads: Uploads
    """Pictures that people brought to search with, kept by id for a while."""
    retention: PageRetention
    """How long the log keeps pages that nobody reacted to."""
    tokens: AccessTokens
    """Keys to a server around the store, each with a name and a role."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        warm: bool = True,
        database: str | None = None,
        shards: int | None = None,
        on: str = "processes",
        clock: Callable[[], float] = time.time,
        seed: int | None = None,
    ) -> None:
        """Open the store at a path.

        Args:
            path: a folder such as ``photos.saccade``.
            create: make it when it is missing.
            warm: pay the first search's costs now.
            database: where catalog and log are (``postgresql://ana@db/photos``); a file in the
                folder by default. A store remembers it, without a password.
            shards: cut the collection into so many pieces, each of which computes φ and words.
            on: who describes pictures and keeps shards: ``serial``, ``processes``, ``ray`` or
                ``ray://head:10001``; results are the same.
            clock: Unix seconds, for the log.
            seed: of what is left to chance (which configuration is tried).
        """
        self._opened = OpenStore(
            path,
            tables(CAPABILITIES),
            create=create,
            database=database,
            shards=shards,
            on=on,
            clock=clock,
            seed=seed,
        )
        self._loop = Loop(self._opened, CAPABILITIES)
        self.tags = Tags(self._loop.capability(TagCapability))
        self.library = Library(self._loop, self._tagged)
        self.people = People(self._loop)
        self.sessions = SavedSessions(self._loop)
        self.maps = Maps(self._loop)
        self.attributes = Attributes(self._loop.capability(AttributeCapability), self.maps)
        self.candidates = Candidates(self._loop.capability(CandidateCapability), self._loop)
        self.concepts = Concepts(
            self._loop.capability(ConceptCapability), self.sessions, self.maps, self.tags.seen
        )
        self.configurations = Configurations(self._loop.capability(ConfigurationCapability))
        self.text = Text(self._loop.capability(TextCapability))
        self._loop.capability(TextCapability).given_names = self._given_names()
        self.fields = Fields(self._opened)
        self.pictures = PicturesById(
            self._opened, self.fields, self.library.folders, lambda: self.jobs.post("pictures")
        )
        self.jobs = Jobs(self._opened, self._job_kinds())
        self.graph = Neighbourhood(self._opened)
        self.uploads = Uploads(self._opened)
        self.retention = PageRetention(self._opened)
        self.tokens = AccessTokens(self._opened)
        if warm:
            self.warm()

    # -- pictures ------------------------------------------------------------------------------

    def add(
        self,
        folder: str | os.PathLike[str],
        *,
        prune: bool = False,
        recipe: str | None = None,
        workers: int | None = None,
        watch: Watch | None = None,
    ) -> AddReport:
        """Index a folder, or bring it up to date. Killed at any moment, the next call completes it.

        `prune` drops images whose files are gone; `recipe` changes what is computed: "+gist,-lbp".

        >>> report = engine.add(pictures)
        >>> report.added, report.known
        (0, 36)
        """
        return self.library.add(folder, prune=prune, recipe=recipe, workers=workers, watch=watch)

    def image(self, image_id: str) -> ImageRecord:
        """One image with all its paths.

        >>> record = engine.image(engine.images()[0].image_id)
        >>> record.width, record.height, len(record.paths)
        (160, 120, 1)
        """
        return self.library.image(image_id)

    def images(self, offset: int = 0, limit: int | None = None) -> Sequence[ImageRecord]:
        """Every image in the order it was indexed; or a slice of them.

        >>> len(engine.images()), len(engine.images(10, 5))
        (36, 5)
        """
        return self.library.images(offset, limit)

    def words_of(
        self, image_id: str, *, part: Region | Box | Spot | None = None
    ) -> tuple[PictureWord, ...]:
        """What a picture of the collection shows, in words with probabilities, likeliest first.

        >>> engine.words_of(engine.images()[0].image_id)[0].word
        'balloon'
        """
        return self.text.words_of(image_id, part=part)

    # -- searching -----------------------------------------------------------------------------

    def suggest(self, typed: str, *, user: str = GUEST, k: int = 10) -> tuple[Suggestion, ...]:
        """What may be meant by the beginning of a text, for a box to offer while somebody types.

        >>> [one.text for one in engine.suggest("harb")]
        ['harbour']
        """
        return self.text.suggest(typed, user=user, k=k)

    def search(
        self,
        query: PictureLike | None = None,
        *,
        text: str | None = None,
        like: PictureLike | Sequence[PictureLike] = (),
        unlike: PictureLike | Sequence[PictureLike] = (),
        user: str = GUEST,
        k: int = 50,
        where: Where = (),
        part: Region | Box | Spot | None = None,
        schemes: Sequence[str] | None = None,
        expert: str = USUAL,
        configuration: str | None = None,
        exploring: float | None = None,
        verify: int | None = None,
        ranker: str | None = None,
    ) -> Page:
        """Rank the collection by a picture, by several that are meant and not meant, or by words.

        Args:
            query: the picture to look for; one of the collection is left out of its own page.
            text: words to look for: ``"elephants"``, ``"red bus"``, ``"horses -rider"``; what is
                marked on the page teaches them.
            like: more like these.
            unlike: less like these.
            user: whose model ranks and learns.
            k: how many pictures the page holds.
            where: what narrows the search: ``{"folder": "coast", "more": {"natural": 0.5}}``, or
                records: ``[Folder("coast"), More("natural", than=image_id)]``.
            part: look for this part of the query alone: ``Box(top, left, bottom, right)`` in shares
                of the picture, or ``Spot(top, left)`` on a thing; ``Region(3)`` in a store that
                keeps regions.
            schemes: use these alone, such as ``["gist:cosine"]``.
            expert: rank by this one instead of the guard's mixture of all.
            configuration: rank by visual words alone: "auto", "vote" or a name.
            exploring: the largest chance, 0 to 1, that "auto" tries another than the best.
            verify: how many results are ordered by geometry; None: those that stand out.
            ranker: the older word for `expert`.

        >>> page = engine.search(engine.images()[0].image_id, user="ana", k=5)
        >>> len(page), page.expert
        (5, 'guarded')
        >>> best = page.hits[0]
        >>> abs(sum(best.why.values()) - best.score) < 1e-6  # the parts add up
        True
        >>> first = engine.search(text="harbour", k=5).hits[0]
        >>> "harbour" in first.path
        True
        """
        if ranker is not None and expert != USUAL:
            raise InvalidInput("`ranker` is the older word for `expert`: give one of them")
        request = SearchRequest(
            query=query,
            text=text,
            like=several(like),
            unlike=several(unlike),
            user=user,
            k=k,
            where=clauses_of(where),
            part=part,
            schemes=names_of(schemes),
            expert=ranker or expert,
            configuration=configuration,
            exploring=exploring,
            verify=verify,
        )
        return self.search_for(request)

    def search_for(self, request: SearchRequest) -> Page:
        """The page for a request at hand; `search` makes one from its keywords.

        >>> from saccade import SearchRequest
        >>> len(engine.search_for(SearchRequest(text="harbour", k=5)))
        5
        """
        return self._loop.search(self.uploads.brought(request))

    def search_many(
        self,
        queries: Iterable[PictureLike],
        *,
        user: str = GUEST,
        k: int = 50,
        where: Where = (),
        schemes: Sequence[str] | None = None,
        expert: str = USUAL,
        verify: int | None = None,
    ) -> Iterator[Page]:
        """A page for each query, one after the other.

        >>> queries = [record.image_id for record in engine.images(0, 3)]
        >>> [len(page) for page in engine.search_many(queries, k=4)]
        [4, 4, 4]
        """
        for query in queries:
            yield self.search(
                query, user=user, k=k, where=where, schemes=schemes, expert=expert, verify=verify
            )

    def show(self, page: Page | str, *, k: int, where: Where | None = None) -> Page:
        """A page again with another number of results, ranked by what is known now.

        `where`, when given, takes the place of what narrowed it.

        >>> page = engine.search(text="harbour", k=3)
        >>> len(engine.show(page, k=12)), len(engine.show(page, k=12, where={"folder": "harbour"}))
        (12, 2)
        """
        page_id = page if isinstance(page, str) else page.page_id
        narrowed = None if where is None else clauses_of(where)
        return self._loop.show(ShowRequest(page_id=page_id, k=k, where=narrowed))

    # -- teaching ------------------------------------------------------------------------------

    @overload
    def react(
        self,
        page: Page,
        *,
        liked: Sequence[Named] = (),
        disliked: Sequence[Named] = (),
        cleared: Sequence[Named] = (),
        k: int | None = None,
        key: str | None = None,
    ) -> Page: ...
    @overload
    def react(
        self,
        page: CandidatePage,
        *,
        liked: Sequence[str | CandidateHit] = (),
        disliked: Sequence[str | CandidateHit] = (),
        cleared: Sequence[str | CandidateHit] = (),
        k: int | None = None,
        key: str | None = None,
    ) -> CandidatePage: ...
    @overload
    def react(
        self,
        page: str,
        *,
        liked: Sequence[str] = (),
        disliked: Sequence[str] = (),
        cleared: Sequence[str] = (),
        k: int | None = None,
        key: str | None = None,
    ) -> Page | CandidatePage: ...
    def react(
        self,
        page: Page | CandidatePage | str,
        *,
        liked: Sequence[Named | CandidateHit] = (),
        disliked: Sequence[Named | CandidateHit] = (),
        cleared: Sequence[Named | CandidateHit] = (),
        k: int | None = None,
        key: str | None = None,
    ) -> Page | CandidatePage:
        """Say what is right and wrong on a page, or take marks off; learns, and re-ranks it.

        Pictures go by their ids, or by whatever shows them: hits, records. A page of candidates is
        reacted to here, too, and comes back as one. What is sent again under the same `key` counts
        once: the page comes back as it stands.

        >>> page = engine.search(text="harbour", user="ana", k=10)
        >>> right, wrong = page.hits[0], page.hits[4]
        >>> page = engine.react(page, liked=[right], disliked=[wrong])
        >>> right.image_id in page.liked, page.round
        (True, 1)
        """
        if isinstance(page, CandidatePage) or (
            isinstance(page, str) and self.candidates.knows(page)
        ):
            return self.candidates.react(
                page, liked=liked, disliked=disliked, cleared=cleared, k=k, key=key
            )
        return self._loop.react(page, ids_of(liked), ids_of(disliked), ids_of(cleared), k, key)

    def prefer(
        self,
        page: Page | str,
        *,
        better: Named,
        worse: Named,
        k: int | None = None,
        key: str | None = None,
    ) -> Page:
        """Say that one picture of a page belongs before another; learns, and re-ranks.

        What is sent again under the same `key` counts once.

        >>> page = engine.search(text="harbour", user="ana", k=10)
        >>> better, worse = page.hits[3].image_id, page.hits[0].image_id
        >>> page = engine.prefer(page, better=better, worse=worse)
        >>> page.preferred == ((better, worse),)
        True
        """
        return self._loop.prefer(page, id_of(better), id_of(worse), k, key)

    def undo(self, user: str = GUEST, page: Page | CandidatePage | str | None = None) -> Undone:
        """Take back a person's last feedback that is not taken back yet; of a page's session alone.

        With a page, what another search has learned since stays as it is.

        >>> page = engine.search(text="harbour", user="ana", k=10)
        >>> page = engine.react(page, liked=[page.hits[0]])
        >>> undone = engine.undo("ana")
        >>> undone.kind, undone.liked == tuple(page.liked), undone.page.liked
        ('reacted', True, frozenset())
        """
        return self.people.undo(user, page)

    def forget(self, user: str) -> int:
        """Remove a person and everything learned from them, the shared model included.

        When it returns, the name is in no file of the store, and nothing in memory holds them.
        Returns how many feedback events are gone.

        >>> page = engine.search(text="harbour", user="ana", k=10)
        >>> page = engine.react(page, liked=[page.hits[0]])
        >>> engine.forget("ana"), engine.people.list()
        (1, ())
        """
        return self.people.forget(user)

    def replay(self) -> str:
        """Rebuild every model from the log; returns the digest of the models.

        >>> page = engine.search(text="harbour", user="ana", k=10)
        >>> page = engine.react(page, liked=[page.hits[0]])
        >>> engine.replay() == engine.digest
        True
        """
        return self._opened.learning.replay()

    def _tagged(self, fits: Fits, user: str) -> Mapping[str, int]:
        """How many of some rows have each tag."""
        opened, tags = self._opened, self._loop.capability(TagCapability)
        return tags.counts(fits, user, opened.collection(), opened.learning.catch_up())

    def _job_kinds(self) -> dict[str, JobKind]:
        """The long work that this engine can do."""

        def train(watch: Watch) -> Mapping[str, int]:
            return self.configurations.train(watch=watch)

        return kinds(self.library, self.pictures, train)

    def _given_names(self) -> dict[str, GivenNames]:
        """Names that people gave, for whoever looks for words: by the rooms that keep them."""

        def saved(user: str, name: str) -> dict[str, float]:
            session = self.sessions.show(name, user=user)
            return dict.fromkeys((*session.like, *session.liked), 1.0)

        def strongest(user: str, name: str) -> dict[str, float]:
            try:
                order = self.attributes.order(name, user=user, k=NAMED)
            except TooFewAnswers:  # nobody has taught it enough to say anything
                return {}
            return {hit.image_id: hit.place for hit in order}

        return {
            "tag": GivenNames(
                lambda user: self.tags.seen(user),
                lambda user, name: dict.fromkeys(self.tags.images(name, user=user), 1.0),
            ),
            "saved": GivenNames(lambda user: self.sessions.names(user=user), saved),
            "attribute": GivenNames(lambda user: self.attributes.names(user=user), strongest),
        }

    # -- the store -----------------------------------------------------------------------------

    @property
    def path(self) -> Path:
        """Where the store is.

        >>> engine.path.is_dir()
        True
        """
        return self._opened.store.root

    @property
    def recipe(self) -> Recipe:
        """What the store computes and how it learns.

        >>> "embedding" in engine.recipe.descriptors
        True
        """
        return self._opened.recipe

    @property
    def moved(self) -> bool:
        """Whether catalog and log have moved to another database since: open the store anew.

        >>> engine.moved
        False
        """
        return self._opened.store.moved

    @property
    def read_only(self) -> str:
        """Why nothing that is said can be kept: rights, a full disk …; empty where it can.

        >>> engine.read_only
        ''
        """
        return self._opened.store.read_only

    @property
    def digest(self) -> str:
        """Digest of the live models: `replay` gives the same.

        >>> before = engine.digest
        >>> page = engine.search(text="harbour", user="ana", k=10)
        >>> page = engine.react(page, liked=[page.hits[0]])
        >>> engine.digest == before
        False
        """
        return self._opened.learning.catch_up(wait=True).digest()

    def warm(self) -> None:
        """Load kernels, columns and descriptors now, so that the first search is as fast as any.

        >>> engine.warm()
        """
        warm_up(self._opened)
        self._loop.capability(CandidateCapability).warm()

    def close(self) -> None:
        """Keep a snapshot of the models and let go of the store.

        >>> engine.close()  # or `with saccade.open(…) as engine`
        """
        self._opened.close()

    def __len__(self) -> int:
        return len(self._opened.collection())

    def __contains__(self, image_id: object) -> bool:
        return isinstance(image_id, str) and self._opened.collection().find(image_id) >= 0

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
