"""One search as a record: what can be asked, within which bounds, and what excludes what.

    SearchRequest(query="boat.jpg", where={"folder": "coast"}, k=20)
    SearchRequest(text="elephants", where=[More("natural", than=0.5)])

Python, HTTP (JSON and form), the command line and the documents take their fields, help, bounds and
examples from here (`described`). A request is checked when it is made, without a collection: what
only a collection can know (is there such a picture, such a scheme) is found out by the loop.

    where    a mapping or a list of small records; each narrows the search, or with `prefer` only
             puts what fits first. As JSON: {"folder": …, "name": …, "after": "2019-05-01",
             "before": …, "camera": …, "shape": "wide", "tag": …, "more": {"natural": id or 0.7}}
    part     Box(top, left, bottom, right), Spot(top, left) on a thing, or Region(3) in a store
             that keeps regions. As JSON: {"box": [4 ×]}, {"spot": [2 ×]} or {"region": 3}; as
             text: `0.1,0.2,0.9,0.8`, `0.3,0.4` or `3`

>>> SearchRequest(query="boat.jpg", like="sea.jpg").pictures
('boat.jpg', 'sea.jpg')
>>> clauses = [After("2019-05"), Before("2020"), Camera("Leica"), Shape("wide"), Tag("summer")]
>>> clauses += [Folder("coast", prefer=True), Name("IMG*"), HasField("price", "below", 20)]
>>> clauses += [More("natural", than=0.5), Less("open", than=0.2)]
>>> where_json(clauses)[:2]
[{'after': '2019-05'}, {'before': '2020'}]
>>> sorted(SearchRequest(text="boats", where=clauses).words())[:3]
['after', 'before', 'camera']
>>> clauses_of(where_json(clauses)) == tuple(clauses)
True
>>> ShowRequest(page_id="p-1", k=20).where is None
True
>>> Folder("coast").name, HasField("price", "below", 20).as_json()
('coast', {'price': {'below': 20}})
>>> HasField.from_json("price<20")
[HasField(name='price', test='below', value=20.0, prefer=False)]

A part of a picture:

>>> Box(0.1, 0.2, 0.9, 0.8).edges, Spot(0.3, 0.4).as_json(), Region(3).as_json()
((0.1, 0.2, 0.9, 0.8), {'spot': [0.3, 0.4]}, {'region': 3})
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from datetime import date
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Annotated,
    ClassVar,
    Self,
    get_args,
    get_origin,
    get_type_hints,
)

from saccade.engine.names import check_name, check_user
from saccade.errors import InvalidInput, UnknownName
from saccade.hints import Hint

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    PictureLike = str | os.PathLike[str] | bytes | bytearray | memoryview | NDArray[np.uint8]
    """A path, an image id, the bytes of a file, or pixels [h, w, 3]."""
else:
    PictureLike = object  # who reads the fields of a request need not load numpy for that

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

GUEST = "guest"
"""Whoever does not say who they are."""
USUAL = "guarded"
"""The expert that ranks unless another is asked for: all of them, as far as they pay."""
LARGEST_PAGE = 10_000
MOST_VERIFIED = 1000
SMALLEST = 0.01
"""Of a rectangle's sides, as a share of the picture's."""


# -- what a field says of itself ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Help:
    """What a field is for, in one sentence.

    >>> Help("How many pictures the page holds.").text
    'How many pictures the page holds.'
    """

    text: str


@dataclass(frozen=True, slots=True)
class Between:
    """The least and the largest value; `says` what they mean, for whoever went beyond.

    >>> Between(1, 10_000, "a page has 1 to 10000 pictures").high
    10000
    """

    low: float
    high: float
    says: str


@dataclass(frozen=True, slots=True)
class Longest:
    """How many characters a text, or items a list, may have when it comes from outside.

    >>> Longest(500).items
    500
    """

    items: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A value that somebody might give.

    >>> Sample("elephants").value
    'elephants'
    """

    value: Json


@dataclass(frozen=True, slots=True)
class RequestField:
    """A field of a request, as surfaces need to know it.

    >>> k = described(SearchRequest)["k"]
    >>> k.between.high, k.plain, k.repeated, described(SearchRequest)["like"].repeated
    (10000, <class 'int'>, False, True)
    >>> described(SearchRequest)["text"].sample, described(SearchRequest)["text"].longest
    ('elephants', 500)
    """

    name: str
    kind: object  # its type, without notes
    default: object
    required: bool
    help: str
    between: Between | None
    longest: int | None
    sample: Json

    @property
    def plain(self) -> object:
        """Its type, where nothing would do as well."""
        kinds = [kind for kind in get_args(self.kind) if kind is not NoneType]
        return kinds[0] if NoneType in get_args(self.kind) and len(kinds) == 1 else self.kind

    @property
    def repeated(self) -> bool:
        """Whether it holds several values."""
        return get_origin(self.plain) is tuple


