"""What the parts of the study measure: one function a group of the paper's figures.

experts   Figure 3         recognition of each configuration
offline   Figures 4 to 6   heaviest expert and votes, by chooser, rate and loss
online    Figure 7         one pass, by chooser, rate and loss
course    Figure 8         the same along the pass
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from saccade.studies.aly2011 import selection
from saccade.studies.aly2011.recognition import load
from saccade.studies.aly2011.selection import Answers, Way
from saccade.studies.declaration import Outcome, Series, Task
from saccade.words.configurations import FAMILY

EXPERTS = tuple(map(str, FAMILY))
RATES = ("0.001", "0.01", "0.1", "0.25", "0.5")
LOSSES = ("binary", "rank")
GRID = tuple(
    str(Way(chooser, rate, loss)) for chooser in ("hedge", "exp3") for loss in LOSSES
    for rate in RATES
)  # fmt: skip
OURS = tuple(
    str(Way(chooser, rate, loss))
    for chooser, rate in (("hedge", "decreasing"), ("exp3", "decreasing"),
                          ("exp3-ix", "decreasing"), ("thompson", ""))
    for loss in LOSSES
)  # fmt: skip
EVEN = "even weights"  # a vote that learned nothing
COURSE = ("hedge(0.5) binary", "exp3(0.1) binary", *(way for way in OURS if way.endswith("binary")))

OFFLINE = ("heaviest", "vote", "vote by rank", "vote by score", "correlation")
ONLINE = ("relative", "regret", "bound")
_VOTES = {"vote": "first", "vote by rank": "rank", "vote by score": "score"}


def experts(task: Task) -> Outcome:
    """Recognition and rank loss of one configuration, probe by probe."""
    answers, notes = load(task.data, task.options)
    place = answers.experts.index(task.system)
    names = notes["files"]
    series = [
        Series("recognition", answers.right[:, place].astype(float).tolist(), queries=names),
        Series("rank loss", answers.losses("rank")[:, place].tolist(), queries=names),
    ]
    return Outcome(series, _about(notes, task.system))


def offline(task: Task) -> Outcome:
    """One split: learn, then the heaviest expert and the votes, over the best expert there."""
    answers, _ = load(task.data, task.options)
    way = None if task.system == EVEN else Way.parse(task.system)
    found = selection.offline(answers, way, seed=task.seed)
    values = {"heaviest": found.heaviest if way else math.nan, "correlation": found.correlation}
    values |= {measure: found.votes[by] for measure, by in _VOTES.items()}
    best = answers.experts[int(found.performance.argmax())]
    notes = {"best": best, "best recognition": found.best, "chosen": answers.experts[found.chosen]}
    series = [Series(name, [value]) for name, value in values.items() if not math.isnan(value)]
    return Outcome(series, notes)


def online(task: Task) -> Outcome:
    """One pass over all probes."""
    answers, _ = load(task.data, task.options)
    found = selection.online(answers, Way.parse(task.system), seed=task.seed)
    values = {"relative": found.relative, "regret": found.regret, "bound": found.bound}
    series = [Series(name, [value]) for name, value in values.items() if math.isfinite(value)]
    return Outcome(series, {"right": int(found.right.sum()), "best": int(found.best.sum())})


def course(task: Task) -> Outcome:
    """The relative performance after so many probes."""
    answers, _ = load(task.data, task.options)
    found = selection.online(answers, Way.parse(task.system), seed=task.seed)
    steps = moments(answers)
    values = found.along(steps)
    known = np.isfinite(values)
    return Outcome([Series("relative", values[known].tolist(), at=steps[known].tolist())])


def moments(answers: Answers) -> Any:
    """After how many probes a pass is looked at: every tenth, and the last."""
    steps = np.arange(10, len(answers) + 1, 10)
    return np.unique(np.append(steps, len(answers)))


def _about(notes: dict[str, Any], system: str) -> dict[str, Any]:
    """Sizes, told once: with the first configuration."""
    if system != EXPERTS[0]:
        return {}
    return {key: value for key, value in notes.items() if key not in ("files", "key", "experts")}
