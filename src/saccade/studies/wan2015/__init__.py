"""Wan et al. 2015, "Online Learning to Rank for Content-Based Image Retrieval", reproduced.

Which experiment is where: `table2` the mAP table in the paper's form and in ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.studies.declaration import (
    Claim,
    Experiment,
    Options,
    Printed,
    Study,
    Verdict,
    sentences,
)
from saccade.studies.protocol import LEAST
from saccade.studies.results import Results, each_set
from saccade.studies.wan2015 import printed, table2

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
        grids of saccade.rankers.tuning.GRIDS. LambdaMART sees 400 ranks; coordinate ascent climbs
        mAP from one start.

        Significance: two-sided paired randomisation test against Uni-Con over all test queries.
        """)


def _learning_pays(results: Results) -> Verdict:
    def judge(data: str) -> tuple[bool, str]:
        means = {s: results.mean("table-2", s, "map", data=data) for s in table2.PAPER_SYSTEMS}
        bar = max(means[name] for name in printed.HEURISTICS)
        behind = [
            printed.LABELS[s] for s in means if s not in printed.HEURISTICS and means[s] <= bar
        ]
        learned = [means[s] for s in means if s not in printed.HEURISTICS]
        text = f"heuristics {bar:.4f}, learners {min(learned):.4f}–{max(learned):.4f}"
        return not behind, text + (f", behind: {', '.join(behind)}" if behind else "")

    holds, figure = each_set(results, "table-2", judge)
    return Verdict(holds, figure)


def _world(folder: Path, options: Options) -> None:
    from saccade.testbed import worlds

    worlds.write(folder, images=216 if options.quick else 900, seed=7, size=(192, 144))


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
    ),
    claims=(
        Claim(
            "All learning to rank algorithms outperform the two heuristic baselines.",
            "Section 5.3, Table 2",
            _learning_pays,
        ),
    ),
    setup=_setup,
    world=_world,
)
