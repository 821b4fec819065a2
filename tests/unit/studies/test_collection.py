"""A labelled folder becomes classes and φ."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from saccade.errors import UnknownName
from saccade.studies import collection


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three red and three blue pictures in a folder each, one of the blue ones twice."""
    rng = np.random.default_rng(0)
    for name, colour in (("red", (200, 30, 30)), ("blue", (30, 30, 200))):
        (tmp_path / "set" / name).mkdir(parents=True)
        for number in range(3):
            pixels = np.clip(np.array(colour) + rng.integers(-25, 25, (48, 64, 3)), 0, 255)
            Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / "set" / name / f"{number}.png")
    copy = tmp_path / "set" / "blue" / "copy.png"
    copy.write_bytes((tmp_path / "set" / "blue" / "0.png").read_bytes())
    return tmp_path / "set"


def test_images_classes_and_phi_belong_together(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A picture is nearer to its own class by colour; the same bytes twice are one image."""
    monkeypatch.setattr(collection, "CLASSICAL", ("color-histogram",))
    said: list[str] = []
    for _ in range(2):  # the second time the store is there already
        with collection.indexed(
            folder, tmp_path / "s.saccade", descriptors="classical", say=said.append
        ) as images:
            assert len(images.labels) == len(images.paths) == 6
            assert images.schemes == tuple(
                f"color-histogram:{similarity}" for similarity in ("l1", "l2", "cosine", "chi2")
            )
            classes = np.array([path.split("/")[0] for path in images.paths])
            for image in range(6):
                phi = images.phi_of(image)
                assert phi.shape == (6, 4)
                others = np.arange(6) != image
                same = (images.labels == images.labels[image]) & others
                assert (phi[same].min(0) > phi[others & ~same].max(0)).all()
                assert (classes[same] == classes[image]).all()
    assert len(said) == 2


def test_an_unknown_set_of_descriptors_is_refused(folder: Path, tmp_path: Path) -> None:
    """Before anything is indexed."""
    with (
        pytest.raises(UnknownName, match="did you mean 'classical'"),
        collection.indexed(folder, tmp_path / "s", descriptors="clasical", say=print),
    ):
        pass
    assert not (tmp_path / "s").exists()