def described(record: type[SearchRequest | ShowRequest]) -> Mapping[str, RequestField]:
    """The fields of a request by name, with what they say of themselves.

    >>> sorted(described(ShowRequest))
    ['k', 'page_id', 'where']
    """
    if record.__name__ not in _DESCRIBED:
        hints = get_type_hints(record, include_extras=True)
        _DESCRIBED[record.__name__] = {
            one.name: _described(one, *get_args(hints[one.name])) for one in fields(record)
        }
    return _DESCRIBED[record.__name__]


_DESCRIBED: dict[str, Mapping[str, RequestField]] = {}


def _described(one: Field[object], kind: object, *notes: object) -> RequestField:
    by_kind = {type(note): note for note in notes}
    help_, longest, sample, between = map(by_kind.get, (Help, Longest, Sample, Between))
    return RequestField(
        name=one.name,
        kind=kind,
        default=None if one.default is MISSING else one.default,
        required=one.default is MISSING,
        help=help_.text if isinstance(help_, Help) else "",
        between=between if isinstance(between, Between) else None,
        longest=longest.items if isinstance(longest, Longest) else None,
        sample=sample.value if isinstance(sample, Sample) else None,
    )


def _check_bounds(request: SearchRequest | ShowRequest) -> None:
    """Every number of a request is one, and within its bounds."""
    for name, one in described(type(request)).items():
        value = getattr(request, name)
        if one.between is None or (value is None and not one.required):
            continue
        kinds = int if one.plain is int else int | float
        number = isinstance(value, kinds) and not isinstance(value, bool)
        if not number or not one.between.low <= value <= one.between.high:
            raise InvalidInput(f"{name} is {value!r}; {one.between.says}")


# -- a part of a picture -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Region:
    """A region of a picture by its number, the largest 0, in a store that keeps regions."""

    number: int

    def __post_init__(self) -> None:
        whole = isinstance(self.number, int) and not isinstance(self.number, bool)
        if not whole or self.number < 0:
            raise InvalidInput(f"region {self.number!r}: regions are numbered from 0")

    def __str__(self) -> str:
        return str(self.number)

    def as_json(self) -> dict[str, Json]:
        """For the log and for HTTP."""
        return {"region": self.number}


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in a picture: its edges as shares of the height and the width."""

    top: float
    left: float
    bottom: float
    right: float

    def __post_init__(self) -> None:
        edges = (self.top, self.left, self.bottom, self.right)
        numbers = all(isinstance(e, int | float) and not isinstance(e, bool) for e in edges)
        inside = numbers and all(0.0 <= edge <= 1.0 for edge in edges)
        tall, wide = (self.bottom - self.top, self.right - self.left) if numbers else (0.0, 0.0)
        if not inside or tall < SMALLEST or wide < SMALLEST:
            raise InvalidInput(
                f"rectangle {edges}: expected top < bottom and left < right in 0..1, each side at "
                f"least {SMALLEST:.0%}"
            )

    def __str__(self) -> str:
        return ",".join(map(str, self.edges))

    @property
    def edges(self) -> tuple[float, float, float, float]:
        """Top, left, bottom, right."""
        return self.top, self.left, self.bottom, self.right

    def as_json(self) -> dict[str, Json]:
        """For the log and for HTTP."""
        return {"box": list(self.edges)}


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a thing in a picture, as shares of its height and width: the thing is meant."""

    top: float
    left: float

    def __post_init__(self) -> None:
        numbers = all(
            isinstance(e, int | float) and not isinstance(e, bool) and 0.0 <= e <= 1.0
            for e in (self.top, self.left)
        )
        if not numbers:
            raise InvalidInput(
                f"spot {(self.top, self.left)}: expected its distance from the top and from the "
                "left, each in 0..1"
            )

    def __str__(self) -> str:
        return f"{self.top},{self.left}"

    def as_json(self) -> dict[str, Json]:
        """For the log and for HTTP."""
        return {"spot": [self.top, self.left]}


Part = Region | Box | Spot


