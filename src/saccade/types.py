"""The nouns: frozen records that cross package borders, and the array types.

Pixels   uint8   [h, w, 3]   RGB as a viewer shows it
Vectors  float32 [n, d]      one descriptor, one row per image
Phi      float32 [n, m]      one row per image, one column per scheme
Scores   float32 [n]         higher is better
Edges    4 shares            top, left, bottom, right of a box in a picture
Rows     int64   [k]         positions in the collection; never shown to users
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput

Pixels = NDArray[np.uint8]
Vectors = NDArray[np.float32]
Phi = NDArray[np.float32]
Scores = NDArray[np.float32]
Edges = tuple[float, float, float, float]
Rows = NDArray[np.int64]
Array = NDArray[Any]
"""An array of any kind of number."""
Arrays = Mapping[str, Array]
Numbers = Sequence[float] | NDArray[np.floating[Any]]
"""A vector as somebody sends it."""
Spec = Mapping[str, Any]
"""What JSON holds, read by the code that wrote it: only that code knows what it is."""
FieldValue = float | str | bool
"""What a field of a picture holds."""
Encoded = tuple[dict[str, Any], dict[str, Array]]
"""A body for JSON and named arrays: what the log keeps of an event, a snapshot of a fold."""


@dataclass(frozen=True, slots=True, order=True)
class Scheme:
    """One way to compare two images: a descriptor and a similarity.

    >>> Scheme.parse("gist:cosine")
    Scheme(descriptor='gist', similarity='cosine')
    >>> str(Scheme.parse("gist:cosine"))
    'gist:cosine'
    """

    descriptor: str
    similarity: str

    @classmethod
    def parse(cls, text: str) -> Scheme:
        """Read ``descriptor:similarity``; the last colon divides, since a path may hold others."""
        descriptor, colon, similarity = text.rpartition(":")
        if not (descriptor and colon and similarity):
            raise InvalidInput(
                f"scheme {text!r}: expected 'descriptor:similarity', for instance 'lbp:chi2'"
            )
        return cls(descriptor, similarity)

    def __str__(self) -> str:
        return f"{self.descriptor}:{self.similarity}"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was left out, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class AddReport:
    """What one `add` did.

    `added` counts new images; `known` files that were there already at this path; `duplicates` new
    paths of images that have another one; `moved` new paths of images whose old path is gone.
    `problems` are images that were added although one of their descriptors could not be computed.
    """

    added: int = 0
    known: int = 0
    duplicates: int = 0
    moved: int = 0
    vanished: tuple[str, ...] = ()
    pruned: int = 0
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[Skipped, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Origin:
    """When and with what a picture was taken, as far as it says.

    >>> Origin(taken="2019-05-01T12:34:56").camera
    ''
    """

    taken: str = ""
    """Local time, `2019-05-01T12:34:56`; empty where it does not say."""
    camera: str = ""
    """Maker and model; empty where it does not say."""


UNKNOWN_ORIGIN = Origin()


@dataclass(frozen=True, slots=True)
class ImageRecord:
    """One image of a collection and every path it was found at."""

    image_id: str
    row: int
    width: int
    height: int
    paths: tuple[str, ...]
    """Every place it was found; the same bytes are one image."""
    taken: str = ""
    """When its camera took it, local time, `2019-05-01T12:34:56`; empty where it does not say."""
    camera: str = ""
    """What it was taken with; empty where it does not say."""
    external_id: str = ""
    """An id that somebody else knows it by; empty where nobody gave one."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What somebody else says of it: numbers, texts and flags by name."""
    stack: str = ""
    """In a listing that stacks: the first of its near-duplicates there; empty where it has none."""


@dataclass(frozen=True, slots=True)
class SentPicture:
    """What became of a picture that was sent in under an id of somebody's."""

    external_id: str
    image_id: str
    """Its own id; empty where it goes."""
    searchable: bool
    """Whether the collection has it now, under this id."""
    job: Job | None
    """The job that takes it in or out; none where nothing is to be done."""


@dataclass(frozen=True, slots=True)
class SentPictures:
    """What became of several pictures that were sent in."""

    pictures: tuple[SentPicture, ...]
    """In the order they were sent; none of them names the job by itself."""
    job: Job | None
    """The job that takes them in or out; none where nothing is to be done."""


