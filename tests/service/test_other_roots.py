"""Other commits and sources of dependencies: asked as the folder is, written by nobody."""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from packhound.cli.operations import COMMANDS
from packhound.core.errors import SettingsError
from packhound.core.user_folders import cache_folder
from packhound.operations import Call, answer, as_text
from packhound.service.engine import Engine
from packhound.service.roots import clear_index, index_folder
from packhound.service.several_roots import Roots
from tests.support.git_repository import git

OLD = "def weigh_parcel(grams):\n    return grams * 2\n"
NEW = "def carry_parcel(grams):\n    return grams * 3\n"


def ask(engine: Engine, operation: str, /, **arguments: object) -> dict:
    return answer(Call(Roots([engine]), engine.index.settings), operation, arguments)


@pytest.fixture
def tree(tmp_path: Path, cache: Path) -> Path:
    """A repository whose branch `feature/old` has another parcel.py."""
    tree = tmp_path / "post"
    (tree / "lib").mkdir(parents=True)
    for n in range(30):
        (tree / f"same_{n}.py").write_text(f"def same_{n}():\n    return {n}\n")
    (tree / "lib" / "parcel.py").write_text(OLD)
    (tree / "lib" / "send.py").write_text(
        "from lib.parcel import weigh_parcel\n\n\ndef send():\n    return weigh_parcel(1)\n"
    )
    (tree / "passwords").symlink_to("/etc/passwd")
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "Weigh")
    git(tree, "branch", "feature/old")
    (tree / "lib" / "parcel.py").write_text(NEW)
    git(tree, "commit", "-qam", "Carry")
    return tree


@pytest.fixture
def post(tree: Path) -> Iterator[Engine]:
    engine = Engine.open(tree)
    assert engine.settled(60)
    yield engine
    engine.close()


def test_changes_are_of_no_other_commit(post: Engine) -> None:
    ask(post, "outline", root="rev:feature/old")
    (folder,) = (index_folder(post.root) / "revisions").iterdir()
    for root in ("rev:feature/old", str(folder)):
        with pytest.raises(SettingsError, match=r"not of rev:.* is `base`") as refusal:
            ask(post, "changes", root=root)
        assert str(cache_folder()) not in str(refusal.value)
    options = {each for param in COMMANDS["changes"].params for each in param.opts}
    assert "--patch" in options and "--at" not in options


def test_another_commit_is_searched_and_its_hits_are_read(post: Engine, caplog) -> None:
    caplog.set_level(logging.INFO, "packhound")
    found = ask(post, "search", query="rev:feature/old weigh_parcel")
    hit = found["hits"][0]
    assert (hit["name"], hit["path"]) == ("weigh_parcel", "lib/parcel.py")
    reference = f"{hit['label']}/{hit['ref']}"
    assert f"{hit['label']}/lib/parcel.py:1-2" in as_text("search", found)
    (note,) = [note for note in found["notes"] if "rev:feature/old" in note]
    assert hit["label"].removeprefix("rev@") in note
    # Its index began as that of the folder.
    assert any("starts from post" in record.getMessage() for record in caplog.records)
    read = ask(post, "read_node", path=reference)
    assert read["text"] == OLD.rstrip()
    assert ask(post, "read_node", path=hit["ref"], root=hit["root"])["text"] == read["text"]
    symbol = ask(post, "symbol", name=reference)
    assert [row["name"] for row in symbol["callers"]] == ["send"]
    outline = ask(post, "outline", path=f"{hit['label']}/lib")
    assert [node["name"] for node in outline["nodes"]] == ["weigh_parcel", "send"]
    lines = ask(post, "grep", pattern="weigh_parcel", paths=[f"{hit['label']}/lib/**"])
    assert lines["total_lines"] == 3
    assert ask(post, "grep", pattern="weigh_parcel", root="rev:feature/old")["total_lines"] == 3
    assert "weigh_parcel" in ask(post, "pack", prompt="weigh", root="rev:feature/old")["text"]
    # The folder itself is what it was.
    assert ask(post, "search", query="carry_parcel")["hits"][0]["name"] == "carry_parcel"
    assert ask(post, "grep", pattern="def weigh_parcel")["total_lines"] == 0


