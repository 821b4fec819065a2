"""Sets of other layouts, and what `saccade data check` finds wrong with them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from saccade.cli.data import data as app
from saccade.errors import InvalidInput
from saccade.testbed.datasets import check, load


def draw(folder: Path, *names: str) -> Path:
    """Small pictures, each of its own colour."""
    for number, name in enumerate(names):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        pixels = np.full((8, 8, 3), (17 * number) % 256, np.uint8)
        Image.fromarray(pixels).save(folder / name)
    return folder


def oxford(folder: Path) -> Path:
    """Two landmarks; lists put a prefix before names, and name a picture that is not there."""
    draw(folder, *(f"jpg/all_souls_{n:06d}.jpg" for n in range(5)), "jpg/radcliffe_000000.jpg")
    lists = folder / "gt"
    lists.mkdir()
    (lists / "all_souls_1_query.txt").write_text("oxc1_all_souls_000000 1.5 2 30.25 40\n")
    (lists / "all_souls_1_good.txt").write_text("all_souls_000000\nall_souls_000001\n")
    (lists / "all_souls_1_ok.txt").write_text("all_souls_000002\nall_souls_000009\n")
    (lists / "all_souls_1_junk.txt").write_text("all_souls_000003\nall_souls_000002\n")
    (lists / "radcliffe_1_query.txt").write_text("radcliffe_000000\n")
    return folder


def test_oxford_style_lists_grade_each_query(tmp_path: Path) -> None:
    """Good, ok and junk are grades 3, 2, 1; the better list counts; the query is not its own."""
    found = load(oxford(tmp_path))
    assert found.layout == "oxford"
    souls, radcliffe = found.queries
    name_of = {row: file.stem for row, file in enumerate(found.files)}
    assert name_of[souls.picture] == "all_souls_000000"
    assert {name_of[row]: grade for row, grade in souls.grades.items()} == {
        "all_souls_000001": 3, "all_souls_000002": 2, "all_souls_000003": 1,
    }  # fmt: skip
    assert souls.box == (1.5, 2.0, 30.25, 40.0)
    assert radcliffe.box is None
    assert found.problems == (
        "1 pictures of lists are not there: all_souls_000009 (all_souls_1_ok.txt)",
        "1 queries have nothing relevant: radcliffe_1",
    )


def test_a_broken_query_list_is_refused_by_name(tmp_path: Path) -> None:
    """Three numbers are no box, nor are edges the wrong way round."""
    folder = oxford(tmp_path)
    (folder / "gt" / "radcliffe_1_query.txt").write_text("radcliffe_000000 1 2 3\n")
    with pytest.raises(InvalidInput, match=r"radcliffe_1_query\.txt: expected a picture's name"):
        load(folder)
    (folder / "gt" / "radcliffe_1_query.txt").write_text("radcliffe_000000 9 2 3 4\n")
    with pytest.raises(InvalidInput, match=r"'9 2 3 4' is not left top right bottom"):
        load(folder)


def test_holidays_style_numbers_are_groups(tmp_path: Path) -> None:
    """The first of each hundred asks; a group without it is named."""
    names = ("100000", "100001", "100100", "100101", "100102", "100201")
    found = load(draw(tmp_path, *(f"jpg/{name}.jpg" for name in names)))
    assert found.layout == "holidays"
    assert found.labels == ("1000", "1000", "1001", "1001", "1001", "1002")
    assert found.asking().tolist() == [0, 2]
    assert found.problems == ("1 groups have no query (a number that ends in 00): 1002",)


def test_numbers_of_another_length_are_no_groups(tmp_path: Path) -> None:
    """A camera's counter is not a ground truth: such a folder has classes by folder, or none."""
    with pytest.raises(InvalidInput, match="neither"):
        load(draw(tmp_path, "100.jpg", "101.jpg"))


