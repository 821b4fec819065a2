from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import InvalidInput, NotFound, UnknownName
from saccade.rankers import make
from saccade.rankers.pipeline import Pipeline, open_model, save
from saccade.rankers.scaling import Scaling


def _rows(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    phi = (rng.standard_normal((120, 5)) * [1, 100, 1, 1, 1]).astype(np.float32)
    return phi, (phi[:, 0] + phi[:, 1] / 100 > 0.5).astype(int), np.repeat(np.arange(10), 12)


@pytest.mark.parametrize("name", ["listnet", "opar1", "lambdamart", "prank"])
@pytest.mark.parametrize("scale", ["standard", "query", "none"])
@pytest.mark.parametrize("select", [None, "3", "pca:2"])
def test_a_model_on_disk_scores_as_the_one_in_memory(
    tmp_path: Path, name: str, scale: str, select: str | None
) -> None:
    """Scaling, selection and ranker come back bit for bit."""
    model = Pipeline(make(name), scale=scale, select=select)
    model.fit(*_rows())
    save(tmp_path / "model", model)
    phi, _, groups = _rows(1)
    again = open_model(tmp_path / "model")
    assert np.array_equal(again.score(phi, groups), model.score(phi, groups))
    assert again.width == 5


@pytest.mark.parametrize("select", [None, "3"])
def test_validation_rows_are_prepared_as_the_training_rows_are(select: str | None) -> None:
    """The ranker sees them scaled and selected: as if it had been fitted on prepared rows."""
    training, seen = _rows(), _rows(2)
    seen = (*seen[:1], 1 - seen[1], seen[2])  # the best iterate for these is an early one
    model = Pipeline(make("listnet"), select=select).fit(*training, validation=seen)
    prepared = [Scaling().fit(training[0]).transform(p[0], p[2]) for p in (training, seen)]
    if select:
        chosen = model.selector.chosen
        prepared = [rows[:, chosen] for rows in prepared]
    direct, blind = make("listnet"), make("listnet")
    direct.fit(prepared[0], *training[1:], validation=(prepared[1], *seen[1:]))
    blind.fit(prepared[0], *training[1:])
    assert np.array_equal(model.ranker.weights, direct.weights)
    assert not np.array_equal(blind.weights, direct.weights)


def test_a_model_file_holds_a_line_of_json_and_plain_arrays(tmp_path: Path) -> None:
    """Anyone can read it without Saccade, and nothing in it runs."""
    model = Pipeline(make("listnet"))
    model.fit(*_rows())
    save(tmp_path / "model.npz", model)
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        head = json.loads(file["head"].tobytes())
        assert head["spec"]["ranker"]["kind"] == "listnet"
        assert file["ranker.parameters"].shape == (5,)
    assert [path.name for path in tmp_path.iterdir()] == ["model.npz"]


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    """Text, other archives, other versions and broken heads each get a sentence with the name."""
    path = tmp_path / "thing"
    with pytest.raises(NotFound, match="no such model"):
        open_model(path)
    path.write_text("1 qid:1 1:2\n")
    with pytest.raises(InvalidInput, match="thing is no model"):
        open_model(path)
    for arrays in (
        {"x": np.zeros(3)},
        {"head": np.frombuffer(b"not json", np.uint8)},
        {"head": np.frombuffer(b"[1]", np.uint8)},
        {"head": np.frombuffer(b'{"saccade": 1}', np.uint8)},
        {"head": np.frombuffer(b'{"saccade": 1, "kind": "pipeline", "spec": {}}', np.uint8)},
    ):
        with path.open("wb") as file:
            np.savez(file, **arrays)
        with pytest.raises(InvalidInput, match="thing is no model"):
            open_model(path)
    with path.open("wb") as file:
        np.savez(file, head=np.frombuffer(b'{"saccade": 99}', np.uint8))
    with pytest.raises(InvalidInput, match="model format 99"):
        open_model(path)
    np.save(tmp_path / "array.npy", np.zeros(3))
    with pytest.raises(InvalidInput, match="no model"):
        open_model(tmp_path / "array.npy")
    model = Pipeline(make("listnet"))
    with pytest.raises(NotFound, match="no such folder"):
        save(tmp_path / "nowhere" / "model", model)


def test_standard_scores_are_of_the_training_rows() -> None:
    """New rows are scaled by what the training rows had; a constant feature becomes 0."""
    scaling = Scaling(kind="standard")
    scaling.fit(np.array([[0.0, 7.0], [2.0, 7.0]]))
    assert scaling.transform(np.array([[4.0, 9.0]]), [0]).tolist() == [[3.0, 0.0]]


def test_scaling_within_queries_spans_each_from_0_to_1() -> None:
    """A query's features go from 0 to 1, its rows together or not; constants are 0."""
    phi = np.array([[1.0, 5.0], [10.0, 5.0], [3.0, 5.0], [20.0, 5.0], [2.0, 5.0]])
    scaled = Scaling(kind="query").transform(phi, np.array([1, 2, 1, 2, 1]))
    assert scaled.tolist() == [[0, 0], [0, 0], [1, 0], [1, 0], [0.5, 0]]


def test_bad_scalings_are_refused() -> None:
    """An unknown kind, and scaling before fitting."""
    with pytest.raises(UnknownName, match="did you mean 'standard'"):
        Scaling(kind="standart")
    with pytest.raises(InvalidInput, match="fit it"):
        Scaling().transform(np.zeros((1, 2)), [0])


def test_validation_rows_go_through_the_same_preparation() -> None:
    """Stopping early works on raw validation rows of the same width."""
    model = Pipeline(make("listnet"), select="2")
    model.fit(*_rows(), validation=_rows(1))
    assert model.score(*_rows(2)[::2]).shape == (120,)
