"""Every public name has an example that is run.

Public is what the reference of the site shows: `import saccade`, the verbs of an engine and of its
rooms, requests, records, errors, the client, rankers, choosers, descriptors, the testbed and the
checks for plug-ins. An example is a doctest (they are run with all tests); a name has one where

- its own docstring has one;
- one in the docstring of its class or its module uses it: a room tells one story of its verbs;
- it is a record, and something that has an example gives it back or takes it, or another such
  record holds it; a property of a record, where an example of such a thing reads it;
- it is an error, and an example raises it or shows its sentence;
- it is one check of a suite, and the suite, which runs them all, has one.
"""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import typing
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache
from types import ModuleType

import pytest

import saccade
from scripts import script

PARSER = doctest.DocTestParser()


def found(name: str) -> object:
    """What a dotted name means."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            thing: object = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(name)


def is_callable(thing: object) -> bool:
    """A class or a function, whatever it is wrapped in; no plain value and no alias of types."""
    return inspect.isclass(thing) or inspect.isroutine(thing)


def members(module: ModuleType) -> Iterator[tuple[str, object]]:
    """The public classes and functions of a module."""
    listed = getattr(module, "__all__", None)
    for name, thing in inspect.getmembers(module, is_callable):
        own = getattr(thing, "__module__", "") == module.__name__
        if name in listed if listed is not None else own and not name.startswith("_"):
            yield name, thing


def verbs(kind: type) -> Iterator[tuple[str, object]]:
    """The public methods and properties that a class itself has."""
    for name, thing in vars(kind).items():
        plain = thing.__func__ if isinstance(thing, classmethod | staticmethod) else thing
        if not name.startswith("_") and (inspect.isroutine(plain) or isinstance(plain, property)):
            yield name, plain


@cache
def public() -> dict[str, tuple[object, object]]:
    """Every public name, with what it means and what it belongs to: a class or a module."""
    out: dict[str, tuple[object, object]] = {}

    def add(name: str, thing: object, home: object) -> None:
        out[name] = (thing, home)
        if inspect.isclass(thing):
            out.update({f"{name}.{verb}": (one, thing) for verb, one in verbs(thing)})

    site = script("docs/pages.py")
    names = [name for _, some in site.REFERENCE.values() for name in some]
    for name in (*names, *site.rooms().values()):
        thing = found(name)
        if isinstance(thing, ModuleType):
            for member, one in members(thing):
                add(f"{name}.{member}", one, thing)
        else:
            add(name, thing, inspect.getmodule(thing))
    for name in saccade.__all__:
        thing = getattr(saccade, name)
        if is_callable(thing) and thing not in [one for one, _ in out.values()]:
            add(f"saccade.{name}", thing, inspect.getmodule(thing))
    return out


def examples(thing: object) -> list[doctest.Example]:
    """The examples in a docstring of its own."""
    text = thing.__doc__ if hasattr(thing, "__doc__") else None
    return PARSER.get_examples(text) if isinstance(text, str) else []


def used(thing: object) -> set[str]:
    """The names that the examples of a docstring use."""
    out = set()
    for example in examples(thing):
        for node in ast.walk(ast.parse(example.source)):
            if isinstance(node, ast.Name):
                out.add(node.id)
            elif isinstance(node, ast.Attribute):
                out.add(node.attr)
    return out


def homes(home: object) -> list[object]:
    """Whose examples may tell of what belongs to something: a class, its parents, its module."""
    if not inspect.isclass(home):
        return [home]
    return [*home.__mro__[:-1], inspect.getmodule(home)]


def told(name: str) -> bool:
    """Whether an example of its own, of its class or of its module uses a name."""
    thing, home = public()[name]
    last = name.rpartition(".")[2]
    if examples(thing):
        return True
    return any(last in used(one) for one in homes(home))


def annotations(thing: object) -> str:
    """What a function takes and gives back, or what a record holds, as it is written."""
    plain = thing.fget if isinstance(thing, property) else thing
    written = getattr(plain, "__annotations__", {})
    return " ".join(map(str, written.values()))


@cache
def handled() -> dict[str, set[str]]:
    """Records that something with an example takes or gives back, or that one of them holds.

    With each, the names that those examples use.
    """
    out: dict[str, set[str]] = {}
    records = {
        thing.__name__: thing
        for thing, _ in public().values()
        if inspect.isclass(thing) and is_dataclass(thing)
    }
    waiting = []
    for name, (thing, home) in public().items():
        if told(name) and not inspect.isclass(thing):
            read = used(thing).union(*(used(one) for one in homes(home)))
            waiting.append((annotations(thing), read))
    for name, record in records.items():
        if told_of(record):
            waiting.append((annotations(record), used(record)))
            out.setdefault(name, set())
    while waiting:
        written, read = waiting.pop()
        for name in set(re.findall(r"\w+", written)) & records.keys():
            if name not in out or not read <= out[name]:
                out[name] = out.get(name, set()) | read
                waiting.append((annotations(records[name]), read))
    return out


def told_of(thing: object) -> bool:
    """Whether a class has an example of its own."""
    return bool(examples(thing))


@cache
def raised() -> frozenset[str]:
    """Errors that an example anywhere in the package raises, or names."""
    out = set()
    for thing, home in public().values():
        for one in (thing, home):
            for example in examples(one):
                out |= set(re.findall(r"\w+", (example.exc_msg or "").partition(":")[0]))
            if issubclass_(one, saccade.SaccadeError) or one is saccade.errors:
                out |= used(one)
    return frozenset(out)


def issubclass_(thing: object, parent: type) -> bool:
    """Whether something is a class with this parent."""
    return inspect.isclass(thing) and issubclass(thing, parent)


def shown(name: str) -> bool:
    """Whether a public name has an example, by the rules above."""
    thing, home = public()[name]
    last = name.rpartition(".")[2]
    if told(name):
        return True
    if issubclass_(thing, saccade.SaccadeError):
        return last in raised()
    if inspect.isclass(thing) and is_dataclass(thing):
        return last in handled()
    if inspect.isclass(home) and is_dataclass(home):
        return last in handled().get(home.__name__, set())
    if isinstance(home, ModuleType) and home.__name__.startswith("saccade.checks."):
        rows = [one for table, one in vars(home).items() if table.endswith("CHECKS")]
        return bool(used(home)) and any(thing in row for row in rows)
    return False


def test_every_public_name_has_an_example() -> None:
    """By the rules at the head of this file."""
    without = [name for name in public() if not shown(name)]
    assert not without, f"{len(without)} of {len(public())}: " + ", ".join(without)


@pytest.mark.parametrize(
    "name",
    ["saccade.engine.engine.Engine.search", "saccade.engine.rooms.people.People.export"],
)
def test_an_example_that_goes_is_missed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verb is found out when neither it nor its room has an example."""
    assert shown(name)
    thing, home = public()[name]
    for one in (thing, home):
        monkeypatch.setattr(one, "__doc__", "No example.")
    assert not shown(name)


def test_public_names_are_found() -> None:
    """What people use is among them: verbs, rooms' verbs, records, errors, tables."""
    wanted = {
        "saccade.engine.open", "saccade.engine.engine.Engine.react",
        "saccade.engine.attributes.surface.Attributes.ask", "saccade.client.Client.put",
        "saccade.types.Hit", "saccade.errors.NotShown", "saccade.rankers.make",
        "saccade.choosers.load", "saccade.checks.rankers.check_ranker",
    }  # fmt: skip
    assert wanted <= public().keys()
    kinds = {thing for thing, _ in public().values() if inspect.isclass(thing)}
    for name in saccade.__all__:
        thing = getattr(saccade, name)
        assert not inspect.isclass(thing) or thing in kinds, name
    rooms = set(typing.get_type_hints(saccade.Engine).values())
    assert rooms <= kinds