def test_a_commit_has_its_plain_files_alone_which_nobody_can_write(post: Engine) -> None:
    ask(post, "search", query="rev:feature/old weigh_parcel")
    (folder,) = (index_folder(post.root) / "revisions").iterdir()
    files = [path for path in folder.rglob("*") if not path.is_dir()]
    assert len(files) == 32 and not any(path.is_symlink() for path in files)
    assert {path.stat().st_mode & 0o777 for path in files} == {0o400}


def test_clear_removes_commits_and_their_indexes(tree: Path, post: Engine) -> None:
    ask(post, "search", query="rev:feature/old weigh_parcel")
    post.close()
    assert len(list(cache_folder().glob("*/index.sqlite"))) == 2
    assert clear_index(tree) > 0
    assert not list(cache_folder().rglob("*.sqlite")) + list(cache_folder().rglob("*.py"))


def test_a_cleared_commit_is_written_again_while_the_folder_is_open(
    tree: Path, post: Engine
) -> None:
    ask(post, "search", query="rev:feature/old weigh_parcel")
    clear_index(tree)
    found = ask(post, "search", query="rev:feature/old weigh_parcel")
    assert found["hits"][0]["name"] == "weigh_parcel"


def test_only_the_part_of_a_commit_below_the_folder_counts(tree: Path) -> None:
    engine = Engine.open(tree / "lib")
    try:
        assert engine.settled(60)
        found = ask(engine, "search", query="weigh_parcel rev:HEAD~1")
        assert found["hits"][0]["path"] == "parcel.py"
        assert ask(engine, "outline", root="rev:HEAD~1")["total"] == 2
    finally:
        engine.close()


@pytest.mark.parametrize("name", ["nowhere", "--all", "HEAD..", "@{", "a" * 5_000])
def test_an_unknown_revision_is_refused_by_name(post: Engine, name: str) -> None:
    with pytest.raises(SettingsError, match="is no branch, tag or commit"):
        ask(post, "search", query=f"rev:{name} parcel")


def test_dependencies_are_found_where_package_managers_put_them(
    post: Engine, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOMODCACHE", str(tmp_path / "go"))
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "cargo"))
    packages = tree / ".venv" / "lib" / "python3.11" / "site-packages"
    sources = {
        packages / "yaml" / "loader.py": "def load_python():\n    return 1\n",
        tree / "node_modules" / "@types" / "box" / "box.js": "function loadNode() { return 1 }\n",
        tree / "vendor" / "acme" / "box.php": "<?php function load_vendor() { return 1; }\n",
        tmp_path
        / "go"
        / "example.com"
        / "!box@v1.2.0"
        / "box.go": "package box\nfunc LoadGo() {}\n",
        tmp_path / "cargo/registry/src/index/boxed-0.3.1/lib.rs": "pub fn load_cargo() {}\n",
        packages / "PyYAML-6.0.1.dist-info" / "top_level.txt": "_yaml\nyaml\n",
        tree / "node_modules" / "@types" / "box" / "package.json": json.dumps({"version": "2.1.0"}),
        tree / "go.mod": "module post\n\nrequire (\n\texample.com/Box v1.2.0\n)\n",
        tree / "Cargo.lock": '[[package]]\nname = "boxed"\nversion = "0.3.1"\n',
    }
    for path, text in sources.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    before = {path: os.stat(path).st_mtime_ns for path in sources}
    for name, defined, version in (
        ("pyyaml", "load_python", "6.0.1"),
        ("@types/box", "loadNode", "2.1.0"),
        ("acme", "load_vendor", ""),
        ("example.com/Box", "LoadGo", "v1.2.0"),
        ("boxed", "load_cargo", "0.3.1"),
    ):
        found = ask(post, "search", query=f"deps:{name} {defined}")
        hit = found["hits"][0]
        assert hit["name"] == defined
        assert any(f"deps:{name} is" in note and version in note for note in found["notes"])
        assert defined in ask(post, "read_node", path=f"{hit['label']}/{hit['ref']}")["text"]
    assert before == {path: os.stat(path).st_mtime_ns for path in sources}
    assert not [
        hit for hit in ask(post, "search", query="load_python")["hits"] if "load" in hit["name"]
    ]
    for name in ("requests", "../post", "acme/../.."):
        with pytest.raises(SettingsError, match=r"no dependency|no name of a package"):
            ask(post, "search", query=f"deps:{name} load")


