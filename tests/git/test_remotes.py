"""The names of a repository are those of its remotes, however their URLs are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from packhound.git import branch_name, remote_names
from tests.support.git_repository import git


@pytest.mark.parametrize(
    "url",
    [
        "git@Example.org:shop/kitchen.git",
        "https://example.org/shop/kitchen",
        "https://me:word@example.org:8443/shop/kitchen.git/",
        "ssh://git@example.org:2222/shop/kitchen.git",
        "git+ssh://example.org/shop/kitchen",
    ],
)
def test_urls_of_one_repository_have_one_name(tmp_path: Path, url: str) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    git(tmp_path, "remote", "add", "upstream", "https://example.org/parent/kitchen.git")
    git(tmp_path, "remote", "add", "origin", url)
    assert remote_names(tmp_path) == ["example.org/shop/kitchen", "example.org/parent/kitchen"]
    assert branch_name(tmp_path) == "trunk"
    (tmp_path / "below").mkdir()
    assert remote_names(tmp_path / "below") == []


def test_a_folder_on_disk_and_no_repository(tmp_path: Path) -> None:
    assert remote_names(tmp_path) == [] and branch_name(tmp_path) == ""
    git(tmp_path, "init", "-q")
    assert remote_names(tmp_path) == []
    git(tmp_path, "remote", "add", "origin", "/srv/git/kitchen.git")
    assert remote_names(tmp_path) == ["srv/git/kitchen"]
