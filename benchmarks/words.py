"""What does a query of visual words cost? The inverted file against scipy, one query at a time, on
the same bags, with the same answers.

    python benchmarks/words.py [--images 100000] [--words 300] [--vocabulary 1000000] [--json]

Words are drawn uniformly or, with --skew s, with weights rank^-s: uniform words are the kindest to
everyone, skewed ones make the common words' postings long. scipy gets the layout that suits it
best: a word-by-image CSR matrix and a sparse query. They take turns of fifty queries, so that both
meet the same machine.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse

from saccade.words.inverted import InvertedFile
from saccade.words.weighting import Comparison

K = 10
BLOCK = 50  # queries that one takes before the next has its turn


@dataclass
class Bags:
    """Bags of one piece of the collection, as the inverted file takes them."""

    offsets: np.ndarray
    words: np.ndarray
    counts: np.ndarray

    def __getitem__(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        part = slice(self.offsets[number], self.offsets[number + 1])
        return self.words[part], self.counts[part]


def draw(images: int, words: int, vocabulary: int, skew: float, rng: np.random.Generator) -> Bags:
    """Bags of `words` words, less those drawn twice; counts are geometric, 1.25 on average."""
    if skew:
        edges = np.cumsum(np.arange(1, vocabulary + 1, dtype=np.float64) ** -skew)
        drawn = np.searchsorted(edges, rng.random((images, words)) * edges[-1])
        ids = rng.permutation(vocabulary).astype(np.int32)[drawn]
    else:
        ids = rng.integers(0, vocabulary, (images, words), dtype=np.int32)
    ids.sort(axis=1)
    keep = np.ones(ids.shape, bool)
    keep[:, 1:] = ids[:, 1:] != ids[:, :-1]
    offsets = np.concatenate([[0], np.cumsum(keep.sum(1))])
    flat = ids[keep]
    return Bags(offsets, flat, rng.geometric(0.8, len(flat)).astype(np.int32))


class Ours:
    """The inverted file."""

    def __init__(self, file: InvertedFile, model: Any) -> None:
        self.file, self.model = file, model

    def __call__(self, words: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows and scores of the best."""
        return self.file.search(words, counts, K, self.model)


class Scipy:
    """Cosine of tf-idf weights by sparse matrix product."""

    def __init__(self, file: InvertedFile, postings: Postings) -> None:
        self.idf = file.view.idf.astype(np.float32)
        weights = self.idf[postings.word_of_posting()] * postings.counts
        norms = np.sqrt(np.bincount(postings.images, np.square(weights)))
        weights /= norms[postings.images]
        shape = (file.vocabulary, len(file))
        edges = postings.edges.astype(
            np.int32
        )  # of the images' type: else scipy copies all, always
        self.matrix = scipy.sparse.csr_matrix(
            (weights.astype(np.float32), postings.images, edges), shape, copy=False
        )

    def __call__(self, words: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows and scores of the best."""
        weights = self.idf[words] * counts.astype(np.float32)
        weights /= np.sqrt(weights @ weights)
        shape = (1, self.matrix.shape[0])
        query = scipy.sparse.csr_matrix((weights, words, [0, len(words)]), shape)
        product = query @ self.matrix
        best = np.argpartition(product.data, -K)[-K:] if product.nnz > K else np.arange(product.nnz)
        best = best[np.argsort(-product.data[best], kind="stable")]
        return product.indices[best], product.data[best]


class Postings:
    """The file's postings unpacked, word by word: the layout that scipy wants."""

    def __init__(self, file: InvertedFile) -> None:
        segment = file.view.segments[0]
        self.images = (segment.lists.packed >> 4).astype(np.int32)
        self.counts = (segment.lists.packed & 15).astype(np.float32)
        self.counts[segment.lists.large[:, 0]] = segment.lists.large[:, 1]
        frequency = file.view.frequency
        self.frequency = frequency
        self.edges = np.concatenate([[0], np.cumsum(frequency)]).astype(np.int64)

    def word_of_posting(self) -> np.ndarray:
        """The word that each posting belongs to."""
        return np.repeat(np.arange(len(self.frequency), dtype=np.int32), self.frequency)


def same(first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray]) -> bool:
    """Same scores, and the same images wherever no tie leaves a choice."""
    if not np.allclose(first[1], second[1], rtol=1e-4, atol=1e-5):
        return False
    clear = np.abs(np.diff(first[1])) > 1e-4 * first[1][0]
    for place in range(len(first[0])):
        before = place == 0 or clear[place - 1]
        after = place + 1 < len(first[0]) and clear[place]
        if before and after and first[0][place] != second[0][place]:
            return False
    return True