@dataclass(frozen=True, slots=True)
class Duplicates:
    """One picture at several places, or several that are nearly the same."""

    images: tuple[ImageRecord, ...]
    """The largest first."""
    same: bool = False
    """Whether it is one picture, bit for bit, at several paths."""


@dataclass(frozen=True, slots=True)
class StoreSize:
    """Bytes that a store takes on disk; the pictures themselves are elsewhere.

    >>> StoreSize(catalog=100, columns=800, thumbnails=90, uploads=10).total
    1000
    """

    catalog: int
    """What is indexed, and everything that was said."""
    columns: int
    """What pictures are compared by."""
    thumbnails: int
    uploads: int
    """Pictures that people brought to search with."""

    @property
    def total(self) -> int:
        """All of it."""
        return self.catalog + self.columns + self.thumbnails + self.uploads


@dataclass(frozen=True, slots=True)
class Upload:
    """A picture that somebody brought to search with."""

    image_id: str
    """Search with it by this name, as with a picture of the collection."""
    bytes: int
    known: bool = False
    """Whether it is a picture of the collection, so that it need not be kept."""


@dataclass(frozen=True, slots=True)
class FieldsReport:
    """What came of a file of fields."""

    images: int
    """Pictures that got some."""
    fields: tuple[str, ...]
    """Every field there is now."""
    missed: tuple[Skipped, ...]
    """Lines about no picture of the collection."""


@dataclass(frozen=True, slots=True)
class Job:
    """Long work: what was asked for, how far it is, how it ended."""

    job_id: str
    kind: str
    """index, reindex, backup …"""
    spec: Mapping[str, Any]
    """The words it was asked for with."""
    state: str
    """waiting, running, done, failed, cancelled or interrupted."""
    stage: str
    """What it does now, in a word; empty before it begins."""
    done: int
    total: int
    """How many there are to do in this stage; 0 while unknown."""
    seconds_left: float | None
    """In this stage, at the pace so far; null while unknown."""
    asked: float
    began: float | None
    ended: float | None
    resumed: int
    """How often its process ended before it was done, and another went on."""
    cancelled: bool
    """Whether somebody asked it to end."""
    message: str
    """Why it failed or was interrupted; empty otherwise."""
    result: Mapping[str, Any]
    """What came of it."""


@dataclass(frozen=True, slots=True)
class TagInfo:
    """A tag as one person sees it."""

    tag: str
    images: int
    """Pictures that have it for this person."""
    own: int
    """Those that they gave it to themselves."""
    people: int
    """How many people gave it."""


@dataclass(frozen=True, slots=True)
class FolderCount:
    """A folder, and how many pictures lie in it or deeper."""

    folder: str
    """Its path below the folder that holds all pictures, as `where` takes it."""
    count: int


@dataclass(frozen=True, slots=True)
class MonthCount:
    """A month, and how many pictures were taken in it."""

    month: str
    """`2019-05`."""
    count: int


@dataclass(frozen=True, slots=True)
class CameraCount:
    """A camera, and how many pictures were taken with it."""

    camera: str
    count: int


@dataclass(frozen=True, slots=True)
class ShapeCount:
    """A shape, and how many pictures have it."""

    shape: str
    """wide, tall, square or panorama."""
    count: int


@dataclass(frozen=True, slots=True)
class TagCount:
    """A tag, and how many pictures have it."""

    tag: str
    count: int


@dataclass(frozen=True, slots=True)
class Facets:
    """What some pictures can be narrowed by, each with how many of them would be left."""

    images: int
    """How many pictures they are."""
    folders: tuple[FolderCount, ...]
    """By path; those within one another count the same pictures."""
    months: tuple[MonthCount, ...]
    """The first first."""
    cameras: tuple[CameraCount, ...]
    """The most used first."""
    shapes: tuple[ShapeCount, ...]
    """The most frequent first."""
    tags: tuple[TagCount, ...]
    """The most frequent first."""


@dataclass(frozen=True, slots=True, eq=False)
class WordBags:
    """The visual words of a collection: distinct ones and counts of each row, rarity of each."""

    bags: tuple[tuple[NDArray[np.int32], NDArray[np.int32]], ...]
    idf: NDArray[np.float64]  # [vocabulary]


