"""Wan et al. 2015, "Online Learning to Rank for Content-Based Image Retrieval": table 2.

    mAP over the test queries of five folds, for ten algorithms of the paper and two more

Every algorithm's settings are chosen by mAP on the same validation queries from the same grids
(`saccade.rankers.tuning.GRIDS`).
Significance is against `uniform`, query by query.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade import rankers
from saccade.rankers.tuning import GRIDS, tune
from saccade.studies.protocol import PhiOf, Sizes, Split, splits
from saccade.testbed.measures import evaluate
from saccade.testbed.significance import compare

MEASURE = "map"

# The paper's name of each algorithm; the last two are its announced next step.
ALGORITHMS: dict[str, str] = {
    "best-scheme": "Best-Fea",
    "uniform": "Uni-Con",
    "ranknet": "RankNet",
    "coordinate-ascent": "C-Ascent",
    "ranksvm": "RankSVM",
    "lambdamart": "λ-MART",
    "opr": "OPR",
    "opar1": "OPAR-I",
    "opar2": "OPAR-II",
    "ogdr": "OGDR",
    "arow": "AROW",
    "scw": "SCW",
}
HEURISTICS = ("best-scheme", "uniform")

PRINTED_ON = ("Holidays", "Caltech101", "ImageCLEF", "Corel")
PRINTED: dict[str, tuple[float, float, float, float]] = {
    "best-scheme": (0.4892, 0.2664, 0.5777, 0.1846),
    "uniform": (0.5175, 0.2594, 0.6174, 0.2990),
    "ranknet": (0.6292, 0.2753, 0.6326, 0.3133),
    "coordinate-ascent": (0.6373, 0.3193, 0.6803, 0.3406),
    "ranksvm": (0.6429, 0.3270, 0.6585, 0.3366),
    "lambdamart": (0.6230, 0.3650, 0.6796, 0.3683),
    "opr": (0.6219, 0.3285, 0.6555, 0.3292),
    "opar1": (0.6329, 0.3070, 0.6556, 0.3340),
    "opar2": (0.6283, 0.3157, 0.6632, 0.3389),
    "ogdr": (0.6368, 0.3024, 0.6626, 0.3228),
}

# mAP looks at every rank, so both learners of a measure do; one start saves coordinate ascent time.
_FIXED: dict[str, dict[str, Any]] = {
    "coordinate-ascent": {"measure": "map", "starts": 1},
    "lambdamart": {"cut": 400},
}

Say = Callable[[str], None]


def measure(
    labels: NDArray[np.int64],
    phi_of: PhiOf,
    *,
    sizes: Sizes,
    seed: int,
    algorithms: Sequence[str] = tuple(ALGORITHMS),
    say: Say = lambda text: None,
) -> dict[str, Any]:
    """The experiment itself, on any classes and any φ; what it found, ready for JSON."""
    found: dict[str, Any] = {
        name: {"ap": [], "folds": [], "settings": [], "seconds": 0.0} for name in algorithms
    }
    folds, queries = [], []
    for split in splits(labels, phi_of, sizes, seed=seed):
        folds.append(_sizes_of(split))
        queries += [{"fold": split.number, "row": int(row)} for row in split.queries]
        for name in algorithms:
            settings, values, seconds = _one(name, split)
            one = found[name]
            one["ap"] += values.round(6).tolist()
            one["folds"].append(float(values.mean()))
            one["settings"].append(settings)
            one["seconds"] += seconds
            say(f"fold {split.number} {name}: mAP {values.mean():.4f} {settings}")
    return {"measure": MEASURE, "folds": folds, "queries": queries, "found": found}


def _one(name: str, split: Split) -> tuple[dict[str, Any], NDArray[np.float64], float]:
    """Choose settings, learn from all training rows, judge the test queries."""
    fixed = _FIXED.get(name, {})
    grid = {key: values for key, values in GRIDS.get(name, {}).items() if key not in fixed}

    def make(**settings: Any) -> Any:
        return rankers.make(name, **fixed, **settings)

    best: dict[str, Any] = {}
    if grid:
        best = tune(make, grid, split.tuning, validation=split.validate, measure=MEASURE).best
    model = make(**best)
    start = time.perf_counter()
    # The best single scheme is chosen "via cross validation": on the validation queries.
    if name == "best-scheme":
        model.fit(*split.train, validation=split.validate)
    else:
        model.fit(*split.train)
    seconds = time.perf_counter() - start
    phi, grades, groups = split.test
    judged = evaluate([MEASURE], model.score(phi), grades, groups)
    return {**fixed, **best}, judged.per_query[MEASURE], seconds


def _sizes_of(split: Split) -> dict[str, int]:
    """What the fold had to learn from and to judge by."""
    return {
        "fold": split.number,
        "training_instances": len(split.train[1]),
        "training_queries": len(np.unique(split.train[2])),
        "negatives_a_query": split.sampled,
        "tuning_instances": len(split.tuning[1]),
        "validation_queries": len(np.unique(split.validate[2])),
        "test_queries": len(split.queries),
    }


def table(result: Mapping[str, Any], *, seed: int) -> list[dict[str, Any]]:
    """One row an algorithm: printed values, measured mean and spread, significance, seconds."""
    found = result["found"]
    plain = np.array(found["uniform"]["ap"])
    rows = []
    for name, one in found.items():
        against = compare(np.array(one["ap"]), plain, seed=seed)
        printed = PRINTED.get(name, (None,) * len(PRINTED_ON))
        rows.append(
            {
                "algorithm": ALGORITHMS[name],
                "ranker": name,
                **{f"printed {on}": value for on, value in zip(PRINTED_ON, printed, strict=True)},
                "measured mAP": float(np.mean(one["ap"])),
                "± over folds": float(np.std(one["folds"])),
                "against uniform": against.difference,
                "p": None if name == "uniform" else against.p_randomisation,
                "better / worse queries": f"{against.wins} / {against.losses}",
                "seconds": f"{one['seconds']:.1f}",
            }
        )
    return rows


def verdicts(result: Mapping[str, Any], sizes: Sizes) -> list[str]:
    """What was seen, in sentences: fewer queries than asked for, and learners that did not pay."""
    said = []
    for key, wanted in (("validation_queries", sizes.validation), ("test_queries", sizes.test)):
        got = [fold[key] for fold in result["folds"]]
        if min(got) < wanted:
            what = key.replace("_", " ")
            said.append(f"The set is small: {min(got)} to {max(got)} {what} a fold, not {wanted}.")
    got = [fold["training_instances"] for fold in result["folds"]]
    if max(got) < 0.95 * sizes.instances:
        said.append(f"The set has only {max(got)} training instances a fold.")
    means = {name: float(np.mean(one["ap"])) for name, one in result["found"].items()}
    bar = max(means[name] for name in HEURISTICS if name in means)
    behind = [name for name in means if name not in HEURISTICS and means[name] <= bar]
    if behind:
        said.append(f"Not above both heuristics ({bar:.4f}): {', '.join(behind)}.")
    else:
        said.append(f"Every learner is above both heuristics ({bar:.4f}).")
    return said


def run(
    data: Mapping[str, Path],
    *,
    out: Path,
    descriptors: str = "classical",
    quick: bool = False,
    seed: int = 0,
    say: Say = lambda text: None,
) -> list[Path]:
    """The study on labelled folders; returns the files it wrote, one page a set first."""
    from saccade.studies.collection import indexed
    from saccade.studies.report import write

    sizes = Sizes.quick() if quick else Sizes()
    written: list[Path] = []
    for name, folder in data.items():
        with indexed(folder, out / f"{name}.saccade", descriptors=descriptors, say=say) as images:
            result = measure(images.labels, images.phi_of, sizes=sizes, seed=seed, say=say)
            paths = images.paths
            result |= {"data": name, "schemes": list(images.schemes), "images": len(paths)}
        result |= {"descriptors": descriptors, "quick": quick, "seed": seed}
        for query in result["queries"]:
            query["file"] = paths[query["row"]]
        rows = table(result, seed=seed)
        written += write(out, f"wan2015-{name}", result, rows, verdicts(result, sizes))
    return written
