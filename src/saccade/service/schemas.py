"""What travels: the JSON of every request and answer.

Ids and names are text, scores grow with relevance, times are Unix seconds. A list that can be long
comes as {items, total, offset, limit, next}; `next` is the offset to ask for, null at the end.

A *request* is a class here: a client may send anything, so it is checked. An *answer* is a record
of the engine, spelt once, in `types.py`: to send another one, write its fields there, each with a
sentence below it, and give it one line here,

    Attribute = Annotated[types.Attribute, Wire()]

which a route names as what it returns, alone or as `Listing[Attribute]`, and then returns the
record. `wire.py` says what can be left out, added or replaced on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Generic, Self, TypeVar

from fastapi import Query, Response
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from saccade import types
from saccade.service.wire import Wire, encoded, sent

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


def _named(value: Any) -> Any:
    """A form has `NAME=ID` or `NAME=0.7` where JSON has an object."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return value
    pairs = (one.partition("=") for one in value)
    return {name: than for name, _, than in pairs}


Place = Annotated[float, Field(ge=0.0, le=1.0)]
Than = Annotated[dict[str, ImageId | Place], BeforeValidator(_named)]


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

    def __class_getitem__(cls, item: Any) -> Any:
        """`Listing[Image]`: by the model itself, so that OpenAPI has a short name for the list."""
        return super().__class_getitem__(sent(item))

    @classmethod
    def of(cls, items: Sequence[Item], *, total: int, offset: int, limit: int) -> Self:
        """The part that starts at `offset`, already cut out."""
        end = offset + len(items)
        more = end if items and end < total else None
        return cls(items=list(items), total=total, offset=offset, limit=limit, next=more)

    @classmethod
    def cut(cls, whole: Sequence[Item], offset: int, limit: int) -> Self:
        """One part of a list that is at hand as a whole."""
        items = whole[offset : offset + limit]
        return cls.of(items, total=len(whole), offset=offset, limit=limit)


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
        default="guarded",
        max_length=100,
        description=(
            "`guarded`, all experts as far as they pay; or one to compare with: `plain`, "
            "`learned`, `shared`, `best-scheme`, `uniform`, `spread`, `contrast`, `rocchio`, "
            "`margin`."
        ),
    )
    region: int | None = Field(
        default=None, ge=0, le=10_000, description="Look for this region of `image_id` alone."
    )
    box: list[float] | None = Field(
        default=None,
        min_length=4,
        max_length=4,
        description="Look for this part of the picture alone: top, left, bottom, right in 0..1.",
    )
    verify: int | None = Field(
        default=None,
        description=(
            "How many of the best results to check by geometry of visual words; unless given, "
            "those on the first page whose words stand out."
        ),
    )
    configuration: str | None = Field(
        default=None,
        max_length=100,
        description=(
            "Rank by visual words alone: `auto`, what feedback has found best; `vote`, all "
            "together; or one that `/choosers` names."
        ),
    )
    exploring: float | None = Field(
        default=None,
        description=(
            "Largest chance that `auto` tries another than the best so far, 0 for none; unless "
            "given, what `/choosers` says."
        ),
    )
    more: Than = Field(
        default={}, max_length=20, description="More of an attribute than a picture, or a place."
    )
    less: Than = Field(
        default={}, max_length=20, description="Less of an attribute than a picture, or a place."
    )
    prefer: bool = Field(
        default=False, description="Show what fits `more` and `less` first, and not alone."
    )


class ShowRequest(Closed):
    """A page again, longer or shorter."""

    page_id: PageId
    k: Count
    more: Than | None = Field(
        default=None, description="From now on more of these attributes, as in a search."
    )
    less: Than | None = Field(default=None, description="From now on less of these.")
    prefer: bool = False


class FeedbackRequest(Closed):
    """What was right and what was wrong on a page."""

    page_id: PageId
    liked: list[ImageId] = Field(default=[], max_length=1000)
    disliked: list[ImageId] = Field(default=[], max_length=1000)
    cleared: list[ImageId] = Field(default=[], max_length=1000, description="Marks to take off.")
    k: Count | None = None


class SaveRequest(Closed):
    """A page's session to keep under a name."""

    page_id: PageId
    name: str = Field(min_length=1, max_length=100, description="No slash.")


class AttributeRequest(Closed):
    """A new attribute."""

    name: str = Field(max_length=100, description="None of / : = < >.")
    descriptors: list[str] | None = Field(
        default=None, max_length=50, description="What it goes by; a good choice unless given."
    )


class LabelRequest(Closed):
    """What one picture has of an attribute."""

    image_id: ImageId
    grade: int = Field(strict=True, description="1 has it, -1 has it not, or a whole grade.")
    user: UserName = "guest"


class ComparisonRequest(Closed):
    """Which of two pictures has more of an attribute."""

    more: ImageId
    less: ImageId
    alike: bool = Field(default=False, description="Both have about as much.")
    user: UserName = "guest"


