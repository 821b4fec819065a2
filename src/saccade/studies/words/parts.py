"""What each part of the study measures, in a worker process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from saccade import lexicon
from saccade.errors import InvalidInput
from saccade.lexicon import evidence
from saccade.studies.collection import Images, copied, opened
from saccade.studies.declaration import Outcome, Series, Task
from saccade.testbed.measures import average_precision_of_ranking

if TYPE_CHECKING:
    from saccade.engine import Engine
    from saccade.types import Page

PRODUCT, HEAD, FILES = "saccade", "linear head", "file names"
TAUGHT, STRANGER, BEFORE = "taught", "a stranger", "before"
ROUTES = ("kind", "near", "unknown")
STEP, MARKS = 5, (0, 5, 10, 20)
FIRST = 20
BLIND = ("text:kinds", "text:near", "text:colour", "text:taught")
"""What is looked at where names of files and folders are not."""


def route_of(name: str) -> str:
    """By what a name is understood.

    >>> [route_of(name) for name in ("elephants", "street", "xqzzyv", "the")]
    ['kind', 'near', 'unknown', 'unknown']
    """
    try:
        wanted = lexicon.read(name).wanted
    except InvalidInput:
        return "unknown"
    if any(term.kinds for term in wanted):
        return "kind"
    return "near" if any(term.near or term.colour for term in wanted) else "unknown"


def names(task: Task) -> Outcome:
    """Every class name of one route, typed."""
    with opened(task.data, task.options) as images, copied(task.data.store) as engine:
        asked = _classes(images, task.part)
        rows = []
        for name, relevant in asked.items():
            order = _ordered(images, engine, task.system, name)
            rows.append((_precision(order, relevant), _first(order, relevant)))
    return _outcome(("mAP", "P@20"), rows, list(asked))


def marks(task: Task) -> Outcome:
    """The class names of one route after so many truthful marks."""
    curves = {}
    with opened(task.data, task.options) as images, copied(task.data.store) as engine:
        for number, (name, relevant) in enumerate(_classes(images, task.part).items()):
            curves[name] = _session(engine, name, relevant, f"person {number}")
    measures = ("P@20 of the rest", "mAP of the rest", "mAP")
    names = [name for name in curves for _ in MARKS]
    at = [float(count) for _ in curves for count in MARKS]
    return Outcome(
        [
            Series(measure, [values[place] for one in curves.values() for values in one],
                   queries=names, at=at)
            for place, measure in enumerate(measures)
        ]
    )  # fmt: skip


def day_after(task: Task) -> Outcome:
    """The first page of the next search for the same word, by who taught it or a stranger."""
    rows, asked = [], {}
    with opened(task.data, task.options) as images, copied(task.data.store) as engine:
        asked = _classes(images, task.part)
        for number, (name, relevant) in enumerate(asked.items()):
            person = f"person {number}"
            judged: set[str] = set()
            if task.system != BEFORE:
                _session(engine, name, relevant, person, judged)
            who = person if task.system == TAUGHT else f"stranger {number}"
            order = _ids(_search(engine, name, who, BLIND))
            if task.system == BEFORE:  # the rest is the same for all three
                _session(engine, name, relevant, person, judged)
            rest = [image for image in order if image not in judged]
            left = relevant - judged
            rows.append(
                (_first(order, relevant), _precision(order, relevant), _precision(rest, left))
            )
    return _outcome(("P@20", "mAP", "mAP of the rest"), rows, list(asked))


def _session(
    engine: Engine,
    name: str,
    relevant: set[str],
    person: str,
    judged: set[str] | None = None,
) -> list[tuple[float, float, float]]:
    """What a page is worth after each number of marks; `judged` takes what was marked."""
    judged = set() if judged is None else judged
    page, out = _search(engine, name, person, BLIND), []
    for count in range(0, max(MARKS) + 1, STEP):
        order = _ids(page)
        if count in MARKS:
            rest = [image for image in order if image not in judged]
            left = relevant - judged
            out.append((_first(rest, left), _precision(rest, left), _precision(order, relevant)))
        if not order:
            page = _shown_one(engine, name, person, min(relevant))
            judged.add(min(relevant))
        fresh = [image for image in _ids(page) if image not in judged][:STEP]
        if count < max(MARKS) and fresh:
            judged |= set(fresh)
            right = [image for image in fresh if image in relevant]
            wrong = [image for image in fresh if image not in relevant]
            page = engine.react(page, liked=right, disliked=wrong, k=len(engine))
    return out


def _classes(images: Images, route: str) -> dict[str, set[str]]:
    """The class names that go by a route, and the pictures of each."""
    out = {}
    for number, name in enumerate(images.dataset.classes):
        typed = str(name).replace("_", " ")
        own = {images.ids[i] for i in np.flatnonzero(images.labels == number)}
        if own and route_of(typed) == route:
            out[typed] = own
    return out


def _ordered(images: Images, engine: Engine, system: str, name: str) -> Sequence[str]:
    if system == HEAD:
        return _by_head(images, name)
    return _ids(_search(engine, name, "one", ("text:names",) if system == FILES else BLIND))


def _by_head(images: Images, name: str) -> Sequence[str]:
    """By the probabilities of the kinds alone; a name that says nothing leaves all as it is."""
    from saccade.descriptors import classifier

    guesses = classifier.likely(images.vectors_of(classifier.DESCRIPTOR))
    table = evidence.KindTable(guesses.kinds, evidence.coded(guesses.probabilities))
    scores = evidence.fit(lexicon.read(name), table).toward
    return [images.ids[i] for i in np.argsort(-scores, kind="stable")]


def _search(engine: Engine, name: str, person: str, schemes: Sequence[str]) -> Page:
    return engine.search(text=name, user=person, k=len(engine), schemes=schemes)


def _shown_one(engine: Engine, name: str, person: str, image: str) -> Page:
    """The same with a picture, by which a word that nobody knows begins to be taught."""
    schemes = engine.search(image, user=person, k=1).schemes
    return engine.search(
        image, text=name, user=person, k=len(engine), schemes=(*BLIND, *map(str, schemes))
    )


def _ids(page: Page) -> list[str]:
    return [hit.image_id for hit in page.hits]


def _first(order: Sequence[str], relevant: set[str]) -> float:
    return sum(image in relevant for image in order[:FIRST]) / FIRST


def _precision(order: Sequence[str], relevant: set[str]) -> float:
    if not order:
        return 0.0  # a page that says it does not know the word
    return average_precision_of_ranking([int(image in relevant) for image in order])


def _outcome(
    measures: Sequence[str], rows: Sequence[Sequence[float]], queries: Sequence[str]
) -> Outcome:
    columns = list(zip(*rows, strict=True)) or [()] * len(measures)
    return Outcome(
        [Series(m, list(c), queries=queries) for m, c in zip(measures, columns, strict=True)]
    )