@dataclass(frozen=True, slots=True)
class LookAlike:
    """An image of the collection that is much like another one."""

    image_id: str
    path: str
    width: int
    height: int
    similarity: float
    """How like they are, up to 1: the mean of centred cosines that the neighbour graph links by; 0
    where only marks link them."""
    linked: float
    """How like they would have to be for the link they have, with what was marked."""
    evidence: float = 0.0
    """What marks say of the two: belong together above 0, do not below; 0 where nothing is said."""
    sessions: int = 0
    """Searches of the person asked about that spoke of both."""
    days: int = 0
    """On how many days those were."""
    people: int = 0
    """How many others spoke of both, where that is more than one."""


@dataclass(frozen=True, slots=True)
class MapLink:
    """A link of a small map; pictures by their places in it, the middle is 0."""

    first: int
    second: int
    similarity: float
    """By the neighbour graph; 0 where only marks link them."""
    linked: float
    """With what was marked."""
    evidence: float
    """What marks say of the two; 0 where nothing is said."""


@dataclass(frozen=True, slots=True)
class NeighbourMap:
    """A picture, those around it, and the links among them."""

    middle: LookAlike
    around: tuple[LookAlike, ...]
    """At places 1, 2, …; the strongest link first, then what was cut off."""
    links: tuple[MapLink, ...]


@dataclass(frozen=True, slots=True)
class Together:
    """What a person marked right together with a picture."""

    image_id: str
    sessions: int
    """Searches in which it was looked for or marked right."""
    days: int
    """On how many days those were."""
    images: tuple[str, ...]
    """What was right beside it, by the number of searches; the first few."""


@dataclass(frozen=True, slots=True)
class TaughtSearch:
    """One search of a person whose marks are remembered."""

    session: str
    at: float
    """When it was last spoken of."""
    word: str
    """The words that were looked for; empty where only pictures were."""
    asked: tuple[str, ...]
    """The pictures that were looked for."""
    liked: tuple[str, ...]
    disliked: tuple[str, ...]
    saved: bool
    """Whether it is saved under a name."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One picture on a page.

    >>> hit = engine.search(text="harbour", k=3).hits[0]
    >>> hit.width, hit.height, abs(sum(hit.why.values()) - hit.score) < 1e-6
    (160, 120, True)
    """

    image_id: str
    path: str
    score: float
    width: int
    height: int
    names: tuple[str, ...] = field(repr=False)
    parts: NDArray[np.float64] = field(repr=False, compare=False)
    inliers: int | None = None
    """Places it shares with the query in one arrangement; empty where that was not checked."""
    match: Edges | None = None
    """Where a part that was looked for is in it, about; empty where none was."""
    stack: str = ""
    """The first picture on the page that it is nearly the same as, perhaps itself; empty where none
    other on the page is."""

    @property
    def why(self) -> dict[str, float]:
        """What the score is made of, such as each scheme's share; the parts sum to it.

        What has no part in it is not named: most schemes have no weight until somebody gives it.
        """
        return {self.names[i]: float(self.parts[i]) for i in self.parts.nonzero()[0].tolist()}


@dataclass(frozen=True, slots=True)
class ReadTerm:
    """One word or phrase of a text, and how it was understood."""

    text: str
    """As it was typed."""
    word: str
    """As the lexicon has it."""
    wanted: bool = True
    """False after a minus."""
    how: str = ""
    """`kinds`: it names kinds of things; `near`: some are near it; `colour`; `name`: somebody gave
    it; empty: it means nothing here."""
    colour: str = ""
    kinds: tuple[str, ...] = ()
    """The first of the kinds that it names or is near."""
    count: int = 0
    """How many kinds those are in all."""
    mended: bool = False
    """Whether a slip of the pen was mended."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What a person may be about to type."""

    text: str
    sort: str
    """`kind`, `folder`, `taught`, `tag`, `saved` or `attribute`."""
    count: int | None = None
    """Pictures that are probably of a kind or lie in a folder; marks that taught a word."""


@dataclass(frozen=True, slots=True)
class PictureWord:
    """A word for what a picture shows."""

    word: str
    probability: float
    kind: bool
    """Whether it is one of the thousand kinds, or what several of them are."""


@dataclass(frozen=True, slots=True)
class TaughtWord:
    """A word that somebody taught: the pictures they marked for it."""

    word: str
    liked: tuple[str, ...]
    disliked: tuple[str, ...]
    sessions: int
    """Searches in which it was taught."""


