from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from saccade.errors import InvalidInput
from saccade.images.scan import Found, scan
from saccade.types import Skipped


def write(path: Path, data: bytes = b"x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def found(folder: Path) -> list[str]:
    return [str(f.path.relative_to(folder)) for f in scan(folder) if isinstance(f, Found)]


def skipped(folder: Path) -> dict[str, str]:
    return {
        os.path.relpath(s.path, folder): s.reason for s in scan(folder) if isinstance(s, Skipped)
    }


def test_images_are_found_in_every_folder_in_order_of_name(tmp_path: Path) -> None:
    """The order depends on names alone, not on when files were written."""
    for name in ["b.jpg", "z/2.png", "a/deep/er/1.GIF", "c.TIFF", "a.webp"]:
        write(tmp_path / name)
    assert found(tmp_path) == ["a/deep/er/1.GIF", "a.webp", "b.jpg", "c.TIFF", "z/2.png"]


def test_every_extension_counts_in_either_case(tmp_path: Path) -> None:
    """An ending is compared without regard to case; other files are left alone."""
    names = ["jpg", "JPEG", "jpe", "jfif", "PnG", "webp", "tif", "TIFF", "bmp", "dib", "GIF"]
    for name in names:
        write(tmp_path / f"x.{name}")
    for other in ["notes.txt", "jpg", "movie.mp4", "x.jpg.part"]:
        write(tmp_path / other)
    assert len(found(tmp_path)) == len(names)
    assert skipped(tmp_path) == {}


def test_size_and_time_are_those_of_the_file(tmp_path: Path) -> None:
    """A second scan can tell whether a file changed."""
    path = write(tmp_path / "a.jpg", b"12345")
    os.utime(path, ns=(1, 1_700_000_000_123_456_789))
    (only,) = scan(tmp_path)
    assert only == Found(path, 5, path.stat().st_mtime_ns)


def test_hidden_files_and_our_own_folders_are_left_out(tmp_path: Path) -> None:
    """Neither thumbnails of a store nor what an archiver left behind are pictures."""
    for name in [".a.jpg", ".git/b.jpg", "mine.saccade/thumbs/d.jpg", "e.jpg"]:
        write(tmp_path / name)
    assert found(tmp_path) == ["e.jpg"]
    assert skipped(tmp_path) == {}


def test_folders_of_systems_and_network_drives_are_passed_over_and_listed(tmp_path: Path) -> None:
    """Wherever they lie; a file of such a name is a file, and a folder that only begins so, too."""
    system = ["@eaDir", "a/.thumbnails", "#recycle", ".Trash-1000", "__MACOSX", "lost+found"]
    for name in [*(f"{one}/x.jpg" for one in system), "@eaDirectory/e.jpg", "f/lost+found.jpg"]:
        write(tmp_path / name)
    assert found(tmp_path) == ["@eaDirectory/e.jpg", "f/lost+found.jpg"]
    assert skipped(tmp_path).keys() == set(system)
    assert all(reason.startswith("passed over: ") for reason in skipped(tmp_path).values())


def test_a_linked_file_is_found_and_a_linked_folder_is_not_entered(tmp_path: Path) -> None:
    """Links to folders may run in circles; links to files cannot."""
    target = write(tmp_path / "elsewhere" / "a.jpg")
    folder = tmp_path / "photos"
    folder.mkdir()
    (folder / "link.jpg").symlink_to(target)
    (folder / "loop").symlink_to(folder)
    assert found(folder) == ["link.jpg"]
    assert skipped(folder) == {"loop": "a link to a folder; links are not followed"}


def test_a_broken_link_is_skipped_with_its_reason(tmp_path: Path) -> None:
    """A link to nothing is listed, and the scan goes on."""
    (tmp_path / "gone.jpg").symlink_to(tmp_path / "nothing.jpg")
    write(tmp_path / "z.jpg")
    assert found(tmp_path) == ["z.jpg"]
    assert "no such file" in skipped(tmp_path)["gone.jpg"]


def test_pipes_and_sockets_are_never_opened(tmp_path: Path) -> None:
    """Opening a pipe would wait for ever."""
    os.mkfifo(tmp_path / "pipe.jpg")
    listener = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(tmp_path)  # the address of a socket must be short
    try:
        listener.bind("socket.png")
    finally:
        os.chdir(here)
        listener.close()
    assert found(tmp_path) == []
    assert set(skipped(tmp_path)) == {"pipe.jpg", "socket.png"}


def test_a_name_that_is_not_unicode_is_skipped_and_printable(tmp_path: Path) -> None:
    """Bytes that are no text are shown escaped; the scan goes on."""
    write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jpg")))
    write(Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff/in.jpg")))
    write(tmp_path / "z.jpg")
    assert found(tmp_path) == ["z.jpg"]
    reasons = skipped(tmp_path)
    assert set(reasons) == {"caf\\xe9.jpg", "\\xff"}
    assert all("not valid Unicode" in reason for reason in reasons.values())


def test_an_unreadable_folder_below_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One closed folder does not end the scan."""
    write(tmp_path / "closed" / "a.jpg")
    write(tmp_path / "z.jpg")
    deny(monkeypatch, "closed")
    assert found(tmp_path) == ["z.jpg"]
    assert skipped(tmp_path) == {"closed": "cannot be read: permission denied"}


def test_an_unreadable_top_folder_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the folder, the reason and what to do."""
    deny(monkeypatch, tmp_path.name)
    with pytest.raises(InvalidInput, match="permission denied; check its permissions"):
        scan(tmp_path)


def deny(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Make one folder unreadable; permission bits do not stop a superuser."""
    listing = os.scandir

    def guarded(path: object) -> object:
        if os.path.basename(os.fspath(path)) == name:
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return listing(path)

    monkeypatch.setattr(os, "scandir", guarded)


def test_a_missing_folder_is_an_error_at_once(tmp_path: Path) -> None:
    """The call fails, not the first step through its answer."""
    with pytest.raises(InvalidInput, match=r"no folder '.*nowhere'"):
        scan(tmp_path / "nowhere")


def test_a_file_in_place_of_a_folder_is_an_error(tmp_path: Path) -> None:
    """The error says that it is a file."""
    with pytest.raises(InvalidInput, match=r"a\.jpg' is a file"):
        scan(write(tmp_path / "a.jpg"))


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    """No images is an answer, not an error."""
    assert list(scan(tmp_path)) == []


def test_very_deep_folders_are_reached(tmp_path: Path) -> None:
    """The scan needs no recursion."""
    deep = tmp_path
    for _ in range(300):
        deep = deep / "d"
    write(deep / "a.jpg")
    assert len(found(tmp_path)) == 1
