"""What travels: the JSON of every request and answer.

Ids and names are text, scores grow with relevance, times are Unix seconds. A list that can be long
comes as {items, total, offset, limit, next}; `next` is the offset to ask for, null at the end.

A *request* is a class here, or read off a record of the engine (`asked.py`): a client may send
anything, so it is checked. An *answer* is a record
of the engine, spelt once, in `types.py`: to send another one, write its fields there, each with a
sentence below it, and give it one line here,

    Attribute = Annotated[types.Attribute, Wire()]

which a route names as what it returns, alone or as `Listing[Attribute]`, and then returns the
record. `wire.py` says what can be left out, added or replaced on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

import numpy as np
from fastapi import Query, Response
from pydantic import (
    AfterValidator,
    Base64Bytes,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from saccade import types
from saccade.service.askers import acting_as
from saccade.service.places import hidden, shown, shown_all
from saccade.service.wire import Told, Wire, encoded, sent

UserName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100, pattern=r"^[^/]+$"),
    AfterValidator(acting_as),
    Field(
        description="Whose model ranks and learns: 1 to 100 printable characters, no slash.",
        validate_default=True,  # unless it is given, it is whoever asks
    ),
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
MarkedId = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200),
    Field(description="Of a picture, or of a candidate as it was sent."),
]
AnyId = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Number = Annotated[float, Field(strict=True)]
Count = Annotated[int, Field(description="How many pictures the page holds; the engine limits it.")]
Offset = Annotated[int, Query(ge=0, le=2**31, description="How many items to pass over.")]
Limit = Annotated[int, Query(ge=1, le=500, description="How many items to return.")]

Explain = Annotated[
    bool, Query(description="Whether each picture says what its score is made of, in `why`.")
]

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

    def __class_getitem__(cls, item: object) -> Any:
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


class FeedbackRequest(Closed):
    """What was right and what was wrong on a page: pictures, or candidates by their ids."""

    page_id: PageId
    liked: list[MarkedId] = Field(default=[], max_length=1000)
    disliked: list[MarkedId] = Field(default=[], max_length=1000)
    cleared: list[MarkedId] = Field(default=[], max_length=1000, description="Marks to take off.")
    k: Count | None = None


class CandidateBody(Closed):
    """Something that another engine found."""

    id: str = Field(
        default="",
        max_length=200,
        description="Your own name for it; it may be left out where `image_id` is given.",
        examples=["sku-1"],
    )
    image_id: AnyId | None = Field(
        default=None,
        description="Of a picture of the collection, where it is one: its id, or the one you gave "
        "it. An `id` without features and vectors is looked up likewise.",
    )
    features: dict[str, Number] = Field(
        default_factory=dict,
        max_length=1000,
        description="Numbers by name; what is not known is left out.",
        examples=[{"bm25": 7.1, "price": 12}],
    )
    vectors: dict[str, list[Number]] = Field(
        default_factory=dict, max_length=8, description="By name; all of a name are of one length."
    )


class CandidateQuery(Closed):
    """What was asked for: words, a picture, vectors, several of them or nothing."""

    text: str | None = Field(
        default=None,
        max_length=200,
        description="What is taught on the page counts most for this text.",
        examples=["red shoes"],
    )
    image_id: AnyId | None = Field(
        default=None, description="A picture of the collection: its id, or the one you gave it."
    )
    image: Base64Bytes | None = Field(
        default=None, description="Another picture: the bytes of its file in Base64."
    )
    vectors: dict[str, list[Number]] = Field(
        default_factory=dict,
        max_length=8,
        description="By the names that candidates' vectors have.",
    )


class RerankRequest(Closed):
    """Candidates to rank, in the order of the engine that found them."""

    candidates: list[CandidateBody] = Field(min_length=1, max_length=5000)
    query: CandidateQuery = CandidateQuery()
    user: UserName = "guest"
    k: int | None = Field(
        default=None, ge=1, le=5000, description="How many come back; all unless given."
    )
    explain: bool = Field(default=False, description="Whether each says what its score is of.")


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


ServerPath = Annotated[str, StringConstraints(max_length=4000, pattern=r"^(/|~|[A-Za-z]:[/\\])")]


class JobRequest(Closed):
    """Long work to be done behind."""

    kind: Literal[
        "index",
        "reindex",
        "remove",
        "recipe",
        "regions",
        "configurations",
        "backup",
        "move",
        "study",
    ]
    folder: ServerPath = Field(default="", description="A folder's whole path on the server.")
    prune: bool = Field(default=False, description="Drop images whose files are gone.")
    recipe: str = Field(default="", min_length=1, max_length=4000, examples=["+gist-color"])
    place: ServerPath = Field(
        default="", description="Where a copy, or a study's results, go on the server."
    )
    to: str = Field(
        default="",
        min_length=1,
        max_length=4000,
        description="A database without its password, or sqlite.",
        examples=["postgresql://ana@db/photos"],
    )
    study: str = Field(default="", min_length=1, max_length=100, examples=["wan2015"])
    data: list[Annotated[str, StringConstraints(max_length=4000)]] = Field(
        default=[], max_length=100, description="Labelled sets of a study, NAME=FOLDER each."
    )
    quick: bool = Field(default=False, description="Less of everything in a study.")


GivenFields = Annotated[
    dict[
        Annotated[str, StringConstraints(min_length=1, max_length=100)],
        bool | float | Annotated[str, StringConstraints(max_length=1000)] | None,
    ],
    Field(max_length=64, description="Numbers, texts and flags by name."),
]


class FieldsRequest(Closed):
    """What somebody else knows of a picture."""

    external_id: str | None = Field(
        default=None, min_length=1, max_length=200, description="An id of yours; no slash."
    )
    fields: GivenFields = {}


class PictureByPath(Closed):
    """A picture that lies on the server's disk."""

    path: str = Field(
        min_length=1,
        max_length=4000,
        description="Below a folder of the collection, or one that the server was given.",
        examples=["shoes/1.jpg"],
    )
    fields: GivenFields = {}


