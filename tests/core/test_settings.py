"""Settings: good values are taken, bad ones named with what is expected, former names honoured."""

from __future__ import annotations

import pytest

from packhound.core.settings import Settings
from packhound.core.settings_reader import FORMER_NAMES, SETTINGS, read_settings, settings_from
from packhound.core.user_folders import cache_folder


@pytest.mark.parametrize(
    "values",
    [
        {"index.maxFiles": 5, "search.hover": "off", "index.exclude": ["*.md"]},
        {"index": {"maxFiles": 5, "exclude": ["*.md"]}, "search": {"hover": "off"}},
        {"index": {"max_files": 5}, "index.exclude": ("*.md",), "search.hover": "off"},
    ],
)
def test_dotted_nested_and_snake_case_names_are_read(values) -> None:
    settings, problems, deprecations = read_settings(values)
    assert problems == deprecations == ()
    assert (settings.index.max_files, settings.index.exclude) == (5, ("*.md",))
    assert settings.search.hover == "off"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"search.hover": "sometimes"}, "expected one of: results, always, off"),
        ({"index.maxFiles": 0}, "expected an integer between 1 and 5,000,000"),
        ({"index.maxFiles": True}, "between 1 and"),
        ({"index.maxFiles": "many"}, "'many'"),
        ({"rerank.weight": 101}, "expected a number between 0 and 100"),
        ({"index.exclude": 3}, "contains 3; expected a string of at most 1,000 characters"),
        ({"index.persist": "yes"}, "expected one of: true, false"),
        ({"encoder.path": 3}, "expected a string of at most 4,096 characters"),
        ({"colour": "blue"}, "expected one of: search.limit, search.fuser"),
        ({"maxFiles": 0}, "between 1 and"),
    ],
)
def test_a_bad_value_is_named_with_the_remedy(values: dict[str, object], message: str) -> None:
    settings, (problem,), _ = read_settings(values)
    assert settings == Settings()
    assert message in problem
    assert f"'{next(iter(values))}'" in problem


def test_null_keeps_the_base_value() -> None:
    base = settings_from({"search.limit": 3})
    assert read_settings({"search.limit": None}, base) == (base, (), ())


def test_former_names_are_honoured_and_noted() -> None:
    settings, problems, deprecations = read_settings({"maxFiles": 5, "git": True, "model": "m"})
    assert (settings.index.max_files, settings.encoder.path, problems) == (5, "m", ())
    assert settings.ranking.git_history
    assert [note.split("; ")[0] for note in deprecations] == [
        "setting 'maxFiles' is now 'index.maxFiles'",
        "setting 'git' is now 'ranking.gitHistory'",
        "setting 'model' is now 'encoder.path'",
    ]


@pytest.mark.parametrize(
    ("former", "new", "limit"),
    [(10, 20, 20), (20, 10, 20), (30, 20, 20), (10, 10, 10)],
)
def test_of_both_names_the_one_without_its_default_counts(former, new, limit) -> None:
    for values in (
        {"limit": former, "search": {"limit": new}},
        {"search.limit": new, "limit": former},
    ):
        assert read_settings(values)[0].search.limit == limit


def test_a_former_name_overrides_an_earlier_layer() -> None:
    assert read_settings({"limit": 10}, settings_from({"search.limit": 50}))[0].search.limit == 10


def test_names_and_texts() -> None:
    assert not FORMER_NAMES.keys() & SETTINGS.keys()
    for name, setting in SETTINGS.items():
        group, _, _ = name.partition(".")
        # VS Code cannot have both `git` and `git.enabled`.
        assert group not in FORMER_NAMES
        assert setting.description.endswith(".")
        assert settings_from({name: setting.default}) == Settings()
        assert setting.value(Settings()) == setting.default


def test_the_cache_folder_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path))
    assert cache_folder() == tmp_path
