"""`saccade describe`: what Saccade sees in one picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict

import typer

from saccade.cli.common import Json, print_json
from saccade.errors import InvalidInput

if TYPE_CHECKING:
    from saccade.images.picture import ArrayPicture
    from saccade.types import Pixels


class DescribedRegion(TypedDict):
    """A part of the picture."""

    label: int
    box: list[int]
    area: float


class DescribedVector(TypedDict):
    """What one descriptor says."""

    descriptor: str
    kind: str
    dimension: int
    milliseconds: float
    vector: list[float]


class DescribedWord(TypedDict):
    """A word for what it shows."""

    word: str
    probability: float


class Description(TypedDict):
    """What was seen in the picture, as far as it was asked for."""

    image: str
    width: int
    height: int
    saliency: NotRequired[str]
    regions: NotRequired[list[DescribedRegion]]
    regions_drawn: NotRequired[str]
    words: NotRequired[list[DescribedWord]]
    descriptors: NotRequired[list[DescribedVector]]


def describe(
    image: Path = typer.Argument(..., help="The picture."),
    saliency: bool = typer.Option(False, "--saliency", help="Draw where people look."),
    regions: bool = typer.Option(False, "--regions", help="Draw its parts."),
    out: Path = typer.Option(Path(), "--out", help="The folder to write the drawings into."),
    descriptor: list[str] = typer.Option(
        [], "--descriptor", help="Compute only this descriptor; repeat for more."
    ),
    json: bool = Json,
) -> None:
    """Show what Saccade sees in a picture: words, descriptors, what stands out, and its parts.

    With --saliency or --regions, writes NAME-saliency.png and NAME-regions.png into --out.
    """
    picture = _read(image)
    height, width = picture.rgb.shape[:2]
    seen: Description = {"image": str(image), "width": width, "height": height}
    if saliency:
        from saccade.images.saliency import render_saliency

        seen["saliency"] = str(_write(render_saliency(picture), out, f"{image.stem}-saliency"))
    if regions:
        from saccade.images.regions import regions_of, render_regions, segment

        labels = segment(picture)
        seen["regions"] = [
            {"label": region.label, "box": list(region.box), "area": round(region.area, 4)}
            for region in regions_of(labels)
        ]
        drawn = render_regions(picture, labels)
        seen["regions_drawn"] = str(_write(drawn, out, f"{image.stem}-regions"))
    if descriptor or not (saliency or regions):
        seen["descriptors"] = _describe(picture, descriptor)
        seen["words"] = _words(picture)
    if json:
        print_json(seen)
    else:
        _print(seen)


def _read(image: Path) -> ArrayPicture:
    from saccade.errors import NotAnImage, NotFound
    from saccade.images.files import read_file
    from saccade.scale.decoding import decode

    try:
        return decode(read_file(image)).picture
    except FileNotFoundError:
        raise NotFound(f"there is no file {str(image)!r}") from None
    except OSError as error:
        raise InvalidInput(f"{str(image)!r} cannot be read: {error.strerror}") from error
    except NotAnImage as error:
        raise NotAnImage(f"{str(image)!r}: {error.message}", hint=error.hint) from error


def _write(pixels: Pixels, folder: Path, name: str) -> Path:
    return write_png(pixels, folder / f"{name}.png")


def write_png(pixels: Pixels, target: Path) -> Path:
    """Write a drawing, its folder too where that is missing."""
    from PIL import Image

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(target, "PNG")
    except OSError as error:
        raise InvalidInput(
            f"{str(target)!r} cannot be written: {error.strerror or error}",
            hint="name another folder with --out",
        ) from error
    return target


def _describe(picture: ArrayPicture, names: list[str]) -> list[DescribedVector]:
    from time import perf_counter

    from saccade.descriptors import DEFAULT, make

    vectors: list[DescribedVector] = []
    for name in names or DEFAULT:
        source = make(name)
        began = perf_counter()
        vector = source.describe([picture])[0]
        vectors.append(
            {
                "descriptor": name,
                "kind": source.kind,
                "dimension": len(vector),
                "milliseconds": round(1000 * (perf_counter() - began), 1),
                "vector": [round(float(value), 5) for value in vector],
            }
        )
    return vectors


def _words(picture: ArrayPicture) -> list[DescribedWord]:
    """What it shows, likeliest first."""
    from saccade import lexicon
    from saccade.descriptors import classifier, make

    guesses = classifier.likely(make(classifier.DESCRIPTOR).describe([picture]))
    words = lexicon.describe(guesses.kinds[0], guesses.probabilities[0])
    return [{"word": one.word, "probability": round(one.probability, 4)} for one in words]


def _print(seen: Description) -> None:
    print(f"{seen['image']}: {seen['width']} × {seen['height']} at working size")
    if "words" in seen:
        words = ", ".join(f"{one['word']} {one['probability']:.0%}" for one in seen["words"])
        print(f"shows      {words or 'nothing that it is sure of'}")
    if "saliency" in seen:
        print(f"saliency   {seen['saliency']}")
    if "regions" in seen:
        print(f"regions    {seen.get('regions_drawn')}")
        for region in seen["regions"]:
            top, left, bottom, right = region["box"]
            place = f"rows {top}–{bottom}, columns {left}–{right}"
            print(f"  {region['label']:2d}  {region['area']:6.1%}  {place}")
    for row in seen.get("descriptors", []):
        shown = " ".join(f"{value:+.2f}" for value in row["vector"][:6])
        print(f"{row['descriptor']:<20} {row['kind']:<10} {row['dimension']:>5}  {shown} …")