def part_of(given: object) -> Part:
    """A part of a picture from whatever form it came in.

    >>> part_of("0.1,0.2,0.9,0.8"), part_of("0.3,0.4"), part_of({"region": 3})
    (Box(top=0.1, left=0.2, bottom=0.9, right=0.8), Spot(top=0.3, left=0.4), Region(number=3))
    """
    if isinstance(given, Region | Box | Spot):
        return given
    value = given
    if isinstance(given, Mapping) and len(given) == 1 and {"region", "box", "spot"} & set(given):
        (value,) = given.values()
    elif isinstance(given, str):
        try:
            value = int(given) if given.strip().isdigit() else [float(e) for e in given.split(",")]
        except ValueError:
            value = None
    if isinstance(value, int) and not isinstance(value, bool):
        return Region(value)
    if isinstance(value, list | tuple) and len(value) == 4:
        return Box(*value)
    if isinstance(value, list | tuple) and len(value) == 2:
        return Spot(*value)
    raise InvalidInput(
        f"part {given!r}: give a rectangle by top, left, bottom and right as shares of the "
        "picture, a spot by top and left, or a region by its number"
    )


# -- what narrows a search ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ByText:
    """One text that says which pictures fit."""

    text: str
    prefer: bool = field(default=False, kw_only=True)

    word: ClassVar[str]
    form: ClassVar[str]
    called: ClassVar[str]
    longest: ClassVar[int] = 1000

    def __post_init__(self) -> None:
        check_name(self.called, self.text, longest=self.longest)

    def as_json(self) -> Json:
        """What stands under its word."""
        return self.text

    @classmethod
    def from_json(cls, value: Json, *, prefer: bool = False) -> list[Self]:
        """What `as_json` gave, from a client perhaps."""
        return [cls(_text(cls.word, value), prefer=prefer)]


@dataclass(frozen=True, slots=True)
class Folder(_ByText):
    """Pictures that lie in a folder: its name, or the end or the whole of its path."""

    word: ClassVar[str] = "folder"
    form: ClassVar[str] = "NAME"
    called: ClassVar[str] = "folder"

    @property
    def name(self) -> str:
        """The folder's name or path."""
        return self.text


@dataclass(frozen=True, slots=True)
class Name(_ByText):
    """Pictures whose file's name holds a text, or matches a pattern with * and ?."""

    word: ClassVar[str] = "name"
    form: ClassVar[str] = "TEXT"
    called: ClassVar[str] = "name of a file"


@dataclass(frozen=True, slots=True)
class Tag(_ByText):
    """Pictures that were given a tag."""

    word: ClassVar[str] = "tag"
    form: ClassVar[str] = "TAG"
    called: ClassVar[str] = "tag"
    longest: ClassVar[int] = 200


@dataclass(frozen=True, slots=True)
class Camera(_ByText):
    """Pictures taken with a camera: its name, or a text that it holds."""

    word: ClassVar[str] = "camera"
    form: ClassVar[str] = "TEXT"
    called: ClassVar[str] = "camera"
    longest: ClassVar[int] = 200


SHAPES = ("wide", "tall", "square", "panorama")


@dataclass(frozen=True, slots=True)
class Shape(_ByText):
    """Pictures of a shape: wide, tall, square, or panorama (twice as wide as high, or wider)."""

    word: ClassVar[str] = "shape"
    form: ClassVar[str] = "wide, tall, square or panorama"
    called: ClassVar[str] = "shape"

    def __post_init__(self) -> None:
        if self.text not in SHAPES:
            raise UnknownName("shape", str(self.text), SHAPES)


@dataclass(frozen=True, slots=True)
class _ByDay(_ByText):
    """A day, month or year: its first day bounds when pictures were taken."""

    form: ClassVar[str] = "2019-05-01, 2019-05 or 2019"

    def __post_init__(self) -> None:
        _ = self.day

    @property
    def day(self) -> date:
        """The day that bounds."""
        match = _DAY.fullmatch(self.text) if isinstance(self.text, str) else None
        year, month, day = (int(part or 1) for part in match.groups()) if match else (0, 0, 0)
        try:
            return date(year, month, day)
        except ValueError:
            raise InvalidInput(
                f"{self.word} {self.text!r} is no day: expected {self.form}"
            ) from None

    @classmethod
    def from_json(cls, value: object, *, prefer: bool = False) -> list[Self]:
        """What `as_json` gave, from a client perhaps; a date of Python's will do."""
        text = value.isoformat()[:10] if isinstance(value, date) else value
        return [cls(_text(cls.word, text), prefer=prefer)]  # type: ignore[arg-type]


