"""Every study bites: with its learner broken, a claim that stood before does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from saccade.choosers.hedge import Hedge
from saccade.engine import Engine
from saccade.rankers.hybrid import Hybrid
from saccade.rankers.multiple_instance import MultipleInstance
from saccade.rankers.online import FirstOrder
from saccade.studies import collection
from saccade.studies.aly2011 import claims as aly
from saccade.studies.aly2011 import figures as aly_figures
from saccade.studies.aly2011.selection import Answers
from saccade.studies.chen2015 import accuracy
from saccade.studies.chen2015 import claims as chen
from saccade.studies.chen2015.pictures import Pictures
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.edges import ChosenSettings
from saccade.studies.feedback import claims as feedback
from saccade.studies.feedback import parts as feedback_parts
from saccade.studies.feedback.systems import NONE, PEERS, PRODUCT, Product
from saccade.studies.hu2008 import claims as hu
from saccade.studies.hu2008 import ranking
from saccade.studies.hu2008.pictures import Plan
from saccade.studies.hu2008.regions import DescribedPicture
from saccade.studies.li2012 import claims as li
from saccade.studies.li2012 import figures as li_figures
from saccade.studies.li2012 import lists as li_lists
from saccade.studies.results import Part, Results
from saccade.studies.verdicts import Verdict
from saccade.studies.wan2015 import claims as wan
from saccade.studies.wan2015 import table2
from saccade.studies.words import claims as words
from saccade.studies.words import parts as words_parts
from toy_images import toy_images

DATA, QUICK = Data("toy", "", ""), Options(quick=True)
Measure = Callable[[Task], Outcome]


def measured(
    experiment: str, measure: Measure, systems: Sequence[str], *, measures: tuple[str, ...] = (),
    parts: Sequence[str] = ("all",), seeds: int = 1,
) -> list[Part]:  # fmt: skip
    """Every part of an experiment, in this process."""
    tasks = [
        Task("toy", experiment, "", system, DATA, seed, part, measures, QUICK)
        for system in systems
        for part in parts
        for seed in range(seeds)
    ]
    return [Part(task, measure(task)) for task in tasks]


def falls(verdict: Verdict, broken: Verdict) -> None:
    """The claim stood, and does not with the learner broken."""
    assert verdict.kind == "holds", verdict
    assert broken.kind == "does not hold", broken
    assert broken.effect < verdict.effect


# -- chen2015 --------------------------------------------------------------------------------------


def kinds() -> Pictures:
    """Pictures of six kinds; eight attributes go with the kind."""
    rng = np.random.default_rng(0)
    kind = np.repeat(np.arange(6), 50)
    rows = rng.normal(size=(6, 40))[kind] + 1.5 * rng.normal(size=(300, 40))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    strengths = {f"attribute {n}": rng.permutation(6)[kind] for n in range(8)}
    return Pictures(rows, rows, np.array([f"k{k}" for k in kind]), strengths)


@pytest.mark.parametrize("sign", [-1.0, 0.0], ids=["flipped", "zero"])
def test_chen2015_bites(monkeypatch: pytest.MonkeyPatch, sign: float) -> None:
    """Hybrid ranking above a pointwise learner, and below it with its scores turned round."""
    pictures = kinds()

    def table(task: Task) -> Outcome:
        found, _ = accuracy.one_round(
            task.system, pictures, {}, points=10, pairs=100, seed=(0,), number=task.seed
        )
        series = Series("accuracy", list(found.values()), queries=list(found))
        return Outcome([series], {"points": 10, "pairs": 100})

    monkeypatch.setattr(chen, "BASELINES", ("pointwise",))
    monkeypatch.setattr(chen.printed, "SYSTEMS", ("hybrid", "pointwise"))

    def judged() -> Verdict:
        parts = measured("table-1", table, ("hybrid", "pointwise"), seeds=2)
        return chen.hybrid_leads(Results(parts))

    before = judged()
    score = Hybrid.score
    monkeypatch.setattr(Hybrid, "score", lambda self, phi: np.float32(sign) * score(self, phi))
    falls(before, judged())


# -- aly2011 ---------------------------------------------------------------------------------------


def answers() -> Answers:
    """Twenty experts of which four are good, on 120 probes."""
    rng = np.random.default_rng(0)
    chances = np.where(np.arange(20) % 5 == 0, 0.9, 0.3)
    truth = rng.integers(0, 50, 120)
    ranks = np.where(rng.random((120, 20)) < chances, 1, 60)
    # No list names a row twice.
    rows = np.stack([rng.integers(low, low + 10, (120, 20)) for low in (50, 60, 70)], axis=2)
    rows[..., 0] = np.where(ranks == 1, truth[:, None], rows[..., 0])
    scores = np.broadcast_to(np.array([1.0, 0.5, 0.2], np.float32), rows.shape)
    return Answers(aly_figures.EXPERTS, ranks, rows, scores, truth)


def test_aly2011_bites(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hedge's weights go with performance, and against it where it charges the losses reversed."""
    given = answers()
    notes = {"files": [f"{n}.jpg" for n in range(120)]}
    monkeypatch.setattr(aly_figures, "load", lambda data, options: (given, notes))

    def judged() -> Verdict:
        ways = ("hedge(0.1) rank", "exp3(0.1) rank")
        parts = measured("figures-4-6", aly_figures.offline, ways, seeds=8)
        parts += measured("figure-3", aly_figures.experts, aly_figures.EXPERTS)
        return aly.weights_tell(Results(parts))

    before = judged()
    update = Hedge.update
    monkeypatch.setattr(Hedge, "update", lambda self, losses: update(self, 1.0 - losses))
    falls(before, judged())


