from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade.errors import InvalidInput, NotFound
from saccade.kernels import clusters
from saccade.words import akm, cells, hkm, sizing, training
from saccade.words.cells import Cells
from saccade.words.training import TrainingProgress
from saccade.words.vocabulary import Vocabulary, bag, recall

KINDS = ("akm", "hkm")


def clustered(clusters: int = 40, each: int = 30, seed: int = 0) -> NDArray[np.uint8]:
    """Descriptors in tight groups far from each other, group by group."""
    rng = np.random.default_rng(seed)
    centres = rng.integers(20, 236, (clusters, 1, 128))
    members = centres + rng.integers(-3, 4, (clusters, each, 128))
    return members.reshape(-1, 128).astype(np.uint8)


@cache
def ready(kind: str) -> Vocabulary:
    """A vocabulary for the tests that only read it."""
    return trained(kind, clustered())


def trained(kind: str, descriptors: NDArray[np.uint8], **options: object) -> Vocabulary:
    if kind == "akm":
        return akm.train(descriptors, 64, **options)  # type: ignore[arg-type]
    return hkm.train(descriptors, branching=4, depth=3, **options)  # type: ignore[arg-type]


class KilledError(Exception):
    """What a test raises to stop a training in the middle."""


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_is_one_of_the_vocabulary(kind):
    """Words are int32, one a descriptor, from 0 to size - 1."""
    descriptors = clustered()
    vocabulary = trained(kind, descriptors)
    words = vocabulary.assign(descriptors)
    assert words.dtype == np.int32
    assert words.shape == (len(descriptors),)
    assert words.min() >= 0
    assert words.max() < vocabulary.size <= 64


@pytest.mark.parametrize("kind", KINDS)
def test_groups_far_apart_share_no_word(kind):
    """With words to spare, descriptors of different groups get different words."""
    words = trained(kind, clustered(clusters=8)).assign(clustered(clusters=8)).reshape(8, -1)
    assert all(not set(words[i]) & set(words[j]) for i in range(8) for j in range(i))


@pytest.mark.parametrize("kind", KINDS)
def test_a_centroid_is_its_own_word(kind):
    """The centre of a flat word is assigned to it; a tree may take another turn, but rarely."""
    vocabulary = ready(kind)
    own = vocabulary.assign(vocabulary.centroids) == np.arange(vocabulary.size)
    assert own.mean() > 0.8


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_vocabulary(kind):
    """Training is a function of the descriptors, the options and the seed."""
    assert trained(kind, clustered(), seed=5).digest == trained(kind, clustered(), seed=5).digest
    assert trained(kind, clustered(), seed=5).digest != trained(kind, clustered(), seed=6).digest


@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_threads_changes_no_bit(kind, monkeypatch):
    """Sums and distances are whole numbers, so their order cannot matter."""
    monkeypatch.setattr(cells, "BLOCK", 100)
    digests = set()
    for threads in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda threads=threads: threads)
        digests.add(trained(kind, clustered()).digest)
    assert len(digests) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_one_descriptor_at_a_time_gives_the_same_words(kind):
    """The word of a descriptor does not depend on its neighbours in the call."""
    vocabulary = ready(kind)
    some = clustered()[::97]
    one_by_one = np.concatenate([vocabulary.assign(row[None]) for row in some])
    assert np.array_equal(one_by_one, vocabulary.assign(some))


@pytest.mark.parametrize("kind", KINDS)
def test_no_descriptors_have_no_words(kind):
    """A blank image has an empty bag."""
    words = ready(kind).assign(np.zeros((0, 128), np.uint8))
    assert words.shape == (0,)
    assert words.dtype == np.int32


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_vocabulary_comes_back_the_same(kind, tmp_path):
    """A vocabulary read from its file has the digest, the spec and the words of the one saved."""
    vocabulary = ready(kind)
    vocabulary.save(tmp_path / "words.vocabulary")
    back = Vocabulary.load(tmp_path / "words.vocabulary")
    assert back.digest == vocabulary.digest
    assert back.spec == vocabulary.spec
    assert np.array_equal(back.assign(clustered(seed=9)), vocabulary.assign(clustered(seed=9)))


@pytest.mark.parametrize("where", [0.02, 0.3, 0.6])
def test_a_changed_byte_is_noticed(where, tmp_path):
    """A file whose values were altered is refused."""
    vocabulary = ready("akm")
    file = tmp_path / "words.vocabulary"
    vocabulary.save(file)
    data = bytearray(file.read_bytes())
    data[int(where * len(data))] ^= 0xFF
    file.write_bytes(data)
    with pytest.raises(InvalidInput, match="damaged"):
        Vocabulary.load(file)


