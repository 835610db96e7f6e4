"""What users of a search take for granted, drawn from a repository and asked of the program."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ACCEPT = Path(__file__).parents[3] / "shared" / "accept"
FLOORS = {
    **dict.fromkeys(("word.once.code", "word.once.test", "word.once.comment"), 0.8),
    **dict.fromkeys(("word.once.doc", "word.once.confidence_not_weak"), 0.8),
    **dict.fromkeys(("path.whole", "path.line", "path.line_column", "path.absolute"), 0.8),
    **dict.fromkeys(("line.code", "line.test", "line.comment", "line.doc"), 0.8),
    **dict.fromkeys(("qual.dot", "qual.colons", "case.snake", "case.joined"), 0.8),
    **dict.fromkeys(("near.typo_in_3", "near.prefix_in_5"), 0.8),
}


@pytest.mark.slow
@pytest.mark.skipif(not ACCEPT.exists(), reason="needs ../shared/accept")
def test_laws_are_kept(tmp_path: Path) -> None:
    with tarfile.open(ACCEPT / "corpora.tar.xz") as corpora:
        members = [each for each in corpora.getmembers() if each.name.split("/")[0] == "requests"]
        corpora.extractall(tmp_path / "corpora", members)
    program = tmp_path / "packhound"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m packhound "$@"\n')
    program.chmod(0o755)
    command = [sys.executable, str(ACCEPT / "laws.py"), str(program), str(tmp_path / "corpora")]
    options = ["--n", "8", "--live", "0", "--out", str(tmp_path / "failures")]
    laws = ["--laws", ",".join(sorted({f"{law.split('.')[0]}." for law in FLOORS}))]
    environment = {**os.environ, "PACKHOUND_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run(
        [*command, *options, *laws], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr
    kept = {
        law: float(share)
        for law, share, *_ in map(str.split, done.stdout.splitlines())
        if law in FLOORS
    }
    assert kept.keys() == FLOORS.keys()
    below = {law: share for law, share in kept.items() if share < FLOORS[law]}
    assert not below, (tmp_path / "failures").read_text()