class ClassifyRequest(Closed):
    """Categories described relative to others."""

    described: dict[str, list[str]] = Field(
        max_length=100, description="Category → sentences such as `open: coast > street > forest`."
    )
    seen: dict[str, list[ImageId]] | None = Field(
        default=None, max_length=100, description="Pictures of the others; unless given, folders."
    )
    images: list[ImageId] | None = Field(
        default=None, max_length=10_000, description="Tell these; unless given, all not seen."
    )
    user: UserName = "guest"


class ConceptPreference(Closed):
    """One picture of a concept before another."""

    better: ImageId
    worse: ImageId
    user: UserName = "guest"


class ConceptGrade(Closed):
    """What a picture is worth to a concept."""

    image_id: ImageId
    grade: str = Field(max_length=20, description="good, ok or junk.")
    user: UserName = "guest"


class TagRequest(Closed):
    """Pictures to tag, or to free of a tag."""

    images: list[ImageId] = Field(default=[], max_length=1000)
    without: list[ImageId] = Field(default=[], max_length=1000)
    user: UserName = "guest"


class PrepareRequest(Closed):
    """Whose pictures to cut into regions."""

    concept: str | None = Field(default=None, max_length=220, description="All, unless given.")
    user: UserName = "guest"
    limit: int = Field(default=8, ge=1, le=200, description="How many pictures at most.")


class PreferenceRequest(Closed):
    """One picture before another."""

    page_id: PageId
    better: ImageId
    worse: ImageId
    k: Count | None = None


Hit = Annotated[types.Hit, Wire(hide=("names", "parts"), also=("why",))]
Page = Annotated[types.Page, Wire(hide=("schemes",), hits=list[Hit])]
Image = Annotated[types.ImageRecord, Wire(name="Image", hide=("row",))]
Skipped = Annotated[types.Skipped, Wire()]
LookAlike = Annotated[types.LookAlike, Wire()]
SchemeInfo = Annotated[types.SchemeInfo, Wire()]
ProfileEvent = Annotated[types.ProfileEvent, Wire()]
Undone = Annotated[types.Undone, Wire(page=Page | None)]
SavedSession = Annotated[types.SavedSession, Wire()]
AttributeInfo = Annotated[types.AttributeInfo, Wire()]
AttributeHit = Annotated[types.AttributeHit, Wire()]
AttributeQuestion = Annotated[
    types.AttributeQuestion, Wire(first=AttributeHit, second=AttributeHit | None)
]
Classified = Annotated[types.Classified, Wire()]
Concept = Annotated[types.Concept, Wire()]
RankedImage = Annotated[types.RankedImage, Wire()]
ConceptRanking = Annotated[types.ConceptRanking, Wire(hide=("images",), concept=Concept)]
ImageRegion = Annotated[types.ImageRegion, Wire()]
RegionMap = Annotated[types.RegionMap, Wire(regions=list[ImageRegion])]
Prepared = Annotated[types.Prepared, Wire(failed=list[Skipped])]


def page_of(page: types.Page) -> Response:
    """A page as an answer: most of what is sent, so it is written straight from the record."""
    return Response(encoded(Page, page), media_type="application/json")


class RankedPart(BaseModel):
    """A concept, and one part of its pictures, the best first."""

    ranking: ConceptRanking
    images: Listing[RankedImage]


class ConceptQuestion(BaseModel):
    """Two pictures to compare, or none."""

    images: list[Image]


KeptPages = Annotated[types.KeptPages, Wire()]


class Collection(BaseModel):
    """What is indexed, and what was left out."""

    images: int
    descriptors: tuple[str, ...]
    incomplete: tuple[str, ...] = Field(description="Descriptors that some picture still lacks.")
    resting: dict[str, str] = Field(
        description="Descriptors that cannot be made here, with the reason; their schemes rest."
    )
    lost: int = Field(
        description="Events at the end of the log that were acknowledged and are gone."
    )
    skipped: Listing[Skipped]
    kept: KeptPages


class Weight(BaseModel):
    """A scheme's weight: the shared model's and the person's own part; their sum ranks."""

    shared: float
    own: float

    @model_validator(mode="before")
    @classmethod
    def _of(cls, pair: tuple[float, float]) -> dict[str, float]:
        return dict(zip(cls.model_fields, pair, strict=True))


ExpertStanding = Annotated[types.ExpertStanding, Wire()]
GuardReport = Annotated[types.GuardReport, Wire(experts=list[ExpertStanding])]
Profile = Annotated[
    types.Profile, Wire(hide=("history",), weights=dict[str, Weight], guard=GuardReport)
]


Standing = Annotated[types.ConfigurationStanding, Wire()]
ChooserHistory = Annotated[types.ChooserHistory, Wire()]
Chooser = Annotated[
    types.ChooserReport, Wire(name="Chooser", configurations=list[Standing], history=ChooserHistory)
]
Choosers = Annotated[types.ChoosersReport, Wire(name="Choosers", choosers=list[Chooser])]


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
