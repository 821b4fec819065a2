"""Names that lead to no picture: pipes, devices, the kernel's files, loops, closed doors."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from saccade.errors import InvalidInput, NotAnImage
from saccade.images.files import read_file
from saccade.images.scan import scan
from saccade.types import Skipped

AsUser = Callable[[Callable[[], str]], str]
LINUX = pytest.mark.skipif(not os.path.exists("/proc/self/mountinfo"), reason="there is no /proc")


def listed(folder: Path) -> dict[str, str]:
    """Name → why it was left out, or `found`."""
    return {
        os.path.relpath(item.path, folder): item.reason if isinstance(item, Skipped) else "found"
        for item in scan(folder)
    }


def test_what_is_no_file_is_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is refused by its kind, whoever asks; opening one might wait for ever."""
    os.mkfifo(tmp_path / "pipe.jpg")
    monkeypatch.chdir(tmp_path)  # the address of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket.png")
    (tmp_path / "endless.gif").symlink_to("/dev/zero")
    (tmp_path / "tty.bmp").symlink_to("/dev/tty")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    reason = "a pipe, socket or device, not a file"
    for name in ("pipe.jpg", "socket.png", "endless.gif", "tty.bmp"):
        with pytest.raises(NotAnImage, match=reason):
            read_file(tmp_path / name)
    assert set(listed(tmp_path).values()) == {reason}


@LINUX
def test_the_kernels_files_are_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They look like files, and reading one may wait for ever or change something."""
    for name, target in (
        ("log.jpg", "/proc/kmsg"),
        ("core.png", "/proc/kcore"),
        ("size.gif", "/sys/kernel/mm/transparent_hugepage/enabled"),
        ("self.bmp", "/proc/self/status"),
    ):
        if os.path.exists(target):
            (tmp_path / name).symlink_to(target)
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    found = listed(tmp_path)
    assert len(found) >= 2
    assert set(found.values()) == {"a part of the system, not a file"}
    for name in found:
        with pytest.raises(NotAnImage, match="a part of the system"):
            read_file(tmp_path / name)


@LINUX
def test_the_kernels_folders_are_not_walked() -> None:
    """A scan of everything passes /proc and /sys by; a scan of /proc says what it is."""
    with pytest.raises(InvalidInput, match="'/proc' is a part of the system"):
        scan("/proc")
    with pytest.raises(InvalidInput, match="a part of the system"):
        scan("/sys/kernel")


def test_a_name_that_becomes_a_pipe_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the question and the opening anything may happen to a name."""
    path = tmp_path / "a.jpg"
    path.write_bytes(b"12345")
    status = os.stat(path)
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(os, "stat", lambda _: status)
    with pytest.raises(NotAnImage, match="a pipe"):
        read_file(path)


def test_empty_and_oversized_files_are_not_read(tmp_path: Path) -> None:
    """Their size says enough."""
    path = tmp_path / "a.jpg"
    path.touch()
    with pytest.raises(NotAnImage, match="the file is empty"):
        read_file(path)
    with path.open("wb") as file:
        file.truncate(10**12)  # a hole: it takes no room
    with pytest.raises(NotAnImage, match="1,000,000,000,000 bytes are over the limit"):
        read_file(path)
    path.write_bytes(b"abc")
    assert read_file(path) == b"abc"
    with pytest.raises(NotAnImage, match="over the limit of 2"):
        read_file(path, most=2)


def test_loops_of_links_are_reported(tmp_path: Path) -> None:
    """A link to itself, two that point at each other, a folder inside itself."""
    (tmp_path / "self.jpg").symlink_to("self.jpg")
    (tmp_path / "a.png").symlink_to("b.png")
    (tmp_path / "b.png").symlink_to("a.png")
    (tmp_path / "inside").symlink_to(".")
    found = listed(tmp_path)
    assert found["inside"] == "a link to a folder; links are not followed"
    for name in ("self.jpg", "a.png", "b.png"):
        assert "too many levels of symbolic links" in found[name]


def test_closed_doors_are_reported_to_an_ordinary_user(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, as_ordinary_user: AsUser
) -> None:
    """A folder that may not be listed, one that may not be entered, a file that may not be read."""
    # The folders of a test are for their owner alone: up to the one of this run, and its parents.
    above = [one for one in tmp_path_factory.getbasetemp().parents if one.name.startswith("pytest")]
    for folder in [tmp_path, tmp_path_factory.getbasetemp(), *above]:
        folder.chmod(0o755)
    top = tmp_path / "photos"
    for name in ("open", "unlisted", "unentered"):
        (top / name).mkdir(parents=True)
        (top / name / "a.jpg").write_bytes(b"x")
    (top / "unreadable.jpg").write_bytes(b"x")
    (top / "unreadable.jpg").chmod(0)
    (top / "unlisted").chmod(0o311)
    (top / "unentered").chmod(0o644)

    def look() -> str:
        found = listed(top)
        try:
            read_file(top / "unreadable.jpg")
        except PermissionError as error:
            found["reading"] = str(error.strerror)
        return json.dumps(found)

    found = json.loads(as_ordinary_user(look))
    assert found["open/a.jpg"] == "found"
    assert found["unlisted"] == "cannot be read: permission denied"
    assert found["unentered/a.jpg"] == "cannot be read: permission denied"
    assert found["unreadable.jpg"] == "found"
    assert found["reading"] == "Permission denied"
    (top / "unlisted").chmod(0o755)
    (top / "unentered").chmod(0o755)


def test_a_closed_top_folder_is_one_sentence_to_an_ordinary_user(
    tmp_path: Path, as_ordinary_user: AsUser
) -> None:
    """With what to do."""
    top = tmp_path / "photos"
    top.mkdir(mode=0o000)

    def look() -> str:
        try:
            list(scan(top))
        except InvalidInput as error:
            return str(error)
        return "it was read"

    assert "permission denied; check its permissions" in as_ordinary_user(look)
    top.chmod(0o755)


def test_names_that_are_no_text_are_reported_wherever_they_are(tmp_path: Path) -> None:
    """A file, a folder, and a folder named on the command line."""
    odd = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(odd)
    Path(os.fsdecode(odd + b"/in.jpg")).write_bytes(b"x")
    assert listed(tmp_path) == {"caf\\xe9": "its name is not valid Unicode; rename it"}
    (only,) = scan(os.fsdecode(odd))
    assert isinstance(only, Skipped)
    assert only.path.endswith("caf\\xe9/in.jpg")
