"""`saccade doctor`: is the store whole?"""

from __future__ import annotations

from pathlib import Path

import typer

from saccade.cli.common import Json, Store, opened, print_json, progress


def doctor(
    store: Path = Store,
    repair: bool = typer.Option(False, "--repair", help="Rebuild what can be rebuilt."),
    json: bool = Json,
) -> None:
    """Check a store against its files and say what it would rebuild; --repair rebuilds it.

    Exit code 1 when something is wrong and was not repaired.
    """
    with opened(store, warm=False) as engine, progress() as watch:
        findings = engine.library.doctor(repair=repair, watch=watch)
    bad = [finding for finding in findings if not finding.repaired]
    if json:
        print_json({"store": str(store), "findings": list(findings), "healthy": not findings})
    else:
        for finding in findings:
            state = "repaired" if finding.repaired else finding.remedy
            print(f"{finding.place}: {finding.problem} ({state})")
        if not findings:
            print(f"{store}: healthy")
    if bad:
        raise typer.Exit(1)
