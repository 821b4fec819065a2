"""What every configuration answers to every probe: computed once, kept, read by all experiments.

Vocabularies are trained on the distractors, so that neither models nor probes shape the words; on
the models where there are no distractors. Searched are models and distractors together.

A folder `cache` keeps vocabularies by what they are made of, so that any set among the same
distractors takes them up again; then they are as large as the paper's, 1,000,000 words at most, and
at least `FEWEST` descriptors a word.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.studies.aly2011.pictures import ProbeSides, digest, features, sides
from saccade.studies.aly2011.selection import Answers
from saccade.studies.declaration import Data, Options, Say
from saccade.testbed import datasets
from saccade.testbed.tables import write_json
from saccade.types import Spec
from saccade.words import configurations
from saccade.words.configurations import VOCABULARIES, Bank
from saccade.words.vocabulary import Vocabulary

DEPTH = 100
"""Length of the ranked lists kept: as far as the rank loss looks."""
LARGEST = 100_000
"""Words of the large vocabularies at most: a tenth of the paper's, for a tenth of its pictures."""
_LARGEST_QUICK = 4_000
PRINTED = 1_000_000
"""Words of the paper's large vocabularies."""
FEWEST = 2
"""Descriptors a word of a vocabulary that is kept: it is trained once, so it may be dear."""
LEAST = 500
"""Descriptors to make words of: with fewer the small vocabulary has one word."""
_PART = 500  # pictures added to the files at a time


def prepare(data: Data, options: Options, say: Say) -> Sequence[str]:
    """Find features, train vocabularies, ask every probe; what was left out comes back."""
    split = sides(datasets.load(data.folder), data.distractors)
    if len(split.probes) < 5:
        raise InvalidInput(f"{data.folder} has {len(split.probes)} probes: at least 5 are needed")
    folder = _folder(data)
    pictures = (*split.models, *split.distractors, *split.probes)
    described, problems = features(pictures, folder / "features", say=say)
    largest = _LARGEST_QUICK if options.quick else PRINTED if data.cache else LARGEST
    file = _file(data, options)
    content = digest([[str(one), len(two)] for one, two in zip(pictures, described, strict=True)])
    about = {"made of": content, "largest": largest, "seed": options.seed}
    kept = Path(data.cache) if data.cache else None
    if not file.is_file() or _about(file)["key"] != about:
        answers, notes = answer(
            split, described, largest=largest, seed=options.seed, cache=kept, say=say
        )
        _save(file, answers, {"key": about, **notes})
    return [*split.problems, *problems]


def answer(
    split: ProbeSides,
    described: Sequence[NDArray[np.uint8]],
    *,
    largest: int,
    seed: int,
    cache: Path | None = None,
    say: Say = lambda text: None,
) -> tuple[Answers, Spec]:
    """Answers of all configurations to all probes, and how they came about.

    `described` are the descriptors of models, distractors and probes, in this order.
    """
    models, searched = len(split.models), len(split.models) + len(split.distractors)
    source = described[models:searched] if split.distractors else described[:models]
    every = np.concatenate(list(source))
    if len(every) < LEAST:
        raise InvalidInput(f"{len(every)} descriptors are too few to make words of")
    usual = configurations.PER_WORD
    material = len(every) if cache is None else len(every) * usual // FEWEST
    wanted = configurations.sizes_for(min(material, largest * usual))
    vocabularies = {
        name: vocabulary(name, every, size=wanted[name], seed=seed, cache=cache, say=say)
        for name in VOCABULARIES
    }
    bank = Bank(vocabularies)
    for start in range(0, searched, _PART):
        rows = np.arange(start, min(start + _PART, searched))
        bank.add(rows, described[start : rows[-1] + 1])
        say(f"words of {rows[-1] + 1} of {searched} pictures")
    answers = ask(bank, described[searched:], split.truth)
    notes = {
        "models": models,
        "distractors": len(split.distractors),
        "probes": len(split.probes),
        "files": [f"{file.parent.name}/{file.name}" for file in split.probes],
        "trained on": "distractors" if split.distractors else "models",
        "training descriptors": len(every),
        "words": {name: one.size for name, one in vocabularies.items()},
        "features a picture": float(np.mean([len(one) for one in described])),
    }
    return answers, notes


def vocabulary(
    name: str, descriptors: NDArray[np.uint8], *, size: int, seed: int, cache: Path | None, say: Say
) -> Vocabulary:
    """A vocabulary of so many words: from the cache where it is there, and kept there if not."""
    file = None
    if cache is not None:
        made_of = hashlib.blake2b(descriptors.tobytes(), digest_size=12).hexdigest()
        file = cache / f"{name}-{size}-{digest([made_of, seed])}.npz"
        if file.is_file():
            say(f"{name}, {size} words, from {cache}")
            return Vocabulary.load(file)
    say(f"training {name}, {size} words, on {len(descriptors)} descriptors")
    # Killed, a long training goes on where it was.
    work = None if file is None else file.with_suffix(".training")
    trained = configurations.train(name, descriptors, size=size, seed=seed, work=work)
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        trained.save(file)
    return trained


def ask(bank: Bank, probes: Sequence[NDArray[np.uint8]], truth: Sequence[int]) -> Answers:
    """The answers of a bank's configurations to probes, given as descriptors."""
    names = tuple(map(str, bank.configurations))
    shape = (len(probes), len(names))
    ranks = np.empty(shape, np.int64)
    rows, scores = np.full((*shape, DEPTH), -1, np.int64), np.zeros((*shape, DEPTH), np.float32)
    for probe, descriptors in enumerate(probes):
        bags = bank.bags(descriptors)
        ranks[probe] = bank.ranks(bags, truth[probe])
        for expert, (hits, values) in enumerate(bank.search(bags, DEPTH)):
            rows[probe, expert, : len(hits)] = hits
            scores[probe, expert, : len(hits)] = values
    return Answers(names, ranks, rows, scores, np.array(truth, np.int64))


@lru_cache(maxsize=2)
def load(data: Data, options: Options) -> tuple[Answers, Spec]:
    """What `prepare` kept; parts that run in one worker share it."""
    file = _file(data, options)
    with np.load(file, allow_pickle=False) as arrays:
        notes = json.loads(arrays["about"].tobytes())
        answers = Answers(
            tuple(notes["experts"]), arrays["ranks"].astype(np.int64),
            arrays["rows"].astype(np.int64), arrays["scores"], arrays["truth"].astype(np.int64),
        )  # fmt: skip
    return answers, notes


def _save(file: Path, answers: Answers, notes: Spec) -> None:
    about = json.dumps({**notes, "experts": answers.experts}).encode()
    draft = file.with_name(f".{file.name}")
    with draft.open("wb") as stream:
        np.savez(
            stream, about=np.frombuffer(about, np.uint8), ranks=answers.ranks,
            rows=answers.rows.astype(np.int32), scores=answers.scores, truth=answers.truth,
        )  # fmt: skip
    draft.replace(file)
    write_json(file.with_suffix(".json"), notes)


def _about(file: Path) -> Spec:
    with np.load(file, allow_pickle=False) as arrays:
        return dict(json.loads(arrays["about"].tobytes()))


def _folder(data: Data) -> Path:
    """Beside where the engine would index the set."""
    return Path(data.store).with_suffix(".aly2011")


def _file(data: Data, options: Options) -> Path:
    return _folder(data) / ("answers-quick.npz" if options.quick else "answers.npz")
