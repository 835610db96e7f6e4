"""Folders that may be indexed, which of them a path is in, and where their indexes are."""

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from packhound.core.errors import RootError
from packhound.core.settings import Settings
from packhound.core.settings_reader import settings_from
from packhound.service.roots import check_root, index_folder, innermost_root


def test_a_home_directory_is_not_indexed_unasked(
    monkeypatch: pytest.MonkeyPatch, root: Path
) -> None:
    monkeypatch.setattr(Path, "home", lambda: root.resolve())
    with pytest.raises(RootError, match=r"index\.allowHome"):
        check_root(root, Settings())
    assert check_root(root, settings_from({"index.allowHome": True})) == root.resolve()
    with pytest.raises(RootError, match="does not exist"):
        check_root(root / "nothing", Settings())
    with pytest.raises(RootError, match="not a folder"):
        check_root(root / "shop" / "cart.py", Settings())


@pytest.mark.parametrize(
    ("roots", "path", "expected"),
    [
        (["/a", "/a/b"], "/a/b/c/x.py", ("/a/b", "c/x.py")),
        (["/a/b", "/a"], "/a/bc/x.py", ("/a", "bc/x.py")),
        (["/a"], "/A/x.py", None),
        (["/a"], "/ab", None),
        (["/"], "/x.py", ("/", "x.py")),
    ],
)
def test_posix(roots, path, expected):
    location = innermost_root([PurePosixPath(root) for root in roots], PurePosixPath(path))
    assert (location and (str(location[0]), location[1])) == expected


@pytest.mark.parametrize(
    ("roots", "path", "expected"),
    [
        (["C:\\Work"], "c:\\work\\Src\\X.py", ("C:\\Work", "Src/X.py")),
        (["C:\\Work", "C:\\Work\\sub"], "C:/work/SUB/x.py", ("C:\\Work\\sub", "x.py")),
        (["C:\\Work"], "D:\\Work\\x.py", None),
        (["C:\\Work"], "C:\\Workshop\\x.py", None),
        (["\\\\Host\\Share\\a"], "\\\\host\\share\\A\\x.py", ("\\\\Host\\Share\\a", "x.py")),
        (["\\\\host\\share"], "\\\\host\\other\\x.py", None),
        (["C:\\"], "C:\\x.py", ("C:\\", "x.py")),
    ],
)
def test_windows(roots, path, expected):
    location = innermost_root([PureWindowsPath(root) for root in roots], PureWindowsPath(path))
    assert (location and (str(location[0]), location[1])) == expected


@pytest.mark.parametrize("letter", ["n", "ü", "\U0001f600", "\udcff"])
def test_the_index_of_any_name_has_a_name_that_can_be(tmp_path, monkeypatch, letter):
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path))
    names = [letter * (255 // len(letter.encode("utf-8", "surrogatepass"))), "n", letter * 3]
    folders = {index_folder(Path("/work") / name) for name in names}
    assert len(folders) == 3
    for folder in folders:
        folder.mkdir()