@pytest.mark.parametrize("kind", KINDS)
def test_any_flipped_byte_is_refused_or_harmless(kind, tmp_path):
    """Whatever a reader of archives stumbles over, the answer is one error or the same words."""
    vocabulary = ready(kind)
    file = tmp_path / "words.vocabulary"
    vocabulary.save(file)
    data = file.read_bytes()
    refused = 0
    for place in range(0, len(data), max(1, len(data) // 150)):
        file.write_bytes(data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :])
        try:
            same = Vocabulary.load(file).digest == vocabulary.digest
        except InvalidInput:
            refused += 1
        else:
            assert same, place
    assert refused > 100


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [("akm", "cell", 10**6), ("akm", "cell", -1), ("hkm", "child", 10**6), ("hkm", "child", 0)],
)
def test_arrays_that_lead_nowhere_are_refused(kind, name, value, tmp_path):
    """A file with a true digest and numbers that point outside does not reach compiled code."""
    arrays = {key: np.array(array) for key, array in ready(kind).arrays.items()}
    arrays[name][0] = value
    Vocabulary(kind, arrays, ready(kind).spec).save(tmp_path / "words.vocabulary")
    with pytest.raises(InvalidInput, match="damaged"):
        Vocabulary.load(tmp_path / "words.vocabulary")


def test_a_changed_centroid_is_refused(tmp_path):
    """The digest in the file's head is held against what the file holds."""
    vocabulary = ready("akm")
    file = tmp_path / "words.vocabulary"
    vocabulary.save(file)
    head, arrays = training.read(file)
    arrays["centroids"][0, 0] ^= 1
    training.write(file, head, arrays)
    with pytest.raises(InvalidInput, match="damaged"):
        Vocabulary.load(file)


@pytest.mark.parametrize("content", [b"", b"not a vocabulary", b"PK\x03\x04 cut short"])
def test_a_file_that_is_no_vocabulary_is_refused(content, tmp_path):
    """Any other file gives a clear error."""
    file = tmp_path / "words.vocabulary"
    file.write_bytes(content)
    with pytest.raises(InvalidInput, match="no vocabulary, or a damaged one"):
        Vocabulary.load(file)


def test_a_bare_array_is_no_vocabulary(tmp_path):
    """A .npy file is an array, not a vocabulary."""
    file = tmp_path / "words.npy"
    np.save(file, np.zeros(3))
    with pytest.raises(InvalidInput, match="no vocabulary, or a damaged one"):
        Vocabulary.load(file)


def test_a_missing_file_is_named(tmp_path):
    """The error says which file was looked for."""
    with pytest.raises(NotFound, match="absent"):
        Vocabulary.load(tmp_path / "absent")


def test_a_vocabulary_for_other_features_is_refused(tmp_path):
    """Words of another kind of local features would mean nothing."""
    vocabulary = ready("akm")
    other = Vocabulary("akm", vocabulary.arrays, {**vocabulary.spec, "features": "surf-3"})
    other.save(tmp_path / "words.vocabulary")
    with pytest.raises(InvalidInput, match="surf-3"):
        Vocabulary.load(tmp_path / "words.vocabulary")


def test_fewer_descriptors_than_words_are_refused():
    """The message says how many words there could be."""
    with pytest.raises(InvalidInput, match="at most 1,200 words"):
        akm.train(clustered(), 2_000)


@pytest.mark.parametrize("size", [0, -1, 1_000_001])
def test_a_size_out_of_range_is_refused(size):
    """A vocabulary has 1 to a million words."""
    with pytest.raises(InvalidInput, match="1 to 1,000,000"):
        akm.train(clustered(), size)


@pytest.mark.parametrize(("branching", "depth"), [(1, 3), (10, 0), (10, 7)])
def test_a_tree_out_of_range_is_refused(branching, depth):
    """A tree branches at least two ways, has a level, and at most a million leaves."""
    with pytest.raises(InvalidInput, match="at most 1,000,000 leaves"):
        hkm.train(clustered(), branching=branching, depth=depth)


def test_a_tree_needs_as_many_descriptors_as_branches():
    """Nine descriptors cannot be split ten ways."""
    with pytest.raises(InvalidInput, match="too few"):
        hkm.train(clustered()[:9], branching=10, depth=2)


