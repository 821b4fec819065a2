from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from saccade.errors import InvalidInput
from saccade.testbed.folds import letor_folds
from saccade.testbed.plots import bars
from saccade.testbed.tables import comma_separated, markdown, write_json, write_text


def test_a_pipe_in_a_cell_does_not_end_it() -> None:
    """Text is escaped, so that every row has as many cells as the head."""
    assert markdown([{"a": "x|y"}]).splitlines()[2] == "| x\\|y |"


def test_tables_without_rows_are_empty() -> None:
    """No rows, no table."""
    assert markdown([]) == comma_separated([]) == ""


def test_csv_reads_back_as_written() -> None:
    """Commas and quotes survive; a missing value is an empty field."""
    text = comma_separated([{"a": 'x,"y"', "b": 1.5}, {"a": "z", "b": None}])
    assert list(csv.reader(text.splitlines())) == [["a", "b"], ['x,"y"', "1.5"], ["z", ""]]


def test_files_appear_whole(tmp_path: Path) -> None:
    """The folder is made, and no half-written file stays behind."""
    write_text(tmp_path / "deep" / "a.txt", "é")
    assert (tmp_path / "deep" / "a.txt").read_text(encoding="utf-8") == "é"
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "b.json", float("nan"))
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_json_keeps_numbers_of_a_list_on_one_line(tmp_path: Path) -> None:
    """The value reads back the same; text in a list stays as it is."""
    value = {"a": [1, -2.5, 1e-07], "b": ["1", "[ 2 ]"], "c": [[1, 2], []], "d": "[\n 1\n]"}
    write_json(tmp_path / "a.json", value)
    text = (tmp_path / "a.json").read_text()
    assert json.loads(text) == value
    assert '"a": [1,-2.5,1e-07]' in text


def test_the_same_values_draw_the_same_picture(tmp_path: Path) -> None:
    """A plot has no date in it; another value changes it."""
    for name, value in (("a", 0.5), ("b", 0.5), ("c", 0.75)):
        bars(
            tmp_path / f"{name}.png", {"one": value, "two": 0.25}, title="t", axis="mAP",
            spread={"one": [0.1, 0.2], "two": [0.3]}, beside={"one": 0.4},
        )  # fmt: skip
    first, same, other = ((tmp_path / f"{name}.png").read_bytes() for name in "abc")
    assert first == same != other


def test_both_layouts_of_letor_folders_are_found(tmp_path: Path) -> None:
    """Folders of folds, or five parts that take turns."""
    for number in range(1, 6):
        (tmp_path / "parts").mkdir(exist_ok=True)
        (tmp_path / "parts" / f"S{number}.txt").touch()
    folds = letor_folds(tmp_path / "parts")
    assert [path.name for path in folds[3].train] == ["S4.txt", "S5.txt", "S1.txt"]
    assert (folds[3].validate[0].name, folds[3].test[0].name) == ("S2.txt", "S3.txt")
    for part in ("train", "vali", "test"):
        (tmp_path / "folds" / "Fold1").mkdir(parents=True, exist_ok=True)
        (tmp_path / "folds" / "Fold1" / f"{part}.txt.gz").touch()
    assert letor_folds(tmp_path / "folds")[0].validate[0].name == "vali.txt.gz"
    with pytest.raises(InvalidInput, match="no LETOR folder"):
        letor_folds(tmp_path)
    (tmp_path / "folds" / "Fold1" / "test.txt.gz").unlink()
    with pytest.raises(InvalidInput, match=r"no test\.txt"):
        letor_folds(tmp_path / "folds")
