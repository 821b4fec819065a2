"""What travels: the JSON of every request and answer, built from the engine's records.

Ids and names are text, scores grow with relevance, times are Unix seconds. A list that can be long
comes as {items, total, offset, limit, next}; `next` is the offset to ask for, null at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Generic, Self, TypeVar

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from saccade import types

UserName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100, pattern=r"^[^/]+$"),
    Field(description="Whose model ranks and learns: 1 to 100 printable characters, no slash."),
]
ImageId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{32}$"),
    Field(description="Hash of the picture's bytes: 32 hexadecimal characters."),
]
PageId = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9a-f]{32}$"),
    Field(description="Which page was shown."),
]
Count = Annotated[int, Field(description="How many pictures the page holds; the engine limits it.")]
Offset = Annotated[int, Query(ge=0, le=2**31, description="How many items to pass over.")]
Limit = Annotated[int, Query(ge=1, le=500, description="How many items to return.")]

Item = TypeVar("Item")


class Closed(BaseModel):
    """A request: unknown fields are refused, so that a misspelt one is noticed."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """An error in one sentence."""

    code: str = Field(description="Short, stable name for programs.")
    message: str = Field(description="What is wrong, naming the thing.")
    hint: str = Field(description="What to do next; may be empty.")


class Listing(BaseModel, Generic[Item]):
    """One part of a long list."""

    items: list[Item]
    total: int
    offset: int
    limit: int
    next: int | None = Field(description="Offset of the next part; null at the end.")

    @classmethod
    def of(cls, items: list[Item], *, total: int, offset: int, limit: int) -> Self:
        """The part that starts at `offset`."""
        end = offset + len(items)
        more = end if items and end < total else None
        return cls(items=items, total=total, offset=offset, limit=limit, next=more)


class SearchRequest(Closed):
    """What to look for: a picture of the collection, or a set of examples with signs."""

    image_id: ImageId | None = None
    like: list[ImageId] = Field(default=[], max_length=100, description="More like these.")
    unlike: list[ImageId] = Field(default=[], max_length=100, description="Less like these.")
    text: str | None = Field(
        default=None, max_length=1000, description="Words, where an encoder for them is installed."
    )
    user: UserName = "guest"
    k: Count = 50
    schemes: list[str] | None = Field(
        default=None, max_length=200, description="Use these schemes only, e.g. `lbp:chi2`."
    )
    ranker: str = Field(
        default="learned",
        max_length=100,
        description=(
            "`learned`, or one of `shared`, `balanced`, `uniform`, `best-scheme` to compare with."
        ),
    )
    verify: int = Field(
        default=0, description="How many of the best results to check by geometry of visual words."
    )


class ShowRequest(Closed):
    """A page again, longer or shorter."""

    page_id: PageId
    k: Count


class FeedbackRequest(Closed):
    """What was right and what was wrong on a page."""

    page_id: PageId
    liked: list[ImageId] = Field(default=[], max_length=1000)
    disliked: list[ImageId] = Field(default=[], max_length=1000)
    k: Count | None = None


class PreferenceRequest(Closed):
    """One picture before another."""

    page_id: PageId
    better: ImageId
    worse: ImageId


class Hit(BaseModel):
    """One picture on a page."""

    image_id: str
    path: str
    score: float
    width: int
    height: int
    why: dict[str, float] = Field(description="Each scheme's part of the score; they sum to it.")
    inliers: int | None = Field(
        description="Places that lie as in the query; null where geometry was not checked."
    )

    @classmethod
    def of(cls, hit: types.Hit) -> Self:
        """The engine's hit as JSON."""
        return cls(
            image_id=hit.image_id,
            path=hit.path,
            score=hit.score,
            width=hit.width,
            height=hit.height,
            why=hit.why,
            inliers=hit.inliers,
        )


class Page(BaseModel):
    """A ranked answer; send its `page_id` back with feedback."""

    page_id: str
    session: str = Field(description="One search and its feedback; a new search is a new session.")
    user: str
    round: int
    hits: list[Hit]
    ranker: str
    model: str = Field(description="The model that made this order.")
    searched: int = Field(description="How many pictures were compared.")
    like: list[str]
    unlike: list[str]
    liked: list[str] = Field(description="Judged right in this session.")
    disliked: list[str] = Field(description="Judged wrong in this session.")
    seconds: float

    @classmethod
    def of(cls, page: types.Page) -> Self:
        """The engine's page as JSON."""
        return cls(
            page_id=page.page_id,
            session=page.session,
            user=page.user,
            round=page.round,
            hits=[Hit.of(hit) for hit in page.hits],
            ranker=page.ranker,
            model=page.model,
            searched=page.searched,
            like=list(page.like),
            unlike=list(page.unlike),
            liked=sorted(page.liked),
            disliked=sorted(page.disliked),
            seconds=page.seconds,
        )


class Image(BaseModel):
    """One picture of the collection."""

    image_id: str
    width: int
    height: int
    paths: list[str] = Field(description="Every place it was found; the same bytes are one image.")

    @classmethod
    def of(cls, record: types.ImageRecord) -> Self:
        """The engine's record as JSON; rows stay inside."""
        return cls(
            image_id=record.image_id,
            width=record.width,
            height=record.height,
            paths=list(record.paths),
        )


class Skipped(BaseModel):
    """A file that was left out, and why."""

    path: str
    reason: str


class Collection(BaseModel):
    """What is indexed, and what was left out."""

    images: int
    descriptors: list[str]
    incomplete: list[str] = Field(description="Descriptors that some picture still lacks.")
    skipped: Listing[Skipped]


class SchemeInfo(BaseModel):
    """One way to compare two pictures."""

    scheme: str
    descriptor: str
    similarity: str
    kind: str = Field(description="How people group it: colour, texture, shape, words, embedding.")
    dimension: int
    bytes_per_image: int
    weight: float = Field(description="Its weight for the user asked about.")


class Weight(BaseModel):
    """A scheme's weight: the shared model's and the person's own part; their sum ranks."""

    shared: float
    own: float


class Profile(BaseModel):
    """What was learned from one person, and whether it pays.

    Learning uses all `pairs`. Of those that were `stated`, `learned_right` were in the right order
    *before* they were learned from, and `plain_right` would have been without any learning: the
    measure of what learning is worth. Ties count half.
    """

    user: str
    events: int
    pairs: int = Field(description="Preferences that followed from the feedback.")
    stated: int = Field(
        description="Those said in so many words: a picture marked right over one marked wrong."
    )
    learned_right: float = Field(description="Stated ones that the ranking served had right.")
    plain_right: float = Field(
        description="Stated ones that no learning had right: kinds of descriptors balanced."
    )
    weights: dict[str, Weight]


class ProfileEvent(BaseModel):
    """One piece of feedback."""

    event: int
    at: float
    kind: str
    session: str
    liked: list[str]
    disliked: list[str]
    pairs: int = Field(description="How many preferences followed from it.")
    undone: bool


class Undone(BaseModel):
    """The feedback that was taken back, and the page as it is without it."""

    event: int
    kind: str
    at: float
    liked: list[str]
    disliked: list[str]
    session: str
    page: Page | None


class Forgotten(BaseModel):
    """How much was removed."""

    user: str
    events: int


class Imported(BaseModel):
    """How much was taken in."""

    user: str
    events: int


class Health(BaseModel):
    """The server answers."""

    status: str
    version: str
    images: int


def part(items: Sequence[Item], offset: int, limit: int) -> Sequence[Item]:
    """The items of one part of a list that is at hand as a whole."""
    return items[offset : offset + limit]
