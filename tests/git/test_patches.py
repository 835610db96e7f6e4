"""Patches: applied as git applies them, byte for byte, and refused where git refuses."""

from pathlib import Path

import pytest

from benchmarks.patches import (
    KINDS,
    TREE,
    Kind,
    applied,
    applied_by_git,
    change_of,
    hostile_patches,
    random_patches,
)
from packhound.core.errors import SettingsError
from packhound.git.patched import apply_patch

_FOUND = (1022, 1078, 1523, 3650, 7082, 8066, 9980)
"""Of those that once were applied otherwise than by git."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_random_patch_is_applied_or_refused_as_by_git(tmp_path: Path, kind: Kind) -> None:
    """`python -m benchmarks.patches` asks ten thousand."""
    for seed, tree, patch in random_patches(tmp_path, kind, [*range(60), *_FOUND]):
        assert applied(tree, patch) == applied_by_git(tree, patch), (seed, patch)


def test_a_hostile_patch_is_refused_where_git_refuses_it() -> None:
    """Links and names of other systems are refused though git takes them."""
    n_refused = 0
    for name, patch, may_refuse in hostile_patches():
        ours, theirs = applied(TREE, patch), applied_by_git(TREE, patch)
        assert ours == theirs or (ours is None and may_refuse), name
        n_refused += ours is None
        if ours is None:
            with pytest.raises(SettingsError, match="the patch"):
                apply_patch(patch, TREE.get)
    assert n_refused > 300


def test_a_plain_diff_needs_no_header() -> None:
    patch = b"--- one.py\t2026-01-01\n+++ one.py\n@@ -1,2 +1,2 @@\n-1\n+one\n 2\n"
    new = b"--- a/x.py\n+++ b/x.py\n@@ -0,0 +1 @@\n+1\n"

    assert applied(TREE, patch) == {**TREE, "one.py": b"one\n2\n"}
    assert applied(TREE, new) == applied_by_git(TREE, new)
    assert apply_patch(new, TREE.get)["x.py"].before is None


def test_a_line_knows_where_it_was() -> None:
    file = apply_patch(change_of("one.py"), TREE.get)["one.py"]

    assert (file.new_line(0), file.new_line(1)) == (None, 1)
    assert (file.old_line(0), file.old_line(1)) == (None, 1)
    assert file.adds_to(0, 1) and not file.adds_to(1, 1)


def test_two_sections_of_one_file_change_their_own_lines() -> None:
    text = b"".join(b"%d\n" % n for n in range(12))
    section = b"--- a/one.py\n+++ b/one.py\n@@ -%d,3 +%d,3 @@\n %d\n-%d\n+new\n %d\n"
    sections = [section % (n, n, n - 1, n, n + 1) for n in (1, 9)]
    (file,) = apply_patch(b"".join(sections), {"one.py": text}.get).values()
    assert file.edits == ((1, 2, 1, 2), (9, 10, 9, 10))
