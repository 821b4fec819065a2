"""Labelled sets are read by layout, and a broken one is refused with its place."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.testbed.datasets import load


def write_table(folder: Path, text: str, *pictures: str, below: str = "images") -> Path:
    """A set with a table and empty picture files."""
    for picture in pictures:
        file = folder / below / picture
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    folder.mkdir(exist_ok=True)
    (folder / "labels.csv").write_text(text, encoding="utf-8")
    return folder


def test_a_table_beside_an_images_folder_is_read(tmp_path: Path) -> None:
    """Files, labels and other columns come in the table's order."""
    folder = write_table(
        tmp_path, "file,class,height\nb.jpg,cat,1.5\nsub/a.jpg,dog,2\n", "b.jpg", "sub/a.jpg"
    )
    found = load(folder)
    assert found.files == (folder / "images/b.jpg", folder / "images/sub/a.jpg")
    assert found.labels == ("cat", "dog")
    assert list(found.columns) == ["height"]
    np.testing.assert_array_equal(found.numbers("height"), [1.5, 2.0])


def test_pictures_may_lie_beside_the_table(tmp_path: Path) -> None:
    """Without an `images` folder, files are relative to the table."""
    folder = write_table(tmp_path, "file,class\ncat/a.jpg,cat\n", "cat/a.jpg", below="")
    assert load(folder).files == (folder / "cat/a.jpg",)


def test_the_label_column_can_be_named(tmp_path: Path) -> None:
    """A set whose truth is not called `class` is read by its own column."""
    folder = write_table(tmp_path, "file,book\na.jpg,7\nb.jpg,7\n", "a.jpg", "b.jpg")
    assert load(folder, label="book").classes == ("7",)


def test_a_byte_order_mark_and_empty_lines_do_no_harm(tmp_path: Path) -> None:
    """Tables saved by spreadsheets are read like any other."""
    folder = write_table(tmp_path, "\ufefffile,class\n\na.jpg,cat\n\n", "a.jpg")
    assert load(folder).labels == ("cat",)


def test_one_folder_a_class_needs_no_table(tmp_path: Path) -> None:
    """The first folder on the way to a picture is its class; loose files have none."""
    for name in ("dog/x/2.png", "dog/1.jpg", "cat/1.jpg", "loose.jpg", "cat/notes.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = load(tmp_path)
    assert found.labels == ("cat", "dog", "dog")
    assert {file.name for file in found.files} == {"1.jpg", "2.png"}
    assert found.truth()[str(tmp_path / "cat/1.jpg")] == "cat"
    assert found.problems == ("1 pictures lie in no class's folder: they are left out",)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("name,class\na.jpg,cat\n", "line 1: no column 'file'; there are: name, class"),
        ("file,kind\na.jpg,cat\n", "line 1: no column 'class'"),
        ("file,class,class\na.jpg,cat,cat\n", "line 1: column 'class' is there twice"),
        ("file,class\na.jpg,cat\na.jpg\n", "line 3: 1 fields where the header has 2"),
        ("file,class\na.jpg,cat\n\na.jpg,dog\n", "line 4: file 'a.jpg' is on line 2 too, and not"),
        ("file,class\n../a.jpg,cat\n", "line 2: file '../a.jpg' is no path below"),
        ("file,class\n/etc/hosts,cat\n", "line 2: file '/etc/hosts' is no path below"),
        ("file,class\n", "lists no picture"),
        ("", "lists no picture"),
    ],
)
def test_a_broken_table_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    """The message names the file, the line and what is wrong."""
    folder = write_table(tmp_path, text, "a.jpg")
    with pytest.raises(InvalidInput, match=r"labels\.csv") as raised:
        load(folder)
    assert complaint in str(raised.value)


def test_missing_pictures_are_counted_and_left_out(tmp_path: Path) -> None:
    """A label of a file that is not there is a problem with its line, and never a row."""
    rows = "".join(f"{i}.jpg,cat\n" for i in range(9))
    folder = write_table(tmp_path, f"file,class\n{rows}", "0.jpg")
    found = load(folder)
    assert [file.name for file in found.files] == ["0.jpg"]
    assert found.lines == (2,)
    (problem,) = found.problems
    assert re.match(r"8 labelled files are not in .*: 1.jpg \(line 3\), .*5.jpg .*, …$", problem)


def test_a_line_that_says_the_same_again_counts_once(tmp_path: Path) -> None:
    """It is said and left out: nothing has to be chosen."""
    folder = write_table(
        tmp_path, "file,class\na.jpg,cat\na.jpg,cat\nb.jpg,dog\n", "a.jpg", "b.jpg"
    )
    found = load(folder)
    assert [file.name for file in found.files] == ["a.jpg", "b.jpg"]
    assert (found.labels, found.lines) == (("cat", "dog"), (2, 4))
    assert found.problems == ("1 lines are there twice, and count once: a.jpg (line 3)",)


def test_a_table_of_nothing_that_exists_is_refused(tmp_path: Path) -> None:
    """There is nothing to go on with."""
    folder = write_table(tmp_path, "file,class\na.jpg,cat\n")
    with pytest.raises(InvalidInput, match="1 labelled files are not in"):
        load(folder)


def test_a_table_that_is_not_text_is_refused(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 get a sentence, not a decoder's traceback."""
    (tmp_path / "labels.csv").write_bytes(b"file,class\n\xff\xfe.jpg,cat\n")
    with pytest.raises(InvalidInput, match="not UTF-8"):
        load(tmp_path)


def test_a_value_that_is_no_number_is_named_with_its_line(tmp_path: Path) -> None:
    """Text in a column asked for as numbers is refused where it stands."""
    folder = write_table(
        tmp_path, "file,class,h\na.jpg,cat,1\n\nb.jpg,cat,tall\n", "a.jpg", "b.jpg"
    )
    with pytest.raises(InvalidInput, match=r"line 4: 'tall' in column 'h' is no number"):
        load(folder).numbers("h")


def test_a_column_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The message lists the columns there are."""
    folder = write_table(tmp_path, "file,class,h\na.jpg,cat,1\n", "a.jpg")
    with pytest.raises(InvalidInput, match="no column 'width'; there are: h"):
        load(folder).column("width")


def test_an_empty_or_missing_folder_is_refused(tmp_path: Path) -> None:
    """Each gets its own sentence and the next step."""
    with pytest.raises(InvalidInput, match=r"neither labels.csv nor folders with pictures"):
        load(tmp_path)
    with pytest.raises(InvalidInput, match="no folder"):
        load(tmp_path / "nothing")
