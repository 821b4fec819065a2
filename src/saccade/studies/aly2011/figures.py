"""What the parts of the study measure: one function a group of the paper's figures.

experts   Figure 3         recognition of each configuration
offline   Figures 4 to 6   heaviest expert and votes, by chooser, rate and loss
online    Figure 7         one pass, by chooser, rate and loss
course    Figure 8         the same along the pass
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from saccade.studies.aly2011 import selection
from saccade.studies.aly2011.recognition import load
from saccade.studies.aly2011.selection import Answers, Way
from saccade.studies.declaration import Outcome, Series, Task
from saccade.types import Spec
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
VOTES = {"vote": "by first place", "vote by rank": "by place", "vote by score": "by score"}
"""Measures that are votes, and what of an expert's list counts in each."""
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
    run = selection.offline(answers, way, seed=task.seed)
    values = {"heaviest": run.heaviest if way else math.nan, "correlation": run.correlation}
    values |= {measure: run.votes[by] for measure, by in _VOTES.items()}
    best = answers.experts[int(run.performance.argmax())]
    notes = {"best": best, "best recognition": run.best, "chosen": answers.experts[run.chosen]}
    series = [Series(name, [value]) for name, value in values.items() if not math.isnan(value)]
    return Outcome(series, notes)


def online(task: Task) -> Outcome:
    """One pass over all probes."""
    answers, _ = load(task.data, task.options)
    run = selection.online(answers, Way.parse(task.system), seed=task.seed)
    values = {"relative": run.relative, "regret": run.regret, "bound": run.bound}
    series = [Series(name, [value]) for name, value in values.items() if math.isfinite(value)]
    return Outcome(series, {"right": int(run.right.sum()), "best": int(run.best.sum())})


def course(task: Task) -> Outcome:
    """The relative performance after so many probes."""
    answers, _ = load(task.data, task.options)
    run = selection.online(answers, Way.parse(task.system), seed=task.seed)
    steps = moments(answers)
    values = run.along(steps)
    finite = np.isfinite(values)
    return Outcome([Series("relative", values[finite].tolist(), at=steps[finite].tolist())])


def moments(answers: Answers) -> NDArray[np.int64]:
    """After how many probes a pass is looked at: every tenth, and the last."""
    steps = np.arange(10, len(answers) + 1, 10)
    return np.unique(np.append(steps, len(answers)))


def _about(notes: Spec, system: str) -> dict[str, object]:
    """Sizes, told once: with the first configuration."""
    if system != EXPERTS[0]:
        return {}
    return {key: value for key, value in notes.items() if key not in ("files", "key", "experts")}