_DAY = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")


@dataclass(frozen=True, slots=True)
class After(_ByDay):
    """Pictures taken on a day or later; by the file's time where the camera did not say."""

    word: ClassVar[str] = "after"
    called: ClassVar[str] = "after"


@dataclass(frozen=True, slots=True)
class Before(_ByDay):
    """Pictures taken before a day; by the file's time where the camera did not say."""

    word: ClassVar[str] = "before"
    called: ClassVar[str] = "before"


TESTS = ("is", "below", "above", "holds")


@dataclass(frozen=True, slots=True)
class HasField:
    """Pictures with a field that is a value, lies below or above a number, or holds a text."""

    word: ClassVar[str] = "fields"
    form: ClassVar[str] = "NAME=VALUE, NAME<NUMBER, NAME>NUMBER or NAME~TEXT"

    name: str
    test: str
    value: float | str | bool
    prefer: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_name("field", self.name)
        if self.test not in TESTS:
            raise UnknownName("test of a field", str(self.test), TESTS)
        kinds = {"below": int | float, "above": int | float, "holds": str}
        wanted = kinds.get(self.test, int | float | str)
        numeric = self.test in ("below", "above") and isinstance(self.value, bool)
        if numeric or not isinstance(self.value, wanted):
            raise InvalidInput(f"field {self.name!r}: {self.test} {self.value!r} cannot be told")

    def as_json(self) -> Json:
        """What stands under its word."""
        return {self.name: {self.test: self.value}}

    @classmethod
    def from_json(cls, value: Json, *, prefer: bool = False) -> list[Self]:
        """What `as_json` gave, from a client perhaps; `NAME<20` as a text is one of them."""
        if isinstance(value, str):
            match = re.fullmatch(r"([^=<>~]+)([=<>~])(.+)", value)
            if match is None:
                raise InvalidInput(f"{cls.word} {value!r}: expected {cls.form}")
            name, sign, text = match.groups()
            test = dict(zip("=<>~", TESTS, strict=True))[sign]
            return [cls(name, test, text if test == "holds" else _place(text), prefer=prefer)]
        if not isinstance(value, dict):
            raise InvalidInput(f"{cls.word}: expected fields by name, each with a value or tests")
        out = []
        for name, tests in value.items():
            each = tests if isinstance(tests, dict) else {"is": tests}
            out += [cls(name, test, one, prefer=prefer) for test, one in each.items()]  # type: ignore[arg-type]
        return out


@dataclass(frozen=True, slots=True)
class _ByAttribute:
    """An attribute, and a picture (its id) or a place from 0 to 1 to compare with."""

    attribute: str
    than: str | float
    prefer: bool = field(default=False, kw_only=True)

    word: ClassVar[str]
    form: ClassVar[str] = "NAME=ID or NAME=0.7"

    def __post_init__(self) -> None:
        check_name("attribute", self.attribute)
        number = isinstance(self.than, int | float) and not isinstance(self.than, bool)
        if not isinstance(self.than, str) and not (number and 0 <= self.than <= 1):
            raise InvalidInput(
                f"{self.attribute!r}: compare with an image id or a place from 0 to 1, "
                f"not {self.than!r}"
            )

    def as_json(self) -> Json:
        """What stands under its word."""
        return {self.attribute: self.than}

    @classmethod
    def from_json(cls, value: Json, *, prefer: bool = False) -> list[Self]:
        """What `as_json` gave, from a client perhaps; `NAME=ID` as a text is one of them."""
        if isinstance(value, str):
            name, sign, than = value.partition("=")
            if not (name and sign and than):
                raise InvalidInput(f"{cls.word} {value!r}: expected {cls.form}")
            return [cls(name, _place(than), prefer=prefer)]
        if not isinstance(value, dict):
            raise InvalidInput(
                f"{cls.word}: expected attributes by name, each with an image id or a place"
            )
        return [cls(name, than, prefer=prefer) for name, than in value.items()]  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class More(_ByAttribute):
    """Pictures with more of an attribute than a picture (its id), or than a place from 0 to 1."""

    word: ClassVar[str] = "more"


@dataclass(frozen=True, slots=True)
class Less(_ByAttribute):
    """Pictures with less of an attribute than a picture (its id), or than a place from 0 to 1."""

    word: ClassVar[str] = "less"


