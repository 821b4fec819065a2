"""How fast the learners learn: against X @ w, scikit-learn, Vowpal Wabbit and river, on one core.

    python benchmarks/learners.py [--rows 3000000] [--json] [--save results]

One run measures everything with the process held to one core, so that the ratios compare like with
like. Every figure is processor time, the best of several rounds: on a quiet machine that is the
time on the clock, and on a busy one it leaves out the waiting. A peer that is not installed is
named as such: `pip install -e .[bench]` brings them.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from machine import machine
from saccade import rankers

COLUMNS = 36
LEARNERS = [
    ("opr", {}),
    ("opar1", {}),
    ("opar1 averaged", {"average": True}),
    ("opar2", {}),
    ("ogdr", {}),
    ("arow", {}),
    ("arow full", {"covariance": "full"}),
    ("scw", {}),
    ("scw full", {"covariance": "full"}),
]


def best(action, rounds=5):
    """Shortest of several rounds, in processor seconds of all threads."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return min(times)


def stream(rows, seed=0):
    """Winners and losers by a hidden linear taste with noise, float32."""
    rng = np.random.default_rng(seed)
    hidden = rng.standard_normal(COLUMNS).astype(np.float32)
    winners = rng.random((rows, COLUMNS), dtype=np.float32)
    losers = rng.random((rows, COLUMNS), dtype=np.float32)
    wrong = (winners - losers) @ hidden < 0.5 * rng.standard_normal(rows)
    winners[wrong], losers[wrong] = losers[wrong], winners[wrong].copy()
    return winners, losers, hidden


def measure_ours(winners, losers, differences, floor):
    """Seconds for one pass of each learner, from differences and from pairs."""
    out = {}
    cut = len(winners) * 2 // 3
    for label, settings in LEARNERS:
        name = label.split()[0]
        rankers.make(name, **settings).learn(winners[:100], losers[:100])
        rounds = 1 if label.endswith("full") else 3

        def differences_pass(name=name, settings=settings):
            rankers.make(name, **settings).learn_differences(differences)

        def pairs_pass(name=name, settings=settings):
            rankers.make(name, **settings).learn(winners, losers)

        from_differences, from_pairs = best(differences_pass, rounds), best(pairs_pass, rounds)
        model = rankers.make(name, **settings)
        model.learn(winners[:cut], losers[:cut])
        right = np.mean(model.score(winners[cut:]) > model.score(losers[cut:]))
        out[label] = {
            "differences_s": from_differences,
            "pairs_s": from_pairs,
            "differences_over_floor": from_differences / floor,
            "pairs_over_floor": from_pairs / floor,
            "accuracy": float(right),
        }
    return out


def scikit_learn(differences):
    """One pass of scikit-learn's two online linear learners over the same differences."""
    from sklearn.linear_model import PassiveAggressiveClassifier, SGDClassifier

    labels = np.ones(len(differences))
    labels[1::2] = -1.0
    rows = differences * labels[:, None].astype(np.float32)
    once = {"max_iter": 1, "tol": None, "shuffle": False, "fit_intercept": False}
    gradient = SGDClassifier(loss="hinge", learning_rate="constant", eta0=0.1, penalty=None, **once)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # newer versions say the class will move; it is still there
        passive = PassiveAggressiveClassifier(C=0.1, **once)
        return {
            "scikit-learn SGDClassifier": {"seconds": best(lambda: gradient.fit(rows, labels), 2)},
            "scikit-learn PassiveAggressive": {
                "seconds": best(lambda: passive.fit(rows, labels), 2)
            },
        }


def vowpal_wabbit(differences, rows):
    """One pass over VW's own binary cache of fewer rows: parsing text is not counted."""
    from vowpalwabbit import Workspace

    some = differences[:rows]
    with tempfile.TemporaryDirectory() as folder:
        text, cache = Path(folder, "rows.txt"), Path(folder, "rows.cache")
        with text.open("w") as file:
            for i, row in enumerate(some):
                sign = 1 if i % 2 == 0 else -1
                cells = " ".join(f"{j}:{sign * value:.6g}" for j, value in enumerate(row))
                file.write(f"{sign} | {cells}\n")
        options = f"--loss_function hinge --noconstant --quiet --cache_file {cache}"
        Workspace(f"-d {text} {options}").finish()
        text.unlink()  # from here on only the cache can be read
        seconds = best(lambda: Workspace(f"-d {text} {options}").finish())
    return {"Vowpal Wabbit": {"seconds": seconds * len(differences) / rows, "rows": rows}}


