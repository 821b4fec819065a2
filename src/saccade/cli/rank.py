"""`saccade rank`: learning to rank with LETOR files."""

from __future__ import annotations

import json as jsonlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict

import typer

from saccade.cli.common import Json, print_json
from saccade.errors import InvalidInput

if TYPE_CHECKING:
    from saccade.rankers.pipeline import Pipeline
    from saccade.testbed.letor import Letor

DEFAULT_MEASURES = ("ndcg@10", "map")


class LearnedFile(TypedDict):
    """Rows and queries of a file, and the queries that teach nothing."""

    file: str
    rows: int
    queries: int
    skipped_queries: int


class JudgedFile(TypedDict):
    """Rows and queries of a file that a model was judged on."""

    file: str
    rows: int
    queries: int
    queries_without_relevant: int
    queries_without_pairs: int


class RankReport(TypedDict):
    """What is to be said about a model, and what it was used for."""

    ranker: str
    parameters: dict[str, object]
    scale: str
    select: str | None
    features: int | None
    seconds: dict[str, float]
    model: NotRequired[str]
    train: NotRequired[LearnedFile]
    validate: NotRequired[LearnedFile]
    test: NotRequired[JudgedFile]
    measures: NotRequired[dict[str, float]]
    scores: NotRequired[list[float]]
    saved: NotRequired[str]


def rank(
    train: Path | None = typer.Option(None, "--train", help="LETOR file to learn from."),
    validate: Path | None = typer.Option(
        None, "--validate", help="LETOR file that says when to stop learning."
    ),
    test: Path | None = typer.Option(None, "--test", help="LETOR file to judge the ranker on."),
    ranker: str = typer.Option("listnet", "--ranker", help="Which ranker learns."),
    set: list[str] = typer.Option([], "--set", help="A setting of the ranker, such as C=0.1."),
    scale: str = typer.Option("standard", "--scale", help="standard, query or none."),
    select: str | None = typer.Option(
        None, "--select", help="Keep this many features; pca:K for K principal axes."
    ),
    measure: list[str] = typer.Option(
        [], "--measure", help="ndcg@10, ndcg-letor@10, map, p@20, rr, err@10, …; repeat for more."
    ),
    save: Path | None = typer.Option(None, "--save", help="Keep the model in this file."),
    model: Path | None = typer.Option(None, "--model", help="Use a kept model instead of --train."),
    score: Path | None = typer.Option(
        None, "--score", help="LETOR file whose rows are scored, one score per line."
    ),
    json: bool = Json,
) -> None:
    """Learn to rank from LETOR files (svmlight lines with qid, plain or gzipped)."""
    from saccade.rankers.objective import Measure

    _check_options(train=train, model=model, validate=validate, test=test, score=score, save=save)
    names = [str(Measure.parse(text)) for text in measure or DEFAULT_MEASURES]
    if model is not None:
        from saccade.rankers.pipeline import open_model

        pipeline = open_model(model)
        report = _description(pipeline)
        report["model"] = str(model)
    else:
        assert train is not None
        pipeline, report = _learned(train, validate, ranker, _settings(set), scale, select)
    if test is not None:
        _judge(pipeline, test, names, report)
    if save is not None:
        from saccade.rankers.pipeline import save as write

        write(save, pipeline)
        report["saved"] = str(save)
    if score is not None:
        _score(pipeline, score, report)
    if json:
        print_json(report)
    else:
        _print(report)


def _check_options(**options: Path | None) -> None:
    if (options["train"] is None) == (options["model"] is None):
        raise InvalidInput(
            "give either --train FILE to learn, or --model FILE to use what was kept"
        )
    if options["model"] is not None and options["validate"] is not None:
        raise InvalidInput("--validate stops learning early: it needs --train, not --model")
    if all(options[name] is None for name in ("test", "score", "save")):
        raise InvalidInput("nothing to do", hint="add --test FILE, --score FILE or --save MODEL")


def _settings(texts: list[str]) -> dict[str, object]:
    """`name=value` texts; values are numbers, true, false or plain text."""
    settings: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise InvalidInput(f"--set {text!r}: expected name=value, such as C=0.1")
        try:
            settings[name] = jsonlib.loads(value)
        except jsonlib.JSONDecodeError:
            settings[name] = value
    return settings