@dataclass(frozen=True, slots=True, repr=False)
class Page:
    """A ranked answer: what one user was shown for one query.

    >>> page = engine.search(text="harbour", user="ana", k=3)
    >>> len(page), page.user, page.text, [hit.score >= page.hits[-1].score for hit in page.hits]
    (3, 'ana', 'harbour', [True, True, True])
    """

    page_id: str
    """Send it back with feedback."""
    session: str
    """One search and its feedback; a new search is a new session."""
    user: str
    round: int
    hits: tuple[Hit, ...]
    schemes: tuple[str, ...]
    expert: str
    """What ranked it: `guarded`, or the one that was asked for."""
    model: str
    """The model that made this order."""
    searched: int
    """How many pictures were compared."""
    like: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()
    liked: frozenset[str] = frozenset()
    """Judged right in this session."""
    disliked: frozenset[str] = frozenset()
    """Judged wrong in this session."""
    preferred: tuple[tuple[str, str], ...] = ()
    """Pictures compared in this session, the better first; the newest last."""
    leading: str = ""
    """The expert with the largest say in this order."""
    believed: float = 1.0
    """How far what was called wrong counts, 0 to 1: less where it lies among what is looked for."""
    dropped: tuple[str, ...] = ()
    """Experts and configurations that failed on this page and were left out."""
    unlogged: str = ""
    """Why the log has not got this page; then it cannot be judged. Empty when it has."""
    missing: int = 0
    """Pictures it is without: whoever keeps them is being restarted, and a later page has them."""
    configuration: str = ""
    """The retrieval configuration that ranked it, or `vote`; empty for the usual ranking."""
    unconfigured: str = ""
    """Why the usual ranking serves although a configuration was asked for; else empty."""
    explored: bool = False
    """Whether it was tried although another configuration is held to be the best so far."""
    propensity: float = 1.0
    """The chance with which this configuration was chosen."""
    seconds: float = 0.0
    where: tuple[Mapping[str, Any], ...] = ()
    """What narrows it, each as a search takes it: `{"more": {"natural": 0.5}, "prefer": true}`."""
    text: str = ""
    """What was asked for in words."""
    terms: tuple[ReadTerm, ...] = ()
    """How its words were understood."""
    unknown: tuple[str, ...] = ()
    """Words that mean nothing here yet; what is marked on the page teaches them."""
    offered: tuple[str, ...] = ()
    """Known words that are spelled almost like unknown ones."""
    taught: int = 0
    """Marks that the person made for this word, then and now."""

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __repr__(self) -> str:
        best = f", best {self.hits[0].image_id[:8]} {self.hits[0].score:.3f}" if self.hits else ""
        return (
            f"<Page {self.page_id[:8]}: {len(self)} of {self.searched}, round {self.round}{best}>"
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that another engine found, to be re-ranked: a name, numbers, named vectors.

    >>> Candidate("sku-1", features={"bm25": 7.1}).features["bm25"]
    7.1
    """

    id: str = ""
    """The caller's own name for it; that of a picture of the collection may be left out."""
    image_id: str = ""
    """Of a picture of the collection, where it is one: its own, or the one that it was given."""
    features: Mapping[str, float] = field(default_factory=dict)
    """Numbers by name: a score, a price; what is not known is left out."""
    vectors: Mapping[str, Numbers] = field(default_factory=dict)
    """By the name of what made them; all of a name are of one length."""


@dataclass(frozen=True, slots=True)
class CandidateHit:
    """One candidate on a page."""

    id: str
    score: float
    """Standard deviations above the mean of the list, about."""
    given: int
    """The place it came in, from 0."""
    names: tuple[str, ...] = field(default=(), repr=False)
    parts: NDArray[np.float64] = field(
        default_factory=lambda: np.zeros(0), repr=False, compare=False
    )

    @property
    def why(self) -> dict[str, float]:
        """What the score is made of, where that was asked for; the parts sum to it."""
        if not self.names:
            return {}
        return {self.names[i]: float(self.parts[i]) for i in self.parts.nonzero()[0].tolist()}


@dataclass(frozen=True, slots=True, repr=False)
class CandidatePage:
    """Candidates in order: what one person was served for one list.

    >>> found = [Candidate("a", features={"bm25": 7.1}), Candidate("b", features={"bm25": 3.0})]
    >>> page = engine.candidates.rerank(found, text="red shoes", explain=True)
    >>> page.ranked, page.hits[0].given, sorted(page.hits[0].why)
    (2, 0, ['(order given)'])
    """

    page_id: str
    """Send it back with feedback."""
    session: str
    """One list and its feedback."""
    user: str
    round: int
    text: str
    """What was asked for in words, without case."""
    hits: tuple[CandidateHit, ...]
    ranked: int
    """How many candidates were ranked."""
    model: str
    """The model that made this order."""
    leading: str
    """The expert with the largest say in this order; `plain`: the order given."""
    liked: frozenset[str] = frozenset()
    """Judged right in this session."""
    disliked: frozenset[str] = frozenset()
    """Judged wrong in this session."""
    unlogged: str = ""
    """Why the log has not got this page; then it cannot be judged. Empty when it has."""
    seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.hits)

    def __iter__(self) -> Iterator[CandidateHit]:
        return iter(self.hits)

    def __repr__(self) -> str:
        best = f", best {self.hits[0].id!r}" if self.hits else ""
        return f"<CandidatePage {self.page_id[:8]}: {len(self)} of {self.ranked}{best}>"