# -- hu2008 ----------------------------------------------------------------------------------------


def test_hu2008_bites(monkeypatch: pytest.MonkeyPatch) -> None:
    """All three learn what is good, and none does where what they say is turned round."""
    rng = np.random.default_rng(0)
    concepts: dict[str, tuple[DescribedPicture, ...]] = {}
    for name in "abcdefg":
        pictures = []
        for number in range(24):
            grade = 1 + int(rng.integers(3))
            rows = rng.standard_normal((4, 5)).astype(np.float32)
            rows[:, 0] += 1.5 * (grade - 1)
            pictures.append(
                DescribedPicture(
                    plan=Plan(name, grade, f"{number:02d}.jpg"), rows=rows, whole=rows.mean(0),
                    crops=rows, areas=np.full(4, 0.25), inside=np.zeros(0), salient=0.0,
                    thing=0.0,
                )
            )  # fmt: skip
        concepts[name] = tuple(pictures)
    monkeypatch.setattr(ranking, "load", lambda data, options: concepts)
    monkeypatch.setattr(ranking, "grid", lambda *, quick: {"costs": (1.0,), "widths": (1.0,)})

    def judged() -> Verdict:
        systems = ("given", "mi-average", "mi-max", "mi-softmax")
        return hu.learning_pays(Results(measured("table-1", ranking.table, systems)))

    before = judged()
    score = MultipleInstance.score_bags
    monkeypatch.setattr(MultipleInstance, "score_bags", lambda self, bags: -score(self, bags))
    falls(before, judged())


