"""What narrows a listing, in the query of an address: the words of `where`, each at most once.

    ?folder=2019/rome&after=2019-05-01&shape=wide&more=natural=0.7

They are the engine's clauses (`saccade.engine.CLAUSES`), and its own words say what is wrong.
"""

from __future__ import annotations

import inspect
from typing import Annotated, Any

from fastapi import Depends, Query

from saccade.engine import CLAUSES, Clause


def _filters(**given: str | None) -> tuple[Clause, ...]:
    """The clauses that a query names."""
    return tuple(
        clause
        for word, text in given.items()
        if text is not None
        for clause in CLAUSES[word].from_json(text)
    )


def _parameter(word: str, clause: type[Clause]) -> inspect.Parameter:
    about = Query(max_length=1000, description=f"{clause.__doc__} {clause.form}.")
    return inspect.Parameter(
        word, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, about]
    )


# The framework reads off a signature what an address takes: here it is that of the engine's table.
_filters.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
    [_parameter(word, clause) for word, clause in CLAUSES.items()]
)

Filters = Annotated[tuple[Any, ...], Depends(_filters)]
"""The clauses that a query names."""
