"""What typed words are worth: class names of any labelled set, before and after they are taught.

parts      what each part measures
claims     what we promise, judged
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from saccade.studies.collection import prepare
from saccade.studies.declaration import Data, Experiment, Options, Say, Study, sentences
from saccade.studies.words import parts
from saccade.studies.words.claims import CLAIMS


def _setup(options: Options) -> Sequence[str]:
    return sentences(f"""
        Each class is looked for by its name, as the set has it, underscores as spaces; every
        picture of the class is relevant. Measured is the whole collection in the page's order.

        A name goes by the route that the lexicon has for it: `kind`, it names kinds of things that
        the classifier knows; `near`, some are near it; `unknown`, it is neither.

        The names of files and folders are left out of what Saccade looks at, since folders are
        often called as the classes are; `file names` is what they alone would give.

        `linear head` ranks by the same probabilities and weights without the neighbour graph.

        Marks are truthful: the {parts.STEP} best pictures that are not judged yet, until
        {max(parts.MARKS)} are. A name that is unknown has an empty page at first; its teacher shows
        one picture of the class and marks what is like it. "The rest" is what nobody has judged.
        The day after, the same person types the same name in a new search; a stranger, too.

        Each class is taught by a person of its own, on a copy of the store.
        """)


def _world(folder: Path, options: Options) -> None:
    from saccade.testbed import worlds

    worlds.write(folder, images=120 if options.quick else 600, seed=options.seed, size=(192, 144))


def _prepare(data: Data, options: Options, say: Say) -> list[str]:
    from saccade.engine import Recipe

    return prepare(data, options, say, wanted=Recipe.default().descriptors)


STUDY = Study(
    name="words",
    paper="Saccade's own: typed words without an example, and words that learn.",
    about="class names typed: kinds, near words, words taught by marks, and the day after",
    experiments=(
        Experiment(
            "names",
            "Class names, typed",
            parts.names,
            systems=(parts.PRODUCT, parts.HEAD, parts.FILES),
            measures=("mAP", "P@20"),
            parts=parts.ROUTES,
            baseline=parts.HEAD,
        ),
        Experiment(
            "marks",
            "Five marks after five",
            parts.marks,
            systems=(parts.PRODUCT,),
            measures=("P@20 of the rest", "mAP of the rest", "mAP"),
            parts=parts.ROUTES,
            along="marks",
        ),
        Experiment(
            "day-after",
            "The same word on the day after",
            parts.day_after,
            systems=(parts.TAUGHT, parts.STRANGER, parts.BEFORE),
            measures=("P@20", "mAP", "mAP of the rest"),
            parts=parts.ROUTES,
            baseline=parts.BEFORE,
        ),
    ),
    claims=CLAIMS,
    setup=_setup,
    world=_world,
    prepare=_prepare,
)
