"""What a study declares: systems × queries × measures × seeds, claims, the printed tables.

    Study ─ Experiment ─ Task (one system, set, seed, part) ─ Outcome (series of values, notes)
          └ Claim ─ Verdict

Everything a task holds is plain and travels to a worker process; the function that measures it is
named, not sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from saccade.errors import InvalidInput
from saccade.types import Spec

if TYPE_CHECKING:
    from saccade.studies.results import Results
    from saccade.testbed.datasets import Dataset
    from saccade.types import Pixels

Say = Callable[[str], None]
PERTURBED = "perturbed:"  # begins the text that asks for so many distractors made of others


@dataclass(frozen=True, slots=True)
class Options:
    """How a study is run, the same for all its parts; the page states them.

    `descriptors`: `classical`, or `gist` alone, stands beside the papers; `all` is what the product
    does. `phi`: `raw` similarities as the papers have them, or `anchored` as the product's.
    """

    quick: bool = False
    descriptors: str = "classical"
    phi: str = "raw"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Data:
    """A set of pictures (or a LETOR folder) under the name a person gave it."""

    name: str
    folder: str
    store: str  # where its pictures are or will be indexed
    drawn: bool = False  # a world, since no data were given
    distractors: tuple[str, ...] = ()  # what is relevant to nothing: folders, and `perturbed:N`
    base: str = ""  # a store of the set alone, to begin with
    cache: str = ""  # a folder for what is dear to make and the same for several runs

    @property
    def folders(self) -> tuple[str, ...]:
        """Folders of distractors."""
        return tuple(one for one in self.distractors if not one.startswith(PERTURBED))

    @property
    def perturbed(self) -> int:
        """How many distractors are made of the columns of others."""
        every = (one.removeprefix(PERTURBED) for one in self.distractors)
        return sum(int(one) for one in every if one.isdecimal())


@dataclass(frozen=True, slots=True)
class Task:
    """One part of an experiment: what a worker is given."""

    study: str
    experiment: str
    function: str  # module:name
    system: str
    data: Data
    seed: int
    part: str
    measures: tuple[str, ...]
    options: Options

    @property
    def key(self) -> str:
        """Which part it is, for people and for file names."""
        return "/".join(
            (self.experiment, self.data.name, f"seed {self.seed}", self.part, self.system)
        )


@dataclass(frozen=True, slots=True)
class Series:
    """Values of one measure: one a query, one a position along an axis, or one alone."""

    measure: str
    values: Sequence[float]
    queries: Sequence[str] = ()
    at: Sequence[float] = ()

    def __post_init__(self) -> None:
        for name, beside in (("queries", self.queries), ("at", self.at)):
            if len(beside) not in (0, len(self.values)):
                raise InvalidInput(
                    f"series {self.measure!r}: {len(self.values)} values, {len(beside)} {name}"
                )


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a part measured; notes (settings chosen, sizes, seconds) go into results.json."""

    series: Sequence[Series]
    notes: Spec = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Printed:
    """A table as the paper prints it: one row a system, None where it has no number."""

    title: str
    columns: tuple[str, ...]
    rows: Mapping[str, Sequence[float | None]]


@dataclass(frozen=True, slots=True, eq=False)
class Plate:
    """A picture for the page: a name for its file, a caption, and its pixels."""

    name: str
    caption: str
    pixels: Pixels


@dataclass(frozen=True, slots=True)
class Experiment:
    """One table or figure of the paper.

    Args:
        name, title: for files and for people.
        measure: `Task -> Outcome`, a function of a module; it runs in a worker process.
        systems: what is compared; `labels` are the paper's names for them.
        measures: what is measured; the first is the one that tables and plots lead with.
        parts, seeds: each system runs once a part and seed. Values of parts are pooled query by
            query, values of seeds are averaged.
        baseline: the system that significance is tested against.
        along: what `at` counts, for curves; `log` draws both axes in powers of ten (`x`: the one
            along, from nought on), `limits` cut a measure's axis.
        alone: it measures time, so nothing runs beside it.
        free: it needs no data: it runs once, whatever sets are given.
        among: it runs on the sets with distractors, which all others leave out.
        printed: the paper's numbers.
        quick: fields to change for `--quick`.
        today: fields to change for `--descriptors all`.
        by_query: the table has a column a query, with its deviation over seeds.
        by_part: the table has a row a system and part, where parts are conditions and no folds.
        gallery: pictures of a set for the page, made from the results when all is measured.
    """

    name: str
    title: str
    measure: Callable[[Task], Outcome]
    systems: tuple[str, ...]
    measures: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = ("all",)
    seeds: int = 1
    baseline: str | None = None
    along: str = ""
    log: bool | str = False
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    alone: bool = False
    free: bool = False
    among: bool = False
    printed: tuple[Printed, ...] = ()
    quick: Spec = field(default_factory=dict)
    today: Spec = field(default_factory=dict)
    by_query: bool = False
    by_part: bool = False
    gallery: Callable[[Data, Options, Results], Iterable[Plate]] | None = None

    def among_systems(self, wanted: Sequence[str]) -> Experiment:
        """The experiment of some systems, and the one they are tested against; perhaps of none."""
        names = {*wanted, *([self.baseline] if {*wanted} & {*self.systems} else [])}

        def some(fields: Spec) -> dict[str, object]:
            if "systems" not in fields:
                return dict(fields)
            return {**fields, "systems": tuple(s for s in fields["systems"] if s in names)}

        own = tuple(s for s in self.systems if s in names)
        return replace(self, systems=own, quick=some(self.quick), today=some(self.today))

    def sized(self, options: Options) -> Experiment:
        """The experiment as the options want it."""
        changes = dict(self.today) if options.descriptors == "all" else {}
        return replace(self, **changes, **(self.quick if options.quick else {}))

    @property
    def function(self) -> str:
        """The measuring function by name, as a worker finds it."""
        return f"{self.measure.__module__}:{self.measure.__qualname__}"

    def label(self, system: str) -> str:
        """The paper's name of a system, or our own."""
        return self.labels.get(system, system)


