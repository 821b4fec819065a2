"""Which study takes which set, what is drawn, and what stands among distractors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import toy_study
from saccade.errors import InvalidInput, UnknownName
from saccade.studies import session
from saccade.studies.declaration import Data, Experiment, Options
from saccade.studies.results import Results
from saccade.studies.running import Run


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[Data]]]:
    """Studies do not run: what they would run on is written down."""
    found: list[tuple[str, list[Data]]] = []

    def run(study, data, options, **rest):
        found.append((study.name, list(data)))
        return Run(study, options, tuple(data), Results([]), {})

    picky = replace(toy_study.STUDY, name="picky", accepts=lambda dataset: "it is too large")
    studies = {"toy": toy_study.STUDY, "picky": picky}
    monkeypatch.setattr(session, "load", lambda name: studies[name])
    monkeypatch.setattr(session, "run", run)
    monkeypatch.setattr(session, "write", lambda run, out: [out / run.study.name])
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine" / "cat").mkdir(parents=True)
    (tmp_path / "mine" / "cat" / "1.jpg").touch()
    return tmp_path / "mine"


def perform(names: list[str], folders: dict[str, Path], tmp_path: Path, **rest):
    return session.perform(
        names, folders, Options(), out=tmp_path, stores=tmp_path / "stores", **rest
    )


def test_a_newcomers_folder_is_taken_by_its_layout(seen, folder: Path, tmp_path: Path) -> None:
    """`--data mine=FOLDER` is all it needs; its store has its name."""
    perform(["toy"], {"mine": folder}, tmp_path)
    ((_, (data,)),) = seen
    assert (data.name, data.folder, data.drawn) == ("mine", str(folder), False)
    assert data.store == str(tmp_path / "stores" / "mine.saccade")


def test_without_data_a_world_is_drawn(seen, tmp_path: Path) -> None:
    """Into the stores' folder, under the study's name, so that studies do not share one."""
    perform(["toy"], {}, tmp_path)
    ((_, (data,)),) = seen
    assert data.drawn
    assert Path(data.folder) == tmp_path / "stores" / "toy-world"
    assert Path(data.folder).is_dir()
    assert Path(data.store).parent.name == "toy"


def test_a_set_that_does_not_fit_is_refused_alone_and_passed_over_among_many(
    seen, folder: Path, tmp_path: Path
) -> None:
    """Asked for alone, a study says why it cannot; among several it draws its own, with a word."""
    with pytest.raises(InvalidInput, match="picky cannot use mine: it is too large"):
        perform(["picky"], {"mine": folder}, tmp_path)
    said: list[str] = []
    perform(["toy", "picky"], {"mine": folder}, tmp_path, say=said.append)
    assert "picky does not use mine: it is too large" in said
    assert [(name, data[0].drawn) for name, data in seen] == [("toy", False), ("picky", True)]


def test_distractors_make_another_set(
    seen, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A study that compares has both, another only the set among distractors; none given, drawn."""
    perform(["toy"], {"mine": folder}, tmp_path, distractors=[str(tmp_path)])
    assert [one.name for one in seen[-1][1]] == ["mine-among"]
    first, second = toy_study.STUDY.experiments
    drawn: list[Path] = []
    compares = replace(
        toy_study.STUDY, experiments=(first, replace(second, among=True)),
        crowd=lambda folder, options: drawn.append(folder),
    )  # fmt: skip
    monkeypatch.setattr(session, "load", lambda name: compares)
    perform(["toy"], {"mine": folder}, tmp_path)
    plain, among = seen[-1][1]
    assert (plain.name, plain.distractors) == ("mine", ())
    assert among.distractors == (str(drawn[0]),)
    assert among.base == plain.store
    assert among.store != plain.store


def test_distractors_can_be_drawn(seen, folder: Path, tmp_path: Path) -> None:
    """`drawn:N` is a world of N pictures; anything else after `drawn:` is refused."""
    perform(["toy"], {"mine": folder}, tmp_path, distractors=["drawn:2"])
    (drawn,) = seen[-1][1][0].distractors
    assert len(list(Path(drawn).rglob("*.jpg"))) == 2
    perform(["toy"], {"mine": folder}, tmp_path, distractors=["drawn:2", "perturbed:70"])
    among = seen[-1][1][0]
    assert (among.distractors, among.folders) == ((drawn, "perturbed:70"), (drawn,))
    assert among.perturbed == 70
    with pytest.raises(InvalidInput, match="distractors 'drawn:many'"):
        perform(["toy"], {"mine": folder}, tmp_path, distractors=["drawn:many"])


def test_some_experiments_can_be_run_alone(seen, folder: Path, tmp_path: Path) -> None:
    """By name; a name that is none is refused before anything runs."""
    narrowed = session._narrowed(toy_study.STUDY, ["curve"], [])
    assert [one.name for one in narrowed.experiments] == ["curve"]
    with pytest.raises(UnknownName, match="no experiment of toy 'tabel'; did you mean 'table'"):
        perform(["toy"], {"mine": folder}, tmp_path, only=["tabel"])
    assert not seen


def test_some_systems_can_be_compared_alone(seen, folder: Path, tmp_path: Path) -> None:
    """By name, with the one they are tested against; experiments left with none are not run."""
    plain = Experiment(
        "table", "Table", toy_study.table, systems=("a", "b", "c"), measures=("map",), baseline="a",
        quick={"systems": ("a", "c"), "parts": ("one",)},
    )  # fmt: skip
    second = Experiment("curve", "Curve", toy_study.curve, systems=("b",), measures=("loss",))
    study = replace(toy_study.STUDY, experiments=(plain, second))
    (kept,) = session._narrowed(study, [], ["c"]).experiments
    assert (kept.name, kept.systems) == ("table", ("a", "c"))
    assert kept.sized(Options(quick=True)).systems == ("a", "c")
    assert session._narrowed(study, [], ["b"]).experiments[0].quick["systems"] == ("a",)
    with pytest.raises(UnknownName, match="no system of toy 'lerned'; did you mean 'learned'"):
        perform(["toy"], {"mine": folder}, tmp_path, systems=["lerned"])
    assert not seen
    perform(["toy"], {"mine": folder}, tmp_path, systems=["learned"])
    assert len(seen) == 1