class PictureLineRequest(Closed):
    """One picture of a batch: its bytes, or its path on the server; or it is to go."""

    external_id: str = Field(min_length=1, max_length=200, description="An id of yours; no slash.")
    image: Base64Bytes | None = Field(default=None, description="The bytes of its file in Base64.")
    path: str | None = Field(default=None, min_length=1, max_length=4000)
    remove: bool = Field(default=False, description="Take it out.")
    fields: GivenFields = {}

    @model_validator(mode="after")
    def _one(self) -> Self:
        if (self.image is not None) + (self.path is not None) + self.remove != 1:
            raise ValueError("a picture has an image, a path, or remove: one of them")
        return self


class PreferenceRequest(Closed):
    """One picture before another."""

    page_id: PageId
    better: ImageId
    worse: ImageId
    k: Count | None = None


ShownPath = Annotated[str, Told(shown)]
"""A path on the server's disk; whole for its owner alone, for others as far as it is theirs."""
ShownText = Annotated[str, Told(hidden)]
"""A sentence that may name one."""

Hit = Annotated[types.Hit, Wire(hide=("names", "parts"), also=("why",), path=ShownPath)]
ReadTerm = Annotated[types.ReadTerm, Wire()]
Page = Annotated[
    types.Page,
    Wire(hide=("schemes",), hits=list[Hit], terms=list[ReadTerm], unlogged=ShownText),
]
CandidateHit = Annotated[types.CandidateHit, Wire(hide=("names", "parts"), also=("why",))]
CandidatePage = Annotated[types.CandidatePage, Wire(hits=list[CandidateHit], unlogged=ShownText)]
TakenEvents = Annotated[types.TakenEvents, Wire()]
Suggestion = Annotated[types.Suggestion, Wire()]
PictureWord = Annotated[types.PictureWord, Wire()]
TaughtWord = Annotated[types.TaughtWord, Wire()]
Image = Annotated[
    types.ImageRecord,
    Wire(name="Image", hide=("row",), paths=Annotated[tuple[str, ...], Told(shown_all)]),
]
Duplicates = Annotated[types.Duplicates, Wire(images=list[Image])]
StoreSize = Annotated[types.StoreSize, Wire(also=("total",))]
LearningPoint = Annotated[types.LearningPoint, Wire()]
Upload = Annotated[types.Upload, Wire()]
TagInfo = Annotated[types.TagInfo, Wire()]
Job = Annotated[types.Job, Wire()]
SentPicture = Annotated[types.SentPicture, Wire(job=Job | None)]
SentPictures = Annotated[types.SentPictures, Wire(pictures=list[SentPicture], job=Job | None)]
FolderCount = Annotated[types.FolderCount, Wire()]
MonthCount = Annotated[types.MonthCount, Wire()]
CameraCount = Annotated[types.CameraCount, Wire()]
ShapeCount = Annotated[types.ShapeCount, Wire()]
TagCount = Annotated[types.TagCount, Wire()]
Facets = Annotated[
    types.Facets,
    Wire(
        folders=list[FolderCount],
        months=list[MonthCount],
        cameras=list[CameraCount],
        shapes=list[ShapeCount],
        tags=list[TagCount],
    ),
]
Skipped = Annotated[types.Skipped, Wire(path=ShownPath, reason=ShownText)]
LookAlike = Annotated[types.LookAlike, Wire(path=ShownPath)]
MapLink = Annotated[types.MapLink, Wire()]
NeighbourMap = Annotated[
    types.NeighbourMap, Wire(middle=LookAlike, around=list[LookAlike], links=list[MapLink])
]
Together = Annotated[types.Together, Wire()]
TaughtSearch = Annotated[types.TaughtSearch, Wire()]
SchemeInfo = Annotated[types.SchemeInfo, Wire()]
ProfileEvent = Annotated[types.ProfileEvent, Wire()]
Undone = Annotated[types.Undone, Wire(page=Page | None)]
SavedSession = Annotated[types.SavedSession, Wire()]
AttributeInfo = Annotated[types.AttributeInfo, Wire()]
AttributeHit = Annotated[types.AttributeHit, Wire(path=ShownPath)]
AttributeQuestion = Annotated[
    types.AttributeQuestion, Wire(first=AttributeHit, second=AttributeHit | None)
]
Classified = Annotated[types.Classified, Wire(path=ShownPath)]
Concept = Annotated[types.Concept, Wire()]
RankedImage = Annotated[types.RankedImage, Wire(path=ShownPath)]
ConceptRanking = Annotated[types.ConceptRanking, Wire(hide=("images",), concept=Concept)]
Glow = Annotated[types.Glow, Wire(hide=("values",))]


