from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from saccade.errors import InvalidInput, NotFound
from saccade.testbed import letor


def _file(folder: Path, text: str, name: str = "rows.txt") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_missing_features_are_zero_and_comments_are_kept(tmp_path: Path) -> None:
    """A row has the width of the widest, and its comment is the text after '#'."""
    data = letor.read(_file(tmp_path, "2 qid:7 1:0.5 4:-1e-3 #docid = 1\n0 qid:7 2:3\n"))
    assert data.phi.tolist() == [[0.5, 0, 0, np.float32(-1e-3)], [0, 3, 0, 0]]
    assert data.comments == ("docid = 1", "")
    assert data.grades.tolist() == [2, 0]
    assert data.queries.tolist() == [7]


def test_blank_lines_carriage_returns_and_a_missing_last_newline_are_no_rows(
    tmp_path: Path,
) -> None:
    """Lines without a row are passed over, and the last row needs no newline."""
    text = "# a head line\r\n\r\n1 qid:1 1:1\r\n   \n0 qid:1 1:2 # b"
    data = letor.read(_file(tmp_path, text))
    assert data.phi.ravel().tolist() == [1, 2]
    assert data.comments == ("", " b")


def test_gzip_is_known_by_its_bytes(tmp_path: Path) -> None:
    """A packed file reads as the plain one does, whatever its name."""
    plain = _file(tmp_path, "1 qid:1 1:1 2:2\n0 qid:2 1:5\n")
    packed = tmp_path / "packed.txt"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert np.array_equal(letor.read(packed).phi, letor.read(plain).phi)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("x qid:1 1:1", "grade 'x'"),
        ("-1 qid:1 1:1", "grade '-1'"),
        ("1.5 qid:1 1:1", "grade '1.5'"),
        ("1 1:1", "expected 'qid:NUMBER'"),
        ("1 qid:a 1:1", "query id 'qid:a'"),
        ("1 qid:1 0:1", "field '0:1'"),
        ("1 qid:1 one", "field 'one'"),
        ("1 qid:1 1:", "has no value"),
        ("1 qid:1 1:abc", "feature 1 is not a finite number"),
        ("1 qid:1 1:0.5 2:nan", "feature 2 is not a finite number"),
        ("1 qid:1 1:inf", "not a finite number"),
        ("1 qid:1 1:1e99", "not a finite number"),
        ("1 qid:1 1:1_0", "not a finite number"),
        ("1 qid:1 2:1 1:1", "field '1:1' does not come after"),
        ("1 qid:1 1:1 1:1", "field '1:1' does not come after"),
    ],
)
def test_a_bad_line_is_refused_with_file_line_and_field(
    tmp_path: Path, line: str, words: str
) -> None:
    """The third line is at fault, and the message says so."""
    path = _file(tmp_path, f"1 qid:1 1:1\n# nothing here\n{line}\n0 qid:1 1:1\n")
    with pytest.raises(InvalidInput, match=f"rows.txt:3: .*{words}"):
        letor.read(path)


def test_a_query_that_comes_back_is_refused_with_its_line(tmp_path: Path) -> None:
    """The lines of a query must lie together."""
    path = _file(tmp_path, "1 qid:1 1:1\n0 qid:2 1:1\n0 qid:1 1:1\n")
    with pytest.raises(InvalidInput, match=r"rows.txt:3: query 1 again"):
        letor.read(path)


def test_more_features_than_known_are_refused_with_their_line(tmp_path: Path) -> None:
    """A model of two features cannot score a third."""
    path = _file(tmp_path, "1 qid:1 1:1\n0 qid:1 2:1 3:4\n")
    with pytest.raises(InvalidInput, match=r"rows.txt:2: field '3:4': features 1 to 2"):
        letor.read(path, features=2)
    assert letor.read(path, features=5).phi.shape == (2, 5)


def test_files_that_are_missing_empty_or_cut_off_are_refused(tmp_path: Path) -> None:
    """Each gets an error that names the file."""
    with pytest.raises(NotFound, match=r"absent.txt"):
        letor.read(tmp_path / "absent.txt")
    with pytest.raises(InvalidInput, match=r"rows.txt: no rows"):
        letor.read(_file(tmp_path, "\n# only this\n"))
    with pytest.raises(InvalidInput, match="no row has a feature"):
        letor.read(_file(tmp_path, "1 qid:1\n"))
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"1 qid:1 1:0.123456\n" * 999)[:-20])
    with pytest.raises(InvalidInput, match=r"cut.gz:1: cannot be read"):
        letor.read(cut)


def test_chunks_do_not_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading in pieces of forty bytes gives the same rows, line numbers and order of queries."""
    rng = np.random.default_rng(0)
    phi = rng.standard_normal((50, 6)).astype(np.float32)
    grades, groups = rng.integers(0, 3, 50), np.repeat(np.arange(10), 5)
    path = tmp_path / "rows.txt"
    letor.write(path, phi, grades, groups, comments=[f" row {i}" for i in range(50)])
    whole = letor.read(path)
    monkeypatch.setattr(letor, "CHUNK", 40)
    pieces = letor.read(path)
    assert np.array_equal(whole.phi, pieces.phi)
    assert np.array_equal(whole.phi, phi)
    assert pieces.comments == tuple(f" row {i}" for i in range(50))
    streamed = list(letor.stream(path, features=6))
    assert [len(part.grades) for part in streamed] == [5] * 10
    assert np.array_equal(np.concatenate([part.phi for part in streamed]), phi)
    path.write_text(path.read_text() + "1 qid:3 1:1\n")
    with pytest.raises(InvalidInput, match=r"rows.txt:51: query 3 again"):
        letor.read(path)


@settings(max_examples=50)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_what_is_written_reads_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    """Every finite float32 survives the file, packed or not."""
    folder = tmp_path_factory.mktemp("letor")
    phi = np.array([values], np.float32)
    for name in ("rows.txt", "rows.txt.gz"):
        letor.write(folder / name, phi, np.array([1]), np.array([4]))
        back = letor.read(folder / name)
        assert np.array_equal(back.phi, phi)
        assert (back.grades.tolist(), back.groups.tolist()) == ([1], [4])


def test_numbers_are_read_as_python_reads_them(tmp_path: Path) -> None:
    """Short and long, plain and with exponents: the same float as the full parser gives."""
    rng = np.random.default_rng(1)
    texts = ["1e22", "1E-22", "+.5", "5.", "-0.000", "123456789012345678", "0.1234567890123456789"]
    texts += [f"{x:.8f}" for x in rng.standard_normal(200) * 1000]
    texts += [repr(x) for x in (rng.standard_normal(200) * 1e-6).tolist()]
    line = " ".join(f"{i + 1}:{text}" for i, text in enumerate(texts))
    data = letor.read(_file(tmp_path, f"1 qid:1 {line}\n"))
    assert data.phi[0].tolist() == [float(np.float32(float(text))) for text in texts]


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """What cannot be written leaves no file behind."""
    phi = np.ones((2, 2), np.float32)
    with pytest.raises(InvalidInput, match="1 comments for 2 rows"):
        letor.write(tmp_path / "a.txt", phi, np.zeros(2), np.zeros(2), comments=["x"])
    with pytest.raises(InvalidInput, match="row 1 is not finite"):
        letor.write(tmp_path / "a.txt", np.array([[1.0], [np.inf]]), np.zeros(2), np.zeros(2))
    assert list(tmp_path.iterdir()) == []
