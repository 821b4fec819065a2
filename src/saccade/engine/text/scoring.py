"""How well every picture fits a text, in five columns that a score is made of.

    kinds    spread along the graph from the pictures that most probably show what a word names
    near     the same where kinds are only near the word
    names    files, folders, and names that somebody gave; and what is like those pictures
    colour   how much of it a picture shows
    taught   what near words and several people's marks speak for

Where nothing is named, the pictures to start from are chosen together with their surroundings: half
by what they show, half by the mean over their neighbours, two steps deep. One odd picture that
happens to fit a guess is left behind by that.

What was called wrong moves the start elsewhere: pictures that fit the words and are not like those.
A word has several meanings, and a guess may have been wrong; marks that say no more than that are
worth as much as others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from saccade.engine.sources.graph import GraphView
from saccade.engine.text.paths import PathWords
from saccade.engine.text.records import TextAsked
from saccade.indexes.graph import Graph
from saccade.indexes.spread import Sources, Spread, spread
from saccade.lexicon import Meaning, Term
from saccade.lexicon.evidence import FEWEST, MOST, Fit, KindTable, fit, seeds
from saccade.scale.processes import cores
from saccade.types import Scores

COLUMNS = ("kinds", "near", "names", "colour", "taught")
DIRECT = 0.13
"""What a picture's own probabilities add to what spreads to it."""
STARTS = 4.0, 2.0
"""What all the pictures that a text starts from count for together, where a query's picture has 1:
those that a word names, and those that it is a guess."""
AGAINST = 0.5
STEPS, SURROUNDINGS = 2, 0.8
LIKE_NAMED = 0.5
LINKS = 100_000
"""Followed at most from all seeds together: with more, pages of three sets were no better."""
_SHARE = 20_000  # rows for which another thread is worth it

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TextScores:
    """Columns of φ for one text, where it starts to spread, and the terms that mean something."""

    columns: Mapping[str, Scores]
    seeds: Sources
    reach: Spread | None  # what spreads from the seeds, where there are links
    understood: tuple[str, ...]  # how each term was: see `types.ReadTerm`
    expected: float  # how many pictures are looked for; 0 where nobody can tell


@dataclass(frozen=True, slots=True)
class Start:
    """Pictures to start from, and what spreads from them; None where nothing does."""

    sources: Sources
    reach: Spread | None

    def __add__(self, other: Start) -> Start:
        reaches = [one.reach for one in (self, other) if one.reach is not None]
        return Start(
            self.sources + other.sources,
            reaches[0] + reaches[1] if len(reaches) == 2 else next(iter(reaches), None),
        )


@dataclass(frozen=True, slots=True)
class Fitting:
    """What a text means among these pictures, whoever asks: the costly half of its search."""

    fit: Fit
    toward: Array  # [n] what speaks for each row, a guess with its surroundings


Keeping = Callable[[Callable[[], Fitting]], Fitting]
"""Gives what was made before, or has it made."""


def anew(make: Callable[[], Fitting]) -> Fitting:
    """Nothing is kept."""
    return make()


