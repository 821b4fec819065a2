"""Schemes by name, and what each of a collection's schemes costs."""

from __future__ import annotations

from collections.abc import Mapping

from saccade.engine.collection import Collection
from saccade.engine.recipe import Recipe
from saccade.engine.sources import SourceTable
from saccade.errors import InvalidInput, UnknownName
from saccade.hints import SCHEMES
from saccade.types import Scheme, SchemeInfo


def parse_schemes(texts: tuple[str, ...], there: tuple[Scheme, ...]) -> tuple[Scheme, ...]:
    """Schemes by name, each one that the collection has."""
    schemes = []
    for text in texts:
        scheme = Scheme.parse(text)
        if scheme not in there:
            raise UnknownName("scheme", text, [str(k) for k in there], hint=SCHEMES)
        schemes.append(scheme)
    if len(set(schemes)) != len(schemes):
        raise InvalidInput("a scheme is named twice")
    return tuple(schemes)


def scheme_infos(
    collection: Collection, recipe: Recipe, sources: SourceTable, weights: Mapping[str, float]
) -> tuple[SchemeInfo, ...]:
    """Every scheme of a recipe with kind, size and weight."""
    out = []
    every = dict.fromkeys([*recipe.schemes(), *collection.schemes])
    for scheme in every:
        source = sources.of(scheme.descriptor)
        if scheme.descriptor in collection.resting or not source.compares:
            continue
        view = next((v for v in collection.views.values() if scheme.descriptor in v.names), None)
        dimension, room = source.size(scheme.descriptor, view)
        out.append(
            SchemeInfo(
                scheme=str(scheme),
                descriptor=scheme.descriptor,
                similarity=scheme.similarity,
                kind=source.about(scheme.descriptor).kind,
                dimension=dimension,
                bytes_per_image=room,
                weight=weights.get(str(scheme), 0.0),
            )
        )
    return tuple(out)
