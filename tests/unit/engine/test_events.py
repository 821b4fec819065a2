"""Events and their codec."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from saccade.engine.attributes.records import (
    AttributeCompared,
    AttributeCreated,
    AttributeHidden,
    AttributeLabelled,
    Looks,
    Space,
)
from saccade.engine.candidates.records import (
    GIVEN,
    VECTOR,
    CandidateColumn,
    CandidateList,
    CandidatesAwaited,
    CandidatesClicked,
    CandidatesMarked,
    CandidatesShown,
)
from saccade.engine.capabilities import CAPABILITIES
from saccade.engine.concepts.records import ConceptGraded, ConceptPreferred
from saccade.engine.configurations.records import Choice, Reward
from saccade.engine.events import (
    Discarded,
    Lesson,
    LoggedExample,
    PersonForgotten,
    Preferred,
    Reacted,
    Record,
    Saved,
    Shown,
    TakenBack,
)
from saccade.engine.loop.capability import tables
from saccade.engine.opinions import JudgedOpinions, Opinions
from saccade.engine.request import Folder, Less, More
from saccade.engine.tags.records import PicturesTagged
from saccade.feedback.preferences import Judged
from saccade.indexes.blend import Blend

KINDS = tables(CAPABILITIES).kinds
LESSON = Lesson(
    images=("a", "b"),
    schemes=("lbp:l1", "gist:l2"),
    prior=(0.5, 1.5),
    phi=np.array([[0.1, 0.2], [0.3, 0.4]], np.float32),
    pairs=np.array([[0, 1]], np.int32),
    stated=True,
)
OUTSIDE = LoggedExample(
    "q",
    False,
    {
        "gist": np.ones(3, np.float32),
        "embedding@/models/e.onnx": np.zeros(2, np.float32),
        "features/frames": np.zeros((2, 4), np.float32),
    },
)
SHOWN = Shown(
    like=(LoggedExample("x", True), OUTSIDE),
    unlike=(replace(OUTSIDE, image_id="u"),),
    images=("a", "b"),
    schemes=("lbp:l1",),
    prior=(1.0,),
    expert="learned",
    verify=7,
    vocabulary="abc",
    model="12",
    round=3,
    judged=Judged(("a",), ("b",)),
)
BLENDED = (
    {"parts": [{"name": "gist", "share": 1.0, "rooted": True}], "around": 9},
    {"centre/gist": np.ones(2, np.float32)},
)
CHOICE = Choice(
    "vote", "vote", ("a:b", "c:d"), (0,), tried="c:d", dropped=("c:d",), probability=0.25,
    places=np.array([[1], [101]], np.int32),
)  # fmt: skip
REWARD = Reward("auto", ("a:b", "c:d"), (0,), (0.25,), 0)
OPINIONS = Opinions(
    ("plain", "spread"), "few", np.array([[1, 2], [3, 4]], np.float32), np.ones(2, np.float32)
)
JUDGED = JudgedOpinions(("a", "b"), OPINIONS, np.array([True, False]), np.array([True, True]))
BAG = np.array([[0.5, -1.0], [2.0, 0.0]], np.float16)
GRADED = ConceptGraded("folder:things", "a", 3, "paper", BAG)
PLACED = ConceptPreferred("folder:things", "a", "b", "paper", BAG, BAG[:1])
SPACE = Space(Blend.load(*BLENDED), {"gist": "1"})
LOOKS = [
    Looks(np.full((n, 2), 0.5, np.float32), np.full((n, 2), -0.25, np.float32)) for n in (1, 2)
]
COLUMNS = (GIVEN, CandidateColumn(VECTOR, "clip", 2))
LISTED = CandidateList(("a", "b"), COLUMNS, np.array([[1, 0.5, 2], [0, -1, 0.25]], np.float32))
MARKED = CandidatesMarked(
    ("a",), ("b",), (), "red shoes", COLUMNS, LISTED.rows, np.array([[0, 1]], np.int32)
)
CLICKED = CandidatesClicked("a", "bought", 3, 0.4, "red shoes", COLUMNS, LISTED.rows)
EXAMPLES: list[Record] = [
    CandidatesShown(
        LISTED, np.array([1, 0], np.int32), "red shoes", 2, 1, explain=True, opinions=OPINIONS
    ),
    MARKED,
    CandidatesAwaited({"event": "clicked", "page": "p-1", "id": "a"}),
    CLICKED,
    replace(CLICKED, opinions=JUDGED),
    replace(MARKED, cleared=("c",), opinions=JUDGED, replaces=(3, 4)),
    SHOWN,
    replace(SHOWN, opinions=OPINIONS),
    replace(SHOWN, attached={"configurations": CHOICE.encode()}),
    Reacted(("a",), ("b",), LESSON),
    Reacted(("a",), ("b",), LESSON, ("c",), JUDGED, (3, 4)),
    Reacted(("a",), ("b",), LESSON, attached={"configurations": REWARD.encode()}),
    Preferred("a", "b", LESSON),
    Saved("red cars"),
    Discarded("red cars"),
    TakenBack(5),
    PersonForgotten(),
    GRADED,
    PLACED,
    PicturesTagged("round", ("a",), ("b",)),
    replace(SHOWN, where=(More("natural", "a"), More("open", 0.5), Less("open", 0.9, prefer=True))),
    replace(SHOWN, where=(Folder("coast"),)),
    AttributeCreated("natural", SPACE),
    AttributeHidden("natural"),
    AttributeLabelled("natural", SPACE.digest, LOOKS[0], (), image="a", grade=-1),
    AttributeCompared(
        "natural", SPACE.digest, LOOKS[1], (7,), first="a", second="b", order="alike"
    ),
]


def same(one: Any, two: Any) -> bool:
    """Equal, arrays included."""
    if isinstance(one, np.ndarray):
        return bool(np.array_equal(one, two)) and one.dtype == two.dtype
    if isinstance(one, dict):
        return one.keys() == two.keys() and all(same(one[k], two[k]) for k in one)
    if isinstance(one, tuple):
        return len(one) == len(two) and all(map(same, one, two))
    if hasattr(one, "__dataclass_fields__"):
        return all(same(getattr(one, f.name), getattr(two, f.name)) for f in fields(one))
    return bool(one == two)


@pytest.mark.parametrize("record", EXAMPLES, ids=lambda record: record.kind)
def test_what_is_encoded_is_decoded(record: Record) -> None:
    """Every field comes back, whatever a descriptor is called."""
    assert same(type(record).decode(*record.encode()), record)


def test_every_kind_has_a_record() -> None:
    """The table names each by its own kind."""
    records = KINDS.records
    assert {kind: record.kind for kind, record in records.items()} == {k: k for k in records}
    assert {type(example) for example in EXAMPLES} == set(records.values())


def test_what_a_capability_attached_comes_back_as_it_was() -> None:
    """Whoever does not understand it keeps it, arrays included."""
    shown = replace(SHOWN, attached={"configurations": CHOICE.encode()})
    again = Shown.decode(*shown.encode())
    assert same(Choice.decode(*again.attached["configurations"]), CHOICE)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"stated": "yes"}, "stated or implied"),
        ({"prior": (1.0,)}, "starting weights"),
        ({"prior": (1.0, -1.0)}, "starting weights"),
        ({"schemes": ("lbp:l1", "lbp:l1")}, "twice"),
        ({"images": ("a", 7)}, "image ids"),
        ({"phi": np.zeros((3, 2), np.float32)}, "does not fit"),
        ({"phi": np.full((2, 2), np.nan, np.float32)}, "not a similarity"),
        ({"phi": np.full((2, 2), 9, np.float32)}, "not a similarity"),
        ({"pairs": np.array([[0, 2]], np.int32)}, "not there"),
        ({"pairs": np.array([[-1, 0]], np.int32)}, "not there"),
        ({"pairs": np.array([0, 1], np.int32)}, "not pairs"),
    ],
)
def test_a_lesson_from_outside_is_checked(change: dict[str, Any], words: str) -> None:
    """What cannot be learned from is refused by name."""
    lesson = replace(LESSON, **change)
    record = Reacted((), (), lesson)
    with pytest.raises(ValueError, match=words):
        KINDS.imported("reacted", 1.0, *record.encode())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"experts": ("spread", "margin")}, "without learning"),
        ({"experts": ("plain", "plain")}, "twice"),
        ({"stage": "late"}, "stage"),
        ({"scores": np.zeros((2, 3), np.float32)}, "do not fit"),
        ({"scores": np.zeros((2, 2))}, "not scores"),
        ({"served": np.full(2, np.nan, np.float32)}, "not a number"),
    ],
)
def test_opinions_from_outside_are_checked(change: dict[str, Any], words: str) -> None:
    """What the guard cannot be charged by is refused by name."""
    judged = replace(JUDGED, opinions=replace(OPINIONS, **change))
    record = Reacted((), (), LESSON, (), judged)
    with pytest.raises(ValueError, match=words):
        KINDS.imported("reacted", 1.0, *record.encode())


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (replace(GRADED, grade=4), "a grade is"),
        (replace(GRADED, grade=True), "a grade is"),
        (replace(GRADED, concept=""), "cannot be shown"),
        (replace(GRADED, image="a\x1b"), "cannot be shown"),
        (replace(GRADED, bag=BAG.astype(np.float32)), "no table"),
        (replace(GRADED, bag=BAG[:0]), "too many"),
        (replace(GRADED, bag=np.zeros((65, 2), np.float16)), "too many"),
        (replace(GRADED, bag=np.full((1, 2), np.inf, np.float16)), "cannot be"),
        (replace(PLACED, worse="a"), "than itself"),
        (replace(PLACED, loser=BAG[:, :1]), "other features"),
        (PicturesTagged("a\nb", ("a",)), "cannot be shown"),
        (PicturesTagged("a", tuple(map(str, range(10_001)))), "at once"),
    ],
)
def test_what_is_said_about_concepts_elsewhere_is_checked(record: Any, words: str) -> None:
    """What no fold could learn from is refused by name."""
    with pytest.raises(ValueError, match=words):
        KINDS.imported(record.kind, 1.0, *record.encode())


def test_numbers_of_events_stay_in_their_log() -> None:
    """What an event replaced elsewhere has another number here, or none."""
    record = KINDS.imported("reacted", 1.0, *Reacted(("a",), (), LESSON, replaces=(7,)).encode())
    assert isinstance(record, Reacted)
    assert record.replaces == ()


def test_only_feedback_comes_from_outside() -> None:
    """Pages and what takes back stay where they are."""
    with pytest.raises(ValueError, match="no kind"):
        KINDS.imported("shown", 1.0, *SHOWN.encode())
    with pytest.raises(ValueError, match="time"):
        KINDS.imported("reacted", float("nan"), *Reacted((), (), LESSON).encode())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"attribute": "a/b"}, "attribute"),
        ({"space": 7}, "text"),
        ({"first": 7}, "text"),
        ({"second": "a"}, "no comparison"),
        ({"order": "less"}, "no comparison"),
    ],
)
def test_a_comparison_from_outside_is_looked_at(change: dict[str, Any], words: str) -> None:
    """Names, pictures and what is said of them must be what they can be."""
    body, arrays = next(e for e in EXAMPLES if isinstance(e, AttributeCompared)).encode()
    assert isinstance(KINDS.imported("compared", 1.0, body, arrays), AttributeCompared)
    with pytest.raises(ValueError, match=words):
        KINDS.imported("compared", 1.0, {**body, **change}, arrays)


@pytest.mark.parametrize("value", [np.nan, 2.0])
def test_a_label_from_outside_is_looked_at(value: float) -> None:
    """Vectors of length one of the pictures it is about, and a grade."""
    body, arrays = next(e for e in EXAMPLES if isinstance(e, AttributeLabelled)).encode()
    assert isinstance(KINDS.imported("labelled", 1.0, body, arrays), AttributeLabelled)
    for name in ("plain", "smooth"):
        with pytest.raises(ValueError, match=name):
            KINDS.imported("labelled", 1.0, body, {**arrays, name: np.full((1, 2), value)})
        with pytest.raises(ValueError, match="fit"):
            KINDS.imported("labelled", 1.0, body, {**arrays, name: np.zeros((2, 2))})
    with pytest.raises(ValueError, match="grade"):
        KINDS.imported("labelled", 1.0, {**body, "grade": 1.5}, arrays)