@dataclass(frozen=True, slots=True)
class Ground:
    """What a text is compared with: all that a collection knows of its pictures.

    A page's marks ask for the same text again and again: `fitting` may keep what it made.
    """

    alive: NDArray[np.bool_]
    row_of: Mapping[str, int]
    table: KindTable | None
    links: GraphView | None
    colour: Callable[[str], NDArray[np.uint8]] | None
    paths: PathWords
    pool: Executor | None = None
    fitting: Keeping = anew

    def scores(self, asked: TextAsked, marks: Sources | None = None) -> TextScores:
        """Every column; `marks` are pictures called right (+) and wrong (−) for this text."""
        meaning, size = asked.meaning, len(self.alive)
        fitting = _nothing(size)
        wanted = asked.only or COLUMNS
        if self.table is not None and {"kinds", "near"} & set(wanted):
            fitting = self.fitting(partial(self._fitting, meaning, self.table))
        fitness = fitting.fit
        begun = self._start(self._seeds(fitting, marks))
        shown = self._shown(fitness, begun)
        share = fitness.named.sum() / max(float(fitness.toward.sum()), 1e-12)
        called = [self._called(asked, t) if "names" in wanted else None for t in meaning.terms]
        names, matched = self._names(meaning, called)
        spoken = self._rows_of(asked.taught if "taught" in wanted else {})
        taught = self._start(_weighed(_balanced(spoken), STARTS[1]))
        nothing = np.broadcast_to(np.float32(0.0), (size,))  # takes no room
        columns = {
            "kinds": np.float32(share) * shown if share else nothing,
            "near": np.float32(1.0 - share) * shown if share < 1.0 else nothing,
            "names": nothing if names is None else names,
            "colour": self._colour(meaning.terms if "colour" in wanted else ()),
            "taught": self._taught_scores(spoken, taught) if len(spoken.rows) else nothing,
        }
        everything = begun + matched + taught
        return TextScores(
            {name: values.astype(np.float32, copy=False) for name, values in columns.items()},
            everything.sources,
            everything.reach,
            tuple(
                self._understood(wanted, term, own is not None)
                for term, own in zip(meaning.terms, called, strict=True)
            ),
            fitness.expected,
        )

    # -- what pictures show --------------------------------------------------------------------

    def _fitting(self, meaning: Meaning, table: KindTable) -> Fitting:
        """How well every row fits; where it is a guess, with its surroundings."""
        fitness = fit(meaning, table)
        toward = fitness.toward
        if not fitness.named.any() and toward.any() and self.links is not None:
            toward = self._with_surroundings(toward, self.links.graph)
        return Fitting(fitness, toward)

    def _seeds(self, fitting: Fitting, marks: Sources | None) -> Sources:
        """Pictures to start from, and pictures to stay away from."""
        fitness, toward = fitting.fit, fitting.toward
        guess = not fitness.named.any()
        if marks is not None and toward.any():
            toward = self._apart(toward, fitness.toward > 0.0, marks)
        rows, amounts = seeds(toward - fitness.against, self.alive, fitness.expected)
        start = _weighed(Sources(rows, amounts), STARTS[1] if guess else STARTS[0])
        sinks, _ = seeds(fitness.against - AGAINST, self.alive, float(MOST))
        if not len(sinks):
            return start
        # What is not meant never counts for more than what is.
        least = min(AGAINST, start.amounts.sum() / len(sinks))
        return start + Sources.of(sinks, -least)

    def _apart(self, toward: Array, fits: NDArray[np.bool_], marks: Sources) -> Array:
        """What fits and is not like what was called wrong; both in standard deviations."""
        likeness = _standard(self._likeness(self._start(marks)), self.alive)
        both = _standard(toward, self.alive) + likeness
        return np.where(fits & self.alive, both - both[self.alive].min(), 0.0)

    def _with_surroundings(self, values: Array, graph: Graph) -> Array:
        """Half of each row's own, half of its surroundings', both in standard deviations."""
        from saccade.kernels.neighbours import standard_sum, surroundings

        laid, share = graph.layout, np.float32(SURROUNDINGS)
        own = values.astype(np.float32)[laid.rows]
        around = own
        links = laid.offsets, laid.neighbours, laid.weights, laid.root
        cuts = np.linspace(0, len(own), 1 + min(cores(), len(own) // _SHARE + 1)).astype(int)
        for _ in range(STEPS):
            after = np.empty_like(own)
            step = partial(surroundings, *links, own, around, share, after)
            if self.pool is None:
                step(0, len(own))
            else:
                list(self.pool.map(step, cuts[:-1], cuts[1:]))
            around = after
        both = np.empty(len(values))
        standard_sum(values, around, laid.places, self.alive, both)
        return both

    def _shown(self, fitness: Fit, begun: Start) -> Scores:
        """What spreads from the seeds, and a little of what each picture shows itself."""
        direct = (fitness.toward - fitness.against).astype(np.float32)
        if self.links is None:
            return direct
        out = self._likeness(begun)
        out += np.float32(DIRECT) * direct
        out /= np.float32(1.0 + DIRECT)
        return out

    def _start(self, sources: Sources) -> Start:
        if self.links is None or not sources.amounts.any():
            return Start(sources, None)
        return Start(sources, spread(self.links.graph, sources, budget=LINKS))

    def _likeness(self, start: Start) -> Scores:
        """What spreads, on a scale of likeness, -1..1."""
        if start.reach is not None:
            return start.reach.likeness()
        out = np.zeros(len(self.alive), np.float32)
        out[start.sources.rows] = np.sign(start.sources.amounts)
        return out

    # -- names ---------------------------------------------------------------------------------

    def _names(
        self, meaning: Meaning, called: Sequence[Array | None]
    ) -> tuple[Array | None, Start]:
        """How far names speak for each row, and the rows that are called so."""
        nobody = Start(Sources.of([]), None)
        if all(own is None for own in called):
            return None, nobody
        out = np.zeros(len(self.alive))
        for term, own in zip(meaning.terms, called, strict=True):
            if own is not None:
                out += own / len(meaning.wanted) if term.wanted else -own
        rows = np.flatnonzero((out > 0.0) & self.alive)
        half = int(np.count_nonzero(self.alive)) // 2
        if not 0 < len(rows) <= min(MOST, max(FEWEST, half)):
            return out, nobody
        start = self._start(_weighed(Sources(rows, out[rows]), STARTS[0]))
        like = np.maximum(self._likeness(start), 0.0)
        return np.where(out != 0.0, out, LIKE_NAMED * like), start

    def _called(self, asked: TextAsked, term: Term) -> Array | None:
        """How well a name fits a term: that of a file or folder, or one that somebody gave."""
        there = self.paths.having(term)
        sources = self._rows_of(asked.named.get(term.text, {}))
        if not len(there) and not len(sources.rows):
            return None
        out = np.zeros(len(self.alive))
        out[there] = 1.0
        np.maximum.at(out, sources.rows, sources.amounts)
        return out

    def _taught_scores(self, spoken: Sources, taught: Start) -> Scores:
        """What people's marks for the word reach; of what they marked, nothing says more."""
        out = self._likeness(taught)
        out[spoken.rows] = np.sign(spoken.amounts)
        return out

    def _rows_of(self, images: Mapping[str, float]) -> Sources:
        by_row = {self.row_of[i]: amount for i, amount in images.items() if i in self.row_of}
        there = {row: amount for row, amount in by_row.items() if self.alive[row]}
        return Sources(np.array([*there], np.int64), np.array([*there.values()], np.float64))

    # -- colours -------------------------------------------------------------------------------

    def _colour(self, terms: tuple[Term, ...]) -> Scores:
        """How much of the colours wanted each row shows, less those that are not."""
        coloured = [term for term in terms if term.colour]
        if self.colour is None or not coloured:
            return np.broadcast_to(np.float32(0.0), (len(self.alive),))
        out = np.zeros(len(self.alive), np.float32)
        for term in coloured:
            sign = 1.0 if term.wanted else -1.0
            out += np.float32(sign / 255.0 / len(coloured)) * self.colour(term.colour)
        return out

    # -- what is known -------------------------------------------------------------------------

    def _understood(self, wanted: Sequence[str], term: Term, called: bool) -> str:
        """By what a term means anything here: the surest way first; nothing where by none."""
        seen = self.table is not None and bool({"kinds", "near"} & set(wanted))
        coloured = self.colour is not None and "colour" in wanted
        ways = {
            "kinds": seen and term.kinds,
            "colour": coloured and term.colour,
            "name": called,
            "near": seen and term.near,
        }
        return next((how for how, holds in ways.items() if holds), "")


def _nothing(size: int) -> Fitting:
    fitness = Fit.of((), (), (), size)
    return Fitting(fitness, fitness.toward)


def _weighed(sources: Sources, total: float) -> Sources:
    """With amounts that add up to this."""
    mass = float(np.abs(sources.amounts).sum())
    return Sources(sources.rows, sources.amounts * (total / mass)) if mass > 0.0 else sources


def _balanced(sources: Sources) -> Sources:
    """What is not meant never counts for more than what is."""
    wrong = sources.amounts < 0.0
    most = sources.amounts[~wrong].sum() / max(float(-sources.amounts[wrong].sum()), 1e-12)
    return Sources(sources.rows, np.where(wrong, min(1.0, most) * sources.amounts, sources.amounts))


def _standard(values: NDArray[np.floating], alive: NDArray[np.bool_]) -> Array:
    own = values if alive.all() else values[alive]
    return np.asarray((values - own.mean()) / max(float(own.std()), 1e-12), np.float64)
