"""The command line: one file a verb. Heavy parts are imported when a verb runs, not before.

Exit codes: 0 done · 2 the input cannot be used · 3 not found · 4 the store · 130 interrupted.
"""

from __future__ import annotations

import sys

VERBS = {
    "demo": "draw a small world, index it, serve it",
    "index": "index a folder of pictures, or bring it up to date",
    "search": "search by picture",
    "serve": "serve the page and the HTTP API",
    "profile": "what a user taught: show, undo, forget, export, import",
    "replay": "rebuild every model from the log",
    "doctor": "check a store against its files, repair it",
    "schemes": "list descriptors and schemes with their cost",
    "describe": "look at one picture: descriptors, saliency, regions",
    "words": "visual words: train, look at, export and import vocabularies",
    "features": "ranking features of a query, or of labelled queries as a LETOR file",
    "rank": "learn to rank LETOR files",
    "data": "labelled sets: what a folder holds and what is wrong with it",
    "study": "reproduce a paper's experiments",
}
"""Every verb, in the order of a first day; `saccade.cli.VERB` defines it."""


def main() -> None:
    """Run the command line; every expected failure is one sentence and an exit code."""
    from saccade.errors import SaccadeError

    try:
        from saccade.cli.app import build

        build()()
    except SaccadeError as error:
        print(f"saccade: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except SystemExit as end:
        # Typer answers Ctrl-C itself, with this code and without a word.
        if end.code == 130:
            print("saccade: interrupted; run the same command again to go on", file=sys.stderr)
        raise
    except BrokenPipeError:
        # The reader of our output (head, less) has left; that is no failure.
        sys.stderr.close()
        sys.exit(0)