@dataclass(frozen=True, slots=True)
class TakenEvents:
    """What became of a batch of events."""

    taken: int
    """Events that were kept."""
    repeated: int
    """Events that had been taken before: their keys, or their pages, are known."""
    waiting: int
    """Of those taken, events whose page was not told of yet: they count once it is."""
    outdated: int
    """Events that say nothing any more: something newer was said, or they do not fit the page."""


ROLES = ("viewer", "teacher", "curator", "owner")
"""What a token lets somebody do, each more than the one before."""


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """What is known of a key to a server; the key itself is not."""

    token_id: str
    """Its short name, which is no secret."""
    user: str
    """Who comes in by it."""
    role: str
    """viewer, teacher, curator or owner."""
    created: float
    """Unix seconds."""
    expires: float | None
    """When it opens no more; null where it always does."""


@dataclass(frozen=True, slots=True)
class State:
    """A model at rest: one JSON-able spec and named arrays. Nothing executable."""

    kind: str
    spec: Spec
    arrays: Arrays


@dataclass(frozen=True, slots=True)
class SavedSession:
    """A search under a name: its query, and what was marked in it, then and since."""

    name: str
    user: str
    session: str
    page_id: str
    """The page it was saved from."""
    at: float
    """When it was saved."""
    like: tuple[str, ...]
    unlike: tuple[str, ...]
    liked: tuple[str, ...]
    """Marked right in it, up to now."""
    disliked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AttributeInfo:
    """A named direction, and how far it is taught, for one person."""

    name: str
    descriptors: tuple[str, ...]
    answers: int
    """What this person said about it."""
    points: int
    """Of those, pictures that have it or have it not."""
    pairs: int
    """Of those, comparisons."""
    others: int
    """What others said."""
    people: int
    """How many people taught it."""
    needs: int
    """Answers still wanted before its order is worth much; 0 when there are enough."""
    ready: bool
    """Whether it orders pictures at all."""
    smooth: bool
    """Whether pictures are scored together with their like along the neighbour graph."""
    sure: float | None = None
    """How likely the order of two random pictures is right, by its own reckoning, from 0.5."""


@dataclass(frozen=True, slots=True)
class AttributeHit:
    """A picture in the order of an attribute."""

    image_id: str
    path: str
    width: int
    height: int
    score: float
    place: float
    """Share of the collection that has less of it: 0 has least, 1 has most."""
    said: int | None = None
    """What this person said of it: 1 has it, -1 has it not, or a grade."""
    compared: bool = False
    """Whether this person compared it with another."""


@dataclass(frozen=True, slots=True)
class AttributeQuestion:
    """What to ask next: two pictures to compare, or one to label."""

    attribute: str
    first: AttributeHit
    second: AttributeHit | None
    """The other picture of a pair."""
    bits: float
    """What the answer is expected to tell; a coin's toss has 1."""


@dataclass(frozen=True, slots=True)
class Classified:
    """A picture with the category under which its attributes are most likely."""

    image_id: str
    path: str
    category: str
    share: float
    """The category's share of the likelihood over all categories."""


