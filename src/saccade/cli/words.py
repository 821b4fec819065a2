"""`saccade words`: the vocabulary of visual words."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from saccade.cli.common import Json, Store, opened, print_json, progress

if TYPE_CHECKING:
    from saccade.engine import VocabularyInfo

words = typer.Typer(no_args_is_help=True)


class Kind(StrEnum):
    """Ways to train a vocabulary."""

    akm = "akm"
    hkm = "hkm"


@words.command()
def train(
    store: Path = Store,
    kind: Kind = typer.Option(Kind.akm, help="Flat (akm) or a tree (hkm)."),
    size: int = typer.Option(None, "--size", min=1, help="Words; by default sized to the store."),
    branching: int = typer.Option(10, min=2, help="Children of a node of the tree."),
    depth: int = typer.Option(5, min=1, help="Levels of the tree."),
    seed: int = typer.Option(0, min=0, help="The same seed gives the same words."),
    json: bool = Json,
) -> None:
    """Train a vocabulary on a store's local features, and make the words of its images anew.

    No picture is read. Interrupted, the same command goes on where it stopped.
    """
    with opened(store, warm=False) as engine, progress() as watch:
        engine.library.words(watch).train(
            kind=kind.value, size=size, branching=branching, depth=depth, seed=seed
        )
        _print(engine.library.words().info(), json)


@words.command()
def info(
    store: Path = Store,
    recall: bool = typer.Option(
        False, "--recall", help="Measure how often the nearest word is found."
    ),
    json: bool = Json,
) -> None:
    """Show a store's vocabulary and what was made with it."""
    with opened(store, warm=False) as engine:
        vocabulary = engine.library.words().info()
        share = engine.library.words().recall() if recall else None
    _print(vocabulary, json, recall=share)


@words.command()
def export(
    file: Path = typer.Argument(..., help="The file to write."), store: Path = Store
) -> None:
    """Write a store's vocabulary to a file that other stores can import."""
    with opened(store, warm=False) as engine:
        vocabulary = engine.library.words().export(file)
    print(f"{file}: {vocabulary.size:,} words, digest {vocabulary.digest}")


@words.command("import")
def import_(
    file: Path = typer.Argument(..., help="A file that `words export` wrote."),
    store: Path = Store,
    json: bool = Json,
) -> None:
    """Take a vocabulary from a file; into a new store too, before its first images.

    The words of images that are there already are made anew. No picture is read.
    """
    with opened(store, create=True, warm=False) as engine, progress() as watch:
        engine.library.words(watch).import_(file)
        _print(engine.library.words().info(), json)


def _print(vocabulary: VocabularyInfo, json: bool, *, recall: float | None = None) -> None:
    if json:
        print_json({**asdict(vocabulary), **({} if recall is None else {"recall": recall})})
        return
    print(f"vocabulary  {vocabulary.digest}")
    print(f"kind        {vocabulary.kind}, {vocabulary.size:,} words, seed {vocabulary.seed}")
    print(f"trained on  {vocabulary.trained_on:,} descriptors")
    print(f"used by     {vocabulary.images:,} images with {vocabulary.features:,} features")
    if recall is not None:
        print(f"recall      {recall:.1%} of descriptors get the word that is truly nearest")
