"""Figure 2: mAP on each fold of a set among distractors, with 3,000,000 training instances.

The paper adds a million Flickr images. Here the distractors are any folder that was named, or drawn
pictures; the page says how many. The learners are those that the paper could run at that size.
"""

from __future__ import annotations

from functools import lru_cache

from saccade.studies.collection import opened
from saccade.studies.declaration import Data, Options, Outcome, Series, Task
from saccade.studies.protocol import Sizes, Split, split
from saccade.studies.remarks import DISTRACTOR
from saccade.studies.wan2015.printed import HEURISTICS, ONLINE
from saccade.studies.wan2015.table2 import MEASURE, OURS, one

SYSTEMS = (*HEURISTICS, "ranksvm*", *ONLINE, *(name + OURS for name in ONLINE))


def sizes_of(options: Options) -> Sizes:
    """The paper's large experiment, or a taste of it."""
    if options.quick:
        return Sizes(validation=10, test=10, instances=4_000)
    return Sizes(instances=3_000_000)


def measure(task: Task) -> Outcome:
    """One system on one fold."""
    number = int(task.part.removeprefix("fold "))
    fold = _split(task.data, task.options, task.seed, number)
    with opened(task.data, task.options) as images:
        names = [images.paths[row] for row in fold.queries]
        among = int((images.labels == DISTRACTOR).sum())
    values, notes = one(task.system, fold)
    series = Series(MEASURE, values.round(6).tolist(), queries=names)
    return Outcome([series], {**notes, "distractors": among})


@lru_cache(maxsize=1)
def _split(data: Data, options: Options, seed: int, fold: int) -> Split:
    with opened(data, options) as images:
        return split(images.labels, images.phi_of, sizes_of(options), seed=seed, fold=fold)
