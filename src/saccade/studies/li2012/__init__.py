"""Li et al. 2012, "A comprehensive study on learning to rank for content-based image retrieval".

lists        queries, folds, the 224 features
figures      Figures 2 to 4 and Table 2: sets of features under three learners
dimensions   Tables 3 to 5: feature selection and PCA
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.features.li2012 import GLOBAL
from saccade.studies.declaration import Data, Experiment, Options, Printed, Say, Study, sentences
from saccade.studies.edges import FURTHER
from saccade.studies.li2012 import dimensions, figures, printed
from saccade.studies.li2012.claims import CLAIMS
from saccade.studies.li2012.lists import LONGEST, count_of
from saccade.testbed.datasets import Dataset

FOLDS = tuple(f"fold {number}" for number in range(1, 6))


def _setup(options: Options) -> Sequence[str]:
    return sentences(f"""
        Features: the 224 of the paper's Table 1 (docs/concepts/ranking-features.md), scaled within
        each query to 0..1. Words are those of the store's own vocabulary, RootSIFT and approximate
        k-means; the paper has 1M words for Oxford, 500K for Paris, 500 for NUS-WIDE. With today's
        descriptors every scheme of the store follows as further columns ("Total+today"),
        {options.phi} values.

        Queries: the set's own lists where it has them (good 3, ok 2, junk 1); else
        {count_of(options)} images, as many of each class as can be, grade 1 for their class, or 3
        in the usual condition and 2 in another where a column `condition` tells (day, night). Every
        grade above 0 is relevant for mAP, junk included, as the paper defines it. Of an
        Oxford-style query its box asks and nothing else: words, fields and global descriptors are
        those of the pixels inside it.

        Folds: three fifths of the queries train, one validates, one tests, round robin. A
        validation or test query ranks every other image; a training list has all its relevant
        images and others up to {LONGEST} rows.

        PRank, RankSVM (linear, squared hinge), ListNet (linear, top-1 cross entropy): settings by
        mAP on the validation queries from saccade.rankers.tuning.GRIDS, and on past the end of a
        grid by up to {FURTHER} steps where the best lies there. VSM is the first feature.

        Selection: Geng et al.'s greedy, a feature's worth by its own mAP, likeness by Kendall's
        tau, c = 0.05, on the first {dimensions.QUERIES} training queries. PCA on the training rows.
        Both with the settings that validation chose for all features.

        NDCG has gain 2^grade − 1 and discount log(1 + rank). Significance: two-sided paired
        randomisation test against VSM over all test queries.
        """)


def _prepare(data: Data, options: Options, say: Say) -> list[str]:
    from saccade.studies.collection import prepare

    return prepare(data, options, say, also=(*GLOBAL, "words"), features=True)


def _accepts(dataset: Dataset) -> str:
    if dataset.queries or len(dataset.classes) > 1:
        return ""
    return "it has neither lists of its own nor classes"


def _world(folder: Path, options: Options) -> None:
    from saccade.testbed import worlds

    worlds.write(folder, images=126 if options.quick else 720, seed=12, size=(256, 192))


STUDY = Study(
    name="li2012",
    paper="Y. Li, C. Zhou, B. Geng, C. Xu, H. Liu: A comprehensive study on learning to rank for "
    "content-based image retrieval. Signal Processing 93, 2013 (online 2012).",
    about="224 visual ranking features under three learners; feature selection against PCA",
    experiments=(
        Experiment(
            "figures-2-4",
            "Figures 2–4 and Table 2: sets of features under three learners",
            figures.measure,
            systems=figures.SYSTEMS,
            measures=figures.MEASURES,
            labels=figures.LABELS,
            parts=FOLDS,
            baseline=figures.VSM,
            printed=(
                Printed(
                    "Table 2, mAP on NUS-WIDE", ("PRank", "RankSVM", "ListNet"), printed.TABLE_2
                ),
            ),
            quick={"parts": FOLDS[:2]},
            today={"systems": figures.TODAY_SYSTEMS},
        ),
        Experiment(
            "tables-3-5",
            "Tables 3–5: feature selection (FS) and PCA (DR) by number of features",
            dimensions.measure,
            systems=dimensions.SYSTEMS,
            measures=("map",),
            labels=dimensions.LABELS,
            parts=FOLDS,
            along="features",
            printed=tuple(
                Printed(f"{title}, mAP", tuple(map(str, printed.DIMENSIONS)), table)
                for title, table in (
                    ("Table 3, Oxford5K", printed.TABLE_3),
                    ("Table 4, Paris", printed.TABLE_4),
                    ("Table 5, Oxford505K", printed.TABLE_5),
                )
            ),
            quick={"parts": FOLDS[:1]},
        ),
    ),
    claims=CLAIMS,
    setup=_setup,
    world=_world,
    accepts=_accepts,
    prepare=_prepare,
)
