"""`saccade retention`: how long pages that nobody marked are kept."""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import Json, Store, opened, print_json


def retention(
    store: Path = Store,
    days: float = typer.Option(None, "--days", help="Keep them for so many days."),
    megabytes: float = typer.Option(None, "--megabytes", help="Keep so much of them at most."),
    json: bool = Json,
) -> None:
    """Show or change how long the log keeps pages that nobody marked.

    Pages with a mark, and whatever was learned, stay for ever.
    """
    with opened(store, warm=False) as engine:
        if days is None and megabytes is None:
            report = engine.retention.show()
        else:
            report = engine.retention.change(days=days, megabytes=megabytes)
    if json:
        print_json(report)
        return
    print(f"{report.pages} pages that nobody marked yet take {report.size / 2**20:.1f} MB;")
    print(f"they are kept for {report.days:g} days, and {report.megabytes:g} MB of them at most")
