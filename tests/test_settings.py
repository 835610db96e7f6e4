"""Settings: legal ones are taken, the others named."""

import pytest

from packhound.core.settings import Settings, cache_folder, read_settings


def test_client_names_are_read() -> None:
    settings, problems = read_settings({"maxFiles": 5, "hover": "off", "exclude": ["*.md"]})
    assert problems == ()
    assert (settings.max_files, settings.hover, settings.exclude) == (5, "off", ("*.md",))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"hover": "sometimes"}, "results, always, off"),
        ({"maxFiles": 0}, "from 1 to"),
        ({"maxFiles": True}, "from 1 to"),
        ({"maxFiles": "many"}, "'many'"),
        ({"exclude": "*.md"}, "list of globs"),
        ({"persist": "yes"}, "true, false"),
        ({"model": 3}, "text"),
        ({"colour": "blue"}, "maxFiles"),
    ],
)
def test_a_bad_value_is_named_with_the_legal_ones(given: dict[str, object], says: str) -> None:
    settings, (problem,) = read_settings(given)
    assert settings == Settings()
    assert says in problem
    assert f"'{next(iter(given))}'" in problem


def test_null_means_the_value_that_was() -> None:
    base = Settings(limit=3)
    assert read_settings({"limit": None}, base) == (base, ())


def test_the_cache_folder_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("PACKHOUND_CACHE_DIR", str(tmp_path))
    assert cache_folder() == tmp_path
