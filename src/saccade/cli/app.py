"""Puts the verbs together."""

from __future__ import annotations

import importlib

import typer

from saccade import __version__
from saccade.cli import VERBS


def build() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        name="saccade",
        help="An image search engine that learns what you mean.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
    )

    @app.callback()
    def options(
        version: bool = typer.Option(
            False, "--version", help="Print the version.", callback=_version, is_eager=True
        ),
    ) -> None:
        """An image search engine that learns what you mean."""

    for verb, summary in VERBS.items():
        defined = getattr(importlib.import_module(f"saccade.cli.{verb}"), verb)
        if isinstance(defined, typer.Typer):
            app.add_typer(defined, name=verb, help=summary[0].upper() + summary[1:] + ".")
        else:
            app.command(verb, short_help=summary[0].upper() + summary[1:] + ".")(defined)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        print(f"saccade {__version__}")
        raise typer.Exit
