"""`saccade schemes`: descriptors and schemes, with their cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import typer

from saccade.cli.common import Json, Store, User, opened, print_json

if TYPE_CHECKING:
    from saccade.engine import Engine
    from saccade.types import SchemeInfo


class DescriptorRow(TypedDict):
    """A descriptor with its cost."""

    descriptor: str
    kind: str
    dimension: int
    bytes_per_image: int
    milliseconds_per_image: float | None
    in_recipe: bool


class CentralImage(TypedDict):
    """An image that many others resemble."""

    image_id: str
    path: str
    pagerank: tuple[float, float]


def schemes(
    store: Path = Store,
    user: str = User,
    pagerank: bool = typer.Option(False, "--pagerank", help="Show the most central images too."),
    json: bool = Json,
) -> None:
    """List descriptors with dimension, bytes and cost per image, and the schemes with weights.

    Without a store, the descriptors that a store can have.
    """
    from saccade.descriptors import names
    from saccade.engine import about, is_store

    rows: list[DescriptorRow] = []
    infos: Sequence[SchemeInfo] = ()
    central: list[CentralImage] = []
    if is_store(store):
        with opened(store, warm=False) as engine:
            infos, costs, recipe = (
                engine.library.schemes(user=user),
                engine.library.costs(),
                engine.recipe.descriptors,
            )
            central = _central(engine) if pagerank else []
            resting = engine.library.report().resting
    else:
        costs, recipe, resting = {}, (), {}
    # How large words are depends on the store's vocabulary and pictures.
    sizes = {info.descriptor: (info.dimension, info.bytes_per_image) for info in infos}
    awake = [name for name in recipe if name not in resting]
    for descriptor in map(about, dict.fromkeys([*names(), "words", *awake])):
        name = descriptor.name
        rows.append(
            {
                "descriptor": name,
                "kind": descriptor.kind,
                "dimension": sizes.get(name, (descriptor.dimension, 0))[0],
                "bytes_per_image": sizes.get(name, (0, 4 * descriptor.dimension))[1],
                "milliseconds_per_image": costs.get(name),
                "in_recipe": name in recipe,
            }
        )
    if json:
        out = {"descriptors": rows, "resting": resting, "schemes": list(infos)}
        print_json({**out, "central": central})
        return
    print(f"{'descriptor':<24} {'kind':<10} {'dimension':>9} {'bytes':>7} {'ms':>7}  in recipe")
    for row in rows:
        cost = row["milliseconds_per_image"]
        print(
            f"{row['descriptor']:<24} {row['kind']:<10} {row['dimension']:>9} "
            f"{row['bytes_per_image']:>7} {'' if cost is None else f'{cost:.1f}':>7}  "
            f"{'yes' if row['in_recipe'] else ''}"
        )
    for name, reason in resting.items():
        print(f"{name:<24} rests: {reason}")
    if infos:
        print(f"\n{'scheme':<32} weight for {user}")
    for info in sorted(infos, key=lambda info: -info.weight):
        print(f"{info.scheme:<32} {info.weight:+.4f}")
    if central:
        print("\nmost central images, by visual PageRank (global descriptors, words)")
    for image in central:
        looks, words = image["pagerank"]
        print(f"{looks:7.3f} {words:7.3f}  {image['path']}")


def _central(engine: Engine) -> list[CentralImage]:
    """The images most others resemble, by visual PageRank."""
    ranks = engine.library.pageranks()
    best = sorted(ranks, key=lambda image: -sum(ranks[image]))[:10]
    return [
        {"image_id": image, "path": engine.image(image).paths[0], "pagerank": ranks[image]}
        for image in best
    ]
