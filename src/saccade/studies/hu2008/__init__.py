"""Hu, Li & Yu 2008, "Multiple-Instance Ranking: Learning to Rank Images for Image Retrieval".

pictures   concepts of good, middling and junk pictures, from any set with classes
regions    their regions, described once
ranking    Table 1 and Figure 3; the whole picture, and embeddings of regions, beside them
maps       Figure 4 in numbers: relevance against the truth, saliency and area
online     ours: preference by preference
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.rankers.bag_tuning import COSTS, WIDTHS
from saccade.studies.declaration import Experiment, Options, Printed, Study, sentences
from saccade.studies.hu2008 import maps, online, pictures, printed, ranking, regions
from saccade.studies.hu2008.claims import CLAIMS


def _setup(options: Options) -> Sequence[str]:
    good, middling, junk = pictures.sizes(options)
    costs = ", ".join(f"{value:g}" for value in (COSTS[1:3] if options.quick else COSTS))
    widths = ", ".join(f"{value:g}" for value in (WIDTHS[1:3] if options.quick else WIDTHS))
    return sentences(f"""
        A concept is a class, at most {pictures.CONCEPTS} of them, with up to {good} good pictures
        (of the class), {middling} middling ones (one of the class pasted small onto another class)
        and {junk} junk ones (of other classes). In drawn worlds all are objects pasted into scenes:
        large, small, or the wrong one. The paper has 200 pictures of each of ten animals from
        Flickr, graded by hand. A table with a column `grade` is taken as it stands.

        Regions by normalised cuts over superpixels, 4 to 12 a picture; colour correlogram, colour
        moments and Gabor texture of each. The whole picture is described the same way, as one
        region; `embedding` is EfficientNet-Lite0 of a region's box.

        Five random halves of a concept's pictures: one learns, the other is judged. All preference
        pairs of different grade. Gaussian kernel on standard scores; C of {costs} and widths of
        {widths} over the number of columns, by average precision in two folds of the training half.
        η is 4. `whole picture` is the ranking SVM with the same kernel, loss and choice.

        Given order: by the files' names, which say nothing here; the paper's was Flickr's own.

        Figure 4: pictures of the judged half whose thing is known.

        Online: preferences drawn at random, default settings, no choice among them.
        """)


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
