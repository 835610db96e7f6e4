"""Settings files: which layer wins, what a stranger's folder may set, and what is read again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from packhound.core.settings import Settings
from packhound.core.settings_files import (
    CLIENT,
    COMMAND_LINE,
    USER_FILE,
    WORKSPACE_FILE,
    FolderSettings,
    Layer,
    Overrides,
    other_settings_note,
)
from packhound.core.settings_reader import SETTINGS, settings_from

EVERYTHING = """
search.limit = 7
search.fuser = "rrf"
index.exclude = ["gen/"]
index.maxFiles = 50
index.allowHome = true
index.persist = false
index.workers = 9
ranking.activity = true
encoder.path = "model"
rerank.path = "/elsewhere"
"""


@pytest.fixture
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PACKHOUND_CONFIG_DIR", str(tmp_path / "config"))
    (tmp_path / "config").mkdir()
    return tmp_path / "config" / "packhound.toml"


@pytest.fixture
def root(tmp_path: Path, user_file: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


def origins(settings: FolderSettings) -> dict[object, object]:
    return {row["name"]: row["origin"] for row in settings.read().rows()}


def test_without_files_all_is_default(root: Path) -> None:
    in_force = FolderSettings(root).read()
    assert (in_force.settings, in_force.problems) == (Settings(), ())
    assert [row["name"] for row in in_force.rows()] == list(SETTINGS)
    assert {row["origin"] for row in in_force.rows()} == {"default"}


def test_later_layers_win_and_are_named(root: Path, user_file: Path) -> None:
    user_file.write_text("search.limit = 3\nsearch.hover = 'off'\n[index]\nworkers = 4")
    (root / ".packhound.toml").write_text("search.limit = 5\nsearch.fuser = 'rrf'\n")
    layer = Layer(COMMAND_LINE, {"search.fuser": "linear"})
    settings = FolderSettings(root, Overrides((layer,)))
    read = settings.read().settings
    assert (read.search.limit, read.index.workers) == (5, 4)
    assert (read.search.hover, read.search.fuser) == ("off", "linear")
    named = origins(settings)
    assert named["search.limit"] == WORKSPACE_FILE
    assert named["index.workers"] == named["search.hover"] == USER_FILE
    assert named["search.fuser"] == COMMAND_LINE and named["index.persist"] == "default"


def test_a_table_of_pyproject_counts_unless_there_is_a_file_of_our_own(root: Path) -> None:
    (root / "pyproject.toml").write_text("[tool.packhound]\nsearch.limit = 4\n[tool.ruff]\nx = 1")
    settings = FolderSettings(root)
    assert settings.read().settings.search.limit == 4
    (root / ".packhound.toml").write_text("search.hover = 'off'")
    assert settings.read().settings == settings_from({"search.hover": "off"})


@pytest.mark.parametrize("name", [".packhound.toml", "pyproject.toml"])
def test_a_strangers_folder_sets_only_what_is_harmless(root: Path, name: str) -> None:
    head = "[tool.packhound]\n" if name == "pyproject.toml" else ""
    (root / name).write_text(head + EVERYTHING)
    in_force = FolderSettings(root).read()
    expected = settings_from(
        {
            "search": {"limit": 7, "fuser": "rrf"},
            "index": {"exclude": ["gen/"], "maxFiles": 50},
        }
    )
    assert in_force.settings == expected
    refused = [p.split("setting '")[1].split("'")[0] for p in in_force.problems if "setting" in p]
    assert sorted(refused) == [
        *("encoder.path", "index.allowHome", "index.persist", "index.workers"),
        *("ranking.activity", "rerank.path"),
    ]
    trusted = FolderSettings(root, Overrides(trusted=True)).read()
    assert trusted.problems == ()
    assert trusted.settings.encoder.path == str(root / "model")
    assert trusted.settings.rerank.path == str(Path("/elsewhere"))
    assert trusted.settings.ranking.activity and not trusted.settings.index.persist


def test_harmless_settings_are_those_of_searches_and_what_is_left_out() -> None:
    harmless = {name for name, setting in SETTINGS.items() if setting.harmless}
    sections = ("search.", "words.", "meaning.", "names.", "graph.")
    searches = {name for name in SETTINGS if name.startswith(sections)}
    others = {"ranking.activityWeight", "index.enabled", "index.exclude", "index.maxFiles"}
    assert harmless == (searches | others) - {"search.scorers"}, "no folder chooses plugins"


def test_a_strangers_folder_only_narrows_what_is_shown_and_says_so(
    root: Path, user_file: Path
) -> None:
    user_file.write_text("index.exclude = ['mine/']\nindex.maxFiles = 100\n")
    (root / ".packhound.toml").write_text(
        "search.fuser = 'stranger'\nsearch.scorers = ['stranger']\n"
        "index.extractors = ['stranger']\n"
        "index.exclude = ['!.env', 'gen/']\nindex.maxFiles = 101\n"
    )
    in_force = FolderSettings(root).read()
    of_user = settings_from({"index.exclude": ["mine/", "gen/"], "index.maxFiles": 100})
    assert in_force.settings == of_user
    told = "\n".join(in_force.problems)
    assert "'index.exclude' of a folder that is not trusted hides files of it: gen/" in told
    for name in ("search.fuser", "search.scorers", "index.extractors", "index.maxFiles"):
        assert f"setting '{name}' is ignored" in told
    (root / ".packhound.toml").write_text("index.exclude = []\nindex.maxFiles = 9\n")
    in_force = FolderSettings(root).read()
    assert in_force.settings.index.exclude == ("mine/",)
    [told] = in_force.problems
    assert "'index.maxFiles' of a folder that is not trusted hides files of it: 9" in told


def test_clients_that_differ_are_told_unless_each_follows_its_own() -> None:
    others = settings_from({"search.limit": 3, "index.workers": 4, "meaning.enabled": False})
    assert "with other values of meaning.enabled;" in other_settings_note(Settings(), others)
    assert other_settings_note(others, settings_from({"search.limit": 5}, others)) == ""


def test_a_clients_default_leaves_what_files_say(root: Path, user_file: Path) -> None:
    user_file.write_text("search.limit = 3\n")
    overrides = Overrides((Layer(CLIENT, {"search.limit": 10, "index.maxFiles": 5}),))
    settings = FolderSettings(root, overrides)
    assert (settings.read().settings.search.limit, settings.read().settings.index.max_files) == (
        3,
        5,
    )
    overrides.layers += (Layer(CLIENT, {"search.limit": 20}),)
    assert settings.read().settings.search.limit == 20
    overrides.layers += (Layer(CLIENT, {"index.maxFiles": 100_000}),)
    assert settings.read().settings.index.max_files == 100_000


def test_changed_files_are_read_again_and_others_are_not(root: Path, user_file: Path) -> None:
    settings = FolderSettings(root)
    before = settings.read()
    assert settings.read() is before
    user_file.write_text("search.limit = 3\n")
    assert settings.read().settings.search.limit == 3
    user_file.write_text("search.limit = 4\n")
    os.utime(user_file, ns=(1, 1))
    assert settings.read().settings.search.limit == 4
    user_file.unlink()
    assert settings.read().settings == Settings()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"search.limit = ", "is ignored"),
        (b"\xff", "is ignored"),
        (b"x = " + b"[" * 100_000, "is ignored"),
        (b"#" * 300_000, "more than 262,144 bytes"),
        (b"search.limit = 0", "expected an integer between 1 and 1,000"),
        (b"colour = 1", "unknown setting 'colour'; expected one of: search.limit"),
        (b"search.limt = 1", "unknown setting 'search.limt'; did you mean 'search.limit'?"),
    ],
)
def test_broken_files_are_one_problem(root: Path, content: bytes, problem: str) -> None:
    (root / ".packhound.toml").write_bytes(content)
    in_force = FolderSettings(root).read()
    assert in_force.settings == Settings()
    (line,) = in_force.problems
    assert problem in line and ".packhound.toml" in line and "\n" not in line


@pytest.mark.skipif(os.name == "nt", reason="links and pipes")
def test_a_folders_file_is_no_link_and_no_pipe(root: Path, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("search.limit = 3\n")
    (root / ".packhound.toml").symlink_to(tmp_path / "other.toml")
    assert FolderSettings(root).read().settings == Settings()
    (root / ".packhound.toml").unlink()
    os.mkfifo(root / ".packhound.toml")
    assert FolderSettings(root).read().settings == Settings()
