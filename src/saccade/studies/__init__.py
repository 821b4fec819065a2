"""Studies: a paper's experiments as one command, with its printed numbers beside the measured ones.

A study is a declaration. The machinery does the rest: it runs the parts in parallel, says how far
it is, goes on after an interrupt, keeps every query's value, tests significance, judges the paper's
claims, and writes results.json, CSV, plots and one HTML page. A study module has:

    def table(task: Task) -> Outcome:
        # One part: one system on one set, fold and seed, in a worker process. task.data.folder,
        # task.data.store, task.seed, task.part, task.options.quick say on what.
        return Outcome([Series("map", values, queries=names)], notes={"settings": …})
        # or a curve: Series("loss", values, at=instances); or one number: Series("seconds", [3.1])

    def learning_pays(results: Results) -> Verdict:
        def judge(data: str) -> Findings:                                    # set by set
            mine, plain = (results.by_query("table-2", s, "map", data=data) for s in SYSTEMS)
            return Findings([above("over Uni-Con, mAP", mine, plain)], "")
        return each_set(results, "table-2", judge, over="queries")

    STUDY = Study(
        name="wan2015", paper="Wan et al. 2015, …", about="one line",
        experiments=(Experiment("table-2", "Table 2: …", table, systems=("uniform", "opar1"),
                     measures=("map",), parts=("fold 1", …), seeds=1, baseline="uniform",
                     printed=(Printed("Table 2", ("Corel",), {"uniform": (.2990,)}),),
                     quick={"parts": ("fold 1",)}),),
        claims=(Claim("Learning beats fixed weights.", "Table 2", learning_pays),),
        setup=setup,             # options -> sentences(…): the set-up in full
        world=draw,              # (folder, options): draws a set, for when none is given
    )

and a line in `STUDIES`. `saccade.studies.declaration` has the records, `results` what a claim may
ask, `verdicts` how it is judged, `collection` pictures and φ, `protocol` queries and folds.
docs/howto/write-a-study.md tells it at leisure.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from saccade.errors import UnknownName

if TYPE_CHECKING:
    from saccade.studies.declaration import Study

STUDIES = {
    "aly2011": "Hedge and Exp3 choose among twenty bag-of-words configurations from feedback",
    "chen2015": "attributes from has-it, more and alike labels; zero-shot; online against batch",
    "feedback": "what marks are worth, right, wrong and at random; one mark; what lasts; strangers",
    "hu2008": "which region makes a picture good: average, max and softmax over regions",
    "li2012": "224 visual ranking features under three learners; feature selection against PCA",
    "wan2015": "learned weights over schemes against fixed ones; online learners, bounds and time",
    "words": "class names typed: kinds, near words, words taught by marks, and the day after",
}
"""Every study: the module `saccade.studies.NAME` has it as `STUDY`."""


def load(name: str) -> Study:
    """The declaration of a study; its module is imported now and not before."""
    if name not in STUDIES:
        raise UnknownName("study", name, STUDIES, hint="`saccade study list` shows them")
    study: Study = importlib.import_module(f"saccade.studies.{name}").STUDY
    return study