def river(differences, rows):
    """One pass of river, which learns one dict at a time; making the dicts is not counted."""
    from river import linear_model

    some = [(dict(enumerate(row)), True) for row in differences[:rows].tolist()]

    def one_pass():
        model = linear_model.PAClassifier(C=0.1, mode=1, learn_intercept=False)
        for features, label in some:
            model.learn_one(features, label)

    return {"river PAClassifier": {"seconds": best(one_pass, 2) * len(differences) / rows,
                                   "rows": rows}}  # fmt: skip


def measure_peers(differences):
    """Seconds for one pass of each peer, or why there are none."""
    peers = {}
    few = min(len(differences), 200_000)
    for name, run in (
        ("scikit-learn", lambda: scikit_learn(differences)),
        ("Vowpal Wabbit", lambda: vowpal_wabbit(differences, few)),
        ("river", lambda: river(differences, min(few, 20_000))),
    ):
        try:
            peers |= run()
        except ImportError:
            peers[name] = {"missing": "not installed; `pip install -e .[bench]` brings it"}
    return peers


def graded(rows, queries=10, seed=0):
    """Rows of ten queries in five grades: pairs grow with the square of the rows."""
    rng = np.random.default_rng(seed)
    phi = rng.standard_normal((rows, COLUMNS)).astype(np.float32)
    hidden = phi @ rng.standard_normal(COLUMNS) / 6.0 + rng.standard_normal(rows)
    return phi, np.digitize(hidden, [0.0, 0.7, 1.4, 2.1]), np.arange(rows) % queries


def measure_ranksvm(largest):
    """Seconds of linear ranksvm against the number of rows, with the fitted exponent."""
    rankers.make("ranksvm").fit(*graded(1000))
    points = []
    rows = largest
    while rows >= largest // 64 and rows >= 100:
        training = graded(rows)
        model = rankers.make("ranksvm")
        seconds = best(lambda m=model, t=training: m.fit(*t), 2)
        points.append({"rows": rows, "pairs": model.pairs, "seconds": seconds,
                       "newton_steps": model.iterations})  # fmt: skip
        rows //= 2
    points.reverse()
    slope = np.polyfit(
        np.log([p["rows"] for p in points]), np.log([p["seconds"] for p in points]), 1
    )[0]
    return {"points": points, "exponent": float(slope)}


def measure_round():
    """50 judged images, 12 of them liked: microseconds to learn all pairs and score the page."""
    rng = np.random.default_rng(1)
    phi = rng.random((50, COLUMNS), dtype=np.float32)
    liked = np.repeat(np.arange(12), 38)
    disliked = np.tile(np.arange(12, 50), 12)
    out = {}
    for label, settings in LEARNERS:
        model = rankers.make(label.split()[0], **settings)

        def one_round(model=model):
            model.learn(phi[liked], phi[disliked])
            model.score(phi)

        one_round()
        out[label] = 1e6 * best(one_round, 500)
    return {"pairs": len(liked), "microseconds": out}


