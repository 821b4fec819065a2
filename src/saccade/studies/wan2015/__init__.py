"""Wan et al. 2015, "Online Learning to Rank for Content-Based Image Retrieval", reproduced.

table2        Table 2: mAP, in the paper's form and in ours
orders        how much one pass depends on the order of its instances
trees         why λ-MART leads, or does not
bounds        Theorems 1 to 3 along the stream
timing        Figure 1 and Table 3: seconds by instances
distractors   Figure 2: mAP among distractors
crowd         the same along the number of distractors, up to 100,000
live          Figures 3 and 4: the live loop
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.studies.declaration import Experiment, Options, Printed, Study, sentences
from saccade.studies.edges import FURTHER
from saccade.studies.protocol import LEAST
from saccade.studies.wan2015 import (
    bounds,
    crowd,
    distractors,
    live,
    orders,
    printed,
    scale,
    table2,
    timing,
    trees,
)
from saccade.studies.wan2015.claims import CLAIMS

FOLDS = tuple(f"fold {number}" for number in range(1, 6))


def _setup(options: Options) -> Sequence[str]:
    sizes = table2.sizes_of(options, "uniform")
    return sentences(f"""
        φ: {options.descriptors} descriptors × l1, l2, cosine, chi2; {options.phi} values.

        {sizes.folds} folds of the images: three train, one validates, one tests.
        {sizes.validation} validation and {sizes.test} test queries a fold, or all there are; each
        ranks every other image.

        {sizes.instances} training instances a fold: all relevant training images of a query and
        sampled irrelevant ones, {LEAST} a query or more; where that is too many, fewer queries.
        The paper's form counts z = φ(q,p¹) − φ(q,p²); ours counts rows (q, p).

        The paper's form: online learners make one pass and keep their last weights; RankNet has one
        hidden layer of ten tanh units; RankSVM has the hinge loss.

        Ours: five shuffled passes over at most a million pairs, and mean weights; RankNet without
        hidden units; RankSVM with squared hinge; AROW and SCW beside the four.

        Settings: by mAP on all validation queries, learning from the whole training set, from the
        grids of saccade.rankers.tuning.GRIDS, and on past the end of a grid by up to {FURTHER}
        steps where the best lies there. LambdaMART sees 400 ranks and has 300 trees, its leaves are
        tuned; coordinate ascent climbs mAP from one start.

        Orders: fold 1, one pass with the last weights, each order a shuffle of the same instances.

        Significance: two-sided paired randomisation test against Uni-Con over all test queries.

        Bounds: {bounds.length(options)} instances of fold 1 in a random order; the comparator is
        the best fixed w in hindsight, ½|w|² + Σℓ; each pair is a list of its own; C and η are 0.1.
        OPR's loss bound is over its mistaken pairs, MAP's follows from it.

        Times: one process, nothing beside it, default settings, compilation left out; the queries
        of Figure 1 up to {max(timing.amounts(options))} and of Table 3 {timing.many(options)}
        instances, or as many as the set has.

        Figure 2: {distractors.sizes_of(options).instances} instances, the learners that the paper
        ran at that size; RankSVM in our form, which never forms a pair. The paper has a million
        Flickr images as distractors; the figure here says how many there were. Its curve goes on
        with perturbed ones, up to {crowd.QUICK if options.quick else crowd.LANDMARKS[-1]} in all:
        each a mixture of the columns of two distractors with noise
        (docs/howto/bring-a-labelled-set.md); a third of the distractors that are pictures teaches
        and is not in the test, at each place of the curve as many as the test has, or all. To a
        million images only the time of a ranking is measured, on φ of random columns.

        Figures 3 and 4: up to {30 if options.quick else 2000} different queries, the first 50
        judged by class, every pair of a right and a wrong one learned, with the settings that the
        validation queries of Table 2's first fold choose (some of them are asked here, too);
        (mean) serves the mean of all weights so far; RankSVM (squared hinge)
        fitted again from all labels at each of the first {live.EVERY} queries and every
        {live.EVERY}th after. `saccade` is the product: search, then react, with all its experts,
        descriptors and the φ of its own store.
        """)


def _world(folder: Path, options: Options) -> None:
    from saccade.testbed import worlds

    worlds.write(folder, images=216 if options.quick else 900, seed=7, size=(192, 144))


def _crowd(folder: Path, options: Options) -> None:
    from saccade.testbed import worlds

    worlds.write(folder, images=54 if options.quick else 1800, seed=1007, size=(192, 144))


STUDY = Study(
    name="wan2015",
    paper="J. Wan, P. Wu, S. C. H. Hoi, P. Zhao, X. Gao, D. Wang, Y. Zhang, J. Li: Online Learning "
    "to Rank for Content-Based Image Retrieval. IJCAI 2015.",
    about="learned weights over schemes against fixed ones; online learners, bounds and time",
    experiments=(
        Experiment(
            "table-2",
            "Table 2: mean average precision",
            table2.measure,
            systems=table2.SYSTEMS,
            measures=("map",),
            labels=table2.SYSTEM_LABELS,
            parts=FOLDS,
            baseline="uniform",
            printed=(Printed("Table 2, mAP", printed.SETS, printed.TABLE_2),),
            quick={"parts": FOLDS[:1]},
        ),
        Experiment(
            "orders",
            "One pass in ten orders of the same instances",
            orders.measure,
            systems=orders.SYSTEMS,
            measures=("map",),
            labels=printed.LABELS,
            seeds=orders.ORDERS,
            quick={"seeds": 3},
        ),
        Experiment(
            "lambdamart",
            "λ-MART, one thing changed at a time",
            trees.measure,
            systems=trees.SYSTEMS,
            measures=("map", trees.TRAINING),
            parts=FOLDS[:1],
            baseline=trees.PLAIN,
            quick={"systems": trees.QUICK},
        ),
        Experiment(
            "bounds",
            "Theorems 1–3: loss, regret and MAP along the stream, with their bounds",
            bounds.measure,
            systems=tuple(bounds.SETTINGS),
            measures=bounds.MEASURES,
            labels=printed.LABELS,
            along="instances",
            limits={"MAP bound": (-1.0, 1.0), "loss bound a pair": (0.0, 4.0)},
        ),
        Experiment(
            "figure-2",
            "Figure 2: mean average precision among distractors",
            distractors.measure,
            systems=distractors.SYSTEMS,
            measures=("map",),
            labels=table2.SYSTEM_LABELS,
            parts=FOLDS,
            baseline="uniform",
            among=True,
            quick={"parts": FOLDS[:1]},
        ),
        Experiment(
            "figure-2-curve",
            "Figure 2, along: mean average precision by the number of distractors",
            crowd.measure,
            systems=crowd.SYSTEMS,
            measures=("map",),
            labels=table2.SYSTEM_LABELS,
            parts=FOLDS,
            quick={"parts": FOLDS[:1]},
            along="distractors",
            log="x",
            among=True,
        ),
        Experiment(
            "scale",
            "One ranking among many images: φ of random columns, for time only",
            scale.measure,
            systems=scale.SYSTEMS,
            measures=(scale.MEASURE,),
            labels=printed.LABELS,
            along="images",
            log=True,
            alone=True,
            free=True,
        ),
        Experiment(
            "figures-3-4",
            "Figures 3 and 4: the live loop",
            live.measure,
            systems=live.SYSTEMS,
            measures=live.MEASURES,
            labels=live.LABELS,
            along="queries",
            alone=True,
        ),
        Experiment(
            "figure-1",
            "Figure 1: seconds by training instances",
            timing.figure_1,
            systems=timing.SYSTEMS,
            measures=(timing.MEASURE,),
            labels=table2.SYSTEM_LABELS,
            along="instances",
            log=True,
            alone=True,
        ),
        Experiment(
            "table-3",
            "Table 3: seconds for 3,000,000 instances",
            timing.table_3,
            systems=timing.SYSTEMS,
            measures=(timing.MEASURE, "instances"),
            labels=table2.SYSTEM_LABELS,
            alone=True,
            printed=(
                Printed(
                    "Table 3, seconds",
                    ("ImageCLEFFlickr",),
                    {system: (seconds,) for system, seconds in printed.TABLE_3.items()},
                ),
            ),
        ),
    ),
    claims=CLAIMS,
    setup=_setup,
    world=_world,
    crowd=_crowd,
)
