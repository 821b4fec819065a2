"""Puts the verbs together."""

from __future__ import annotations

import importlib
import logging
from pathlib import Path

import typer

from saccade import __version__, trace
from saccade.cli import VERBS
from saccade.cli.common import DEFAULT_STORE
from saccade.cli.start import start


def build() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        name="saccade",
        help="An image search engine that learns what you mean.",
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
    )

    @app.callback()
    def options(
        context: typer.Context,
        version: bool = typer.Option(
            False,
            "--version",
            help="Print the version, its commit and the format of its stores.",
            callback=_version,
            is_eager=True,
        ),
        verbose: int = typer.Option(
            0,
            "--verbose",
            "-v",
            count=True,
            show_default=False,
            help="Tell on standard error what is done; -vv tells more.",
        ),
        store: Path = typer.Option(
            DEFAULT_STORE, "--store", envvar="SACCADE_STORE", help="Without a verb: the store."
        ),
        port: int = typer.Option(8000, "--port", help="Without a verb: the port of the page."),
    ) -> None:
        """An image search engine that learns what you mean.

        Without a verb it opens the page of a store, made when missing, and indexes behind.
        """
        level = logging.INFO if verbose == 1 else logging.DEBUG
        context.with_resource(trace.showing(level) if verbose else trace.showing_as_asked())
        if context.invoked_subcommand is None:
            start(store, "127.0.0.1", port)

    for verb, summary in VERBS.items():
        defined = getattr(importlib.import_module(f"saccade.cli.{verb}"), verb)
        if isinstance(defined, typer.Typer):
            app.add_typer(defined, name=verb, help=summary[0].upper() + summary[1:] + ".")
        else:
            app.command(verb, short_help=summary[0].upper() + summary[1:] + ".")(defined)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from saccade.store.formats import FORMAT
        from saccade.studies.machine import UNKNOWN, commit

        revision = commit()
        built = "" if revision == UNKNOWN else f"commit {revision}, "
        print(f"saccade {__version__} ({built}store format {FORMAT})")
        raise typer.Exit
