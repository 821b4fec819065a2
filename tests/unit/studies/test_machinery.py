"""Studies run in parallel, go on after an interrupt, and write what they found."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import toy_study
from saccade.errors import InvalidInput, SaccadeError, UnknownName
from saccade.studies import STUDIES, edges, kept, load, report, running, tables
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.machine import commit
from saccade.studies.page import remarks
from saccade.studies.results import Part, Results
from saccade.studies.running import Run, run
from saccade.studies.verdicts import Findings, each_set

SUPPORT = str(Path(toy_study.__file__).parent)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Data:
    """A set for the toy study, whose module workers can find."""
    monkeypatch.setenv("PYTHONPATH", SUPPORT, prepend=":")
    (tmp_path / "data").mkdir()
    return Data("set", str(tmp_path / "data"), str(tmp_path / "set.saccade"))


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The toy study, run once for the tests that only look at it."""
    folder = tmp_path_factory.mktemp("toy")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", SUPPORT, prepend=":")
        one = Data("set", str(folder), str(folder / "set.saccade"))
        return run(toy_study.STUDY, [one], toy_study.OPTIONS, out=folder / "out", workers=1)


def ran(data: Data) -> list[str]:
    log = Path(data.folder, "ran.txt")
    return log.read_text().splitlines() if log.exists() else []


def test_every_system_part_and_seed_is_measured_once(data: Data, tmp_path: Path) -> None:
    """Systems × parts × seeds, each in a worker; a second run measures nothing."""
    done = run(toy_study.STUDY, [data], toy_study.OPTIONS, out=tmp_path, workers=2)
    keys = ran(data)
    assert len(keys) == len(set(keys)) == 2 * 2 * 2 + 2
    assert {part.task.seed for part in done.results.parts} == {3, 4}
    again = run(toy_study.STUDY, [data], toy_study.OPTIONS, out=tmp_path, workers=2)
    assert ran(data) == keys
    assert report.as_json(again) == report.as_json(done)


def test_an_interrupt_loses_no_finished_part(data: Data, tmp_path: Path) -> None:
    """What was done before Ctrl-C is not done again, and the result is that of a run in one go."""

    def stop(done: int, total: int, last: str) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(toy_study.STUDY, [data], toy_study.OPTIONS, out=tmp_path, workers=1, step=stop)
    finished = ran(data)[:3]
    said: list[str] = []
    broken = run(
        toy_study.STUDY, [data], toy_study.OPTIONS, out=tmp_path, workers=1, say=said.append
    )
    assert said == ["toy: 3 of 10 parts are there already"]
    assert all(ran(data).count(key) == 1 for key in finished)
    whole = run(toy_study.STUDY, [data], toy_study.OPTIONS, out=tmp_path / "other", workers=1)
    records = [report.as_json(broken), report.as_json(whole)]
    for record in records:  # how busy the machine was is another matter each time
        assert 0 <= record["experiments"]["curve"].pop("load") <= 1
        assert record["experiments"]["table"].pop("load") is None
    assert records[0] == records[1]


