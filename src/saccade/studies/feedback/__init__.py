"""What feedback is worth: simulated people on any labelled set, right, wrong and at random.

systems    the product, its experts alone, and the peers people would try first
parts      what each part measures
claims     what we promise, judged
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.studies.collection import prepare
from saccade.studies.declaration import Data, Experiment, Options, Say, Study, sentences
from saccade.studies.feedback import parts
from saccade.studies.feedback.claims import CLAIMS
from saccade.studies.feedback.systems import EXPERTS, NONE, PEERS, PRODUCT

ALL = (NONE, PRODUCT, *EXPERTS, *PEERS)
ANSWERS = tuple(parts.ANSWERS)


def _setup(options: Options) -> Sequence[str]:
    return sentences(f"""
        Every picture of a query's class is relevant; the query is left out of its own page.

        {parts.ROUNDS} rounds; in each the {parts.EACH} best pictures that are not judged yet are
        judged. A person is right, wrong in 10% or 30% of the answers, or answers at random.

        {parts.QUERIES} queries a set, drawn once and the same for every system; each session is a
        new person's, forgotten before the next.

        "The rest" is what nobody has judged, against the start's order of that same rest. "Worse by
        .005" counts sessions whose whole ranking fell below its start by that much in any round.

        The product and its experts run through the engine on a copy of the store, with every
        default descriptor; the peers see the centred embedding, start from its cosine, take the
        query as a like, and put what was judged where it was said to belong, as the product does.

        One mark: the first right and the first wrong of the 40 best. "Fell" counts first pages of
        20, the marked left out, that lost two right pictures or more.

        Lasting: a person answers 400 searches in a row (2,000 in `lasting-long`), the first 20
        results of each judged; a second person answers every other of them truthfully.
        {parts.OTHER_QUERIES} other queries are looked at on the way, as these two and a stranger
        are served. "Two notions": the class and one of two halves of the classes are meant in turn,
        and other queries are judged by both. The log-based machine sees the same sessions as the
        person's (Hoi & Lyu 2004).
        """)


def _world(folder: Path, options: Options) -> None:
    from saccade.testbed import worlds

    worlds.write(folder, images=120 if options.quick else 600, seed=options.seed, size=(192, 144))


def _prepare(data: Data, options: Options, say: Say) -> list[str]:
    from saccade.engine import Recipe

    return prepare(data, options, say, wanted=Recipe.default().descriptors)


STUDY = Study(
    name="feedback",
    paper="Saccade's own: what a click means, and what it is worth.",
    about="what marks are worth, right, wrong and at random; one mark; what lasts; strangers",
    experiments=(
        Experiment(
            "sessions",
            "Five rounds of ten judgements",
            parts.sessions,
            systems=ALL,
            measures=parts.SESSION,
            parts=ANSWERS,
            baseline=NONE,
            by_part=True,
            quick={
                "parts": ("right", "30% wrong", "at random"),
                "systems": (NONE, PRODUCT, *PEERS),
            },
        ),
        Experiment(
            "course",
            "Round by round, truthful answers",
            parts.course,
            systems=ALL,
            measures=("mAP", "P@20 of the rest"),
            parts=("right",),
            along="judged",
            quick={"systems": (NONE, PRODUCT, *PEERS)},
        ),
        Experiment(
            "one-mark",
            "One mark only",
            parts.one_mark,
            systems=(PRODUCT, *PEERS),
            measures=parts.MARK,
            parts=("one right", "one wrong", "one of each"),
            by_part=True,
            quick={"systems": (PRODUCT, "linear svm")},
        ),
        *(
            Experiment(
                name,
                f"Other queries while people answer a sequence of searches {answered.title}",
                parts.lasting,
                systems=parts.LASTING,
                measures=(parts.OTHERS, *[parts.SECOND_NOTION] * answered.two, parts.WORSE),
                along="searches answered",
            )
            for name, answered in parts.SEQUENCES.items()
        ),
        Experiment(
            "strangers",
            "A stranger's first page after ten taught queries",
            parts.strangers,
            systems=(PRODUCT,),
            measures=("kept of 20",),
        ),
    ),
    claims=CLAIMS,
    setup=_setup,
    world=_world,
    prepare=_prepare,
)
