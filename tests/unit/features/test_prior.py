from __future__ import annotations

import pytest

from saccade.features.prior import ALONE, SHARES, rooted, shares, start
from saccade.types import Scheme

KINDS = {
    "color-moments": "colour",
    "lbp": "texture",
    "gist": "shape",
    "embedding": "embedding",
    "words": "words",
}


def schemes(*texts: str) -> list[Scheme]:
    return [Scheme.parse(text) for text in texts]


def test_an_embedding_leads_the_links() -> None:
    """The embedding has 1, others what the table says; what it does not name has no share."""
    found = shares(KINDS)
    assert found == {"embedding": 1.0, "gist": SHARES["gist"]}
    assert found["embedding"] > sum(SHARES.values())


def test_several_encoders_share_the_lead() -> None:
    """Two embeddings have one share together, whatever they are called."""
    found = shares({**KINDS, "embedding@clip.onnx": "embedding"})
    assert found["embedding"] == found["embedding@clip.onnx"] == 0.5


def test_without_an_embedding_hand_made_descriptors_link() -> None:
    """They have a table of their own; words never link by themselves."""
    found = shares({name: kind for name, kind in KINDS.items() if kind != "embedding"})
    assert found == {name: ALONE[name] for name in ("color-moments", "lbp", "gist")}
    assert shares({"mine": "texture", "words": "words"}).keys() == {"mine"}
    assert shares({"words": "words"}) == {}


def test_hand_made_descriptors_count_by_their_roots() -> None:
    """Learned ones as they are."""
    assert "embedding" not in rooted(KINDS)
    assert {"gist", "lbp"} <= set(rooted(KINDS))


def test_a_search_starts_from_spread_company_and_standout() -> None:
    """Nothing else has a weight, and weights average 1."""
    found = start(
        schemes(
            "gist:l1",
            "embedding:cosine",
            "embedding:spread",
            "embedding:company",
            "words:cosine",
            "words:standout",
        ),
        KINDS,
    )
    assert sum(found.values()) == pytest.approx(6.0)
    assert {name for name, weight in found.items() if weight} == {
        "embedding:spread",
        "embedding:company",
        "words:standout",
    }


def test_without_a_graph_the_cosines_of_the_links_start() -> None:
    """The same shares, over cosines."""
    found = start(
        schemes("gist:cosine", "gist:l1", "embedding:cosine", "lbp:cosine", "words:standout"), KINDS
    )
    assert found["embedding:cosine"] == pytest.approx(found["gist:cosine"] / SHARES["gist"])
    assert found["gist:l1"] == found["lbp:cosine"] == 0.0
    assert found["words:standout"] == pytest.approx(0.6 * found["embedding:cosine"])


def test_schemes_that_no_table_weighs_count_alike() -> None:
    """Someone who asks for two schemes by name hears both."""
    assert start(schemes("lbp:l1", "words:l2"), KINDS) == {"lbp:l1": 1.0, "words:l2": 1.0}
