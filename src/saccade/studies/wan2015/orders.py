"""How much one pass depends on the order of its instances: ten orders of the first fold.

The paper's form, one pass and the last weights, with the settings that Table 2's validation
chooses; each seed shuffles the same instances anew. The heuristics stand beside them.
"""

from __future__ import annotations

import numpy as np

from saccade import rankers
from saccade.rankers.checked import training as checked
from saccade.rankers.pairs import pairs
from saccade.studies.collection import opened
from saccade.studies.declaration import Outcome, Series, Task
from saccade.studies.wan2015.printed import HEURISTICS, ONLINE
from saccade.studies.wan2015.table2 import MEASURE, _split, chosen, one, sizes_of
from saccade.testbed.measures import evaluate

SYSTEMS = (*HEURISTICS, *ONLINE)
ORDERS = 10


def measure(task: Task) -> Outcome:
    """One learner in one order, drawn by the seed; a heuristic knows no order."""
    fold = _split(task.data, task.options, sizes_of(task.options, task.system), 0, 1)
    with opened(task.data, task.options) as images:
        names = [images.paths[row] for row in fold.queries]
    if task.system in HEURISTICS:
        values, notes = one(task.system, fold)
    else:
        choice = chosen(task.system, fold)
        notes = {"settings": choice.best, **choice.notes}
        model = rankers.as_online(rankers.make(task.system, **choice.best))
        rows, rng = checked(*fold.train), np.random.default_rng([task.seed, 22])
        limit = sizes_of(task.options, task.system).instances
        winners, losers = pairs(rows, limit=limit, rng=np.random.default_rng(0))
        order = rng.permutation(len(winners))
        model.learn(rows.phi[winners[order]], rows.phi[losers[order]])
        phi, grades, groups = fold.test
        values = evaluate([MEASURE], model.score(phi), grades, groups).per_query[MEASURE]
    series = Series(MEASURE, values.round(6).tolist(), queries=names)
    return Outcome([series], notes)
