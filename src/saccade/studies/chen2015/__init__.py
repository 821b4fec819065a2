"""Chen, Zhang & Li 2015, "Fusing Pointwise and Pairwise Labels …", reproduced.

pictures   vectors, classes and strengths of a set
rounds     labels, learners, settings, accuracy
accuracy   Tables 1 and 2, Figure 3
unseen     Figure 5: zero-shot
timing     Figure 6 and Table 3
asking     ours: which pair to ask about
product    ours: smoothed vectors where they pay
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.studies.chen2015 import (
    accuracy,
    asking,
    pictures,
    printed,
    product,
    rounds,
    timing,
    unseen,
)
from saccade.studies.chen2015.claims import CLAIMS
from saccade.studies.declaration import Experiment, Options, Printed, Study, sentences
from saccade.studies.edges import FURTHER


def _setup(options: Options) -> Sequence[str]:
    blend = ", ".join(f"{name} {share:g}" for name, share in pictures.shares_of(options).items())
    turns = 2 if options.quick else 10
    return sentences(f"""
        Vectors: {blend} (shares), signed roots of what is made by hand, around the mean, of length
        one. The paper has 512-D gist on OSR.

        An attribute's truth is the set's: the order of its classes, or of its pictures. A point is
        +1 above the middle of the levels and −1 below; a pair is ordered, or alike where equal.

        Labels: 100 points and 100 pairs an attribute (200 and 200 from {accuracy.MANY} pictures
        on), drawn from {rounds.POOL} pictures or half of them; {turns} rounds; accuracy over
        {rounds.JUDGED} pairs of pictures that no label touches.

        Settings: for each system and set, the best of a grid over five random subsets of a quarter
        of the pictures, which no round sees, and on past the end of the grid by up to {FURTHER}
        steps where the best lies there; the mean over attributes decides.

        Pointwise SVM is Shashua and Levin's with a fixed margin; CRR has squared losses; Relative
        Attributes has squared slacks.

        Figure 3: the mean over all attributes, the other kind of label at 100.

        Figure 5: {unseen.LEFT_OUT} pictures of each seen category (or a third) describe it,
        {unseen.POINTS} points and {unseen.PAIRS} pairs teach an attribute; accuracy over all
        categories, and over the unseen ones. Which are unseen is drawn in each round. First by the
        paper's rule; `ours` has a doubt about where an unseen category stands and an allowance for
        it that the seen ones teach, each left out in turn (`saccade.rankers.zero_shot`).

        Figure 6 and Table 3: the same labels for both, half points, half pairs, up to
        {max(timing.sizes(options)):,}; the time of the fit alone, the mean of
        {timing.turns(options)} rounds (of three where a fit takes over {timing.SLOW:g} s);
        online goes over them {timing.PASSES} times, one at a time, each once a pass (the paper's
        steps). Where labels outnumber the pictures that they come from, points repeat. The
        paper's machine is not known.

        The product's learner is the same objective solved label by label in its dual; it stands in
        Table 1 as Saccade.

        Saccade: hybrid-online on plain vectors or on vectors smoothed along the neighbour graph of
        all pictures (unlabelled ones too), with one of {len(product.SETTINGS)} settings, as
        five-fold validation on the labels of the round says.
        """)


def _world(folder: Path, options: Options) -> None:
    from saccade.testbed import worlds

    worlds.write(folder, images=216 if options.quick else 900, seed=15, size=(192, 144))


def _tables() -> tuple[Printed, ...]:
    return (
        Printed("Table 1, OSR", printed.OSR, printed.TABLE_1),
        Printed("Table 1, OSR, deviation", printed.OSR, printed.DEVIATION_1),
        Printed("Table 2, Shoes", printed.SHOES, printed.TABLE_2),
    )


STUDY = Study(
    name="chen2015",
    paper="L. Chen, P. Zhang, B. Li: Fusing Pointwise and Pairwise Labels for Supporting "
    "User-adaptive Image Retrieval. ICMR 2015.",
    about="attributes from has-it, more and alike labels; zero-shot; online against batch",
    experiments=(
        Experiment(
            "table-1",
            "Tables 1 and 2: accuracy by attribute",
            accuracy.table,
            systems=accuracy.SYSTEMS,
            measures=("accuracy",),
            labels=printed.LABELS,
            seeds=10,
            baseline="hybrid",
            by_query=True,
            printed=_tables(),
            quick={"seeds": 2},
        ),
        Experiment(
            "figure-3-pairs",
            "Figure 3, left: accuracy by the number of pairs",
            accuracy.curve,
            systems=accuracy.CURVES,
            measures=("accuracy", "deviation"),
            labels=printed.LABELS,
            along="pairs",
        ),
        Experiment(
            "figure-3-points",
            "Figure 3, right: accuracy by the number of points",
            accuracy.curve,
            systems=accuracy.CURVES,
            measures=("accuracy", "deviation"),
            labels=printed.LABELS,
            along="points",
        ),
        Experiment(
            "figure-5-unseen",
            "Figure 5(a): zero-shot accuracy by the number of unseen categories",
            unseen.by_unseen,
            systems=unseen.SYSTEMS,
            measures=unseen.MEASURES,
            labels=printed.LABELS,
            along="unseen categories",
        ),
        Experiment(
            "figure-5-pairs",
            "Figure 5(b): zero-shot accuracy by the number of pairs",
            unseen.by_pairs,
            systems=unseen.SYSTEMS,
            measures=unseen.MEASURES,
            labels=printed.LABELS,
            along="pairs",
        ),
        Experiment(
            "asking",
            "Ours: accuracy by the number of answers",
            asking.curve,
            systems=asking.SYSTEMS,
            measures=("accuracy",),
            along="answers",
        ),
        Experiment(
            "figure-6",
            "Figure 6: accuracy after 0.1 seconds",
            timing.figure_6,
            systems=timing.SYSTEMS,
            measures=("accuracy",),
            labels=printed.LABELS,
            by_query=True,
            alone=True,
        ),
        Experiment(
            "table-3",
            "Table 3: seconds to an accuracy",
            timing.table_3,
            systems=timing.SYSTEMS,
            measures=("seconds",),
            labels=printed.LABELS,
            along="accuracy",
            alone=True,
            printed=(
                Printed(
                    "Table 3, seconds",
                    tuple(f"{bar:g}" for bar in printed.REACHED),
                    printed.TABLE_3,
                ),
            ),
        ),
    ),
    claims=CLAIMS,
    setup=_setup,
    world=_world,
    accepts=pictures.accepts,
    prepare=pictures.prepare,
)