def test_roles_link_queries_to_what_they_look_for(tmp_path: Path) -> None:
    """Without a column of a usual name, the label is what models and probes have in common."""
    draw(tmp_path, "m0.png", "m1.png", "p0.png", "p1.png")
    (tmp_path / "labels.csv").write_text(
        "file,role,title,book\nm0.png,model,A,0\nm1.png,model,B,1\np0.png,probe,,1\np1.png,probe2,,0\n"
    )
    found = load(tmp_path)
    assert found.labels == ("0", "1", "1", "0")
    assert found.asking().tolist() == [2, 3]
    assert check(found).problems == ()


def test_splits_grades_and_orders_are_read(tmp_path: Path) -> None:
    """`split` or `train`, grades in words or numbers, `rank_` columns as relative attributes."""
    draw(tmp_path, "a.png", "b.png", "c.png")
    table = tmp_path / "labels.csv"
    table.write_text(
        "file,class,train,grade,rank_open\na.png,x,1,good,2\nb.png,x,0,Intermediate,0\nc.png,x,0,0,0\n"
    )
    found = load(tmp_path)
    assert {side: rows.tolist() for side, rows in found.split().items()} == {
        "train": [0], "test": [1, 2],
    }  # fmt: skip
    assert found.grades().tolist() == [3, 2, 0]
    assert found.attributes == ("open",)
    assert found.strengths("open").tolist() == [2.0, 0.0, 0.0]
    table.write_text("file,class,split,grade\na.png,x,train,fine\n")
    with pytest.raises(InvalidInput, match="line 2: grade 'fine'"):
        load(tmp_path).grades()


def test_pairs_compare_pictures_by_attribute(tmp_path: Path) -> None:
    """`less` turns a pair round, `alike` orders nothing, a pair of missing files is counted."""
    draw(tmp_path, "a.png", "b.png")
    (tmp_path / "labels.csv").write_text("file,class\na.png,x\nb.png,y\n")
    pairs = tmp_path / "pairs.csv"
    pairs.write_text(
        "attribute,first,second,relation\nopen,a.png,b.png,less\nold,a.png,b.png,alike\n"
        "open,a.png,z.png,more\n"
    )
    found = load(tmp_path)
    assert [(p.attribute, p.first, p.second, p.alike) for p in found.pairs] == [
        ("open", 1, 0, False), ("old", 0, 1, True),
    ]  # fmt: skip
    assert found.attributes == ("open", "old")
    assert "1 pairs of" in found.problems[0]
    pairs.write_text("attribute,more,less\nopen,b.png,a.png\n")
    assert load(tmp_path).pairs[0].first == 1
    pairs.write_text("attribute,first,second,relation\nopen,a.png,b.png,above\n")
    with pytest.raises(InvalidInput, match="line 2: relation 'above'"):
        load(tmp_path)


def test_everything_wrong_is_named_and_counted(tmp_path: Path) -> None:
    """A lone class, a double across the split and across classes, a file that is no picture."""
    draw(tmp_path, "a.png", "b.png", "c.png", "d.png")
    shutil.copy(tmp_path / "a.png", tmp_path / "again.png")
    (tmp_path / "e.png").write_bytes((tmp_path / "b.png").read_bytes()[:50])
    (tmp_path / "labels.csv").write_text(
        "file,class,split\na.png,x,test\nagain.png,y,train\nb.png,x,train\nc.png,y,train\n"
        "d.png,z,train\ne.png,x,test\ngone.png,x,test\n"
    )
    report = check(load(tmp_path))
    assert report.counts["pictures"] == 6
    assert report.counts["duplicates"] == 1
    assert report.sides == {"split": {"test": 2, "train": 4}}
    words = "\n".join(report.problems)
    for part in (
        "1 labelled files are not in",
        "1 classes have one picture, so it finds nothing relevant: z",
        "1 files are no pictures: e.png",
        "1 pictures are there twice, and count once: a.png = again",
        "1 of them are on two sides of the split; training keeps them: a.png",
        "1 of them have several classes; the first one counts: a.png",
    ):  # fmt: skip
        assert part in words
    assert len(report.problems) == 6