Clause = Folder | Name | After | Before | Camera | Shape | Tag | HasField | More | Less
CLAUSES: Mapping[str, type[Clause]] = {
    kind.word: kind
    for kind in (Folder, Name, After, Before, Camera, Shape, Tag, HasField, More, Less)
}
"""What narrows a search, by its word. A new one is a record above, a word here, and whoever answers
to it: the loop (`loop/where.py`) or a capability."""
Where = Clause | Mapping[str, Json] | Sequence[Clause | Mapping[str, Json]]
"""What `where=` takes."""


def clauses_of(where: object) -> tuple[Clause, ...]:
    """What narrows a search, from whatever form it came in.

    >>> clauses_of({"folder": "coast", "more": {"natural": 0.5}})
    (Folder(text='coast', prefer=False), More(attribute='natural', than=0.5, prefer=False))
    """
    if isinstance(where, Clause):
        return (where,)
    if isinstance(where, Mapping):
        words = dict(where)
        prefer = words.pop("prefer", False)
        if not isinstance(prefer, bool):
            raise InvalidInput(f"where: prefer is {prefer!r}; say true or false")
        for word in words:
            if word not in CLAUSES:
                raise UnknownName("word to narrow a search by", str(word), CLAUSES)
        return tuple(
            clause
            for word, value in words.items()
            for clause in CLAUSES[word].from_json(value, prefer=prefer)
        )
    if isinstance(where, str) or not isinstance(where, Iterable):
        raise InvalidInput(f"where {where!r}: expected a mapping, or a list of them")
    return tuple(clause for one in where for clause in clauses_of(one))


def where_json(clauses: Iterable[Clause]) -> list[dict[str, Json]]:
    """Clauses as the log keeps them and HTTP sends them; `clauses_of` reads them."""
    return [
        {clause.word: clause.as_json(), **({"prefer": True} if clause.prefer else {})}
        for clause in clauses
    ]


# -- the requests ------------------------------------------------------------------------------

