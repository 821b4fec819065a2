"""From folders and options to written results: which study takes which set, and what is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from saccade.errors import InvalidInput, UnknownName, need
from saccade.studies import load
from saccade.studies.declaration import PERTURBED, Data, Options, Say, Study
from saccade.studies.remarks import DRAWN
from saccade.studies.report import write
from saccade.studies.running import Step, run
from saccade.testbed import datasets

PACKAGES = ("lightgbm", "matplotlib", "piqp", "sklearn")
"""What the learners of some study and all figures are made with."""


def perform(
    names: Sequence[str],
    folders: Mapping[str, Path],
    options: Options,
    *,
    out: Path,
    stores: Path,
    distractors: Sequence[str] = (),
    only: Sequence[str] = (),
    systems: Sequence[str] = (),
    workers: int | None = None,
    on: str = "processes",
    trust: bool = False,
    cache: Path | None = None,
    say: Say = lambda text: None,
    step: Step = lambda done, total, last: None,
) -> dict[str, list[Path]]:
    """Run studies one after the other; the files each wrote, its page first.

    A set that a study cannot use is an error when that study was asked for alone, and is passed
    over with a word when several were. Without a set that fits, the study draws its own. `only`
    names experiments to run, `systems` what they compare, beside what they compare with; claims
    that rest on others are not measured. `cache` keeps what is dear to make and the same for
    several runs (vocabularies, then as large as the paper's). `trust` takes over parts that other
    code measured, and the result names its commits.
    """
    # A wrong name is refused before anything runs, and so is an installation that could not go on
    # to the learners that a study compares or to its figures.
    need("studies", *PACKAGES, part="a study")
    studies = [_narrowed(load(name), only, systems) for name in names]
    sets = {name: datasets.load(folder) for name, folder in folders.items()}
    written = {}
    for study in studies:
        fitting = _fitting(study, sets, alone=len(studies) == 1, say=say)
        data = [_data(name, folders[name], stores) for name in fitting] or [
            _drawn(study, options, stores, say)
        ]
        data = _crowded(study, data, distractors, options, stores, say)
        if cache is not None:
            data = [replace(one, cache=str(cache.resolve())) for one in data]
        done = run(
            study, data, options, out=out, workers=workers, on=on, trust=trust, say=say, step=step
        )
        written[study.name] = write(done, out=out)
    return written


def named_folders(texts: Sequence[str]) -> dict[str, Path]:
    """Labelled sets by name, from NAME=FOLDER each."""
    folders: dict[str, Path] = {}
    for text in texts:
        name, equals, folder = text.partition("=")
        plain = name.replace("-", "").replace("_", "")
        if not (name and equals and folder) or not plain.isalnum():
            raise InvalidInput(
                f"--data {text!r}: expected NAME=FOLDER, NAME in letters, digits, - and _"
            )
        if name in folders:
            raise InvalidInput(f"--data {text!r}: the name {name!r} is there twice; give another")
        folders[name] = Path(folder).expanduser()
    return folders


def _narrowed(study: Study, only: Sequence[str], systems: Sequence[str]) -> Study:
    """The study with some of its experiments, and those with some of their systems."""
    experiments = study.experiments
    names = [one.name for one in experiments]
    for name in only:
        if name not in names:
            raise UnknownName(f"experiment of {study.name}", name, names)
    experiments = tuple(one for one in experiments if not only or one.name in only)
    system_names = list(dict.fromkeys(system for one in experiments for system in one.systems))
    for name in systems:
        if name not in system_names:
            raise UnknownName(f"system of {study.name}", name, system_names)
    if systems:
        experiments = tuple(one.among_systems(systems) for one in experiments)
    return replace(study, experiments=tuple(one for one in experiments if one.systems))


def _fitting(
    study: Study, sets: Mapping[str, datasets.Dataset], *, alone: bool, say: Say
) -> list[str]:
    fitting = []
    for name, dataset in sets.items():
        reason = study.accepts(dataset)
        if not reason:
            fitting.append(name)
        elif alone:
            raise InvalidInput(
                f"{study.name} cannot use {name}: {reason}",
                hint=f"`saccade data check {dataset.folder}` says what is in the folder",
            )
        else:
            say(f"{study.name} does not use {name}: {reason}")
    return fitting


def _data(name: str, folder: Path, stores: Path, *, drawn: bool = False) -> Data:
    store = stores / f"{name}.saccade"
    return Data(name, str(folder.resolve()), str(store.resolve()), drawn)


def _drawn(study: Study, options: Options, stores: Path, say: Say) -> Data:
    """The study's own world; its store has its name, so that studies do not share one."""
    name = "world-quick" if options.quick else "world"
    folder = stores / f"{study.name}-{name}"
    say(f"{study.name}: no data given; drawing pictures into {folder}")
    study.world(folder, options)
    return _data(name, folder, stores / study.name, drawn=True)


def _crowded(
    study: Study,
    data: Sequence[Data],
    distractors: Sequence[str],
    options: Options,
    stores: Path,
    say: Say,
) -> list[Data]:
    """The sets among distractors, beside the plain ones where a study compares the two."""
    perturbed = tuple(one for one in distractors if one.startswith(PERTURBED))
    _check_perturbed(perturbed, options)
    pictured = (one for one in distractors if one not in perturbed)
    folders = tuple(_distractors(one, stores, say) for one in pictured)
    compares = any(experiment.among for experiment in study.experiments)
    if compares and not folders and study.crowd is not None:
        crowd = stores / (f"{DRAWN}-quick" if options.quick else DRAWN)
        say(f"{study.name}: drawing distractors into {crowd}")
        study.crowd(crowd, options)
        folders = (str(crowd.resolve()),)
    folders += perturbed if folders else ()
    if not folders:
        return list(data)
    among = [
        replace(
            one,
            name=f"{one.name}-among",
            store=one.store.removesuffix(".saccade") + "-among.saccade",
            distractors=folders,
            base=one.store,
        )
        for one in data
    ]
    return [*data, *among] if compares else among


def _check_perturbed(perturbed: Sequence[str], options: Options) -> None:
    for text in perturbed:
        count = text.removeprefix(PERTURBED)
        if not (count.isdecimal() and int(count)):
            raise InvalidInput(f"distractors {text!r}: expected for instance 'perturbed:98000'")
    if perturbed and (options.phi != "raw" or options.descriptors == "all"):
        raise InvalidInput(
            "perturbed distractors have vectors and words, but no anchors and no neighbours",
            hint="run with raw φ and classical descriptors, or name folders of pictures",
        )


def _distractors(text: str, stores: Path, say: Say) -> str:
    """A folder of distractors; `drawn:N` draws N pictures of a world of their own."""
    from saccade.testbed import worlds

    word, colon, count = text.partition(":")
    if word != "drawn" or not colon:
        return str(Path(text).expanduser().resolve())
    if not (count.isdecimal() and int(count)):
        raise InvalidInput(f"distractors {text!r}: expected a folder, or for instance 'drawn:2000'")
    folder = stores / f"{DRAWN}-{count}"
    say(f"drawing {count} distractors into {folder}")
    worlds.write(folder, images=int(count), seed=1007, size=(192, 144))
    return str(folder.resolve())
