"""Hu, Li & Yu 2008, "Multiple-Instance Ranking: Learning to Rank Images for Image Retrieval".

keywords   lists of photographs as a typed word finds them, graded by what they show
pictures   concepts of good, middling and junk pictures: graded by hand, or drawn
regions    their regions, described once
ranking    Table 1 and Figure 3; the whole picture, and embeddings of regions, beside them
pooling    ours: what is learned of regions, and how it is pooled, taken apart
maps       Figure 4 in numbers: relevance against the truth, saliency and area
gallery    Figure 4 as pictures
online     ours: preference by preference
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.rankers.bag_tuning import SHARPNESS
from saccade.studies.declaration import Experiment, Options, Printed, Study, sentences
from saccade.studies.hu2008 import (
    gallery,
    keywords,
    maps,
    online,
    pictures,
    pooling,
    printed,
    ranking,
    regions,
)
from saccade.studies.hu2008.claims import CLAIMS


def _setup(options: Options) -> Sequence[str]:
    good, middling, junk = pictures.sizes(options)
    own, near, others = keywords.sizes(options)
    tried = {name: _listed(values) for name, values in ranking.grid(quick=options.quick).items()}
    return sentences(f"""
        A concept is a class, at most {pictures.CONCEPTS} of them. Photographs: the class's name is
        typed, and its list is up to {own} pictures of the class, the {near} others that the
        product's word search puts highest and {others} others by chance, in the order of that
        search without names of files and folders; a name that the search does not know gives no
        list. Good is the half of the class's pictures that it covers most of, middling the other
        half, junk all others; a list has {keywords.LEAST} of each or is left out. How much of a
        picture is covered is an estimate: the area of its regions, each as far as the embedding of
        its box makes the class probable. Drawn worlds: {good} good, {middling}
        middling and {junk} junk pictures, objects pasted into scenes: large, small, or the wrong
        one. The paper has 200 pictures of each of ten animals from Flickr, graded by hand. A table
        with a column `grade` is taken as it stands.

        Regions by normalised cuts over superpixels, 4 to 12 a picture; colour correlogram, colour
        moments and Gabor texture of each. The whole picture is described the same way, as one
        region; `embedding` is EfficientNet-Lite0 of a region's box.

        Five random halves of a concept's pictures: one learns, the other is judged. All preference
        pairs of different grade. Gaussian kernel on standard scores; C of
        {tried["costs"]} and widths of {tried["widths"]} over the number of columns, by average
        precision in two folds of the training half. η is 4, or where it says so chosen with them
        from {_listed(SHARPNESS)}; the print's (6) with (17) as they stand is ours with η = 1.
        `whole picture` is the ranking SVM with the same kernel, loss and choice.

        Given order: of photographs that of the word search; of drawn or graded sets that of the
        files' names, which say nothing; the paper's was Flickr's own.

        Pooling: the rankers of Table 1, their regions' scores pooled in all three ways.

        Figure 4: pictures of the judged half whose thing is known by a mask, which photographs do
        not have; those shown are drawn by chance.

        Online: preferences drawn at random, default settings, no choice among them.
        """)


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _world(folder: Path, options: Options) -> None:
    from saccade.testbed import worlds

    count = 18 * 20 if options.quick else 18 * 130
    masks = folder / pictures.MASKS
    worlds.write(folder, images=count, seed=8, size=(192, 144), masks=masks)


STUDY = Study(
    name="hu2008",
    paper="Y. Hu, M. Li, N. Yu: Multiple-Instance Ranking: Learning to Rank Images for Image "
    "Retrieval. CVPR 2008.",
    about="which region makes a picture good: average, max and softmax over regions",
    experiments=(
        Experiment(
            "table-1",
            "Table 1 and Figure 3: average precision and NDCG by concept",
            ranking.table,
            systems=ranking.SYSTEMS,
            measures=ranking.MEASURES,
            labels=printed.LABELS,
            seeds=5,
            baseline="mi-average",
            by_query=True,
            printed=(Printed("Table 1, average precision", printed.QUERIES, printed.TABLE_1),),
            quick={"seeds": 1},
        ),
        Experiment(
            "pooling",
            "Ours: average precision of what a ranker learned, by how regions are pooled",
            pooling.measure,
            systems=pooling.SYSTEMS,
            measures=pooling.MEASURES,
            labels=printed.LABELS,
            seeds=5,
            quick={"seeds": 1},
        ),
        Experiment(
            "features",
            "Ours: the paper's features against an embedding of each region",
            ranking.table,
            systems=ranking.FEATURES,
            measures=ranking.MEASURES,
            labels=printed.LABELS,
            seeds=5,
            baseline="mi-softmax",
            quick={"seeds": 1},
        ),
        Experiment(
            "figure-4",
            "Figure 4 in numbers: relevance where the thing truly is",
            maps.measure,
            systems=maps.SYSTEMS,
            measures=maps.MEASURES,
            labels=printed.LABELS,
            seeds=5,
            baseline="saliency",
            gallery=gallery.plates,
            quick={"seeds": 1},
        ),
        Experiment(
            "online",
            "Ours: average precision after so many preferences",
            online.measure,
            systems=online.SYSTEMS,
            measures=("ap",),
            labels=printed.LABELS,
            along="preferences",
            seeds=3,
            quick={"seeds": 1},
        ),
    ),
    claims=CLAIMS,
    setup=_setup,
    world=_world,
    prepare=regions.prepare,
)
