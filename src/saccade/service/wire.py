"""How a frozen record travels: its JSON schema is read off the record itself.

    Page = Annotated[types.Page, Wire(hide=("schemes",), hits=tuple[Hit, ...])]

A route is annotated with that alias and returns the engine's record as it is; for a type checker
the alias *is* the record. The framework validates and documents the model made here:

- every field of the dataclass is a field of the JSON, required, in the same order;
- its description is the text below it in the record's source, or a property's docstring;
- the record's docstring is the schema's description, its name the schema's name;
- sets travel as sorted lists.

A route that is asked often sends `encoded(Page, page)` instead: the same JSON, without a model that
is filled and checked on the way.

`hide` leaves fields inside, `also` adds properties, `name` renames the schema, and a keyword named
as a field gives that field another type: an alias of this kind for a record within a record.
"""

from __future__ import annotations

import ast
import inspect
import logging
import textwrap
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    create_model,
)
from pydantic_core import CoreSchema, core_schema, to_json

from saccade import trace

log = logging.getLogger(__name__)

Way = Callable[[Any], object]  # from whatever a field holds to what JSON knows


class Wire:
    """The annotation that turns a record into JSON; see the module's text."""

    def __init__(
        self,
        *,
        name: str | None = None,
        hide: tuple[str, ...] = (),
        also: tuple[str, ...] = (),
        **instead: object,
    ) -> None:
        self.name, self.hide, self.also, self.instead = name, hide, also, instead
        self._model: type[BaseModel] | None = None
        self._plain: Way | None = None

    def __get_pydantic_core_schema__(
        self, source: type[object], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """The model's schema in the record's place."""
        return handler.generate_schema(self.model(source))

    def model(self, record: type[object]) -> type[BaseModel]:
        """The fields of `record` that travel; made once, so that OpenAPI names it once."""
        self._model = self._model or self._made(record)
        return self._model

    def _made(self, record: type[object]) -> type[BaseModel]:
        kinds = self._kinds(record)
        notes = descriptions(record)
        notes |= {f: inspect.getdoc(getattr(record, f).fget) or "" for f in self.also}
        travelling: dict[str, Any] = {
            field: (_sorted(kind), Field(description=notes.get(field)))
            for field, kind in kinds.items()
        }
        return create_model(
            self.name or record.__name__,
            __config__=ConfigDict(from_attributes=True),
            __doc__=inspect.getdoc(record),
            **travelling,
        )

    def _kinds(self, record: type[object]) -> dict[str, object]:
        """What travels, in order, and as what."""
        if not is_dataclass(record):
            raise TypeError(f"{record!r} is no dataclass, so it has no fields to send")
        named = [field.name for field in fields(record)]
        unknown = {*self.hide, *self.instead} - {*named, *self.also}
        if unknown:
            raise TypeError(f"{record.__name__} has no field {sorted(unknown)[0]!r}")
        hints = get_type_hints(record)
        hints |= {f: get_type_hints(getattr(record, f).fget)["return"] for f in self.also}
        sent = [*(field for field in named if field not in self.hide), *self.also]
        return {field: self.instead.get(field, hints[field]) for field in sent}

    def plain(self, record: type[object]) -> Way:
        """From a record to the dict that its JSON is written from."""
        if self._plain is None:
            kinds = self._kinds(record)
            ways = {field: way for field, kind in kinds.items() if (way := _way(kind))}

            def plain(one: object) -> dict[str, object]:
                out: dict[str, object] = {field: getattr(one, field) for field in kinds}
                for field, way in ways.items():
                    out[field] = way(out[field])
                return out

            self._plain = plain
        return self._plain


class Told:
    """The annotation of a field that is told as a function says, whichever way it is sent."""

    def __init__(self, way: Way) -> None:
        self.way = way

    def __get_pydantic_core_schema__(
        self, source: type[object], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """The function before the field's own schema."""
        return core_schema.no_info_before_validator_function(self.way, handler(source))


def sent(kind: object) -> Any:
    """The model that stands for an alias of the kind above; any other type is itself."""
    record, *notes = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    wires = [note for note in notes if isinstance(note, Wire)]
    return wires[0].model(record) if wires else kind


def encoded(kind: object, record: object) -> bytes:
    """A record as the JSON that the framework would make of it."""
    way = _way(kind)
    # As the framework writes it: what is no number is null.
    return to_json(record if way is None else way(record), inf_nan_mode="null")


def _way(kind: object) -> Way | None:
    """How a value of this kind becomes plain; None where it is already."""
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Annotated:
        for note in inner[1:]:
            if isinstance(note, Wire):
                return note.plain(inner[0])
            if isinstance(note, Told):
                return note.way
        return _way(inner[0])
    if origin in (set, frozenset):
        return sorted
    ways = [way for one in inner if (way := _way(one))]
    if ways and origin is list:
        return lambda values: [ways[0](value) for value in values]
    if ways:
        raise TypeError(f"{kind!r}: records travel alone or in lists")
    return None


def descriptions(record: type[object]) -> dict[str, str]:
    """The text below each field in the record's source."""
    try:
        source = textwrap.dedent(inspect.getsource(record))
    except OSError as error:  # shipped without source: the fields still say what they are called
        trace.swallowed(log, error, doing="reading the source of a record", record=record.__name__)
        return {}
    (definition,) = ast.parse(source).body
    assert isinstance(definition, ast.ClassDef)
    notes = {}
    for line, below in pairwise(definition.body):
        match line, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                notes[name] = inspect.cleandoc(text)
    return notes


def _sorted(hint: object) -> object:
    """JSON has no sets, and the order of one is chance: a list in alphabetical order instead."""
    if get_origin(hint) in (set, frozenset):
        return Annotated[list.__class_getitem__(get_args(hint)), BeforeValidator(sorted)]
    return hint
