"""`saccade rerank`: a file of candidates, marks on its page, and files that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from saccade.cli.app import build
from saccade.errors import InvalidInput, NotFound


def run(*arguments: object) -> str:
    """What a command prints; an error it means is raised."""
    done = CliRunner().invoke(build(), [str(one) for one in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Six candidates."""
    path = tmp_path / "found.jsonl"
    lines = [json.dumps({"id": f"sku-{i}", "features": {"price": i}}) for i in range(6)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_file_is_ranked_taught_and_ranked_again(file: Path, tmp_path: Path) -> None:
    """In the order given; then as the marks say. The store is made for it."""
    at = ("--store", tmp_path / "shop.saccade", "--json")
    first = json.loads(run("rerank", file, "--text", "red shoes", "--user", "ana", *at))
    assert [hit["id"] for hit in first["hits"]] == [f"sku-{i}" for i in range(6)]
    run("rerank", "--page", first["page_id"], "--like", "sku-5", "--dislike", "sku-0", *at)
    asked = ("rerank", file, "--text", "red shoes", "--user", "ana", "--explain", *at)
    again = json.loads(run(*asked))
    assert again["hits"][0]["id"] == "sku-5"
    assert "price" in again["hits"][0]["why"]


def test_people_read_a_line_for_each(file: Path, tmp_path: Path) -> None:
    """The page to name, then rank, score and id."""
    lines = run("rerank", file, "-k", 3, "--store", tmp_path / "shop.saccade").splitlines()
    assert lines[0].startswith("page ")
    assert [line.split()[-1] for line in lines[1:]] == ["sku-0", "sku-1", "sku-2"]


def test_a_line_that_is_no_candidate_is_named(file: Path, tmp_path: Path) -> None:
    """With the file and the number of the line; no store is made."""
    store = tmp_path / "shop.saccade"
    file.write_text('{"id": "a"}\n{"id": \n')
    with pytest.raises(InvalidInput, match=r"found\.jsonl:2: this is not JSON"):
        run("rerank", file, "--store", store)
    file.write_text("7\n")
    with pytest.raises(InvalidInput, match=r"found\.jsonl:1: this is no candidate"):
        run("rerank", file, "--store", store)
    with pytest.raises(NotFound, match="there is no file"):
        run("rerank", tmp_path / "none.jsonl", "--store", store)
    assert not store.exists()


def test_a_file_or_a_page_is_needed(file: Path, tmp_path: Path) -> None:
    """One of them: marks are on a page, and a page has its candidates."""
    at = ("--store", tmp_path / "shop.saccade")
    with pytest.raises(InvalidInput, match="give a file of candidates"):
        run("rerank", *at)
    with pytest.raises(InvalidInput, match="name it by --page"):
        run("rerank", file, "--like", "sku-1", *at)
