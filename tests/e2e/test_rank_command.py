"""`saccade rank` from files to measures, as a person types it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from saccade.testbed import letor, measures

SACCADE = Path(sys.executable).with_name("saccade")


def rank(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(SACCADE), "rank", *map(str, arguments)], capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files whose grades follow two of four features; one query of each is flat."""
    folder = tmp_path_factory.mktemp("letor")
    rng = np.random.default_rng(0)
    for name in ("train.txt", "vali.txt.gz", "test.txt"):
        phi = rng.standard_normal((120, 4)).astype(np.float32)
        grades = np.digitize(phi[:, 0] - phi[:, 2], [0.5, 1.5])
        grades[:10] = 0
        letor.write(folder / name, phi, grades, np.repeat(np.arange(12), 10))
    return folder


def test_a_model_is_learned_judged_kept_and_used(files: Path, tmp_path: Path) -> None:
    """`--save` keeps it; `--model --score` gives one score a line, in the order of the file."""
    model = tmp_path / "model.npz"
    learned = rank(
        "--train", files / "train.txt", "--validate", files / "vali.txt.gz",
        "--test", files / "test.txt", "--ranker", "listnet", "--set", "l2=0.01", "--select", 2,
        "--measure", "ndcg@5", "--measure", "AP", "--save", model, "--json",
    )  # fmt: skip
    assert learned.returncode == 0, learned.stderr
    report = json.loads(learned.stdout)
    assert list(report["measures"]) == ["ndcg@5", "map"]
    assert report["measures"]["ndcg@5"] > 0.8
    scored = rank("--model", model, "--score", files / "test.txt")
    assert scored.returncode == 0, scored.stderr
    scores = np.array([float(line) for line in scored.stdout.split()])
    data = letor.read(files / "test.txt")
    again = measures.evaluate(["ndcg@5", "map"], scores, data.grades, data.groups)
    assert again.mean == pytest.approx(report["measures"])


def test_what_cannot_be_done_is_one_sentence_and_an_exit_code(files: Path) -> None:
    """A test file with a feature that the model does not know is named with its line."""
    (files / "wide.txt").write_text("1 qid:1 1:1\n0 qid:1 1:1 9:1\n")
    done = rank("--train", files / "train.txt", "--test", files / "wide.txt")
    assert done.returncode == 2
    assert done.stderr.startswith("saccade: ")
    assert "wide.txt:2: field '9:1'" in done.stderr
    assert done.stdout == ""
