"""What a contributor meets beside the code agrees with the code."""

from __future__ import annotations

import re
import tomllib
from datetime import date
from pathlib import Path

import pytest
import yaml

from scripts import script

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MAKEFILE = (ROOT / "Makefile").read_text()


def test_every_python_that_is_promised_is_tried() -> None:
    """The classifiers and the matrix of the public host name the same."""
    promised = {
        found[1]
        for one in PROJECT["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", one))
    }
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    assert set(jobs["test"]["strategy"]["matrix"]["python"]) == promised
    assert f">={min(promised, key=lambda one: int(one[2:]))}" == PROJECT["requires-python"]


def test_the_public_host_types_the_same_verbs() -> None:
    """Each command of a job is a verb of the Makefile, as in .ci/run."""
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    typed = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    typed.append((ROOT / ".ci" / "run").read_text().strip().splitlines()[-1])
    for command in typed:
        make, *verbs = command.split()
        assert make == "make"
        assert all(f"\n{verb}: " in MAKEFILE for verb in verbs), command


def test_hooks_before_a_commit_are_those_of_make_check() -> None:
    """Ruff twice, mypy and the layers, from the same environment."""
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    (repository,) = config["repos"]
    commands = [hook["entry"].split()[0] for hook in repository["hooks"]]
    checked = re.findall(r"^\t@\$\(BIN\)/([\w-]+)", MAKEFILE.partition("\ncheck:")[2], re.MULTILINE)
    assert commands == [f".venv/bin/{name}" for name in checked[:4]]


@pytest.mark.parametrize("name", ["bug", "ranking", "idea"])
def test_a_form_can_be_filled_in(name: str) -> None:
    """Each field has an id of its own and a question."""
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml").read_text())
    assert form["name"]
    assert form["description"]
    ids = [field["id"] for field in form["body"]]
    assert len(ids) == len(set(ids))
    assert all(field["attributes"]["label"] for field in form["body"])


def test_a_changed_file_finds_its_tests() -> None:
    """By the mirror of src/ in tests/unit; a document by the tests of documents."""
    quick = script("tools/quick.py")
    assert all((ROOT / test).exists() for test in quick.SMOKE)
    module = "src/saccade/rankers/listnet.py"
    assert next(iter(quick.tests_of(module))) == module
    assert list(quick.tests_of("src/saccade/images/decode.py")) == [
        "src/saccade/images/decode.py",
        "tests/unit/images/test_decode.py",
    ]
    room = list(quick.tests_of("src/saccade/engine/tags/fold.py"))
    assert room[0] == "src/saccade/engine/tags/fold.py"
    assert list(quick.tests_of("docs/cli.md")) == ["tests/meta/test_documents.py"]
    assert list(quick.tests_of("tests/laws/test_phi.py")) == ["tests/laws/test_phi.py"]
    assert list(quick.tests_of("src/saccade/service/web/js/app.js")) == []


def test_the_notes_of_a_release_are_the_changelogs() -> None:
    """The section of its version, under its name; a version without one is an error."""
    release = script("tools/release/make.py")
    notes = release.written(PROJECT["version"])
    assert notes.startswith(f"# Saccade {PROJECT['version']}")
    assert "### Measured" in notes
    with pytest.raises(SystemExit, match=r"no section '## 9\.9\.9'"):
        release.written("9.9.9")


def test_a_release_is_dated_once(tmp_path: Path) -> None:
    """A day goes into the changelog and the citation; another later takes its place."""
    release, version = script("tools/release/make.py"), PROJECT["version"]
    for name in ("CHANGELOG.md", "CITATION.cff"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    for day in (date(2026, 12, 1), date(2026, 12, 2)):
        release.dated(version, day, root=tmp_path)
        changelog = (tmp_path / "CHANGELOG.md").read_text()
        citation = yaml.safe_load((tmp_path / "CITATION.cff").read_text())
        assert f"## {version} — {day}\n" in changelog
        assert changelog.count(f"## {version}") == 1
        assert citation["date-released"] == day
    with pytest.raises(SystemExit, match=r"no|0 sections"):
        release.dated("9.9.9", day, root=tmp_path)