def test_parts_of_other_code_options_or_broken_files_are_measured_again(
    data: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kept part counts only when everything it depends on is the same."""
    quick = Options(quick=True)
    run(toy_study.STUDY, [data], quick, out=tmp_path, workers=1)
    count = len(ran(data))
    run(toy_study.STUDY, [data], replace(quick, phi="anchored"), out=tmp_path, workers=1)
    assert len(ran(data)) == 2 * count
    for file in (tmp_path / "toy" / "parts").iterdir():
        file.write_text("{")
    run(toy_study.STUDY, [data], quick, out=tmp_path, workers=1)
    assert len(ran(data)) == 3 * count
    monkeypatch.setattr(running, "code", lambda: "other")
    monkeypatch.setattr(running, "commit", lambda: "later")
    trusting = run(toy_study.STUDY, [data], quick, out=tmp_path, workers=1, trust=True)
    assert len(ran(data)) == 3 * count
    assert "later" not in trusting.commits
    assert report.as_json(trusting)["commit"] == trusting.commits[0] == commit()
    # Those of both runs: which of them a folder lists first is its own affair.
    for part in (tmp_path / "toy" / "parts").glob("curve-*"):
        part.unlink()
    mixed = run(toy_study.STUDY, [data], quick, out=tmp_path, workers=1, trust=True)
    assert report.as_json(mixed)["commit"] == f"{commit()}, later"
    run(toy_study.STUDY, [data], quick, out=tmp_path, workers=1)
    assert len(ran(data)) == 4 * count


def test_timed_experiments_run_after_the_others_one_at_a_time(
    data: Data, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing runs beside a part that measures time."""
    crews: list[tuple[str, int | None]] = []
    found = running.executor

    def spied(on: str) -> SimpleNamespace:
        def spy(function, tasks, *, workers):
            crews.append((tasks[0].experiment, workers))
            return found(on).map(function, tasks, workers=workers)

        return SimpleNamespace(map=spy)

    monkeypatch.setattr(running, "executor", spied)
    run(toy_study.STUDY, [data], toy_study.OPTIONS, out=tmp_path, workers=2)
    assert crews == [("table", 2), ("curve", 1)]


def test_a_worker_that_dies_names_its_part(data: Data, tmp_path: Path) -> None:
    """The error says which part, and what to do."""
    table = replace(toy_study.STUDY.experiments[0], measure=toy_study.broken)
    study = replace(toy_study.STUDY, experiments=(table,))
    with pytest.raises(SaccadeError, match=r"toy, part table/set/seed 3/fold 1/.* code 9"):
        run(study, [data], toy_study.OPTIONS, out=tmp_path, workers=1)


def test_the_files_agree_with_what_was_measured(done: Run, tmp_path: Path) -> None:
    """results.json, the tables, every value, both plots and the page hold the same numbers."""
    paths = report.write(done, out=tmp_path)
    folder = tmp_path / "toy"
    assert {path.name for path in paths} == {
        "index.html", "results.json", "table.csv", "table-values.csv", "curve.csv",
        "curve-values.csv", "table-set.png", "table-set.svg", "curve-set.png", "curve-set.svg",
    }  # fmt: skip
    assert all(path.is_file() for path in paths)
    kept = json.loads((folder / "results.json").read_text())
    (claim,) = kept["claims"]
    assert {key: claim[key] for key in ("text", "source", "verdict", "n", "over", "of")} == {
        "text": "Learning pays.", "source": "Table 1", "verdict": "holds", "n": 16,
        "over": "queries", "of": "set: learned over plain, less .2",
    }  # fmt: skip
    assert claim["effect"] == pytest.approx(0.05)
    assert claim["interval"] == pytest.approx([0.05, 0.05])
    assert claim["p"] < 0.001
    assert kept["seeds"] == [3, 4]
    assert kept["commit"]
    assert kept["machine"]["cores"] >= 1
    assert kept["setup"][0] == "Values are made up."
    plain, learned = kept["experiments"]["table"]["measured"]["set"]
    assert plain["map"] == pytest.approx(0.5 + 0.035 + 0.0035)
    assert learned["against Plain <1>"] == pytest.approx(0.25)
    assert learned["p"] < 0.001
    assert learned["better / worse"] == "16 / 0"
    with (folder / "table-values.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8 * 2 * 2
    assert np.mean([float(row["learned"]) for row in rows]) == pytest.approx(learned["map"])
    page = (folder / "index.html").read_text()
    for text in ("Plain &lt;1&gt;", "Learning pays.", "holds", "one picture is missing",
                 "As printed: Table 1", "As measured on set", kept["commit"]):  # fmt: skip
        assert text in page
    assert "Plain <1>" not in page


def test_the_same_values_give_the_same_files(done: Run, tmp_path: Path) -> None:
    """Plots and pages have no date in them."""
    first = {path.name: path.read_bytes() for path in report.write(done, out=tmp_path / "a")}
    second = {path.name: path.read_bytes() for path in report.write(done, out=tmp_path / "b")}
    assert first == second


def test_values_that_are_no_numbers_stay_out_of_means(done: Run) -> None:
    """A system that measured nothing has no curve and a dash, and JSON stays JSON."""
    at, values = done.results.curve("curve", "learned", "loss")
    assert at.tolist() == [0, 1, 2, 3]
    assert values.tolist() == [1.0, 0.5, 1 / 3, 0.25]
    assert np.isnan(done.results.mean("curve", "plain", "loss"))
    rows = report.as_json(done)["experiments"]["curve"]["measured"]["set"]
    assert rows[0] == {"system": "plain", "measure": "loss", "0": None, "1": None, "2": None,
                       "3": None}  # fmt: skip


def test_a_plot_of_no_numbers_is_not_drawn_and_a_busy_machine_is_named(
    done: Run, tmp_path: Path
) -> None:
    """The page says why there is no plot, and how much of the cores others used beside a time."""
    parts = [
        replace(part, load=0.8) if part.task.experiment == "curve" else part
        for part in done.results.parts
        if (part.task.experiment, part.task.system) != ("curve", "learned")
    ]
    some = replace(done, results=Results(parts))
    names = {path.name for path in report.write(some, out=tmp_path)}
    assert "table-set.png" in names
    assert "curve-set.png" not in names
    page = (tmp_path / "toy" / "index.html").read_text()
    assert "not one of its values is a number" in page
    assert "others used up to 80% of the cores" in page
    assert results_kept(tmp_path / "toy")["experiments"]["curve"]["load"] == 0.8


def test_parts_that_are_conditions_have_a_row_each(done: Run) -> None:
    """A table by part never averages over its conditions, and tests each by itself."""
    table = replace(toy_study.STUDY.experiments[0], by_part=True)
    rows = tables.measured(table, done.results, "set", seed=0)
    assert [(row["system"], row["condition"]) for row in rows] == [
        ("Plain <1>", "fold 1"), ("learned", "fold 1"), ("Plain <1>", "fold 2"),
        ("learned", "fold 2"),
    ]  # fmt: skip
    assert [row["better / worse"] for row in rows] == [None, "8 / 0", None, "8 / 0"]


def test_a_choice_at_the_edge_of_its_grid_is_said() -> None:
    """Which system, what it chose and how often; inside the grid nothing is said."""
    notes = [{**edges.at_edge({"C": (0.1, 1, 10)}, {"C": value})} for value in (10, 10, 1)]
    entry = {"systems": {"svm": "RankSVM"}, "notes": {"set": {"svm": notes, "other": [{}]}}}
    (sentence,) = edges.said(entry)
    assert "RankSVM C = 10 (2 times)" in sentence
    assert edges.said({**entry, "notes": {"set": {"svm": [{}]}}}) == []


def test_a_grid_goes_on_past_its_end_until_the_best_lies_inside() -> None:
    """The optimum is at C = 1000, two steps past the end; one more step is tried and is worse."""
    asked: list[float] = []

    class Peaked:
        """Puts the one relevant row first at one C, and lower the further off it is."""

        def __init__(self, C: float) -> None:
            self.off = abs(np.log10(C) - 3)
            asked.append(C)

        def fit(self, phi, grades, groups, **options):
            return self

        def score(self, phi):
            return np.where(np.arange(len(phi)) == 0, -2.5 * self.off, -np.arange(len(phi)))

    lists = np.zeros((60, 1), np.float32), np.arange(60) == 0, np.zeros(60, np.int64)
    best = edges.choose(Peaked, {"C": (0.1, 1.0, 10.0)}, lists, lists, measure="map")
    assert best.best == {"C": 1000.0}
    assert asked == [0.1, 1.0, 10.0, 100.0, 1000.0, 10_000.0]
    assert not best.notes
    few = edges.choose(Peaked, {"C": (1e-7, 1e-6, 1e-5)}, lists, lists, measure="map")
    assert few.notes == {edges.EDGE: {"C": few.best["C"]}}, "its steps ended before the optimum"


def results_kept(folder: Path) -> dict[str, object]:
    return json.loads((folder / "results.json").read_text())


def test_a_kept_result_is_judged_again_from_its_values(
    done: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The CSVs hold all that a claim asks for; a changed value changes the verdict."""
    report.write(done, out=tmp_path)
    folder = tmp_path / "toy"
    monkeypatch.setattr(kept, "load", lambda name: toy_study.STUDY)
    before = results_kept(folder)["claims"]
    assert kept.judge_again(folder)["claims"] == before
    values = folder / "table-values.csv"
    values.write_text(values.read_text().replace("0.75", "0.5"))
    (claim,) = kept.judge_again(folder)["claims"]
    assert (claim["verdict"], before[0]["verdict"]) == ("no difference", "holds")
    assert "on the values that were kept" in (folder / "index.html").read_text()
    with pytest.raises(InvalidInput, match="no result of a study"):
        kept.judge_again(tmp_path / "nowhere")


def test_seeds_are_averaged_before_queries_are_compared(done: Run) -> None:
    """Two seeds of a query are one query: they do not count twice in a test."""
    found = done.results.by_query("table", "plain", "map")
    assert len(found) == 16
    assert found["set/fold 1/fold 1-0"] == pytest.approx(0.5035)
    assert done.results.compare("table", "learned", "plain", "map").queries == 16
    assert len(done.results.spread("table", "plain", "map")) == 4


def test_a_claim_on_what_was_not_run_is_not_measured(done: Run) -> None:
    """It neither holds nor fails, and says which experiment is missing."""
    curve = toy_study.STUDY.experiments[1]
    parts = [part for part in done.results.parts if part.task.experiment == "curve"]
    study = replace(toy_study.STUDY, experiments=(curve,))
    some = replace(done, study=study, results=Results(parts))
    (claim,) = report.as_json(some)["claims"]
    assert (claim["verdict"], claim["figure"]) == ("not measured", "table was not run")
    nothing = each_set(
        Results([], ran=["table"]), "table", lambda data: Findings([], ""), over="queries"
    )
    assert nothing.kind == "not measured"


def test_series_and_names_are_checked() -> None:
    """A value without its query, or a study that is none, is refused at once."""
    with pytest.raises(InvalidInput, match="2 values, 1 queries"):
        Series("map", [0.1, 0.2], queries=["a"])
    with pytest.raises(UnknownName, match="did you mean 'wan2015'"):
        load("wan2014")
    data, options = Data("mine", "", ""), Options()
    apart = [
        Part(
            Task("toy", "table", "", system, data, 0, "all", ("map",), options),
            Outcome([Series("map", [0.5], queries=[f"query of {system}"])]),
        )
        for system in ("a", "b")
    ]
    with pytest.raises(InvalidInput, match="no map in common"):
        Results(apart).compare("table", "a", "b", "map")
    with pytest.raises(InvalidInput, match="table of c was not run"):
        Results(apart).compare("table", "a", "c", "map")


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_is_declared_whole(name: str) -> None:
    """Its experiments have systems and measures, its functions can be found, its claims a place."""
    study = load(name)
    assert study.name == name
    assert study.claims
    names = [experiment.name for experiment in study.experiments]
    assert len(names) == len(set(names))
    for options in (Options(), Options(quick=True)):
        assert study.setup(options)
        for experiment in study.sized(options):
            assert experiment.systems
            assert experiment.measures
            assert experiment.baseline in (None, *experiment.systems)
            assert "<" not in experiment.function  # a lambda cannot be found by a worker
            for table in experiment.printed:
                assert all(len(row) == len(table.columns) for row in table.rows.values())
                assert table.rows


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"load": 0.6}, "others used up to 60% of the cores"),
        ({"load": 0.4}, ""),
        ({"load": None}, ""),
        ({}, "was not kept"),
        ({"measures": ["map"]}, ""),
    ],
    ids=["busy", "quiet", "no time", "kept before loads were", "no time, kept before"],
)
def test_a_time_is_read_beside_the_load_of_its_moment(entry: dict[str, object], said: str) -> None:
    """A page speaks of a machine that others used by more than half, or that nobody looked at."""
    found = remarks({"measures": ["seconds"], "measured": {}, "notes": {}, "systems": {}, **entry})
    assert len(found) == bool(said)
    assert said in "".join(found)