def hold_to_one_core():
    """Pin the process where the system can; BLAS gets one thread everywhere."""
    threadpool_limits(1)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def about():
    """Machine, commit, load and versions."""
    found = machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
        found["machine"] = f"{names[0]} ({found['machine']})"
    except (OSError, IndexError):
        pass
    found["load"] = round(os.getloadavg()[0], 2)
    for package in ("numba", "scikit-learn", "vowpalwabbit", "river"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def as_text(result):
    """The figures as a Markdown page."""
    floor = result["floor_s"]
    lines = [
        "# Learners: speed",
        "",
        ", ".join(f"{key} {value}" for key, value in result["machine"].items()) + ".",
        "",
        f"One pass over {result['rows']:,} × {COLUMNS} float32, processor seconds on one core.",
        f"Floor: `X @ w` on the differences, {floor:.4f} s; pairs are two arrays, twice the floor.",
        "",
        "| learner | from differences | × floor | from pairs | × floor | pairs ordered rightly |",
        "|---|---|---|---|---|---|",
    ]
    for name, row in result["ours"].items():
        lines.append(
            f"| {name} | {row['differences_s']:.3f} s | {row['differences_over_floor']:.2f} "
            f"| {row['pairs_s']:.3f} s | {row['pairs_over_floor']:.2f} | {row['accuracy']:.4f} |"
        )
    lines += ["", "| peer | one pass | × opar1 from differences | how |", "|---|---|---|---|"]
    ours = result["ours"]["opar1"]["differences_s"]
    for name, row in result["peers"].items():
        if "missing" in row:
            lines.append(f"| {name} | | | {row['missing']} |")
            continue
        few = row.get("rows", result["rows"])
        how = "the same rows" if few == result["rows"] else f"extrapolated from {few:,} rows"
        lines.append(f"| {name} | {row['seconds']:.2f} s | {row['seconds'] / ours:.1f} | {how} |")
    lines += [
        "",
        f"One round of feedback: 50 judged, {result['round']['pairs']} pairs learned and the page "
        "scored again, in microseconds: "
        + ", ".join(f"{k} {v:.0f}" for k, v in result["round"]["microseconds"].items())
        + ".",
        "",
        "Linear `ranksvm`, ten queries, five grades: pairs grow with the square of the rows,",
        f"seconds with the power {result['ranksvm']['exponent']:.2f} (`learners-ranksvm.png`).",
        "",
        "| rows | pairs | seconds | Newton steps |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {p['rows']:,} | {p['pairs']:,} | {p['seconds']:.3f} | {p['newton_steps']} |"
        for p in result["ranksvm"]["points"]
    ]
    return "\n".join(lines) + "\n"


def plot(result, path):
    """Seconds of ranksvm against rows, both axes logarithmic."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    points = result["ranksvm"]["points"]
    rows = np.array([p["rows"] for p in points], float)
    seconds = np.array([p["seconds"] for p in points])
    figure, axes = pyplot.subplots(figsize=(6, 4), layout="constrained")
    exponent = result["ranksvm"]["exponent"]
    axes.loglog(rows, seconds, "o-", label=f"ranksvm, exponent {exponent:.2f}")
    line = rows * np.log(rows)
    axes.loglog(rows, seconds[-1] * line / line[-1], "--", color="grey", label="n log n")
    square = rows**2
    axes.loglog(rows, seconds[-1] * square / square[-1], ":", color="grey", label="n²")
    axes.set(xlabel="rows (ten queries, five grades)", ylabel="seconds to fit")
    axes.legend()
    figure.savefig(path, dpi=120)


def main():
    """Measure, print, and keep the figures where asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=3_000_000, help="pairs in the stream")
    parser.add_argument("--ranksvm-rows", type=int, default=200_000, help="rows of the largest fit")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    parser.add_argument("--save", type=Path, help="folder for learners.json, .md and the plot")
    options = parser.parse_args()

    place = about()
    hold_to_one_core()
    winners, losers, hidden = stream(options.rows)
    differences = winners - losers
    floor = best(lambda: differences @ hidden, 5)
    result = {
        "machine": place,
        "rows": options.rows,
        "floor_s": floor,
        "ours": measure_ours(winners, losers, differences, floor),
        "peers": measure_peers(differences),
        "round": measure_round(),
        "ranksvm": measure_ranksvm(options.ranksvm_rows),
    }
    print(json.dumps(result, indent=2) if options.json else as_text(result))
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
        (options.save / "learners.json").write_text(json.dumps(result, indent=2) + "\n")
        (options.save / "learners.md").write_text(as_text(result))
        plot(result, options.save / "learners-ranksvm.png")


if __name__ == "__main__":
    main()