def _check_types(
    ranker: str, settings: Mapping[str, object], defaults: Mapping[str, object]
) -> None:
    """A value must be of its default's kind; an unknown name is left to the ranker to refuse."""
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
    for name, value in settings.items():
        kind = type(defaults.get(name))
        fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
        if kind in kinds and (not fits or (kind is not bool and isinstance(value, bool))):
            raise InvalidInput(f"{ranker}: {name} is {kinds[kind]}, not {value!r}")


def _learned(
    train: Path,
    validate: Path | None,
    ranker: str,
    settings: dict[str, object],
    scale: str,
    select: str | None,
) -> tuple[Pipeline, RankReport]:
    """A fitted pipeline, and what is to be said about it."""
    from saccade import rankers
    from saccade.rankers.pipeline import Pipeline
    from saccade.testbed import letor

    _check_types(ranker, settings, rankers.parameters(ranker))
    pipeline = Pipeline(
        rankers.as_ranker(rankers.make(ranker, **settings)), scale=scale, select=select
    )
    data = letor.read(train)
    width = data.phi.shape[1]
    other = None if validate is None else letor.read(validate, features=width)
    began = time.perf_counter()
    pipeline.fit(
        data.phi, data.grades, data.groups,
        validation=None if other is None else (other.phi, other.grades, other.groups),
    )  # fmt: skip
    report = _description(pipeline)
    report["seconds"]["train"] = time.perf_counter() - began
    report["train"] = _counts(train, data)
    if validate is not None and other is not None:
        report["validate"] = _counts(validate, other)
    return pipeline, report


def _description(pipeline: Pipeline) -> RankReport:
    """Ranker, its settings and the preparation of features."""
    spec = pipeline.ranker.dump().spec
    return {
        "ranker": pipeline.ranker.name,
        "parameters": dict(spec.get("settings", spec.get("parameters", spec))),
        "scale": pipeline.scaling.kind,
        "select": None if pipeline.selector is None else pipeline.selector.name,
        "features": pipeline.width,
        "seconds": {},
    }


def _counts(path: Path, data: Letor) -> LearnedFile:
    from saccade.rankers.checked import queries

    skipped = queries(data.phi[:, :1], data.grades, data.groups).skipped
    return {
        "file": str(path),
        "rows": len(data.grades),
        "queries": len(data.queries),
        "skipped_queries": skipped,
    }


def _judge(pipeline: Pipeline, path: Path, names: list[str], report: RankReport) -> None:
    from saccade.testbed import letor
    from saccade.testbed.measures import evaluate

    data = letor.read(path, features=pipeline.width or 0)
    began = time.perf_counter()
    scores = pipeline.score(data.phi, data.groups)
    report["seconds"]["score"] = time.perf_counter() - began
    judged = evaluate(names, scores, data.grades, data.groups)
    report["test"] = {
        "file": str(path),
        "rows": len(data.grades),
        "queries": len(judged.queries),
        "queries_without_relevant": judged.without_relevant,
        "queries_without_pairs": judged.without_pairs,
    }
    report["measures"] = judged.mean


def _score(pipeline: Pipeline, path: Path, report: RankReport) -> None:
    """Score query after query, so that a file of any size needs little memory."""
    from saccade.testbed import letor

    scores: list[float] = []
    seconds = 0.0
    for query in letor.stream(path, features=pipeline.width or 0):
        began = time.perf_counter()
        scores.extend(pipeline.score(query.phi, query.groups).tolist())
        seconds += time.perf_counter() - began
    report["scores"] = scores
    report["seconds"]["score"] = seconds


def _print(report: RankReport) -> None:
    """For people: measures as a small table; scores alone when they were asked for."""
    if "scores" in report:
        for value in report["scores"]:
            print(repr(value))
        return
    for name, part in (("train", report.get("train")), ("validate", report.get("validate"))):
        if part is not None and part["skipped_queries"]:
            skipped, queries = part["skipped_queries"], part["queries"]
            print(f"{name}: {skipped} of {queries} queries order nothing and were left out")
    if "measures" in report and "test" in report:
        empty, queries = report["test"]["queries_without_relevant"], report["test"]["queries"]
        note = f", {empty} without relevant rows count as 0" if empty else ""
        print(f"{report['ranker']} on {report['test']['file']}: {queries} queries{note}")
        for name, value in report["measures"].items():
            print(f"  {name:<16} {value:.4f}")
    if "saved" in report:
        print(f"saved {report['saved']}")
