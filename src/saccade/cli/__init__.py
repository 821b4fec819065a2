"""The command line: one file a verb. Heavy parts are imported when a verb runs, not before.

Exit codes: 0 done · 1 done, and the answer is no · 2 the input cannot be used · 3 not found · 4 the
store · 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer as Buffer

VERBS = {
    "demo": "draw a small world, index it, serve it",
    "index": "index a folder of pictures, or bring it up to date",
    "search": "search by picture",
    "picture": "single pictures under ids of yours: put, remove",
    "neighbours": "the look-alikes of a picture",
    "jobs": "long work done behind: list, post, cancel, run",
    "serve": "serve the page and the HTTP API",
    "token": "keys to a server: create, list, revoke; each with a name and a role",
    "profile": "what a user taught: show, undo, forget, export, import",
    "attribute": "teach what a word means, and order pictures by it",
    "saved": "searches kept under a name: list, save, open, delete",
    "concept": "pictures of a keyword in the order you teach: list, prefer, grade, rank, show",
    "tag": "names for pictures: list, add, remove",
    "replay": "rebuild every model from the log",
    "doctor": "check a store against its files, repair it",
    "retention": "how long pages nobody marked are kept",
    "backup": "copy a store while it is used, verified",
    "restore": "bring a backup back",
    "move": "a store's catalog and log into PostgreSQL, or back",
    "schemes": "list descriptors and schemes with their cost",
    "describe": "look at one picture: descriptors, saliency, regions",
    "choosers": "retrieval configurations: who leads and at what regret; train their vocabularies",
    "words": "visual words: train, look at, export and import vocabularies",
    "features": "ranking features of a query, or of labelled queries as a LETOR file",
    "rerank": "candidates of another engine in the order people teach",
    "events": "what another program showed and what was clicked: import a history",
    "rank": "learn to rank LETOR files",
    "data": "labelled sets: what a folder holds and what is wrong with it",
    "study": "reproduce a paper's experiments",
}
"""Every verb, in the order of a first day; `saccade.cli.VERB` defines it."""


def main() -> None:
    """Run the command line; every expected failure is one sentence and an exit code."""
    from saccade.errors import SaccadeError

    _be_forgiving()
    try:
        from saccade.cli.app import build

        build()()
    except SaccadeError as error:
        print(f"saccade: {error.sentence('command')}", file=sys.stderr)
        sys.exit(error.exit_code)
    except SystemExit as end:
        # Typer answers Ctrl-C itself, with this code and without a word.
        if end.code == 130:
            print("saccade: interrupted; run the same command again to go on", file=sys.stderr)
        raise


class _Forgiving(FileIO):
    """Standard output whose reader (head, less) may leave: what follows goes nowhere."""

    def write(self, data: Buffer, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return super().write(data)


def _be_forgiving() -> None:
    """A closed pipe is no failure, and a file name that is no text can be printed."""
    out = sys.stdout
    if out is sys.__stdout__ and isinstance(out, TextIOWrapper):
        sys.stdout = TextIOWrapper(
            BufferedWriter(_Forgiving(out.fileno(), "wb", closefd=False)),
            encoding=out.encoding,
            errors="backslashreplace",
            line_buffering=out.line_buffering,
            write_through=out.write_through,
        )
