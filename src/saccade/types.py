"""The nouns: frozen records that cross package borders, and the array types.

Pixels   uint8   [h, w, 3]   RGB as a viewer shows it
Vectors  float32 [n, d]      one descriptor, one row per image
Phi      float32 [n, m]      one row per image, one column per scheme
Scores   float32 [n]         higher is better
Rows     int64   [k]         positions in the collection; never shown to users
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput

Pixels = NDArray[np.uint8]
Vectors = NDArray[np.float32]
Phi = NDArray[np.float32]
Scores = NDArray[np.float32]
Rows = NDArray[np.int64]
Arrays = Mapping[str, NDArray[Any]]


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
class ImageRecord:
    """One image of a collection and every path it was found at."""

    image_id: str
    row: int
    width: int
    height: int
    paths: tuple[str, ...]
    """Every place it was found; the same bytes are one image."""


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
    """How like they are, up to 1: the mean of centred cosines that the neighbour graph links by."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One picture on a page."""

    image_id: str
    path: str
    score: float
    width: int
    height: int
    names: tuple[str, ...] = field(repr=False)
    parts: NDArray[np.float64] = field(repr=False, compare=False)
    inliers: int | None = None
    """Places it shares with the query in one arrangement; empty where that was not checked."""

    @property
    def why(self) -> dict[str, float]:
        """What the score is made of, such as each scheme's share; the parts sum to it.

        What has no part in it is not named: most schemes have no weight until somebody gives it.
        """
        return {self.names[i]: float(self.parts[i]) for i in self.parts.nonzero()[0].tolist()}


@dataclass(frozen=True, slots=True, repr=False)
class Page:
    """A ranked answer: what one user was shown for one query."""

    page_id: str
    """Send it back with feedback."""
    session: str
    """One search and its feedback; a new search is a new session."""
    user: str
    round: int
    hits: tuple[Hit, ...]
    schemes: tuple[str, ...]
    ranker: str
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
    """How far what was called wrong counts, 0 to 1: less where it lies among what was right."""
    dropped: tuple[str, ...] = ()
    """Experts and configurations that failed on this page and were left out."""
    unlogged: str = ""
    """Why the log has not got this page; then it cannot be judged. Empty when it has."""
    configuration: str = ""
    """The retrieval configuration that ranked it, or `vote`; empty for the usual ranking."""
    unconfigured: str = ""
    """Why the usual ranking serves although a configuration was asked for; else empty."""
    explored: bool = False
    """Whether it was tried although another configuration is held to be the best so far."""
    propensity: float = 1.0
    """The chance with which this configuration was chosen."""
    seconds: float = 0.0
    more: Mapping[str, str | float] = field(default_factory=dict)
    """Attributes it has more of than a picture, or than a place from 0 to 1."""
    less: Mapping[str, str | float] = field(default_factory=dict)
    """The same with less."""

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
class State:
    """A model at rest: one JSON-able spec and named arrays. Nothing executable."""

    kind: str
    spec: Mapping[str, Any]
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
    """`exp3-ix`, which knows the loss of what it served, or `hedge`, which knows all."""
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
    """The regret stays below this: on average, or with a chance of 95% for `exp3-ix`."""
    estimated: bool
    """Whether regret is estimated from what was served, since nothing else was seen."""
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
    prepared: int
    """Those whose regions are known."""
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
    regions: int
    """How many; 0 while they are not made."""


@dataclass(frozen=True, slots=True)
class ConceptRanking:
    """The pictures of a concept, the best first; those without regions come last."""

    concept: Concept
    user: str
    images: tuple[RankedImage, ...]
    learned: bool
    """Whether anything was said to be better than anything."""
    features: str
    """What regions are compared by: an embedding's name, or `paper`."""
    method: str
    """mi-online, or mi-softmax where a batch fit was asked for."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class ImageRegion:
    """One part of a picture."""

    number: int
    """0 is the largest."""
    box: tuple[float, float, float, float]
    """Top, left, bottom, right, as shares of the picture."""
    area: float
    """Share of the picture."""
    score: float
    """How good a picture of nothing else would be."""
    relevance: float
    """From 0, the least of this picture's regions, to 1, the most; all 1 before learning."""
    mask: tuple[int, ...]
    """Cells in reading order as runs: so many outside, so many inside, and so on."""


@dataclass(frozen=True, slots=True)
class RegionMap:
    """The regions of a picture, and how much each counts for a concept."""

    image_id: str
    width: int
    height: int
    concept: str
    """Empty where no concept was asked about."""
    side: int
    """Cells of a mask, across and down."""
    regions: tuple[ImageRegion, ...]

    def masks(self) -> NDArray[np.bool_]:
        """Where each region is, [regions, side, side]."""
        flat = [np.repeat(np.arange(len(r.mask)) % 2 == 1, r.mask) for r in self.regions]
        return np.array(flat, np.bool_).reshape(-1, self.side, self.side)

    def each(self) -> NDArray[np.float32]:
        """How much each region counts, 0..1, [regions]."""
        return np.array([region.relevance for region in self.regions], np.float32)

    def relevance(self) -> NDArray[np.float32]:
        """How much each cell counts, 0..1, [side, side]."""
        found = np.tensordot(self.each(), self.masks().astype(np.float32), 1)
        return np.asarray(found, np.float32)


@dataclass(frozen=True, slots=True)
class Prepared:
    """How many of the pictures asked for have their regions."""

    done: int
    total: int
    failed: tuple[Skipped, ...] = ()
    """Pictures without regions for good, and why."""
