"""What `saccade rank` says and refuses, without a process for each."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from saccade.cli.rank import rank
from saccade.cli.study import study
from saccade.errors import SaccadeError
from saccade.testbed import letor

APP = typer.Typer()
APP.command("rank")(rank)
APP.command("study")(study)


def call(*arguments: object) -> Result:
    return CliRunner().invoke(APP, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files whose grades follow two of four features; one query of each is flat."""
    folder = tmp_path_factory.mktemp("letor")
    rng = np.random.default_rng(0)
    for name in ("train.txt", "vali.txt", "test.txt"):
        phi = rng.standard_normal((120, 4)).astype(np.float32)
        grades = np.digitize(phi[:, 0] - phi[:, 2], [0.5, 1.5])
        grades[:10] = 0
        letor.write(folder / name, phi, grades, np.repeat(np.arange(12), 10))
    (folder / "wide.txt").write_text("1 qid:1 1:1\n0 qid:1 1:1 9:1\n")
    (folder / "flat.txt").write_text("1 qid:1 1:1\n1 qid:1 1:2\n")
    return folder


def test_json_has_measures_seconds_parameters_and_counts(files: Path) -> None:
    """Everything a program wants to know of a run."""
    done = call(
        "rank", "--train", files / "train.txt", "--validate", files / "vali.txt",
        "--test", files / "test.txt", "--ranker", "opar1", "--set", "C=0.01", "--set", "passes=2",
        "--measure", "ndcg@5", "--measure", "p@3", "--measure", "AP", "--json",
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert list(report["measures"]) == ["ndcg@5", "p@3", "map"]
    assert (report["parameters"]["C"], report["parameters"]["passes"]) == (0.01, 2)
    assert report["seconds"].keys() == {"train", "score"}
    assert report["train"]["skipped_queries"] == report["validate"]["skipped_queries"] == 1
    assert report["test"]["queries_without_relevant"] == 1
    assert (report["ranker"], report["scale"], report["features"]) == ("opar1", "standard", 4)


def test_people_get_a_small_table_and_hear_of_skipped_queries(files: Path, tmp_path: Path) -> None:
    """The table has the default measures; a kept model prints the same ones."""
    model = tmp_path / "model"
    done = call(
        "rank", "--train", files / "train.txt", "--test", files / "test.txt", "--save", model
    )
    assert "1 of 12 queries order nothing" in done.stdout
    assert "12 queries, 1 without relevant rows" in done.stdout
    again = call("rank", "--model", model, "--test", files / "test.txt")
    values = [line for line in again.stdout.splitlines() if line.startswith("  ")]
    assert [line.split()[0] for line in values] == ["ndcg@10", "map"]
    assert all(line in done.stdout for line in values)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "either --train FILE"),
        ("--train {}/train.txt", "nothing to do"),
        ("--train {}/train.txt --model {}/m --test {}/test.txt", "either --train FILE"),
        ("--model {}/m --validate {}/vali.txt --test {}/test.txt", "--validate stops"),
        ("--train {}/absent.txt --test {}/test.txt", "absent.txt: no such file"),
        ("--train {}/train.txt --test {}/wide.txt", "wide.txt:2: field '9:1'"),
        ("--train {}/train.txt --test {}/test.txt --ranker lisnet", "did you mean 'listnet'"),
        ("--train {}/train.txt --test {}/test.txt --measure ncdg", "did you mean 'ndcg'"),
        ("--train {}/train.txt --test {}/test.txt --set l2", "expected name=value"),
        ("--train {}/train.txt --test {}/test.txt --set l3=1", "did you mean 'l2'"),
        ("--train {}/train.txt --test {}/test.txt --set l2=abc", "l2 is a number, not 'abc'"),
        ("--train {}/train.txt --test {}/test.txt --set k=1.5", "k is a whole number, not 1.5"),
        ("--train {}/train.txt --test {}/test.txt --set k=true", "k is a whole number"),
        ("--train {}/train.txt --test {}/test.txt --set measure=3", "measure is text"),
        ("--train {}/train.txt --test {}/test.txt --scale log", "no scale 'log'"),
        ("--train {}/train.txt --test {}/test.txt --select 9", "cannot select 9 of 4"),
        ("--model {}/test.txt --score {}/test.txt", "no model that Saccade wrote"),
        ("--train {}/flat.txt --save {}/m", "nothing to learn"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(files: Path, arguments: str, words: str) -> None:
    """Each bad option and file has its own sentence."""
    done = call("rank", *arguments.replace("{}", str(files)).split())
    assert isinstance(done.exception, SaccadeError)
    assert words in str(done.exception)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("wan2051 --data a=b --out o", "did you mean 'wan2015'"),
        ("wan2015", "give --out FOLDER"),
        ("wan2015 --data a=b --data a=c --out o", "is there twice"),
        ("wan2015 --data a=b --out o", "no folder 'b'"),
        ("wan2015 --data folder --out o", "expected NAME=FOLDER"),
        ("wan2015 --data ../up=folder --out o", "expected NAME=FOLDER"),
    ],
)
def test_a_study_that_cannot_start_says_why(arguments: str, words: str) -> None:
    """Unknown studies and data without a name are refused before anything is computed."""
    done = call("study", *arguments.split())
    assert isinstance(done.exception, SaccadeError)
    assert words in str(done.exception)


def test_studies_are_listed() -> None:
    """`saccade study list` names each with its line, `--json` for programs."""
    from saccade.studies import STUDIES

    lines = call("study", "list").output.splitlines()
    assert [line.split()[0] for line in lines] == list(STUDIES)
    assert '"name": "wan2015"' in call("study", "list", "--json").output
