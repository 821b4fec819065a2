"""The next step in the words of whoever needs it: a line of Python, a command, a request.

    Hint("engine.add(FOLDER) fills it", command="`saccade index FOLDER` fills it")

A hint is text, in the words of Python; `told` gives those of another surface. What a client of the
service cannot do itself, whoever runs the server can: with the command.
"""

from __future__ import annotations

from typing import Literal

Surface = Literal["python", "command", "http"]


class Hint(str):
    """One next step for every surface."""

    __slots__ = ("command", "http")
    command: str
    http: str

    def __new__(cls, python: str, *, command: str, http: str | None = None) -> Hint:
        """Without words for a client, it is for whoever runs the server."""
        made = super().__new__(cls, python)
        made.command = command
        made.http = f"whoever runs this server can help: {command}" if http is None else http
        return made

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]:
        """What a copy is made from, in this process or in another."""
        return (str(self),), {"command": self.command, "http": self.http}


def hint_for(hint: str, surface: Surface) -> str:
    """A hint in a surface's words; one without any of its own is the same for all.

    >>> hint_for(Hint("engine.add(FOLDER) fills it", command="`saccade index` fills it"), "command")
    '`saccade index` fills it'
    >>> hint_for("search again", "http")
    'search again'
    """
    if surface == "python" or not isinstance(hint, Hint):
        return str(hint)
    return hint.command if surface == "command" else hint.http


FILL = Hint("engine.add(FOLDER) fills it", command="`saccade index FOLDER` fills it")
REPAIR = Hint(
    "engine.library.doctor(repair=True) computes it again",
    command="`saccade doctor --repair` computes it again",
)
SCHEMES = Hint(
    "engine.library.schemes() lists them",
    command="`saccade schemes` lists them",
    http="GET /api/v1/schemes lists them",
)


def recipe(*names: str) -> Hint:
    """Descriptors that a store must have for something."""
    change = ",".join(f"+{name}" for name in names)
    return Hint(
        f"engine.add(FOLDER, recipe={change!r}) makes them",
        command=f"`saccade index FOLDER --recipe {change}` makes them",
    )


def install(extra: str) -> Hint:
    """Packages that a plain installation is made without."""
    step = f'`pip install "saccade[{extra}]"` brings it'
    return Hint(step, command=step)
