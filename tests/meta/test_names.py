"""One name, one thing."""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from pathlib import Path
from typing import get_args

import saccade
from saccade import errors
from saccade.engine import CLAUSES, Part

SOURCE = Path(saccade.__file__).parent


def test_no_two_public_classes_share_a_name() -> None:
    """Whoever meets one in an error, a type or a document knows which it is."""
    places: dict[str, list[str]] = defaultdict(list)
    for file in SOURCE.rglob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(file.relative_to(SOURCE)))
    assert {name: files for name, files in places.items() if len(files) > 1} == {}


def test_what_a_search_takes_and_raises_is_at_hand() -> None:
    """`import saccade` has every record that narrows a search or is a part, and every error."""
    raised = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    raised = [kind for kind in raised if issubclass(kind, errors.SaccadeError)]
    for kind in (*CLAUSES.values(), *get_args(Part), *raised):
        assert kind.__name__ in saccade.__all__
        assert getattr(saccade, kind.__name__) is kind
