"""The tutorial: clicks alone bring another engine to the order of a ranker that knew the truth."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import saccade
from saccade.testbed.measures import value

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "rerank-candidates.md"
COLOURS = (
    "red", "blue", "green", "black", "white", "brown", "grey", "pink", "yellow", "orange"
)  # fmt: skip
THINGS = (
    "shoes", "shirt", "hat", "coat", "bag", "scarf", "skirt", "belt", "socks", "gloves"
)  # fmt: skip
TEXTS = [f"{colour} OR {thing}" for colour, thing in product(COLOURS, THINGS)]


@pytest.fixture
def tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """What the block of the page defines, run as it is printed."""
    monkeypatch.chdir(tmp_path)
    (code,) = [
        block
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
        if "fts5" in block
    ]
    names: dict[str, object] = {}
    exec(compile(code, str(PAGE), "exec"), names)
    return names


def articles(rng: np.random.Generator) -> list[tuple[str, float, float]]:
    made = []
    for _ in range(500):
        more = rng.choice([*COLOURS, *THINGS, *(f"word{i}" for i in range(40))], 30)
        words = [rng.choice(COLOURS), rng.choice(THINGS), *more[: int(rng.integers(0, 30))]]
        title = " ".join(map(str, words))
        made.append((title, float(rng.integers(5, 200)), round(float(rng.random() * 5), 2)))
    return made


def grades(found: list[dict[str, object]], rng: np.random.Generator) -> np.ndarray:
    """What people want of a list: about it, well rated, cheap; a little chance."""

    def placed(name: str) -> np.ndarray:
        values = np.array([one["features"][name] for one in found])
        return (values - values.mean()) / (values.std() or 1.0)

    wish = placed("bm25") + 0.7 * placed("rating") - 0.5 * placed("price")
    wish = wish + 0.1 * rng.standard_normal(len(found))
    return (wish > np.quantile(wish, 0.7)).astype(int) + (wish > np.quantile(wish, 0.9))


def test_clicks_bring_a_search_to_the_offline_ranker(
    tutorial: dict[str, object], tmp_path: Path
) -> None:
    """On texts that nobody asked before, within .01 of the ranker that was given the truth."""
    find, show, tell = tutorial["find"], tutorial["show"], tutorial["tell"]
    rng, chance = np.random.default_rng(11), np.random.default_rng(12)
    shop = tutorial["open_shop"](articles(rng))
    asked = [TEXTS[i] for i in rng.permutation(len(TEXTS))]
    lists = {text: find(shop, text) for text in asked}
    wanted = {text: grades(found, rng) for text, found in lists.items()}
    train, test = asked[:56], asked[56:]
    names = ("bm25", "price", "rating", "length")

    def numbers(text: str) -> np.ndarray:
        rows = [[one["features"][name] for name in names] for one in lists[text]]
        values = np.array(rows, np.float64)
        return ((values - values.mean(0)) / np.maximum(values.std(0), 1e-9)).astype(np.float32)

    offline = saccade.rankers.make("ranksvm").fit(
        np.concatenate([numbers(text) for text in train]),
        np.concatenate([wanted[text] for text in train]),
        np.repeat(np.arange(len(train)), [len(lists[text]) for text in train]),
    )
    with saccade.Reranker(tmp_path / "taught.saccade") as reranker:
        for text in train:
            page = show(reranker, shop, text)
            grade = dict(zip([one["id"] for one in lists[text]], wanted[text], strict=True))
            chances = [(0.05, 0.5, 0.95)[grade[hit.id]] / (i + 1) for i, hit in enumerate(page)]
            clicks = [
                hit.id
                for _ in range(20)
                for hit, likely in zip(page, chances, strict=True)
                if chance.random() < likely
            ]
            tell(reranker, page, clicks)
        taught = []
        for text in test:
            order = [hit.id for hit in show(reranker, shop, text)]
            scores = [-order.index(one["id"]) for one in lists[text]]
            taught.append(value("ndcg@10", scores, wanted[text]))
    raw = [value("ndcg@10", -np.arange(len(lists[text])), wanted[text]) for text in test]
    best = [value("ndcg@10", offline.score(numbers(text)), wanted[text]) for text in test]
    assert np.mean(best) > np.mean(raw) + 0.1
    assert np.mean(taught) > np.mean(best) - 0.01
