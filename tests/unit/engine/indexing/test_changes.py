"""What changed in a folder, told without a disk."""

from __future__ import annotations

from saccade.engine.indexing.changes import changes, sorted_paths


def test_a_file_of_the_same_size_and_time_is_not_read() -> None:
    """Either of them different, or a path nobody knows, is."""
    found = {"/same": (1, 1), "/longer": (9, 1), "/later": (1, 9), "/new": (1, 1)}
    known = {"/same": (1, 1), "/longer": (1, 1), "/later": (1, 1)}
    assert changes(found, known, known).unread == ("/longer", "/later", "/new")


def test_only_paths_below_the_folder_vanish() -> None:
    """Files elsewhere were not looked for."""
    known = {"/here/a": (1, 1), "/there/b": (1, 1)}
    assert changes({}, known, ["/here/a"]).vanished == {"/here/a"}


def test_a_new_path_of_an_image_whose_old_one_is_gone_is_a_move() -> None:
    """And no duplicate."""
    told = sorted_paths([("/b", "x")], {"x": ["/a"]}, lambda path: path == "/a")
    assert (told.moved, told.duplicates) == ({"/a"}, 0)


def test_a_new_path_of_an_image_that_stayed_is_a_duplicate() -> None:
    """Each further one counts."""
    told = sorted_paths([("/b", "x"), ("/c", "x")], {"x": ["/a"]}, lambda path: False)
    assert (told.moved, told.duplicates) == (frozenset(), 2)


def test_one_lost_path_explains_one_move() -> None:
    """A file moved and copied: the first new path is the move, in the order they were met."""
    told = sorted_paths([("/b", "x"), ("/c", "x")], {"x": ["/a"]}, lambda path: path == "/a")
    assert (told.moved, told.duplicates) == ({"/a"}, 1)


def test_two_new_files_with_the_same_bytes_are_one_image_and_one_duplicate() -> None:
    """The first is the image, whatever was there before."""
    told = sorted_paths([("/a", "x"), ("/b", "x")], {}, lambda path: True)
    # "/a" was met in this run: it cannot be the lost path that "/b" comes from.
    assert told.duplicates + len(told.moved) == 1


def test_a_path_met_again_is_nothing_new() -> None:
    """Its time changed, its bytes did not."""
    told = sorted_paths([("/a", "x")], {"x": ["/a"]}, lambda path: False)
    assert (told.moved, told.duplicates) == (frozenset(), 0)
