"""The page of figures: what the benchmarks kept in results/, in one table each question.

    python docs/performance.py        prints it

The site has it as *Performance*, made while it is built, so that it never tells of yesterday. A
figure is read from results/NAME.json; one that is not there is an error that names the file.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results"

HEAD = """# Performance

Read from [results](../results/README.md) when this site was built. *Measured* is the commit whose
code ran, and its day. Most were taken on two shared cores: read the ratios, which come from one
run, before the milliseconds. [Benchmarks](benchmarks.md) says how each is run: nearly all need no
data but what they draw.
"""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row: what, from which file, and how it reads."""

    what: str
    name: str
    read: Callable[[Any], str]
    part: str = ""
    """The part of the file that names the commit, where parts were measured apart."""


def _pair(spread: Mapping[str, float]) -> str:
    return f"{spread['p50_ms']:.0f} / {spread['p95_ms']:.0f} ms"


def _served(load: str, processes: int, clients: int) -> Callable[[Any], str]:
    def read(found: Any) -> str:
        (row,) = [
            one
            for one in found["rows"]
            if (one["load"], one["processes"], one["clients"]) == (load, processes, clients)
        ]
        return f"{row['a second']:.0f} a second, p95 {row['p95 ms']:.0f} ms"

    return read


def _start(found: Any) -> str:
    single = max(value for name, value in found["map"].items() if ":" in name)
    return f"mAP {found['map']['the start']:.3f}; best single scheme {single:.3f}"


def _over(found: Any, learner: str, peer: str) -> str:
    return f"{found['peers'][peer]['seconds'] / found['ours'][learner]['differences_s']:.0f} ×"


