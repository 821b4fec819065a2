"""The study of typed words: names go by their route, and marks teach those that have none."""

from __future__ import annotations

from pathlib import Path

import pytest

from saccade.engine import Engine
from saccade.studies import load
from saccade.studies.words import parts


@pytest.fixture
def relevant(engine: Engine) -> set[str]:
    """The pictures of one folder; its name is not told to the study."""
    records = engine.images()
    return {r.image_id for r in records if Path(r.paths[0]).parent.name == "balloons"}


@pytest.mark.parametrize(
    ("name", "route"),
    [
        ("horses", "kind"),
        ("street", "near"),
        ("red", "near"),
        ("xqzzyv", "unknown"),
        ("", "unknown"),
    ],
)
def test_a_name_goes_by_what_is_known_of_it(name: str, route: str) -> None:
    """Kinds before near words; what cannot be read is unknown, and no error."""
    assert parts.route_of(name) == route


def test_an_unknown_name_is_taught_with_one_picture(engine: Engine, relevant: set[str]) -> None:
    """Nothing at first; after marks what is relevant stands first, for its teacher alone."""
    judged: set[str] = set()
    curve = parts._session(engine, "xqzzyv", relevant, "ana", judged)
    assert len(curve) == len(parts.MARKS)
    assert curve[0] == (0.0, 0.0, 0.0)
    assert curve[-1][2] == 1.0
    assert relevant <= judged
    order = parts._ids(parts._search(engine, "xqzzyv", "ana", parts.BLIND))
    assert set(order[: len(relevant)]) == relevant
    assert parts._ids(parts._search(engine, "xqzzyv", "bob", parts.BLIND)) == []


def test_names_of_files_are_not_looked_at(engine: Engine, relevant: set[str]) -> None:
    """Folders are called as the classes are: that would be no measure."""
    assert parts._ids(parts._search(engine, "balloons", "eva", ("text:names",)))[0] in relevant
    assert "text:names" not in engine.search(text="balloons", schemes=parts.BLIND).schemes


def test_the_study_promises_what_it_measures() -> None:
    """Every claim rests on an experiment of the study."""
    study = load("words")
    assert {claim.source for claim in study.claims} <= {e.name for e in study.experiments}
    assert {experiment.parts for experiment in study.experiments} == {parts.ROUTES}