def test_a_tree_of_equal_descriptors_is_refused():
    """Nothing tells them apart."""
    with pytest.raises(InvalidInput, match="the same"):
        hkm.train(np.full((50, 128), 7, np.uint8), branching=4, depth=2)


def test_equal_descriptors_make_a_flat_vocabulary_all_the_same():
    """Centroids without members are drawn again, and every descriptor still gets a word."""
    descriptors = np.full((50, 128), 7, np.uint8)
    assert set(akm.train(descriptors, 8).assign(descriptors).tolist()) <= set(range(8))


def test_a_centroid_without_members_moves_until_it_finds_some():
    """Eight kinds of equal descriptors and eight words: in the end each kind has its own.

    Drawn at random, the first centroids are never all different; the nearest of equal ones gets
    everything, and the others would stay empty for ever.
    """
    kinds = np.repeat(clustered(clusters=8, each=1), 30, axis=0)
    begun = akm.train(kinds, 8, iterations=0).centroids
    assert len(np.unique(begun, axis=0)) < 8
    assert len(np.unique(akm.train(kinds, 8, iterations=40).centroids, axis=0)) == 8


@pytest.mark.parametrize(
    "descriptors", [np.zeros((5, 128), np.float32), np.zeros((5, 64), np.uint8), np.zeros(128)]
)
def test_other_arrays_than_descriptors_are_refused(descriptors):
    """The message says what descriptors look like."""
    with pytest.raises(InvalidInput, match=r"uint8 \[n, 128\]"):
        akm.train(descriptors, 2)
    with pytest.raises(InvalidInput, match=r"uint8 \[n, 128\]"):
        ready("akm").assign(descriptors)


@pytest.mark.parametrize("kind", KINDS)
def test_a_killed_training_goes_on_where_it_was(kind, tmp_path):
    """Killed after its first step, the next run skips that step and ends with the same words."""
    steps: list[float] = []

    def kill(progress: TrainingProgress) -> None:
        if progress.done > 0.4:
            raise KilledError

    with pytest.raises(KilledError):
        trained(kind, clustered(), work=tmp_path, report=kill)
    assert list(tmp_path.iterdir())
    resumed = trained(kind, clustered(), work=tmp_path, report=lambda at: steps.append(at.done))
    assert steps[0] > 0.1
    assert resumed.digest == ready(kind).digest
    assert not list(tmp_path.iterdir())


def test_the_state_of_another_training_is_ignored(tmp_path):
    """A state left by other descriptors is not continued."""
    with pytest.raises(KilledError):
        trained("akm", clustered(seed=1), work=tmp_path, report=_kill_late)
    assert trained("akm", clustered(), work=tmp_path).digest == ready("akm").digest


def test_a_damaged_state_costs_time_and_nothing_else(tmp_path):
    """A training whose state cannot be read starts over."""
    with pytest.raises(KilledError):
        trained("akm", clustered(), work=tmp_path, report=_kill_late)
    for file in tmp_path.iterdir():
        file.write_bytes(b"damaged")
    assert trained("akm", clustered(), work=tmp_path).digest == ready("akm").digest


def _kill_late(progress: TrainingProgress) -> None:
    if progress.done > 0.5:
        raise KilledError


def test_progress_rises_to_one_with_the_time_left():
    """The share done never falls and ends at 1; the time left is the rest at the pace so far."""
    ticks = iter(range(100))
    seen: list[TrainingProgress] = []
    meter = training.Meter(seen.append, clock=lambda: float(next(ticks)))
    for share in (0.0, 0.25, 0.5, 1.0):
        meter.at(share, "")
    assert [at.seconds_left for at in seen] == [None, 3.0, 2.0, 0.0]


def test_a_training_that_goes_on_estimates_from_where_it_went_on():
    """Half was done before: a quarter in one second leaves one second."""
    ticks = iter([0.0, 1.0])
    seen: list[TrainingProgress] = []
    meter = training.Meter(seen.append, clock=lambda: next(ticks))
    meter.at(0.5, "")
    meter.at(0.75, "")
    assert [at.seconds_left for at in seen] == [None, 1.0]


def test_means_are_rounded_to_the_nearest_byte():
    """A half goes up, a third down; a label without members stays where it was."""
    members = np.zeros((5, 128), np.uint8)
    members[1], members[4] = 1, 1
    before = np.full((3, 128), 9, np.uint8)
    centres, counts = cells.means(members, np.array([0, 0, 1, 1, 1]), before)
    assert counts.tolist() == [2, 3, 0]
    assert centres[:, 0].tolist() == [1, 0, 9]