SECTIONS: dict[str, tuple[Figure, ...]] = {
    "What a person feels, at 100,000 pictures": (
        Figure("a search, p50 / p95", "search", lambda f: _pair(f["search"])),
        Figure(
            "p95 of a search against reading all dense columns once",
            "search",
            lambda f: f"{f['search']['p95_ms'] / f['stream_same_bytes_ms']:.2f} ×",
        ),
        Figure(
            "ten more marks: learned, logged, every expert asked, ranked anew, p50 / p95",
            "search",
            lambda f: _pair(f["feedback_ten_judged"]),
        ),
        Figure(
            "first and second search after a start",
            "search",
            lambda f: f"{f['first_search_ms']:.0f}, {f['second_search_ms']:.0f} ms",
        ),
        Figure(
            "typed words against a search by picture, p50 of ten texts",
            "text",
            lambda f: f"{f['ratio_p50']:.2f} ×",
        ),
        Figure(
            "a part of a picture against a whole, processor time",
            "parts",
            lambda f: "{:.2f} ×".format(
                f["size"]["default recipe"]["a part"]["cpu_p50_ms"]
                / f["size"]["default recipe"]["the whole"]["cpu_p50_ms"]
            ),
        ),
        Figure(
            "counting folders, months, cameras, shapes and tags, processor time",
            "narrowing",
            lambda f: f"{f['facets']['everything']:.1f} ms",
        ),
        Figure(
            "the slowest of the page's first requests, p95 of processor time",
            "page",
            lambda f: f"{max(row['p95 ms'] for row in f['rows']):.0f} ms",
        ),
    ),
    "Served, at 10,000 pictures, the client on the same two cores": (
        Figure("searches: one process, one client", "service", _served("search", 1, 1)),
        Figure("searches: one process, 8 clients", "service", _served("search", 1, 8)),
        Figure("searches: two processes, 8 clients", "service", _served("search", 2, 8)),
        Figure(
            "lists of 100 candidates in a taught order: two processes, 8 clients",
            "service",
            _served("rerank-100", 2, 8),
        ),
    ),
    "Indexing and opening": (
        Figure(
            "pictures of 640 px, every default descriptor, two workers",
            "indexing",
            lambda f: f"{f['images_per_second']:.0f} a second",
        ),
        Figure("its largest process", "indexing", lambda f: f"{f['peak_memory_mib']:.0f} MiB"),
        Figure(
            "the neighbour graph of 100,000",
            "graph",
            lambda f: f"{f['large']['images_a_second']:,.0f} a second",
        ),
        Figure(
            "one spread over a million pictures, p50 / p95",
            "graph-1m",
            lambda f: "{p50_ms:.1f} / {p95_ms:.1f} ms".format(**f["large"]["spread"]),
        ),
        Figure(
            "opening a store of 2,686, every file verified",
            "opening",
            lambda f: f"{f['open']:.1f} s",
        ),
    ),
    "How good the ranking is before anybody taught it": (
        Figure("Corel-1K, every picture asked", "schemes-corel1k", _start),
        Figure("OSR", "schemes-osr", _start),
        Figure("PubFig", "schemes-pubfig", _start),
        Figure(
            "book covers: the right one of 540 comes first",
            "covers",
            lambda f: f"{f['engine'][0]['first']:.3f}",
        ),
        Figure(
            "a thing pasted into a scene, P@20 by a box around it (by the whole scene)",
            "parts",
            lambda f: "{:.3f} ({:.3f})".format(
                f["search"]["things"]["p20"]["a box"],
                f["search"]["things"]["p20"]["the whole scene"],
            ),
            "search",
        ),
    ),
    "Learners: one pass over 3 million pairs of 36 features, one core": (
        Figure(
            "`opar1` against `X @ w` on the same rows",
            "learners",
            lambda f: f"{f['ours']['opar1']['differences_over_floor']:.1f} ×",
        ),
        Figure(
            "scikit-learn's SGDClassifier against `opar1`",
            "learners",
            lambda f: _over(f, "opar1", "scikit-learn SGDClassifier"),
        ),
        Figure(
            "Vowpal Wabbit against `opar1`",
            "learners",
            lambda f: _over(f, "opar1", "Vowpal Wabbit"),
        ),
        Figure(
            "river's PAClassifier against `opar1`",
            "learners",
            lambda f: _over(f, "opar1", "river PAClassifier"),
        ),
    ),
    "Attacked": (
        Figure(
            "cuts of power after which anything acknowledged was lost",
            "reliability",
            lambda f: f"{len(f['cuts of power']['wrong'])} of {f['cuts of power']['cuts']:,}",
            "cuts of power",
        ),
        Figure(
            "mutated pictures that did harm",
            "reliability",
            lambda f: (
                f"{len(f['mutated pictures']['wrong'])} of {f['mutated pictures']['count']:,}"
            ),
            "mutated pictures",
        ),
        Figure(
            "trials of damage to a store's files that ended badly",
            "reliability",
            lambda f: f"{len(f['damage']['wrong'])} of {f['damage']['trials']:,}",
            "damage",
        ),
    ),
}


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for title, figures in SECTIONS.items():
        parts.append(f"## {title}\n\n| what | figure | measured |\n|---|---|---|")
        parts += [row(figure) for figure in figures]
        parts.append("")
    return "\n".join(parts)


def row(figure: Figure) -> str:
    """One figure with its page, its commit and its day."""
    found = results(figure.name)
    try:
        value = figure.read(found)
    except (KeyError, ValueError) as error:
        raise SystemExit(f"results/{figure.name}.json: no {error} for {figure.what!r}") from error
    commit = commit_of(found, figure.part)
    told = figure.name.removesuffix("-1m")
    return (
        f"| {figure.what} | {value} | [{' '.join([*day(commit), commit])}](../results/{told}.md) |"
    )


def commit_of(found: Mapping[str, Any], part: str) -> str:
    """The commit that a file names for one of its parts, or for the whole."""
    if part in found.get("commits", ()):
        return str(found["commits"][part])
    where = found[part] if part else found
    return str((where["machine"] if isinstance(where["machine"], dict) else where)["commit"])


@cache
def results(name: str) -> dict[str, Any]:
    """What a benchmark kept."""
    read: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    return read


@cache
def day(commit: str) -> tuple[str, ...]:
    """The day of a commit; nothing where there is no history."""
    told = subprocess.run(
        ["git", "-C", str(ROOT), "show", "-s", "--format=%cs", commit],
        capture_output=True,
        text=True,
        check=False,
    )
    return (told.stdout.strip(),) if told.returncode == 0 else ()


if __name__ == "__main__":
    print(page())