_K = Annotated[
    int,
    Between(1, LARGEST_PAGE, f"a page has 1 to {LARGEST_PAGE} pictures"),
    Help("How many pictures the page holds."),
]
_WHERE = Annotated[
    tuple[Clause, ...],
    Help(
        "What narrows the search: `folder`, `name` of a file, `after` and `before` a day, "
        "`camera`, `shape`, `tag`, `fields`, `more` or `less` of attributes; `prefer` puts what "
        "fits first and leaves the rest behind it."
    ),
    Longest(20),
    Sample({"folder": "coast"}),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What to look for: a picture, several that are meant and not meant, words, or all of these."""

    query: Annotated[
        PictureLike | None, Help("The picture to look for: a path, an image id, bytes or pixels.")
    ] = None
    text: Annotated[str | None, Help("Words to look for."), Longest(500), Sample("elephants")] = (
        None
    )
    like: Annotated[tuple[PictureLike, ...], Help("More like these."), Longest(100)] = ()
    unlike: Annotated[tuple[PictureLike, ...], Help("Less like these."), Longest(100)] = ()
    user: Annotated[
        str,
        Help("Whose model ranks and learns: 1 to 100 printable characters, no slash."),
        Longest(100),
        Sample("ana"),
    ] = GUEST
    k: _K = 50
    where: _WHERE = ()
    part: Annotated[
        Part | None,
        Help(
            "Look for this part of the picture alone: a box by top, left, bottom, right in 0..1, "
            "a spot on a thing by top, left, or a region by its number in a store that keeps them."
        ),
        Sample({"box": [0.1, 0.2, 0.9, 0.8]}),
    ] = None
    schemes: Annotated[
        tuple[str, ...] | None,
        Help("Use these schemes only, each named as `descriptor:similarity`."),
        Longest(200),
        Sample(["lbp:chi2"]),
    ] = None
    expert: Annotated[
        str,
        Help(
            "`guarded`, all experts as far as they pay; or one to compare with: `plain`, "
            "`learned`, `remembered`, `shared`, `best-scheme`, `uniform`, `spread`, `contrast`, "
            "`rocchio`, `margin`, `company`."
        ),
        Longest(100),
        Sample("plain"),
    ] = USUAL
    configuration: Annotated[
        str | None,
        Help(
            "How to rank: `auto`, what feedback has found best, at first the usual ranking; "
            "`vote`, all together; or one by name: `usual`, or a way to compare words alone."
        ),
        Longest(100),
        Sample("auto"),
    ] = None
    exploring: Annotated[
        float | None,
        Between(0, 1, "expected 0 (never) to 1 (always)"),
        Help("Chance that `auto` tries another, in one place of ten of a page; 0 for none."),
    ] = None
    verify: Annotated[
        int | None,
        Between(0, MOST_VERIFIED, f"it is how many results to check, 0 to {MOST_VERIFIED}"),
        Help(
            "How many of the best results to check by the geometry of visual words; unless given, "
            "those on the first page whose words stand out."
        ),
    ] = None

    def __post_init__(self) -> None:
        _set(self, "like", several(self.like))
        _set(self, "unlike", several(self.unlike))
        _set(self, "where", clauses_of(self.where))
        _set(self, "part", None if self.part is None else part_of(self.part))
        _set(self, "schemes", names_of(self.schemes))
        check_user(self.user)
        _check_bounds(self)
        self._check_together()

    def _check_together(self) -> None:
        """What excludes what."""
        if self.text is not None and not isinstance(self.text, str):
            kind = type(self.text).__name__
            raise InvalidInput(f"cannot look for a {kind}", hint="give words as text")
        if self.text is not None and not self.text.strip():
            raise InvalidInput("empty text", hint="say in words what to look for")
        if self.query is None and not self.like and self.text is None:
            raise InvalidInput("nothing to search with", hint=_ASK)
        beside = self.text is not None or self.like or self.unlike or self.schemes is not None
        if self.part is not None and (self.query is None or beside):
            raise InvalidInput(
                "a part belongs to one picture",
                hint="leave out text, schemes, and pictures that are meant or not meant beside it",
            )
        if self.configuration is not None and (self.expert != USUAL or self.schemes is not None):
            raise InvalidInput(
                f"configuration {self.configuration!r} ranks by itself",
                hint="leave out the expert and the schemes, or the configuration",
            )

    @property
    def pictures(self) -> tuple[PictureLike, ...]:
        """What is meant: the query and what it should be like."""
        return self.like if self.query is None else (self.query, *self.like)

    def words(self) -> frozenset[str]:
        """What it names beside pictures and a person: fields, and what narrows it."""
        optional = ("text", "part", "configuration", "exploring")
        named = {name for name in optional if getattr(self, name) is not None}
        return frozenset(named | {clause.word for clause in self.where})


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowRequest:
    """A page again, longer or shorter, or narrowed in another way."""

    page_id: Annotated[str, Help("Which page was shown.")]
    k: _K
    where: Annotated[
        tuple[Clause, ...] | None,
        Help("From now on narrowed by this, as in a search; unless given, as it was."),
        Longest(20),
        Sample({"folder": "coast"}),
    ] = None

    def __post_init__(self) -> None:
        _set(self, "where", None if self.where is None else clauses_of(self.where))
        _check_bounds(self)


def check_k(k: int) -> int:
    """A page size that can be served.

    >>> check_k(20)
    20
    """
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= LARGEST_PAGE:
        raise InvalidInput(f"k is {k!r}; a page has 1 to {LARGEST_PAGE} pictures")
    return k


_ASK = Hint(
    "give a picture, or like=[…]",
    command="name a picture: `saccade search photo.jpg`",
    http="send image_id, like or text, or a form with the file 'image'",
)


def _set(request: object, name: str, value: object) -> None:
    object.__setattr__(request, name, value)


def several(things: object) -> tuple[PictureLike, ...]:
    """Pictures in a tuple; one alone need not be in one.

    >>> several("boat.jpg"), several(["boat.jpg", "sea.jpg"])
    (('boat.jpg',), ('boat.jpg', 'sea.jpg'))
    """
    alone = isinstance(things, str | bytes | bytearray | memoryview) or hasattr(things, "shape")
    if alone or not isinstance(things, Iterable):
        return (things,)  # type: ignore[return-value]
    return tuple(things)


def names_of(given: Iterable[str] | None) -> tuple[str, ...] | None:
    """Names in a tuple, or none; one text alone is no list of them.

    >>> names_of(["gist:cosine"]), names_of(None)
    (('gist:cosine',), None)
    """
    if isinstance(given, str):
        raise InvalidInput(f"{given!r}: give a list of names, not one text")
    return None if given is None else tuple(given)


def _text(word: str, value: Json) -> str:
    if not isinstance(value, str):
        raise InvalidInput(f"{word}: expected a text, not {value!r}")
    return value


def _place(than: str) -> str | float:
    """A number where it is one, else an image id."""
    try:
        return float(than)
    except ValueError:
        return than