def test_a_descriptor_between_two_nodes_goes_to_the_first():
    """Ties have one answer, whatever the machine."""
    nodes = np.zeros((3, 128), np.uint8)
    nodes[0, 0], nodes[1, 0], nodes[2, 0] = 9, 2, 0
    leaves = np.empty(1, np.int64)
    asked = np.zeros((1, 128), np.uint8)
    asked[0, 0] = 1
    none = np.zeros(3, np.int32)
    clusters.descend(training.plain(asked), nodes, none, none, 3, leaves)
    assert leaves.tolist() == [1]


def test_a_training_reports_until_it_is_done():
    """The last report says 1."""
    seen: list[float] = []
    trained("akm", clustered(), report=lambda at: seen.append(at.done))
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_probing_every_cell_is_exact():
    """With all cells probed the approximation is none."""
    descriptors = np.random.default_rng(0).integers(0, 256, (3000, 128)).astype(np.uint8)
    vocabulary = akm.train(descriptors, 500, iterations=1)
    assert recall(vocabulary, descriptors, probes=10**6) == 1.0


def test_probing_one_cell_misses_some():
    """On descriptors without structure one cell is not enough, and recall says so."""
    descriptors = np.random.default_rng(0).integers(0, 256, (3000, 128)).astype(np.uint8)
    vocabulary = akm.train(descriptors, 500, iterations=1)
    assert recall(vocabulary, descriptors, probes=1) < recall(vocabulary, descriptors, probes=8) < 1


def test_recall_of_nothing_is_refused():
    """There is no share of no descriptors."""
    with pytest.raises(InvalidInput, match="at least one"):
        recall(ready("akm"), np.zeros((0, 128), np.uint8))


def test_the_nearest_centroids_come_nearest_first():
    """Several words a descriptor: distances rise, and the first is the word assigned."""
    vocabulary = ready("akm")
    words, distances = Cells.build(vocabulary.centroids).nearest(
        clustered()[:50], probes=100, count=3
    )
    assert (np.diff(distances, axis=1) >= 0).all()
    assert np.array_equal(words[:, 0], vocabulary.assign(clustered()[:50], probes=100))


def test_more_neighbours_than_centroids_repeat_the_last():
    """There is never a word that is none."""
    words, _ = Cells.build(clustered()[:2]).nearest(clustered()[:5], probes=9, count=4)
    assert set(words.ravel().tolist()) <= {0, 1}


def test_training_lowers_the_distortion():
    """Six rounds leave descriptors nearer to their words than none."""
    descriptors = np.random.default_rng(1).integers(0, 256, (2000, 128)).astype(np.uint8)

    def distortion(iterations: int) -> float:
        vocabulary = akm.train(descriptors, 50, iterations=iterations)
        centres = vocabulary.centroids[vocabulary.assign(descriptors, probes=99)].astype(float)
        return float(((descriptors - centres) ** 2).sum())

    assert distortion(6) < 0.9 * distortion(0)


def test_a_sample_has_the_size_asked_for_and_keeps_the_order():
    """Rows are drawn without replacement and stay in order, so reading them is sequential."""
    descriptors = np.arange(1000, dtype=np.uint32).view(np.uint8).reshape(-1, 4)
    rows = training.sample(descriptors, 100, seed=3).view(np.uint32).ravel()
    assert len(rows) == 100
    assert (np.diff(rows.astype(int)) > 0).all()


def test_a_vocabulary_sized_to_the_collection_trains_on_any_number():
    """Down to a single descriptor there is a size that fits; with none there is an error."""
    assert sizing.train_for(clustered()).size == sizing.fitting_size(len(clustered()))
    assert sizing.train_for(clustered()[:1]).size == 1
    with pytest.raises(InvalidInput, match="nothing to make words of"):
        sizing.train_for(np.zeros((0, 128), np.uint8))


def test_a_bag_counts_each_word_once():
    """Words ascend, counts sum to the number of features."""
    words, counts = bag(np.array([5, 1, 5, 5], np.int32))
    assert words.tolist() == [1, 5]
    assert counts.tolist() == [1, 3]
    assert words.dtype == counts.dtype == np.int32


def test_an_unfinished_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A write that fails half-way changes nothing and leaves nothing behind."""
    file = tmp_path / "words.vocabulary"
    vocabulary = ready("akm")
    vocabulary.save(file)

    def fail(handle: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="disk full"):
        trained("akm", clustered(seed=2)).save(file)
    assert Vocabulary.load(file).digest == vocabulary.digest
    assert list(tmp_path.iterdir()) == [file]
