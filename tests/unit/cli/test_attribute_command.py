"""What `saccade attribute` prints of what an engine tells."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner

from saccade.cli.app import build
from saccade.engine import Engine


def test_the_most_likely_are_printed_first(open_copy: Callable[[], Engine]) -> None:
    """Of pictures whose folders are only described, the surest first, no more than `-k`."""
    engine = open_copy()
    folders: dict[str, list[str]] = {}
    for record in engine.images():
        folders.setdefault(Path(record.paths[0]).parent.name, []).append(record.image_id)
    most, least, *told = sorted(folders)[:6]
    engine.attributes.create("far")
    for more, less in zip(folders[most], folders[least], strict=True):
        engine.attributes.compare("far", more, less)
    said = {name: f"far: {most} > {name} > {least}" for name in told}
    found = engine.attributes.classify({name: [one] for name, one in said.items()})
    engine.close()
    shares = [f"{one.share:.1%}" for one in found]
    ordered = [f"{share:.1%}" for share in sorted((one.share for one in found), reverse=True)]
    assert shares[:4] != ordered[:4]
    words = [f"{name} = {one}" for name, one in said.items()]
    result = CliRunner().invoke(
        build(), ["attribute", "classify", *words, "-k", "4", "--store", str(engine.path)]
    )
    assert result.exit_code == 0, result.output
    assert [line.split()[1] for line in result.stdout.splitlines()] == ordered[:4]