# -- wan2015 and li2012 ----------------------------------------------------------------------------


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Images whose φ has two schemes that know the class and one loud one that does not."""
    images = toy_images()
    monkeypatch.setattr(collection, "_images", lambda data, options: images)
    caches = (table2._split, li_lists.lists)
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.parametrize("sign", [-1.0, 0.0], ids=["flipped", "zero"])
def test_wan2015_bites(toy: None, monkeypatch: pytest.MonkeyPatch, sign: float) -> None:
    """Online learners beat both heuristics, and fall below them with their weights turned round."""

    def judged() -> Verdict:
        systems = ("best-scheme", "uniform", "opar1", "ogdr")
        folds = [f"fold {n}" for n in range(1, 6)]
        return wan.learning_pays(Results(measured("table-2", table2.measure, systems, parts=folds)))

    before = judged()
    score = FirstOrder.score
    monkeypatch.setattr(FirstOrder, "score", lambda self, phi: np.float32(sign) * score(self, phi))
    falls(before, judged())


def test_li2012_bites(toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Learners beat one model by a tenth, and not where their labels are shuffled."""
    monkeypatch.setattr(
        li_figures, "chosen", lambda learner, train, validate: ChosenSettings({}, {})
    )

    def judged() -> Verdict:
        systems = (li_figures.VSM, "Total ranksvm", "Total listnet")
        folds = ("fold 1", "fold 2")
        parts = measured("figures-2-4", li_figures.measure, systems, measures=("map",), parts=folds)
        return li.learning_beats_vsm(Results(parts))

    before = judged()
    whole = li_figures.lists

    def shuffled(*args: Any) -> li_lists.LearningLists:
        fold = whole(*args)
        rng = np.random.default_rng(0)
        return replace(
            fold,
            train=(fold.train[0], rng.permutation(fold.train[1]), fold.train[2]),
            validate=(fold.validate[0], rng.permutation(fold.validate[1]), fold.validate[2]),
        )

    monkeypatch.setattr(li_figures, "lists", shuffled)
    falls(before, judged())


# -- feedback and words ----------------------------------------------------------------------------


@pytest.fixture
def drawn(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """A small drawn world through the engine, as the studies see it."""
    records = engine.images()
    names = sorted({Path(record.paths[0]).parent.name for record in records})
    images = SimpleNamespace(
        ids=tuple(record.image_id for record in records),
        paths=tuple(record.paths[0] for record in records),
        labels=np.array([names.index(Path(record.paths[0]).parent.name) for record in records]),
        dataset=SimpleNamespace(classes=names),
    )

    @contextmanager
    def given(what: Any) -> Iterator[Any]:
        yield what

    for module in (feedback_parts, words_parts):
        monkeypatch.setattr(module, "opened", lambda data, options: given(images))
        monkeypatch.setattr(module, "copied", lambda store: given(engine))
    return engine


def test_feedback_bites(drawn: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Truthful answers pay, and cost where every mark is taken for its opposite."""
    monkeypatch.setattr(feedback, "PEERS", ())
    monkeypatch.setattr(feedback_parts, "ROUNDS", 1)

    def judged() -> Verdict:
        feedback_parts._sessions.cache_clear()
        parts = measured("sessions", feedback_parts.sessions, (PRODUCT, NONE), parts=("right",))
        return feedback.truthful_pays(Results(parts))

    assert PEERS
    before = judged()
    judge = Product.judge
    monkeypatch.setattr(
        Product, "judge", lambda self, liked, disliked: judge(self, disliked, liked)
    )
    falls(before, judged())
    feedback_parts._sessions.cache_clear()


def test_words_bite(drawn: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks put a guess right, and more wrong where each is taken for its opposite."""
    monkeypatch.setattr(words_parts, "MARKS", (0, 5))
    monkeypatch.setattr(words, "MARKS", (0, 5))

    def judged() -> Verdict:
        parts = measured("marks", words_parts.marks, (words_parts.PRODUCT,),
                         parts=words_parts.ROUTES)  # fmt: skip
        return words.marks_teach(Results(parts))

    before = judged()
    react = drawn.react
    monkeypatch.setattr(
        drawn, "react",
        lambda page, liked, disliked, k: react(page, liked=disliked, disliked=liked, k=k),
    )  # fmt: skip
    broken = judged()
    assert before.kind == "holds", before
    assert broken.kind != "holds", broken
    assert broken.effect < 0 < before.effect