def test_modules_of_one_file_and_what_an_active_environment_or_pnpm_has_are_dependencies(
    post: Engine, tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / "elsewhere" / "lib" / "python3.12" / "site-packages"
    pnpm = tree / "node_modules" / ".pnpm"
    sources = {
        packages / "six.py": "def load_six():\n    return 6\n",
        packages / "other.py": "def load_other():\n    return 6\n",
        packages / "six-1.16.0.dist-info" / "RECORD": "__pycache__/six.pyc,,\nsix.py,sha256=a,34\n",
        packages / "bs4" / "soup.py": "def load_soup():\n    return 4\n",
        packages / "__pycache__" / "six.pyc": "",
        packages / "beautifulsoup4-4.12.dist-info" / "RECORD": "__pycache__/x,,\nbs4/soup.py,,4\n",
        pnpm / "box@2.0.0" / "node_modules" / "box" / "box.js": "function loadBox() { return 1 }\n",
        pnpm
        / "@a+lid@1.0.0_box"
        / "node_modules"
        / "@a"
        / "lid"
        / "lid.js": "function loadLid() {}\n",
    }
    for path, text in sources.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tree / "node_modules" / "box").symlink_to(pnpm / "box@2.0.0" / "node_modules" / "box")
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "elsewhere"))
    for name, defined, said in (
        ("six", "load_six", f"1.16.0 in {packages / 'six.py'}"),
        ("beautifulsoup4", "load_soup", f"4.12 in {packages / 'bs4'}"),
        ("box", "loadBox", "box@2.0.0"),
        ("@a/lid", "loadLid", "@a+lid@1.0.0_box"),
    ):
        found = ask(post, "search", query=f"deps:{name} {defined}")
        assert found["hits"][0]["name"] == defined
        assert any(f"deps:{name} is" in note and said in note for note in found["notes"])
    (six,) = ask(post, "search", query="deps:six load_six")["hits"]
    assert six["path"] == "six.py"
    assert ask(post, "outline", root="deps:six")["total"] == 1
    clear_index(tree)
    assert ask(post, "search", query="deps:six load_six")["hits"][0]["name"] == "load_six"


def test_a_commit_of_which_git_lacks_a_file_is_refused_and_not_kept(
    tree: Path, post: Engine
) -> None:
    blob = hashlib.sha1(f"blob {len(OLD)}\0{OLD}".encode()).hexdigest()
    (tree / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for _ in range(2):
        with pytest.raises(SettingsError, match=r"has no text of 'lib/parcel.py' here"):
            ask(post, "search", query="rev:feature/old weigh_parcel")
    assert not list(cache_folder().rglob("*.py"))


def test_what_was_pasted_names_no_place(post: Engine) -> None:
    found = ask(post, "search", query="upload failed\nrev:41 deps:none\ncarry_parcel")
    assert "carry_parcel" in [hit["name"] for hit in found["hits"]]


def test_a_link_of_a_folder_leads_to_nothing_but_packages(
    tree: Path, post: Engine, tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "diary.py").write_text("def confess(): pass\n")
    (tree / "node_modules").mkdir()
    (tree / "node_modules" / "box").symlink_to(tmp_path / "private")
    (tree / ".venv" / "lib" / "python3.11").mkdir(parents=True)
    (tree / ".venv" / "lib" / "python3.11" / "site-packages").symlink_to(tmp_path)
    for name in ("box", "private"):
        with pytest.raises(SettingsError, match="where no packages are installed"):
            ask(post, "search", query=f"deps:{name} confess")
