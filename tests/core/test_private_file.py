"""Private files: for their owner alone, whole or not at all, and no trap can make a reader wait."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from packhound.core.errors import StoreError
from packhound.core.private_file import make_private_folder, read_private, write_private_atomic
from packhound.search.rank.activation import Activation

posix = pytest.mark.skipif(os.name != "posix", reason="modes, links and FIFOs of POSIX")


def test_what_was_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    assert read_private(path) is None
    for data in (b"first", b"\r\n\x1a"):
        write_private_atomic(path, data)
        assert read_private(path) == data
    assert [*tmp_path.iterdir()] == [path]


@posix
def test_only_the_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"old")
    path.chmod(0o644)
    write_private_atomic(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
def test_links_are_replaced_and_never_followed(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"of somebody else")
    path = tmp_path / "x.json"
    path.symlink_to(other)
    (tmp_path / f"x.json.{os.getpid()}").symlink_to(other)
    with pytest.raises(StoreError):
        read_private(path)
    write_private_atomic(path, b"new")
    assert read_private(path) == b"new" and other.read_bytes() == b"of somebody else"


@posix
def test_what_is_no_file_of_this_user_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(StoreError, match="not a regular file"):
        read_private(tmp_path / "fifo")
    with pytest.raises(StoreError):
        read_private(tmp_path)
    write_private_atomic(tmp_path / "x.json", b"{}")
    monkeypatch.setattr(os, "geteuid", lambda: (tmp_path / "x.json").stat().st_uid + 1)
    with pytest.raises(StoreError, match="another user"):
        read_private(tmp_path / "x.json")
    with pytest.raises(StoreError, match="another user"):
        make_private_folder(tmp_path)


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "x.json").mkdir()
    with pytest.raises(OSError):
        write_private_atomic(tmp_path / "x.json", b"{}")
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


@posix
def test_a_fifo_in_the_place_of_the_uses_neither_hangs_nor_lasts(tmp_path: Path) -> None:
    path = tmp_path / "activation.json"
    os.mkfifo(path)
    uses = Activation(path)
    uses.use("a.py", "open")
    uses.save()
    assert Activation(path).names() == (("a.py", ""),)


@posix
def test_nothing_is_written_into_a_folder_of_another_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uses = Activation(tmp_path / "activation.json")
    uses.use("a.py", "open")
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(StoreError, match="another user"):
        uses.save()
    assert not [*tmp_path.iterdir()]