@dataclass(frozen=True, slots=True)
class Undone:
    """The feedback that was taken back, and the page of its session as it ranks now."""

    event: int
    kind: str
    at: float
    liked: tuple[str, ...]
    disliked: tuple[str, ...]
    cleared: tuple[str, ...]
    """Marks that had been taken off: they are back."""
    session: str
    page: Page | None = None


@dataclass(frozen=True, slots=True)
class ProfileEvent:
    """One line of a user's history."""

    event: int
    at: float
    kind: str
    session: str
    liked: tuple[str, ...]
    disliked: tuple[str, ...]
    cleared: tuple[str, ...]
    """Marks taken off."""
    pairs: int
    """How many preferences followed from it."""
    undone: bool
    attribute: str = ""
    """The attribute it was about, if any."""


@dataclass(frozen=True, slots=True)
class ExpertStanding:
    """How one expert has fared: a loss is the share of pairs it had in the wrong order."""

    expert: str
    events: int
    """Events it was there for."""
    loss: float
    """Mean over those events, each before anything was learned from it."""
    weight: float
    """Its share of what is served now, over the stages of past sessions."""
    margin: float
    """How much less than no learning it lost in an event, on average."""
    deviation: float
    """Standard error of the margin."""


@dataclass(frozen=True, slots=True)
class GuardReport:
    """Whether learning pays: what was served against no learning, by stated comparisons."""

    events: int
    """Events in which something marked right could be compared with something marked wrong."""
    served: float
    """Mean share of wrong pairs by the ranking served."""
    plain: float
    """The same without any learning."""
    margin: float
    """How much less the ranking served lost in an event, on average."""
    deviation: float
    """Standard error of the margin."""
    pays: bool
    """Whether the margin is beyond doubt: two standard errors, over five events at least."""
    trusted: bool
    """Whether what is learned is served; where it lost too much, no learning is served."""
    experts: tuple[ExpertStanding, ...] = ()


