"""`saccade choosers`: retrieval configurations, and who chooses among them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, opened, print_json, progress
from saccade.errors import need

if TYPE_CHECKING:
    from saccade.types import ChooserReport, ChoosersReport

choosers = typer.Typer(no_args_is_help=True)


@choosers.command()
def show(
    store: Path = Store,
    out: Path = typer.Option(None, "--out", help="Draw weights and regret over time to this file."),
    json: bool = Json,
) -> None:
    """Show what a collection can be ranked by, who leads, and what finding out has cost."""
    if out is not None:
        need("studies", "matplotlib", part="a drawing")
    with opened(store, warm=False) as engine:
        report = engine.configurations.show()
    if json:
        print_json(report)
    else:
        _print(report)
    if out is not None and report.choosers:
        from saccade.cli.choosers_plot import plot

        for file in plot(report, out):
            typer.echo(f"drawn to {file}", err=json)


@choosers.command()
def train(
    store: Path = Store,
    seed: int = typer.Option(0, min=0, help="The same seed gives the same words."),
    json: bool = Json,
) -> None:
    """Train the vocabularies that the twenty configurations of Aly (2011) still lack.

    No picture is read. Interrupted, the same command goes on where it stopped.
    """
    with opened(store, warm=False) as engine, progress() as watch:
        sizes = engine.configurations.train(seed=seed, watch=watch)
        names = engine.configurations.show().configurations
    if json:
        print_json({"vocabularies": sizes, "configurations": names})
        return
    for name, words in sizes.items():
        print(f"{name:<12} {words:>9,} words")
    print(f"{len(names)} configurations")


def _print(report: ChoosersReport) -> None:
    if not report.configurations:
        print("no configurations: this collection has no visual words")
        return
    sizes = ", ".join(f"{name} {words:,} words" for name, words in report.vocabularies.items())
    print(f"{len(report.configurations)} configurations of {sizes}")
    print(f"{report.exploring:.0%} of `auto` searches try another, in one place of ten")
    for one in report.choosers:
        print()
        _print_chooser(one)
    for name, times in report.dropped.items():
        print(f"{name} failed {times} times since the store was opened")


def _print_chooser(one: ChooserReport) -> None:
    print(f"{one.serves}: {one.chooser}, {one.rounds} reactions", end="")
    if one.loss is None:
        print(": nothing learned yet")
        return
    print(f", mean loss {one.loss:.3f}")
    print(f"best single {one.best}; regret {one.regret:.2f}, bound {one.bound:.1f}")
    if one.serves == "auto":
        print(f"behind the usual ranking by {one.excess:.2f}, {one.allowed:.2f} at most")
    width = max(len(line.name) for line in one.configurations)
    for line in sorted(one.configurations, key=lambda line: -line.weight):
        loss = "  –  " if line.loss is None else f"{line.loss:.3f}"
        bar = "█" * round(40 * line.weight)
        print(f"  {line.name:<{width}}  {line.weight:6.1%}  {loss}  {line.rounds:>5}  {bar}")
