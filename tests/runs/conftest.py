"""A repository that would leave a mark if anything of it ran, and its digest."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import pytest

from tests.support.git_repository import git

HOOKS = ("post-checkout", "post-index-change", "pre-commit", "reference-transaction", "fsmonitor")


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep copies in a folder of the test's own."""
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def runs_folder(_cache: Path) -> Path:
    return _cache / "runs"


class Repository:
    """A repository with a filter, hooks, a monitor and attributes that each would write `mark`."""

    def __init__(self, tree: Path, mark: Path) -> None:
        self.tree, self.mark = tree, mark
        files = {
            "pyproject.toml": "[project]\nname = 'post'\nversion = '1'\n",
            "post/__init__.py": "",
            "post/send.py": "def weigh(grams):\n    return grams * 2\n",
            "tests/test_send.py": (
                "from post.send import weigh\n\n\ndef test_weigh():\n    assert weigh(2) == 4\n"
            ),
            "data/big.dat": "committed data\n",
            "version.txt": "$Format:%H$\n",
            ".gitignore": "build/\n",
            ".env": "TOKEN=hunter2\n",
            "run.sh": "#!/bin/sh\necho\n",
        }
        for path, text in files.items():
            self.write(path, text)
        (tree / "run.sh").chmod(0o755)
        (tree / "inside").symlink_to("post/send.py")
        (tree / "outside").symlink_to("/etc/passwd")
        git(tree, "init", "-q")
        git(tree, "add", ".")
        git(tree, "commit", "-qm", "Begin")
        attributes = "*.dat filter=mark diff=mark\n*.txt export-subst\n"
        self.write(".gitattributes", attributes)
        git(tree, "add", ".")
        git(tree, "commit", "-qm", "Attributes")
        self._arm()

    def _arm(self) -> None:
        touch = f"touch '{self.mark}'"
        hooks = self.tree / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in HOOKS:
            (hooks / name).write_text(f"#!/bin/sh\n{touch}\n")
            (hooks / name).chmod(0o755)
        for name, value in (
            ("filter.mark.smudge", f'sh -c "{touch}; cat"'),
            ("filter.mark.clean", f'sh -c "{touch}; cat"'),
            ("filter.mark.required", "true"),
            ("diff.mark.textconv", f'sh -c "{touch}; cat"'),
            ("core.fsmonitor", str(hooks / "fsmonitor")),
            ("core.pager", f'sh -c "{touch}; cat"'),
        ):
            git(self.tree, "config", name, value)

    def disarm(self) -> None:
        """Take the filter and the hooks away, with which git does not say what is committed."""
        for section in ("filter.mark", "diff.mark"):
            git(self.tree, "config", "--remove-section", section)
        git(self.tree, "config", "--unset", "core.fsmonitor")
        for name in HOOKS:
            (self.tree / ".git/hooks" / name).unlink()

    def write(self, path: str, text: str) -> None:
        (self.tree / path).parent.mkdir(parents=True, exist_ok=True)
        (self.tree / path).write_text(text)

    def digest(self) -> str:
        """Return a digest of all texts, rights, times of writing and links, `.git` included."""
        digest = hashlib.sha256()
        for folder, subfolders, names in os.walk(self.tree):
            subfolders.sort()
            for path in [Path(folder), *(Path(folder, name) for name in sorted(names))]:
                status = path.lstat()
                text = os.readlink(path) if path.is_symlink() else ""
                is_file = stat.S_ISREG(status.st_mode)
                digest.update(f"{path}\0{status.st_mode}\0{status.st_mtime_ns}\0{text}".encode())
                digest.update(path.read_bytes() if is_file else b"")
        return digest.hexdigest()


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "post", tmp_path / "mark")