HOLDS, NO_DIFFERENCE, FAILS, NOT_MEASURED = (
    "holds",
    "no difference",
    "does not hold",
    "not measured",
)
KINDS = (HOLDS, NO_DIFFERENCE, FAILS, NOT_MEASURED)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the results say of a claim; `saccade.studies.verdicts` makes them.

    Args:
        kind: one of `KINDS`.
        figure: what was measured, in numbers.
        effect: by how much it speaks for the claim, above nought; `of` says of what.
        interval: of the effect, 95%.
        p: that it is nought.
        n: of how many units; `over` says which (queries, attributes, rounds).
        here: what was run, beside what the paper says.
        why: what else the figures of this run say about it.
    """

    kind: str
    figure: str
    effect: float | None = None
    interval: tuple[float, float] | None = None
    p: float | None = None
    n: int = 0
    over: str = ""
    of: str = ""
    here: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of the paper, where it stands, and how the results judge it."""

    text: str
    source: str
    judge: Callable[[Results], Verdict]


def _indexed(data: Data, options: Options, say: Say) -> list[str]:
    """Pictures are indexed once, before any part runs; what was left out comes back."""
    from saccade.studies.collection import prepare

    return prepare(data, options, say)


def _labelled(dataset: Dataset) -> str:
    """Why a set cannot be used, or nothing: most studies need classes or graded queries."""
    return "" if dataset.classes else "it has no classes"


@dataclass(frozen=True, slots=True)
class Study:
    """A paper's experiments.

    Args:
        setup: sentences that state the set-up in full, for these options.
        world: draws a set into a folder, for when no data are given.
        crowd: draws distractors into a folder, for experiments among them and none given.
        accepts: why a set cannot be used, or an empty text.
        prepare: what must be done to a set before parts run, in this process (indexing); gives
            back the problems it met, which the page shows.
    """

    name: str
    paper: str
    about: str
    experiments: tuple[Experiment, ...]
    claims: tuple[Claim, ...]
    setup: Callable[[Options], Sequence[str]]
    world: Callable[[Path, Options], object]
    crowd: Callable[[Path, Options], object] | None = None
    accepts: Callable[[Dataset], str] = _labelled
    prepare: Callable[[Data, Options, Say], Sequence[str]] = _indexed

    def sized(self, options: Options) -> tuple[Experiment, ...]:
        """The experiments as the options want them."""
        return tuple(experiment.sized(options) for experiment in self.experiments)

    def sets(self, experiment: Experiment, data: Sequence[Data]) -> Sequence[Data]:
        """The sets that an experiment runs on."""
        if experiment.free:
            return data[:1]
        if not any(one.among for one in self.experiments):
            return data
        return [one for one in data if bool(one.distractors) == experiment.among]

    def tasks(self, data: Sequence[Data], options: Options) -> list[Task]:
        """Every part of every experiment; neighbours share what they can keep in memory."""
        return [
            Task(
                study=self.name,
                experiment=experiment.name,
                function=experiment.function,
                system=system,
                data=one,
                seed=options.seed + seed,
                part=part,
                measures=experiment.measures,
                options=options,
            )
            for experiment in self.sized(options)
            for one in self.sets(experiment, data)
            for seed in range(experiment.seeds)
            for part in experiment.parts
            for system in experiment.systems
        ]


def sentences(text: str) -> tuple[str, ...]:
    r"""A set-up written as text: a blank line ends a sentence, a line break does not.

    >>> sentences("One\n    pass.\n\n    Five folds.")
    ('One pass.', 'Five folds.')
    """
    return tuple(" ".join(part.split()) for part in text.strip().split("\n\n"))


def plain(task: Task) -> dict[str, object]:
    """A task as JSON has it."""
    return asdict(task)