_NO_PARTS = np.zeros(0)


def page_of(page: types.Page, *, explain: bool = True) -> Response:
    """A page as an answer: most of what is sent, so it is written straight from the record.

    Reasons are most of a page: one score has a part for every scheme.
    """
    if not explain:
        page = replace(page, hits=tuple(replace(hit, parts=_NO_PARTS) for hit in page.hits))
    return Response(encoded(Page, page), media_type="application/json")


def candidates_of(page: types.CandidatePage) -> Response:
    """A page of candidates as an answer, in the same way."""
    return Response(encoded(CandidatePage, page), media_type="application/json")


class RankedPart(BaseModel):
    """A concept, and one part of its pictures, the best first."""

    ranking: ConceptRanking
    images: Listing[RankedImage]


class ConceptQuestion(BaseModel):
    """Two pictures to compare, or none."""

    images: list[Image]


KeptPages = Annotated[types.KeptPages, Wire()]


class CollectionAnswer(BaseModel):
    """What is indexed, and what was left out."""

    images: int
    descriptors: tuple[str, ...]
    incomplete: tuple[str, ...] = Field(description="Descriptors that some picture still lacks.")
    resting: dict[str, ShownText] = Field(
        description="Descriptors that cannot be made here, with the reason; their schemes rest."
    )
    lost: int = Field(
        description="Events at the end of the log that were acknowledged and are gone."
    )
    read_only: ShownText = Field(
        description="Why nothing that is said can be kept; empty where it can."
    )
    folders: tuple[ShownText, ...] = Field(description="The folders that were added.")
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


class Me(BaseModel):
    """Whoever asks."""

    user: str = Field(description="Their name; `guest` where the server does not know it.")
    role: str = Field(description="viewer, teacher, curator or owner.")
    named: bool = Field(description="Whether the server knows who they are.")


class Health(BaseModel):
    """The server answers."""

    status: str
    version: str
    images: int


class Ready(BaseModel):
    """The server takes requests."""

    status: str
    images: int
    read_only: ShownText = Field(
        description="Why nothing that is said can be kept; empty where it can."
    )
