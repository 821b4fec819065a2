"""What remembering costs at a given size, and where the numbers of its rule come from.

    python benchmarks/lasting.py [--images 100000] [--sessions 10000] [--repeats 60] [--json]
    python benchmarks/lasting.py --choose --data corel1k=FOLDER --data things30=FOLDER [--rules 40]
        [--stores FOLDER]
    python benchmarks/lasting.py --strangers --data osr=FOLDER [--invented 50] [--stores FOLDER]

Cost: a drawn store is taught so many sessions of twenty marks by one person, each about pictures
that lie close together. A search of somebody who taught nothing stands beside one of theirs; then
one more mark is taken in; then the evidence is written and read back. Times are by the clock and,
since machines are shared, by the processor: of all threads, and of the one that answers, which is
what the clock would show on a machine with a core to spare.

Choosing: labelled folders (`labels.csv` with file and class). Rules are drawn at random; one person
teaches 150 searches of twenty marks, truthfully, with a tenth and with three tenths wrong, over the
links of an indexed store; then one who likes everything, and one who in turn means the class and
one half of the classes. Other queries are ranked by the start, moved by what spreads along bent
links and by company along them, as the expert `remembered` does. A rule is good that gains most
with at most 3% of these worse by .01 when all is true, and 5% with a tenth wrong.

Strangers: two people answer 150 searches each truthfully; other queries are ranked for somebody who
taught nothing. Then, in a fresh copy of the store, one, two and many invented people all say the
same of three pictures: the ten best that are wrong are right, and the ten best that are right are
wrong; a stranger asks for these three.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter, process_time, thread_time
from typing import Any

import numpy as np

from drawn_store import build
from machine import machine
from saccade.choosers.guard import standard
from saccade.engine import Engine
from saccade.engine.events import Entry, Lesson, Reacted
from saccade.engine.learning.evidence import EvidenceFold
from saccade.engine.loop.experts.voices import own_bound
from saccade.engine.sources import graph as graphs
from saccade.features.marks import QUERY, spread_scores
from saccade.indexes import evidence
from saccade.indexes.company import of_spread
from saccade.indexes.evidence import Bent, Evidence, SessionRows, Sessions
from saccade.indexes.graph import Graph
from saccade.indexes.spread import Sources
from saccade.indexes.spread import spread as spreading
from saccade.testbed.measures import average_precision_of_ranking

NOTHING = Lesson((), (), (), np.zeros((0, 0), np.float32), np.zeros((0, 2), np.int32), False)
MARKS, JUDGED, SEARCHES = 20, 120, 150
WRONG = {"10% wrong": 0.1, "30% wrong": 0.3}
EVERYTHING, TWO = "likes everything", "two notions"
HOW = ("all true", *WRONG, EVERYTHING, TWO)
SAY = 0.85
"""Of `remembered` among the experts of a guard that is new, before anything is marked."""
NONE = np.zeros(0, np.int64)


# -- what it costs -----------------------------------------------------------------------------


Times = tuple[float, ...]  # milliseconds by the clock, of all threads, of the one that answers
CLOCKS = (perf_counter, process_time, thread_time)


def timed(function: Callable[[], Any]) -> Times:
    began = [clock() for clock in CLOCKS]
    function()
    return tuple(1e3 * (clock() - at) for clock, at in zip(CLOCKS, began, strict=True))


def spread(times: list[Times]) -> dict[str, float]:
    """Median and 95th percentile by the clock, medians by the processor, in milliseconds."""
    clock, processor, answering = np.array(times).T
    return {
        "p50_ms": float(np.median(clock)),
        "p95_ms": float(np.quantile(clock, 0.95)),
        "processor_ms": float(np.median(processor)),
        "answering_ms": float(np.median(answering)),
    }


def taught(engine: Engine, sessions: int, rng: np.random.Generator) -> list[Reacted]:
    """Sessions about pictures that lie close together, two thirds of the marks right."""
    collection = engine._opened.collection()
    view = graphs.of(collection)
    assert view is not None
    ids, out = collection.listing.ids, []
    for query in rng.integers(0, len(ids), sessions).tolist():
        near = spreading(view.graph, Sources.of([query]), budget=3000)
        best = near.rows[np.argsort(-near.values, kind="stable")][: MARKS + 1]
        shown = [ids[row] for row in best.tolist() if row != query][:MARKS]
        right = rng.random(len(shown)) < 0.67
        out.append(
            Reacted(
                tuple(i for i, yes in zip(shown, right, strict=True) if yes),
                tuple(i for i, yes in zip(shown, right, strict=True) if not yes),
                NOTHING,
                asked=(ids[query],),
            )
        )
    return out


def cost(place: Path, sessions: int, repeats: int) -> dict[str, Any]:
    untaught = place.with_name("untaught.saccade")
    shutil.copytree(place, untaught, copy_function=_link)
    engine, without = Engine(place), Engine(untaught)
    rng = np.random.default_rng(1)
    ids = [f"{i:032x}" for i in rng.integers(0, len(engine), 2 * repeats + 1)]
    learning = engine._opened.learning
    events = taught(engine, sessions + repeats + 1, rng)
    for first in range(0, sessions, 500):
        part = list(enumerate(events[first : min(first + 500, sessions)], first))
        learning.append_all(
            lambda writer, part=part: [
                writer.append(event, at=float(i), user="ana", session_id=f"session {i}")
                for i, event in part
            ]
        )
    collection = engine._opened.collection()
    learning.models.evidence.laid(collection)
    # In turn, so that what else the machine does slows all alike.
    turns = {"before": (without, "new"), "taught": (engine, "ana"), "stranger": (engine, "new")}
    times: dict[str, list[Times]] = {name: [] for name in turns}
    for query in ids:
        for name, (one, user) in turns.items():
            times[name].append(timed(partial(one.search, query, user=user, k=50)))
    before, after, stranger = (spread(times[name][1:]) for name in turns)
    without.close()
    more = iter(events[sessions:])
    number = iter(range(sessions, sessions + repeats + 1))

    def one_mark() -> None:
        """Fold one more event, and lay it beside the others for the next search."""
        models = learning.models.copy()
        at = next(number)
        models.apply(Entry(10**9 + at, float(at), "ana", f"session {at}", "", next(more)))
        models.evidence.laid(collection)

    one_mark()
    catching = spread([timed(one_mark) for _ in range(repeats)])
    began = perf_counter()
    body, arrays = learning.models.evidence.dump()
    written = io.BytesIO()
    np.savez(written, **arrays)
    dumping, size = perf_counter() - began, len(written.getvalue()) + len(json.dumps(body))
    began = perf_counter()
    again = EvidenceFold(engine.recipe)
    again.load(body, dict(np.load(io.BytesIO(written.getvalue()))))
    loading = perf_counter() - began
    again.laid(collection)
    laying = perf_counter() - began - loading
    engine.close()
    return {
        "search_before": before,
        "search_taught": after,
        "search_stranger": stranger,
        "taught_over_before_p50": after["p50_ms"] / before["p50_ms"],
        "taught_over_before_processor": after["processor_ms"] / before["processor_ms"],
        "taught_over_before_answering": after["answering_ms"] / before["answering_ms"],
        "one_mark": catching,
        "megabytes": size / 1e6,
        "write_s": dumping,
        "read_s": loading,
        "lay_s": laying,
    }


def _link(source: str, target: str) -> object:
    """Columns never change, so that two stores can share them."""
    return os.link(source, target) if "columns" in source else shutil.copy2(source, target)


# -- where the numbers come from ---------------------------------------------------------------


class Links:
    """The links of an indexed set and its labels."""

    def __init__(self, name: str, folder: Path, stores: Path) -> None:
        self.name = name
        with Engine(stores / f"{name}.saccade", warm=False) as engine:
            engine.add(folder / "images")
            collection = engine._opened.collection()
            view = graphs.of(collection)
            assert view is not None
            assert view.companies is not None
            self.graph: Graph = view.graph
            self.companies = view.companies
            paths = [collection.listing.first_path[row] for row in range(collection.rows)]
        rows = csv.DictReader((folder / "labels.csv").open())
        label = {Path(row["file"]).name: row["class"] for row in rows}
        self.labels = np.unique([label[Path(p).name] for p in paths], return_inverse=True)[1]
        self.halves = (2 * self.labels > self.labels.max()).astype(int)
        self.spreads = [spreading(self.graph, Sources.of([q])) for q in range(len(paths))]
        self._starts: dict[int, tuple[np.ndarray, ...]] = {}

    def start(self, query: int) -> tuple[np.ndarray, ...]:
        """The other rows; their scores without learning, and by what spreads."""
        if query not in self._starts:
            rows, reached = np.delete(np.arange(len(self.labels)), query), self.spreads[query]
            together = self.companies.likeness(self.companies.at(query), rows)
            start = standard(np.maximum(reached.likeness()[rows], 0.0) + together)
            self._starts[query] = rows, start, standard(_log(reached.dense()[rows]))
        return self._starts[query]

    def order(self, query: int, sessions: Sessions) -> np.ndarray:
        """Every picture but the query, as what was taught has it."""
        rows, scores, spread_before = self.start(query)
        told = self._told(query, sessions) if len(sessions) else None
        over = None if told is None else Bent.of(self.graph, told)
        if told is not None and over is not None:
            reached = spreading(self.graph, Sources.of([query]), over=over)
            before, now = self.companies.likeness_along(
                of_spread(self.spreads[query]), of_spread(reached), rows, self.graph, over,
                np.array([query]),
            )  # fmt: skip
            moved = standard(_log(reached.dense()[rows])) - spread_before
            moved += standard(now) - standard(before)
            most = own_bound(told.contradiction)
            scores = scores + SAY * np.clip(moved, -most, most)
        return rows[np.argsort(-scores, kind="stable")]

    def _told(self, query: int, sessions: Sessions) -> Evidence:
        reach = self.spreads[query].dense()
        near = sessions.closeness(reach, float(np.delete(reach, query).mean()))
        return Evidence.of(sessions, sessions.nearest(near, evidence.PAIRS))

    def played(self, how: str, seed: int = 5) -> tuple[float, float]:
        """What other queries gain by one person's searches, and the share of them that lose.

        Of who means two things, the notion that gains less.
        """
        rng = np.random.default_rng(seed)
        every = rng.permutation(len(self.labels))
        others, asked = every[:JUDGED].tolist(), np.resize(every[JUDGED:], SEARCHES).tolist()
        meant = (self.labels, self.halves) if how == TWO else (self.labels,)
        sessions: list[SessionRows] = []
        for number, query in enumerate(asked):
            page = self.order(query, Sessions.of(sessions))[:MARKS]
            labels = meant[number % len(meant)]
            right = (labels[page] == labels[query]) ^ (rng.random(len(page)) < WRONG.get(how, 0.0))
            right |= how == EVERYTHING
            sessions.append(SessionRows(np.array([query]), page[right], page[~right], NONE, NONE))
        orders = [(q, self.order(q, some)) for some in (Sessions.of([]), Sessions.of(sessions))
                  for q in others]  # fmt: skip
        out = []
        for labels in meant:
            found = [average_precision_of_ranking((labels[order] == labels[q]).astype(int))
                     for q, order in orders]  # fmt: skip
            start, after = np.split(np.array(found), 2)
            out.append((float((after - start).mean()), float((after < start - 0.01).mean())))
        return min(out)


def _log(reach: np.ndarray) -> np.ndarray:
    """What reached some rows, from a query that counts `QUERY`, as experts score it."""
    return spread_scores(QUERY * reach, np.zeros(len(reach)), likes=0, dislikes=0)


def choose(sets: list[Links], rules: int, seed: int = 1) -> list[dict[str, Any]]:
    """Rules drawn at random and the shipped one, the best first."""
    rng = np.random.default_rng(seed)
    names = ("LIKES", "CUT", "ADDED", "RISE", "QUIET", "SPREE", "TORN", "APART")
    grid = (
        (0.4, 0.8, 1.0), (2.0, 4.0), (0.5, 0.7, 1.0), (0.35, 0.7, 1.4),
        (0.0, 0.1), (10, 1000), (0.7, 0.8, 0.9), (0.25, 0.5, 1.0),
    )  # fmt: skip
    shipped = tuple(getattr(evidence, name) for name in names)
    drawn = [tuple(rng.choice(values).item() for values in grid) for _ in range(rules)]
    out = []
    for rule in [shipped, *drawn]:
        for name, value in zip(names, rule, strict=True):
            setattr(evidence, name, value)
        found = {(one.name, how): one.played(how) for one in sets for how in HOW}
        worse = [max(found[one.name, how][1] for one in sets) for how in HOW]
        gain = np.mean([found[one.name, how][0] for one in sets for how in HOW[:2]])
        out.append(
            {
                "rule": dict(zip(names, rule, strict=True)),
                "shipped": rule == shipped,
                "gain": float(gain),
                "worse": worse,
                "allowed": worse[0] <= 0.03 and worse[1] <= 0.05,
                "sets": {f"{n}, {how}": v for (n, how), v in found.items()},
            }
        )
    return sorted(out, key=lambda one: (not one["allowed"], -one["gain"]))


# -- what strangers get ------------------------------------------------------------------------


def strangers(
    name: str, folder: Path, stores: Path, invented: int, seed: int = 5
) -> dict[str, Any]:
    """What two honest people and many invented ones do to somebody who taught nothing."""
    links = Links(name, folder, stores)
    with Engine(stores / f"{name}.saccade", warm=False) as engine:
        ids = [record.image_id for record in engine.images(0, None)]
    label = dict(zip(ids, links.labels.tolist(), strict=True))
    every = np.random.default_rng(seed).permutation(ids).tolist()
    others, asked, targets = every[:60], every[60 : 60 + SEARCHES], every[-3:]

    def precision(engine: Engine, query: str) -> float:
        hits = engine.search(query, user="new", k=len(ids)).hits
        return average_precision_of_ranking([int(label[h.image_id] == label[query]) for h in hits])

    def first(engine: Engine, query: str) -> set[str]:
        return {hit.image_id for hit in engine.search(query, user="new", k=MARKS).hits}

    def react(engine: Engine, query: str, user: str, right: Callable[[str], bool]) -> None:
        page = engine.search(query, user=user, k=MARKS)
        shown = [hit.image_id for hit in page.hits]
        engine.react(
            page, liked=[i for i in shown if right(i)], disliked=[i for i in shown if not right(i)]
        )

    with _copy(stores / f"{name}.saccade") as engine:
        start = np.array([precision(engine, query) for query in others])
        for query in asked:
            for user in ("ana", "bob"):
                react(engine, query, user, lambda i, query=query: label[i] == label[query])
        after = np.array([precision(engine, query) for query in others])
    attacked = []
    with _copy(stores / f"{name}.saccade") as engine:
        pages = {query: first(engine, query) for query in targets}
        was = [precision(engine, query) for query in targets]
        for many in (1, 2, invented):
            for user in range(0 if many == 1 else 1 if many == 2 else 2, many):
                for query in targets:
                    page = engine.search(query, user=f"invented {user}", expert="plain", k=len(ids))
                    order = [hit.image_id for hit in page.hits]
                    wrong = [i for i in order if label[i] != label[query]][:10]
                    engine.react(
                        page,
                        liked=wrong,
                        disliked=[i for i in order if label[i] == label[query]][:10],
                    )
            attacked.append(
                {
                    "people": many,
                    "kept_of_20": [len(pages[q] & first(engine, q)) for q in targets],
                    "map_before": was,
                    "map_after": [precision(engine, query) for query in targets],
                }
            )
    honest = {
        "before": float(start.mean()),
        "after": float(after.mean()),
        "worse": float((after < start - 0.01).mean()),
    }
    return {"set": name, "honest": honest, "invented": attacked}


@contextmanager
def _copy(store: Path) -> Iterator[Engine]:
    """An engine on a copy of a store."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(shutil.copytree(store, Path(folder) / "copy.saccade"))
        with Engine(place, warm=False) as engine:
            yield engine


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=60)
    parser.add_argument("--choose", action="store_true", help="compare rules on labelled sets")
    parser.add_argument("--strangers", action="store_true", help="what others do to a stranger")
    parser.add_argument("--invented", type=int, default=50)
    parser.add_argument("--data", action="append", default=[], metavar="NAME=FOLDER")
    parser.add_argument("--rules", type=int, default=40, help="beside the one that ships")
    parser.add_argument("--stores", type=Path, help="where sets are indexed [a passing folder]")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs = [one.partition("=")[::2] for one in options.data]
        stores = options.stores or Path(folder)
        if options.strangers:
            found: dict[str, Any] = {
                **machine(),
                "strangers": [
                    strangers(name, Path(place).expanduser(), stores, options.invented)
                    for name, place in pairs
                ],
            }
        elif options.choose:
            sets = [Links(name, Path(place).expanduser(), stores) for name, place in pairs]
            found = {**machine(), "rules": choose(sets, options.rules)}
        else:
            place = Path(folder) / "bench.saccade"
            build(place, options.images)
            figures = cost(place, options.sessions, options.repeats)
            size = {"images": options.images, "sessions": options.sessions}
            found = {**machine(), **size, **figures}
    if options.json or options.strangers:
        print(json.dumps(found, indent=2))
    elif options.choose:
        for one in found["rules"]:
            worse = " ".join(f"{share:.1%}" for share in one["worse"])
            said = " ".join(f"{name} {value:g}" for name, value in one["rule"].items())
            print(f"{one['gain']:+.4f}  worse {worse}  {said}{'  shipped' * one['shipped']}")
            for name, (gain, share) in one["sets"].items():
                print(f"    {name:<28} {gain:+.4f}  {share:.1%} worse")
    else:
        for name in ("search_before", "search_taught", "search_stranger", "one_mark"):
            times = found[name]
            print(f"{name:<18} {times['p50_ms']:8.2f} ms {times['p95_ms']:8.2f} ms  (p50, p95), "
                  f"processor {times['processor_ms']:.2f} ms, "
                  f"{times['answering_ms']:.2f} of who answers")  # fmt: skip
        print(f"taught over before {found['taught_over_before_p50']:8.2f} ×, "
              f"processor {found['taught_over_before_processor']:.2f} ×, "
              f"of who answers {found['taught_over_before_answering']:.2f} ×")  # fmt: skip
        print(f"evidence           {found['megabytes']:8.2f} MB, read in {found['read_s']:.2f} s, "
              f"laid by row in {found['lay_s']:.2f} s")  # fmt: skip


if __name__ == "__main__":
    main()
