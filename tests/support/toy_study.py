"""A study small enough to follow by hand; its parts run in worker processes, so it is a module."""

from __future__ import annotations

import os
from pathlib import Path

from saccade.studies.declaration import (
    Claim,
    Experiment,
    Options,
    Outcome,
    Printed,
    Series,
    Study,
    Task,
    Verdict,
)
from saccade.studies.results import Results
from saccade.studies.verdicts import Findings, above, each_set

VALUES = {"plain": 0.5, "learned": 0.75}
PRINTED = {"plain": (0.4, None), "learned": (0.6, 0.7)}


def table(task: Task) -> Outcome:
    """Each query's value is the system's and a little of its own; a log says which parts ran."""
    ran(task)
    queries = [f"{task.part}-{number}" for number in range(8)]
    values = [VALUES[task.system] + 0.01 * number + 0.001 * task.seed for number in range(8)]
    return Outcome([Series("map", values, queries=queries)], {"seed": task.seed})


def curve(task: Task) -> Outcome:
    """A falling loss; `plain` has none of it and no numbers at one place."""
    ran(task)
    loss = [1.0 / (1 + at) for at in range(4)] if task.system == "learned" else [float("nan")] * 4
    return Outcome([Series("loss", loss, at=range(4))])


def broken(task: Task) -> Outcome:
    """Dies as a worker does that meets a hostile file."""
    os._exit(9)


def ran(task: Task) -> None:
    """Write down that a part was measured."""
    with Path(task.data.folder, "ran.txt").open("a", encoding="utf-8") as log:
        log.write(task.key + "\n")


def judge(results: Results) -> Verdict:
    """Learning by .2 better, query by query."""

    def found(data: str) -> Findings:
        learned, plain = (
            results.by_query("table", system, "map", data=data) for system in ("learned", "plain")
        )
        return Findings([above("learned over plain, less .2", learned, plain, by=0.2)], "")

    return each_set(results, "table", found, over="queries")


STUDY = Study(
    name="toy",
    paper="Nobody: a paper that is none.",
    about="a toy",
    experiments=(
        Experiment(
            "table", "Table 1: values", table, systems=tuple(VALUES), measures=("map",),
            labels={"plain": "Plain <1>"}, parts=("fold 1", "fold 2"), seeds=2, baseline="plain",
            printed=(Printed("Table 1", ("A", "B"), PRINTED),),
            quick={"seeds": 1},
        ),
        Experiment(
            "curve", "Figure 1: loss", curve, systems=tuple(VALUES), measures=("loss",),
            along="pairs", alone=True,
        ),
    ),
    claims=(Claim("Learning pays.", "Table 1", judge),),
    setup=lambda options: ("Values are made up.", f"quick: {options.quick}"),
    world=lambda folder, options: Path(folder).mkdir(parents=True, exist_ok=True),
    accepts=lambda dataset: "",
    prepare=lambda data, options, say: ["one picture is missing"],
)  # fmt: skip
OPTIONS = Options(seed=3)
