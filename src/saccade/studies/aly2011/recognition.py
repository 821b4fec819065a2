"""What every configuration answers to every probe: computed once, kept, read by all experiments.

Vocabularies are trained on the distractors, so that neither models nor probes shape the words; on
the models where there are no distractors. Searched are models and distractors together.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.studies.aly2011.pictures import Sides, digest, features, sides
from saccade.studies.aly2011.selection import Answers
from saccade.studies.declaration import Data, Options, Say
from saccade.testbed import datasets
from saccade.testbed.tables import write_json
from saccade.words import configurations
from saccade.words.configurations import VOCABULARIES, Bank

DEPTH = 100
"""Length of the ranked lists kept: as far as the rank loss looks."""
LARGEST = 100_000
"""Words of the large vocabularies at most: a tenth of the paper's, for a tenth of its pictures."""
_LARGEST_QUICK = 4_000
LEAST = 500
"""Descriptors to make words of: with fewer the small vocabulary has one word."""
_PART = 500  # pictures added to the files at a time


def prepare(data: Data, options: Options, say: Say) -> Sequence[str]:
    """Find features, train vocabularies, ask every probe; what was left out comes back."""
    found = sides(datasets.load(data.folder), data.distractors)
    if len(found.probes) < 5:
        raise InvalidInput(f"{data.folder} has {len(found.probes)} probes: at least 5 are needed")
    folder = _folder(data)
    pictures = (*found.models, *found.distractors, *found.probes)
    described, problems = features(pictures, folder / "features", say=say)
    largest = _LARGEST_QUICK if options.quick else LARGEST
    file = _file(data, options)
    made = digest([[str(one), len(two)] for one, two in zip(pictures, described, strict=True)])
    about = {"made of": made, "largest": largest, "seed": options.seed}
    if not file.is_file() or _about(file)["key"] != about:
        answers, notes = answer(found, described, largest=largest, seed=options.seed, say=say)
        _save(file, answers, {"key": about, **notes})
    return [*found.problems, *problems]


def answer(
    found: Sides,
    described: Sequence[NDArray[np.uint8]],
    *,
    largest: int,
    seed: int,
    say: Say = lambda text: None,
) -> tuple[Answers, dict[str, Any]]:
    """Answers of all configurations to all probes, and how they came about.

    `described` are the descriptors of models, distractors and probes, in this order.
    """
    models, searched = len(found.models), len(found.models) + len(found.distractors)
    source = described[models:searched] if found.distractors else described[:models]
    every = np.concatenate(list(source))
    if len(every) < LEAST:
        raise InvalidInput(f"{len(every)} descriptors are too few to make words of")
    wanted = configurations.sizes_for(min(len(every), largest * 4))
    vocabularies = {}
    for name in VOCABULARIES:
        say(f"training {name}, {wanted[name]} words, on {len(every)} descriptors")
        vocabularies[name] = configurations.train(name, every, size=wanted[name], seed=seed)
    bank = Bank(vocabularies)
    for start in range(0, searched, _PART):
        rows = np.arange(start, min(start + _PART, searched))
        bank.add(rows, described[start : rows[-1] + 1])
        say(f"words of {rows[-1] + 1} of {searched} pictures")
    answers = ask(bank, described[searched:], found.truth)
    notes = {
        "models": models,
        "distractors": len(found.distractors),
        "probes": len(found.probes),
        "files": [f"{file.parent.name}/{file.name}" for file in found.probes],
        "trained on": "distractors" if found.distractors else "models",
        "training descriptors": len(every),
        "words": {name: one.size for name, one in vocabularies.items()},
        "features a picture": float(np.mean([len(one) for one in described])),
    }
    return answers, notes


def ask(bank: Bank, probes: Sequence[NDArray[np.uint8]], truth: Sequence[int]) -> Answers:
    """The answers of a bank's configurations to probes, given as descriptors."""
    names = tuple(map(str, bank.configurations))
    shape = (len(probes), len(names))
    ranks = np.empty(shape, np.int64)
    rows, scores = np.full((*shape, DEPTH), -1, np.int64), np.zeros((*shape, DEPTH), np.float32)
    for probe, descriptors in enumerate(probes):
        bags = bank.bags(descriptors)
        ranks[probe] = bank.ranks(bags, truth[probe])
        for expert, (found, values) in enumerate(bank.search(bags, DEPTH)):
            rows[probe, expert, : len(found)] = found
            scores[probe, expert, : len(found)] = values
    return Answers(names, ranks, rows, scores, np.array(truth, np.int64))


@lru_cache(maxsize=2)
def load(data: Data, options: Options) -> tuple[Answers, dict[str, Any]]:
    """What `prepare` kept; parts that run in one worker share it."""
    file = _file(data, options)
    with np.load(file, allow_pickle=False) as kept:
        notes = json.loads(kept["about"].tobytes())
        answers = Answers(
            tuple(notes["experts"]), kept["ranks"].astype(np.int64),
            kept["rows"].astype(np.int64), kept["scores"], kept["truth"].astype(np.int64),
        )  # fmt: skip
    return answers, notes


def _save(file: Path, answers: Answers, notes: dict[str, Any]) -> None:
    about = json.dumps({**notes, "experts": answers.experts}).encode()
    draft = file.with_name(f".{file.name}")
    with draft.open("wb") as stream:
        np.savez(
            stream, about=np.frombuffer(about, np.uint8), ranks=answers.ranks,
            rows=answers.rows.astype(np.int32), scores=answers.scores, truth=answers.truth,
        )  # fmt: skip
    draft.replace(file)
    write_json(file.with_suffix(".json"), notes)


def _about(file: Path) -> dict[str, Any]:
    with np.load(file, allow_pickle=False) as kept:
        return dict(json.loads(kept["about"].tobytes()))


def _folder(data: Data) -> Path:
    """Beside where the engine would index the set."""
    return Path(data.store).with_suffix(".aly2011")


def _file(data: Data, options: Options) -> Path:
    return _folder(data) / ("answers-quick.npz" if options.quick else "answers.npz")