@dataclass(frozen=True, slots=True)
class LearningPoint:
    """What learning was worth when something was said, before anything was learned from it."""

    at: float
    served: float
    """Share of the pairs, right against wrong, that the ranking served had in the right order."""
    plain: float
    """The same without any learning."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One user's learned state: shared model + personal part, and whether learning pays.

    `stated` preferences are those said in so many words, not read into the order of a page;
    `learned_right` and `plain_right` count those ordered rightly, each before it was learned from,
    by the ranking served and by the ranking without learning.
    """

    user: str
    events: int
    pairs: int
    """Preferences that followed from the feedback: learning uses all of them."""
    stated: int
    """Those said in so many words: a picture marked right over one marked wrong."""
    learned_right: float
    """Stated ones that the ranking served had right, before it learned; ties count half."""
    plain_right: float
    """Stated ones that no learning had right: the start of a new collection."""
    weights: Mapping[str, tuple[float, float]]  # scheme -> (shared, own)
    guard: GuardReport
    """What each expert's word was worth, and whether learning pays."""
    taught: int = 0
    """Searches whose marks are remembered; what that is worth stands beside `remembered` above."""
    history: tuple[ProfileEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class SchemeInfo:
    """One scheme of a collection: what it compares, what it costs, what it counts for."""

    scheme: str
    descriptor: str
    similarity: str
    kind: str
    """How people group it: colour, texture, shape, words, embedding."""
    dimension: int
    bytes_per_image: int
    weight: float
    """Its weight for the user asked about."""


@dataclass(frozen=True, slots=True)
class CollectionReport:
    """What a store holds."""

    images: int
    descriptors: tuple[str, ...]
    incomplete: tuple[str, ...]
    resting: Mapping[str, str]
    """Descriptors that cannot be made on this machine, with the reason."""
    lost: int
    """Events at the log's end that were acknowledged and are gone; nobody has accepted it yet."""
    skipped: int
    events: Mapping[str, int]
    users: tuple[str, ...]
    guard: GuardReport
    """Of everybody."""
    dropped: Mapping[str, int]
    """How often each expert failed and was left out, since the store was opened."""
    unlogged: int = 0
    """Pages shown since then that could not be logged."""
    read_only: str = ""
    """Why nothing that is said can be kept; empty where it can."""


@dataclass(frozen=True, slots=True)
class KeptPages:
    """Pages that the log keeps though nobody reacted to them yet."""

    pages: int
    size: int
    """Bytes they take, about."""
    days: float
    """How long they are kept."""
    megabytes: float
    """How much of them is kept."""
    unlogged: int
    """Pages shown since the store was opened that could not be logged."""


@dataclass(frozen=True, slots=True)
class ConfigurationStanding:
    """How one retrieval configuration has fared with a chooser."""

    name: str
    """Vocabulary, weighting, normalisation and distance: `akm-large:binary,l1,l1`."""
    weight: float
    """The chance that it is picked, or its share of the vote; they sum to 1."""
    rounds: int
    """Reactions that it is known by."""
    loss: float | None
    """Its mean loss in them, 0 (best) to 1; empty while there is none."""


@dataclass(frozen=True, slots=True)
class ChooserHistory:
    """How a chooser went, at evenly spread moments."""

    rounds: tuple[int, ...]
    """After how many reactions each moment was."""
    weights: tuple[tuple[float, ...], ...]
    """The weight of each configuration at each moment."""
    regret: tuple[float, ...]
    """What had been lost by then beyond the best single configuration."""


@dataclass(frozen=True, slots=True)
class ChooserReport:
    """What one chooser has learned from reactions."""

    chooser: str
    """`hedge`: it knows what every configuration would have lost."""
    serves: str
    """The `configuration` to search with: `auto` or `vote`."""
    rounds: int
    """Searches whose first reaction taught it."""
    loss: float | None
    """Mean loss of what it served; empty before any reaction."""
    best: str
    """The configuration that has lost least so far; empty before any reaction."""
    regret: float
    """What was served lost that much more, in all, than the best single configuration."""
    bound: float
    """The regret stays below this, whatever people mark."""
    excess: float
    """What was served lost that much more, in all, than the usual ranking would have."""
    allowed: float
    """From this excess on the usual ranking is served alone."""
    configurations: tuple[ConfigurationStanding, ...]
    history: ChooserHistory


@dataclass(frozen=True, slots=True)
class ChoosersReport:
    """What a collection can be ranked by, and what is known about it."""

    vocabularies: Mapping[str, int]
    """Words of each vocabulary."""
    configurations: tuple[str, ...]
    """Names to search with, beside `auto` and `vote`."""
    exploring: float
    """The largest chance that `auto` tries one that is not held to be the best."""
    choosers: tuple[ChooserReport, ...]
    dropped: Mapping[str, int]
    """How often each configuration failed and was left out, since the store was opened."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a check-up of a store found. `rebuildable` ones are repaired on request."""

    place: str
    problem: str
    remedy: str
    rebuildable: bool = True
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Concept:
    """A keyword: a folder's name, a tag or a saved search, and what somebody said about it."""

    name: str
    """What to call it by: `folder:elephants`, `tag:sunset`, `saved:harbours`."""
    kind: str
    """folder, tag or saved."""
    title: str
    """The name without its kind."""
    images: int
    """Pictures it has now."""
    preferences: int
    """How often somebody said that one picture is better than another."""
    graded: int
    """Pictures called good, ok or junk."""


@dataclass(frozen=True, slots=True)
class RankedImage:
    """A picture of a concept in its learned order."""

    image_id: str
    path: str
    width: int
    height: int
    score: float
    """Grows with how good it is; 0 before anything was said."""
    grade: str
    """good, ok or junk, where it was graded; else empty."""


@dataclass(frozen=True, slots=True)
class ConceptRanking:
    """The pictures of a concept, the best first."""

    concept: Concept
    user: str
    images: tuple[RankedImage, ...]
    learned: bool
    """Whether anything was said to be better than anything."""
    features: str
    """What pictures are seen as: positions of the encoder's map, regions, or wholes."""
    method: str
    """mi-online, or mi-softmax where a batch fit was asked for."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Glow:
    """What of a picture counts, as a soft map over it."""

    image_id: str
    about: str
    """What it counts for: a concept, an attribute, a word, this search."""
    values: NDArray[np.float32] = field(repr=False)
    """From 0, what counts least in this picture, to 1, [h, w]; all 0 where nothing stands out."""
    trusted: bool
    """Whether what glows scores higher by itself than the picture without it."""
    brightest: Edges
    """The box around what glows most."""