def test_the_command_says_it_and_exits_with_the_answer(tmp_path: Path) -> None:
    """0 when nothing is wrong, 1 when something is; `--json` has the same."""
    folder = draw(tmp_path, "x/1.png", "x/2.png", "y/3.png", "y/4.png")
    fine = CliRunner().invoke(app, ["check", str(folder)])
    assert fine.exit_code == 0
    assert any(line.endswith(": a folder a class") for line in fine.output.splitlines())
    assert "4 pictures, 2 classes" in fine.output
    assert "nothing wrong" in fine.output
    (folder / "y" / "4.png").unlink()
    wrong = CliRunner().invoke(app, ["check", str(folder), "--json"])
    assert wrong.exit_code == 1
    assert json.loads(wrong.stdout)["problems"] == [
        "1 classes have one picture, so it finds nothing relevant: y"
    ]


def test_letor_files_are_recognised_and_counted(tmp_path: Path) -> None:
    """Folds, queries, features, and queries that have nothing relevant."""
    for number in range(1, 6):
        (tmp_path / f"S{number}.txt").write_text(
            f"1 qid:{number} 1:0.5 2:1\n0 qid:{number} 1:0.1\n0 qid:{number + 10} 2:1\n"
        )
    report = check(load(tmp_path))
    assert report.layout == "letor"
    assert report.counts == {"folds": 5, "queries": 10, "features": 2}
    assert "5 test queries have nothing relevant" in report.problems[0]


def _flawed(layout: str, folder: Path) -> list[str]:
    """A set of a layout with all that can be wrong with it, and how each is said."""
    if layout == "letor":
        for number in range(1, 6):
            (folder / f"S{number}.txt").write_text(f"0 qid:{number} 1:0.5\n1 qid:9{number} 1:1\n")
        return ["5 test queries have nothing relevant"]
    if layout == "oxford":
        oxford(folder)
        said = ["1 pictures of lists are not there", "1 queries have nothing relevant"]
        where, name = folder / "jpg", "all_souls_000001.jpg"
    elif layout == "holidays":
        draw(folder, *(f"{n}.png" for n in ("100000", "100001", "100100", "100201")))
        said = ["1 groups have no query", "1 queries have nothing relevant: 100100.png"]
        where, name = folder, "100001.png"
    elif layout == "folders":
        draw(folder, "x/1.png", "x/2.png", "y/3.png", "loose.png")
        said = ["1 classes have one picture", "1 pictures lie in no class"]
        where, name = folder / "x", "2.png"
    else:
        draw(folder, "1.png", "2.png", "3.png")
        (folder / "labels.csv").write_text(
            "file,class\n1.png,x\n2.png,x\n3.png,y\ngone.png,x\n900000.png,x\n900001.png,x\n"
        )
        said = ["1 labelled files are not in", "1 classes have one picture"]
        where, name = folder, "2.png"
    suffix = Path(name).suffix
    (where / f"900000{suffix}").write_bytes((where / name).read_bytes())
    (where / f"900001{suffix}").write_bytes(b"no picture at all")
    return [*said, "1 files are no pictures", "1 pictures are there twice, and count once"]


@pytest.mark.parametrize("layout", ["table", "folders", "oxford", "holidays", "letor"])
def test_the_check_names_what_is_wrong_in_every_layout(tmp_path: Path, layout: str) -> None:
    """Recognised, and each flaw is a sentence with a count; nothing is dropped in silence."""
    expected = _flawed(layout, tmp_path)
    found = CliRunner().invoke(app, ["check", str(tmp_path), "--json"])
    assert found.exit_code == 1
    report = json.loads(found.stdout)
    assert report["layout"] == layout
    for flaw in expected:
        assert any(flaw in problem for problem in report["problems"]), (flaw, report["problems"])
