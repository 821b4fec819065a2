"""Aly 2011, "Online Learning for Parameter Selection in Large Scale Image Search", reproduced.

pictures      models, probes and distractors of a set, and their local features
recognition   what all twenty configurations answer to all probes, computed once
selection     choosing among them offline and online
figures       what each part measures
world         a set to recognise, drawn
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.studies.aly2011 import figures, recognition
from saccade.studies.aly2011.claims import CLAIMS
from saccade.studies.aly2011.pictures import why_not
from saccade.studies.aly2011.world import SIZE, Amounts
from saccade.studies.declaration import Experiment, Options, Study, sentences

AMOUNTS = Amounts(objects=100, probes=5, distractors=10_000)
QUICK = Amounts(objects=30, probes=3, distractors=60)


def _setup(options: Options) -> Sequence[str]:
    return sentences(f"""
        Twenty experts: five ways to weigh, normalise and compare bags of words × four vocabularies.
        Counts are raw.

        Vocabularies: the large ones have a word for every four training descriptors, at most
        {recognition.LARGEST:,}; with a folder to keep them in (`--cache`) a word for every
        {recognition.FEWEST}, at most {recognition.PRINTED:,} as in the paper. The medium one has a
        tenth, the small one a hundredth of that, as in the paper. The notes of Figure 3 have the
        numbers. They are trained on the distractors; on the models where there are none.

        Features: RootSIFT on OpenCV's SIFT points, at most 600 a picture. The paper's
        Hessian-affine detector is not in OpenCV.

        Searched are all models and distractors; a probe is right when its one model comes first,
        ties going to the lower row. The drawn set has pictures of {SIZE[0]} × {SIZE[1]} pixels.

        Losses: binary, 0 for a first place and 1 for any other; rank, (rank − 1) / 100, at most 1.

        Hedge charges every expert its own loss; Exp3 has its γ once (both are misprints). Hedge
        with rate ε multiplies a weight by (1 − ε)^loss.

        Offline: 60% of the probes in random order teach, 40% are judged; ten splits. `vote` gives
        each expert's weight to its first picture, as the paper does; `by rank` and `by score` count
        a hundred pictures of each list. Values are relative to the best expert on the judged
        probes.

        Online: one pass over all probes in random order, ten orders; what counts is the answer of
        the expert drawn by its weight, relative to the best expert on all probes.

        Beside the paper's grid: rates that decrease and need no choice, Exp3-IX, and Thompson
        sampling, which has no bound.
        """)


def _world(folder: Path, options: Options) -> None:
    from saccade.studies.aly2011 import world

    world.write(folder, QUICK if options.quick else AMOUNTS)


STUDY = Study(
    name="aly2011",
    paper="M. Aly: Online Learning for Parameter Selection in Large Scale Image Search. "
    "CVPR Workshop on Online Learning for Computer Vision, 2011.",
    about="Hedge and Exp3 choose among twenty bag-of-words configurations from feedback",
    experiments=(
        Experiment(
            "figure-3",
            "Figure 3: recognition of the experts",
            figures.experts,
            systems=figures.EXPERTS,
            measures=("recognition", "rank loss"),
        ),
        Experiment(
            "figures-4-6",
            "Figures 4 to 6: offline selection, relative to the best expert",
            figures.offline,
            systems=(figures.EVEN, *figures.GRID, *figures.OURS),
            measures=figures.OFFLINE,
            seeds=10,
            quick={"seeds": 2},
        ),
        Experiment(
            "figure-7",
            "Figure 7: online selection, relative to the best expert",
            figures.online,
            systems=(*figures.GRID, *figures.OURS),
            measures=figures.ONLINE,
            seeds=10,
            quick={"seeds": 3},
        ),
        Experiment(
            "figure-8",
            "Figure 8: online selection along the pass",
            figures.course,
            systems=figures.COURSE,
            measures=("relative",),
            seeds=10,
            along="probes",
            quick={"seeds": 3},
        ),
    ),
    claims=CLAIMS,
    setup=_setup,
    world=_world,
    accepts=why_not,
    prepare=recognition.prepare,
)