def race(runners: dict[str, Any], queries: list[Any]) -> dict[str, dict[str, float]]:
    """Median and 95th percentile of the time of one query, the runners taking turns.

    Processor time of all threads: what another process takes is no one's fault.
    """
    seconds: dict[str, list[float]] = {name: [] for name in runners}
    for query in queries[:3]:
        for runner in runners.values():
            runner(*query)
    for first in range(0, len(queries), BLOCK):
        for place, (name, runner) in enumerate(runners.items()):
            for number in range(first, min(first + BLOCK, len(queries))):
                # Another part of the queries for each: nobody finds postings warm from the others.
                query = queries[(number + place * BLOCK) % len(queries)]
                began = time.process_time()
                runner(*query)
                seconds[name].append(time.process_time() - began)
    return {
        name: {
            "median_ms": 1e3 * float(np.median(taken)),
            "p95_ms": 1e3 * float(np.quantile(taken, 0.95)),
            "queries_per_second": 1 / float(np.median(taken)),
        }
        for name, taken in seconds.items()
    }


def resident_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def build(options: argparse.Namespace) -> tuple[InvertedFile, list[Any], dict[str, float]]:
    """The collection in pieces of at most 100,000 images, then merged."""
    rng = np.random.default_rng(options.seed)
    file, queries, seconds = InvertedFile(options.vocabulary), [], 0.0
    for first in range(0, options.images, 100_000):
        size = min(100_000, options.images - first)
        bags = draw(size, options.words, options.vocabulary, options.skew, rng)
        if first == 0:
            picked = rng.integers(0, size, options.queries)
            queries = [tuple(part.copy() for part in bags[number]) for number in picked]
        began = time.perf_counter()
        file.add(np.arange(first, first + size), bags.offsets, bags.words, bags.counts)
        seconds += time.perf_counter() - began
    began = time.perf_counter()
    file.merge()
    merging = time.perf_counter() - began
    postings = len(file.view.segments[0].lists.packed)
    return (
        file,
        queries,
        {
            "postings": postings,
            "add_seconds": seconds,
            "merge_seconds": merging,
            "file_bytes": file.nbytes,
            "bytes_per_posting": file.nbytes / postings,
            "resident_bytes": resident_bytes(),
        },
    )


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Everything, as one record."""
    file, queries, report = build(options)
    ours, scipys = Ours(file, Comparison()), Scipy(file, Postings(file))
    times = race({"saccade cosine": ours, "scipy cosine": scipys}, queries)
    agree = [same(ours(*query), scipys(*query)) for query in queries]
    medians = {name: row["median_ms"] for name, row in times.items()}
    times["scipy cosine"] |= {
        "ours_is_faster_by": medians["scipy cosine"] / medians["saccade cosine"],
        "same_results": sum(agree) / len(agree),
    }
    for way in ("binary,l1,l1", "none,l1,l1", "none,l2,l2", "tf-idf,l1,chi2"):
        times |= race({f"saccade {way}": Ours(file, Comparison.parse(way))}, queries)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    return {
        "benchmark": "words",
        "machine": f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
        "commit": commit,
        "threads": 1,
        "images": options.images,
        "words_per_image": options.words,
        "vocabulary": options.vocabulary,
        "skew": options.skew,
        **report,
        "query": times,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=300)
    parser.add_argument("--vocabulary", type=int, default=1_000_000)
    parser.add_argument("--skew", type=float, default=0.0)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = measure(options)
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for name, value in report.items():
        if name != "query":
            print(f"{name:24} {value}")
    for name, row in report["query"].items():
        shown = "  ".join(f"{key} {value:.3g}" for key, value in row.items())
        print(f"{name:24} {shown}")


if __name__ == "__main__":
    main()
