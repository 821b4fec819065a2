"""A store of drawn columns at any size, for the benchmarks: everything a real one has but pictures.

Vectors lie along curves between common directions, so that neighbours of neighbours lead on, as
they do among photographs. A picture has some hundred distinct words, drawn so that a word is the
rarer the higher its number; its local features, which only the geometric check reads, are blank.
Every picture has a path, a thousand to a folder, where no file lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from saccade.descriptors.embedding import parts as codec
from saccade.engine import Recipe, about
from saccade.engine.progress import unwatched
from saccade.engine.sources import SOURCES
from saccade.engine.sources.dense import LENGTHS, POSITIONS, descriptor_of, spatial
from saccade.engine.sources.words import ASSIGNED, BAGS, SETTING, WORDS
from saccade.features.similarities import norms
from saccade.kernels.ragged import offsets_of
from saccade.store.catalog import NewImage, NewPath
from saccade.store.columns import Draft
from saccade.store.store import Store
from saccade.words import hkm, local_features
from saccade.words.vocabulary import Vocabulary

SEGMENT = 50_000
DRAWN, DIRECTIONS = 150, 400


def build(
    place: Path,
    images: int,
    seed: int = 0,
    *,
    descriptors: Sequence[str] | None = None,
    words: bool = True,
    graph: bool = True,
) -> None:
    """Write the store; `graph` links its images as `saccade index` does.

    It has the dense `descriptors` of the default recipe, unless others are given.
    """
    rng = np.random.default_rng(seed)
    store = Store(place)
    dense = [name for name in descriptors or Recipe.default().descriptors if name != WORDS]
    recipe = Recipe(descriptors=(*dense, WORDS) if words else tuple(dense))
    kinds = {name: about(name).kind for name in recipe.descriptors}
    store.commit(settings={"recipe": recipe.as_json(), "kinds": kinds})
    around = {
        name: rng.random((DIRECTIONS, about(name).dimension), dtype=np.float32) for name in dense
    }
    vocabulary = _vocabulary(store, rng) if words else None
    for first in range(0, images, SEGMENT):
        count = min(SEGMENT, images - first)
        which, along = rng.integers(0, DIRECTIONS, count), rng.random((count, 1), np.float32)
        other = (which + rng.choice([1, 7, 31], count)) % DIRECTIONS
        drafts = []
        for name in dense:
            vectors = along * around[name][which] + (1.0 - along) * around[name][other]
            vectors += 0.5 * rng.standard_exponential(vectors.shape, np.float32)
            arrays = {"vectors": vectors, "norms": norms(vectors)}
            if spatial(descriptor_of(name)):
                codes = rng.integers(0, 256, (count, codec.BYTES, codec.POSITIONS), np.uint8)
                arrays |= {POSITIONS: codes, LENGTHS: np.ones(count, np.float32)}
            drafts.append(store.columns.draft(name, about(name).version, first, arrays))
        if vocabulary is not None:
            drafts += _words(store, vocabulary, first, count, rng)
        new = [NewImage(f"{first + i:032x}", 640, 480) for i in range(count)]
        known = [NewPath(drawn_path(first + i), one.image_id, 1, 1) for i, one in enumerate(new)]
        store.commit(images=new, paths=known, drafts=drafts)
    if graph:
        with store.indexing():
            SOURCES.update(store, recipe.descriptors, unwatched)
    store.close()


def drawn_path(row: int) -> str:
    """Where a picture of the store is said to lie."""
    return f"/drawn/{row // 1000:04d}/{row:07d}.jpg"


def _vocabulary(store: Store, rng: np.random.Generator) -> Vocabulary:
    drawn = rng.integers(0, 256, (120_000, local_features.DIMENSION), np.uint8)
    vocabulary = hkm.train(drawn, branching=10, depth=4, iterations=2)
    vocabulary.save(store.vocabulary_file(vocabulary.digest))
    store.commit(settings={SETTING: vocabulary.digest})
    return vocabulary


def _words(
    store: Store, vocabulary: Vocabulary, first: int, count: int, rng: np.random.Generator
) -> list[Draft]:
    drawn = (vocabulary.size ** rng.random((count, DRAWN)) - 1.0).astype(np.int32)
    bags = [np.unique(one) for one in drawn]
    offsets = offsets_of([len(one) for one in bags])
    flat = np.concatenate(bags)
    features = {
        "descriptors": np.zeros((len(flat), local_features.DIMENSION), np.uint8),
        "frames": np.ones((len(flat), 4), np.float32),
        "sizes": np.full((len(flat), 2), 640, np.uint16),
        "offsets": offsets,
    }
    ones = np.ones(len(flat), np.int32)
    draft, digest = store.columns.draft, vocabulary.digest
    return [
        draft(WORDS, local_features.VERSION, first, features),
        draft(ASSIGNED, digest, first, {"words": flat, "offsets": offsets}),
        draft(BAGS, digest, first, {"words": flat, "counts": ones, "offsets": offsets}),
    ]
